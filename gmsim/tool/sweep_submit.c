/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gmsim sweep --slurm and --parallel: submits the scripts that sweep/submit.c
 * creates, and optionally waits until the jobs have ended.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sweep/submit.h"
#include "sweep/text.h"
#include "base/directory.h"
#include "tool/sweep.h"
#include "tool/tool.h"

/* Default value of MaxArraySize in Slurm. [source: slurm.conf(5)] */
#define GMS_TOOL_SWEEP_ARRAY 1001u

/* ---- other programs ---- */

static void gms_tool_sweep_signals(sigset_t *signals)
{
    (void)sigemptyset(signals);
    (void)sigaddset(signals, SIGINT);
    (void)sigaddset(signals, SIGTERM);
    (void)sigaddset(signals, SIGHUP);
    (void)sigaddset(signals, SIGCHLD);
}

/** In the child process: run the program. This function does not return. */
static void gms_tool_sweep_become(const char *const *words, pid_t parent,
                                  const sigset_t *before)
{
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    (void)sigprocmask(SIG_SETMASK, before, NULL);
    if (getppid() == parent) {
        (void)execvp(words[0], (char *const *)(uintptr_t)words);
        fprintf(stderr, "gmsim sweep: %s: %s\n", words[0], strerror(errno));
    }
    _exit(127);
}

/** Run a program and wait for its end. If gmsim receives a signal, it first
 *  ends the program.
 *  @return exit status of the program; 127: the program could not be started;
 *    128 + N: signal N */
