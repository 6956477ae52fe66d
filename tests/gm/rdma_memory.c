/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests section 1.8 of the rules for GM: puts, gets, and other accesses to
 * remote memory.
 */
#define _GNU_SOURCE
#include "rules.h"

#include <sys/mman.h>

#define PAGE 4096u

/*
 * Rank 1 permits access to `bytes` of its memory, and sends the address to rank
 * 0.
 */
static unsigned char *lent;

static gm_remote_ptr_t borrow(struct gm_port *port)
{
    gm_u64_t address;

    gm_provide_receive_buffer(port, gm_dma_malloc(port, 64), 4, 0);
    memcpy(&address, gm_ntohp(next_message(port)->recv.message),
           sizeof(address));
    return address;
}

static void lend(struct gm_port *port, gm_size_t bytes)
{
    gm_u64_t *out = gm_dma_malloc(port, 64);
    gm_size_t i;

    lent = gm_dma_malloc(port, bytes);
    for (i = 0; i < bytes; ++i) {
        lent[i] = (unsigned char)(i * 7);
    }
    *out = (gm_u64_t)(uintptr_t)lent;
    send_to(port, 0, out, 4, sizeof(*out));
    finish_sends(port, sends_done + 1);
}

static unsigned differs(const unsigned char *bytes, gm_size_t length,
                        unsigned offset)
{
    unsigned count = 0;
    gm_size_t i;

    for (i = 0; i < length; ++i) {
        count += bytes[i] != (unsigned char)((i + offset) * 7);
    }
    return count;
}

static const unsigned lengths[] = {1, 7, 4096, 4097, 100000};

/* Both put functions transfer the bytes, and the target receives no event. */
RULE(put, 2, NULL)
{
    OPEN_WITH_MEMORY(100000);
    gm_remote_ptr_t remote;
    unsigned i;

    if (rank == 1) {
        gm_allow_remote_memory_access(port);
        lend(port, 2 * 100000 + 64);
        memset(lent, 0xee, 2 * 100000 + 64);
        pass(port, 100 * MS);
        EXPECT_U64(gm_receive_pending(port), 0);
        for (i = 0; i < 2; ++i) {
            EXPECT_U64(differs(lent + i * 100001 + 3, 100000, 0), 0);
        }
        EXPECT_U64(lent[2], 0xee);
        EXPECT_U64(lent[100003], 0xee);
        EXPECT_U64(lent[200004], 0xee);
        gm_finalize();
        return;
    }
    remote = borrow(port);
    for (i = 0; i < 100000; ++i) {
        memory[i] = (unsigned char)(i * 7);
    }
    gmsim_compute(10 * MS);
    gm_directed_send_with_callback(port, memory, remote + 3, 100000, 0, 2,
                                   me.port, count_send, NULL);
    gm_put(port, memory, remote + 100004, 100000, 0, 2, me.port, count_send,
           NULL);
    finish_sends(port, 2);
    EXPECT_U64(last_status, GM_SUCCESS);
    gm_finalize();
}

RULE(get, 2, NULL)
{
    OPEN_WITH_MEMORY(100064);
    gm_remote_ptr_t remote;
    unsigned i;

    if (rank == 1) {
        gm_allow_remote_memory_access(port);
        lend(port, 200000);
        pass(port, 200 * MS);
        EXPECT_U64(differs(lent, 200000, 0), 0);
        gm_finalize();
        return;
    }
    remote = borrow(port);
    for (i = 0; i < GM_NUM_ELEM(lengths); ++i) {
        memset(memory, 0xee, 100064);
        gm_get(port, remote + 5 * i, memory + 9, lengths[i], 0, 2, me.port,
               count_send, NULL);
        finish_sends(port, i + 1);
        EXPECT_U64(last_status, GM_SUCCESS);
        EXPECT_U64(memory[8], 0xee);
        EXPECT_U64(differs(memory + 9, lengths[i], 5 * i), 0);
        EXPECT_U64(memory[9 + lengths[i]], 0xee);
    }
    gm_finalize();
}

/* Puts and gets can also access private memory. */
RULE(private_memory, 2, NULL)
{
    static unsigned char own[20000]; /* the address is the same in both (forked)
                                      * ranks */
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned i;

    EXPECT_U64(gm_register_memory(port, own, sizeof(own)), GM_SUCCESS);
    gm_allow_remote_memory_access(port);
    if (rank == 1) {
        for (i = 0; i < sizeof(own); ++i) {
            own[i] = (unsigned char)(i * 7);
        }
        pass(port, 20 * MS);
        EXPECT_U64(differs(own + 10000, 5000, 100), 0);
    } else {
        gmsim_compute(2 * MS);
        gm_get(port, (gm_remote_ptr_t)(uintptr_t)(own + 100), own, 5000, 0, 2,
               me.port, count_send, NULL);
        finish_sends(port, 1);
        EXPECT_U64(differs(own, 5000, 100), 0);
        gm_put(port, own, (gm_remote_ptr_t)(uintptr_t)(own + 10000), 5000, 0, 2,
               me.port, count_send, NULL);
        finish_sends(port, 2);
        EXPECT_U64(last_status, GM_SUCCESS);
    }
    gm_finalize();
}

