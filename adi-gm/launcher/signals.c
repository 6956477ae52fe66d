/* SPDX-License-Identifier: BSD-3-Clause */
/* Installs, blocks and restores the signals that end a job, for both programs of Hydra.
 * Removes the job's file in /dev/shm, too. */
#include "hydra.h"

volatile int gml_is_ending;

static const int end_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM};
static const int end_signal_count =
    sizeof(end_signals) / sizeof(end_signals[0]);
static sigset_t free_mask;
static int hold_depth;

static void end_signal_set(sigset_t *set)
{
    int i;

    sigemptyset(set);
    for (i = 0; i < end_signal_count; ++i) {
        sigaddset(set, end_signals[i]);
    }
}

void gml_set_end_signals(void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction act, before;
    int i;

    memset(&act, 0, sizeof(act));
    act.sa_sigaction = handler;
    /* interrupted calls continue, because the handler does all work */
    act.sa_flags = SA_RESTART | SA_SIGINFO;
    end_signal_set(&act.sa_mask);
    for (i = 0; i < end_signal_count; ++i) {
        sigaction(end_signals[i], NULL, &before);
        if (before.sa_handler != SIG_IGN || end_signals[i] == SIGALRM) {
            sigaction(end_signals[i], &act, NULL);
        }
    }
}

void gml_hold_end_signals(void)
{
    sigset_t set;

    end_signal_set(&set);
    sigprocmask(SIG_BLOCK, &set, hold_depth == 0 ? &free_mask : NULL);
    ++hold_depth;
}

void gml_release_end_signals(void)
{
    --hold_depth;
    if (hold_depth == 0) {
        sigprocmask(SIG_SETMASK, &free_mask, NULL);
    }
}

void gml_default_end_signals(void)
{
    struct sigaction act;
    sigset_t set;
    int i;

    for (i = 0; i < end_signal_count; ++i) {
        sigaction(end_signals[i], NULL, &act);
        if (act.sa_handler != SIG_IGN) {
            memset(&act, 0, sizeof(act));
            act.sa_handler = SIG_DFL;
            sigaction(end_signals[i], &act, NULL);
        }
    }
    end_signal_set(&set);
    if (hold_depth > 0) {
        sigprocmask(SIG_SETMASK, &free_mask, NULL);
    } else {
        sigprocmask(SIG_UNBLOCK, &set, NULL);
    }
}

static int holds_children; /* 1: children must unblock SIGCHLD */

static sigset_t child_set(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    return set;
}

void gml_hold_children(void)
{
    sigset_t set = child_set(), before;
    struct sigaction act;

    memset(&act, 0, sizeof(act));
    act.sa_handler = SIG_DFL;
    act.sa_flags = SA_NOCLDSTOP;
    sigaction(SIGCHLD, &act, NULL);
    sigprocmask(SIG_BLOCK, &set, &before);
    holds_children = !sigismember(&before, SIGCHLD);
}

void gml_release_children(void)
{
    sigset_t set = child_set();

    if (holds_children) {
        sigprocmask(SIG_UNBLOCK, &set, NULL);
    }
}

static char job_file[256];

void gml_note_job(void)
{
    const char *job = getenv("GMSIM_JOB");

    if (job != NULL && strchr(job, '/') == NULL) {
        snprintf(job_file, sizeof(job_file), "/dev/shm/gmsim-%lu-%s",
                 (unsigned long)getuid(), job);
    }
}

void gml_remove_job(void)
{
    if (job_file[0] != '\0') {
        unlink(job_file);
    }
}
