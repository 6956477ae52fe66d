/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the observer of the flows of a scenario: compares delays, windows and
 * lags with values computed by hand.
 */
#include <string.h>

#include "nic/nic_int.h"
#include "scenario_rig.h"

static gms_traffic_t stream(unsigned target, uint32_t idt_ticks)
{
    gms_traffic_t traffic = {.target = target,
                             .message_bytes = 4096,
                             .in_flight = 8,
                             .idt_ticks = idt_ticks};

    return traffic;
}

static gms_flow_seen_t seen(gms_flow_watch_t *watch)
{
    gms_flow_seen_t result;

    gms_flow_watch_result(watch, &result);
    return result;
}

/* ---- delay --------------------------------------------------------------- */

/* Configures a NIC whose processor takes no time, so that a message takes only
 * the time of the host, the bus and the wire. */
static void set_bare_hardware(void)
{
    params.mcp_token_cycles = params.mcp_recv_token_cycles = 0;
    params.mcp_schedule_cycles = params.mcp_rate_first_cycles = 0;
    params.mcp_rate_flow_cycles = params.mcp_sdma_start_cycles = 0;
    params.mcp_sdma_finish_cycles = params.mcp_send_start_cycles = 0;
    params.mcp_send_finish_cycles = params.mcp_recv_finish_cycles = 0;
    params.mcp_rdma_start_cycles = params.mcp_rdma_finish_cycles = 0;
    params.mcp_event_cycles = params.mcp_ack_send_cycles = 0;
    params.mcp_ack_receive_cycles = 0;
    params.host_send_ps = 800 * GMS_NS;
    params.host_pio_ps = 500 * GMS_NS;
    params.host_dma_bytes_s = 100000000;
    params.host_dma_setup_ps = 300 * GMS_NS;
    params.link_bytes_s = 160000000;
    params.link_propagation_ps = 50 * GMS_NS;
    params.switch_routing_ps = 300 * GMS_NS;
    params.nic_header_bytes = 29;
    params.nic_event_bytes = 64;
}

/* The delay is the time from the send call until the receiver's event. The call
 * takes 800 ns, and the descriptor takes 500 ns. The DMA transfer of 4096 bytes
 * takes 0.3 + 40.96 us. The link carries 4125 bytes (4096, and 29 of header and
 * CRC; the route byte stays in the switch) at 160 MB/s in 25.78125 us. Two
 * cables add 50 ns each and the switch adds 300 ns. The DMA transfer into the
 * host takes 0.3 + 40.96 us, and the event of 64 bytes takes 0.3 + 0.64 us. */
static void a_message_alone_takes_what_hardware_takes(void)
{
    const gms_time_t expected_ps = 800000 + 500000 + (300000 + 40960000) +
                                   4125 * 6250 + 2 * 50000 + 300000 +
                                   (300000 + 40960000) + (300000 + 640000);
    gms_traffic_t traffic = stream(1, 20000); /* the flow sends one message
                                               * every 10 ms */
    gms_flow_watch_t *watch;

    close_scenario();
    set_bare_hardware();
    open_scenario();
    traffic.in_flight = 1;
    CHECK_U64(gms_scenario_add(scenario, &traffic), 0);
    watch = gms_scenario_watch(scenario, 0);
    gms_scenario_run(scenario, 9 * GMS_MS);
    CHECK_U64(seen(watch).messages, 1);
    CHECK_U64(seen(watch).delay_worst_ps, expected_ps);
    CHECK_U64(seen(watch).delay_least_ps, expected_ps);
}

/* Returns the delay of a message with the default hardware. If a parameter
 * makes the hardware slower, this delay must increase by the same time. */
