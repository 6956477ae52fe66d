/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Open queueing networks of several stations and classes, solved by
 * decomposition. Every station is treated as a separate GI/G/m queue. The
 * stations depend on each other through the rates and the variability of the
 * message flows between them. A model of a network interface card is built in:
 * doorbells, descriptors and data at a processor (LANai), a host DMA engine and
 * a network-send DMA engine.
 *
 * A visit is a pair (station, class). A message enters at a visit, is served
 * there, and follows an arc to the next visit; its class may change on an arc.
 * If the probabilities of the arcs of a visit add up to less than 1, the rest
 * is the probability of leaving the network.
 *
 * The caller chooses one unit of time; rates are messages per unit. The
 * built-in NICs use microseconds. SCV is the squared coefficient of variation,
 * variance over squared mean: 0 deterministic, 1 exponential.
 *
 * This directory depends only on the C library. [source: Cherukuri et al.,
 * "Analytical Model and Performance Analysis of a Network Interface Card",
 * equations (1) to (15); Whitt 1983, "The Queueing Network Analyzer"]
 */
#ifndef ANALYTIC_MODEL_H
#define ANALYTIC_MODEL_H

#include <stddef.h>

#define GMS_MODEL_NAME_LEN  32
#define GMS_MODEL_ERROR_LEN 256
#define GMS_MODEL_NONE      (-1)

typedef enum gms_model_status {
    GMS_MODEL_OK = 0,
    GMS_MODEL_INVALID,  /* the description is invalid; the error contains the
                         * reason */
    GMS_MODEL_UNSTABLE, /* a station saturates */
    GMS_MODEL_NO_MEMORY
} gms_model_status_t;

/** Order in which a station serves its classes. */
typedef enum gms_model_discipline {
    GMS_MODEL_FCFS = 0,   /* one queue of all classes, in order of arrival */
    GMS_MODEL_LIMITED,    /* polls the classes' queues in turn, at most
                           * `limit' messages per visit of a queue */
    GMS_MODEL_GATED,      /* serves the messages that were in the queue when
                           * its turn began */
    GMS_MODEL_EXHAUSTIVE, /* serves until the queue is empty */
    GMS_MODEL_PRIORITY    /* always the first class that has a message; not
                           * preemptive */
} gms_model_discipline_t;

typedef struct gms_model_station {
    char name[GMS_MODEL_NAME_LEN];
    unsigned servers; /**< 1 .. */
    gms_model_discipline_t discipline;
    unsigned limit; /**< messages per visit of a queue with
                     *   GMS_MODEL_LIMITED, 1 .. */
    unsigned room;  /**< largest number of messages at the station, including
                     *   those in service; 0: unlimited. Simulation only. */
} gms_model_station_t;

typedef struct gms_model_visit {
    int is_served;         /**< 1 if the class visits the station */
    double mean, scv;      /**< service time; mean > 0 */
    double rate, rate_scv; /**< messages that enter the network here: rate,
                            *   and SCV of the times between them */
    /** The service programs station `checks', and begins only when that station
     *  is idle; GMS_MODEL_NONE: no such check. A server without other work
     *  waits for it and is busy in the meantime. */
    int checks;
    /** Approximation of the check as printed in the paper: the mean is
     *  multiplied by this probability and by the probability that the checked
     *  station is idle. */
    double guess;
} gms_model_visit_t;

typedef struct gms_model_arc {
    unsigned from, to;  /**< visits: station * classes + class */
    double probability; /**< above 0, at most 1 */
} gms_model_arc_t;

/** A queueing network. A caller may read all fields and changes them only with
 * the functions below. gms_model_destroy() releases the network. */
typedef struct gms_model {
    unsigned stations, classes;
    size_t arcs;
    gms_model_station_t *station;           /**< [stations] */
    char (*class_name)[GMS_MODEL_NAME_LEN]; /**< [classes] */
    gms_model_visit_t *visit;               /**< [stations * classes] */
    gms_model_arc_t *arc;                   /**< [arcs] */
    size_t arc_room;
} gms_model_t;

/** Method of solution. */
typedef enum gms_model_method {
    /** Equations (1) to (15) as printed, with the printed guess for checks.
     *  SCVs start from 1 and are updated GMS_MODEL_PAPER_ROUNDS times, station
     *  by station. The printed figures show that the authors did the same. */
    GMS_MODEL_PAPER = 0,
    /** The same equations, iterated to their fixed point. The share of a stream
     *  in a departure process is its share of all departures. For stations with
     *  several servers, the method uses Erlang's C formula. */
    GMS_MODEL_QNA,
    /** The method follows a message that returns to a station from visit to
     *  visit. Messages that were queued behind this message when it left the
     *  station may still be in the queue, now ahead of it, when it returns.
     *  This method uses no guess for checks. doc/nic-model.md derives the
     *  method. */
    GMS_MODEL_REVISIT,
    /** A Markov chain of the processor and the DMA engine of a NIC, and two
     *  exact equations for the engine's waits. The policy of the processor
     *  counts. Takes about a second, and requires constant services, Poisson
     *  arrivals, single servers and the routes of a NIC. */
    GMS_MODEL_CHAIN
} gms_model_method_t;

