/* SPDX-License-Identifier: BSD-3-Clause */
/** Declares the state of one replication. This header is private to the
 *  simulation of a model. */
#ifndef ANALYTIC_SIM_INT_H
#define ANALYTIC_SIM_INT_H

#include <stdatomic.h>

#include "engine/engine.h"
#include "analytic/sample.h"
#include "analytic/sim.h"

enum {
    GMS_MODEL_SIM_ARRIVE = GMS_HANDLER_MODEL, /* arg[0] is the number of the
                                               * visit */
    GMS_MODEL_SIM_DONE                        /* arg[0] is the number of the
                                               * message */
};

#define GMS_QSIM_NOBODY UINT32_MAX

typedef struct gms_qsim_message {
    gms_time_t born_ps;
    uint32_t next;  /* next message in a queue, or in the list of free
                     * messages */
    uint32_t visit; /* visit at which the message is at present */
    uint32_t entry; /* visit at which the message entered the network */
    uint32_t going; /* for a blocked message: the visit for which it waits */
} gms_qsim_message_t;

typedef struct gms_qsim_list {
    uint32_t first, last, count;
} gms_qsim_list_t;

/** A value that the simulation averages over time. */
typedef struct gms_qsim_level {
    uint32_t value;
    gms_time_t since_ps;
    /* integral of the value over time (ps) since the beginning of the batch */
    double area;
} gms_qsim_level_t;

typedef struct gms_qsim_visit {
    /* waiting messages, if the station uses polling or priorities */
    gms_qsim_list_t waiting;
    gms_qsim_level_t queue;
    gms_sample_t service, arrival;
    gms_random_t routing;
    uint32_t first_arc, arcs;
    /* station that the service checks, or GMS_MODEL_NONE */
    int checks;
    uint64_t arrived, lost; /* numbers of messages from outside that entered and
                             * that were lost during the batch */
    /* number of messages that entered at this visit and left the network during
     * the batch */
    uint64_t left;
    double delay_ps; /* sum of the delays of these messages */
    /* `present' is 1 while the checked station is idle and a message waits for
     * this service or is in service. `ready' is 1 while the checked station is
     * idle */
    gms_qsim_level_t present, ready;
} gms_qsim_visit_t;

typedef struct gms_qsim_station {
    const gms_model_station_t *description;
    gms_qsim_list_t waiting; /* waiting messages, if the station uses FCFS */
    gms_qsim_list_t holding; /* messages that wait for their check */
    /* messages that have been served at another station and wait for room at
     * this station */
    gms_qsim_list_t blocked;
    /* numbers of servers that have a message in service, that wait in a check,
     * and that are blocked */
    gms_qsim_level_t serving, held, stuck;
    /* number of messages in the queues of the station */
    uint32_t queued;
    /* number of messages that are programming this station; the station has
     * reserved room for them */
    uint32_t coming;
    /* for polling: class whose turn it is, and number of messages that may
     * still be served in this turn */
    uint32_t position, left;
    gms_origin_t origin;
} gms_qsim_station_t;

typedef struct gms_sim {
    gms_ctx_t ctx;
    const gms_model_t *model;
    unsigned visits;
    gms_qsim_station_t *station;
    gms_qsim_visit_t *visit;
    gms_model_arc_t *arc; /* arcs, sorted by the visit at which they start */
    gms_qsim_message_t *message;
    uint32_t messages, message_room, free_message;
    gms_origin_t origin; /* counter of the arrival events */
    gms_time_t now_ps;
    unsigned char *moves; /* [stations]: scratch memory of gms_qsim_finish() */
    int no_memory, is_deadlocked;
    gms_time_t deadlock_ps;
} gms_qsim_t;

/* Number of values that a batch stores for each station and for each visit. For
 * each station, a batch stores the utilisation, the fractions of time for which
 * servers wait in checks and are blocked, and the queue length. For each visit,
 * a batch stores the queue length, the delay (NaN: no message left the
 * network), the fraction of lost messages, and the value `present'. */
#define GMS_QSIM_PER_STATION 4u
#define GMS_QSIM_PER_VISIT   4u

static inline unsigned gms_qsim_values(unsigned stations, unsigned visits)
{
    return GMS_QSIM_PER_STATION * stations + GMS_QSIM_PER_VISIT * visits;
}

static inline void gms_qsim_level_flush(gms_qsim_level_t *level, gms_time_t now)
{
    level->area += (double)(now - level->since_ps) * level->value;
    level->since_ps = now;
}

static inline void gms_qsim_level_add(gms_qsim_level_t *level, gms_time_t now,
                                      int more)
{
    gms_qsim_level_flush(level, now);
    level->value += (uint32_t)more;
}

/* station.c */

/** Handle the arrival of a message at the station of its visit, which must have
 *  room. */
void gms_qsim_join(gms_qsim_t *sim, uint32_t message);
/** Record which messages are present while the station that they check is
 *  idle. */
void gms_qsim_watch_checks(gms_qsim_t *sim);
/** End the service of a message and move it to its next visit. */
void gms_qsim_finish(gms_qsim_t *sim, uint32_t message);
int gms_qsim_has_room(const gms_qsim_t *sim, unsigned station);

/* network.c */

/** Create a message. @return GMS_QSIM_NOBODY if there is no memory, and
 *  no_memory is then set */
uint32_t gms_qsim_message_new(gms_qsim_t *sim);
/** Choose the next visit of a message whose service has ended. @return
 *  GMS_QSIM_NOBODY if the message leaves the network */
uint32_t gms_qsim_next_visit(gms_qsim_t *sim, uint32_t visit);
/** Remove a message that leaves the network. */
void gms_qsim_leave(gms_qsim_t *sim, uint32_t message);

/** Run one replication, and store its values in
 *  values[batches][gms_qsim_values()].
 *  @param [in,out] done  incremented for each batch
 *  @return GMS_OK; GMS_ERR_NO_MEMORY; GMS_ERR_DENIED: stations block each other
 *          forever */
gms_status_t gms_qsim_replicate(const gms_model_t *model,
                                const gms_model_sim_options_t *options,
                                unsigned replication, double *values,
                                uint64_t *events, gms_time_t *deadlock_ps,
                                atomic_uint *done);

#endif
