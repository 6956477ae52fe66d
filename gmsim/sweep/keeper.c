/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Starts the command of a run with its own environment and output files. The
 * keeper waits for the end of the command, its time limit, or the end of the
 * sweep. Then the keeper kills the remaining processes and writes the file
 * `status`.
 */
#define _GNU_SOURCE
#include "sweep/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sweep/base.h"
#include "sweep/state.h"

/* Time within which a command must end after SIGTERM. */
#define GMS_SWEEP_GRACE_MS 3000
/* Time within which the remaining processes must exit after the command has
 * ended. */
#define GMS_SWEEP_LEAVE_MS 200
/* Time within which killed processes must end. Killed processes end immediately
 * unless the system hangs. */
#define GMS_SWEEP_KILLED_MS 5000
#define GMS_SWEEP_BEAT_MS   10

typedef struct gms_sweep_keeper {
    const gms_sweep_task_t *task;
    pid_t pid; /* pid of the command, which leads its process group */
    int is_over;
    int wait_status;
} gms_sweep_keeper_t;

static int64_t gms_sweep_now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- the command ---- */

static void gms_sweep_redirect(const char *directory, const char *name, int to)
{
    char *path = gms_sweep_join(directory, name);
    int fd = -1;

    if (path != NULL) {
        fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    }
    if (fd < 0 || dup2(fd, to) < 0) {
        _exit(126);
    }
    (void)close(fd);
    free(path);
}

static void gms_sweep_set_variable(const char *name, const char *directory,
                                   const char *file)
{
    char *path = gms_sweep_join(directory, file);

    if (path == NULL || setenv(name, path, 1) != 0) {
        _exit(126);
    }
    free(path);
}

/** Removes or sets the environment variables that runs must not share. */
static void gms_sweep_set_environment(const gms_sweep_task_t *task)
{
    gms_sweep_set_variable("GMSIM_CLUSTER", task->directory, "cluster.yaml");
    (void)unsetenv("GMSIM_DISPATCH");
    (void)unsetenv("GMSIM_JOB");
    (void)unsetenv("GMSIM_RECORD");
    (void)unsetenv("GMSIM_TRACE");
    if (task->is_recorded) {
        gms_sweep_set_variable("GMSIM_RECORD", task->directory, "record");
    }
    /* A run uses only this machine. Without this setting, mpirun would start
     * its processes with srun inside a Slurm job. */
    (void)setenv("HYDRA_LAUNCHER", "fork", 1);
}

/** Replaces the process with the command. This function does not return. */
static void gms_sweep_become(const gms_sweep_task_t *task)
{
    sigset_t none;
    int nothing = open("/dev/null", O_RDONLY);

    (void)setsid();
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0) {
        _exit(126);
    }
    (void)close(nothing);
    gms_sweep_redirect(task->directory, "stdout", STDOUT_FILENO);
    gms_sweep_redirect(task->directory, "stderr", STDERR_FILENO);
    if (task->set != NULL) {
        (void)sched_setaffinity(0, sizeof(*task->set), task->set);
    }
    gms_sweep_set_environment(task);
    (void)execl("/bin/sh", "sh", "-c", task->command, (char *)NULL);
    _exit(127);
}

/* ---- end of a run ---- */

/** Collects all children that have ended. @return 1 if other children are still
 *  running */
static int gms_sweep_reap(gms_sweep_keeper_t *keeper)
{
    int status;
    pid_t pid;

    for (;;) {
        pid = waitpid(-1, &status, WNOHANG);
        if (pid == keeper->pid) {
            keeper->is_over = 1;
            keeper->wait_status = status;
        }
        if (pid <= 0) {
            return pid == 0;
        }
    }
}

/** Sends a signal to all current children. When these children end, their own
 *  children become the keeper's children. */
static void gms_sweep_kill_children(int number)
{
    char path[64];
    FILE *file;
    long pid;

    (void)snprintf(path, sizeof(path), "/proc/self/task/%ld/children",
                   (long)getpid());
    file = fopen(path, "r");
    if (file == NULL) {
        return;
    }
    while (fscanf(file, "%ld", &pid) == 1) {
        (void)kill((pid_t)pid, number);
    }
    (void)fclose(file);
}

/** Waits until all children have ended. @return 1 if some children are still
 *  alive after the time limit */
