/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests the log of dispatched packets: its contents, its length, and its
 * file. */
#include "observe/dispatch.h"

#include <string.h>
#include <unistd.h>

#include "nic/nic_int.h"
#include "scenario_rig.h"

static gms_traffic_t stream(unsigned target, uint32_t idt_ticks, uint32_t bytes)
{
    gms_traffic_t traffic = {.target = target,
                             .message_bytes = bytes,
                             .in_flight = 2,
                             .idt_ticks = idt_ticks};

    return traffic;
}

/* The message is posted at time 0. The call takes 0.8 us, the descriptor takes
 * 0.5 us, and the token takes 60 cycles of 30.303 ns. The sum of these times is
 * 3.118 us, which belongs to tick 6. From then on, a packet leaves every 1000
 * ticks; the packets alternate between 4096 and 3904 bytes. */
static void ticks_are_those_of_dispatch(void)
{
    gms_traffic_t traffic = stream(1, 1000, 8000);
    const gms_dispatch_t *log;
    uint64_t i, count;

    CHECK_U64(gms_scenario_log_dispatches(scenario, 0), GMS_OK);
    CHECK_U64(gms_scenario_add(scenario, &traffic), 0);
    gms_scenario_run(scenario, 100 * GMS_MS);
    count = gms_scenario_dispatches(scenario, 0, &log);
    CHECK_U64(count, 200);
    for (i = 0; i < count; ++i) {
        CHECK_U64(log[i].rtc, 6 + 1000 * i);
        CHECK_U64(log[i].flow, 0);
        CHECK_U64(log[i].bytes, i % 2 == 0 ? 4096 : 3904);
    }
    /* this NIC has no log */
    CHECK_U64(gms_scenario_dispatches(scenario, 1, &log), 0);
}

/* With IDTs of 300 and 700 ticks, the flows send 7 and 3 packets per 2100
 * ticks. The log lists each packet with the number of its flow. */
static void flows_have_their_numbers(void)
{
    gms_traffic_t fast = stream(1, 300, 65536), slow = stream(2, 700, 65536);
    uint64_t i, count, seen[2] = {0, 0};
    const gms_dispatch_t *log;

    (void)gms_scenario_log_dispatches(scenario, 0);
    (void)gms_scenario_add(scenario, &slow);
    (void)gms_scenario_add(scenario, &fast);
    gms_scenario_run(scenario, GMS_SECOND);
    count = gms_scenario_dispatches(scenario, 0, &log);
    for (i = 0; i < count; ++i) {
        CU_ASSERT_FATAL(log[i].flow < 2);
        CHECK_U64(i > 0 && log[i].rtc < log[i - 1].rtc, 0);
        ++seen[log[i].flow];
    }
    CHECK_NEAR((double)seen[0], 2e6 / 700, 0.001);
    CHECK_NEAR((double)seen[1], 2e6 / 300, 0.001);
}

/* With a limit close to the size of a chunk, the log keeps the last packets in
 * order. */
static void only_the_last_are_kept(void)
{
    static const uint64_t most[] = {1,    2,    3,    2047, 2048,
                                    2049, 4095, 4096, 4097, 6000};
    const gms_dispatch_t *log;
    unsigned i;
    uint64_t j, count;

    for (i = 0; i < sizeof(most) / sizeof(most[0]); ++i) {
        gms_traffic_t traffic = stream(1, 200, 4096);

        close_scenario();
        params.nic_dispatch_records = most[i];
        open_scenario();
        (void)gms_scenario_add(scenario, &traffic);
        gms_scenario_run(scenario, 1500 * GMS_MS); /* 15,000 packets */
        count = gms_scenario_dispatches(scenario, 0, &log);
        CHECK_U64(count, most[i]);
        for (j = 0; j < count; ++j) {
            CU_ASSERT_FATAL(log[j].rtc == 6 + 200 * (15000 - count + j));
        }
        CHECK_U64(gms_scenario_dispatches(scenario, 3, &log), 0);
    }
}

