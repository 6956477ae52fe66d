/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the clock that programs read: gmsim_time_ps(), and the functions of
 * the C library that libgmclock.so replaces (clock/connect.h).
 */
#ifndef JOB_CLOCK_H
#define JOB_CLOCK_H

#include "job/sim.h"

/** Read the clock of a process that has joined. Reading the clock takes
 *  simulated time (gms_clock_cost_ps()). */
gms_time_t gms_clock_read(gms_sim_t *sim);

/** Publish the time that the program has spent on reading the clock and on
 *  sleeping before it joins. Call this function when the job's arena is
 *  attached and the process has not yet entered the gate. */
void gms_clock_prepare(gms_sim_t *sim);
/** Let the program's clock functions read the simulated clock. Call this
 *  function when all ranks have joined. */
void gms_clock_connect(gms_sim_t *sim);

#endif
