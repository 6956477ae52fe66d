/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests messages and remote writes between processes, through the whole
 * simulated cluster. */
#define _GNU_SOURCE
#include "gm.h"

#include <stddef.h>
#include <sys/prctl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#include "gm_qos.h"
#include "ranks.h"
#include "unit.h"

#define LONG_SIZE  17
#define LONG_BYTES 100003u

static void fill(unsigned char *bytes, size_t length, unsigned seed)
{
    size_t i;

    for (i = 0; i < length; ++i) {
        bytes[i] = (unsigned char)(i * 31 + i / 251 + seed);
    }
}

static int is_filled(const unsigned char *bytes, size_t length, unsigned seed)
{
    size_t i;

    for (i = 0; i < length; ++i) {
        if (bytes[i] != (unsigned char)(i * 31 + i / 251 + seed)) {
            return 0;
        }
    }
    return 1;
}

/* ---- A small message and its event ------------------------------------- */

static void body_small(unsigned rank)
{
    OPEN_WITH_MEMORY(64);
    gm_recv_event_t *event;

    if (rank == 0) {
        fill(memory, 40, 1);
        send_to(port, 1, memory, 6, 40);
        finish_sends(port, 1);
        EXPECT_U64(last_status, GM_SUCCESS);
    } else {
        gm_provide_receive_buffer_with_tag(port, memory, 6, GM_LOW_PRIORITY,
                                           0x1234);
        event = next_message(port);
        EXPECT_U64(GM_RECV_EVENT_TYPE(event), GM_FAST_PEER_RECV_EVENT);
        EXPECT_U64(gm_ntoh_u32(event->recv.length), 40);
        EXPECT_U64(gm_ntoh_u16(event->recv.sender_node_id), 1);
        EXPECT_U64(gm_ntoh_u8(event->recv.sender_port_id), 2);
        EXPECT_U64(gm_ntoh_u8(event->recv.size), 6);
        EXPECT_U64(gm_ntoh_u8(event->recv.tag), 0x34);
        EXPECT(gm_ntohp(event->recv.buffer) == memory);
        EXPECT(gm_ntohp(event->recv.message) != memory);
        EXPECT(is_filled(gm_ntohp(event->recv.message), 40, 1));
        EXPECT(!is_filled(memory, 40, 1));
        EXPECT(gm_memorize_message(gm_ntohp(event->recv.message), memory, 40) ==
               memory);
        EXPECT(is_filled(memory, 40, 1));
    }
    gm_close(port);
    gm_finalize();
}

static void test_small(void)
{
    CHECK_U64(ranks_run(2, body_small), 0);
}

/* The program handles only GM_RECV_EVENT and GM_HIGH_RECV_EVENT. */
static void body_plain(unsigned rank)
{
    OPEN_WITH_MEMORY(64);
    unsigned priority;

    for (priority = 0; priority < GM_NUM_PRIORITIES; ++priority) {
        gm_recv_event_t *event;

        if (rank == 0) {
            fill(memory, 20, priority);
            gm_send_with_callback(port, memory, 5, 20, priority, 2, me.port,
                                  count_send, NULL);
            finish_sends(port, priority + 1);
            continue;
        }
        gm_provide_receive_buffer(port, memory, 5, priority);
        do {
            event = gm_receive(port);
            gm_unknown(port, event);
        } while (GM_RECV_EVENT_TYPE(event) < GM_FAST_RECV_EVENT);
        EXPECT_U64(gm_receive_pending(port), 1);
        event = gm_receive(port);
        EXPECT_U64(GM_RECV_EVENT_TYPE(event),
                   priority == 0 ? GM_RECV_EVENT : GM_HIGH_RECV_EVENT);
        EXPECT(gm_ntohp(event->recv.message) == memory);
        EXPECT_U64(gm_ntohl(event->recv.length), 20);
        EXPECT(is_filled(memory, 20, priority));
    }
    gm_finalize();
}

static void test_plain(void)
{
    CHECK_U64(ranks_run(2, body_plain), 0);
}

/* ---- Long messages ----------------------------------------------------- */

