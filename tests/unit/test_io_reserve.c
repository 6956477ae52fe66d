/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests reservations for the flows to and from I/O hosts: granted flows,
 * denials, and releases. Also tests the bandwidth of an access with a
 * reservation while other nodes send as much as possible to the same I/O host.
 */
#include "io_rig.h"

#define MB 1e6

static gms_flow_key_t key_to(unsigned target, unsigned label)
{
    return (gms_flow_key_t){.source_port = GMS_IO_PORT,
                            .target_node = (uint16_t)target,
                            .target_port = GMS_IO_PORT,
                            .label = label};
}

/* Return the bandwidth of a flow's reservation; 0 if there is no
 * reservation. */
static double granted(unsigned source, unsigned target, unsigned label)
{
    gms_flow_key_t key = key_to(target, label);
    const gms_grant_t *grant = gms_manager_find(manager, source, &key);

    return grant != NULL ? grant->bandwidth_bytes_s : 0;
}

static gms_io_reservation_t *reserve(unsigned node, double write_bytes_s,
                                     double read_bytes_s)
{
    gms_io_reservation_t *reservation =
        gms_io_reservation_create(ctx.arena, io, node, node);

    CU_ASSERT_PTR_NOT_NULL_FATAL(reservation);
    reservation->label = node + 1;
    reservation->write_bytes_s = write_bytes_s;
    reservation->read_bytes_s = read_bytes_s;
    reservation->handler = ON_RESERVED;
    gms_io_reserve(&ctx, &poster, gms_engine_now(ctx.engine), reservation);
    rig_run();
    CU_ASSERT_TRUE_FATAL(reservation->done);
    return reservation;
}

/* A stripe of 64 KB requires 17 packets of 4096 bytes: 16 packets for the data
 * and one for the message. Each of the two I/O hosts receives half of the
 * bandwidth. */
static void test_granted_flows(void)
{
    gms_io_reservation_t *reservation;

    rig_params();
    rig_start(2);
    reservation = reserve(0, 20 * MB, 8 * MB);
    CU_ASSERT_TRUE(reservation->granted);
    CHECK_NEAR(granted(0, 4, 1), 10 * MB * 17 / 16, 0.01);
    CHECK_NEAR(granted(0, 5, 1), 10 * MB * 17 / 16, 0.01);
    CHECK_NEAR(granted(4, 0, 1), 4 * MB * 17 / 16, 0.01);
    CHECK_NEAR(granted(5, 0, 1), 4 * MB * 17 / 16, 0.01);
    CU_ASSERT_TRUE(granted(0, 4, 1) >= 10 * MB * 17 / 16);
    CHECK_NEAR(gms_io_data_bytes_s(io, 10 * MB * 17 / 16), 20 * MB, 1e-9);
    rig_stop();
}

static void test_one_direction(void)
{
    rig_params();
    rig_start(1);
    CU_ASSERT_TRUE(reserve(0, 20 * MB, 0)->granted);
    CU_ASSERT_TRUE(granted(0, 5, 1) > 20 * MB);
    CHECK_NEAR(granted(5, 0, 1), 0, 0);
    CU_ASSERT_TRUE(reserve(1, 0, 20 * MB)->granted);
    CHECK_NEAR(granted(1, 5, 2), 0, 0);
    CU_ASSERT_TRUE(granted(5, 1, 2) > 20 * MB);
    rig_stop();
}

/* If the flows from the I/O hosts are denied, the flows to the I/O hosts are
 * released. */
static void test_denial(void)
{
    gms_io_reservation_t *reservation;

    rig_params();
    rig_start(2);
    reservation = reserve(0, 10 * MB, 400 * MB);
    CU_ASSERT_FALSE(reservation->granted);
    CU_ASSERT_TRUE(reservation->denied_read);
    CHECK_U64(reservation->status, GMS_OK);
    CU_ASSERT_NOT_EQUAL(reservation->verdict.criterion, GMS_QOS_OK);
    CU_ASSERT_TRUE(reservation->verdict.left_bytes_s > 0);
    CHECK_NEAR(granted(0, 4, 1), 0, 0);
    CHECK_NEAR(granted(4, 0, 1), 0, 0);
    CHECK_NEAR(granted(5, 0, 1), 0, 0);
    reservation = reserve(0, 400 * MB, 10 * MB);
    CU_ASSERT_FALSE(reservation->granted);
    CU_ASSERT_FALSE(reservation->denied_read);
    CHECK_NEAR(granted(0, 4, 1), 0, 0);
    CHECK_NEAR(granted(4, 0, 1), 0, 0);
    rig_stop();
}

