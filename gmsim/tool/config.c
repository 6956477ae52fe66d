/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gmsim config: checks a cluster description, shows the resulting cluster, and
 * imports other programs' descriptions.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/cluster.h"
#include "cluster/time_mode.h"
#include "tool/argument.h"
#include "tool/config_policy.h"
#include "tool/config_print.h"
#include "tool/tool.h"

typedef struct gms_config_args {
    const char *what; /* "check", "import" or "show" */
    const char *path;
    const char *policy; /* NULL: none */
    uint64_t ranks;     /* 0: as many as there is room for */
} gms_config_args_t;

enum {
    GMS_CONFIG_POLICY = 'p',
    GMS_CONFIG_RANKS = 'n'
};

/* No job has more: ports of processes and files. */
#define GMS_CONFIG_RANKS_MAX 65536u

static const struct argp_option gms_config_options[] = {
    {"policy", GMS_CONFIG_POLICY, "FILE", 0,
     "With check: look at this policy for jobs on the cluster", 0},
    {"ranks", GMS_CONFIG_RANKS, "N", 0,
     "Ranks of the job that the policy is for (as many as the cluster has "
     "room for)",
     0},
    {.name = NULL},
};

static error_t gms_config_parse(int key, char *arg, struct argp_state *state)
{
    gms_config_args_t *args = state->input;

    switch (key) {
    case GMS_CONFIG_POLICY:
        args->policy = arg;
        return 0;
    case GMS_CONFIG_RANKS:
        return gms_tool_number(state, "--ranks", arg, 1, GMS_CONFIG_RANKS_MAX,
                               &args->ranks);
    case ARGP_KEY_ARG:
        if (args->what == NULL) {
            if (strcmp(arg, "check") != 0 && strcmp(arg, "show") != 0 &&
                strcmp(arg, "import") != 0) {
                argp_error(state,
                           "unknown word '%s'; allowed: check, import, "
                           "show",
                           arg);
                return EINVAL;
            }
            args->what = arg;
            return 0;
        }
        return gms_tool_file(state, arg, &args->path);
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        return EINVAL;
    case ARGP_KEY_END:
        if (strcmp(args->what, "import") == 0 && args->path == NULL) {
            argp_error(state, "import needs a file");
            return EINVAL;
        }
        if ((args->policy != NULL || args->ranks != 0) &&
            strcmp(args->what, "check") != 0) {
            argp_error(state, "--policy and --ranks are for check");
            return EINVAL;
        }
        if (args->ranks != 0 && args->policy == NULL) {
            argp_error(state, "--ranks is for a --policy");
            return EINVAL;
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- check ---- */

/* Beyond so many hosts a rule says more than the list of what it does. */
#define GMS_CONFIG_HOSTS 32u

/** A host's ranks: "  node2: 1 3..4"; nothing if it has none. */
static void gms_config_check_host(const gms_cluster_t *cluster, unsigned room,
                                  unsigned host)
{
    unsigned count = 0, rank, first;

    for (rank = 0; rank < room; ++rank) {
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
            ++rank;
        }
        ++count;
        printf(rank == first ? " %u" : " %u..%u", first, rank);
    }
    if (count != 0) {
        printf("\n");
    }
}

static void gms_config_check_placement(const gms_cluster_t *cluster)
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
               params->hosts <= GMS_CONFIG_HOSTS ? ":" : "");
        if (params->hosts > GMS_CONFIG_HOSTS) {
            return;
        }
    }
    for (host = 0; host < params->hosts; ++host) {
        gms_config_check_host(cluster, room, host);
    }
}

static void gms_config_check(const char *path, const gms_cluster_t *cluster)
{
    const gms_params_t *params = &cluster->params;
    char time[GMS_TIME_TEXT_LEN];

    printf("%s: right: hosts %llu, ", path, (unsigned long long)params->hosts);
    if (cluster->placement.count == 0) { /* else the list says it */
        printf("ranks_per_host %llu, ",
               (unsigned long long)params->ranks_per_host);
    }
    printf("topology %s, scheduler %s, time %s\n",
           gms_param_find("topology")->names[params->topology],
           gms_param_find("scheduler")->names[params->scheduler],
           gms_time_text(params, time));
    gms_config_check_placement(cluster);
    printf("host_topology %s\n", cluster->host_topology);
}

