/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests hca NICs: latencies (computed by hand), rates in one and in both
 * directions, pacing, and the order and completeness of messages.
 */
#include "unit.h"

#include <string.h>

#include "hca_rig.h"

/*
 * The latency of a message of one byte, which is part of the work request, is
 * the sum of the following times.
 * - Doorbell 150 ns, work request 5 ns, send engine 100 ns, two cables 2 x 15
 *   ns.
 * - Switch 90 ns (edr) or 130 ns (others), receive engine 100 ns, write 200 ns,
 *   completion 20 ns.
 * - 65 bytes (with the event) over the host's bus at 12.5 GB/s: 5.2 ns.
 * - 27 bytes on the link: 2.16 ns (edr), 1.08 ns (hdr), 0.54 ns (ndr).
 */
static void test_latency_of_a_byte(void)
{
    use("edr");
    CHECK_U64(latency(1), 702360);
    use("hdr");
    CHECK_U64(latency(1), 741280);
    use("ndr");
    CHECK_U64(latency(1), 740740);
}

/*
 * In addition to the 695 ns or 735 ns that a message of one byte takes outside
 * the bus and the link, a full packet takes the following times.
 * - Read latency 450 ns, reading 4096 bytes 327.68 ns, writing 4160 bytes
 *   332.8 ns.
 * - 4122 bytes on the link: 329.76 ns (edr), 164.88 ns (hdr), 82.44 ns (ndr).
 */
static void test_latency_of_a_packet(void)
{
    use("edr");
    CHECK_U64(latency(4096), 2135240);
    use("hdr");
    CHECK_U64(latency(4096), 2010360);
    use("ndr");
    CHECK_U64(latency(4096), 1927920);
}

/* Each latency parameter must add exactly its value to the latency of a
 * message. */
static void test_latencies_add(void)
{
    uint64_t *const rows[] = {
        &params.hca_fetch_ps,      &params.hca_request_ps,
        &params.hca_send_ps,       &params.hca_read_ps,
        &params.hca_receive_ps,    &params.hca_write_ps,
        &params.hca_completion_ps, &params.host_pio_ps,
        &params.switch_routing_ps, &params.hca_data_ps,
    };
    gms_time_t before;
    unsigned i;

    use("edr");
    before = latency(4096);
    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        use("edr");
        *rows[i] += 1000;
        rig_restart();
        CHECK_U64(latency(4096), before + 1000);
    }
}

/* A message whose data are part of its event does not wait for any other
 * data. */
static void test_short_messages(void)
{
    gms_time_t before;

    use("edr");
    params.nic_fast_bytes = 100;
    rig_restart();
    before = latency(100);
    params.hca_data_ps = 250 * GMS_NS;
    rig_restart();
    CHECK_U64(latency(100), before);
    rig_restart();
    CU_ASSERT_TRUE(latency(101) >= before + 250 * GMS_NS);
}

/* Messages of many lengths must arrive complete and in order, in both
 * directions simultaneously. */
static void test_order(void)
{
    enum {
        COUNT = 200
    };
    unsigned char *from[2], *to[2][COUNT];
    uint32_t length[COUNT];
    unsigned i, n;

    use("edr");
    for (n = 0; n < 2; ++n) {
        from[n] = rig_memory(n, MESSAGE);
        rig_fill(from[n], MESSAGE, n + 1);
        for (i = 0; i < COUNT; ++i) {
            to[n][i] = rig_memory(n, MESSAGE);
            rig_provide(n, to[n][i], MESSAGE_SIZE);
        }
    }
    for (i = 0; i < COUNT; ++i) {
        length[i] = 129 + (i * 7919) % 60000;
        for (n = 0; n < 2; ++n) {
            rig_send(n, 1 - n, from[n] + i, length[i], MESSAGE_SIZE);
        }
    }
    rig_run();
    for (n = 0; n < 2; ++n) {
        CHECK_U64(received[n], COUNT);
        CHECK_U64(sent[n], COUNT);
        CHECK_U64(gms_nic_counters(nics[n])->resent_packets, 0);
        for (i = 0; i < COUNT; ++i) {
            CU_ASSERT_EQUAL(memcmp(to[n][i], from[1 - n] + i, length[i]), 0);
        }
    }
}

