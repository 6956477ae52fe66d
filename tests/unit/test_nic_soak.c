/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the NIC under all kinds of faults at once, with many seeds. Packets are
 * lost, damaged, duplicated, delayed and reordered. Links fail, NICs are reset,
 * and buffers are provided late. Every message must arrive once, in the order
 * of its stream, and with its own bytes. Every put and get must transfer the
 * correct bytes, and no memory may remain allocated. GMQOS_SOAK_SEEDS is the
 * number of seeds, and GMQOS_SOAK_FIRST is the first seed.
 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "nic_rig.h"

enum {
    STREAMS = 8,
    SENDS = 12,   /* number of sends in each stream */
    ROOM = 12288, /* maximum length of a send, bytes */
    RESETS = 1,   /* additional events, as a bit set */
    OUTAGES = 2,
    TINY_SRAM = 4,
    HASTY = 8,
    SIZE = 14,     /* size class of messages */
    DATAGRAM = 13, /* size class of datagrams */
    REFUSED = 15   /* a size class for which no buffer is provided */
};

typedef struct stream {
    gms_flow_key_t flow;
    unsigned from;
    unsigned char *source, *sink;
    uint64_t seed;
    unsigned next_message; /* number of the receiver's next message */
    unsigned sent_ok;
    uint8_t kind[SENDS], size[SENDS];
    uint32_t length[SENDS];
    /* memory on this side and, for a put or get, memory on the other side
     * (remote) */
    unsigned char *local[SENDS];
    unsigned char *remote[SENDS];
} stream_t;

static stream_t streams[STREAMS];
static gms_random_t dice;
static uint64_t resets, outages, stale, refusals, datagrams;

static unsigned roll(unsigned bound)
{
    return (unsigned)gms_random_below(&dice, bound);
}

/* Fills a message. The message begins with the numbers of the stream and of the
 * message. */
static void fill(unsigned char *data, uint32_t length, unsigned s, unsigned i)
{
    rig_fill(data, length, streams[s].seed + i);
    if (length > 0) {
        data[0] = (unsigned char)s;
    }
    if (length > 1) {
        data[1] = (unsigned char)i;
    }
}

static int is_filled(const unsigned char *data, uint32_t length, unsigned s,
                     unsigned i)
{
    static unsigned char expected[ROOM];

    fill(expected, length, s, i);
    return memcmp(data, expected, length) == 0;
}

static void plan(unsigned s)
{
    stream_t *stream = &streams[s];
    unsigned i;

    memset(stream, 0, sizeof(*stream));
    stream->from = roll(NODES);
    stream->flow.source_port = PORT;
    stream->flow.target_node = (uint16_t)roll(NODES);
    stream->flow.target_port = PORT;
    stream->flow.priority = (uint16_t)roll(2);
    stream->flow.label = s;
    stream->seed = gms_random_u64(&dice);
    for (i = 0; i < SENDS; ++i) {
        unsigned what = roll(8);

        stream->kind[i] = what == 0   ? GMS_SEND_GET
                          : what == 1 ? GMS_SEND_PUT
                          : what == 2 ? GMS_SEND_DATAGRAM
                                      : GMS_SEND_MESSAGE;
        stream->size[i] = what < 2                    ? 0
                          : what == 2                 ? DATAGRAM
                          : what == 3 && roll(2) == 0 ? REFUSED
                                                      : SIZE;
        stream->length[i] = 2 + (roll(3) == 0 ? roll(100) : roll(ROOM - 2));
        if (stream->size[i] == DATAGRAM) {
            stream->length[i] = 2 + roll(4094);
        }
        stream->local[i] = rig_memory(stream->from, ROOM);
        stream->remote[i] = rig_memory(stream->flow.target_node, ROOM);
        fill(stream->kind[i] == GMS_SEND_GET ? stream->remote[i]
                                             : stream->local[i],
             stream->length[i], s, i);
    }
}

static void post(unsigned s, unsigned i, gms_time_t at_ps)
{
    stream_t *stream = &streams[s];
    gms_send_desc_t desc = rig_describe(stream->from, 0, stream->local[i],
                                        stream->length[i], stream->size[i]);

    desc.flow = stream->flow;
    desc.kind = stream->kind[i];
    desc.remote = (uintptr_t)stream->remote[i];
    desc.cookie = s * SENDS + i;
    desc.call_ps = at_ps;
    gms_nic_post_send(&ctx, nics[stream->from], &hosts[stream->from], at_ps,
                      &desc);
}

