/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Trace points of the GM library (gms_ctx_tracepoint()): the actions of ranks
 * at their own clocks, between events. The gate's lock is held.
 */
#ifndef OBSERVE_TRACEPOINT_H
#define OBSERVE_TRACEPOINT_H

#include "engine/engine.h"
#include "nic/nic.h"

enum gms_gm_tracepoint {
    GMS_GM_TRACEPOINT_CALL =
        GMS_HANDLER_GM,         /* a gms_gm_call_t: of a library above */
    GMS_GM_TRACEPOINT_SEND,     /* a gms_gm_sent_t, when the card has got it */
    GMS_GM_TRACEPOINT_RECEIVE,  /* a gms_gm_received_t: the program has it */
    GMS_GM_TRACEPOINT_CALLBACK, /* a gms_gm_callback_t: a send is over for it */
    GMS_GM_TRACEPOINT_LEAVE     /* a gms_gm_rank_t: it is absent from now on */
};

/** Which rank does it, and when. */
typedef struct gms_gm_rank {
    unsigned rank;
    unsigned thread; /* of the rank, from 0 */
    gms_time_t clock_ps;
} gms_gm_rank_t;

/** A library above GM is entered, or left. */
typedef struct gms_gm_call {
    gms_gm_rank_t who;
    int is_entry;
    const char *name; /* "MPI_Send" */
} gms_gm_call_t;

typedef struct gms_gm_sent {
    gms_gm_rank_t who;
    unsigned node, port; /* from there; node 0-based */
    const gms_send_desc_t *desc;
    gms_time_t cost_ps; /* of the call */
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
    const char *status; /* "ok", or why it failed */
} gms_gm_callback_t;

#endif