/* Exchange messages in registered user memory or in the library's memory. */
static void exchange_long(unsigned rank, int is_dma)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned char *memory[4];
    unsigned i;

    for (i = 0; i < 4; ++i) {
        if (is_dma) {
            memory[i] = gm_dma_malloc(port, LONG_BYTES);
        } else {
            memory[i] = malloc(LONG_BYTES);
            EXPECT_U64(gm_register_memory(port, memory[i], LONG_BYTES), 0);
        }
        if (rank == 0) {
            fill(memory[i], LONG_BYTES - i, i);
            send_to(port, 1, memory[i], LONG_SIZE, LONG_BYTES - i);
        } else {
            gm_provide_receive_buffer(port, memory[i], LONG_SIZE, 0);
        }
    }
    for (i = 0; i < 4 && rank == 1; ++i) {
        gm_recv_event_t *event = next_message(port);

        EXPECT_U64(GM_RECV_EVENT_TYPE(event), GM_PEER_RECV_EVENT);
        EXPECT_U64(gm_ntohl(event->recv.length), LONG_BYTES - i);
        EXPECT(gm_ntohp(event->recv.message) == memory[i]);
        EXPECT(is_filled(memory[i], LONG_BYTES - i, i));
        ranks_log[i] = gmsim_time_ps();
    }
    finish_sends(port, rank == 0 ? 4 : 0);
    if (!is_dma) {
        for (i = 0; i < 4; ++i) {
            EXPECT_U64(gm_deregister_memory(port, memory[i], LONG_BYTES), 0);
            free(memory[i]);
        }
    }
    gm_finalize();
}

static void body_long_dma(unsigned rank)
{
    exchange_long(rank, 1);
}

static void body_long_user(unsigned rank)
{
    exchange_long(rank, 0);
}

static void test_long(void)
{
    CHECK_U64(ranks_run(2, body_long_dma), 0);
}

/* Prevent other processes from accessing this process's memory, as many
 * containers do. */
static void forbid_process_vm(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {5, filter};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        _exit(91);
    }
}

static void body_long_staged(unsigned rank)
{
    forbid_process_vm();
    exchange_long(rank, 0);
}

static void test_user_memory(void)
{
    uint64_t direct_ps[4];
    unsigned i;

    CHECK_U64(ranks_run(2, body_long_user), 0);
    memcpy(direct_ps, ranks_log, sizeof(direct_ps));
    CHECK_U64(ranks_run(2, body_long_staged), 0);
    for (i = 0; i < 4; ++i) {
        CHECK_U64(ranks_log[i], direct_ps[i]);
    }
}

/* ---- Message order with many senders ------------------------------------- */

static void body_many(unsigned rank)
{
    enum {
        COUNT = 200,
        BUFFERS = 20
    };
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    uint32_t next[RANKS_MAX] = {0};
    uint32_t *out = gm_dma_calloc(port, COUNT, sizeof(*out));
    unsigned tokens = gm_num_send_tokens(port);
    unsigned i;

    for (i = 0; i < BUFFERS; ++i) {
        gm_provide_receive_buffer(port, gm_dma_malloc(port, 8), 4, 0);
    }
    for (i = 0; i < COUNT && rank != 0; ++i) {
        out[i] = i;
        finish_sends(port, i < tokens ? 0 : i - tokens + 1);
        send_to(port, 0, &out[i], 4, sizeof(*out));
    }
    for (i = 0; i < COUNT * (me.size - 1) && rank == 0; ++i) {
        gm_recv_event_t *event = next_message(port);
        unsigned from = gm_ntohs(event->recv.sender_node_id) - 1u;
        uint32_t number;

        memcpy(&number, gm_ntohp(event->recv.message), sizeof(number));
        EXPECT_U64(number, next[from]);
        ++next[from];
        gm_provide_receive_buffer(port, gm_ntohp(event->recv.buffer), 4, 0);
    }
    finish_sends(port, rank == 0 ? 0 : COUNT);
    if (rank == 0) {
        ranks_log[0] = gmsim_time_ps();
    }
    gm_finalize();
}

