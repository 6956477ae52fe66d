/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Installs the signal handlers and the exit handler that remove registered
 * files and clear the progress bar. The list of files has a fixed size, and
 * every change to the list is a single store, because a handler may interrupt
 * any step.
 */
#include "base/tidy.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define GMS_TIDY_FILES 16

/* Paths of the registered files. A signal handler may run between any two
 * steps, so adding or removing a path is a single store. */
static char *volatile gms_tidy_files[GMS_TIDY_FILES];
static volatile sig_atomic_t gms_tidy_is_drawn;
static pid_t gms_tidy_owner;

/** Remove the registered files and the progress bar. This function calls only
 *  functions that are allowed in a signal handler. */
static void gms_tidy_up(void)
{
    static const char wipe[] = "\r\033[K";
    unsigned i;

    if (getpid() != gms_tidy_owner) {
        return;
    }
    for (i = 0; i < GMS_TIDY_FILES; ++i) {
        if (gms_tidy_files[i] != NULL) {
            (void)unlink(gms_tidy_files[i]);
        }
    }
    if (gms_tidy_is_drawn) {
        gms_tidy_is_drawn = (write(STDERR_FILENO, wipe, sizeof(wipe) - 1) < 0);
    }
}

static void gms_tidy_on_signal(int number)
{
    gms_tidy_up();
    (void)raise(number); /* the default action runs when this handler returns */
}

static void gms_tidy_begin(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    struct sigaction action = {.sa_handler = gms_tidy_on_signal,
                               .sa_flags = (int)SA_RESETHAND};
    struct sigaction before;
    unsigned i;

    if (gms_tidy_owner != 0) {
        return;
    }
    gms_tidy_owner = getpid();
    (void)sigfillset(&action.sa_mask);
    for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i) {
        (void)sigaction(numbers[i], &action, &before);
        if (before.sa_handler == SIG_IGN) { /* continue to ignore a signal that
                                             * was ignored before, as nohup
                                             * requires */
            (void)sigaction(numbers[i], &before, NULL);
        }
    }
    (void)atexit(gms_tidy_up);
}

int gms_tidy_add(char *path)
{
    unsigned i;

    gms_tidy_begin();
    for (i = 0; i < GMS_TIDY_FILES; ++i) {
        if (gms_tidy_files[i] == NULL) {
            gms_tidy_files[i] = path;
            return 0;
        }
    }
    return -1;
}

void gms_tidy_forget(char *path)
{
    unsigned i;

    for (i = 0; i < GMS_TIDY_FILES; ++i) {
        if (gms_tidy_files[i] == path) {
            gms_tidy_files[i] = NULL;
        }
    }
    free(path);
}

void gms_tidy_bar(int is_drawn)
{
    gms_tidy_begin();
    gms_tidy_is_drawn = is_drawn;
}
