/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flit-rate: measures the speed of the flit network and the latency of its
 * packets. The unit of speed is flit-hops per second of user processor time. A
 * flit-hop is one flit that passes through the crossbar of one router.
 *
 * The router is a typical input-queued router. Routing, lane allocation, switch
 * allocation, the crossbar and the link take one cycle each; a credit takes two
 * cycles (processing and channel). A router performs one round of crossbar
 * allocation and has 16 lanes of 10 flits. Nodes create packets of 40 flits in
 * a Bernoulli process. The target of a packet is drawn at random from all
 * nodes, including the source. A node sends one packet at a time; later packets
 * wait.
 *
 * Only packets that are created after the warm-up are counted. The network
 * latency is the time from when the head flit enters the network until the tail
 * flit arrives. The packet latency begins at the creation of the packet. The
 * standard error is computed from the means of 20 sections of the run.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rate.h"
#include "base/random.h"
#include "fabric/flit.h"

enum {
    PACKET_FLITS = 40,
    PIECES = 20,
    SLOTS = 4096,
    WARM_UP_CYCLES = 5000
};

typedef struct network {
    const char *name;
    unsigned rows, columns; /* if rows is 0: a single router with `columns`
                               ports */
    double load;            /* flits per node per cycle */
} network_t;

static const network_t networks[] = {
    {"mesh-4x4-0.20", 4, 4, 0.20},     {"mesh-4x4-0.40", 4, 4, 0.40},
    {"mesh-5x5-0.40", 5, 5, 0.40},     {"mesh-16x16-0.05", 16, 16, 0.05},
    {"mesh-16x16-0.10", 16, 16, 0.10}, {"router-8-0.40", 0, 8, 0.40},
    {"mesh-4x4-0.05", 4, 4, 0.05},     {"mesh-8x8-0.05", 8, 8, 0.05},
    {"mesh-32x32-0.05", 32, 32, 0.05}};

enum {
    NETWORKS = sizeof(networks) / sizeof(networks[0])
};

static unsigned long long packet_count = 120000, seed = 1, round_count = 1;
static const char *only; /* name of a network; NULL: all networks */

static const char *names[NETWORKS + 1];
static const rate_option_t options[] = {
    RATE_NUMBER("packets", 'p', "N",
                "Number of packets to count, at least 100 (default: 120000, "
                "which keeps standard errors below 1 %)",
                &packet_count, 100, 1000000000),
    {"network", 'n', "NAME",
     "Name of the network to run, as printed in the output (default: all "
     "networks)",
     .choices = names, .choice_p = &only},
    RATE_NUMBER("seed", 0, "N", "Seed of the traffic (1)", &seed, 0, SIZE_MAX),
    RATE_NUMBER("rounds", 'r', "N", "Rounds of crossbar allocation, 1 to 8 (1)",
                &round_count, 1, 8),
    {.name = NULL}};
static const char rate_doc[] =
    "Measure the latencies of packets in a flit network, and the number of "
    "flit-hops that the simulator handles per second of user processor "
    "time.\v" BENCH_EXIT_DOC "\nExample: flit-rate --network mesh-4x4-0.20";
static const char rate_head[] =
    "network           flit-hops  M/user s    cycles/s  "
    "network latency   packet latency";
static rate_t rate = {"flit-rate", rate_doc, rate_head, options, 0};

typedef struct message {
    gms_flit_packet_t packet;
    uint64_t made_cycle;
    struct message *next; /* index of the next free message */
} message_t;

typedef struct piece {
    double packets, network, all; /* sums over all packets, in cycles */
} piece_t;

typedef struct run {
    const network_t *network;
    gms_arena_t *arena;
    gms_topology_t *topology;
    gms_flit_net_t *net;
    gms_random_t random;
    unsigned nodes;
    uint64_t *due;       /* one element per node: cycle of the node's next
                            packet */
    uint32_t *next_node; /* one element per node: next node in the list of the
                          * same time slot */
    uint32_t slot[SLOTS];
    message_t *free;
    uint64_t cycles; /* number of cycles after the warm-up in which new packets
                        are counted */
    uint64_t open;   /* number of counted packets that have not arrived yet */
    piece_t piece[PIECES];
} run_t;

