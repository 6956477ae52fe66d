/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests ports on the same host, which communicate through the host's memory.
 * The parameters determine the times: a send call takes 0.8 us, and a receive
 * call takes 0.7 us. A message becomes visible after 1 us. Each byte of a put
 * or a get takes 10 ns.
 */
#define _GNU_SOURCE
#include "gm.h"

#include "ranks.h"
#include "unit.h"

#define ONE_HOST "hosts: 2\nplacement: {node2: 0..2}\n"
#define BYTES    1000000u

static struct gm_port *open_local_port(gmsim_place_t *me)
{
    struct gm_port *port = open_port(me);

    EXPECT_U64(gmsim_send_by_memory(port), GM_SUCCESS);
    EXPECT_U64(gm_allow_remote_memory_access(port), GM_SUCCESS);
    return port;
}

static void send_message(struct gm_port *port, unsigned rank, void *message,
                         unsigned size, unsigned length)
{
    gmsim_place_t place;

    gmsim_get_place(rank, &place);
    gm_send_with_callback(port, message, size, length, GM_LOW_PRIORITY,
                          place.node_id, place.port, count_send, NULL);
}

static void finish_asleep(struct gm_port *port, unsigned count)
{
    while (sends_done < count) {
        gmsim_wait(port);
        gm_unknown(port, gm_receive(port));
    }
}

/* Receive the address that a rank has sent to the other ranks. */
static gm_remote_ptr_t hear_address(struct gm_port *port, unsigned *tag_p)
{
    uint64_t word[2];

    memcpy(word, gm_ntohp(next_message(port)->recv.message), sizeof(word));
    if (tag_p != NULL) {
        *tag_p = (unsigned)word[1];
    }
    return word[0];
}

/* ---- A short message ---- */

static void body_short(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_local_port(&me);
    uint64_t *memory = gm_dma_malloc(port, 64);
    gmsim_totals_t totals;
    gmsim_path_t path;

    EXPECT_U64(me.node_id, 2);
    if (rank == 0) {
        gmsim_compute(UINT64_C(1000000000)); /* rank 1 is asleep by this time */
        send_message(port, 1, memory, 6, 40);
        finish_asleep(port, 1);
        EXPECT_U64(last_status, GM_SUCCESS);
    } else {
        gm_provide_receive_buffer(port, memory, 6, GM_LOW_PRIORITY);
        EXPECT_U64(gm_ntoh_u16(next_message(port)->recv.sender_node_id), 2);
        EXPECT_U64(gmsim_get_path(port, &path), GM_SUCCESS);
        EXPECT_U64(path.host_ps, 800000 + 1000000 + 700000);
        EXPECT_U64(path.lanai_ps + path.host_dma_ps + path.wire_ps +
                       path.switch_ps,
                   0);
        EXPECT_U64(gmsim_get_totals(&totals), GM_SUCCESS);
        EXPECT_U64(totals.packets, 0);
    }
    gm_finalize();
}

static void test_short(void)
{
    ranks_use_cluster(ONE_HOST);
    CHECK_U64(ranks_run(2, body_short), 0);
}

/* ---- Message order, and waiting for a buffer ---- */

static void body_order(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_local_port(&me);
    unsigned char *memory = gm_dma_malloc(port, 3 << 17);
    unsigned i;

    if (rank == 0) {
        memset(memory, 7, 1 << 17);
        memset(memory + (1 << 17), 9, 1 << 17);
        send_message(port, 1, memory, 17, 100003); /* the target has no buffer
                                                    * yet */
        send_message(port, 1, memory + (1 << 17), 6, 40);
        finish_asleep(port, 2);
        EXPECT_U64(last_status, GM_SUCCESS);
        EXPECT(gmsim_time_ps() > UINT64_C(5000000000));
    } else {
        gm_provide_receive_buffer(port, memory, 6, GM_LOW_PRIORITY);
        gmsim_compute(UINT64_C(5000000000));
        EXPECT_U64(gm_receive_pending(port), 0);
        gm_provide_receive_buffer(port, memory + (1 << 17), 17,
                                  GM_LOW_PRIORITY);
        for (i = 0; i < 2; ++i) {
            gm_recv_event_t *event = next_message(port);
            const unsigned char *message =
                gm_ntohp(i == 0 ? event->recv.buffer : event->recv.message);
            unsigned length = i == 0 ? 100003 : 40;

            EXPECT_U64(gm_ntoh_u32(event->recv.length), length);
            EXPECT(message[0] == 7 + 2 * i && message[length - 1] == 7 + 2 * i);
        }
    }
    gm_finalize();
}

static void test_order(void)
{
    ranks_use_cluster(ONE_HOST);
    CHECK_U64(ranks_run(2, body_order), 0);
}

/* ---- Puts and gets ---- */

/* Ranks 0 and 2 write to rank 1 at the same time, each from its own memory, and
 * share the bus. Then only rank 0 reads the data back, which takes half of the
 * time of the writes. */
