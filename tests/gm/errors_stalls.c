/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests section 1.7 of the rules for GM: errors, and streams that stall after
 * an error.
 */
#define _GNU_SOURCE
#include "rules.h"

#define SHORT_TIMEOUT "parameters:\n  nic_send_timeout_us: 20000\n"

/* Numbers and statuses of the sends, in the order of their callbacks. */
static unsigned said_count, said[64];
static gm_status_t said_status[64];

static void say(struct gm_port *port, void *context, gm_status_t status)
{
    count_send(port, context, status);
    said[said_count] = (unsigned)(uintptr_t)context;
    said_status[said_count++] = status;
}

static void send_number(struct gm_port *port, void *memory, unsigned number,
                        unsigned priority, unsigned node, unsigned target)
{
    gm_send_with_callback(port, memory, 6, number, priority, node, target, say,
                          (void *)(uintptr_t)number);
}

/* Rank 1 opens its port 7 immediately, but provides buffers only after `ms`
 * milliseconds. */
static void late_target(unsigned ms, unsigned expected, unsigned first)
{
    struct gm_port *port = NULL;
    unsigned i;

    EXPECT_U64(gm_open(&port, 0, 7, "x", GM_API_VERSION), GM_SUCCESS);
    gmsim_compute(ms * MS);
    give_buffers(port, expected + 1, 6, GM_LOW_PRIORITY, 64);
    for (i = 0; i < expected; ++i) {
        EXPECT_U64(gm_ntohl(next_message(port)->recv.length), first + i);
    }
    gmsim_compute(50 * MS);
    EXPECT_U64(gm_receive_pending(port), 0); /* no message may arrive twice */
}

/*
 * A send in one of the port's streams fails. Messages in streams that differ
 * from the failed stream in one property must still be delivered.
 */
RULE(only_that, 3, SHORT_TIMEOUT)
{
    OPEN_WITH_MEMORY(64);

    if (rank == 0) {
        struct gm_port *own = NULL;

        EXPECT_U64(gm_open(&own, 0, 5, "x", GM_API_VERSION), GM_SUCCESS);
        gm_register_memory(own, memory, 64);
        gmsim_compute(MS);
        send_number(port, memory, 1, 0, 2, 7); /* this send fails because the
                                                  port is closed */
        finish_sends(port, 1);
        EXPECT_U64(last_status, GM_SEND_TARGET_PORT_CLOSED);
        send_number(port, memory, 2, 0, 2, 7); /* stalled */
        /* this stream has a different port and priority */
        send_number(port, memory, 3, 1, 2, me.port);
        /* this stream has a different node */
        send_number(port, memory, 4, 0, 3, me.port);
        finish_sends(port, 3);
        EXPECT_U64(last_status, GM_SUCCESS);
        send_number(own, memory, 5, 0, 2, me.port); /* this stream has a
                                                       different sender */
        finish_sends(own, 4);
        EXPECT_U64(last_status, GM_SUCCESS);
        pass(port, 100 * MS);
        /* a message in a stalled stream does not time out */
        EXPECT_U64(sends_done, 4);
        gm_drop_sends(port, 0, 2, 7, NULL, NULL);
        finish_sends(port, 5);
        EXPECT_U64(last_status, GM_SEND_DROPPED);
    } else {
        give_buffers(port, 4, 6, GM_LOW_PRIORITY, 64);
        give_buffers(port, 4, 6, GM_HIGH_PRIORITY, 64);
        next_message(port);
        if (rank == 1) {
            next_message(port);
        }
    }
    gm_finalize();
}

/* Send ten messages to port 7 of rank 1. The first of these messages times
 * out. */
static void send_ten(struct gm_port *port, unsigned char *memory)
{
    unsigned i;

    gmsim_compute(MS);
    for (i = 1; i <= 10; ++i) {
        send_number(port, memory, i, 0, 2, 7);
    }
    finish_sends(port, 1);
    EXPECT_U64(last_status, GM_SEND_TIMED_OUT);
}

RULE(resume, 2, SHORT_TIMEOUT)
{
    gmsim_place_t me;
    struct gm_port *port;
    unsigned char *memory;
    unsigned i;

    if (rank == 1) {
        late_target(60, 9, 2);
        gm_finalize();
        return;
    }
    port = open_port(&me);
    memory = gm_dma_malloc(port, 64);
    send_ten(port, memory);
    pass(port, 40 * MS);
    EXPECT_U64(sends_done, 1);
    gm_resume_sending(port, 0, 2, 7, say, (void *)99);
    finish_sends(port, 11);
    EXPECT_U64(said[0], 1);
    for (i = 1; i < 11; ++i) {
        EXPECT_U64(said_status[i], GM_SUCCESS);
    }
    gm_finalize();
}

