/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the bounds of servers with so many flows that a packet-by-packet
 * computation is not possible. The bounds of such a server are computed from
 * the curves of its flows and of the acknowledgements.
 */
#include "account.h"

/* One cable joins two switches with six hosts each. Five flows cross the cable
 * from hosts 0..4 to hosts 6..10. */
static void open_cascade(void)
{
    unsigned source;

    params.hosts = 12;
    params.topology = GMS_TOPOLOGY_CASCADE;
    params.hosts_per_switch = 6;
    reopen();
    for (source = 0; source < 5; ++source) {
        CHECK_U64(premium(source, source + 6, MB).criterion, GMS_QOS_OK);
    }
}

/* A flow in the opposite direction does not share any NIC with the first flow.
 * The acknowledgements of this flow use the same cable as the first flow. They
 * delay the first flow by at least the time that one acknowledgement takes on
 * the cable. */
static void test_acknowledgements_delay(void)
{
    gms_time_t before_ps;

    open_cascade();
    before_ps = grant_of(0, 6)->bounds.delay_ps;
    CU_ASSERT(before_ps > 0);
    CHECK_U64(premium(11, 5, MB).criterion, GMS_QOS_OK);
    CU_ASSERT(grant_of(0, 6)->bounds.delay_ps >=
              before_ps +
                  params.nic_ack_bytes * GMS_SECOND / params.link_bytes_s);
}

/* Another flow in the same direction delays the first flow by at least the time
 * of one packet. */
static void test_packets_delay(void)
{
    gms_time_t before_ps;

    open_cascade();
    before_ps = grant_of(0, 6)->bounds.delay_ps;
    CHECK_U64(premium(5, 11, MB).criterion, GMS_QOS_OK);
    CU_ASSERT(grant_of(0, 6)->bounds.delay_ps >=
              before_ps +
                  params.nic_mtu_bytes * GMS_SECOND / params.link_bytes_s);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"acknowledgements delay packets", test_acknowledgements_delay},
        {"packets delay packets", test_packets_delay},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN(
        {"bounds of many flows", NULL, NULL, setup, teardown, tests});
}
