/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests gets between hca NICs: latencies (computed by hand), the data of gets
 * that follow puts, and the events of many gets.
 */
#include "unit.h"

#include <string.h>

#include "hca_rig.h"

/*
 * The times are in ns.
 * - Request: 150 for the doorbell, 5 for the work request, and 100 for the send
 *   engine. The link takes 3.68 for 46 bytes with the address. Two cables and a
 *   switch take 120, and the receive engine takes 100.
 * - Answer: 450 for the read, 100 for the send engine, and 120 for two cables
 *   and a switch. The receive engine takes 100, the write takes 200, and the
 *   event takes 20.
 * - 4096 bytes of data: 327.68 for the read, 331.04 for 4138 bytes with the
 *   address on the link, 332.8 for writing 4160 bytes with the event. For one
 *   byte of data, these three times are 0.08, 3.44 and 5.2 ns.
 * The owner's NIC writes nothing to its host.
 */
static void test_latency(void)
{
    use("edr");
    CHECK_U64(get_latency(4096), 2460200);
    use("edr");
    CHECK_U64(get_latency(1), 1477400);
}

/* A get must include the latency of each stage as often as the get passes
 * through this stage. */
static void test_latencies_add(void)
{
    const struct {
        uint64_t *row;
        unsigned times;
    } rows[] = {
        {&params.host_pio_ps, 1},    {&params.hca_request_ps, 1},
        {&params.hca_send_ps, 2},    {&params.switch_routing_ps, 2},
        {&params.hca_receive_ps, 2}, {&params.hca_read_ps, 1},
        {&params.hca_write_ps, 1},   {&params.hca_completion_ps, 1},
        {&params.hca_data_ps, 0},    {&params.link_propagation_ps, 4},
    };
    gms_time_t before;
    unsigned i;

    use("edr");
    before = get_latency(4096);
    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        use("edr");
        *rows[i].row += 1000;
        rig_restart();
        CHECK_U64(get_latency(4096), before + rows[i].times * 1000);
    }
}

/* A get waits for the writes of earlier puts, so it returns their data. The
 * write latency is longer than the read latency. */
static void test_after_put(void)
{
    unsigned char *from, *here, *there;
    gms_send_desc_t put, get;
    unsigned i;

    use("edr");
    params.hca_write_ps = 5 * GMS_US;
    rig_restart();
    from = rig_memory(0, MESSAGE);
    here = rig_memory(0, MESSAGE);
    there = rig_memory(1, MESSAGE);
    gms_nic_allow_remote_access(nics[1], PORT);
    put = rig_describe(0, 1, from, 0, 0);
    put.kind = GMS_SEND_PUT;
    put.remote = (uintptr_t)there;
    for (i = 1; i <= 13; ++i) {
        put.length = i * 5000;
        get = rig_describe_get(0, 1, here, there, put.length);
        rig_fill(from, MESSAGE, i);
        rig_post(0, &put);
        rig_post(0, &get);
        rig_run();
        CHECK_U64(result_count[GMS_SENT_OK], 2 * i);
        CU_ASSERT_EQUAL(memcmp(here, from, put.length), 0);
    }
}

/* Gets, puts and messages are in progress at the same time. Each of these
 * operations must cause exactly one event. */
static void test_events(void)
{
    enum {
        ROUNDS = 40
    };
    unsigned char *here, *there;
    unsigned i, n;

    use("edr");
    here = rig_memory(0, MESSAGE);
    there = rig_memory(1, MESSAGE);
    gms_nic_allow_remote_access(nics[1], PORT);
    for (i = 0; i < ROUNDS; ++i) {
        for (n = 0; n < 4; ++n) {
            gms_send_desc_t desc =
                rig_describe_get(0, 1, here, there, (i * 977 + n * 331) % 9000);

            if (n == 3) {
                desc.kind = GMS_SEND_PUT;
            }
            rig_post(0, &desc);
        }
        rig_provide(1, there, MESSAGE_SIZE);
        rig_send(0, 1, here, i, MESSAGE_SIZE);
    }
    rig_run();
    CHECK_U64(result_count[GMS_SENT_OK], 5 * ROUNDS);
    CHECK_U64(sent[0], 5 * ROUNDS);
    CHECK_U64(received[1], ROUNDS);
    CHECK_U64(gms_nic_counters(nics[0])->got_drops, 0);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"latency of a get", test_latency},
        {"each latency lengthens a get by its value", test_latencies_add},
        {"gets return the data of earlier puts", test_after_put},
        {"each get has one event", test_events},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN(
        {"nic: gets, kind hca", NULL, NULL, rig_setup, rig_teardown, tests});
}
