/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a SimGrid platform file with one <cluster>:
 *
 *   <cluster id="c" prefix="node-" suffix="" radical="0-15" speed="1Gf"
 *            bw="125MBps" lat="50us" topology="TORUS" topo_parameters="4,4"/>
 *
 * Without a topology all hosts are attached to one switch, optionally with a
 * backbone.
 */
#include "cluster/import.h"

#include <expat.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "params/params.h"

/* Largest number of ports of a switch, of levels of a tree, and of hosts. */
#define GMS_SIMGRID_CROSSBAR_MAX 64u
#define GMS_SIMGRID_LEVELS_MAX   8u
#define GMS_SIMGRID_HOSTS_MAX    16384u
/* Largest number of types of omitted elements that are counted, and largest
 * length of their names. */
#define GMS_SIMGRID_KINDS_MAX 16u
#define GMS_SIMGRID_NAME_LEN  24

/** The omitted elements of one type. */
typedef struct gms_simgrid_kind {
    char name[GMS_SIMGRID_NAME_LEN];
    unsigned count, line; /* number of elements, and line of the first
                           * element */
} gms_simgrid_kind_t;

typedef struct gms_simgrid {
    gms_import_t *import;
    XML_Parser parser;
    gms_status_t status;
    unsigned clusters, hosts, cluster_line;
    gms_simgrid_kind_t kinds[GMS_SIMGRID_KINDS_MAX];
    double bytes_s, latency_ps;
    char shape[256]; /* YAML lines of the topology */
} gms_simgrid_t;

typedef struct gms_simgrid_unit {
    const char *name;
    double factor;
} gms_simgrid_unit_t;

static const gms_simgrid_unit_t gms_simgrid_rates[] = {
    /* bytes per second */
    {"Bps", 1},
    {"kBps", 1e3},
    {"MBps", 1e6},
    {"GBps", 1e9},
    {"TBps", 1e12},
    {"bps", 0.125},
    {"kbps", 125},
    {"Mbps", 125e3},
    {"Gbps", 125e6},
    {"Tbps", 125e9},
    {"KiBps", 1024},
    {"MiBps", 1048576},
    {"GiBps", 1073741824.0},
    {"TiBps", 1099511627776.0},
    {"Kibps", 128},
    {"Mibps", 131072},
    {"Gibps", 134217728},
    {"Tibps", 137438953472.0},
    {NULL, 1},
};

static const gms_simgrid_unit_t gms_simgrid_times[] = {
    /* picoseconds */
    {"s", 1e12}, {"ms", 1e9},  {"us", 1e6},   {"ns", 1e3},    {"ps", 1},
    {"m", 6e13}, {"h", 36e14}, {"d", 864e14}, {"w", 6048e14}, {NULL, 1e12},
};

static unsigned gms_simgrid_line(const gms_simgrid_t *reader)
{
    return (unsigned)XML_GetCurrentLineNumber(reader->parser);
}

static const char *gms_simgrid_attribute(const char **attributes,
                                         const char *name)
{
    for (; attributes[0] != NULL; attributes += 2) {
        if (strcmp(attributes[0], name) == 0) {
            return attributes[1];
        }
    }
    return NULL;
}

/** Parse a number with a unit. If the text contains no unit, the factor of the
 *  table's last row is used. */
static gms_status_t gms_simgrid_number(gms_simgrid_t *reader, const char *name,
                                       const char *text,
                                       const gms_simgrid_unit_t *units,
                                       double *value_p)
{
    char *end;
    double value = gms_decimal(text, &end);

    for (; units->name != NULL; ++units) {
        if (strcmp(end, units->name) == 0) {
            break;
        }
    }
    if (end == text || value < 0 || !(value < 1e15) ||
        (units->name == NULL && *end != '\0')) {
        return gms_import_fail(
            reader->import, gms_simgrid_line(reader),
            "attribute '%s': value '%.60s' is invalid; allowed: a "
            "number and a unit such as %s",
            name, text, (units->factor == 1) ? "MBps or Gbps" : "us");
    }
    *value_p = value * units->factor;
    return GMS_OK;
}

/** Parse "0-9,12,20-29". @return number of hosts; 0 if the text is invalid */
static unsigned gms_simgrid_radical(const char *text)
{
    unsigned long count = 0;

    for (;;) {
        char *end;
        unsigned long first = strtoul(text, &end, 10), last = first;

        if (end == text) {
            return 0;
        }
        if (*end == '-') {
            text = end + 1;
            last = strtoul(text, &end, 10);
            if (end == text || last < first) {
                return 0;
            }
        }
        if (last - first >= GMS_SIMGRID_HOSTS_MAX) {
            return 0;
        }
        count += last - first + 1;
        if (count > GMS_SIMGRID_HOSTS_MAX || (*end != '\0' && *end != ',')) {
            return 0;
        }
        if (*end == '\0') {
            return (unsigned)count;
        }
        text = end + 1;
    }
}

