/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Manages the memory of GM programs. This file registers pages with the NIC up
 * to the host's limit, allocates DMA memory from the arena, and copies data
 * from another process of the host (gm_directcopy_get()). This file also
 * allocates plain memory. The NIC's page table is in nic/memory.c.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/copy.h"
#include "job/dma.h"
#include "gm/port.h"
#include "gmsim.h"

/* Number of bytes of a page in the NIC's page table. [source: GM on 32-bit
 * hosts] */
#define GMS_MEMORY_PAGE 4096u
/* Number of pages that one call to mincore() checks. */
#define GMS_MEMORY_LOOK 4096u

unsigned long GM_PAGE_LEN = GMS_MEMORY_PAGE;

/* The cost depends only on the length, because the virtual time of a run must
 * not depend on addresses. */
gms_time_t gms_memory_cost_ps(const gms_sim_t *sim, gm_size_t length)
{
    const gms_params_t *params = &sim->root->params;
    uint64_t pages = length / GMS_MEMORY_PAGE + (length % GMS_MEMORY_PAGE != 0);

    return params->host_register_ps + pages * params->host_register_page_ps;
}

/* ---- Usable memory ----------------------------------------------------- */

static int gms_memory_is_range(const void *address, gm_size_t length)
{
    return address != NULL && length > 0 &&
           length <= UINTPTR_MAX - GMS_MEMORY_PAGE &&
           (uintptr_t)address <= UINTPTR_MAX - GMS_MEMORY_PAGE - length;
}

int gms_memory_is_mapped(const void *address, gm_size_t length)
{
    unsigned char resident[GMS_MEMORY_LOOK];
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t next = (uintptr_t)address / page * page;
    uintptr_t end = (uintptr_t)address + length;

    while (next < end) {
        uintptr_t bytes = end - next;

        if (bytes > GMS_MEMORY_LOOK * page) {
            bytes = GMS_MEMORY_LOOK * page;
        }
        if (mincore((void *)next, bytes, resident) != 0) {
            return 0;
        }
        next += GMS_MEMORY_LOOK * page;
    }
    return 1;
}

/* Return 1 if the port may use the memory. The arena contains the state of the
 * simulated cluster, which a message must not overwrite. The port may use DMA
 * memory in the arena, but no other memory in the arena. The port may use any
 * mapped memory outside the arena. */
int gms_memory_is_usable(const struct gm_port *port, const void *address,
                         gm_size_t length)
{
    const gms_sim_t *sim = port->sim;
    uintptr_t start = (uintptr_t)address;

    const gms_params_t *params = &sim->root->params;
    uint64_t arena_bytes = gms_params_arena_bytes(params, sim->root->size);

    if (start < GMS_ARENA_ADDRESS + arena_bytes &&
        start + length > GMS_ARENA_ADDRESS) {
        return gms_dma_owns(sim, address, length);
    }
    return gms_memory_is_mapped(address, length);
}

/* Return 1 if the port may use memory that gmsim_pin_memory() registers. The
 * most recently checked ranges are assumed to be still mapped, because a check
 * takes longer than simulating a packet. */
static int gms_memory_may_use(struct gm_port *port, const void *address,
                              gm_size_t length)
{
    uint64_t start = (uintptr_t)address;

    if (gms_ranges_contain(&port->mapped, start, start + length)) {
        return 1;
    }
    if (!gms_memory_is_usable(port, address, length)) {
        return 0;
    }
    gms_ranges_add(&port->mapped, start, start + length);
    return 1;
}

/* ---- Registration ------------------------------------------------------ */

/* Return how many pages of a range are registered with the port. */
static uint64_t gms_memory_count(const struct gm_port *port, uintptr_t address,
                                 gm_size_t length)
{
    uintptr_t page = address / GMS_MEMORY_PAGE;
    uintptr_t last = (address + length - 1) / GMS_MEMORY_PAGE;
    uint64_t count = 0;

    for (; page <= last; ++page) {
        count += gms_nic_is_registered(port->nic, port->number,
                                       page * GMS_MEMORY_PAGE, 1) != 0;
    }
    return count;
}

