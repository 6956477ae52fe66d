/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the section `faults:` of a cluster description. A description contains
 * probabilities as fractions ("drop: 0.01"). Probabilities are stored in parts
 * per million, in the rows of the parameter table that are listed in
 * gms_fault_words.
 */
#include "cluster/cluster_int.h"

#include <stdio.h>
#include <string.h>

#define GMS_FAULT_MILLION UINT64_C(1000000)

typedef struct gms_fault_word {
    const char *key;
    const char *row;
    int is_fraction;
} gms_fault_word_t;

static const gms_fault_word_t gms_fault_words[] = {
    {"drop", "fault_drop_ppm", 1},
    {"damage_header", "fault_damage_header_ppm", 1},
    {"damage_payload", "fault_damage_payload_ppm", 1},
    {"duplicate", "fault_duplicate_ppm", 1},
    {"delay", "fault_delay_ppm", 1},
    {"delay_max_us", "fault_delay_max_us", 0},
    {"outages_per_s", "fault_outages_per_s", 0},
    {"outage_us", "fault_outage_us", 0},
    {.key = NULL},
};

/* Keys that an event can have. An event must have exactly one of the keys from
 * GMS_KEY_LINK to the end of the list. */
enum gms_fault_key {
    GMS_KEY_AT = 0,
    GMS_KEY_FOR,
    GMS_KEY_LINK,
    GMS_KEY_NODE,
    GMS_KEY_RESET,
    GMS_KEY_KILL,
    GMS_KEY_KILL_NODE,
    GMS_KEY_STOP,
    GMS_KEY_COUNT
};

static const char *const gms_fault_keys[] = {
    [GMS_KEY_AT] = "at_us",
    [GMS_KEY_FOR] = "for_us",
    [GMS_KEY_LINK] = "link",
    [GMS_KEY_NODE] = "node",
    [GMS_KEY_RESET] = "reset_nic",
    [GMS_KEY_KILL] = "kill_rank",
    [GMS_KEY_KILL_NODE] = "kill_node",
    [GMS_KEY_STOP] = "stop",
    NULL,
};

static const char *const gms_fault_stops[] = {"random", NULL};

typedef struct gms_fault_draft {
    const yaml_node_t *values[GMS_KEY_COUNT];
    size_t lines[GMS_KEY_COUNT];
} gms_fault_draft_t;

int gms_faults_any(const gms_params_t *params, const gms_fault_plan_t *plan)
{
    return params->fault_drop_ppm != 0 ||
           params->fault_damage_header_ppm != 0 ||
           params->fault_damage_payload_ppm != 0 ||
           params->fault_duplicate_ppm != 0 || params->fault_delay_ppm != 0 ||
           params->fault_outages_per_s != 0 ||
           (plan != NULL && plan->count != 0);
}

/* ---- rates ---- */

/** Convert a fraction to millionths without rounding, by reading "0.01" as
 *  "0.01e6". */
static gms_status_t gms_loader_fraction(gms_loader_t *loader, const char *key,
                                        const yaml_node_t *value,
                                        uint64_t *ppm_p)
{
    const char *text = gms_yaml_scalar(value);
    gms_number_t kind = GMS_NUMBER_NONE;
    gms_status_t status;
    uint64_t ppm = 0;
    char scaled[64];

    if (text != NULL && strlen(text) < sizeof(scaled) - 3 &&
        strpbrk(text, "eE") == NULL &&
        value->data.scalar.style == YAML_PLAIN_SCALAR_STYLE) {
        (void)snprintf(scaled, sizeof(scaled), "%se6", text);
        kind = gms_yaml_number(scaled, &ppm);
    }
    if (kind == GMS_NUMBER_OK && ppm <= GMS_FAULT_MILLION) {
        *ppm_p = ppm;
        return GMS_OK;
    }
    status = gms_loader_begin_value(loader, key, value);
    gms_yaml_append(loader->error, "%s; allowed: 0..1 in steps of 0.000001",
                    (value->type != YAML_SCALAR_NODE) ? ", not a fraction"
                    : (kind == GMS_NUMBER_NONE)       ? " is not a fraction"
                    : (kind == GMS_NUMBER_FRACTION)
                        ? " has too many decimal places"
                        : " is out of range");
    return status;
}

