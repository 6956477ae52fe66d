/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creates the adversaries of gmsim verify, which are random changes of a case.
 * The network must keep every grant in spite of these changes. The changes
 * affect the phases, message sizes, pauses and bursts of the reserved flows,
 * and add other traffic.
 */
#include "tool/verify.h"

/* Largest number of additional flows. More flows would only increase the run
 * time, and would not create a new kind of adversary. */
#define GMS_VERIFY_EXTRA_MAX 24u
#define GMS_VERIFY_PORT      2u

static uint64_t gms_verify_draw(gms_random_t *random, uint64_t bound)
{
    return gms_random_below(random, bound);
}

/* Draw a message size at which the behaviour of the network changes. Examples
 * are one byte, the longest message that fits into a receive event, a full
 * packet, and a full packet plus one byte. */
static uint32_t gms_verify_draw_message(gms_random_t *random)
{
    static const uint32_t sizes[] = {1,    64,   128,   129,   4095,   4096,
                                     4097, 8193, 16000, 65536, 1 << 20};
    unsigned choice =
        (unsigned)gms_verify_draw(random, sizeof(sizes) / sizeof(sizes[0]) + 1);

    if (choice < sizeof(sizes) / sizeof(sizes[0])) {
        return sizes[choice];
    }
    return 1 + (uint32_t)gms_verify_draw(random, 1 << 18);
}

/* Draw a time from 10 us to 10 ms; every order of magnitude has the same
 * probability. */
static gms_time_t gms_verify_draw_time(gms_random_t *random)
{
    static const gms_time_t scales[] = {10 * GMS_US, 100 * GMS_US, GMS_MS};

    return (1 + gms_verify_draw(random, 10)) *
           scales[gms_verify_draw(random, 3)];
}

static void gms_verify_mutate_sending(gms_plan_flow_t *flow,
                                      gms_random_t *random)
{
    gms_plan_traffic_t *traffic = &flow->traffic;
    uint32_t message;

    switch (gms_verify_draw(random, 5)) {
    case 0:
        message = gms_verify_draw_message(random);
        flow->request.shape.message_bytes = message;
        if (flow->request.shape.burst_bytes > 0 &&
            flow->request.shape.burst_bytes < message) {
            flow->request.shape.burst_bytes = message;
        }
        break;
    case 1:
        traffic->window = 1u << gms_verify_draw(random, 7);
        break;
    case 2: /* during a pause, the flow accumulates credit, which it then
               uses */
        traffic->on_ps = gms_verify_draw_time(random);
        traffic->off_ps = gms_verify_draw_time(random);
        traffic->is_random = (int)gms_verify_draw(random, 2);
        break;
    case 3:
        traffic->on_ps = traffic->off_ps = 0;
        traffic->is_random = 0;
        break;
    default:
        if (!traffic->has_start) {
            traffic->has_phase = 1;
            traffic->phase_ps = gms_verify_draw(random, 400 * GMS_US);
        }
        break;
    }
}

/* Change how the program sends the messages of a planned flow; the reservation
 * of the flow is unchanged. */
static void gms_verify_mutate_own(gms_plan_flow_t *flow, gms_random_t *random)
{
    if (flow->request.qos_class == GMS_QOS_PREMIUM &&
        gms_verify_draw(random, 3) == 0) {
        flow->traffic.send = gms_verify_draw(random, 2) == 0
                                 ? GMS_PLAN_SEND_BACKLOGGED
                                 : GMS_PLAN_SEND_PACED;
    } else {
        gms_verify_mutate_sending(flow, random);
    }
}

/* Draw the two nodes of an additional flow. In most cases, one of them is a
 * node at which a flow of the plan begins or ends. */
static void gms_verify_draw_ends(const gms_verify_case_t *verify, size_t own,
                                 unsigned nodes, gms_random_t *random,
                                 gms_plan_flow_t *flow)
{
    const gms_flow_request_t *victim =
        &verify->flows[gms_verify_draw(random, own)].request;
    unsigned from = victim->source_node, to = victim->key.target_node;
    unsigned other = (unsigned)gms_verify_draw(random, nodes);
    unsigned source, target;

    switch (gms_verify_draw(random, 6)) {
    case 0:
        source = from, target = to;
        break;
    case 1: /* from the same sender to another node */
        source = from, target = other;
        break;
    case 2: /* from another node to the same receiver */
        source = other, target = to;
        break;
    case 3: /* from the receiver to the sender */
        source = to, target = from;
        break;
    case 4: /* from another node to the sender */
        source = other, target = from;
        break;
    default:
        source = other, target = (unsigned)gms_verify_draw(random, nodes);
        break;
    }
    flow->request.source_node = source;
    flow->request.key.target_node = (uint16_t)target;
}

