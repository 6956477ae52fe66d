/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the fabric model `cut-through`, which forwards whole packets by
 * virtual cut-through over virtual lanes with credits, as in InfiniBand.
 *
 * All packets use the lanes that reserved.c implements, and each output port
 * has an arbiter (vl_arbiter.h). A packet's head enters a link when the port is
 * free, the arbiter chooses the packet's lane, and this lane has credits for
 * the whole packet. A waiting packet does not occupy the link over which it
 * arrived, so other packets can use this link. Each port has a table that maps
 * a packet's class, which represents its service level, to a lane. The packets
 * of a lane that wait for the same output port are served in the order of their
 * arrival.
 *
 * Every link has its own rate. On a link into a NIC, a packet needs a receive
 * buffer of the NIC instead of credits.
 * [source: InfiniBand Architecture Specification, volume 1, 7.6 and 7.9]
 *
 * Credits return when a packet's last byte has left the buffer. A waiting
 * packet does not block packets of its lane that leave through other ports.
 * [assumed]
 */
#include "fabric/cut_through.h"

#include <stdio.h>
#include <string.h>

#include "fabric/fabric_int.h"

void gms_vl_ports_destroy(gms_arena_t *arena, gms_fabric_t *fabric)
{
    gms_vl_ports_t *table = fabric->table;

    if (table != NULL) {
        gms_arena_free(arena, table->arbiter);
        gms_arena_free(arena, table->bytes_s);
        gms_arena_free(arena, table->lane_of);
        gms_arena_free(arena, table);
    }
}

static void gms_cut_through_add(gms_vl_table_t *table, uint64_t lane,
                                uint64_t weight)
{
    if (weight != 0) {
        table->entry[table->count++] =
            (gms_vl_entry_t){(uint8_t)lane, (uint8_t)weight};
    }
}

static void gms_cut_through_config(gms_vl_config_t *vl,
                                   const gms_params_t *params)
{
    gms_cut_through_add(&vl->high, params->vl_real_time,
                        params->vl_high_real_time);
    gms_cut_through_add(&vl->high, params->vl_control, params->vl_high_control);
    gms_cut_through_add(&vl->high, params->vl_best_effort,
                        params->vl_high_best_effort);
    gms_cut_through_add(&vl->low, params->vl_real_time,
                        params->vl_low_real_time);
    gms_cut_through_add(&vl->low, params->vl_control, params->vl_low_control);
    gms_cut_through_add(&vl->low, params->vl_best_effort,
                        params->vl_low_best_effort);
    vl->high_limit = (uint32_t)params->vl_high_limit;
}

/* Return 1 if a table contains the lane. */
static int gms_cut_through_has(const gms_vl_config_t *vl, uint64_t lane)
{
    const gms_vl_table_t *const tables[] = {&vl->high, &vl->low};
    uint32_t t, i;

    for (t = 0; t < 2; ++t) {
        for (i = 0; i < tables[t]->count; ++i) {
            if (tables[t]->entry[i].lane == lane) {
                return 1;
            }
        }
    }
    return 0;
}

int gms_cut_through_has_lane(const gms_params_t *params, uint64_t lane)
{
    gms_vl_config_t vl = {.high = {.count = 0}};

    gms_cut_through_config(&vl, params);
    return gms_cut_through_has(&vl, lane);
}

gms_status_t gms_cut_through_check(const gms_params_t *params,
                                   const char **row_p,
                                   char error[GMS_TOPOLOGY_ERROR_LEN])
{
    const struct {
        const char *row, *high, *low;
        uint64_t lane;
    } classes[] = {
        {"vl_control", "vl_high_control", "vl_low_control", params->vl_control},
        {"vl_real_time", "vl_high_real_time", "vl_low_real_time",
         params->vl_real_time},
        {"vl_best_effort", "vl_high_best_effort", "vl_low_best_effort",
         params->vl_best_effort},
    };
    gms_vl_config_t vl = {.high = {.count = 0}};
    unsigned i;

    gms_cut_through_config(&vl, params);
    for (i = 0; i < sizeof(classes) / sizeof(classes[0]); ++i) {
        if (!gms_cut_through_has(&vl, classes[i].lane)) {
            *row_p = classes[i].low;
            snprintf(
                error, GMS_TOPOLOGY_ERROR_LEN,
                "lane %u (%s) has no weight, so its packets would never be "
                "sent; allowed: %s or %s of 1..255",
                (unsigned)classes[i].lane, classes[i].row, classes[i].high,
                classes[i].low);
            return GMS_ERR_CONFIG;
        }
    }
    return GMS_OK;
}

/* Return the number of lanes of each link. */
static uint32_t gms_cut_through_lanes(const gms_params_t *params)
{
    uint64_t last = params->vl_best_effort;

    last = params->vl_control > last ? params->vl_control : last;
    last = params->vl_real_time > last ? params->vl_real_time : last;
    return (uint32_t)last + 1;
}

