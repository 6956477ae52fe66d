/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests the NIC: the time of each step, and the arrival of messages. */
#include "unit.h"

#include <string.h>

#include "nic_rig.h"

/* Measures the payload bandwidth of backlogged flows from node 0 to nodes 1 and
 * above, in MB/s. */
static void measure(unsigned flows, const uint32_t *idt, double *mbytes_s)
{
    uint64_t before[NODES];
    unsigned f, i;

    rig_restart();
    for (f = 0; f < flows; ++f) {
        unsigned char *from = rig_memory(0, MESSAGE),
                      *to = rig_memory(f + 1, MESSAGE);
        gms_flow_key_t key = {PORT, (uint16_t)(f + 1), PORT, 0, 0};

        if (idt != NULL) {
            CU_ASSERT_EQUAL(gms_nic_set_idt(&ctx, nics[0], &key, idt[f]),
                            GMS_OK);
        }
        for (i = 0; i < 200; ++i) {
            rig_provide(f + 1, to, MESSAGE_SIZE);
            rig_send(0, f + 1, from, MESSAGE, MESSAGE_SIZE);
        }
    }
    gms_engine_run_until(&ctx, 20 * GMS_MS);
    for (f = 0; f < flows; ++f) {
        before[f] = gms_nic_counters(nics[f + 1])->data_packets_received;
    }
    gms_engine_run_until(&ctx, 100 * GMS_MS);
    for (f = 0; f < flows; ++f) {
        uint64_t packets =
            gms_nic_counters(nics[f + 1])->data_packets_received - before[f];

        mbytes_s[f] = (double)packets * 4096.0 / 80000.0;
    }
}

static double measure_one(uint64_t scheduler)
{
    double mbytes_s;

    params.scheduler = scheduler;
    measure(1, NULL, &mbytes_s);
    return mbytes_s;
}

/* --- service times -------------------------------------------------------- */

/* [source: calibration: 49.2 us and 49.4 us per packet] */
static void test_single_flow(void)
{
    double packet_rr = measure_one(GMS_SCHEDULER_PACKET_RR);
    double rate = measure_one(GMS_SCHEDULER_RATE);

    CHECK_NEAR(4096.0 / packet_rr, 49.2, 0.002);
    CHECK_NEAR(4096.0 / rate, 49.4, 0.002);
    CU_ASSERT(rate > 82.0 && rate < 84.0);
    CHECK_NEAR(packet_rr, rate, 0.01);
}

/* [source: gulati 2001 thesis figures 5.5 and 5.6] */
static void test_regulated_flows(void)
{
    static const uint32_t equal[] = {192, 192}, unequal[] = {320, 137},
                          three[] = {192, 384, 384};
    double mbytes_s[3];

    measure(2, equal, mbytes_s);
    CHECK_NEAR(mbytes_s[0], 40.91, 0.03);
    CHECK_NEAR(mbytes_s[1], 40.91, 0.03);
    measure(2, unequal, mbytes_s);
    CHECK_NEAR(mbytes_s[0], 24.96, 0.03);
    CHECK_NEAR(mbytes_s[1], 56.88, 0.03);
    measure(3, three, mbytes_s);
    CHECK_NEAR(mbytes_s[0], 39.81, 0.03);
    CHECK_NEAR(mbytes_s[1], 20.5, 0.03);
    CHECK_NEAR(mbytes_s[2], 20.5, 0.03);
}

/* Far from saturation, only the IDT determines the bandwidth, which is 4096
 * bytes per IDT (in ticks of 0.5 us). */
static void test_slow_flow(void)
{
    static const uint32_t idt[] = {500, 960};
    double mbytes_s[2];

    measure(2, idt, mbytes_s);
    CHECK_NEAR(mbytes_s[0], 16.384, 0.004);
    CHECK_NEAR(mbytes_s[1], 8.533, 0.004);
}

/* A slower DMA engine lengthens the time of each packet by exactly the
 * additional time of this engine. */
