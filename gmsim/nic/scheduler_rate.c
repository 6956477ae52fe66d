/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scheduler `rate`: every flow has an inter-packet dispatch time (IDT) and a
 * next dispatch time (NDT), in ticks. RTC is the current tick of the NIC's
 * real-time clock. If the smallest NDT of all flows is at most RTC, the flow
 * with this NDT sends one packet, and its NDT increases by its IDT. The NDT of
 * a flow that becomes valid is set to max(NDT, RTC). For a flow with a
 * reservation, RTC in this formula is the time at which the flow's descriptor
 * arrived (nic/flow.c). [source: gulati 2001 thesis 3.2.2, figure 3.3, 4.2.2;
 * section 4.2.2 prints the test as NDT >= RTC, which contradicts figure 3.3]
 *
 * A flow with IDT 0 is unregulated. If the NDT increased by 0, such a flow
 * would always have the smallest NDT and starve the other flows. The NDT of an
 * unregulated flow is therefore set to the RTC of the dispatch. As a result,
 * unregulated flows take turns, and a regulated flow that is due waits only for
 * flows that have waited longer.
 *
 * A busy NIC loses time for reasons that no reservation takes into account.
 * When packets from several sources meet at a NIC, which has two receive
 * buffers, the packets wait on their links, and the NICs that sent them wait,
 * too. All flows become late, and the rule of the smallest NDT makes them
 * equally late. A yielding (best-effort) flow can recover at most
 * GMS_RATE_LATE_TICKS of its lateness, and loses the rest. Flows with a
 * reservation then have the lower NDT and are served first.
 *
 * If flows of both priorities are due, a high-priority flow is served first.
 *
 * The scheduler finds the smallest NDT with heaps. The NIC of the thesis
 * searched all flows; the simulated cost of that search is a parameter.
 */
#include <string.h>

#include "base/heap.h"
#include "nic/alloc.h"
#include "nic/dcqcn.h"
#include "nic/nic_int.h"
#include "nic/scheduler_int.h"

#define GMS_RATE_FIRST_CAPACITY 16u
/* Maximum lateness that a yielding flow may recover. This limit is the time of
 * ten packets, so yielding flows lose no bandwidth when they wait for each
 * other. The limit is also 0.5 % of the 100 ms over which reservations are
 * checked. [source: this project, doc/design/0007-best-effort-gives-way.md] */
#define GMS_RATE_LATE_TICKS 1000u

typedef struct gms_rate_heap {
    gms_flow_t **flows; /* [0 .. valid - 1] */
    size_t valid, capacity;
} gms_rate_heap_t;

typedef struct gms_rate {
    gms_scheduler_t super;
    gms_rate_heap_t low, high;
    uint64_t dispatches; /* number of dispatches so far, which orders flows by
                          * their last service */
} gms_rate_t;

/* Return 1 if a flow has a reservation. The scheduler ignores the priority of
 * such a flow, because every flow with a reservation has its own pace, and
 * priority would only delay packets of other flows. */
static int gms_rate_is_real_time(const gms_flow_t *flow)
{
    return flow->nic != NULL && flow->nic->classes > 1 &&
           flow->traffic_class == GMS_LANE_REAL_TIME;
}

static gms_rate_heap_t *gms_rate_heap(gms_rate_t *self, const gms_flow_t *flow)
{
    return flow->key.priority == 0 || gms_rate_is_real_time(flow) ? &self->low
                                                                  : &self->high;
}

