/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The root object in a job's arena, from which all shared objects are
 * reachable, and the assignment of ranks to hosts and ports.
 */
#ifndef JOB_ROOT_H
#define JOB_ROOT_H

#include "cluster/cluster.h"
#include "engine/engine.h"
#include "job/launch.h"
#include "observe/record.h"
#include "observe/trace.h"
#include "manager/manager.h"

/** Handlers of the GM library. */
enum gms_gm_handler {
    GMS_GM_ON_LEAVE = GMS_HANDLER_GM, /* a rank is gone; arg[0]: rank */
    GMS_GM_ON_SET_IDT                 /* object: gms_idt_order_t */
};

/** What the driver of a host knows of a port that is open. */
typedef struct gms_root_port {
    uint64_t registered_pages; /* each counted once */
    uint64_t remote_access;    /* gm_allow_remote_memory_access() */
    uint64_t watches;          /* ever, whoever had it open: a notice for an
                                  earlier one may be on its way */
} gms_root_port_t;

/** Where a rank sits. */
typedef struct gms_root_place {
    uint32_t host; /* 0-based; its card on unit 0 has the same number */
    uint32_t port; /* set aside for the rank on that card */
} gms_root_slot_t;

typedef struct gms_root {
    gms_params_t params;
    unsigned nodes; /* cards: hosts * units_per_host */
    unsigned size;  /* ranks of the job */
    int core;       /* where all its processes run, -1 for anywhere: the
                       system's number of a processing unit */
    gms_engine_t *engine;
    gms_gate_t *gate;
    gms_fabric_t *fabric;
    gms_manager_t *manager;
    gms_record_t *record;   /* NULL: the run is not recorded */
    gms_trace_t *trace;     /* NULL: .. not traced */
    gms_root_slot_t *slots; /* by rank */
    gms_root_port_t *ports; /* GMS_NIC_MAX_PORTS of each node */
    gms_nic_t *nics[];      /* by node */
} gms_root_t;

/** A flow's new IDT on its way to its NIC; in the arena, freed on arrival. */
typedef struct gms_idt_order {
    gms_nic_t *nic;
    gms_flow_key_t key;
    uint32_t idt_ticks;
} gms_idt_order_t;

/** What gms_root_build() needs, as its context. */
typedef struct gms_root_plan {
    const gms_cluster_t *cluster;
    unsigned size;
    int is_recorded;
    const gms_trace_config_t *trace; /* NULL: nothing is traced */
} gms_root_plan_t;

/** Ports of a NIC that programs may open: 2, 4, 5, 6, 7, 8, ..
 *  [source: GM 1.x: 0 driver, 1 mapper, 3 Ethernet] */
unsigned gms_root_user_ports(const gms_params_t *params);
/** 1 if programs may open the port. */
int gms_root_is_user_port(unsigned port);
/**
 * Places of a job's ranks: the hosts that the placement says; of each card, the
 * ports for programs in the order of the ranks.
 * @param [out] slots  size of them
 * @return GMS_OK, GMS_ERR_NO_MEMORY
 */
gms_status_t gms_root_place(const gms_params_t *params,
                            const gms_placement_t *placement, unsigned size,
                            gms_root_slot_t *slots);
/** Nodes are cards: first unit 0 of all hosts, then unit 1 of all, .. so that
 *  with one card in each, hosts and nodes have the same numbers. */
unsigned gms_root_node(const gms_params_t *params, unsigned host,
                       unsigned unit);
unsigned gms_root_host_of(const gms_params_t *params, unsigned node);
unsigned gms_root_unit_of(const gms_params_t *params, unsigned node);
/** Driver's knowledge of a port. */
gms_root_port_t *gms_root_port(gms_root_t *root, unsigned node, unsigned port);

/**
 * Does a job of this size have room in the cluster?
 * @return GMS_OK; GMS_ERR_CONFIG with what is needed and what to set in error
 */
gms_status_t gms_root_check(const gms_params_t *params,
                            const gms_placement_t *placement, unsigned size,
                            char error[GMS_ERROR_LEN]);

/** Build the cluster in a fresh arena and make it the root; a
 *  gms_job_build_fn. context is a gms_root_plan_t. */
gms_status_t gms_root_build(gms_arena_t *arena, void *context,
                            char error[GMS_ERROR_LEN]);
/** Make a process able to run the cluster's events. */
void gms_root_register(gms_ctx_t *ctx);
/** Tells apart builds whose objects in the arena differ. */
uint64_t gms_root_layout(void);

/** Close a port of a card and forget what its driver knew of it; lock held. */
void gms_root_close_port(gms_ctx_t *ctx, unsigned node, unsigned port);
/** A rank is gone, in peace or not: close its ports, release what it held. Lock
 *  held; a gms_ctx_t's on_death. */
void gms_root_bury(gms_ctx_t *ctx, unsigned rank);

#endif
