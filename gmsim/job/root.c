/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds the simulated cluster in the arena (engine, fabric, NICs, managers,
 * trace buffers), and checks that the hosts have room for all ranks. This file
 * also cleans up the ports and flows of a rank that leaves or dies.
 */
#include "job/root.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "engine/gate.h"
#include "job/bind.h"
#include "job/fault.h"
#include "nic/flow.h"

/* Increase this number if the meaning of an object in the arena changes but its
 * size does not. */
#define GMS_ROOT_LAYOUT 9u

unsigned gms_root_user_port(unsigned index)
{
    return index == 0 ? 2 : index + GMS_RESERVED_PORTS;
}

unsigned gms_root_user_ports(const gms_params_t *params)
{
    return (unsigned)params->gm_ports - GMS_RESERVED_PORTS;
}

int gms_root_is_user_port(unsigned port)
{
    return port == 2 || (port > GMS_RESERVED_PORTS && port < GMS_NIC_MAX_PORTS);
}

gms_status_t gms_root_place(const gms_params_t *params,
                            const gms_placement_t *placement, unsigned size,
                            gms_root_slot_t *slots)
{
    unsigned char *used = calloc(params->hosts, sizeof(*used));
    unsigned rank;

    if (used == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    for (rank = 0; rank < size; ++rank) {
        slots[rank].host = gms_placement_host(params, placement, rank);
        slots[rank].port = gms_root_user_port(used[slots[rank].host]++);
    }
    free(used);
    return GMS_OK;
}

unsigned gms_root_node(const gms_params_t *params, unsigned host, unsigned unit)
{
    return unit * (unsigned)params->hosts + host;
}

unsigned gms_root_host_of(const gms_params_t *params, unsigned node)
{
    return node % (unsigned)params->hosts;
}

unsigned gms_root_unit_of(const gms_params_t *params, unsigned node)
{
    return node / (unsigned)params->hosts;
}

/* Return the maximum number of hosts that the topology permits. A crossbar has
 * a limited number of ports. Other topologies can use more switches. */
static uint64_t gms_root_most_hosts(const gms_params_t *params)
{
    return params->topology == GMS_TOPOLOGY_CROSSBAR
               ? params->switch_ports / params->units_per_host
               : gms_param_find("hosts")->max;
}

/* Check the number of ranks if the placement lists the hosts of the ranks. The
 * hosts and ports of the list were already checked when the list was
 * created. */
static gms_status_t gms_root_check_listed(const gms_placement_t *placement,
                                          unsigned size,
                                          char error[GMS_ERROR_LEN])
{
    if (size <= placement->count) {
        return GMS_OK;
    }
    snprintf(error, GMS_ERROR_LEN,
             "the job has %u ranks, but the placement in the cluster "
             "description (GMSIM_CLUSTER) has hosts for only %u %s; add "
             "hosts, or place the ranks with mpirun -hosts or -ppn",
             size, placement->count,
             gms_plural(placement->count, "rank", "ranks"));
    return GMS_ERR_CONFIG;
}

gms_status_t gms_root_check(const gms_params_t *params,
                            const gms_placement_t *placement, unsigned size,
                            char error[GMS_ERROR_LEN])
{
    unsigned hosts = (unsigned)params->hosts;
    unsigned ranks = (unsigned)params->ranks_per_host;
    unsigned ports = gms_root_user_ports(params);

    if (params->qos_master > hosts) {
        snprintf(error, GMS_ERROR_LEN,
                 "qos_master places the master manager on node %llu, but the "
                 "cluster has %u %s; set qos_master to 1..%u or hosts to at "
                 "least %llu in the cluster description",
                 (unsigned long long)params->qos_master, hosts,
                 gms_plural(hosts, "host", "hosts"), hosts,
                 (unsigned long long)params->qos_master);
        return GMS_ERR_CONFIG;
    }
    if (placement->count != 0) {
        return gms_root_check_listed(placement, size, error);
    }
    if (ranks > ports) {
        snprintf(error, GMS_ERROR_LEN,
                 "ranks_per_host is %u, but a NIC has only %u ports for "
                 "programs; set ranks_per_host to at most %u or gm_ports to at "
                 "least %u in the cluster description",
                 ranks, ports, ports,
                 ranks + GMS_RESERVED_PORTS < GMS_NIC_MAX_PORTS
                     ? ranks + GMS_RESERVED_PORTS
                     : GMS_NIC_MAX_PORTS);
        return GMS_ERR_CONFIG;
    }
    if (size > hosts * ranks) {
        unsigned more_hosts = (size + ranks - 1) / ranks;
        int length = snprintf(
            error, GMS_ERROR_LEN,
            "the job has %u ranks, but the cluster has room for %u (%u %s with "
            "%u %s each); set ranks_per_host to at least %u",
            size, hosts * ranks, hosts, gms_plural(hosts, "host", "hosts"),
            ranks, gms_plural(ranks, "rank", "ranks"),
            (size + hosts - 1) / hosts);

        if (more_hosts <= gms_root_most_hosts(params)) {
            length += snprintf(error + length, GMS_ERROR_LEN - (size_t)length,
                               " or hosts to at least %u", more_hosts);
        }
        snprintf(error + length, GMS_ERROR_LEN - (size_t)length,
                 " in the cluster description (GMSIM_CLUSTER), or place the "
                 "ranks with mpirun -ppn");
        return GMS_ERR_CONFIG;
    }
    return GMS_OK;
}

static gms_status_t gms_root_build_nodes(gms_ctx_t *ctx, gms_root_t *root,
                                         const gms_cluster_t *cluster,
                                         char error[GMS_TOPOLOGY_ERROR_LEN])
{
    gms_status_t status = gms_fabric_create(ctx, &root->params, &cluster->graph,
                                            &root->fabric, error);
    unsigned node;

    for (node = 0; status == GMS_OK && node < root->nodes; ++node) {
        status = gms_nic_create(ctx, root->fabric, &root->params, node,
                                &root->nics[node]);
    }
    if (status == GMS_OK) {
        status = gms_manager_create(ctx, root->fabric, root->nics,
                                    &root->params, &root->manager);
    }
    if (status == GMS_OK && cluster->io.count > 0) {
        status = gms_io_create(ctx, root->nics, root->manager, &root->params,
                               cluster->io.hosts, cluster->io.count, &root->io);
    }
    return status;
}

static void gms_root_name_places(gms_root_t *root)
{
    unsigned rank;

    for (rank = 0; rank < root->size; ++rank) {
        gms_root_name_place(root, rank);
    }
}

static gms_status_t gms_root_trace(gms_arena_t *arena, gms_root_t *root,
                                   const gms_trace_config_t *config,
                                   char why[GMS_TOPOLOGY_ERROR_LEN])
{
    gms_trace_slot_t *slots =
        gms_arena_alloc(arena, root->size * sizeof(*slots));
    gms_trace_subject_t subject = {.ranks = root->size,
                                   .nodes = root->nodes,
                                   .ports = (unsigned)root->params.gm_ports,
                                   .slots = slots,
                                   .fabric = root->fabric};
    gms_status_t status;
    unsigned rank;

    if (slots == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    for (rank = 0; rank < root->size; ++rank) {
        slots[rank].node = root->slots[rank].host;
        slots[rank].port = root->slots[rank].port;
    }
    status = gms_trace_create(arena, config, &subject, &root->trace);
    if (status == GMS_ERR_SYSTEM) {
        snprintf(why, GMS_TOPOLOGY_ERROR_LEN,
                 "environment variable GMSIM_TRACE: cannot write the trace: %s",
                 errno == EWOULDBLOCK ? "another job is writing the same trace"
                                      : strerror(errno));
        status = GMS_ERR_CONFIG;
    }
    return status;
}

/* Return 1 if the processes are bound to one processor. In time modes that
 * measure the work of the programs, processes are not bound, because the ranks
 * should work at the same time. */
static int gms_root_is_bound(const gms_params_t *params)
{
    return params->binding == GMS_BINDING_CORE ||
           (params->binding == GMS_BINDING_AUTO &&
            (params->time == GMS_TIME_VIRTUAL ||
             params->time == GMS_TIME_RECORDED));
}

/* Allocate the root and its host slots, and place the ranks. */
static gms_status_t gms_root_create(gms_arena_t *arena,
                                    const gms_root_plan_t *plan,
                                    gms_root_t **root_p)
{
    const gms_params_t *params = &plan->cluster->params;
    unsigned nodes = (unsigned)(params->hosts * params->units_per_host);
    gms_root_t *root =
        gms_arena_alloc(arena, sizeof(*root) + nodes * sizeof(root->nics[0]));

    if (root == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    root->nodes = nodes;
    root->slots = gms_arena_alloc(arena, (plan->size + params->mpi_spawn_most) *
                                             sizeof(root->slots[0]));
    if (root->slots == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    root->params = *params;
    root->size = plan->size;
    root->first_size = plan->size;
    root->core = -1;
    *root_p = root;
    return gms_root_place(params, &plan->cluster->placement, root->size,
                          root->slots);
}

/* Build the engine, the network, the gate and the observers.
 * @param [out] why  the reason, if the status is GMS_ERR_CONFIG */
static gms_status_t gms_root_build_parts(gms_arena_t *arena, gms_root_t *root,
                                         const gms_root_plan_t *plan,
                                         char why[GMS_TOPOLOGY_ERROR_LEN])
{
    gms_ctx_t ctx = {.arena = arena, .self_rank = -1};
    gms_status_t status;

    gms_root_register(&ctx);
    status = gms_engine_create(arena, &root->engine);
    if (status == GMS_OK) {
        ctx.engine = root->engine;
        status = gms_root_build_nodes(&ctx, root, plan->cluster, why);
    }
    if (status == GMS_OK) {
        status = gms_gate_create_spare(arena, root->size,
                                       (unsigned)root->params.mpi_spawn_most,
                                       &root->gate);
    }
    if (status == GMS_OK && plan->is_recorded) {
        status = gms_record_create(arena, root->engine, root->gate,
                                   root->fabric, &root->record);
    }
    if (status == GMS_OK && plan->trace != NULL) {
        status = gms_root_trace(arena, root, plan->trace, why);
    }
    if (status == GMS_OK) {
        gms_root_name_places(root);
    }
    if (status == GMS_OK) {
        status = gms_fault_install(&ctx, &plan->cluster->faults);
    }
    return status;
}

/* Choose the processor on which all ranks run, if the parameters ask for it. */
static void gms_root_bind(gms_arena_t *arena, gms_root_t *root)
{
    if (gms_root_is_bound(&root->params) && root->size > 1) {
        root->core = gms_bind_choose();
    }
    if (root->params.binding == GMS_BINDING_AUTO && root->core >= 0 &&
        gms_binder_create(arena, root->core, gms_gate_capacity(root->gate),
                          &root->binder) != GMS_OK) {
        root->binder = NULL; /* without the binder, the run is only slower */
    }
}

gms_status_t gms_root_build(gms_arena_t *arena, void *context,
                            char error[GMS_ERROR_LEN])
{
    const gms_root_plan_t *plan = context;
    const gms_params_t *params = &plan->cluster->params;
    gms_root_t *root = NULL;
    char why[GMS_TOPOLOGY_ERROR_LEN] = "";
    gms_status_t status = gms_root_create(arena, plan, &root);

    if (status == GMS_OK) {
        status = gms_root_build_parts(arena, root, plan, why);
    }
    if (status == GMS_ERR_CONFIG) {
        snprintf(error, GMS_ERROR_LEN, "cannot build the cluster: %s", why);
        return status;
    }
    if (status != GMS_OK) {
        snprintf(error, GMS_ERROR_LEN,
                 "cannot build the cluster in an arena of %llu bytes: %s",
                 (unsigned long long)gms_params_arena_bytes(params, plan->size),
                 gms_status_text(status));
        return status;
    }
    gms_gate_set_time(root->gate, (enum gms_time_mode)params->time,
                      params->time_factor_ppm);
    gms_root_bind(arena, root);
    gms_arena_set_root(arena, root);
    return GMS_OK;
}

/* Clean up after a rank that leaves the job. The clean-up is an event, because
 * a rank's ports and flows must change at the rank's virtual time, and not at a
 * time that depends on real time. */
static void gms_root_on_leave(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_root_bury(ctx, (unsigned)event->arg[0]);
}

static void gms_root_on_set_idt(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_idt_order_t *order = event->object;
    gms_status_t status =
        gms_nic_set_idt(ctx, order->nic, &order->key, order->idt_ticks);

    if (status != GMS_OK) {
        gms_fatal(ctx, "cannot set an inter-packet dispatch time: %s",
                  gms_status_text(status));
    }
    gms_arena_free(ctx->arena, order);
}

void gms_root_register(gms_ctx_t *ctx)
{
    gms_gate_register(ctx);
    gms_fabric_register(ctx);
    gms_nic_register(ctx);
    gms_manager_register(ctx);
    gms_io_register(ctx);
    gms_fault_register(ctx);
    ctx->handlers[GMS_GM_ON_LEAVE] = gms_root_on_leave;
    ctx->handlers[GMS_GM_ON_SET_IDT] = gms_root_on_set_idt;
    ctx->on_death = gms_root_bury;
}

uint64_t gms_root_layout(void)
{
    /* Return the FNV-1a hash of the sizes of the objects in the arena whose
     * types are visible in this file. */
    static const uint64_t sizes[] = {
        GMS_ROOT_LAYOUT,          sizeof(gms_root_t),
        sizeof(gms_params_t),     sizeof(gms_event_t),
        sizeof(gms_host_event_t), sizeof(gms_send_desc_t),
        sizeof(gms_recv_desc_t),  sizeof(struct gms_flow),
        sizeof(gms_token_t),      sizeof(gms_worm_t),
        sizeof(gms_qos_call_t),   sizeof(struct gms_grant),
        GMS_HANDLER_MAX,
    };
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    size_t index;

    for (index = 0; index < sizeof(sizes) / sizeof(sizes[0]); ++index) {
        hash = (hash ^ sizes[index]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

void gms_root_close_port(gms_ctx_t *ctx, unsigned node, unsigned port)
{
    gms_root_t *root = gms_arena_root(ctx->arena);
    gms_port_driver_t *driver = gms_nic_port_driver(root->nics[node], port);

    gms_nic_close_port(ctx, root->nics[node], port);
    if (driver != NULL) {
        *driver = (gms_port_driver_t){.watches = driver->watches};
    }
}

void gms_root_bury(gms_ctx_t *ctx, unsigned rank)
{
    gms_root_t *root = gms_arena_root(ctx->arena);
    unsigned host = root->slots[rank].host;
    unsigned node, port;

    for (node = host; node < root->nodes;
         node += (unsigned)root->params.hosts) {
        for (port = 0; port < root->params.gm_ports; ++port) {
            if (gms_nic_port_owner(root->nics[node], port) == (int)rank) {
                gms_root_close_port(ctx, node, port);
            }
        }
    }
    gms_manager_release_rank(ctx, root->manager, rank);
    root->slots[rank].is_free = 1;
}
