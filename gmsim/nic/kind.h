/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Kinds of NICs. A kind determines when a NIC does its work, and which of its
 * parts work at the same time. All kinds have the same ports, tokens, flows,
 * schedulers, connections, packets and events, and each step has the same
 * effect on them (nic/step.h). Programs, managers and observers therefore use
 * every kind in the same way.
 *
 *   lanai  one processor executes all steps, one after the other; one host DMA
 *          engine serves both directions (lanai.c, host_dma.c, mcp_*.c)
 *   hca    each step has its own hardware; steps of different packets overlap,
 *          and the two directions share no part of the NIC (hca*.c)
 *
 * The parameter nic_kind selects the kind of all NICs by number, because an
 * arena must not contain code pointers.
 */
#ifndef NIC_KIND_H
#define NIC_KIND_H

#include "engine/engine.h"
#include "fabric/fabric.h"
#include "nic/nic.h"

struct gms_nic_port;
struct gms_post;
typedef struct gms_hca gms_hca_t; /* declared in hca.h; stored in the arena */

/** Largest number of DMA writes that an hca NIC can have in flight. Writes on
 *  the host's bus are posted: the NIC waits for no answer. The number must only
 *  be large enough to cover the latency of a write. [assumed: 16 packets of 4
 *  KB take 5 us on a bus of 13 GB/s] */
#define GMS_HCA_WRITES 16u
/** Length of the RDMA extended header on hca NICs: address, key and length.
 *  [source: InfiniBand Architecture Specification, volume 1, 9.3.1] */
#define GMS_RETH_BYTES 16u

typedef struct gms_nic_kind_ops {
    const char *name;
    /** Create the state of the kind. All other state of the NIC exists already.
     *  @return GMS_OK, GMS_ERR_NO_MEMORY */
    gms_status_t (*create)(gms_ctx_t *ctx, gms_nic_t *nic);
    /** Look for work in all parts of the NIC and start it. The NIC calls this
     *  function after every event that may have created work. The function may
     *  be called again while it is already running. */
    void (*kick)(gms_ctx_t *ctx, gms_nic_t *nic);
    /** A descriptor has arrived in the NIC. The function takes ownership of the
     *  descriptor, and is responsible for calling kick(). */
    void (*posted)(gms_ctx_t *ctx, gms_nic_t *nic, struct gms_nic_port *port,
                   struct gms_post *post);
    /** The NIC is being reset: return all transfers in progress to the queues
     *  that all kinds share. Only this kind knows its transfers in progress. */
    void (*abort)(gms_ctx_t *ctx, gms_nic_t *nic);
    /* handlers of events of the fabric, enum gms_nic_handler */
    uint32_t on_sent, on_arrived;
} gms_nic_kind_ops_t;

extern const gms_nic_kind_ops_t gms_nic_lanai_ops, gms_nic_hca_ops;
/** Operations of all kinds, indexed by enum gms_nic_kind. */
extern const gms_nic_kind_ops_t *const gms_nic_kinds[];

#endif
