/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Solves open queueing networks of several stations and classes by
 * decomposition. Every station is treated as a separate GI/G/m queue. The
 * stations depend on each other through the rates and the variability of the
 * message flows between them. Models of network interface cards are built in.
 * In these models, doorbells, descriptors and data visit a processor (LANai), a
 * host DMA engine and a network-send DMA engine.
 *
 * A visit is a pair (station, class). A message enters at a visit, is served
 * there, and follows an arc to the next visit. The class of a message may
 * change on an arc. If the probabilities of the arcs of a visit add up to less
 * than 1, messages leave the network at this visit with the remaining
 * probability.
 *
 * The caller chooses the unit of time; rates are in messages per unit of time.
 * The built-in NIC models use microseconds. SCV is the squared coefficient of
 * variation, which is the variance divided by the squared mean. The SCV is 0
 * for a constant and 1 for an exponential distribution.
 *
 * The solvers in this directory depend only on the C library. [source:
 * Cherukuri et al., "Analytical Model and Performance Analysis of a Network
 * Interface Card", equations (1) to (15); Whitt 1983, "The Queueing Network
 * Analyzer"]
 */
#ifndef ANALYTIC_MODEL_H
#define ANALYTIC_MODEL_H

#include <stddef.h>

#define GMS_MODEL_NAME_LEN  32
#define GMS_MODEL_ERROR_LEN 256
#define GMS_MODEL_NONE      (-1)

typedef enum gms_model_status {
    GMS_MODEL_OK = 0,
    GMS_MODEL_INVALID,  /* the description is invalid; the error text states the
                         * reason */
    GMS_MODEL_UNSTABLE, /* a station of the network saturates */
    GMS_MODEL_NO_MEMORY
} gms_model_status_t;

/** Scheduling policy: the order in which a station serves its classes. */
typedef enum gms_model_discipline {
    /* all classes share a queue, which is served in order of arrival */
    GMS_MODEL_FCFS = 0,
    /* polls the classes' queues in turn, and serves at most `limit' messages
     * per turn */
    GMS_MODEL_LIMITED,
    /* polls the queues, and serves the messages that were in a queue when its
     * turn began */
    GMS_MODEL_GATED,
    GMS_MODEL_EXHAUSTIVE, /* polls the queues, and serves each queue until it is
                           * empty */
    /* always serves the first class that has a message, without preemption */
    GMS_MODEL_PRIORITY
} gms_model_discipline_t;

typedef struct gms_model_station {
    char name[GMS_MODEL_NAME_LEN];
    unsigned servers; /**< 1 .. */
    gms_model_discipline_t discipline;
    /** with GMS_MODEL_LIMITED: largest number of messages per turn of a queue,
     *  at least 1 */
    unsigned limit;
    /** largest number of messages at the station, including messages in
     *  service; 0: unlimited. Only simulations use this field */
    unsigned room;
} gms_model_station_t;

typedef struct gms_model_visit {
    int is_served;    /**< 1 if the class visits the station */
    double mean, scv; /**< service time; the mean is above 0 */
    /** rate of the messages that enter the network at this visit, and SCV of
     *  the times between their arrivals */
    double rate, rate_scv;
    /** The service programs station `checks', and begins only when that station
     *  is idle. A server without other work waits for that station, and is
     *  treated as busy while it waits. GMS_MODEL_NONE: the service checks no
     *  station. */
    int checks;
    /** Probability that the paper uses to approximate the effect of a check.
     *  The mean service time is multiplied by this probability and by the
     *  probability that the checked station is idle. */
    double guess;
} gms_model_visit_t;

typedef struct gms_model_arc {
    unsigned from, to;  /**< visits: station * classes + class */
    double probability; /**< greater than 0, at most 1 */
} gms_model_arc_t;

/** A queueing network. A caller may read all fields, but must change them only
 *  with the functions below. gms_model_destroy() releases the network. */
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
    /** The method uses equations (1) to (15) and the approximation of checks as
     *  printed in the paper. All SCVs are 1 at the beginning, and are updated
     *  GMS_MODEL_PAPER_ROUNDS times, one station after another. The figures in
     *  the paper show that the authors used this number of rounds. */
    GMS_MODEL_PAPER = 0,
    /** The method iterates equations (1) to (15) to their fixed point. A stream
     *  that leaves a station is weighted by its share of all departures of the
     *  station. For stations with several servers, the method uses Erlang's C
     *  formula. */
    GMS_MODEL_QNA,
    /** The method follows a message from visit to visit. Messages that were
     *  queued behind this message when it left a station may still be in the
     *  station's queue, ahead of this message, when it returns. The method does
     *  not use the paper's approximation of checks. doc/nic-model.md derives
     *  the method. */
    GMS_MODEL_REVISIT,
    /** The method solves a Markov chain of the processor and the DMA engine of
     *  a NIC, and two exact equations for the engine's waits. The results
     *  depend on the scheduling policy of the processor. The method takes
     *  seconds, or about a minute if the load of a DMA engine is high. The
     *  method requires constant service times, Poisson arrivals, single servers
     *  and the routes of a NIC. */
    GMS_MODEL_CHAIN,
    /** The method solves the same chain with longer slots, and with fewer
     *  messages whose types are known. This method is several times as fast as
     *  GMS_MODEL_CHAIN, but less exact. */
    GMS_MODEL_CHAIN_FAST
} gms_model_method_t;