static gms_time_t one_delay(uint32_t bytes)
{
    gms_traffic_t traffic = stream(1, 20000);
    gms_flow_watch_t *watch;

    close_scenario();
    open_scenario();
    traffic.in_flight = 1;
    traffic.message_bytes = bytes;
    CHECK_U64(gms_scenario_add(scenario, &traffic), 0);
    watch = gms_scenario_watch(scenario, 0);
    gms_scenario_run(scenario, 9 * GMS_MS);
    CHECK_U64(seen(watch).messages, 1);
    return seen(watch).delay_worst_ps;
}

static void each_part_of_a_delay_counts(void)
{
    gms_time_t small_ps = one_delay(1), large_ps = one_delay(4096);

    params.host_send_ps += 5 * GMS_US;
    CHECK_U64(one_delay(1), small_ps + 5 * GMS_US);
    CHECK_U64(one_delay(4096), large_ps + 5 * GMS_US);
    params.switch_routing_ps += GMS_US;
    CHECK_U64(one_delay(1), small_ps + 6 * GMS_US);
    /* The work of the receiving program begins after the event, and is not part
     * of the delay. */
    params.host_receive_ps += 7 * GMS_US;
    CHECK_U64(one_delay(1), small_ps + 6 * GMS_US);
}

/* Two messages are posted one directly after the other. The delay of the second
 * message begins when it is posted, and includes the wait for the pace of one
 * packet per millisecond. */
static void a_delay_begins_at_the_post(void)
{
    gms_traffic_t traffic = stream(1, 2000);
    gms_time_t alone_ps = one_delay(4096);
    gms_flow_watch_t *watch;

    close_scenario();
    open_scenario();
    traffic.in_flight = 2;
    CHECK_U64(gms_scenario_add(scenario, &traffic), 0);
    watch = gms_scenario_watch(scenario, 0);
    gms_scenario_run(scenario, 1500 * GMS_US);
    CHECK_U64(seen(watch).messages, 2);
    CHECK_U64(seen(watch).delay_least_ps, alone_ps);
    /* The second message is posted 1.3 us after the first message and sent
     * exactly 1 ms after the first message. */
    CHECK_NEAR((double)seen(watch).delay_worst_ps,
               (double)(alone_ps + GMS_MS - 1300 * GMS_NS), 0.002);
    CHECK_U64(seen(watch).oldest_ps == GMS_NEVER, 0);
}

/* ---- pace ---------------------------------------------------------------- */

static void a_paced_sender_keeps_to_its_rate(void)
{
    gms_traffic_t traffic = stream(1, 2000);
    gms_flow_watch_t *watch;

    /* a message has two packets, so the flow sends one message every 2 ms */
    traffic.message_bytes = 8192;
    traffic.is_paced = 1;
    CHECK_U64(gms_scenario_add(scenario, &traffic), 0);
    watch = gms_scenario_watch(scenario, 0);
    gms_scenario_run(scenario, 100 * GMS_MS + 100 * GMS_US);
    CHECK_U64(seen(watch).posted, 51); /* at 0 ms, 2 ms and so on until 100
                                          ms */
    /* The second packet of each message waits for the next millisecond. */
    CHECK_U64(seen(watch).delay_worst_ps < 1300 * GMS_US, 1);
    CHECK_U64(seen(watch).delay_worst_ps - seen(watch).delay_least_ps <=
                  2 * GMS_US,
              1);
}

/* The first eight messages are posted at once, and later messages are posted at
 * the paced rate. */
static void a_burst_is_posted_at_once(void)
{
    gms_traffic_t traffic = stream(1, 2000);
    gms_flow_watch_t *watch;

    traffic.is_paced = 1;
    traffic.in_flight = 64;
    traffic.burst_bytes = 8 * 4096;
    CHECK_U64(gms_scenario_add(scenario, &traffic), 0);
    watch = gms_scenario_watch(scenario, 0);
    gms_scenario_run(scenario, 500 * GMS_US);
    CHECK_U64(seen(watch).posted, 8);
    gms_scenario_run(scenario, 20500 * GMS_US);
    CHECK_U64(seen(watch).posted, 8 + 20);
    CHECK_NEAR((double)seen(watch).delay_worst_ps, 7.1e9, 0.02);
}