static uint64_t gms_memory_pages(uintptr_t address, gm_size_t length)
{
    return (address + length - 1) / GMS_MEMORY_PAGE -
           address / GMS_MEMORY_PAGE + 1;
}

/* Return the number of pages that all ports of the host have registered. */
static uint64_t gms_memory_of_host(const gms_sim_t *sim)
{
    const gms_root_t *root = sim->root;
    uint64_t pages = 0;
    unsigned node, number;

    for (node = sim->node; node < root->nodes;
         node += (unsigned)root->params.hosts) {
        for (number = 0; number < root->params.gm_ports; ++number) {
            const gms_port_driver_t *driver =
                gms_nic_port_driver(root->nics[node], number);

            pages += driver != NULL ? driver->registered_pages : 0;
        }
    }
    return pages;
}

int gms_memory_may_pin(const struct gm_port *port, gm_size_t length)
{
    const gms_sim_t *sim = port->sim;
    uint64_t most = sim->root->params.gm_registered_bytes / GMS_MEMORY_PAGE;
    uint64_t pages = gms_memory_pages(0, length);

    return pages <= most && pages <= most - gms_memory_of_host(sim);
}

/* Register memory unless the host's limit would be exceeded. Call this function
 * only when it is the caller's turn (engine/gate.h). */
static gms_status_t gms_memory_pin(struct gm_port *port, uintptr_t address,
                                   gm_size_t length)
{
    gms_sim_t *sim = port->sim;
    uint64_t most = sim->root->params.gm_registered_bytes / GMS_MEMORY_PAGE;
    uint64_t pages = gms_memory_pages(address, length);
    uint64_t before = gms_nic_registered_pages(port->nic, port->number);
    uint64_t left = most - gms_memory_of_host(sim);
    gms_status_t status;

    if (pages > most) {
        return GMS_ERR_NO_MEMORY;
    }
    /* Pages that are already registered need no additional memory. Count these
     * pages only if the limit would otherwise be exceeded. */
    if (pages > left &&
        pages - gms_memory_count(port, address, length) > left) {
        return GMS_ERR_NO_MEMORY;
    }
    status = gms_nic_register_memory(&sim->ctx, port->nic, port->number,
                                     address, length);
    port->driver->registered_pages +=
        gms_nic_registered_pages(port->nic, port->number) - before;
    return status;
}

/* Deregister memory. Call this function only when it is the caller's turn. */
static gms_status_t gms_memory_unpin(struct gm_port *port, uintptr_t address,
                                     gm_size_t length)
{
    uint64_t before = gms_nic_registered_pages(port->nic, port->number);
    gms_status_t status = gms_nic_deregister_memory(
        &port->sim->ctx, port->nic, port->number, address, length);

    port->driver->registered_pages -=
        before - gms_nic_registered_pages(port->nic, port->number);
    return status;
}

static gm_status_t gms_memory_register(struct gm_port *port, void *address,
                                       gm_size_t length, int is_free)
{
    gms_status_t status;
    gms_sim_t *sim;

    if (!gms_port_is_open(port) || !gms_memory_is_range(address, length)) {
        return GM_INVALID_PARAMETER;
    }
    if (length > port->sim->root->params.gm_registered_bytes) {
        return GM_OUT_OF_MEMORY;
    }
    if (is_free ? !gms_memory_may_use(port, address, length)
                : !gms_memory_is_usable(port, address, length)) {
        return GM_MEMORY_FAULT;
    }
    sim = port->sim;
    gms_sim_begin_turn(sim);
    status = gms_memory_pin(port, (uintptr_t)address, length);
    gms_sim_end(sim, is_free ? 1 : gms_memory_cost_ps(sim, length));
    return gms_sim_status(status);
}

gm_status_t gm_register_memory(struct gm_port *port, void *address,
                               gm_size_t length)
{
    return gms_memory_register(port, address, length, 0);
}

gm_status_t gmsim_pin_memory(struct gm_port *port, void *address,
                             gm_size_t length)
{
    return gms_memory_register(port, address, length, 1);
}

