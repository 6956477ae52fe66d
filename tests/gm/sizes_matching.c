/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests section 1.4 of the rules for GM: sizes of messages, and the matching of
 * messages with receive buffers.
 */
#define _GNU_SOURCE
#include "rules.h"

#define SHORT_TIMEOUT "parameters:\n  nic_send_timeout_us: 50000\n"

RULE(lengths_of_sizes, 1, NULL)
{
    static const struct {
        unsigned size;
        gm_size_t length;
    } known[] = {{3, 0},      {4, 8},          {5, 24},    {6, 56},
                 {7, 120},    {8, 248},        {12, 4088}, {13, 8184},
                 {16, 65528}, {31, 0x7ffffff8}};
    unsigned i;

    for (i = 0; i < 3; ++i) {
        EXPECT_U64(gm_max_length_for_size(i), 0);
    }
    for (i = 0; i < GM_NUM_ELEM(known); ++i) {
        EXPECT_U64(gm_max_length_for_size(known[i].size), known[i].length);
    }
    gm_max_length_for_size(~0u);
}

RULE(sizes_of_lengths, 1, NULL)
{
    unsigned size;

    EXPECT_U64(gm_min_message_size(NULL), 3);
    EXPECT_U64(gm_min_size_for_length(0), 3);
    EXPECT_U64(gm_min_size_for_length(1), 4);
    for (size = 3; size < 32; ++size) {
        gm_size_t most = gm_max_length_for_size(size);

        EXPECT_U64(gm_min_size_for_length(most), size);
        EXPECT_U64(gm_min_size_for_length(most + 1), size + 1);
    }
    EXPECT_U64(gm_min_size_for_length(~0ul), 32);
}

/* Send and receive a message of every size with both priorities. */
RULE(all_sizes, 2, NULL)
{
    OPEN_WITH_MEMORY(64 * 8);
    unsigned i;

    for (i = 0; i < 64; ++i) {
        unsigned size = i / 2, priority = i % 2;

        if (rank == 1) {
            gm_provide_receive_buffer_with_tag(port, memory + 8 * i, size,
                                               priority, i);
        }
    }
    gmsim_compute(MS);
    for (i = 0; i < 64; ++i) {
        unsigned size = i / 2, priority = i % 2;
        gm_size_t length = size > 3 ? 8 : 0;

        if (rank == 0) {
            gm_send_with_callback(port, memory, size, length, priority, 2,
                                  me.port, count_send, NULL);
            finish_sends(port, i + 1);
            EXPECT_U64(last_status, GM_SUCCESS);
        } else {
            union gm_recv_event *event = next_message(port);

            EXPECT_U64(gm_ntohc(event->recv.size), size);
            EXPECT_U64(gm_ntohc(event->recv.tag), i);
            EXPECT_U64(gm_ntohl(event->recv.length), length);
        }
    }
    gm_finalize();
}

/*
 * Buffers of all neighbouring sizes are posted early, but the matching buffer
 * is posted late.
 */
RULE(exact, 2, NULL)
{
    static const struct {
        unsigned size, priority;
    } other[] = {{5, 0}, {7, 0}, {5, 1}, {6, 1}, {7, 1}};
    OPEN_WITH_MEMORY(64);
    unsigned i;

    if (rank == 0) {
        gmsim_compute(MS);
        send_to(port, 1, memory, 6, 20);
        finish_sends(port, 1);
        EXPECT_U64(last_status, GM_SUCCESS);
        EXPECT(gmsim_time_ps() > 50 * MS);
    } else {
        for (i = 0; i < GM_NUM_ELEM(other); ++i) {
            gm_provide_receive_buffer(port, gm_dma_malloc(port, 128),
                                      other[i].size, other[i].priority);
        }
        pass(port, 50 * MS);
        gm_provide_receive_buffer_with_tag(port, memory, 6, 0, 77);
        EXPECT_U64(gm_ntohc(next_message(port)->recv.tag), 77);
    }
    gm_finalize();
}

RULE(first_in_first_out, 2, NULL)
{
    OPEN_WITH_MEMORY(64);
    unsigned i;

    for (i = 0; i < 40 && rank == 1; ++i) {
        gm_provide_receive_buffer_with_tag(port, memory, 6, 0, i);
    }
    gmsim_compute(MS);
    for (i = 0; i < 40; ++i) {
        if (rank == 0) {
            send_to(port, 1, memory, 6, i);
        } else {
            union gm_recv_event *event = next_message(port);

            EXPECT_U64(gm_ntohc(event->recv.tag), i);
            EXPECT_U64(gm_ntohl(event->recv.length), i);
        }
    }
    finish_sends(port, rank == 0 ? 40 : 0);
    gm_finalize();
}

/*
 * A program may use sizes as channel numbers. Here, messages of a few bytes
 * have size 30, and the buffers are much shorter than this size implies.
 */
