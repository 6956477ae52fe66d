/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes the delays, the smallest number of packets in a window, and the lag
 * of a flow from trace points of the NICs. One ring contains the times of
 * posted messages; another ring contains the times of arrivals within one
 * window.
 */
#include "experiments/watch.h"

#include <stdlib.h>
#include <string.h>

#include "nic/inspect.h"

/* A queue of times, stored in a ring buffer. */
typedef struct gms_watch_ring {
    gms_time_t *times;
    size_t first, count, room; /* `room` is 0 or a power of 2 */
} gms_watch_ring_t;

struct gms_flow_watch {
    gms_flow_seen_t seen;
    /* times of the posts of messages that have not arrived */
    gms_watch_ring_t posts;
    gms_watch_ring_t arrivals; /* arrival times of the packets within the last
                                * window */
    gms_time_t window_ps, settle_ps, idt_ps;
    /* 1: the flow has always had posted messages since begin_ps */
    int is_open;
    /* start of the current interval with posted messages */
    gms_time_t begin_ps;
    int64_t virtual_ps;     /* number of packets since begin_ps, multiplied by
                             * idt_ps */
    int64_t least_ahead_ps; /* smallest value of s - n x idt_ps since begin_ps,
                             * where n is the number of packets up to the time
                             * s */
};

static int gms_watch_put(gms_watch_ring_t *ring, gms_time_t at_ps)
{
    if (ring->count == ring->room) {
        size_t room = ring->room == 0 ? 64 : 2 * ring->room, i;
        gms_time_t *times = malloc(room * sizeof(*times));

        if (times == NULL) {
            return 0;
        }
        for (i = 0; i < ring->count; ++i) {
            times[i] = ring->times[(ring->first + i) & (ring->room - 1)];
        }
        free(ring->times);
        *ring = (gms_watch_ring_t){times, 0, ring->count, room};
    }
    ring->times[(ring->first + ring->count++) & (ring->room - 1)] = at_ps;
    return 1;
}

static gms_time_t gms_watch_take(gms_watch_ring_t *ring)
{
    gms_time_t at_ps = ring->times[ring->first];

    ring->first = (ring->first + 1) & (ring->room - 1);
    --ring->count;
    return at_ps;
}

gms_flow_watch_t *gms_flow_watch_create(void)
{
    gms_flow_watch_t *watch = calloc(1, sizeof(*watch));

    if (watch != NULL) {
        watch->seen.delay_least_ps = GMS_NEVER;
        watch->seen.least_packets = UINT64_MAX;
    }
    return watch;
}

void gms_flow_watch_destroy(gms_flow_watch_t *watch)
{
    if (watch != NULL) {
        free(watch->posts.times);
        free(watch->arrivals.times);
        free(watch);
    }
}

/* ---- windows --------------------------------------------------------------- */

/* Close the window that ends at the present time, before the next arrival is
 * counted. If memory was exhausted, the window is not counted. If the window
 * were counted, an arrival that was not stored would look like a broken
 * guarantee. */
static void gms_watch_window(gms_flow_watch_t *watch, gms_time_t now_ps)
{
    gms_watch_ring_t *arrivals = &watch->arrivals;

    while (arrivals->count > 0 &&
           arrivals->times[arrivals->first] + watch->window_ps < now_ps) {
        (void)gms_watch_take(arrivals);
    }
    if (now_ps < watch->begin_ps + watch->settle_ps + watch->window_ps) {
        return;
    }
    ++watch->seen.windows;
    if (arrivals->count < watch->seen.least_packets) {
        watch->seen.least_packets = arrivals->count;
        watch->seen.least_end_ps = now_ps;
    }
}

static void gms_watch_lag(gms_flow_watch_t *watch, gms_time_t now_ps)
{
    int64_t lag_ps =
        (int64_t)now_ps - watch->virtual_ps - watch->least_ahead_ps;

    if (lag_ps > (int64_t)watch->seen.lag_ps) {
        watch->seen.lag_ps = (gms_time_t)lag_ps;
    }
}

static void gms_watch_check(gms_flow_watch_t *watch, gms_time_t now_ps)
{
    if (watch->is_open && watch->window_ps > 0) {
        gms_watch_window(watch, now_ps);
    }
    if (watch->is_open && watch->idt_ps > 0) {
        gms_watch_lag(watch, now_ps);
    }
}

void gms_flow_watch_begin(gms_flow_watch_t *watch, gms_time_t now_ps)
{
    if (watch != NULL) {
        watch->is_open = 1;
        watch->begin_ps = now_ps;
        watch->arrivals.count = 0;
        watch->virtual_ps = 0;
        watch->least_ahead_ps = (int64_t)now_ps;
    }
}

void gms_flow_watch_pause(gms_flow_watch_t *watch, gms_time_t now_ps)
{
    if (watch != NULL) {
        gms_watch_check(watch, now_ps);
        watch->is_open = 0;
    }
}