static gms_status_t gms_rate_create(gms_ctx_t *ctx, const gms_params_t *params,
                                    gms_scheduler_t **scheduler_p)
{
    gms_rate_t *self = gms_arena_alloc(ctx->arena, sizeof(*self));

    (void)params;
    if (self == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    self->super.id = GMS_SCHEDULER_RATE;
    *scheduler_p = &self->super;
    return GMS_OK;
}

/* Return the index that decides the order of flows that are due at the same
 * tick. A flow and its twin have the same index. */
static uint32_t gms_rate_index(const gms_flow_t *flow)
{
    return flow->twin != NULL && flow->twin->index < flow->index
               ? flow->twin->index
               : flow->index;
}

/* Return 1 if flow a must be served before flow b. If both NDTs are equal,
 * regulated flows precede unregulated flows, because a rate has been promised
 * to regulated flows. Among regulated flows, the flow with the lower index is
 * first [source: table 3.1 dispatches A at t = 6]. Among unregulated flows, the
 * flow that was served least recently is first. */
static int gms_rate_before(const gms_flow_t *a, const gms_flow_t *b)
{
    if (a->ndt != b->ndt) {
        return a->ndt < b->ndt;
    }
    if ((a->idt_ticks == 0) != (b->idt_ticks == 0)) {
        return a->idt_ticks != 0;
    }
    if (a->idt_ticks == 0 && a->order != b->order) {
        return a->order < b->order;
    }
    /* a flow and its twin share one pace and take turns */
    if (a->twin == b) {
        return a->order < b->order;
    }
    return gms_rate_index(a) < gms_rate_index(b);
}

static int gms_rate_is_before(gms_rate_heap_t *heap, gms_flow_t *const *a,
                              gms_flow_t *const *b)
{
    (void)heap;
    return gms_rate_before(*a, *b);
}

static void gms_rate_moved(gms_rate_heap_t *heap, gms_flow_t *const *flow,
                           size_t at)
{
    (void)heap;
    (*flow)->heap_slot = (uint32_t)at;
}

GMS_HEAP_DEFINE(gms_rate_flows, gms_flow_t *, gms_rate_heap_t *,
                gms_rate_is_before, gms_rate_moved);

/* Move a flow in its heap, because its key has changed. */
static void gms_rate_settle(gms_rate_heap_t *heap, gms_flow_t *flow)
{
    gms_rate_flows_settle(heap, heap->flows, heap->valid, flow->heap_slot,
                          flow);
}

static void gms_rate_add(gms_ctx_t *ctx, gms_scheduler_t *scheduler,
                         gms_flow_t *flow, uint64_t rtc)
{
    gms_rate_t *self = (gms_rate_t *)scheduler;
    gms_rate_heap_t *heap = gms_rate_heap(self, flow);

    if (heap->valid == heap->capacity) {
        size_t capacity =
            heap->capacity == 0 ? GMS_RATE_FIRST_CAPACITY : 2 * heap->capacity;
        gms_flow_t **larger = gms_nic_alloc(ctx, capacity * sizeof(*larger));

        if (heap->flows != NULL) {
            memcpy(larger, heap->flows, heap->capacity * sizeof(*larger));
        }
        gms_arena_free(ctx->arena, heap->flows);
        heap->flows = larger;
        heap->capacity = capacity;
    }
    if (flow->ndt < rtc) {
        flow->ndt = rtc;
    }
    flow->ready_rtc = rtc;
    ++self->super.valid;
    gms_rate_flows_add(heap, heap->flows, &heap->valid, flow);
}

static void gms_rate_remove(gms_scheduler_t *scheduler, gms_flow_t *flow)
{
    gms_rate_t *self = (gms_rate_t *)scheduler;
    gms_rate_heap_t *heap = gms_rate_heap(self, flow);

    --self->super.valid;
    gms_rate_flows_remove(heap, heap->flows, &heap->valid, flow->heap_slot);
}

/* Return the heap's first flow if it is due. If the flow is not due yet, lower
 * *next_rtc_p to the tick at which it will be due. */
static gms_flow_t *gms_rate_due(const gms_rate_heap_t *heap, uint64_t rtc,
                                uint64_t *next_rtc_p)
{
    if (heap->valid == 0) {
        return NULL;
    }
    if (heap->flows[0]->ndt <= rtc) {
        return heap->flows[0];
    }
    if (heap->flows[0]->ndt < *next_rtc_p) {
        *next_rtc_p = heap->flows[0]->ndt;
    }
    return NULL;
}

static gms_flow_t *gms_rate_pick(gms_scheduler_t *scheduler, uint64_t rtc,
                                 uint64_t *next_rtc_p)
{
    const gms_rate_t *self = (const gms_rate_t *)scheduler;
    gms_flow_t *flow;

    *next_rtc_p = GMS_RTC_NEVER;
    flow = gms_rate_due(&self->high, rtc, next_rtc_p);
    return flow != NULL ? flow : gms_rate_due(&self->low, rtc, next_rtc_p);
}

/* Return the number of ticks that the last packet of a flow with a byte pace
 * uses. A minimum applies, because even the shortest packet costs time. */
static uint64_t gms_rate_paced_ticks(const gms_flow_t *flow)
{
    uint64_t bytes = flow->bytes_sent - flow->paced_bytes;

    if (bytes < GMS_NIC_PACED_LEAST) {
        bytes = GMS_NIC_PACED_LEAST;
    }
    return (flow->idt_ticks * bytes + flow->pace_bytes - 1) / flow->pace_bytes;
}

/* Return the tick at which the flow's next packet is due. */
static uint64_t gms_rate_next(const gms_flow_t *flow, uint64_t rtc)
{
    uint64_t ndt = flow->ndt;

    if (flow->idt_ticks == 0) {
        return rtc;
    }
    if (flow->pace_bytes > 0) {
        return ndt + gms_rate_paced_ticks(flow);
    }
    if (flow->yields && ndt + GMS_RATE_LATE_TICKS < rtc) {
        ndt = rtc - GMS_RATE_LATE_TICKS;
    }
    if (ndt + GMS_RATE_BURST_TICKS < rtc && gms_rate_is_real_time(flow)) {
        ndt = rtc - GMS_RATE_BURST_TICKS;
    }
    return ndt + flow->idt_ticks;
}

/* Return the tick at which the next packet of a flow is due if the NIC paces
 * bursts. Packets of a burst are due at once. After the burst, the flow waits
 * for the dispatch times of all packets in the burst. */
static uint64_t gms_rate_burst(gms_flow_t *flow, uint64_t ndt, uint64_t next)
{
    const gms_params_t *params = flow->nic->params;

    if (params->nic_kind != GMS_NIC_HCA || params->hca_pace_burst_bytes == 0 ||
        next <= ndt) {
        return next;
    }
    flow->burst_ticks += next - ndt;
    flow->burst_bytes += flow->bytes_sent - flow->paced_bytes;
    if (flow->burst_bytes < params->hca_pace_burst_bytes) {
        return ndt;
    }
    next = ndt + flow->burst_ticks;
    flow->burst_ticks = 0;
    flow->burst_bytes = 0;
    return next;
}

/* Return the first tick at which the rate control DCQCN allows a packet. */
static uint64_t gms_rate_controlled(const gms_flow_t *flow)
{
    uint64_t tick_ps;

    if (flow->dcqcn == NULL) {
        return 0;
    }
    tick_ps = flow->nic->params->rtc_tick_ps;
    return (flow->dcqcn->next_ps + tick_ps - 1) / tick_ps;
}

/* Delay the flow's next packet until the rate control DCQCN allows it. */
static void gms_rate_control(gms_flow_t *flow, uint64_t rtc)
{
    const gms_params_t *params = flow->nic->params;
    uint64_t due;

    gms_dcqcn_sent(flow->dcqcn, params,
                   flow->bytes_sent - flow->paced_bytes +
                       params->nic_header_bytes,
                   rtc * params->rtc_tick_ps);
    due = gms_rate_controlled(flow);
    if (due > flow->ndt) {
        flow->ndt = due;
    }
}

/* Copy the dispatch times of the flow's twin, which has sent a packet. */
static void gms_rate_follow(gms_flow_t *flow, const gms_flow_t *sent)
{
    gms_rate_t *self =
        (gms_rate_t *)flow->nic->traffic_class[flow->traffic_class].scheduler;

    flow->ndt = sent->ndt;
    flow->last_ndt = sent->last_ndt;
    flow->burst_ticks = sent->burst_ticks;
    flow->burst_bytes = sent->burst_bytes;
    if (flow->valid) {
        gms_rate_settle(gms_rate_heap(self, flow), flow);
    }
}

static void gms_rate_dispatched(gms_scheduler_t *scheduler, gms_flow_t *flow,
                                uint64_t rtc, int message_end)
{
    gms_rate_t *self = (gms_rate_t *)scheduler;

    (void)message_end;
    if (flow->ndt > flow->ready_rtc) {
        ++flow->idt_waits;
        flow->idt_wait_ticks += flow->ndt - flow->ready_rtc;
    }
    flow->ready_rtc = rtc;
    flow->last_ndt = flow->ndt;
    flow->ndt = gms_rate_next(flow, rtc);
    if (flow->idt_ticks != 0 && flow->nic != NULL) {
        flow->ndt = gms_rate_burst(flow, flow->last_ndt, flow->ndt);
    }
    if (flow->dcqcn != NULL && !gms_rate_is_real_time(flow)) {
        gms_rate_control(flow, rtc);
    }
    flow->paced_bytes = flow->bytes_sent;
    flow->order = ++self->dispatches;
    gms_rate_settle(gms_rate_heap(self, flow), flow);
    if (flow->twin != NULL && flow->idt_ticks != 0) {
        gms_rate_follow(flow->twin, flow);
    }
}

/* A shorter IDT applies from the last dispatch, because the old IDT must not
 * delay the next packet. The flow receives no credit for past time. A longer
 * IDT applies from the next packet. */
static void gms_rate_idt_changed(gms_scheduler_t *scheduler, gms_flow_t *flow,
                                 uint64_t rtc)
{
    gms_rate_t *self = (gms_rate_t *)scheduler;
    uint64_t ndt = flow->last_ndt + flow->idt_ticks;

    if (ndt < rtc) {
        ndt = rtc;
    }
    if (!gms_rate_is_real_time(flow) && ndt < gms_rate_controlled(flow)) {
        ndt = gms_rate_controlled(flow);
    }
    if (flow->ndt > ndt) {
        flow->ndt = ndt;
    }
    if (flow->valid) {
        gms_rate_settle(gms_rate_heap(self, flow), flow);
    }
}

static uint64_t gms_rate_pick_cycles(const gms_scheduler_t *scheduler,
                                     const gms_params_t *params)
{
    if (scheduler->valid == 0) {
        return 0;
    }
    return params->mcp_rate_first_cycles +
           (scheduler->valid - 1) * params->mcp_rate_flow_cycles;
}

const gms_scheduler_ops_t gms_scheduler_rate_ops = {
    .keeps_pace = 1,
    .create = gms_rate_create,
    .add = gms_rate_add,
    .remove = gms_rate_remove,
    .pick = gms_rate_pick,
    .dispatched = gms_rate_dispatched,
    .idt_changed = gms_rate_idt_changed,
    .pick_cycles = gms_rate_pick_cycles,
};