/* At the given time, provides a buffer for a message of a stream. */
static void provide(unsigned s, uint8_t size, gms_time_t at_ps)
{
    const stream_t *stream = &streams[s];
    unsigned node = stream->flow.target_node;
    gms_recv_desc_t desc = {.port = PORT,
                            .size = size,
                            .priority = (uint8_t)stream->flow.priority,
                            .address = (uintptr_t)rig_memory(node, ROOM)};

    gms_nic_post_receive(&ctx, nics[node], &hosts[node], at_ps, &desc);
}

/* Returns the next message that must arrive. */
static unsigned next_message(stream_t *stream)
{
    while (stream->next_message < SENDS &&
           stream->size[stream->next_message] != SIZE) {
        ++stream->next_message;
    }
    return stream->next_message;
}

static void take_received(unsigned node, const gms_host_event_t *event)
{
    const unsigned char *data =
        event->is_fast ? event->fast
                       : (const unsigned char *)(uintptr_t)event->address;
    unsigned s = data[0], i = data[1];
    stream_t *stream;

    CU_ASSERT_FATAL(s < STREAMS && i < SENDS && event->length >= 2);
    stream = &streams[s];
    if (stream->kind[i] == GMS_SEND_DATAGRAM) {
        ++datagrams; /* any number of these datagrams may arrive, in any
                      * order */
    } else {
        CHECK_U64(i, next_message(stream));
        stream->next_message = i + 1;
    }
    CHECK_U64(event->length, stream->length[i]);
    CHECK_U64(event->sender_node, stream->from);
    CHECK_U64(stream->flow.target_node, node);
    CU_ASSERT(is_filled(data, event->length, s, i));
}

static void take_sent(const gms_host_event_t *event)
{
    unsigned s = (unsigned)event->cookie / SENDS;
    unsigned i = (unsigned)event->cookie % SENDS;
    stream_t *stream;

    if (event->cookie == COMMAND) {
        return;
    }
    stream = &streams[s];
    ++stream->sent_ok;
    if (stream->size[i] == REFUSED) {
        CHECK_U64(event->result, GMS_SENT_REJECTED);
        rig_command(stream->from, GMS_SEND_RESUME, &stream->flow);
        ++refusals;
        return;
    }
    CHECK_U64(event->result, GMS_SENT_OK);
    if (stream->kind[i] == GMS_SEND_GET) {
        CU_ASSERT(is_filled(stream->local[i], stream->length[i], s, i));
    } else if (stream->kind[i] == GMS_SEND_PUT) {
        CU_ASSERT(is_filled(stream->remote[i], stream->length[i], s, i));
    }
}

static void take_events(void)
{
    gms_host_event_t *event;
    unsigned node;

    for (node = 0; node < NODES; ++node) {
        while ((event = gms_nic_take_event(nics[node], PORT)) != NULL) {
            if (event->kind == GMS_HOST_RECEIVED) {
                take_received(node, event);
            } else {
                take_sent(event);
            }
            gms_arena_free(ctx.arena, event);
        }
    }
}

static void disturb(unsigned what)
{
    unsigned node = roll(NODES);

    if ((what & RESETS) && roll(2) == 0) {
        gms_nic_reset(&ctx, nics[node]);
        ++resets;
    }
    if ((what & OUTAGES) && roll(4) == 0) {
        gms_fabric_node_down(&ctx, fabric, node,
                             rig_now() + (1 + roll(2000)) * GMS_US);
        ++outages;
    }
}

static void check_end(void)
{
    unsigned s, node, traffic_class;

    for (s = 0; s < STREAMS; ++s) {
        stream_t *stream = &streams[s];

        CHECK_U64(stream->sent_ok, SENDS);
        CHECK_U64(next_message(stream), SENDS);
    }
    CHECK_U64(gms_engine_events_pending(ctx.engine), 0);
    for (node = 0; node < NODES; ++node) {
        for (traffic_class = 0; traffic_class < nics[node]->classes;
             ++traffic_class) {
            CHECK_U64(
                nics[node]->traffic_class[traffic_class].send_buffers_used, 0);
            CHECK_U64(
                nics[node]->traffic_class[traffic_class].recv_buffers_used, 0);
        }
        CHECK_U64(nics[node]->posts, 0);
        CHECK_U64(nics[node]->sram_tokens, 0);
        CHECK_U64(nics[node]->sram_streams, 0);
        CHECK_U64(gms_nic_counters(nics[node])->bad_receive_memory, 0);
        stale += gms_nic_counters(nics[node])->out_of_sequence;
    }
}

