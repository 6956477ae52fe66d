/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gmsim verify: checks by simulation that the reservations of a plan are kept.
 */
#include "tool/verify.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "yaml/loader.h"
#include "tool/argument.h"
#include "base/output.h"
#include "tool/plan_traffic.h"
#include "tool/tool.h"

enum {
    GMS_VERIFY_KEY_CLUSTER = 'c',
    GMS_VERIFY_KEY_JOBS = 'j',
    GMS_VERIFY_KEY_OUTPUT = 'o',
    GMS_VERIFY_KEY_QUIET = 'q',
    GMS_VERIFY_KEY_CSV = 0x100,
    GMS_VERIFY_KEY_SEARCH,
    GMS_VERIFY_KEY_SEED,
    GMS_VERIFY_KEY_TIME
};

typedef struct gms_verify_args {
    const char *path, *cluster, *output;
    gms_time_t time_ps;
    gms_verify_search_t search;
    int is_csv;
} gms_verify_args_t;

static const struct argp_option gms_verify_options[] = {
    {.name = "cluster",
     .key = GMS_VERIFY_KEY_CLUSTER,
     .arg = "FILE",
     .doc = "Cluster description (default: `cluster:' of PLAN, otherwise the "
            "one that GMSIM_CLUSTER names, otherwise the default cluster)"},
    {.name = "csv",
     .key = GMS_VERIFY_KEY_CSV,
     .arg = "FILE",
     .flags = OPTION_ARG_OPTIONAL,
     .doc = GMS_TOOL_CSV_DOC},
    {.name = "time",
     .key = GMS_VERIFY_KEY_TIME,
     .arg = "TIME",
     .doc = "Virtual duration of the traffic, such as 500ms (default: 2.5 "
            "windows of the slowest reservation, at most 4 s)"},
    {.name = "search",
     .key = GMS_VERIFY_KEY_SEARCH,
     .arg = "N",
     .doc = "Search for the worst case among N variations (1..100000000)"},
    {.name = "seed",
     .key = GMS_VERIFY_KEY_SEED,
     .arg = "N",
     .doc = "Seed of the variations (default: 1)"},
    {.name = "jobs",
     .key = GMS_VERIFY_KEY_JOBS,
     .arg = "N",
     .doc = "Number of search processes (default: number of processors)"},
    {.name = "output",
     .key = GMS_VERIFY_KEY_OUTPUT,
     .arg = "FILE",
     .doc = "With --search: if a bound is broken, write to FILE a plan that "
            "reproduces the worst variation (default: NAME-broken.yaml for "
            "NAME.yaml)"},
    {.name = "quiet",
     .key = GMS_VERIFY_KEY_QUIET,
     .doc = "Do not show a progress bar"},
    {.name = NULL},
};

static error_t gms_verify_parse_time(struct argp_state *state, const char *arg,
                                     gms_time_t *time_ps_p)
{
    if (gms_plan_time_of(arg, time_ps_p) && *time_ps_p > 0) {
        return 0;
    }
    argp_error(state,
               "--time: value '%s' is not a valid time; allowed: above 0, up "
               "to 1000 s, "
               "with the unit s, ms, us, ns or ps, such as 500ms",
               arg);
    return EINVAL;
}

static error_t gms_verify_parse_end(struct argp_state *state)
{
    const gms_verify_args_t *args = state->input;

    if (args->path == NULL) {
        argp_usage(state);
        return EINVAL;
    }
    if (args->search.variations == 0 && args->output != NULL) {
        argp_error(state, "--output requires --search");
        return EINVAL;
    }
    return 0;
}

