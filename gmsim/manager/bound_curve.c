/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes the largest delay of a server from straight lines, for any number of
 * flows.
 *
 * Up to time x, a flow causes at most cost * (1 + (x + J) / IDT) of work, and
 * an input brings at most the work that its link can deliver. The smaller of
 * the two limits applies. The sum of these values over all inputs, minus x, is
 * concave. The difference is therefore largest at time 0 or at a bend, where
 * the smaller limit of an input changes. Sums are integers, so the order of
 * flows does not affect the result.
 *
 * The work of the other direction of a NIC has two bounds: one bound follows
 * from its turns, and the other bound follows from its arrivals. The smaller of
 * the two bounds applies.
 */
#include <math.h>

#include "manager/bound_int.h"

/* Fraction of a server's time that reservations and their acknowledgements may
 * use.
 *
 * The remaining time is for messages of the managers, because reserved packets
 * have precedence over them. Without these messages, requests remain
 * unanswered, masters are presumed dead, and reservations are dropped.
 *
 * The limit applies to every link. The account leaves 0.75 % of the time of
 * each link free, but does not include acknowledgements. The limit applies to a
 * NIC only if the IDT of one of its flows was shortened to guarantee the
 * bandwidth of its windows. Without shortened IDTs, the NIC's account already
 * leaves more time free than this limit. */
#define GMS_BOUND_LOAD_MOST 0.995
/* Maximum number of inputs of a server. A switch has one input per port; a
 * source has one input, which no link limits. */
#define GMS_BOUND_INPUTS 64u
/* number of fractional bits of rates (UNIT) and of numbers of packets (PART) */
#define GMS_BOUND_UNIT_BITS 24u
#define GMS_BOUND_PART_BITS 16u
#define GMS_BOUND_UNIT      (1 << GMS_BOUND_UNIT_BITS)
#define GMS_BOUND_PART      (1 << GMS_BOUND_PART_BITS)
/* Slopes that differ by less than this value are treated as equal, because they
 * contain rounding errors. */
#define GMS_BOUND_NEAR 1e-9

/* Sums over the flows of one input. */
typedef struct gms_bound_sum {
    gms_time_t burst_ps; /* work in ps that may arrive at once */
    /* work per unit of time after the burst, times GMS_BOUND_UNIT */
    uint64_t rate;
    /* the part of burst_ps that is independent of the number of bytes on the
     * wire */
    gms_time_t fixed_ps;
    uint64_t fixed_rate; /* the part of rate that is independent of the number
                          * of bytes on the wire */
    gms_time_t wire_ps;  /* time of the longest packet on the wire */
} gms_bound_sum_t;

typedef struct gms_bound_lines {
    uint32_t inputs[GMS_BOUND_INPUTS]; /* links of the inputs, in the order in
                                        * which they were added */
    gms_bound_sum_t sums[GMS_BOUND_INPUTS];
    unsigned count;
    gms_time_t extra_ps;
    gms_time_t slack_ps; /* smallest slack of all flows */
    double load_most;    /* fraction of the server's time that may be used */
    /* time that the other direction needs if it uses all its turns */
    gms_time_t turn_ps;
    uint64_t turn_rate;
} gms_bound_lines_t;

/* A straight line: the work at time 0, and the work per unit of time. */
typedef struct gms_bound_line {
    double at0, slope;
} gms_bound_line_t;

/* The work that an input has delivered up to time x. This work is the smaller
 * of two values: the work that the pace of its flows allows, and the work that
 * its link can have delivered. From time `meet` on, the first of these values
 * is smaller. */
typedef struct gms_bound_curve_input {
    gms_bound_line_t bucket, line;
    double meet;
} gms_bound_curve_input_t;

/* All inputs, and the bends of their sum. */
typedef struct gms_bound_bends {
    gms_bound_curve_input_t
        inputs[GMS_BOUND_INPUTS]; /* sorted by the number of the link */
    unsigned count;
    double load_most;
    double first_slope; /* slope of the sum from 0 to the first bend */
    double slope;       /* slope of the sum beyond the last bend */
    unsigned bends;
    unsigned bend[GMS_BOUND_INPUTS]; /* indices of the inputs that have a bend,
                                      * the earliest bend first */
    /* the sum at 0 and at every bend for which it has been computed */
    double arrived[GMS_BOUND_INPUTS + 1];
    uint8_t is_known[GMS_BOUND_INPUTS + 1];
} gms_bound_bends_t;