static void test_host_dma_speed(void)
{
    uint64_t bytes_s = params.host_dma_bytes_s;
    double before = 4096.0 / measure_one(GMS_SCHEDULER_RATE);
    double added = 4096.0 * 1e6 / (double)bytes_s;
    double after;

    params.host_dma_bytes_s = bytes_s / 2;
    after = 4096.0 / measure_one(GMS_SCHEDULER_RATE);
    /* The receiver also needs 66 us to transfer the packet to the host. The
     * receiver is never slower than the sender, so the sender's time determines
     * the result. */
    CHECK_NEAR(after, before + added, 0.01);
}

/* Two nodes send to one receiver. [source: gulati 2001 thesis 5.4: 84.43 MB/s
 * arrive at one node] */
static void test_receiver(void)
{
    uint64_t before;
    unsigned from, i;
    unsigned char *to;
    double per_packet_us;

    to = rig_memory(0, MESSAGE);
    for (from = 1; from < 3; ++from) {
        unsigned char *data = rig_memory(from, MESSAGE);

        for (i = 0; i < 200; ++i) {
            rig_provide(0, to, MESSAGE_SIZE);
            rig_send(from, 0, data, MESSAGE, MESSAGE_SIZE);
        }
    }
    gms_engine_run_until(&ctx, 20 * GMS_MS);
    before = gms_nic_counters(nics[0])->data_packets_received;
    gms_engine_run_until(&ctx, 100 * GMS_MS);
    per_packet_us =
        80000.0 /
        (double)(gms_nic_counters(nics[0])->data_packets_received - before);
    CHECK_NEAR(per_packet_us, 48.3, 0.003);
}

/* 16.37 MB/s of incoming traffic leave about 65 MB/s for outgoing traffic.
 * [source: gulati 2001 thesis figure 5.4] */
static void test_in_and_out(void)
{
    static const uint32_t idt[] = {500, 250, 250};
    static const unsigned from[] = {3, 0, 0}, to[] = {0, 1, 2};
    uint64_t in, out;
    unsigned f, i;

    for (f = 0; f < 3; ++f) {
        unsigned char *data = rig_memory(from[f], MESSAGE);
        unsigned char *buffer = rig_memory(to[f], MESSAGE);
        gms_flow_key_t key = {PORT, (uint16_t)to[f], PORT, 0, 0};

        gms_nic_set_idt(&ctx, nics[from[f]], &key, idt[f]);
        for (i = 0; i < 200; ++i) {
            rig_provide(to[f], buffer, MESSAGE_SIZE);
            rig_send(from[f], to[f], data, MESSAGE, MESSAGE_SIZE);
        }
    }
    gms_engine_run_until(&ctx, 20 * GMS_MS);
    in = gms_nic_counters(nics[0])->data_packets_received;
    out = gms_nic_counters(nics[0])->data_packets_sent;
    gms_engine_run_until(&ctx, 100 * GMS_MS);
    in = gms_nic_counters(nics[0])->data_packets_received - in;
    out = gms_nic_counters(nics[0])->data_packets_sent - out;
    CHECK_NEAR((double)in * 4096.0 / 80000.0, 16.37, 0.01);
    CHECK_NEAR((double)out * 4096.0 / 80000.0, 65.0, 0.015);
}

/* A message of 8 bytes is sent in each direction. The parameters include the
 * costs of the hosts themselves. [source: published latencies are between 45
 * and 95 us; a step of an exchange took 45.5 us] */