static gms_status_t gms_loader_fault_rate(gms_loader_t *loader,
                                          const gms_fault_word_t *word,
                                          size_t line, const yaml_node_t *value)
{
    const gms_param_t *row = gms_param_find(word->row);
    gms_status_t status;
    uint64_t ppm = 0;

    if (!word->is_fraction) {
        return gms_loader_row(loader, row, line, value);
    }
    status = gms_loader_claim(loader, row, line);
    if (status == GMS_OK) {
        status = gms_loader_fraction(loader, word->key, value, &ppm);
    }
    if (status == GMS_OK) {
        gms_param_set(&gms_cluster_draft(loader)->cluster.params, row, ppm);
    }
    return status;
}

/* ---- events ---- */

/** Read a number of an event. The function creates a temporary parameter row to
 *  check the range of the number. */
static gms_status_t
gms_loader_event_number(gms_loader_t *loader, enum gms_fault_key key,
                        const yaml_node_t *value, uint64_t min, uint64_t max,
                        const char *unit, uint64_t *number_p)
{
    gms_param_t row = {
        .name = gms_fault_keys[key], .min = min, .max = max, .unit = unit};

    return gms_loader_integer(loader, value, &row, number_p);
}

/** Return the number of nodes. A node is a NIC, and a host can have several
 *  NICs. */
static unsigned gms_loader_nodes(gms_loader_t *loader)
{
    const gms_params_t *params = &gms_cluster_draft(loader)->cluster.params;

    return (unsigned)(params->hosts * params->units_per_host);
}

/** Find a link by its name in the topology. */
static gms_status_t gms_loader_event_link(gms_loader_t *loader,
                                          const yaml_node_t *value,
                                          gms_fault_event_t *event)
{
    const char *text = gms_yaml_scalar(value);
    gms_status_t status;

    event->kind = GMS_FAULT_LINK;
    if (text != NULL &&
        gms_topology_find_link(gms_cluster_draft(loader)->topology, text,
                               &event->number) == GMS_OK) {
        return GMS_OK;
    }
    status = gms_loader_begin_value(loader, "link", value);
    gms_yaml_append(
        loader->error,
        "%s not a link; allowed: 'node N to switch S', 'switch S port P to "
        "node N' or 'switch S port P to switch T' (see `gmsim topo --links`)",
        (value->type == YAML_SCALAR_NODE) ? " is" : ",");
    return status;
}

static gms_status_t gms_loader_event_what(gms_loader_t *loader,
                                          enum gms_fault_key key,
                                          const yaml_node_t *value,
                                          gms_fault_event_t *event)
{
    const gms_params_t *params = &gms_cluster_draft(loader)->cluster.params;
    gms_status_t status = GMS_OK;
    uint64_t number = 0;

    switch (key) {
    case GMS_KEY_AT:
    case GMS_KEY_FOR:
    case GMS_KEY_COUNT:
        break;
    case GMS_KEY_LINK:
        return gms_loader_event_link(loader, value, event);
    case GMS_KEY_NODE:
    case GMS_KEY_RESET:
        status = gms_loader_event_number(loader, key, value, 1,
                                         gms_loader_nodes(loader), "", &number);
        event->kind =
            (key == GMS_KEY_NODE) ? GMS_FAULT_NODE : GMS_FAULT_RESET_NIC;
        event->number = (uint32_t)(number - 1); /* GM's node ids begin at 1 */
        break;
    case GMS_KEY_KILL:
        status = gms_loader_event_number(
            loader, key, value, 0,
            gms_placement_room(params,
                               &gms_cluster_draft(loader)->cluster.placement) -
                1,
            "", &number);
        event->kind = GMS_FAULT_KILL_RANK;
        event->number = (uint32_t)number;
        break;
    case GMS_KEY_KILL_NODE:
        status = gms_loader_event_number(loader, key, value, 1, params->hosts,
                                         "", &number);
        event->kind = GMS_FAULT_KILL_NODE;
        event->number = (uint32_t)(number - 1);
        break;
    case GMS_KEY_STOP:
        status =
            gms_loader_choice(loader, value, "stop", gms_fault_stops, &number);
        event->kind = GMS_FAULT_STOP;
        break;
    }
    return status;
}

