/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements message buffers whose memory is allocated when they are first used
 * (nic/pool.h). The cost in virtual time and the limit of registered memory are
 * the same as for buffers from gm_dma_malloc().
 */
#include "gm/port.h"
#include "gmsim.h"

/* GM size classes of the shortest and the longest buffer. */
#define GMS_POOL_LEAST_SIZE 6u
#define GMS_POOL_MOST_SIZE  24u

gm_status_t gmsim_pool_buffers(struct gm_port *port, unsigned count,
                               unsigned size)
{
    gm_status_t status = GM_OUT_OF_MEMORY;
    gm_size_t bytes;
    gms_sim_t *sim;

    if (!gms_port_is_open(port) || count == 0 || size < GMS_POOL_LEAST_SIZE ||
        size > GMS_POOL_MOST_SIZE) {
        return GM_INVALID_PARAMETER;
    }
    sim = port->sim;
    bytes = (gm_size_t)count << size;
    gms_sim_begin_turn(sim);
    if (gms_memory_may_pin(port, bytes)) {
        status = gms_sim_status(gms_nic_open_pool(
            &sim->ctx, port->nic, port->number, UINT64_C(1) << size));
    }
    if (status == GM_SUCCESS) {
        port->driver->registered_pages +=
            (bytes + GM_PAGE_LEN - 1) / GM_PAGE_LEN;
    }
    gms_sim_end(sim, status == GM_SUCCESS ? gms_memory_cost_ps(sim, bytes) : 0);
    return status;
}

void *gmsim_take_buffer(struct gm_port *port)
{
    gms_sim_t *sim;
    uint64_t address;

    if (!gms_port_is_open(port)) {
        return NULL;
    }
    sim = port->sim;
    gms_gate_lock(&sim->ctx);
    address = gms_nic_take_pooled(&sim->ctx, port->nic, port->number);
    gms_gate_unlock(&sim->ctx);
    return (void *)(uintptr_t)address;
}
