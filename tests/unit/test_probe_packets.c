/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests admission by probes: the routes of probes and releases, the end of a
 * connection, and concurrent connections.
 */
#include "probe_rig.h"

/* ---- packets ---- */

static void check_flits(uint64_t first, uint64_t second, uint64_t third,
                        uint64_t fourth)
{
    CHECK_U64(gms_flit_link_flits(net, rig_link(0, 4, 0)), first);
    CHECK_U64(gms_flit_link_flits(net, rig_link(0, 4, 1)), second);
    CHECK_U64(gms_flit_link_flits(net, rig_link(0, 4, 2)), third);
    CHECK_U64(gms_flit_link_flits(net, rig_link(0, 4, 3)), fourth);
}

/* The probe travels as far as the router that refuses the connection. The
 * release packet ends at the router before it. Both packets have 10 flits. */
static void test_release_stops_before_the_refuser(void)
{
    rig_build_row();
    rig_force(9, 5, 4, 0.9);
    rig_ask(1, 0, 4, 0.2);
    rig_settle();
    check_flits(20, 20, 10, 0);
    CHECK_U64(gms_flit_link_flits(net, rig_link(4, 0, 1)), 10); /* NACK */
    CHECK_U64(gms_flit_link_flits(net, rig_link(4, 0, 3)), 10);
    rig_build_row();
    rig_force(9, 2, 5, 0.9);
    rig_ask(1, 0, 4, 0.2);
    rig_settle();
    check_flits(20, 10, 0, 0);
    rig_build_row();
    rig_force(9, 1, 2, 0.9);
    rig_ask(1, 0, 4, 0.2);
    rig_settle();
    /* no release packet is sent, because no router has reserved bandwidth */
    check_flits(10, 0, 0, 0);
    CHECK_U64(gms_flit_link_flits(net, rig_link(4, 0, 3)), 10);
}

static void test_close_releases_to_the_last_router(void)
{
    rig_build_row();
    rig_ask(1, 0, 4, 0.2);
    rig_settle();
    check_flits(10, 10, 10, 0);
    gms_probe_close(probe, 1);
    /* the source returns its bandwidth immediately */
    check_reserved(0, 4, 0, 0.2, 0.2, 0.2);
    rig_settle();
    check_flits(20, 20, 20, 0);
    rig_check_empty();
    gms_probe_close(probe, 1); /* this call has no effect */
    gms_probe_close(probe, 77);
    CU_ASSERT_TRUE(gms_flit_is_idle(net));
}

/* If a connection is closed while its probe is under way, its source still
 * waits for the answer and then releases the bandwidth. */
static void test_close_while_asking(void)
{
    rig_build_row();
    rig_ask(1, 0, 4, 0.2);
    rig_run(3);
    gms_probe_close(probe, 1);
    gms_probe_close(probe, 1);
    rig_settle();
    CHECK_U64(answer_count, 1);
    CHECK_U64(last_answer()->accepted, 1);
    rig_check_empty();
    /* The HCA refuses this connection. The connection is closed before the
     * refusal is reported. */
    rig_force(9, 0, 1, 0.9);
    rig_ask(1, 0, 4, 0.2);
    gms_probe_close(probe, 1);
    rig_settle();
    CHECK_U64(answer_count, 2);
    gms_probe_close(probe, 9);
    rig_settle();
    rig_check_empty();
}

static gms_flit_packet_t data_packet(uint32_t draw)
{
    return (gms_flit_packet_t){
        .source = 0,
        .target = 4,
        .flits = 40,
        .traffic_class = GMS_LANE_REAL_TIME,
        .draw = draw,
    };
}

static void offer_data(gms_flit_packet_t *packet)
{
    gms_flit_offer(
        net, packet,
        gms_flit_drawn_lane(&flit, packet->draw, 0, GMS_LANE_REAL_TIME));
}

static void test_last_packet_gives_back(void)
{
    gms_flit_packet_t packet = data_packet(1), other = data_packet(2);

    rig_build_row();
    rig_ask(1, 0, 4, 0.2);
    rig_settle();
    offer_data(&other);
    rig_settle();
    check_reserved(0, 4, 0.2, 0.2, 0.2, 0.2);
    CHECK_U64(visits, 0);
    gms_probe_last(probe, 1, &packet);
    offer_data(&packet);
    check_reserved(0, 4, 0.2, 0.2, 0.2, 0.2);
    while (gms_probe_reserved(probe, rig_link(0, 4, 0)) > 0) {
        rig_cycle();
    }
    /* The head of the last packet is at the first router. */
    check_reserved(0, 4, 0, 0, 0.2, 0.2);
    rig_settle();
    CHECK_U64(arrived, 2);
    CHECK_U64(visits, 3);
    rig_check_empty();
    /* the links carried 10 flits of the probe and 40 flits of every data
     * packet, but no release packet */
    check_flits(90, 90, 90, 80);
}

/* The routers are not charged for the power of a forced connection, so its last
 * packet does not refund power to them. */
static void test_last_packet_of_a_forced_one(void)
{
    gms_flit_packet_t packet = data_packet(1);
    unsigned i;

    rig_use_power(0.5);
    rig_build_row();
    rig_force(1, 0, 4, 0.2);
    gms_probe_last(probe, 1, &packet);
    offer_data(&packet);
    rig_settle();
    rig_check_empty();
    for (i = 0; i < 3; ++i) {
        CHECK_NEAR(power[i], 0.5, 0);
    }
}

