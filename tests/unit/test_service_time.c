/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares the computed times of packets in a NIC and the computed capacity of
 * a node with values computed by hand. (test_service.c compares the capacity
 * with the simulated NIC.)
 */
#include "account.h"

/* ---- IDT and service time ---- */

static void test_idt_of_a_bandwidth(void)
{
    gms_params_init(&params);
    params.qos_node_load_ppm = 1000000; /* all of a NIC's time may be granted */
    CHECK_U64(gms_account_idt(&params, 40 * MB), 204);
    CHECK_U64(gms_account_idt(&params, 38 * MB), 215);
    CHECK_U64(gms_account_idt(&params, 20 * MB), 409);
    CHECK_U64(gms_account_idt(&params, 78 * MB), 105);
    CHECK_U64(gms_account_idt(&params, 40.96 * MB), 200);
    CHECK_U64(gms_account_idt(&params, 8192 * MB), 1);
    CHECK_U64(gms_account_idt(&params, 1e15), 1);
    CHECK_U64(gms_account_idt(&params, 8192), IDT_MAX);
    CHECK_U64(gms_account_idt(&params, 8191), IDT_MAX);
    CHECK_U64(gms_account_idt(&params, 1e-300), IDT_MAX);
}

static void test_idt_there_and_back(void)
{
    uint32_t idt, wrong = 0;

    gms_params_init(&params);
    params.qos_node_load_ppm = 1000000; /* all of a NIC's time may be granted */
    for (idt = 1; idt <= IDT_MAX; ++idt) {
        wrong += (gms_account_idt(&params,
                                  gms_account_bandwidth(&params, idt)) != idt);
    }
    CHECK_U64(wrong, 0);
}

static void test_service_time(void)
{
    set_nic();
    /* 493 cycles, the DMA set-up, and the transfer of 4096 bytes at 120 MB/s,
     * rounded up */
    CHECK_U64(gms_service_send_ps(&params, 1), 493 * 30303 + 300000 + 34133334);
    CHECK_U64(gms_service_send_ps(&params, 0), gms_service_send_ps(&params, 1));
    CHECK_U64(gms_service_send_ps(&params, 7),
              (493 + 120) * 30303 + 300000 + 34133334);
    params.scheduler = GMS_SCHEDULER_PACKET_RR;
    CHECK_U64(gms_service_send_ps(&params, 7), 487 * 30303 + 300000 + 34133334);
    /* Each packet takes 452 cycles, the DMA set-up, and the transfer of 4096
     * bytes. In addition, every 16 packets take 60 cycles, the DMA set-up, and
     * the transfer of 64 bytes (2.651514 us in total). */
    CHECK_U64(gms_service_receive_ps(&params),
              452 * 30303 + 300000 + 34133334 + 165720);
}

/* Reservations may use 96.5 % of a NIC's time, that is, 965 ms of every second.
 * Incoming traffic of 40.96 MB/s consists of 10,000 packets/s, each of which
 * takes 48.296010 us. The remaining 965 - 482.96 ms are available for outgoing
 * packets. For each outgoing packet, the NIC also loses the time of one turn
 * between sending and receiving. */
static void test_node_load(void)
{
    gms_params_t usual;

    gms_params_init(&usual);
    CHECK_U64(usual.qos_node_load_ppm, 965000);
    set_nic();
    params.qos_node_load_ppm = usual.qos_node_load_ppm;
    CHECK_NEAR(gms_service_node_bytes_s(&params, 7, 0),
               0.965 * 4096e12 / 53009073, EXACT);
    CHECK_NEAR(gms_service_node_bytes_s(&params, 7, 40.96 * MB),
               40.96 * MB + 4096 * (965e9 - 10000 * 48296010.) /
                                (53009073 + 180 * 30303),
               EXACT);
    /* For three flows, the capacity equals the value in the thesis. */
    CHECK_NEAR(gms_service_node_bytes_s(&params, 3, 0), 78 * MB, EXACT);
    CU_ASSERT_TRUE(gms_service_node_bytes_s(&params, 4, 0) < 78 * MB);
}

