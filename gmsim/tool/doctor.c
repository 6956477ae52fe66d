/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gmsim doctor: checks whether this machine can run jobs, and prints the remedy
 * for every problem.
 */
#include <argp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "tool/colour.h"
#include "tool/doctor.h"
#include "tool/tool.h"

static const struct {
    const char *name;
    gms_doctor_check_fn *check;
} gms_doctor_checks[] = {
    {"shared memory", gms_doctor_shared_memory},
    {"addresses", gms_doctor_addresses},
    {"copies", gms_doctor_copies},
    {"limits", gms_doctor_limits},
    {"cores", gms_doctor_cores},
    {"environment", gms_doctor_environment},
    {"launcher", gms_doctor_launcher},
    {"compiler", gms_doctor_compiler},
    {"drawing", gms_doctor_drawing},
    {"a GM job", gms_doctor_gm_job},
    {"an MPI job", gms_doctor_mpi_job},
};

void gms_doctor_find(gms_doctor_finding_t *finding, enum gms_doctor_level level,
                     const char *advice, const char *format, ...)
{
    va_list args;

    finding->level = level;
    va_start(args, format);
    (void)vsnprintf(finding->text, sizeof(finding->text), format, args);
    va_end(args);
    (void)snprintf(finding->advice, sizeof(finding->advice), "%s",
                   (advice != NULL) ? advice : "");
}

static error_t gms_doctor_parse(int key, char *arg, struct argp_state *state)
{
    (void)state;
    if (key == ARGP_KEY_ARG) {
        argp_error(state, "unexpected argument '%s' (this command takes none)",
                   arg);
        return EINVAL;
    }
    return ARGP_ERR_UNKNOWN;
}

int gms_tool_doctor(int argc, char **argv)
{
    static const char *const words[] = {
        [GMS_DOCTOR_GOOD] = "ok",
        [GMS_DOCTOR_NOTE] = "note",
        [GMS_DOCTOR_BAD] = "BAD",
    };
    static const gms_colour_t colours[] = {
        [GMS_DOCTOR_GOOD] = GMS_COLOUR_GOOD,
        [GMS_DOCTOR_NOTE] = GMS_COLOUR_NOTE,
        [GMS_DOCTOR_BAD] = GMS_COLOUR_BAD,
    };
    const struct argp argp = {
        .parser = gms_doctor_parse,
        .doc = "Check the installation and the machine, and print a remedy for "
               "every problem.\v"
               "Each of the last two checks starts a job of two processes. "
               "Exit status: 0 jobs can run; 1 a problem prevents jobs from "
               "running; 2 invalid usage.\n"
               "Example: gmsim doctor && echo jobs can run"};
    unsigned bad = 0, notes = 0;
    size_t i;

    if (argp_parse(&argp, argc, argv, 0, NULL, NULL) != 0) {
        return GMS_TOOL_USAGE;
    }
    for (i = 0; i < sizeof(gms_doctor_checks) / sizeof(*gms_doctor_checks);
         ++i) {
        gms_doctor_finding_t finding = {.level = GMS_DOCTOR_GOOD};

        gms_doctor_checks[i].check(&finding);
        gms_colour_print(stdout, colours[finding.level], 4,
                         words[finding.level]);
        printf(" %-14s %s\n", gms_doctor_checks[i].name, finding.text);
        if (finding.advice[0] != '\0') {
            printf("%-19s -> %s\n", "", finding.advice);
        }
        (void)fflush(stdout); /* the next check can take a while */
        bad += finding.level == GMS_DOCTOR_BAD;
        notes += finding.level == GMS_DOCTOR_NOTE;
    }
    if (bad != 0) {
        printf("\n"
               "%u problem%s prevent%s jobs from running (see above).\n",
               bad, bad == 1 ? "" : "s", bad == 1 ? "s" : "");
        return GMS_TOOL_REFUSED;
    }
    printf(notes == 0 ? "\nNo problems found: jobs can run.\n"
                      : "\nJobs can run.\n");
    return GMS_TOOL_OK;
}