static int gms_sweep_wait_all(gms_sweep_keeper_t *keeper, int64_t limit_ms,
                              int is_deadly)
{
    const struct timespec beat = {0, GMS_SWEEP_BEAT_MS * 1000000L};
    int64_t end_ms = gms_sweep_now_ms() + limit_ms;

    while (gms_sweep_reap(keeper)) {
        if (gms_sweep_now_ms() >= end_ms) {
            return 1;
        }
        if (is_deadly) {
            gms_sweep_kill_children(SIGKILL);
        }
        (void)nanosleep(&beat, NULL);
    }
    return 0;
}

/** Ends all processes of the command. */
static void gms_sweep_end_all(gms_sweep_keeper_t *keeper)
{
    if (keeper->is_over && !gms_sweep_wait_all(keeper, GMS_SWEEP_LEAVE_MS, 0)) {
        return;
    }
    (void)kill(-keeper->pid, SIGTERM);
    if (keeper->is_over) {
        /* this also ends processes in other process groups */
        gms_sweep_kill_children(SIGTERM);
    }
    if (gms_sweep_wait_all(keeper, GMS_SWEEP_GRACE_MS, 0)) {
        (void)kill(-keeper->pid, SIGKILL);
        (void)gms_sweep_wait_all(keeper, GMS_SWEEP_KILLED_MS, 1);
    }
}

static int gms_sweep_write_status(const gms_sweep_keeper_t *keeper, int is_late)
{
    char text[GMS_SWEEP_STATUS_LEN] = "done";
    int status = keeper->wait_status;

    if (is_late) {
        (void)snprintf(text, sizeof(text),
                       "failed: killed at its time limit of %" PRIu64 " s",
                       keeper->task->timeout_s);
    } else if (WIFSIGNALED(status)) {
        (void)snprintf(text, sizeof(text), "failed: killed by signal %d (%s)",
                       WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else if (WEXITSTATUS(status) != 0) {
        (void)snprintf(text, sizeof(text), "failed: exit status %d",
                       WEXITSTATUS(status));
    }
    return gms_sweep_finish(keeper->task->directory, text) == GMS_OK;
}

/* ---- the keeper ---- */

/** Waits for the end of the command.
 *  @return 1 if the command has ended, 0 if the time limit has passed, -1 if
 *    the sweep must end */
static int gms_sweep_watch(gms_sweep_keeper_t *keeper)
{
    uint64_t timeout_s = keeper->task->timeout_s;
    int64_t end_ms = gms_sweep_now_ms() + (int64_t)timeout_s * 1000;
    sigset_t signals;

    (void)sigemptyset(&signals);
    (void)sigaddset(&signals, SIGTERM);
    (void)sigaddset(&signals, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &signals, NULL);
    for (;;) {
        int64_t left_ms =
            (timeout_s > 0) ? end_ms - gms_sweep_now_ms() : 3600000;
        struct timespec left = {left_ms / 1000, left_ms % 1000 * 1000000};
        int number;

        (void)gms_sweep_reap(keeper);
        if (keeper->is_over) {
            return 1;
        }
        if (left_ms <= 0) {
            return 0;
        }
        number = sigtimedwait(&signals, NULL, &left);
        if (number == SIGTERM) {
            return -1;
        }
    }
}

/** Run the main function of the keeper. The function does not return. */
static void gms_sweep_live(const gms_sweep_task_t *task, pid_t parent)
{
    gms_sweep_keeper_t keeper = {.task = task};
    int how;

    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (getppid() != parent) {
        _exit(1);
    }
    task->begin_fn(task->context);
    keeper.pid = fork();
    if (keeper.pid == 0) {
        gms_sweep_become(task);
    }
    if (keeper.pid < 0) {
        _exit(1);
    }
    how = gms_sweep_watch(&keeper);
    gms_sweep_end_all(&keeper);
    _exit((how >= 0 && !gms_sweep_write_status(&keeper, how == 0)) ? 1 : 0);
}

pid_t gms_sweep_keep_run(const gms_sweep_task_t *task)
{
    pid_t parent = getpid(), pid;

    /* flush the buffers first, because the child would otherwise print their
     * content again */
    (void)fflush(NULL);
    pid = fork();
    if (pid == 0) {
        gms_sweep_live(task, parent);
    }
    return pid;
}
