/* SPDX-License-Identifier: BSD-3-Clause */
/* Matches flows and links with the help of sorted tables, because two records
 * may list their flows in different orders. */
#include "report/match.h"

#include <stdlib.h>
#include <string.h>

#define GMS_MATCH_KEYS 6

typedef struct gms_match_entry {
    uint32_t key[GMS_MATCH_KEYS];
    uint32_t index;
} gms_match_entry_t;

typedef struct gms_match_table {
    gms_match_entry_t *entries; /* sorted */
    /* index: first entry of a key; value: the first entry of this key that has
     * no match yet */
    uint32_t *next;
    size_t count;
} gms_match_table_t;

static int gms_match_compare_keys(const uint32_t *a, const uint32_t *b)
{
    unsigned i;

    for (i = 0; i < GMS_MATCH_KEYS; ++i) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

static int gms_match_compare(const void *left, const void *right)
{
    const gms_match_entry_t *a = left, *b = right;
    int result = gms_match_compare_keys(a->key, b->key);

    return result != 0           ? result
           : a->index < b->index ? -1
                                 : (int)(a->index > b->index);
}

/** Sets a key that consists of ranks. @return 1, or 0 if an end of the flow has
 *  no rank */
static int gms_match_by_ranks(const gms_report_run_t *run,
                              const gms_report_flow_t *flow,
                              uint32_t key[GMS_MATCH_KEYS])
{
    key[0] = flow->label;
    key[1] = flow->priority;
    key[2] = gms_report_rank_at(run, flow->node, flow->port);
    key[3] = gms_report_rank_at(run, flow->target_node, flow->target_port);
    key[4] = key[5] = 0;
    return key[2] != GMS_REPORT_NONE && key[3] != GMS_REPORT_NONE;
}

static void gms_match_by_ports(const gms_report_flow_t *flow,
                               uint32_t key[GMS_MATCH_KEYS])
{
    key[0] = flow->label;
    key[1] = flow->priority;
    key[2] = flow->node;
    key[3] = flow->port;
    key[4] = flow->target_node;
    key[5] = flow->target_port;
}

static int gms_match_init(gms_match_table_t *table, const gms_report_run_t *run,
                          int has_ranks)
{
    uint32_t i;

    table->entries = calloc(run->flow_count + 1, sizeof(*table->entries));
    table->next = calloc(run->flow_count + 1, sizeof(*table->next));
    table->count = 0;
    if (table->entries == NULL || table->next == NULL) {
        return 0;
    }
    for (i = 0; i < run->flow_count; ++i) {
        gms_match_entry_t *entry = &table->entries[table->count];

        entry->index = i;
        if (!has_ranks) {
            gms_match_by_ports(&run->flows[i], entry->key);
            ++table->count;
        } else if (gms_match_by_ranks(run, &run->flows[i], entry->key)) {
            ++table->count;
        }
    }
    qsort(table->entries, table->count, sizeof(*table->entries),
          gms_match_compare);
    for (i = 0; i < table->count; ++i) {
        table->next[i] = i;
    }
    return 1;
}

static void gms_match_clear(gms_match_table_t *table)
{
    free(table->entries);
    free(table->next);
}

/* Finds the first unmatched flow with this key, and marks the flow as
 * matched. */
static uint32_t gms_match_take(gms_match_table_t *table,
                               const uint32_t key[GMS_MATCH_KEYS],
                               uint8_t *is_met)
{
    size_t low = 0, high = table->count, at;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (gms_match_compare_keys(table->entries[middle].key, key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == table->count) {
        return GMS_REPORT_NONE;
    }
    for (at = table->next[low];
         at < table->count &&
         gms_match_compare_keys(table->entries[at].key, key) == 0;
         ++at) {
        uint32_t index = table->entries[at].index;

        if (!is_met[index]) {
            is_met[index] = 1;
            table->next[low] = (uint32_t)at + 1;
            return index;
        }
    }
    table->next[low] = (uint32_t)at;
    return GMS_REPORT_NONE;
}

uint32_t *gms_match_flows(const gms_report_run_t *first,
                          const gms_report_run_t *second)
{
    uint32_t *matches = calloc(first->flow_count + 1, sizeof(*matches));
    uint8_t *is_met = calloc(second->flow_count + 1, 1);
    gms_match_table_t by_ranks, by_ports;
    int is_good = gms_match_init(&by_ranks, second, 1);
    uint32_t key[GMS_MATCH_KEYS], i;

    is_good = gms_match_init(&by_ports, second, 0) && is_good &&
              matches != NULL && is_met != NULL;
    for (i = 0; is_good && i < first->flow_count; ++i) {
        if (gms_match_by_ranks(first, &first->flows[i], key)) {
            matches[i] = gms_match_take(&by_ranks, key, is_met);
        } else {
            gms_match_by_ports(&first->flows[i], key);
            matches[i] = gms_match_take(&by_ports, key, is_met);
        }
    }
    gms_match_clear(&by_ranks);
    gms_match_clear(&by_ports);
    free(is_met);
    if (!is_good) {
        free(matches);
        return NULL;
    }
    return matches;
}

/* ---- links ---- */

typedef struct gms_match_name {
    const char *name;
    uint32_t index;
} gms_match_name_t;

static int gms_match_compare_names(const void *left, const void *right)
{
    const gms_match_name_t *a = left, *b = right;
    int result = strcmp(a->name, b->name);

    return result != 0           ? result
           : a->index < b->index ? -1
                                 : (int)(a->index > b->index);
}

static uint32_t gms_match_name(const gms_match_name_t *names, size_t count,
                               const char *name)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(names[middle].name, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && strcmp(names[low].name, name) == 0 ? names[low].index
                                                             : GMS_REPORT_NONE;
}

uint32_t *gms_match_links(const gms_report_run_t *first,
                          const gms_report_run_t *second)
{
    uint32_t *matches = calloc(first->link_count + 1, sizeof(*matches));
    gms_match_name_t *names = calloc(second->link_count + 1, sizeof(*names));
    uint32_t i;

    if (matches == NULL || names == NULL) {
        free(matches);
        free(names);
        return NULL;
    }
    for (i = 0; i < second->link_count; ++i) {
        names[i] = (gms_match_name_t){second->links[i].name, i};
    }
    qsort(names, second->link_count, sizeof(*names), gms_match_compare_names);
    for (i = 0; i < first->link_count; ++i) {
        const char *name = first->links[i].name;

        /* try the same index first, because the two runs usually have the same
         * cluster */
        matches[i] =
            i < second->link_count && strcmp(second->links[i].name, name) == 0
                ? i
                : gms_match_name(names, second->link_count, name);
    }
    free(names);
    return matches;
}
