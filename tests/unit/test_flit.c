/* SPDX-License-Identifier: BSD-3-Clause */
/* Flit nets: the cycles of packets that meet nobody, computed by hand. */
#include "flit_rig.h"

/* Tail's arrival after the head's entry, for a packet that passes so many
 * switches of a row. */
static uint64_t row_cycles(unsigned switches, unsigned flits)
{
    gms_flit_packet_t packet = make_packet(0, switches - 1, flits);

    gms_flit_offer(net, &packet, GMS_FLIT_ANY_LANE);
    CHECK_U64(run_idle(10000), 1);
    CHECK_U64(packet.hops, switches);
    CHECK_U64(packet.leave_cycle - packet.enter_cycle, flits - 1);
    check_net();
    return packet.arrive_cycle - packet.enter_cycle;
}

/* Sums of stages, by hand: link 1; input-queued: route 1, lane 1, switch 1,
 * crossbar 1, link 1 = 5 a switch. Yum et al.: input 1, route 1, lane 1,
 * crossbar 1, output 1, link 1 = 6; the target has no input stage. */
static void test_empty_table(void)
{
    static const unsigned flits[] = {1, 10, 40};
    static const uint64_t usual[3][7] = {
        /* 1 + 5 H + N - 1 */
        {6, 11, 16, 21, 26, 31, 36},
        {15, 20, 25, 30, 35, 40, 45},
        {45, 50, 55, 60, 65, 70, 75}};
    static const uint64_t paper[3][7] = {
        /* 1 + 6 H + N - 1: the first input stage, none at the target */
        {7, 13, 19, 25, 31, 37, 43},
        {16, 22, 28, 34, 40, 46, 52},
        {46, 52, 58, 64, 70, 76, 82}};
    unsigned hops, i;

    build_mesh(1, 7);
    for (i = 0; i < 3; ++i) {
        for (hops = 0; hops < 7; ++hops) {
            CHECK_U64(row_cycles(hops + 1, flits[i]), paper[i][hops]);
        }
    }
    plain_lanes(16);
    config.input_cycles = 0;
    build_mesh(1, 7);
    for (i = 0; i < 3; ++i) {
        for (hops = 0; hops < 7; ++hops) {
            CHECK_U64(row_cycles(hops + 1, flits[i]), usual[i][hops]);
        }
    }
}

static CU_TestInfo tests[] = {
    {"packets in an empty net take the cycles of their stages",
     test_empty_table},
    CU_TEST_INFO_NULL,
};

int main(void)
{
    CU_SuiteInfo suites[] = {
        {"flit", NULL, NULL, setup, teardown, tests},
        CU_SUITE_INFO_NULL,
    };

    return unit_run(suites);
}