/* ---- traffic ------------------------------------------------------------ */

static message_t *take(run_t *run)
{
    enum {
        MORE = 256
    };
    message_t *message;
    int i;

    if (run->free == NULL) {
        /* this memory stays allocated until the end of the run */
        message = gms_arena_alloc(run->arena, MORE * sizeof(*message));
        if (message == NULL) {
            rate_fail(&rate, "out of memory for the packets");
        }
        for (i = 0; i < MORE; ++i) {
            message[i].next = run->free;
            run->free = &message[i];
        }
    }
    message = run->free;
    run->free = message->next;
    return message;
}

/* Draw the cycle in which a node creates its next packet. A node makes one
 * Bernoulli trial per cycle. The interval between two packets therefore has a
 * geometric distribution. */
static void plan(run_t *run, uint32_t node, uint64_t from)
{
    double chance = run->network->load / PACKET_FLITS;
    uint64_t gap =
        (uint64_t)(log(gms_random_unit(&run->random)) / log1p(-chance));
    uint32_t *slot;

    run->due[node] = from + gap;
    slot = &run->slot[run->due[node] % SLOTS];
    run->next_node[node] = *slot;
    *slot = node;
}

static void make(run_t *run, uint32_t node)
{
    message_t *message = take(run);
    uint64_t now = gms_flit_now(run->net);

    message->packet = (gms_flit_packet_t){
        .source = node,
        .target = (uint32_t)gms_random_below(&run->random, run->nodes),
        .flits = PACKET_FLITS,
        .traffic_class = GMS_LANE_BEST_EFFORT};
    message->made_cycle = now;
    if (now >= WARM_UP_CYCLES && now < WARM_UP_CYCLES + run->cycles) {
        ++run->open;
    }
    gms_flit_offer(run->net, &message->packet, GMS_FLIT_ANY_LANE);
}

static void make_due(run_t *run)
{
    uint64_t now = gms_flit_now(run->net);
    uint32_t node = run->slot[now % SLOTS], next;

    run->slot[now % SLOTS] = GMS_LINK_NONE;
    for (; node != GMS_LINK_NONE; node = next) {
        next = run->next_node[node];
        if (run->due[node] == now) {
            make(run, node);
            plan(run, node, now + 1);
        } else {
            run->next_node[node] = run->slot[now % SLOTS];
            run->slot[now % SLOTS] = node;
        }
    }
}

static void arrived(void *context, gms_flit_packet_t *packet)
{
    run_t *run = context;
    message_t *message = (message_t *)packet;
    uint64_t made = message->made_cycle - WARM_UP_CYCLES;

    if (message->made_cycle >= WARM_UP_CYCLES && made < run->cycles) {
        piece_t *piece = &run->piece[made * PIECES / run->cycles];

        --run->open;
        piece->packets += 1;
        piece->network += (double)(packet->arrive_cycle - packet->enter_cycle);
        piece->all += (double)(packet->arrive_cycle - message->made_cycle);
    }
    message->next = run->free;
    run->free = message;
}

/* ---- a run -------------------------------------------------------------- */

static void build(run_t *run)
{
    char error[GMS_TOPOLOGY_ERROR_LEN];
    gms_flit_config_t config;
    gms_params_t params;
    uint32_t node;

    gms_params_init(&params);
    params.topology =
        run->network->rows == 0 ? GMS_TOPOLOGY_CROSSBAR : GMS_TOPOLOGY_MESH;
    params.rows = run->network->rows;
    params.columns = run->network->rows == 0 ? 0 : run->network->columns;
    run->nodes = run->network->columns *
                 (run->network->rows == 0 ? 1 : run->network->rows);
    params.hosts = run->nodes;
    gms_flit_config_init(&config);
    gms_lane_plan_init(&config.plan, config.lanes, 0, 0, GMS_LANE_ROUND_ROBIN,
                       1);
    config.input_cycles = 0;
    config.switch_cycles = 1;
    config.output_flits = config.output_cycles = 0;
    config.credit_cycles = 2;
    config.match_rounds = (unsigned)round_count;
    if (gms_arena_create_private(UINT64_C(1) << 30, &run->arena) != GMS_OK) {
        rate_fail(&rate, "out of memory");
    }
    if (gms_topology_create_long(run->arena, &params, NULL, &run->topology,
                                 error) != GMS_OK ||
        gms_flit_create(run->arena, run->topology, &config, &run->net, error) !=
            GMS_OK) {
        rate_fail(&rate, error);
    }
    run->due = gms_arena_alloc(run->arena, run->nodes * sizeof(*run->due));
    run->next_node =
        gms_arena_alloc(run->arena, run->nodes * sizeof(*run->next_node));
    if (run->due == NULL || run->next_node == NULL) {
        rate_fail(&rate, "out of memory");
    }
    memset(run->slot, 0xff, sizeof(run->slot));
    for (node = 0; node < run->nodes; ++node) {
        plan(run, node, 0);
    }
}