static error_t gms_verify_parse(int key, char *arg, struct argp_state *state)
{
    gms_verify_args_t *args = state->input;

    switch (key) {
    case GMS_VERIFY_KEY_CLUSTER:
        args->cluster = arg;
        return 0;
    case GMS_VERIFY_KEY_CSV:
        return gms_tool_csv(state, arg, &args->is_csv);
    case GMS_VERIFY_KEY_TIME:
        return gms_verify_parse_time(state, arg, &args->time_ps);
    case GMS_VERIFY_KEY_SEARCH:
        return gms_tool_number(state, "search", arg, 1, 100000000,
                               &args->search.variations);
    case GMS_VERIFY_KEY_SEED:
        return gms_tool_number(state, "seed", arg, 0, UINT64_MAX,
                               &args->search.seed);
    case GMS_VERIFY_KEY_JOBS:
        return gms_tool_jobs(state, arg, &args->search.jobs);
    case GMS_VERIFY_KEY_OUTPUT:
        args->output = arg;
        return 0;
    case GMS_VERIFY_KEY_QUIET:
        args->search.is_quiet = 1;
        return 0;
    case ARGP_KEY_ARG:
        return gms_tool_file(state, arg, &args->path);
    case ARGP_KEY_END:
        return gms_verify_parse_end(state);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- running ------------------------------------------------------------------- */

/* Return the path of the plan that --search writes: the path that --output names or,
 * without --output, NAME-broken.yaml in the working directory. The caller frees the
 * path. */
static char *gms_verify_output(const gms_verify_args_t *args)
{
    const char *slash = strrchr(args->path, '/');
    const char *name = slash != NULL ? slash + 1 : args->path;
    const char *dot = strrchr(name, '.');
    size_t len =
        dot != NULL && dot != name ? (size_t)(dot - name) : strlen(name);
    size_t room = len + sizeof("-broken.yaml");
    char *path;

    if (args->output != NULL) {
        return strdup(args->output);
    }
    path = malloc(room);
    if (path != NULL) {
        (void)snprintf(path, room, "%.*s-broken.yaml", (int)len, name);
    }
    return path;
}

static int gms_verify_save(const gms_verify_args_t *args,
                           const gms_verify_case_t *worst, const char *cluster)
{
    char *path = gms_verify_output(args);
    gms_output_t output;
    char note[128];

    (void)snprintf(note, sizeof(note),
                   "This plan breaks a bound; it was found by gmsim verify "
                   "--search %" PRIu64 " --seed %" PRIu64,
                   args->search.variations, args->search.seed);
    if (path == NULL || gms_output_open(&output, path) != 0) {
        fprintf(stderr, "gmsim verify: cannot write '%s': %s\n",
                path != NULL ? path : "", strerror(errno));
        free(path);
        return 0;
    }
    gms_verify_write(output.file, worst, cluster, note);
    if (gms_output_close(&output, 1) != 0) {
        fprintf(stderr, "gmsim verify: cannot write '%s': %s\n", path,
                strerror(errno));
    } else {
        fprintf(
            stderr,
            "gmsim verify: '%s' reproduces the variation that broke a bound\n",
            path);
    }
    free(path);
    return 1;
}

static int gms_verify_show(const gms_verify_args_t *args,
                           const gms_verify_case_t *verify,
                           gms_verify_result_t *results)
{
    int is_passed;

    if (args->is_csv) {
        gms_verify_print_csv(stdout, verify, results);
        /* Flush the file, which must be complete even if the exit status
         * reports a broken bound. */
        if (gms_output_end(1) != 0) {
            fprintf(stderr, "gmsim verify: cannot write the output: %s\n",
                    strerror(errno));
            return GMS_TOOL_REFUSED;
        }
    } else {
        gms_verify_print(stdout, verify, results);
    }
    /* a search also tries senders with too few messages */
    is_passed = args->search.variations > 0
                    ? gms_verify_broken(results, verify->flow_count) == 0
                    : gms_verify_is_passed(results, verify->flow_count);
    return is_passed ? GMS_TOOL_OK : GMS_TOOL_REFUSED;
}

static int gms_verify_once(const gms_verify_args_t *args,
                           gms_verify_case_t *verify)
{
    gms_verify_result_t *results =
        malloc((verify->flow_count + 1) * sizeof(*results));
    char error[GMS_VERIFY_ERROR_LEN];
    int result = GMS_TOOL_REFUSED;
    gms_tool_bar_t bar;
    gms_status_t status;

    if (results == NULL) {
        fprintf(stderr, "gmsim verify: out of memory\n");
        return result;
    }
    gms_tool_bar_init(&bar, args->search.is_quiet);
    verify->bar = &bar;
    status = gms_verify_run(verify, results, error);
    verify->bar = NULL;
    gms_tool_bar_wipe(&bar);
    if (status == GMS_OK) {
        result = gms_verify_show(args, verify, results);
    } else {
        fprintf(stderr, "gmsim verify: %s: %s\n", args->path, error);
        result = status == GMS_ERR_CONFIG ? GMS_TOOL_WRONG : GMS_TOOL_REFUSED;
    }
    free(results);
    return result;
}

static int gms_verify_search(const gms_verify_args_t *args,
                             const gms_verify_case_t *verify, unsigned nodes,
                             const char *cluster)
{
    char error[GMS_VERIFY_ERROR_LEN];
    gms_verify_case_t worst;
    gms_verify_found_t found;
    gms_status_t status;
    int result;

    status =
        gms_verify_find(verify, &args->search, nodes, &worst, &found, error);
    if (status != GMS_OK) {
        fprintf(stderr, "gmsim verify: %s: %s\n", args->path, error);
        gms_verify_case_clear(&worst);
        return status == GMS_ERR_CONFIG ? GMS_TOOL_WRONG : GMS_TOOL_REFUSED;
    }
    result = gms_verify_once(args, &worst);
    if (!args->is_csv) {
        printf("The run above was the worst of %" PRIu64 " %s; %" PRIu64
               " broke a bound",
               found.run, gms_plural(found.run, "variation", "variations"),
               found.broken);
        if (isfinite(found.margin)) {
            printf(". The smallest margin is %.3f of the promised value",
                   found.margin);
        }
        printf(". The search took %.1f s of processor time.\n", found.cpu_s);
    }
    if (result == GMS_TOOL_REFUSED) {
        (void)gms_verify_save(args, &worst, cluster);
    }
    gms_verify_case_clear(&worst);
    return result;
}

/* ---- the command --------------------------------------------------------------- */

static int gms_verify_on_cluster(const gms_verify_args_t *args,
                                 const gms_plan_t *plan,
                                 const gms_cluster_t *cluster,
                                 const char *cluster_path)
{
    char error[GMS_YAML_ERROR_LEN] = "out of memory";
    int result = GMS_TOOL_REFUSED;
    gms_topology_t *topology;
    gms_verify_case_t verify;
    gms_arena_t *arena;
    unsigned nodes;

    if (gms_cluster_build(cluster, &arena, &topology, error) != GMS_OK) {
        fprintf(stderr, "gmsim verify: %s\n", error);
        return result;
    }
    nodes = gms_topology_nodes(topology);
    gms_arena_destroy_private(arena);
    if (gms_plan_check(args->path, plan, nodes,
                       (unsigned)cluster->params.gm_ports, error) != GMS_OK) {
        fprintf(stderr, "%s\n", error);
        return GMS_TOOL_WRONG;
    }
    if (gms_verify_case_of(plan, &cluster->params, &cluster->graph, &verify) !=
        GMS_OK) {
        fprintf(stderr, "gmsim verify: out of memory\n");
        return result;
    }
    if (args->time_ps > 0) {
        verify.time_ps = args->time_ps;
    }
    result = args->search.variations > 0
                 ? gms_verify_search(args, &verify, nodes, cluster_path)
                 : gms_verify_once(args, &verify);
    gms_verify_case_clear(&verify);
    return result;
}

int gms_tool_verify(int argc, char **argv)
{
    const struct argp argp = {
        .options = gms_verify_options,
        .parser = gms_verify_parse,
        .args_doc = "PLAN",
        .doc = "Simulate the flows of a plan without processes, and compare "
               "each reservation with its bounds.\v"
               "PLAN is a list of requests, as for `gmsim plan'; gmqos-plan(5) "
               "describes the format. A reservation is kept if its bandwidth "
               "in every window is at most 0.5 % below the granted bandwidth, "
               "and no message takes longer than its bound. Exit status: 0 no "
               "bound is broken; 1 a bound is broken, a sender ran out of "
               "messages, or the run failed; 2 an invalid plan or invalid "
               "usage.\n"
               "Example: gmsim verify --search 100 plan.yaml"};
    gms_verify_args_t args = {.search = {.seed = 1}};
    gms_plan_t plan = {.cluster = NULL};
    char error[GMS_YAML_ERROR_LEN];
    gms_cluster_t cluster;
    const char *path;
    int result;

    args.search.jobs = gms_tool_processors();
    if (argp_parse(&argp, argc, argv, 0, NULL, &args) != 0) {
        return GMS_TOOL_USAGE;
    }
    if (gms_plan_load(args.path, &plan, error) != GMS_OK) {
        fprintf(stderr, "%s\n", error);
        return GMS_TOOL_WRONG;
    }
    path = gms_tool_cluster(args.cluster != NULL ? args.cluster : plan.cluster);
    if (gms_cluster_load(path, &cluster, error) != GMS_OK) {
        fprintf(stderr, "%s\n", error);
        gms_plan_clear(&plan);
        return GMS_TOOL_WRONG;
    }
    result = gms_verify_on_cluster(&args, &plan, &cluster, path);
    gms_cluster_clear(&cluster);
    gms_plan_clear(&plan);
    return result;
}
