/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes trace events in the format of Chrome and Perfetto, as an array with
 * one event per line. Both programs can also read the file of a killed run,
 * which lacks the end of the array.
 *
 * In this format, ranks and NICs are processes; the threads of ranks and the
 * parts of NICs are threads. Times are in microseconds with six decimal places,
 * which is a resolution of one picosecond. [source: "Trace Event Format", the
 * description that both programs link to]
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "observe/trace_int.h"

#define GMS_JSON_CLUSTER 1u
#define GMS_JSON_RANKS   10u
#define GMS_JSON_NICS    100000u

#define GMS_JSON_TS         "%" PRIu64 ".%06u"
#define GMS_JSON_TS_OF(ps_) (ps_) / GMS_US, (unsigned)((ps_) % GMS_US)

typedef struct gms_json_where {
    unsigned pid, tid;
} gms_json_where_t;

static gms_json_where_t gms_json_where(const gms_trace_item_t *item)
{
    gms_json_where_t where = {GMS_JSON_CLUSTER, 1};

    switch ((enum gms_trace_line)item->line) {
    case GMS_TRACE_OF_RANK:
        where.pid = GMS_JSON_RANKS + item->number;
        where.tid = item->part + 1u;
        break;
    case GMS_TRACE_OF_NIC:
        where.pid = GMS_JSON_NICS + item->number;
        where.tid = item->part + 1u;
        break;
    case GMS_TRACE_OF_MANAGER:
        break;
    case GMS_TRACE_OF_FAULTS:
        where.tid = 2;
        break;
    }
    return where;
}

/* ---- names ---- */

static void gms_json_name(gms_tracer_t *tracer, unsigned output,
                          const char *what, unsigned pid, unsigned tid,
                          const char *name)
{
    gms_trace_print(tracer, output,
                    "{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s_name\","
                    "\"args\":{\"name\":\"%s\"}},\n"
                    "{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,"
                    "\"name\":\"%s_sort_index\",\"args\":{\"sort_index\":%u}},"
                    "\n",
                    pid, tid, what, name, pid, tid, what,
                    strcmp(what, "process") == 0 ? pid : tid);
}

static void gms_json_name_nics(gms_tracer_t *tracer, unsigned output)
{
    const gms_trace_t *trace = tracer->trace;
    unsigned classes = gms_fabric_classes(trace->subject.fabric), node, part;
    char name[64];

    for (node = 0; node < trace->subject.nodes; ++node) {
        (void)snprintf(name, sizeof(name), "NIC of node %u", node + 1);
        gms_json_name(tracer, output, "process", GMS_JSON_NICS + node, 0, name);
        for (part = 0; part < GMS_TRACE_PARTS; ++part) {
            if (part < GMS_TRACE_SEND_DMA ||
                (part - GMS_TRACE_SEND_DMA) % GMS_LANE_CLASSES < classes) {
                gms_json_name(tracer, output, "thread", GMS_JSON_NICS + node,
                              part + 1, gms_trace_part_name(part, classes));
            }
        }
    }
}

static void gms_trace_json_begin(gms_tracer_t *tracer, unsigned output)
{
    const gms_trace_t *trace = tracer->trace;
    const gms_trace_slot_t *slots = trace->subject.slots;
    char name[64];
    unsigned rank;

    gms_trace_print(tracer, output, "[\n");
    gms_json_name(tracer, output, "process", GMS_JSON_CLUSTER, 0, "cluster");
    gms_json_name(tracer, output, "thread", GMS_JSON_CLUSTER, 1, "manager");
    gms_json_name(tracer, output, "thread", GMS_JSON_CLUSTER, 2, "faults");
    for (rank = 0; rank < trace->subject.ranks; ++rank) {
        (void)snprintf(name, sizeof(name), "rank %u (node %u port %u)", rank,
                       slots[rank].node + 1, slots[rank].port);
        gms_json_name(tracer, output, "process", GMS_JSON_RANKS + rank, 0,
                      name);
        gms_json_name(tracer, output, "thread", GMS_JSON_RANKS + rank, 1,
                      "calls");
    }
    if (trace->categories & (GMS_TRACE_NIC | GMS_TRACE_PACKET)) {
        gms_json_name_nics(tracer, output);
    }
}

