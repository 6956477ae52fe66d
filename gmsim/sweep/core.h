/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Assigns jobs to the processors of this machine, one job per processor.
 *
 * The ranks of an mpirun job share the processor on which their first rank
 * happens to run at its start (job/bind.h). Two jobs may therefore share one
 * processor while another processor is idle. To avoid this, every job is
 * restricted to one processor that no other sweep's job uses.
 */
#ifndef SWEEP_CORE_H
#define SWEEP_CORE_H

#include <sched.h>
#include <stdint.h>

/** Processors of one job. */
typedef struct gms_sweep_cores {
    cpu_set_t set;
    /* descriptors that hold the processors until the process ends for any
     * reason; children of the process hold the descriptors, too */
    int *claims;
    unsigned count; /* 0: no processors were available */
} gms_sweep_cores_t;

/** Returns the number of processors on which this process may run. */
unsigned gms_sweep_cores_all(void);
/** Claims processors that no job of any sweep on this machine uses. The
 *  function claims either all requested processors or none. Release the
 *  processors with gms_sweep_cores_release(). */
void gms_sweep_cores_claim(gms_sweep_cores_t *cores, unsigned wanted);
void gms_sweep_cores_release(gms_sweep_cores_t *cores);

#endif
