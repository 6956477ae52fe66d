/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests section 1.8 of the rules for GM: registration of memory, and DMA
 * memory.
 */
#define _GNU_SOURCE
#include "rules.h"

#include <sys/mman.h>

#define PAGE 4096u

RULE(dma_memory, 1, NULL)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned char *blocks[60];
    unsigned round, i, j;

    for (round = 0; round < 3; ++round) {
        for (i = 0; i < 60; ++i) {
            /* blocks of the previous round can be too short for this round */
            gm_size_t length = 1 + i * i * 37 + round * PAGE;

            blocks[i] = i % 2 ? gm_dma_malloc(port, length)
                              : gm_dma_calloc(port, length, 1);
            EXPECT(blocks[i] != NULL);
            EXPECT(GM_ALIGNED((uintptr_t)blocks[i], GM_RDMA_GRANULARITY));
            EXPECT_U64(blocks[i][0] | blocks[i][length - 1], 0);
            memset(blocks[i], (int)i + 1, length);
        }
        for (i = 0; i < 60; ++i) {
            gm_size_t length = 1 + i * i * 37 + round * PAGE;

            EXPECT_U64(blocks[i][0], i + 1);
            EXPECT_U64(blocks[i][length - 1], i + 1);
        }
        for (j = 0; j < 60; ++j) {
            gm_dma_free(port, blocks[(j * 7) % 60]);
        }
    }
    gm_dma_free(port, NULL);
    gm_dma_free(port, blocks[0]); /* this call frees the block a second time */
    gm_dma_free(port, &blocks);
    EXPECT(gm_dma_malloc(port, ~0ul) == NULL);
    EXPECT(gm_dma_calloc(port, ~0ul, ~0ul) == NULL);
    EXPECT(gm_dma_calloc(port, 1ul << 33, 1ul << 31) == NULL);
    EXPECT(gm_dma_malloc(port, 0) != NULL);
}

/* Send one byte to find out whether its memory is registered. */
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

    EXPECT_U64(GM_PAGE_LEN, PAGE);
    EXPECT_U64(gm_register_memory(port, own + PAGE + 10, 1), GM_SUCCESS);
    EXPECT(is_registered(port, own + PAGE));
    EXPECT(is_registered(port, own + 2 * PAGE - 1));
    EXPECT(!is_registered(port, own + PAGE - 1));
    EXPECT(!is_registered(port, own + 2 * PAGE));
    EXPECT_U64(gm_register_memory(port, own, sizeof(own)), GM_SUCCESS);
    EXPECT_U64(gm_deregister_memory(port, own, sizeof(own)), GM_SUCCESS);
    EXPECT(is_registered(port, own + PAGE)); /* the page is still registered
                                              * once */
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

    EXPECT_U64(gm_open(&other, 0, 4, "x", GM_API_VERSION), GM_SUCCESS);
    EXPECT_U64(gm_register_memory(other, own, sizeof(own)), GM_SUCCESS);
    EXPECT(is_registered(other, own));
    EXPECT(!is_registered(port, own));
    gm_close(other);
    EXPECT_U64(gm_open(&other, 0, 4, "x", GM_API_VERSION), GM_SUCCESS);
    /* gm_close() has ended the registration */
    EXPECT(!is_registered(other, own));
}

