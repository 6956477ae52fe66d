/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * gmsim.h - what a program can ask of the simulated cluster itself, beside GM.
 *
 * A process joins its job's cluster in gm_init() (gm_open() does it too). Its
 * rank and the job's size come from the process manager (PMI_RANK, PMI_SIZE);
 * a program started alone is rank 0 of 1.
 */
#ifndef GMSIM_GMSIM_H
#define GMSIM_GMSIM_H

#include <stddef.h>
#include <stdint.h>

#include "gm.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where this process is. */
typedef struct gmsim_place {
    unsigned rank;        /**< 0..size-1 */
    unsigned size;        /**< processes in the job */
    unsigned node_id;     /**< GM node id of the rank's host, 1.. */
    unsigned port;        /**< GM port set aside for the rank on that node */
    char host_name[GM_MAX_HOST_NAME_LEN]; /**< simulated host */
} gmsim_place_t;

/** Where a message's time went, picoseconds; the fields add up to the time
 *  from the send call to the receive call that returned it. Waiting for a
 *  station counts as that station. */
typedef struct gmsim_path {
    uint64_t host_ps;     /**< sending and receiving library calls, and waiting
                               for the program to look */
    uint64_t lanai_ps;    /**< both NICs' processors */
    uint64_t host_dma_ps; /**< both NICs' host DMA engines */
    uint64_t wire_ps;     /**< links: length over rate, and propagation */
    uint64_t switch_ps;   /**< routing decisions and blocked output ports */
} gmsim_path_t;

/** Totals over the whole cluster since virtual time 0. */
typedef struct gmsim_totals {
    uint64_t now_ps;        /**< time of the last event that has happened */
    uint64_t events;        /**< events run */
    uint64_t packets;       /**< packets that entered the fabric, control too */
    uint64_t data_packets;  /**< of these, packets that carry a message */
    uint64_t resends;       /**< data packets sent again */
    uint64_t nacks;         /**< negative acknowledgements sent */
    uint64_t handovers;     /**< times a sleeping process was let run */
} gmsim_totals_t;

/**
 * Place of any rank of the job; port and node come from the rank and the
 * cluster description, never from the order of arrival.
 *
 * @return GM_SUCCESS, GM_INVALID_PARAMETER (rank >= size),
 *         GM_FAILURE (gm_init() has not succeeded)
 */
gm_status_t gmsim_get_place(unsigned rank, gmsim_place_t *place);
/** The caller's own place; the same errors. */
gm_status_t gmsim_get_my_place(gmsim_place_t *place);

/** Caller's virtual time, picoseconds since the job's start; costs the
 *  profile's clock read and waits for nobody. 0 before gm_init(). */
uint64_t gmsim_time_ps(void);

/** Spend an exact amount of virtual time computing. Needs gm_init(). */
void gmsim_compute(uint64_t duration_ps);

/**
 * Leave the gate for a call that waits outside the simulation (the process
 * manager, a barrier of real time). Until gmsim_rejoin() the process counts as
 * absent: the others' time goes on without it, and it must not call the
 * library.
 */
void gmsim_leave(void);
/** Come back: waits until every rank that is still in the job has left and
 *  called this, then all go on at the highest clock among them. */
void gmsim_rejoin(void);

/**
 * Sleep until something can be received on a port (an event is pending, or a
 * callback is due), or until the next alarm. Uses no processor time. Never
 * returns early by itself: after it, gm_receive() finds something.
 * For waiting loops that know they wait; a loop of gm_receive() works too.
 */
void gmsim_wait(struct gm_port *port);

/** Path of the message most recently returned by a receive call of this port
 *  (a message of one packet; for longer ones, of its last packet).
 *  @return GM_SUCCESS, or GM_FAILURE if none was received yet */
gm_status_t gmsim_get_path(struct gm_port *port, gmsim_path_t *path);

/** Totals of the cluster as of the caller's clock. */
gm_status_t gmsim_get_totals(gmsim_totals_t *totals);

/**
 * Value of a parameter of the cluster description or hardware profile, by its
 * name in the parameter table (see gmsim(1), `gmsim params`).
 *
 * @return GM_SUCCESS, or GM_NO_MATCH for an unknown name
 */
gm_status_t gmsim_get_param(const char *name, uint64_t *value);

/** Name of the running packet scheduler: "rate", "packet-rr", "message-rr". */
const char *gmsim_scheduler_name(void);

/**
 * End the whole job with a message on standard error that starts with
 * "gmsim: rank N: " and exit status 1. Does not return.
 */
void gmsim_fatal(const char *format, ...)
    __attribute__((noreturn, format(printf, 1, 2)));

#ifdef __cplusplus
}
#endif

#endif
