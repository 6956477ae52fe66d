/* SPDX-License-Identifier: BSD-3-Clause */
/* GM's rules 1.8: remote memory, registration, datagrams, and what else is
 * there. */
#define _GNU_SOURCE
#include "rules.h"

#include <sys/mman.h>

#define PAGE 4096u

/* Rank 1 lends `bytes` of memory at an address that it tells rank 0. */
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

/* Puts by both names: bytes arrive, and the target hears nothing of it. */
RULE(put, 2, NULL)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned char *memory = gm_dma_malloc(port, 100000);
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
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned char *memory = gm_dma_malloc(port, 100064);
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

/* Into and out of private memory, too. */
RULE(private_memory, 2, NULL)
{
    static unsigned char own[20000]; /* at the same place in both: forked */
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

/* Put, then a message: when the message is there, so are the data. */
RULE(ordered, 2, NULL)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned char *memory = gm_dma_malloc(port, 50000);
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
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned char *memory = gm_dma_malloc(port, 128);
    gm_remote_ptr_t remote = (gm_remote_ptr_t)(uintptr_t)memory;
    unsigned tokens = gm_num_send_tokens(port);
    unsigned i;

    (void)rank;
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

/* A put and a get that the target does not allow. */
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
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned char *memory = gm_dma_malloc(port, 10000);
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
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned char *memory = gm_dma_malloc(port, 10000);
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

/* Local memory of a get that is not there. */
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

/* ---- Registration ------------------------------------------------------ */

RULE(dma_memory, 1, NULL)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned char *blocks[60];
    unsigned round, i, j;

    (void)rank;
    for (round = 0; round < 3; ++round) {
        for (i = 0; i < 60; ++i) {
            gm_size_t length = 1 + i * i * 37;

            blocks[i] = i % 2 ? gm_dma_malloc(port, length)
                              : gm_dma_calloc(port, length, 1);
            EXPECT(blocks[i] != NULL);
            EXPECT(GM_ALIGNED((uintptr_t)blocks[i], GM_RDMA_GRANULARITY));
            EXPECT_U64(blocks[i][0] | blocks[i][length - 1], 0);
            memset(blocks[i], (int)i + 1, length);
        }
        for (i = 0; i < 60; ++i) {
            gm_size_t length = 1 + i * i * 37;

            EXPECT_U64(blocks[i][0], i + 1);
            EXPECT_U64(blocks[i][length - 1], i + 1);
        }
        for (j = 0; j < 60; ++j) {
            gm_dma_free(port, blocks[(j * 7) % 60]);
        }
    }
    gm_dma_free(port, NULL);
    gm_dma_free(port, blocks[0]); /* a second time */
    gm_dma_free(port, &blocks);
    EXPECT(gm_dma_malloc(port, ~0ul) == NULL);
    EXPECT(gm_dma_calloc(port, ~0ul, ~0ul) == NULL);
    EXPECT(gm_dma_calloc(port, 1ul << 33, 1ul << 31) == NULL);
    EXPECT(gm_dma_malloc(port, 0) != NULL);
}

/* Is a byte registered? Asked by sending it. */
static int is_registered(struct gm_port *port, void *address)
{
    unsigned done = sends_done;
    gm_status_t status;

    gm_send_with_callback(port, address, 5, 1, 0, 16, 2, count_send, NULL);
    finish_sends(port, done + 1);
    status = last_status;
    gm_drop_sends(port, 0, 16, 2, count_send, NULL);
    finish_sends(port, done + 2);
    return status != GM_MEMORY_FAULT;
}

RULE(pages, 1, NULL)
{
    static unsigned char own[4 * PAGE] __attribute__((aligned(PAGE)));
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);

    (void)rank;
    EXPECT_U64(GM_PAGE_LEN, PAGE);
    EXPECT_U64(gm_register_memory(port, own + PAGE + 10, 1), GM_SUCCESS);
    EXPECT(is_registered(port, own + PAGE));
    EXPECT(is_registered(port, own + 2 * PAGE - 1));
    EXPECT(!is_registered(port, own + PAGE - 1));
    EXPECT(!is_registered(port, own + 2 * PAGE));
    EXPECT_U64(gm_register_memory(port, own, sizeof(own)), GM_SUCCESS);
    EXPECT_U64(gm_deregister_memory(port, own, sizeof(own)), GM_SUCCESS);
    EXPECT(is_registered(port, own + PAGE)); /* still once */
    EXPECT(!is_registered(port, own));
    EXPECT_U64(gm_deregister_memory(port, own, sizeof(own)),
               GM_INVALID_PARAMETER);
    EXPECT(is_registered(port, own + PAGE));
    EXPECT_U64(gm_deregister_memory(port, own + PAGE + 10, 1), GM_SUCCESS);
    EXPECT(!is_registered(port, own + PAGE));
    EXPECT_U64(gm_deregister_memory(port, own + PAGE + 10, 1),
               GM_INVALID_PARAMETER);
}