static void test_round_trip(void)
{
    unsigned char *data[2] = {rig_memory(0, 64), rig_memory(1, 64)};
    gms_time_t start_ps;
    double round_trip_us;
    unsigned turn, at;

    for (turn = 0; turn < 100; ++turn) {
        rig_provide(turn % 2, data[turn % 2], 4);
    }
    gms_engine_run_until(&ctx, GMS_MS);
    start_ps = rig_now();
    rig_send(0, 1, data[0], 8, 4);
    for (turn = 1; turn < 100; ++turn) {
        gms_send_desc_t desc;

        at = turn % 2;
        while (received[at] < (turn + 1) / 2 && gms_engine_step(&ctx)) {
            rig_take_events();
        }
        CHECK_U64(received[at], (turn + 1) / 2);
        desc = rig_describe(at, 1 - at, data[at], 8, 4);
        desc.call_ps = rig_now() + params.host_receive_ps;
        gms_nic_post_send(&ctx, nics[at], &hosts[at],
                          desc.call_ps + params.host_send_ps, &desc);
    }
    round_trip_us = (double)(last_event_ps - start_ps) / 99.0 * 2.0 / 1e6;
    CU_ASSERT(round_trip_us > 45.0 && round_trip_us < 95.0);
    CHECK_NEAR(round_trip_us, 73.4, 0.01);
}

/* --- message arrival --- */

static void test_integrity(void)
{
    static const uint32_t lengths[] = {0,    1,    8,     128,   129,  4095,
                                       4096, 4097, 12288, 40000, 65536};
    unsigned char *from = rig_memory(0, MESSAGE), *to = rig_memory(1, MESSAGE);
    unsigned i;

    for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); ++i) {
        gms_time_t call_ps = rig_now();

        rig_fill(from, MESSAGE, i);
        memset(to, 0xee, MESSAGE);
        rig_provide(1, to, MESSAGE_SIZE);
        rig_send(0, 1, from, lengths[i], MESSAGE_SIZE);
        rig_run();
        CHECK_U64(received[1], i + 1);
        CHECK_U64(sent[0], i + 1);
        CHECK_U64(last[1].length, lengths[i]);
        CHECK_U64(last[1].is_fast, lengths[i] <= params.nic_fast_bytes);
        CU_ASSERT_EQUAL(
            memcmp(last[1].is_fast ? last[1].fast : to, from, lengths[i]), 0);
        CHECK_U64(to[last[1].is_fast ? 0 : lengths[i] % MESSAGE],
                  lengths[i] == MESSAGE ? from[0] : 0xee);
        CHECK_U64(rig_path_sum(&last[1].path), last[1].time_ps - call_ps);
    }
    CHECK_U64(result_count[GMS_SENT_OK], i);
    CHECK_U64(last[1].sender_node, 0);
    CHECK_U64(last[1].sender_port, PORT);
    CHECK_U64(last[1].tag, 7);
    CHECK_U64(last[1].cookie, 100);
    CHECK_U64(last[1].address, (uintptr_t)to);
    CHECK_U64(gms_nic_counters(nics[1])->out_of_sequence, 0);
}

/* Messages arrive in order, and the times at the stages of the path add up,
 * even if messages wait for each other. */
static void test_path_of_every_message(void)
{
    unsigned char *from = rig_memory(0, MESSAGE), *to = rig_memory(1, MESSAGE);
    gms_time_t call_ps;
    unsigned i;

    for (i = 0; i < 20; ++i) {
        rig_provide(1, to, MESSAGE_SIZE);
    }
    gms_engine_run_until(&ctx, GMS_MS);
    call_ps = rig_now();
    for (i = 0; i < 20; ++i) {
        rig_send(0, 1, from, i * 3000, MESSAGE_SIZE);
    }
    for (i = 0; i < 20; ++i) {
        while (received[1] == i && gms_engine_step(&ctx)) {
            rig_take_events();
        }
        CHECK_U64(last[1].length, i * 3000);
        CHECK_U64(last[1].path.host_ps, params.host_pio_ps);
        CHECK_U64(rig_path_sum(&last[1].path), last[1].time_ps - call_ps);
    }
}

static void test_loopback(void)
{
    unsigned char *from = rig_memory(2, MESSAGE), *to = rig_memory(2, MESSAGE);

    rig_fill(from, MESSAGE, 3);
    rig_provide(2, to, MESSAGE_SIZE);
    rig_send(2, 2, from, MESSAGE, MESSAGE_SIZE);
    rig_run();
    CHECK_U64(received[2], 1);
    CHECK_U64(sent[2], 1);
    CU_ASSERT_EQUAL(memcmp(from, to, MESSAGE), 0);
}

