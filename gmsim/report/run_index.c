/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps the ranks, labels and flows of a run in sorted order. A record may
 * contain as many events as flows, and every event looks up a rank, a name and
 * a flow. If several entries are equal, a search returns the entry that comes
 * first in the record.
 */
#include <stdlib.h>
#include <string.h>

#include "nic/flow.h"
#include "report/read.h"

struct gms_report_rank_entry {
    uint32_t node, port, rank;
};

struct gms_report_label_entry {
    json_int_t label;
    size_t index;
    const char *name;
};

static int gms_index_order(uint64_t a, uint64_t b)
{
    return a < b ? -1 : (int)(a > b);
}

/* Returns the number of entries that are less than the key. */
static size_t gms_index_find(const void *entries, size_t count, size_t size,
                             const void *key,
                             int (*compare)(const void *, const void *))
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare((const char *)entries + middle * size, key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* ---- ranks ---- */

static int gms_index_compare_ranks(const void *left, const void *right)
{
    const struct gms_report_rank_entry *a = left, *b = right;

    return a->node != b->node   ? gms_index_order(a->node, b->node)
           : a->port != b->port ? gms_index_order(a->port, b->port)
                                : gms_index_order(a->rank, b->rank);
}

void gms_index_ranks(gms_report_reader_t *reader)
{
    gms_report_run_t *run = reader->run;
    uint32_t rank;

    run->rank_entries =
        gms_report_alloc(reader, run->rank_count, sizeof(*run->rank_entries));
    if (reader->status != GMS_OK) {
        return;
    }
    for (rank = 0; rank < run->rank_count; ++rank) {
        run->rank_entries[rank] = (struct gms_report_rank_entry){
            run->ranks[rank].node, run->ranks[rank].port, rank};
    }
    qsort(run->rank_entries, run->rank_count, sizeof(*run->rank_entries),
          gms_index_compare_ranks);
}

uint32_t gms_report_rank_at(const gms_report_run_t *run, uint32_t node,
                            uint32_t port)
{
    const struct gms_report_rank_entry key = {node, port, 0};
    const struct gms_report_rank_entry *entry =
        run->rank_entries + gms_index_find(run->rank_entries, run->rank_count,
                                           sizeof(key), &key,
                                           gms_index_compare_ranks);

    return entry < run->rank_entries + run->rank_count && entry->node == node &&
                   entry->port == port
               ? entry->rank
               : GMS_REPORT_NONE;
}

/* ---- labels ---- */

static int gms_index_compare_labels(const void *left, const void *right)
{
    const struct gms_report_label_entry *a = left, *b = right;

    return a->label < b->label   ? -1
           : a->label > b->label ? 1
                                 : gms_index_order(a->index, b->index);
}

void gms_index_labels(gms_report_reader_t *reader)
{
    gms_report_run_t *run = reader->run;
    const json_t *entry;
    size_t i;

    run->label_entries = gms_report_alloc(reader, json_array_size(run->labels),
                                          sizeof(*run->label_entries));
    if (reader->status != GMS_OK) {
        return;
    }
    json_array_foreach(run->labels, i, entry)
    {
        run->label_entries[i] = (struct gms_report_label_entry){
            json_integer_value(json_object_get(entry, "label")), i,
            json_string_value(json_object_get(entry, "name"))};
    }
    run->label_count = json_array_size(run->labels);
    qsort(run->label_entries, run->label_count, sizeof(*run->label_entries),
          gms_index_compare_labels);
}

const char *gms_report_label_name(const gms_report_run_t *run, uint32_t label)
{
    /* the data of a get belong to the communicator of the process that reads
     * them */
    const struct gms_report_label_entry key = {label & ~GMS_LABEL_ANSWER, 0,
                                               NULL};
    const struct gms_report_label_entry *entry =
        run->label_entries + gms_index_find(run->label_entries,
                                            run->label_count, sizeof(key), &key,
                                            gms_index_compare_labels);

    return entry < run->label_entries + run->label_count &&
                   entry->label == key.label && entry->name != NULL
               ? entry->name
               : "";
}

/* ---- flows ---- */

static int gms_index_compare_flows(const void *left, const void *right)
{
    const gms_report_flow_entry_t *a = left, *b = right;
    unsigned i;

    for (i = 0; i < sizeof(a->key) / sizeof(a->key[0]); ++i) {
        if (a->key[i] != b->key[i]) {
            return gms_index_order(a->key[i], b->key[i]);
        }
    }
    return gms_index_order(a->index, b->index);
}

static gms_report_flow_entry_t gms_index_flow(const gms_report_flow_t *flow,
                                              uint32_t index)
{
    return (gms_report_flow_entry_t){{flow->node, flow->port, flow->target_node,
                                      flow->target_port, flow->priority,
                                      flow->label},
                                     index};
}

static void gms_index_flows(gms_report_reader_t *reader)
{
    const gms_report_run_t *run = reader->run;
    uint32_t i;

    reader->flow_entries = gms_report_alloc(reader, run->flow_count,
                                            sizeof(*reader->flow_entries));
    if (reader->status != GMS_OK) {
        return;
    }
    for (i = 0; i < run->flow_count; ++i) {
        reader->flow_entries[i] = gms_index_flow(&run->flows[i], i);
    }
    qsort(reader->flow_entries, run->flow_count, sizeof(*reader->flow_entries),
          gms_index_compare_flows);
}

uint32_t gms_index_flow_of(gms_report_reader_t *reader,
                           const gms_report_flow_t *key)
{
    const gms_report_flow_entry_t wanted = gms_index_flow(key, 0);
    size_t count = reader->run->flow_count, found;

    if (reader->flow_entries == NULL) {
        gms_index_flows(reader);
    }
    if (reader->status != GMS_OK) {
        return GMS_REPORT_NONE;
    }
    found = gms_index_find(reader->flow_entries, count, sizeof(wanted), &wanted,
                           gms_index_compare_flows);

    return found < count && memcmp(reader->flow_entries[found].key, wanted.key,
                                   sizeof(wanted.key)) == 0
               ? reader->flow_entries[found].index
               : GMS_REPORT_NONE;
}