static gms_status_t gms_loader_event_key(gms_loader_t *loader, const char *key,
                                         size_t line, const yaml_node_t *value)
{
    gms_fault_draft_t *draft = gms_cluster_draft(loader)->event;
    size_t limit = gms_yaml_typo_limit(key);
    const char *best = NULL;
    gms_status_t status;
    unsigned i;

    for (i = 0; i < GMS_KEY_COUNT; ++i) {
        if (strcmp(key, gms_fault_keys[i]) == 0) {
            if (draft->values[i] != NULL) {
                return gms_loader_fail(
                    loader, line, "key '%s' is given twice, first on line %zu",
                    key, draft->lines[i]);
            }
            draft->values[i] = value;
            draft->lines[i] = line;
            return GMS_OK;
        }
        gms_yaml_nearer(key, gms_fault_keys[i], &best, &limit);
    }
    status = gms_loader_unknown(loader, line, key, best);
    gms_yaml_append(loader->error, "; allowed in an event: ");
    gms_yaml_append_names(loader->error, gms_fault_keys);
    return status;
}

/** Find the key that defines the action of an event. An event must have exactly
 *  one such key. */
static gms_status_t gms_loader_event_kind(gms_loader_t *loader, size_t line,
                                          const gms_fault_draft_t *draft,
                                          enum gms_fault_key *key_p)
{
    gms_status_t status;
    unsigned found = 0, i;

    for (i = GMS_KEY_LINK; i < GMS_KEY_COUNT; ++i) {
        if (draft->values[i] != NULL) {
            *key_p = (enum gms_fault_key)i;
            ++found;
        }
    }
    if (found == 1 && draft->values[GMS_KEY_AT] != NULL) {
        return GMS_OK;
    }
    status = gms_loader_begin(loader, line);
    gms_yaml_append(loader->error, "an event ");
    if (found == 1) {
        gms_yaml_append(loader->error, "needs a time, 'at_us'");
    } else {
        gms_yaml_append(loader->error, "has %s; required: exactly one of ",
                        (found == 0) ? "no action" : "several actions");
        gms_yaml_append_names(loader->error, &gms_fault_keys[GMS_KEY_LINK]);
    }
    return status;
}

static gms_status_t gms_loader_event(gms_loader_t *loader,
                                     const yaml_node_t *node)
{
    size_t line = node->start_mark.line + 1;
    gms_fault_draft_t draft = {.values = {NULL}};
    gms_fault_event_t event = {.for_us = 0};
    enum gms_fault_key key = GMS_KEY_COUNT;
    gms_status_t status;

    if (node->type != YAML_MAPPING_NODE) {
        status = gms_loader_begin_value(loader, "events", node);
        gms_yaml_append(loader->error,
                        "; allowed: entries like '{at_us: 100, node: 3}'");
        return status;
    }
    gms_cluster_draft(loader)->event = &draft;
    status = gms_loader_mapping(loader, node, gms_loader_event_key);
    if (status == GMS_OK) {
        status = gms_loader_event_kind(loader, line, &draft, &key);
    }
    if (status == GMS_OK) {
        status = gms_loader_event_number(
            loader, GMS_KEY_AT, draft.values[GMS_KEY_AT], 0,
            GMS_FAULT_LONGEST_US, "us", &event.at_us);
    }
    if (status == GMS_OK && draft.values[GMS_KEY_FOR] != NULL) {
        if (key == GMS_KEY_RESET || key == GMS_KEY_KILL ||
            key == GMS_KEY_KILL_NODE) {
            return gms_loader_fail(loader, draft.lines[GMS_KEY_FOR],
                                   "key 'for_us' is not used by '%s'; allowed "
                                   "with: link, node, stop",
                                   gms_fault_keys[key]);
        }
        status = gms_loader_event_number(
            loader, GMS_KEY_FOR, draft.values[GMS_KEY_FOR], 1,
            GMS_FAULT_LONGEST_US, "us", &event.for_us);
    }
    if (status == GMS_OK) {
        status = gms_loader_event_what(loader, key, draft.values[key], &event);
    }
    if (status == GMS_OK) {
        gms_cluster_draft(loader)
            ->cluster.faults
            .events[gms_cluster_draft(loader)->cluster.faults.count++] = event;
    }
    return status;
}