/* Two runs must take exactly the same virtual time, even if another process
 * loads the machine during the second run. */
static void test_many(void)
{
    uint64_t first_ps;
    pid_t load;

    CHECK_U64(ranks_run(4, body_many), 0);
    first_ps = ranks_log[0];
    load = fork();
    if (load == 0) {
        for (;;) {
        }
    }
    CHECK_U64(ranks_run(4, body_many), 0);
    kill(load, SIGKILL);
    waitpid(load, NULL, 0);
    CHECK_U64(ranks_log[0], first_ps);
    CU_ASSERT_TRUE(first_ps > 0);
}

/* ---- Polling ----------------------------------------------------------- */

/* Two programs, which only poll for messages, send messages to each other in
 * turn. */
static void body_polling(unsigned rank)
{
    OPEN_WITH_MEMORY(64);
    unsigned rounds = 0;

    gm_provide_receive_buffer(port, memory, 4, 0);
    if (rank == 0) {
        send_to(port, 1, memory + 32, 4, 8);
    }
    while (rounds < 200 || sends_done < 200) {
        gm_recv_event_t *event = gm_receive(port);

        if (!is_message(event)) {
            gm_unknown(port, event);
            continue;
        }
        ++rounds;
        gm_provide_receive_buffer(port, memory, 4, 0);
        if (rank == 1 || rounds < 200) {
            send_to(port, rank ^ 1, memory + 32, 4, 8);
        }
    }
    ranks_log[rank] = gmsim_time_ps();
    gm_finalize();
}

static void test_polling(void)
{
    uint64_t first_ps[2];
    pid_t load;

    CHECK_U64(ranks_run(2, body_polling), 0);
    memcpy(first_ps, ranks_log, sizeof(first_ps));
    load = fork();
    if (load == 0) {
        for (;;) {
        }
    }
    CHECK_U64(ranks_run(2, body_polling), 0);
    kill(load, SIGKILL);
    waitpid(load, NULL, 0);
    CHECK_U64(ranks_log[0], first_ps[0]);
    CHECK_U64(ranks_log[1], first_ps[1]);
}

/* A process polls two ports alternately. A message to one of these ports is
 * received soon, even after many polls, because the message ends the wait of a
 * poll on the other port. */
static void body_two_ports(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    struct gm_port *other = NULL;
    gm_recv_event_t *event;
    unsigned char *memory = gm_dma_malloc(port, 64);
    gmsim_path_t path;

    EXPECT_U64(gm_open(&other, 0, 4, "other", GM_API_VERSION), GM_SUCCESS);
    if (rank == 0) {
        /* by this time, a poll of rank 1 takes 100 us */
        gmsim_compute(UINT64_C(5000000000));
        gm_send_with_callback(port, memory, 4, 8, 0, 2, 4, count_send, NULL);
        finish_sends(port, 1);
        gm_finalize();
        return;
    }
    gm_provide_receive_buffer(other, gm_dma_malloc(other, 64), 4, 0);
    do {
        gm_unknown(port, gm_receive(port));
        event = gm_receive(other);
    } while (!is_message(event));
    EXPECT_U64(gmsim_get_path(other, &path), GM_SUCCESS);
    /* less than 5 us, including the calls of both ranks */
    EXPECT(path.host_ps < UINT64_C(5000000));
    gm_finalize();
}

static void test_two_ports(void)
{
    CHECK_U64(ranks_run(2, body_two_ports), 0);
}

/* ---- Remote writes ----------------------------------------------------- */

