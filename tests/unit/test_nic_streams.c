/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests that the NIC distinguishes streams by label, by get, and by the owner
 * of a port. */
#include "unit.h"

#include <string.h>

#include "base/random.h"
#include "nic_rig.h"

/* --- labels and get numbers ----------------------------------------- */

enum {
    STREAMS = 60,
    SHORT = 5000, /* a message has two packets */
    SHORT_SIZE = 13,
    SHORT_ROOM = 8184
};

/* Return the number of a message, which is its length minus SHORT, if the
 * message has arrived with its own data. Otherwise, return STREAMS. */
static unsigned number_of(const gms_host_event_t *event,
                          const unsigned char *from)
{
    unsigned number = event->length - SHORT;

    return event->length >= SHORT && number < STREAMS &&
                   memcmp((const void *)(uintptr_t)event->address,
                          from + number * SHORT_ROOM, event->length) == 0
               ? number
               : STREAMS;
}

/* The messages of 60 streams differ only in their labels. The streams are paced
 * such that the first packets of all messages arrive before the second packets.
 * The table of streams has 64 bins, so some random labels share a bin. */
static void test_labels(void)
{
    unsigned char *from = rig_memory(0, STREAMS * SHORT_ROOM),
                  *to = rig_memory(1, STREAMS * SHORT_ROOM);
    unsigned arrived[STREAMS + 1] = {0};
    gms_random_t random;
    gms_host_event_t *event;
    unsigned i, most = 0;

    gms_random_init(&random, 3, 0);
    rig_fill(from, STREAMS * SHORT_ROOM, 4);
    for (i = 0; i < STREAMS; ++i) {
        gms_send_desc_t desc =
            rig_describe(0, 1, from + i * SHORT_ROOM, SHORT + i, SHORT_SIZE);

        desc.flow.label = (uint32_t)gms_random_below(&random, 1u << 30);
        CHECK_U64(gms_nic_set_idt(&ctx, nics[0], &desc.flow, 20000), GMS_OK);
        rig_provide(1, to + i * SHORT_ROOM, SHORT_SIZE);
        rig_post(0, &desc);
    }
    while (gms_engine_step(&ctx)) {
        most = nics[1]->sram_streams > most ? nics[1]->sram_streams : most;
    }
    while ((event = gms_nic_take_event(nics[1], PORT)) != NULL) {
        ++arrived[number_of(event, from)];
        gms_arena_free(ctx.arena, event);
    }
    CHECK_U64(most, STREAMS);
    for (i = 0; i < STREAMS; ++i) {
        CHECK_U64(arrived[i], 1);
    }
    CHECK_U64(arrived[STREAMS], 0);
}

/* Two gets differ only in their labels. The answer to a get must have the label
 * of this get. Otherwise, the answer belongs to no get, and the get never
 * ends. */
static void test_labels_of_gets(void)
{
    unsigned char *here = rig_memory(0, MESSAGE),
                  *there = rig_memory(1, MESSAGE);
    gms_flow_key_t answer = {PORT, 0, PORT, 0, 0};
    unsigned i;

    gms_nic_allow_remote_access(nics[1], PORT);
    rig_fill(there, MESSAGE, 6);
    for (i = 0; i < 2; ++i) {
        gms_send_desc_t desc = rig_describe(0, 1, here + 30000 * i, 20000, 0);

        desc.kind = GMS_SEND_GET;
        desc.flow.label = 5 + i;
        desc.remote = (uintptr_t)there + 30000 * i;
        rig_post(0, &desc);
    }
    rig_run();
    CHECK_U64(result_count[GMS_SENT_OK], 2);
    CHECK_U64(gms_nic_counters(nics[0])->got_drops, 0);
    for (i = 0; i < 2; ++i) {
        CU_ASSERT_EQUAL(memcmp(here + 30000 * i, there + 30000 * i, 20000), 0);
        answer.label = (5 + i) | GMS_LABEL_ANSWER;
        CU_ASSERT_PTR_NOT_NULL_FATAL(gms_flow_find(nics[1], &answer));
        CHECK_U64(gms_flow_find(nics[1], &answer)->bytes_sent, 20000);
    }
}

