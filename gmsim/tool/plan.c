/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gmsim plan: prints which reservations of a plan would be granted, and how
 * much bandwidth remains for best-effort flows. The command decides on requests
 * with the managers' account, and does not simulate the network.
 */
#include "tool/plan.h"

#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/argument.h"
#include "tool/colour.h"
#include "tool/plan_bounds.h"
#include "tool/tool.h"

/* Number of nodes and links that are printed; those with the largest reserved
 * bandwidth are selected. */
#define GMS_PLAN_FULLEST 5u

enum {
    GMS_PLAN_KEY_CLUSTER = 'c',
    GMS_PLAN_KEY_QUIET = 'q',
    GMS_PLAN_KEY_BEST_EFFORT = 0x100,
    GMS_PLAN_KEY_CHANGES,
    GMS_PLAN_KEY_CSV,
    GMS_PLAN_KEY_RANDOM,
    GMS_PLAN_KEY_SEED,
    GMS_PLAN_KEY_TIMING
};

typedef struct gms_plan_args {
    const char *path;    /* path of the list of requests; NULL with --random */
    const char *cluster; /* --cluster */
    gms_plan_random_t random;
    int is_csv;
} gms_plan_args_t;

static const struct argp_option gms_plan_options[] = {
    {.name = "cluster",
     .key = GMS_PLAN_KEY_CLUSTER,
     .arg = "FILE",
     .doc = "Cluster description (default: `cluster:' of FILE, otherwise the "
            "one that GMSIM_CLUSTER names, otherwise the default cluster)"},
    {.name = "csv",
     .key = GMS_PLAN_KEY_CSV,
     .arg = "FILE",
     .flags = OPTION_ARG_OPTIONAL,
     .doc = GMS_TOOL_CSV_DOC},
    {.name = "random",
     .key = GMS_PLAN_KEY_RANDOM,
     .arg = "N",
     .doc = "Decide on N random requests (1..100000000) instead of the "
            "requests in FILE"},
    {.name = "seed",
     .key = GMS_PLAN_KEY_SEED,
     .arg = "N",
     .doc = "Seed of the random requests (default: 1)"},
    {.name = "best-effort",
     .key = GMS_PLAN_KEY_BEST_EFFORT,
     .arg = "PERCENT",
     .doc = "Percentage of best-effort requests among the random requests "
            "(default: 0)"},
    {.name = "changes",
     .key = GMS_PLAN_KEY_CHANGES,
     .arg = "N",
     .doc = "After the random requests, release a random flow and request it "
            "again, N times (default: 0)"},
    {.name = "timing",
     .key = GMS_PLAN_KEY_TIMING,
     .doc = "With --random: also print the number of decisions per second of "
            "CPU time"},
    {.name = "quiet",
     .key = GMS_PLAN_KEY_QUIET,
     .doc = "Do not show a progress bar"},
    {.name = NULL},
};

