/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends mpiexec and the job after a signal. */
#include "hydra.h"

#include <poll.h>
#include <sys/time.h>

/* ended_by is the signal that ended the job. is_urgent is 1 after a second, urgent
 * signal. ended_at is the time of the first signal. */
static volatile sig_atomic_t ended_by, is_urgent;
static struct timespec ended_at;

static void print_ended(void)
{
    struct pollfd room = {STDERR_FILENO, POLLOUT, 0};
    const char *line = ended_by == SIGINT    ? "mpiexec: ended by SIGINT\n"
                       : ended_by == SIGTERM ? "mpiexec: ended by SIGTERM\n"
                       : ended_by == SIGHUP  ? "mpiexec: ended by SIGHUP\n"
                                             : "mpiexec: ended by SIGQUIT\n";

    /* a slow reader must not block the end */
    if (poll(&room, 1, 0) == 1 &&
        write(STDERR_FILENO, line, strlen(line)) < 0) {
        errno = 0;
    }
}

/* Kill the remaining processes, and end with a status that shows the signal. Calls only
 * functions that a signal handler may call. */
static void end_now(void)
{
    struct timespec nap = {0, 1000000};
    int i;

    if (gml_signal_proxy(SIGALRM)) {
        gml_signal_proxy(SIGCONT);
        for (i = 0; i < 500 && !gml_has_proxy_ended(); ++i) {
            nanosleep(&nap, NULL);
        }
        /* the ranks die with the proxy */
        if (gml_signal_proxy(SIGKILL)) {
            while (!gml_has_proxy_ended()) {
                nanosleep(&nap, NULL);
            }
        }
    }
    gml_remove_job();
    if (ended_by != 0) {
        print_ended();
        gml_default_end_signals();
        /* A shell ends its loop only if SIGINT itself has ended the program. After the
         * other signals, a shell would report the signal a second time. */
        if (ended_by == SIGINT) {
            raise(ended_by);
        }
        _exit(128 + ended_by);
    }
}

/* Return 1 if this is really a second signal: the terminal and the program that started
 * mpiexec may both send the first one. */
static int is_second(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - ended_at.tv_sec) * 1000 +
               (now.tv_nsec - ended_at.tv_nsec) / 1000000 >=
           200;
}

/* Handle a signal that ends the job. The first signal is forwarded to the ranks, which
 * have time to end, and their output is still forwarded. After the second signal, the
 * ranks are killed, and mpiexec ends soon even if a process hangs. */
static void end_cb(int signum, siginfo_t *info, void *context)
{
    static const struct itimerval soon = {{0, 0}, {0, 500000}};
    int saved_errno = errno;

    (void)info;
    (void)context;
    if (ended_by == 0 && signum != SIGALRM) {
        ended_by = signum;
        gml_is_ending = 1;
        clock_gettime(CLOCK_MONOTONIC, &ended_at);
        signal(SIGPIPE, SIG_IGN);
        if (!gml_signal_proxy(signum)) {
            end_now();
        }
        alarm(GML_GRACE_S + 2);
    } else if (ended_by != 0 && (signum == SIGALRM || is_urgent)) {
        end_now();
    } else if (ended_by != 0 && is_second()) {
        is_urgent = 1;
        gml_signal_proxy(SIGALRM);
        gml_signal_proxy(SIGCONT);
        setitimer(ITIMER_REAL, &soon, NULL);
    }
    errno = saved_errno;
}

static void at_exit(void)
{
    gml_hold_end_signals();
    end_now();
    gml_default_end_signals();
}

void gml_handle_mpiexec_signals(void)
{
    gml_set_end_signals(end_cb);
    atexit(at_exit);
}
