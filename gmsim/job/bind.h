/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Binding of a job's processes to processors. The gate mostly lets one process
 * of a job run at a time; a context switch between ranks costs about 1 us on
 * one core and 40 us across cores. All processes of a job therefore run on one
 * processing unit, unless some of their threads compute or spin there while
 * others wait in a call: every context switch would then take a time slice of
 * the system's.
 */
#ifndef JOB_BIND_H
#define JOB_BIND_H

/** Processing unit that the caller runs on, by the system's number; -1 if that
 *  cannot be found out. */
int gms_bind_choose(void);
/** Where a process could run before it was bound. */
typedef struct gms_bind gms_bind_t;

/** Bind the caller's process to one processing unit.
 *  @param [out] before_p  for gms_bind_back(), the caller's; NULL if that is not
 *                         to be found out
 *  @return 0, or -1 with errno set */
int gms_bind_to(int unit, gms_bind_t **before_p);
/** Let the process, all threads of it, run where it could before. Takes
 *  ownership; NULL does nothing. */
void gms_bind_back(gms_bind_t *before);

#endif
