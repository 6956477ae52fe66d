/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the clock that programs read: gmsim_time_ps(), and the functions of
 * the C library that libgmclock.so replaces (clock/connect.h).
 */
#ifndef JOB_CLOCK_H
#define JOB_CLOCK_H

#include "job/sim.h"

/** Read the clock of a process that has joined its job. Reading the clock takes
 *  simulated time (gms_clock_cost_ps()). */
gms_time_t gms_clock_read(gms_sim_t *sim);

/** Account for the time that the program spent on reading the clock and on
 *  sleeping before it joined. Call this function after the job's arena has been
 *  attached and before the process enters the gate. */
void gms_clock_prepare(gms_sim_t *sim);
/** Make the program's clock functions read the simulated clock. Call this
 *  function after all ranks have joined. */
void gms_clock_connect(gms_sim_t *sim);

#endif
