/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles the descriptors in the NIC's memory that POLL has not read. A port
 * has two queues in posting order, one for sends and one for receives. Sends of
 * flows with reservations wait in separate queues, one per flow, and these
 * flows take turns. Therefore neither other traffic nor a burst of another flow
 * delays a reserved descriptor. Flows that could send now if their descriptors
 * had already been read are served first.
 */
#include "nic/mcp.h"
#include "nic/sram.h"

void gms_post_destroy(gms_ctx_t *ctx, gms_post_t *post)
{
    if (!post->is_receive) {
        gms_arena_free(ctx->arena, post->desc.send.staged);
    }
    gms_arena_free(ctx->arena, post);
}

GMS_QUEUE_DEFINE(gms_turns, gms_flow_queue_t, gms_flow_t, turn_next);

/* ---- flows that take turns ---------------------------------------------- */

static void gms_post_put_reserved(gms_nic_t *nic, gms_flow_t *flow,
                                  gms_post_t *post)
{
    post->is_reserved = 1;
    ++nic->reserved_posts;
    if (flow->posts.first == NULL) {
        gms_turns_put(&nic->turns, flow);
    }
    gms_post_queue_put(&flow->posts, post);
}

/* Return 1 if there is memory for the token of a flow's next descriptor. A flow
 * without tokens always receives memory for its first token. Without this rule,
 * a burst of other flows could keep the flow from sending. */
static int gms_post_may_read(const gms_nic_t *nic, const gms_flow_t *flow)
{
    return gms_post_is_command(flow->posts.first) || flow->first == NULL ||
           gms_sram_has_reserved_token(nic);
}

/* Return 1 if a flow could send now if POLL had already read its descriptor. */
static int gms_post_is_urgent(const gms_nic_t *nic, const gms_flow_t *flow,
                              uint64_t rtc)
{
    return flow->next_sendable == NULL && flow->barred == 0 &&
           flow->ndt <= rtc && gms_post_may_read(nic, flow);
}

static gms_flow_t *gms_post_urgent(const gms_nic_t *nic, uint64_t rtc)
{
    gms_flow_t *flow = nic->turns.first;

    while (flow != NULL && !gms_post_is_urgent(nic, flow, rtc)) {
        flow = flow->turn_next;
    }
    return flow;
}

int gms_post_has_urgent(const gms_nic_t *nic, uint64_t rtc)
{
    return gms_post_urgent(nic, rtc) != NULL;
}

/* Rotate the list of turns until the flow `to` is first. */
static void gms_post_pass_turns(gms_nic_t *nic, const gms_flow_t *to)
{
    while (to != NULL && nic->turns.first != to) {
        gms_turns_put(&nic->turns, gms_turns_take(&nic->turns));
    }
}

gms_post_t *gms_post_take_reserved(gms_nic_t *nic, uint64_t rtc)
{
    const gms_flow_t *last;
    gms_post_t *post = NULL;
    gms_flow_t *flow;

    gms_post_pass_turns(nic, gms_post_urgent(nic, rtc));
    last = nic->turns.last;
    do {
        flow = gms_turns_take(&nic->turns);
        if (flow == NULL) {
            return NULL;
        }
        if (gms_post_may_read(nic, flow)) {
            post = gms_post_queue_take(&flow->posts);
            --nic->posts;
            --nic->reserved_posts;
        } else {
            flow->posts.first->was_held = 1;
        }
        if (flow->posts.first != NULL) {
            gms_turns_put(&nic->turns, flow);
        }
    } while (post == NULL && flow != last);
    return post;
}

/* ---- all descriptors ----------------------------------------------------- */

void gms_post_put(gms_nic_t *nic, gms_nic_port_t *port, gms_post_t *post)
{
    gms_flow_t *flow = post->is_receive || !nic->is_reserved
                           ? NULL
                           : gms_flow_find(nic, &post->desc.send.flow);

    ++nic->posts;
    if (flow != NULL && flow->promises != 0) {
        gms_post_put_reserved(nic, flow, post);
    } else {
        gms_post_queue_put(post->is_receive ? &port->receives : &port->sends,
                           post);
        gms_post_note(nic, port);
    }
}

/* Put back a descriptor that was being read at a reset. The descriptor returns
 * to the queue of its flow, even if the flow has lost its reservation in the
 * meantime. This rule preserves the order of the flow's descriptors. */
void gms_post_put_back(gms_nic_t *nic, gms_nic_port_t *port, gms_post_t *post)
{
    gms_flow_t *flow =
        post->is_reserved ? gms_flow_find(nic, &post->desc.send.flow) : NULL;
    gms_post_queue_t *queue = flow != NULL       ? &flow->posts
                              : post->is_receive ? &port->receives
                                                 : &port->sends;

    if (flow != NULL && flow->posts.first == NULL) {
        gms_turns_put(&nic->turns, flow);
    }
    post->was_held = 1;
    gms_post_queue_put_back(queue, post);
    gms_post_note(nic, port);
    ++nic->posts;
    nic->reserved_posts += post->is_reserved;
}

void gms_post_reserve(gms_nic_t *nic, gms_flow_t *flow)
{
    gms_nic_port_t *port = gms_port_at(nic, flow->key.source_port);
    gms_post_queue_t all;
    gms_post_t *post;

    if (nic->post != NULL && !nic->post->is_receive &&
        gms_flow_key_equal(&nic->post->desc.send.flow, &flow->key)) {
        /* a reset may return this descriptor to a queue */
        nic->post->is_reserved = 1;
        nic->post->was_held = 1;
    }
    if (port == NULL) {
        return; /* no process has posted a descriptor to this port */
    }
    all = port->sends;
    port->sends = (gms_post_queue_t){NULL, NULL};
    while ((post = gms_post_queue_take(&all)) != NULL) {
        if (gms_flow_key_equal(&post->desc.send.flow, &flow->key)) {
            post->was_held = 1;
            gms_post_put_reserved(nic, flow, post);
        } else {
            gms_post_queue_put(&port->sends, post);
        }
    }
    gms_post_note(nic, port);
}

static void gms_post_drop_queue(gms_ctx_t *ctx, gms_nic_t *nic,
                                gms_post_queue_t *queue)
{
    gms_post_t *post;

    while ((post = gms_post_queue_take(queue)) != NULL) {
        --nic->posts;
        nic->reserved_posts -= post->is_reserved;
        gms_post_destroy(ctx, post);
    }
}

void gms_post_drop(gms_ctx_t *ctx, gms_nic_t *nic, gms_nic_port_t *port)
{
    gms_flow_queue_t turns = nic->turns;
    gms_flow_t *flow;

    gms_post_drop_queue(ctx, nic, &port->sends);
    gms_post_drop_queue(ctx, nic, &port->receives);
    gms_post_note(nic, port);
    nic->turns = (gms_flow_queue_t){NULL, NULL};
    while ((flow = gms_turns_take(&turns)) != NULL) {
        if (flow->key.source_port == port->number) {
            gms_post_drop_queue(ctx, nic, &flow->posts);
        } else {
            gms_turns_put(&nic->turns, flow);
        }
    }
}
