/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests section 1.5 of the rules for GM: the layout, numbers and kinds of
 * events, and the receive functions.
 */
#define _GNU_SOURCE
#include "rules.h"

#include <stddef.h>

RULE(layout, 1, NULL)
{
    union gm_recv_event event;

    EXPECT_U64(sizeof(event), 64);
    EXPECT_U64(offsetof(gm_recv_t, type), 63);
    EXPECT_U64(offsetof(gm_failed_send_event_t, type), 63);
    EXPECT_U64(offsetof(gm_sent_event_t, type), 63);
    EXPECT_U64(offsetof(gm_flushed_alarm_event_t, type), 63);
    EXPECT_U64(offsetof(gm_fatal_firmware_error_event_t, type), 63);
    EXPECT_U64(offsetof(gm_tokens_sent_event_t, type), 63);
    EXPECT_U64(offsetof(gm_ethernet_recv_t, type), 63);
    memset(&event, 0, sizeof(event));
    ((unsigned char *)&event)[63] = 17;
    EXPECT_TYPE(&event, 17);
}

RULE(numbers, 1, NULL)
{
    static const unsigned types[] = {GM_NO_RECV_EVENT,
                                     0,
                                     GM_SENDS_FAILED_EVENT,
                                     1,
                                     GM_ALARM_EVENT,
                                     2,
                                     GM_SENT_EVENT,
                                     3,
                                     _GM_SLEEP_EVENT,
                                     4,
                                     GM_RAW_RECV_EVENT,
                                     5,
                                     GM_BAD_SEND_DETECTED_EVENT,
                                     6,
                                     GM_SEND_TOKEN_VIOLATION_EVENT,
                                     7,
                                     GM_RECV_TOKEN_VIOLATION_EVENT,
                                     8,
                                     GM_BAD_RECV_TOKEN_EVENT,
                                     9,
                                     GM_ALARM_VIOLATION_EVENT,
                                     10,
                                     GM_RECV_EVENT,
                                     11,
                                     GM_HIGH_RECV_EVENT,
                                     12,
                                     GM_PEER_RECV_EVENT,
                                     13,
                                     GM_HIGH_PEER_RECV_EVENT,
                                     14,
                                     GM_FAST_RECV_EVENT,
                                     15,
                                     GM_FAST_HIGH_RECV_EVENT,
                                     16,
                                     GM_FAST_PEER_RECV_EVENT,
                                     17,
                                     GM_FAST_HIGH_PEER_RECV_EVENT,
                                     18,
                                     GM_REJECTED_SEND_EVENT,
                                     19,
                                     GM_ORPHANED_SEND_EVENT,
                                     20,
                                     GM_BAD_RESEND_EVENT,
                                     24,
                                     GM_DROPPED_SEND_EVENT,
                                     25,
                                     GM_BAD_SEND_VMA_EVENT,
                                     26,
                                     GM_BAD_RECV_VMA_EVENT,
                                     27,
                                     _GM_FLUSHED_ALARM_EVENT,
                                     28,
                                     GM_SENT_TOKENS_EVENT,
                                     29,
                                     GM_IGNORE_RECV_EVENT,
                                     30,
                                     GM_ETHERNET_RECV_EVENT,
                                     31,
                                     GM_FATAL_FIRMWARE_ERROR_EVENT,
                                     32,
                                     GM_NEW_NO_RECV_EVENT,
                                     128,
                                     GM_NEW_RECV_EVENT,
                                     128 + 11,
                                     GM_NEW_FAST_HIGH_PEER_RECV_EVENT,
                                     128 + 18,
                                     GM_NEW_FATAL_FIRMWARE_ERROR_EVENT,
                                     128 + 32};
    unsigned i;

    for (i = 0; i < GM_NUM_ELEM(types); i += 2) {
        EXPECT_U64(types[i], types[i + 1]);
    }
}

RULE(nothing, 1, NULL)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned i;

    for (i = 0; i < 100; ++i) {
        union gm_recv_event *event = gm_receive(port);

        EXPECT(event != NULL);
        EXPECT_TYPE(event, GM_NO_RECV_EVENT);
        gm_unknown(port, event);
    }
    EXPECT(gmsim_time_ps() < 20 * MS);
}

