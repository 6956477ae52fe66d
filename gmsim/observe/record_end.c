/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the final version of record.json: end of the run, counters of NICs and
 * links, and the reason why a record is incomplete.
 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/checksum.h"
#include "nic/inspect.h"
#include "observe/counters.h"
#include "observe/record_int.h"

/* A counter of gmsim_counters.h, with its name and offset. */
#define GMS_COUNT(_name) #_name, offsetof(gmsim_nic_counters_t, _name)

static const struct {
    const char *name;
    size_t offset;
} gms_record_nic_counters[] = {
    {GMS_COUNT(packets_sent)},
    {GMS_COUNT(bytes_sent)},
    {GMS_COUNT(packets_received)},
    {GMS_COUNT(bytes_received)},
    {GMS_COUNT(messages_sent)},
    {GMS_COUNT(messages_received)},
    {GMS_COUNT(acks_sent)},
    {GMS_COUNT(acks_received)},
    {GMS_COUNT(nacks_sent)},
    {GMS_COUNT(nacks_received)},
    {GMS_COUNT(probes_sent)},
    {GMS_COUNT(packets_resent)},
    {GMS_COUNT(bad_crc_drops)},
    {GMS_COUNT(sequence_drops)},
    {GMS_COUNT(no_token_drops)},
    {GMS_COUNT(other_drops)},
    {GMS_COUNT(idt_waits)},
    {GMS_COUNT(idt_wait_ps)},
    {GMS_COUNT(window_waits)},
    {GMS_COUNT(window_wait_ps)},
    {GMS_COUNT(backoffs)},
    {GMS_COUNT(backoff_ps)},
    {GMS_COUNT(memory_waits)},
    {GMS_COUNT(blocked_packets)},
    {GMS_COUNT(blocked_ps)},
    {GMS_COUNT(receive_buffer_waits)},
    {GMS_COUNT(receive_buffer_wait_ps)},
    {GMS_COUNT(lanai_busy_ps)},
    {GMS_COUNT(host_dma_busy_ps)},
    {GMS_COUNT(send_dma_busy_ps)},
    {GMS_COUNT(receive_dma_busy_ps)},
    {GMS_COUNT(quantum_ends)},
};

static json_t *gms_record_nic_object(const gms_nic_t *nic, unsigned node,
                                     gms_time_t now_ps)
{
    json_t *object = json_object();
    gmsim_nic_counters_t counters;
    uint64_t value;
    size_t i;

    gms_counters_of_nic(nic, now_ps, &counters);
    for (i = 0; i < sizeof(gms_record_nic_counters) /
                        sizeof(gms_record_nic_counters[0]);
         ++i) {
        memcpy(&value,
               (const char *)&counters + gms_record_nic_counters[i].offset,
               sizeof(value));
        (void)json_object_set_new(object, gms_record_nic_counters[i].name,
                                  json_integer((json_int_t)value));
    }
    return json_pack("{s:i,s:o}", "node", (int)node + 1, "counters", object);
}

/** Add the bytes of all flows to the links on the flows' routes. */
static void gms_record_load(const gms_record_subject_t *subject,
                            uint64_t *bytes)
{
    const uint32_t *links;
    const gms_flow_t *flow;
    unsigned node, count, i;

    for (node = 0; node < subject->nodes; ++node) {
        for (flow = gms_nic_flows(subject->nics[node]); flow != NULL;
             flow = flow->next) {
            count = gms_record_route_links(subject, node, flow, &links);
            for (i = 0; i < count; ++i) {
                bytes[links[i]] += flow->bytes_sent;
            }
        }
    }
}

static void gms_record_links(json_t *root, const gms_record_subject_t *subject,
                             gms_time_t now_ps)
{
    json_t *links = json_object_get(json_object_get(root, "topology"), "links");
    size_t count =
               gms_topology_link_count(gms_fabric_topology(subject->fabric)),
           i;
    uint64_t *bytes = calloc(count, sizeof(*bytes));
    json_t *link;

    if (bytes == NULL) {
        return;
    }
    gms_record_load(subject, bytes);
    json_array_foreach(links, i, link)
    {
        if (i < count) {
            gms_link_use_t use;

            gms_fabric_link_use(subject->fabric, (uint32_t)i, now_ps, &use);
            (void)json_object_update_new(
                link, json_pack("{s:I,s:I,s:I,s:I,s:I}", "bytes",
                                (json_int_t)bytes[i], "moving_ps",
                                (json_int_t)use.moving_ps, "held_ps",
                                (json_int_t)use.held_ps, "blocked_packets",
                                (json_int_t)use.blocked_packets, "blocked_ps",
                                (json_int_t)use.blocked_ps));
        }
    }
    free(bytes);
}

static json_t *gms_record_hosts(gms_ctx_t *ctx, const gms_record_t *record,
                                const gms_record_subject_t *subject)
{
    json_t *array = json_array();
    unsigned rank;

    for (rank = 0; rank < subject->ranks; ++rank) {
        const gms_time_t *times_ps = record->hosts[rank].times_ps;

        (void)json_array_append_new(
            array,
            json_pack("{s:i,s:I,s:I,s:I}", "rank", (int)rank, "end_ps",
                      (json_int_t)gms_gate_clock_of(ctx->gate, rank),
                      "worked_ps", (json_int_t)times_ps[GMS_BUSY_WORKS],
                      "computed_ps", (json_int_t)times_ps[GMS_BUSY_COMPUTES]));
    }
    return array;
}

