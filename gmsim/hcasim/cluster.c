/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creates and destroys the cluster of one replication: network, HCAs, controls
 * and sources.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hcasim/qos_sim_int.h"

/** Size of the arena: a fixed part, and an additional part for each node. A
 *  node with 16 lanes and the longest possible buffers requires 180 KB. The
 *  arena reserves only address space, because the kernel allocates a page when
 *  the page is first used. */
#define GMS_QOS_SIM_ARENA_BYTES (UINT64_C(8) << 20)
#define GMS_QOS_SIM_NODE_BYTES  (UINT64_C(512) << 10)
/** Number of the first random stream that produces seeds of replications.
 *  Streams with lower numbers belong to the sources of traffic. */
#define GMS_QOS_SIM_SEED_STREAM (UINT64_C(1) << 40)

/* ---- the gate: congestion control and power control ---- */

static int gms_qos_sim_may_post(void *context, uint32_t node,
                                const gms_hca_message_t *message)
{
    gms_qos_sim_t *sim = context;

    return gms_congestion_may_post(sim->congestion, node, message);
}

static int gms_qos_sim_may_enter(void *context, uint32_t node,
                                 const gms_hca_message_t *message)
{
    gms_qos_sim_t *sim = context;

    return gms_congestion_may_enter(sim->congestion, node, message) &&
           (sim->power == NULL ||
            gms_power_may_enter(sim->power, node, message));
}

static void gms_qos_sim_posted(void *context, uint32_t node,
                               const gms_hca_message_t *message)
{
    gms_qos_sim_t *sim = context;

    gms_congestion_posted(sim->congestion, node, message);
}

static void gms_qos_sim_entered(void *context, uint32_t node,
                                const gms_hca_message_t *message)
{
    gms_qos_sim_t *sim = context;

    gms_congestion_entered(sim->congestion, node, message);
    if (sim->power != NULL) {
        gms_power_entered(sim->power, node, message);
    }
}

/* ---- parts ---- */

static gms_status_t gms_qos_sim_create_net(gms_qos_sim_t *sim, char *error)
{
    const gms_qos_sim_options_t *options = &sim->options;
    gms_flit_config_t flit = options->flit;
    gms_params_t params;
    gms_status_t status;

    gms_params_init(&params);
    params.topology = options->topology;
    params.hosts = sim->nodes;
    params.rows = options->rows;
    params.columns = options->columns;
    if (options->topology == GMS_TOPOLOGY_CROSSBAR) {
        params.switch_ports = (sim->nodes > 2) ? sim->nodes : 2;
    }
    flit.seed = sim->seed;
    /* admission requires agents, because agents receive the packets that
     * release reservations */
    flit.agents =
        flit.agents || options->admission || options->connection_cycles > 0;
    status = gms_arena_create_private(GMS_QOS_SIM_ARENA_BYTES +
                                          sim->nodes * GMS_QOS_SIM_NODE_BYTES,
                                      &sim->arena);
    if (status == GMS_OK) {
        status = gms_topology_create_long(sim->arena, &params, NULL,
                                          &sim->topology, error);
    }
    if (status == GMS_OK) {
        status =
            gms_flit_create(sim->arena, sim->topology, &flit, &sim->net, error);
    }
    return status;
}

