/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Binds the processes of a job to a processor. In most cases, the gate lets
 * only one process of a job run at a time. A context switch between ranks takes
 * about 1 us on one core and 40 us across cores. All processes of a job
 * therefore run on one processing unit while they communicate. In some jobs,
 * the processes have threads that compute or spin while other threads wait in a
 * call. Such processes are not bound, because every context switch would take a
 * time slice of the operating system. The binder (binder.h) moves ranks that
 * compute to other processing units.
 */
#ifndef JOB_BIND_H
#define JOB_BIND_H

/* [source: the maximum number of processing units that Linux supports on
 * x86_64] */
#define GMS_BIND_UNITS 8192u
#define GMS_BIND_WORD  (8 * sizeof(unsigned long))

/** A set of processing units, stored as one bit per unit. */
typedef struct gms_bind {
    unsigned long units[GMS_BIND_UNITS / GMS_BIND_WORD];
} gms_bind_t;

/** Return the operating system's number of the processing unit on which the
 *  caller runs, or -1 if the number is unknown. */
int gms_bind_choose(void);
/** Return the units on which the calling thread may run.
 *  @return 0, or -1 with errno set */
int gms_bind_read(gms_bind_t *bind);
/** Return the set that consists of one unit. */
void gms_bind_only(int unit, gms_bind_t *bind);
int gms_bind_equal(const gms_bind_t *one, const gms_bind_t *other);

/** Bind the calling process to one processing unit.
 *  @param [out] before_p  earlier binding; the caller owns it and passes it to
 *                         gms_bind_back(). NULL if the earlier binding cannot
 *                         be determined
 *  @return 0, or -1 with errno set */
int gms_bind_to(int unit, gms_bind_t **before_p);
/** Restore the earlier binding of the process and all its threads, and free
 *  this binding. If before is NULL, the call has no effect. */
void gms_bind_back(gms_bind_t *before);

/** Move a thread, or all threads of any process of the same user, from one set
 *  of units to another. The function does not move threads whose set differs
 *  from `from`, because the program or this project has chosen their sets.
 *  Errors are ignored, because they only make the run slower. */
void gms_bind_move_thread(int tid, const gms_bind_t *from,
                          const gms_bind_t *to);
void gms_bind_move_process(int pid, const gms_bind_t *from,
                           const gms_bind_t *to);

#endif