/*
 * A message arrives as one of eight kinds of events. The kind depends on the
 * length and priority of the message, and on whether the port numbers at both
 * ends are equal.
 */
RULE(eight_kinds, 1, NULL)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    struct gm_port *other = NULL;
    unsigned char *memory = gm_dma_malloc(port, 512);
    unsigned char *buffer = gm_dma_malloc(port, 512);
    unsigned kind;

    EXPECT_U64(gm_open(&other, 0, 4, "x", GM_API_VERSION), GM_SUCCESS);
    EXPECT_U64(gm_register_memory(other, memory, 512), GM_SUCCESS);
    memset(memory, 0x5c, 512);
    for (kind = 0; kind < 8; ++kind) {
        unsigned is_high = kind & 1, is_peer = kind >> 1 & 1;
        unsigned is_fast = kind >> 2;
        gm_size_t length = is_fast ? 128 : 129;
        union gm_recv_event *event;

        memset(buffer, 0, 512);
        gm_provide_receive_buffer_with_tag(port, buffer, 9, is_high, 200);
        gm_send_with_callback(is_peer ? port : other, memory, 9, length,
                              is_high, me.node_id, me.port, count_send, NULL);
        event = next_message(port);
        EXPECT_TYPE(event, GM_RECV_EVENT + kind);
        EXPECT_U64(gm_ntoh_u32(event->recv.length), length);
        EXPECT_U64(gm_ntoh_u16(event->recv.sender_node_id), me.node_id);
        EXPECT_U64(gm_ntoh_u8(event->recv.sender_port_id), is_peer ? 2 : 4);
        EXPECT_U64(gm_ntoh_u8(event->recv.tag), 200);
        EXPECT_U64(gm_ntoh_u8(event->recv.size), 9);
        EXPECT(gm_ntohp(event->recv.buffer) == buffer);
        EXPECT((gm_ntohp(event->recv.message) == buffer) == !is_fast);
        EXPECT_U64(((unsigned char *)gm_ntohp(event->recv.message))[127], 0x5c);
        EXPECT_U64(buffer[127], is_fast ? 0 : 0x5c);
        EXPECT_U64(buffer[129], 0);
        pass(port, MS);
        pass(other, MS);
    }
    EXPECT_U64(sends_done, 8);
}

RULE(memorize, 1, NULL)
{
    char message[16] = "a message";
    char buffer[16] = "";

    EXPECT(gm_memorize_message(message, buffer, 10) == buffer);
    EXPECT(strcmp(buffer, "a message") == 0);
    EXPECT(gm_memorize_message(buffer, buffer, 10) == buffer);
    EXPECT(strcmp(buffer, "a message") == 0);
}

/* The data of a short message are contained in the event. The posted buffer is
 * unchanged until the program copies the data. */
RULE(fast, 1, NULL)
{
    OPEN_WITH_MEMORY(256);
    union gm_recv_event *event;
    unsigned char *message;

    memset(memory, 1, 64);
    memset(memory + 64, 2, 64);
    gm_provide_receive_buffer(port, memory + 128, 7, 0);
    gm_provide_receive_buffer(port, memory + 192, 7, 0);
    send_to(port, 0, memory, 7, 64);
    send_to(port, 0, memory + 64, 7, 64);
    event = next_message(port);
    message = gm_ntohp(event->recv.message);
    EXPECT_U64(message[63], 1);
    EXPECT_U64(memory[191], 0);
    /* the next receive call overwrites the data of the previous event */
    event = next_message(port);
    EXPECT_U64(((unsigned char *)gm_ntohp(event->recv.message))[63], 2);
    EXPECT_U64(memory[191], 0);
}

/*
 * A program may handle only RECV and HIGH_RECV events itself, and pass all
 * other events to gm_unknown(). A message of 40 bytes is FAST, and a message of
 * 200 bytes is not.
 */
