/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the translation between MPI bandwidths and GM bandwidths. The comment
 * of each test shows how its expected values are computed.
 */
#include "mpi-qos/translate.h"

#include "unit.h"

#include <limits.h>
#include <string.h>

/* Costs of a message of 64 KB by rendezvous. The sender sends 18 packets: the
 * request, 16 data packets, and the final packet (done). */
static const mpiqos_cost_t rendezvous_64k = {
    .packet_bytes = 4096,
    .idt_product = 8192e6,
    .message_bytes = 65536,
    .flow_packets = 18,
    .reverse_bytes = 64,
    .receiver_seconds = 1.28e-3,
    .sender_seconds = 20e-6,
};

/* Costs of an eager message of 1000 bytes. The message is one packet, and no
 * packet is sent in return. */
static const mpiqos_cost_t eager_1000 = {
    .packet_bytes = 4096,
    .idt_product = 8192e6,
    .message_bytes = 1000,
    .flow_packets = 1,
    .receiver_seconds = 10e-6,
    .sender_seconds = 5e-6,
};

/* 40 MB/s x 18 / 16 = 45 MB/s, and 8192 / 45 = 182.04 ticks. */
static void test_rendezvous(void)
{
    mpiqos_need_t need;

    mpiqos_translate(40e6, &rendezvous_64k, &need);
    CHECK_NEAR(need.gm_bytes_s, 45e6, 1e-12);
    CHECK_NEAR(need.payload_part, 40.0 / 45, 1e-12);
    CU_ASSERT_EQUAL(mpiqos_idt(need.gm_bytes_s, &rendezvous_64k), 182);
    /* 40e6 / 65536 = 610.3515625 messages/s, with 64 bytes per message */
    CHECK_NEAR(need.reverse_bytes_s, 1.06 * 39062.5, 1e-12);
    /* the bandwidth is 65536 / (18 x 91 us) = 65536 / 1638 us */
    CHECK_NEAR(mpiqos_bandwidth_of_idt(182, &rendezvous_64k), 65536 / 1638e-6,
               1e-12);
}

/* 20 MB/s of MPI require 22.5 MB/s of GM, which corresponds to an IDT of 364.09
 * ticks. The granted bandwidth is 65536 / 3276 us. */
static void test_rendezvous_half(void)
{
    mpiqos_need_t need;

    mpiqos_translate(20e6, &rendezvous_64k, &need);
    CU_ASSERT_EQUAL(mpiqos_idt(need.gm_bytes_s, &rendezvous_64k), 364);
    CHECK_NEAR(mpiqos_bandwidth_of_idt(364, &rendezvous_64k), 65536 / 3276e-6,
               1e-12);
}

/* A bandwidth of 1 MB/s in messages of 1000 bytes requires 1000 packets/s. Each
 * packet is charged as 4096 bytes, so the charge is 4.096 MB/s. */
static void test_eager(void)
{
    mpiqos_need_t need;

    mpiqos_translate(1e6, &eager_1000, &need);
    CHECK_NEAR(need.gm_bytes_s, 4.096e6, 1e-12);
    CHECK_NEAR(need.reverse_bytes_s, 0.0, 0.0);
    /* 8192 / 4.096 is exactly 2000, and rounding errors must not change this
     * IDT */
    CU_ASSERT_EQUAL(mpiqos_idt(need.gm_bytes_s, &rendezvous_64k), 2000);
    CHECK_NEAR(mpiqos_bandwidth_of_idt(2000, &eager_1000), 1e6, 1e-12);
}

/* Return the number of IDTs whose bandwidth leads to another IDT. */
static unsigned changed_idts(const mpiqos_cost_t *cost)
{
    mpiqos_need_t need;
    unsigned changed = 0, idt;

    for (idt = 1; idt <= 5000; ++idt) {
        mpiqos_translate(mpiqos_bandwidth_of_idt(idt, cost), cost, &need);
        changed += mpiqos_idt(need.gm_bytes_s, cost) != idt;
    }
    return changed;
}

/* A request for the bandwidth of an IDT receives this IDT. The bandwidth and
 * the quotient are rounded, and the error must not cost a tick. */
static void test_bandwidths_of_idts(void)
{
    CHECK_U64(changed_idts(&rendezvous_64k), 0);
    CHECK_U64(changed_idts(&eager_1000), 0);
}