RULE(drop, 2, SHORT_TIMEOUT)
{
    gmsim_place_t me;
    struct gm_port *port;
    unsigned char *memory;
    unsigned i;

    if (rank == 1) {
        late_target(60, 1, 20);
        gm_finalize();
        return;
    }
    port = open_port(&me);
    memory = gm_dma_malloc(port, 64);
    send_ten(port, memory);
    gm_drop_sends(port, 0, 2, 7, say, (void *)99);
    finish_sends(port, 11);
    EXPECT_U64(said[1], 99);
    EXPECT_U64(said_status[1], GM_SUCCESS);
    for (i = 2; i <= 10; ++i) {
        EXPECT_U64(said[i], i);
        EXPECT_U64(said_status[i], GM_SEND_DROPPED);
    }
    gmsim_compute(50 * MS);
    send_number(port, memory, 20, 0, 2, 7); /* now the stream works again */
    finish_sends(port, 12);
    EXPECT_U64(last_status, GM_SUCCESS);
    gm_finalize();
}

/*
 * A program can send a command to a stalled stream even while all other tokens
 * are in use, because the command can use the token of the failed send.
 */
RULE(token_for_it, 1, NULL)
{
    OPEN_WITH_MEMORY(64);
    unsigned tokens = gm_num_send_tokens(port);
    unsigned i;

    for (i = 1; i <= tokens; ++i) {
        gm_send_with_callback(port, memory, 6, 8, 0, 2, 7, count_send, NULL);
    }
    finish_sends(port, 1);
    EXPECT_U64(last_status, GM_SEND_TARGET_PORT_CLOSED);
    gm_drop_sends(port, 0, 2, 7, count_send, NULL);
    gm_drop_sends(port, 0, 2, 7, count_send, NULL); /* now all tokens are in
                                                       use */
    EXPECT_TYPE(gm_receive(port), GM_SEND_TOKEN_VIOLATION_EVENT);
    finish_sends(port, tokens + 1);
    EXPECT_U64(last_status, GM_SEND_DROPPED);
}

/*
 * The test recovers from failures as MPICH-GM does. After a failure, the test
 * drops the queued sends. When the drop is complete, the test repeats the
 * failed send. In the callback of each dropped send, the test repeats this
 * send. Every message must arrive once and in order.
 */
static void *retry_memory;
static unsigned retry_round;

static void retry(struct gm_port *port, void *context, gm_status_t status);

static void retry_send(struct gm_port *port, unsigned number)
{
    gm_send_with_callback(port, retry_memory, 6, number, 0, 2, 7, retry,
                          (void *)(uintptr_t)number);
}

static void retry_dropped(struct gm_port *port, void *context,
                          gm_status_t status)
{
    EXPECT_U64(status, GM_SUCCESS);
    retry_send(port, (unsigned)(uintptr_t)context);
}

static void retry(struct gm_port *port, void *context, gm_status_t status)
{
    if (status == GM_SUCCESS) {
        count_send(port, context, status);
    } else if (status == GM_SEND_DROPPED) {
        retry_send(port, (unsigned)(uintptr_t)context);
    } else {
        ++retry_round;
        EXPECT_U64(status, GM_SEND_TIMED_OUT);
        gm_drop_sends(port, 0, 2, 7, retry_dropped, context);
    }
}

RULE(drop_and_retry, 2, SHORT_TIMEOUT)
{
    OPEN_WITH_MEMORY(64);
    unsigned i;

    if (rank == 0) {
        retry_memory = memory;
        gmsim_compute(MS);
        for (i = 1; i <= 10; ++i) {
            retry_send(port, i);
        }
        finish_sends(port, 10);
        EXPECT(retry_round >= 3);
    } else {
        struct gm_port *target = NULL;

        EXPECT_U64(gm_open(&target, 0, 7, "x", GM_API_VERSION), GM_SUCCESS);
        gmsim_compute(100 * MS);
        give_buffers(target, 20, 6, GM_LOW_PRIORITY, 64);
        for (i = 1; i <= 10; ++i) {
            EXPECT_U64(gm_ntohl(next_message(target)->recv.length), i);
        }
        pass(target, 30 * MS);
    }
    gm_finalize();
}

