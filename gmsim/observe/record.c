/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder and record.json. */
#include "observe/record.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"
#include "nic/nic_int.h"
#include "observe/counters.h"
#include "observe/record_int.h"

#define GMS_RECORD_NEW_FILE "record.json.new"

/* ---- the folder ---- */

gms_status_t gms_record_check(const char *folder,
                              char error[GMS_RECORD_ERROR_LEN])
{
    int opened;

    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        (void)snprintf(error, GMS_RECORD_ERROR_LEN,
                       "environment variable GMSIM_RECORD: cannot make the "
                       "folder '%.300s': %s",
                       folder, strerror(errno));
        return GMS_ERR_CONFIG;
    }
    opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0 || faccessat(opened, ".", W_OK | X_OK, AT_EACCESS) != 0) {
        (void)snprintf(error, GMS_RECORD_ERROR_LEN,
                       "environment variable GMSIM_RECORD: cannot write into "
                       "'%.300s': %s",
                       folder, strerror(errno));
    } else if (faccessat(opened, GMS_RECORD_FILE, F_OK, 0) == 0) {
        (void)snprintf(error, GMS_RECORD_ERROR_LEN,
                       "environment variable GMSIM_RECORD: '%.300s' holds the "
                       "record of a run already; remove it or name another "
                       "folder",
                       folder);
    } else {
        (void)close(opened);
        return GMS_OK;
    }
    if (opened >= 0) {
        (void)close(opened);
    }
    return GMS_ERR_CONFIG;
}

gms_status_t gms_record_create(gms_arena_t *arena, gms_engine_t *engine,
                               unsigned nodes, gms_record_t **record_p)
{
    gms_record_t *record = gms_arena_alloc(arena, sizeof(*record));

    if (record == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    record->busy = gms_arena_alloc(arena, nodes * sizeof(*record->busy));
    if (record->busy == NULL) {
        return GMS_ERR_NO_MEMORY; /* the job ends, and the arena with it */
    }
    gms_engine_watch(engine, GMS_RECORD_WINDOW_PS);
    *record_p = record;
    return GMS_OK;
}

gms_status_t gms_recorder_open(gms_recorder_t *recorder, const char *folder,
                               gms_record_t *record)
{
    const int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
    int why;

    recorder->record = record;
    recorder->windows = recorder->events = -1;
    recorder->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (recorder->folder >= 0) {
        recorder->windows =
            openat(recorder->folder, GMS_RECORD_WINDOWS_FILE, flags, 0666);
        recorder->events =
            openat(recorder->folder, GMS_RECORD_EVENTS_FILE, flags, 0666);
    }
    if (recorder->windows >= 0 && recorder->events >= 0) {
        return GMS_OK;
    }
    why = errno;
    gms_recorder_close(recorder);
    errno = why;
    return GMS_ERR_SYSTEM;
}

void gms_recorder_close(gms_recorder_t *recorder)
{
    int *const files[] = {&recorder->folder, &recorder->windows,
                          &recorder->events};
    unsigned i;

    for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        if (*files[i] >= 0) {
            (void)close(*files[i]);
        }
        *files[i] = -1;
    }
}

