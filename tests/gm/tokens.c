/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests section 1.3 of the rules for GM: send tokens, receive tokens, and the
 * events for calls without a token.
 */
#define _GNU_SOURCE
#include "rules.h"

RULE(counts, 1, NULL)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);

    EXPECT_U64(gm_num_send_tokens(port), 64 - 3);
    EXPECT_U64(gm_num_receive_tokens(port), 254);
}

/*
 * Use all send tokens at the same time, half of them for each priority. One
 * more send must fail.
 */
RULE(shared, 1, NULL)
{
    OPEN_WITH_MEMORY(64);
    unsigned tokens = gm_num_send_tokens(port);
    unsigned violations = 0;
    unsigned i;

    give_buffers(port, tokens, 5, GM_LOW_PRIORITY, 64);
    give_buffers(port, tokens, 5, GM_HIGH_PRIORITY, 64);
    for (i = 0; i < tokens + 1; ++i) {
        gm_send_with_callback(port, memory, 5, 8, i % 2, me.node_id, me.port,
                              count_send, NULL);
    }
    while (sends_done < tokens) {
        union gm_recv_event *event = gm_blocking_receive(port);

        violations +=
            GM_RECV_EVENT_TYPE(event) == GM_SEND_TOKEN_VIOLATION_EVENT;
        if (!is_message(event) &&
            GM_RECV_EVENT_TYPE(event) != GM_SEND_TOKEN_VIOLATION_EVENT) {
            gm_unknown(port, event);
        }
    }
    EXPECT_U64(violations, 1);
    EXPECT_U64(last_status, GM_SUCCESS);
}

/*
 * Whether a send succeeds or fails, its token becomes available during the call
 * of gm_unknown(), and not earlier.
 */
RULE(back, 1, NULL)
{
    OPEN_WITH_MEMORY(64);
    unsigned tokens = gm_num_send_tokens(port);
    unsigned round, i;

    for (round = 1; round <= 3; ++round) {
        union gm_recv_event *event;

        for (i = 0; i < tokens; ++i) {
            gm_send_with_callback(port, memory, 99, 8, 0, 1, 2, count_send,
                                  NULL); /* there is no such size */
        }
        event = gm_receive(port);
        EXPECT_TYPE(event, GM_SENT_EVENT);
        EXPECT_U64(sends_done, (round - 1) * tokens);
        gm_send_with_callback(port, memory, 99, 8, 0, 1, 2, count_send, NULL);
        gm_unknown(port, event);
        EXPECT_U64(sends_done, (round - 1) * tokens + 1);
        gm_send_with_callback(port, memory, 99, 8, 0, 1, 2, count_send, NULL);
        i = 0;
        while (gm_receive_pending(port)) {
            event = gm_receive(port);
            if (GM_RECV_EVENT_TYPE(event) == GM_SEND_TOKEN_VIOLATION_EVENT) {
                ++i;
            } else {
                gm_unknown(port, event);
            }
        }
        EXPECT_U64(i, 1);
        /* one send failed, and another send was posted instead */
        sends_done = round * tokens;
    }
}

/* The event of a failed send without a callback returns the token. */
RULE(back_without_callback, 1, NULL)
{
    OPEN_WITH_MEMORY(64);
    unsigned i;

    for (i = 0; i < 2 * gm_num_send_tokens(port); ++i) {
        gm_send(port, memory, 99, 8, 0, 1, 2); /* there is no such size */
        EXPECT_TYPE(gm_receive(port), GM_SENDS_FAILED_EVENT);
    }
}

/*
 * The callback means that the data are in the receiver's buffer. The callback
 * does not mean that the receiver has read the data.
 */
