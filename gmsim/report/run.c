/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a run from the directory of its record: record.json with its ranks,
 * topology, NICs, links and flows. The files run_windows.c and run_events.c
 * read the .jsonl files.
 */
#include "report/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_memory.h"
#include "base/limits.h"
#include "base/printable.h"
#include "report/read.h"
#include "report/root.h"

/* all numbers and counts in a record are smaller than this limit */
#define GMS_RUN_MANY (UINT64_C(1) << 24)

const char *const gms_report_station_keys[GMS_REPORT_STATIONS] = {
    [GMS_REPORT_HOST] = "host_ps",         [GMS_REPORT_PACE] = "pace_ps",
    [GMS_REPORT_QUEUE] = "queue_ps",       [GMS_REPORT_LANAI] = "lanai_ps",
    [GMS_REPORT_HOST_DMA] = "host_dma_ps", [GMS_REPORT_WIRE] = "wire_ps",
    [GMS_REPORT_SWITCH] = "switch_ps",     [GMS_REPORT_BLOCKED] = "blocked_ps",
};

/* ---- data that the job recorded at its start ---- */

static void gms_run_read_ranks(gms_report_reader_t *reader, const json_t *job)
{
    const gms_report_at_t in_job = {NULL, 0, "job"};
    const json_t *list = gms_report_list(reader, &in_job, job, "ranks");
    gms_report_run_t *run = reader->run;
    gms_report_at_t at = {"job.ranks", 0, NULL};

    if (json_array_size(list) > GMS_LIMIT_RECORD_RANKS) {
        gms_report_wrong(reader, &in_job, "ranks",
                         "the list has more than %u ranks",
                         GMS_LIMIT_RECORD_RANKS);
    }
    run->ranks =
        gms_report_alloc(reader, json_array_size(list), sizeof(*run->ranks));
    run->hosts =
        gms_report_alloc(reader, json_array_size(list), sizeof(*run->hosts));
    for (; reader->status == GMS_OK && at.index < json_array_size(list);
         ++at.index) {
        const json_t *rank = json_array_get(list, at.index);

        (void)gms_report_below(reader, &at, rank, "rank", at.index,
                               at.index + 1);
        run->ranks[at.index] = (gms_report_slot_t){
            gms_report_below(reader, &at, rank, "node", 1, run->nodes + 1u),
            gms_report_below(reader, &at, rank, "port", 0, GMS_RUN_MANY)};
        run->rank_count = at.index + 1;
    }
    gms_index_ranks(reader);
}

static gms_report_end_t gms_run_read_end_of(gms_report_reader_t *reader,
                                            gms_report_at_t at,
                                            const json_t *link, const char *key)
{
    const json_t *object = gms_report_object(reader, &at, link, key);
    const gms_report_run_t *run = reader->run;
    gms_report_end_t end = {0};

    at.part = key;
    end.is_node = json_object_get(object, "node") != NULL;
    if (end.is_node) {
        end.index =
            gms_report_below(reader, &at, object, "node", 1, run->nodes + 1u);
    } else if (object != NULL) {
        end.index = gms_report_below(reader, &at, object, "switch", 0,
                                     run->switch_count);
        end.port = gms_report_below(
            reader, &at, object, "port", 0,
            end.index < run->switch_count ? run->switches[end.index].ports : 1);
    }
    return end;
}

static void gms_run_read_topology(gms_report_reader_t *reader,
                                  const json_t *root)
{
    const gms_report_at_t in = {NULL, 0, "topology"};
    const json_t *topology = gms_report_object(reader, NULL, root, "topology");
    const json_t *switches, *links;
    gms_report_run_t *run = reader->run;
    gms_report_at_t at = {"topology.switches", 0, NULL};

    switches = gms_report_list(reader, &in, topology, "switches");
    links = gms_report_list(reader, &in, topology, "links");
    /* Every node has a link. Without this check, a few digits in the file could
     * request a table that is larger than the file. */
    run->nodes =
        gms_report_below(reader, &in, topology, "nodes", 1,
                         json_array_size(links) < GMS_LIMIT_RECORD_RANKS
                             ? json_array_size(links) + 1
                             : GMS_LIMIT_RECORD_RANKS + 1);
    run->switches = gms_report_alloc(reader, json_array_size(switches),
                                     sizeof(*run->switches));
    run->links =
        gms_report_alloc(reader, json_array_size(links), sizeof(*run->links));
    run->nics = gms_report_alloc(reader, run->nodes, sizeof(*run->nics));
    for (; reader->status == GMS_OK && at.index < json_array_size(switches);
         ++at.index) {
        const json_t *object = json_array_get(switches, at.index);

        run->switches[at.index] = (gms_report_switch_t){
            gms_report_below(reader, &at, object, "ports", 1, GMS_RUN_MANY),
            gms_report_below(reader, &at, object, "level", 0, 256)};
        run->switch_count = at.index + 1;
    }
    at = (gms_report_at_t){"topology.links", 0, NULL};
    for (; reader->status == GMS_OK && at.index < json_array_size(links);
         ++at.index) {
        const json_t *object = json_array_get(links, at.index);
        gms_report_link_t *link = &run->links[at.index];

        link->name = gms_report_text(reader, &at, object, "name", 1);
        link->from = gms_run_read_end_of(reader, at, object, "from");
        link->to = gms_run_read_end_of(reader, at, object, "to");
        run->link_count = at.index + 1;
    }
}

