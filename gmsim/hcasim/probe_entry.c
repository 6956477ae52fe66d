/* SPDX-License-Identifier: BSD-3-Clause */
/* Allocates and reuses the entries of connections and their probe packets. */
#include "hcasim/probe_int.h"

#include <stdlib.h>

#define BLOCK_ENTRIES 64u

typedef struct gms_probe_block {
    struct gms_probe_block *next;
    gms_probe_entry_t entries[BLOCK_ENTRIES];
} gms_probe_block_t;

/* ---- entries ---- */

static gms_status_t gms_probe_add_block(gms_probe_t *probe)
{
    gms_probe_block_t *block = malloc(sizeof(*block));
    unsigned i;

    if (block == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    block->next = probe->blocks;
    probe->blocks = block;
    for (i = 0; i < BLOCK_ENTRIES; ++i) {
        block->entries[i].next = probe->free;
        probe->free = &block->entries[i];
    }
    return GMS_OK;
}

gms_status_t gms_probe_reserve(gms_probe_t *probe)
{
    gms_status_t status = GMS_OK;

    if (probe->free == NULL) {
        status = gms_probe_add_block(probe);
    }
    if (status == GMS_OK) {
        status =
            gms_probe_table_reserve(&probe->connections, probe->entries + 1);
    }
    if (status == GMS_OK) {
        status = gms_probe_table_reserve(&probe->last, probe->entries + 1);
    }
    return status;
}

gms_probe_entry_t *gms_probe_new(gms_probe_t *probe,
                                 const gms_probe_request_t *request)
{
    gms_probe_entry_t *entry = probe->free;
    uint64_t units = gms_probe_to_units(request->average);

    probe->free = entry->next;
    ++probe->entries;
    *entry = (gms_probe_entry_t){
        .request = *request,
        .average_units = (units > 0) ? units : 1,
        .peak_units = gms_probe_to_units(request->peak),
        .answer = {.connection = request->connection,
                   .link = GMS_LINK_NONE,
                   .switch_index = GMS_LINK_NONE,
                   .ask_cycle = gms_flit_now(probe->net)},
    };
    gms_probe_table_put(&probe->connections, request->connection, entry);
    return entry;
}

void gms_probe_free(gms_probe_t *probe, gms_probe_entry_t *entry)
{
    entry->next = probe->free;
    probe->free = entry;
    --probe->entries;
}

void gms_probe_forget_number(gms_probe_t *probe, const gms_probe_entry_t *entry)
{
    gms_probe_table_remove(&probe->connections, entry->request.connection);
}

void gms_probe_free_blocks(gms_probe_t *probe)
{
    while (probe->blocks != NULL) {
        gms_probe_block_t *block = probe->blocks;

        probe->blocks = block->next;
        free(block);
    }
}

/* ---- packets ---- */

void gms_probe_send(gms_probe_t *probe, gms_probe_entry_t *entry,
                    uint32_t source, uint32_t target, unsigned visits)
{
    const gms_flit_config_t *config = gms_flit_config(probe->net);
    unsigned lane = GMS_FLIT_ANY_LANE;

    entry->packet = (gms_flit_packet_t){
        .source = source,
        .target = target,
        .flits = (uint16_t)probe->config.control_flits,
        .traffic_class = GMS_LANE_CONTROL,
        .visits = (uint8_t)visits,
        .draw = entry->request.draw,
        .owner = probe,
    };
    if (config->lane_choice == GMS_FLIT_LANES_DRAWN) {
        lane = gms_flit_drawn_lane(config, entry->request.draw, 0,
                                   GMS_LANE_CONTROL);
    }
    gms_flit_offer(probe->net, &entry->packet, lane);
}

uint32_t gms_probe_source_link(const gms_probe_t *probe,
                               const gms_probe_entry_t *entry)
{
    return gms_topology_node_link(gms_flit_topology(probe->net),
                                  entry->request.source, 0);
}

void gms_probe_release(gms_probe_t *probe, gms_probe_entry_t *entry)
{
    gms_probe_link_give(&probe->account, gms_probe_source_link(probe, entry), 0,
                        entry);
    entry->given = 1;
    if (entry->given == entry->held) {
        gms_probe_free(probe, entry);
        return;
    }
    entry->state = GMS_PROBE_RELEASING;
    gms_probe_send(probe, entry, entry->request.source, entry->request.target,
                   1);
}
