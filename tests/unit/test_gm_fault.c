/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests faults that a program requests through gmsim.h, and the fault
 * counters. */
#define _GNU_SOURCE
#include "job/fault.h"
#include "ranks.h"
#include "unit.h"

enum {
    SIZE = 16,
    BYTES = 40000,
    MESSAGES = 20
};

static void receive_all(struct gm_port *port, unsigned count)
{
    unsigned i;

    for (i = 0; i < 4; ++i) {
        gm_provide_receive_buffer(port, gm_dma_malloc(port, BYTES), SIZE,
                                  GM_LOW_PRIORITY);
    }
    for (i = 0; i < count; ++i) {
        union gm_recv_event *event = next_message(port);
        const unsigned char *bytes = gm_ntohp(event->recv.buffer);

        EXPECT_U64(gm_ntoh_u32(event->recv.length), BYTES);
        EXPECT_U64(bytes[BYTES - 1], i);
        gm_provide_receive_buffer(port, gm_ntohp(event->recv.buffer), SIZE,
                                  GM_LOW_PRIORITY);
    }
}

static void send_all(struct gm_port *port, unsigned count)
{
    static unsigned sent;
    unsigned char *bytes = gm_dma_malloc(port, BYTES);
    unsigned i;

    for (i = 0; i < count; ++i) {
        bytes[BYTES - 1] = (unsigned char)sent++;
        send_to(port, 1, bytes, SIZE, BYTES);
        finish_sends(port, sends_done + 1);
        EXPECT_U64(last_status, GM_SUCCESS);
    }
}

static void body_rates(unsigned rank)
{
    gmsim_fault_rates_t rates = {.drop_ppm = 50000,
                                 .damage_header_ppm = 30000,
                                 .damage_payload_ppm = 30000,
                                 .duplicate_ppm = 30000,
                                 .delay_ppm = 30000,
                                 .delay_max_us = 100};
    gmsim_fault_rates_t none = {.drop_ppm = 0};
    gmsim_fault_counts_t before, counts;
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);

    if (rank == 1) {
        receive_all(port, 2 * MESSAGES);
        return;
    }
    /* by this time, rank 1 has opened its port */
    gmsim_compute(UINT64_C(1000000000));
    EXPECT_U64(gmsim_set_fault_rates(&rates), GM_SUCCESS);
    send_all(port, MESSAGES);
    EXPECT_U64(gmsim_set_fault_rates(&none), GM_SUCCESS);
    gmsim_compute(UINT64_C(1000000000));
    EXPECT_U64(gmsim_get_fault_counts(&before), GM_SUCCESS);
    EXPECT(before.dropped > 0 && before.duplicated > 0 && before.delayed > 0);
    EXPECT(before.damaged_header > 0 && before.damaged_payload > 0);
    EXPECT_U64(before.bad_crc_header, before.damaged_header);
    EXPECT_U64(before.bad_crc_payload, before.damaged_payload);
    EXPECT(before.resent > 0);
    /* with rates of 0, no faults occur */
    send_all(port, MESSAGES);
    EXPECT_U64(gmsim_get_fault_counts(&counts), GM_SUCCESS);
    EXPECT_U64(counts.dropped, before.dropped);
    EXPECT_U64(counts.bad_crc_header, before.bad_crc_header);
    EXPECT_U64(counts.resent, before.resent);
}

static void test_rates(void)
{
    CHECK_U64(ranks_run(2, body_rates), 0);
}

static void body_links(unsigned rank)
{
    gmsim_fault_counts_t counts;
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    uint64_t start_ps;

    if (rank == 1) {
        receive_all(port, 4);
        return;
    }
    gmsim_compute(UINT64_C(1000000000));
    start_ps = gmsim_time_ps();
    EXPECT_U64(gmsim_link_down(2, 1, UINT64_C(30000000000)), GM_SUCCESS);
    send_all(port, 1);
    EXPECT(gmsim_time_ps() - start_ps > UINT64_C(30000000000));
    EXPECT_U64(gmsim_node_down(1, UINT64_C(10000000000)), GM_SUCCESS);
    EXPECT_U64(gmsim_reset_nic(1), GM_SUCCESS);
    send_all(port, 2);
    EXPECT_U64(gmsim_get_fault_counts(&counts), GM_SUCCESS);
    EXPECT_U64(counts.links_down, 3);
    EXPECT_U64(counts.nic_resets, 1);
    EXPECT(counts.lost_on_link > 0);
    /* node 2 is the node of rank 1 */
    start_ps = gmsim_time_ps();
    EXPECT_U64(gmsim_node_down(2, UINT64_C(10000000000)), GM_SUCCESS);
    send_all(port, 1);
    EXPECT(gmsim_time_ps() - start_ps > UINT64_C(10000000000));
}

