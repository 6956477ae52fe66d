/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks the installation for gmsim doctor: whether its programs and libraries
 * have the same version, and whether they run.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cluster/cluster.h"
#include "cluster/time_mode.h"
#include "tool/doctor.h"
#include "base/directory.h"
#include "tool/tool.h"

/** Time limit of a trial job, seconds of wall time. */
#define GMS_DOCTOR_SECONDS     "60"
#define GMS_DOCTOR_COMMAND_LEN (PATH_MAX + 160)

/** Run a command and keep one line of its output: the first line that begins
 *  with "gmsim: " or, if there is no such line, the first line. The launcher
 *  can print a message of its own before gmsim does.
 *  @return Exit status; 127: command not found; -1: the command could not be
 *    run. */
static int gms_doctor_run(const char *command, char line[256])
{
    FILE *output = popen(command, "r");
    static const char ours[] = "gmsim: ";
    char next[256];
    int status, is_first = 1;

    line[0] = '\0';
    if (output == NULL) {
        return -1;
    }
    /* Read all output, because a command whose pipe is closed early would
     * fail. */
    while (fgets(next, sizeof(next), output) != NULL) {
        if (is_first || (strncmp(next, ours, strlen(ours)) == 0 &&
                         strncmp(line, ours, strlen(ours)) != 0)) {
            memcpy(line, next, sizeof(next));
            is_first = 0;
        }
    }
    line[strcspn(line, "\n")] = '\0';
    status = pclose(output);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/** Check that the first program with this name in PATH is the program in
 *  gmsim's directory. */
static void gms_doctor_beside(gms_doctor_finding_t *finding, const char *name,
                              const char *without)
{
    char directory[PATH_MAX], command[GMS_DOCTOR_COMMAND_LEN], line[256];
    char ours[PATH_MAX + 32], found[PATH_MAX], real[PATH_MAX];
    char advice[GMS_DOCTOR_COMMAND_LEN];

    if (gms_directory_of_program(directory) != 0) {
        gms_doctor_find(finding, GMS_DOCTOR_NOTE, NULL,
                        "the directory of gmsim cannot be determined");
        return;
    }
    (void)snprintf(ours, sizeof(ours), "%s/%s", directory, name);
    if (access(ours, X_OK) != 0) {
        gms_doctor_find(finding, GMS_DOCTOR_NOTE, without,
                        "this installation has no %s", name);
        return;
    }
    (void)snprintf(
        advice, sizeof(advice),
        "eval \"$('%s/gmsim' env)\" puts this installation first in PATH",
        directory);
    (void)snprintf(command, sizeof(command), "command -v %s", name);
    if (gms_doctor_run(command, line) != 0 || realpath(line, found) == NULL ||
        realpath(ours, real) == NULL) {
        gms_doctor_find(finding, GMS_DOCTOR_NOTE, advice, "%s is not in PATH",
                        name);
    } else if (strcmp(found, real) != 0) {
        gms_doctor_find(finding, GMS_DOCTOR_NOTE, advice,
                        "%s in PATH belongs to another installation: %s", name,
                        line);
    } else {
        gms_doctor_find(finding, GMS_DOCTOR_GOOD, NULL, "%s", line);
    }
}

void gms_doctor_launcher(gms_doctor_finding_t *finding)
{
    gms_doctor_beside(finding, "mpirun",
                      "gmqos was built with --without-mpich; build it with "
                      "MPICH to run MPI jobs");
}

void gms_doctor_compiler(gms_doctor_finding_t *finding)
{
    gms_doctor_beside(finding, "mpicc",
                      "install the package libgmqos-dev; a build with "
                      "--without-mpich does not contain mpicc");
}

void gms_doctor_environment(gms_doctor_finding_t *finding)
{
    const char *path = gms_tool_cluster(NULL);
    char error[GMS_YAML_ERROR_LEN], time_error[GMS_TIME_ERROR_LEN];
    gms_cluster_t cluster;

    if (gms_cluster_load(path, &cluster, error) != GMS_OK) {
        error[strcspn(error, "\n")] = '\0';
        gms_doctor_find(
            finding, GMS_DOCTOR_BAD,
            "correct the file that GMSIM_CLUSTER names, or unset the variable",
            "%.500s", error);
        return;
    }
    if (gms_time_replace(getenv("GMSIM_TIME"), &cluster.params, time_error) !=
        GMS_OK) {
        gms_doctor_find(finding, GMS_DOCTOR_BAD, "unset GMSIM_TIME", "%s",
                        time_error);
    } else {
        gms_doctor_find(finding, GMS_DOCTOR_GOOD, NULL, "%s%.400s",
                        (path != NULL) ? "GMSIM_CLUSTER is "
                                       : "GMSIM_CLUSTER is not set: jobs use ",
                        (path != NULL) ? path : "the default cluster");
    }
    gms_cluster_clear(&cluster);
}

void gms_doctor_drawing(gms_doctor_finding_t *finding)
{
    char line[256];
    int has_dot = gms_doctor_run("command -v dot", line) == 0;
    int has_gnuplot = gms_doctor_run("command -v gnuplot", line) == 0;

    if (has_dot && has_gnuplot) {
        gms_doctor_find(finding, GMS_DOCTOR_GOOD, NULL,
                        "Graphviz and gnuplot are installed");
        return;
    }
    gms_doctor_find(
        finding, GMS_DOCTOR_NOTE,
        "only `gmsim topo --svg' needs Graphviz, and only figures need gnuplot",
        "no %s%s%s", has_dot ? "" : "Graphviz",
        (has_dot || has_gnuplot) ? "" : ", no ", has_gnuplot ? "" : "gnuplot");
}

/** Start a job of two processes with the launcher in gmsim's directory. */
static void gms_doctor_job(gms_doctor_finding_t *finding, const char *program)
{
    char directory[PATH_MAX], path[PATH_MAX + 32], line[256];
    char command[2 * GMS_DOCTOR_COMMAND_LEN];
    int status;

    if (gms_directory_of_program(directory) != 0) {
        return;
    }
    (void)snprintf(path, sizeof(path), "%s/%s", directory, program);
    (void)snprintf(command, sizeof(command), "%s/mpirun", directory);
    if (access(path, X_OK) != 0 || access(command, X_OK) != 0) {
        gms_doctor_find(
            finding, GMS_DOCTOR_NOTE, NULL,
            "not tested: mpirun or %s is missing in the directory of gmsim",
            program);
        return;
    }
    (void)snprintf(command, sizeof(command),
                   "timeout " GMS_DOCTOR_SECONDS
                   " '%s/mpirun' -n 2 '%s' -s 8 -i 1 --csv 2>&1",
                   directory, path);
    status = gms_doctor_run(command, line);
    if (status == 0) {
        gms_doctor_find(finding, GMS_DOCTOR_GOOD, NULL, "mpirun -n 2 %s works",
                        program);
    } else {
        gms_doctor_find(
            finding, GMS_DOCTOR_BAD,
            "follow the advice above, or run the command to see its full "
            "output",
            "mpirun -n 2 %s: %s%.200s", program,
            (status == 124) ? "did not end within " GMS_DOCTOR_SECONDS " s "
                            : "",
            line);
    }
}

void gms_doctor_gm_job(gms_doctor_finding_t *finding)
{
    gms_doctor_job(finding, "gm-pingpong");
}

void gms_doctor_mpi_job(gms_doctor_finding_t *finding)
{
    gms_doctor_job(finding, "mpi-pingpong");
}
