/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the I/O hosts: the pieces of an access, a disk's queue, and the times
 * of accesses on a simulated network without processes. All expected times are
 * computed by hand from the disks' parameters.
 */
#include <string.h>

#include "io/disk.h"
#include "io/stripe.h"
#include "io_rig.h"

/* ---- pieces ---- */

static void check_piece(const gms_io_layout_t *layout, uint64_t offset,
                        uint64_t bytes, uint32_t host, uint64_t number,
                        uint64_t expected_offset, uint64_t expected_bytes,
                        uint32_t expected_disk)
{
    gms_io_piece_t piece;

    CU_ASSERT_EQUAL_FATAL(
        gms_io_piece(layout, offset, bytes, host, number, &piece), 1);
    CHECK_U64(piece.offset, expected_offset);
    CHECK_U64(piece.bytes, expected_bytes);
    CHECK_U64(piece.host, host);
    CHECK_U64(piece.disk, expected_disk);
}

static void check_no_piece(const gms_io_layout_t *layout, uint64_t offset,
                           uint64_t bytes, uint32_t host, uint64_t number)
{
    gms_io_piece_t piece;

    CU_ASSERT_EQUAL(gms_io_piece(layout, offset, bytes, host, number, &piece),
                    0);
}

/* Stripes of 100 bytes on 3 hosts with 2 disks each. Stripe 0 is on disk 0 of
 * host 0, stripe 3 on disk 1 of host 0, and stripe 6 on disk 0 of host 0. */
static void test_pieces(void)
{
    const gms_io_layout_t layout = {
        .hosts = 3, .disks = 2, .stripe_bytes = 100};

    /* bytes 250 to 949 */
    check_piece(&layout, 250, 700, 2, 0, 250, 50, 0);
    check_piece(&layout, 250, 700, 0, 0, 300, 100, 1);
    check_piece(&layout, 250, 700, 1, 0, 400, 100, 1);
    check_piece(&layout, 250, 700, 2, 1, 500, 100, 1);
    check_piece(&layout, 250, 700, 0, 1, 600, 100, 0);
    check_piece(&layout, 250, 700, 0, 2, 900, 50, 1);
    check_no_piece(&layout, 250, 700, 1, 2);
    check_no_piece(&layout, 250, 700, 0, 3);
}

static void test_pieces_at_the_edge(void)
{
    const gms_io_layout_t layout = {
        .hosts = 3, .disks = 1, .stripe_bytes = 100};

    check_piece(&layout, 99, 1, 0, 0, 99, 1, 0);
    check_no_piece(&layout, 99, 1, 1, 0);
    check_no_piece(&layout, 99, 1, 2, 0);
    check_piece(&layout, 99, 2, 1, 0, 100, 1, 0);
    check_piece(&layout, 100, 100, 1, 0, 100, 100, 0);
    check_no_piece(&layout, 100, 100, 2, 0);
    check_no_piece(&layout, 100, 0, 1, 0);
}

/* The pieces of an access must contain each of its bytes exactly once. */
static void test_pieces_are_complete(void)
{
    const gms_io_layout_t layout = {.hosts = 5, .disks = 3, .stripe_bytes = 7};
    unsigned char seen[300];
    uint64_t offset, i, number;
    gms_io_piece_t piece;
    uint32_t host;

    for (offset = 0; offset < 40; ++offset) {
        memset(seen, 0, sizeof(seen));
        for (host = 0; host < layout.hosts; ++host) {
            for (number = 0;
                 gms_io_piece(&layout, offset, 200, host, number, &piece);
                 ++number) {
                CHECK_U64(piece.offset / 7 % 5, host);
                CHECK_U64(piece.offset / 35 % 3, piece.disk);
                for (i = 0; i < piece.bytes; ++i) {
                    ++seen[piece.offset + i];
                }
            }
        }
        for (i = 0; i < sizeof(seen); ++i) {
            CU_ASSERT_EQUAL_FATAL(seen[i], i >= offset && i < offset + 200);
        }
    }
}

/* ---- disk ---- */

/* At 10 MB/s, 50000 bytes take 5 ms. The second request waits for the first
 * request, and the third request arrives when the disk is idle. */
static void test_disk(void)
{
    gms_disk_t disk = {.free_ps = 0};

    CHECK_U64(gms_disk_serve(&disk, 2 * GMS_MS, GMS_MS, 50000, 10000000),
              8 * GMS_MS);
    CHECK_U64(gms_disk_serve(&disk, 3 * GMS_MS, GMS_MS, 10000, 10000000),
              10 * GMS_MS);
    CHECK_U64(gms_disk_serve(&disk, 20 * GMS_MS, 2 * GMS_MS, 0, 10000000),
              22 * GMS_MS);
    CHECK_U64(gms_disk_serve(&disk, 22 * GMS_MS, 0, 10000, 10000000),
              23 * GMS_MS);
    CHECK_U64(disk.busy_ps, 6 * GMS_MS + 2 * GMS_MS + 2 * GMS_MS + GMS_MS);
    CHECK_U64(disk.requests, 4);
}