static void test_links(void)
{
    CHECK_U64(ranks_run(2, body_links), 0);
}

static void body_kill(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    void *bytes;

    if (rank == 1) {
        for (;;) {
            gmsim_compute(1000000);
            gm_receive(port);
        }
    }
    EXPECT_U64(gmsim_kill_rank_at(1, UINT64_C(2000000000)), GM_SUCCESS);
    gmsim_compute(UINT64_C(4000000000));
    bytes = gm_dma_malloc(port, BYTES);
    send_to(port, 1, bytes, SIZE, BYTES);
    finish_sends(port, 1);
    EXPECT_U64(last_status, GM_SEND_TARGET_PORT_CLOSED);
}

/* When rank 1 is killed, either rank may be running the simulation. */
static void test_kill(void)
{
    ranks_t ranks;

    ranks_start(&ranks, 2, body_kill);
    ranks_end(&ranks);
    CU_ASSERT_TRUE(WIFSIGNALED(ranks.status[1]));
    CHECK_U64(WTERMSIG(ranks.status[1]), SIGKILL);
    CU_ASSERT_TRUE(WIFEXITED(ranks.status[0]));
}

static int is_late;

static void on_alarm(void *context)
{
    (void)context;
    is_late = 1;
}

/* Rank 1 is the last rank to wait, so it runs the events, including its own
 * death. */
static void body_kill_holder(unsigned rank)
{
    struct gm_alarm alarm;
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    void *bytes = gm_dma_malloc(port, BYTES);

    gm_provide_receive_buffer(port, gm_dma_malloc(port, BYTES), SIZE,
                              GM_LOW_PRIORITY);
    if (rank == 0) {
        next_message(port); /* this message is from rank 2 */
        return;
    }
    if (rank == 1) {
        gmsim_compute(UINT64_C(1000000000));
        next_message(port); /* no message arrives */
    }
    gm_initialize_alarm(&alarm);
    gm_set_alarm(port, &alarm, 4000, on_alarm, NULL);
    while (!is_late) {
        gm_unknown(port, gm_blocking_receive(port));
    }
    send_to(port, 0, bytes, SIZE, 1);
    finish_sends(port, 1);
    EXPECT_U64(last_status, GM_SUCCESS);
}

static void test_kill_holder(void)
{
    ranks_t ranks;

    ranks_use_cluster("faults:\n  events:\n"
                      "    - {at_us: 2000, kill_rank: 1}\n");
    ranks_start(&ranks, 3, body_kill_holder);
    ranks_end(&ranks);
    ranks_use_cluster(NULL);
    CU_ASSERT_TRUE(WIFSIGNALED(ranks.status[1]));
    CHECK_U64(ranks.status[0], 0);
    CHECK_U64(ranks.status[2], 0);
}

/* Rank 1 is on host 2. Like the other hosts, this host has two NICs. The rank
 * is sleeping when it is killed. Rank 2 is on host 3. */
static void body_kill_node(unsigned rank)
{
    gmsim_fault_counts_t counts;
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    void *bytes = gm_dma_malloc(port, BYTES);

    gm_provide_receive_buffer(port, gm_dma_malloc(port, BYTES), SIZE,
                              GM_LOW_PRIORITY);
    if (rank != 0) {
        next_message(port);
        gm_provide_receive_buffer(port, gm_dma_malloc(port, BYTES), SIZE,
                                  GM_LOW_PRIORITY);
        send_to(port, 0, bytes, SIZE, 1);
        finish_sends(port, 1);
        next_message(port); /* on rank 1, no message arrives */
        return;
    }
    /* by this time, the other ranks have opened their ports */
    gmsim_compute(UINT64_C(1000000000));
    send_to(port, 1, bytes, SIZE, 1);
    next_message(port);
    gm_provide_receive_buffer(port, gm_dma_malloc(port, BYTES), SIZE,
                              GM_LOW_PRIORITY);
    send_to(port, 2, bytes, SIZE, 1);
    next_message(port);
    finish_sends(port, 2);
    EXPECT(gmsim_time_ps() < UINT64_C(5000000000));
    gmsim_compute(UINT64_C(5000000000));
    send_to(port, 1, bytes, SIZE, BYTES);
    finish_sends(port, 3);
    EXPECT_U64(last_status, GM_SEND_TARGET_NODE_UNREACHABLE);
    EXPECT_U64(gmsim_get_fault_counts(&counts), GM_SUCCESS);
    EXPECT_U64(counts.links_down, 4); /* these links belong to two NICs */
    EXPECT_U64(counts.nic_resets, 0);
    send_to(port, 2, bytes, SIZE, 1);
    finish_sends(port, 4);
    EXPECT_U64(last_status, GM_SUCCESS);
}