static void soak(uint64_t seed, const gms_fault_rates_t *rates, unsigned what)
{
    gms_time_t disturb_ps = 0;
    unsigned s, i, failures = CU_get_number_of_failures();

    gms_random_init(&dice, seed, 7);
    gms_params_init(&params);
    params.hosts = NODES;
    params.seed = seed;
    params.nic_check_crc = 1;
    params.scheduler = roll(3);
    params.nic_window_packets = 1 + roll(40);
    params.nic_resend_timeout_us = what & HASTY ? 30 + roll(300) : 1000;
    params.nic_nack_delay_us = 1 + roll(300);
    if (what & TINY_SRAM) {
        params.nic_sram_bytes = (UINT64_C(256) << 10) + 1000 + roll(3000);
    }
    rig_restart();
    gms_fabric_set_fault_rates(fabric, rates);
    for (i = 0; i < NODES; ++i) {
        gms_nic_allow_remote_access(nics[i], PORT);
        gms_nic_set_acceptable(nics[i], PORT, 0, ~(UINT32_C(1) << REFUSED));
        gms_nic_set_acceptable(nics[i], PORT, 1, ~(UINT32_C(1) << REFUSED));
    }
    for (s = 0; s < STREAMS; ++s) {
        gms_time_t send_ps = 0, provide_ps = 0;

        plan(s);
        for (i = 0; i < SENDS; ++i) {
            post(s, i, send_ps);
            send_ps += roll(300) * GMS_US;
            provide_ps += roll(300) * GMS_US;
            provide(s, streams[s].size[i], provide_ps);
        }
    }
    while (gms_engine_step(&ctx)) {
        take_events();
        if (rig_now() >= disturb_ps && rig_now() < 10 * GMS_MS) {
            disturb(what);
            disturb_ps = rig_now() + roll(400) * GMS_US;
        }
        if (rig_now() > 30 * GMS_SECOND) {
            break; /* If the transfer is not complete, it hangs, because a
                    * failed send would have timed out before this time. */
        }
    }
    check_end();
    if (CU_get_number_of_failures() != failures) {
        printf("    failed with seed %llu\n", (unsigned long long)seed);
    }
}

static uint64_t number(const char *name, uint64_t value)
{
    const char *text = getenv(name);

    return text == NULL ? value : strtoull(text, NULL, 10);
}

static void soak_all(const gms_fault_rates_t *rates, unsigned what)
{
    uint64_t first = number("GMQOS_SOAK_FIRST", 1);
    uint64_t seeds = number("GMQOS_SOAK_SEEDS", 60), seed;

    for (seed = first; seed < first + seeds; ++seed) {
        soak(seed, rates, what);
    }
}

static const gms_fault_rates_t none;
static const gms_fault_rates_t all = {.drop_ppm = 10000,
                                      .damage_header_ppm = 5000,
                                      .damage_payload_ppm = 5000,
                                      .duplicate_ppm = 10000,
                                      .delay_ppm = 10000,
                                      .delay_max_us = 500};
static const gms_fault_rates_t many = {.drop_ppm = 50000,
                                       .damage_header_ppm = 50000,
                                       .damage_payload_ppm = 50000,
                                       .duplicate_ppm = 100000,
                                       .delay_ppm = 100000,
                                       .delay_max_us = 2000};

static void test_no_faults(void)
{
    stale = 0;
    soak_all(&none, 0);
}

static void test_faults(void)
{
    soak_all(&all, 0);
    CU_ASSERT(stale > 0);
}

static void test_many_faults(void)
{
    soak_all(&many, 0);
}

static void test_hasty(void)
{
    soak_all(&many, HASTY);
}

static void test_outages(void)
{
    outages = 0;
    soak_all(&all, OUTAGES);
    CU_ASSERT(outages > 0);
}

static void test_resets(void)
{
    resets = 0;
    refusals = 0;
    datagrams = 0;
    soak_all(&none, RESETS);
    CU_ASSERT(resets > 100);
    CU_ASSERT(refusals > 10);
    CU_ASSERT(datagrams > 10);
}

static void test_everything(void)
{
    soak_all(&many, RESETS | OUTAGES | TINY_SRAM | HASTY);
}

static void test_memory(void)
{
    soak_all(&all, TINY_SRAM);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"no faults", test_no_faults},
        {"all kinds of faults", test_faults},
        {"many faults", test_many_faults},
        {"a timer that is too short", test_hasty},
        {"outages", test_outages},
        {"resets", test_resets},
        {"little memory", test_memory},
        {"many faults, resets, outages and little memory", test_everything},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"nic: soak", NULL, NULL, rig_setup, rig_teardown, tests});
}