static uint64_t gms_bound_rate(const gms_bound_flow_t *flow, gms_time_t cost_ps)
{
    return gms_bound_periods(flow, cost_ps, GMS_BOUND_UNIT_BITS);
}

/* Returns the number of packets of a flow in an interval, in units of
 * GMS_BOUND_PART. The jitter J is at most that of the longest route,
 * GMS_ROUTE_LINKS_MAX x GMS_BOUND_MOST_PS, so 64 bits are enough. */
static uint64_t gms_bound_parts(const gms_bound_flow_t *flow, gms_time_t t_ps)
{
    return gms_bound_periods(flow, t_ps, GMS_BOUND_PART_BITS);
}

/* Returns the number of packets of a flow that may arrive at once, in units of
 * GMS_BOUND_PART. */
static uint64_t gms_bound_burst(const gms_bound_flow_t *flow, uint32_t hop)
{
    return gms_bound_parts(flow, gms_bound_j(flow, hop)) + GMS_BOUND_PART;
}

static gms_bound_sum_t *gms_bound_sum_of(gms_bound_lines_t *lines,
                                         uint32_t input)
{
    unsigned at = 0;

    while (at < lines->count && lines->inputs[at] != input) {
        ++at;
    }
    if (at == lines->count) {
        ++lines->count;
        lines->inputs[at] = input;
        lines->sums[at] = (gms_bound_sum_t){0};
    }
    return &lines->sums[at];
}

/* Returns the time that the server needs for packets, whose number is given in
 * units of GMS_BOUND_PART. */
static gms_time_t gms_bound_part_of(uint64_t parts, gms_time_t cost_ps)
{
    return (gms_time_t)((unsigned __int128)parts * cost_ps / GMS_BOUND_PART) +
           1;
}

/* Divides a number by the packets per message. The function skips the slow
 * division in the most frequent case, in which messages have one packet. */
static uint64_t gms_bound_per_message(const gms_bound_flow_t *flow, uint64_t of)
{
    return flow->packets == 1 ? of : of / flow->packets;
}

/* Adds the turns that the other direction can take because of the packets and
 * events of the flow. */
static void gms_bound_add_turns(const gms_bound_manner_t *manner,
                                const gms_bound_item_t *item, uint64_t parts,
                                gms_bound_lines_t *lines)
{
    const gms_bound_flow_t *flow = item->flow;
    gms_time_t cost_ps = manner->other_cost_ps;
    gms_time_t turn_ps =
        cost_ps > item->slack_ps ? cost_ps - item->slack_ps : 0;
    uint64_t rate = gms_bound_rate(flow, turn_ps);

    lines->turn_ps += gms_bound_part_of(parts, turn_ps);
    if (manner->has_events) {
        lines->turn_ps += gms_bound_part_of(
            gms_bound_per_message(flow, parts) + GMS_BOUND_PART, cost_ps);
        rate += gms_bound_per_message(flow, gms_bound_rate(flow, cost_ps)) + 1;
    }
    lines->turn_rate += rate;
}

static void gms_bound_sum_up(const gms_bound_t *bound,
                             const gms_bound_manner_t *manner,
                             gms_bound_lines_t *lines)
{
    const gms_bound_server_t *server = &bound->servers[manner->server];
    gms_bound_item_t item;
    uint32_t i;

    lines->count = 0;
    lines->extra_ps = 0;
    lines->slack_ps = GMS_NEVER;
    lines->load_most = manner->is_nic ? 1 : GMS_BOUND_LOAD_MOST;
    lines->turn_ps = lines->turn_rate = 0;
    for (i = 0; i < server->count; ++i) {
        gms_bound_sum_t *sum;
        uint64_t packets;

        gms_bound_prefetch(server, i);
        gms_bound_item(bound, manner, i, &item);
        sum = gms_bound_sum_of(lines, item.flow->hop[item.hop].input);
        packets = gms_bound_burst(item.flow, item.hop);
        sum->burst_ps += gms_bound_part_of(packets, item.cost_ps);
        sum->rate += gms_bound_rate(item.flow, item.cost_ps);
        if (item.fixed_ps > 0) {
            sum->fixed_ps += gms_bound_part_of(packets, item.fixed_ps);
            sum->fixed_rate += gms_bound_rate(item.flow, item.fixed_ps);
        }
        sum->wire_ps =
            item.wire_ps > sum->wire_ps ? item.wire_ps : sum->wire_ps;
        lines->extra_ps += GMS_BOUND_EXTRA_PACKETS * item.extra_ps;
        if (item.flow->is_hastened) {
            lines->load_most = GMS_BOUND_LOAD_MOST;
        }
        if (manner->other != GMS_LINK_NONE) {
            gms_bound_add_turns(manner, &item, packets, lines);
            lines->slack_ps = item.slack_ps < lines->slack_ps ? item.slack_ps
                                                              : lines->slack_ps;
        }
    }
}