static gms_status_t gms_loader_events(gms_loader_t *loader, size_t line,
                                      const yaml_node_t *list)
{
    const yaml_node_item_t *item;
    gms_status_t status = GMS_OK, one;

    if (gms_cluster_draft(loader)->cluster.faults.count != 0) {
        return gms_loader_fail(loader, line, "key 'events' is given twice");
    }
    if (list->type != YAML_SEQUENCE_NODE) {
        status = gms_loader_begin_value(loader, "events", list);
        gms_yaml_append(loader->error,
                        "%s not a list; allowed: entries like '- {at_us: "
                        "100, node: 3}'",
                        (list->type == YAML_SCALAR_NODE) ? " is" : ",");
        return status;
    }
    for (item = list->data.sequence.items.start;
         item < list->data.sequence.items.top; ++item) {
        const yaml_node_t *node =
            yaml_document_get_node(loader->document, *item);

        if (gms_cluster_draft(loader)->cluster.faults.count ==
            GMS_FAULT_EVENTS_MAX) {
            return gms_loader_fail(
                loader, node->start_mark.line + 1,
                "key 'events': too many events; allowed: up to %u",
                GMS_FAULT_EVENTS_MAX);
        }
        one = gms_loader_event(loader, node);
        status = (status == GMS_OK) ? one : status;
    }
    return status;
}

const char *gms_fault_event_text(const gms_fault_event_t *event,
                                 const gms_topology_t *topology,
                                 char text[GMS_FAULT_TEXT_LEN])
{
    static const struct {
        enum gms_fault_key key;
        unsigned first; /* number of the first object of this type in
                         * descriptions and messages */
    } words[] = {
        [GMS_FAULT_LINK] = {GMS_KEY_LINK, 0},
        [GMS_FAULT_NODE] = {GMS_KEY_NODE, 1},
        [GMS_FAULT_RESET_NIC] = {GMS_KEY_RESET, 1},
        [GMS_FAULT_KILL_RANK] = {GMS_KEY_KILL, 0},
        [GMS_FAULT_KILL_NODE] = {GMS_KEY_KILL_NODE, 1},
        [GMS_FAULT_STOP] = {GMS_KEY_STOP, 0},
    };
    char what[80], lasting[40] = "";

    if (event->kind == GMS_FAULT_LINK) {
        gms_topology_link_name(topology, event->number, what, sizeof(what));
    } else if (event->kind == GMS_FAULT_STOP) {
        (void)snprintf(what, sizeof(what), "%s", gms_fault_stops[0]);
    } else {
        (void)snprintf(what, sizeof(what), "%u",
                       event->number + words[event->kind].first);
    }
    if (event->for_us != 0) {
        (void)snprintf(lasting, sizeof(lasting), ", %s: %llu",
                       gms_fault_keys[GMS_KEY_FOR],
                       (unsigned long long)event->for_us);
    }
    (void)snprintf(text, GMS_FAULT_TEXT_LEN, "{%s: %llu, %s: %.79s%s}",
                   gms_fault_keys[GMS_KEY_AT], (unsigned long long)event->at_us,
                   gms_fault_keys[words[event->kind].key], what, lasting);
    return text;
}

/* ---- the section ---- */

static gms_status_t gms_loader_fault_key(gms_loader_t *loader, const char *key,
                                         size_t line, const yaml_node_t *value)
{
    size_t limit = gms_yaml_typo_limit(key);
    const gms_fault_word_t *word;
    const char *best = NULL;
    gms_status_t status;

    if (strcmp(key, "events") == 0) {
        return gms_loader_events(loader, line, value);
    }
    gms_yaml_nearer(key, "events", &best, &limit);
    for (word = gms_fault_words; word->key != NULL; ++word) {
        if (strcmp(key, word->key) == 0) {
            return gms_loader_fault_rate(loader, word, line, value);
        }
        gms_yaml_nearer(key, word->key, &best, &limit);
    }
    status = gms_loader_unknown(loader, line, key, best);
    gms_yaml_append(loader->error, "; allowed below 'faults:': events");
    for (word = gms_fault_words; word->key != NULL; ++word) {
        gms_yaml_append(loader->error, ", %s", word->key);
    }
    return status;
}

gms_status_t gms_loader_faults(gms_loader_t *loader)
{
    const yaml_node_t *faults = gms_cluster_draft(loader)->faults.value;
    gms_status_t status;

    if (faults->type != YAML_MAPPING_NODE) {
        status = gms_loader_begin_value(loader, "faults", faults);
        gms_yaml_append(loader->error,
                        "%s not a mapping; allowed: lines like 'drop: "
                        "0.01', and 'events:'",
                        (faults->type == YAML_SCALAR_NODE) ? " is" : ",");
        return status;
    }
    return gms_loader_mapping(loader, faults, gms_loader_fault_key);
}
