/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests hca NICs whose reads take longer for longer packets, and hca NICs that
 * pass on packets in parts. All latencies are computed by hand. The bus and, on
 * edr, the link need 80 ps per byte.
 */
#include "unit.h"

#include <string.h>

#include "hca_rig.h"

/* Latency of a full packet of 4096 bytes without parts (test_nic_hca.c). */
#define EDR_PACKET_PS UINT64_C(2135240)
#define HDR_PACKET_PS UINT64_C(2010360)
#define NDR_PACKET_PS UINT64_C(1927920)

static gms_time_t parts_of(const char *profile, uint64_t part, uint32_t bytes)
{
    use(profile);
    params.hca_forward_bytes = part;
    rig_restart();
    return latency(bytes);
}

/* A read takes 100 ps longer per byte of its packet. Reads overlap, so a second
 * packet adds only its time on the link, and short messages, whose data are
 * part of the work request, do not change. */
static void test_read_per_byte(void)
{
    gms_time_t byte_ps;

    use("edr");
    byte_ps = latency(1);
    params.hca_read_ps_per_byte = 100;
    rig_restart();
    CHECK_U64(latency(1), byte_ps);
    rig_restart();
    CHECK_U64(latency(4096), EDR_PACKET_PS + 409600);
    rig_restart();
    CHECK_U64(latency(8192), EDR_PACKET_PS + 409600 + 329760);
    rig_restart();
    CHECK_U64(latency(3096), EDR_PACKET_PS + 309600 - 3 * 80000);
}

/*
 * With parts of 64 bytes, a packet has 4032 bytes before its last part.
 * - Source: the packet enters the link when its first part has been read, which
 *   is 4032 x 80 ps = 322.56 ns earlier. If the link is faster than the bus,
 *   the packet must not be on the link before its last part has been read. It
 *   then enters the link 161.28 ns earlier (hdr) or 80.64 ns earlier (ndr).
 * - Target: the bus has written the packet 322.56 ns earlier on edr. On hdr and
 *   ndr, the bus is slower than the link, so it gains only the time in which
 *   the packet arrives.
 */
static void test_parts(void)
{
    CHECK_U64(parts_of("edr", 64, 4096), EDR_PACKET_PS - 2 * 322560);
    CHECK_U64(parts_of("hdr", 64, 4096), HDR_PACKET_PS - 2 * 161280);
    CHECK_U64(parts_of("ndr", 64, 4096), NDR_PACKET_PS - 2 * 80640);
}

/* With parts of 1000 bytes, the first part is 3096 bytes shorter than the
 * packet, and the last part has 96 bytes. On edr, the first part determines
 * both times. On a bus with 20 GB/s (50 ps per byte), the last part determines
 * the time at the target. The packet is read in 204.8 ns and written in 208 ns.
 * The link begins 3096 x 50 ps earlier. The last part of 96 bytes and the event
 * of 64 bytes are written after the packet has arrived. */
static void test_long_parts(void)
{
    CHECK_U64(parts_of("edr", 1000, 4096), EDR_PACKET_PS - 2 * 247680);
    use("edr");
    params.host_dma_bytes_s = 20 * GB;
    params.hca_forward_bytes = 1000;
    rig_restart();
    CHECK_U64(latency(4096), EDR_PACKET_PS - (327680 - 204800) - 3096 * 50 -
                                 (332800 - (96 + 64) * 50));
}

/* A packet that fits into one part is stored as a whole. */
static void test_one_part(void)
{
    CHECK_U64(parts_of("edr", 4096, 4096), EDR_PACKET_PS);
    CHECK_U64(parts_of("edr", 65536, 4096), EDR_PACKET_PS);
}

/* A second packet adds only its time on the link. */
static void test_two_packets(void)
{
    CHECK_U64(parts_of("edr", 64, 8192), parts_of("edr", 64, 4096) + 329760);
}

/* If the latency of a read is 20 ps per byte, the last part is in the NIC 100 ps
 * per byte after the first part. The link needs only 80 ps per byte. The packet
 * therefore enters the link 322.56 ns before the end of the read, as without
 * this latency. On a bus with 50 ps per byte, the last part is in the NIC 70 ps
 * per byte after the first part. The packet then enters the link when its first
 * part is in the NIC, which is 4032 x 70 ps before the end of the read. */
static void test_parts_of_slow_reads(void)
{
    use("edr");
    params.hca_forward_bytes = 64;
    params.hca_read_ps_per_byte = 20;
    rig_restart();
    CHECK_U64(latency(4096), EDR_PACKET_PS + 4096 * 20 - 2 * 322560);
    params.host_dma_bytes_s = 20 * GB;
    rig_restart();
    CHECK_U64(latency(4096), EDR_PACKET_PS + 4096 * 20 - (327680 - 204800) -
                                 4032 * 70 - (332800 - (64 + 64) * 50));
}

