/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the trace points of the GM library (gms_ctx_tracepoint()). They
 * report actions of ranks, which occur between events and at the times of the
 * ranks' clocks. The caller of a trace point must hold the gate's lock.
 */
#ifndef OBSERVE_TRACEPOINT_H
#define OBSERVE_TRACEPOINT_H

#include "engine/engine.h"
#include "nic/nic.h"

enum gms_gm_tracepoint {
    GMS_GM_TRACEPOINT_CALL =
        GMS_HANDLER_GM,     /* gms_gm_call_t: call of a library above GM */
    GMS_GM_TRACEPOINT_SEND, /* gms_gm_sent_t: the NIC has received the
                             * descriptor */
    /* gms_gm_received_t: the program has received the event */
    GMS_GM_TRACEPOINT_RECEIVE,
    GMS_GM_TRACEPOINT_CALLBACK, /* gms_gm_callback_t: a send has ended */
    GMS_GM_TRACEPOINT_LEAVE     /* gms_gm_rank_t: the rank leaves the job */
};

/** Rank, thread and time of a trace point. */
typedef struct gms_gm_rank {
    unsigned rank;
    unsigned thread; /* number of the thread in the rank, counting from 0 */
    gms_time_t clock_ps;
} gms_gm_rank_t;

/** Entry to or exit from a function of a library above GM. */
typedef struct gms_gm_call {
    gms_gm_rank_t who;
    int is_entry;
    const char *name; /* "MPI_Send" */
} gms_gm_call_t;

typedef struct gms_gm_sent {
    gms_gm_rank_t who;
    unsigned node, port; /* node and port of the sender; the first node is 0 */
    const gms_send_desc_t *desc;
    gms_time_t cost_ps; /* duration of the call */
} gms_gm_sent_t;

typedef struct gms_gm_received {
    gms_gm_rank_t who;
    unsigned node, port;
    const gms_host_event_t *event;
    gms_time_t cost_ps;
} gms_gm_received_t;

typedef struct gms_gm_callback {
    gms_gm_rank_t who;
    unsigned node, port;
    uint32_t slot;      /* cookie of the descriptor */
    const char *status; /* "ok", or the reason for the failure */
} gms_gm_callback_t;

#endif
