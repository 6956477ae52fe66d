/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Returns the names of flows, jobs, transfers, calls and packet stages in
 * traces, for all output formats.
 */
#include <stdio.h>

#include "observe/trace_int.h"

void gms_trace_flow_text(const gms_flow_t *flow, char text[GMS_TRACE_FLOW_LEN])
{
    const gms_flow_key_t *key = &flow->key;
    int len = snprintf(text, GMS_TRACE_FLOW_LEN, "%u.%u -> %u.%u",
                       gms_nic_node(flow->nic) + 1, key->source_port,
                       key->target_node + 1u, key->target_port);

    if (key->priority != 0) {
        len += snprintf(text + len, GMS_TRACE_FLOW_LEN - (size_t)len,
                        " priority %u", key->priority);
    }
    if (key->label & GMS_LABEL_ANSWER) {
        len += snprintf(text + len, GMS_TRACE_FLOW_LEN - (size_t)len, " reads");
    }
    if (key->label & GMS_LABEL_REVERSE) {
        len += snprintf(text + len, GMS_TRACE_FLOW_LEN - (size_t)len,
                        " control of");
    }
    if ((key->label & ~GMS_LABEL_BITS) != 0) {
        (void)snprintf(text + len, GMS_TRACE_FLOW_LEN - (size_t)len,
                       " label %u", key->label & ~GMS_LABEL_BITS);
    }
}

static const char *const gms_trace_dmas[] = {
    [GMS_DMA_SEND] = "fetch",
    [GMS_DMA_DATA] = "write",
    [GMS_DMA_FAST] = "write with event",
    [GMS_DMA_RECEIVED] = "event of a message",
    [GMS_DMA_SENT] = "event of completed sends",
};

const char *gms_trace_transfer_name(const gms_trace_item_t *item)
{
    return gms_trace_dmas[item->value[0]];
}

const char *gms_trace_job_name(const gms_trace_item_t *item)
{
    switch ((enum gms_job)item->value[0]) {
    case GMS_JOB_FINISH_RDMA:
        return "RDMA end";
    case GMS_JOB_FINISH_RECV:
        return "RECV";
    case GMS_JOB_FINISH_SDMA:
        return "SDMA end";
    case GMS_JOB_FINISH_SEND:
        return "SEND end";
    case GMS_JOB_START_SEND:
        return "SEND";
    case GMS_JOB_START_HOST_DMA:
        return item->value[1] == GMS_DMA_SEND ? "SDMA" : "RDMA";
    case GMS_JOB_POLL:
        return "POLL";
    case GMS_JOB_COUNT:
    case GMS_JOB_VOID:
        break;
    }
    return "";
}

const char *gms_trace_send_name(const gms_trace_item_t *item)
{
    switch ((enum gms_send_kind)item->value[4]) {
    case GMS_SEND_MESSAGE:
        return "gm_send";
    case GMS_SEND_PUT:
        return "gm_put";
    case GMS_SEND_GET:
        return "gm_get";
    case GMS_SEND_DATAGRAM:
        return "gm_datagram_send";
    case GMS_SEND_DROP:
        return "gm_drop_sends";
    case GMS_SEND_RESUME:
        return "gm_resume_sending";
    }
    return "";
}

const char *gms_trace_part_name(unsigned part, unsigned classes)
{
    static const char *const names[GMS_TRACE_PARTS] = {
        "LANai",
        "host DMA",
        "send DMA, control",
        "send DMA, real time",
        "send DMA, best effort",
        "receive DMA, control",
        "receive DMA, real time",
        "receive DMA, best effort",
    };

    _Static_assert(GMS_LANE_CLASSES == 3 && GMS_LANE_CONTROL == 0 &&
                       GMS_LANE_REAL_TIME == 1,
                   "every class must have a name");
    if (classes == 1 && part >= GMS_TRACE_SEND_DMA) {
        return part < GMS_TRACE_RECEIVE_DMA ? "send DMA" : "receive DMA";
    }
    return names[part];
}

const char *gms_trace_type_name(unsigned type)
{
    static const char *const names[] = {
        [0] = "",
        [GMS_PACKET_MESSAGE] = "message",
        [GMS_PACKET_HEAD] = "head",
        [GMS_PACKET_BODY] = "body",
        [GMS_PACKET_TAIL] = "tail",
        [GMS_PACKET_PUT] = "put",
        [GMS_PACKET_GET] = "get",
        [GMS_PACKET_GOT] = "got",
        [GMS_PACKET_DATAGRAM] = "datagram",
        [GMS_PACKET_ACK] = "ack",
        [GMS_PACKET_NACK] = "nack",
        [GMS_PACKET_PROBE] = "probe",
        [GMS_PACKET_CNP] = "cnp",
    };

    return type < sizeof(names) / sizeof(names[0]) ? names[type] : "";
}

const char *gms_trace_drop_name(unsigned drop)
{
    static const char *const names[] = {
        [GMS_DROP_NONE] = "",
        [GMS_DROP_LOST] = "lost",
        [GMS_DROP_CRC] = "bad-crc",
        [GMS_DROP_SEQUENCE] = "out-of-sequence",
        [GMS_DROP_NO_BUFFER] = "no-buffer",
        [GMS_DROP_CLOSED] = "closed-port",
        [GMS_DROP_REJECTED] = "rejected",
        [GMS_DROP_RESET] = "reset",
    };

    return drop < sizeof(names) / sizeof(names[0]) ? names[drop] : "";
}

const char *gms_trace_fate_name(const gms_trace_packet_t *packet)
{
    switch ((enum gms_trace_fate)packet->fate) {
    case GMS_FATE_UNDER_WAY:
        return "under-way";
    case GMS_FATE_DELIVERED:
        return "delivered";
    case GMS_FATE_READ:
        return "read";
    case GMS_FATE_TAKEN_BACK:
        return "taken-back";
    case GMS_FATE_ABANDONED:
        return "abandoned";
    case GMS_FATE_DROPPED:
        return gms_trace_drop_name(packet->drop);
    }
    return "";
}

const char *gms_trace_moment_name(unsigned moment)
{
    static const char *const names[GMS_MOMENTS] = {
        [GMS_AT_CALL] = "call",       [GMS_AT_QUEUED] = "queued",
        [GMS_AT_TURN] = "turn",       [GMS_AT_FETCH] = "fetch",
        [GMS_AT_FETCHED] = "fetched", [GMS_AT_READY] = "ready",
        [GMS_AT_SEND] = "send",       [GMS_AT_SENT] = "sent",
        [GMS_AT_ARRIVED] = "arrived", [GMS_AT_CHECKED] = "checked",
        [GMS_AT_WRITE] = "write",     [GMS_AT_WRITTEN] = "written",
        [GMS_AT_DONE] = "done",
    };

    return names[moment];
}