/* ---- items ---- */

/* Print the part that all kinds of events have in common. The name must not
 * contain characters that need escapes. */
static void gms_json_head(gms_tracer_t *tracer, unsigned output,
                          const gms_trace_item_t *item, char phase,
                          const char *category, const char *name)
{
    gms_json_where_t where = gms_json_where(item);

    gms_trace_print(tracer, output,
                    "{\"ph\":\"%c\",\"pid\":%u,\"tid\":%u,\"ts\":" GMS_JSON_TS
                    ",\"cat\":\"%s\",\"name\":\"%s\"",
                    phase, where.pid, where.tid, GMS_JSON_TS_OF(item->begin_ps),
                    category, name);
    if (phase == 'X') {
        gms_trace_print(tracer, output, ",\"dur\":" GMS_JSON_TS,
                        GMS_JSON_TS_OF(item->end_ps - item->begin_ps));
    }
}

/* Print one end of a flow arrow: phase 's' (start) or 'f' (finish). Both ends
 * bind to the enclosing slice, which for 'f' requires "bp":"e". */
static void gms_json_arrow(gms_tracer_t *tracer, unsigned output,
                           const gms_trace_item_t *item, char phase,
                           const char *category, const char *name)
{
    if (item->id != 0) {
        gms_json_head(tracer, output, item, phase, category, name);
        gms_trace_print(tracer, output, ",\"id\":\"0x%" PRIx64 "\"%s},\n",
                        item->id, phase == 'f' ? ",\"bp\":\"e\"" : "");
    }
}

static void gms_json_send(gms_tracer_t *tracer, unsigned output,
                          const gms_trace_item_t *item)
{
    const uint32_t *value = item->value;

    gms_json_head(tracer, output, item, 'X', "gm", gms_trace_send_name(item));
    gms_trace_print(tracer, output,
                    ",\"args\":{\"to\":\"%u.%u\",\"bytes\":%u,\"label\":%u,"
                    "\"priority\":%u,\"message\":\"0x%" PRIx64 "\"}},\n",
                    value[0], value[1], value[2], value[3], value[5], item->id);
    if (value[4] == GMS_SEND_MESSAGE || value[4] == GMS_SEND_DATAGRAM) {
        gms_json_arrow(tracer, output, item, 's', "gm", "message");
    }
}

static void gms_json_receive(gms_tracer_t *tracer, unsigned output,
                             const gms_trace_item_t *item)
{
    gms_json_head(tracer, output, item, 'X', "gm", "gm_receive");
    gms_trace_print(tracer, output,
                    ",\"args\":{\"from\":\"%u.%u\",\"bytes\":%u,"
                    "\"message\":\"0x%" PRIx64 "\"}},\n",
                    item->value[0], item->value[1], item->value[2], item->id);
    gms_json_arrow(tracer, output, item, 'f', "gm", "message");
}

static void gms_json_nic(gms_tracer_t *tracer, unsigned output,
                         const gms_trace_item_t *item, const char *name)
{
    gms_json_head(tracer, output, item, 'X', "nic", name);
    gms_trace_print(tracer, output, ",\"args\":{");
    if (item->kind != GMS_TRACE_JOB) {
        gms_trace_print(tracer, output, "\"bytes\":%u%s",
                        item->value[item->kind == GMS_TRACE_TRANSFER],
                        item->id != 0 ? "," : "");
    }
    if (item->id != 0) {
        gms_trace_print(tracer, output, "\"packet\":%" PRIu64, item->id);
    }
    gms_trace_print(tracer, output, "}},\n");
}

static void gms_json_link(gms_tracer_t *tracer, unsigned output,
                          const gms_trace_item_t *item)
{
    gms_json_nic(tracer, output, item, gms_trace_type_name(item->value[1]));
    if (item->value[3]) {
        gms_json_arrow(tracer, output, item,
                       item->kind == GMS_TRACE_LINK_OUT ? 's' : 'f', "nic",
                       "packet");
    }
}

