/* SPDX-License-Identifier: BSD-3-Clause */
/** Runs the benchmark mpi-flows with real MPI processes and given IDTs. */
#ifndef EXPERIMENTS_MPI_FLOWS_H
#define EXPERIMENTS_MPI_FLOWS_H

#include <stddef.h>
#include <stdint.h>

#include "experiments/experiment.h"

#define GMS_MPI_FLOWS_MAX 4

/** A tuple of IDTs, and the resulting bandwidth of each flow. */
typedef struct gms_mpi_flows {
    uint32_t idt_ticks[GMS_MPI_FLOWS_MAX];
    double mb_s[GMS_MPI_FLOWS_MAX];
} gms_mpi_flows_t;

/**
 * Send messages of 64 KB from rank 0 to ranks 1..flows.
 *
 * @param [in]     flows    1..GMS_MPI_FLOWS_MAX
 * @param [in,out] tuples   at most 400; the function reads idt_ticks and writes
 *   mb_s
 *
 * @return GMS_OK; otherwise gms_lab_fail() has been called
 */
gms_status_t gms_mpi_flows_run(gms_lab_t *lab, unsigned flows,
                               gms_mpi_flows_t *tuples, size_t count,
                               const char *iterations);

#endif
