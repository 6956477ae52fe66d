/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Reads the environment that the launcher passes to a process: its rank, the
 * size and the name of the job, the cluster on which the process runs, and its
 * host.
 */
#ifndef JOB_LAUNCH_H
#define JOB_LAUNCH_H

#include <sys/types.h>

#include "base/status.h"

/** Size of the buffer for error messages about the start, including the
 *  terminating 0. */
#define GMS_ERROR_LEN 4096
/** Size of the buffer for the name of a job, including the terminating 0. */
#define GMS_JOB_NAME_LEN 128
/** Maximum number of ranks of a job. */
#define GMS_LAUNCH_MAX_SIZE 65536u
/** Default and maximum of GMSIM_POLL_LIMIT, in seconds. */
#define GMS_LAUNCH_POLL_LIMIT_S     60u
#define GMS_LAUNCH_MAX_POLL_LIMIT_S 86400u

typedef struct gms_launch {
    unsigned rank;        /**< first .. first + size - 1 */
    unsigned size;        /**< 1 .. GMS_LAUNCH_MAX_SIZE; number of processes
                           *   that were started together */
    unsigned first;       /**< job rank of the first of these processes; 0
                           *   unless they were spawned */
    unsigned spawner;     /**< process id of the spawning process, or 0 */
    unsigned spawner_fd;  /**< the spawning process's descriptor of the arena */
    const char *cluster;  /**< file of the cluster description, or NULL for the
                           *   default cluster; points into the environment */
    const char *hosts;    /**< hosts such as "node3:2,node1"
                           *   (cluster/placement.h), or NULL if the cluster
                           *   description decides; points into the
                           *   environment */
    unsigned per_host;    /**< number of ranks on each host, or 0 if `hosts` or
                           *   the cluster description decides */
    const char *dispatch; /**< output file of the dispatch logs, or NULL; points
                           *   into the environment */
    const char *record;   /**< output directory of the run's record, or NULL;
                           *   points into the environment */
    const char *trace;    /**< output files of traces, or NULL; points into the
                           *   environment */
    /** settings of the trace, or NULL; point into the environment */
    const char *trace_format, *trace_only, *trace_window;
    const char *time;      /**< time mode, not checked yet, or NULL; points into
                            *   the environment */
    unsigned poll_limit_s; /**< real time, in seconds, after which a job whose
                            *   processes only poll is treated as deadlocked; 0
                            *   means never */
    char job[GMS_JOB_NAME_LEN]; /**< may contain letters, digits, '.', '_' and
                                 *   '-' */
} gms_launch_t;

/**
 * Read PMI_RANK, PMI_SIZE, GMSIM_JOB, GMSIM_CLUSTER, GMSIM_HOSTS, GMSIM_PPN,
 * GMSIM_DISPATCH, GMSIM_RECORD, GMSIM_TRACE, GMSIM_TRACE_FORMAT,
 * GMSIM_TRACE_ONLY, GMSIM_TRACE_WINDOW, GMSIM_TIME and GMSIM_POLL_LIMIT, and check
 * GMSIM_CLOCK, which mpiexec uses. This project's mpiexec sets GMSIM_HOSTS
 * and GMSIM_PPN if its options select hosts, and it sets GMSIM_SPAWN for
 * spawned processes (gms_launch_spawn_text()).
 *
 * A process without PMI_RANK is rank 0 of its own job with one rank. In other
 * processes, GMSIM_JOB is the name of the job. If GMSIM_JOB is not set, the
 * launcher defines the job. The launcher is the nearest ancestor process that
 * was started without PMI_RANK.
 *
 * @param [in]  proc    path of /proc
 * @param [out] launch changed only if the function returns GMS_OK
 * @param [out] error   names the invalid variable and the reason
 *
 * @return GMS_OK
 * @return GMS_ERR_CONFIG  a variable is invalid
 */
gms_status_t gms_launch_read(const char *proc, gms_launch_t *launch,
                             char error[GMS_ERROR_LEN]);
/** Write the value of GMSIM_SPAWN for processes that this process spawns.
 *  @param [in] first  job rank of the first spawned process
 *  @param [in] fd     descriptor of the job's arena in this process */
void gms_launch_spawn_text(unsigned first, int fd, char text[64]);
/** Return 1 if the path refers to a pipe. Every rank reads the description
 *  several times. With a pipe, all readers except one would wait forever.
 *  @param [in] path  may be NULL, which means that there is no description */
int gms_launch_is_pipe(const char *path);

/** Check that the cluster description is not read from a pipe. The function
 *  gms_launch_read() does not perform this check. The caller must know its rank
 *  first, because only one rank prints the error.
 *  @return GMS_OK
 *  @return GMS_ERR_CONFIG  error contains the message */
gms_status_t gms_launch_check_cluster(const gms_launch_t *launch,
                                      char error[GMS_ERROR_LEN]);

/**
 * Return the name of the job of a process. The name is "PID-STARTTIME" of the
 * launcher, which is the process pid or its nearest ancestor that was started
 * without PMI_RANK. The name contains the start time, because the system may
 * reuse a process id.
 */
void gms_launch_job_of(const char *proc, pid_t pid, char job[GMS_JOB_NAME_LEN]);

#endif