static void test_equal_segments(void)
{
    unsigned char *from, *to;

    params.nic_equal_segments = 1;
    params.scheduler = GMS_SCHEDULER_PACKET_RR;
    rig_restart();
    from = rig_memory(0, MESSAGE);
    to = rig_memory(1, MESSAGE);
    rig_fill(from, MESSAGE, 4);
    rig_provide(1, to, MESSAGE_SIZE);
    rig_send(0, 1, from, 4097, MESSAGE_SIZE);
    rig_run();
    CHECK_U64(gms_nic_counters(nics[0])->data_packets_sent, 2);
    CU_ASSERT_EQUAL(memcmp(from, to, 4097), 0);
    /* The message is split into packets of 2049 and 2048 bytes, so the last
     * packet's DMA transfer takes half the time. */
    CHECK_U64(last[1].path.wire_ps,
              2 * params.link_propagation_ps +
                  gms_transfer_ps(2045 + params.nic_header_bytes,
                                  params.link_bytes_s));
}

static void test_put(void)
{
    unsigned char *from = rig_memory(0, MESSAGE), *to = rig_memory(1, MESSAGE);
    gms_send_desc_t desc = rig_describe(0, 1, from, 10000, 0);

    after_failure = GMS_SEND_RESUME;
    rig_fill(from, MESSAGE, 5);
    desc.kind = GMS_SEND_PUT;
    desc.remote = (uintptr_t)to + 100;
    rig_post(0, &desc);
    rig_run();
    CHECK_U64(result_count[GMS_SENT_REJECTED], 1); /* remote access has not been
                                                    * permitted yet */
    CHECK_U64(to[100], 0);

    gms_nic_allow_remote_access(nics[1], PORT);
    desc.call_ps = rig_now();
    rig_post(0, &desc);
    rig_run();
    CHECK_U64(result_count[GMS_SENT_OK], 1);
    CU_ASSERT_EQUAL(memcmp(from, to + 100, 10000), 0);
    CHECK_U64(received[1], 0); /* the target does not receive an event */

    /* this put extends beyond the end of the memory */
    desc.remote = (uintptr_t)to + MESSAGE - 5000;
    desc.call_ps = rig_now();
    rig_post(0, &desc);
    rig_run();
    CHECK_U64(result_count[GMS_SENT_REJECTED], 2);
    CHECK_U64(gms_nic_counters(nics[1])->bad_put_drops, 2);
}

/* --- other functions --- */

static void test_ports(void)
{
    CU_ASSERT_EQUAL(gms_nic_open_port(&ctx, nics[0], PORT, 0), GMS_ERR_BUSY);
    CU_ASSERT_EQUAL(
        gms_nic_open_port(&ctx, nics[0], (unsigned)params.gm_ports, 0),
        GMS_ERR_INVALID_PARAM);
    CHECK_U64(gms_nic_port_owner(nics[1], PORT), 1);
    CU_ASSERT_EQUAL(gms_nic_port_owner(nics[1], PORT + 1), -1);
    CU_ASSERT_EQUAL(gms_nic_port_owner(nics[1], 99), -1);
    gms_nic_close_port(&ctx, nics[1], PORT);
    CU_ASSERT_EQUAL(gms_nic_port_owner(nics[1], PORT), -1);
    gms_nic_close_port(&ctx, nics[1], PORT); /* closing the port again has no
                                                effect */
    CU_ASSERT_PTR_NULL(gms_nic_take_event(nics[0], PORT));
    CU_ASSERT_PTR_NULL(gms_nic_peek_event(nics[0], PORT));
}

