/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares latencies, percentiles and deadlines with values computed by hand.
 * The interval between frames is 100 cycles.
 */
#include "hcasim/delivery.h"

#include <string.h>

#include "base/random.h"
#include "unit.h"

static gms_delivery_t *delivery;
static gms_delivery_result_t result;

static void begin(uint64_t warm_up_cycles, unsigned first)
{
    gms_delivery_config_t config = {.nodes = 4,
                                    .warm_up_cycles = warm_up_cycles,
                                    .frame_cycles = 100,
                                    .first = first};

    delivery = NULL;
    CHECK_U64(gms_delivery_create(&config, &delivery), GMS_OK);
}

static void end(uint64_t end_cycle)
{
    gms_delivery_result(delivery, end_cycle, &result);
    gms_delivery_destroy(delivery);
}

static void packet(unsigned traffic_class, unsigned flits, uint64_t create,
                   uint64_t post, uint64_t enter, uint64_t arrive)
{
    gms_delivered_t delivered = {traffic_class, flits, create,
                                 post,          enter, arrive};

    gms_delivery_packet(delivery, &delivered);
}

static void test_refuses(void)
{
    gms_delivery_config_t config = {.nodes = 0, .frame_cycles = 1};
    gms_delivery_t *none = NULL;

    CHECK_U64(gms_delivery_create(&config, &none), GMS_ERR_INVALID_PARAM);
    config = (gms_delivery_config_t){.nodes = 1};
    CHECK_U64(gms_delivery_create(&config, &none), GMS_ERR_INVALID_PARAM);
    config = (gms_delivery_config_t){.nodes = 1, .frame_cycles = 1, .first = 2};
    CHECK_U64(gms_delivery_create(&config, &none), GMS_ERR_INVALID_PARAM);
    CU_ASSERT_PTR_NULL(none);
    gms_delivery_destroy(NULL);
    begin(0, 0);
    CHECK_U64(
        gms_delivery_frame(delivery, GMS_DELIVERY_STREAMS_MAX, 1, 0, 0, 0, 0),
        GMS_ERR_INVALID_PARAM);
    CHECK_U64(gms_delivery_frame(delivery, 0, 0, 0, 0, 0, 0),
              GMS_ERR_INVALID_PARAM);
    end(0);
    CHECK_U64(result.all.packets, 0);
    CHECK_NEAR(result.all.latency_mean, 0, 0);
    CHECK_NEAR(result.all.throughput, 0, 0);
}

/** The warm-up ends at cycle 1000. The first packet is created and consumed
 *  before this cycle, so it does not count. The second packet is created before
 *  this cycle and consumed after it, so it counts only toward the
 *  throughput. */
static void test_packets(void)
{
    begin(1000, 0);
    packet(GMS_LANE_BEST_EFFORT, 40, 900, 900, 900, 999);
    packet(GMS_LANE_BEST_EFFORT, 40, 999, 999, 999, 1000);
    packet(GMS_LANE_BEST_EFFORT, 40, 1000, 1010, 1030, 1100);
    packet(GMS_LANE_BEST_EFFORT, 20, 1500, 1500, 1500, 1550);
    packet(GMS_LANE_CONTROL, 10, 1500, 1501, 1502, 1530);
    gms_delivery_dropped(delivery, GMS_LANE_REAL_TIME, 999);
    gms_delivery_dropped(delivery, GMS_LANE_REAL_TIME, 1000);
    end(2000);
    CHECK_U64(result.by_class[GMS_LANE_BEST_EFFORT].packets, 2);
    CHECK_U64(result.by_class[GMS_LANE_BEST_EFFORT].flits, 60);
    CHECK_NEAR(result.by_class[GMS_LANE_BEST_EFFORT].latency_mean, 75, 1e-12);
    CHECK_NEAR(result.by_class[GMS_LANE_BEST_EFFORT].latency_max, 100, 1e-12);
    CHECK_NEAR(result.by_class[GMS_LANE_BEST_EFFORT].queueing_mean, 10, 1e-12);
    CHECK_NEAR(result.by_class[GMS_LANE_BEST_EFFORT].network_mean, 60, 1e-12);
    CHECK_NEAR(result.by_class[GMS_LANE_BEST_EFFORT].throughput, 100 / 4000.0,
               1e-12);
    CHECK_U64(result.by_class[GMS_LANE_CONTROL].packets, 1);
    CHECK_U64(result.by_class[GMS_LANE_REAL_TIME].packets, 0);
    CHECK_U64(result.by_class[GMS_LANE_REAL_TIME].dropped, 1);
    CHECK_U64(result.all.packets, 3);
    CHECK_U64(result.all.dropped, 1);
    CHECK_NEAR(result.all.latency_mean, 60, 1e-12);
    CHECK_NEAR(result.all.latency_max, 100, 1e-12);
    CHECK_NEAR(result.all.throughput, 110 / 4000.0, 1e-12);
    CHECK_NEAR(result.all.network_mean, (70 + 50 + 28) / 3.0, 1e-12);
}

