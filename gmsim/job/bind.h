/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Binds a job's processes to a processor. The gate usually lets one process of
 * a job run at a time. A context switch between ranks takes about 1 us on one
 * core and 40 us across cores. All processes of a job therefore run on one
 * processing unit. The processes of some jobs have threads that compute or spin
 * while other threads wait in a call. Such processes are not bound, because
 * every context switch would take a time slice of the operating system.
 */
#ifndef JOB_BIND_H
#define JOB_BIND_H

/** Return the operating system's number of the processing unit on which the
 *  caller runs; -1 if the unit cannot be determined. */
int gms_bind_choose(void);
/** The processing units that a process could use before it was bound. */
typedef struct gms_bind gms_bind_t;

/** Bind the calling process to one processing unit.
 *  @param [out] before_p  earlier binding, which the caller owns and passes to
 *                         gms_bind_back(); NULL if the earlier binding cannot
 *                         be determined
 *  @return 0, or -1 with errno set */
int gms_bind_to(int unit, gms_bind_t **before_p);
/** Restore the earlier binding of the process and all its threads, and free
 *  this binding. The call has no effect if before is NULL. */
void gms_bind_back(gms_bind_t *before);

#endif