static void test_node_capacity(void)
{
    set_nic();
    CHECK_NEAR(gms_service_node_bytes_s(&params, 1, 0), 78 * MB, EXACT);
    CHECK_NEAR(gms_service_node_bytes_s(&params, 6, 0), 78 * MB, EXACT);
    /* the capacity is one packet of 4096 bytes per 53.009073 us */
    CHECK_NEAR(gms_service_node_bytes_s(&params, 7, 0), 4096e12 / 53009073,
               EXACT);
    /* Incoming traffic of 40.96 MB/s consists of 10,000 packets/s, each of
     * which takes 48.296010 us. In the remaining time, the NIC can send fewer
     * packets than it receives. Each outgoing packet takes 53.009073 us plus a
     * turn of 180 cycles. */
    CHECK_U64(gms_service_turn_ps(&params), 180 * 30303);
    CHECK_NEAR(gms_service_node_bytes_s(&params, 7, 40.96 * MB),
               40.96 * MB +
                   4096 * (1e12 - 10000 * 48296010.) / (53009073 + 180 * 30303),
               EXACT);
    /* incoming traffic of 20.48 MB/s causes 5000 turns/s, because the NIC sends
     * more packets than it receives */
    CHECK_NEAR(gms_service_node_bytes_s(&params, 7, 20.48 * MB),
               20.48 * MB +
                   4096 * (1e12 - 5000 * (48296010. + 180 * 30303)) / 53009073,
               EXACT);
    CHECK_NEAR(gms_service_node_bytes_s(&params, 7, 78 * MB), 78 * MB, EXACT);
    /* the NIC cannot receive 90 MB/s, because 4096 bytes take 48.296010 us */
    params.qos_node_bytes_s = 100000000;
    CHECK_NEAR(gms_service_node_bytes_s(&params, 7, 90 * MB),
               4096e12 / 48296010, EXACT);
    params.qos_node_rule = GMS_QOS_NODE_CONSTANT;
    CHECK_NEAR(gms_service_node_bytes_s(&params, 7, 40.96 * MB), 100 * MB,
               EXACT);
    params.qos_node_rule = GMS_QOS_NODE_INCOMING;
    params.qos_node_bytes_s = 78000000;
    params.host_dma_bytes_s = 60000000;
    CHECK_NEAR(gms_service_node_bytes_s(&params, 1, 0),
               4096e12 / (493 * 30303 + 300000 + 68266667), EXACT);
}

/* If packets wait for the link, the link determines the rate. In this case, a
 * packet that the NIC receives during a send costs less additional time than a
 * packet that it receives alone. */
static void test_node_capacity_of_a_fast_nic(void)
{
    gms_service_t service;

    set_nic();
    params.link_bytes_s = 80000000;
    params.switch_routing_ps = 100000;
    params.nic_header_bytes = 24;
    service = gms_service_of(&params, 1);
    /* 4120 bytes take 51.5 us on the link; for a send, the switch adds 0.1 us
     * and the NIC adds 127 cycles */
    CHECK_U64(service.receive_ps, 51500000);
    CHECK_U64(service.send_ps, 51500000 + 100000 + 127 * 30303);
    /* S(1) + R + 180 cycles */
    CHECK_U64((int64_t)(service.send_ps + service.receive_ps) + service.turn_ps,
              (493 + 180) * 30303 + 300000 + 34133334 + 48296010);
    params.qos_node_bytes_s = 200000000;
    CHECK_NEAR(gms_service_node_bytes_s(&params, 1, 0),
               4096e12 / (51600000 + 127 * 30303), EXACT);
    /* the second term contains the time that 10,000 incoming packets/s add to
     * the same number of outgoing packets */
    CHECK_NEAR(gms_service_node_bytes_s(&params, 1, 40.96 * MB),
               40.96 * MB + 4096 * (1e12 - 10000. * 51500000) /
                                (673 * 30303 + 82729344 - 51500000.),
               EXACT);
    /* With 101 flows, a send takes the time S(n), not the time on the link. */
    service = gms_service_of(&params, 101);
    CHECK_U64(service.send_ps, gms_service_send_ps(&params, 101));
    /* This link is so slow that it alone determines the rate. */
    params.link_bytes_s = 10000000;
    CHECK_NEAR(gms_service_node_bytes_s(&params, 1, 0),
               4096e12 / (412100000 + 127 * 30303), EXACT);
    CHECK_NEAR(gms_service_node_bytes_s(&params, 1, 9 * MB),
               9 * MB + 4096e12 / (412100000 + 127 * 30303), 0.05);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"IDT of a bandwidth", test_idt_of_a_bandwidth},
        {"IDT from bandwidth and back", test_idt_there_and_back},
        {"service time", test_service_time},
        {"node capacity", test_node_capacity},
        {"time that incoming traffic leaves for a node's outgoing traffic",
         test_node_load},
        {"capacity of a fast NIC", test_node_capacity_of_a_fast_nic},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"service time", NULL, NULL, NULL, NULL, tests});
}