/** The latencies are 1 to 100 cycles. A percentile is the smallest latency that
 *  50 or 99 of 100 packets do not exceed. Percentiles below 128 cycles are
 *  exact. */
static void test_percentiles(void)
{
    unsigned i;

    begin(0, 0);
    for (i = 100; i >= 1; --i) {
        packet(GMS_LANE_REAL_TIME, 1, 5, 5, 5, 5 + i);
    }
    end(1000);
    CHECK_NEAR(result.all.latency_p50, 50, 1e-12);
    CHECK_NEAR(result.all.latency_p99, 99, 1e-12);
    CHECK_NEAR(result.all.latency_max, 100, 1e-12);
    begin(0, 0);
    packet(GMS_LANE_REAL_TIME, 1, 0, 0, 0, 1000003);
    end(1);
    CHECK_NEAR(result.all.latency_p50, 1000003, 1.0 / 128);
    CU_ASSERT_TRUE(result.all.latency_p99 <= 1000003);
    begin(0, 0);
    packet(GMS_LANE_REAL_TIME, 1, 0, 0, 0, 0);
    end(1);
    CHECK_NEAR(result.all.latency_p50, 0, 0);
}

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

/** Compare the percentiles of latencies of all orders of magnitude with
 *  percentiles of the sorted list. */
static void test_percentiles_random(void)
{
    static uint64_t values[5000];
    gms_random_t random;
    unsigned run, i;

    gms_random_init(&random, 3, 3);
    for (run = 0; run < 50; ++run) {
        unsigned count = 1 + (unsigned)gms_random_below(&random, 5000);
        unsigned bits = 1 + (unsigned)gms_random_below(&random, 52);
        double p50, p99;

        begin(0, 0);
        for (i = 0; i < count; ++i) {
            values[i] = gms_random_u64(&random) >> (64 - bits);
            values[i] >>= gms_random_below(&random, bits);
            packet(GMS_LANE_REAL_TIME, 1, 0, 0, 0, values[i]);
        }
        end(1);
        qsort(values, count, sizeof(values[0]), compare);
        p50 = (double)values[(count + 1) / 2 - 1];
        p99 = (double)values[(count * 99 + 99) / 100 - 1];
        CHECK_NEAR(result.all.latency_p50, p50, 1.0 / 128);
        CHECK_NEAR(result.all.latency_p99, p99, 1.0 / 128);
        CHECK_U64(result.all.latency_max, values[count - 1]);
    }
}

/* ---- frames ---- */

/** Deliver a frame that consists of one packet. */
static void frame(uint32_t stream, uint32_t number, uint64_t made,
                  uint64_t arrived)
{
    CHECK_U64(gms_delivery_frame(delivery, stream, number, 0, made, arrived, 0),
              GMS_OK);
}

static void check_frames(uint64_t frames, uint64_t late, uint64_t broken,
                         double dmt)
{
    end(10000);
    CHECK_U64(result.frames, frames);
    CHECK_U64(result.frames_late, late);
    CHECK_U64(result.frames_broken, broken);
    CHECK_NEAR(result.dmp, (frames > 0) ? (double)late / (double)frames : 0,
               1e-12);
    CHECK_NEAR(result.dmt_cycles, dmt, 1e-12);
}

/** Frames are created at 0, 100, .. The first frame is due at 100, and the
 *  second frame is due at 200. The second frame arrives at 230, which is 30
 *  cycles late. The third frame is due at 330 and arrives at 330, which is on
 *  time. The fourth frame is due at 430 and arrives at 431. The fifth frame is
 *  due at
 *  531. */