static void body_put(unsigned rank)
{
    OPEN_WITH_MEMORY(10000);
    gm_u64_t *window = gm_dma_malloc(port, sizeof(*window));

    if (rank == 0) {
        gm_u64_t target;

        gm_provide_receive_buffer(port, window, 4, 0);
        memcpy(&target, gm_ntohp(next_message(port)->recv.message),
               sizeof(target));
        fill(memory, 9000, 5);
        gm_directed_send_with_callback(port, memory, target + 100, 9000,
                                       GM_LOW_PRIORITY, 2, me.port, count_send,
                                       NULL);
        gm_put(port, memory, target, 3, GM_LOW_PRIORITY, 2, me.port, count_send,
               NULL);
        send_to(port, 1, memory, 5, 0); /* this message arrives after the
                                         * puts */
        finish_sends(port, 3);
        EXPECT_U64(last_status, GM_SUCCESS);
    } else {
        EXPECT_U64(gm_allow_remote_memory_access(port), GM_SUCCESS);
        gm_provide_receive_buffer(port, memory + 9900, 5, 0);
        *window = (gm_u64_t)(uintptr_t)memory;
        memset(memory, 0xee, 9200);
        send_to(port, 0, window, 4, sizeof(*window));
        next_message(port);
        EXPECT(is_filled(memory, 3, 5));
        EXPECT_U64(memory[3], 0xee);
        EXPECT_U64(memory[99], 0xee);
        EXPECT(is_filled(memory + 100, 9000, 5));
        EXPECT_U64(memory[9100], 0xee);
        finish_sends(port, 1);
    }
    gm_finalize();
}

static void test_put(void)
{
    CHECK_U64(ranks_run(2, body_put), 0);
}

/* ---- Deferred copies ---- */

/* Data that are written to the memory of a sleeping process are visible to
 * other processes that read this memory, even before the owner of the memory
 * reads the data. If several writes overlap, the last write takes effect. */
static void body_put_and_get(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned char *memory = malloc(LONG_BYTES);
    gm_u64_t *window = gm_dma_malloc(port, sizeof(*window));

    EXPECT_U64(gm_register_memory(port, memory, LONG_BYTES), GM_SUCCESS);
    if (rank == 0) {
        unsigned char *again = malloc(LONG_BYTES);
        gm_u64_t target;

        EXPECT_U64(gm_register_memory(port, again, LONG_BYTES), GM_SUCCESS);
        gm_provide_receive_buffer(port, window, 4, 0);
        memcpy(&target, gm_ntohp(next_message(port)->recv.message),
               sizeof(target));
        fill(memory, LONG_BYTES, 5);
        gm_put(port, memory, target, LONG_BYTES, GM_LOW_PRIORITY, 2, me.port,
               count_send, NULL);
        gm_put(port, memory + 7, target + 50000, 20000, GM_LOW_PRIORITY, 2,
               me.port, count_send, NULL);
        finish_sends(port, 2);
        gm_get(port, target, again, LONG_BYTES, GM_LOW_PRIORITY, 2, me.port,
               count_send, NULL);
        finish_sends(port, 3);
        EXPECT(is_filled(again, 50000, 5));
        EXPECT(memcmp(again + 50000, memory + 7, 20000) == 0);
        EXPECT(memcmp(again + 70000, memory + 70000, LONG_BYTES - 70000) == 0);
        send_to(port, 1, window, 4, 0);
        finish_sends(port, 4);
        EXPECT_U64(last_status, GM_SUCCESS);
        free(again);
    } else {
        EXPECT_U64(gm_allow_remote_memory_access(port), GM_SUCCESS);
        gm_provide_receive_buffer(port, window, 4, 0);
        memset(memory, 0xee, LONG_BYTES);
        *window = (gm_u64_t)(uintptr_t)memory;
        send_to(port, 0, window, 4, sizeof(*window));
        next_message(port);
        EXPECT(is_filled(memory, 50000, 5));
        EXPECT_U64(memory[50000], memory[7]);
        EXPECT_U64(memory[69999], memory[20006]);
        EXPECT_U64(memory[LONG_BYTES - 1],
                   (unsigned char)((LONG_BYTES - 1) * 31 +
                                   (LONG_BYTES - 1) / 251 + 5));
        finish_sends(port, 1);
    }
    gm_finalize();
    free(memory);
}

static void test_put_and_get(void)
{
    CHECK_U64(ranks_run(2, body_put_and_get), 0);
}

#define OVERLAP_BYTES 30000u
#define OVERLAP_SHIFT 2000u

