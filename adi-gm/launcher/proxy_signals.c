/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends signals from the proxy to its ranks, and ends the job when mpiexec requests
 * it. */
#include "hydra.h"

#include "../pm/pmiserv/pmip.h"

/* Wait until all ranks are stopped: otherwise they would notice and report that another
 * rank is killed. A busy machine needs some time to stop them; wait at most 100 ms. */
static void await_stop(void)
{
    static const struct timespec nap = {0, 1000000};
    const int *pid = HYD_pmcd_pmip.downstream.pid;
    siginfo_t info;
    int i, naps = 0;

    for (i = 0; i < HYD_pmcd_pmip.local.proxy_process_count; ++i) {
        while (pid != NULL && pid[i] > 0 && naps < 100) {
            memset(&info, 0, sizeof(info));
            if (waitid(P_PID, (id_t)pid[i], &info,
                       WSTOPPED | WEXITED | WNOHANG | WNOWAIT) != 0 ||
                info.si_pid != 0) {
                break;
            }
            nanosleep(&nap, NULL);
            ++naps;
        }
    }
}

/* Send a signal to the process group of a rank. Shortly after its start, a rank is still in
 * the proxy's group; it can become the leader of its own group at any moment. */
static void signal_rank(int process, int sig)
{
    if (kill(-process, sig) == 0) {
        return;
    }
    if (getpgid(process) == getpgrp()) {
        kill(process, sig);
    } else {
        kill(-process, sig);
    }
}

/* Send a signal to all ranks. This function replaces Hydra's function of the same
 * name. */
void HYD_pmcd_pmip_send_signal(int sig)
{
    const int *pid = HYD_pmcd_pmip.downstream.pid;
    int i;

    if (sig == SIGKILL) {
        HYD_pmcd_pmip_send_signal(SIGSTOP);
        await_stop();
    }
    for (i = 0; i < HYD_pmcd_pmip.local.proxy_process_count; ++i) {
        if (pid != NULL && pid[i] > 0) {
            signal_rank(pid[i], sig);
        }
    }
    HYD_pmcd_pmip.downstream.forced_cleanup = 1;
}

/* End the job after a signal. mpiexec sends all signals except SIGALRM, which the proxy
 * receives when mpiexec itself ends. */
static void end_cb(int sig, siginfo_t *info, void *context)
{
    static volatile sig_atomic_t is_over;
    int saved_errno = errno;

    (void)context;
    /* pass the signal of another sender to mpiexec */
    if (sig != SIGALRM && info->si_pid != getppid() &&
        kill(getppid(), sig) == 0) {
        errno = saved_errno;
        return;
    }
    gml_is_ending = 1;
    if (HYD_pmcd_pmip.downstream.pid == NULL || (is_over && sig == SIGALRM)) {
        gml_remove_job();
        _exit(1);
    } else if (sig == SIGALRM) {
        is_over = 1;
        HYD_pmcd_pmip_send_signal(SIGKILL);
        /* wait at most 1 s for a process that keeps the ranks' output open */
        alarm(1);
    } else {
        /* stop all ranks first, because no rank must notice the end of another rank */
        HYD_pmcd_pmip_send_signal(SIGSTOP);
        HYD_pmcd_pmip_send_signal(sig);
        HYD_pmcd_pmip_send_signal(SIGCONT);
        alarm(GML_GRACE_S);
    }
    errno = saved_errno;
}

void gml_handle_proxy_signals(void)
{
    gml_note_job();
    atexit(gml_remove_job);
    gml_set_end_signals(end_cb);
    gml_hold_children();
}

void gml_kill_ranks(void)
{
    static int has_waited;

    if (gml_is_ending) {
        return;
    }
    if (!has_waited) {
        usleep(50000);
    }
    has_waited = 1;
    HYD_pmcd_pmip_send_signal(SIGKILL);
}
