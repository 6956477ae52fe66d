/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ensures that every window of a flow receives the promised bandwidth. A
 * backlogged flow of bandwidth B receives at least (W - L) / IDT packets of P
 * bytes in every window of length W. The flow therefore receives GMS_QOS_KEPT x
 * B if its IDT satisfies this condition:
 *
 *   IDT <= P / B x (1 - L / W) / GMS_QOS_KEPT
 *
 * If L exceeds 0.5 % of W, (1 - L / W) / GMS_QOS_KEPT is less than 1, and the
 * IDT must be shorter than P / B. A shorter IDT of one flow increases L for the
 * other flows, so the computation is repeated.
 */
#include "manager/bound_int.h"

/* A new IDT is computed for an L that exceeds the current L by this fraction of
 * W. Later reservations increase L. Without this margin, every later
 * reservation would cause messages with new IDTs. If a server has no time for
 * the margin, IDTs become only as short as the current reservations require. */
#define GMS_BOUND_AHEAD 0.003
/* Each round increases the margin by this fraction of W, so a few rounds are
 * sufficient. */
#define GMS_BOUND_STEP 0.0001
/* Maximum relative amount by which an IDT may be shorter than P / B. A flow
 * whose windows would require a shorter IDT is not granted. */
#define GMS_BOUND_HASTE_MOST 0.05
/* Number of rounds after which the account stops the search. */
#define GMS_BOUND_HASTE_ROUNDS 8u

/* Returns L of a flow, which is the difference between the longest time without
 * a packet and the IDT. The longest time without a packet begins with a post,
 * or with a packet that arrived as early as possible. This time ends with a
 * packet that arrives as late as possible. */
gms_time_t gms_bound_latency(const gms_bound_t *bound,
                             const gms_bound_flow_t *flow, gms_time_t path_ps)
{
    const gms_bound_costs_t *costs = &bound->costs;
    gms_time_t first_ps =
        costs->host_ps + gms_bound_poll(bound, flow->hop[0].server) + path_ps;
    gms_time_t least_ps = costs->packet_least_ps +
                          (flow->hops - 1) * costs->hop_ps +
                          bound->costs.link.propagation_ps;
    gms_time_t next_ps = path_ps + flow->idt_ps + costs->tick_ps;

    next_ps -= least_ps < next_ps ? least_ps : next_ps;
    return first_ps > next_ps ? first_ps : next_ps;
}

/* Returns P / B, the IDT that the bandwidth of the flow requires. */
static double gms_bound_packet_ps(const gms_bound_t *bound,
                                  const gms_bound_flow_t *flow)
{
    return (double)bound->params.qos_idt_product * 1e6 /
           flow->grant->bandwidth_bytes_s * (double)bound->costs.tick_ps;
}

static double gms_bound_window_ps(const gms_bound_flow_t *flow)
{
    gms_time_t window_ps = GMS_QOS_WINDOW_PACKETS * flow->idt_ps;

    return (double)(window_ps > GMS_QOS_WINDOW_PS ? window_ps
                                                  : GMS_QOS_WINDOW_PS);
}

/* Returns, for a given L, the longest IDT with which every window of the flow
 * still receives GMS_QOS_KEPT of its bandwidth. */
static double gms_bound_idt_ps(const gms_bound_t *bound,
                               const gms_bound_flow_t *flow, double latency_ps)
{
    return gms_bound_packet_ps(bound, flow) *
           (1 - latency_ps / gms_bound_window_ps(flow)) / GMS_QOS_KEPT;
}

/* Checks whether every window of the flow receives GMS_QOS_KEPT of its
 * bandwidth. The servers' published delays usually suffice to answer this
 * question. Otherwise the function computes the delay of the flow's path
 * exactly. */
static int gms_bound_has_windows(const gms_bound_t *bound,
                                 const gms_bound_flow_t *flow)
{
    uint32_t last = flow->hops - 1;
    double idt_ps = (double)flow->idt_ps;
    gms_time_t path_ps = gms_bound_j(flow, last) + flow->send_min_ps +
                         bound->servers[flow->hop[last].server].published_ps +
                         last * bound->costs.hop_ps +
                         bound->costs.link.propagation_ps;

    if (idt_ps <=
        gms_bound_idt_ps(bound, flow,
                         (double)gms_bound_latency(bound, flow, path_ps))) {
        return 1;
    }
    path_ps = gms_bound_path(bound, flow);
    return idt_ps <=
           gms_bound_idt_ps(bound, flow,
                            (double)gms_bound_latency(bound, flow, path_ps));
}

/* Returns an IDT that is shorter than the current IDT and with which all
 * windows of the flow receive their bandwidth; 0 if no IDT is short enough. */