void gms_report_read_start(gms_report_reader_t *reader, const json_t *root)
{
    const gms_report_at_t in_cluster = {NULL, 0, "cluster"};
    const gms_report_at_t in_versions = {NULL, 0, "versions"};
    const gms_report_at_t in_job = {NULL, 0, "job"};
    const json_t *complete = json_object_get(root, "complete");
    const json_t *cluster, *job;
    gms_report_run_t *run = reader->run;

    if (!json_is_boolean(complete)) {
        gms_report_wrong(reader, NULL, "complete", "expected: true or false");
    }
    run->is_complete = json_is_true(complete);
    run->failed = gms_report_text(reader, NULL, root, "failed", 0);
    run->window_ps = gms_report_number(reader, NULL, root, "window_ps");
    if (run->window_ps == 0) {
        gms_report_wrong(reader, NULL, "window_ps", "is 0; expected: 1..");
    }
    run->version = gms_report_text(
        reader, &in_versions, gms_report_object(reader, NULL, root, "versions"),
        "gmqos", 1);
    cluster = gms_report_object(reader, NULL, root, "cluster");
    run->description =
        gms_report_text(reader, &in_cluster, cluster, "description", 0);
    run->profile = gms_report_text(reader, &in_cluster, cluster, "profile", 1);
    run->parameters =
        gms_report_object(reader, &in_cluster, cluster, "parameters");
    gms_run_read_topology(reader, root);
    job = gms_report_object(reader, NULL, root, "job");
    run->program = gms_report_text(reader, &in_job, job, "program", 0);
    if (run->program == NULL) {
        run->program = "?";
    }
    gms_run_read_ranks(reader, job);
    run->labels = json_object_get(root, "labels");
}

/* ---- data that only the end has ---- */

static void gms_run_read_latency(gms_report_reader_t *reader,
                                 gms_report_at_t at, const json_t *object,
                                 gms_report_flow_t *flow)
{
    const json_t *list = gms_report_list(reader, &at, object, "latency");
    uint64_t pair[2];
    size_t i;

    at.part = "latency";
    flow->latency =
        gms_report_alloc(reader, json_array_size(list), sizeof(*flow->latency));
    for (i = 0; reader->status == GMS_OK && i < json_array_size(list); ++i) {
        if (gms_report_numbers(reader, &at, json_array_get(list, i), pair, 2)) {
            flow->latency[flow->latency_count++] =
                (gms_report_latency_t){pair[0], pair[1]};
        }
    }
}

static void gms_run_read_hops(gms_report_reader_t *reader, gms_report_at_t at,
                              const json_t *object, gms_report_flow_t *flow)
{
    const json_t *list = gms_report_list(reader, &at, object, "links");
    uint64_t hop[3];
    size_t i;

    at.part = "links";
    flow->hops =
        gms_report_alloc(reader, json_array_size(list), sizeof(*flow->hops));
    for (i = 0; reader->status == GMS_OK && i < json_array_size(list); ++i) {
        if (!gms_report_numbers(reader, &at, json_array_get(list, i), hop, 3)) {
            return;
        }
        if (hop[0] >= reader->run->link_count) {
            gms_report_wrong(reader, &at, NULL, "link %llu does not exist",
                             (unsigned long long)hop[0]);
            return;
        }
        flow->hops[flow->hop_count++] =
            (gms_report_hop_t){(uint32_t)hop[0], hop[1], hop[2]};
    }
}