static void test_change_and_release(void)
{
    rig_params();
    rig_start(1);
    CU_ASSERT_TRUE(reserve(0, 10 * MB, 10 * MB)->granted);
    CU_ASSERT_TRUE(reserve(0, 20 * MB, 30 * MB)->granted);
    CHECK_NEAR(granted(0, 5, 1), 20 * MB * 17 / 16, 0.01);
    CHECK_NEAR(granted(5, 0, 1), 30 * MB * 17 / 16, 0.02);
    CU_ASSERT_FALSE(reserve(0, 0, 0)->granted);
    CHECK_NEAR(granted(0, 5, 1), 0, 0);
    CHECK_NEAR(granted(5, 0, 1), 0, 0);
    rig_stop();
}

/* A host that is itself the only I/O host does not need any flows. */
static void test_reservation_of_the_io_host(void)
{
    rig_params();
    rig_start(1);
    CU_ASSERT_TRUE(reserve(NODES - 1, 20 * MB, 20 * MB)->granted);
    CHECK_NEAR(granted(NODES - 1, NODES - 1, NODES), 0, 0);
    rig_stop();
}

/* Lengths in bytes of the access under test, and of each access in the
 * flood. */
#define TEST_BYTES  (2048 * KB)
#define FLOOD_BYTES (16384 * KB)

/* Let four nodes flood the I/O host, and measure an access by node 0.
 * @return MB/s */
static double flooded(enum gms_io_kind kind, double bytes_s)
{
    gms_io_call_t *call;
    gms_time_t begin_ps;
    double mb_s;
    unsigned node;

    rig_params();
    params.io_disks = 64;
    params.io_latency_us = 0;
    params.io_write_bytes_s = UINT64_C(100000000000);
    params.io_read_bytes_s = UINT64_C(100000000000);
    rig_start(1);
    if (bytes_s > 0) {
        CU_ASSERT_TRUE(reserve(0, kind == GMS_IO_WRITE ? bytes_s : 0,
                               kind == GMS_IO_READ ? bytes_s : 0)
                           ->granted);
    }
    for (node = 1; node < 5; ++node) {
        (void)rig_access(node, kind, 0, FLOOD_BYTES);
    }
    rig_run_until(gms_engine_now(ctx.engine) + 20 * GMS_MS);
    begin_ps = gms_engine_now(ctx.engine);
    call = rig_access(0, kind, 0, TEST_BYTES);
    if (bytes_s > 0) {
        call->flags =
            kind == GMS_IO_WRITE ? GMS_IO_WRITE_RESERVED : GMS_IO_READ_RESERVED;
    }
    rig_run();
    mb_s = TEST_BYTES / ((double)(rig_end(call) - begin_ps) / 1e6);
    rig_stop();
    return mb_s;
}

static void test_write_beside_a_flood(void)
{
    double without = flooded(GMS_IO_WRITE, 0);
    double with = flooded(GMS_IO_WRITE, 40 * MB);

    printf("%.2f and %.2f MB/s ", without, with);
    CU_ASSERT_TRUE(without < 25);
    CU_ASSERT_TRUE(with > 39.5 && with < 42);
}

static void test_read_beside_a_flood(void)
{
    double without = flooded(GMS_IO_READ, 0);
    double with = flooded(GMS_IO_READ, 40 * MB);

    printf("%.2f and %.2f MB/s ", without, with);
    CU_ASSERT_TRUE(without < 25);
    CU_ASSERT_TRUE(with > 39.5 && with < 42);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"granted flows", test_granted_flows},
        {"one direction", test_one_direction},
        {"denial", test_denial},
        {"change and release", test_change_and_release},
        {"reservation of the I/O host", test_reservation_of_the_io_host},
        {"write during a flood", test_write_beside_a_flood},
        {"read during a flood", test_read_beside_a_flood},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"reservations", NULL, NULL, NULL, NULL, tests});
}
