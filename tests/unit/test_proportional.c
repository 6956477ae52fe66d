/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests proportional bandwidth with more hosts and flows than the experiments
 * of the thesis. Random flows in a Clos network of 64 hosts request bandwidth
 * from the managers. Every granted flow must reach its bandwidth, no matter
 * what the best-effort flows send.
 *
 * Each scenario has 2 to 64 flows with random sources, targets, bandwidths and
 * message lengths. Two out of three flows request bandwidth; the other flows
 * request a best-effort share. Once the requests have been answered, all flows
 * are backlogged, and best-effort flows send as much as their shares permit.
 * The bandwidth of a flow is computed as 4096 bytes times the number of packets
 * that have arrived. The reason is that the inter-packet dispatch time (IDT)
 * limits packets, not bytes. The last packet of a message is shorter, but is
 * followed by the same dispatch time.
 *
 * A premium flow must reach its reservation in every window of 100 ms, with a
 * tolerance of 2 % or two packets, whichever is larger. The flow must not
 * exceed the rate that its IDT permits by more than this tolerance. This rate
 * can be higher than the reservation, because an IDT is a whole number of
 * ticks.
 *
 * If the test is called with an argument N (make proportional), it runs N seeds
 * instead of SEEDS, and three times as many windows.
 */
#include <string.h>

#include "base/random.h"
#include "nic/nic_int.h"
#include "manager/service.h"
#include "scenario_rig.h"

enum {
    HOSTS = 64,
    MOST_FLOWS = 64,
    SEEDS = 5,
    WINDOWS = 2,
    LINKS = 1024
};

#define WINDOW_PS    (100 * GMS_MS)
#define SETTLED_PS   (200 * GMS_MS)
#define PACKET_BYTES 4096.0

static unsigned seeds = SEEDS, windows = WINDOWS;
static unsigned flows;
static gms_traffic_t traffic[MOST_FLOWS];
static unsigned premium, denied, effort; /* totals over all seeds */

/* Draws a bandwidth from 1 to 40 MB/s, uniformly on a logarithmic scale. */
static double random_bytes_s(gms_random_t *random)
{
    return 1e6 * pow(40.0, gms_random_unit(random));
}

static void random_flow(gms_random_t *random, unsigned i)
{
    gms_traffic_t *flow = &traffic[i];

    memset(flow, 0, sizeof(*flow));
    flow->source = (unsigned)gms_random_below(random, HOSTS);
    flow->target =
        (flow->source + 1 + (unsigned)gms_random_below(random, HOSTS - 1)) %
        HOSTS;
    flow->label = i;
    flow->message_bytes = 4096 + (uint32_t)gms_random_below(random, 61441);
    flow->in_flight = 16;
    flow->start_ps = gms_random_below(random, 50) * GMS_MS;
    flow->control = GMS_TRAFFIC_BEST_EFFORT;
    if (gms_random_below(random, 3) > 0) {
        flow->control = GMS_TRAFFIC_PREMIUM;
        flow->bytes_s = random_bytes_s(random);
    }
}

/* In half of the scenarios, the flows use only a few nodes, because flows
 * between 64 nodes would share few resources. */
static void build(unsigned seed)
{
    char error[GMS_SCENARIO_ERROR_LEN];
    gms_random_t random;
    unsigned i, hosts;

    gms_random_init(&random, seed, 77);
    gms_params_init(&params);
    params.topology = GMS_TOPOLOGY_CLOS;
    params.hosts = HOSTS;
    params.arena_bytes = UINT64_C(1) << 30;
    CU_ASSERT_FATAL(gms_scenario_create(&params, NULL, &scenario, error) ==
                    GMS_OK);
    flows = 2 + (unsigned)gms_random_below(&random, MOST_FLOWS - 1);
    hosts = seed % 2 == 0 ? HOSTS : 2 + flows / 4;
    for (i = 0; i < flows; ++i) {
        random_flow(&random, i);
        traffic[i].source = traffic[i].source % hosts;
        traffic[i].target = traffic[i].target % hosts;
        if (traffic[i].source == traffic[i].target) {
            traffic[i].target = (traffic[i].target + 1) % hosts;
        }
        CHECK_U64(gms_scenario_add(scenario, &traffic[i]), i);
    }
}

static int is_granted(unsigned i)
{
    const gms_qos_call_t *answer = gms_scenario_answer(scenario, i);

    return answer != NULL &&
           answer->flow[0].after.qos_class != GMS_QOS_UNMANAGED;
}

/* ---- limits on granted bandwidth ---- */

static double node_in[HOSTS], node_out[HOSTS], on_link[LINKS];
static unsigned sourced[HOSTS];

/* Returns the granted bandwidth. For a best-effort flow, this is the bandwidth
 * that its IDT permits. The IDT of a reserved flow may permit more than the
 * reservation, because it can be shortened so that the flow meets its
 * reservation in every window. */
static double granted(unsigned i, uint32_t idt)
{
    const gms_qos_call_t *answer = gms_scenario_answer(scenario, i);

    return answer->flow[0].after.qos_class == GMS_QOS_PREMIUM
               ? answer->flow[0].after.bandwidth_bytes_s / 1e6
               : 8192.0 / idt;
}