/* ---- windows ------------------------------------------------------------- */

/* One packet arrives every millisecond, so every window of 100 ms contains 100
 * packets, at any start time. */
static void a_kept_pace_fills_every_window(void)
{
    gms_traffic_t traffic = stream(1, 2000);
    gms_flow_watch_t *watch;

    CHECK_U64(gms_scenario_add(scenario, &traffic), 0);
    watch = gms_scenario_watch(scenario, 0);
    gms_flow_watch_set_window(watch, 100 * GMS_MS, GMS_MS, GMS_MS);
    gms_scenario_run(scenario, 350 * GMS_MS);
    gms_flow_watch_finish(watch, 350 * GMS_MS);
    CHECK_U64(seen(watch).dry, 0);
    /* From 101 ms on, a window ends just before each arrival; the last window
     * ends at the end of the run. */
    CHECK_U64(seen(watch).windows, 250);
    CHECK_U64(seen(watch).least_packets, 100);
    /* The lag includes the time from the start to the first packet's arrival
     * and event. That time is below 0.2 ms. The lag also includes the time
     * until the next packet is due. */
    CHECK_U64(seen(watch).lag_ps < 1200 * GMS_US, 1);
    CHECK_U64(seen(watch).lag_ps > 100 * GMS_US, 1);
}

/* Set the IDT of the flow from node 0 to node 1 to 2 ms. */
static void slow_down(void)
{
    (void)gms_nic_set_idt(
        gms_scenario_ctx(scenario), gms_scenario_nic(scenario, 0),
        &(gms_flow_key_t){.source_port = 2, .target_node = 1, .target_port = 2},
        4000);
}

/* During the last 100 ms of the run, the flow sends at only half of its rate.
 * The fixed windows from 0 to 100 ms and from 100 to 200 ms would contain at
 * least 75 packets, but a sliding window contains only 50. */
static void a_window_slides(void)
{
    gms_traffic_t traffic = stream(1, 2000);
    gms_flow_watch_t *watch;

    CHECK_U64(gms_scenario_add(scenario, &traffic), 0);
    watch = gms_scenario_watch(scenario, 0);
    gms_flow_watch_set_window(watch, 100 * GMS_MS, 0, GMS_MS);
    gms_scenario_run(scenario, 150 * GMS_MS);
    slow_down();
    gms_scenario_run(scenario, 250 * GMS_MS);
    gms_flow_watch_finish(watch, 250 * GMS_MS);
    CHECK_NEAR((double)seen(watch).least_packets, 50, 0.021);
    CHECK_NEAR((double)seen(watch).lag_ps, 50e9, 0.05);
}

/* For 100 ms, the flow sends a packet every 0.5 ms, which is twice as fast as
 * its reservation. For the next 100 ms, the flow sends a packet every 2 ms. The
 * early packets do not make up for the late packets. In these 100 ms, 50
 * packets arrive. At the reserved rate, these packets would take only 50 ms, so
 * the lag is 50 ms. */
static void early_packets_excuse_no_lag(void)
{
    gms_traffic_t traffic = stream(1, 1000);
    gms_flow_watch_t *watch;

    CHECK_U64(gms_scenario_add(scenario, &traffic), 0);
    watch = gms_scenario_watch(scenario, 0);
    gms_flow_watch_set_window(watch, 100 * GMS_MS, 0, GMS_MS);
    gms_scenario_run(scenario, 100 * GMS_MS);
    CHECK_U64(seen(watch).lag_ps < GMS_MS, 1);
    slow_down();
    gms_scenario_run(scenario, 200 * GMS_MS);
    gms_flow_watch_finish(watch, 200 * GMS_MS);
    CHECK_NEAR((double)seen(watch).lag_ps, 50e9, 0.05);
}