RULE(completion, 2, NULL)
{
    OPEN_WITH_MEMORY(8192);
    uint64_t started_ps;

    memset(memory, rank == 0 ? 0x77 : 0, 8192);
    gm_provide_receive_buffer(port, memory, 13, GM_LOW_PRIORITY);
    barrier(port, &me);
    started_ps = gmsim_time_ps();
    if (rank == 0) {
        unsigned done = sends_done;

        send_to(port, 1, memory, 13, 8000);
        finish_sends(port, done + 1);
        EXPECT_U64(last_status, GM_SUCCESS);
        EXPECT(gmsim_time_ps() - started_ps < 2 * MS);
    } else {
        gmsim_compute(100 * MS);
        gmsim_time_ps();
        EXPECT_U64(gm_receive_pending(port), 1);
        EXPECT_U64(memory[0], 0x77);
        EXPECT_U64(memory[7999], 0x77);
        EXPECT_U64(memory[8000], 0);
    }
    gm_finalize();
}

RULE(book_keeping, 1, NULL)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned priority;

    for (priority = 0; priority < 2; ++priority) {
        EXPECT_U64(gm_send_token_available(port, priority), 0);
        EXPECT_U64(gm_alloc_send_token(port, priority), 0);
    }
    gm_free_send_tokens(port, GM_LOW_PRIORITY, 30);
    gm_free_send_tokens(port, GM_HIGH_PRIORITY, 31);
    for (priority = 0; priority < 2; ++priority) {
        unsigned taken = 0;

        while (gm_send_token_available(port, priority)) {
            taken += (unsigned)gm_alloc_send_token(port, priority);
        }
        EXPECT_U64(taken, 30 + priority);
        EXPECT_U64(gm_alloc_send_token(port, priority), 0);
        gm_free_send_token(port, priority);
        EXPECT_U64(gm_alloc_send_token(port, priority), 1);
    }
    gm_free_send_tokens(port, 2, 5);
    gm_free_send_token(port, ~0u);
    EXPECT_U64(gm_send_token_available(port, 2), 0);
    EXPECT_U64(gm_alloc_send_token(port, ~0u), 0);
    /* the count does not wrap around, even if the argument is large */
    gm_free_send_tokens(port, 0, ~0u);
    gm_free_send_tokens(port, 0, ~0u);
    EXPECT_U64(gm_send_token_available(port, 0), 1);
}

static void give_back(struct gm_port *port, void *context, gm_status_t status)
{
    count_send(port, context, status);
    gm_free_send_token(port, GM_LOW_PRIORITY);
}

/*
 * GM counts only the sends that the program reports to GM, so the callback
 * itself must free the token.
 */
RULE(give_back, 1, NULL)
{
    OPEN_WITH_MEMORY(64);
    unsigned i;

    gm_free_send_tokens(port, GM_LOW_PRIORITY, 2);
    give_buffers(port, 10, 5, GM_LOW_PRIORITY, 64);
    EXPECT_U64(gm_alloc_send_token(port, GM_LOW_PRIORITY), 1);
    gm_send_with_callback(port, memory, 5, 8, 0, 1, 2, count_send, NULL);
    while (sends_done < 1) {
        gm_unknown(port, gm_receive(port));
    }
    for (i = 2; i < 8; ++i) {
        EXPECT_U64(gm_alloc_send_token(port, GM_LOW_PRIORITY), 1);
        EXPECT_U64(gm_alloc_send_token(port, GM_LOW_PRIORITY), 0);
        gm_send_with_callback(port, memory, 5, 8, 0, 1, 2, give_back, NULL);
        while (sends_done < i) {
            gm_unknown(port, gm_receive(port));
        }
    }
}

RULE(send_violation, 1, NULL)
{
    OPEN_WITH_MEMORY(64);
    unsigned tokens = gm_num_send_tokens(port);
    unsigned i;

    for (i = 0; i < tokens + 3; ++i) {
        gm_send_with_callback(port, memory, 5, 8, 0, 1, 2, count_send, NULL);
        gm_drop_sends(port, 0, 5, 2, count_send, NULL);
        gm_get(port, 0, memory, 8, 0, 5, 2, count_send, NULL);
        gm_datagram_send_4(port, 8, 5, 4, 0, 5, 2, count_send, NULL);
        gm_send(port, memory, 5, 8, 0, 5, 2);
    }
    EXPECT_TYPE(gm_receive(port), GM_SEND_TOKEN_VIOLATION_EVENT);
    EXPECT(GM_RECV_EVENT_TYPE(gm_receive(port)) !=
           GM_SEND_TOKEN_VIOLATION_EVENT); /* a single event reports all these
                                            * violations */
}