/* Post messages from one node to another for the whole duration of the test. */
static void flood(unsigned from, unsigned to, unsigned messages)
{
    unsigned char *data = rig_memory(from, MESSAGE),
                  *buffer = rig_memory(to, MESSAGE);
    unsigned i;

    for (i = 0; i < messages; ++i) {
        rig_provide(to, buffer, MESSAGE_SIZE);
        rig_send(from, to, data, MESSAGE - 8, MESSAGE_SIZE);
    }
}

/* Return the payload in GB/s that arrives at a node between 100 us and 500
 * us. */
static void rates(double gb_s[NODES])
{
    uint64_t before[NODES];
    unsigned n;

    gms_engine_run_until(&ctx, 100 * GMS_US);
    for (n = 0; n < NODES; ++n) {
        before[n] = gms_nic_counters(nics[n])->bytes_received;
    }
    gms_engine_run_until(&ctx, 500 * GMS_US);
    for (n = 0; n < NODES; ++n) {
        gb_s[n] =
            (double)(gms_nic_counters(nics[n])->bytes_received - before[n]) /
            400e3;
    }
}

/* A single direction reaches the payload rate of the link. Both directions
 * together, and several pairs of nodes, also reach this rate. Acknowledgements
 * take 30 bytes for every 8 packets. */
static void test_rates(void)
{
    static const struct {
        const char *profile;
        double link_gb_s;
    } links[] = {{"edr", 12.5}, {"hdr", 25}, {"ndr", 50}};
    double gb_s[NODES], most;
    unsigned i;

    for (i = 0; i < sizeof(links) / sizeof(links[0]); ++i) {
        most = links[i].link_gb_s * 4096 / 4122;
        use(links[i].profile);
        params.host_dma_bytes_s = 100 * GB;
        rig_restart();
        flood(0, 1, 700);
        rates(gb_s);
        CHECK_NEAR(gb_s[1], most, 0.002);
        use(links[i].profile);
        params.host_dma_bytes_s = 100 * GB;
        rig_restart();
        flood(0, 1, 700);
        flood(1, 0, 700);
        flood(2, 3, 700);
        flood(3, 2, 700);
        rates(gb_s);
        CHECK_NEAR(gb_s[0], most, 0.004);
        CHECK_NEAR(gb_s[1], most, 0.004);
        CHECK_NEAR(gb_s[2], most, 0.004);
        CHECK_NEAR(gb_s[3], most, 0.004);
    }
}

/* The host's bus limits each direction separately. */
static void test_bus(void)
{
    double gb_s[NODES];

    use("edr");
    params.host_dma_bytes_s = 8 * GB;
    rig_restart();
    flood(0, 1, 100);
    flood(1, 0, 100);
    rates(gb_s);
    CHECK_NEAR(gb_s[0], 8.0, 0.01);
    CHECK_NEAR(gb_s[1], 8.0, 0.01);
}

/* Return the latency of a message that consists of full packets, after a
 * pause. */
static gms_time_t train(uint32_t packets)
{
    rig_restart();
    return latency(packets * 4096);
}

/*
 * After a pause, the NIC first reads one packet at a time. After every second
 * packet, the number of packets that it reads at the same time increases by
 * one. A packet needs 327.68 ns on the bus, 450 ns for the read latency, and
 * 100 ns in the send engine. Without a ramp, the link needs 329.76 ns per
 * packet. With the ramp, the NIC begins to read packet 1 when packet 0 is
 * complete. The read of packet 2 begins together with the read of packet 1, so
 * packet 2 uses the bus immediately after packet 1.
 */
static void test_ramp(void)
{
    gms_time_t read_ps = 877680, link_ps = 329760, one, many;

    use("edr");
    one = train(1);
    CHECK_U64(train(2) - one, link_ps);
    many = train(12);
    CHECK_U64(many - one, 11 * link_ps);
    params.hca_read_ramp_packets = 2;
    CHECK_U64(train(1), one);
    CHECK_U64(train(2) - one, read_ps);
    CHECK_U64(train(3) - one, read_ps + link_ps);
    CU_ASSERT_TRUE(train(12) > many);
}