/* ---- accesses ---- */

/* Time that a disk needs for a one-stripe request. */
static gms_time_t stripe_ps(uint64_t bytes_s)
{
    return GMS_MS + gms_transfer_ps(64 * KB, bytes_s);
}

/* There are 16 stripes on one disk. The disk is slower than the network, so it
 * works without a pause after the first stripe has arrived. For the first
 * stripe and the answer, the network needs 0.8 to 1.2 ms. */
static void test_write_of_one_node(void)
{
    gms_io_call_t *call;
    gms_time_t over_ps;

    rig_params();
    rig_start(1);
    call = rig_access(0, GMS_IO_WRITE, 0, 1024 * KB);
    rig_run();
    over_ps = rig_end(call) - 16 * stripe_ps(10000000);
    CU_ASSERT_TRUE(over_ps > 800 * GMS_US && over_ps < 1200 * GMS_US);
    CHECK_U64(gms_io_disk(io, 0, 0).requests, 16);
    CHECK_U64(gms_io_disk(io, 0, 0).busy_ps, 16 * stripe_ps(10000000));
    rig_stop();
}

/* A read waits for the data of the last stripe. */
static void test_read_of_one_node(void)
{
    gms_io_call_t *call;
    gms_time_t over_ps;

    rig_params();
    rig_start(1);
    call = rig_access(0, GMS_IO_READ, 0, 1024 * KB);
    rig_run();
    over_ps = rig_end(call) - 16 * stripe_ps(20000000);
    CU_ASSERT_TRUE(over_ps > 800 * GMS_US && over_ps < 1200 * GMS_US);
    CHECK_U64(gms_io_disk(io, 0, 0).busy_ps, 16 * stripe_ps(20000000));
    rig_stop();
}

/* Four disks share the stripes, and each disk serves four stripes. */
static void test_more_disks(void)
{
    gms_io_call_t *call;
    gms_time_t over_ps;
    unsigned host, disk;

    rig_params();
    params.io_disks = 2;
    rig_start(2);
    call = rig_access(0, GMS_IO_WRITE, 0, 1024 * KB);
    rig_run();
    over_ps = rig_end(call) - 4 * stripe_ps(10000000);
    /* before the last disk can begin, the network needs up to 4 times as long
     * as for one stripe */
    CU_ASSERT_TRUE(over_ps > 800 * GMS_US && over_ps < 4000 * GMS_US);
    for (host = 0; host < 2; ++host) {
        for (disk = 0; disk < 2; ++disk) {
            CHECK_U64(gms_io_disk(io, host, disk).requests, 4);
        }
    }
    rig_stop();
}

/* With a very fast disk, the network is the bottleneck: GM transfers 78 to 84
 * MB/s. */
static void test_fast_disk(void)
{
    gms_io_call_t *call;
    double mb_s;

    rig_params();
    params.io_write_bytes_s = UINT64_C(100000000000);
    params.io_latency_us = 0;
    rig_start(1);
    call = rig_access(0, GMS_IO_WRITE, 0, 8192 * KB);
    rig_run();
    mb_s = 8192.0 * KB / ((double)rig_end(call) / 1e6);
    CU_ASSERT_TRUE(mb_s > 78 && mb_s < 84);
    rig_stop();
}

/* Two writers take turns at the disk. The last writer finishes when the disk
 * has served all stripes. The other writer finishes earlier, by at most the
 * time that two stripes take. */
static void test_two_writers(void)
{
    gms_io_call_t *a, *b;
    gms_time_t all_ps = 32 * stripe_ps(10000000), first_ps, last_ps;

    rig_params();
    rig_start(1);
    a = rig_access(0, GMS_IO_WRITE, 0, 1024 * KB);
    b = rig_access(1, GMS_IO_WRITE, 1024 * KB, 1024 * KB);
    rig_run();
    first_ps = rig_end(a) < rig_end(b) ? rig_end(a) : rig_end(b);
    last_ps = rig_end(a) < rig_end(b) ? rig_end(b) : rig_end(a);
    CU_ASSERT_TRUE(last_ps > all_ps && last_ps < all_ps + 2 * GMS_MS);
    CU_ASSERT_TRUE(first_ps > all_ps - 2 * stripe_ps(10000000));
    CHECK_U64(gms_io_disk(io, 0, 0).requests, 32);
    rig_stop();
}

