/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gmsim plan --random: generates random requests, and measures how fast the
 * account decides on them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/random.h"
#include "manager/service.h"
#include "tool/bar.h"
#include "tool/plan.h"
#include "tool/tool.h"

/* Requests are generated in advance, in batches of this size. The measured time
 * therefore includes only the decisions. */
#define GMS_PLAN_BATCH 4096u

typedef struct gms_plan_tally {
    uint64_t granted, denied[GMS_QOS_LATENCY + 1]; /* number of denials for each
                                                      criterion */
    uint64_t best_effort, told;
    double seconds, settle_seconds;
} gms_plan_tally_t;

static double gms_plan_cpu_s(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void gms_plan_count(void *context, const gms_grant_t *grant,
                           uint32_t idt_before)
{
    uint64_t *told = context;

    (void)grant;
    (void)idt_before;
    ++*told;
}

/** Generate one random request. All pairs of nodes have the same probability.
 *  Bandwidths are uniformly distributed between 0 and twice the mean. If all
 *  requests were granted, the flows would use four fifths of the bandwidth of
 *  every node. */
static void gms_plan_draw(gms_random_t *random, const gms_plan_random_t *how,
                          unsigned nodes, double mean_bytes_s, uint64_t number,
                          gms_flow_request_t *request)
{
    *request = (gms_flow_request_t){
        .source_node = (unsigned)gms_random_below(random, nodes),
        .key = {.source_port = 2,
                .target_node = (uint16_t)gms_random_below(random, nodes),
                .target_port = 2,
                .label = (uint32_t)number},
        .qos_class = GMS_QOS_PREMIUM,
        .bytes_s = 2 * mean_bytes_s * gms_random_unit(random)};
    if (gms_random_below(random, 100) < how->best_effort_percent) {
        request->qos_class = GMS_QOS_BEST_EFFORT;
    }
}

/** Add a best-effort flow, but do not share bandwidth yet; the flows share it
 *  once, after the last request. */
static int gms_plan_adopt(gms_account_t *account,
                          const gms_flow_request_t *request,
                          gms_plan_tally_t *tally)
{
    gms_grant_t grant = {.source_node = request->source_node,
                         .key = request->key,
                         .qos_class = request->qos_class};

    ++tally->best_effort;
    ++tally->granted;
    return gms_account_adopt(account, &grant) == GMS_OK;
}

/** Decide on the requests, and count the results.
 *  @return 0 if memory is insufficient */
static int gms_plan_decide(gms_account_t *account, const gms_plan_random_t *how,
                           const gms_flow_request_t *requests, uint64_t count,
                           gms_plan_tally_t *tally)
{
    double begin_s = gms_plan_cpu_s();
    gms_qos_verdict_t verdict;
    uint64_t i;

    for (i = 0; i < count; ++i) {
        if (how->changes > 0 && requests[i].qos_class == GMS_QOS_BEST_EFFORT) {
            if (!gms_plan_adopt(account, &requests[i], tally)) {
                return 0;
            }
            continue;
        }
        if (gms_account_request(account, &requests[i], 1, gms_plan_count,
                                &tally->told, &verdict) != GMS_OK) {
            return 0;
        }
        tally->granted += (verdict.criterion == GMS_QOS_OK);
        tally->denied[verdict.criterion]++;
        tally->best_effort += (requests[i].qos_class == GMS_QOS_BEST_EFFORT);
    }
    tally->seconds += gms_plan_cpu_s() - begin_s;
    return 1;
}

static void gms_plan_print_tally(const gms_plan_random_t *how, unsigned nodes,
                                 const gms_plan_tally_t *tally)
{
    printf("nodes %u, requests %" PRIu64 ", best effort %" PRIu64
           ", granted %" PRIu64 "\n"
           "denied by the source node: %" PRIu64 ", by a link: %" PRIu64
           ", by the destination node: %" PRIu64 "\n"
           "notifications of new IDTs %" PRIu64 "\n",
           nodes, how->requests, tally->best_effort, tally->granted,
           tally->denied[GMS_QOS_SOURCE_NODE], tally->denied[GMS_QOS_LINK],
           tally->denied[GMS_QOS_DESTINATION_NODE], tally->told);
    if (how->timing) {
        printf("decisions took %.3f s of CPU time (%.0f per second)\n",
               tally->seconds, (double)how->requests / tally->seconds);
    }
    if (how->timing && how->changes > 0) {
        printf("computing all shares once took %.3f s of CPU time\n",
               tally->settle_seconds);
    }
}

/** Repeatedly release a random flow and request it again. The function thus
 *  measures the cost of a change while this number of flows exists. */
static int gms_plan_change(const gms_plan_random_t *how, gms_random_t *random,
                           gms_account_t *account, gms_tool_bar_t *bar)
{
    const gms_grant_t **grants = malloc((how->requests + 1) * sizeof(*grants));
    uint64_t count = 0, told = 0, i;
    const gms_grant_t *grant;
    gms_qos_verdict_t verdict;
    uint64_t rates;
    double begin_s, seconds;

    if (grants == NULL) {
        return 0;
    }
    for (grant = gms_account_first(account); grant != NULL;
         grant = grant->next) {
        grants[count++] = grant;
    }
    rates = gms_account_rates(account);
    begin_s = gms_plan_cpu_s();
    for (i = 0; i < how->changes && count > 0; ++i) {
        uint64_t which = gms_random_below(random, count);
        const gms_grant_t *old = grants[which];
        gms_flow_request_t request = {.source_node = old->source_node,
                                      .key = old->key,
                                      .qos_class = old->qos_class,
                                      .bytes_s = old->bandwidth_bytes_s};

        if (gms_account_release(account, request.source_node, &request.key,
                                gms_plan_count, &told) != GMS_OK ||
            gms_account_request(account, &request, 1, gms_plan_count, &told,
                                &verdict) != GMS_OK) {
            break;
        }
        grants[which] =
            gms_account_find(account, request.source_node, &request.key);
        if (grants[which] == NULL) {
            grants[which] = grants[--count]; /* the flow has lost its grant */
        }
        if (i % GMS_PLAN_BATCH == 0) {
            gms_tool_bar_draw(bar,
                              (double)(how->requests + i) /
                                  (double)(how->requests + how->changes),
                              "changes");
        }
    }
    gms_tool_bar_wipe(bar);
    seconds = gms_plan_cpu_s() - begin_s;
    free(grants);
    rates = gms_account_rates(account) - rates;
    printf("releases and requests %" PRIu64
           ", notifications of new IDTs %" PRIu64
           ", changes of best-effort rates %" PRIu64 "\n",
           2 * i, told, rates);
    if (how->timing) {
        printf(
            "%.3f us of CPU time for each change, %.3f us for each new rate\n",
            seconds * 1e6 / (double)(2 * i),
            seconds * 1e6 / (double)(rates > 0 ? rates : 1));
    }
    return i == how->changes;
}

int gms_plan_run_random(const gms_plan_random_t *how, gms_account_t *account,
                        gms_topology_t *topology, const gms_params_t *params)
{
    gms_flow_request_t *batch = malloc(GMS_PLAN_BATCH * sizeof(*batch));
    unsigned nodes = gms_topology_nodes(topology);
    double mean_bytes_s =
        0.4 * gms_service_node_bytes_s(params, how->requests / nodes, 0) *
        nodes / (double)how->requests;
    double all = (double)(how->requests + how->changes);
    gms_plan_tally_t tally = {0};
    gms_random_t random;
    gms_tool_bar_t bar;
    uint64_t done, i;
    double begin_s;

    if (batch == NULL) {
        fprintf(stderr, "gmsim plan: out of memory\n");
        return GMS_TOOL_REFUSED;
    }
    mean_bytes_s = (mean_bytes_s < 20e6) ? mean_bytes_s : 20e6;
    gms_random_init(&random, how->seed, 0);
    gms_tool_bar_init(&bar, how->quiet);
    for (done = 0; done < how->requests; done += i) {
        for (i = 0; i < GMS_PLAN_BATCH && done + i < how->requests; ++i) {
            gms_plan_draw(&random, how, nodes, mean_bytes_s, done + i,
                          &batch[i]);
        }
        if (!gms_plan_decide(account, how, batch, i, &tally)) {
            fprintf(stderr, "gmsim plan: out of memory\n");
            free(batch);
            return GMS_TOOL_REFUSED;
        }
        gms_tool_bar_draw(&bar, (double)(done + i) / all, "requests");
    }
    gms_tool_bar_wipe(&bar);
    free(batch);
    begin_s = gms_plan_cpu_s();
    (void)gms_account_settle(account, gms_plan_count, &tally.told);
    tally.settle_seconds = gms_plan_cpu_s() - begin_s;
    gms_plan_print_tally(how, nodes, &tally);
    if (how->changes > 0 && !gms_plan_change(how, &random, account, &bar)) {
        fprintf(stderr, "gmsim plan: out of memory\n");
        return GMS_TOOL_REFUSED;
    }
    return GMS_TOOL_OK;
}
