/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Simulates the queueing networks of analytic/model.h with the event queue of
 * gmsim/engine.
 *
 * Stations with checks, polling or limited room follow these rules:
 * - Checks: if the service of a message programs another station, the server
 *   skips this message while that station is busy, and serves other messages.
 *   If there is no other message, the server takes the skipped message and
 *   waits until the other station is idle or another message arrives. A server
 *   that waits in this way is treated as busy. If another message arrives, the
 *   server returns the skipped message to the front of its queue.
 * - Polling: a message that arrives at an idle server is served immediately.
 *   The server's position in the polling round changes only when the server
 *   chooses a message at the end of a service.
 * - Room: if the next station is full at the end of a service, the message
 *   remains at its server and blocks that server. A message from outside is
 *   lost if the station is full.
 *
 * The model's unit of time is one microsecond (GMS_US). The results depend on
 * the description, the options and the seed, but not on the number of cores.
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
    /** mean number of messages that enter the network in each replication after
     *  the warm-up; at least 100 */
    uint64_t messages;
    /** number of messages in the warm-up, which is not part of the results */
    uint64_t warm_up;
    unsigned replications; /**< number of independent replications, 1 .. 1024 */
    /** number of batches in each replication, 2 .. 1024 */
    unsigned batches;
    /** number of threads that run at the same time, at least 1; does not affect
     *  the results */
    unsigned threads;
    /** The calling thread calls this function at intervals with the completed
     *  fraction, 0 .. 1; may be NULL. */
    void (*progress)(void *context, double fraction);
    void *progress_context;
} gms_model_sim_options_t;

/**
 * A mean and the half width of its 95 % confidence interval. With at least 4
 * replications, the interval is computed from the means of the replications,
 * otherwise from all batches.
 *
 * With at least 8 replications of a network that loses no messages, a control
 * variate corrects the estimates of queues. If, by chance, a station was busier
 * in a replication, its queues were also longer. The long-run utilisation of
 * the station is known. A straight line through the points of all replications
 * determines how the queue depends on the utilisation. [source: Law and Kelton
 * 2000, "Simulation Modeling and Analysis", 11.4]
 */
typedef struct gms_model_estimate {
    double mean, half_width;
} gms_model_estimate_t;

typedef struct gms_model_sim_station {
    /** utilisation of one server, including waits in checks, but excluding the
     *  time during which the server is blocked */
    gms_model_estimate_t utilisation;
    /** fraction of the utilisation that is spent on waits in checks */
    gms_model_estimate_t waiting_share;
    /** fraction of the time for which a full next station blocks a server */
    gms_model_estimate_t blocked_share;
    gms_model_estimate_t queue; /**< mean number of waiting messages */
} gms_model_sim_station_t;

typedef struct gms_model_sim_result {
    unsigned stations, classes;
    gms_model_sim_station_t *station; /**< [stations] */
    gms_model_estimate_t *queue;      /**< [visits]: mean number of waiting
                                       * messages */
    gms_model_estimate_t *delay;      /**< [visits]: mean time in the network of
                                       *   messages that entered at this
                                       *   visit */
    gms_model_estimate_t *lost;       /**< [visits]: fraction of the messages
                                       *   from outside that were lost at this
                                       *   visit */
    /** [visits]: for a service with a check: probability that a message waits
     *  for this service or is in service, given that the checked station is
     *  idle */
    gms_model_estimate_t *present;
    uint64_t events;
    /** CPU time of all threads; this is the only result that differs between
     *  runs with the same options */
    double cpu_s;
} gms_model_sim_result_t;

/** Set the defaults: seed 1, and 8 replications of 125,000 messages after
 *  20,000 messages of warm-up. */
void gms_model_sim_options_init(gms_model_sim_options_t *options);

/**
 * Simulate a model.
 * @param [in] model must pass gms_model_check(). If the model is unstable, the
 * results grow with the length of the run
 * @param [out] result_p gms_model_sim_result_destroy() releases it; unchanged
 *   unless the function returns GMS_OK
 * @param [out] error reason for a failure
 * @return GMS_OK
 * @return GMS_ERR_INVALID_PARAM  the description or an option is invalid
 * @return GMS_ERR_DENIED         stations with finite room block each other
 *                                forever; `error' contains the time of the
 *                                first such deadlock
 * @return GMS_ERR_NO_MEMORY
 */
gms_status_t gms_model_sim_run(const gms_model_t *model,
                               const gms_model_sim_options_t *options,
                               gms_model_sim_result_t **result_p,
                               char error[GMS_MODEL_ERROR_LEN]);
/** NULL is allowed. */
void gms_model_sim_result_destroy(gms_model_sim_result_t *result);

#endif