static void test_kill_node(void)
{
    ranks_t ranks;

    ranks_use_cluster("hosts: 3\nparameters:\n  units_per_host: 2\n"
                      "  nic_send_timeout_us: 20000\nfaults:\n  events:\n"
                      "    - {at_us: 5000, kill_node: 2}\n");
    ranks_start(&ranks, 3, body_kill_node);
    ranks_end(&ranks);
    ranks_use_cluster(NULL);
    CU_ASSERT_TRUE(WIFSIGNALED(ranks.status[1]));
    CHECK_U64(WTERMSIG(ranks.status[1]), SIGKILL);
    CHECK_U64(ranks.status[0], 0);
    CHECK_U64(ranks.status[2], 0);
}

static void body_arguments(unsigned rank)
{
    gmsim_fault_rates_t rates = {.drop_ppm = 1000001};
    gmsim_fault_counts_t counts;
    gmsim_place_t me;

    (void)rank;
    EXPECT_U64(gmsim_set_fault_rates(&rates), GM_INVALID_PARAMETER);
    rates.drop_ppm = 1;
    EXPECT_U64(gmsim_set_fault_rates(&rates), GM_FAILURE);
    EXPECT_U64(gmsim_get_fault_counts(&counts), GM_FAILURE);
    EXPECT_U64(gmsim_reset_nic(1), GM_FAILURE);
    EXPECT_U64(gmsim_kill_rank_at(0, 1), GM_FAILURE);
    open_port(&me);
    EXPECT_U64(gmsim_set_fault_rates(NULL), GM_INVALID_PARAMETER);
    rates.delay_ppm = 1;
    EXPECT_U64(gmsim_set_fault_rates(&rates), GM_INVALID_PARAMETER);
    EXPECT_U64(gmsim_get_fault_counts(NULL), GM_INVALID_PARAMETER);
    EXPECT_U64(gmsim_link_down(0, 0, 1), GM_INVALID_PARAMETER);
    EXPECT_U64(gmsim_node_down(17, 1), GM_INVALID_PARAMETER);
    EXPECT_U64(gmsim_reset_nic(17), GM_INVALID_PARAMETER);
    EXPECT_U64(gmsim_kill_rank_at(1, 1), GM_INVALID_PARAMETER);
}

static void test_arguments(void)
{
    CHECK_U64(ranks_run(1, body_arguments), 0);
}

/* A fault that is planned for a later time is a background event, which does
 * not keep the simulation running. */
static void test_planned(void)
{
    const gms_fault_plan_t plan = {
        .count = 1,
        .events = {{.at_us = 5, .kind = GMS_FAULT_NODE, .number = 0}}};
    gms_ctx_t ctx = {.self_rank = -1};

    CU_ASSERT_FATAL(gms_arena_create_private(UINT64_C(16) << 20, &ctx.arena) ==
                        GMS_OK &&
                    gms_engine_create(ctx.arena, &ctx.engine) == GMS_OK);
    CU_ASSERT_EQUAL(gms_fault_install(&ctx, &plan), GMS_OK);
    CHECK_U64(gms_engine_next_ps(ctx.engine), 5 * GMS_US);
    CHECK_U64(gms_engine_is_idle(ctx.engine), 1);
    gms_arena_destroy_private(ctx.arena);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"arguments", test_arguments},
        {"fault rates", test_rates},
        {"links and resets", test_links},
        {"kill a rank", test_kill},
        {"kill the rank that runs the simulation", test_kill_holder},
        {"kill a node", test_kill_node},
        {"planned faults", test_planned},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"faults from programs", NULL, NULL, NULL, NULL, tests});
}