/*
 * A put is followed by a message. When the message arrives, the data of the put
 * must be in memory.
 */
RULE(ordered, 2, NULL)
{
    OPEN_WITH_MEMORY(50000);
    gm_remote_ptr_t remote;
    unsigned i;

    if (rank == 1) {
        gm_allow_remote_memory_access(port);
        give_buffers(port, 10, 6, GM_LOW_PRIORITY, 64);
        lend(port, 50000);
        for (i = 1; i <= 10; ++i) {
            EXPECT_U64(gm_ntohl(next_message(port)->recv.length), i);
            EXPECT(lent[0] >= i && lent[49999] >= i);
        }
        gm_finalize();
        return;
    }
    remote = borrow(port);
    for (i = 1; i <= 10; ++i) {
        memset(memory, (int)i, 50000);
        gm_put(port, memory, remote, 50000, 0, 2, me.port, count_send, NULL);
        send_to(port, 1, memory, 6, i);
        finish_sends(port, 2 * i);
        EXPECT_U64(last_status, GM_SUCCESS);
    }
    gm_finalize();
}

RULE(tokens, 1, NULL)
{
    OPEN_WITH_MEMORY(128);
    gm_remote_ptr_t remote = (gm_remote_ptr_t)(uintptr_t)memory;
    unsigned tokens = gm_num_send_tokens(port);
    unsigned i;

    gm_allow_remote_memory_access(port);
    for (i = 0; i < tokens; ++i) {
        if (i % 2 == 0) {
            gm_put(port, memory, remote + 64, 8, 0, 1, 2, count_send, NULL);
        } else {
            gm_get(port, remote, memory + 64, 8, 0, 1, 2, count_send, NULL);
        }
    }
    EXPECT_U64(GM_RECV_EVENT_TYPE(gm_receive(port)) ==
                   GM_SEND_TOKEN_VIOLATION_EVENT,
               0);
    gm_put(port, memory, remote + 64, 8, 0, 1, 2, count_send, NULL);
    gm_put(port, memory, remote + 64, 8, 0, 1, 2, count_send, NULL);
    gm_put(port, memory, remote + 64, 8, 0, 1, 2, count_send, NULL);
    i = 0;
    while (sends_done < tokens) {
        union gm_recv_event *event = gm_blocking_receive(port);

        i += GM_RECV_EVENT_TYPE(event) == GM_SEND_TOKEN_VIOLATION_EVENT;
        if (GM_RECV_EVENT_TYPE(event) != GM_SEND_TOKEN_VIOLATION_EVENT) {
            gm_unknown(port, event);
        }
    }
    EXPECT_U64(i, 1);
}

/* The target does not permit this put or this get. */
static void refused(struct gm_port *port, unsigned char *memory,
                    gm_remote_ptr_t remote, gm_size_t length, unsigned target)
{
    unsigned done = sends_done;

    memset(memory, 0xcd, length);
    gm_put(port, memory, remote, length, 0, 2, target, count_send, NULL);
    finish_sends(port, done + 1);
    EXPECT_U64(last_status, GM_SEND_REJECTED);
    gm_drop_sends(port, 0, 2, target, NULL, NULL);
    gm_get(port, remote, memory, length, 0, 2, target, count_send, NULL);
    finish_sends(port, done + 2);
    EXPECT_U64(last_status, GM_SEND_REJECTED);
    gm_drop_sends(port, 0, 2, target, NULL, NULL);
    EXPECT_U64(memory[0], 0xcd);
    EXPECT_U64(memory[length - 1], 0xcd);
}

RULE(permission, 2, NULL)
{
    OPEN_WITH_MEMORY(10000);
    gm_remote_ptr_t remote;

    if (rank == 1) {
        lend(port, 10000);
        pass(port, 100 * MS);
        EXPECT_U64(differs(lent, 10000, 0), 0);
        gm_finalize();
        return;
    }
    remote = borrow(port);
    refused(port, memory, remote, 1, me.port);
    refused(port, memory, remote, 10000, me.port);
    gm_finalize();
}