/* Ranks 0 and 1 write to overlapping memory of rank 2; their packets alternate.
 * Rank 2 copies the final contents to the log. */
static void body_overlap(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned char *memory = malloc(LONG_BYTES);
    gm_u64_t *window = gm_dma_malloc(port, sizeof(*window));

    EXPECT_U64(gm_register_memory(port, memory, LONG_BYTES), GM_SUCCESS);
    if (rank < 2) {
        gm_u64_t target;

        gm_provide_receive_buffer(port, window, 4, 0);
        memcpy(&target, gm_ntohp(next_message(port)->recv.message),
               sizeof(target));
        memset(memory, rank == 0 ? 5 : 9, LONG_BYTES);
        gm_put(port, memory, target + rank * OVERLAP_SHIFT, OVERLAP_BYTES,
               GM_LOW_PRIORITY, 3, me.port, count_send, NULL);
        send_to(port, 2, window, 4, 0);
        finish_sends(port, 2);
        EXPECT_U64(last_status, GM_SUCCESS);
    } else {
        EXPECT_U64(gm_allow_remote_memory_access(port), GM_SUCCESS);
        gm_provide_receive_buffer(port, gm_dma_malloc(port, 16), 4, 0);
        gm_provide_receive_buffer(port, gm_dma_malloc(port, 16), 4, 0);
        memset(memory, 0xee, LONG_BYTES);
        *window = (gm_u64_t)(uintptr_t)memory;
        send_to(port, 0, window, 4, sizeof(*window));
        send_to(port, 1, window, 4, sizeof(*window));
        next_message(port);
        next_message(port);
        EXPECT_U64(memory[OVERLAP_BYTES + OVERLAP_SHIFT], 0xee);
        memcpy(ranks_log, memory, OVERLAP_BYTES + OVERLAP_SHIFT);
        finish_sends(port, 2);
    }
    gm_finalize();
    free(memory);
}

_Static_assert(OVERLAP_BYTES + OVERLAP_SHIFT <=
                   RANKS_LOG_LEN * sizeof(*ranks_log),
               "fits the log");

/* If NICs check CRCs, each packet is written immediately. If NICs do not check
 * CRCs, the result must be the same. */
static void test_overlap(void)
{
    static unsigned char at_once[OVERLAP_BYTES + OVERLAP_SHIFT];
    const unsigned char *late;
    unsigned turns = 0, i;

    ranks_use_cluster("parameters:\n  nic_check_crc: 1\n");
    CHECK_U64(ranks_run(3, body_overlap), 0);
    memcpy(at_once, ranks_log, sizeof(at_once));
    ranks_use_cluster(NULL);
    CHECK_U64(ranks_run(3, body_overlap), 0);
    late = (const unsigned char *)ranks_log;
    CU_ASSERT(memcmp(late, at_once, sizeof(at_once)) == 0);
    for (i = 1; i < sizeof(at_once); ++i) {
        turns += late[i] != late[i - 1];
    }
    CU_ASSERT(turns > 4); /* a small number of changes would mean that the
                           * writes did not alternate */
}

/* ---- Sends whose completions are only counted ---- */

#define BOOKS_SENDS 9u

static int books_past;

/* Rank 0 sends a message and sleeps until the answer arrives. Rank 0 logs the
 * time of the answer, and the number of wake-ups and callbacks until then. */
static void body_books(unsigned rank)
{
    OPEN_WITH_MEMORY((BOOKS_SENDS + 1) << 13);
    unsigned i;

    for (i = 0; i <= BOOKS_SENDS; ++i) {
        gm_provide_receive_buffer(port, memory + (i << 13), 13, 0);
    }
    if (rank == 0) {
        gm_recv_event_t *event;

        if (books_past) {
            gmsim_set_bookkeeper(port, count_send);
        }
        for (i = 0; i < BOOKS_SENDS; ++i) {
            send_to(port, 1, memory, 13, 5000 / (i + 1));
        }
        do {
            (books_past ? gmsim_wait_past_sends : gmsim_wait)(port);
            ++ranks_log[1];
            event = gm_receive(port);
            gm_unknown(port, event);
        } while (!is_message(event));
        ranks_log[0] = gmsim_time_ps();
        ranks_log[2] = sends_done;
    } else {
        for (i = 0; i < BOOKS_SENDS; ++i) {
            next_message(port);
        }
        gmsim_compute(UINT64_C(100000000));
        send_to(port, 0, memory, 13, 10);
        finish_sends(port, 1);
    }
    gm_finalize();
}

