/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gmsim config: checks a cluster description, shows the resulting cluster, and
 * imports the descriptions of other programs.
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
    const char *what; /* subcommand: "check", "import" or "show" */
    const char *path;
    const char *policy; /* NULL: not given */
    const char *routes; /* NULL: not given */
    uint64_t ranks;     /* 0: as many ranks as the cluster can hold */
} gms_config_args_t;

enum {
    GMS_CONFIG_POLICY = 'p',
    GMS_CONFIG_RANKS = 'n',
    GMS_CONFIG_ROUTES = 'r'
};

/* Largest number of ranks of a job. Each process needs ports and files, so the
 * number is limited. */
#define GMS_CONFIG_RANKS_MAX 65536u

static const struct argp_option gms_config_options[] = {
    {"policy", GMS_CONFIG_POLICY, "FILE", 0,
     "With check: check this policy file for jobs on the cluster", 0},
    {"ranks", GMS_CONFIG_RANKS, "N", 0,
     "With --policy: number of ranks of the job (default: as many as fit on "
     "the cluster)",
     0},
    {"routes", GMS_CONFIG_ROUTES, "FILE", 0,
     "With import: forwarding tables of the fabric's switches, in the format "
     "of dump_lfts.sh, of ibroute, or of the .fdbs files of OpenSM and "
     "ibdiagnet",
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
    case GMS_CONFIG_ROUTES:
        args->routes = arg;
        return 0;
    case GMS_CONFIG_RANKS:
        return gms_tool_number(state, "ranks", arg, 1, GMS_CONFIG_RANKS_MAX,
                               &args->ranks);
    case ARGP_KEY_ARG:
        if (args->what == NULL) {
            if (strcmp(arg, "check") != 0 && strcmp(arg, "show") != 0 &&
                strcmp(arg, "import") != 0) {
                argp_error(
                    state,
                    "unknown subcommand '%s'; allowed: check, import, show",
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
            argp_error(state, "missing argument: import requires a file");
            return EINVAL;
        }
        if (args->routes != NULL && strcmp(args->what, "import") != 0) {
            argp_error(state, "--routes requires import");
            return EINVAL;
        }
        if ((args->policy != NULL || args->ranks != 0) &&
            strcmp(args->what, "check") != 0) {
            argp_error(state, "--policy and --ranks require check");
            return EINVAL;
        }
        if (args->ranks != 0 && args->policy == NULL) {
            argp_error(state, "--ranks requires --policy");
            return EINVAL;
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- check ---- */

/* Largest number of hosts for which every host's ranks are listed. With more
 * hosts, only the rule of the placement is printed. */
#define GMS_CONFIG_HOSTS 32u

/** Print the ranks of one host, such as " node2: 1 3..4". Omit hosts without
 *  ranks. */
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
        printf("placement as listed, %u rank%s:\n", room, room == 1 ? "" : "s");
    } else {
        printf("placement %s, up to %u rank%s, %llu on each host%s\n",
               gms_param_find("placement")->names[params->placement], room,
               room == 1 ? "" : "s", (unsigned long long)params->ranks_per_host,
               params->hosts <= GMS_CONFIG_HOSTS ? ":" : "");
        if (params->hosts > GMS_CONFIG_HOSTS) {
            return;
        }
    }
    for (host = 0; host < params->hosts; ++host) {
        gms_config_check_host(cluster, room, host);
    }
}

static void gms_config_check_io(const gms_cluster_t *cluster)
{
    const gms_params_t *params = &cluster->params;
    uint32_t i;

    if (cluster->io.count == 0) {
        return;
    }
    printf("I/O hosts");
    for (i = 0; i < cluster->io.count; ++i) {
        printf(" " GMS_HOST_PREFIX "%u", cluster->io.hosts[i] + 1);
    }
    printf(", each with %llu disk%s (read %.6g MB/s, write %.6g MB/s, %llu us "
           "per request), stripes of %llu bytes\n",
           (unsigned long long)params->io_disks,
           params->io_disks == 1 ? "" : "s",
           (double)params->io_read_bytes_s / 1e6,
           (double)params->io_write_bytes_s / 1e6,
           (unsigned long long)params->io_latency_us,
           (unsigned long long)params->io_stripe_bytes);
}

static void gms_config_check(const char *path, const gms_cluster_t *cluster)
{
    const gms_params_t *params = &cluster->params;
    char time[GMS_TIME_TEXT_LEN];

    printf("%s: OK (%llu host%s, ", path, (unsigned long long)params->hosts,
           params->hosts == 1 ? "" : "s");
    if (cluster->placement.count == 0) { /* a listed placement is printed below,
                                            together with its ranks */
        printf("%llu rank%s per host, ",
               (unsigned long long)params->ranks_per_host,
               params->ranks_per_host == 1 ? "" : "s");
    }
    printf("topology %s, scheduler %s, time %s)\n",
           gms_param_find("topology")->names[params->topology],
           gms_param_find("scheduler")->names[params->scheduler],
           gms_time_text(params, time));
    gms_config_check_placement(cluster);
    gms_config_check_io(cluster);
    printf("host_topology %s\n", cluster->host_topology);
}

/* ---- the command ---- */

/** Print the cluster that a job would use; GMSIM_TIME is applied. */
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

/** Print the result of checking a valid cluster or the policy. */
static int gms_config_check_all(const gms_config_args_t *args,
                                const gms_cluster_t *cluster)
{
    unsigned room = gms_placement_room(&cluster->params, &cluster->placement);

    if (args->ranks > room) {
        fprintf(stderr,
                "gmsim config: --ranks %llu: the cluster has room for only %u "
                "rank%s\n",
                (unsigned long long)args->ranks, room, room == 1 ? "" : "s");
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
            "Check, show or import a cluster description, or check a policy.\v"
            "check  prints a summary of the cluster and the ranks of every "
            "host, or one line for each error. Each error names the file, the "
            "line, the key, the given value and the allowed values. With "
            "--policy, check instead prints the rules of the policy for a job "
            "on this cluster.\n"
            "show   prints the whole description with every default and the "
            "origin of each value. The output is itself a valid description.\n"
            "import converts FILE to a description and lists the parts of FILE "
            "that a description cannot express. FILE is the output of "
            "ibnetdiscover, or a SimGrid platform file that contains a "
            "<cluster> element.\n"
            "\n"
            "If FILE is omitted, check and show use the cluster that "
            "GMSIM_CLUSTER names, otherwise the default cluster. Exit status: "
            "0 success; 2 an invalid file or invalid usage.\n"
            "Example: gmsim config check cluster.yaml"};
    gms_config_args_t args = {.what = NULL};
    char error[GMS_YAML_ERROR_LEN];
    gms_cluster_t cluster;
    int result = GMS_TOOL_OK;

    if (argp_parse(&argp, argc, argv, 0, NULL, &args) != 0) {
        return GMS_TOOL_USAGE;
    }
    if (strcmp(args.what, "import") == 0) {
        return gms_tool_import(args.path, args.routes);
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