/* Each kind of failure stalls the stream and reports a status. */
static void stalls(struct gm_port *port, void *memory, unsigned size,
                   unsigned node, unsigned target, gm_status_t expected)
{
    unsigned done = sends_done;

    gm_send_with_callback(port, memory, size, 8, 0, node, target, count_send,
                          NULL);
    finish_sends(port, done + 1);
    EXPECT_U64(last_status, expected);
    gm_send_with_callback(port, memory, size, 8, 0, node, target, count_send,
                          NULL);
    pass(port, 5 * MS);
    EXPECT_U64(sends_done, done + 1);
    gm_drop_sends(port, 0, node, target, NULL, NULL);
    finish_sends(port, done + 2);
    EXPECT_U64(last_status, GM_SEND_DROPPED);
    pass(port, MS);
}

RULE(each_failure, 2, SHORT_TIMEOUT)
{
    OPEN_WITH_MEMORY(64);

    if (rank == 0) {
        static unsigned char own[64];

        gmsim_compute(MS);
        stalls(port, memory, 6, 2, 7, GM_SEND_TARGET_PORT_CLOSED);
        stalls(port, memory, 6, 2, me.port, GM_SEND_TIMED_OUT);
        stalls(port, memory, 5, 2, me.port, GM_SEND_REJECTED);
        stalls(port, own, 6, 2, me.port, GM_MEMORY_FAULT);
    } else {
        gm_set_acceptable_sizes(port, GM_LOW_PRIORITY, 1u << 6);
        gmsim_compute(300 * MS);
    }
    gm_finalize();
}

RULE(unreachable, 2,
     SHORT_TIMEOUT "faults:\n  events:\n    - {at_us: 2000, node: 2}\n")
{
    OPEN_WITH_MEMORY(64);

    give_buffers(port, 2, 6, GM_LOW_PRIORITY, 64);
    if (rank == 0) {
        gmsim_compute(MS);
        send_to(port, 1, memory, 6, 8);
        finish_sends(port, 1);
        EXPECT_U64(last_status, GM_SUCCESS);
        gmsim_compute(3 * MS);
        stalls(port, memory, 6, 2, me.port, GM_SEND_TARGET_NODE_UNREACHABLE);
    } else {
        next_message(port);
        gmsim_compute(300 * MS);
    }
    gm_finalize();
}

/*
 * Drop or resume a stream that is not stalled, and a stream that does not
 * exist.
 */
RULE(needless, 1, NULL)
{
    OPEN_WITH_MEMORY(64);

    give_buffers(port, 4, 6, GM_LOW_PRIORITY, 64);
    send_to(port, 0, memory, 6, 8);
    gm_drop_sends(port, 0, me.node_id, me.port, count_send, NULL);
    gm_resume_sending(port, 0, me.node_id, me.port, count_send, NULL);
    send_to(port, 0, memory, 6, 9);
    EXPECT_U64(gm_ntohl(next_message(port)->recv.length), 8);
    EXPECT_U64(gm_ntohl(next_message(port)->recv.length), 9);
    finish_sends(port, 4);
    EXPECT_U64(last_status, GM_SUCCESS);
    gm_drop_sends(port, 2, 1, 2, count_send, NULL);
    finish_sends(port, 5);
    EXPECT_U64(last_status, GM_INVALID_PARAMETER);
    gm_resume_sending(port, 0, 17, 2, count_send, NULL);
    finish_sends(port, 6);
    EXPECT_U64(last_status, GM_INVALID_PARAMETER);
    gm_drop_sends(port, 0, 1, 8, count_send, NULL);
    finish_sends(port, 7);
    EXPECT_U64(last_status, GM_INVALID_PARAMETER);
    gm_drop_sends(port, 0, 16, 7, count_send, NULL); /* this stream was never
                                                      * used */
    finish_sends(port, 8);
    EXPECT_U64(last_status, GM_SUCCESS);
}

/*
 * A send with invalid arguments is the program's fault and does not stall the
 * stream.
 */
