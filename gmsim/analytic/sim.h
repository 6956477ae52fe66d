/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Queueing networks of analytic/model.h, simulated on the engine's event queue.
 *
 * Rules of a station whose description has more than a queue:
 * - checks: A message whose service programs another station is passed over
 *   while that station is busy, and other messages are served. A server that
 *   finds no other message takes this message and waits until the other station
 *   is idle or another message arrives. While waiting, the server counts as
 *   busy. If another message arrives, the server returns the first message to
 *   the front of the queue.
 * - polling: A message that arrives at an idle server is served at once. The
 *   position of the round changes only when the server chooses at the end of a
 *   service.
 * - room: A message that finishes its service and finds the next station full
 *   stays and blocks its server. A message from outside is lost.
 *
 * The unit of time is GMS_US. The same description, options and seed give the
 * same figures for any number of cores.
 */
#ifndef ANALYTIC_SIM_H
#define ANALYTIC_SIM_H

#include <stdint.h>

#include "base/status.h"
#include "analytic/model.h"

#define GMS_MODEL_SIM_REPLICATIONS 8u
#define GMS_MODEL_SIM_BATCHES      20u

typedef struct gms_model_sim_options {
    uint64_t seed;
    uint64_t messages;     /**< messages that enter in each replication after
                            *   the warm-up, on average; at least 100 */
    uint64_t warm_up;      /**< messages of the warm-up, which are not
                            * counted */
    unsigned replications; /**< 1 .. 1024, independent of each other */
    unsigned batches;      /**< 2 .. 1024, of each replication */
    unsigned threads;      /**< threads that run at the same time, 1 ..; no
                            *   effect on the figures */
    /** Called at intervals with 0 .. 1, in the calling thread; may be NULL. */
    void (*progress)(void *context, double fraction);
    void *progress_context;
} gms_model_sim_options_t;

/**
 * A mean with the half width of its 95 % confidence interval. The interval is
 * computed from the means of the replications if there are at least 4,
 * otherwise from all batches.
 *
 * With at least 8 replications of a network that loses no messages, queues are
 * corrected with a known value: the long-run utilisation of a station. A
 * replication in which the station was busier by chance had longer queues. A
 * straight line through all replications gives the size of this effect (a
 * control variate). [source: Law and Kelton 2000, "Simulation Modeling and
 * Analysis", 11.4]
 */
typedef struct gms_model_estimate {
    double mean, half_width;
} gms_model_estimate_t;

typedef struct gms_model_sim_station {
    /** utilisation of one server, including waiting in a check, excluding
     *  blocked time */
    gms_model_estimate_t utilisation;
    /** part of the utilisation that consists of waiting in a check */
    gms_model_estimate_t waiting_share;
    /** share of one server's time that a full next station blocks it */
    gms_model_estimate_t blocked_share;
    gms_model_estimate_t queue; /**< mean number waiting */
} gms_model_sim_station_t;

typedef struct gms_model_sim_result {
    unsigned stations, classes;
    gms_model_sim_station_t *station; /**< [stations] */
    gms_model_estimate_t *queue;      /**< [visits]: mean number waiting */
    gms_model_estimate_t *delay;      /**< [visits]: time in the network of
                                       *   messages that entered here */
    gms_model_estimate_t *lost;       /**< [visits]: part of the messages from
                                       *   outside that were lost at this
                                       *   visit */
    /** [visits]: services with a check: probability that a message waits for
     *  this service or is in it, given that the checked station is idle */
    gms_model_estimate_t *present;
    uint64_t events;
    /** CPU time of all threads; no other figure differs between equal runs */
    double cpu_s;
} gms_model_sim_result_t;

/** Set the defaults: seed 1, and 8 replications of 125,000 messages after
 *  20,000 messages of warm-up. */
void gms_model_sim_options_init(gms_model_sim_options_t *options);

/**
 * @param [in]  model     must pass gms_model_check(); it may be unstable, and
 *                        the figures then grow with the length of the run
 * @param [out] result_p  gms_model_sim_result_destroy() releases it; unchanged
 *                        unless GMS_OK is returned
 * @param [out] error     the reason
 * @return GMS_OK
 * @return GMS_ERR_INVALID_PARAM  the description or an option is invalid
 * @return GMS_ERR_DENIED         stations with finite room block each other
 *                                forever; error contains the time when it first
 *                                happened
 * @return GMS_ERR_NO_MEMORY
 */
gms_status_t gms_model_sim_run(const gms_model_t *model,
                               const gms_model_sim_options_t *options,
                               gms_model_sim_result_t **result_p,
                               char error[GMS_MODEL_ERROR_LEN]);
/** NULL is allowed. */
void gms_model_sim_result_destroy(gms_model_sim_result_t *result);

#endif
