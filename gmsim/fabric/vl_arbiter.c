/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the arbitration among virtual lanes: the turns within a table, and
 * the choice between the two tables.
 */
#include "fabric/vl_arbiter.h"

/* Return the mask of all lanes in a table. */
static uint32_t gms_vl_lanes(const gms_vl_table_t *table)
{
    uint32_t lanes = 0, i;

    for (i = 0; i < table->count; ++i) {
        if (table->entry[i].weight != 0) {
            lanes |= UINT32_C(1) << table->entry[i].lane;
        }
    }
    return lanes;
}

/* Pass the turn to the next entry. */
static void gms_vl_advance(gms_vl_turn_t *turn, const gms_vl_table_t *table)
{
    turn->at = (turn->at + 1) % table->count;
    turn->units = table->entry[turn->at].weight;
}

/* Return the lane of the table that sends next, and deduct the packet from the
 * lane's weight. At least one of the given lanes must be in the table. */
static unsigned gms_vl_serve(gms_vl_turn_t *turn, const gms_vl_table_t *table,
                             uint32_t lanes, const uint32_t *bytes)
{
    const gms_vl_entry_t *entry = &table->entry[turn->at];

    while (turn->units <= 0 || (lanes >> entry->lane & 1) == 0) {
        gms_vl_advance(turn, table);
        entry = &table->entry[turn->at];
    }
    turn->units -=
        (int32_t)((bytes[entry->lane] + GMS_VL_UNIT - 1) / GMS_VL_UNIT);
    return entry->lane;
}

/* Return 1 if packets of the high table have used up their limit. */
static int gms_vl_is_spent(const gms_vl_arbiter_t *arbiter,
                           const gms_vl_config_t *config)
{
    if (config->high_limit == GMS_VL_UNLIMITED) {
        return 0;
    }
    return config->high_limit == 0
               ? arbiter->high_bytes > 0
               : arbiter->high_bytes >=
                     (uint64_t)config->high_limit * GMS_VL_LIMIT_UNIT;
}

unsigned gms_vl_arbiter_next(gms_vl_arbiter_t *arbiter,
                             const gms_vl_config_t *config, uint32_t lanes,
                             const uint32_t bytes[GMS_VL_MAX])
{
    uint32_t high = lanes & gms_vl_lanes(&config->high);
    uint32_t low = lanes & gms_vl_lanes(&config->low);
    unsigned lane;

    if (high != 0 && (low == 0 || !gms_vl_is_spent(arbiter, config))) {
        lane = gms_vl_serve(&arbiter->high, &config->high, high, bytes);
        arbiter->high_bytes = low != 0 ? arbiter->high_bytes + bytes[lane] : 0;
        return lane;
    }
    if (low == 0) {
        return GMS_VL_MAX;
    }
    arbiter->high_bytes = 0;
    return gms_vl_serve(&arbiter->low, &config->low, low, bytes);
}
