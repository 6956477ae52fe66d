/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Executes the command of gmsim that the user has named on the command line.
 * None of the commands executes MPI ranks in this process.
 */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "yaml/loader.h"
#include "base/output.h"
#include "tool/tool.h"

typedef struct gms_tool_command {
    const char *name;
    char *title; /* argv[0] of the command, for the command's messages */
    int (*run)(int argc, char **argv);
    const char *summary; /* help text; short enough to fit on one line together
                            with the name */
} gms_tool_command_t;

static char gms_tool_compare_title[] = "gmsim compare";
static char gms_tool_config_title[] = "gmsim config";
static char gms_tool_doctor_title[] = "gmsim doctor";
static char gms_tool_env_title[] = "gmsim env";
static char gms_tool_example_title[] = "gmsim example";
static char gms_tool_experiment_title[] = "gmsim experiment";
static char gms_tool_fit_title[] = "gmsim fit";
static char gms_tool_model_title[] = "gmsim model";
static char gms_tool_params_title[] = "gmsim params";
static char gms_tool_plan_title[] = "gmsim plan";
static char gms_tool_qos_title[] = "gmsim qos";
static char gms_tool_report_title[] = "gmsim report";
static char gms_tool_sweep_title[] = "gmsim sweep";
static char gms_tool_topo_title[] = "gmsim topo";
static char gms_tool_verify_title[] = "gmsim verify";

/* The commands, in the order in which --help prints them. The command name on
 * the command line is looked up in this table. */
static const gms_tool_command_t gms_tool_commands[] = {
    {"compare", gms_tool_compare_title, gms_tool_compare,
     "compare two recorded runs and list what changed"},
    {"config", gms_tool_config_title, gms_tool_config,
     "check, show or import a cluster description"},
    {"doctor", gms_tool_doctor_title, gms_tool_doctor,
     "check whether jobs can run on this machine"},
    {"env", gms_tool_env_title, gms_tool_env,
     "print the shell commands that set up the environment"},
    {"example", gms_tool_example_title, gms_tool_example,
     "copy the files of an example into the current directory"},
    {"experiment", gms_tool_experiment_title, gms_tool_experiment,
     "repeat the papers' experiments and compare the results"},
    {"fit", gms_tool_fit_title, gms_tool_fit,
     "fit parameters of a profile to measured ping-pong times"},
    {"model", gms_tool_model_title, gms_tool_model,
     "analyse a NIC as a queueing network: load, queues, bottleneck"},
    {"params", gms_tool_params_title, gms_tool_params,
     "list the parameters and their current values"},
    {"plan", gms_tool_plan_title, gms_tool_plan,
     "predict which reservations would be granted"},
    {"qos", gms_tool_qos_title, gms_tool_qos,
     "simulate traffic classes on a fabric with virtual lanes"},
    {"report", gms_tool_report_title, gms_tool_report,
     "summarise a recorded run as an HTML page or as text"},
    {"sweep", gms_tool_sweep_title, gms_tool_sweep,
     "run a command over a grid of parameters and write CSV"},
    {"topo", gms_tool_topo_title, gms_tool_topo,
     "show a cluster's network: shape, routes, links, drawing"},
    {"verify", gms_tool_verify_title, gms_tool_verify,
     "run a plan's flows and check that reservations are kept"},
};

#define GMS_TOOL_COMMANDS                                                      \
    (sizeof(gms_tool_commands) / sizeof(gms_tool_commands[0]))

/** Smallest address space and stack that suffice for every command. [chosen] */
#define GMS_TOOL_LEAST_BYTES ((size_t)1 << 20)
#define GMS_TOOL_LEAST_STACK 131072ull

typedef struct gms_tool_choice {
    const gms_tool_command_t *command;
    int first; /* index in argv of the command's name */
} gms_tool_choice_t;

const char *argp_program_version = "gmsim (gmqos) " GMQOS_VERSION;

static const char gms_tool_doc[] =
    "Configure, analyse and evaluate a simulated Myrinet/GM cluster."
    "\v"
    "`gmsim COMMAND --help' describes a command; gmqos(7) introduces the "
    "project. Exit status: 0 success; 1 a check or an operation failed; 2 "
    "invalid usage or an invalid file.\n"
    "Example: gmsim doctor";

/* ---- the list of commands ---- */

static void gms_tool_print_commands(FILE *text, const char *rest)
{
    size_t i;

    fprintf(text, "Commands:\n");
    for (i = 0; i < GMS_TOOL_COMMANDS; ++i) {
        fprintf(text, "  %-11s %s\n", gms_tool_commands[i].name,
                gms_tool_commands[i].summary);
    }
    fprintf(text, "\n%s\n", rest);
}

/** Print the list of commands before the text that follows the options. */
static char *gms_tool_help(int key, const char *text, void *input)
{
    char *full = NULL;
    size_t len;
    FILE *file;

    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC) {
        return (char *)(uintptr_t)text;
    }
    file = open_memstream(&full, &len);
    if (file != NULL) {
        gms_tool_print_commands(file, text);
        (void)fclose(file);
    }
    return full;
}