static void test_deadlines(void)
{
    begin(0, GMS_DELIVERY_FIRST_MADE);
    frame(0, 1, 0, 100);
    frame(0, 2, 100, 230);
    frame(0, 3, 200, 330);
    frame(0, 4, 300, 431);
    frame(0, 5, 400, 531);
    check_frames(5, 2, 0, 15.5);
    /* If the first frame itself is late, the second frame is due at 201. */
    begin(0, GMS_DELIVERY_FIRST_MADE);
    frame(0, 1, 0, 101);
    frame(0, 2, 100, 201);
    frame(0, 3, 200, 302);
    check_frames(3, 2, 0, 1);
    /* A frame that is early does not change the deadlines. */
    begin(0, GMS_DELIVERY_FIRST_MADE);
    frame(0, 1, 0, 10);
    frame(0, 2, 100, 110);
    frame(0, 3, 200, 300);
    check_frames(3, 0, 0, 0);
}

/** The first frame arrives at 40, so the second frame is due at 140. */
static void test_deadlines_from_arrival(void)
{
    begin(0, GMS_DELIVERY_FIRST_ARRIVED);
    frame(0, 1, 0, 40);
    frame(0, 2, 100, 140);
    frame(0, 3, 200, 241);
    frame(0, 4, 300, 341);
    frame(0, 5, 400, 451);
    check_frames(5, 2, 0, 5.5);
}

/** Streams with arbitrary numbers are independent of each other. */
static void test_streams(void)
{
    static const uint32_t streams[] = {0, 1023, 1024, 77777,
                                       GMS_DELIVERY_STREAMS_MAX - 1};
    unsigned i;

    begin(0, GMS_DELIVERY_FIRST_MADE);
    for (i = 0; i < 5; ++i) {
        frame(streams[i], 1, i, 100 + 2 * i); /* this frame is i cycles late */
    }
    for (i = 0; i < 5; ++i) {
        frame(streams[i], 2, 100 + i, 200 + 2 * i);
    }
    check_frames(10, 4, 0, 2.5);
}

/** Frames that are created during the warm-up are not counted, but they
 *  determine deadlines. */
static void test_warm_up(void)
{
    begin(200, GMS_DELIVERY_FIRST_MADE);
    frame(0, 1, 0, 150);   /* this frame is late, but not counted */
    frame(0, 2, 100, 250); /* this frame is on time */
    frame(0, 3, 200, 350); /* this frame is on time and counted */
    frame(0, 4, 300, 460); /* this frame is 10 cycles late */
    check_frames(2, 1, 0, 10);
}

static void part(uint32_t number, uint32_t rest, uint64_t cycle, int is_lost)
{
    CHECK_U64(gms_delivery_frame(delivery, 9, number, rest,
                                 (uint64_t)(number - 1) * 100, cycle, is_lost),
              GMS_OK);
}

/** A frame has arrived when its last packet has arrived. The packets may
 *  arrive in any order, even interleaved with packets of the next frame.
 *  Incomplete frames are not counted. */
static void test_packets_of_frames(void)
{
    begin(0, GMS_DELIVERY_FIRST_MADE);
    part(1, 2, 10, 0);
    part(1, 1, 20, 0);
    part(1, 0, 30, 0);
    part(2, 1, 150, 0);
    part(2, 0, 205, 0); /* 5 cycles late, so the next frame is due at 305 */
    part(3, 1, 290, 0);
    check_frames(2, 1, 0, 5);
    begin(0, GMS_DELIVERY_FIRST_MADE);
    part(1, 0, 30, 0);
    part(1, 1, 40, 0); /* the frame appears to be complete, but a packet is
                          missing */
    part(2, 0, 50, 0);
    part(1, 2, 107, 0);
    part(2, 1, 208, 0);
    check_frames(2, 2, 0, 4);
    begin(0, GMS_DELIVERY_FIRST_MADE);
    part(1, 1, 40, 0);
    check_frames(0, 0, 0, 0);
}

/** The middle packet of the first frame is missing. By definition, this frame
 *  counts as late, although it does not end after its deadline. No packet of
 *  the third frame arrives. The fourth frame has lost its last packet and
 *  arrives 20 cycles late. The fifth frame is due in cycle 520. */
static void test_broken(void)
{
    begin(0, GMS_DELIVERY_FIRST_MADE);
    part(1, 2, 10, 0);
    part(1, 1, 0, 1);
    part(1, 0, 30, 0);
    part(2, 0, 200, 0); /* this frame is due at 200 */
    part(3, 1, 0, 1);
    part(3, 0, 0, 1);
    part(4, 0, 0, 1);
    part(4, 1, 420, 0);
    part(5, 0, 520, 0);
    part(6, 0, 623, 0); /* 3 late */
    check_frames(5, 3, 3, 11.5);
}