void gms_flow_watch_set_window(gms_flow_watch_t *watch, gms_time_t window_ps,
                               gms_time_t settle_ps, gms_time_t idt_ps)
{
    if (watch != NULL) {
        watch->window_ps = window_ps;
        watch->settle_ps = settle_ps;
        watch->idt_ps = idt_ps;
    }
}

void gms_flow_watch_finish(gms_flow_watch_t *watch, gms_time_t now_ps)
{
    if (watch != NULL) {
        gms_watch_check(watch, now_ps);
    }
}

static void gms_watch_arrived(gms_flow_watch_t *watch,
                              const gms_packet_t *packet, gms_time_t now_ps)
{
    ++watch->seen.packets;
    watch->seen.host_dma_ps += packet->path.host_dma_ps;
    watch->seen.lanai_ps += packet->path.lanai_ps;
    watch->seen.queue_ps += packet->queue_ps;
    if (!watch->is_open) {
        return;
    }
    if (packet->flow->starved_ps > watch->begin_ps) {
        /* The flow had no message to send when a packet was due. */
        ++watch->seen.dry;
        gms_flow_watch_begin(watch, now_ps);
        return;
    }
    gms_watch_check(watch, now_ps);
    watch->virtual_ps += (int64_t)watch->idt_ps;
    if ((int64_t)now_ps - watch->virtual_ps < watch->least_ahead_ps) {
        watch->least_ahead_ps = (int64_t)now_ps - watch->virtual_ps;
    }
    if (packet->flow->next_sendable == NULL) {
        /* All posted messages have been sent. From now on, the flow waits for
         * its sender. */
        ++watch->seen.dry;
        gms_flow_watch_begin(watch, now_ps);
    } else if (watch->window_ps > 0 &&
               !gms_watch_put(&watch->arrivals, now_ps)) {
        gms_flow_watch_begin(watch, now_ps);
    }
}

/* ---- messages --------------------------------------------------------------- */

void gms_flow_watch_posted(gms_flow_watch_t *watch, gms_time_t now_ps)
{
    if (watch != NULL && watch->seen.failed == 0) {
        ++watch->seen.posted;
        if (!gms_watch_put(&watch->posts, now_ps)) {
            gms_flow_watch_failed(watch);
        }
    }
}

void gms_flow_watch_failed(gms_flow_watch_t *watch)
{
    if (watch != NULL) {
        ++watch->seen.failed;
        watch->posts.count = 0;
    }
}

static void gms_watch_delivered(gms_flow_watch_t *watch, gms_time_t now_ps)
{
    gms_time_t delay_ps;

    if (watch->posts.count == 0) {
        /* the message was posted before the observation, or after a failure */
        return;
    }
    delay_ps = now_ps - gms_watch_take(&watch->posts);
    ++watch->seen.messages;
    if (delay_ps < watch->seen.delay_least_ps) {
        watch->seen.delay_least_ps = delay_ps;
    }
    if (delay_ps > watch->seen.delay_worst_ps) {
        watch->seen.delay_worst_ps = delay_ps;
        watch->seen.delay_worst_at_ps = now_ps;
    }
}

void gms_flow_watch_result(const gms_flow_watch_t *watch, gms_flow_seen_t *seen)
{
    *seen = watch->seen;
    seen->oldest_ps = watch->posts.count > 0
                          ? watch->posts.times[watch->posts.first]
                          : GMS_NEVER;
}

/* ---- trace points ---- */

static gms_flow_watch_t *gms_watch_of(const gms_packet_t *packet)
{
    return packet != NULL && packet->flow != NULL ? packet->flow->seen : NULL;
}

static void gms_watch_delivery(const gms_nic_delivery_t *delivery,
                               gms_time_t now_ps)
{
    gms_flow_watch_t *watch = gms_watch_of(delivery->fast);

    if (delivery->fast == NULL && delivery->message != NULL) {
        watch = (gms_flow_watch_t *)(uintptr_t)gms_message_is_known(
            delivery->message);
    }
    if (watch != NULL) {
        gms_watch_delivered(watch, now_ps);
    }
}

void gms_flow_watch_on_tracepoint(gms_ctx_t *ctx, uint32_t what,
                                  const void *thing)
{
    gms_time_t now_ps = gms_engine_now(ctx->engine);
    const gms_fabric_blocked_t *blocked = thing;
    const gms_packet_t *packet = thing;
    gms_flow_watch_t *watch;

    if (what == GMS_NIC_TRACEPOINT_ARRIVAL) {
        watch = gms_watch_of(packet);
        if (watch == NULL) {
            return;
        }
        if (packet->message != NULL) {
            gms_message_note(packet->message, (uintptr_t)watch);
        }
        gms_watch_arrived(watch, packet, now_ps);
    } else if (what == GMS_NIC_TRACEPOINT_DELIVERY) {
        gms_watch_delivery(thing, now_ps);
    } else if (what == GMS_FABRIC_TRACEPOINT_BLOCKED &&
               blocked->hop < GMS_FLOW_WATCH_HOPS) {
        watch = gms_watch_of((const gms_packet_t *)blocked->worm);
        if (watch != NULL) {
            watch->seen.wait_ps[blocked->hop] += blocked->waited_ps;
        }
    }
}