gm_status_t gm_register_memory_ex(struct gm_port *port, void *address,
                                  gm_size_t length, void *pvma)
{
    if (!gms_port_is_open(port)) {
        return GM_INVALID_PARAMETER;
    }
    if (pvma != address) {
        return GM_NO_DRIVER_SUPPORT;
    }
    return gm_register_memory(port, address, length);
}

static gm_status_t gms_memory_deregister(struct gm_port *port, void *address,
                                         gm_size_t length, int is_free)
{
    gms_status_t status;
    gms_sim_t *sim;

    if (!gms_port_is_open(port) || !gms_memory_is_range(address, length) ||
        length > port->sim->root->params.gm_registered_bytes) {
        return GM_INVALID_PARAMETER;
    }
    sim = port->sim;
    gms_sim_begin_turn(sim);
    status = gms_memory_unpin(port, (uintptr_t)address, length);
    gms_sim_end(sim, is_free ? 1 : gms_memory_cost_ps(sim, length));
    return gms_sim_status(status);
}

gm_status_t gm_deregister_memory(struct gm_port *port, void *address,
                                 gm_size_t length)
{
    return gms_memory_deregister(port, address, length, 0);
}

gm_status_t gmsim_unpin_memory(struct gm_port *port, void *address,
                               gm_size_t length)
{
    return gms_memory_deregister(port, address, length, 1);
}

gm_status_t gm_allow_remote_memory_access(struct gm_port *port)
{
    if (!gms_port_is_open(port)) {
        return GM_INVALID_PARAMETER;
    }
    gms_sim_begin_turn(port->sim);
    gms_nic_allow_remote_access(port->nic, port->number);
    port->driver->remote_access = 1;
    gms_sim_end(port->sim, port->sim->root->params.host_register_ps);
    return GM_SUCCESS;
}

/* ---- Another process of the host --------------------------------------- */

/* Find the rank that owns a port, if the owner allows access to this memory.
 * Call this function only when it is the caller's turn. */
static gm_status_t gms_memory_lender(struct gm_port *port, const void *source,
                                     gm_size_t length, unsigned unit,
                                     unsigned number, unsigned *rank_p)
{
    gms_root_t *root = port->sim->root;
    unsigned node = gms_root_node(&root->params, port->sim->node, unit);
    int owner = gms_nic_port_owner(root->nics[node], number);
    const gms_port_driver_t *driver =
        gms_nic_port_driver(root->nics[node], number);

    if (owner < 0 || driver == NULL) {
        return GM_SEND_TARGET_PORT_CLOSED;
    }
    if (!driver->remote_access ||
        !gms_nic_is_registered(root->nics[node], number, (uintptr_t)source,
                               length)) {
        return GM_PERMISSION_DENIED;
    }
    *rank_p = (unsigned)owner;
    return GM_SUCCESS;
}

gm_status_t gm_directcopy_get(struct gm_port *port, void *source, void *target,
                              gm_size_t length, unsigned instance,
                              unsigned number)
{
    gm_status_t status;
    unsigned rank = 0;
    gms_sim_t *sim;

    if (!gms_port_is_open(port) ||
        instance >= port->sim->root->params.units_per_host ||
        number >= port->sim->root->params.gm_ports ||
        !gms_memory_is_range(source, length) ||
        !gms_memory_is_range(target, length)) {
        return GM_INVALID_PARAMETER;
    }
    if (!gms_memory_is_usable(port, target, length)) {
        return GM_MEMORY_FAULT;
    }
    sim = port->sim;
    gms_sim_begin_turn(sim);
    status = gms_memory_lender(port, source, length, instance, number, &rank);
    if (status == GM_SUCCESS &&
        gms_copy_read(&sim->ctx, rank, (uintptr_t)source, target, length) !=
            GMS_OK) {
        status = GM_NOT_SUPPORTED_ON_ARCH;
    }
    gms_sim_end(sim, sim->root->params.host_register_ps +
                         (status == GM_SUCCESS
                              ? length * sim->root->params.mpi_copy_ps_per_byte
                              : 0));
    return status;
}

/* ---- DMA memory -------------------------------------------------------- */

static gms_dma_block_t **gms_dma_bucket(struct gm_port *port,
                                        const void *address)
{
    return &port->dma[(uintptr_t)address / GM_RDMA_GRANULARITY %
                      GMS_DMA_BUCKETS];
}