static void gms_run_read_key(gms_report_reader_t *reader,
                             const gms_report_at_t *at, const json_t *object,
                             gms_report_flow_t *flow)
{
    uint64_t nodes = reader->run->nodes + UINT64_C(1);

    flow->node = gms_report_below(reader, at, object, "node", 1, nodes);
    flow->port = gms_report_below(reader, at, object, "port", 0, GMS_RUN_MANY);
    flow->target_node =
        gms_report_below(reader, at, object, "target_node", 1, nodes);
    flow->target_port =
        gms_report_below(reader, at, object, "target_port", 0, GMS_RUN_MANY);
    flow->priority =
        gms_report_below(reader, at, object, "priority", 0, GMS_RUN_MANY);
    flow->label =
        gms_report_below(reader, at, object, "label", 0, UINT64_C(1) << 32);
}

/* Records written by versions without delay bounds lack this object. */
static void gms_run_read_delay(gms_report_reader_t *reader, gms_report_at_t at,
                               const json_t *delay, gms_report_flow_t *flow)
{
    if (delay == NULL) {
        return;
    }
    at.part = "delay";
    flow->has_delay = 1;
    flow->asked_delay_ps = gms_report_number(reader, &at, delay, "asked_ps");
    flow->bound_ps = gms_report_number(reader, &at, delay, "bound_ps");
    flow->worst_delay_ps = gms_report_number(reader, &at, delay, "worst_ps");
    flow->delay_messages = gms_report_number(reader, &at, delay, "messages");
    flow->delay_beyond = gms_report_number(reader, &at, delay, "beyond");
}

/* Reads the period of a flow. Records of earlier versions lack this object. */
static void gms_run_read_period(gms_report_reader_t *reader, gms_report_at_t at,
                                const json_t *period, gms_report_flow_t *flow)
{
    if (period == NULL) {
        return;
    }
    at.part = "period";
    flow->first_ps = gms_report_number(reader, &at, period, "first_ps");
    flow->last_ps = gms_report_number(reader, &at, period, "last_ps");
    flow->period_bytes = gms_report_number(reader, &at, period, "bytes");
    if (reader->status == GMS_OK && flow->first_ps > flow->last_ps) {
        gms_report_wrong(reader, &at, "first_ps",
                         "is %llu; expected: at most last_ps",
                         (unsigned long long)flow->first_ps);
    }
}

static int gms_run_read_flow(gms_report_reader_t *reader, size_t index,
                             const json_t *object, void *arg)
{
    gms_report_at_t at = {"flows", index, NULL};
    const json_t *counters = gms_report_object(reader, &at, object, "counters");
    gms_report_run_t *run = reader->run;
    gms_report_flow_t *flow;
    const json_t *times;
    unsigned i;

    (void)arg;
    if (!gms_report_room(reader, (void **)&run->flows, &reader->flow_room,
                         run->flow_count, sizeof(*run->flows))) {
        return 0;
    }
    flow = &run->flows[run->flow_count++];
    memset(flow, 0, sizeof(*flow));
    flow->number = gms_report_below(reader, &at, object, "number", 0,
                                    GMS_LIMIT_RECORD_ROWS + UINT64_C(1));
    gms_run_read_key(reader, &at, object, flow);
    at.part = "counters";
    flow->has_end = 1;
    flow->packets_sent =
        gms_report_number(reader, &at, counters, "packets_sent");
    flow->bytes_sent = gms_report_number(reader, &at, counters, "bytes_sent");
    flow->packets_arrived =
        gms_report_number(reader, &at, counters, "packets_arrived");
    flow->bytes_arrived =
        gms_report_number(reader, &at, counters, "bytes_arrived");
    flow->packets_resent =
        gms_report_number(reader, &at, counters, "packets_resent");
    flow->active_ps = gms_report_number(reader, &at, counters, "active_ps");
    flow->pace_wait_ps =
        gms_report_number(reader, &at, counters, "idt_wait_ps");
    gms_run_read_delay(reader, at, json_object_get(object, "delay"), flow);
    if (flow->number == 0) {
        return 1;
    }
    at.part = NULL;
    times = gms_report_object(reader, &at, object, "times");
    gms_run_read_period(reader, at, json_object_get(object, "period"), flow);
    gms_run_read_latency(reader, at, object, flow);
    gms_run_read_hops(reader, at, object, flow);
    at.part = "times";
    for (i = 0; i < GMS_REPORT_STATIONS; ++i) {
        flow->times_ps[i] =
            gms_report_number(reader, &at, times, gms_report_station_keys[i]);
    }
    return 1;
}