static gms_plan_flow_t gms_verify_draw_extra(const gms_verify_case_t *verify,
                                             size_t own, unsigned nodes,
                                             gms_random_t *random)
{
    static const enum gms_qos_class classes[] = {
        GMS_QOS_UNMANAGED, GMS_QOS_UNMANAGED, GMS_QOS_BEST_EFFORT,
        GMS_QOS_PREMIUM};
    gms_plan_flow_t flow = {.traffic = {.window = 8}};
    gms_flow_request_t *request = &flow.request;

    gms_verify_draw_ends(verify, own, nodes, random, &flow);
    request->key.source_port = request->key.target_port = GMS_VERIFY_PORT;
    request->key.priority = (uint16_t)gms_verify_draw(random, 2);
    request->qos_class = classes[gms_verify_draw(random, 4)];
    request->shape.message_bytes = gms_verify_draw_message(random);
    flow.traffic.window = 1u << gms_verify_draw(random, 7);
    if (request->qos_class == GMS_QOS_PREMIUM) {
        request->bytes_s = 1e6 * (1 + (double)gms_verify_draw(random, 40));
        flow.traffic.send = gms_verify_draw(random, 2) == 0
                                ? GMS_PLAN_SEND_BACKLOGGED
                                : GMS_PLAN_SEND_PACED;
    }
    if (gms_verify_draw(random, 2) == 0) { /* the flow starts later and possibly
                                            * ends earlier */
        flow.traffic.has_start = 1;
        flow.traffic.start_ps = gms_verify_draw_time(random);
        if (gms_verify_draw(random, 2) == 0) {
            flow.traffic.stop_ps =
                flow.traffic.start_ps + gms_verify_draw_time(random);
        }
    } else {
        flow.traffic.has_phase = 1;
    }
    return flow;
}

/* Remove a flow. The last flow moves to the index of the removed flow; names
 * and labels depend on the index. */
static void gms_verify_remove(gms_verify_case_t *verify, size_t at)
{
    gms_plan_flow_t *gone = &verify->flows[at];
    const gms_plan_flow_t *last = &verify->flows[verify->flow_count - 1];

    gone->request.source_node = last->request.source_node;
    gone->request.key.target_node = last->request.key.target_node;
    gone->request.key.priority = last->request.key.priority;
    gone->request.qos_class = last->request.qos_class;
    gone->request.bytes_s = last->request.bytes_s;
    gone->request.shape = last->request.shape;
    gone->traffic = last->traffic;
    gms_verify_case_remove_last(verify);
}

static int gms_verify_mutate_once(gms_verify_case_t *verify, size_t own,
                                  unsigned nodes, gms_random_t *random)
{
    size_t extra = verify->flow_count - own;
    uint64_t choice = gms_verify_draw(random, 8);
    gms_plan_flow_t flow;

    if (choice < 3 && extra < GMS_VERIFY_EXTRA_MAX) {
        flow = gms_verify_draw_extra(verify, own, nodes, random);
        return gms_verify_case_add(verify, &flow);
    }
    if (choice == 3 && extra > 0) {
        gms_verify_remove(verify, own + gms_verify_draw(random, extra));
    } else if (choice == 4 && extra > 0) {
        gms_verify_mutate_sending(
            &verify->flows[own + gms_verify_draw(random, extra)], random);
    } else {
        gms_verify_mutate_own(&verify->flows[gms_verify_draw(random, own)],
                              random);
    }
    return 1;
}

int gms_verify_mutate(gms_verify_case_t *verify, size_t own, unsigned nodes,
                      gms_random_t *random)
{
    uint64_t changes = 1 + gms_verify_draw(random, 3);

    while (changes > 0 && own > 0) {
        if (!gms_verify_mutate_once(verify, own, nodes, random)) {
            return 0;
        }
        --changes;
    }
    return 1;
}
