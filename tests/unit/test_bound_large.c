/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures how tight the bounds are in large networks: random reservations on a
 * Clos network of 64 hosts and on an 8 x 8 mesh. The senders do not exceed
 * their rates, and two best-effort flows in each direction flood every NIC. No
 * measured delay may exceed the flow's bound.
 *
 *  test_bound_large                   make 150 requests for 80 % of the NICs'
 *                                     bandwidth, and draw the start times once
 *                                     (make check)
 *  test_bound_large FLOWS DRAWS LOAD  make FLOWS requests for LOAD % of the
 *                                     NICs' bandwidth, and draw the start times
 *                                     DRAWS times
 *
 * In the first draw, all flows start at the same time. In all other draws, the
 * flows start at random times.
 */
#include <stdlib.h>
#include <string.h>

#include "params/profile.h"
#include "base/random.h"
#include "nic/nic.h"
#include "manager/admission.h"
#include "unit.h"
#include "experiments/scenario.h"

enum {
    HOSTS = 64,
    MOST_FLOWS = 4096,
    MESSAGE_BYTES = 4096,
    FLOOD_BYTES = 60000,
    PORT = 2,
    FLOOD_PORT = 7
};
#define RUN_PS (50 * GMS_MS)

static unsigned flows = 150, draws = 1, load_percent = 80;
/* make check also requires that the bounds are close to the measured delays. */
static double least_mean = 0.2;
static gms_params_t params;
static gms_grant_t grants[MOST_FLOWS]; /* the granted flows */
static unsigned granted;
static gms_flow_watch_t *watches[MOST_FLOWS];
static gms_time_t worst_ps[MOST_FLOWS];
static double ratios[MOST_FLOWS];

static void no_change(void *context, const gms_grant_t *grant,
                      uint32_t idt_before)
{
    (void)context;
    (void)grant;
    (void)idt_before;
}

/* Return a request for 0.5 to 1.5 times the mean bandwidth. All requests
 * together use load_percent % of the bandwidth of all NICs. */
static gms_flow_request_t random_request(gms_random_t *random, unsigned label)
{
    double mean = (double)params.qos_node_bytes_s * load_percent / 100 * HOSTS /
                  2 / flows;
    unsigned source = (unsigned)gms_random_below(random, HOSTS);
    gms_flow_request_t request = {
        .source_node = source,
        .key = {.source_port = PORT,
                .target_node =
                    (uint16_t)((source + 1 +
                                gms_random_below(random, HOSTS - 1)) %
                               HOSTS),
                .target_port = PORT,
                .label = label},
        .qos_class = GMS_QOS_PREMIUM,
        .bytes_s = mean * (0.5 + gms_random_unit(random)),
        .shape = {.message_bytes = MESSAGE_BYTES}};

    return request;
}

/* Request all flows from an account, and store the grants. */
static void ask(void)
{
    char error[GMS_TOPOLOGY_ERROR_LEN];
    gms_topology_t *topology;
    gms_account_t *account;
    const gms_grant_t *grant;
    gms_arena_t *arena;
    gms_random_t random;
    unsigned i;

    CU_ASSERT_FATAL(
        gms_arena_create_private(UINT64_C(64) << 20, &arena) == GMS_OK &&
        gms_topology_create(arena, &params, NULL, &topology, error) == GMS_OK &&
        gms_account_create(arena, topology, &params, &account) == GMS_OK);
    gms_random_init(&random, 1, 0);
    for (i = 0; i < flows; ++i) {
        gms_flow_request_t request = random_request(&random, i);
        gms_qos_verdict_t verdict;

        CU_ASSERT_FATAL(gms_account_request(account, &request, 1, no_change,
                                            NULL, &verdict) == GMS_OK);
    }
    granted = 0;
    for (grant = gms_account_first(account); grant != NULL;
         grant = grant->next) {
        grants[granted++] = *grant;
    }
    gms_arena_destroy_private(arena);
}

/* Add a granted flow to a scenario that has no managers. */
static void add_flow(gms_scenario_t *scenario, unsigned i, gms_time_t start_ps)
{
    const gms_grant_t *grant = &grants[i];
    gms_nic_t *nic = gms_scenario_nic(scenario, grant->source_node);
    gms_ctx_t *ctx = gms_scenario_ctx(scenario);
    gms_traffic_t traffic = {.source = grant->source_node,
                             .target = grant->key.target_node,
                             .source_port = PORT,
                             .target_port = PORT,
                             .label = grant->key.label,
                             .message_bytes = MESSAGE_BYTES,
                             .in_flight = 64,
                             .control = GMS_TRAFFIC_IDT,
                             .idt_ticks = grant->idt_ticks,
                             .start_ps = start_ps,
                             .is_paced = 1,
                             .is_preset = 1};
    uint32_t number = gms_scenario_add(scenario, &traffic);

    CU_ASSERT_FATAL(number != UINT32_MAX);
    CU_ASSERT_FATAL(gms_nic_set_idt(ctx, nic, &grant->key, grant->idt_ticks) ==
                        GMS_OK &&
                    gms_nic_promise(ctx, nic, &grant->key, 1) == GMS_OK);
    watches[i] = gms_scenario_watch(scenario, number);
    CU_ASSERT_FATAL(watches[i] != NULL);
}