static void test_idt_limits(void)
{
    mpiqos_need_t need;

    CU_ASSERT_EQUAL(mpiqos_idt(1.0, &rendezvous_64k), MPIQOS_MAX_IDT_TICKS);
    CU_ASSERT_EQUAL(mpiqos_idt(8192.0, &rendezvous_64k), MPIQOS_MAX_IDT_TICKS);
    CU_ASSERT_EQUAL(mpiqos_idt(8192e6, &rendezvous_64k), 1);
    CU_ASSERT_EQUAL(mpiqos_idt(8193e6, &rendezvous_64k), 0);
    /* The function returns 0 for a flow without an IDT (unregulated). */
    CHECK_NEAR(mpiqos_bandwidth_of_idt(0, &eager_1000), 0.0, 0.0);
    /* 1 byte/s would need an IDT above the NIC's limit, so the request is
     * raised to 8192 bytes/s */
    mpiqos_translate(1.0, &eager_1000, &need);
    CHECK_NEAR(need.gm_bytes_s, 8192.0, 1e-12);
}

/* 51.2 MB/s are 781.25 messages/s. The receiver needs 1.28 ms for each message,
 * so all of its time is used. */
static void test_loads(void)
{
    mpiqos_need_t need;

    mpiqos_translate(51.2e6, &rendezvous_64k, &need);
    CHECK_NEAR(need.receiver_load, 1.0, 1e-12);
    CHECK_NEAR(need.sender_load, 781.25 * 20e-6, 1e-12);
    mpiqos_translate(60e6, &eager_1000, &need);
    CHECK_NEAR(need.receiver_load, 0.6, 1e-12);
    CHECK_NEAR(need.sender_load, 0.3, 1e-12);
    /* A request below the smallest bandwidth that an IDT can express is raised
     * to this bandwidth. The load still corresponds to the requested
     * bandwidth. */
    mpiqos_translate(1.0, &eager_1000, &need);
    CHECK_NEAR(need.receiver_load, 1e-8, 1e-12);
}

/* 57.6 MB/s of GM correspond to 51.2 MB/s of MPI, because only 16 of 18 packets
 * contain data. */
static void test_process_request(void)
{
    CHECK_NEAR(mpiqos_process_request(57.6e6, &rendezvous_64k), 51.2e6, 2e-6);
    CU_ASSERT_TRUE(mpiqos_process_request(57.6e6, &rendezvous_64k) <
                   51.2e6 * (1 - 1e-7));
    CHECK_NEAR(mpiqos_process_request(8191.0, &rendezvous_64k), 0.0, 0.0);
}

/* The IDT is 8192 / 10.4 = 787.7, rounded up to 788. The resulting bandwidth is
 * 1000 / (788 x 0.5 us). */
static void test_largest_request(void)
{
    CHECK_NEAR(mpiqos_largest_request(10.4e6, &eager_1000), 1000 / 394e-6,
               1e-8);
    CHECK_NEAR(mpiqos_largest_request(0.0, &eager_1000), 0.0, 0.0);
    CHECK_NEAR(mpiqos_largest_request(-1.0, &eager_1000), 0.0, 0.0);
    /* This bandwidth is less than the bandwidth of the longest IDT. */
    CHECK_NEAR(mpiqos_largest_request(8191.0, &eager_1000), 0.0, 0.0);
}

/* The granted bandwidth is never less than the requested bandwidth. With an IDT
 * that is one tick longer, the granted bandwidth would be less than
 * requested. */
static void test_granted_covers_asked(void)
{
    double asked;

    for (asked = 1e5; asked < 50e6; asked *= 1.0137) {
        mpiqos_need_t need;
        unsigned idt;

        mpiqos_translate(asked, &rendezvous_64k, &need);
        idt = mpiqos_idt(need.gm_bytes_s, &rendezvous_64k);
        CU_ASSERT_TRUE(mpiqos_bandwidth_of_idt(idt, &rendezvous_64k) >=
                       asked * (1.0 - 1e-8));
        CU_ASSERT_TRUE(mpiqos_bandwidth_of_idt(idt + 1, &rendezvous_64k) <
                       asked * (1.0 + 1e-8));
    }
}

/* The largest request is computed from the remaining bandwidth of GM, from which
 * the manager has already subtracted the control packets. The packets of this
 * request fit into the remaining bandwidth. A request for an IDT that is one
 * tick shorter does not fit. */