gms_status_t gms_vl_ports_create(gms_ctx_t *ctx, gms_fabric_t *fabric,
                                 const gms_params_t *params,
                                 const uint8_t lane_of[GMS_LANE_CLASSES],
                                 char error[GMS_TOPOLOGY_ERROR_LEN])
{
    gms_vl_ports_t *table = gms_arena_alloc(ctx->arena, sizeof(*table));
    uint32_t count = fabric->link_count, i;

    fabric->table = table;
    if (table != NULL) {
        table->arbiter =
            gms_arena_alloc(ctx->arena, count * sizeof(*table->arbiter));
        table->bytes_s =
            gms_arena_alloc(ctx->arena, count * sizeof(*table->bytes_s));
        table->lane_of =
            gms_arena_alloc(ctx->arena, count * sizeof(*table->lane_of));
    }
    if (table == NULL || table->arbiter == NULL || table->bytes_s == NULL ||
        table->lane_of == NULL) {
        snprintf(error, GMS_TOPOLOGY_ERROR_LEN,
                 "the virtual lanes of %u links need more memory than the "
                 "arena has left; set a larger arena_bytes",
                 count);
        return GMS_ERR_NO_MEMORY;
    }
    fabric->classes =
        params->undeclared == GMS_UNDECLARED_BEST_EFFORT ? GMS_LANE_CLASSES : 1;
    table->holds_link = params->nic_kind == GMS_NIC_HCA;
    for (i = 0; i < count; ++i) {
        table->bytes_s[i] =
            gms_topology_link_bytes_s(fabric->topology, params, i);
        memcpy(table->lane_of[i], lane_of, sizeof(table->lane_of[i]));
        if (fabric->classes == 1) {
            memset(table->lane_of[i], lane_of[GMS_LANE_BEST_EFFORT],
                   sizeof(table->lane_of[i]));
        }
    }
    return GMS_OK;
}

static gms_status_t gms_cut_through_create(gms_ctx_t *ctx, gms_fabric_t *fabric,
                                           const gms_params_t *params,
                                           char error[GMS_TOPOLOGY_ERROR_LEN])
{
    const uint8_t lane_of[GMS_LANE_CLASSES] = {
        [GMS_LANE_CONTROL] = (uint8_t)params->vl_control,
        [GMS_LANE_REAL_TIME] = (uint8_t)params->vl_real_time,
        [GMS_LANE_BEST_EFFORT] = (uint8_t)params->vl_best_effort,
    };
    const char *row;
    gms_status_t status =
        gms_vl_ports_create(ctx, fabric, params, lane_of, error);

    if (status == GMS_OK) {
        gms_cut_through_config(&fabric->table->vl, params);
        status = gms_cut_through_check(params, &row, error);
    }
    return status == GMS_OK
               ? gms_reserved_alloc(ctx, fabric, gms_cut_through_lanes(params),
                                    params->vl_buffer_bytes, error)
               : status;
}

/* Return 1 if ports serve the lane. Ethernet ports serve every priority. */
static int gms_vl_ports_has(const gms_fabric_t *fabric, unsigned lane)
{
    return fabric->eth != NULL ? lane < GMS_ETS_PRIORITIES
                               : gms_cut_through_has(&fabric->table->vl, lane);
}

gms_status_t gms_fabric_set_lane(gms_fabric_t *fabric, uint32_t link,
                                 unsigned traffic_class, unsigned lane)
{
    if (fabric->table == NULL || link >= fabric->link_count ||
        traffic_class >= GMS_LANE_CLASSES || !gms_vl_ports_has(fabric, lane)) {
        return GMS_ERR_INVALID_PARAM;
    }
    fabric->table->lane_of[link][traffic_class] = (uint8_t)lane;
    return GMS_OK;
}

gms_status_t gms_fabric_set_rate(gms_fabric_t *fabric, uint32_t link,
                                 uint64_t bytes_s)
{
    if (fabric->table == NULL || link >= fabric->link_count || bytes_s == 0) {
        return GMS_ERR_INVALID_PARAM;
    }
    fabric->table->bytes_s[link] = bytes_s;
    return GMS_OK;
}

void gms_vl_ports_sever(gms_ctx_t *ctx, gms_fabric_t *fabric, uint32_t number)
{
    (void)ctx;
    gms_reserved_sever(fabric, number);
}

/* A waiting packet never holds a link, so a link is held only while bytes
 * move. */
void gms_vl_ports_use(const gms_fabric_t *fabric, uint32_t number,
                      gms_time_t now_ps, gms_link_use_t *use)
{
    use->moving_ps = gms_reserved_moving(fabric, number, now_ps);
    use->held_ps = use->moving_ps;
}

const gms_fabric_ops_t gms_cut_through_ops = {
    .name = "cut-through",
    .create = gms_cut_through_create,
    .destroy = gms_vl_ports_destroy,
    .inject = gms_reserved_inject,
    .accept = gms_reserved_accept,
    .swallow = gms_reserved_swallow,
    .sever = gms_vl_ports_sever,
    .use = gms_vl_ports_use,
};
