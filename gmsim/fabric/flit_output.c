/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulates the output buffers of a router. In each cycle, an output's arbiter
 * chooses one flit for the link.
 */
#include "fabric/flit_int.h"

static void gms_flit_tail_sent(gms_flit_net_t *net, uint32_t link,
                               unsigned lane)
{
    gms_flit_buffer_t *buffer = &net->buffer[link];

    buffer->packet[lane] = NULL;
    gms_flit_release(net, link, lane);
}

void gms_flit_send(gms_flit_net_t *net, uint32_t link)
{
    gms_flit_buffer_t *buffer = &net->buffer[link];
    gms_flit_out_t *out = &net->out[link];
    unsigned lane = gms_flit_pick(net, net->out_arbiter, net->out_since, link,
                                  buffer->ready, buffer->turn);
    uint16_t bit = (uint16_t)(1u << lane);

    gms_flit_served(net, net->out_arbiter, net->out_since, link, lane,
                    buffer->ready, &buffer->turn);
    gms_flit_take_credit(out, lane);
    gms_flit_carry(net, out);
    ++net->switch_state[out->switch_index].counts.reads;
    gms_flit_push(net, GMS_FLIT_ARRIVE, out->delay,
                  link * GMS_LANES_MAX + lane);
    if (buffer->fresh & bit) {
        buffer->fresh &= (uint16_t)~bit;
        gms_flit_expect(net, link, lane, buffer->packet[lane]);
    }
    if (--buffer->flits[lane] == 0 || !(out->credit & bit)) {
        buffer->ready &= (uint16_t)~bit;
    }
    if (buffer->room[lane]++ == 0) {
        out->open |= bit;
        gms_flit_wake_owner(net, link, lane);
    }
    if (--buffer->rest[lane] == 0) {
        gms_flit_tail_sent(net, link, lane);
    }
    if (buffer->ready == 0) {
        gms_flit_set_remove(&net->sending, link);
    }
}
