/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Runs backlogged flows with given IDTs on a fresh cluster, as most experiments
 * require, and measures the bandwidth of every flow over a window.
 */
#ifndef EXPERIMENTS_STREAMS_H
#define EXPERIMENTS_STREAMS_H

#include "params/params.h"
#include "base/time.h"
#include "experiments/experiment.h"
#include "experiments/scenario.h"

/** The threshold T in ticks. The figures of the thesis state IDTs in units of
 *  T. [source: gulati 2001 thesis 5.3] */
#define GMS_STREAMS_T 96u
/** Default message size of the experiments, in bytes. [source: gulati 2001
 *  thesis 5.3] */
#define GMS_STREAMS_BYTES UINT32_C(65536)
/** Number of messages posted at a time. [assumed: the same number as in
 *  gm-bandwidth; with this number, a flow never waits for its program] */
#define GMS_STREAMS_IN_FLIGHT 8u
/** Virtual time before the measurement, during which the pipeline of messages
 *  fills. */
#define GMS_STREAMS_WARM_UP_PS (UINT64_C(20) * GMS_MS)

typedef struct gms_stream {
    unsigned source, target; /* numbers of nodes, from 0 */
    uint32_t idt_ticks;
} gms_stream_t;

/** Set the parameters of the thesis's hardware. An experiment of the thesis may
 *  change these parameters afterwards. These parameters are the defaults,
 *  except that all traffic shares one lane and one set of buffers (undeclared:
 *  free). */
void gms_streams_params(gms_params_t *params);

/** Return the traffic of a stream, which sends from time 0 to the end. */
gms_traffic_t gms_stream_traffic(const gms_stream_t *stream);

/** Create the cluster of an experiment.
 *  @return GMS_OK; otherwise gms_lab_fail() has been called */
gms_status_t gms_streams_create(gms_lab_t *lab, const gms_params_t *params,
                                gms_scenario_t **scenario_p);

/**
 * Run streams together on a fresh cluster.
 *
 * @param [in]  count      at most 16
 * @param [in]  window_ps  duration after the warm-up
 * @param [out] mb_s       bandwidth of each stream, MB/s
 *
 * @return GMS_OK; otherwise gms_lab_fail() has been called
 */
gms_status_t gms_streams_run(gms_lab_t *lab, const gms_params_t *params,
                             const gms_stream_t *streams, unsigned count,
                             gms_time_t window_ps, double *mb_s);

#endif