RULE(per_port, 1, NULL)
{
    static unsigned char own[PAGE];
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    struct gm_port *other = NULL;

    (void)rank;
    EXPECT_U64(gm_open(&other, 0, 4, "x", GM_API_VERSION), GM_SUCCESS);
    EXPECT_U64(gm_register_memory(other, own, sizeof(own)), GM_SUCCESS);
    EXPECT(is_registered(other, own));
    EXPECT(!is_registered(port, own));
    gm_close(other);
    EXPECT_U64(gm_open(&other, 0, 4, "x", GM_API_VERSION), GM_SUCCESS);
    EXPECT(!is_registered(other, own)); /* closing has forgotten it */
}

RULE(no_memory, 1, NULL)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned char *memory = gm_dma_malloc(port, 64);

    (void)rank;
    EXPECT_U64(gm_register_memory(port, NULL, 64), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_register_memory(port, memory, 0), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_register_memory(port, memory, ~0ul), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_register_memory(port, (void *)4096, 64), GM_MEMORY_FAULT);
    EXPECT_U64(gm_register_memory(port, memory, 1ul << 50), GM_OUT_OF_MEMORY);
    /* the cluster's own memory */
    EXPECT_U64(gm_register_memory(port, (void *)0x550000000000, 64),
               GM_MEMORY_FAULT);
    EXPECT_U64(gm_register_memory(port, (void *)0x550000004000, 64),
               GM_MEMORY_FAULT);
    EXPECT_U64(gm_register_memory(port, (void *)0x54fffffff000, 16384),
               GM_MEMORY_FAULT);
    EXPECT_U64(gm_register_memory(port, memory, 1000000), GM_MEMORY_FAULT);
    EXPECT_U64(gm_register_memory(port, memory, 64), GM_SUCCESS);
    EXPECT_U64(gm_deregister_memory(port, memory, 64), GM_SUCCESS);
    EXPECT(is_registered(port, memory));
    EXPECT_U64(gm_deregister_memory(port, (void *)4096, ~0ul >> 1),
               GM_INVALID_PARAMETER);
    EXPECT_U64(gm_register_memory_ex(port, memory, 64, memory), GM_SUCCESS);
    EXPECT_U64(gm_register_memory_ex(port, memory, 64, NULL),
               GM_NO_DRIVER_SUPPORT);
}

/* Freed while it is registered: gone, and nothing else happens. */
RULE(freed, 2, "parameters:\n  nic_send_timeout_us: 20000\n")
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned char *memory = gm_dma_malloc(port, 64);
    unsigned char *gone = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    EXPECT_U64(gm_register_memory(port, gone, 4 * PAGE), GM_SUCCESS);
    gm_provide_receive_buffer(port, gone, 14, 0);
    gm_provide_receive_buffer(port, gone, 6, 0);
    munmap(gone, 4 * PAGE);
    gmsim_compute(MS);
    gm_send_with_callback(port, gone, 14, 10000, 0, 2 - rank, me.port,
                          count_send, NULL);
    finish_sends(port, 1);
    EXPECT_U64(last_status, GM_MEMORY_FAULT);
    gm_resume_sending(port, 0, 2 - rank, me.port, NULL, NULL);
    send_to(port, rank ^ 1, memory, 14, 60);
    send_to(port, rank ^ 1, memory, 6, 40);
    gm_unknown(port, next_message(port)); /* FAST: copied to what is gone */
    gm_unknown(port, next_message(port));
    finish_sends(port, 3);
    EXPECT_U64(last_status, GM_SUCCESS);
    EXPECT_U64(gm_deregister_memory(port, gone, 4 * PAGE), GM_SUCCESS);
    gm_finalize();
}