/* Each flow has its own ramp. The packets of three flows are read at the same
 * time, and follow each other on the link. If the ramp were common to all
 * flows, each read would begin after the previous read. The last message would
 * then end 2 * 877.68 ns later than a single message. */
static void test_ramp_of_flows(void)
{
    gms_time_t link_ps = 329760, read_ps = 877680, one, end_ps = 0;
    unsigned char *from;
    unsigned target;

    use("edr");
    one = train(1);
    params.hca_read_ramp_packets = 100;
    rig_restart();
    from = rig_memory(0, MESSAGE);
    for (target = 1; target < 4; ++target) {
        rig_provide(target, rig_memory(target, MESSAGE), MESSAGE_SIZE);
    }
    rig_run();
    for (target = 1; target < 4; ++target) {
        rig_send(0, target, from, 4096, MESSAGE_SIZE);
    }
    one += rig_now();
    rig_run();
    for (target = 1; target < 4; ++target) {
        end_ps = last[target].time_ps > end_ps ? last[target].time_ps : end_ps;
    }
    CU_ASSERT_TRUE(end_ps >= one + 2 * link_ps - 10000);
    CU_ASSERT_TRUE(end_ps < one + read_ps);
}

/* After the pause before a message, the ramp begins again. */
static void test_ramp_after_pause(void)
{
    unsigned char *from, *to;
    gms_time_t begin_ps, first_ps;

    use("edr");
    params.hca_read_ramp_packets = 2;
    rig_restart();
    from = rig_memory(0, MESSAGE);
    to = rig_memory(1, MESSAGE);
    first_ps = latency(MESSAGE - 8);
    rig_provide(1, to, MESSAGE_SIZE);
    rig_run();
    begin_ps = rig_now();
    rig_send(0, 1, from, MESSAGE - 8, MESSAGE_SIZE);
    rig_run();
    CHECK_U64(last[1].time_ps - begin_ps, first_ps);
}

/* A single flow does not exceed its largest rate, and two flows saturate the
 * link. */
static void test_flow_rate(void)
{
    double gb_s[NODES];

    use("edr");
    params.hca_flow_bytes_s = 8 * GB;
    rig_restart();
    flood(0, 1, 100);
    rates(gb_s);
    CHECK_NEAR(gb_s[1], 8.0, 0.01);
    rig_restart();
    flood(0, 1, 100);
    flood(0, 2, 100);
    rates(gb_s);
    CHECK_NEAR(gb_s[1] + gb_s[2], 12.5 * 4096 / 4122, 0.03);
    CHECK_NEAR(gb_s[1], gb_s[2], 0.05);
}

/* A flow with a rate limit sends one packet per IDT, alongside a flow without a
 * limit. */
static void test_pace(void)
{
    gms_flow_key_t key = {PORT, 1, PORT, 0, 0};
    double gb_s[NODES];

    use("edr");
    CHECK_U64(gms_nic_set_idt(&ctx, nics[0], &key, 1024), GMS_OK);
    flood(0, 1, 100);
    flood(0, 2, 200);
    rates(gb_s);
    CHECK_NEAR(gb_s[1], 4.0, 0.002);
    CHECK_NEAR(gb_s[2], 12.5 * 4096 / 4122 - 4.0, 0.01);
}

/* Post short messages of a flow at the current time. */
static void post_short(unsigned to, uint32_t label, unsigned messages)
{
    unsigned char *data = rig_memory(0, 64), *buffer = rig_memory(to, 64);
    unsigned i;

    for (i = 0; i < messages; ++i) {
        gms_send_desc_t desc = rig_describe(0, to, data, 8, 6);

        desc.flow.label = label;
        rig_provide(to, buffer, 6);
        rig_post(0, &desc);
    }
}

static void reserve(unsigned to, uint32_t label)
{
    gms_flow_key_t key = {PORT, (uint16_t)to, PORT, 0, label};

    CHECK_U64(gms_nic_promise(&ctx, nics[0], &key, 1), GMS_OK);
    CHECK_U64(gms_nic_set_idt(&ctx, nics[0], &key, 1024), GMS_OK);
    gms_nic_expect_reserved(nics[to], PORT);
}