int gms_record_replace(int folder, const char *text)
{
    int file = openat(folder, GMS_RECORD_NEW_FILE,
                      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int failed;

    if (file < 0) {
        return -1;
    }
    failed = gms_record_write(file, text, strlen(text));
    failed |= close(file);
    return failed != 0
               ? -1
               : renameat(folder, GMS_RECORD_NEW_FILE, folder, GMS_RECORD_FILE);
}

static gms_status_t gms_record_save(int folder, json_t *root)
{
    char *text = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    int failed = text == NULL || gms_record_replace(folder, text) != 0;

    free(text);
    json_decref(root);
    return failed ? GMS_ERR_SYSTEM : GMS_OK;
}

/* ---- what is known at the start ---- */

static json_t *gms_record_params(const gms_params_t *params)
{
    json_t *object = json_object();
    const gms_param_t *row;

    for (row = gms_param_table; row->name != NULL; row++) {
        uint64_t value = gms_param_get(params, row);

        (void)json_object_set_new(object, row->name,
                                  row->names != NULL
                                      ? json_string(row->names[value])
                                      : json_integer((json_int_t)value));
    }
    return object;
}

static json_t *gms_record_ranks(const gms_record_subject_t *subject)
{
    json_t *array = json_array();
    unsigned rank;

    for (rank = 0; rank < subject->ranks; rank++) {
        (void)json_array_append_new(
            array, json_pack("{s:i,s:i,s:i}", "rank", (int)rank, "node",
                             (int)subject->places[rank].node + 1, "port",
                             (int)subject->places[rank].port));
    }
    return array;
}

static json_t *gms_record_end_of(const gms_link_end_t *end)
{
    return end->kind == GMS_END_NODE
               ? json_pack("{s:i}", "node", (int)end->index + 1)
               : json_pack("{s:i,s:i}", "switch", (int)end->index, "port",
                           (int)end->port);
}

static json_t *gms_record_topology(const gms_record_subject_t *subject)
{
    gms_topology_t *topology = gms_fabric_topology(subject->fabric);
    json_t *switches = json_array(), *links = json_array();
    unsigned i;
    char name[96];

    for (i = 0; i < gms_topology_switches(topology); i++) {
        (void)json_array_append_new(
            switches,
            json_pack("{s:i,s:i}", "ports", (int)gms_topology_ports(topology, i),
                      "level", (int)gms_topology_level(topology, i)));
    }
    for (i = 0; i < gms_topology_link_count(topology); i++) {
        gms_topology_link_name(topology, i, name, sizeof(name));
        (void)json_array_append_new(
            links, json_pack("{s:s,s:o,s:o}", "name", name, "from",
                             gms_record_end_of(gms_topology_from(topology, i)),
                             "to",
                             gms_record_end_of(gms_topology_to(topology, i))));
    }
    return json_pack("{s:i,s:o,s:o}", "nodes", (int)subject->nodes, "switches",
                     switches, "links", links);
}

gms_status_t gms_recorder_begin(const gms_recorder_t *recorder,
                                const gms_record_subject_t *subject)
{
    json_t *root = json_pack(
        "{s:i,s:b,s:{s:s},s:{s:s?,s:i,s:o},s:{s:s?,s:s,s:o},s:o,s:I}",
        "schema", GMS_RECORD_SCHEMA, "complete", 0, "versions", "gmqos",
        GMQOS_VERSION, "job", "program", subject->program, "size",
        (int)subject->ranks, "ranks", gms_record_ranks(subject), "cluster",
        "description", subject->description, "profile", subject->profile,
        "parameters", gms_record_params(subject->params), "topology",
        gms_record_topology(subject), "window_ps",
        (json_int_t)GMS_RECORD_WINDOW_PS);

    if (root == NULL) {
        errno = ENOMEM;
        return GMS_ERR_SYSTEM;
    }
    return gms_record_save(recorder->folder, root);
}

/* ---- what is known at the end ---- */

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

static json_t *gms_record_flow_object(const gms_nic_t *nic, unsigned node,
                                      const gms_flow_t *flow,
                                      gms_time_t now_ps)
{
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
    gms_topology_t *topology = gms_fabric_topology(subject->fabric);
    uint32_t links[GMS_ROUTE_LINKS_MAX];
    const gms_flow_t *flow;
    unsigned node, count, i;

    for (node = 0; node < subject->nodes; node++) {
        for (flow = subject->nics[node]->first_flow; flow != NULL;
             flow = flow->next) {
            count =
                flow->key.target_node == node
                    ? 0
                    : gms_topology_links(topology, node, flow->key.target_node,
                                         links);
            for (i = 0; i < count; i++) {
                bytes[links[i]] += flow->bytes_sent;
            }
        }
    }
}

static void gms_record_links(json_t *root, const gms_record_subject_t *subject)
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
            uint64_t packets;
            gms_time_t waited_ps;

            gms_fabric_link_blocked(subject->fabric, (uint32_t)i, &packets,
                                    &waited_ps);
            (void)json_object_update_new(
                link, json_pack("{s:I,s:I,s:I}", "bytes", (json_int_t)bytes[i],
                                "blocked_packets", (json_int_t)packets,
                                "blocked_ps", (json_int_t)waited_ps));
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
                flows, gms_record_flow_object(nic, node, flow, now_ps));
        }
    }
    gms_record_links(root, subject);
    (void)json_object_set_new(root, "end_ps", json_integer((json_int_t)now_ps));
    (void)json_object_set_new(root, "flows", flows);
    (void)json_object_set_new(root, "cards", cards);
    (void)json_object_set_new(root, "complete", json_true());
    return gms_record_save(recorder->folder, root);
}