static void test_alarm(void)
{
    gms_nic_post_alarm(&ctx, nics[0], &hosts[0], PORT, 50 * GMS_US, 1);
    gms_nic_post_alarm(&ctx, nics[1], &hosts[1], PORT, 50 * GMS_US, 1);
    gms_nic_close_port(&ctx, nics[1], PORT);
    gms_nic_open_port(&ctx, nics[1], PORT, 1);
    rig_run();
    CHECK_U64(alarms[0], 1);
    CHECK_U64(last_event_ps, 50 * GMS_US);
    CHECK_U64(alarms[1], 0); /* the alarm belonged to the previous owner */
}

static void test_memory(void)
{
    uint64_t page = GMS_PAGE_BYTES, base = 1000 * page, i;
    gms_nic_t *nic = nics[3];

    CU_ASSERT(gms_nic_is_registered(nic, PORT, base, 0));
    CU_ASSERT(!gms_nic_is_registered(nic, PORT, base, 1));
    CU_ASSERT_EQUAL(gms_nic_register_memory(&ctx, nic, PORT, UINT64_MAX, 2),
                    GMS_ERR_INVALID_PARAM);
    CU_ASSERT_EQUAL(gms_nic_deregister_memory(&ctx, nic, PORT, base, 1),
                    GMS_ERR_NOT_FOUND);
    CU_ASSERT_EQUAL(gms_nic_register_memory(&ctx, nic, PORT, base + 10, page),
                    GMS_OK);
    CU_ASSERT(gms_nic_is_registered(nic, PORT, base, 2 * page));
    CU_ASSERT(!gms_nic_is_registered(nic, PORT, base, 2 * page + 1));

    /* The NIC counts registrations. Memory that is registered twice must
     * therefore be deregistered twice. */
    gms_nic_register_memory(&ctx, nic, PORT, base, 1);
    gms_nic_deregister_memory(&ctx, nic, PORT, base + 10, page);
    CU_ASSERT(gms_nic_is_registered(nic, PORT, base, page));
    CU_ASSERT(!gms_nic_is_registered(nic, PORT, base, page + 1));
    gms_nic_deregister_memory(&ctx, nic, PORT, base, 1);
    CU_ASSERT(!gms_nic_is_registered(nic, PORT, base, 1));

    /* Registers many pages, and deregisters them in a different order. */
    for (i = 0; i < 5000; ++i) {
        gms_nic_register_memory(&ctx, nic, PORT, i * 3 * page, page);
    }
    for (i = 0; i < 5000; i += 2) {
        gms_nic_deregister_memory(&ctx, nic, PORT, i * 3 * page, page);
    }
    for (i = 0; i < 5000; ++i) {
        CHECK_U64(gms_nic_is_registered(nic, PORT, i * 3 * page, page), i % 2);
        CHECK_U64(gms_nic_is_registered(nic, PORT, i * 3 * page + page, 1), 0);
    }
}

static void test_flow_stats(void)
{
    gms_flow_key_t key = {PORT, 1, PORT, 0, 0}, label = {PORT, 1, PORT, 0, 9};
    gms_flow_stats_t stats;
    unsigned char *from = rig_memory(0, MESSAGE), *to = rig_memory(1, MESSAGE);

    gms_nic_flow_stats(nics[0], &key, &stats);
    CHECK_U64(stats.packets_sent, 0);
    rig_provide(1, to, MESSAGE_SIZE);
    rig_send(0, 1, from, 10000, MESSAGE_SIZE);
    CU_ASSERT_EQUAL(gms_nic_set_idt(&ctx, nics[0], &key, 300), GMS_OK);
    rig_run();
    gms_nic_flow_stats(nics[0], &key, &stats);
    CHECK_U64(stats.idt_ticks, 300);
    CHECK_U64(stats.packets_sent, 3);
    CHECK_U64(stats.bytes_sent, 10000);
    CHECK_U64(stats.packets_arrived, 3);
    CHECK_U64(stats.bytes_arrived, 10000);
    CHECK_U64(stats.packets_again, 0);
    CHECK_U64(stats.bytes_again, 0);
    gms_nic_flow_stats(nics[0], &label, &stats);
    CHECK_U64(stats.idt_ticks, 0);
    CHECK_U64(gms_nic_rtc(nics[0], 7 * GMS_US), 14);
}