/** Parse numbers separated by commas. @return how many numbers the text
 *  contains; 0 if there is any other text */
static unsigned gms_simgrid_list(const char **text_p, unsigned *numbers,
                                 unsigned max)
{
    const char *text = *text_p;
    unsigned count = 0;

    for (;;) {
        char *end;
        unsigned long number = strtoul(text, &end, 10);

        if (end == text || number == 0 || number > 16384 || count == max) {
            return 0;
        }
        numbers[count++] = (unsigned)number;
        text = end;
        if (*text != ',') {
            *text_p = text;
            return count;
        }
        ++text;
    }
}

/** Check that a value does not exceed the largest value that a key of the
 * cluster description allows. */
static gms_status_t gms_simgrid_fits(gms_simgrid_t *reader, const char *key,
                                     unsigned value)
{
    const gms_param_t *row = gms_param_find(key);

    return (value <= row->max)
               ? GMS_OK
               : gms_import_fail(reader->import, gms_simgrid_line(reader),
                                 "%s would be %u; allowed: up to %u", key,
                                 value, (unsigned)row->max);
}

static gms_status_t gms_simgrid_flat(gms_simgrid_t *reader)
{
    if (reader->hosts <= GMS_SIMGRID_CROSSBAR_MAX) {
        (void)snprintf(reader->shape, sizeof(reader->shape),
                       "topology: crossbar\nswitch_ports: %u\n",
                       (reader->hosts < 16) ? 16 : reader->hosts);
    } else {
        gms_import_note(reader->import, gms_simgrid_line(reader),
                        "a switch with %u ports cannot be simulated; it is "
                        "replaced by a Clos network of 16-port switches with "
                        "as many upward as downward cables on each level",
                        reader->hosts);
        (void)snprintf(reader->shape, sizeof(reader->shape),
                       "topology: clos\n");
    }
    return GMS_OK;
}

static gms_status_t gms_simgrid_torus(gms_simgrid_t *reader,
                                      const char *parameters)
{
    unsigned sides[3] = {0, 1, 0}, count;
    const char *text = parameters;

    count = gms_simgrid_list(&text, sides, 3);
    if (count == 0 || *text != '\0' || count > 2) {
        return gms_import_fail(reader->import, gms_simgrid_line(reader),
                               "a torus of '%.60s' has no counterpart in a "
                               "cluster description; allowed: two "
                               "dimensions, such as \"4,4\"",
                               parameters);
    }
    if (sides[0] * sides[1] != reader->hosts) {
        return gms_import_fail(reader->import, gms_simgrid_line(reader),
                               "a torus of %u x %u does not have %u hosts",
                               sides[0], sides[1], reader->hosts);
    }
    (void)snprintf(reader->shape, sizeof(reader->shape),
                   "topology: torus\ncolumns: %u\nrows: %u\n", sides[0],
                   sides[1]);
    return (gms_simgrid_fits(reader, "columns", sides[0]) != GMS_OK)
               ? GMS_ERR_CONFIG
               : gms_simgrid_fits(reader, "rows", sides[1]);
}

/** Convert SimGrid's parameters of a fat tree, which have the form
 * "LEVELS;down,..;up,..;cables,..". The result contains the number of hosts of
 * a leaf switch and the number of its cables to the upper level. */
static gms_status_t gms_simgrid_tree(gms_simgrid_t *reader,
                                     const char *parameters)
{
    unsigned numbers[3][GMS_SIMGRID_LEVELS_MAX], levels, part, ports;
    const char *text = parameters;
    int is_right = gms_simgrid_list(&text, &levels, 1) == 1 &&
                   levels <= GMS_SIMGRID_LEVELS_MAX;
    unsigned up;

    for (part = 0; part < 3 && is_right; ++part) {
        is_right = (*text == ';');
        ++text;
        is_right =
            is_right && gms_simgrid_list(&text, numbers[part],
                                         GMS_SIMGRID_LEVELS_MAX) == levels;
    }
    if (!is_right || *text != '\0') {
        return gms_import_fail(reader->import, gms_simgrid_line(reader),
                               "'%.60s' are not parameters of a fat tree; "
                               "allowed: \"2;4,4;1,2;1,2\"",
                               parameters);
    }
    if (levels != 2 || numbers[1][0] != 1 || numbers[2][0] != 1) {
        return gms_import_fail(reader->import, gms_simgrid_line(reader),
                               "a fat tree of '%.60s' has no counterpart in a "
                               "cluster description; allowed: two levels, "
                               "with one cable from each host",
                               parameters);
    }
    up = numbers[1][1] * numbers[2][1];
    ports = numbers[0][0] + up;
    if (ports < numbers[0][1] * numbers[2][1]) {
        ports = numbers[0][1] * numbers[2][1];
    }
    if (numbers[0][0] * numbers[0][1] != reader->hosts) {
        return gms_import_fail(reader->import, gms_simgrid_line(reader),
                               "a fat tree of %u x %u does not have %u hosts",
                               numbers[0][0], numbers[0][1], reader->hosts);
    }
    (void)snprintf(reader->shape, sizeof(reader->shape),
                   "topology: fat-tree\nswitch_ports: %u\n"
                   "hosts_per_switch: %u\ntree_up: %u\n",
                   ports, numbers[0][0], up);
    return gms_simgrid_fits(reader, "switch_ports", ports);
}