static void gms_run_read_nic(gms_report_reader_t *reader, gms_report_at_t at,
                             const json_t *object)
{
    uint32_t node = gms_report_below(reader, &at, object, "node", 1,
                                     reader->run->nodes + UINT64_C(1));
    const json_t *counters = gms_report_object(reader, &at, object, "counters");
    gms_report_nic_t *nic = &reader->run->nics[node - 1];

    at.part = "counters";
    nic->busy_ps[GMS_REPORT_NIC_LANAI] =
        gms_report_number(reader, &at, counters, "lanai_busy_ps");
    nic->busy_ps[GMS_REPORT_NIC_HOST_DMA] =
        gms_report_number(reader, &at, counters, "host_dma_busy_ps");
    nic->busy_ps[GMS_REPORT_NIC_SEND_DMA] =
        gms_report_number(reader, &at, counters, "send_dma_busy_ps");
    nic->busy_ps[GMS_REPORT_NIC_RECEIVE_DMA] =
        gms_report_number(reader, &at, counters, "receive_dma_busy_ps");
    nic->receive_buffer_waits =
        gms_report_number(reader, &at, counters, "receive_buffer_waits");
    nic->receive_buffer_wait_ps =
        gms_report_number(reader, &at, counters, "receive_buffer_wait_ps");
    nic->bad_crc_drops =
        gms_report_number(reader, &at, counters, "bad_crc_drops");
    nic->sequence_drops =
        gms_report_number(reader, &at, counters, "sequence_drops");
    nic->no_token_drops =
        gms_report_number(reader, &at, counters, "no_token_drops");
    nic->packets_resent =
        gms_report_number(reader, &at, counters, "packets_resent");
}

/* Reads the hosts: one entry per rank, in the order of the ranks. */
static void gms_run_read_hosts(gms_report_reader_t *reader, const json_t *root)
{
    const json_t *hosts = gms_report_list(reader, NULL, root, "hosts");
    gms_report_at_t at = {"hosts", 0, NULL};

    for (; reader->status == GMS_OK && at.index < reader->run->rank_count;
         ++at.index) {
        const json_t *object = json_array_get(hosts, at.index);
        gms_report_host_t *host = &reader->run->hosts[at.index];

        (void)gms_report_below(reader, &at, object, "rank", at.index,
                               at.index + 1);
        host->end_ps = gms_report_number(reader, &at, object, "end_ps");
        host->worked_ps = gms_report_number(reader, &at, object, "worked_ps");
        host->computed_ps =
            gms_report_number(reader, &at, object, "computed_ps");
    }
}

static void gms_run_read_use(gms_report_reader_t *reader, const json_t *root)
{
    const json_t *links =
        json_object_get(json_object_get(root, "topology"), "links");
    gms_report_at_t at = {"topology.links", 0, NULL};

    for (; reader->status == GMS_OK && at.index < reader->run->link_count;
         ++at.index) {
        const json_t *object = json_array_get(links, at.index);
        gms_report_link_t *link = &reader->run->links[at.index];

        link->bytes = gms_report_number(reader, &at, object, "bytes");
        link->moving_ps = gms_report_number(reader, &at, object, "moving_ps");
        link->held_ps = gms_report_number(reader, &at, object, "held_ps");
        link->blocked_packets =
            gms_report_number(reader, &at, object, "blocked_packets");
        link->blocked_ps = gms_report_number(reader, &at, object, "blocked_ps");
    }
}

void gms_report_read_end(gms_report_reader_t *reader,
                         const gms_report_root_t *file)
{
    const json_t *root = file->value;
    const json_t *nics = gms_report_list(reader, NULL, root, "cards");
    gms_report_run_t *run = reader->run;
    gms_report_at_t at = {"cards", 0, NULL};

    run->end_ps = gms_report_number(reader, NULL, root, "end_ps");
    (void)gms_report_list(reader, NULL, root, "labels");
    (void)gms_report_list(reader, NULL, root, "flows");
    gms_report_root_flows(reader, file, gms_run_read_flow, NULL);
    for (; reader->status == GMS_OK && at.index < json_array_size(nics);
         ++at.index) {
        gms_run_read_nic(reader, at, json_array_get(nics, at.index));
    }
    gms_run_read_use(reader, root);
    gms_run_read_hosts(reader, root);
}

/* ---- the run ---- */

/* Sets the end of the hosts' clocks to the end of the run, because a killed run
 * has no later data about its hosts. */
static void gms_run_end_hosts(gms_report_run_t *run)
{
    size_t rank;

    for (rank = 0; rank < run->rank_count && !run->is_complete; ++rank) {
        run->hosts[rank].end_ps = run->end_ps;
    }
}