static void test_books(void)
{
    uint64_t time_ps;

    books_past = 0;
    CHECK_U64(ranks_run(2, body_books), 0);
    time_ps = ranks_log[0];
    CHECK_U64(ranks_log[1], BOOKS_SENDS + 1);
    CHECK_U64(ranks_log[2], BOOKS_SENDS);
    books_past = 1;
    CHECK_U64(ranks_run(2, body_books), 0);
    CHECK_U64(ranks_log[0], time_ps);
    CHECK_U64(ranks_log[1], 1);
    CHECK_U64(ranks_log[2], BOOKS_SENDS);
}

static unsigned refused;

static void resume(struct gm_port *port, void *context, gm_status_t status)
{
    EXPECT_U64(status, GM_SEND_REJECTED);
    ++refused;
    gm_resume_sending(port, 0, 2, 2, NULL, NULL);
    count_send(port, context, status);
}

/* The target has not permitted remote access, or has not registered the
 * memory. */
static void body_put_refused(unsigned rank)
{
    static unsigned char private[8192];
    OPEN_WITH_MEMORY(100);

    gm_provide_receive_buffer(port, gm_dma_malloc(port, 64), 6, 0);
    if (rank == 0) {
        /* The address is the same in both processes, because both were forked
         * from one process. */
        memset(memory, 1, 100);
        gm_put(port, memory, (gm_remote_ptr_t)(uintptr_t) private, 100, 0, 2,
               me.port, resume, NULL);
        send_to(port, 1, memory, 6, 0);
        next_message(port);
        gm_put(port, memory, (gm_remote_ptr_t)(uintptr_t) private, 100, 0, 2,
               me.port, resume, NULL);
        send_to(port, 1, memory, 6, 0);
        finish_sends(port, 4);
        EXPECT_U64(refused, 2);
    } else {
        gm_provide_receive_buffer(port, gm_dma_malloc(port, 64), 6, 0);
        next_message(port);
        EXPECT_U64(private[0], 0);
        gm_allow_remote_memory_access(port);
        send_to(port, 0, memory, 6, 0);
        next_message(port);
        EXPECT_U64(private[0], 0);
        finish_sends(port, 1);
    }
    gm_finalize();
}

static void test_put_refused(void)
{
    CHECK_U64(ranks_run(2, body_put_refused), 0);
}

/* ---- One process ------------------------------------------------------- */

/* A process sends a message to itself through the NIC, between two ports. */
static void body_self(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    struct gm_port *other = NULL;
    unsigned char *memory = gm_dma_malloc(port, 64);
    unsigned char *buffer;
    gm_recv_event_t *event;

    (void)rank;
    EXPECT_U64(gm_open(&other, 0, 4, NULL, GM_API_VERSION_1_3), GM_SUCCESS);
    buffer = gm_dma_malloc(other, 64);
    gm_provide_receive_buffer(other, buffer, 6, GM_HIGH_PRIORITY);
    memcpy(memory, "hello", 6);
    gm_send_with_callback(port, memory, 6, 6, GM_HIGH_PRIORITY, me.node_id, 4,
                          count_send, NULL);
    event = next_message(other);
    EXPECT_U64(GM_RECV_EVENT_TYPE(event), GM_FAST_HIGH_RECV_EVENT);
    EXPECT(memcmp(gm_ntohp(event->recv.message), "hello", 6) == 0);
    finish_sends(port, 1);
    gm_finalize(); /* this call closes both ports */
}

static void test_self(void)
{
    CHECK_U64(ranks_run(1, body_self), 0);
}