RULE(arguments, 1, NULL)
{
    OPEN_WITH_MEMORY(64);
    unsigned done = 0, i;

    give_buffers(port, 40, 6, GM_LOW_PRIORITY, 64);
    for (i = 0; i < 32; ++i) {
        unsigned node = i & 1 ? ~0u : me.node_id;
        unsigned target = i & 2 ? ~0u : me.port;
        unsigned priority = i & 4 ? ~0u : 0;
        unsigned size = i & 8 ? ~0u : 6;
        gm_size_t length = i & 16 ? 0xffffffff : 8;

        gm_send_with_callback(port, memory, size, length, priority, node,
                              target, count_send, NULL);
        finish_sends(port, ++done);
        EXPECT_U64(last_status, i == 0 ? GM_SUCCESS : GM_INVALID_PARAMETER);
        send_to(port, 0, memory, 6, 8);
        finish_sends(port, ++done);
        EXPECT_U64(last_status, GM_SUCCESS);
    }
}

RULE(numbers, 1, NULL)
{
    static const unsigned statuses[] = {GM_SUCCESS,
                                        GM_FAILURE,
                                        GM_INPUT_BUFFER_TOO_SMALL,
                                        GM_OUTPUT_BUFFER_TOO_SMALL,
                                        GM_TRY_AGAIN,
                                        GM_BUSY,
                                        GM_MEMORY_FAULT,
                                        GM_INTERRUPTED,
                                        GM_INVALID_PARAMETER,
                                        GM_OUT_OF_MEMORY,
                                        GM_INVALID_COMMAND,
                                        GM_PERMISSION_DENIED,
                                        GM_INTERNAL_ERROR,
                                        GM_UNATTACHED,
                                        GM_UNSUPPORTED_DEVICE,
                                        GM_SEND_TIMED_OUT,
                                        GM_SEND_REJECTED,
                                        GM_SEND_TARGET_PORT_CLOSED,
                                        GM_SEND_TARGET_NODE_UNREACHABLE,
                                        GM_SEND_DROPPED,
                                        GM_SEND_PORT_CLOSED,
                                        GM_NODE_ID_NOT_YET_SET,
                                        GM_STILL_SHUTTING_DOWN,
                                        GM_CLONE_BUSY,
                                        GM_NO_SUCH_DEVICE,
                                        GM_ABORTED,
                                        GM_INCOMPATIBLE_LIB_AND_DRIVER,
                                        GM_UNTRANSLATED_SYSTEM_ERROR,
                                        GM_ACCESS_DENIED,
                                        GM_NO_DRIVER_SUPPORT,
                                        GM_PTE_REF_CNT_OVERFLOW,
                                        GM_NOT_SUPPORTED_IN_KERNEL,
                                        GM_NOT_SUPPORTED_ON_ARCH,
                                        GM_NO_MATCH,
                                        GM_USER_ERROR,
                                        GM_TIMED_OUT,
                                        GM_DATA_CORRUPTED,
                                        GM_HARDWARE_FAULT,
                                        GM_SEND_ORPHANED,
                                        GM_MINOR_OVERFLOW,
                                        GM_PAGE_TABLE_FULL,
                                        GM_UC_ERROR,
                                        GM_INVALID_PORT_NUMBER,
                                        GM_DEV_NOT_FOUND,
                                        GM_FIRMWARE_NOT_RUNNING,
                                        GM_YP_NO_MATCH,
                                        GM_SRAM_PARITY_ERROR,
                                        GM_FIRMWARE_ABORT};
    unsigned i, j;

    EXPECT_U64(GM_NUM_ELEM(statuses), GM_NUM_STATUS_CODES);
    for (i = 0; i < GM_NUM_ELEM(statuses); ++i) {
        EXPECT_U64(statuses[i], i);
        for (j = 0; j < i; ++j) {
            EXPECT(strcmp(gm_strerror((gm_status_t)i),
                          gm_strerror((gm_status_t)j)) != 0);
        }
    }
    EXPECT(gm_strerror((gm_status_t)-1) != NULL);
    EXPECT(gm_strerror(GM_NUM_STATUS_CODES) != NULL);
}

TABLE_BEGIN
ENTRY(only_that, "only the stream that failed stalls")
ENTRY(resume, "after a resume, queued sends are sent in order")
ENTRY(drop, "a drop ends all queued sends; the stream works again")
ENTRY(token_for_it, "a command can use the token of the failed send")
ENTRY(drop_and_retry, "dropped sends can be repeated from the callbacks")
ENTRY(each_failure, "each failure stalls its stream, with its own status")
ENTRY(unreachable,
      "a send to a dead host stalls its stream with a distinct status")
ENTRY(needless, "commands do not affect streams that are not stalled")
ENTRY(arguments, "invalid arguments stall nothing")
ENTRY(numbers, "status codes have GM's numbers; each has a text")
TABLE_END("GM 1.7 errors and stalls")