RULE(plain, 1, NULL)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    struct gm_port *other = NULL;
    unsigned char *memory = gm_dma_malloc(port, 256);
    unsigned char *buffer = gm_dma_malloc(port, 256);
    unsigned type;

    EXPECT_U64(gm_open(&other, 0, 4, "x", GM_API_VERSION), GM_SUCCESS);
    EXPECT_U64(gm_register_memory(other, memory, 256), GM_SUCCESS);
    memset(memory, 0x3c, 256);
    for (type = GM_PEER_RECV_EVENT; type <= GM_FAST_HIGH_PEER_RECV_EVENT;
         ++type) {
        unsigned kind = type - GM_RECV_EVENT;
        unsigned is_high = kind & 1, is_peer = kind >> 1 & 1;
        gm_size_t length = type >= GM_FAST_RECV_EVENT ? 40 : 200;
        union gm_recv_event *event;

        memset(buffer, 0, 256);
        gm_provide_receive_buffer_with_tag(port, buffer, 8, is_high, 77);
        gm_send_with_callback(is_peer ? port : other, memory, 8, length,
                              is_high, me.node_id, me.port, count_send, NULL);
        event = next_message(port);
        EXPECT_TYPE(event, type);
        gm_unknown(port, event);
        gm_unknown(port, event); /* the second call has no effect */
        EXPECT_U64(gm_receive_pending(port), 1);
        EXPECT_U64(gm_next_event_peek(port, NULL), GM_RECV_EVENT + is_high);
        event = gm_receive(port);
        EXPECT_TYPE(event, GM_RECV_EVENT + is_high);
        EXPECT(gm_ntohp(event->recv.message) == buffer);
        EXPECT(gm_ntohp(event->recv.buffer) == buffer);
        EXPECT_U64(gm_ntohl(event->recv.length), length);
        EXPECT_U64(gm_ntohc(event->recv.size), 8);
        EXPECT_U64(gm_ntohc(event->recv.tag), 77);
        EXPECT_U64(gm_ntohs(event->recv.sender_node_id), me.node_id);
        EXPECT_U64(gm_ntohc(event->recv.sender_port_id), is_peer ? 2 : 4);
        EXPECT_U64(buffer[length - 1], 0x3c);
        EXPECT_U64(buffer[length], 0);
        gm_unknown(port, event); /* a plain message is ignored */
        pass(port, MS);
        pass(other, MS);
        EXPECT_TYPE(gm_receive(port), GM_NO_RECV_EVENT);
    }
}

/* Properties of the messages that the two clients below exchange
 * alternately. */
static unsigned clients_length(unsigned number)
{
    return number >> 1 & 1 ? 600 + number : 8 + number;
}

static unsigned clients_priority(unsigned number)
{
    return number >> 2 & 1;
}

static unsigned char clients_byte(unsigned number, unsigned index)
{
    return (unsigned char)(number * 31 + index);
}

/* Check a message from the other client, and provide its buffer again. */
static void clients_take(struct gm_port *port, union gm_recv_event *event,
                         const unsigned char *data, unsigned number)
{
    unsigned length = gm_ntohl(event->recv.length), i, errors = 0;

    EXPECT_U64(length, clients_length(number));
    for (i = 0; i < length; ++i) {
        errors += data[i] != clients_byte(number, i);
    }
    EXPECT_U64(errors, 0);
    gm_provide_receive_buffer(port, gm_ntohp(event->recv.buffer),
                              gm_ntohc(event->recv.size),
                              clients_priority(number));
}

/* Wait for a message as ParaStation, netgauge and the OrangeFS driver do:
 * handle two kinds of events, and pass all other events to gm_unknown(). */
static void clients_wait_plain(struct gm_port *port, unsigned number)
{
    for (;;) {
        union gm_recv_event *event = gm_receive(port);

        switch (gm_ntohc(event->recv.type)) {
        case GM_RECV_EVENT:
        case GM_HIGH_RECV_EVENT:
            clients_take(port, event, gm_ntohp(event->recv.buffer), number);
            return;
        default:
            gm_unknown(port, event);
        }
    }
}