/* A flow of 8 GB/s needs 125 ps per byte. The last part of a packet is in the
 * NIC 4032 x 125 ps = 504 ns after the first part. The link needs 322.56 ns for
 * the bytes before this part. A second packet of the flow follows 512 ns
 * later. */
static void test_parts_of_slow_flow(void)
{
    gms_time_t one_ps = EDR_PACKET_PS - 2 * 322560 + (504000 - 322560);

    use("edr");
    params.hca_forward_bytes = 64;
    params.hca_flow_bytes_s = 8 * GB;
    rig_restart();
    CHECK_U64(latency(4096), one_ps);
    rig_restart();
    CHECK_U64(latency(8192), one_ps + 512000);
}

/* The rate of answers to gets limits only gets. Only the first packet of an
 * answer contains an address, so the second packet is 16 bytes shorter. */
static void test_rate_of_gets(void)
{
    gms_time_t message_ps, get_ps;

    use("edr");
    message_ps = latency(8192);
    rig_restart();
    get_ps = get_latency(4096);
    params.hca_flow_bytes_s = 10 * GB;
    params.hca_get_bytes_s = 8 * GB;
    rig_restart();
    CHECK_U64(get_latency(8192), get_ps + 512000 - 1280);
    rig_restart();
    CHECK_U64(latency(8192), message_ps - 329760 + 409600);
    params.hca_get_bytes_s = 0;
    rig_restart();
    CHECK_U64(get_latency(8192), get_ps + 409600 - 1280);
}

/* Return the time until a packet has arrived that follows 16 other packets. */
static gms_time_t seventeenth(uint64_t part)
{
    unsigned char *from, *to;
    gms_time_t begin_ps;

    use("edr");
    params.hca_write_ps = 100 * GMS_US;
    params.hca_forward_bytes = part;
    rig_restart();
    from = rig_memory(0, MESSAGE);
    to = rig_memory(1, MESSAGE);
    rig_provide(1, to, MESSAGE_SIZE);
    rig_provide(1, to, MESSAGE_SIZE);
    rig_run();
    begin_ps = rig_now();
    rig_send(0, 1, from, 15 * 4096 + 1000, MESSAGE_SIZE);
    rig_send(0, 1, from, 4096, MESSAGE_SIZE);
    rig_run();
    CHECK_U64(received[1], 2);
    return last[1].time_ps - begin_ps;
}

/* The target has 16 DMA writes. The 17th packet is written only when the first
 * write has ended, so its parts are not written while they arrive. The first
 * packet gains 322.56 ns at the source and at the target. */
static void test_parts_wait_for_a_write(void)
{
    CHECK_U64(seventeenth(64), seventeenth(0) - 2 * 322560);
}

/* Messages of many lengths must arrive complete and in order, and resets must
 * neither lose nor repeat messages. */
static void test_order(void)
{
    enum {
        COUNT = 40
    };
    gms_time_t at_ps;

    for (at_ps = 0; at_ps < 12 * GMS_US; at_ps += 997 * GMS_NS) {
        unsigned char *from, *to[COUNT];
        unsigned i;

        use("edr");
        params.hca_forward_bytes = 64;
        params.hca_read_ps_per_byte = 50;
        params.hca_flow_bytes_s = 10 * GB;
        params.hca_read_ramp_packets = 2;
        rig_restart();
        from = rig_memory(0, MESSAGE);
        rig_fill(from, MESSAGE, 3);
        for (i = 0; i < COUNT; ++i) {
            to[i] = rig_memory(1, MESSAGE);
            rig_provide(1, to[i], MESSAGE_SIZE);
            rig_send(0, 1, from + i, 129 + i * 7919 % 9000, MESSAGE_SIZE);
        }
        gms_engine_run_until(&ctx, at_ps);
        gms_nic_reset(&ctx, nics[0]);
        gms_nic_reset(&ctx, nics[1]);
        rig_run();
        CHECK_U64(received[1], COUNT);
        CHECK_U64(sent[0], COUNT);
        for (i = 0; i < COUNT; ++i) {
            CU_ASSERT_EQUAL(memcmp(to[i], from + i, 129 + i * 7919 % 9000), 0);
        }
    }
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"latency of reads per byte", test_read_per_byte},
        {"latency of a packet in parts", test_parts},
        {"parts that do not divide a packet", test_long_parts},
        {"a packet in one part", test_one_part},
        {"two packets in parts", test_two_packets},
        {"parts of slow reads", test_parts_of_slow_reads},
        {"parts of a slow flow", test_parts_of_slow_flow},
        {"rate of answers to gets", test_rate_of_gets},
        {"parts wait for a write", test_parts_wait_for_a_write},
        {"order of messages in parts", test_order},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN(
        {"nic: packets in parts", NULL, NULL, rig_setup, rig_teardown, tests});
}