static gms_status_t gms_simgrid_shape(gms_simgrid_t *reader,
                                      const char **attributes)
{
    const char *kind = gms_simgrid_attribute(attributes, "topology");
    const char *parameters =
        gms_simgrid_attribute(attributes, "topo_parameters");

    if (kind == NULL || strcmp(kind, "FLAT") == 0) {
        return gms_simgrid_flat(reader);
    }
    if (parameters == NULL) {
        return gms_import_fail(reader->import, gms_simgrid_line(reader),
                               "topology '%.40s' requires topo_parameters",
                               kind);
    }
    if (strcmp(kind, "TORUS") == 0) {
        return gms_simgrid_torus(reader, parameters);
    }
    if (strcmp(kind, "FAT_TREE") == 0) {
        return gms_simgrid_tree(reader, parameters);
    }
    return gms_import_fail(reader->import, gms_simgrid_line(reader),
                           "topology '%.40s' has no counterpart; allowed: "
                           "FLAT, TORUS, FAT_TREE",
                           kind);
}

/** Report the attributes of a cluster that have no counterpart. */
static void gms_simgrid_attributes(gms_simgrid_t *reader,
                                   const char **attributes)
{
    static const struct {
        const char *name, *why; /* `why' is the reason for reporting the
                                 * attribute; NULL if the import uses the
                                 * attribute, or if the attribute is only a
                                 * name */
    } known[] = {
        {"id", NULL},
        {"prefix", NULL},
        {"suffix", NULL},
        {"radical", NULL},
        {"bw", NULL},
        {"lat", NULL},
        {"topology", NULL},
        {"topo_parameters", NULL},
        {"router_id", NULL},
        {"bb_lat", NULL}, /* the import reports this attribute together with
                           * bb_bw */
        {"bb_sharing_policy", NULL},
        {"speed", ": the key `time' sets the cost of computation"},
        {"power", ": the key `time' sets the cost of computation"},
        {"bb_bw",
         ": this attribute limits a backbone that all hosts share, but "
         "simulated switches use all their ports at the same time"},
    };
    const size_t count = sizeof(known) / sizeof(*known);

    for (; attributes[0] != NULL; attributes += 2) {
        const char *why = "";
        size_t i = 0;

        while (i < count && strcmp(known[i].name, attributes[0]) != 0) {
            ++i;
        }
        if (strcmp(attributes[0], "sharing_policy") == 0) {
            /* The policy SPLITDUPLEX need not be reported, because simulated
             * links also carry traffic in both directions at the same time. */
            why = (strcmp(attributes[1], "SPLITDUPLEX") == 0)
                      ? NULL
                      : ": simulated links carry traffic in both directions at "
                        "once";
        } else if (i < count) {
            why = known[i].why;
        }
        if (why != NULL) {
            gms_import_note(reader->import, gms_simgrid_line(reader),
                            "%s has no counterpart%s", attributes[0], why);
        }
    }
}

