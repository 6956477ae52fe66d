/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The environment that the launcher gives to a process: its rank, the size and
 * the name of the job, the cluster on which it runs, and its host.
 */
#ifndef JOB_LAUNCH_H
#define JOB_LAUNCH_H

#include <sys/types.h>

#include "base/status.h"

/** Room for the error messages of the start, with the final 0. */
#define GMS_ERROR_LEN 4096
/** Room for a job's name, with the final 0. */
#define GMS_JOB_NAME_LEN 128
/** Most ranks of a job. */
#define GMS_LAUNCH_MAX_SIZE 65536u

typedef struct gms_launch {
    unsigned rank;       /**< 0..size-1 */
    unsigned size;       /**< 1..GMS_LAUNCH_MAX_SIZE */
    const char *cluster; /**< file, NULL for the default cluster; points into
                              the environment */
    const char *hosts; /**< "node3:2,node1" (cluster/placement.h), or NULL: what
                            the cluster says; likewise */
    unsigned per_host; /**< ranks on each host, or 0: what the rest says */
    const char *dispatch; /**< file for the dispatch logs, or NULL; likewise */
    const char *record;   /**< folder for the run's record, or NULL; likewise */
    const char *trace;    /**< files for traces, or NULL; likewise */
    const char *trace_format, *trace_only, *trace_window; /**< likewise */
    const char *time; /**< time mode, not checked yet, or NULL; likewise */
    char job[GMS_JOB_NAME_LEN]; /**< letters, digits, '.', '_', '-' */
} gms_launch_t;

/**
 * Read PMI_RANK, PMI_SIZE, GMSIM_JOB, GMSIM_CLUSTER, GMSIM_HOSTS, GMSIM_PPN,
 * GMSIM_DISPATCH, GMSIM_RECORD, GMSIM_TRACE, GMSIM_TRACE_FORMAT,
 * GMSIM_TRACE_ONLY, GMSIM_TRACE_WINDOW and GMSIM_TIME. Our mpiexec sets
 * GMSIM_HOSTS and GMSIM_PPN where its options say something of hosts.
 *
 * A process without PMI_RANK is rank 0 of 1 and a job of its own. The job of
 * the others is GMSIM_JOB; without it, the nearest ancestor process that was
 * started without PMI_RANK, which is the launcher.
 *
 * @param [in]  proc    where /proc is
 * @param [out] launch  untouched unless GMS_OK
 * @param [out] error   what is wrong with which variable
 *
 * @return GMS_OK
 * @return GMS_ERR_CONFIG  a variable makes no sense
 */
gms_status_t gms_launch_read(const char *proc, gms_launch_t *launch,
                             char error[GMS_ERROR_LEN]);
/** A description is read by each rank, and more than once: a pipe would keep all
 *  but one waiting for ever. @param [in] path  may be NULL: none */
int gms_launch_is_pipe(const char *path);

/** What was read must not name one. Apart from reading, so that the caller knows
 *  which rank it is, and one rank alone says it.
 *  @return GMS_OK
 *  @return GMS_ERR_CONFIG  with error */
gms_status_t gms_launch_check_cluster(const gms_launch_t *launch,
                                      char error[GMS_ERROR_LEN]);

/**
 * Name of the job whose launcher is the nearest of pid and its ancestors that
 * was started without PMI_RANK: "PID-STARTTIME", so that a process id used
 * again makes another job.
 */
void gms_launch_job_of(const char *proc, pid_t pid, char job[GMS_JOB_NAME_LEN]);

#endif