static int gms_tool_sweep_call(const char *const *words)
{
    sigset_t signals, before;
    pid_t parent = getpid(), pid;
    int status = 0, number, stopped = 0;

    (void)fflush(NULL);
    gms_tool_sweep_signals(&signals);
    (void)sigprocmask(SIG_BLOCK, &signals, &before);
    pid = fork();
    if (pid == 0) {
        gms_tool_sweep_become(words, parent, &before);
    }
    while (pid > 0 && waitpid(pid, &status, WNOHANG) == 0) {
        number = sigwaitinfo(&signals, NULL);
        if (number > 0 && number != SIGCHLD) {
            /* after the first signal, GNU parallel starts no new jobs, but
             * waits for the running jobs */
            (void)kill(-pid, SIGTERM);
            (void)kill(-pid, SIGTERM);
            stopped = number;
        }
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    if (stopped != 0) {
        return 128 + stopped;
    }
    return (pid > 0 && WIFEXITED(status)) ? WEXITSTATUS(status) : 127;
}

/* ---- scripts ---- */

/** Return the largest job array that this Slurm installation permits. */
static uint64_t gms_tool_sweep_array(void)
{
    static const char key[] = "MaxArraySize";
    FILE *text = popen("scontrol show config 2>/dev/null", "r");
    uint64_t most = GMS_TOOL_SWEEP_ARRAY;
    char line[512];

    while (text != NULL && fgets(line, sizeof(line), text) != NULL) {
        const char *value = strchr(line, '=');

        if (strncmp(line, key, strlen(key)) == 0 && value != NULL) {
            most = strtoull(value + 1, NULL, 10);
        }
    }
    if (text != NULL) {
        (void)pclose(text);
    }
    return (most > 1) ? most : GMS_TOOL_SWEEP_ARRAY;
}

/** Return the number of points per task: the value of --chunk, or the number
 *  that the limit on job arrays requires. */
static uint64_t gms_tool_sweep_chunk(const gms_tool_sweep_t *tool,
                                     uint64_t count)
{
    uint64_t most;

    if (tool->args.chunk > 0) {
        return tool->args.chunk;
    }
    if (tool->args.how != GMS_TOOL_SWEEP_SLURM) {
        return 1;
    }
    /* indices range from 0 to MaxArraySize - 1 */
    most = gms_tool_sweep_array();
    return (count + most - 1) / most;
}

static int gms_tool_sweep_write(const gms_tool_sweep_t *tool,
                                const uint64_t *runs, uint64_t count,
                                gms_sweep_scripts_t *scripts)
{
    gms_sweep_submission_t submission = {
        .options = tool->args.options,
        .sshlogin = tool->args.sshlogin,
        .is_parallel = (tool->args.how == GMS_TOOL_SWEEP_PARALLEL),
        .most = tool->args.jobs};
    char error[GMS_YAML_ERROR_LEN], self[PATH_MAX];
    char *directory = getcwd(NULL, 0);
    uint64_t i;

    submission.directory = directory;
    submission.chunk = gms_tool_sweep_chunk(tool, count);
    if (directory == NULL || gms_directory_of_program(self) != 0 ||
        strlen(self) + strlen("/gmsim") >= sizeof(self)) {
        fprintf(stderr,
                "gmsim sweep: cannot determine the current directory or the "
                "directory of gmsim: %s\n",
                strerror(errno));
        free(directory);
        return GMS_TOOL_REFUSED;
    }
    submission.gmsim = strcat(self, "/gmsim");
    /* delete the status of the points, because tasks skip points with a
     * status */
    for (i = 0; i < count; ++i) {
        (void)gms_sweep_reopen(&tool->sweep, &tool->state, runs[i]);
    }
    if (gms_sweep_submit(&tool->sweep, &tool->state, runs, count, &submission,
                         scripts, error) != GMS_OK) {
        fprintf(stderr, "gmsim sweep: %s\n", error);
        free(directory);
        return GMS_TOOL_REFUSED;
    }
    free(directory);
    return GMS_TOOL_OK;
}

/* ---- submitting ---- */

/** Print the command that executes a script. */
static int gms_tool_sweep_show_script(const char *program, const char *script)
{
    char *quoted = gms_sweep_quote(script);

    if (quoted == NULL) {
        fprintf(stderr, "gmsim sweep: out of memory\n");
        return GMS_TOOL_REFUSED;
    }
    printf("%s %s\n", program, quoted);
    free(quoted);
    return GMS_TOOL_OK;
}

static int gms_tool_sweep_by_slurm(const gms_tool_sweep_t *tool,
                                   const char *script)
{
    const char *words[5] = {"sbatch"};
    size_t count = 1;
    int status;

    if (tool->args.is_script) {
        return gms_tool_sweep_show_script("sbatch", script);
    }
    if (tool->args.is_waiting) {
        words[count++] = "--wait";
    }
    if (tool->args.is_quiet) {
        words[count++] = "--quiet";
    }
    words[count] = script;
    status = gms_tool_sweep_call(words);
    if (status > 128) {
        fprintf(stderr,
                "gmsim sweep: stopped waiting, but the jobs continue; "
                "`scancel' cancels them, and --gather writes the CSV\n");
        return status;
    }
    if (tool->args.is_waiting && status != 127) {
        return gms_tool_sweep_gather(tool); /* this call also reports failed
                                               points */
    }
    if (status != 0) {
        fprintf(stderr,
                "gmsim sweep: sbatch could not submit %s; check that sbatch is "
                "installed (apt-get install slurm-client)\n",
                script);
        return GMS_TOOL_REFUSED;
    }
    return GMS_TOOL_OK;
}

static int gms_tool_sweep_by_parallel(const gms_tool_sweep_t *tool,
                                      const char *script)
{
    const char *words[] = {"sh", script, NULL};
    int status;

    if (tool->args.is_script) {
        return gms_tool_sweep_show_script("sh", script);
    }
    status = gms_tool_sweep_call(words);
    if (status > 128) {
        fprintf(stderr,
                "gmsim sweep: stopped; repeat the command to continue\n");
        return status;
    }
    if (status == 127) {
        fprintf(stderr, "gmsim sweep: GNU parallel is not installed (apt-get "
                        "install parallel)\n");
        return GMS_TOOL_REFUSED;
    }
    return gms_tool_sweep_gather(tool);
}

int gms_tool_sweep_submit(const gms_tool_sweep_t *tool)
{
    gms_tool_sweep_t own = *tool;
    gms_sweep_scripts_t scripts;
    uint64_t *runs, count;
    int result;

    if (!gms_tool_sweep_todo(tool, &runs, &count)) {
        return GMS_TOOL_REFUSED;
    }
    if (count == 0) {
        free(runs);
        return gms_tool_sweep_gather(tool);
    }
    result = gms_tool_sweep_write(tool, runs, count, &scripts);
    free(runs);
    if (result != GMS_TOOL_OK) {
        return result;
    }
    /* release the lock, because the tasks now use the directory */
    (void)close(own.state.lock);
    own.state.lock = -1;
    result = (tool->args.how == GMS_TOOL_SWEEP_SLURM)
                 ? gms_tool_sweep_by_slurm(&own, scripts.task)
                 : gms_tool_sweep_by_parallel(&own, scripts.parallel);
    gms_sweep_scripts_clear(&scripts);
    return result;
}
