/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Open queueing networks of several stations and classes, solved by
 * decomposition: every station is a GI/G/m queue by itself, tied to the others
 * by the rates and the variability of the message flows between them. A model
 * of a network interface card is built in: doorbells, descriptors and data at a
 * processor (LANai), a host DMA engine and a network-send DMA engine.
 *
 * A visit is a pair (station, class). A message enters at a visit, is served
 * there, and follows an arc to the next visit; its class may change on an arc.
 * The probability that the arcs of a visit do not add up to is that of leaving
 * the network.
 *
 * The caller chooses one unit of time; rates are messages per unit. The
 * built-in NICs use microseconds. SCV: squared coefficient of variation,
 * variance over squared mean; 0 deterministic, 1 exponential.
 *
 * This directory depends on nothing but the C library.
 * [source: Cherukuri et al., "Analytical Model and Performance Analysis of a
 * Network Interface Card", equations (1) to (15); Whitt 1983, "The Queueing
 * Network Analyzer"]
 */
#ifndef ANALYTIC_MODEL_H
#define ANALYTIC_MODEL_H

#include <stddef.h>

#define GMS_MODEL_NAME_LEN  32
#define GMS_MODEL_ERROR_LEN 256
#define GMS_MODEL_NONE      (-1)

typedef enum gms_model_status {
    GMS_MODEL_OK = 0,
    GMS_MODEL_INVALID,  /* the description is wrong; the error says where */
    GMS_MODEL_UNSTABLE, /* some station cannot keep up */
    GMS_MODEL_NO_MEMORY
} gms_model_status_t;

/** In which order a station serves its classes. */
typedef enum gms_model_discipline {
    GMS_MODEL_FCFS = 0,   /* one queue of all classes, in order of arrival */
    GMS_MODEL_LIMITED,    /* polls the classes' queues in turn, at most `limit'
                            messages at a visit */
    GMS_MODEL_GATED,      /* those that it found when it came */
    GMS_MODEL_EXHAUSTIVE, /* until the queue is empty */
    GMS_MODEL_PRIORITY    /* always the first class that has a message, not
                            preemptive */
} gms_model_discipline_t;

typedef struct gms_model_station {
    char name[GMS_MODEL_NAME_LEN];
    unsigned servers; /**< 1.. */
    gms_model_discipline_t discipline;
    unsigned limit; /**< messages at a visit of GMS_MODEL_LIMITED, 1.. */
    unsigned room;  /**< messages there at most, with those in service; 0:
                           any number. Simulation only. */
} gms_model_station_t;

typedef struct gms_model_visit {
    int is_served;         /**< 1 if the class ever comes to the station */
    double mean, scv;      /**< service time; mean > 0 */
    double rate, rate_scv; /**< messages that enter the network here: rate,
                                 SCV of the times between them */
    /** The service is programming station `checks' and is begun only when that
     *  is idle; GMS_MODEL_NONE: no such check. A server that has nothing else
     *  to do waits for it and is busy meanwhile. */
    int checks;
    /** Printed approximation of the check: the mean counts with this
     *  probability times that of the station checked being idle. */
    double guess;
} gms_model_visit_t;

typedef struct gms_model_arc {
    unsigned from, to;  /**< visits: station * classes + class */
    double probability; /**< (0, 1] */
} gms_model_arc_t;

/** Read by anybody, changed through the functions below; gms_model_destroy()
 *  releases it. */
typedef struct gms_model {
    unsigned stations, classes;
    size_t arcs;
    gms_model_station_t *station;           /**< [stations] */
    char (*class_name)[GMS_MODEL_NAME_LEN]; /**< [classes] */
    gms_model_visit_t *visit;               /**< [stations * classes] */
    gms_model_arc_t *arc;                   /**< [arcs] */
    size_t arc_room;
} gms_model_t;

/** How to solve. */
typedef enum gms_model_method {
    /** Equations (1) to (15) as printed, with the printed guess for checks; SCVs
     *  start from 1 and go round GMS_MODEL_PAPER_ROUNDS times, station by
     *  station, as the printed figures show that the authors did. */
    GMS_MODEL_PAPER = 0,
    /** The same equations to their fixed point; a stream's share of a
     *  departure process is its share of all departures; Erlang's C for
     *  several servers. */
    GMS_MODEL_QNA,
    /** Messages that come back to a station are followed from visit to visit:
     *  what they left behind is still ahead of them. No guess for checks.
     *  doc/nic-model.md derives it. */
    GMS_MODEL_REVISIT
} gms_model_method_t;

#define GMS_MODEL_METHODS 3
/** "paper", "qna", "revisit". */
extern const char *const gms_model_method_names[GMS_MODEL_METHODS + 1];

#define GMS_MODEL_PAPER_ROUNDS 5

typedef struct gms_model_at_station {
    double rate;          /**< arrivals, all classes */
    double utilisation;   /**< of one server, with waiting in a check */
    double waiting_share; /**< of it: waiting in a check */
    double service;       /**< mean service time */
    double service_scv, arrival_scv, departure_scv;
    double wait;   /**< mean time in the queue */
    double queue;  /**< mean number in the queue, (14) */
    double number; /**< mean number there, (15) */
} gms_model_at_station_t;

typedef struct gms_model_at_visit {
    double rate, utilisation;
    double service; /**< mean, with the guess where the method has one */
    double wait, queue;
} gms_model_at_visit_t;

typedef struct gms_model_result {
    unsigned stations, classes;
    gms_model_at_station_t *station; /**< [stations] */
    gms_model_at_visit_t *visit;     /**< [stations * classes] */
    double *delay;       /**< [stations * classes]: mean time from entering the
                         network at this visit to leaving it; 0 where nothing
                         enters */
    unsigned bottleneck; /**< station that saturates first */
    double saturation;   /**< all arrival rates times this: it saturates */
    unsigned rounds;     /**< of the iteration */
} gms_model_result_t;

/**
 * An empty network: nothing is served, nothing arrives, one FCFS server with
 * any room everywhere; names are "station1", "class1", ..
 *
 * @param [in] stations, classes  1.., their product at most 4096
 * @return NULL if there is no memory, or a number is out of range
 */
gms_model_t *gms_model_create(unsigned stations, unsigned classes);
/** NULL is fine. */
void gms_model_destroy(gms_model_t *model);
/** @return NULL if there is no memory */
gms_model_t *gms_model_copy(const gms_model_t *model);

/** The visit of a class to a station. */
gms_model_visit_t *gms_model_at(gms_model_t *model, unsigned station,
                                unsigned class_index);
/** Make a visit one that is served. */
void gms_model_serve(gms_model_t *model, unsigned station, unsigned class_index,
                     double mean, double scv);
/** @return GMS_MODEL_OK, GMS_MODEL_NO_MEMORY */
gms_model_status_t gms_model_route(gms_model_t *model, unsigned from_station,
                                   unsigned from_class, unsigned to_station,
                                   unsigned to_class, double probability);
/** Station by its name, or GMS_MODEL_NONE. */
int gms_model_find_station(const gms_model_t *model, const char *name);
/** Class by its name, or GMS_MODEL_NONE. */
int gms_model_find_class(const gms_model_t *model, const char *name);

/**
 * Is the description one that can be solved?
 * @param [out] error  what is wrong
 * @return GMS_MODEL_OK, GMS_MODEL_INVALID
 */
gms_model_status_t gms_model_check(const gms_model_t *model,
                                   char error[GMS_MODEL_ERROR_LEN]);

/**
 * Solve.
 *
 * @param [out] result_p  gms_model_result_destroy() releases it; untouched
 *                        unless GMS_MODEL_OK is returned
 * @param [out] error     what is wrong; if unstable, which station saturates
 *                        at which rate
 * @return GMS_MODEL_OK, GMS_MODEL_INVALID, GMS_MODEL_UNSTABLE,
 *         GMS_MODEL_NO_MEMORY
 */
gms_model_status_t gms_model_solve(const gms_model_t *model,
                                   gms_model_method_t method,
                                   gms_model_result_t **result_p,
                                   char error[GMS_MODEL_ERROR_LEN]);
/** NULL is fine. */
void gms_model_result_destroy(gms_model_result_t *result);

/** Probability that all servers of M/M/m are busy (Erlang's C).
 *  @param [in] utilisation  of one server, [0, 1) */
double gms_model_erlang_c(unsigned servers, double utilisation);

#endif
