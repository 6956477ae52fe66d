/* SPDX-License-Identifier: BSD-3-Clause */
#include <argp.h>
#include <errno.h>
#include <stdio.h>

#include "config/cluster.h"
#include "config/time_mode.h"
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

/* Beyond so many hosts a rule says more than the list of what it does. */
#define GMS_TOOL_CHECK_HOSTS 32u

/** A host's ranks: "  node2: 1 3..4"; nothing if it has none. */
static void gms_tool_check_host(const gms_cluster_t *cluster, unsigned room,
                                    unsigned host)
{
    unsigned count = 0, rank, first;

    for (rank = 0; rank < room; rank++) {
        if (gms_placement_host(&cluster->params, &cluster->placement, rank) !=
            host) {
            continue;
        }
        if (count == 0) {
            printf("  " GMS_HOST_PREFIX "%u:", host + 1);
        }
        first = rank;
        while (rank + 1 < room &&
               gms_placement_host(&cluster->params, &cluster->placement,
                                  rank + 1) == host) {
            rank++;
        }
        count++;
        printf(rank == first ? " %u" : " %u..%u", first, rank);
    }
    if (count != 0) {
        printf("\n");
    }
}

static void gms_tool_check_placement(const gms_cluster_t *cluster)
{
    const gms_params_t *params = &cluster->params;
    unsigned room = gms_placement_room(params, &cluster->placement);
    unsigned host;

    if (cluster->placement.count != 0) {
        printf("placement as listed, %u ranks:\n", room);
    } else {
        printf("placement %s, up to %u ranks, %llu on each host%s\n",
               gms_param_find("placement")->names[params->placement], room,
               (unsigned long long)params->ranks_per_host,
               params->hosts <= GMS_TOOL_CHECK_HOSTS ? ":" : "");
        if (params->hosts > GMS_TOOL_CHECK_HOSTS) {
            return;
        }
    }
    for (host = 0; host < params->hosts; host++) {
        gms_tool_check_host(cluster, room, host);
    }
}

int gms_tool_check(int argc, char **argv)
{
    const struct argp argp = {
        .parser = gms_tool_check_parse,
        .args_doc = "FILE",
        .doc = "Check a cluster description."
               "\v"
               "Prints what it describes and which ranks sit on which "
               "host, or file, line, key, the value given "
               "and the values allowed of the first mistake. Exit status: 0 "
               "the description is right, 1 it is not, 2 wrong usage."};
    char error[GMS_CLUSTER_ERROR_LEN];
    const char *path = NULL;
    char time[GMS_TIME_TEXT_LEN];
    gms_cluster_t cluster;

    if (argp_parse(&argp, argc, argv, 0, NULL, &path) != 0) {
        return GMS_TOOL_USAGE;
    }
    if (gms_cluster_load(path, &cluster, error) != GMS_OK) {
        fprintf(stderr, "%s\n", error);
        return GMS_TOOL_REFUSED;
    }
    printf("%s: right: hosts %llu, ranks_per_host %llu, topology %s, "
           "scheduler %s, time %s\n",
           path, (unsigned long long)cluster.params.hosts,
           (unsigned long long)cluster.params.ranks_per_host,
           gms_param_find("topology")->names[cluster.params.topology],
           gms_param_find("scheduler")->names[cluster.params.scheduler],
           gms_time_text(&cluster.params, time));
    gms_tool_check_placement(&cluster);
    printf("host_topology %s\n", cluster.host_topology);
    gms_cluster_clear(&cluster);
    return GMS_TOOL_OK;
}