static gms_status_t gms_qos_sim_create_hcas(gms_qos_sim_t *sim, char *error)
{
    gms_status_t status = GMS_OK;
    unsigned i;

    sim->gate = (gms_hca_gate_t){.may_post = gms_qos_sim_may_post,
                                 .may_enter = gms_qos_sim_may_enter,
                                 .posted = gms_qos_sim_posted,
                                 .entered = gms_qos_sim_entered,
                                 .context = sim};
    sim->busy_words = (sim->nodes + 63) / 64;
    sim->node = calloc(sim->nodes, sizeof(*sim->node));
    sim->hca = calloc(sim->nodes, sizeof(gms_hca_t *));
    sim->busy_hcas = calloc(sim->busy_words, sizeof(*sim->busy_hcas));
    if (sim->node == NULL || sim->hca == NULL || sim->busy_hcas == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    for (i = 0; i < sim->nodes && status == GMS_OK; ++i) {
        status = gms_hca_create(&sim->options.hca, sim->net, i, &sim->gate,
                                &sim->hca[i]);
        sim->node[i].hca = sim->hca[i];
    }
    if (status == GMS_ERR_CONFIG) {
        (void)snprintf(
            error, GMS_QOS_SIM_ERROR_LEN,
            "a parameter of the HCA (such as buffer_messages) is out of range");
    }
    return status;
}

static gms_status_t gms_qos_sim_create_queues(gms_qos_sim_t *sim)
{
    gms_status_t status = GMS_OK;
    unsigned i, j;

    sim->best_queues = gms_congestion_queues(sim->congestion);
    for (i = 0; i < sim->nodes && status == GMS_OK; ++i) {
        gms_qos_sim_node_t *node = &sim->node[i];

        node->best_queue = calloc(sim->best_queues, sizeof(*node->best_queue));
        if (node->best_queue == NULL) {
            return GMS_ERR_NO_MEMORY;
        }
        status = gms_hca_create_pair(node->hca, GMS_LANE_CONTROL, 0,
                                     &node->control_queue.pair);
        for (j = 0; j < sim->best_queues && status == GMS_OK; ++j) {
            status = gms_hca_create_pair(node->hca, GMS_LANE_BEST_EFFORT, 1 + j,
                                         &node->best_queue[j].pair);
        }
    }
    return status;
}

static gms_status_t gms_qos_sim_create_controls(gms_qos_sim_t *sim, char *error)
{
    const gms_qos_sim_options_t *options = &sim->options;
    gms_probe_config_t probe = {.capacity = options->admission_capacity,
                                .control_flits = options->control_flits,
                                .answered = gms_qos_sim_answered,
                                .answered_context = sim};
    gms_status_t status = gms_congestion_create(&options->congestion, sim->net,
                                                &sim->congestion, error);

    if (status == GMS_OK &&
        (options->power.policy != GMS_POWER_NONE || options->measures_power)) {
        status = gms_power_create(&options->power, sim->net, sim->hca,
                                  &sim->power, error);
    }
    if (options->power.policy == GMS_POWER_CREDIT) {
        probe.power_may = gms_power_may_admit;
        probe.power_take = gms_power_take;
        probe.power_give = gms_power_give;
        probe.power_context = sim->power;
    }
    if (status == GMS_OK) {
        status = gms_probe_create(&probe, sim->net, &sim->probe);
    }
    return status;
}

static gms_status_t gms_qos_sim_create_delivery(gms_qos_sim_t *sim)
{
    const gms_qos_sim_options_t *options = &sim->options;
    gms_delivery_config_t config = {
        .nodes = sim->nodes,
        .warm_up_cycles = options->warm_up_cycles,
        .frame_cycles = gms_video_frame_cycles(options->cycle_ps),
        .first = options->first_deadline};

    return gms_delivery_create(&config, &sim->delivery);
}

/* ---- creation and destruction ---- */

gms_status_t gms_qos_sim_create(const gms_qos_sim_options_t *options,
                                unsigned replication, gms_qos_sim_t **sim_p,
                                char error[GMS_QOS_SIM_ERROR_LEN])
{
    gms_qos_sim_t *sim = calloc(1, sizeof(*sim));
    gms_random_t seeds;
    gms_status_t status;

    error[0] = '\0';
    if (sim == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    gms_random_init(&seeds, options->seed,
                    GMS_QOS_SIM_SEED_STREAM + replication);
    sim->options = *options;
    sim->seed = gms_random_u64(&seeds);
    sim->nodes = gms_qos_sim_nodes(options);
    sim->end_cycle = options->warm_up_cycles + options->run_cycles;
    sim->asks_always = options->congestion.policy == GMS_CONGESTION_ALO ||
                       options->congestion.policy == GMS_CONGESTION_SELF_TUNED;
    status = gms_qos_sim_create_net(sim, error);
    if (status == GMS_OK) {
        status = gms_qos_sim_create_hcas(sim, error);
    }
    if (status == GMS_OK) {
        status = gms_qos_sim_create_controls(sim, error);
    }
    if (status == GMS_OK) {
        status = gms_qos_sim_create_queues(sim);
    }
    if (status == GMS_OK) {
        status = gms_qos_sim_create_delivery(sim);
    }
    if (status == GMS_OK) {
        status = gms_qos_sim_traffic_create(sim, error);
    }
    if (status != GMS_OK) {
        gms_qos_sim_destroy(sim);
        return status;
    }
    *sim_p = sim;
    return GMS_OK;
}

void gms_qos_sim_destroy(gms_qos_sim_t *sim)
{
    unsigned i;

    if (sim == NULL) {
        return;
    }
    gms_qos_sim_traffic_destroy(sim);
    gms_delivery_destroy(sim->delivery);
    gms_probe_destroy(sim->probe);
    gms_power_destroy(sim->power);
    gms_congestion_destroy(sim->congestion);
    for (i = 0; sim->node != NULL && i < sim->nodes; ++i) {
        gms_hca_destroy(sim->node[i].hca);
        free(sim->node[i].best_queue);
    }
    free(sim->node);
    free(sim->hca);
    free(sim->busy_hcas);
    gms_qos_sim_packets_destroy(sim);
    if (sim->arena != NULL) {
        /* destroying the arena also frees the network and the topology */
        gms_arena_destroy_private(sim->arena);
    }
    free(sim);
}

/* ---- results ---- */

static gms_status_t gms_qos_sim_collect_power(const gms_qos_sim_t *sim,
                                              gms_qos_sim_sample_t *sample)
{
    const gms_power_config_t *config = &sim->options.power;
    const gms_power_window_t *windows;
    uint64_t count = gms_power_windows(sim->power, &windows), i;

    sample->power_w = gms_power_mean_w(sim->power, sim->options.warm_up_cycles);
    for (i = 0; i < count; ++i) {
        double power_w =
            windows[i].network_w + (config->counts_hca ? windows[i].hca_w : 0);

        if (windows[i].end_cycle >=
                sim->options.warm_up_cycles + config->window_cycles &&
            power_w > sample->power_max_w) {
            sample->power_max_w = power_w;
        }
    }
    /* if memory was exhausted, at least one power window is missing */
    if (count < sim->end_cycle / config->window_cycles) {
        return GMS_ERR_NO_MEMORY;
    }
    if (count == 0) {
        return GMS_OK;
    }
    sample->windows = calloc(count, sizeof(*windows));
    if (sample->windows == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    memcpy(sample->windows, windows, count * sizeof(*windows));
    sample->window_count = count;
    return GMS_OK;
}

gms_status_t gms_qos_sim_collect(gms_qos_sim_t *sim,
                                 gms_qos_sim_sample_t *sample)
{
    unsigned switches = gms_topology_switches(sim->topology), i;

    gms_qos_sim_flush(sim);
    sample->counts = sim->counts;
    sample->probe = *gms_probe_counts(sim->probe);
    gms_delivery_result(sim->delivery, sim->end_cycle, &sample->delivery);
    sample->cycles = sim->end_cycle;
    for (i = 0; i < switches; ++i) {
        sample->flit_hops += gms_flit_switch_counts(sim->net, i)->crossings;
    }
    sample->held_end =
        sim->counts.made - sim->counts.arrived - sim->counts.dropped;
    sample->walked_end = gms_qos_sim_packets_held(sim);
    return (sim->power != NULL) ? gms_qos_sim_collect_power(sim, sample)
                                : GMS_OK;
}
