/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds the arena, engine, fabric, NICs and managers of a scenario, and
 * answers queries about its flows. standin.c simulates the behaviour of the
 * programs, and watch.c measures a flow.
 */
#include "experiments/scenario.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "nic/inspect.h"
#include "experiments/standin.h"
#include "experiments/watch.h"

struct gms_scenario {
    gms_ctx_t ctx;
    gms_fabric_t *fabric;
    gms_nic_t **nics; /* indexed by node; in the arena */
    gms_manager_t *manager;
    gms_standin_cluster_t *cluster;
    gms_time_t now_ps; /* virtual time up to which the scenario has run */
    /* indexed by node: log of the last gms_scenario_dispatches() */
    gms_dispatch_t **logs;
};

static gms_status_t gms_scenario_build(gms_scenario_t *scenario,
                                       const gms_params_t *params,
                                       const gms_graph_t *graph,
                                       char error[GMS_TOPOLOGY_ERROR_LEN])
{
    gms_ctx_t *ctx = &scenario->ctx;
    gms_params_t *shared = gms_arena_alloc(ctx->arena, sizeof(*shared));
    unsigned node, nodes;
    gms_status_t status;

    if (shared == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    *shared = *params; /* all NICs share this copy */
    status = gms_fabric_create(ctx, params, graph, &scenario->fabric, error);
    if (status != GMS_OK) {
        return status;
    }
    nodes = gms_fabric_nodes(scenario->fabric);
    scenario->nics =
        gms_arena_alloc(ctx->arena, nodes * sizeof(*scenario->nics));
    scenario->logs = calloc(nodes, sizeof(*scenario->logs));
    if (scenario->nics == NULL || scenario->logs == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    for (node = 0; status == GMS_OK && node < nodes; ++node) {
        status = gms_nic_create(ctx, scenario->fabric, shared, node,
                                &scenario->nics[node]);
    }
    if (status == GMS_OK) {
        status = gms_manager_create(ctx, scenario->fabric, scenario->nics,
                                    params, &scenario->manager);
    }
    if (status == GMS_OK) {
        status = gms_standin_create(ctx, params, scenario->nics, nodes,
                                    scenario->manager, &scenario->cluster);
    }
    return status;
}

gms_status_t gms_scenario_create(const gms_params_t *params,
                                 const gms_graph_t *graph,
                                 gms_scenario_t **scenario_p,
                                 char error[GMS_SCENARIO_ERROR_LEN])
{
    gms_scenario_t *scenario = calloc(1, sizeof(*scenario));
    gms_status_t status = GMS_ERR_NO_MEMORY;

    error[0] = '\0';
    if (scenario != NULL) {
        scenario->ctx.self_rank = -1;
        status = gms_arena_create_private(
            gms_params_arena_bytes(params, params->hosts),
            &scenario->ctx.arena);
    }
    if (status == GMS_OK) {
        status = gms_engine_create(scenario->ctx.arena, &scenario->ctx.engine);
    }
    if (status == GMS_OK) {
        gms_fabric_register(&scenario->ctx);
        gms_nic_register(&scenario->ctx);
        gms_manager_register(&scenario->ctx);
        gms_standin_register(&scenario->ctx);
        status = gms_scenario_build(scenario, params, graph, error);
    }
    if (status != GMS_OK) {
        if (error[0] == '\0') {
            snprintf(error, GMS_SCENARIO_ERROR_LEN,
                     "cannot build the cluster in an arena of %llu bytes: %s",
                     (unsigned long long)gms_params_arena_bytes(params,
                                                                params->hosts),
                     gms_status_text(status));
        }
        gms_scenario_destroy(scenario);
        return status;
    }
    *scenario_p = scenario;
    return GMS_OK;
}

void gms_scenario_destroy(gms_scenario_t *scenario)
{
    unsigned node;
    uint32_t flow;

    if (scenario != NULL) {
        for (flow = 0;
             scenario->cluster != NULL && flow < scenario->cluster->flow_count;
             ++flow) {
            gms_flow_watch_destroy(scenario->cluster->flows[flow]->watch);
        }
        for (node = 0; scenario->logs != NULL &&
                       node < gms_fabric_nodes(scenario->fabric);
             ++node) {
            free(scenario->logs[node]);
        }
        free(scenario->logs);
        gms_arena_destroy_private(scenario->ctx.arena);
        free(scenario);
    }
}

uint32_t gms_scenario_add(gms_scenario_t *scenario,
                          const gms_traffic_t *traffic)
{
    return gms_standin_add(&scenario->ctx, scenario->cluster, traffic,
                           scenario->now_ps);
}

void gms_scenario_run(gms_scenario_t *scenario, gms_time_t until_ps)
{
    if (until_ps > scenario->now_ps) {
        gms_engine_run_until(&scenario->ctx, until_ps);
        scenario->now_ps = until_ps;
    }
}

static const gms_standin_flow_t *
gms_scenario_flow(const gms_scenario_t *scenario, uint32_t flow)
{
    assert(flow < scenario->cluster->flow_count);
    return scenario->cluster->flows[flow];
}

void gms_scenario_go(gms_scenario_t *scenario, uint32_t flow, gms_time_t at_ps)
{
    assert(flow < scenario->cluster->flow_count);
    gms_standin_go(&scenario->ctx, scenario->cluster->flows[flow],
                   at_ps < scenario->now_ps ? scenario->now_ps : at_ps);
}

void gms_scenario_end(gms_scenario_t *scenario, uint32_t flow)
{
    assert(flow < scenario->cluster->flow_count);
    gms_standin_end(&scenario->ctx, scenario->cluster->flows[flow]);
}

gms_flow_watch_t *gms_scenario_watch(gms_scenario_t *scenario, uint32_t flow)
{
    gms_standin_flow_t *watched;

    assert(flow < scenario->cluster->flow_count);
    watched = scenario->cluster->flows[flow];
    if (watched->watch == NULL) {
        watched->watch = gms_flow_watch_create();
        watched->flow->seen = watched->watch;
        scenario->ctx.on_tracepoint = gms_flow_watch_on_tracepoint;
        scenario->ctx.is_traced = 1;
    }
    return watched->watch;
}

int gms_scenario_is_sending(const gms_scenario_t *scenario, uint32_t flow)
{
    const gms_standin_flow_t *of = gms_scenario_flow(scenario, flow);

    return of->is_admitted && !of->is_over && !of->traffic.is_held;
}

const gms_grant_t *gms_scenario_grant(const gms_scenario_t *scenario,
                                      uint32_t flow)
{
    const gms_standin_flow_t *of = gms_scenario_flow(scenario, flow);
    const gms_account_t *account = gms_manager_account(scenario->manager);

    return account == NULL
               ? NULL
               : gms_account_find(account, of->traffic.source, &of->key);
}

uint64_t gms_scenario_received_bytes(const gms_scenario_t *scenario,
                                     uint32_t flow)
{
    return gms_scenario_flow(scenario, flow)->flow->bytes_arrived;
}

uint64_t gms_scenario_sent_bytes(const gms_scenario_t *scenario, uint32_t flow)
{
    const gms_flow_t *sent = gms_scenario_flow(scenario, flow)->flow;

    return sent->bytes_sent - sent->bytes_again;
}

void gms_scenario_measure(gms_scenario_t *scenario, gms_time_t from_ps,
                          gms_time_t to_ps, double *bytes_s, unsigned count)
{
    unsigned flow;

    gms_scenario_run(scenario, from_ps);
    for (flow = 0; flow < count; ++flow) {
        bytes_s[flow] = (double)gms_scenario_received_bytes(scenario, flow);
    }
    gms_scenario_run(scenario, to_ps);
    for (flow = 0; flow < count; ++flow) {
        double bytes =
            (double)gms_scenario_received_bytes(scenario, flow) - bytes_s[flow];

        bytes_s[flow] = bytes * (double)GMS_SECOND / (double)(to_ps - from_ps);
    }
}

const gms_qos_call_t *gms_scenario_answer(const gms_scenario_t *scenario,
                                          uint32_t flow)
{
    const gms_qos_call_t *call = gms_scenario_flow(scenario, flow)->call;

    return call != NULL && call->done ? call : NULL;
}

uint32_t gms_scenario_idt(const gms_scenario_t *scenario, uint32_t flow)
{
    return gms_scenario_flow(scenario, flow)->flow->idt_ticks;
}

/* ---- dispatches ----------------------------------------------------------- */

gms_status_t gms_scenario_log_dispatches(gms_scenario_t *scenario,
                                         unsigned node)
{
    return gms_dispatch_keep(&scenario->ctx, scenario->nics[node], UINT64_MAX);
}

typedef struct gms_scenario_copy {
    /* [index of a flow in the NIC]: number of the flow in the scenario */
    const uint32_t *numbers;
    gms_dispatch_t *next;
} gms_scenario_copy_t;

static void gms_scenario_copy_one(void *context,
                                  const gms_dispatch_record_t *record)
{
    gms_scenario_copy_t *copy = context;

    *copy->next++ = (gms_dispatch_t){.rtc = record->rtc,
                                     .flow = copy->numbers[record->flow->index],
                                     .bytes = record->bytes};
}

/* Return a table that contains, for each flow index of a node's NIC, the number
 * of the flow in the scenario. The caller frees the table. */
static uint32_t *gms_scenario_numbers(const gms_scenario_t *scenario,
                                      unsigned node)
{
    const gms_standin_cluster_t *cluster = scenario->cluster;
    uint32_t known = gms_nic_flow_count(scenario->nics[node]);
    uint32_t *numbers = malloc((known + 1) * sizeof(*numbers));
    uint32_t i;

    for (i = 0; numbers != NULL && i < known; ++i) {
        numbers[i] = UINT32_MAX;
    }
    for (i = 0; numbers != NULL && i < cluster->flow_count; ++i) {
        if (cluster->flows[i]->traffic.source == node) {
            numbers[cluster->flows[i]->flow->index] = i;
        }
    }
    return numbers;
}

uint64_t gms_scenario_dispatches(gms_scenario_t *scenario, unsigned node,
                                 const gms_dispatch_t **log_p)
{
    const gms_nic_t *nic = scenario->nics[node];
    uint64_t count = gms_dispatch_count(nic);
    uint32_t *numbers = gms_scenario_numbers(scenario, node);
    gms_scenario_copy_t copy = {
        .numbers = numbers,
        .next = malloc((count + 1) * sizeof(*copy.next)),
    };

    *log_p = NULL;
    if (numbers == NULL || copy.next == NULL) {
        free(numbers);
        free(copy.next);
        return 0;
    }
    free(scenario->logs[node]);
    scenario->logs[node] = copy.next;
    gms_dispatch_walk(nic, gms_scenario_copy_one, &copy);
    free(numbers);
    *log_p = scenario->logs[node];
    return count;
}

/* ---- internals ---- */

gms_ctx_t *gms_scenario_ctx(gms_scenario_t *scenario)
{
    return &scenario->ctx;
}

gms_fabric_t *gms_scenario_fabric(gms_scenario_t *scenario)
{
    return scenario->fabric;
}

gms_nic_t *gms_scenario_nic(gms_scenario_t *scenario, unsigned node)
{
    return scenario->nics[node];
}

gms_manager_t *gms_scenario_manager(gms_scenario_t *scenario)
{
    return scenario->manager;
}

gms_time_t gms_scenario_now(const gms_scenario_t *scenario)
{
    return scenario->now_ps;
}