static gms_status_t gms_simgrid_cluster(gms_simgrid_t *reader,
                                        const char **attributes)
{
    const char *radical = gms_simgrid_attribute(attributes, "radical");
    const char *bw = gms_simgrid_attribute(attributes, "bw");
    const char *lat = gms_simgrid_attribute(attributes, "lat");
    gms_status_t status;

    if (reader->clusters++ > 0) {
        return gms_import_fail(reader->import, gms_simgrid_line(reader),
                               "a second <cluster>; allowed: one (the first "
                               "is on line %u)",
                               reader->cluster_line);
    }
    reader->cluster_line = gms_simgrid_line(reader);
    reader->hosts = (radical != NULL) ? gms_simgrid_radical(radical) : 0;
    if (reader->hosts == 0) {
        return gms_import_fail(
            reader->import, gms_simgrid_line(reader),
            "attribute 'radical': value '%.60s' is invalid; allowed: "
            "a list of ranges such as \"0-9,12\", with at most %u hosts in "
            "total",
            (radical != NULL) ? radical : "", GMS_SIMGRID_HOSTS_MAX);
    }
    if (bw == NULL || lat == NULL) {
        return gms_import_fail(reader->import, gms_simgrid_line(reader),
                               "the <cluster> has no attribute '%s'",
                               (bw == NULL) ? "bw" : "lat");
    }
    status = gms_simgrid_number(reader, "bw", bw, gms_simgrid_rates,
                                &reader->bytes_s);
    if (status == GMS_OK) {
        status = gms_simgrid_number(reader, "lat", lat, gms_simgrid_times,
                                    &reader->latency_ps);
    }
    if (status == GMS_OK) {
        status = gms_simgrid_shape(reader, attributes);
    }
    if (status == GMS_OK) {
        gms_simgrid_attributes(reader, attributes);
    }
    return status;
}

/** Count an element without a counterpart. The import reports all elements with
 * the same name in one line, because a file may contain thousands of them. */
static void gms_simgrid_count(gms_simgrid_t *reader, const char *name)
{
    gms_simgrid_kind_t *kind = reader->kinds;
    gms_simgrid_kind_t *last = kind + GMS_SIMGRID_KINDS_MAX - 1;

    while (kind < last && kind->count > 0 &&
           strncmp(kind->name, name, sizeof(kind->name) - 1) != 0) {
        ++kind;
    }
    if (kind->count++ == 0) {
        (void)snprintf(kind->name, sizeof(kind->name), "%s",
                       (kind == last) ? "others" : name);
        kind->line = gms_simgrid_line(reader);
    }
}

static void gms_simgrid_left_out(gms_simgrid_t *reader)
{
    const gms_simgrid_kind_t *kind = reader->kinds;
    const gms_simgrid_kind_t *end = kind + GMS_SIMGRID_KINDS_MAX;
    char more[40];

    for (; kind < end && kind->count > 0; ++kind) {
        (void)snprintf(more, sizeof(more), " (%u of them)", kind->count);
        gms_import_note(reader->import, kind->line,
                        "<%s> is omitted%s; only a <cluster> has a counterpart",
                        kind->name, (kind->count > 1) ? more : "");
    }
}

static void gms_simgrid_begin(void *context, const char *name,
                              const char **attributes)
{
    static const char *const frame[] = {"platform", "zone", "AS",
                                        "config",   "prop", NULL};
    gms_simgrid_t *reader = context;
    const char *const *known = frame;

    if (reader->status != GMS_OK) {
        return;
    }
    if (strcmp(name, "cluster") == 0) {
        reader->status = gms_simgrid_cluster(reader, attributes);
        return;
    }
    while (*known != NULL && strcmp(*known, name) != 0) {
        ++known;
    }
    if (*known == NULL) {
        gms_simgrid_count(reader, name);
    }
}

static gms_status_t gms_simgrid_write(gms_simgrid_t *reader)
{
    char path[GMS_IMPORT_PATH_LEN];

    if (reader->clusters == 0) {
        return gms_import_fail(
            reader->import, 0,
            "the file contains no <cluster>; allowed: a SimGrid platform file "
            "that contains a <cluster>, not single hosts and links");
    }
    gms_simgrid_left_out(reader);
    fprintf(reader->import->out,
            "# Converted from %s, a SimGrid platform. The profile defines the "
            "NICs.\nprofile: myrinet2000\nhosts: %u\n%s",
            gms_import_name(reader->import, path), reader->hosts,
            reader->shape);
    gms_import_links(reader->import, reader->bytes_s, reader->latency_ps);
    return GMS_OK;
}

gms_status_t gms_import_simgrid(gms_import_t *import, const char *text)
{
    gms_simgrid_t reader = {
        .import = import, .parser = XML_ParserCreate(NULL), .status = GMS_OK};
    gms_status_t status;

    if (reader.parser == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    XML_SetUserData(reader.parser, &reader);
    XML_SetElementHandler(reader.parser, gms_simgrid_begin, NULL);
    if (XML_Parse(reader.parser, text, (int)strlen(text), 1) != XML_STATUS_OK) {
        status = gms_import_fail(
            import, gms_simgrid_line(&reader), "not valid XML: %s",
            XML_ErrorString(XML_GetErrorCode(reader.parser)));
    } else {
        status = (reader.status == GMS_OK) ? gms_simgrid_write(&reader)
                                           : reader.status;
    }
    XML_ParserFree(reader.parser);
    return status;
}