/* All events happen at the same times with and without the log. */
static void a_log_takes_no_time(void)
{
    gms_traffic_t traffic = stream(1, 0, 65536);
    uint64_t events, packets;
    unsigned i;

    for (i = 0; i < 2; ++i) {
        close_scenario();
        open_scenario();
        if (i == 1) {
            (void)gms_scenario_log_dispatches(scenario, 0);
        }
        (void)gms_scenario_add(scenario, &traffic);
        gms_scenario_run(scenario, 20 * GMS_MS);
        if (i == 0) {
            events = gms_engine_events_run(gms_scenario_ctx(scenario)->engine);
            packets = gms_fabric_packets(gms_scenario_fabric(scenario));
        }
    }
    CHECK_U64(gms_engine_events_run(gms_scenario_ctx(scenario)->engine),
              events);
    CHECK_U64(gms_fabric_packets(gms_scenario_fabric(scenario)), packets);
}

/* A full arena shortens the log but does not end the run. */
static void a_full_arena_shortens_the_log(void)
{
    gms_ctx_t *ctx = gms_scenario_ctx(scenario);
    gms_nic_t *nic = gms_scenario_nic(scenario, 0);
    gms_flow_key_t key = {.source_port = 2, .target_node = 1, .target_port = 2};
    const gms_flow_t *flow = gms_flow_get(ctx, nic, &key);
    uint64_t i;

    CHECK_U64(gms_dispatch_keep(ctx, nic, UINT64_MAX), GMS_OK);
    for (i = 0; i < 3 * 2048; ++i) {
        gms_dispatch_add(ctx, nic->dispatches, i, flow, 1);
    }
    while (gms_arena_alloc(ctx->arena, 16384) != NULL) {
    }
    for (; i < 10 * 2048; ++i) {
        gms_dispatch_add(ctx, nic->dispatches, i, flow, 1);
    }
    CHECK_U64(gms_dispatch_count(nic) <= 3 * 2048, 1);
    CHECK_U64(gms_dispatch_count(nic) > 2 * 2048 - 2, 1);
    CHECK_U64(gms_dispatch_keep(ctx, nic, 0), GMS_OK);
    CHECK_U64(gms_dispatch_count(nic), 0);
}

static void the_table_says_it_all(void)
{
    gms_traffic_t traffic = {.source = 1,
                             .source_port = 4,
                             .target = 2,
                             .target_port = 5,
                             .label = 77,
                             .priority = 1,
                             .message_bytes = 100,
                             .in_flight = 1,
                             .idt_ticks = 1000};
    char name[] = "test_dispatch.XXXXXX";
    gms_nic_t *nics[2] = {gms_scenario_nic(scenario, 0),
                          gms_scenario_nic(scenario, 1)};
    char text[512] = "";
    int handle = mkstemp(name);
    FILE *file;

    CU_ASSERT_FATAL(handle >= 0);
    close(handle);
    (void)gms_scenario_log_dispatches(scenario, 1);
    (void)gms_scenario_add(scenario, &traffic);
    gms_scenario_run(scenario, 600 * GMS_US);
    CHECK_U64(gms_dispatch_write(name, nics, 2), GMS_OK);
    file = fopen(name, "r");
    CU_ASSERT_FATAL(file != NULL);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    unlink(name);
    CU_ASSERT_STRING_EQUAL(text,
                           "node,source_port,target_node,target_port,priority,"
                           "label,rtc_tick,bytes\n"
                           "2,4,3,5,1,77,6,100\n"
                           "2,4,3,5,1,77,1006,100\n");
    CHECK_U64(gms_dispatch_write("/nowhere/at/all", nics, 2), GMS_ERR_SYSTEM);
}

CU_TestInfo tests[] = {
    {"the log contains the tick of each dispatch", ticks_are_those_of_dispatch},
    {"the log contains the numbers of flows", flows_have_their_numbers},
    {"the log keeps the last packets", only_the_last_are_kept},
    {"a log takes no virtual time", a_log_takes_no_time},
    {"a full arena shortens the log", a_full_arena_shortens_the_log},
    {"the file has all columns", the_table_says_it_all},
    CU_TEST_INFO_NULL,
};

int main(void)
{
    return UNIT_RUN(
        {"dispatch", NULL, NULL, setup_scenario, close_scenario, tests});
}
