/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests the order in which a NIC reads the descriptors of reserved flows. */
#include "unit.h"

#include "nic_rig.h"

enum {
    FLOWS = 30,
    LABEL = 100,
    SIZE = 12,
    BYTES = 64,
    SLOW = 100000 /* an IDT of 50 ms, in ticks */
};

static unsigned char *data;

static gms_flow_key_t key_of(unsigned number)
{
    gms_flow_key_t key = {PORT, 1, PORT, 0, LABEL + number};

    return key;
}

static const gms_flow_t *flow_of(unsigned number)
{
    gms_flow_key_t key = key_of(number);

    return gms_flow_find(nics[0], &key);
}

static void promise(unsigned number, uint32_t idt)
{
    gms_flow_key_t key = key_of(number);

    CHECK_U64(gms_nic_set_idt(&ctx, nics[0], &key, idt), GMS_OK);
    CHECK_U64(gms_nic_promise(&ctx, nics[0], &key, 1), GMS_OK);
}

static void post(unsigned number, unsigned count)
{
    gms_send_desc_t desc = rig_describe(0, 1, data, BYTES, SIZE);
    unsigned i;

    desc.flow = key_of(number);
    for (i = 0; i < count; ++i) {
        rig_post(0, &desc);
    }
}

static void begin(void)
{
    unsigned char *to = rig_memory(1, BYTES);
    unsigned i;

    data = rig_memory(0, BYTES);
    for (i = 0; i < 4 * FLOWS; ++i) {
        rig_provide(1, to, SIZE);
    }
    gms_engine_run_until(&ctx, 5 * GMS_MS);
}

/* Make some slow flows send one message each. None of these flows may send
 * another packet within the next 40 ms. */
static void begin_slow_flows(unsigned count)
{
    unsigned i;

    begin();
    for (i = 0; i < count; ++i) {
        promise(i, SLOW);
        post(i, 1);
    }
    gms_engine_run_until(&ctx, rig_now() + 10 * GMS_MS);
    CHECK_U64(nics[0]->reserved_posts, 0);
}

/* Run until the NIC has read all descriptors of a flow that were just posted.
 * @return number of descriptors of reserved flows that the NIC has not read
 *   yet */
static unsigned read_all_of(unsigned number)
{
    while (flow_of(number)->posts.first == NULL) {
        CU_ASSERT_TRUE_FATAL(gms_engine_step(&ctx));
    }
    while (flow_of(number)->posts.first != NULL) {
        CU_ASSERT_TRUE_FATAL(gms_engine_step(&ctx));
    }
    return nics[0]->reserved_posts;
}

/* At present, neither flow may send. Before the NIC has read two descriptors of
 * the second flow, it may read at most three of the first flow. */
static void test_turns(void)
{
    begin_slow_flows(2);
    post(0, 20);
    post(1, 2);
    CU_ASSERT(read_all_of(1) >= 17);
}

/* The descriptors of a flow that may send now are read before those of flows
 * that may not send yet. At most two other descriptors are read first, because
 * a job that has begun is always finished. */
static void test_urgent_first(void)
{
    unsigned i;

    begin_slow_flows(FLOWS);
    promise(FLOWS, 10);
    for (i = 0; i < FLOWS; ++i) {
        post(i, 2);
    }
    post(FLOWS, 1);
    CU_ASSERT(read_all_of(FLOWS) >= 2 * FLOWS - 2);
}

/* Many flows may send now. The NIC must dispatch the first packet after it has
 * read at most two descriptors, and must not read all descriptors first. */
static void test_one_per_transfer(void)
{
    unsigned i;

    begin();
    for (i = 0; i < FLOWS; ++i) {
        promise(i, 1000);
        post(i, 1);
    }
    while (nics[0]->flow_packets == 0) {
        CU_ASSERT_TRUE_FATAL(gms_engine_step(&ctx));
    }
    CU_ASSERT(nics[0]->reserved_posts >= FLOWS - 2);
    rig_run();
    CHECK_U64(received[1], FLOWS);
    CHECK_U64(result_count[GMS_SENT_OK], FLOWS);
}

int main(void)
{
    CU_TestInfo posts[] = {
        {"flows take turns", test_turns},
        {"descriptors of flows that may send now are read first",
         test_urgent_first},
        {"the NIC sends before it reads all descriptors",
         test_one_per_transfer},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"nic posts", NULL, NULL, rig_setup, rig_teardown, posts});
}
