/* SPDX-License-Identifier: BSD-3-Clause */
#include <argp.h>
#include <errno.h>
#include <stdio.h>

#include "config/cluster.h"
#include "tool/tool.h"

static error_t gms_tool_check_parse(int key, char *arg,
                                    struct argp_state *state)
{
    const char **path_p = state->input;

    switch (key) {
    case ARGP_KEY_ARG:
        if (*path_p != NULL) {
            argp_error(state, "one file at a time");
            return EINVAL;
        }
        *path_p = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int gms_tool_check(int argc, char **argv)
{
    const struct argp argp = {
        .parser = gms_tool_check_parse,
        .args_doc = "FILE",
        .doc = "Check a cluster description."
               "\v"
               "Prints what it describes, or file, line, key, the value given "
               "and the values allowed of the first mistake. Exit status: 0 "
               "the description is right, 1 it is not, 2 wrong usage."};
    char error[GMS_CLUSTER_ERROR_LEN];
    const char *path = NULL;
    gms_cluster_t cluster;

    if (argp_parse(&argp, argc, argv, 0, NULL, &path) != 0) {
        return GMS_TOOL_USAGE;
    }
    if (gms_cluster_load(path, &cluster, error) != GMS_OK) {
        fprintf(stderr, "%s\n", error);
        return GMS_TOOL_REFUSED;
    }
    printf("%s: right: hosts %llu, ranks_per_host %llu, topology %s, "
           "scheduler %s\n",
           path, (unsigned long long)cluster.params.hosts,
           (unsigned long long)cluster.params.ranks_per_host,
           gms_param_find("topology")->names[cluster.params.topology],
           gms_param_find("scheduler")->names[cluster.params.scheduler]);
    gms_cluster_clear(&cluster);
    return GMS_TOOL_OK;
}
