/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests message buffers whose memory is allocated on first use: virtual time,
 the memory that messages use, limits, and a second port.
 */
#define _GNU_SOURCE
#include "gm.h"

#include "ranks.h"
#include "unit.h"

#define SIZE    14u
#define BYTES   16384u
#define BUFFERS 200u
/* Length of a message that the NIC writes to its buffer. */
#define LENGTH 3000u

static int is_pooled; /* 1: the ranks use a pool */

static void provide(struct gm_port *port, void *buffer)
{
    if (is_pooled) {
        gmsim_provide_pooled(port, buffer, SIZE, GM_LOW_PRIORITY);
    } else {
        gm_provide_receive_buffer(port, buffer, SIZE, GM_LOW_PRIORITY);
    }
}

/* Provide all of the receive buffers. */
static void provide_all(struct gm_port *port)
{
    char *memory = NULL;
    unsigned i;

    if (is_pooled) {
        EXPECT_U64(gmsim_pool_buffers(port, BUFFERS, SIZE), GM_SUCCESS);
    } else {
        memory = gm_dma_malloc(port, (gm_size_t)BUFFERS * BYTES);
    }
    for (i = 0; i < BUFFERS; ++i) {
        provide(port, is_pooled ? NULL : memory + (size_t)i * BYTES);
    }
}

static void send_one(struct gm_port *port, unsigned seed)
{
    static unsigned char *out;

    if (out == NULL) {
        out = gm_dma_malloc(port, LENGTH);
    }
    memset(out, (int)seed, LENGTH);
    send_to(port, 1, out, SIZE, LENGTH);
    finish_sends(port, seed + 1);
}

/* Rank 0 sends messages; rank 1 keeps the first three messages until the
 * end. */
static void body_messages(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned char *kept[3] = {NULL, NULL, NULL};
    unsigned i;

    if (rank == 1) {
        provide_all(port);
    }
    for (i = 0; i < BUFFERS + 50; ++i) {
        if (rank == 0) {
            send_one(port, i);
        } else {
            gm_recv_event_t *event = next_message(port);
            unsigned char *bytes = gm_ntohp(event->recv.buffer);

            EXPECT(gm_ntohp(event->recv.message) == bytes);
            EXPECT_U64(bytes[0], i % 256);
            EXPECT_U64(bytes[LENGTH - 1], i % 256);
            if (i < 3) {
                kept[i] = bytes;
            } else {
                EXPECT(bytes != kept[0] && bytes != kept[1] &&
                       bytes != kept[2]);
                /* three buffers are in use, so a fourth buffer is enough */
                EXPECT(!is_pooled || bytes == kept[0] + 3 * (size_t)BYTES);
                provide(port, bytes);
            }
        }
    }
    for (i = 0; i < 3 && rank == 1; ++i) {
        EXPECT_U64(kept[i][LENGTH / 2], i);
        EXPECT(!is_pooled || kept[i] == kept[0] + i * (size_t)BYTES);
    }
    ranks_log[rank] = gmsim_time_ps();
    gm_close(port);
    gm_finalize();
}

/* Virtual time must not depend on the addresses of the buffers. */
static void test_time(void)
{
    static const char *const clusters[] = {NULL, "hosts: 1\nranks_per_host: 2"};
    unsigned i;

    for (i = 0; i < 2; ++i) {
        uint64_t time_ps[2];

        ranks_use_cluster(clusters[i]);
        is_pooled = 0;
        CHECK_U64(ranks_run(2, body_messages), 0);
        memcpy(time_ps, ranks_log, sizeof(time_ps));
        is_pooled = 1;
        CHECK_U64(ranks_run(2, body_messages), 0);
        CHECK_U64(ranks_log[0], time_ps[0]);
        CHECK_U64(ranks_log[1], time_ps[1]);
    }
    ranks_use_cluster(NULL);
}

