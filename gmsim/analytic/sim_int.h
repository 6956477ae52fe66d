/* SPDX-License-Identifier: BSD-3-Clause */
/** Private to the simulation of a model: the state of one replication. */
#ifndef ANALYTIC_SIM_INT_H
#define ANALYTIC_SIM_INT_H

#include <stdatomic.h>

#include "engine/engine.h"
#include "analytic/sample.h"
#include "analytic/sim.h"

enum {
    GMS_MODEL_SIM_ARRIVE = GMS_HANDLER_MODEL, /* arg 0: visit */
    GMS_MODEL_SIM_DONE                        /* arg 0: message */
};

#define GMS_QSIM_NOBODY UINT32_MAX

typedef struct gms_qsim_message {
    gms_time_t born_ps;
    uint32_t next;  /* in a queue, or of those free */
    uint32_t visit; /* where it is */
    uint32_t entry; /* the visit that it entered at */
    uint32_t going; /* blocked: the visit that it waits to go to */
} gms_qsim_message_t;

typedef struct gms_qsim_list {
    uint32_t first, last, count;
} gms_qsim_list_t;

/** Something whose mean over time is wanted. */
typedef struct gms_qsim_level {
    uint32_t value;
    gms_time_t since_ps;
    double area; /* value x ps, since the batch began */
} gms_qsim_level_t;

typedef struct gms_qsim_visit {
    gms_qsim_list_t waiting; /* polled stations, and priorities */
    gms_qsim_level_t queue;
    gms_sample_t service, arrival;
    gms_random_t routing;
    uint32_t first_arc, arcs;
    int checks;             /* station, or GMS_MODEL_NONE */
    uint64_t arrived, lost; /* of the batch: from outside */
    uint64_t left;   /* of the batch: entered here and left the network */
    double delay_ps; /* of these, sum */
} gms_qsim_visit_t;

typedef struct gms_qsim_station {
    const gms_model_station_t *description;
    gms_qsim_list_t waiting; /* FCFS */
    gms_qsim_list_t holding; /* messages whose check is waited for */
    gms_qsim_list_t blocked; /* messages that are done, elsewhere, and come here
                               when there is room */
    gms_qsim_level_t serving, held, stuck; /* servers: with a message in
                                             service; waiting in a check;
                                             blocked */
    uint32_t queued;                       /* messages in its queues */
    uint32_t coming;         /* being programmed to come: the place is theirs */
    uint32_t position, left; /* polling: class, and how many more of it */
    gms_origin_t origin;
} gms_qsim_station_t;

typedef struct gms_sim {
    gms_ctx_t ctx;
    const gms_model_t *model;
    unsigned visits;
    gms_qsim_station_t *station;
    gms_qsim_visit_t *visit;
    gms_model_arc_t *arc; /* sorted by start */
    gms_qsim_message_t *message;
    uint32_t messages, message_room, free_message;
    gms_origin_t origin; /* of arrivals */
    gms_time_t now_ps;
    unsigned char *moves; /* [stations]: of gms_qsim_finish() alone */
    int no_memory, is_deadlocked;
    gms_time_t deadlock_ps;
} gms_qsim_t;

/* A batch's values, one after the other: per station utilisation, waiting in
 * checks, blocked, queue; per visit queue, delay (NaN: nobody left), lost. */
#define GMS_QSIM_PER_STATION 4u
#define GMS_QSIM_PER_VISIT   3u

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

/** A message has come to the station of its visit, which has room. */
void gms_qsim_join(gms_qsim_t *sim, uint32_t message);
/** A service has ended. */
void gms_qsim_finish(gms_qsim_t *sim, uint32_t message);
int gms_qsim_has_room(const gms_qsim_t *sim, unsigned station);

/* network.c */

/** A new message, or GMS_QSIM_NOBODY (no_memory is set). */
uint32_t gms_qsim_message_new(gms_qsim_t *sim);
/** Where a message that is done goes: a visit, or GMS_QSIM_NOBODY to leave. */
uint32_t gms_qsim_next_visit(gms_qsim_t *sim, uint32_t visit);
/** A message leaves the network. */
void gms_qsim_leave(gms_qsim_t *sim, uint32_t message);

/** Run one replication and fill [batches][gms_qsim_values()].
 *  @param [in,out] done  one more for each batch
 *  @return GMS_OK, GMS_ERR_NO_MEMORY, GMS_ERR_DENIED (blocked for ever) */
gms_status_t gms_qsim_replicate(const gms_model_t *model,
                                const gms_model_sim_options_t *options,
                                unsigned replication, double *values,
                                uint64_t *events, gms_time_t *deadlock_ps,
                                atomic_uint *done);

#endif