static void body_put(unsigned rank)
{
    gmsim_place_t me, target;
    struct gm_port *port = open_local_port(&me);
    unsigned char *memory = gm_dma_malloc(port, 2 * BYTES);
    unsigned char *own = malloc(2 * BYTES);
    uint64_t word[2] = {(uint64_t)(uintptr_t)memory, 0};
    uint64_t *note = gm_dma_malloc(port, 64);
    uint64_t begin_ps, took_ps;
    gm_remote_ptr_t remote;

    EXPECT_U64(gm_register_memory(port, own, 2 * BYTES), GM_SUCCESS);
    memset(own, (int)rank + 1, 2 * BYTES);
    if (rank == 1) {
        gm_provide_receive_buffer(port, note + 4, 6, GM_LOW_PRIORITY);
        gm_provide_receive_buffer(port, note + 4, 6, GM_LOW_PRIORITY);
        memcpy(note, word, sizeof(word));
        gmsim_compute(UINT64_C(1000000000));
        send_message(port, 0, note, 6, sizeof(word));
        send_message(port, 2, note, 6, sizeof(word));
        finish_asleep(port, 2);
        (void)hear_address(port, NULL);
        (void)hear_address(port, NULL);
        EXPECT(memory[0] == 1 && memory[BYTES - 1] == 1);
        EXPECT(memory[BYTES] == 3 && memory[2 * BYTES - 1] == 3);
        /* meanwhile, rank 0 reads the data */
        gmsim_compute(UINT64_C(100000000000));
        gm_finalize();
        free(own);
        return;
    }
    gm_provide_receive_buffer(port, note, 6, GM_LOW_PRIORITY);
    remote = hear_address(port, NULL);
    gmsim_get_place(1, &target);
    begin_ps = gmsim_time_ps();
    gm_put(port, own, remote + (rank == 2 ? BYTES : 0), BYTES, GM_LOW_PRIORITY,
           target.node_id, target.port, count_send, NULL);
    finish_asleep(port, 1);
    EXPECT_U64(last_status, GM_SUCCESS);
    took_ps = gmsim_time_ps() - begin_ps;
    EXPECT(took_ps > UINT64_C(19900000000) && took_ps < UINT64_C(20100000000));
    send_message(port, 1, note, 6, 16);
    finish_asleep(port, 2);
    if (rank == 0) {
        gmsim_compute(UINT64_C(1000000000));
        begin_ps = gmsim_time_ps();
        gm_get(port, remote + BYTES, own, BYTES, GM_LOW_PRIORITY,
               target.node_id, target.port, count_send, NULL);
        finish_asleep(port, 3);
        EXPECT_U64(last_status, GM_SUCCESS);
        took_ps = gmsim_time_ps() - begin_ps;
        /* the time consists of 10 ms for the bytes, 0.8 us for the call, 1 us
         * until the data are visible, and the calls that detect the end */
        EXPECT(took_ps > UINT64_C(10001800000) &&
               took_ps < UINT64_C(10005000000));
        EXPECT(own[0] == 3 && own[BYTES - 1] == 3 && own[BYTES] == 1);
    }
    gm_finalize();
    free(own);
}

static void test_put(void)
{
    ranks_use_cluster(ONE_HOST);
    CHECK_U64(ranks_run(3, body_put), 0);
}

/* ---- Failed sends ---- */

static void body_fail(unsigned rank)
{
    gmsim_place_t me, target;
    struct gm_port *port = open_local_port(&me);
    unsigned char *memory = gm_dma_malloc(port, 8192);
    unsigned char *foreign = malloc(8192);

    if (rank == 1) {
        gm_provide_receive_buffer(port, memory, 6, GM_LOW_PRIORITY);
        (void)next_message(port);
        gm_finalize();
        return;
    }
    gmsim_get_place(1, &target);
    gm_put(port, memory, (gm_remote_ptr_t)(uintptr_t)foreign, 4096,
           GM_LOW_PRIORITY, target.node_id, target.port, count_send, NULL);
    finish_asleep(port, 1);
    EXPECT_U64(last_status, GM_SEND_REJECTED);
    gm_send_with_callback(port, foreign, 6, 40, GM_LOW_PRIORITY, target.node_id,
                          target.port, count_send, NULL);
    finish_asleep(port, 2);
    EXPECT(last_status != GM_SUCCESS);
    send_message(port, 1, memory, 6, 40);
    finish_asleep(port, 3);
    EXPECT_U64(last_status, GM_SUCCESS);
    gmsim_compute(UINT64_C(10000000000)); /* rank 1 has exited */
    send_message(port, 1, memory, 6, 40);
    finish_asleep(port, 4);
    EXPECT_U64(last_status, GM_SEND_TARGET_PORT_CLOSED);
    free(foreign);
    gm_finalize();
}

static void test_fail(void)
{
    ranks_use_cluster(ONE_HOST);
    CHECK_U64(ranks_run(2, body_fail), 0);
    ranks_use_cluster(NULL);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"a short message costs two calls and the latency", test_short},
        {"a message without a buffer delays later messages", test_order},
        {"puts share the memory bus", test_put},
        {"failed sends do not stall other sends", test_fail},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"within a host", NULL, NULL, NULL, NULL, tests});
}