/* Wait for a message as Open MPI does: handle all eight kinds of events. */
static void clients_wait_eight(struct gm_port *port, unsigned number)
{
    for (;;) {
        union gm_recv_event *event = gm_receive(port);
        unsigned type = gm_ntohc(event->recv.type);

        if (type >= GM_RECV_EVENT && type <= GM_FAST_HIGH_PEER_RECV_EVENT) {
            clients_take(port, event, gm_ntohp(event->recv.message), number);
            return;
        }
        gm_unknown(port, event);
    }
}

/* The two clients exchange messages of both priorities, some shorter and some
 * longer than FAST messages can be. Both clients use the same port number. */
RULE(clients, 2, NULL)
{
    OPEN_WITH_MEMORY(40 * 1024);
    unsigned number, i;

    give_buffers(port, 2, 10, GM_LOW_PRIORITY, 1024);
    give_buffers(port, 2, 10, GM_HIGH_PRIORITY, 1024);
    barrier(port, &me);
    for (number = 0; number < 40; ++number) {
        unsigned char *message = memory + 1024ul * number;

        if (number % 2 == rank) {
            for (i = 0; i < clients_length(number); ++i) {
                message[i] = clients_byte(number, i);
            }
            gm_send_with_callback(port, message, 10, clients_length(number),
                                  clients_priority(number), 2 - rank, me.port,
                                  count_send, NULL);
        } else if (rank == 0) {
            clients_wait_plain(port, number);
        } else {
            clients_wait_eight(port, number);
        }
    }
    barrier(port, &me);
    gm_finalize();
}

/* The plain form of the message is the next event; it precedes the event of a
 * send that failed earlier. */
RULE(plain_first, 1, NULL)
{
    OPEN_WITH_MEMORY(64);
    union gm_recv_event *event;
    gm_u16_t sender = 99;

    give_buffers(port, 1, 6, GM_LOW_PRIORITY, 64);
    send_to(port, 0, memory, 6, 8);
    event = next_message(port);
    EXPECT_TYPE(event, GM_FAST_PEER_RECV_EVENT);
    /* this size class does not exist */
    gm_send(port, memory, 99, 8, 0, me.node_id, me.port);
    gm_unknown(port, event);
    EXPECT_U64(gm_next_event_peek(port, &sender), GM_RECV_EVENT);
    EXPECT_U64(sender, me.node_id);
    EXPECT_TYPE(gm_receive(port), GM_RECV_EVENT);
    EXPECT_TYPE(gm_receive(port), GM_SENDS_FAILED_EVENT);
}

/* The receive token returns with the event, which can be plain or FAST. */
RULE(token_back, 1, NULL)
{
    OPEN_WITH_MEMORY(512);
    unsigned i;

    for (i = 0; i < gm_num_receive_tokens(port); ++i) {
        gm_provide_receive_buffer(port, memory, 9, 0);
    }
    for (i = 0; i < 4; ++i) {
        send_to(port, 0, memory + 256, 9, 200 * (i % 2));
        next_message(port);
        finish_sends(port, i + 1);
        gm_provide_receive_buffer(port, memory, 9, 0);
        EXPECT_TYPE(gm_receive(port), GM_NO_RECV_EVENT);
    }
}

RULE(blocking, 2, NULL)
{
    OPEN_WITH_MEMORY(64);

    if (rank == 0) {
        give_buffers(port, 2, 6, GM_LOW_PRIORITY, 64);
        EXPECT(is_message(gm_blocking_receive(port)));
        EXPECT(gmsim_time_ps() >= 5 * MS);
        EXPECT(is_message(gm_blocking_receive_no_spin(port)));
        EXPECT(gmsim_time_ps() >= 10 * MS);
    } else {
        gmsim_compute(5 * MS);
        send_to(port, 0, memory, 6, 8);
        gmsim_compute(5 * MS);
        send_to(port, 0, memory, 6, 8);
        finish_sends(port, 2);
    }
    gm_finalize();
}