static gms_bound_line_t gms_bound_bucket(const gms_bound_sum_t *sum)
{
    return (gms_bound_line_t){(double)sum->burst_ps,
                              (double)sum->rate / GMS_BOUND_UNIT};
}

/* Returns the work that the link of an input can have delivered. */
static gms_bound_line_t gms_bound_brought(const gms_bound_manner_t *manner,
                                          const gms_bound_sum_t *sum)
{
    return (gms_bound_line_t){
        (double)sum->fixed_ps + manner->per_wire * (double)sum->wire_ps,
        manner->per_wire + (double)sum->fixed_rate / GMS_BOUND_UNIT};
}

/* Returns the earliest time from which the pace limits an input. */
static double gms_bound_meet(const gms_bound_manner_t *manner,
                             const gms_bound_curve_input_t *input)
{
    const gms_bound_line_t *bucket = &input->bucket, *line = &input->line;

    if (!manner->has_lines || line->at0 >= bucket->at0 ||
        line->slope <= bucket->slope) {
        return 0;
    }
    return (bucket->at0 - line->at0) / (line->slope - bucket->slope);
}

/* Sorts the inputs. The order in which floating-point numbers are added must
 * not depend on the order of the flows. */
static void gms_bound_sort_inputs(const gms_bound_lines_t *lines,
                                  unsigned *order)
{
    unsigned i, at;

    for (i = 0; i < lines->count; ++i) {
        for (at = i; at > 0 && lines->inputs[order[at - 1]] > lines->inputs[i];
             --at) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}

static void gms_bound_add_bend(gms_bound_bends_t *bends, unsigned input)
{
    unsigned at = bends->bends++;

    while (at > 0 && bends->inputs[bends->bend[at - 1]].meet >
                         bends->inputs[input].meet) {
        bends->bend[at] = bends->bend[at - 1];
        --at;
    }
    bends->bend[at] = input;
}

static void gms_bound_bend(const gms_bound_manner_t *manner,
                           const gms_bound_lines_t *lines,
                           gms_bound_bends_t *bends)
{
    unsigned order[GMS_BOUND_INPUTS], i;

    gms_bound_sort_inputs(lines, order);
    bends->count = lines->count;
    bends->load_most = lines->load_most;
    bends->bends = 0;
    bends->first_slope = bends->slope = 0;
    for (i = 0; i < bends->count; ++i) {
        const gms_bound_sum_t *sum = &lines->sums[order[i]];
        gms_bound_curve_input_t *input = &bends->inputs[i];

        input->bucket = gms_bound_bucket(sum);
        input->line = gms_bound_brought(manner, sum);
        input->meet = gms_bound_meet(manner, input);
        bends->slope += input->bucket.slope;
        bends->first_slope +=
            input->meet > 0 ? input->line.slope : input->bucket.slope;
        if (input->meet > 0) {
            gms_bound_add_bend(bends, i);
        }
    }
    for (i = 0; i <= bends->bends; ++i) {
        bends->is_known[i] = 0;
    }
}

static double gms_bound_arrived(const gms_bound_manner_t *manner,
                                const gms_bound_bends_t *bends, double x)
{
    double work = 0;
    unsigned i;

    for (i = 0; i < bends->count; ++i) {
        const gms_bound_curve_input_t *input = &bends->inputs[i];
        double paced = input->bucket.at0 + input->bucket.slope * x;
        double brought = input->line.at0 + input->line.slope * x;

        work += manner->has_lines && brought < paced ? brought : paced;
    }
    return work;
}

/* Returns the work that has arrived up to a bend, or up to time 0 if the index
 * is 0. */
static double gms_bound_arrived_at(const gms_bound_manner_t *manner,
                                   gms_bound_bends_t *bends, unsigned index,
                                   double x)
{
    if (!bends->is_known[index]) {
        bends->is_known[index] = 1;
        bends->arrived[index] = gms_bound_arrived(manner, bends, x);
    }
    return bends->arrived[index];
}

/* Returns the largest delay if another line is added to the work and all work
 * is processed at the given speed. The slope decreases from one bend to the
 * next, so the delay is largest where the slope falls below the speed. The
 * function examines all bends at which the slope may equal the speed, within
 * rounding errors. */
static double gms_bound_largest(const gms_bound_manner_t *manner,
                                gms_bound_bends_t *bends,
                                gms_bound_line_t other, double speed)
{
    double before = INFINITY, after = other.slope + bends->first_slope;
    double x = 0, most = 0, work;
    unsigned i;

    if (speed <= 0 || other.slope + bends->slope >= speed * bends->load_most) {
        return INFINITY;
    }
    for (i = 0; i <= bends->bends && before >= speed - GMS_BOUND_NEAR; ++i) {
        if (i > 0) {
            const gms_bound_curve_input_t *input =
                &bends->inputs[bends->bend[i - 1]];

            x = input->meet;
            after = before - (input->line.slope - input->bucket.slope);
        }
        if (after <= speed + GMS_BOUND_NEAR) {
            work = gms_bound_arrived_at(manner, bends, i, x) + other.at0 +
                   other.slope * x;
            most = fmax(most, work / speed - x);
        }
        before = after;
    }
    return most;
}

/* Returns a linear bound on the number of packets of a server's flows. Its
 * value at 0 is the number of packets that may arrive at once. Its slope is the
 * number of packets per unit of time. */
static gms_bound_line_t gms_bound_packets(const gms_bound_t *bound,
                                          uint32_t number, gms_time_t late_ps)
{
    const gms_bound_server_t *server = &bound->servers[number];
    uint64_t packets = 0, rate = 0;
    uint32_t i;

    for (i = 0; i < server->count; ++i) {
        const gms_bound_flow_t *flow = server->entries[i].flow;

        gms_bound_prefetch(server, i);
        packets += gms_bound_burst(flow, server->entries[i].hop) +
                   gms_bound_parts(flow, late_ps);
        rate += gms_bound_rate(flow, GMS_US);
    }
    return (gms_bound_line_t){(double)packets / GMS_BOUND_PART,
                              (double)rate / GMS_BOUND_UNIT / (double)GMS_US};
}

gms_time_t gms_bound_curve(const gms_bound_t *bound,
                           const gms_bound_manner_t *manner)
{
    gms_bound_lines_t lines;
    gms_bound_bends_t bends;
    gms_bound_line_t other, own, acks;
    double start, most, each;

    gms_bound_sum_up(bound, manner, &lines);
    if (lines.count == 0) {
        return 0;
    }
    gms_bound_bend(manner, &lines, &bends);
    start = (double)(manner->start_ps + manner->ack_ps + lines.extra_ps);
    acks = (gms_bound_line_t){start, manner->ack_rate};
    if (manner->other == GMS_LINK_NONE) {
        most = gms_bound_largest(manner, &bends, acks, 1);
    } else {
        own = (gms_bound_line_t){start + (double)lines.turn_ps,
                                 (double)lines.turn_rate / GMS_BOUND_UNIT};
        most = gms_bound_largest(manner, &bends, own, 1);
        each = manner->other_cost_ps > lines.slack_ps
                   ? (double)(manner->other_cost_ps - lines.slack_ps)
                   : 0;
        other = gms_bound_packets(bound, manner->other, manner->other_late_ps);
        /* Packets of the other direction keep arriving until all work is
         * done. */
        acks = (gms_bound_line_t){start + other.at0 * each, 0};
        most = fmin(most, gms_bound_largest(manner, &bends, acks,
                                            1 - other.slope * each));
    }
    return most < (double)GMS_BOUND_MOST_PS ? (gms_time_t)ceil(most)
                                            : GMS_BOUND_MOST_PS;
}