static error_t gms_tool_refuse(struct argp_state *state, const char *name)
{
    char message[GMS_YAML_ERROR_LEN] = "unknown command ";
    size_t limit = gms_yaml_typo_limit(name), i;
    const char *best = NULL;

    gms_yaml_append_quoted(message, name, strlen(name));
    for (i = 0; i < GMS_TOOL_COMMANDS; ++i) {
        gms_yaml_nearer(name, gms_tool_commands[i].name, &best, &limit);
    }
    gms_yaml_append_guess(message, best);
    for (i = 0; i < GMS_TOOL_COMMANDS; ++i) {
        gms_yaml_append(message, "%s%s", (i == 0) ? "; allowed: " : ", ",
                        gms_tool_commands[i].name);
    }
    argp_error(state, "%s", message);
    return EINVAL;
}

/* ---- the command line ---- */

static error_t gms_tool_parse(int key, char *arg, struct argp_state *state)
{
    gms_tool_choice_t *choice = state->input;
    size_t i;

    switch (key) {
    case ARGP_KEY_ARG:
        for (i = 0; i < GMS_TOOL_COMMANDS; ++i) {
            if (strcmp(arg, gms_tool_commands[i].name) == 0) {
                choice->command = &gms_tool_commands[i];
                choice->first = state->next - 1;
                state->next = state->argc; /* the command itself parses the
                                              remaining arguments */
                return 0;
            }
        }
        return gms_tool_refuse(state, arg);
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Treat an empty GMSIM_CLUSTER as unset. */
const char *gms_tool_cluster(const char *path)
{
    if (path == NULL) {
        path = getenv("GMSIM_CLUSTER");
    }
    return (path != NULL && path[0] != '\0') ? path : NULL;
}

/** Close the output and report errors, because a loss of output must not look
 *  like success. Do not report EPIPE, because the reader has closed the pipe on
 *  purpose. */
static int gms_tool_end(int is_good)
{
    static int is_over;

    if (is_over || gms_output_end(is_good) == 0) {
        is_over = 1;
        return 0;
    }
    is_over = 1;
    if (errno != EPIPE) {
        fprintf(
            stderr, "gmsim: cannot write the output: %s%s\n", strerror(errno),
            errno == EFBIG ? "; raise the limit on file size (ulimit -f)" : "");
    }
    return -1;
}

/** Close the output when argp ends the program, that is, after --help,
 *  --version or invalid usage. */
static void gms_tool_exit(void)
{
    if (gms_tool_end(0) != 0) {
        _exit(GMS_TOOL_REFUSED);
    }
}

/* Ignore SIGXFSZ. Then a write beyond the file size limit fails, and the
 * command reports an error. Without this handler, the signal would end the
 * program. Programs that gmsim starts do not inherit the handler. */
static void gms_tool_on_file_size(int number)
{
    (void)number;
}

/* Check the limits of memory and stack before argp_parse(). If argp cannot
 * allocate its tables, it ends the program without a message. If the stack is
 * too small, a signal ends the program. */
static int gms_tool_has_memory(void)
{
    void *some = malloc(GMS_TOOL_LEAST_BYTES);
    struct rlimit stack;

    free(some);
    if (some == NULL) {
        fputs("gmsim: out of memory; raise the limit (ulimit -v, ulimit -d)\n",
              stderr);
        return 0;
    }
    if (getrlimit(RLIMIT_STACK, &stack) == 0 &&
        stack.rlim_cur < GMS_TOOL_LEAST_STACK) {
        fprintf(stderr,
                "gmsim: the stack limit of %llu KiB is too small; allow at "
                "least %llu KiB (ulimit -s)\n",
                (unsigned long long)stack.rlim_cur / 1024,
                GMS_TOOL_LEAST_STACK / 1024);
        return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    const struct argp argp = {.parser = gms_tool_parse,
                              .args_doc = "COMMAND [ARGUMENT...]",
                              .doc = gms_tool_doc,
                              .help_filter = gms_tool_help};
    gms_tool_choice_t choice = {NULL, 0};
    int result;

    if (!gms_tool_has_memory()) {
        return GMS_TOOL_REFUSED;
    }
    argp_err_exit_status = GMS_TOOL_USAGE;
    /* Suppress argp's note that the arguments of long options also apply to
     * short options. */
    (void)setenv("ARGP_HELP_FMT", "no-dup-args-note", 0);
    (void)atexit(gms_tool_exit);
    (void)signal(SIGXFSZ, gms_tool_on_file_size);
    if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &choice) != 0) {
        return GMS_TOOL_USAGE;
    }
    argv[choice.first] = choice.command->title;
    result = choice.command->run(argc - choice.first, argv + choice.first);
    if (gms_tool_end(result == GMS_TOOL_OK) != 0 && result == GMS_TOOL_OK) {
        result = GMS_TOOL_REFUSED;
    }
    return result;
}
