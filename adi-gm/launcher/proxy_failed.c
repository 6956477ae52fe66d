/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds and reports the first rank that failed by itself. Ranks that were killed
 * because of it, or that ended because of it, are not reported. */
#include "hydra.h"

#include "../pm/pmiserv/pmip.h"
#include "demux.h"

static int first_failed = -1;
static int excused = -1; /* a rank that ended because another rank was killed */

/* The rank that failed first (-1 if this rank is not known), and its status as
 * waitpid() returns it. The order in which waitpid() returns processes differs from the
 * order of their ends. SIGCHLD identifies the first process: while the signal is
 * blocked, further signals are dropped. */
static int first_dead = -1, first_dead_status;

static int is_following; /* 1: a rank of another proxy has failed */

/* A rank that closed its connection but still existed for a long time; -1 if none. The
 * launcher kills it, but the job fails with status 1, not with the signal. */
static int closed = -1;

void gml_follow(void)
{
    is_following = 1;
}

/* Return the number in the job of this proxy's first rank. Spawned ranks have higher numbers
 * than the ranks that mpiexec has started. The value of the variable GMSIM_SPAWN begins with
 * the number of the first spawned rank. */
static int first_rank(void)
{
    const struct HYD_exec *exec = HYD_pmcd_pmip.exec_list;
    const struct HYD_env *env = exec != NULL ? exec->user_env : NULL;

    while (env != NULL && strcmp(env->env_name, "GMSIM_SPAWN") != 0) {
        env = env->next;
    }
    return env != NULL ? atoi(env->env_value) : 0;
}

static int job_rank(int i)
{
    return first_rank() + HYD_pmcd_pmip.downstream.pmi_rank[i];
}

static int find_rank(int process)
{
    int i = HYD_pmcd_pmip.local.proxy_process_count;

    while (--i >= 0 && HYD_pmcd_pmip.downstream.pid[i] != process) {
        continue;
    }
    return process > 0 && i >= 0 ? i : -1;
}

/* @return 1 if the rank uses PMI and has not called MPI_Finalize */
static int is_connected(int i)
{
    return HYD_pmcd_pmip.downstream.pmi_fd_active[i] &&
           HYDT_dmx_query_fd_registration(HYD_pmcd_pmip.downstream.pmi_fd[i]);
}

static void note_first(void)
{
    static const struct timespec at_once;
    siginfo_t info;
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    while (sigtimedwait(&set, &info, &at_once) == SIGCHLD) {
        int rank = find_rank(info.si_pid);
        int status =
            info.si_code == CLD_EXITED ? info.si_status << 8 : info.si_status;

        /* status 0 is a failure without MPI_Finalize */
        if (first_dead == -1 && rank != -1 &&
            (status != 0 || is_connected(rank))) {
            first_dead = rank;
            first_dead_status = status;
        }
    }
}

/* Return a rank that was killed by a signal and has not been waited for; -1 if none. */
static int find_killed(int *wait_status)
{
    siginfo_t info;
    int i;

    for (i = 0; i < HYD_pmcd_pmip.local.proxy_process_count; ++i) {
        memset(&info, 0, sizeof(info));
        if (HYD_pmcd_pmip.downstream.pid[i] > 0 &&
            waitid(P_PID, (id_t)HYD_pmcd_pmip.downstream.pid[i], &info,
                   WEXITED | WNOHANG | WNOWAIT) == 0 &&
            (info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED)) {
            *wait_status = info.si_status;
            return i;
        }
    }
    return -1;
}

/* Return the rank that caused the failure when rank i has ended: the first rank that
 * was killed, or else the first rank that ended with a status. Other ranks can notice
 * that a rank is being killed, and end themselves before it has ended. */
static int find_blamed(int i, int *wait_status)
{
    int other = i, other_status = *wait_status;

    note_first();
    if (first_dead != -1 &&
        (WIFSIGNALED(first_dead_status) || !WIFSIGNALED(*wait_status))) {
        other = first_dead;
        other_status = first_dead_status;
    }
    if (!WIFSIGNALED(other_status)) {
        int killed_status, killed = find_killed(&killed_status);

        if (killed != -1) {
            other = killed;
            other_status = killed_status;
        }
    }
    *wait_status = other_status;
    return other;
}