RULE(peek, 2, NULL)
{
    OPEN_WITH_MEMORY(64);
    gm_u16_t sender = 99;

    if (rank == 0) {
        give_buffers(port, 1, 6, GM_LOW_PRIORITY, 64);
        EXPECT_U64(gm_receive_pending(port), 0);
        EXPECT_U64(gm_next_event_peek(port, &sender), GM_NO_RECV_EVENT);
        EXPECT_U64(sender, 99);
        gmsim_wait(port);
        EXPECT_U64(gm_receive_pending(port), 1);
        EXPECT_U64(gm_receive_pending(port), 1);
        EXPECT_U64(gm_next_event_peek(port, &sender), GM_FAST_PEER_RECV_EVENT);
        EXPECT_U64(sender, 2);
        EXPECT_U64(gm_next_event_peek(port, NULL), GM_FAST_PEER_RECV_EVENT);
        EXPECT_TYPE(gm_receive(port), GM_FAST_PEER_RECV_EVENT);
        EXPECT_U64(gm_receive_pending(port), 0);
    } else {
        gmsim_compute(5 * MS);
        send_to(port, 0, memory, 6, 8);
        finish_sends(port, 1);
    }
    gm_finalize();
}

/* gm_unknown() accepts every type of event, and memory that was never an
 * event. */
RULE(unknown, 1, NULL)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    union gm_recv_event event;
    unsigned type;

    /* here, gm_unknown() prints a warning on standard error */
    if (freopen("/dev/null", "w", stderr) == NULL) {
        _exit(92);
    }
    for (type = 0; type < 256; ++type) {
        memset(&event, 0xa5, sizeof(event));
        event.recv.type = gm_hton_u8((gm_u8_t)type);
        gm_unknown(port, &event);
        gm_handle_sent_tokens(port, &event);
        gm_handle_put_notification(port, &event);
    }
    gm_unknown(port, NULL);
    if (GM_RECV_EVENT_TYPE(gm_receive(port)) != GM_NO_RECV_EVENT) {
        _exit(93);
    }
}

/* Older programs read the messages of a sent event from a list in the event
 * itself. */
RULE(sent_list, 1, NULL)
{
    OPEN_WITH_MEMORY(512);
    unsigned tokens = gm_num_send_tokens(port);
    unsigned sent = 0, over = 0;

    give_buffers(port, 100, 6, GM_LOW_PRIORITY, 64);
    while (over < 100) {
        union gm_recv_event *event;

        while (sent < 100 && sent < over + tokens) {
            gm_send(port, memory + 4 * sent, 6, 4, 0, me.node_id, me.port);
            ++sent;
        }
        event = gm_blocking_receive(port);
        if (GM_RECV_EVENT_TYPE(event) == GM_SENT_EVENT) {
            const gm_up_n_t *list = gm_ntohp(event->sent.message_list);

            for (; gm_ntohp(*list) != NULL; ++list) {
                EXPECT(gm_ntohp(*list) == memory + 4 * over);
                ++over;
            }
        }
        gm_unknown(port, event);
    }
    gm_send_to_peer(port, memory, 5, 20, 0, me.node_id);
    give_buffers(port, 1, 5, GM_LOW_PRIORITY, 64);
    pass(port, MS);
    gm_allow_remote_memory_access(port);
    gm_directed_send(port, memory, (gm_remote_ptr_t)(uintptr_t)memory + 400, 4,
                     0, me.node_id, me.port);
    EXPECT_TYPE(gm_blocking_receive(port), GM_SENT_EVENT);
}

RULE(failed_send, 1, "parameters:\n  nic_send_timeout_us: 20000\n")
{
    OPEN_WITH_MEMORY(512);
    union gm_recv_event *event;

    gm_set_acceptable_sizes(port, GM_HIGH_PRIORITY, 0);
    gm_send(port, memory, 6, 4, 1, me.node_id, me.port);
    event = gm_blocking_receive(port);
    EXPECT_TYPE(event, GM_REJECTED_SEND_EVENT);
    EXPECT(gm_ntohp(event->failed_send.message) == memory);
    EXPECT_U64(gm_ntoh_u16(event->failed_send.target_node_id), me.node_id);
    EXPECT_U64(gm_ntoh_u8(event->failed_send.target_subport_id),
               me.port << 1 | 1);
    gm_unknown(port, event);
    gm_send(port, memory, 6, 4, 0, 2, 7);
    EXPECT_U64(gm_next_event_peek(port, NULL), GM_NO_RECV_EVENT);
    gmsim_wait(port);
    EXPECT_U64(gm_next_event_peek(port, NULL), GM_SENDS_FAILED_EVENT);
    event = gm_receive(port);
    EXPECT_TYPE(event, GM_SENDS_FAILED_EVENT);
    EXPECT(gm_ntohp(event->failed_send.message) == memory);
    gm_send(port, memory + 8, 6, 4, 0, 2, 7); /* stalled */
    gm_drop_sends(port, 0, 2, 7, count_send, NULL);
    event = gm_blocking_receive(port);
    EXPECT_TYPE(event, GM_SENT_EVENT);
    EXPECT(gm_ntohp(*(gm_up_n_t *)gm_ntohp(event->sent.message_list)) == NULL);
    gm_handle_sent_tokens(port, event);
    EXPECT_U64(sends_done, 1);
    EXPECT_U64(last_status, GM_SUCCESS);
    event = gm_blocking_receive(port);
    EXPECT_TYPE(event, GM_DROPPED_SEND_EVENT);
    EXPECT(gm_ntohp(event->failed_send.message) == memory + 8);
}

