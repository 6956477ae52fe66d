/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Records the computing times of a process, or replays them. A recorded run
 * with the time mode `measured` stores computing times in its record. A run
 * with the time mode `recorded` (GMSIM_TIME=recorded:RECORD) uses the computing
 * times of such a record.
 */
#ifndef JOB_COMPUTING_H
#define JOB_COMPUTING_H

#include "job/sim.h"

/** Read the computing times of this rank if the time mode is `recorded'. Call
 *  this function before the process joins.
 *  @return GMS_OK, GMS_ERR_CONFIG with the reason in error */
gms_status_t gms_sim_try_computing(gms_sim_t *sim, const gms_params_t *params,
                                   char error[GMS_ERROR_LEN]);
/** Begin to observe the calls of the process, which has just joined. Both runs
 *  must begin with the same call, regardless of their other outputs. */
void gms_sim_begin_computing(gms_sim_t *sim);
/** Finish the record of computing times, or end the run if the program's calls
 *  differ from the record that it reads. */
void gms_sim_end_computing(gms_sim_t *sim);

#endif