/* Longer than the buffer, with a size that allows it. */
RULE(too_long_for_buffer, 2, NULL)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned char *memory = gm_dma_malloc(port, 200000);
    unsigned char *buffer = gm_dma_malloc(port, 64);
    unsigned i;

    if (rank == 0) {
        memset(memory, 0xff, 200000);
        gmsim_compute(MS);
        for (i = 0; i < 4; ++i) {
            send_to(port, 1, memory, 20, 200000);
        }
        finish_sends(port, 4);
        EXPECT_U64(last_status, GM_SUCCESS);
    } else {
        for (i = 0; i < 4; ++i) {
            gm_provide_receive_buffer(port, buffer, 20, 0);
            EXPECT_U64(gm_ntohl(next_message(port)->recv.length), 200000);
            EXPECT_TYPE(gm_receive(port), GM_BAD_RECV_VMA_EVENT);
        }
    }
    gm_finalize(); /* the cluster is whole */
}

#define SMALL_HOSTS                                                            \
    "hosts: 2\nranks_per_host: 2\n"                                            \
    "parameters:\n  gm_registered_bytes: 4194304\n  units_per_host: 2\n"

RULE(limit, 2, SMALL_HOSTS)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    struct gm_port *second = NULL;
    unsigned char *own = aligned_alloc(PAGE, 8u << 20);
    unsigned char *block;
    unsigned i = 0;

    if (rank == 1) {
        barrier(port, &me);
        barrier(port, &me);
        EXPECT(gm_dma_malloc(port, 65536) == NULL); /* rank 0 has it all */
        EXPECT_U64(gm_register_memory(port, own, PAGE), GM_OUT_OF_MEMORY);
        barrier(port, &me);
        EXPECT(gm_dma_malloc(port, 65536) != NULL);
        EXPECT_U64(gm_register_memory(port, own, PAGE), GM_SUCCESS);
        barrier(port, &me);
        gm_finalize();
        free(own);
        return;
    }
    memset(own, 0, 8u << 20);
    barrier(port, &me);
    EXPECT_U64(gm_register_memory(port, own, 8u << 20), GM_OUT_OF_MEMORY);
    while (gm_register_memory(port, own + i * PAGE, PAGE) == GM_SUCCESS) {
        ++i;
    }
    EXPECT(i > 900 && i < 1024);
    EXPECT_U64(gm_register_memory(port, own, 100 * PAGE), GM_SUCCESS); /* is */
    EXPECT(gm_dma_malloc(port, 65536) == NULL);
    EXPECT_U64(gm_open(&second, 1, 4, "x", GM_API_VERSION), GM_OUT_OF_MEMORY);
    barrier(port, &me);
    /* evict one, and there is room for another: what MPICH-GM does */
    EXPECT_U64(gm_deregister_memory(port, own + (i - 1) * PAGE, PAGE),
               GM_SUCCESS);
    EXPECT_U64(gm_register_memory(port, own + i * PAGE, PAGE), GM_SUCCESS);
    while (i > 500) {
        --i;
        gm_deregister_memory(port, own + i * PAGE, PAGE);
    }
    barrier(port, &me);
    EXPECT_U64(gm_open(&second, 1, 4, "x", GM_API_VERSION), GM_SUCCESS);
    block = gm_dma_malloc(second, 65536);
    EXPECT(block != NULL);
    barrier(port, &me);
    gm_finalize();
    free(own);
}

RULE(limit_after_death, 2, SMALL_HOSTS)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    gm_status_t status;

    if (rank == 1) {
        EXPECT(gm_dma_malloc(port, 3u << 20) != NULL);
        exit(ranks_failures != 0); /* without a word */
    }
    gmsim_compute(100 * MS);
    EXPECT_U64(gm_ticks(port) > 0, 1);
    pass(port, MS);
    status = gm_dma_malloc(port, 3u << 20) != NULL ? GM_SUCCESS
                                                   : GM_OUT_OF_MEMORY;
    EXPECT_U64(status, GM_SUCCESS);
    gm_finalize();
}

/* ---- The processor's copy ---------------------------------------------- */

