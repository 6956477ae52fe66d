/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes max-min fair shares completely and without optimizations, as a
 * reference for the shares of an account, and compares the account with them.
 */
#ifndef TESTS_UNIT_MAXMIN_REFERENCE_H
#define TESTS_UNIT_MAXMIN_REFERENCE_H

#include "manager/admission.h"
#include "manager/service.h"
#include "unit.h"

#define IDT_MAX    1000000u
#define FLOWS_MAX  160u
#define PLACES_MAX 2000u
#define NODES_MAX  256u
#define NO_LEVEL   INT64_MAX

static gms_arena_t *arena;
static gms_params_t params;
static gms_topology_t *topology;
static gms_account_t *account;

/* A flow of the reference computation, and a resource with its capacity. The
 * weight of a flow at a resource has two parts: one for a source node or a
 * link, and one for a destination node. */
typedef struct ref_flow {
    const gms_grant_t *grant;
    unsigned count;
    struct {
        unsigned place, out, in;
    } at[2 * GMS_ROUTE_LINKS_MAX + 4];
    int64_t level; /* NO_LEVEL: the level is still rising */
} ref_flow_t;

typedef struct ref_place {
    __int128 capacity;
    uint64_t weight[2];
    int64_t level;
    unsigned visitors; /* number of flows of any class, in both directions */
    int is_off;        /* 1: this resource limits no flow */
} ref_place_t;

/* The charges at a node, and the number of flows that share the remaining
 * bandwidth. */
typedef struct ref_node {
    int64_t out, in;
    unsigned sourced, sharing_out, sharing_in;
} ref_node_t;

static ref_flow_t ref_flows[FLOWS_MAX];
static unsigned ref_flow_count;
static ref_place_t ref_places[PLACES_MAX];
static ref_node_t ref_nodes[NODES_MAX];

static unsigned ref_links_at(void)
{
    return 3 * gms_topology_nodes(topology);
}

/* Return the charge of a flow for its granted bandwidth. If an IDT was
 * shortened to guarantee the bandwidth of windows, the additional bandwidth is
 * not charged. */
static int64_t ref_charge(const gms_grant_t *grant)
{
    int64_t product = (int64_t)(params.qos_idt_product * 1024000000u);
    int64_t idt_ticks;

    if (grant->qos_class != GMS_QOS_PREMIUM) {
        return 0;
    }
    idt_ticks = gms_account_idt(&params, grant->bandwidth_bytes_s);
    return (product + idt_ticks - 1) / idt_ticks;
}

static void ref_take(unsigned node, int64_t out, int64_t in)
{
    ref_places[3 * node].capacity -= out + in;
    ref_nodes[node].out += out;
    ref_nodes[node].in += in;
}

/* Returns the approximate bandwidth in MB/s that each flow would have if the
 * flows shared a node's time equally. The resource `time` charges the
 * additional time of mixed directions to one direction. */
static double ref_even_share(const ref_place_t *time, const ref_node_t *node)
{
    double weight = (double)time->weight[0] * node->sharing_out +
                    (double)time->weight[1] * node->sharing_in;

    return (time->capacity <= 0) ? (double)time->capacity * 1e-30
                                 : (double)time->capacity / weight;
}

/* A pair of an outgoing and an incoming packet takes turn_ps longer than the
 * two packets separately. This time can be charged to either direction. If this
 * time is negative, both charges apply. Otherwise, only the charge that leaves
 * more bandwidth applies. */
static void ref_time(unsigned i)
{
    const ref_node_t *node = &ref_nodes[i];
    gms_service_t service = gms_service_of(&params, node->sourced);
    ref_place_t *time = &ref_places[3 * i + 1];
    unsigned way;

    for (way = 0; way < 2; ++way) {
        time[way].weight[0] =
            service.send_ps + (way == 0 ? (uint64_t)service.turn_ps : 0);
        time[way].weight[1] =
            service.receive_ps + (way == 1 ? (uint64_t)service.turn_ps : 0);
        time[way].capacity = (__int128)1024 * params.nic_mtu_bytes *
                                 gms_service_promised_ps(&params) -
                             (__int128)time[way].weight[0] * node->out -
                             (__int128)time[way].weight[1] * node->in;
        time[way].is_off = (params.qos_node_rule != GMS_QOS_NODE_INCOMING);
    }
    if (!time->is_off && service.turn_ps >= 0) {
        way = ref_even_share(&time[0], node) <= ref_even_share(&time[1], node)
                  ? 0
                  : 1;
        time[way].is_off = 1;
    }
}

