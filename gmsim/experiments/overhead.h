/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Compares GM with rate control and unmodified GM for figures 5.1 and 5.2 of
 * the thesis. GM with rate control is simulated by the scheduler `rate'.
 * Unmodified GM is simulated by the scheduler `packet-rr', with messages
 * divided into equal packets. Benchmarks in real processes measure both
 * versions for many message sizes.
 */
#ifndef EXPERIMENTS_OVERHEAD_H
#define EXPERIMENTS_OVERHEAD_H

#include "experiments/experiment.h"

typedef struct gms_overhead {
    const char *program; /* name of the benchmark, which has two ranks */
    const char *column;  /* column of the benchmark's CSV */
    const char *iterations;
    const char *change; /* quantity of the rows, such as "bandwidth loss" */
    int is_more_better;
} gms_overhead_t;

/** Report the average and worst change over all sizes as rows, and both
 *  versions of GM as curves. */
gms_status_t gms_overhead_run(gms_lab_t *lab, const gms_overhead_t *overhead);

#endif