/* A work request of a flow with a reservation waits for the request that the
 * NIC is executing, and for one request of each other flow with a reservation.
 * The work request does not wait for other requests of a flood, although the
 * flood was posted first. */
static void test_order_of_requests(void)
{
    gms_time_t alone_ps = 0, begin_ps = 0;
    unsigned with_flood;

    for (with_flood = 0; with_flood < 2; ++with_flood) {
        use("edr");
        params.hca_request_ps = 100 * GMS_NS;
        rig_restart();
        reserve(1, 7);
        reserve(2, 8);
        begin_ps = rig_now();
        if (with_flood) {
            post_short(3, 0, 50);
            post_short(2, 8, 50);
        }
        post_short(1, 7, 1);
        rig_run();
        CHECK_U64(received[1], 1);
        if (!with_flood) {
            alone_ps = last[1].time_ps - begin_ps;
        }
    }
    CHECK_U64(received[2], 50);
    CHECK_U64(received[3], 50);
    CHECK_U64(last[1].time_ps - begin_ps, alone_ps + 200 * GMS_NS);
}

/* After a reset, the NIC executes the work request in progress again from its
 * beginning, and exactly once. The doorbells arrive at 0.15 us, so the second
 * request begins at 1.15 us and would end at 2.15 us. */
static void test_reset_of_requests(void)
{
    gms_time_t begin_ps, reset_ps;

    use("edr");
    params.hca_request_ps = GMS_US;
    rig_restart();
    begin_ps = rig_now();
    post_short(1, 0, 3);
    gms_engine_run_until(&ctx, begin_ps + 1500 * GMS_NS);
    CHECK_U64(nics[0]->posts, 1);
    reset_ps = rig_now();
    CU_ASSERT_TRUE(reset_ps > begin_ps + 1200 * GMS_NS);
    gms_nic_reset(&ctx, nics[0]);
    gms_engine_run_until(&ctx, reset_ps + GMS_US);
    CHECK_U64(nics[0]->posts, 1);
    gms_engine_run_until(&ctx, reset_ps + GMS_US + 1);
    CHECK_U64(nics[0]->posts, 0);
    rig_run();
    CHECK_U64(received[1], 3);
    CHECK_U64(sent[0], 3);
}

/* Post one message of a full packet from node 0 to node 1 with a reservation,
 * after 20 us. Return the time until the message arrives. */
static gms_time_t reserved_packet(void)
{
    gms_send_desc_t desc =
        rig_describe(0, 1, rig_memory(0, MESSAGE), 4096, MESSAGE_SIZE);
    gms_time_t begin_ps;

    rig_provide(1, rig_memory(1, MESSAGE), MESSAGE_SIZE);
    gms_engine_run_until(&ctx, rig_now() + 20 * GMS_US);
    begin_ps = rig_now();
    desc.flow.label = 7;
    rig_post(0, &desc);
    gms_engine_run_until(&ctx, begin_ps + 30 * GMS_US);
    rig_take_events();
    CHECK_U64(received[1], 1);
    return last[1].time_ps - begin_ps;
}

/* In a NIC with a reservation, a reserved packet waits for at most one read of
 * other traffic, and for one packet of other traffic on the link. Without this
 * rule, a reserved packet would wait for the reads of all 16 send buffers of
 * other traffic. */
static void test_reads_make_way(void)
{
    gms_time_t read_ps = 327680, link_ps = 329760, alone_ps;

    use("edr");
    reserve(1, 7);
    alone_ps = reserved_packet();
    use("edr");
    reserve(1, 7);
    flood(0, 2, 100);
    CU_ASSERT_TRUE(reserved_packet() <=
                   alone_ps + read_ps + link_ps + 40 * GMS_NS);
}

/* The same limit holds for the send engine: short messages of other traffic do
 * not use the bus, but each of them occupies the engine for 500 ns. A reserved
 * packet waits for at most one short message. */
static void test_engine_makes_way(void)
{
    gms_time_t alone_ps;

    use("edr");
    params.hca_packet_ps = 500 * GMS_NS;
    rig_restart();
    reserve(1, 7);
    alone_ps = reserved_packet();
    rig_restart();
    reserve(1, 7);
    post_short(2, 0, 100);
    CU_ASSERT_TRUE(reserved_packet() <= alone_ps + 540 * GMS_NS);
}