static void name_failed(int i, int wait_status, const char *when)
{
    char how[96];
    int blamed;

    if (first_failed != -1) {
        return;
    }
    blamed = find_blamed(i, &wait_status);
    if (blamed != i) {
        /* ranks that both ended after MPI_Finalize are independent of each other */
        if (WIFSIGNALED(wait_status) || is_connected(blamed)) {
            excused = i;
        }
        i = blamed;
        HYD_pmcd_pmip.downstream.exit_status[i] = wait_status;
        when = WIFSIGNALED(wait_status) || !is_connected(i)
                   ? ""
                   : " without calling MPI_Finalize";
    }
    first_failed = i;
    if (WIFSIGNALED(wait_status)) {
        snprintf(how, sizeof(how), "was killed by signal %d (%s)",
                 WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
    } else {
        snprintf(how, sizeof(how), "ended with status %d",
                 WEXITSTATUS(wait_status));
    }
    fprintf(stderr, "mpiexec: rank %d (process %d) %s%s\n", job_rank(i),
            HYD_pmcd_pmip.downstream.pid[i], how, when);
    fflush(stderr);
}

/* End the job if a rank has ended before MPI_Init: ranks that have called MPI_Init
 * would wait for it forever. */
static void end_without(int i, int wait_status)
{
    int k, is_spawned = first_rank() > 0;

    for (k = 0; k < HYD_pmcd_pmip.local.proxy_process_count; ++k) {
        if (HYD_pmcd_pmip.downstream.pmi_fd_active[k]) {
            break;
        }
    }
    /* the rank that has called MPI_Comm_spawn waits for the spawned ranks */
    if (k == HYD_pmcd_pmip.local.proxy_process_count && !is_spawned) {
        return;
    }
    name_failed(i, wait_status,
                " before MPI_Init, which other ranks have called");
    /* a job that ends because of this rank has not succeeded */
    if (wait_status == 0) {
        HYD_pmcd_pmip.downstream.exit_status[i] = 1 << 8;
    }
    HYD_pmcd_pmip_send_signal(SIGKILL);
}

int gml_judge(int process, int wait_status)
{
    static int early = -1, early_status;
    int i;

    note_first();
    if (early != -1 && !HYD_pmcd_pmip.downstream.forced_cleanup) {
        end_without(early, early_status);
    }
    i = find_rank(process);
    if (i == -1) {
        return wait_status;
    }
    if (!HYD_pmcd_pmip.downstream.forced_cleanup &&
        !HYD_pmcd_pmip.downstream.pmi_fd_active[i] && early == -1) {
        early = i;
        early_status = wait_status;
        end_without(i, wait_status);
    }
    if (!HYD_pmcd_pmip.downstream.forced_cleanup && wait_status != 0) {
        name_failed(i, wait_status, "");
    }
    if (HYD_pmcd_pmip.downstream.forced_cleanup && i == first_failed &&
        (wait_status == 0 || (i == closed && WIFSIGNALED(wait_status) &&
                              WTERMSIG(wait_status) == SIGKILL))) {
        return 1 << 8;
    }
    if ((HYD_pmcd_pmip.downstream.forced_cleanup && first_failed != -1 &&
         i != first_failed) ||
        i == excused || is_following) {
        return 0;
    }
    return wait_status;
}

/* Wait until a rank that has closed its connection has ended, and return its status as
 * waitpid() does. On a busy machine, the kernel needs seconds to free the memory of a
 * process between these two events. The main loop may also have collected the process
 * before the closed connection was noticed. exit_status then contains its status.
 * @return 1 if the rank has ended, 0 if it still exists, -1 if it is unknown, or if the job
 *   was ended meanwhile */
static int wait_for_end(int index, int *wait_status)
{
    siginfo_t info;
    int tries;

    *wait_status = HYD_pmcd_pmip.downstream.exit_status[index];
    for (tries = 0; *wait_status == -1 && tries < 1000; ++tries) {
        memset(&info, 0, sizeof(info));
        if (gml_is_ending ||
            waitid(P_PID, (id_t)HYD_pmcd_pmip.downstream.pid[index], &info,
                   WEXITED | WNOHANG | WNOWAIT) != 0) {
            return -1;
        }
        if (info.si_pid == 0) {
            usleep(5000);
        } else {
            *wait_status = info.si_code == CLD_EXITED ? info.si_status << 8
                                                      : info.si_status;
        }
    }
    return gml_is_ending ? -1 : *wait_status != -1;
}

/* Report a rank whose connection is closed, if it has ended.
 * @return the result of wait_for_end() */
static int name_ended(int index)
{
    int wait_status;
    int has_ended = wait_for_end(index, &wait_status);

    if (has_ended == 1) {
        name_failed(index, wait_status,
                    WIFSIGNALED(wait_status) ? ""
                                             : " without calling MPI_Finalize");
    }
    return has_ended;
}

void gml_name_closed(int index)
{
    if (name_ended(index) == 0 && first_failed == -1) {
        first_failed = closed = index;
        fprintf(stderr,
                "mpiexec: rank %d (process %d) closed its connection to "
                "mpiexec without calling MPI_Finalize\n",
                job_rank(index), HYD_pmcd_pmip.downstream.pid[index]);
        fflush(stderr);
    }
}

void gml_end_malformed(int index, const char *why)
{
    if (index == -1) {
        return;
    }
    fprintf(stderr,
            "mpiexec: killed rank %d (process %d), because it sent a malformed "
            "PMI command: %s\n",
            job_rank(index), HYD_pmcd_pmip.downstream.pid[index], why);
    fflush(stderr);
    kill(HYD_pmcd_pmip.downstream.pid[index], SIGKILL);
    (void)name_ended(index);
    /* report a failure even if the rank has ended successfully meanwhile */
    HYD_pmcd_pmip.downstream.exit_status[index] = 1;
    HYD_pmcd_pmip_send_signal(SIGKILL);
}