static void gms_json_flow(gms_tracer_t *tracer, unsigned output,
                          const gms_trace_item_t *item)
{
    int is_rate = item->kind == GMS_TRACE_FLOW_RATE;
    char flow[GMS_TRACE_FLOW_LEN], name[GMS_TRACE_FLOW_LEN + 16];

    gms_trace_flow_text(item->flow, flow);
    (void)snprintf(name, sizeof(name), "%s %s", is_rate ? "MB/s" : "IDT", flow);
    gms_json_head(tracer, output, item, 'C', "idt", name);
    if (is_rate) {
        gms_trace_print(tracer, output,
                        ",\"args\":{\"MB/s\":%" PRIu64 ".%06u}},\n",
                        item->id / 1000000, (unsigned)(item->id % 1000000));
    } else {
        gms_trace_print(tracer, output, ",\"args\":{\"ticks\":%u}},\n",
                        item->value[0]);
    }
}

/* Print an instant event; its text may contain any characters. */
static void gms_json_note(gms_tracer_t *tracer, unsigned output,
                          const gms_trace_item_t *item, const char *category,
                          const char *text)
{
    char safe[512];
    size_t len = 0;

    for (; *text != '\0' && len + 8 < sizeof(safe); ++text) {
        if (*text == '"' || *text == '\\') {
            safe[len++] = '\\';
        }
        safe[len++] = (unsigned char)*text < ' ' ? ' ' : *text;
    }
    safe[len] = '\0';
    gms_json_head(tracer, output, item, 'i', category, safe);
    gms_trace_print(tracer, output, ",\"s\":\"%c\"},\n",
                    item->line == GMS_TRACE_OF_RANK ? 't' : 'g');
}

static void gms_trace_json_item(gms_tracer_t *tracer, unsigned output,
                                const gms_trace_item_t *item, const char *text)
{
    char note[64];

    switch ((enum gms_trace_kind)item->kind) {
    case GMS_TRACE_ENTER:
    case GMS_TRACE_LEAVE:
        gms_json_head(tracer, output, item,
                      item->kind == GMS_TRACE_ENTER ? 'B' : 'E', "mpi",
                      tracer->trace->name[item->name]);
        gms_trace_print(tracer, output, "},\n");
        break;
    case GMS_TRACE_SEND:
        gms_json_send(tracer, output, item);
        break;
    case GMS_TRACE_RECEIVE:
        gms_json_receive(tracer, output, item);
        break;
    case GMS_TRACE_CALLBACK:
        (void)snprintf(note, sizeof(note), "callback: %s", text);
        gms_json_note(tracer, output, item, "gm", note);
        break;
    case GMS_TRACE_JOB:
        gms_json_nic(tracer, output, item, gms_trace_job_name(item));
        break;
    case GMS_TRACE_TRANSFER:
        gms_json_nic(tracer, output, item, gms_trace_transfer_name(item));
        break;
    case GMS_TRACE_LINK_OUT:
    case GMS_TRACE_LINK_IN:
        gms_json_link(tracer, output, item);
        break;
    case GMS_TRACE_FLOW_IDT:
    case GMS_TRACE_FLOW_RATE:
        gms_json_flow(tracer, output, item);
        break;
    case GMS_TRACE_DECISION:
        gms_json_note(tracer, output, item, "idt", text);
        break;
    case GMS_TRACE_BROKEN:
        gms_json_note(tracer, output, item, "fault", text);
        break;
    case GMS_TRACE_KINDS:
        break;
    }
}

/* ---- packets ---- */

/* A packet is a slice that contains the slices of its stages. Slices of several
 * packets overlap, so packets are asynchronous slices of the sending NIC. */
static void gms_json_station(gms_tracer_t *tracer, unsigned output,
                             const gms_trace_packet_t *life, const char *name,
                             gms_time_t begin_ps, gms_time_t end_ps)
{
    unsigned pid = GMS_JSON_NICS + life->header.source, i;

    for (i = 0; i < 2; ++i) {
        gms_time_t at_ps = i == 0 ? begin_ps : end_ps;

        gms_trace_print(
            tracer, output,
            "{\"ph\":\"%c\",\"pid\":%u,\"tid\":0,\"ts\":" GMS_JSON_TS
            ",\"cat\":\"packet\",\"name\":\"%s\","
            "\"id\":\"0x%" PRIx64 "\"},\n",
            i == 0 ? 'b' : 'e', pid, GMS_JSON_TS_OF(at_ps), name, life->id);
    }
}

