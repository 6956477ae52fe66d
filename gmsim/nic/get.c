/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Executes gets (reads of remote memory) at both ends.
 *
 *   requester                                   owner of the memory
 *   token GET --- packet GET, numbered -------> RECV: allowed? (NACK)
 *     | acknowledged: in connection->gets       RDMA: after all writes of the
 *     |                                         packets before it: token GOT
 *   RDMA <------- packets GOT, numbered ------- SDMA: like any token's
 *     all data in host memory: over
 *
 * Data that arrive after a get has ended, or after the port was closed, are
 * accepted and discarded. If the memory is deregistered or the port is closed
 * before all data have been sent, the answer ends with an empty packet that
 * contains the reason.
 * [source: GM 2 packet types GET and GOT; assumed: the order of their steps]
 */
#include "nic/get.h"

#include <string.h>

#include "engine/copy.h"
#include "nic/alloc.h"

uint32_t gms_get_wanted(const gms_packet_t *packet)
{
    uint32_t wanted = 0;

    if (packet->header.length == sizeof(wanted)) {
        memcpy(&wanted, packet->data, sizeof(wanted));
    }
    return wanted;
}

void gms_get_answer(gms_ctx_t *ctx, gms_nic_t *nic, const gms_packet_t *packet)
{
    const gms_packet_header_t *header = &packet->header;
    gms_flow_key_t key = {.source_port = header->target_port,
                          .target_node = (uint16_t)header->source,
                          .target_port = header->source_port,
                          .priority = header->priority,
                          .label = header->label | GMS_LABEL_ANSWER};
    gms_flow_t *flow = gms_flow_get(ctx, nic, &key);
    gms_token_t *token = gms_nic_alloc(ctx, sizeof(*token));

    if (flow == NULL) {
        gms_fatal(ctx, "the arena is full: no room for another flow; set a "
                       "larger arena_bytes in the cluster description");
    }
    token->type = GMS_PACKET_GOT;
    token->get = header->get;
    token->desc.flow = key;
    token->desc.kind = GMS_SEND_GET;
    token->desc.address = header->remote;
    token->desc.length = gms_get_wanted(packet);
    token->desc.call_ps = gms_engine_now(ctx->engine);
    token->queued_ps = token->desc.call_ps;
    token->length = token->desc.length;
    token->segment_bytes = (uint32_t)nic->params->nic_mtu_bytes;
    token->port_generation = packet->port_generation;
    gms_flow_append(ctx, flow, token, token->queued_ps);
}

/* Return the token of the get to which a packet belongs, or NULL if the get has
 * ended. */
static gms_token_t *gms_get_find(const gms_nic_t *nic,
                                 const gms_packet_header_t *header)
{
    gms_flow_key_t key = {.source_port = header->target_port,
                          .target_node = (uint16_t)header->source,
                          .target_port = header->source_port,
                          .priority = header->priority,
                          .label = header->label & ~GMS_LABEL_ANSWER};
    const gms_flow_t *flow = gms_flow_find(nic, &key);

    return flow == NULL ? NULL : gms_flow_find_get(flow, header->get);
}

void gms_get_accept(gms_nic_t *nic, gms_packet_t *packet)
{
    const gms_packet_header_t *header = &packet->header;
    const gms_token_t *token = gms_get_find(nic, header);
    const gms_nic_port_t *port = gms_port_if_open(nic, header->target_port);

    packet->port_generation = 0; /* no port has this generation */
    if (token != NULL && port != NULL) {
        packet->port_generation = port->generation;
        packet->host_address = token->desc.address + header->remote;
    } else {
        ++nic->counters.got_drops;
    }
}

gms_token_t *gms_get_ending(gms_nic_t *nic, const gms_packet_t *packet)
{
    const gms_packet_header_t *header = &packet->header;
    gms_token_t *token = NULL;

    if (header->type == GMS_PACKET_GOT && header->nack == 0 &&
        gms_port_find(nic, header->target_port, packet->port_generation) !=
            NULL) {
        token = gms_get_find(nic, header);
    }
    return token != NULL &&
                   header->remote + header->length == token->desc.length
               ? token
               : NULL;
}

void gms_get_take(gms_ctx_t *ctx, gms_nic_t *nic, const gms_nic_port_t *port,
                  const gms_packet_t *packet)
{
    const gms_packet_header_t *header = &packet->header;
    gms_token_t *token = gms_get_find(nic, header);

    if (token == NULL || header->remote != token->got_bytes ||
        header->length > token->desc.length - token->got_bytes) {
        ++nic->counters.got_drops;
        return;
    }
    if (header->nack != 0) {
        gms_flow_fail(ctx, token,
                      header->nack == GMS_NACK_CLOSED ? GMS_SENT_PORT_CLOSED
                                                      : GMS_SENT_REJECTED);
        return;
    }
    gms_rdma_write(ctx, nic, port, packet);
    token->got_bytes += header->length;
    token->progress_ps = gms_engine_now(ctx->engine);
    if (token->got_bytes == token->desc.length) {
        gms_flow_finish(ctx, token, GMS_SENT_OK);
    }
}
