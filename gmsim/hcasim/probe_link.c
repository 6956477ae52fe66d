/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Manages the reserved bandwidth of links and the resulting lane weights. The
 * amounts are integers. With floating-point numbers, a sum does not always
 * return to exactly zero if its terms are subtracted in another order.
 */
#include "hcasim/probe_int.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

uint64_t gms_probe_to_units(double part)
{
    double units = fmin(part, 1.0) * (double)GMS_PROBE_UNITS;

    /* A binary fraction such as 0.29 may be slightly less than the decimal
     * fraction, and multiplication rounds again. Together, the two errors are
     * at most 2^-52 of the product. */
    return (uint64_t)floor(units + units * 3e-16);
}

gms_status_t gms_probe_account_init(gms_probe_account_t *account,
                                    gms_flit_net_t *net, double capacity)
{
    uint32_t count = gms_topology_link_count(gms_flit_topology(net));

    account->net = net;
    account->capacity_units = gms_probe_to_units(capacity);
    account->links = calloc(count, sizeof(*account->links));
    return (account->links == NULL) ? GMS_ERR_NO_MEMORY : GMS_OK;
}

void gms_probe_account_cleanup(gms_probe_account_t *account)
{
    free(account->links);
    account->links = NULL;
}

uint64_t gms_probe_link_left(const gms_probe_account_t *account, uint32_t link)
{
    uint64_t used = account->links[link].average_units;

    return (used >= account->capacity_units) ? 0
                                             : account->capacity_units - used;
}

/* Distributes the reserved bandwidth evenly among all real-time lanes. */
static void gms_probe_link_spread(const gms_lane_plan_t *plan,
                                  const gms_probe_link_t *link,
                                  gms_lane_shares_t *shares)
{
    unsigned lanes = plan->class_lanes[GMS_LANE_REAL_TIME];
    unsigned count = (unsigned)__builtin_popcount(lanes);
    unsigned lane;

    for (lane = 0; lane < GMS_LANES_MAX; ++lane) {
        if ((lanes >> lane) & 1u) {
            shares->lane[lane] = (double)link->average_units / count;
        }
    }
}

/** Computes the weights of a link's lanes from the reserved bandwidth. @param
 *  [in] changed lane whose bandwidth changed; GMS_LANES_MAX: all lanes */
static void gms_probe_link_weigh(gms_probe_account_t *account, uint32_t number,
                                 unsigned changed)
{
    const gms_flit_config_t *config = gms_flit_config(account->net);
    gms_probe_link_t *link = &account->links[number];
    gms_lane_shares_t shares = {
        .peak = (double)link->peak_units,
        .real_time = (double)account->capacity_units,
    };
    unsigned lane;

    if (changed == GMS_LANES_MAX) {
        gms_probe_link_spread(&config->plan, link, &shares);
    } else {
        for (lane = 0; lane < GMS_LANES_MAX; ++lane) {
            shares.lane[lane] = (double)link->lane_units[lane];
        }
    }
    gms_lane_weigh(&config->plan, &shares, (double)GMS_PROBE_UNITS, changed,
                   &link->table);
    gms_flit_set_table(account->net, number, &link->table);
}

/** Returns the lane that a connection's packets use, or GMS_LANES_MAX if the
 *  packets may use any lane. */
static unsigned gms_probe_link_lane(const gms_probe_account_t *account,
                                    unsigned hop,
                                    const gms_probe_entry_t *entry)
{
    const gms_flit_config_t *config = gms_flit_config(account->net);

    return (config->lane_choice == GMS_FLIT_LANES_DRAWN)
               ? gms_flit_drawn_lane(config, entry->request.draw, hop,
                                     GMS_LANE_REAL_TIME)
               : GMS_LANES_MAX;
}

void gms_probe_link_take(gms_probe_account_t *account, uint32_t number,
                         unsigned hop, const gms_probe_entry_t *entry)
{
    gms_probe_link_t *link = &account->links[number];
    unsigned lane = gms_probe_link_lane(account, hop, entry);

    link->average_units += entry->average_units;
    link->peak_units += entry->peak_units;
    if (lane < GMS_LANES_MAX) {
        link->lane_units[lane] += entry->average_units;
    }
    gms_probe_link_weigh(account, number, lane);
}

void gms_probe_link_give(gms_probe_account_t *account, uint32_t number,
                         unsigned hop, const gms_probe_entry_t *entry)
{
    gms_probe_link_t *link = &account->links[number];
    unsigned lane = gms_probe_link_lane(account, hop, entry);

    assert(link->average_units >= entry->average_units &&
           link->peak_units >= entry->peak_units);
    link->average_units -= entry->average_units;
    link->peak_units -= entry->peak_units;
    if (lane < GMS_LANES_MAX) {
        assert(link->lane_units[lane] >= entry->average_units);
        link->lane_units[lane] -= entry->average_units;
    }
    gms_probe_link_weigh(account, number, lane);
}