static void add_flood(gms_scenario_t *scenario, unsigned source,
                      unsigned target)
{
    gms_traffic_t traffic = {.source = source,
                             .target = target % HOSTS,
                             .source_port = FLOOD_PORT,
                             .target_port = FLOOD_PORT,
                             .message_bytes = FLOOD_BYTES,
                             .in_flight = 3,
                             .control = GMS_TRAFFIC_UNDECLARED,
                             .is_preset = 1};

    CU_ASSERT_FATAL(gms_scenario_add(scenario, &traffic) != UINT32_MAX);
}

/* Run one draw: flows start either at the same time or at random times within
 * their first periods. */
static void run(unsigned draw)
{
    char error[GMS_SCENARIO_ERROR_LEN];
    gms_scenario_t *scenario;
    gms_flow_seen_t seen;
    gms_random_t random;
    unsigned i;

    CU_ASSERT_FATAL(gms_scenario_create(&params, NULL, &scenario, error) ==
                    GMS_OK);
    gms_random_init(&random, draw, 1);
    for (i = 0; i < HOSTS; ++i) {
        add_flood(scenario, i, i + 1);
        add_flood(scenario, i, i + HOSTS / 2 - 1);
    }
    for (i = 0; i < granted; ++i) {
        gms_time_t period_ps = grants[i].idt_ticks * params.rtc_tick_ps;

        add_flow(scenario, i,
                 GMS_MS +
                     (draw == 0 ? 0 : gms_random_below(&random, period_ps)));
    }
    gms_scenario_run(scenario, RUN_PS);
    for (i = 0; i < granted; ++i) {
        gms_flow_watch_result(watches[i], &seen);
        CU_ASSERT_TRUE(seen.messages > 0 && seen.failed == 0);
        worst_ps[i] = seen.delay_worst_ps > worst_ps[i] ? seen.delay_worst_ps
                                                        : worst_ps[i];
    }
    gms_scenario_destroy(scenario);
}

static int compare_ratios(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void judge(const char *name)
{
    double sum = 0;
    unsigned i;

    for (i = 0; i < granted; ++i) {
        CU_ASSERT_TRUE(worst_ps[i] <= grants[i].bounds.delay_ps);
        ratios[i] = (double)worst_ps[i] / (double)grants[i].bounds.delay_ps;
        sum += ratios[i];
    }
    qsort(ratios, granted, sizeof(ratios[0]), compare_ratios);
    printf(
        "\n    %s: %u of %u flows granted, load %u %%, %u draws; worst delay / "
        "bound: smallest %.2f, 10 %% %.2f, median %.2f, mean %.2f, 90 %% %.2f, "
        "largest %.2f\n",
        name, granted, flows, load_percent, draws, ratios[0],
        ratios[granted / 10], ratios[granted / 2], sum / granted,
        ratios[granted * 9 / 10], ratios[granted - 1]);
    CU_ASSERT_TRUE(sum / granted >= least_mean);
}

static void compare(const char *name)
{
    unsigned draw;

    ask();
    CU_ASSERT_FATAL(granted > flows / 2);
    memset(worst_ps, 0, sizeof(worst_ps));
    for (draw = 0; draw < draws; ++draw) {
        run(draw);
    }
    judge(name);
}

static void test_clos(void)
{
    gms_profile_init(gms_profile_find("lanai4.3"), &params);
    params.arena_bytes = UINT64_C(1) << 30;
    params.topology = GMS_TOPOLOGY_CLOS;
    params.hosts = HOSTS;
    compare("Clos-64");
}

static void test_mesh(void)
{
    gms_profile_init(gms_profile_find("lanai4.3"), &params);
    params.arena_bytes = UINT64_C(1) << 30;
    params.topology = GMS_TOPOLOGY_MESH;
    params.hosts = HOSTS;
    params.rows = 8;
    params.columns = 8;
    params.hosts_per_switch = 1;
    compare("mesh 8x8");
}

/* Return a number from the command line; end the program if the number is out
 * of range. */
static unsigned number(const char *what, const char *text, unsigned least,
                       unsigned most)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);

    if (end == text || *end != '\0' || value < least || value > most) {
        printf("test_bound_large: %s: value '%s'; allowed: %u..%u\n", what,
               text, least, most);
        exit(2);
    }
    return (unsigned)value;
}

int main(int argc, char **argv)
{
    CU_TestInfo tests[] = {
        {"Clos-64", test_clos},
        {"mesh 8x8", test_mesh},
        CU_TEST_INFO_NULL,
    };

    if (argc == 4) {
        flows = number("FLOWS", argv[1], 10, MOST_FLOWS);
        draws = number("DRAWS", argv[2], 1, 10000);
        load_percent = number("LOAD", argv[3], 1, 100);
        least_mean = 0;
    } else if (argc != 1) {
        printf("usage: test_bound_large [FLOWS DRAWS LOAD]\n");
        return 2;
    }
    return UNIT_RUN({"tightness of bounds in large networks", NULL, NULL, NULL,
                     NULL, tests});
}