RULE(any_size, 2, NULL)
{
    OPEN_WITH_MEMORY(5000);

    if (rank == 1) {
        gm_provide_receive_buffer(port, memory, 30, 0);
        EXPECT_U64(gm_ntohl(next_message(port)->recv.length), 5000);
        EXPECT_U64(memory[4999], 0x5a);
    } else {
        memset(memory, 0x5a, 5000);
        gmsim_compute(MS);
        send_to(port, 1, memory, 30, 5000);
        finish_sends(port, 1);
        EXPECT_U64(last_status, GM_SUCCESS);
    }
    gm_finalize();
}

RULE(too_long, 1, NULL)
{
    OPEN_WITH_MEMORY(8192);
    unsigned size;

    for (size = 0; size < 13; ++size) {
        send_to(port, 0, memory, size, gm_max_length_for_size(size) + 1);
        finish_sends(port, size + 1);
        EXPECT_U64(last_status, GM_INVALID_PARAMETER);
    }
}

/*
 * By default, a port accepts every size. A send with a size that is not
 * accepted fails immediately.
 */
RULE(acceptable, 2, NULL)
{
    OPEN_WITH_MEMORY(64);
    unsigned done, i;

    give_buffers(port, 4, 6, GM_LOW_PRIORITY, 64);
    if (rank == 1) {
        EXPECT_U64(gm_set_acceptable_sizes(port, GM_LOW_PRIORITY, 1u << 6),
                   GM_SUCCESS);
        EXPECT_U64(gm_set_acceptable_sizes(port, (enum gm_priority)2, 0),
                   GM_INVALID_PARAMETER);
    }
    barrier(port, &me);
    done = sends_done;
    for (i = 0; i < 2 && rank == 0; ++i) {
        uint64_t started_ps;

        send_to(port, 1, memory, 6, 8);
        finish_sends(port, ++done);
        EXPECT_U64(last_status, GM_SUCCESS);
        started_ps = gmsim_time_ps();
        send_to(port, 1, memory, 5, 8);
        finish_sends(port, ++done);
        EXPECT_U64(last_status, GM_SEND_REJECTED);
        EXPECT(gmsim_time_ps() - started_ps < MS);
        gm_resume_sending(port, 0, 2, me.port, count_send, NULL);
        finish_sends(port, ++done);
    }
    for (i = 0; i < 2 && rank == 1; ++i) {
        next_message(port);
    }
    gmsim_compute(10 * MS); /* the port must remain open */
    gm_finalize();
}

/* A mask of 0 forbids one priority; the other priority is not affected. */
RULE(forbidden, 2, NULL)
{
    OPEN_WITH_MEMORY(64);

    if (rank == 1) {
        give_buffers(port, 2, 6, GM_LOW_PRIORITY, 64);
        give_buffers(port, 2, 6, GM_HIGH_PRIORITY, 64);
        gm_set_acceptable_sizes(port, GM_HIGH_PRIORITY, 0);
        EXPECT_U64(gm_ntohl(next_message(port)->recv.length), 9);
    } else {
        gmsim_compute(MS);
        gm_send_with_callback(port, memory, 6, 8, GM_HIGH_PRIORITY, 2, me.port,
                              count_send, NULL);
        finish_sends(port, 1);
        EXPECT_U64(last_status, GM_SEND_REJECTED);
        send_to(port, 1, memory, 6, 9);
        finish_sends(port, 2);
        EXPECT_U64(last_status, GM_SUCCESS);
    }
    gm_finalize();
}

/*
 * The sender retries until a buffer is available. All messages arrive late.
 */
RULE(no_buffer_yet, 2, NULL)
{
    OPEN_WITH_MEMORY(20000);
    unsigned i;

    if (rank == 0) {
        memset(memory, 0x31, 20000);
        for (i = 0; i < 5; ++i) {
            send_to(port, 1, memory, 15, 20000 - i);
        }
        finish_sends(port, 5);
        EXPECT_U64(last_status, GM_SUCCESS);
    } else {
        for (i = 0; i < 5; ++i) {
            union gm_recv_event *event;

            gmsim_compute(20 * MS);
            gm_provide_receive_buffer(port, memory, 15, 0);
            event = next_message(port);
            EXPECT_U64(gm_ntohl(event->recv.length), 20000 - i);
            EXPECT_U64(memory[19995], 0x31);
        }
    }
    gm_finalize();
}

RULE(timed_out, 2, SHORT_TIMEOUT)
{
    OPEN_WITH_MEMORY(64);
    uint64_t value;

    if (rank == 0) {
        gmsim_compute(MS);
        send_to(port, 1, memory, 6, 8);
        finish_sends(port, 1);
        EXPECT_U64(last_status, GM_SEND_TIMED_OUT);
        EXPECT(gmsim_time_ps() > 51 * MS);
        EXPECT(gmsim_time_ps() < 150 * MS);
        EXPECT_U64(gmsim_get_param("nic_send_timeout_us", &value), GM_SUCCESS);
    } else {
        give_buffers(port, 1, 5, GM_LOW_PRIORITY, 64);
        gmsim_compute(300 * MS);
    }
    gm_finalize();
}

