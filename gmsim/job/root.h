/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the root object in a job's arena, from which all shared objects are
 * reachable, and assigns ranks to hosts and ports.
 */
#ifndef JOB_ROOT_H
#define JOB_ROOT_H

#include "cluster/cluster.h"
#include "engine/engine.h"
#include "job/binder.h"
#include "job/launch.h"
#include "observe/record.h"
#include "observe/trace.h"
#include "io/io.h"
#include "manager/manager.h"

/** Handlers of the GM library. */
enum gms_gm_handler {
    GMS_GM_ON_LEAVE = GMS_HANDLER_GM, /* a rank has left the job; arg[0] is the
                                       * rank */
    GMS_GM_ON_SET_IDT                 /* set the IDT of a flow; the event's
                                       * object is a gms_idt_order_t */
};

/** The host and the port that a rank uses. */
typedef struct gms_root_place {
    uint32_t host;    /* number of the host, counting from 0; the host's NIC on
                    * unit 0 has the same number */
    uint32_t port;    /* port of that NIC which is reserved for the rank */
    uint32_t is_free; /* 1 if a spawned rank may use the port, because the rank
                       * has closed this port or has left */
} gms_root_slot_t;

typedef struct gms_root {
    gms_params_t params;
    unsigned nodes;      /* array of all NICs, with hosts * units_per_host
                          * elements */
    unsigned size;       /* number of ranks of the job, including spawned
                          * ranks */
    unsigned first_size; /* number of ranks at the start of the job */
    gms_time_t lead_ps;  /* longest time that a rank spent on clock reads and
                          * sleeps before it joined */
    int core;            /* processing unit that all processes of the job share,
                          * as numbered by the operating system, or -1 for any
                          * unit */
    gms_binder_t *binder; /* NULL if the processes are not moved between
                           * processing units */
    gms_engine_t *engine;
    gms_gate_t *gate;
    gms_fabric_t *fabric;
    gms_manager_t *manager;
    gms_io_t *io;           /* NULL if the cluster has no I/O hosts */
    gms_record_t *record;   /* NULL if the run is not recorded */
    gms_trace_t *trace;     /* NULL if the run is not traced */
    gms_root_slot_t *slots; /* array of gms_gate_capacity() elements, indexed by
                             * rank */
    gms_nic_t *nics[];      /* array, indexed by node */
} gms_root_t;

/** An order to a NIC to set the IDT of a flow. The structure is in the arena.
 *  The handler of GMS_GM_ON_SET_IDT frees the structure. */
typedef struct gms_idt_order {
    gms_nic_t *nic;
    gms_flow_key_t key;
    uint32_t idt_ticks;
} gms_idt_order_t;

/** Context of gms_root_build(). */
typedef struct gms_root_plan {
    const gms_cluster_t *cluster;
    unsigned size;
    int is_recorded;
    const gms_trace_config_t *trace; /* NULL if the run is not traced */
} gms_root_plan_t;

/** Return the number of ports of a NIC that programs may open. These ports are
 *  2, 4, 5, 6, 7, 8, and so on [source: GM 1.x: 0 driver, 1 mapper, 3
 *  Ethernet] */
unsigned gms_root_user_ports(const gms_params_t *params);
/** Return the port with the given index among these ports. Indices begin at 0
 *  and follow the ascending order of the ports. */
unsigned gms_root_user_port(unsigned index);
/** Set the name of a rank's host in the gate. */
void gms_root_name_place(gms_root_t *root, unsigned rank);
/** Return 1 if programs may open the port. */
int gms_root_is_user_port(unsigned port);
/**
 * Assign the ranks of a job to hosts and ports. The placement determines the
 * host of each rank. The ports of the NIC that programs may open are assigned
 * to the ranks of a host in rank order.
 * @param [out] slots  array of `size` elements
 * @return GMS_OK, GMS_ERR_NO_MEMORY
 */
gms_status_t gms_root_place(const gms_params_t *params,
                            const gms_placement_t *placement, unsigned size,
                            gms_root_slot_t *slots);
/** Return the node of a host's NIC. Nodes are numbered unit by unit. The first
 *  nodes are unit 0 of all hosts, followed by unit 1 of all hosts, and so on.
 *  If every host has one NIC, hosts and nodes have the same numbers. */
unsigned gms_root_node(const gms_params_t *params, unsigned host,
                       unsigned unit);
unsigned gms_root_host_of(const gms_params_t *params, unsigned node);
unsigned gms_root_unit_of(const gms_params_t *params, unsigned node);

/**
 * Check that the cluster has enough hosts and ports for a job of this size.
 * @return GMS_OK; GMS_ERR_CONFIG: error states the requirement and the
 *         parameters to set
 */
gms_status_t gms_root_check(const gms_params_t *params,
                            const gms_placement_t *placement, unsigned size,
                            char error[GMS_ERROR_LEN]);

/** Build the cluster in a new arena and make it the arena's root. The function
 *  is a gms_job_build_fn. The function's context is a gms_root_plan_t. */
gms_status_t gms_root_build(gms_arena_t *arena, void *context,
                            char error[GMS_ERROR_LEN]);
/** Return the number of additional processes for which the hosts have free
 *  ports. The caller must hold the lock. */
unsigned gms_root_free_ports(const gms_root_t *root);
/**
 * Add ranks to the running job: choose a free port of a host for each rank, and
 * make the gate expect these ranks. The caller must hold the lock and must have
 * its turn.
 *
 * @param [in]  hosts   host of each rank, or GMS_ROOT_ANY_HOST for the host
 *                      with the fewest used ports
 * @param [out] first_p number of the first new rank
 * @param [out] error   reason for a failure, and the allowed values
 * @return GMS_OK, GMS_ERR_NO_MEMORY; after an error, nothing has changed
 */
gms_status_t gms_root_spawn(gms_ctx_t *ctx, gms_root_t *root, unsigned count,
                            const unsigned *hosts, unsigned *first_p,
                            char error[GMS_ERROR_LEN]);
#define GMS_ROOT_ANY_HOST (~0u)
/** Record that a rank has opened or closed its port. */
void gms_root_note_port(gms_root_t *root, unsigned rank, unsigned node,
                        unsigned port, int is_open);
/** Register the event handlers that a process needs to execute the cluster's
 *  events. */
void gms_root_register(gms_ctx_t *ctx);
/** Return a number that identifies the layout of the objects in the arena.
 *  Builds with different layouts return different numbers. */
uint64_t gms_root_layout(void);

/** Close a port of a NIC and reset the state of its driver. The caller must
 *  hold the lock. */
void gms_root_close_port(gms_ctx_t *ctx, unsigned node, unsigned port);
/** Close the ports of a rank that has left or died, and release its
 *  reservations. The caller must hold the lock. The engine calls this function
 *  through the member on_death of gms_ctx_t. */
void gms_root_bury(gms_ctx_t *ctx, unsigned rank);

#endif