/* ---- the command ---- */

/** What GMSIM_TIME says counts for jobs, and so for what is shown. */
static int gms_config_show(const char *path, gms_cluster_t *cluster)
{
    char error[GMS_TIME_ERROR_LEN], text[GMS_TOPOLOGY_ERROR_LEN];
    const char *time = getenv("GMSIM_TIME");
    gms_topology_t *topology;
    gms_arena_t *arena;

    if (gms_time_replace(time, &cluster->params, error) != GMS_OK) {
        fprintf(stderr, "%s\n", error);
        return GMS_TOOL_WRONG;
    }
    if (gms_cluster_build(cluster, &arena, &topology, text) != GMS_OK) {
        fprintf(stderr, "gmsim config: %s\n", text);
        return GMS_TOOL_REFUSED;
    }
    gms_config_print(path, cluster, topology, time != NULL && time[0] != '\0');
    gms_arena_destroy_private(arena);
    return GMS_TOOL_OK;
}

/** The cluster is right: what it comes to, and the policy. */
static int gms_config_check_all(const gms_config_args_t *args,
                                const gms_cluster_t *cluster)
{
    unsigned room = gms_placement_room(&cluster->params, &cluster->placement);

    if (args->ranks > room) {
        fprintf(
            stderr,
            "gmsim config: the cluster has no room for %llu ranks; allowed: "
            "--ranks 1..%u\n",
            (unsigned long long)args->ranks, room);
        return GMS_TOOL_USAGE;
    }
    if (args->policy == NULL) {
        gms_config_check((args->path != NULL) ? args->path : "default cluster",
                         cluster);
        return GMS_TOOL_OK;
    }
    return gms_config_policy(args->policy,
                             (args->ranks != 0) ? (unsigned)args->ranks : room);
}

int gms_tool_config(int argc, char **argv)
{
    const struct argp argp = {
        .options = gms_config_options,
        .parser = gms_config_parse,
        .args_doc = "check [FILE]\nshow [FILE]\nimport FILE",
        .doc =
            "Check a cluster description or a policy, show what a description "
            "comes to, or make one from another program's."
            "\v"
            "check  prints what it describes and which ranks sit on which "
            "host, or a line for each mistake: file, line, key, the value "
            "given and the values allowed; with --policy, the policy's "
            "rules for a job on it instead\n"
            "show   prints the whole description with every default, and "
            "where each value is from; what it prints is a description "
            "itself\n"
            "import prints a description of the machine that FILE describes "
            "as ibnetdiscover writes it or as a platform file of SimGrid "
            "with a <cluster>, and tells what has no counterpart\n"
            "\n"
            "Without FILE the cluster that GMSIM_CLUSTER names, otherwise "
            "the default one. Exit status: 0 all is right, 2 a file or the "
            "usage is wrong.\n"
            "Example: gmsim config check cluster.yaml"};
    gms_config_args_t args = {NULL, NULL, NULL, 0};
    char error[GMS_YAML_ERROR_LEN];
    gms_cluster_t cluster;
    int result = GMS_TOOL_OK;

    if (argp_parse(&argp, argc, argv, 0, NULL, &args) != 0) {
        return GMS_TOOL_USAGE;
    }
    if (strcmp(args.what, "import") == 0) {
        return gms_tool_import(args.path);
    }
    args.path = gms_tool_cluster(args.path);
    if (gms_cluster_load(args.path, &cluster, error) != GMS_OK) {
        fprintf(stderr, "%s\n", error);
        return GMS_TOOL_WRONG;
    }
    if (strcmp(args.what, "show") == 0) {
        result = gms_config_show(args.path, &cluster);
    } else {
        result = gms_config_check_all(&args, &cluster);
    }
    gms_cluster_clear(&cluster);
    return result;
}