#define GMS_MODEL_METHODS 5
/** Names of the methods: "paper", "qna", "revisit", "chain" and
 *  "chain-fast". */
extern const char *const gms_model_method_names[GMS_MODEL_METHODS + 1];

#define GMS_MODEL_PAPER_ROUNDS 5

typedef struct gms_model_at_station {
    double rate; /**< arrival rate of all classes */
    /** utilisation of one server; a server counts as busy while it waits in a
     * check */
    double utilisation;
    /** fraction of the utilisation that is spent on waiting in a check */
    double waiting_share;
    double service; /**< mean service time */
    double service_scv, arrival_scv, departure_scv;
    double wait;   /**< mean time in the queue */
    double queue;  /**< mean number of messages in the queue, equation (14) */
    double number; /**< mean number of messages at the station, equation (15) */
} gms_model_at_station_t;

typedef struct gms_model_at_visit {
    double rate, utilisation;
    /** mean service time, multiplied by `guess' if the method uses this
     *  approximation */
    double service;
    double wait, queue;
    /** mean time that a server holds a message while it waits in a check (only
     *  with GMS_MODEL_CHAIN; in other methods, `wait' includes this time) */
    double held;
    /** For a service with a check: probability that a message waits for this
     *  service or is in service, given that the checked station is idle. This
     *  is the true value of the probability that `guess' estimates (only with
     *  GMS_MODEL_CHAIN; otherwise 0). */
    double present;
} gms_model_at_visit_t;

typedef struct gms_model_result {
    unsigned stations, classes;
    gms_model_at_station_t *station; /**< [stations] */
    gms_model_at_visit_t *visit;     /**< [stations * classes] */
    /** [stations * classes]: mean time that messages spend in the network if
     *  they enter at this visit; 0 if no messages enter at this visit */
    double *delay;
    unsigned bottleneck; /**< station that saturates first */
    double saturation;   /**< the bottleneck saturates when all arrival rates
                          *   are multiplied by this factor */
    unsigned rounds;     /**< number of rounds of the iteration */
} gms_model_result_t;

/**
 * Create a network without services and arrivals. Every station has one FCFS
 * server and unlimited room for messages. The names are "station1", "class1",
 * and so on.
 *
 * @param [in] stations, classes at least 1; their product is at most 4096
 * @return NULL if there is no memory, or if a number is out of range
 */
gms_model_t *gms_model_create(unsigned stations, unsigned classes);
/** NULL is allowed. */
void gms_model_destroy(gms_model_t *model);
/** @return the copy; NULL if there is no memory */
gms_model_t *gms_model_copy(const gms_model_t *model);

/** Return the visit of a class to a station. */
gms_model_visit_t *gms_model_at(gms_model_t *model, unsigned station,
                                unsigned class_index);
/** Define the service time of a visit. After this call, the station serves the
 *  class. */
void gms_model_serve(gms_model_t *model, unsigned station, unsigned class_index,
                     double mean, double scv);
/** @return GMS_MODEL_OK, GMS_MODEL_NO_MEMORY */
gms_model_status_t gms_model_route(gms_model_t *model, unsigned from_station,
                                   unsigned from_class, unsigned to_station,
                                   unsigned to_class, double probability);
/** Find a station by its name. @return GMS_MODEL_NONE if the model has no such
 *  station */
int gms_model_find_station(const gms_model_t *model, const char *name);
/** Find a class by its name. @return GMS_MODEL_NONE if the model has no such
 *  class */
int gms_model_find_class(const gms_model_t *model, const char *name);

/**
 * Check that a description can be solved.
 * @param [out] error reason why the description cannot be solved
 * @return GMS_MODEL_OK, GMS_MODEL_INVALID
 */
gms_model_status_t gms_model_check(const gms_model_t *model,
                                   char error[GMS_MODEL_ERROR_LEN]);

/**
 * Solve a model.
 *
 * @param [out] result_p  gms_model_result_destroy() releases it; unchanged
 *                        unless GMS_MODEL_OK is returned
 * @param [out] error reason for a failure; if the model is unstable, the text
 * contains the station that saturates and its rate
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
 *  @param [in] utilisation utilisation of one server, at least 0 and below 1 */
double gms_model_erlang_c(unsigned servers, double utilisation);

#endif