static void gms_run_load(gms_report_reader_t *reader)
{
    gms_report_run_t *run = reader->run;
    gms_report_root_t root;

    gms_report_root_open(reader, &root);
    run->root = json_incref(root.value);
    if (reader->status == GMS_OK) {
        gms_report_read_start(reader, run->root);
        gms_check_read_files(reader, run->root, root.sum);
    }
    if (reader->status == GMS_OK && run->is_complete) {
        gms_report_read_end(reader, &root);
    }
    gms_report_root_close(&root);
    if (reader->status == GMS_OK) {
        gms_report_read_windows(reader);
    }
    if (reader->status == GMS_OK && run->is_complete && reader->is_added_up) {
        gms_check_totals(reader);
    }
    if (reader->status == GMS_OK) {
        gms_report_read_events(reader);
    }
    if (reader->status == GMS_OK) {
        gms_index_labels(reader);
    }
    gms_run_end_hosts(run);
}

static gms_status_t gms_run_read(const char *directory, int is_added_up,
                                 size_t memory_most, gms_report_run_t **run_p,
                                 char error[GMS_REPORT_ERROR_LEN])
{
    gms_report_reader_t reader = {.directory = directory,
                                  .file = "",
                                  .error = error,
                                  .memory_most = memory_most,
                                  .is_added_up = is_added_up};
    gms_report_run_t *run = calloc(1, sizeof(*run));

    error[0] = '\0';
    if (run != NULL) {
        run->directory = strdup(directory);
        if (run->directory != NULL) {
            /* the copy of the path is only for printing */
            (void)gms_printable_here(run->directory);
        }
        run->lines = json_array();
    }
    if (run == NULL || run->directory == NULL || run->lines == NULL) {
        gms_report_run_destroy(run);
        (void)snprintf(error, GMS_REPORT_ERROR_LEN, "out of memory");
        return GMS_ERR_NO_MEMORY;
    }
    reader.run = run;
    gms_run_load(&reader);
    free(reader.index_of);
    free(reader.flow_entries);
    if (reader.status != GMS_OK) {
        gms_report_run_destroy(run);
        return reader.status;
    }
    *run_p = run;
    return GMS_OK;
}

gms_status_t gms_report_run_load(const char *directory,
                                 gms_report_run_t **run_p,
                                 char error[GMS_REPORT_ERROR_LEN])
{
    return gms_report_run_load_within(directory, GMS_LIMIT_RECORD_MEMORY, run_p,
                                      error);
}

gms_status_t gms_report_run_load_within(const char *directory,
                                        size_t memory_most,
                                        gms_report_run_t **run_p,
                                        char error[GMS_REPORT_ERROR_LEN])
{
    return gms_run_read(directory, 1, memory_most, run_p, error);
}

gms_status_t gms_report_run_load_pair(const char *const directories[2],
                                      gms_report_run_t *runs[2],
                                      char error[GMS_REPORT_ERROR_LEN])
{
    gms_status_t status = gms_report_run_load_within(
        directories[0], GMS_LIMIT_COMPARE_RECORD_MEMORY, &runs[0], error);

    if (status != GMS_OK) {
        return status;
    }
    status = gms_report_run_load_within(
        directories[1], GMS_LIMIT_COMPARE_RECORD_MEMORY, &runs[1], error);
    if (status != GMS_OK) {
        gms_report_run_destroy(runs[0]);
        runs[0] = NULL;
    }
    return status;
}

gms_status_t gms_report_run_load_parts(const char *directory,
                                       gms_report_run_t **run_p,
                                       char error[GMS_REPORT_ERROR_LEN])
{
    return gms_run_read(directory, 0, GMS_LIMIT_RECORD_MEMORY, run_p, error);
}

void gms_report_run_destroy(gms_report_run_t *run)
{
    size_t i;

    if (run == NULL) {
        return;
    }
    for (i = 0; i < run->flow_count; ++i) {
        free(run->flows[i].latency);
        free(run->flows[i].hops);
    }
    for (i = 0; i < run->event_count; ++i) {
        free(run->events[i].requests);
    }
    free(run->ranks);
    free(run->rank_entries);
    free(run->label_entries);
    free(run->hosts);
    free(run->switches);
    free(run->links);
    free(run->nics);
    free(run->flows);
    free(run->windows);
    free(run->flow_parts);
    free(run->nic_parts);
    free(run->link_parts);
    free(run->host_parts);
    free(run->events);
    json_decref(run->root);
    json_decref(run->lines);
    free(run->directory);
    free(run);
}

uint64_t gms_report_param(const gms_report_run_t *run, const char *name)
{
    json_int_t value =
        json_integer_value(json_object_get(run->parameters, name));

    return value > 0 ? (uint64_t)value : 0;
}