/* Several sends fail before the program reads the first event. */
RULE(failures_in_order, 1, NULL)
{
    OPEN_WITH_MEMORY(64);
    unsigned i;

    for (i = 0; i < 5; ++i) {
        /* this size class does not exist */
        gm_send(port, memory + 8 * i, 99, 8, 0, 1, 2);
    }
    for (i = 0; i < 5; ++i) {
        union gm_recv_event *event = gm_receive(port);

        EXPECT_TYPE(event, GM_SENDS_FAILED_EVENT);
        EXPECT(gm_ntohp(event->failed_send.message) == memory + 8 * i);
    }
}

/* A short high-priority message does not wait for a long low-priority
 * message. */
RULE(overtakes, 2, NULL)
{
    OPEN_WITH_MEMORY(1000000);
    unsigned char *small = gm_dma_malloc(port, 64);

    if (rank == 0) {
        gmsim_compute(MS);
        send_to(port, 1, memory, 20, 1000000);
        gmsim_compute(2 * MS);
        gm_send_with_callback(port, small, 6, 8, GM_HIGH_PRIORITY, 2, me.port,
                              count_send, NULL);
        ranks_log[0] = gmsim_time_ps();
        finish_sends(port, 2);
    } else {
        gm_provide_receive_buffer(port, memory, 20, GM_LOW_PRIORITY);
        gm_provide_receive_buffer(port, small, 6, GM_HIGH_PRIORITY);
        EXPECT_U64(gm_ntohl(next_message(port)->recv.length), 8);
        EXPECT(gmsim_time_ps() - ranks_log[0] < 250 * US);
        EXPECT_U64(gm_ntohl(next_message(port)->recv.length), 1000000);
        EXPECT(gmsim_time_ps() - ranks_log[0] > 5 * MS);
    }
    gm_finalize();
}

TABLE_BEGIN
ENTRY(layout, "an event has 64 bytes; the last byte is its type")
ENTRY(numbers, "event types have GM's numbers")
ENTRY(nothing, "gm_receive() never waits and never returns NULL")
ENTRY(eight_kinds, "a receive event can be FAST, HIGH and PEER: eight kinds")
ENTRY(memorize, "gm_memorize_message() copies if necessary")
ENTRY(fast, "a FAST event contains the data, and the buffer is unchanged")
ENTRY(plain, "gm_unknown() makes FAST and PEER events plain")
ENTRY(clients, "programs that handle two or all kinds of events")
ENTRY(plain_first, "after gm_unknown(), the plain event is the next event")
ENTRY(token_back, "a received message returns its token")
ENTRY(blocking, "blocking receives sleep until an event occurs")
ENTRY(peek, "gm_receive_pending() and _peek() change nothing")
ENTRY(unknown, "gm_unknown() accepts every other event")
ENTRY(sent_list, "gm_send(): GM_SENT_EVENT lists sent messages")
ENTRY(failed_send, "gm_send(): failures are reported as events")
ENTRY(failures_in_order, "failures are reported in the order of the sends")
ENTRY(overtakes, "high priority overtakes low between packets")
TABLE_END("GM 1.5 events")
