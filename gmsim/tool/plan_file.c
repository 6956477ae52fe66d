/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the YAML file of gmsim plan, except for the keys that describe a flow's
 * traffic (plan_traffic.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/printable.h"
#include "yaml/loader.h"
#include "gmsim/yaml/quantity.h"
#include "tool/plan_traffic.h"

/* Limits for the values of a flow's keys. */
#define GMS_PLAN_NODES_MAX 65536u
#define GMS_PLAN_LABEL_MAX UINT32_C(0x3fffffff)
#define GMS_PLAN_LOAD_MAX  1000
/* [assumed: the limit of mpi_qos.h, a thousand times the bandwidth of any link
 * at the time of the thesis] */
#define GMS_PLAN_BYTES_S_MAX 1e12
/* First GM port that is available to programs. */
#define GMS_PLAN_PORT 2u
/* First label for flows without a label in the plan. */
#define GMS_PLAN_LABEL_OWN UINT32_C(0x40000000)

typedef struct gms_plan_reader {
    gms_loader_t loader; /* must be the first member, because handlers receive a
                            pointer to it */
    gms_plan_t plan;
    gms_plan_step_t step;
    gms_plan_flow_t flow;
    unsigned given; /* bit set of the current flow's keys */
    int in_set;
} gms_plan_reader_t;

enum {
    GMS_PLAN_FROM = 1,
    GMS_PLAN_TO = 2,
    GMS_PLAN_BANDWIDTH = 4,
    GMS_PLAN_CLASS = 8,
    GMS_PLAN_NAME = 16,
    GMS_PLAN_LABEL = 32,
    GMS_PLAN_REVERSE = 64,
    GMS_PLAN_RELEASES = 128,
    GMS_PLAN_ALL = 256,
    GMS_PLAN_FROM_PORT = 512,
    GMS_PLAN_TO_PORT = 1024,
    GMS_PLAN_SOURCE_LOAD = 2048,
    GMS_PLAN_TARGET_LOAD = 4096
};

static const struct {
    const char *key;
    unsigned bit;
} gms_plan_keys[] = {
    {"from", GMS_PLAN_FROM},
    {"to", GMS_PLAN_TO},
    {"bandwidth", GMS_PLAN_BANDWIDTH},
    {"class", GMS_PLAN_CLASS},
    {"name", GMS_PLAN_NAME},
    {"label", GMS_PLAN_LABEL},
    {"reverse", GMS_PLAN_REVERSE},
    {"release", GMS_PLAN_RELEASES},
    {"all", GMS_PLAN_ALL},
    {"from_port", GMS_PLAN_FROM_PORT},
    {"to_port", GMS_PLAN_TO_PORT},
    {"source_load", GMS_PLAN_SOURCE_LOAD},
    {"target_load", GMS_PLAN_TARGET_LOAD},
    {"delay", GMS_PLAN_DELAY},
    {"jitter", GMS_PLAN_JITTER},
    {"burst", GMS_PLAN_BURST},
    {"message", GMS_PLAN_MESSAGE},
    {"window", GMS_PLAN_WINDOW},
    {"priority", GMS_PLAN_PRIORITY},
    {"start", GMS_PLAN_START},
    {"stop", GMS_PLAN_STOP},
    {"on", GMS_PLAN_ON},
    {"off", GMS_PLAN_OFF},
    {"random", GMS_PLAN_RANDOM},
    {"send", GMS_PLAN_SEND},
    {"phase", GMS_PLAN_PHASE},
};

static const char *const gms_plan_classes[] = {"premium", "best-effort", "none",
                                               NULL};

static gms_plan_reader_t *gms_plan_reader(gms_loader_t *loader)
{
    return (gms_plan_reader_t *)loader;
}

/* ---- values ---- */

/** Parse a bandwidth with a unit. */
static gms_status_t gms_plan_bandwidth(gms_loader_t *loader, const char *key,
                                       const yaml_node_t *value,
                                       double *bytes_s_p)
{
    const char *text = gms_yaml_scalar(value);
    char why[MPIQOS_NO_BANDWIDTH_LEN];
    double bytes_s = 0;
    gms_status_t status;

    if (text != NULL && mpiqos_quantity_bandwidth(text, &bytes_s) == 0 &&
        bytes_s > 0 && bytes_s <= GMS_PLAN_BYTES_S_MAX) {
        *bytes_s_p = bytes_s;
        return GMS_OK;
    }
    mpiqos_quantity_no_bandwidth(text != NULL ? text : "", why);
    status = gms_loader_begin_value(loader, key, value);
    gms_yaml_append(loader->error,
                    " %s; allowed: above 0, up to %g bytes/s; "
                    "units: " MPIQOS_BANDWIDTH_UNITS,
                    why, GMS_PLAN_BYTES_S_MAX);
    return status;
}

static gms_status_t gms_plan_integer(gms_loader_t *loader, const char *key,
                                     const yaml_node_t *value, uint64_t min,
                                     uint64_t max, uint64_t *number_p)
{
    const gms_param_t row = {.name = key, .unit = "", .min = min, .max = max};

    return gms_loader_integer(loader, value, &row, number_p);
}

/** Parse a load as a fraction of a process's time. */
static gms_status_t gms_plan_load_value(gms_loader_t *loader, const char *key,
                                        const yaml_node_t *value, float *load_p)
{
    const char *text = gms_yaml_scalar(value);
    char *end = NULL;
    double number = (text != NULL) ? gms_decimal(text, &end) : 0;
    gms_status_t status;

    if (text != NULL && end != text && *end == '\0' && number >= 0 &&
        number <= GMS_PLAN_LOAD_MAX) {
        *load_p = (float)number;
        return GMS_OK;
    }
    status = gms_loader_begin_value(loader, key, value);
    gms_yaml_append(loader->error,
                    " is not a valid load; allowed: a number from 0 to %d; 1 "
                    "means all of a process's time",
                    GMS_PLAN_LOAD_MAX);
    return status;
}

static gms_status_t gms_plan_port(gms_loader_t *loader, const char *key,
                                  const yaml_node_t *value, uint16_t *port_p)
{
    /* the ports of the plan's own cluster are checked after the cluster is
     * known */
    uint64_t number = 0, most = gms_param_find("gm_ports")->max - 1;
    gms_status_t status =
        gms_plan_integer(loader, key, value, 0, most, &number);

    *port_p = (uint16_t)number;
    return status;
}

/** Return whether a string is a valid name. Names are restricted because they
 *  are printed in tables and CSV. */
static int gms_plan_is_name(const char *text)
{
    return strpbrk(text, ",\"") == NULL && gms_is_printable(text);
}

static gms_status_t gms_plan_name(gms_loader_t *loader, const char *key,
                                  const yaml_node_t *value,
                                  char name[GMS_PLAN_NAME_LEN])
{
    const char *text = gms_yaml_scalar(value);
    gms_status_t status;

    if (text == NULL || text[0] == '\0' || text[0] == '#' ||
        strlen(text) >= GMS_PLAN_NAME_LEN || !gms_plan_is_name(text)) {
        status = gms_loader_begin_value(loader, key, value);
        gms_yaml_append(
            loader->error,
            " is not a valid name; allowed: 1 to %d bytes without commas, "
            "quotes or control characters, and no # at the beginning",
            GMS_PLAN_NAME_LEN - 1);
        return status;
    }
    strcpy(name, text);
    return GMS_OK;
}

/** Append an element to an array.
 *  @return address of the element, or NULL if memory is insufficient */
static void *gms_plan_append(void *array_p, size_t *count, size_t size)
{
    void **array = array_p;

    /* the array is full if its number of elements is a power of two */
    if ((*count & (*count - 1)) == 0) {
        size_t room = (*count == 0) ? 1 : 2 * *count;
        void *larger = realloc(*array, room * size);

        if (larger == NULL) {
            return NULL;
        }
        *array = larger;
    }
    return (char *)*array + (*count)++ * size;
}

/* ---- a flow ---- */

static gms_status_t gms_plan_end(gms_loader_t *loader, const char *key,
                                 const yaml_node_t *value, uint32_t *node_p)
{
    uint64_t number = 0;
    gms_status_t status =
        gms_plan_integer(loader, key, value, 1, GMS_PLAN_NODES_MAX, &number);

    *node_p = (uint32_t)number - 1;
    return status;
}

static gms_status_t gms_plan_set_of(gms_loader_t *loader, size_t line,
                                    const yaml_node_t *value);

static gms_status_t gms_plan_flow_value(gms_plan_reader_t *reader, unsigned bit,
                                        const char *key, size_t line,
                                        const yaml_node_t *value)
{
    gms_loader_t *loader = &reader->loader;
    gms_flow_request_t *request = &reader->flow.request;
    gms_status_t status = GMS_OK;
    uint64_t number = 0;
    uint32_t node = 0;

    switch (bit) {
    case GMS_PLAN_FROM:
        status = gms_plan_end(loader, key, value, &node);
        request->source_node = node;
        return status;
    case GMS_PLAN_TO:
        status = gms_plan_end(loader, key, value, &node);
        request->key.target_node = (uint16_t)node;
        return status;
    case GMS_PLAN_BANDWIDTH:
        return gms_plan_bandwidth(loader, key, value, &request->bytes_s);
    case GMS_PLAN_REVERSE:
        return gms_plan_bandwidth(loader, key, value,
                                  &request->reverse_bytes_s);
    case GMS_PLAN_CLASS:
        status =
            gms_loader_choice(loader, value, key, gms_plan_classes, &number);
        request->qos_class = number == 0   ? GMS_QOS_PREMIUM
                             : number == 1 ? GMS_QOS_BEST_EFFORT
                                           : GMS_QOS_UNMANAGED;
        return status;
    case GMS_PLAN_LABEL:
        status = gms_plan_integer(loader, key, value, 0, GMS_PLAN_LABEL_MAX,
                                  &number);
        reader->flow.label = (uint32_t)number;
        reader->flow.has_label = 1;
        return status;
    case GMS_PLAN_FROM_PORT:
        return gms_plan_port(loader, key, value, &request->key.source_port);
    case GMS_PLAN_TO_PORT:
        return gms_plan_port(loader, key, value, &request->key.target_port);
    case GMS_PLAN_SOURCE_LOAD:
        return gms_plan_load_value(loader, key, value, &request->load.source);
    case GMS_PLAN_TARGET_LOAD:
        return gms_plan_load_value(loader, key, value, &request->load.target);
    case GMS_PLAN_NAME:
    case GMS_PLAN_RELEASES:
        return gms_plan_name(loader, key, value, reader->flow.name);
    case GMS_PLAN_ALL:
        return gms_plan_set_of(loader, line, value);
    default:
        return gms_plan_traffic_value(loader, bit, key, value, &reader->flow);
    }
}

static gms_status_t gms_plan_flow_key(gms_loader_t *loader, const char *key,
                                      size_t line, const yaml_node_t *value)
{
    gms_plan_reader_t *reader = gms_plan_reader(loader);
    size_t limit = gms_yaml_typo_limit(key), i;
    const char *best = NULL;
    gms_status_t status;

    for (i = 0; i < sizeof(gms_plan_keys) / sizeof(gms_plan_keys[0]); ++i) {
        if (strcmp(key, gms_plan_keys[i].key) != 0) {
            gms_yaml_nearer(key, gms_plan_keys[i].key, &best, &limit);
            continue;
        }
        if (reader->given & gms_plan_keys[i].bit) {
            return gms_loader_fail(loader, line, "key '%s' is given twice",
                                   key);
        }
        reader->given |= gms_plan_keys[i].bit;
        return gms_plan_flow_value(reader, gms_plan_keys[i].bit, key, line,
                                   value);
    }
    status = gms_loader_unknown(loader, line, key, best);
    gms_yaml_append(loader->error,
                    "; allowed: from, to, bandwidth, class, name, label, "
                    "reverse, from_port, to_port, source_load, target_load, "
                    "delay, jitter, burst, message, window, priority, "
                    "start, phase, stop, on, off, random, send; or release; or "
                    "all");
    return status;
}

/** Check that the keys of a request may be combined. */
static gms_status_t gms_plan_flow_check(gms_plan_reader_t *reader, size_t line)
{
    gms_loader_t *loader = &reader->loader;
    unsigned given = reader->given;
    int is_premium = (reader->flow.request.qos_class == GMS_QOS_PREMIUM);
    int is_asking = (reader->flow.request.qos_class != GMS_QOS_UNMANAGED);

    if (given & (GMS_PLAN_RELEASES | GMS_PLAN_ALL)) {
        if ((given & (given - 1)) != 0) {
            return gms_loader_fail(loader, line,
                                   "'%s' allows no other key in the same entry",
                                   (given & GMS_PLAN_ALL) ? "all" : "release");
        }
        if (reader->in_set) {
            return gms_loader_fail(
                loader, line,
                "the list 'all' may contain only requests for flows");
        }
        return GMS_OK;
    }
    if (!(given & GMS_PLAN_FROM) || !(given & GMS_PLAN_TO)) {
        return gms_loader_fail(loader, line, "a request requires '%s'",
                               (given & GMS_PLAN_FROM) ? "to" : "from");
    }
    if (is_premium && !(given & GMS_PLAN_BANDWIDTH)) {
        return gms_loader_fail(loader, line,
                               "a request requires 'bandwidth', or 'class: "
                               "best-effort', or 'class: none'");
    }
    if (!is_premium && (given & GMS_PLAN_BANDWIDTH)) {
        return gms_loader_fail(
            loader, line, "'bandwidth' is not allowed for %s",
            is_asking ? "best effort" : "an undeclared flow");
    }
    if (!is_asking && reader->in_set) {
        return gms_loader_fail(
            loader, line,
            "'all' allows only requests; 'class: none' is not a request");
    }
    return gms_plan_traffic_check(loader, line, given, &reader->flow);
}

static gms_status_t gms_plan_put_flow(gms_plan_reader_t *reader, size_t line)
{
    gms_plan_t *plan = &reader->plan;
    gms_plan_flow_t *flow =
        gms_plan_append(&plan->flows, &plan->flow_count, sizeof(*flow));

    if (flow == NULL) {
        return gms_loader_fail(&reader->loader, line, "out of memory");
    }
    *flow = reader->flow;
    flow->line = line;
    if (reader->given & GMS_PLAN_RELEASES) {
        flow->request.qos_class = GMS_QOS_UNMANAGED;
    }
    flow->request.key.label =
        flow->has_label ? flow->label
                        : GMS_PLAN_LABEL_OWN + (uint32_t)plan->flow_count;
    if (flow->name[0] == '\0') {
        (void)snprintf(flow->name, sizeof(flow->name), "#%zu",
                       plan->flow_count);
    }
    ++reader->step.count;
    return GMS_OK;
}

static gms_status_t gms_plan_entry(gms_loader_t *loader,
                                   const yaml_node_t *node)
{
    gms_plan_reader_t *reader = gms_plan_reader(loader);
    size_t line = node->start_mark.line + 1;
    gms_status_t status;

    if (node->type != YAML_MAPPING_NODE) {
        return gms_loader_fail(loader, line,
                               "not a request; allowed: {from: NODE, to: NODE, "
                               "bandwidth: B}, {release: NAME}, {all: [...]}");
    }
    memset(&reader->flow, 0, sizeof(reader->flow));
    reader->flow.request.qos_class = GMS_QOS_PREMIUM;
    reader->flow.request.key.source_port = GMS_PLAN_PORT;
    reader->flow.request.key.target_port = GMS_PLAN_PORT;
    gms_plan_traffic_init(&reader->flow);
    reader->given = 0;
    status = gms_loader_mapping(loader, node, gms_plan_flow_key);
    if (status == GMS_OK) {
        status = gms_plan_flow_check(reader, line);
    }
    if (status == GMS_OK && !(reader->given & GMS_PLAN_ALL)) {
        reader->step.kind = (reader->given & GMS_PLAN_RELEASES)
                                ? GMS_PLAN_RELEASE
                                : GMS_PLAN_REQUEST;
        status = gms_plan_put_flow(reader, line);
    }
    return status;
}

static gms_status_t gms_plan_list(gms_loader_t *loader, const char *key,
                                  const yaml_node_t *value,
                                  gms_status_t (*each)(gms_loader_t *loader,
                                                       const yaml_node_t *node))
{
    const yaml_node_item_t *item;
    gms_status_t status = GMS_OK, one;

    if (value->type != YAML_SEQUENCE_NODE ||
        value->data.sequence.items.start == value->data.sequence.items.top) {
        status = gms_loader_begin_value(loader, key, value);
        gms_yaml_append(loader->error, "; allowed: a list of requests");
        return status;
    }
    for (item = value->data.sequence.items.start;
         item < value->data.sequence.items.top; ++item) {
        one = each(loader, yaml_document_get_node(loader->document, *item));
        status = (status == GMS_OK) ? one : status;
    }
    return status;
}

static gms_status_t gms_plan_set_of(gms_loader_t *loader, size_t line,
                                    const yaml_node_t *value)
{
    gms_plan_reader_t *reader = gms_plan_reader(loader);
    unsigned given = reader->given;
    gms_status_t status;

    if (reader->in_set) {
        return gms_loader_fail(loader, line,
                               "'all' is not allowed inside 'all'");
    }
    reader->in_set = 1;
    status = gms_plan_list(loader, "all", value, gms_plan_entry);
    reader->in_set = 0;
    /* restore the keys, because the entries of the list have changed them */
    reader->given = given;
    return status;
}

/* ---- the file ---- */

static gms_status_t gms_plan_step(gms_loader_t *loader, const yaml_node_t *node)
{
    gms_plan_reader_t *reader = gms_plan_reader(loader);
    gms_plan_step_t *step;
    gms_status_t status;

    reader->step = (gms_plan_step_t){.first = reader->plan.flow_count};
    status = gms_plan_entry(loader, node);
    if (status != GMS_OK) {
        return status;
    }
    step = gms_plan_append(&reader->plan.steps, &reader->plan.step_count,
                           sizeof(*step));
    if (step == NULL) {
        return gms_loader_fail(loader, 0, "out of memory");
    }
    *step = reader->step;
    return GMS_OK;
}

static gms_status_t gms_plan_top(gms_loader_t *loader, const char *key,
                                 size_t line, const yaml_node_t *value)
{
    gms_plan_reader_t *reader = gms_plan_reader(loader);
    const char *text = gms_yaml_scalar(value);
    gms_status_t status;

    if (strcmp(key, "requests") == 0 && reader->plan.steps == NULL) {
        return gms_plan_list(loader, key, value, gms_plan_step);
    }
    if (strcmp(key, "cluster") == 0 && reader->plan.cluster == NULL) {
        if (text == NULL || text[0] == '\0') {
            status = gms_loader_begin_value(loader, key, value);
            gms_yaml_append(loader->error, "; allowed: a path");
            return status;
        }
        reader->plan.cluster = strdup(text);
        return (reader->plan.cluster != NULL)
                   ? GMS_OK
                   : gms_loader_fail(loader, line, "out of memory");
    }
    if (strcmp(key, "time") == 0 && reader->plan.time_ps == 0) {
        return gms_plan_time(loader, key, value, 0, &reader->plan.time_ps);
    }
    if (strcmp(key, "requests") == 0 || strcmp(key, "cluster") == 0 ||
        strcmp(key, "time") == 0) {
        return gms_loader_fail(loader, line, "key '%s' is given twice", key);
    }
    status = gms_loader_unknown(loader, line, key, NULL);
    gms_yaml_append(loader->error, "; allowed: cluster, requests, time");
    return status;
}

static gms_status_t gms_plan_document(gms_loader_t *loader,
                                      const yaml_node_t *root)
{
    gms_status_t status;

    if (root == NULL || root->type != YAML_MAPPING_NODE) {
        return gms_loader_fail(
            loader, 1,
            "not a plan; a plan has the key 'requests' with a list, and may "
            "have the key 'cluster' with a path");
    }
    status = gms_loader_mapping(loader, root, gms_plan_top);
    if (status == GMS_OK && gms_plan_reader(loader)->plan.steps == NULL) {
        return gms_loader_fail(loader, root->start_mark.line + 1,
                               "a plan requires 'requests'");
    }
    return status;
}

gms_status_t gms_plan_load(const char *path, gms_plan_t *plan,
                           char error[GMS_YAML_ERROR_LEN])
{
    gms_plan_reader_t reader;
    gms_status_t status;

    memset(&reader, 0, sizeof(reader));
    reader.loader.error = error;
    reader.loader.what = "plan";
    reader.loader.each = "one plan";
    reader.loader.on_root = gms_plan_document;
    status = gms_loader_file(&reader.loader, path);
    if (status != GMS_OK) {
        gms_plan_clear(&reader.plan);
        return status;
    }
    *plan = reader.plan;
    return GMS_OK;
}

/** Return whether the plan requests a flow with this name before entry
 *  `before`. */
static int gms_plan_knows(const gms_plan_t *plan, size_t before,
                          const char *name)
{
    size_t i, step;

    for (step = 0; step < plan->step_count; ++step) {
        const gms_plan_step_t *s = &plan->steps[step];

        for (i = s->first; i < s->first + s->count && i < before; ++i) {
            if (s->kind == GMS_PLAN_REQUEST &&
                strcmp(plan->flows[i].name, name) == 0) {
                return 1;
            }
        }
    }
    return 0;
}

gms_status_t gms_plan_check(const char *path, const gms_plan_t *plan,
                            unsigned nodes, unsigned ports,
                            char error[GMS_YAML_ERROR_LEN])
{
    gms_loader_t loader = {.error = error};
    size_t step, i;

    (void)snprintf(loader.path, sizeof(loader.path), "%s", path);
    for (step = 0; step < plan->step_count; ++step) {
        const gms_plan_step_t *s = &plan->steps[step];

        for (i = s->first; i < s->first + s->count; ++i) {
            const gms_plan_flow_t *flow = &plan->flows[i];
            int is_from = (flow->request.source_node >= nodes);

            if (s->kind == GMS_PLAN_RELEASE) {
                if (!gms_plan_knows(plan, i, flow->name)) {
                    return gms_loader_fail(
                        &loader, flow->line,
                        "key 'release': value '%s' is not the name of an "
                        "earlier request; allowed: the name of a request above",
                        flow->name);
                }
            } else if (is_from || flow->request.key.target_node >= nodes) {
                return gms_loader_fail(
                    &loader, flow->line,
                    "key '%s': value '%u' is out of range; allowed: 1..%u "
                    "(nodes of the cluster)",
                    is_from ? "from" : "to",
                    1 + (is_from ? flow->request.source_node
                                 : flow->request.key.target_node),
                    nodes);
            } else if (flow->request.key.source_port >= ports ||
                       flow->request.key.target_port >= ports) {
                return gms_loader_fail(
                    &loader, flow->line,
                    "key 'from_port' or 'to_port': value '%u' is out of range; "
                    "allowed: 0..%u (ports of a node)",
                    (flow->request.key.source_port >= ports)
                        ? flow->request.key.source_port
                        : flow->request.key.target_port,
                    ports - 1);
            }
        }
    }
    return GMS_OK;
}

void gms_plan_clear(gms_plan_t *plan)
{
    free(plan->cluster);
    free(plan->flows);
    free(plan->steps);
    memset(plan, 0, sizeof(*plan));
}