static uint32_t gms_bound_faster(const gms_bound_t *bound,
                                 const gms_bound_flow_t *flow, double ahead)
{
    double latency_ps =
        (double)gms_bound_latency(bound, flow, gms_bound_path(bound, flow)) +
        ahead * gms_bound_window_ps(flow);
    double ticks = gms_bound_idt_ps(bound, flow, latency_ps) /
                   (double)bound->costs.tick_ps;
    double most = (double)(flow->idt_ps / bound->costs.tick_ps - 1);
    double least = (1 - GMS_BOUND_HASTE_MOST) *
                   gms_bound_packet_ps(bound, flow) /
                   (double)bound->costs.tick_ps;

    ticks = ticks < most ? ticks : most;
    return ticks >= 1 && ticks >= least ? (uint32_t)ticks : 0;
}

typedef struct gms_bound_haste {
    double ahead;
    unsigned count;
    int is_over; /* 1: no IDT is short enough for the flow `last` */
    gms_bound_flow_t *last;
} gms_bound_haste_t;

static gms_status_t gms_bound_hasten_flow(gms_bound_t *bound,
                                          gms_bound_flow_t *flow,
                                          gms_bound_haste_t *haste)
{
    uint32_t idt_ticks = gms_bound_faster(bound, flow, haste->ahead);

    haste->last = flow;
    if (idt_ticks == 0) {
        haste->is_over = 1;
        return GMS_OK;
    }
    ++haste->count;
    return gms_bound_set_idt(bound, flow, idt_ticks);
}

static gms_status_t gms_bound_hasten_once(gms_bound_t *bound,
                                          gms_bound_flow_t *flow,
                                          gms_bound_haste_t *haste)
{
    if (flow->seen == bound->walk) {
        return GMS_OK;
    }
    flow->seen = bound->walk;
    return !flow->has_windows || gms_bound_has_windows(bound, flow)
               ? GMS_OK
               : gms_bound_hasten_flow(bound, flow, haste);
}

/* Shortens the IDTs of the flows of servers whose delay has changed. */
static gms_status_t gms_bound_hasten_server(gms_bound_t *bound,
                                            gms_bound_server_t *server,
                                            gms_bound_haste_t *haste)
{
    gms_status_t status = GMS_OK;
    uint32_t i;

    if (server->seen == bound->walk) {
        return GMS_OK;
    }
    server->seen = bound->walk;
    for (i = 0; i < server->count && status == GMS_OK && !haste->is_over; ++i) {
        gms_bound_prefetch(server, i);
        status = gms_bound_hasten_once(bound, server->entries[i].flow, haste);
    }
    return status;
}

/* Shortens IDTs at all affected servers once, and computes the delays again. */
static gms_status_t gms_bound_hasten_all(gms_bound_t *bound,
                                         gms_bound_haste_t *haste)
{
    uint32_t i, end = bound->log_count;
    gms_status_t status = GMS_OK, settled;

    ++bound->walk;
    for (i = 0; i < end && status == GMS_OK && !haste->is_over; ++i) {
        const gms_bound_change_t *change = &bound->log[i];

        if (change->kind == GMS_BOUND_ADDED) {
            status = gms_bound_hasten_once(bound, change->flow, haste);
        } else if (change->kind == GMS_BOUND_DELAY) {
            status = gms_bound_hasten_server(
                bound, &bound->servers[change->server], haste);
        }
    }
    bound->is_question = 1;
    settled = gms_bound_settle(bound);
    bound->is_question = 0;
    return status != GMS_OK ? status : settled;
}

/* Shortens IDTs in rounds until all windows receive their bandwidth. */
static gms_status_t gms_bound_hasten_until(gms_bound_t *bound,
                                           gms_bound_haste_t *haste)
{
    gms_status_t status;
    unsigned before, rounds = 0;

    do {
        before = haste->count;
        status = gms_bound_hasten_all(bound, haste);
        haste->ahead += GMS_BOUND_STEP * (double)(1u << rounds);
        haste->is_over |= ++rounds == GMS_BOUND_HASTE_ROUNDS;
    } while (status == GMS_OK && haste->count > before && !haste->is_over);
    return status;
}

gms_status_t gms_bound_hasten(gms_bound_t *bound, int is_question,
                              unsigned *count_p, gms_qos_verdict_t *verdict)
{
    gms_bound_haste_t haste = {.ahead = is_question ? 0 : GMS_BOUND_AHEAD};
    uint32_t mark = gms_bound_mark(bound);
    gms_status_t status;

    *count_p = 0;
    if (!bound->params.qos_strict_windows ||
        bound->params.qos_node_rule == GMS_QOS_NODE_CONSTANT) {
        return GMS_OK; /* under this rule, the bounds do not include the time
                        * that NICs need */
    }
    status = gms_bound_hasten_until(bound, &haste);
    if (status == GMS_OK && haste.is_over && haste.count > 0 && !is_question) {
        gms_bound_undo(bound, mark);
        haste = (gms_bound_haste_t){.ahead = 0};
        status = gms_bound_hasten_until(bound, &haste);
    }
    *count_p = haste.count;
    if (haste.is_over) {
        verdict->criterion = GMS_QOS_LATENCY;
        verdict->resource = haste.last->grant->source_node;
        verdict->victim_node = haste.last->grant->source_node;
        verdict->victim = haste.last->grant->key;
    }
    return status;
}