/* Allocate DMA memory and register it. Call this function only when it is the
 * caller's turn. */
static gms_dma_block_t *gms_dma_get(struct gm_port *port, gm_size_t length)
{
    gms_sim_t *sim = port->sim;
    gms_dma_block_t *dma;
    gms_dma_block_t **bucket;

    if (length > sim->root->params.gm_registered_bytes) {
        return NULL;
    }
    dma = gms_dma_take(sim, length);
    if (dma == NULL) {
        return NULL;
    }
    if (gms_memory_pin(port, (uintptr_t)dma->address, length) != GMS_OK) {
        gms_dma_give(sim, dma);
        return NULL;
    }
    bucket = gms_dma_bucket(port, dma->address);
    dma->next = *bucket;
    *bucket = dma;
    return dma;
}

void *gms_dma_alloc(struct gm_port *port, gm_size_t length)
{
    gms_dma_block_t *dma = gms_dma_get(port, length);

    return dma != NULL ? dma->address : NULL;
}

void *gm_dma_malloc(struct gm_port *port, gm_size_t length)
{
    gms_sim_t *sim;
    void *address;

    if (!gms_port_is_open(port)) {
        return NULL;
    }
    sim = port->sim;
    length = length > 0 ? length : 1;
    gms_sim_begin_turn(sim);
    address = gms_dma_alloc(port, length);
    gms_sim_end(sim, address != NULL ? gms_memory_cost_ps(sim, length) : 0);
    return address;
}

/* Allocate zeroed DMA memory. gm_dma_malloc() already returns zeroed memory. */
void *gm_dma_calloc(struct gm_port *port, gm_size_t count, gm_size_t length)
{
    gm_size_t bytes;

    if (__builtin_mul_overflow(count, length, &bytes)) {
        return NULL;
    }
    return gm_dma_malloc(port, bytes);
}

void gm_dma_free(struct gm_port *port, void *address)
{
    gms_dma_block_t **link;
    gms_dma_block_t *dma;
    gm_size_t length;
    gms_sim_t *sim;

    if (!gms_port_is_open(port) || address == NULL || address == port->words) {
        return;
    }
    sim = port->sim;
    for (link = gms_dma_bucket(port, address);
         *link != NULL && (*link)->address != address; link = &(*link)->next) {
    }
    dma = *link;
    if (dma == NULL) {
        return; /* ignore the call, because the address is not DMA memory of
                 * this port */
    }
    *link = dma->next;
    length = dma->length;
    gms_sim_begin_turn(sim);
    gms_memory_unpin(port, (uintptr_t)address, length);
    gms_dma_give(sim, dma);
    gms_sim_end(sim, gms_memory_cost_ps(sim, length));
}

void gms_dma_free_all(struct gm_port *port)
{
    unsigned index;

    for (index = 0; index < GMS_DMA_BUCKETS; ++index) {
        while (port->dma[index] != NULL) {
            gms_dma_block_t *dma = port->dma[index];

            port->dma[index] = dma->next;
            gms_dma_give(port->sim, dma);
        }
    }
}

/* ---- Plain memory ------------------------------------------------------ */

void *gm_malloc(gm_size_t length)
{
    return malloc(length);
}

void *gm_calloc(gm_size_t length, gm_size_t count)
{
    return calloc(count, length);
}

void gm_free(void *address)
{
    free(address);
}

void *gm_alloc_pages(gm_size_t length)
{
    gm_size_t pages =
        length / GMS_MEMORY_PAGE + (length % GMS_MEMORY_PAGE != 0);
    void *address;

    if (pages > SIZE_MAX / GMS_MEMORY_PAGE ||
        posix_memalign(&address, GMS_MEMORY_PAGE, pages * GMS_MEMORY_PAGE) !=
            0) {
        return NULL;
    }
    return address;
}

void gm_free_pages(void *pages, gm_size_t length)
{
    (void)length;
    free(pages);
}

void *gm_page_alloc(void)
{
    return gm_alloc_pages(GMS_MEMORY_PAGE);
}

void gm_page_free(void *page)
{
    free(page);
}