/* The NIC is reset while packets of 4096, 4096 and 1808 bytes are in flight.
 * Retransmitted packets count as resent, and each arriving packet counts only
 * once. The flow of the port's next owner does not yield to other flows. */
static void test_flow_stats_again(void)
{
    gms_flow_key_t key = {PORT, 1, PORT, 0, 0};
    gms_flow_stats_t stats;
    unsigned char *from = rig_memory(0, MESSAGE), *to = rig_memory(1, MESSAGE);
    unsigned i;

    rig_provide(1, to, MESSAGE_SIZE);
    rig_send(0, 1, from, 10000, MESSAGE_SIZE);
    CHECK_U64(gms_nic_set_yielding(&ctx, nics[0], &key, 1), GMS_OK);
    for (i = 1; i <= 4; ++i) {
        gms_engine_run_until(&ctx, i * 50 * GMS_US);
        gms_nic_reset(&ctx, nics[0]);
    }
    rig_run();
    CHECK_U64(received[1], 1);
    gms_nic_flow_stats(nics[0], &key, &stats);
    CHECK_U64(stats.packets_again > 0, 1);
    CHECK_U64(stats.packets_sent - stats.packets_again, 3);
    CHECK_U64(stats.bytes_sent - stats.bytes_again, 10000);
    CHECK_U64(stats.packets_arrived, 3);
    CHECK_U64(stats.bytes_arrived, 10000);
    CHECK_U64(gms_flow_find(nics[0], &key)->yields, 1);
    gms_nic_close_port(&ctx, nics[0], PORT);
    CHECK_U64(gms_flow_find(nics[0], &key)->yields, 0);
}

/* A shorter IDT takes effect immediately, even before the old IDT has
 * elapsed. */
static void test_idt_while_waiting(void)
{
    gms_flow_key_t key = {PORT, 1, PORT, 0, 0};
    unsigned char *from = rig_memory(0, MESSAGE), *to = rig_memory(1, MESSAGE);

    gms_nic_set_idt(&ctx, nics[0], &key, 2000000);
    rig_provide(1, to, MESSAGE_SIZE);
    rig_send(0, 1, from, 8192, MESSAGE_SIZE);
    gms_engine_run_until(&ctx, 10 * GMS_MS);
    rig_take_events();
    CHECK_U64(received[1], 0);
    gms_nic_set_idt(&ctx, nics[0], &key, 0);
    rig_run();
    CHECK_U64(received[1], 1);
    CU_ASSERT(last[1].time_ps < 11 * GMS_MS);
}

/* Runs all kinds of traffic in two rounds. After the second round, the arena
 * uses the same amount of memory as after the first round. The test compares
 * the times in two clusters, which must be equal to the picosecond. */
static uint64_t mixed_traffic(void)
{
    unsigned char *data[NODES], *buffer[NODES];
    unsigned round, i;
    uint64_t used[2], total;

    rig_restart();
    for (i = 0; i < NODES; ++i) {
        data[i] = rig_memory(i, MESSAGE);
        buffer[i] = rig_memory(i, MESSAGE);
    }
    for (round = 0; round < 2; ++round) {
        for (i = 0; i < 48; ++i) {
            rig_provide(i / 3 % NODES, buffer[i / 3 % NODES], MESSAGE_SIZE);
            rig_send(i % NODES, i / 3 % NODES, data[i % NODES], i * 1000,
                     MESSAGE_SIZE);
        }
        rig_run();
        gms_arena_usage(ctx.arena, &used[round], &total);
    }
    CHECK_U64(received[0] + received[1] + received[2] + received[3], 96);
    CHECK_U64(result_count[GMS_SENT_OK], 96);
    CHECK_U64(used[0], used[1]);
    return last_event_ps * 31 + gms_engine_events_run(ctx.engine);
}