/** A source drops packets that are much newer than the packets that are
 *  arriving. */
static void test_lost_ahead(void)
{
    begin(0, GMS_DELIVERY_FIRST_MADE);
    part(1, 1, 10, 0);
    part(2, 0, 0, 1);
    part(3, 0, 0, 1);
    part(1, 0, 150, 0); /* 50 cycles late, so the next frames are due at 250,
                         * 350 and 450 */
    part(4, 0, 445, 0);
    check_frames(2, 1, 2, 50);
    begin(0, GMS_DELIVERY_FIRST_MADE);
    part(1, 0, 0, 1);
    part(2, 0, 200, 0);
    part(3, 0, 301, 0);
    check_frames(2, 1, 1, 1);
}

/** The first frames of a stream are missing. */
static void test_late_start(void)
{
    begin(0, GMS_DELIVERY_FIRST_MADE);
    part(100, 0, 10000, 0); /* this frame was created at 9900 */
    part(101, 0, 10101, 0);
    check_frames(2, 1, 0, 1);
}

/** Reading a result does not change the counters. */
static void test_result_twice(void)
{
    gms_delivery_result_t again;

    begin(0, GMS_DELIVERY_FIRST_MADE);
    part(1, 0, 101, 0);
    part(2, 0, 201, 0);
    gms_delivery_result(delivery, 10000, &again);
    gms_delivery_result(delivery, 10000, &again);
    CHECK_U64(again.frames, 2);
    CHECK_U64(again.frames_late, 1);
    part(3, 0, 302, 0);
    check_frames(3, 2, 0, 1);
}

/** For complete frames that arrive in order, compare the results with simple
 * sums. */
static void test_deadlines_random(void)
{
    gms_random_t random;
    uint64_t late = 0, sum = 0, deadline = 100;
    unsigned i, j;

    gms_random_init(&random, 4, 4);
    begin(0, GMS_DELIVERY_FIRST_MADE);
    for (i = 0; i < 5000; ++i) {
        unsigned packets = 1 + (unsigned)gms_random_below(&random, 5);
        uint64_t latest = 0;

        for (j = 0; j < packets; ++j) {
            uint64_t cycle = 100 * i + gms_random_below(&random, 130) +
                             gms_random_below(&random, 2) * (i / 20);

            latest = (cycle > latest) ? cycle : latest;
            part(i + 1, packets - 1 - j, cycle, 0);
        }
        if (latest > deadline) {
            ++late;
            sum += latest - deadline;
            deadline = latest;
        }
        deadline += 100;
    }
    CU_ASSERT_TRUE(late > 20);
    check_frames(5000, late, 0, (double)sum / (double)late);
}

/** For the values 1, 2, 3 and 4, the standard deviation is sqrt(5/3), and t for
 *  3 degrees of freedom is 3.182. */
static void test_interval(void)
{
    static const double values[] = {4, 1, 3, 2};
    double mean = 0, half_width = -1;

    gms_delivery_interval(values, 4, &mean, &half_width);
    CHECK_NEAR(mean, 2.5, 1e-12);
    CHECK_NEAR(half_width, 3.182 * sqrt(5.0 / 3 / 4), 1e-12);
    gms_delivery_interval(values, 1, &mean, &half_width);
    CHECK_NEAR(mean, 4, 1e-12);
    CHECK_NEAR(half_width, 0, 0);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"invalid arguments", test_refuses},
        {"packets", test_packets},
        {"percentiles", test_percentiles},
        {"percentiles of random latencies", test_percentiles_random},
        {"deadlines", test_deadlines},
        {"deadlines from the first arrival", test_deadlines_from_arrival},
        {"streams", test_streams},
        {"warm-up", test_warm_up},
        {"packets of frames", test_packets_of_frames},
        {"frames with missing packets", test_broken},
        {"dropped packets that are newer than the arriving packets",
         test_lost_ahead},
        {"missing first frames", test_late_start},
        {"reading a result does not change it", test_result_twice},
        {"deadlines of random frames", test_deadlines_random},
        {"confidence interval", test_interval},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({.pName = "delivery", .pTests = tests});
}