#define GMS_MODEL_METHODS 4
/** "paper", "qna", "revisit", "chain". */
extern const char *const gms_model_method_names[GMS_MODEL_METHODS + 1];

#define GMS_MODEL_PAPER_ROUNDS 5

typedef struct gms_model_at_station {
    double rate; /**< arrival rate, all classes */
    /** utilisation of one server, including waiting in a check */
    double utilisation;
    /** part of the utilisation that consists of waiting in a check */
    double waiting_share;
    double service; /**< mean service time */
    double service_scv, arrival_scv, departure_scv;
    double wait;   /**< mean time in the queue */
    double queue;  /**< mean number in the queue, (14) */
    double number; /**< mean number at the station, (15) */
} gms_model_at_station_t;

typedef struct gms_model_at_visit {
    double rate, utilisation;
    double service; /**< mean, including the guess if the method has one */
    double wait, queue;
    double held; /**< mean time in which the server keeps a message and waits
                  *   in its check (GMS_MODEL_CHAIN; otherwise in wait) */
    /** Services with a check: probability that a message waits for this service
     *  or is in it, given that the checked station is idle. This is the derived
     *  value of `guess' (GMS_MODEL_CHAIN; otherwise 0). */
    double present;
} gms_model_at_visit_t;

typedef struct gms_model_result {
    unsigned stations, classes;
    gms_model_at_station_t *station; /**< [stations] */
    gms_model_at_visit_t *visit;     /**< [stations * classes] */
    double *delay;       /**< [stations * classes]: mean time from entering
                          *   the network at this visit to leaving it; 0 if
                          *   no messages enter here */
    unsigned bottleneck; /**< station that saturates first */
    double saturation;   /**< the bottleneck saturates when all arrival rates
                          *   are multiplied by this factor */
    unsigned rounds;     /**< rounds of the iteration */
} gms_model_result_t;

/**
 * Create an empty network: no services, no arrivals, one FCFS server with
 * unlimited room at every station. The names are "station1", "class1", and so
 * on.
 *
 * @param [in] stations, classes  1 .., their product at most 4096
 * @return NULL without memory, or if a number is out of range
 */
gms_model_t *gms_model_create(unsigned stations, unsigned classes);
/** NULL is allowed. */
void gms_model_destroy(gms_model_t *model);
/** @return NULL without memory */
gms_model_t *gms_model_copy(const gms_model_t *model);

/** Return the visit of a class to a station. */
gms_model_visit_t *gms_model_at(gms_model_t *model, unsigned station,
                                unsigned class_index);
/** Define the service time of a visit. From then on the class is served
 *  there. */
void gms_model_serve(gms_model_t *model, unsigned station, unsigned class_index,
                     double mean, double scv);
/** @return GMS_MODEL_OK, GMS_MODEL_NO_MEMORY */
gms_model_status_t gms_model_route(gms_model_t *model, unsigned from_station,
                                   unsigned from_class, unsigned to_station,
                                   unsigned to_class, double probability);
/** Find a station by its name; GMS_MODEL_NONE if there is none. */
int gms_model_find_station(const gms_model_t *model, const char *name);
/** Find a class by its name; GMS_MODEL_NONE if there is none. */
int gms_model_find_class(const gms_model_t *model, const char *name);

/**
 * Check that a description can be solved.
 * @param [out] error  the reason if it cannot
 * @return GMS_MODEL_OK, GMS_MODEL_INVALID
 */
gms_model_status_t gms_model_check(const gms_model_t *model,
                                   char error[GMS_MODEL_ERROR_LEN]);

/**
 * Solve a model.
 *
 * @param [out] result_p  gms_model_result_destroy() releases it; unchanged
 *                        unless GMS_MODEL_OK is returned
 * @param [out] error     the reason; if unstable, the station that saturates,
 *                        and its rate
 * @return GMS_MODEL_OK, GMS_MODEL_INVALID, GMS_MODEL_UNSTABLE,
 *         GMS_MODEL_NO_MEMORY
 */
gms_model_status_t gms_model_solve(const gms_model_t *model,
                                   gms_model_method_t method,
                                   gms_model_result_t **result_p,
                                   char error[GMS_MODEL_ERROR_LEN]);
/** NULL is allowed. */
void gms_model_result_destroy(gms_model_result_t *result);

/** Return the probability that all servers of M/M/m are busy (Erlang's C).
 *  @param [in] utilisation  of one server, [0, 1) */
double gms_model_erlang_c(unsigned servers, double utilisation);

#endif