RULE(directcopy, 3, "hosts: 2\nranks_per_host: 2\n")
{
    gmsim_place_t me, other;
    struct gm_port *port = open_port(&me);
    unsigned char *memory = gm_dma_malloc(port, 10000);
    gm_remote_ptr_t remote;
    gm_status_t status;

    if (rank == 2) { /* on the other host */
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

/* ---- Datagrams --------------------------------------------------------- */

RULE(datagrams, 2, NULL)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned char *memory = gm_dma_malloc(port, 4096);
    gm_u32_t word;
    unsigned i;

    if (rank == 1) {
        give_buffers(port, 2, 13, GM_LOW_PRIORITY, 8192);
        give_buffers(port, 1, 4, GM_LOW_PRIORITY, 64);
        EXPECT_U64(gm_ntohl(next_message(port)->recv.length), 4096);
        EXPECT_U64(gm_ntohl(next_message(port)->recv.length), 4095);
        memcpy(&word, gm_ntohp(next_message(port)->recv.message), 4);
        EXPECT_U64(word, 0xfeedbeef);
        pass(port, 20 * MS);
        EXPECT_U64(gm_receive_pending(port), 0);
        gm_finalize();
        return;
    }
    gmsim_compute(MS);
    /* two buffers: the others are lost, and nobody says so */
    for (i = 0; i < 5; ++i) {
        gm_datagram_send(port, memory, 13, 4096 - i, 0, 2, me.port, count_send,
                         NULL);
        finish_sends(port, i + 1);
        EXPECT_U64(last_status, GM_SUCCESS);
    }
    gm_datagram_send_4(port, 0xfeedbeef, 4, 4, 0, 2, me.port, count_send, NULL);
    gm_datagram_send(port, memory, 13, 8, 0, 2, 7, count_send, NULL);
    gm_datagram_send(port, memory, 13, 8, 0, 16, 7, count_send, NULL);
    finish_sends(port, 8);
    EXPECT_U64(last_status, GM_SUCCESS);
    gm_datagram_send(port, memory, 14, 4097, 0, 2, me.port, count_send, NULL);
    finish_sends(port, 9);
    EXPECT_U64(last_status, GM_INVALID_PARAMETER);
    gm_datagram_send_4(port, 1, 6, 5, 0, 2, me.port, count_send, NULL);
    finish_sends(port, 10);
    EXPECT_U64(last_status, GM_INVALID_PARAMETER);
    gm_finalize();
}

/* ---- Order, oneself, clock, names -------------------------------------- */

/* Many messages of mixed lengths in one stream each way. */
RULE(order, 3, NULL)
{
    enum {
        COUNT = 120
    };
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned char *memory = gm_dma_malloc(port, 20000);
    unsigned next[4] = {0}, sent = 0, received = 0;

    give_buffers(port, 60, 15, GM_LOW_PRIORITY, 20000);
    while (received < 2 * COUNT || sends_done < 2 * COUNT) {
        union gm_recv_event *event;

        while (sent < 2 * COUNT && sent < sends_done + 50) {
            send_to(port, (rank + 1 + sent % 2) % 3, memory, 15,
                    (sent / 2) * 997 % 19001);
            ++sent;
        }
        event = gm_blocking_receive(port);
        if (is_message(event)) {
            unsigned from = gm_ntohs(event->recv.sender_node_id);

            EXPECT_U64(gm_ntohl(event->recv.length),
                       next[from] * 997 % 19001);
            ++next[from];
            ++received;
            gm_provide_receive_buffer(port, gm_ntohp(event->recv.buffer), 15,
                                      0);
        } else {
            gm_unknown(port, event);
        }
    }
    gm_finalize();
}

RULE(oneself, 1, NULL)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned char *memory = gm_dma_malloc(port, 64);
    gmsim_totals_t before, after;

    (void)rank;
    give_buffers(port, 1, 6, GM_LOW_PRIORITY, 64);
    gmsim_get_totals(&before);
    gm_send_to_peer_with_callback(port, memory, 6, 33, 0, me.node_id,
                                  count_send, NULL);
    EXPECT_U64(gm_ntohl(next_message(port)->recv.length), 33);
    finish_sends(port, 1);
    gmsim_get_totals(&after);
    EXPECT_U64(after.data_packets - before.data_packets, 1);
}

RULE(ticks, 1, NULL)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    gm_u64_t before;

    (void)rank;
    before = gm_ticks(port);
    gmsim_compute(1000000 * US);
    EXPECT(gm_ticks(port) - before - 2000000 <= 1);
    EXPECT_U64(gm_sleep(3), 0);
    EXPECT(gm_ticks(port) - before - 8000000 <= 2);
    gmsim_compute(UINT64_C(3000000000) * US); /* beyond 32 bits */
    EXPECT(gm_ticks(port) > UINT64_C(0x100000000));
    EXPECT(gm_sleep(~0u) != 0); /* longer than there is time */
    EXPECT_U64(gm_sleep(0), 0);
}