/* Send 60 short reserved messages from node 0 to node 1, one every 100 ns.
 * Return the time until all of them are acknowledged. The messages begin after
 * 20 us. */
static gms_time_t short_packets(void)
{
    gms_flow_key_t key = {PORT, 1, PORT, 0, 7};
    gms_time_t begin_ps, end_ps;

    CHECK_U64(gms_nic_set_idt(&ctx, nics[0], &key, 100), GMS_OK);
    gms_engine_run_until(&ctx, 20 * GMS_US);
    begin_ps = rig_now();
    post_short(1, 7, 60);
    for (end_ps = begin_ps; end_ps < begin_ps + GMS_MS &&
                            (gms_flow_find(nics[0], &key)->packets_sent < 60 ||
                             gms_flow_find(nics[0], &key)->first != NULL);
         end_ps += 20 * GMS_NS) {
        gms_engine_run_until(&ctx, end_ps);
    }
    return end_ps - begin_ps;
}

/* The cables take 200 ns, which is longer than a short packet. Therefore each
 * short packet requests a receive buffer after the previous packet has entered
 * the NIC. During these requests, no packet of the flood may enter the link.
 * The flood therefore delays the 60 packets only by one packet on the link and
 * by 16 DMA writes of 41 ns. Otherwise, the flood would delay the 60 packets by
 * 60 of its own packets. */
static void test_link_is_held(void)
{
    gms_time_t alone_ps = 0, flooded_ps = 0;
    unsigned with_flood;

    for (with_flood = 0; with_flood < 2; ++with_flood) {
        use("edr");
        params.host_dma_bytes_s = 100 * GB;
        params.link_propagation_ps = 200 * GMS_NS;
        rig_restart();
        reserve(1, 7);
        if (with_flood) {
            flood(2, 1, 200);
            flooded_ps = short_packets();
        } else {
            alone_ps = short_packets();
        }
    }
    CU_ASSERT_TRUE(flooded_ps <
                   alone_ps + 330 * GMS_NS + 16 * 41 * GMS_NS + 100 * GMS_NS);
}

/* A NIC that paces in bursts of 32 KB sends 8 packets at once, and then waits
 * for 8 IDTs. The mean rate must be the same. */
static void test_burst(void)
{
    gms_flow_key_t key = {PORT, 1, PORT, 0, 0};
    double gb_s[NODES];

    use("edr");
    params.hca_pace_burst_bytes = 32768;
    rig_restart();
    CHECK_U64(gms_nic_set_idt(&ctx, nics[0], &key, 1024), GMS_OK);
    flood(0, 1, 100);
    gms_engine_run_until(&ctx, 8 * GMS_US);
    /* without bursts, 8 packets would take 7 x 1.024 us */
    CHECK_U64(gms_flow_find(nics[0], &key)->packets_sent, 8);
    gms_engine_run_until(&ctx, 8192 * GMS_NS);
    CHECK_U64(gms_flow_find(nics[0], &key)->packets_sent, 8);
    rates(gb_s);
    CHECK_NEAR(gb_s[1], 4.0, 0.02);
}

/* A flow with a reservation must keep its rate while two other nodes flood its
 * target, and while its own node floods the same target and another target. */
static void test_reservation(void)
{
    gms_flow_key_t key = {PORT, 1, PORT, 0, 7};
    unsigned char *from, *to;
    double gb_s[NODES];
    uint64_t before;
    unsigned i;

    use("edr");
    CHECK_U64(gms_nic_promise(&ctx, nics[0], &key, 1), GMS_OK);
    CHECK_U64(gms_nic_set_idt(&ctx, nics[0], &key, 1024), GMS_OK);
    gms_nic_expect_reserved(nics[1], PORT);
    from = rig_memory(0, MESSAGE);
    to = rig_memory(1, MESSAGE);
    for (i = 0; i < 100; ++i) {
        gms_send_desc_t desc =
            rig_describe(0, 1, from, 60000, MESSAGE_SIZE - 1);

        desc.flow.label = 7;
        rig_provide(1, to, MESSAGE_SIZE - 1);
        rig_post(0, &desc);
    }
    flood(0, 1, 200);
    flood(0, 3, 200);
    flood(2, 1, 200);
    flood(3, 1, 200);
    gms_engine_run_until(&ctx, 100 * GMS_US);
    before = gms_flow_find(nics[0], &key)->bytes_arrived;
    rates(gb_s);
    /* the last packet of a message of 60,000 bytes is shorter */
    CHECK_NEAR((double)(gms_flow_find(nics[0], &key)->bytes_arrived - before) /
                   400e3,
               4.0 * 60000 / (15 * 4096), 0.005);
    CHECK_NEAR(gb_s[1], 12.5 * 4096 / 4122, 0.01);
}

