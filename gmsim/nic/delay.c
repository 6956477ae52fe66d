/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uses leaky buckets to determine the due times of messages and exchanges, and
 * counts their delays.
 */
#include "nic/delay.h"

#include "nic/mcp.h"

/* This bit of a due time marks a message that exceeds the burst. */
#define GMS_DELAY_BEYOND (UINT64_C(1) << 63)

static uint64_t gms_delay_packets(const gms_token_t *token)
{
    return token->length == 0
               ? 1
               : ((uint64_t)token->length + token->segment_bytes - 1) /
                     token->segment_bytes;
}

/* Add packets to a bucket at time call_ps.
 * @return due time of these packets */
static gms_time_t gms_delay_fill(const gms_delay_terms_t *terms,
                                 gms_delay_count_t *count, gms_time_t call_ps,
                                 uint64_t packets)
{
    gms_time_t due_ps = call_ps;
    gms_time_t time_ps = packets * terms->packet_ps;
    gms_time_t room_ps = terms->burst * terms->packet_ps;
    gms_time_t empty_ps = count->empty_ps > call_ps ? count->empty_ps : call_ps;

    if (empty_ps + time_ps > call_ps + room_ps) {
        due_ps = empty_ps + time_ps - room_ps;
    }
    count->empty_ps = (empty_ps > due_ps ? empty_ps : due_ps) + time_ps;
    return due_ps | (due_ps > call_ps ? GMS_DELAY_BEYOND : 0);
}

void gms_delay_post(gms_flow_t *flow, gms_token_t *token)
{
    const gms_send_desc_t *desc = &token->desc;
    gms_delay_t *delay = flow->delay;
    gms_time_t due_ps;

    if (delay->terms.packet_ps == 0 ||
        (token->type != 0 && token->type != GMS_PACKET_PUT)) {
        return;
    }
    due_ps = gms_delay_fill(&delay->terms, &delay->sends, desc->call_ps,
                            gms_delay_packets(token));
    if (token->type == 0 && desc->call_ps >= delay->from_ps) {
        token->due_ps = due_ps;
    }
    if (desc->exchange_packets > 0 && desc->exchange_ps >= delay->from_ps) {
        token->exchange_due_ps =
            gms_delay_fill(&delay->terms, &delay->exchanges, desc->exchange_ps,
                           desc->exchange_packets);
    }
}

static void gms_delay_count(const gms_delay_t *delay, gms_delay_count_t *count,
                            gms_time_t due_ps, gms_time_t now_ps)
{
    gms_time_t from_ps = due_ps & ~GMS_DELAY_BEYOND;

    if (from_ps == 0 || from_ps < delay->from_ps) {
        /* the message was due during an earlier reservation, or is not
         * measured */
        return;
    }
    ++count->messages;
    count->beyond += (due_ps & GMS_DELAY_BEYOND) != 0;
    if (now_ps > from_ps && now_ps - from_ps > count->worst_ps) {
        count->worst_ps = now_ps - from_ps;
    }
}

void gms_delay_arrive(gms_flow_t *flow, gms_time_t due_ps,
                      gms_time_t exchange_due_ps, gms_time_t now_ps)
{
    gms_delay_t *delay = flow->delay;

    gms_delay_count(delay, &delay->sends, due_ps, now_ps);
    gms_delay_count(delay, &delay->exchanges, exchange_due_ps, now_ps);
}

/* Return the number of waiting packets, which the bucket already contains. */
static uint64_t gms_delay_backlog(const gms_flow_t *flow)
{
    const gms_token_t *token = flow->next_sendable;
    uint64_t packets = 0;

    for (; token != NULL; token = token->next) {
        uint64_t all = gms_delay_packets(token);

        packets += all > token->packets_sent ? all - token->packets_sent : 0;
    }
    return packets;
}

gms_status_t gms_nic_measure_delay(gms_ctx_t *ctx, gms_nic_t *nic,
                                   const gms_flow_key_t *key,
                                   const gms_delay_terms_t *terms)
{
    gms_flow_t *flow = gms_flow_get(ctx, nic, key);
    gms_time_t now_ps = gms_engine_now(ctx->engine);
    gms_delay_t *delay;

    if (flow == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    if (terms->packet_ps == 0) {
        if (flow->delay != NULL) {
            flow->delay->terms.packet_ps = 0;
        }
        return GMS_OK;
    }
    delay = flow->delay != NULL ? flow->delay
                                : gms_arena_alloc(ctx->arena, sizeof(*delay));
    if (delay == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    flow->delay = delay;
    if (terms->packet_ps != delay->terms.packet_ps ||
        terms->burst != delay->terms.burst) {
        *delay = (gms_delay_t){
            .from_ps = now_ps,
            .sends.empty_ps =
                now_ps + gms_delay_backlog(flow) * terms->packet_ps,
        };
    }
    delay->terms = *terms;
    return GMS_OK;
}