RULE(receive_violation, 1, NULL)
{
    OPEN_WITH_MEMORY(64);
    unsigned i;

    for (i = 0; i < gm_num_receive_tokens(port); ++i) {
        gm_provide_receive_buffer(port, memory, 5, i % 2);
    }
    EXPECT_TYPE(gm_receive(port), GM_NO_RECV_EVENT);
    gm_provide_receive_buffer(port, memory, 5, 0);
    EXPECT_TYPE(gm_receive(port), GM_RECV_TOKEN_VIOLATION_EVENT);
    gm_send_with_callback(port, memory + 32, 5, 8, 0, 1, 2, count_send, NULL);
    EXPECT_U64(gm_ntohl(next_message(port)->recv.length), 8);
    finish_sends(port, 1);
    /* now the token is available again */
    gm_provide_receive_buffer(port, memory, 5, 0);
    EXPECT_TYPE(gm_receive(port), GM_NO_RECV_EVENT);
}

RULE(bad_receive_token, 1, NULL)
{
    static const struct {
        unsigned size, priority;
    } wrong[] = {{32, 0}, {255, 0}, {~0u, 0}, {5, 2}, {5, ~0u}};
    OPEN_WITH_MEMORY(64);
    unsigned i;

    for (i = 0; i < GM_NUM_ELEM(wrong); ++i) {
        gm_provide_receive_buffer(port, memory, wrong[i].size,
                                  wrong[i].priority);
        EXPECT_TYPE(gm_receive(port), GM_BAD_RECV_TOKEN_EVENT);
    }
    gm_provide_receive_buffer(port, NULL, 5, 0);
    EXPECT_TYPE(gm_receive(port), GM_BAD_RECV_TOKEN_EVENT);
    EXPECT_TYPE(gm_receive(port), GM_NO_RECV_EVENT);
}

RULE(alarm_violation, 1, NULL)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    gm_alarm_t alarm;

    gm_initialize_alarm(&alarm);
    gm_set_alarm(port, NULL, 5, NULL, NULL);
    EXPECT_TYPE(gm_receive(port), GM_ALARM_VIOLATION_EVENT);
    gm_set_alarm(port, &alarm, 5, NULL, NULL);
    EXPECT_U64(alarm.state, GM_ALARM_FREE);
    EXPECT_TYPE(gm_receive(port), GM_ALARM_VIOLATION_EVENT);
    gm_unknown(port, gm_receive(port));
}

/* The sender's callback receives the status, and the port receives the
 * event. */
RULE(bad_send_memory, 1, NULL)
{
    static unsigned char own[8192];
    static unsigned char *const wrong[] = {own, (unsigned char *)1,
                                           (unsigned char *)~(uintptr_t)15};
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned i, events = 0;

    give_buffers(port, 5, 6, GM_LOW_PRIORITY, 64);
    for (i = 0; i < GM_NUM_ELEM(wrong); ++i) {
        gm_send_with_callback(port, wrong[i], 6, 40, 0, 1, 2, count_send, NULL);
        while (sends_done < i + 1) {
            gm_unknown(port, gm_blocking_receive(port));
        }
        EXPECT_U64(last_status, GM_MEMORY_FAULT);
        events += GM_RECV_EVENT_TYPE(gm_receive(port)) == GM_BAD_SEND_VMA_EVENT;
        gm_drop_sends(port, 0, 1, 2, NULL, NULL);
        pass(port, MS);
    }
    EXPECT_U64(events, GM_NUM_ELEM(wrong));
    EXPECT_U64(gm_register_memory(port, own, sizeof(own)), GM_SUCCESS);
    gm_send_with_callback(port, own, 6, 40, 0, 1, 2, count_send, NULL);
    finish_sends(port, i + 1);
    EXPECT_U64(last_status, GM_SUCCESS);
}

