/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The largest delay of a server by straight lines, for any number of flows.
 *
 * A flow brings at most cost x (1 + (x + J) / IDT) up to x, an input at most what
 * its link can have brought. The sum of the smaller ones minus x is concave, so
 * it is largest at 0 or where one of the inputs changes from one line to the
 * other. Sums are integers, so that the order of flows does not matter.
 *
 * What the other direction of a NIC takes is bounded in two ways, of which the
 * smaller one counts: by its turns, and by its own arrivals.
 */
#include <math.h>

#include "qos/bound_int.h"

/* Part of a server's time that reservations may take with strict windows. The
 * managers' messages need the rest: they come after reserved packets, and without
 * them no request is decided. Otherwise the sums of the account keep time free;
 * with strict windows paces are shortened after these have been added up. */
#define GMS_BOUND_LOAD_MOST 0.995
/* Inputs of a switch; a source is one input without a line. */
#define GMS_BOUND_INPUTS 64u
/* of rates, and of packets */
#define GMS_BOUND_UNIT_BITS 24u
#define GMS_BOUND_PART_BITS 16u
#define GMS_BOUND_UNIT      (1 << GMS_BOUND_UNIT_BITS)
#define GMS_BOUND_PART      (1 << GMS_BOUND_PART_BITS)

/* One input's flows. */
typedef struct gms_bound_sum {
    uint32_t input;
    gms_time_t burst_ps;  /* work at once */
    uint64_t rate;        /* slope after it, GMS_BOUND_UNIT per time */
    gms_time_t fixed_ps;  /* part of burst_ps beyond the bytes */
    uint64_t fixed_rate;  /* its slope */
    gms_time_t wire_ps;   /* longest */
} gms_bound_sum_t;

typedef struct gms_bound_lines {
    gms_bound_sum_t sums[GMS_BOUND_INPUTS];
    unsigned count;
    gms_time_t extra_ps;
    gms_time_t slack_ps; /* least of all flows */
    double load_most;    /* part of the server's time that may be used */
    /* what the other direction takes where it has all its turns */
    gms_time_t turn_ps;
    uint64_t turn_rate;
} gms_bound_lines_t;

static uint64_t gms_bound_rate(const gms_bound_flow_t *flow, gms_time_t cost_ps)
{
    return gms_bound_periods(flow, cost_ps, GMS_BOUND_UNIT_BITS);
}

/* Packets of a flow in a time, in GMS_BOUND_PART. No J is above the longest
 * route's, GMS_ROUTE_LINKS_MAX x GMS_BOUND_MOST_PS: 64 bits are enough. */
static uint64_t gms_bound_parts(const gms_bound_flow_t *flow, gms_time_t t_ps)
{
    return gms_bound_periods(flow, t_ps, GMS_BOUND_PART_BITS);
}

/* Packets of a flow that may arrive at once, in GMS_BOUND_PART. */
static uint64_t gms_bound_burst(const gms_bound_flow_t *flow, uint32_t hop)
{
    return gms_bound_parts(flow, gms_bound_j(flow, hop)) + GMS_BOUND_PART;
}

/* Sums are kept by input: they are added up as floating point numbers later. */
static gms_bound_sum_t *gms_bound_sum_of(gms_bound_lines_t *lines,
                                         uint32_t input)
{
    unsigned at = lines->count, i;

    while (at > 0 && lines->sums[at - 1].input >= input) {
        --at;
    }
    if (at == lines->count || lines->sums[at].input != input) {
        for (i = lines->count++; i > at; --i) {
            lines->sums[i] = lines->sums[i - 1];
        }
        lines->sums[at] = (gms_bound_sum_t){.input = input};
    }
    return &lines->sums[at];
}

/* Work of a number of packets, GMS_BOUND_PART each. */
static gms_time_t gms_bound_part_of(uint64_t parts, gms_time_t cost_ps)
{
    return (gms_time_t)((unsigned __int128)parts * cost_ps / GMS_BOUND_PART) +
           1;
}

/* Turns of the other direction that a flow's packets and events give. */
static void gms_bound_add_turns(const gms_bound_manner_t *manner,
                                const gms_bound_item_t *item, uint64_t parts,
                                gms_bound_lines_t *lines)
{
    const gms_bound_flow_t *flow = item->flow;
    gms_time_t cost_ps = manner->other_cost_ps;
    gms_time_t turn_ps = cost_ps > item->slack_ps ? cost_ps - item->slack_ps : 0;
    uint64_t rate = gms_bound_rate(flow, turn_ps);

    lines->turn_ps += gms_bound_part_of(parts, turn_ps);
    if (manner->has_events) {
        lines->turn_ps += gms_bound_part_of(
            parts / flow->packets + GMS_BOUND_PART, cost_ps);
        rate += gms_bound_rate(flow, cost_ps) / flow->packets + 1;
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
    lines->load_most =
        bound->params.qos_strict_windows ? GMS_BOUND_LOAD_MOST : 1;
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
        if (manner->other != GMS_LINK_NONE) {
            gms_bound_add_turns(manner, &item, packets, lines);
            lines->slack_ps = item.slack_ps < lines->slack_ps ? item.slack_ps
                                                              : lines->slack_ps;
        }
    }
}