/* The requester closes its port while the data of a get are arriving. The data
 * of this get must not be written to the buffer of a get by the port's next
 * owner. */
static void test_get_of_next_owner(void)
{
    unsigned step;

    for (step = 20; step < 400; step += 10) {
        unsigned char *here, *there;
        gms_send_desc_t desc;

        rig_restart();
        here = rig_memory(0, MESSAGE);
        there = rig_memory(1, MESSAGE);
        rig_fill(there, MESSAGE, 8);
        gms_nic_allow_remote_access(nics[1], PORT);
        desc = rig_describe(0, 1, here, 20000, 0);
        desc.kind = GMS_SEND_GET;
        desc.remote = (uintptr_t)there;
        rig_post(0, &desc);
        gms_engine_run_until(&ctx, step * GMS_US);
        rig_take_events();
        gms_nic_close_port(&ctx, nics[0], PORT);
        CU_ASSERT_EQUAL(gms_nic_open_port(&ctx, nics[0], PORT, 0), GMS_OK);
        here = rig_memory(0, MESSAGE);
        sent[0] = result_count[GMS_SENT_OK] = 0;
        desc.address = (uintptr_t)here;
        desc.remote = (uintptr_t)there + 30000;
        desc.call_ps = rig_now();
        rig_post(0, &desc);
        rig_run();
        CHECK_U64(sent[0], 1);
        CHECK_U64(result_count[GMS_SENT_OK], 1);
        CU_ASSERT_EQUAL(memcmp(here, there + 30000, 20000), 0);
    }
}

/* --- ports -------------------------------------------------------------- */

/* A port is closed while a message is in reassembly. The buffer of this message
 * must not be used for a message to the port's next owner. */
static void test_next_owner(void)
{
    unsigned char *from = rig_memory(0, MESSAGE), *old = rig_memory(1, MESSAGE),
                  *to;
    uint64_t idle = gms_nic_counters(nics[1])->sram_used_bytes;

    after_failure = GMS_SEND_RESUME;
    rig_fill(from, MESSAGE, 7);
    rig_provide(1, old, MESSAGE_SIZE);
    rig_send(0, 1, from, MESSAGE, MESSAGE_SIZE);
    gms_engine_run_until(&ctx, 300 * GMS_US);
    CHECK_U64(nics[1]->sram_streams, 1);
    CU_ASSERT(gms_nic_counters(nics[1])->sram_used_bytes > idle);
    gms_nic_close_port(&ctx, nics[1], PORT);
    CHECK_U64(nics[1]->sram_streams, 0);
    CU_ASSERT_EQUAL(gms_nic_open_port(&ctx, nics[1], PORT, 1), GMS_OK);
    to = rig_memory(1, MESSAGE);
    rig_provide(1, to, MESSAGE_SIZE);
    rig_run();
    CHECK_U64(result_count[GMS_SENT_PORT_CLOSED], 1);
    rig_send(0, 1, from, 20000, MESSAGE_SIZE);
    rig_run();
    CHECK_U64(received[1], 1);
    CHECK_U64(last[1].address, (uintptr_t)to);
    CU_ASSERT_EQUAL(memcmp(from, to, 20000), 0);
}

int main(void)
{
    CU_TestInfo numbers[] = {
        {"messages of many streams", test_labels},
        {"two gets with different labels", test_labels_of_gets},
        {"gets of two successive owners of a port", test_get_of_next_owner},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo ports[] = {
        {"a message to the next owner of a port", test_next_owner},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN(
        {"nic streams: labels and numbers", NULL, NULL, rig_setup, rig_teardown,
         numbers},
        {"nic streams: ports", NULL, NULL, rig_setup, rig_teardown, ports});
}