static void test_repeats(void)
{
    CHECK_U64(mixed_traffic(), mixed_traffic());
}

/* Returns the number of packets that a flow of long messages sends for each
 * packet of a flow of short messages. */
static double share(uint64_t scheduler, uint32_t short_bytes)
{
    const uint32_t length[] = {3 * 4096, short_bytes};
    unsigned char *from, *to[2];
    uint64_t packets[2][2];
    unsigned f, i;

    params.scheduler = scheduler;
    rig_restart();
    from = rig_memory(0, MESSAGE);
    for (f = 0; f < 2; ++f) {
        gms_flow_key_t key = {PORT, (uint16_t)(f + 1), PORT, 0, 0};

        to[f] = rig_memory(f + 1, MESSAGE);
        gms_nic_set_idt(&ctx, nics[0], &key, f == 0 ? 500 : 125);
    }
    for (i = 0; i < 800; ++i) {
        rig_provide(i % 2 + 1, to[i % 2], MESSAGE_SIZE);
        rig_send(0, i % 2 + 1, from, length[i % 2], MESSAGE_SIZE);
    }
    for (i = 0; i < 2; ++i) {
        gms_engine_run_until(&ctx, (5 + 15 * i) * GMS_MS);
        for (f = 0; f < 2; ++f) {
            packets[i][f] =
                gms_nic_counters(nics[f + 1])->data_packets_received;
        }
    }
    return (double)(packets[1][0] - packets[0][0]) /
           (double)(packets[1][1] - packets[0][1]);
}

/* Tests the three schedulers end to end. If any two schedulers are swapped, the
 * test fails. */
static void test_three_differ(void)
{
    CHECK_NEAR(share(GMS_SCHEDULER_MESSAGE_RR, 4096), 3.0, 0.03);
    CHECK_NEAR(share(GMS_SCHEDULER_PACKET_RR, 4096), 1.0, 0.01);
    CHECK_NEAR(share(GMS_SCHEDULER_RATE, 4096), 0.25, 0.03);
}

/* With headers, the packets of the two flows have 4125 and 2062 bytes. Round
 * robin by bytes sends one long packet for every two short packets. Round robin
 * by packets sends one long packet for every short packet. */
static void test_byte_rr(void)
{
    CHECK_NEAR(share(GMS_SCHEDULER_BYTE_RR, 2033), 0.5, 0.02);
    CHECK_NEAR(share(GMS_SCHEDULER_PACKET_RR, 2033), 1.0, 0.01);
}

int main(void)
{
    CU_TestInfo service[] = {
        {"one flow", test_single_flow},
        {"regulated flows", test_regulated_flows},
        {"slow flows", test_slow_flow},
        {"host DMA at half the usual speed", test_host_dma_speed},
        {"receiver", test_receiver},
        {"traffic in both directions", test_in_and_out},
        {"round trip", test_round_trip},
        {"the three schedulers differ", test_three_differ},
        {"byte-rr gives flows equal numbers of bytes", test_byte_rr},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo arrival[] = {
        {"messages of all lengths arrive intact", test_integrity},
        {"messages arrive in order, and their path times add up",
         test_path_of_every_message},
        {"loopback", test_loopback},
        {"a message is divided into equal segments", test_equal_segments},
        {"put", test_put},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo rest[] = {
        {"ports", test_ports},
        {"alarm", test_alarm},
        {"registered memory", test_memory},
        {"flow stats", test_flow_stats},
        {"flow stats with retransmitted packets", test_flow_stats_again},
        {"a change of the IDT while a packet waits", test_idt_while_waiting},
        {"repeated runs are identical and lose no data", test_repeats},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN(
        {"nic: service times", NULL, NULL, rig_setup, rig_teardown, service},
        {"nic: arrivals", NULL, NULL, rig_setup, rig_teardown, arrival},
        {"nic: other properties", NULL, NULL, rig_setup, rig_teardown, rest});
}