/* Several ranks on one host exchange messages. */
static void body_same_host(unsigned rank)
{
    gmsim_place_t me, other;
    struct gm_port *port = open_port(&me);
    char name[GM_MAX_HOST_NAME_LEN];
    unsigned char *memory = gm_dma_malloc(port, 64);

    gmsim_get_place(rank ^ 1, &other);
    EXPECT_U64(me.node_id, rank / 2 + 1);
    EXPECT_U64(me.port, rank % 2 == 0 ? 2 : 4);
    EXPECT_U64(other.node_id, me.node_id);
    gm_get_host_name(port, name);
    EXPECT(strcmp(name, me.host_name) == 0);
    EXPECT(strcmp(name, rank < 2 ? "node1" : "node2") == 0);
    gm_provide_receive_buffer(port, memory, 4, 0);
    send_to(port, rank ^ 1, memory + 32, 4, 8);
    EXPECT_U64(GM_RECV_EVENT_TYPE(next_message(port)), GM_FAST_RECV_EVENT);
    finish_sends(port, 1);
    gm_finalize();
}

static void test_same_host(void)
{
    ranks_use_cluster("hosts: 2\nranks_per_host: 2\n");
    CHECK_U64(ranks_run(4, body_same_host), 0);
    ranks_use_cluster(NULL);
}

/* ---- Times of the sections of a path ---- */

/* Rank 1 is already waiting when the first message arrives. For the second
 * message, rank 1 starts waiting 1 ms too late. */
static void body_path(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    uint64_t *memory = gm_dma_malloc(port, 64);
    uint64_t clock_read_ps;
    gmsim_path_t path;
    unsigned i;

    gmsim_get_param("host_clock_read_ps", &clock_read_ps);
    EXPECT_U64(gmsim_get_path(port, &path), GM_FAILURE);
    for (i = 0; i < 2 && rank == 0; ++i) {
        memory[0] = gmsim_time_ps();
        send_to(port, 1, memory, 6, 40);
        finish_sends(port, i + 1);
    }
    for (i = 0; i < 2 && rank == 1; ++i) {
        gm_recv_event_t *event;
        uint64_t sent_ps, returned_ps;

        gm_provide_receive_buffer(port, memory, 6, 0);
        gmsim_compute(i * UINT64_C(1000000000));
        event = next_message(port);
        returned_ps = gmsim_time_ps() - clock_read_ps;
        memcpy(&sent_ps, gm_ntohp(event->recv.message), sizeof(sent_ps));
        gm_receive(port); /* this call finds no event, and changes nothing */
        EXPECT_U64(gmsim_get_path(port, &path), GM_SUCCESS);
        EXPECT_U64(path.host_ps + path.lanai_ps + path.host_dma_ps +
                       path.wire_ps + path.switch_ps,
                   returned_ps - sent_ps);
        EXPECT((path.host_ps > UINT64_C(800000000)) == (i == 1));
        /* the times of two cables (50 ns each) and of 69 bytes at 160 MB/s */
        EXPECT_U64(path.wire_ps, 2 * 50000 + 69 * 6250);
        EXPECT_U64(path.switch_ps, 300000);
        EXPECT(path.lanai_ps > 0 && path.host_dma_ps > 0);
    }
    gm_finalize();
}

static void test_path(void)
{
    CHECK_U64(ranks_run(2, body_path), 0);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"a small message", test_small},
        {"gm_unknown makes a fast message plain", test_plain},
        {"long messages", test_long},
        {"user memory, sent directly and through a staging buffer",
         test_user_memory},
        {"many senders, in order and reproducible", test_many},
        {"polling is reproducible", test_polling},
        {"polling two ports", test_two_ports},
        {"remote writes", test_put},
        {"remote writes that are read back", test_put_and_get},
        {"overlapping remote writes", test_overlap},
        {"sends whose completions the program only counts", test_books},
        {"remote writes that are not allowed", test_put_refused},
        {"a message to the sender's own process", test_self},
        {"two ranks on a host", test_same_host},
        {"times that a message spends on each section of its path", test_path},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"gm message", NULL, NULL, NULL, NULL, tests});
}
