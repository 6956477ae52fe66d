/* SPDX-License-Identifier: BSD-3-Clause */
/* What record.json says at the end. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

#include "nic/nic_int.h"
#include "observe/counters.h"
#include "observe/record_int.h"

/* Counters by their names in gmsim_counters.h. */
#define GMS_COUNT(_name) #_name, (json_int_t)counters._name

/** Where its packets' time went, and how long they took. */
static void gms_record_times(json_t *object, const gms_record_flow_t *seen,
                             gms_time_t idt_wait_ps)
{
    const gms_path_times_t *path = &seen->path;
    json_t *latency = json_array();
    unsigned place, last = GMS_RECORD_LATENCIES;

    while (last > 0 && seen->latency[last - 1] == 0) {
        last--;
    }
    for (place = 0; place < last; place++) {
        (void)json_array_append_new(
            latency, json_pack("[I,I]",
                               (json_int_t)gms_record_latency_ps(place),
                               (json_int_t)seen->latency[place]));
    }
    (void)json_object_set_new(object, "latency", latency);
    (void)json_object_set_new(
        object, "times",
        json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "host_ps",
                  (json_int_t)path->host_ps, "pace_ps",
                  (json_int_t)idt_wait_ps, "queue_ps",
                  (json_int_t)(seen->queue_ps > idt_wait_ps
                                   ? seen->queue_ps - idt_wait_ps
                                   : 0),
                  "lanai_ps", (json_int_t)(path->lanai_ps - seen->queue_ps),
                  "host_dma_ps", (json_int_t)path->host_dma_ps, "wire_ps",
                  (json_int_t)path->wire_ps, "switch_ps",
                  (json_int_t)path->switch_ps, "blocked_ps",
                  (json_int_t)seen->blocked_ps));
}

/** Links of a flow's way. @return how many; 0 within a host, or unused */
static unsigned gms_record_way(const gms_record_subject_t *subject,
                               unsigned node, const gms_flow_t *flow,
                               const uint32_t **links_p)
{
    return flow->key.target_node == node
               ? 0
               : gms_fabric_way(subject->fabric, node, flow->key.target_node,
                                links_p);
}

/** The links of a flow's way and how long its packets have waited for each. */
static json_t *gms_record_flow_links(const gms_record_subject_t *subject,
                                     unsigned node, const gms_flow_t *flow)
{
    const gms_record_flow_t *seen = flow->seen;
    const gms_record_wait_t none = {0, 0};
    json_t *array = json_array();
    const uint32_t *links;
    unsigned count = gms_record_way(subject, node, flow, &links), i;

    for (i = 0; i < count; i++) {
        const gms_record_wait_t *wait =
            seen->waits != NULL ? &seen->waits[i] : &none;

        (void)json_array_append_new(
            array, json_pack("[I,I,I]", (json_int_t)links[i],
                             (json_int_t)wait->packets,
                             (json_int_t)wait->waited_ps));
    }
    return array;
}

static json_t *gms_record_flow_object(const gms_record_subject_t *subject,
                                      unsigned node, const gms_flow_t *flow,
                                      gms_time_t now_ps)
{
    const gms_nic_t *nic = subject->nics[node];
    const gms_record_flow_t *seen = flow->seen;
    gmsim_flow_counters_t counters;
    json_t *object;

    gms_counters_of_flow(nic, &flow->key, now_ps, &counters);
    object = json_pack(
        "{s:i,s:i,s:i,s:i,s:i,s:i,s:I,s:{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,"
        "s:I,s:I,s:I,s:I,s:I,s:I}}",
        "number", seen != NULL ? (int)seen->number : 0, "node", (int)node + 1, "port",
        (int)flow->key.source_port, "target_node",
        (int)flow->key.target_node + 1, "target_port",
        (int)flow->key.target_port, "priority", (int)flow->key.priority,
        "label", (json_int_t)flow->key.label, "counters", GMS_COUNT(idt_ticks),
        GMS_COUNT(packets_sent), GMS_COUNT(bytes_sent),
        GMS_COUNT(packets_resent), GMS_COUNT(bytes_resent),
        GMS_COUNT(packets_arrived), GMS_COUNT(bytes_arrived),
        GMS_COUNT(messages_sent), GMS_COUNT(active_ps), GMS_COUNT(idt_waits),
        GMS_COUNT(idt_wait_ps), GMS_COUNT(window_waits),
        GMS_COUNT(window_wait_ps), GMS_COUNT(backoffs), GMS_COUNT(backoff_ps));
    if (seen != NULL) {
        gms_record_times(object, seen, counters.idt_wait_ps);
        (void)json_object_set_new(object, "links",
                                  gms_record_flow_links(subject, node, flow));
    }
    return object;
}

