/* SPDX-License-Identifier: BSD-3-Clause */
/* gmsim: looks at the simulated cluster without running anything on it. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/tool.h"

typedef struct gms_tool_command {
    const char *name;
    char *title; /* argv[0] of the command, for its messages */
    int (*run)(int argc, char **argv);
} gms_tool_command_t;

static char gms_tool_config_title[] = "gmsim config";
static char gms_tool_doctor_title[] = "gmsim doctor";
static char gms_tool_experiment_title[] = "gmsim experiment";
static char gms_tool_model_title[] = "gmsim model";
static char gms_tool_params_title[] = "gmsim params";
static char gms_tool_plan_title[] = "gmsim plan";
static char gms_tool_qos_title[] = "gmsim qos";
static char gms_tool_topo_title[] = "gmsim topo";

static const gms_tool_command_t gms_tool_commands[] = {
    {"config", gms_tool_config_title, gms_tool_config},
    {"doctor", gms_tool_doctor_title, gms_tool_doctor},
    {"experiment", gms_tool_experiment_title, gms_tool_experiment},
    {"model", gms_tool_model_title, gms_tool_model},
    {"params", gms_tool_params_title, gms_tool_params},
    {"plan", gms_tool_plan_title, gms_tool_plan},
    {"qos", gms_tool_qos_title, gms_tool_qos},
    {"topo", gms_tool_topo_title, gms_tool_topo},
};

typedef struct gms_tool_choice {
    const gms_tool_command_t *command;
    int first; /* where the command's name is in argv */
} gms_tool_choice_t;

const char *argp_program_version = "gmsim (gmqos) " GMQOS_VERSION;

static const char gms_tool_doc[] =
    "Look at a simulated Myrinet/GM cluster."
    "\v"
    "Commands:\n"
    "  config       check a cluster description, or show what it comes to\n"
    "  doctor       will jobs run here, and if not, what is to be done?\n"
    "  experiment   repeat the papers' experiments, compare the numbers\n"
    "  model [FILE] a NIC as a queueing network: load, queues, bottleneck\n"
    "  params       list the parameters with the values in force\n"
    "  plan FILE    which reservations would be granted?\n"
    "  qos          what traffic gets on a fabric of virtual lanes\n"
    "  topo [FILE]  show a cluster's network: shape, routes, links, a picture\n"
    "\n"
    "`gmsim COMMAND --help' says more. Exit status: 0 all is well, 1 the "
    "answer is no or something failed, 2 wrong usage or a wrong file.";

static error_t gms_tool_parse(int key, char *arg, struct argp_state *state)
{
    gms_tool_choice_t *choice = state->input;
    size_t i;

    switch (key) {
    case ARGP_KEY_ARG:
        for (i = 0;
             i < sizeof(gms_tool_commands) / sizeof(gms_tool_commands[0]);
             i++) {
            if (strcmp(arg, gms_tool_commands[i].name) == 0) {
                choice->command = &gms_tool_commands[i];
                choice->first = state->next - 1;
                state->next = state->argc; /* the rest is the command's */
                return 0;
            }
        }
        argp_error(state,
                   "unknown command '%s'; allowed: config, doctor, experiment, model, "
                   "params, plan, qos, topo",
                   arg);
        return EINVAL;
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* An empty variable is as good as none. */
const char *gms_tool_cluster(const char *path)
{
    if (path == NULL) {
        path = getenv("GMSIM_CLUSTER");
    }
    return ((path != NULL) && (path[0] != '\0')) ? path : NULL;
}

/** Output that did not reach its file must not pass for success. */
static int gms_tool_flush(void)
{
    if ((fflush(stdout) != 0) || ferror(stdout)) {
        fprintf(stderr, "gmsim: cannot write the output: %s\n",
                strerror(errno));
        return GMS_TOOL_REFUSED;
    }
    return GMS_TOOL_OK;
}

int main(int argc, char **argv)
{
    const struct argp argp = {.parser = gms_tool_parse,
                              .args_doc = "COMMAND [ARGUMENT...]",
                              .doc = gms_tool_doc};
    gms_tool_choice_t choice = {NULL, 0};
    int result;

    argp_err_exit_status = GMS_TOOL_USAGE;
    if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &choice) != 0) {
        return GMS_TOOL_USAGE;
    }
    argv[choice.first] = choice.command->title;
    result = choice.command->run(argc - choice.first, argv + choice.first);
    return (result == GMS_TOOL_OK) ? gms_tool_flush() : result;
}