static void ref_capacities(void)
{
    unsigned nodes = gms_topology_nodes(topology), i;
    unsigned links = gms_topology_link_count(topology);

    CU_ASSERT_FATAL(nodes <= NODES_MAX && 3 * nodes + links <= PLACES_MAX);
    memset(ref_nodes, 0, sizeof(ref_nodes));
    for (i = 0; i < 3 * nodes + links; ++i) {
        ref_place_t *place = &ref_places[i];

        place->weight[0] = place->weight[1] = 1;
        place->visitors = 0;
        place->is_off = 0;
        place->capacity =
            (__int128)1024 * ((i < 3 * nodes) ? params.qos_node_bytes_s
                                              : params.qos_link_bytes_s);
    }
}

static void ref_add_at(ref_flow_t *flow, unsigned place, unsigned out,
                       unsigned in)
{
    flow->at[flow->count].place = place;
    flow->at[flow->count].out = out;
    flow->at[flow->count].in = in;
    ++flow->count;
}

/* Charges all flows, and collects the best-effort flows that are not idle. */
static void ref_flow(const gms_grant_t *grant)
{
    unsigned source = grant->source_node, target = grant->key.target_node, i;
    int64_t there = ref_charge(grant);
    int64_t back = (int64_t)ceil(grant->reverse_bytes_s * 1024);
    uint32_t links[GMS_ROUTE_LINKS_MAX];
    unsigned count = gms_topology_links(topology, source, target, links);
    int is_loop = (source == target), is_counted = !grant->idle;
    ref_flow_t flow = {.grant = grant, .level = NO_LEVEL};

    ++ref_nodes[source].sourced;
    ref_places[3 * source].visitors += (unsigned)is_counted;
    ref_take(source, there + (is_loop ? back : 0),
             is_loop ? there + back : back);
    for (i = 0; i < 3; ++i) {
        ref_add_at(&flow, 3 * source + i, 1, is_loop ? 1 : 0);
        if (!is_loop) {
            ref_add_at(&flow, 3 * target + i, 0, 1);
        }
    }
    if (!is_loop) {
        ref_places[3 * target].visitors += (unsigned)is_counted;
        ref_take(target, back, there);
    }
    for (i = 0; i < count; ++i) {
        ref_places[ref_links_at() + links[i]].visitors += (unsigned)is_counted;
        ref_places[ref_links_at() + links[i]].capacity -=
            there + (is_loop ? back : 0);
        ref_add_at(&flow, ref_links_at() + links[i], 1, 0);
    }
    count = (back > 0 && !is_loop)
                ? gms_topology_links(topology, target, source, links)
                : 0;
    for (i = 0; i < count; ++i) {
        ref_places[ref_links_at() + links[i]].visitors += (unsigned)is_counted;
        ref_places[ref_links_at() + links[i]].capacity -= back;
    }
    if (grant->qos_class == GMS_QOS_BEST_EFFORT && is_counted) {
        CU_ASSERT_FATAL(ref_flow_count < FLOWS_MAX);
        ++ref_nodes[source].sharing_out;
        ++ref_nodes[target].sharing_in;
        ref_flows[ref_flow_count++] = flow;
    }
}

/* Returns the level at which a resource limits the flows whose levels are still
 * rising. */
static int64_t ref_level(unsigned place)
{
    __int128 rest = ref_places[place].capacity + 1, weight = 0, w;
    unsigned i, j;

    for (i = 0; i < ref_flow_count; ++i) {
        for (j = 0; j < ref_flows[i].count; ++j) {
            if (ref_flows[i].at[j].place == place) {
                w = (__int128)ref_flows[i].at[j].out *
                        ref_places[place].weight[0] +
                    (__int128)ref_flows[i].at[j].in *
                        ref_places[place].weight[1];
                rest -= w;
                if (ref_flows[i].level == NO_LEVEL) {
                    weight += w;
                } else {
                    rest -= w * ref_flows[i].level;
                }
            }
        }
    }
    if (weight == 0) {
        return NO_LEVEL;
    }
    return (rest <= 0) ? 0 : (int64_t)((rest + weight - 1) / weight);
}

