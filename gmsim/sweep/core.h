/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Assigns jobs to the processors of this machine, with one job per processor.
 *
 * The ranks of an mpirun job share the processor on which their first rank
 * happens to start (job/bind.h). Without this assignment, two jobs could share
 * one processor while another processor is idle. Therefore every job is
 * restricted to one processor that no job of another sweep uses.
 */
#ifndef SWEEP_CORE_H
#define SWEEP_CORE_H

#include <sched.h>
#include <stdint.h>

/** The processors of one job. */
typedef struct gms_sweep_cores {
    cpu_set_t set;
    /* file descriptors that claim the processors until the process ends for any
     * reason; children of the process inherit these descriptors */
    int *claims;
    unsigned count; /* 0 if no processors are available */
} gms_sweep_cores_t;

/** Returns the number of processors on which this process may run. */
unsigned gms_sweep_cores_all(void);
/** Claims processors that no job of any sweep on this machine is using. The
 *  function claims either all requested processors or none. Release the
 *  processors with gms_sweep_cores_release(). */
void gms_sweep_cores_claim(gms_sweep_cores_t *cores, unsigned wanted);
void gms_sweep_cores_release(gms_sweep_cores_t *cores);

#endif