/* A line: work at 0 and per time. */
typedef struct gms_bound_line {
    double at0, slope;
} gms_bound_line_t;

static gms_bound_line_t gms_bound_bucket(const gms_bound_sum_t *sum)
{
    return (gms_bound_line_t){(double)sum->burst_ps,
                              (double)sum->rate / GMS_BOUND_UNIT};
}

/* What its link can have brought of an input. */
static gms_bound_line_t gms_bound_brought(const gms_bound_manner_t *manner,
                                          const gms_bound_sum_t *sum)
{
    return (gms_bound_line_t){
        (double)sum->fixed_ps + manner->per_wire * (double)sum->wire_ps,
        manner->per_wire + (double)sum->fixed_rate / GMS_BOUND_UNIT};
}

/* Where the pace becomes what limits an input. */
static double gms_bound_meet(const gms_bound_manner_t *manner,
                             const gms_bound_sum_t *sum)
{
    gms_bound_line_t bucket = gms_bound_bucket(sum);
    gms_bound_line_t line = gms_bound_brought(manner, sum);

    if (!manner->has_lines || line.at0 >= bucket.at0 ||
        line.slope <= bucket.slope) {
        return 0;
    }
    return (bucket.at0 - line.at0) / (line.slope - bucket.slope);
}

static double gms_bound_arrived(const gms_bound_manner_t *manner,
                                const gms_bound_lines_t *lines, double x)
{
    double work = 0;
    unsigned i;

    for (i = 0; i < lines->count; ++i) {
        gms_bound_line_t bucket = gms_bound_bucket(&lines->sums[i]);
        gms_bound_line_t line = gms_bound_brought(manner, &lines->sums[i]);
        double paced = bucket.at0 + bucket.slope * x;

        work +=
            manner->has_lines ? fmin(paced, line.at0 + line.slope * x) : paced;
    }
    return work;
}

/* The largest delay, where another line is added to the work, and all of it is
 * done at a speed. */
static double gms_bound_largest(const gms_bound_manner_t *manner,
                                const gms_bound_lines_t *lines,
                                gms_bound_line_t other, double speed)
{
    double slope = other.slope, most = 0;
    unsigned i;

    for (i = 0; i < lines->count; ++i) {
        slope += (double)lines->sums[i].rate / GMS_BOUND_UNIT;
    }
    if (speed <= 0 || slope >= speed * lines->load_most) {
        return INFINITY;
    }
    for (i = 0; i <= lines->count; ++i) {
        double x =
            i == lines->count ? 0 : gms_bound_meet(manner, &lines->sums[i]);
        double work =
            gms_bound_arrived(manner, lines, x) + other.at0 + other.slope * x;

        most = fmax(most, work / speed - x);
    }
    return most;
}

/* Packets, and as many per time, of a server's flows. */
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
    gms_bound_line_t other, own, acks;
    double start, most, each;

    gms_bound_sum_up(bound, manner, &lines);
    if (lines.count == 0) {
        return 0;
    }
    start = (double)(manner->start_ps + manner->ack_ps + lines.extra_ps);
    acks = (gms_bound_line_t){start, manner->ack_rate};
    if (manner->other == GMS_LINK_NONE) {
        most = gms_bound_largest(manner, &lines, acks, 1);
    } else {
        own = (gms_bound_line_t){start + (double)lines.turn_ps,
                                 (double)lines.turn_rate / GMS_BOUND_UNIT};
        most = gms_bound_largest(manner, &lines, own, 1);
        each = manner->other_cost_ps > lines.slack_ps
                   ? (double)(manner->other_cost_ps - lines.slack_ps)
                   : 0;
        other = gms_bound_packets(bound, manner->other, manner->other_late_ps);
        /* Its arrivals go on until the work is done. */
        acks = (gms_bound_line_t){start + other.at0 * each, 0};
        most = fmin(most, gms_bound_largest(manner, &lines, acks,
                                            1 - other.slope * each));
    }
    return most < (double)GMS_BOUND_MOST_PS ? (gms_time_t)ceil(most)
                                            : GMS_BOUND_MOST_PS;
}