/* A simulated minute takes almost no real time. */
RULE(default_timeout, 2, NULL)
{
    OPEN_WITH_MEMORY(64);

    if (rank == 0) {
        send_to(port, 1, memory, 6, 8);
        finish_sends(port, 1);
        EXPECT_U64(last_status, GM_SEND_TIMED_OUT);
        EXPECT(gmsim_time_ps() > 60000 * MS);
        EXPECT(gmsim_time_ps() < 75000 * MS);
    } else {
        gmsim_compute(100000 * MS);
    }
    gm_finalize();
}

/*
 * While messages of one size wait for a buffer, they block neither the other
 * priority nor other senders and targets.
 */
RULE(others_go_on, 3, NULL)
{
    OPEN_WITH_MEMORY(64);
    unsigned done = 0;

    give_buffers(port, 4, 6, GM_HIGH_PRIORITY, 64);
    if (rank == 2) {
        give_buffers(port, 4, 6, GM_LOW_PRIORITY, 64);
    }
    gmsim_compute(MS);
    if (rank == 0) {
        send_to(port, 1, memory, 6, 8); /* the target has no buffer for low
                                         * priority */
        gm_send_with_callback(port, memory, 6, 9, GM_HIGH_PRIORITY, 2, me.port,
                              count_send, NULL);
        send_to(port, 2, memory, 6, 10);
        finish_sends(port, 2);
        done = 2;
        EXPECT(gmsim_time_ps() < 5 * MS);
        gmsim_compute(10 * MS);
        finish_sends(port, done + 1);
        EXPECT_U64(last_status, GM_SUCCESS);
    } else if (rank == 1) {
        EXPECT_U64(gm_ntohl(next_message(port)->recv.length), 9);
        gmsim_compute(20 * MS);
        give_buffers(port, 1, 6, GM_LOW_PRIORITY, 64);
        EXPECT_U64(gm_ntohl(next_message(port)->recv.length), 8);
    } else {
        EXPECT_U64(gm_ntohl(next_message(port)->recv.length), 10);
    }
    gm_finalize();
}

RULE(port_closed, 2, SHORT_TIMEOUT)
{
    OPEN_WITH_MEMORY(64);
    uint64_t started_ps = gmsim_time_ps();

    if (rank == 0) {
        gm_send_with_callback(port, memory, 6, 8, 0, 2, 7, count_send, NULL);
        finish_sends(port, 1);
        EXPECT_U64(last_status, GM_SEND_TARGET_PORT_CLOSED);
        EXPECT(gmsim_time_ps() - started_ps < MS);
    }
    gm_finalize();
}

/* The sender retries until the port is opened or the timeout expires. */
RULE(nack_down, 2, SHORT_TIMEOUT)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    struct gm_port *late = NULL;
    unsigned char *memory = gm_dma_malloc(port, 64);

    if (rank == 0) {
        EXPECT_U64(gm_set_enable_nack_down(port, 0), GM_SUCCESS);
        gm_send_with_callback(port, memory, 6, 8, 0, 2, 7, count_send, NULL);
        finish_sends(port, 1);
        EXPECT_U64(last_status, GM_SUCCESS);
        EXPECT(gmsim_time_ps() > 20 * MS);
        gm_send_with_callback(port, memory, 6, 8, 0, 2, 6, count_send, NULL);
        finish_sends(port, 2);
        EXPECT_U64(last_status, GM_SEND_TARGET_PORT_CLOSED);
        EXPECT(gmsim_time_ps() > 70 * MS);
        EXPECT_U64(gm_set_enable_nack_down(port, 1), GM_SUCCESS);
    } else {
        gmsim_compute(20 * MS);
        EXPECT_U64(gm_open(&late, 0, 7, "x", GM_API_VERSION), GM_SUCCESS);
        give_buffers(late, 1, 6, GM_LOW_PRIORITY, 64);
        EXPECT_U64(gm_ntohl(next_message(late)->recv.length), 8);
        gmsim_compute(200 * MS);
    }
    gm_finalize();
}

TABLE_BEGIN
ENTRY(lengths_of_sizes, "size s holds 2^s - 8 bytes, or 0 if s is below 3")
ENTRY(sizes_of_lengths, "the smallest size for a length is at least 3")
ENTRY(all_sizes, "sizes 0..31 can be used, at both priorities")
ENTRY(exact, "a message needs a buffer of its size and priority")
ENTRY(first_in_first_out, "equal buffers: first in, first out")
ENTRY(any_size, "the sender chooses the size, for any length")
ENTRY(too_long, "the length is at most the size's capacity")
ENTRY(acceptable, "a forbidden size: GM_SEND_REJECTED at once")
ENTRY(forbidden, "mask 0 forbids a priority")
ENTRY(no_buffer_yet, "no buffer: the sender retries until there is one")
ENTRY(timed_out, "no buffer in time: GM_SEND_TIMED_OUT")
ENTRY(default_timeout, "the send timeout is a minute")
ENTRY(others_go_on, "waiting messages do not block others")
ENTRY(port_closed, "closed port: GM_SEND_TARGET_PORT_CLOSED")
ENTRY(nack_down, "gm_set_enable_nack_down(0) enables retries")
TABLE_END("GM 1.4 sizes and matching")