RULE(bad_receive_memory, 1, NULL)
{
    static unsigned char own[8192];
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);

    gm_provide_receive_buffer(port, own, 5, 0);
    EXPECT_TYPE(gm_receive(port), GM_BAD_RECV_VMA_EVENT);
    gm_provide_receive_buffer(port, (void *)8, 5, 0);
    EXPECT_TYPE(gm_receive(port), GM_BAD_RECV_VMA_EVENT);
    gm_unknown(port, gm_receive(port));
    EXPECT_TYPE(gm_receive(port), GM_NO_RECV_EVENT);
}

RULE(tags, 1, NULL)
{
    static const unsigned tags[] = {0, 1, 255, 256, ~0u, 0x1234};
    OPEN_WITH_MEMORY(64);
    unsigned i;

    for (i = 0; i < GM_NUM_ELEM(tags); ++i) {
        gm_provide_receive_buffer_with_tag(port, memory, 5, 0, tags[i]);
        gm_send_with_callback(port, memory + 32, 5, 8, 0, 1, 2, count_send,
                              NULL);
        EXPECT_U64(gm_ntohc(next_message(port)->recv.tag), tags[i] & 0xff);
    }
    gm_provide_receive_buffer(port, memory, 5, 0);
    gm_send_with_callback(port, memory + 32, 5, 8, 0, 1, 2, count_send, NULL);
    EXPECT_U64(gm_ntohc(next_message(port)->recv.tag), 0);
}

static void note_alarm(void *context)
{
    ++*(unsigned *)context;
}

/* All possible events occur before the program reads any of them. */
RULE(no_overflow, 1, NULL)
{
    OPEN_WITH_MEMORY(64);
    unsigned tokens = gm_num_send_tokens(port);
    unsigned received = 0, rung = 0, sent = 0;
    gm_alarm_t alarm;

    gm_initialize_alarm(&alarm);
    give_buffers(port, gm_num_receive_tokens(port), 5, GM_LOW_PRIORITY, 64);
    gm_set_alarm(port, &alarm, 1, note_alarm, &rung);
    while (sent < gm_num_receive_tokens(port)) {
        while (sent < gm_num_receive_tokens(port) &&
               sent < sends_done + tokens) {
            gm_send_with_callback(port, memory, 5, 8, 0, 1, 2, count_send,
                                  NULL);
            ++sent;
        }
        gmsim_compute(20 * MS); /* the program reads no events during this
                                 * time */
        while (sends_done < sent) {
            union gm_recv_event *event = gm_blocking_receive(port);

            received += is_message(event) != 0;
            if (!is_message(event)) {
                gm_unknown(port, event);
            }
        }
    }
    while (gm_receive_pending(port)) {
        received += is_message(gm_receive(port)) != 0;
    }
    EXPECT_U64(received, gm_num_receive_tokens(port));
    EXPECT_U64(rung, 1);
    EXPECT_U64(last_status, GM_SUCCESS);
}

TABLE_BEGIN
ENTRY(counts, "61 send tokens, 254 receive tokens")
ENTRY(shared, "both priorities share the send tokens")
ENTRY(back, "a token returns when gm_unknown() calls the callback")
ENTRY(back_without_callback, "without a callback, the event returns the token")
ENTRY(completion, "at completion, the data are in the remote buffer")
ENTRY(book_keeping, "the library's count of tokens starts at zero")
ENTRY(give_back, "callbacks free the tokens that a program counts")
ENTRY(send_violation, "GM_SEND_TOKEN_VIOLATION_EVENT without a token")
ENTRY(receive_violation, "GM_RECV_TOKEN_VIOLATION_EVENT without a token")
ENTRY(bad_receive_token, "GM_BAD_RECV_TOKEN_EVENT for an invalid buffer")
ENTRY(alarm_violation, "GM_ALARM_VIOLATION_EVENT for an invalid alarm")
ENTRY(bad_send_memory, "GM_BAD_SEND_VMA_EVENT for unregistered memory")
ENTRY(bad_receive_memory, "GM_BAD_RECV_VMA_EVENT for unregistered memory")
ENTRY(tags, "the 8 bits of a tag are returned; without a tag: 0")
ENTRY(no_overflow, "the queue of events cannot overflow")
TABLE_END("GM 1.3 tokens")