/* Messages between ports on one host, which bypass the NIC. */
static void body_local(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned i;

    EXPECT_U64(gmsim_send_by_memory(port), GM_SUCCESS);
    is_pooled = 1;
    if (rank == 1) {
        provide_all(port);
    }
    for (i = 0; i < 20; ++i) {
        if (rank == 0) {
            send_one(port, i);
        } else {
            unsigned char *bytes = gm_ntohp(next_message(port)->recv.buffer);

            EXPECT_U64(bytes[LENGTH - 1], i);
            gmsim_provide_pooled(port, bytes, SIZE, GM_LOW_PRIORITY);
        }
    }
    gm_close(port);
    gm_finalize();
}

static void test_local(void)
{
    ranks_use_cluster("hosts: 1\nranks_per_host: 2");
    CHECK_U64(ranks_run(2, body_local), 0);
    ranks_use_cluster(NULL);
}

static void body_limits(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    union gm_recv_event *event;
    char *own, *first, *second;

    (void)rank;
    EXPECT_U64(gmsim_pool_buffers(NULL, 1, SIZE), GM_INVALID_PARAMETER);
    EXPECT_U64(gmsim_pool_buffers(port, 0, SIZE), GM_INVALID_PARAMETER);
    EXPECT_U64(gmsim_pool_buffers(port, 1, 5), GM_INVALID_PARAMETER);
    EXPECT_U64(gmsim_pool_buffers(port, 1, 25), GM_INVALID_PARAMETER);
    EXPECT(gmsim_take_buffer(port) == NULL);
    EXPECT(gmsim_take_buffer(NULL) == NULL);
    /* the limit is 4 MiB, of which the library itself uses one page */
    EXPECT_U64(gmsim_pool_buffers(port, 256, SIZE), GM_OUT_OF_MEMORY);
    EXPECT_U64(gmsim_pool_buffers(port, 200, SIZE), GM_SUCCESS);
    EXPECT_U64(gmsim_pool_buffers(port, 1, SIZE + 1), GM_INVALID_PARAMETER);
    EXPECT_U64(gmsim_pool_buffers(port, 56, SIZE), GM_OUT_OF_MEMORY);
    EXPECT_U64(gmsim_pool_buffers(port, 55, SIZE), GM_SUCCESS);
    EXPECT(gm_dma_malloc(port, 4 * 4096) == NULL);
    first = gmsim_take_buffer(port);
    second = gmsim_take_buffer(port);
    EXPECT(first != NULL && second == first + BYTES);
    own = gm_dma_malloc(port, 64);
    gmsim_provide_pooled(port, own, SIZE, GM_LOW_PRIORITY);
    event = gm_receive(port);
    EXPECT_U64(GM_RECV_EVENT_TYPE(event), GM_BAD_RECV_VMA_EVENT);
    gmsim_provide_pooled(port, NULL, 32, GM_LOW_PRIORITY);
    event = gm_receive(port);
    EXPECT_U64(GM_RECV_EVENT_TYPE(event), GM_BAD_RECV_TOKEN_EVENT);
    gmsim_provide_pooled(port, first, SIZE, GM_LOW_PRIORITY);
    EXPECT(gmsim_take_buffer(port) == first);
    gm_close(port);
    /* the port can be opened again, and then has the same memory */
    port = open_port(&me);
    EXPECT(gmsim_take_buffer(port) == NULL);
    EXPECT_U64(gmsim_pool_buffers(port, 255, SIZE), GM_SUCCESS);
    EXPECT(gmsim_take_buffer(port) == first);
    gm_close(port);
    gm_finalize();
}

static void test_limits(void)
{
    ranks_use_cluster("hosts: 1\nparameters: {gm_registered_bytes: 4194304}");
    CHECK_U64(ranks_run(1, body_limits), 0);
    ranks_use_cluster(NULL);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"virtual time does not depend on buffer addresses", test_time},
        {"messages within a host", test_local},
        {"limits and invalid calls", test_limits},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"gm pool", NULL, NULL, NULL, NULL, tests});
}