RULE(names, 1, "hosts: 5\n")
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    char longer[GM_MAX_HOST_NAME_LEN + 1];
    char no_name[] = "no-such-host";
    char name[GM_MAX_HOST_NAME_LEN];
    unsigned id = 0;

    (void)rank;
    EXPECT_U64(gm_max_node_id(port, &id), GM_SUCCESS);
    EXPECT_U64(id, 5);
    EXPECT_U64(gm_max_node_id_in_use(port, &id), GM_SUCCESS);
    EXPECT_U64(id, 5);
    EXPECT(gm_node_id_to_host_name(port, 6) == NULL);
    EXPECT(gm_node_id_to_host_name(port, 0) == NULL);
    snprintf(name, sizeof(name), "%s", gm_node_id_to_host_name(port, 4));
    EXPECT_U64(gm_host_name_to_node_id(port, name), 4);
    EXPECT_U64(gm_host_name_to_node_id(port, no_name), 0);
    EXPECT_U64(gm_host_name_to_node_id(port, NULL), 0);
    EXPECT_U64(gm_node_id_to_host_name_ex(port, 1000, 3, &longer), GM_SUCCESS);
    EXPECT_U64(gm_host_name_to_node_id_ex(port, 1000, longer, &id), GM_SUCCESS);
    EXPECT_U64(id, 3);
    EXPECT_U64(gm_node_id_to_host_name_ex(port, 0, 6, &longer), GM_NO_MATCH);
    EXPECT_U64(gm_host_name_to_node_id_ex(port, 0, "x", &id), GM_NO_MATCH);
}

RULE(directory, 1, "hosts: 5\nparameters:\n  units_per_host: 2\n")
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    char answer[GM_MAX_YP_STRING_LEN];
    unsigned id = GM_NO_SUCH_NODE_ID;

    (void)rank;
    EXPECT_U64(gm_yp(port, 0, &id, "hostname", "node3", &answer), GM_SUCCESS);
    EXPECT_U64(id, 3);
    EXPECT(strcmp(answer, "node3") == 0);
    id = 8;
    EXPECT_U64(gm_yp(port, 0, &id, "hostname", NULL, &answer), GM_SUCCESS);
    EXPECT(strcmp(answer, "node3:1") == 0);
    EXPECT_U64(gm_yp(port, 0, &id, "hostname", "node3:1", NULL), GM_SUCCESS);
    EXPECT_U64(gm_yp(port, 0, &id, "hostname", "node3", NULL), GM_YP_NO_MATCH);
    EXPECT_U64(gm_yp(port, 0, &id, "colour", NULL, NULL), GM_YP_NO_MATCH);
    id = 0;
    EXPECT_U64(gm_yp(port, 0, &id, "hostname", NULL, NULL), GM_YP_NO_MATCH);
    EXPECT_U64(gm_yp(port, 0, &id, "hostname", "x", NULL), GM_YP_NO_MATCH);
    EXPECT_U64(gm_yp(port, 0, NULL, "hostname", "x", NULL),
               GM_INVALID_PARAMETER);
    EXPECT_U64(gm_yp(port, 0, &id, NULL, "x", NULL), GM_INVALID_PARAMETER);
}

TABLE_BEGIN
    ENTRY(put, "puts, by both names: bytes arrive, no event there")
    ENTRY(get, "gets: any length, any offset")
    ENTRY(private_memory, "puts and gets of registered own memory")
    ENTRY(ordered, "a put is in order with the messages behind it")
    ENTRY(tokens, "puts and gets take a send token")
    ENTRY(permission, "nothing without gm_allow_remote_memory_access()")
    ENTRY(not_registered, "nothing where the target has not registered")
    ENTRY(get_nowhere, "a get needs registered memory here, too")
    ENTRY(dma_memory, "gm_dma_malloc(), _calloc(), _free()")
    ENTRY(pages, "registration is by pages, each counted")
    ENTRY(per_port, "registration is per port")
    ENTRY(no_memory, "what is no memory of the program is refused")
    ENTRY(freed, "memory freed while registered does no harm")
    ENTRY(too_long_for_buffer, "a message longer than its buffer: likewise")
    ENTRY(limit, "70 % of the memory; beyond it a status, then on")
    ENTRY(limit_after_death, "who ends gives all back")
    ENTRY(directcopy, "gm_directcopy_get(): within the host, if allowed")
    ENTRY(datagrams, "datagrams: lost without a buffer, no sign of it")
    ENTRY(order, "in order per sender, target and priority")
    ENTRY(oneself, "to the own node, through the card")
    ENTRY(ticks, "2 ticks per us, 64 bits")
    ENTRY(names, "NULL and 0 for names and nodes that are not there")
    ENTRY(directory, "gm_yp(): host names both ways")
TABLE_END("GM 1.8 remote memory")