/* After a failed send, the observer no longer knows which post a delivery
 * belongs to. */
static void a_failure_ends_the_delays(void)
{
    gms_flow_watch_t *watch = gms_flow_watch_create();

    CU_ASSERT_PTR_NOT_NULL_FATAL(watch);
    gms_flow_watch_posted(watch, 10);
    gms_flow_watch_posted(watch, 20);
    CHECK_U64(seen(watch).oldest_ps, 10);
    gms_flow_watch_failed(watch);
    gms_flow_watch_posted(watch, 30);
    CHECK_U64(seen(watch).oldest_ps, GMS_NEVER);
    CHECK_U64(seen(watch).posted, 2);
    CHECK_U64(seen(watch).failed, 1);
    gms_flow_watch_destroy(watch);
}

/* A paced sender posts one packet every millisecond. Whenever a packet arrives,
 * all posted messages have been sent, and the sender has not yet posted the
 * next message. Therefore, the observer does not evaluate any window of 5
 * ms. */
static void a_flow_waits_for_its_sender(void)
{
    gms_traffic_t traffic = stream(1, 2000);
    gms_flow_watch_t *watch;

    traffic.is_paced = 1;
    CHECK_U64(gms_scenario_add(scenario, &traffic), 0);
    watch = gms_scenario_watch(scenario, 0);
    gms_flow_watch_set_window(watch, 5 * GMS_MS, 0, GMS_MS);
    gms_scenario_run(scenario, 20500 * GMS_US);
    gms_flow_watch_finish(watch, 20500 * GMS_US);
    CHECK_U64(seen(watch).packets, 21); /* at 0 ms, 1 ms and so on */
    CHECK_U64(seen(watch).dry, 21);
    CHECK_U64(seen(watch).windows, 0);
}

/* When the receiver's port is closed, no more packets arrive. The observer must
 * still evaluate the windows without arrivals. */
static void silence_is_a_window(void)
{
    gms_traffic_t traffic = stream(1, 2000);
    gms_flow_watch_t *watch;

    CHECK_U64(gms_scenario_add(scenario, &traffic), 0);
    watch = gms_scenario_watch(scenario, 0);
    gms_flow_watch_set_window(watch, 10 * GMS_MS, 0, GMS_MS);
    gms_scenario_run(scenario, 20 * GMS_MS);
    gms_nic_close_port(gms_scenario_ctx(scenario),
                       gms_scenario_nic(scenario, 1), 2);
    gms_nic_set_nack_down(gms_scenario_nic(scenario, 0), 2, 0);
    gms_scenario_run(scenario, 40 * GMS_MS);
    gms_flow_watch_finish(watch, 40 * GMS_MS);
    CHECK_U64(seen(watch).least_packets, 0);
    CHECK_U64(seen(watch).lag_ps >= 19 * GMS_MS, 1);
}

/* A sender that has not posted a message is not delayed. If the sender posts
 * one message of 16 packets at a time, the gaps between the messages do not
 * count as delays caused by the network. */
static void a_sender_without_messages_is_excused(void)
{
    gms_traffic_t traffic = stream(1, 200);
    gms_flow_watch_t *watch;

    traffic.message_bytes = 65536;
    traffic.in_flight = 1;
    CHECK_U64(gms_scenario_add(scenario, &traffic), 0);
    watch = gms_scenario_watch(scenario, 0);
    gms_flow_watch_set_window(watch, 10 * GMS_MS, 0, 100 * GMS_US);
    gms_scenario_run(scenario, 100 * GMS_MS);
    gms_flow_watch_finish(watch, 100 * GMS_MS);
    CHECK_U64(seen(watch).dry > 50, 1);
    CHECK_U64(seen(watch).windows, 0);
    CHECK_U64(seen(watch).lag_ps < 300 * GMS_US, 1);
}

/* ---- unchanged results ---- */