/* Return the mean per packet of a field of piece_t, and the standard error of
 * the mean. The field is at the given offset. */
static double mean(const run_t *run, size_t offset, double *error_p)
{
    double sum = 0, packets = 0, squares = 0, all;
    int i;

    for (i = 0; i < PIECES; ++i) {
        sum += *(const double *)((const char *)&run->piece[i] + offset);
        packets += run->piece[i].packets;
    }
    all = sum / packets;
    for (i = 0; i < PIECES; ++i) {
        double one = *(const double *)((const char *)&run->piece[i] + offset) /
                         run->piece[i].packets -
                     all;

        squares += one * one;
    }
    *error_p = sqrt(squares / (PIECES - 1) / PIECES);
    return all;
}

static void print(const run_t *run, double user_s)
{
    double network_error, all_error, hops = 0;
    double network = mean(run, offsetof(piece_t, network), &network_error);
    double all = mean(run, offsetof(piece_t, all), &all_error);
    double cycles = (double)gms_flit_now(run->net);
    const char *name = run->network->name;
    unsigned switch_index;

    for (switch_index = 0; switch_index < gms_topology_switches(run->topology);
         ++switch_index) {
        hops +=
            (double)gms_flit_switch_counts(run->net, switch_index)->crossings;
    }
    if (rate.csv) {
        rate_csv(&rate, name, "speed", 0, hops / user_s,
                 "flit-hops/user CPU s");
        rate_csv(&rate, name, "cycles", 0, cycles / user_s,
                 "cycles/user CPU s");
        rate_csv(&rate, name, "network latency", 3, network, "cycles");
        rate_csv(&rate, name, "network latency error", 3, network_error,
                 "cycles");
        rate_csv(&rate, name, "packet latency", 3, all, "cycles");
        rate_csv(&rate, name, "packet latency error", 3, all_error, "cycles");
        rate_csv(&rate, name, "flit-hops", 0, hops, "flits");
    } else {
        printf("%-16s %10.3e  %8.2f  %10.0f  %8.2f +- %4.2f  %8.2f +- %4.2f\n",
               name, hops, hops / user_s * 1e-6, cycles / user_s, network,
               network_error, all, all_error);
    }
    fflush(stdout);
}

static void measure(const network_t *network)
{
    static const gms_flit_hooks_t hooks = {.arrived = arrived};
    run_t *run = calloc(1, sizeof(*run));
    double user_s;

    if (run == NULL) {
        rate_fail(&rate, "out of memory");
    }
    run->network = network;
    gms_random_init(&run->random, seed, 0);
    build(run);
    run->cycles = 1 + (uint64_t)((double)packet_count * PACKET_FLITS /
                                 network->load / run->nodes);
    user_s = bench_user_seconds(RUSAGE_SELF);
    while (run->open > 0 ||
           gms_flit_now(run->net) < WARM_UP_CYCLES + run->cycles) {
        make_due(run);
        gms_flit_step(run->net, &hooks, run);
    }
    print(run, bench_user_seconds(RUSAGE_SELF) - user_s);
    gms_arena_destroy_private(run->arena);
    free(run);
}

int main(int argc, char **argv)
{
    size_t i;

    for (i = 0; i < NETWORKS; ++i) {
        names[i] = networks[i].name;
    }
    rate_begin(&rate, argc, argv);
    for (i = 0; i < NETWORKS; ++i) {
        if (only == NULL || strcmp(only, networks[i].name) == 0) {
            measure(&networks[i]);
        }
    }
    return BENCH_EXIT_OK;
}