/* An access by the I/O host itself does not use the network, so it takes only
 * the time that the disk needs. */
static void test_access_of_the_io_host(void)
{
    gms_io_call_t *call;

    rig_params();
    rig_start(1);
    call = rig_access(NODES - 1, GMS_IO_WRITE, 0, 1024 * KB);
    rig_run();
    CHECK_U64(rig_end(call), 16 * stripe_ps(10000000));
    CHECK_U64(gms_nic_counters(nics[NODES - 1])->data_packets_sent, 0);
    rig_stop();
}

/* A sync of one node waits for another node's write, whose 4 stripes are in the
 * disk's queue when the sync arrives. */
static void test_sync(void)
{
    gms_io_call_t *write, *sync;
    gms_time_t begin_ps;

    rig_params();
    rig_start(1);
    write = rig_access(0, GMS_IO_WRITE, 0, 256 * KB);
    while (gms_io_disk(io, 0, 0).requests < 4) {
        gms_engine_step(&ctx);
    }
    begin_ps = gms_engine_now(ctx.engine);
    sync = rig_access(1, GMS_IO_SYNC, 0, 0);
    rig_run();
    CU_ASSERT_TRUE(rig_end(write) > begin_ps + 2 * stripe_ps(10000000));
    CU_ASSERT_TRUE(rig_end(sync) >= rig_end(write) - 20 * GMS_US &&
                   rig_end(sync) < rig_end(write) + 100 * GMS_US);
    CHECK_U64(gms_io_disk(io, 0, 0).requests, 4);
    rig_stop();
}

/* Changing the file size costs one request on the first disk of each I/O
 * host. */
static void test_resize(void)
{
    gms_io_call_t *call;

    rig_params();
    params.io_disks = 2;
    rig_start(2);
    call = rig_access(0, GMS_IO_RESIZE, 12345, 0);
    rig_run();
    CU_ASSERT_TRUE(rig_end(call) > GMS_MS &&
                   rig_end(call) < GMS_MS + 200 * GMS_US);
    CHECK_U64(gms_io_disk(io, 0, 0).requests, 1);
    CHECK_U64(gms_io_disk(io, 1, 0).requests, 1);
    CHECK_U64(gms_io_disk(io, 0, 1).requests, 0);
    CHECK_U64(gms_io_disk(io, 0, 0).busy_ps, GMS_MS);
    rig_stop();
}

static void test_no_bytes(void)
{
    gms_io_call_t *call;

    rig_params();
    rig_start(2);
    call = rig_access(0, GMS_IO_READ, 100, 0);
    rig_run();
    CHECK_U64(rig_end(call), 0);
    CHECK_U64(gms_nic_counters(nics[0])->data_packets_sent, 0);
    rig_stop();
}

/* At most 8 requests of an access are on their way to one I/O host. The disk is
 * so slow that all 8 requests arrive before the first answer. */
static void test_window(void)
{
    rig_params();
    params.io_write_bytes_s = 1000000;
    rig_start(2);
    (void)rig_access(0, GMS_IO_WRITE, 0, 8192 * KB);
    while (gms_engine_now(ctx.engine) < 60 * GMS_MS) {
        gms_engine_step(&ctx);
    }
    CHECK_U64(gms_io_disk(io, 0, 0).requests, 8);
    CHECK_U64(gms_io_disk(io, 1, 0).requests, 8);
    rig_run();
    CHECK_U64(gms_io_disk(io, 0, 0).requests, 64);
    rig_stop();
}

int main(void)
{
    CU_TestInfo stripes[] = {
        {"pieces", test_pieces},
        {"pieces at the edge of a stripe", test_pieces_at_the_edge},
        {"the pieces of an access contain each byte exactly once",
         test_pieces_are_complete},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo disks[] = {
        {"requests queue at a disk", test_disk},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo accesses[] = {
        {"write of one node", test_write_of_one_node},
        {"read of one node", test_read_of_one_node},
        {"more disks", test_more_disks},
        {"fast disk", test_fast_disk},
        {"two writers", test_two_writers},
        {"an access by the I/O host itself", test_access_of_the_io_host},
        {"sync", test_sync},
        {"change of the file size", test_resize},
        {"an access of no bytes", test_no_bytes},
        {"window", test_window},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"stripes", NULL, NULL, NULL, NULL, stripes},
                    {"disk", NULL, NULL, NULL, NULL, disks},
                    {"accesses", NULL, NULL, NULL, NULL, accesses});
}