static json_t *gms_record_card_object(const gms_nic_t *nic, unsigned node,
                                      gms_time_t now_ps)
{
    gmsim_nic_counters_t counters;

    gms_counters_of_nic(nic, now_ps, &counters);
    return json_pack(
        "{s:i,s:{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,"
        "s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}}",
        "node", (int)node + 1, "counters", GMS_COUNT(packets_sent),
        GMS_COUNT(bytes_sent), GMS_COUNT(packets_received),
        GMS_COUNT(bytes_received), GMS_COUNT(messages_sent),
        GMS_COUNT(messages_received), GMS_COUNT(acks_sent),
        GMS_COUNT(acks_received), GMS_COUNT(nacks_sent),
        GMS_COUNT(nacks_received), GMS_COUNT(probes_sent),
        GMS_COUNT(packets_resent), GMS_COUNT(bad_crc_drops),
        GMS_COUNT(sequence_drops), GMS_COUNT(no_token_drops),
        GMS_COUNT(other_drops), GMS_COUNT(idt_waits), GMS_COUNT(idt_wait_ps),
        GMS_COUNT(window_waits), GMS_COUNT(window_wait_ps),
        GMS_COUNT(backoffs), GMS_COUNT(backoff_ps), GMS_COUNT(memory_waits),
        GMS_COUNT(blocked_packets), GMS_COUNT(blocked_ps),
        GMS_COUNT(receive_buffer_waits), GMS_COUNT(receive_buffer_wait_ps),
        GMS_COUNT(lanai_busy_ps), GMS_COUNT(host_dma_busy_ps),
        GMS_COUNT(send_dma_busy_ps), GMS_COUNT(receive_dma_busy_ps));
}

/** What flows have carried over each link of their way. */
static void gms_record_load(const gms_record_subject_t *subject,
                            uint64_t *bytes)
{
    const uint32_t *links;
    const gms_flow_t *flow;
    unsigned node, count, i;

    for (node = 0; node < subject->nodes; node++) {
        for (flow = subject->nics[node]->first_flow; flow != NULL;
             flow = flow->next) {
            count = gms_record_way(subject, node, flow, &links);
            for (i = 0; i < count; i++) {
                bytes[links[i]] += flow->bytes_sent;
            }
        }
    }
}

static void gms_record_links(json_t *root, const gms_record_subject_t *subject,
                             gms_time_t now_ps)
{
    json_t *links =
        json_object_get(json_object_get(root, "topology"), "links");
    size_t count =
        gms_topology_link_count(gms_fabric_topology(subject->fabric)), i;
    uint64_t *bytes = calloc(count, sizeof(*bytes));
    json_t *link;

    if (bytes == NULL) {
        return;
    }
    gms_record_load(subject, bytes);
    json_array_foreach(links, i, link) {
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

static json_t *gms_record_read(int folder)
{
    int file = openat(folder, GMS_RECORD_FILE, O_RDONLY | O_CLOEXEC);
    json_t *root = file >= 0 ? json_loadfd(file, 0, NULL) : NULL;

    if (file >= 0) {
        (void)close(file);
    }
    return root;
}

gms_status_t gms_recorder_end(gms_ctx_t *ctx, const gms_recorder_t *recorder,
                              const gms_record_subject_t *subject)
{
    gms_time_t now_ps = gms_engine_now(ctx->engine);
    json_t *root = gms_record_read(recorder->folder);
    json_t *flows = json_array(), *cards = json_array();
    gms_flow_t *flow;
    unsigned node;

    if (root == NULL) {
        errno = ENOENT;
        json_decref(flows);
        json_decref(cards);
        return GMS_ERR_SYSTEM;
    }
    gms_recorder_window(ctx, recorder, subject, GMS_NEVER);
    for (node = 0; node < subject->nodes; node++) {
        const gms_nic_t *nic = subject->nics[node];

        (void)json_array_append_new(cards,
                                    gms_record_card_object(nic, node, now_ps));
        for (flow = nic->first_flow; flow != NULL; flow = flow->next) {
            (void)json_array_append_new(
                flows, gms_record_flow_object(subject, node, flow, now_ps));
        }
    }
    gms_record_links(root, subject, now_ps);
    (void)json_object_set_new(root, "end_ps", json_integer((json_int_t)now_ps));
    (void)json_object_set_new(root, "flows", flows);
    (void)json_object_set_new(root, "cards", cards);
    (void)json_object_set_new(root, "labels",
                              gms_record_labels(recorder->record));
    (void)json_object_set_new(root, "complete", json_true());
    return gms_record_save(recorder->folder, root);
}