static void test_left_can_be_had(void)
{
    double left;

    for (left = 1e5; left < 78e6; left *= 1.0093) {
        double asked = mpiqos_largest_request(left, &rendezvous_64k);
        mpiqos_need_t need;
        unsigned idt;

        mpiqos_translate(asked, &rendezvous_64k, &need);
        idt = mpiqos_idt(need.gm_bytes_s, &rendezvous_64k);
        CU_ASSERT_TRUE(8192e6 / idt <= left * (1.0 + 1e-8));
        CU_ASSERT_TRUE(8192e6 / (idt - 1) > left);
    }
}

/* 3000 bytes in messages of 1000 bytes are sent in three packets. The processes
 * need 15 us of the requested delay of 1 ms. */
static void test_shape(void)
{
    mpiqos_cost_t cost = eager_1000;
    mpiqos_need_t need;

    cost.longest_packets = 1;
    mpiqos_translate_shape(3000, 1e-3, 0, &cost, &need);
    CHECK_U64(need.message_bytes, 4096);
    CHECK_U64(need.burst_bytes, 3 * 4096);
    CHECK_NEAR(need.delay_s, 985e-6, 1e-12);
    CHECK_NEAR(need.jitter_s, 0, 0);
    /* A burst is rounded up to whole messages. If the requested delay is
     * shorter than the time that the processes need, the shortest possible
     * delay of 10 ns is requested from GM. */
    mpiqos_translate_shape(2001, 10e-6, 20e-6, &cost, &need);
    CHECK_U64(need.burst_bytes, 3 * 4096);
    CHECK_NEAR(need.delay_s, 10e-9, 1e-12);
    CHECK_NEAR(need.jitter_s, 5e-6, 1e-9);
    mpiqos_translate_shape(0, 0, 0, &cost, &need);
    CHECK_U64(need.burst_bytes, 4096);
    CHECK_NEAR(need.delay_s, 0, 0);
    /* A burst size that is too large for its type is limited to the largest
     * value of the type. */
    mpiqos_translate_shape(2147483647L, 0, 0, &cost, &need);
    CHECK_U64(need.burst_bytes, UINT_MAX);
}

/* If GM grants exactly the requested bounds, the reverse translation returns
 * the bounds of the request. */
static void test_bounds(void)
{
    mpiqos_cost_t cost = eager_1000;
    mpiqos_bounds_t gm = {.latency = 50e-6,
                          .delay = 985e-6,
                          .jitter = 5e-6,
                          .worst_delay = 100e-6};
    mpiqos_bounds_t bounds;

    cost.is_eager = 1;
    /* an IDT of 200 allows one message every 100 us */
    mpiqos_translate_bounds(&gm, 200, 0, &cost, &bounds);
    CHECK_NEAR(bounds.latency, 165e-6, 1e-9);
    CHECK_NEAR(bounds.delay, 1e-3, 1e-12);
    CHECK_NEAR(bounds.jitter, 20e-6, 1e-9);
    CHECK_NEAR(bounds.worst_delay, 115e-6, 1e-9);
    gm = (mpiqos_bounds_t){0};
    mpiqos_translate_bounds(&gm, 200, 0, &cost, &bounds);
    CHECK_NEAR(bounds.latency, 0, 0);
    CHECK_NEAR(bounds.delay, 0, 0);
    CHECK_NEAR(bounds.worst_delay, 0, 0);
}

/* A message of 64 KB is sent in 18 packets, of which 16 contain data. An IDT of
 * 200 ticks is 100 us. */
static const mpiqos_bounds_t rendezvous_gm = {.latency = 300e-6,
                                              .delay = 1900e-6,
                                              .jitter = 100e-6,
                                              .worst_delay = 3e-3,
                                              .reverse = 50e-6};

static mpiqos_cost_t rendezvous_cost(void)
{
    mpiqos_cost_t cost = rendezvous_64k;

    cost.longest_packets = 16;
    cost.puts_ahead = 2;
    cost.answers_ahead = 8;
    cost.sender_seconds = 30e-6;
    cost.receiver_seconds = 270e-6;
    return cost;
}

/* The expected values are as follows:
 *
 *    A = 1900 - 17 x 100 = 200 us
 *    D1 = 18/17 (200 + 36 x 100) us
 *    C = 300 + 50 us
 *    D = 300 us + 18/17 (200 + 100 + 1800 us + D1 + C)
 */