static void test_last_packet_of_nobody(void)
{
    gms_flit_packet_t packet = data_packet(1);

    rig_build_row();
    rig_ask(1, 0, 4, 0.2);
    /* the connection is not established yet */
    gms_probe_last(probe, 1, &packet);
    CHECK_U64(packet.visits, 0);
    rig_settle();
    CHECK_U64(last_answer()->accepted, 1);
    check_reserved(0, 4, 0.2, 0.2, 0.2, 0.2);
    gms_probe_last(probe, 2, &packet);
    CHECK_U64(packet.visits, 0);
}

/* A packet that is marked as the last packet of its connection is dropped at
 * the source. Closing the connection then releases the bandwidth instead. */
static void test_last_packet_that_never_leaves(void)
{
    gms_flit_packet_t packet = data_packet(1);

    rig_build_row();
    rig_ask(1, 0, 4, 0.2);
    rig_settle();
    gms_probe_last(probe, 1, &packet);
    gms_probe_close(probe, 1);
    rig_settle();
    rig_check_empty();
    offer_data(&packet); /* the mark no longer has any effect */
    rig_settle();
    CHECK_U64(visits, 3);
    rig_check_empty();
    gms_probe_last(probe, 1, &packet);
    rig_check_empty();
}

/* ---- races ---- */

static void check_race(uint32_t source, uint32_t target, unsigned head_start,
                       double left_over)
{
    unsigned i;

    rig_build_row();
    rig_force(9, 2, 5, left_over); /* this connection uses the link between s1
                                    * and s2 */
    rig_ask(1, 0, 4, 0.3);
    rig_run(head_start);
    rig_ask(2, source, target, 0.3);
    rig_settle();
    CHECK_U64(gms_probe_counts(probe)->accepted, 1);
    CHECK_U64(gms_probe_counts(probe)->rejected, 1);
    for (i = 0; i < 2; ++i) {
        if (!answers[i].accepted) {
            gms_probe_close(probe, 3 - answers[i].connection);
        }
    }
    gms_probe_close(probe, 9);
    rig_settle();
    rig_check_empty();
}

/* A link in the middle has enough bandwidth for only one of two connections.
 * The connection whose probe arrives first is admitted. */
static void test_one_of_two_wins(void)
{
    unsigned head_start;

    for (head_start = 0; head_start < 60; ++head_start) {
        check_race(1, 4, head_start, 0.5);
        check_race(2, 4, head_start, 0.5);
    }
}

/* The source that is nearer to the contended link sends its probe later, but
 * its connection is admitted. A third connection can then use the bandwidth
 * that the refused connection had reserved. */
static void test_loser_gives_back(void)
{
    rig_build_row();
    rig_ask(1, 0, 4, 0.7);
    rig_ask(2, 4, 5, 0.1);
    rig_ask(3, 3, 4, 0.7);
    rig_settle();
    CHECK_U64(gms_probe_counts(probe)->accepted, 2);
    check_reserved(0, 4, 0, 0, 0.7, 0.7);
    rig_ask(4, 0, 2, 1.0);
    rig_settle();
    CHECK_U64(last_answer()->accepted, 1);
}

/* ---- actions in callbacks ---- */

static void answered_closes(void *context, const gms_probe_answer_t *answer)
{
    rig_answered(context, answer);
    gms_probe_close(probe, answer->connection);
}

/* Repeats a refused request with half of the bandwidth until it is admitted. */
static void answered_asks_again(void *context, const gms_probe_answer_t *answer)
{
    double *average = context;

    rig_answered(NULL, answer);
    if (!answer->accepted) {
        *average /= 2;
        rig_ask(answer->connection, 0, 4, *average);
    }
}

static void test_closing_when_told(void)
{
    config.answered = answered_closes;
    rig_build_row();
    rig_ask(1, 0, 4, 0.2);
    rig_run(3);
    /* close the connection while its probe is under way; the callback closes it
     * again when the answer arrives */
    gms_probe_close(probe, 1);
    rig_ask(2, 0, 4, 0.2);
    rig_settle();
    CHECK_U64(gms_probe_counts(probe)->accepted, 2);
    rig_check_empty();
}

static void check_asking_again(uint32_t filler_source, uint32_t filler_target,
                               unsigned refusals)
{
    double average = 0.8;

    config.answered = answered_asks_again;
    config.answered_context = &average;
    rig_build_row();
    rig_force(9, filler_source, filler_target, 0.875);
    rig_ask(1, 0, 4, average);
    rig_settle();
    CHECK_NEAR(average, 0.1, 1e-9);
    CHECK_U64(gms_probe_counts(probe)->rejected, refusals);
    check_reserved(0, 4, filler_source == 0 ? 0.975 : 0.1, 0.1, 0.1,
                   filler_target == 4 ? 0.975 : 0.1);
}

static void test_asking_again_when_told(void)
{
    check_asking_again(5, 4, 3);
    /* the HCA of the source refuses the connection; each refusal takes one
     * step */
    check_asking_again(0, 1, 3);
}

static CU_TestInfo packet_tests[] = {
    {"release stops before the refusing router",
     test_release_stops_before_the_refuser},
    {"close releases to the last router",
     test_close_releases_to_the_last_router},
    {"close during a probe", test_close_while_asking},
    {"last packet returns the bandwidth", test_last_packet_gives_back},
    {"last packet of a forced connection", test_last_packet_of_a_forced_one},
    {"last packet without a connection", test_last_packet_of_nobody},
    {"last packet that is dropped at its source",
     test_last_packet_that_never_leaves},
    {"closing a connection in the callback", test_closing_when_told},
    {"a new request in the callback", test_asking_again_when_told},
    {"one of two connections is admitted", test_one_of_two_wins},
    {"the refused connection returns its bandwidth", test_loser_gives_back},
    CU_TEST_INFO_NULL,
};

int main(void)
{
    return UNIT_RUN({"packets", NULL, NULL, setup, teardown, packet_tests});
}
