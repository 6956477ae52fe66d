/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles probes, answers and releases at routers. Every router decides about
 * the link to which it forwards a packet. The entry's field `held` is the
 * number of reserved links of the connection's route. The field `given` is the
 * number of those links that have been released again. Two counters are
 * sufficient because the route of a connection is fixed. The release packet or
 * the last data packet crosses the links in the order in which the probe
 * reserved them.
 */
#include "hcasim/probe_int.h"

#include <assert.h>

static int gms_probe_has_power(const gms_probe_t *probe, uint32_t switch_index,
                               const gms_probe_entry_t *entry)
{
    return probe->config.power_may == NULL ||
           probe->config.power_may(probe->config.power_context, switch_index,
                                   entry->request.average);
}

static enum gms_flit_verdict gms_probe_refuse(gms_probe_entry_t *entry,
                                              uint32_t switch_index,
                                              uint32_t link, uint64_t left,
                                              int by_power)
{
    entry->answer.link = link;
    entry->answer.switch_index = switch_index;
    entry->answer.by_power = by_power;
    entry->answer.left = (double)left / (double)GMS_PROBE_UNITS;
    return GMS_FLIT_ABSORB;
}

static enum gms_flit_verdict gms_probe_visit_probe(gms_probe_t *probe,
                                                   uint32_t switch_index,
                                                   gms_probe_entry_t *entry,
                                                   uint32_t link)
{
    uint64_t left = gms_probe_link_left(&probe->account, link);

    if (entry->average_units > left) {
        return gms_probe_refuse(entry, switch_index, link, left, 0);
    }
    if (!gms_probe_has_power(probe, switch_index, entry)) {
        return gms_probe_refuse(entry, switch_index, link, left, 1);
    }
    if (probe->config.power_take != NULL) {
        probe->config.power_take(probe->config.power_context, switch_index,
                                 entry->request.average);
    }
    gms_probe_link_take(&probe->account, link, entry->held++, entry);
    if (gms_topology_node_link(gms_flit_topology(probe->net),
                               entry->request.target, 1) != link) {
        return GMS_FLIT_GO_ON;
    }
    entry->answer.accepted = 1;
    return GMS_FLIT_ABSORB;
}

/** Releases the link to which the router forwards the packet. @return 1 if all
 * reserved links of the connection have been released */
static int gms_probe_give_behind(gms_probe_t *probe, uint32_t switch_index,
                                 gms_probe_entry_t *entry, uint32_t link)
{
    gms_probe_link_give(&probe->account, link, entry->given++, entry);
    if (!entry->is_forced && probe->config.power_give != NULL) {
        probe->config.power_give(probe->config.power_context, switch_index,
                                 entry->request.average);
    }
    return entry->given == entry->held;
}

static enum gms_flit_verdict gms_probe_visit_own(gms_probe_t *probe,
                                                 uint32_t switch_index,
                                                 gms_flit_packet_t *packet,
                                                 uint32_t link)
{
    gms_probe_entry_t *entry = (gms_probe_entry_t *)packet;

    if (entry->state == GMS_PROBE_ASKING) {
        return gms_probe_visit_probe(probe, switch_index, entry, link);
    }
    assert(entry->state == GMS_PROBE_RELEASING);
    return gms_probe_give_behind(probe, switch_index, entry, link)
               ? GMS_FLIT_ABSORB
               : GMS_FLIT_GO_ON;
}

enum gms_flit_verdict gms_probe_visit(gms_probe_t *probe, uint32_t switch_index,
                                      gms_flit_packet_t *packet,
                                      uint32_t in_link, uint32_t out_link)
{
    uint64_t key = (uint64_t)(uintptr_t)packet;
    gms_probe_entry_t *entry;

    if (packet->owner == probe) {
        return gms_probe_visit_own(probe, switch_index, packet, out_link);
    }
    entry = gms_probe_table_find(&probe->last, key);
    if (entry == NULL) {
        return GMS_FLIT_GO_ON;
    }
    if (entry->given == 0) {
        gms_probe_forget_number(probe, entry);
        gms_probe_link_give(&probe->account, in_link, entry->given++, entry);
    }
    if (gms_probe_give_behind(probe, switch_index, entry, out_link)) {
        gms_probe_table_remove(&probe->last, key);
        gms_probe_free(probe, entry);
    }
    return GMS_FLIT_GO_ON;
}

int gms_probe_absorbed(gms_probe_t *probe, uint32_t switch_index,
                       gms_flit_packet_t *packet)
{
    gms_probe_entry_t *entry = (gms_probe_entry_t *)packet;

    if (packet->owner != probe) {
        return 0;
    }
    if (entry->state == GMS_PROBE_ASKING) {
        entry->state = GMS_PROBE_ANSWERING;
        gms_probe_send(probe, entry, GMS_FLIT_AGENT(switch_index),
                       entry->request.source, 0);
    } else {
        assert(entry->state == GMS_PROBE_RELEASING);
        gms_probe_free(probe, entry);
    }
    return 1;
}