/* A simulation with an observer has the same results as without one. */
static void an_observer_changes_nothing(void)
{
    gms_traffic_t traffic = stream(1, 300), other = stream(1, 0);
    uint64_t bytes[2], events[2];
    unsigned i;

    other.source = 2;
    for (i = 0; i < 2; ++i) {
        close_scenario();
        open_scenario();
        CHECK_U64(gms_scenario_add(scenario, &traffic), 0);
        CHECK_U64(gms_scenario_add(scenario, &other), 1);
        if (i == 1) {
            gms_flow_watch_set_window(gms_scenario_watch(scenario, 0), GMS_MS,
                                      0, 150 * GMS_US);
        }
        gms_scenario_run(scenario, 50 * GMS_MS);
        bytes[i] = gms_scenario_received_bytes(scenario, 1);
        events[i] = gms_engine_events_run(gms_scenario_ctx(scenario)->engine);
    }
    CHECK_U64(bytes[1], bytes[0]);
    CHECK_U64(events[1], events[0]);
}

/* Held flows send their requests to the manager, but they send no data until
 * they are released. */
static void a_held_flow_waits(void)
{
    gms_traffic_t traffic = stream(1, 0);

    traffic.control = GMS_TRAFFIC_PREMIUM;
    traffic.bytes_s = 40e6;
    traffic.is_held = 1;
    CHECK_U64(gms_scenario_add(scenario, &traffic), 0);
    gms_scenario_run(scenario, 20 * GMS_MS);
    CU_ASSERT_FATAL(gms_scenario_answer(scenario, 0) != NULL);
    CU_ASSERT_FATAL(gms_scenario_grant(scenario, 0) != NULL);
    CHECK_U64(gms_scenario_grant(scenario, 0)->idt_ticks, 204);
    CHECK_U64(gms_scenario_is_sending(scenario, 0), 0);
    CHECK_U64(gms_scenario_received_bytes(scenario, 0), 0);
    gms_scenario_go(scenario, 0, 30 * GMS_MS);
    gms_scenario_run(scenario, 30 * GMS_MS);
    CHECK_U64(gms_scenario_received_bytes(scenario, 0), 0);
    gms_scenario_run(scenario, 40 * GMS_MS);
    CHECK_U64(gms_scenario_is_sending(scenario, 0), 1);
    CHECK_NEAR((double)gms_scenario_received_bytes(scenario, 0), 0.40157e6,
               0.03);
    gms_scenario_end(scenario, 0);
    gms_scenario_run(scenario, 80 * GMS_MS);
    CHECK_U64(gms_scenario_grant(scenario, 0) == NULL, 1);
}

CU_TestInfo tests[] = {
    {"a single message has the delay of the hardware",
     a_message_alone_takes_what_hardware_takes},
    {"every part of the hardware adds to the delay",
     each_part_of_a_delay_counts},
    {"a delay begins at the post", a_delay_begins_at_the_post},
    {"a paced sender keeps to its rate", a_paced_sender_keeps_to_its_rate},
    {"a burst is posted at once", a_burst_is_posted_at_once},
    {"a flow that keeps its pace fills every window",
     a_kept_pace_fills_every_window},
    {"a window slides", a_window_slides},
    {"a window without arrivals is detected", silence_is_a_window},
    {"a sender without messages is not delayed",
     a_sender_without_messages_is_excused},
    {"early packets do not make up for late packets",
     early_packets_excuse_no_lag},
    {"a failed send ends the measurement of delays", a_failure_ends_the_delays},
    {"a flow with no posted messages is not evaluated",
     a_flow_waits_for_its_sender},
    {"an observer changes nothing", an_observer_changes_nothing},
    {"a held flow sends no data until its release", a_held_flow_waits},
    CU_TEST_INFO_NULL,
};

int main(void)
{
    return UNIT_RUN(
        {"watch", NULL, NULL, setup_scenario, close_scenario, tests});
}