static void gms_json_end_packet(gms_tracer_t *tracer, unsigned output,
                                const gms_trace_packet_t *life,
                                gms_time_t end_ps)
{
    gms_trace_print(tracer, output,
                    "{\"ph\":\"e\",\"pid\":%u,\"tid\":0,\"ts\":" GMS_JSON_TS
                    ",\"cat\":\"packet\",\"name\":\"%s\",\"id\":\"0x%" PRIx64
                    "\",\"args\":{\"fate\":\"%s\"}},\n",
                    GMS_JSON_NICS + life->header.source, GMS_JSON_TS_OF(end_ps),
                    gms_trace_type_name(life->header.type), life->id,
                    gms_trace_fate_name(life));
}

static void gms_trace_json_packet(gms_tracer_t *tracer, unsigned output,
                                  const gms_trace_packet_t *life)
{
    /* activity of the packet before each stage, or the reason why it waits */
    static const char *const stations[GMS_MOMENTS] = {
        [GMS_AT_QUEUED] = "call",    [GMS_AT_TURN] = "queue",
        [GMS_AT_FETCH] = "SDMA",     [GMS_AT_FETCHED] = "host DMA",
        [GMS_AT_READY] = "SDMA end", [GMS_AT_SEND] = "SEND",
        [GMS_AT_ARRIVED] = "fabric", [GMS_AT_CHECKED] = "RECV",
        [GMS_AT_WRITE] = "RDMA",     [GMS_AT_WRITTEN] = "host DMA",
        [GMS_AT_DONE] = "RDMA end",
    };
    const gms_packet_header_t *header = &life->header;
    gms_time_t last_ps = GMS_NEVER;
    unsigned i;

    for (i = 0; i < GMS_MOMENTS; ++i) {
        gms_time_t at_ps = life->at_ps[i];

        /* the tail may leave the sending NIC after the packet has arrived */
        if (at_ps == GMS_NEVER || i == GMS_AT_SENT) {
            continue;
        }
        if (last_ps == GMS_NEVER) {
            gms_trace_print(
                tracer, output,
                "{\"ph\":\"b\",\"pid\":%u,\"tid\":0,\"ts\":" GMS_JSON_TS
                ",\"cat\":\"packet\",\"name\":\"%s\",\"id\":\"0x%" PRIx64
                "\",\"args\":{\"from\":\"%u.%u\",\"to\":\"%u.%u\","
                "\"bytes\":%u,\"sequence\":%u,\"again\":%u,"
                "\"pace_us\":" GMS_JSON_TS ",\"blocked_us\":" GMS_JSON_TS
                "}},\n",
                GMS_JSON_NICS + header->source, GMS_JSON_TS_OF(at_ps),
                gms_trace_type_name(header->type), life->id, header->source + 1,
                header->source_port, header->target + 1, header->target_port,
                header->length, header->sequence, life->is_again,
                GMS_JSON_TS_OF(life->pace_ps),
                GMS_JSON_TS_OF(life->blocked_ps));
        } else if (stations[i] != NULL) {
            gms_json_station(tracer, output, life, stations[i], last_ps, at_ps);
        }
        last_ps = at_ps;
    }
    if (last_ps != GMS_NEVER) {
        gms_json_end_packet(tracer, output, life, last_ps);
    }
}

static gms_status_t gms_trace_json_end(gms_ctx_t *ctx, gms_tracer_t *tracer,
                                       unsigned output,
                                       char error[GMS_TRACE_ERROR_LEN])
{
    (void)ctx;
    (void)error;
    gms_trace_print(tracer, output,
                    "{\"ph\":\"M\",\"pid\":%u,\"tid\":0,\"name\":"
                    "\"process_labels\",\"args\":{\"labels\":\"complete\"}}\n"
                    "]\n",
                    GMS_JSON_CLUSTER);
    gms_trace_flush(tracer, output);
    return GMS_OK;
}

const gms_trace_ops_t gms_trace_json_ops = {
    .name = "json",
    .ending = ".json",
    .shows = GMS_TRACE_ALL,
    .begin = gms_trace_json_begin,
    .item = gms_trace_json_item,
    .packet = gms_trace_json_packet,
    .end = gms_trace_json_end,
};