static void test_rendezvous_bounds(void)
{
    mpiqos_cost_t cost = rendezvous_cost();
    double announced = 18.0 / 17.0 * 3800e-6;
    double delay = 300e-6 + 18.0 / 17.0 * (2450e-6 + announced);
    mpiqos_bounds_t bounds;

    mpiqos_translate_bounds(&rendezvous_gm, 200, 0, &cost, &bounds);
    CHECK_NEAR(bounds.delay, delay, 1e-9);
    CHECK_NEAR(bounds.jitter, delay - 1800e-6, 1e-9);
    CHECK_NEAR(bounds.worst_delay, 3270e-6, 1e-9);
    CHECK_NEAR(bounds.latency, 0, 0);
    CU_ASSERT_PTR_NULL(mpiqos_no_bound(&rendezvous_gm, 200, 0, &cost));
}

/* With a burst of two messages, GM's delay includes 18 additional packets, but
 * A remains 200 us. */
static void test_rendezvous_burst(void)
{
    mpiqos_cost_t cost = rendezvous_cost();
    mpiqos_bounds_t gm = rendezvous_gm, bounds;
    double announced = 18.0 / 17.0 * 3900e-6;

    gm.delay = 3700e-6;
    mpiqos_translate_bounds(&gm, 200, 131072, &cost, &bounds);
    CHECK_NEAR(bounds.delay,
               300e-6 + 18.0 / 17.0 *
                            (300e-6 + 3600e-6 + announced + 350e-6 + 1800e-6),
               1e-9);
}

/* Tests each reason for a missing bound separately. The function returns the
 * measured values even if there are no bounds. */
static void test_no_bounds(void)
{
    mpiqos_cost_t cost = rendezvous_cost();
    mpiqos_bounds_t gm = rendezvous_gm, bounds;

    gm.reverse = 0;
    mpiqos_translate_bounds(&gm, 200, 0, &cost, &bounds);
    CHECK_NEAR(bounds.delay, 0, 0);
    CHECK_NEAR(bounds.jitter, 0, 0);
    CHECK_NEAR(bounds.worst_delay, 3270e-6, 1e-9);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(mpiqos_no_bound(&gm, 200, 0, &cost), "receiver's answers"));
    gm = rendezvous_gm;
    gm.reservations = 7;
    CU_ASSERT_PTR_NULL(mpiqos_no_bound(&gm, 200, 0, &cost));
    gm.reservations = 8;
    mpiqos_translate_bounds(&gm, 200, 0, &cost, &bounds);
    CHECK_NEAR(bounds.delay, 0, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(mpiqos_no_bound(&gm, 200, 0, &cost),
                                  "more than seven reservations"));
    gm = rendezvous_gm;
    CU_ASSERT_PTR_NULL(mpiqos_no_bound(&gm, 200, 8 * 65536, &cost));
    CU_ASSERT_PTR_NOT_NULL(
        strstr(mpiqos_no_bound(&gm, 200, 8 * 65536 + 1, &cost), "burst"));
    /* sending 16 packets takes 800 us, but the answer takes 200 + 30 + 571
     * us */
    gm.delay = 200e-6 + 17 * 50e-6;
    gm.reverse = 569e-6;
    CU_ASSERT_PTR_NULL(mpiqos_no_bound(&gm, 100, 0, &cost));
    gm.reverse = 571e-6;
    CU_ASSERT_PTR_NOT_NULL(
        strstr(mpiqos_no_bound(&gm, 100, 0, &cost), "previous message"));
    gm.delay = 0;
    CU_ASSERT_PTR_NOT_NULL(
        strstr(mpiqos_no_bound(&gm, 100, 0, &cost), "no delays"));
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"rendezvous 40 MB/s", test_rendezvous},
        {"rendezvous 20 MB/s", test_rendezvous_half},
        {"eager", test_eager},
        {"shortest and longest IDT", test_idt_limits},
        {"bandwidths of IDTs", test_bandwidths_of_idts},
        {"loads", test_loads},
        {"largest request of a process", test_process_request},
        {"largest request", test_largest_request},
        {"granted bandwidth covers the request", test_granted_covers_asked},
        {"the reported remaining bandwidth is available", test_left_can_be_had},
        {"shape", test_shape},
        {"bounds", test_bounds},
        {"bounds of a rendezvous", test_rendezvous_bounds},
        {"bounds of a rendezvous with a burst", test_rendezvous_burst},
        {"reasons for missing bounds", test_no_bounds},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"translate", NULL, NULL, NULL, NULL, tests});
}