RULE(not_registered, 2, NULL)
{
    static unsigned char own[5 * PAGE] __attribute__((aligned(PAGE)));
    OPEN_WITH_MEMORY(10000);
    gm_remote_ptr_t remote = (gm_remote_ptr_t)(uintptr_t)own;

    if (rank == 1) {
        gm_allow_remote_memory_access(port);
        EXPECT_U64(gm_register_memory(port, own + 2 * PAGE, PAGE), GM_SUCCESS);
        pass(port, 200 * MS);
        EXPECT_U64(own[0], 0);
        EXPECT_U64(own[PAGE], 0);
        EXPECT_U64(own[3 * PAGE], 0);
        EXPECT_U64(own[5 * PAGE - 1], 0);
    } else {
        gmsim_compute(MS);
        refused(port, memory, remote, 100, me.port);
        refused(port, memory, remote + 3 * PAGE, 1, me.port);
        refused(port, memory, 0, 1, me.port);
        refused(port, memory, 8, 10000, me.port);
        refused(port, memory, ~(gm_remote_ptr_t)0, 100, me.port);
        refused(port, memory, ~(gm_remote_ptr_t)0 - 50, 100, me.port);
        refused(port, memory, UINT64_C(0x550000000000), 100, me.port);
        refused(port, memory, UINT64_C(0x550000004000), 100, me.port);
        gm_put(port, memory, remote + 2 * PAGE, PAGE, 0, 2, me.port, count_send,
               NULL);
        finish_sends(port, sends_done + 1);
        EXPECT_U64(last_status, GM_SUCCESS);
    }
    gm_finalize();
}

/* The local memory of this get does not exist. */
RULE(get_nowhere, 2, NULL)
{
    static unsigned char own[PAGE];
    static unsigned char *const wrong[] = {own, (unsigned char *)64,
                                           (unsigned char *)0x550000004000};
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    gm_remote_ptr_t remote;
    unsigned i;

    if (rank == 1) {
        gm_allow_remote_memory_access(port);
        lend(port, 10000);
        gmsim_compute(100 * MS);
        gm_finalize();
        return;
    }
    remote = borrow(port);
    for (i = 0; i < GM_NUM_ELEM(wrong); ++i) {
        gm_get(port, remote, wrong[i], 100, 0, 2, me.port, count_send, NULL);
        finish_sends(port, i + 1);
        EXPECT_U64(last_status, GM_MEMORY_FAULT);
        gm_drop_sends(port, 0, 2, me.port, NULL, NULL);
    }
    gm_finalize();
}

/* ---- Copies by the processor ------------------------------------------- */

RULE(directcopy, 3, "hosts: 2\nranks_per_host: 2\n")
{
    gmsim_place_t me, other;
    struct gm_port *port = open_port(&me);
    unsigned char *memory = gm_dma_malloc(port, 10000);
    gm_remote_ptr_t remote;
    gm_status_t status;

    if (rank == 2) { /* this rank is on the other host */
        gm_finalize();
        return;
    }
    gmsim_get_place(1, &other);
    if (rank == 1) {
        lend(port, 10000);
        gmsim_compute(20 * MS);
        gm_allow_remote_memory_access(port);
        gmsim_compute(100 * MS);
        gm_finalize();
        return;
    }
    remote = borrow(port);
    EXPECT_U64(gm_directcopy_get(port, (void *)(uintptr_t)remote, memory, 10000,
                                 0, other.port),
               GM_PERMISSION_DENIED);
    gmsim_compute(50 * MS);
    status = gm_directcopy_get(port, (void *)(uintptr_t)remote, memory, 10000,
                               0, other.port);
    EXPECT_U64(status, GM_SUCCESS);
    EXPECT_U64(differs(memory, 10000, 0), 0);
    EXPECT_U64(gm_directcopy_get(port, (void *)(uintptr_t)remote, memory,
                                 1u << 20, 0, other.port),
               GM_MEMORY_FAULT);
    EXPECT_U64(gm_directcopy_get(port, (void *)(uintptr_t)8, memory, 10, 0,
                                 other.port),
               GM_PERMISSION_DENIED);
    EXPECT_U64(gm_directcopy_get(port, memory, NULL, 10, 0, other.port),
               GM_INVALID_PARAMETER);
    EXPECT_U64(gm_directcopy_get(port, memory, (void *)8, 10, 0, other.port),
               GM_MEMORY_FAULT);
    EXPECT_U64(gm_directcopy_get(port, memory, memory, 10, 1, other.port),
               GM_INVALID_PARAMETER);
    EXPECT_U64(gm_directcopy_get(port, memory, memory, 10, 0, 8),
               GM_INVALID_PARAMETER);
    EXPECT_U64(gm_directcopy_get(port, memory, memory, 10, 0, 7),
               GM_SEND_TARGET_PORT_CLOSED);
    gm_finalize();
}

TABLE_BEGIN
ENTRY(put, "both put functions write data and cause no event")
ENTRY(get, "gets of any length from any offset")
ENTRY(private_memory, "puts and gets of registered private memory")
ENTRY(ordered, "a put is in order with later messages")
ENTRY(tokens, "puts and gets use a send token")
ENTRY(permission, "no access without gm_allow_remote_memory_access()")
ENTRY(not_registered, "no access to memory that the target has not registered")
ENTRY(get_nowhere, "a get needs registered memory at the caller, too")
ENTRY(directcopy, "gm_directcopy_get() copies within a host, if allowed")
TABLE_END("GM 1.8 remote memory")