static error_t gms_plan_parse(int key, char *arg, struct argp_state *state)
{
    gms_plan_args_t *args = state->input;

    switch (key) {
    case GMS_PLAN_KEY_CSV:
        return gms_tool_csv(state, arg, &args->is_csv);
    case GMS_PLAN_KEY_CLUSTER:
        args->cluster = arg;
        return 0;
    case GMS_PLAN_KEY_QUIET:
        args->random.quiet = 1;
        return 0;
    case GMS_PLAN_KEY_TIMING:
        args->random.timing = 1;
        return 0;
    case GMS_PLAN_KEY_RANDOM:
        return gms_tool_number(state, "random", arg, 1, 100000000,
                               &args->random.requests);
    case GMS_PLAN_KEY_SEED:
        return gms_tool_number(state, "seed", arg, 0, UINT64_MAX,
                               &args->random.seed);
    case GMS_PLAN_KEY_BEST_EFFORT:
        return gms_tool_number(state, "best-effort", arg, 0, 100,
                               &args->random.best_effort_percent);
    case GMS_PLAN_KEY_CHANGES:
        return gms_tool_number(state, "changes", arg, 0, 100000000,
                               &args->random.changes);
    case ARGP_KEY_ARG:
        return gms_tool_file(state, arg, &args->path);
    case ARGP_KEY_END:
        if (args->path == NULL && args->random.requests == 0) {
            argp_usage(state);
            return EINVAL;
        }
        if (args->path != NULL && args->random.requests != 0) {
            argp_error(state, "FILE and --random cannot be used together");
            return EINVAL;
        }
        if (args->is_csv && args->random.requests != 0) {
            argp_error(state,
                       "--csv requires FILE; it does not apply to --random");
            return EINVAL;
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- answers ---- */

static void gms_plan_ignore(void *context, const gms_grant_t *grant,
                            uint32_t idt_before)
{
    (void)context;
    (void)grant;
    (void)idt_before;
}

static void gms_plan_place(const gms_topology_t *topology,
                           const gms_flow_request_t *request,
                           const gms_qos_verdict_t *verdict, char *text,
                           size_t text_len)
{
    switch (verdict->criterion) {
    case GMS_QOS_OK:
        text[0] = '\0';
        break;
    case GMS_QOS_LINK:
    case GMS_QOS_BUFFER:
        gms_topology_link_name(topology, verdict->resource, text, text_len);
        break;
    case GMS_QOS_DELAY:
    case GMS_QOS_JITTER:
    case GMS_QOS_LATENCY:
        (void)snprintf(text, text_len, "flow from node %u to node %u",
                       verdict->victim_node + 1,
                       verdict->victim.target_node + 1u);
        break;
    case GMS_QOS_SOURCE_NODE:
    case GMS_QOS_DESTINATION_NODE:
        (void)snprintf(text, text_len, "node %u", verdict->resource + 1);
        break;
    case GMS_QOS_SOURCE_PROCESS:
        (void)snprintf(text, text_len, "node %u port %u",
                       request->source_node + 1, request->key.source_port);
        break;
    case GMS_QOS_DESTINATION_PROCESS:
        (void)snprintf(text, text_len, "node %u port %u",
                       request->key.target_node + 1, request->key.target_port);
        break;
    }
}

static void gms_plan_print_head(int is_csv)
{
    if (is_csv) {
        printf("record,name,from,to,class,result,idt_ticks,bytes_s,criterion,"
               "place,left_bytes_s,latency_s,delay_s,jitter_s\n");
    } else {
        printf("%-12s %5s %5s  %-11s %-8s %7s %9s %9s %9s %9s\n", "request",
               "from", "to", "class", "answer", "IDT", "MB/s", "L", "D", "J");
    }
}

static void gms_plan_print(int is_csv, const gms_plan_flow_t *flow,
                           const char *result, const gms_grant_t *grant)
{
    const gms_flow_request_t *request = &flow->request;
    const char *qos_class = gms_plan_class_name(request->qos_class);

    printf(is_csv ? "request,%s,%u,%u,%s," : "%-12s %5u %5u  %-11s ",
           flow->name, request->source_node + 1, request->key.target_node + 1u,
           qos_class);
    gms_colour_print(stdout,
                     (is_csv || strcmp(result, "denied") != 0) ? GMS_COLOUR_NONE
                                                               : GMS_COLOUR_BAD,
                     is_csv ? 0 : 8, result);
    if (grant != NULL) {
        printf(is_csv ? ",%u,%.0f" : " %7u %9.3f", grant->idt_ticks,
               is_csv ? grant->bandwidth_bytes_s
                      : grant->bandwidth_bytes_s / 1e6);
        if (!is_csv) {
            gms_plan_print_bounds(is_csv, &grant->bounds);
        }
    } else if (is_csv) {
        printf(",,");
    }
}

static void gms_plan_print_denied(int is_csv, const gms_topology_t *topology,
                                  const gms_flow_request_t *request,
                                  const gms_qos_verdict_t *verdict)
{
    char resource[96];

    gms_plan_place(topology, request, verdict, resource, sizeof(resource));
    if (!is_csv && gms_plan_is_bound(verdict->criterion)) {
        gms_plan_print_broken(verdict, request, resource);
    } else if (is_csv) {
        printf(",%s,%s,%.0f", gms_qos_criterion_name(verdict->criterion),
               resource, verdict->left_bytes_s);
    } else {
        printf("  %s: %s has %.3f MB/s left",
               gms_qos_criterion_name(verdict->criterion), resource,
               verdict->left_bytes_s / 1e6);
    }
}

static int gms_plan_ask(int is_csv, const gms_plan_t *plan,
                        const gms_plan_step_t *step, gms_account_t *account,
                        gms_topology_t *topology)
{
    gms_flow_request_t *requests = calloc(step->count, sizeof(*requests));
    gms_qos_verdict_t verdict;
    gms_status_t status;
    size_t i;

    if (requests == NULL) {
        return 0;
    }
    if (plan->flows[step->first].request.qos_class == GMS_QOS_UNMANAGED) {
        gms_plan_print(is_csv, &plan->flows[step->first], "not asked", NULL);
        printf(is_csv ? ",,,,,,\n" : "\n");
        free(requests);
        return 1;
    }
    for (i = 0; i < step->count; ++i) {
        requests[i] = plan->flows[step->first + i].request;
    }
    status = gms_account_request(account, requests, (unsigned)step->count,
                                 gms_plan_ignore, NULL, &verdict);
    for (i = 0; status == GMS_OK && i < step->count; ++i) {
        int granted = (verdict.criterion == GMS_QOS_OK);
        int is_reason = !granted && verdict.request == i;

        const gms_grant_t *grant =
            granted ? gms_account_find(account, requests[i].source_node,
                                       &requests[i].key)
                    : NULL;
        const gms_qos_bounds_t *bounds =
            granted ? &grant->bounds : &verdict.bounds;

        gms_plan_print(
            is_csv, &plan->flows[step->first + i],
            granted ? "granted" : (is_reason ? "denied" : "not asked"), grant);
        if (is_reason) {
            gms_plan_print_denied(is_csv, topology, &requests[i], &verdict);
        } else if (is_csv) {
            printf(",,,");
        }
        if (is_csv) {
            gms_plan_print_bounds(is_csv,
                                  (granted || is_reason) ? bounds : NULL);
        }
        printf("\n");
    }
    free(requests);
    return status == GMS_OK;
}

/** Release a flow. The flow is identified by the last request with the same
 *  name. */
static void gms_plan_release(int is_csv, const gms_plan_t *plan, size_t at,
                             gms_account_t *account)
{
    gms_plan_flow_t flow = plan->flows[at];
    const char *result = "not held";
    size_t i;

    for (i = 0; i < at; ++i) {
        if (strcmp(plan->flows[i].name, flow.name) == 0 &&
            plan->flows[i].request.qos_class != GMS_QOS_UNMANAGED) {
            flow = plan->flows[i];
        }
    }
    if (gms_account_release(account, flow.request.source_node,
                            &flow.request.key, gms_plan_ignore,
                            NULL) == GMS_OK) {
        result = "released";
    }
    gms_plan_print(is_csv, &flow, result, NULL);
    printf(is_csv ? ",,,,,,\n" : "\n");
}

/* ---- final state ---- */

static void gms_plan_print_shares(int is_csv, const gms_plan_t *plan,
                                  const gms_account_t *account)
{
    int any = 0;
    size_t i;

    for (i = 0; i < plan->flow_count; ++i) {
        const gms_plan_flow_t *flow = &plan->flows[i];
        const gms_grant_t *grant = gms_account_find(
            account, flow->request.source_node, &flow->request.key);

        if (grant == NULL || grant->qos_class != GMS_QOS_BEST_EFFORT ||
            flow->request.qos_class != GMS_QOS_BEST_EFFORT) {
            continue;
        }
        if (is_csv) {
            printf("best-effort,%s,%u,%u,best-effort,,%u,%.0f,,,,,,\n",
                   flow->name, grant->source_node + 1,
                   grant->key.target_node + 1u, grant->idt_ticks,
                   grant->bandwidth_bytes_s);
            continue;
        }
        if (!any) {
            printf("\n"
                   "final rates of best effort\n");
            any = 1;
        }
        printf("%-12s %5u %5u  IDT %7u", flow->name, grant->source_node + 1,
               grant->key.target_node + 1u, grant->idt_ticks);
        if (grant->idt_ticks == 0) {
            printf("  not regulated: it shares no node or link with another "
                   "managed flow\n");
        } else {
            printf("  %9.3f MB/s\n", grant->bandwidth_bytes_s / 1e6);
        }
    }
}

typedef struct gms_plan_use {
    uint32_t index;
    double promised, capacity;
} gms_plan_use_t;

/** Insert a node or link into the list, which is sorted by decreasing reserved
 *  bandwidth. If two nodes or links have the same bandwidth, the one that was
 *  inserted first remains first. */
static void gms_plan_rank(gms_plan_use_t fullest[GMS_PLAN_FULLEST],
                          gms_plan_use_t use)
{
    unsigned i;

    for (i = 0; i < GMS_PLAN_FULLEST; ++i) {
        if (use.promised > fullest[i].promised) {
            gms_plan_use_t less = fullest[i];

            fullest[i] = use;
            use = less;
        }
    }
}

static void gms_plan_print_fullest(int is_csv, int are_links,
                                   const gms_account_t *account,
                                   const gms_topology_t *topology)
{
    gms_plan_use_t fullest[GMS_PLAN_FULLEST] = {{0}};
    uint32_t count = are_links ? gms_topology_link_count(topology)
                               : gms_topology_nodes(topology);
    gms_plan_use_t use;
    char name[96];
    unsigned i;

    for (use.index = 0; use.index < count; ++use.index) {
        if (are_links) {
            gms_account_link_use(account, use.index, &use.promised,
                                 &use.capacity);
        } else {
            gms_account_node_use(account, use.index, &use.promised,
                                 &use.capacity);
        }
        gms_plan_rank(fullest, use);
    }
    if (!is_csv && fullest[0].promised > 0) {
        printf("\n"
               "%s with the most promised bandwidth (MB/s promised of MB/s "
               "available)\n",
               are_links ? "links" : "nodes");
    }
    for (i = 0; i < GMS_PLAN_FULLEST && fullest[i].promised > 0; ++i) {
        if (are_links) {
            gms_topology_link_name(topology, fullest[i].index, name,
                                   sizeof(name));
        } else {
            (void)snprintf(name, sizeof(name), "node %u", fullest[i].index + 1);
        }
        if (is_csv) {
            printf("%s,,,,,,,%.0f,,%s,%.0f,,,\n", are_links ? "link" : "node",
                   fullest[i].promised, name,
                   fullest[i].capacity - fullest[i].promised);
        } else {
            printf("%-32s %9.3f of %9.3f\n", name, fullest[i].promised / 1e6,
                   fullest[i].capacity / 1e6);
        }
    }
}

static int gms_plan_answer(int is_csv, const gms_plan_t *plan,
                           gms_account_t *account, gms_topology_t *topology,
                           uint64_t undeclared)
{
    size_t i;

    gms_plan_print_head(is_csv);
    for (i = 0; i < plan->step_count; ++i) {
        if (plan->steps[i].kind == GMS_PLAN_RELEASE) {
            gms_plan_release(is_csv, plan, plan->steps[i].first, account);
        } else if (!gms_plan_ask(is_csv, plan, &plan->steps[i], account,
                                 topology)) {
            fprintf(stderr, "gmsim plan: out of memory\n");
            return GMS_TOOL_REFUSED;
        }
    }
    gms_plan_print_shares(is_csv, plan, account);
    gms_plan_print_fullest(is_csv, 0, account, topology);
    gms_plan_print_fullest(is_csv, 1, account, topology);
    if (!is_csv && undeclared == GMS_UNDECLARED_FREE) {
        printf("\n"
               "The cluster sets `undeclared: free', so the guarantees hold "
               "only against declared traffic.\n");
    }
    return GMS_TOOL_OK;
}

/* ---- the command ---- */

static int gms_plan_on_cluster(const gms_plan_args_t *args,
                               const gms_plan_t *plan,
                               const gms_cluster_t *cluster)
{
    char error[GMS_YAML_ERROR_LEN] = "out of memory";
    gms_topology_t *topology;
    gms_account_t *account;
    gms_arena_t *arena;
    int result = GMS_TOOL_REFUSED;

    if (gms_cluster_build(cluster, &arena, &topology, error) != GMS_OK) {
        fprintf(stderr, "gmsim plan: %s\n", error);
        return result;
    }
    if (gms_account_create(arena, topology, &cluster->params, &account) !=
        GMS_OK) {
        fprintf(stderr, "gmsim plan: out of memory\n");
    } else if (args->random.requests > 0) {
        result = gms_plan_run_random(&args->random, account, topology,
                                     &cluster->params);
    } else if (gms_plan_check(args->path, plan, gms_topology_nodes(topology),
                              (unsigned)cluster->params.gm_ports,
                              error) != GMS_OK) {
        fprintf(stderr, "%s\n", error);
        result = GMS_TOOL_WRONG;
    } else {
        result = gms_plan_answer(args->is_csv, plan, account, topology,
                                 cluster->params.undeclared);
    }
    gms_arena_destroy_private(arena);
    return result;
}

int gms_tool_plan(int argc, char **argv)
{
    const struct argp argp = {
        .options = gms_plan_options,
        .parser = gms_plan_parse,
        .args_doc = "FILE\n--random N",
        .doc = "Predict which bandwidth requests of a list would be granted, "
               "and the resulting rates of best-effort flows.\v"
               "FILE is YAML: `requests:' is a list of flows, such as {from: "
               "1, to: 2, bandwidth: 40 MB/s}, in the order of the requests; "
               "gmqos-plan(5) describes the format. Exit status: 0 the list "
               "was processed; 1 it could not be processed; 2 an invalid file "
               "or invalid usage.\n"
               "Example: gmsim plan --cluster clos.yaml requests.yaml"};
    gms_plan_args_t args = {.random = {.seed = 1}};
    char error[GMS_YAML_ERROR_LEN];
    gms_cluster_t cluster;
    gms_plan_t plan = {.cluster = NULL};
    const char *path;
    int result;

    if (argp_parse(&argp, argc, argv, 0, NULL, &args) != 0) {
        return GMS_TOOL_USAGE;
    }
    path = args.cluster;
    if (args.random.requests == 0) {
        if (gms_plan_load(args.path, &plan, error) != GMS_OK) {
            fprintf(stderr, "%s\n", error);
            return GMS_TOOL_WRONG;
        }
        path = (path != NULL) ? path : plan.cluster;
    }
    if (gms_cluster_load(gms_tool_cluster(path), &cluster, error) != GMS_OK) {
        fprintf(stderr, "%s\n", error);
        gms_plan_clear(&plan);
        return GMS_TOOL_WRONG;
    }
    result = gms_plan_on_cluster(&args, &plan, &cluster);
    gms_cluster_clear(&cluster);
    gms_plan_clear(&plan);
    return result;
}
