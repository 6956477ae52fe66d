/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "gm/port.h"

/* What the card's page table counts in. [source: GM on 32-bit hosts] */
#define GMS_MEMORY_PAGE 4096u

unsigned long GM_PAGE_LEN = GMS_MEMORY_PAGE;

/* By the length alone: where memory lies must not change what a run costs. */
static gms_time_t gms_memory_cost_ps(const gms_sim_t *sim, gm_size_t length)
{
    const gms_params_t *params = &sim->root->params;
    uint64_t pages = length / GMS_MEMORY_PAGE + (length % GMS_MEMORY_PAGE != 0);

    return params->host_register_ps + pages * params->host_register_page_ps;
}

/* ---- Registration ------------------------------------------------------ */

static int gms_memory_is_range(const void *address, gm_size_t length)
{
    return address != NULL && length > 0 &&
           (uintptr_t)address <= UINTPTR_MAX - length - GMS_MEMORY_PAGE;
}

gm_status_t gm_register_memory(struct gm_port *port, void *address,
                               gm_size_t length)
{
    gms_status_t status;
    gms_sim_t *sim;

    if (port == NULL || !gms_memory_is_range(address, length)) {
        return GM_INVALID_PARAMETER;
    }
    sim = port->sim;
    gms_sim_begin_turn(sim);
    status = gms_nic_register_memory(&sim->ctx, port->nic, port->number,
                                     (uintptr_t)address, length);
    gms_sim_end(sim, gms_memory_cost_ps(sim, length));
    return gms_sim_status(status);
}

gm_status_t gm_deregister_memory(struct gm_port *port, void *address,
                                 gm_size_t length)
{
    gms_status_t status;
    gms_sim_t *sim;

    if (port == NULL || !gms_memory_is_range(address, length)) {
        return GM_INVALID_PARAMETER;
    }
    sim = port->sim;
    gms_sim_begin_turn(sim);
    status = gms_nic_deregister_memory(&sim->ctx, port->nic, port->number,
                                       (uintptr_t)address, length);
    gms_sim_end(sim, gms_memory_cost_ps(sim, length));
    return gms_sim_status(status);
}

gm_status_t gm_allow_remote_memory_access(struct gm_port *port)
{
    if (port == NULL) {
        return GM_INVALID_PARAMETER;
    }
    gms_sim_begin_turn(port->sim);
    gms_nic_allow_remote_access(port->nic, port->number);
    gms_sim_end(port->sim, port->sim->root->params.host_register_ps);
    return GM_SUCCESS;
}

/* ---- DMA memory -------------------------------------------------------- */

static gms_dma_block_t **gms_dma_bucket(struct gm_port *port,
                                        const void *address)
{
    return &port->dma[(uintptr_t)address / GM_RDMA_GRANULARITY %
                      GMS_DMA_BUCKETS];
}

/* The arena aligns small blocks to less than GM does. The caller's turn. */
static gms_status_t gms_dma_take(struct gm_port *port, gms_dma_block_t *dma)
{
    gms_ctx_t *ctx = &port->sim->ctx;
    gms_status_t status;
    uintptr_t address;

    if (dma->length > GMS_ARENA_MAX_BYTES) {
        return GMS_ERR_NO_MEMORY;
    }
    dma->block =
        gms_arena_alloc(ctx->arena, dma->length + GM_RDMA_GRANULARITY - 1);
    if (dma->block == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    address = (uintptr_t)dma->block;
    address = (address + GM_RDMA_GRANULARITY - 1) / GM_RDMA_GRANULARITY *
              GM_RDMA_GRANULARITY;
    dma->address = (void *)address;
    status = gms_nic_register_memory(ctx, port->nic, port->number, address,
                                     dma->length);
    if (status != GMS_OK) {
        gms_arena_free(ctx->arena, dma->block);
    }
    return status;
}

void *gm_dma_malloc(struct gm_port *port, gm_size_t length)
{
    gms_sim_t *sim = port->sim;
    gms_dma_block_t *dma = calloc(1, sizeof(*dma));
    gms_dma_block_t **bucket;
    gms_status_t status;

    if (dma == NULL) {
        return NULL;
    }
    dma->length = length > 0 ? length : 1;
    gms_sim_begin_turn(sim);
    status = gms_dma_take(port, dma);
    gms_sim_end(sim,
                status == GMS_OK ? gms_memory_cost_ps(sim, dma->length) : 0);
    if (status != GMS_OK) {
        free(dma);
        return NULL;
    }
    bucket = gms_dma_bucket(port, dma->address);
    dma->next = *bucket;
    *bucket = dma;
    return dma->address;
}

/* The arena's memory is zero when it is handed out. */
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
    gms_sim_t *sim;

    if (address == NULL) {
        return;
    }
    sim = port->sim;
    for (link = gms_dma_bucket(port, address);
         *link != NULL && (*link)->address != address; link = &(*link)->next) {
    }
    dma = *link;
    if (dma == NULL) {
        return; /* not ours: nothing that could be freed */
    }
    *link = dma->next;
    gms_sim_begin_turn(sim);
    gms_nic_deregister_memory(&sim->ctx, port->nic, port->number,
                              (uintptr_t)address, dma->length);
    gms_arena_free(sim->ctx.arena, dma->block);
    gms_sim_end(sim, gms_memory_cost_ps(sim, dma->length));
    free(dma);
}

void gms_dma_free_all(struct gm_port *port)
{
    unsigned index;

    for (index = 0; index < GMS_DMA_BUCKETS; ++index) {
        while (port->dma[index] != NULL) {
            gms_dma_block_t *dma = port->dma[index];

            port->dma[index] = dma->next;
            gms_arena_free(port->sim->ctx.arena, dma->block);
            free(dma);
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