RULE(no_memory, 1, NULL)
{
    OPEN_WITH_MEMORY(64);

    EXPECT_U64(gm_register_memory(port, NULL, 64), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_register_memory(port, memory, 0), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_register_memory(port, memory, ~0ul), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_register_memory(port, (void *)4096, 64), GM_MEMORY_FAULT);
    EXPECT_U64(gm_register_memory(port, memory, 1ul << 50), GM_OUT_OF_MEMORY);
    /* this memory belongs to the simulated cluster */
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

/*
 * A program frees memory while it is registered. A send from this memory fails,
 * and messages to this memory are lost without an error report. The cluster
 * must continue to work.
 */
RULE(freed, 2, "parameters:\n  nic_send_timeout_us: 20000\n")
{
    OPEN_WITH_MEMORY(64);
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
    /* this message is FAST, and gm_unknown() copies it to the freed buffer */
    gm_unknown(port, next_message(port));
    gm_unknown(port, next_message(port));
    finish_sends(port, 3);
    EXPECT_U64(last_status, GM_SUCCESS);
    EXPECT_U64(gm_deregister_memory(port, gone, 4 * PAGE), GM_SUCCESS);
    gm_finalize();
}

/* The message is longer than the buffer, but not longer than the declared size
 * permits. */
RULE(too_long_for_buffer, 2, NULL)
{
    OPEN_WITH_MEMORY(200000);
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
    gm_finalize(); /* the cluster must still work */
}

/* ---- Sends of memory that is not registered ---------------------------- */

/* Kinds of sends that read or write the sender's memory. */
enum sends {
    SENDS_MESSAGE,
    SENDS_TO_PEER,
    SENDS_DATAGRAM,
    SENDS_DIRECTED,
    SENDS_PUT,
    SENDS_GET,
    SENDS_KINDS
};

static void sends_post(struct gm_port *port, enum sends kind, void *memory,
                       gm_size_t length, unsigned priority, unsigned node)
{
    gm_remote_ptr_t remote = 4096;

    switch (kind) {
    case SENDS_MESSAGE:
        gm_send_with_callback(port, memory, 14, length, priority, node, 2,
                              count_send, NULL);
        break;
    case SENDS_TO_PEER:
        gm_send_to_peer_with_callback(port, memory, 14, length, priority, node,
                                      count_send, NULL);
        break;
    case SENDS_DATAGRAM:
        gm_datagram_send(port, memory, 14, length, priority, node, 2,
                         count_send, NULL);
        break;
    case SENDS_DIRECTED:
        gm_directed_send_with_callback(port, memory, remote, length, priority,
                                       node, 2, count_send, NULL);
        break;
    case SENDS_PUT:
        gm_put(port, memory, remote, length, priority, node, 2, count_send,
               NULL);
        break;
    case SENDS_GET:
    case SENDS_KINDS:
        gm_get(port, remote, memory, length, priority, node, 2, count_send,
               NULL);
        break;
    }
}

/* Check that a send from this memory fails: the callback receives
 * GM_MEMORY_FAULT, and the port receives the event. */
static void sends_fail(struct gm_port *port, enum sends kind, void *memory,
                       gm_size_t length, unsigned priority, unsigned node)
{
    unsigned done = sends_done, events = 0;

    last_status = GM_SUCCESS;
    sends_post(port, kind, memory, length, priority, node);
    while (sends_done == done || events == 0) {
        union gm_recv_event *event = gm_blocking_receive(port);

        events += GM_RECV_EVENT_TYPE(event) == GM_BAD_SEND_VMA_EVENT;
        if (GM_RECV_EVENT_TYPE(event) != GM_BAD_SEND_VMA_EVENT) {
            gm_unknown(port, event);
        }
    }
    if (last_status != GM_MEMORY_FAULT) {
        fprintf(stderr, "\n    kind %u, %lu bytes, priority %u, node %u\n",
                (unsigned)kind, (unsigned long)length, priority, node);
    }
    EXPECT_U64(last_status, GM_MEMORY_FAULT);
    EXPECT_U64(sends_done, done + 1);
    EXPECT_U64(events, 1);
    gm_drop_sends(port, priority, node, 2, count_send, NULL);
    finish_sends(port, done + 2);
}

/* Memory of the program, memory after a registered page, memory of another
 * port, and non-existent memory. */
static void sends_fail_all(struct gm_port *port, struct gm_port *other)
{
    static unsigned char own[4 * PAGE] __attribute__((aligned(PAGE)));
    unsigned char *others = gm_dma_malloc(other, PAGE);
    unsigned kind, priority, node;

    EXPECT_U64(gm_register_memory(port, own, PAGE), GM_SUCCESS);
    for (kind = 0; kind < SENDS_KINDS; ++kind) {
        for (priority = 0; priority < 2; ++priority) {
            for (node = 1; node <= 2; ++node) {
                sends_fail(port, kind, own + PAGE, 1, priority, node);
                sends_fail(port, kind, own + PAGE, 128, priority, node);
                sends_fail(port, kind, own + PAGE, 4096, priority, node);
                sends_fail(port, kind, own + PAGE - 1, 2, priority, node);
                sends_fail(port, kind, own + 8, 4090, priority, node);
                if (kind != SENDS_DATAGRAM) { /* a datagram has at most one
                                               * packet */
                    sends_fail(port, kind, own, 10000, priority, node);
                }
                sends_fail(port, kind, others, 64, priority, node);
                sends_fail(port, kind, (void *)64, 64, priority, node);
            }
        }
    }
    EXPECT_U64(gm_deregister_memory(port, own, PAGE), GM_SUCCESS);
    sends_fail(port, SENDS_MESSAGE, own, 8, 0, 1);
}

RULE(bad_sends, 2, NULL)
{
    OPEN_WITH_MEMORY(64);
    struct gm_port *other = NULL;

    barrier(port, &me);
    if (rank == 0) {
        EXPECT_U64(gm_open(&other, 0, 4, "x", GM_API_VERSION), GM_SUCCESS);
        sends_fail_all(port, other);
        gm_close(other);
        /* now the streams work again */
        send_to(port, 1, memory, 6, 8);
        gm_unknown(port, gm_blocking_receive(port));
    } else {
        gm_provide_receive_buffer(port, memory, 6, 0);
        EXPECT_U64(gm_ntohl(next_message(port)->recv.length), 8);
    }
    gm_finalize();
}

/* If a port communicates through the memory of its host, its sends do not reach
 * the NIC. */
RULE(bad_sends_by_memory, 1, NULL)
{
    static unsigned char own[PAGE];
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    struct gm_port *other = NULL;
    unsigned done;

    EXPECT_U64(gm_open(&other, 0, 4, "x", GM_API_VERSION), GM_SUCCESS);
    EXPECT_U64(gmsim_send_by_memory(port), GM_SUCCESS);
    sends_fail_all(port, other);
    done = sends_done;
    /* port 5 is closed */
    gm_put(port, own, 4096, 8, 0, 1, 5, count_send, NULL);
    finish_sends(port, done + 1);
    EXPECT_U64(last_status, GM_MEMORY_FAULT);
}

/* A send without a callback fails with an event. */
RULE(bad_sends_of_old_calls, 1, NULL)
{
    static unsigned char own[PAGE];
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned kind, failed = 0, events = 0;

    for (kind = 0; kind < 3; ++kind) {
        if (kind == 0) {
            gm_send(port, own, 6, 40, 0, 1, 2);
        } else if (kind == 1) {
            gm_send_to_peer(port, own, 6, 40, 1, 1);
        } else {
            gm_directed_send(port, own, 4096, 40, 0, 2, 2);
        }
        while (failed == kind || events == kind) {
            union gm_recv_event *event = gm_blocking_receive(port);

            if (GM_RECV_EVENT_TYPE(event) == GM_SENDS_FAILED_EVENT) {
                EXPECT(gm_ntohp(event->failed_send.message) == own);
                ++failed;
            } else {
                EXPECT_TYPE(event, GM_BAD_SEND_VMA_EVENT);
                ++events;
            }
        }
    }
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
        /* rank 0 has registered the maximum amount of memory */
        EXPECT(gm_dma_malloc(port, 65536) == NULL);
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
    /* these pages are already registered, so they need no additional memory */
    EXPECT_U64(gm_register_memory(port, own, 100 * PAGE), GM_SUCCESS);
    EXPECT(gm_dma_malloc(port, 65536) == NULL);
    EXPECT_U64(gm_open(&second, 1, 4, "x", GM_API_VERSION), GM_OUT_OF_MEMORY);
    barrier(port, &me);
    /*
     * deregister one region before registering another, as MPICH-GM does
     */
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
        exit(ranks_failures != 0); /* this process exits without closing its
                                    * port */
    }
    gmsim_compute(100 * MS);
    EXPECT_U64(gm_ticks(port) > 0, 1);
    pass(port, MS);
    status =
        gm_dma_malloc(port, 3u << 20) != NULL ? GM_SUCCESS : GM_OUT_OF_MEMORY;
    EXPECT_U64(status, GM_SUCCESS);
    gm_finalize();
}

TABLE_BEGIN
ENTRY(dma_memory, "gm_dma_malloc(), _calloc(), _free()")
ENTRY(pages, "registration covers whole pages and is counted")
ENTRY(per_port, "a registration applies to only one port")
ENTRY(no_memory, "memory not owned by the program is refused")
ENTRY(freed, "freeing registered memory does no harm")
ENTRY(too_long_for_buffer, "a message longer than its buffer does no harm")
ENTRY(bad_sends, "sends of unregistered memory: GM_MEMORY_FAULT")
ENTRY(bad_sends_by_memory,
      "sends of unregistered memory fail within a host, too")
ENTRY(bad_sends_of_old_calls,
      "failed sends without a callback: GM_SENDS_FAILED_EVENT")
ENTRY(limit, "at most 70 % of the memory can be registered")
ENTRY(limit_after_death, "a process that ends releases its memory")
TABLE_END("GM 1.8 registration")
