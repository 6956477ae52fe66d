/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks the invariants of a flit network. Only tests use these checks. This
 * file recounts credits, flits, lane owners and full buffers from the basic
 * state. This file then compares the results with the counters and bit masks
 * that the network maintains.
 */
#include <stdarg.h>
#include <stdio.h>

#include "fabric/flit_int.h"

typedef struct gms_flit_audit {
    const gms_flit_net_t *net;
    char *error;
    uint64_t inside; /* number of flits in buffers and on links */
} gms_flit_audit_t;

static gms_status_t gms_flit_wrong(const gms_flit_audit_t *audit,
                                   const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static gms_status_t gms_flit_wrong(const gms_flit_audit_t *audit,
                                   const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vsnprintf(audit->error, GMS_TOPOLOGY_ERROR_LEN, format, list);
    va_end(list);
    return GMS_ERR_INVALID_PARAM;
}

/* Count the entries of a lane in a time wheel. */
static unsigned gms_flit_under_way(const gms_flit_net_t *net,
                                   enum gms_flit_wheels kind, uint32_t lane)
{
    const gms_flit_wheel_t *wheel = &net->wheel[kind];
    unsigned found = 0;
    uint32_t slot, i;

    for (slot = 0; slot <= net->slot_mask; ++slot) {
        for (i = 0; i < wheel->count[slot]; ++i) {
            found += wheel->entry[(size_t)slot * wheel->room + i] == lane;
        }
    }
    return found;
}

/* Check that every slot of the buffer at the link's end corresponds to exactly
 * one credit or flit. The credit or flit must be at one end of the link or in
 * transit. */
static gms_status_t gms_flit_check_credits(gms_flit_audit_t *audit,
                                           uint32_t link, unsigned lane)
{
    const gms_flit_net_t *net = audit->net;
    uint32_t entry = link * GMS_LANES_MAX + lane;
    unsigned credits = net->out[link].credits[lane];
    unsigned flits = net->lane[entry].flits;
    unsigned sent = gms_flit_under_way(net, GMS_FLIT_ARRIVE, entry);
    unsigned back = gms_flit_under_way(net, GMS_FLIT_CREDIT, entry);

    audit->inside += flits + sent;
    if (credits + flits + sent + back != net->config.buffer_flits) {
        return gms_flit_wrong(
            audit,
            "link %u lane %u: %u credits, %u flits in the buffer, %u flits and "
            "%u credits on the link do not add up to the buffer size of %u "
            "flits",
            link, lane, credits, flits, sent, back, net->config.buffer_flits);
    }
    if ((net->out[link].credit >> lane & 1) != (credits > 0)) {
        return gms_flit_wrong(
            audit, "link %u lane %u: the mask of credits is inconsistent", link,
            lane);
    }
    return GMS_OK;
}

static gms_status_t gms_flit_check_buffer(gms_flit_audit_t *audit,
                                          uint32_t link, unsigned lane)
{
    const gms_flit_net_t *net = audit->net;
    const gms_flit_buffer_t *buffer = &net->buffer[link];
    unsigned sent =
        gms_flit_under_way(net, GMS_FLIT_BUFFERED, link * GMS_LANES_MAX + lane);
    unsigned places = buffer->room[lane] + buffer->flits[lane] + sent;
    int can_send = buffer->flits[lane] > 0 && net->out[link].credits[lane] > 0;

    audit->inside += buffer->flits[lane] + sent;
    if (places != net->config.output_flits) {
        return gms_flit_wrong(
            audit,
            "link %u output lane %u: room for %u flits, %u buffered flits and "
            "%u arriving flits do not add up to the buffer size of %u flits",
            link, lane, buffer->room[lane], buffer->flits[lane], sent,
            net->config.output_flits);
    }
    if ((buffer->ready >> lane & 1) != can_send ||
        (net->out[link].open >> lane & 1) != (buffer->room[lane] > 0)) {
        return gms_flit_wrong(
            audit, "link %u output lane %u: the masks are inconsistent", link,
            lane);
    }
    return GMS_OK;
}

/* Check that every input lane that may cross has a flit, an output lane of its
 * own, and room in this output lane.
 */
static gms_status_t gms_flit_check_input(gms_flit_audit_t *audit, uint32_t link,
                                         unsigned lane)
{
    const gms_flit_net_t *net = audit->net;
    const gms_flit_in_t *in = &net->in[link];
    const gms_flit_lane_t *at = &gms_flit_lanes(net, link)[lane];
    int is_active = in->active >> lane & 1, can_cross = 0;

    if (at->flits > 0 && at->front == NULL) {
        return gms_flit_wrong(audit,
                              "link %u lane %u contains flits without a packet",
                              link, lane);
    }
    if (in->switch_index == GMS_LINK_NONE) {
        return GMS_OK;
    }
    if (is_active) {
        const gms_flit_switch_t *here = &net->switch_state[in->switch_index];
        const gms_flit_out_t *out = &net->out[here->out_first + at->out_port];

        if (!(out->busy >> at->out_lane & 1) ||
            net->owner[(here->out_first + at->out_port) * GMS_LANES_MAX +
                       at->out_lane] != in->port * GMS_LANES_MAX + lane) {
            return gms_flit_wrong(
                audit, "link %u lane %u does not own lane %u of output %u",
                link, lane, at->out_lane, at->out_port);
        }
        can_cross = at->flits > 0 &&
                    (gms_flit_open_lanes(net, out) >> at->out_lane & 1);
    }
    if ((in->ready >> lane & 1) != can_cross) {
        return gms_flit_wrong(
            audit, "link %u lane %u: the mask of ready lanes is inconsistent",
            link, lane);
    }
    return GMS_OK;
}

/* Check that the owner of every busy output lane is the input lane that uses
 * it, and that free lanes have no owner. */
static gms_status_t gms_flit_check_owner(gms_flit_audit_t *audit, uint32_t link,
                                         unsigned lane)
{
    const gms_flit_net_t *net = audit->net;
    const gms_flit_out_t *out = &net->out[link];
    unsigned owner = net->owner[link * GMS_LANES_MAX + lane];
    const gms_flit_switch_t *here;
    const gms_flit_lane_t *from;

    if (out->switch_index == GMS_LINK_NONE) {
        const gms_flit_source_t *source =
            &net->source[gms_flit_source_of(net, link)];

        return out->busy == source->active
                   ? GMS_OK
                   : gms_flit_wrong(
                         audit,
                         "link %u: the lanes of its source are inconsistent",
                         link);
    }
    if (owner == GMS_FLIT_NO_OWNER) {
        return (out->busy >> lane & 1) && !net->is_buffered
                   ? gms_flit_wrong(audit,
                                    "link %u lane %u is busy but has no owner",
                                    link, lane)
                   : GMS_OK;
    }
    here = &net->switch_state[out->switch_index];
    from = &net->lane[here->in[owner / GMS_LANES_MAX] * GMS_LANES_MAX +
                      owner % GMS_LANES_MAX];
    if (!(out->busy >> lane & 1) || from->out_lane != lane ||
        here->out_first + from->out_port != link) {
        return gms_flit_wrong(
            audit, "link %u lane %u has an owner that does not use it", link,
            lane);
    }
    return GMS_OK;
}

static gms_status_t gms_flit_check_lane(gms_flit_audit_t *audit, uint32_t link,
                                        unsigned lane)
{
    gms_status_t status = gms_flit_check_credits(audit, link, lane);

    if (status == GMS_OK) {
        status = gms_flit_check_input(audit, link, lane);
    }
    if (status == GMS_OK) {
        status = gms_flit_check_owner(audit, link, lane);
    }
    if (status == GMS_OK && audit->net->is_buffered &&
        audit->net->out[link].switch_index != GMS_LINK_NONE) {
        status = gms_flit_check_buffer(audit, link, lane);
    }
    return status;
}

static gms_status_t gms_flit_check_full(gms_flit_audit_t *audit)
{
    const gms_flit_net_t *net = audit->net;
    uint64_t all = 0;
    uint32_t switch_index;
    unsigned port, lane;

    for (switch_index = 0; switch_index < net->switches; ++switch_index) {
        const gms_flit_switch_t *at = &net->switch_state[switch_index];
        uint32_t full = 0;

        for (port = 0; port < at->ports; ++port) {
            for (lane = 0; lane < net->config.lanes; ++lane) {
                full += net->lane[at->in[port] * GMS_LANES_MAX + lane].flits ==
                        net->config.buffer_flits;
            }
        }
        if (full != at->full) {
            return gms_flit_wrong(audit,
                                  "switch %u has %u full buffers, not %u",
                                  switch_index, full, at->full);
        }
        all += full;
    }
    return all == net->full
               ? GMS_OK
               : gms_flit_wrong(audit, "the number of full buffers of all "
                                       "switches is inconsistent");
}

static gms_status_t gms_flit_check_flits(gms_flit_audit_t *audit)
{
    const gms_flit_net_t *net = audit->net;
    uint64_t waiting = 0, inside = net->flits_offered - net->flits_consumed;
    const gms_flit_packet_t *packet;
    uint32_t number;

    for (number = 0; number < net->nodes + net->links - net->agent_first;
         ++number) {
        waiting += net->source[number].waiting;
    }
    for (packet = net->offered.first; packet != NULL; packet = packet->next) {
        waiting += packet->flits;
    }
    if (waiting + audit->inside != inside) {
        return gms_flit_wrong(audit,
                              "%llu flits wait and %llu are in the network, "
                              "but %llu offered flits have not been consumed",
                              (unsigned long long)waiting,
                              (unsigned long long)audit->inside,
                              (unsigned long long)inside);
    }
    return GMS_OK;
}

gms_status_t gms_flit_check(const gms_flit_net_t *net,
                            char error[GMS_TOPOLOGY_ERROR_LEN])
{
    gms_flit_audit_t audit = {.net = net, .error = error};
    gms_status_t status = GMS_OK;
    uint32_t link;
    unsigned lane;

    error[0] = '\0';
    for (link = 0; status == GMS_OK && link < net->links; ++link) {
        for (lane = 0; status == GMS_OK && lane < net->config.lanes; ++lane) {
            status = gms_flit_check_lane(&audit, link, lane);
        }
    }
    if (status == GMS_OK) {
        status = gms_flit_check_full(&audit);
    }
    if (status == GMS_OK) {
        status = gms_flit_check_flits(&audit);
    }
    return status;
}