static json_t *gms_record_read(int directory)
{
    int file = openat(directory, GMS_RECORD_FILE, O_RDONLY | O_CLOEXEC);
    json_t *root = file >= 0 ? json_loadfd(file, 0, NULL) : NULL;

    if (file >= 0) {
        (void)close(file);
    }
    return root;
}

/* Store the value from which the checksums of the other files start. */
static void gms_record_set_start(json_t *root, const gms_record_t *record)
{
    char start[GMS_CHECKSUM_DIGITS + 1];

    (void)snprintf(start, sizeof(start), "%016llx",
                   (unsigned long long)record->start);
    (void)json_object_set_new(root, "start", json_string(start));
}

/* Save an incomplete record with the reason. The data for the end of the run
 * are omitted, because they would not match the lines in the other files. */
static gms_status_t gms_record_save_lost(gms_recorder_t *recorder, json_t *root,
                                         const char *why)
{
    (void)json_object_set_new(root, "failed", json_string(why));
    gms_record_set_start(root, recorder->record);
    return gms_record_save(recorder->directory, root, NULL, NULL);
}

/* Save the complete record. */
static gms_status_t gms_record_save_whole(gms_ctx_t *ctx,
                                          gms_recorder_t *recorder,
                                          const gms_record_subject_t *subject,
                                          json_t *root)
{
    gms_time_t now_ps = gms_engine_now(ctx->engine);
    gms_json_text_t flows = {0};
    json_t *cards = json_array();
    gms_status_t status;
    unsigned node;

    for (node = 0; node < subject->nodes; ++node) {
        (void)json_array_append_new(
            cards, gms_record_nic_object(subject->nics[node], node, now_ps));
    }
    gms_record_links(root, subject, now_ps);
    (void)json_object_set_new(
        root, "end_ps", json_integer((json_int_t)recorder->record->end_ps));
    (void)json_object_set_new(root, GMS_RECORD_FLOWS, json_array());
    (void)json_object_set_new(root, "cards", cards);
    (void)json_object_set_new(root, "hosts",
                              gms_record_hosts(ctx, recorder->record, subject));
    (void)json_object_set_new(root, "labels",
                              gms_record_labels(recorder->record));
    (void)json_object_set_new(
        json_object_get(root, "job"), "commands",
        gms_record_commands(recorder->record, subject->launched));
    /* the job may have spawned ranks */
    (void)json_object_set_new(json_object_get(root, "job"), "ranks",
                              gms_record_ranks(subject));
    (void)json_object_set_new(json_object_get(root, "job"), "size",
                              json_integer((json_int_t)subject->ranks));
    if (subject->ranks > subject->launched) {
        (void)json_object_set_new(
            json_object_get(root, "job"), "spawned",
            json_integer((json_int_t)(subject->ranks - subject->launched)));
    }
    gms_record_set_start(root, recorder->record);
    (void)json_object_set_new(root, "files",
                              gms_record_files(recorder->record));
    (void)json_object_set_new(root, "complete", json_true());
    gms_record_add_flows(&flows, subject, now_ps);
    status = gms_record_save(recorder->directory, root, &flows, NULL);
    free(flows.bytes);
    return status;
}

/* Return the time at which the last rank left. The simulation may continue
 * after this time, because timers are still running. If the last line ends
 * later, for example because a rank died, the run ends now. */
static gms_time_t gms_record_end_of_run(gms_ctx_t *ctx,
                                        const gms_record_t *record,
                                        const gms_record_subject_t *subject)
{
    gms_time_t last_ps = 0;
    unsigned rank;

    for (rank = 0; rank < subject->ranks; ++rank) {
        gms_time_t left_ps = gms_gate_clock_of(ctx->gate, rank);

        last_ps = left_ps > last_ps ? left_ps : last_ps;
    }
    return last_ps > record->line_ps ? last_ps : gms_engine_now(ctx->engine);
}

gms_status_t gms_recorder_end(gms_ctx_t *ctx, gms_recorder_t *recorder,
                              const gms_record_subject_t *subject,
                              char why[GMS_RECORD_ERROR_LEN])
{
    json_t *root = gms_record_read(recorder->directory);
    gms_status_t status;

    if (root == NULL) {
        (void)snprintf(why, GMS_RECORD_ERROR_LEN,
                       "%s was removed or changed during the run",
                       GMS_RECORD_FILE);
        return GMS_ERR_SYSTEM;
    }
    (void)json_object_del(root, "sum");
    recorder->record->end_ps =
        gms_record_end_of_run(ctx, recorder->record, subject);
    gms_recorder_window(ctx, recorder, subject, GMS_NEVER);
    if (gms_record_is_lost(recorder->record, why, GMS_RECORD_ERROR_LEN)) {
        (void)gms_record_save_lost(recorder, root, why);
        return GMS_ERR_SYSTEM;
    }
    status = gms_record_save_whole(ctx, recorder, subject, root);
    if (status != GMS_OK) {
        (void)snprintf(why, GMS_RECORD_ERROR_LEN, "cannot write %s: %s",
                       GMS_RECORD_FILE, strerror(errno));
    }
    return status;
}