/* Even if the receiver acknowledges only some of the packets, the sender must
 * never wait for an acknowledgement that the receiver does not send. */
static void test_acknowledgements(void)
{
    unsigned char *from, *to;
    unsigned i;

    use("edr");
    params.nic_ack_packets = 8;
    params.nic_window_packets = 8;
    rig_restart();
    from = rig_memory(0, MESSAGE);
    to = rig_memory(1, MESSAGE);
    for (i = 0; i < 64; ++i) {
        rig_provide(1, to, MESSAGE_SIZE);
        rig_send(0, 1, from, MESSAGE - 8, MESSAGE_SIZE);
    }
    rig_run();
    CHECK_U64(received[1], 64);
    CHECK_U64(gms_nic_counters(nics[0])->probes_sent, 0);
    /* acknowledgements for 16 packets of a message: the packets with numbers 0
     * and 8 modulo 16, and the last packet */
    CU_ASSERT(gms_nic_counters(nics[0])->acks_received <= 64 * 3);
    CU_ASSERT(last[1].time_ps < GMS_MS);
}

/* Whenever a NIC is reset, no message may be lost, and none may be delivered
 * twice. */
static void test_reset(void)
{
    gms_time_t at_ps;

    for (at_ps = 0; at_ps < 12 * GMS_US; at_ps += 97 * GMS_NS) {
        unsigned char *from, *to;
        unsigned i;

        use("edr");
        from = rig_memory(0, MESSAGE);
        to = rig_memory(1, MESSAGE);
        rig_fill(from, MESSAGE, 5);
        for (i = 0; i < 4; ++i) {
            rig_provide(1, to + i * 16384, 14);
            rig_send(0, 1, from + i * 16384, 16000, 14);
        }
        gms_engine_run_until(&ctx, at_ps);
        gms_nic_reset(&ctx, nics[0]);
        gms_nic_reset(&ctx, nics[1]);
        rig_run();
        CHECK_U64(received[1], 4);
        CHECK_U64(sent[0], 4);
        for (i = 0; i < 4; ++i) {
            CU_ASSERT_EQUAL(memcmp(to + i * 16384, from + i * 16384, 16000), 0);
        }
    }
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"latency of a byte at each link speed", test_latency_of_a_byte},
        {"latency of a packet at each link speed", test_latency_of_a_packet},
        {"each latency adds its value", test_latencies_add},
        {"short messages", test_short_messages},
        {"messages arrive in order in both directions", test_order},
        {"rate of each link in one and both directions", test_rates},
        {"rate of the host's bus", test_bus},
        {"the number of parallel reads rises step by step", test_ramp},
        {"the number of parallel reads rises for each flow",
         test_ramp_of_flows},
        {"the rise of parallel reads restarts after a pause",
         test_ramp_after_pause},
        {"largest rate of a flow", test_flow_rate},
        {"rate limit of a flow", test_pace},
        {"order of work requests", test_order_of_requests},
        {"a reset repeats the current work request once",
         test_reset_of_requests},
        {"a reserved packet waits for one read of other traffic",
         test_reads_make_way},
        {"a reserved packet waits once for the send engine",
         test_engine_makes_way},
        {"the link is held while a packet requests a buffer",
         test_link_is_held},
        {"a rate limit with bursts keeps the mean rate", test_burst},
        {"a reservation is kept", test_reservation},
        {"acknowledgements of several packets", test_acknowledgements},
        {"resets lose and repeat nothing", test_reset},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN(
        {"nic: kind hca", NULL, NULL, rig_setup, rig_teardown, tests});
}
