/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Common case of most experiments: backlogged flows with given IDTs on a fresh
 * cluster, and the bandwidth of every flow over a window.
 */
#ifndef EXPERIMENTS_STREAMS_H
#define EXPERIMENTS_STREAMS_H

#include "params/params.h"
#include "base/time.h"
#include "experiments/experiment.h"
#include "experiments/scenario.h"

/** The thesis's T, ticks: the IDT that its figures count in.
 *  [source: gulati 2001 thesis 5.3] */
#define GMS_STREAMS_T 96u
/** Messages of all experiments unless said [source: gulati 2001 thesis 5.3]. */
#define GMS_STREAMS_BYTES UINT32_C(65536)
/** Messages posted at a time. [assumed: as gm-bandwidth; enough that a flow
 *  never waits for its program] */
#define GMS_STREAMS_IN_FLIGHT 8u
/** Left out at the start: the pipeline fills. */
#define GMS_STREAMS_WARM_UP_PS (UINT64_C(20) * GMS_MS)

typedef struct gms_stream {
    unsigned source, target; /* nodes, 0-based */
    uint32_t idt_ticks;
} gms_stream_t;

/** Fill with the hardware of the thesis: the defaults, and one lane and one set of
 *  buffers for all traffic (undeclared: free). Experiments of the thesis begin
 *  with this. */
void gms_streams_params(gms_params_t *params);

/** Traffic that a stream stands for, from 0 to the end. */
gms_traffic_t gms_stream_traffic(const gms_stream_t *stream);

/** A cluster for an experiment. @return GMS_OK; else gms_lab_fail() has been
 *  called */
gms_status_t gms_streams_create(gms_lab_t *lab, const gms_params_t *params,
                                gms_scenario_t **scenario_p);

/**
 * Run streams together on a fresh cluster.
 *
 * @param [in]  count      at most 16
 * @param [in]  window_ps  after the warm-up
 * @param [out] mb_s       bandwidth of each, MB/s
 * @return GMS_OK; else gms_lab_fail() has been called
 */
gms_status_t gms_streams_run(gms_lab_t *lab, const gms_params_t *params,
                             const gms_stream_t *streams, unsigned count,
                             gms_time_t window_ps, double *mb_s);

#endif