static void ref_fill(void)
{
    unsigned places = ref_links_at() + gms_topology_link_count(topology);
    const gms_grant_t *grant;
    int64_t least;
    unsigned i, j;

    ref_flow_count = 0;
    ref_capacities();
    for (grant = gms_account_first(account); grant != NULL;
         grant = grant->next) {
        ref_flow(grant);
    }
    for (i = 0; i < gms_topology_nodes(topology); ++i) {
        ref_time(i);
        ref_places[3 * i + 1].visitors = ref_places[3 * i].visitors;
        ref_places[3 * i + 2].visitors = ref_places[3 * i].visitors;
    }
    do {
        least = NO_LEVEL;
        for (i = 0; i < places; ++i) {
            ref_places[i].level =
                (ref_places[i].visitors > 0 && !ref_places[i].is_off)
                    ? ref_level(i)
                    : NO_LEVEL;
            least = (ref_places[i].level < least) ? ref_places[i].level : least;
        }
        for (i = 0; i < ref_flow_count && least != NO_LEVEL; ++i) {
            for (j = 0; j < ref_flows[i].count; ++j) {
                if (ref_flows[i].level == NO_LEVEL &&
                    ref_places[ref_flows[i].at[j].place].level == least) {
                    ref_flows[i].level = least;
                }
            }
        }
    } while (least != NO_LEVEL);
}

static int ref_is_alone(const ref_flow_t *flow)
{
    const gms_grant_t *grant = flow->grant;
    uint32_t links[GMS_ROUTE_LINKS_MAX];
    unsigned i, count;

    for (i = 0; i < flow->count; ++i) {
        if (ref_places[flow->at[i].place].visitors > 1) {
            return 0;
        }
    }
    if (grant->reverse_bytes_s > 0 &&
        grant->source_node != grant->key.target_node) {
        count = gms_topology_links(topology, grant->key.target_node,
                                   grant->source_node, links);
        for (i = 0; i < count; ++i) {
            if (ref_places[ref_links_at() + links[i]].visitors > 1) {
                return 0;
            }
        }
    }
    return 1;
}

/* Compares the level of each flow with its IDT. */
static unsigned check_flows(void)
{
    int64_t product = (int64_t)(params.qos_idt_product * 1024000000u), idt;
    unsigned i, wrong = 0;

    for (i = 0; i < ref_flow_count; ++i) {
        const ref_flow_t *flow = &ref_flows[i];
        int64_t level = flow->level;

        if (ref_is_alone(flow)) {
            wrong += (flow->grant->idt_ticks != 0);
            continue;
        }
        level = (level < product / IDT_MAX) ? product / IDT_MAX : level;
        idt = (product + level - 1) / level;
        idt = (idt > IDT_MAX) ? IDT_MAX : idt;
        wrong += flow->grant->idt_ticks != idt ||
                 (int64_t)(flow->grant->bandwidth_bytes_s * 1024) != level;
    }
    return wrong;
}

/* Checks that no resource is overloaded. The check ignores flows without
 * bandwidth, because they send almost nothing. */
static unsigned check_places(void)
{
    unsigned places = ref_links_at() + gms_topology_link_count(topology);
    unsigned i, j, wrong = 0;

    for (i = 0; i < ref_flow_count; ++i) {
        const ref_flow_t *flow = &ref_flows[i];
        uint32_t idt = flow->grant->idt_ticks;
        int64_t rate = 0;

        if (idt != 0 && idt != IDT_MAX) {
            rate = (int64_t)(params.qos_idt_product * 1024000000u) / idt;
        }
        for (j = 0; j < flow->count; ++j) {
            ref_place_t *place = &ref_places[flow->at[j].place];

            place->capacity -=
                (__int128)rate * (flow->at[j].out * place->weight[0] +
                                  flow->at[j].in * place->weight[1]);
        }
    }
    for (i = 0; i < places; ++i) {
        wrong += ref_places[i].capacity < 0 && !ref_places[i].is_off;
    }
    return wrong;
}

#endif