/* Adds up the bandwidths of all granted flows, including best-effort flows. The
 * sums omit flows without a limit (IDT 0), because such a flow is granted only
 * if it is alone on its nodes and links. */
static void add_up(void)
{
    unsigned i, j;

    memset(node_in, 0, sizeof(node_in));
    memset(node_out, 0, sizeof(node_out));
    memset(on_link, 0, sizeof(on_link));
    memset(sourced, 0, sizeof(sourced));
    for (i = 0; i < flows; ++i) {
        uint32_t idt = gms_scenario_idt(scenario, i);
        uint32_t links[GMS_ROUTE_LINKS_MAX];
        unsigned count;
        double bytes_s;

        if (!is_granted(i)) {
            continue;
        }
        ++sourced[traffic[i].source];
        if (idt == 0 || idt == 1000000) {
            continue; /* unlimited, or the smallest bandwidth (the longest
                       * IDT) */
        }
        bytes_s = granted(i, idt) * 1e6;
        node_out[traffic[i].source] += bytes_s;
        node_in[traffic[i].target] += bytes_s;
        count = gms_topology_links(
            gms_fabric_topology(gms_scenario_fabric(scenario)),
            traffic[i].source, traffic[i].target, links);
        for (j = 0; j < count; ++j) {
            CU_ASSERT_FATAL(links[j] < LINKS);
            on_link[links[j]] += bytes_s;
        }
    }
}

static void nothing_is_overcommitted(unsigned seed)
{
    unsigned i;

    add_up();
    for (i = 0; i < LINKS; ++i) {
        if (on_link[i] > (double)params.qos_link_bytes_s) {
            printf("\n    seed %u: the flows on link %u have %.2f MB/s\n", seed,
                   i, on_link[i] / 1e6);
            CU_FAIL("a link is over-committed");
        }
    }
    for (i = 0; i < HOSTS; ++i) {
        double most = gms_service_node_bytes_s(&params, sourced[i], node_in[i]);

        if (node_in[i] + node_out[i] > most * (1 + 1e-9)) {
            printf("\n    seed %u: node %u: %.2f in + %.2f out of %.2f MB/s\n",
                   seed, i, node_in[i] / 1e6, node_out[i] / 1e6, most / 1e6);
            CU_FAIL("a node is over-committed");
        }
    }
}

/* ---- achieved bandwidth ---- */

static void check_flow(unsigned seed, unsigned window, unsigned i,
                       uint64_t packets)
{
    double seconds = (double)WINDOW_PS / (double)GMS_SECOND;
    double promised = traffic[i].bytes_s * seconds / PACKET_BYTES;
    double paced = (double)WINDOW_PS / 0.5e6 / gms_scenario_idt(scenario, i);
    double least = promised - fmax(0.02 * promised, 2);
    double most = paced + fmax(0.02 * paced, 2);

    if ((double)packets < least || (double)packets > most) {
        printf("\n    seed %u, window %u: flow %u, node %u to node %u, "
               "messages of %u bytes, %.3f MB/s: %u packets, expected %.1f to "
               "%.1f\n",
               seed, window, i, traffic[i].source, traffic[i].target,
               traffic[i].message_bytes, traffic[i].bytes_s / 1e6,
               (unsigned)packets, least, most);
        CU_FAIL("a reservation was not kept");
    }
}

static void one_seed(unsigned seed)
{
    uint64_t before[MOST_FLOWS];
    unsigned i, window;

    build(seed);
    gms_scenario_run(scenario, SETTLED_PS);
    nothing_is_overcommitted(seed);
    for (window = 0; window < windows; ++window) {
        for (i = 0; i < flows; ++i) {
            before[i] = packets_arrived(&traffic[i]);
        }
        gms_scenario_run(scenario, SETTLED_PS + (window + 1) * WINDOW_PS);
        for (i = 0; i < flows; ++i) {
            if (traffic[i].control == GMS_TRAFFIC_PREMIUM && is_granted(i)) {
                check_flow(seed, window, i,
                           packets_arrived(&traffic[i]) - before[i]);
            }
        }
    }
    for (i = 0; i < flows; ++i) {
        CU_ASSERT(gms_scenario_answer(scenario, i) != NULL);
        if (traffic[i].control != GMS_TRAFFIC_PREMIUM) {
            ++effort;
        } else if (is_granted(i)) {
            ++premium;
        } else {
            ++denied;
            CHECK_U64(packets_arrived(&traffic[i]), 0);
        }
    }
    gms_scenario_destroy(scenario);
    scenario = NULL;
}

static void reservations_are_kept(void)
{
    unsigned seed;

    for (seed = 1; seed <= seeds; ++seed) {
        one_seed(seed);
    }
    printf("%u reservations granted, %u denied, %u best-effort shares ",
           premium, denied, effort);
    /* The test is meaningful only if there are enough flows of each kind. */
    CU_ASSERT(premium > 10 * seeds && denied > 0 && effort > 5 * seeds);
}

int main(int argc, char **argv)
{
    CU_TestInfo tests[] = {
        {"reservations are kept", reservations_are_kept},
        CU_TEST_INFO_NULL,
    };

    if (argc > 1) {
        seeds = (unsigned)strtoul(argv[1], NULL, 10);
        windows = 3 * WINDOWS;
    }
    return UNIT_RUN({"proportional", NULL, NULL, NULL, NULL, tests});
}
