/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs jobs of forked ranks for tests of the GM library. Every rank executes a
 * function (its body) in its own process, with the environment that a launcher
 * would provide. If an EXPECT fails in a body, it prints a message, and the
 * process exits with status 1.
 */
#ifndef TESTS_UNIT_RANKS_H
#define TESTS_UNIT_RANKS_H

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gm.h"
#include "gm_qos.h"
#include "gmsim.h"

#define RANKS_MAX          16
#define RANKS_WALL_LIMIT_S 120

static int ranks_failures;

#define EXPECT(_condition)                                                     \
    do {                                                                       \
        if (!(_condition)) {                                                   \
            fprintf(stderr, "\n    %s:%d: not true: %s\n", __FILE__, __LINE__, \
                    #_condition);                                              \
            ++ranks_failures;                                                  \
        }                                                                      \
    } while (0)

#define EXPECT_U64(_actual, _expected)                                         \
    do {                                                                       \
        uint64_t is_ = (uint64_t)(_actual);                                    \
        uint64_t shall_ = (uint64_t)(_expected);                               \
        if (is_ != shall_) {                                                   \
            fprintf(stderr, "\n    %s:%d: %s is %llu, expected %llu\n",        \
                    __FILE__, __LINE__, #_actual, (unsigned long long)is_,     \
                    (unsigned long long)shall_);                               \
            ++ranks_failures;                                                  \
        }                                                                      \
    } while (0)

typedef void rank_body(unsigned rank);

typedef struct ranks {
    unsigned size;
    pid_t pids[RANKS_MAX];
    int status[RANKS_MAX]; /* exit status of a rank, as returned by waitpid() */
} ranks_t;

/* Shared memory that the ranks of a test write and the parent reads.
 * ranks_start() sets this memory to zero. */
static uint64_t *ranks_log;
#define RANKS_LOG_LEN 4096u

static char ranks_cluster[64]; /* path of the next job's cluster file, or "" */

/* Use this cluster for the next jobs; NULL means the default cluster. */
static inline void ranks_use_cluster(const char *yaml)
{
    FILE *file;

    if (ranks_cluster[0] != '\0') {
        unlink(ranks_cluster);
        ranks_cluster[0] = '\0';
    }
    if (yaml == NULL) {
        return;
    }
    snprintf(ranks_cluster, sizeof(ranks_cluster), "/tmp/gmqos-test-%d.yaml",
             (int)getpid());
    file = fopen(ranks_cluster, "w");
    if (file == NULL || fputs(yaml, file) == EOF || fclose(file) != 0) {
        abort();
    }
}

static inline void ranks_set_number(const char *name, unsigned value)
{
    char text[16];

    snprintf(text, sizeof(text), "%u", value);
    setenv(name, text, 1);
}

static inline pid_t ranks_start_one(const char *job, unsigned rank,
                                    unsigned size, rank_body *body)
{
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid != 0) {
        return pid;
    }
    alarm(RANKS_WALL_LIMIT_S);
    setenv("GMSIM_JOB", job, 1);
    ranks_set_number("PMI_RANK", rank);
    ranks_set_number("PMI_SIZE", size);
    if (ranks_cluster[0] != '\0') {
        setenv("GMSIM_CLUSTER", ranks_cluster, 1);
    } else {
        unsetenv("GMSIM_CLUSTER");
    }
    ranks_failures = 0;
    body(rank);
    exit(ranks_failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}

static inline void ranks_start(ranks_t *ranks, unsigned size, rank_body *body)
{
    static unsigned jobs;
    char job[64];
    unsigned rank;

    if (ranks_log == NULL) {
        ranks_log =
            mmap(NULL, RANKS_LOG_LEN * sizeof(*ranks_log),
                 PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (ranks_log == MAP_FAILED) {
            abort();
        }
    }
    memset(ranks_log, 0, RANKS_LOG_LEN * sizeof(*ranks_log));
    snprintf(job, sizeof(job), "unit-%d-%u", (int)getpid(), ++jobs);
    ranks->size = size;
    for (rank = 0; rank < size; ++rank) {
        ranks->pids[rank] = ranks_start_one(job, rank, size, body);
    }
}

/* Wait for all ranks. @return number of ranks that did not exit with status
 * 0 */
static inline unsigned ranks_end(ranks_t *ranks)
{
    unsigned failed = 0;
    unsigned rank;

    for (rank = 0; rank < ranks->size; ++rank) {
        waitpid(ranks->pids[rank], &ranks->status[rank], 0);
        failed += ranks->status[rank] != 0;
    }
    return failed;
}

/* Run a job. @return number of ranks that have failed */
static inline unsigned ranks_run(unsigned size, rank_body *body)
{
    ranks_t ranks;

    ranks_start(&ranks, size, body);
    return ranks_end(&ranks);
}

/* ---- functions for rank bodies ---- */

static unsigned sends_done;
static gm_status_t last_status;

static inline void count_send(struct gm_port *port, void *context,
                              gm_status_t status)
{
    (void)port;
    (void)context;
    ++sends_done;
    last_status = status;
}

/* Open the port that the launcher has assigned to the caller. If this fails,
 * end the process. */
static inline struct gm_port *open_port(gmsim_place_t *me)
{
    struct gm_port *port = NULL;
    gm_status_t status = gm_init();

    if (status == GM_SUCCESS) {
        gmsim_get_my_place(me);
        status = gm_open(&port, 0, me->port, "test", GM_API_VERSION);
    }
    if (status != GM_SUCCESS) {
        gm_perror("cannot open the port", status);
        _exit(90);
    }
    sends_done = 0;
    return port;
}

/* Declare three variables: the address `me`, the open port `port`, and the
 * buffer `memory` of the given size in bytes. */
#define OPEN_WITH_MEMORY(_bytes)                                               \
    gmsim_place_t me;                                                          \
    struct gm_port *port = open_port(&me);                                     \
    unsigned char *memory = gm_dma_malloc(port, (_bytes))

static inline int is_message(const union gm_recv_event *event)
{
    unsigned type = GM_RECV_EVENT_TYPE(event);

    return type >= GM_RECV_EVENT && type <= GM_FAST_HIGH_PEER_RECV_EVENT;
}

/* Sleep until a message arrives, and pass all other events to gm_unknown(). */
static inline union gm_recv_event *next_message(struct gm_port *port)
{
    for (;;) {
        union gm_recv_event *event = gm_blocking_receive(port);

        if (is_message(event)) {
            return event;
        }
        gm_unknown(port, event);
    }
}

/* Wait until `count` sends have completed. */
static inline void finish_sends(struct gm_port *port, unsigned count)
{
    while (sends_done < count) {
        gm_unknown(port, gm_blocking_receive(port));
    }
}

static inline void send_to(struct gm_port *port, unsigned rank, void *message,
                           unsigned size, gm_size_t length)
{
    gmsim_place_t place;

    gmsim_get_place(rank, &place);
    gm_send_with_callback(port, message, size, length, GM_LOW_PRIORITY,
                          place.node_id, place.port, count_send, NULL);
}

/* Return the low-priority flow to the port of a rank. */
static inline gm_qos_flow_t flow_to(unsigned rank, unsigned label)
{
    gm_qos_flow_t flow = {.priority = GM_LOW_PRIORITY, .label = label};
    gmsim_place_t place;

    gmsim_get_place(rank, &place);
    flow.target_node = place.node_id;
    flow.target_port = place.port;
    return flow;
}

#define BARRIER_SIZE 5

static inline void barrier_send(struct gm_port *port, void *out, unsigned rank)
{
    gmsim_place_t place;

    gmsim_get_place(rank, &place);
    gm_send_with_callback(port, out, BARRIER_SIZE, 0, GM_HIGH_PRIORITY,
                          place.node_id, place.port, count_send, NULL);
}

static inline void barrier_take(struct gm_port *port)
{
    union gm_recv_event *event = next_message(port);

    gm_provide_receive_buffer(port, gm_ntohp(event->recv.buffer), BARRIER_SIZE,
                              GM_HIGH_PRIORITY);
}

/* Wait until all ranks have made this call: each rank sends a message to rank
 * 0, and then rank 0 sends a message to each rank. During this call, no other
 * message may be sent to this port. A process that calls this function must use
 * only one port. */
static inline void barrier(struct gm_port *port, const gmsim_place_t *me)
{
    static void *out;
    unsigned before = sends_done;
    unsigned rank;

    if (out == NULL) {
        out = gm_dma_malloc(port, 64);
        for (rank = 0; rank < 2 * RANKS_MAX; ++rank) {
            gm_provide_receive_buffer(port, gm_dma_malloc(port, 64),
                                      BARRIER_SIZE, GM_HIGH_PRIORITY);
        }
    }
    if (me->rank != 0) {
        barrier_send(port, out, 0);
        barrier_take(port);
        finish_sends(port, before + 1);
        return;
    }
    for (rank = 1; rank < me->size; ++rank) {
        barrier_take(port);
    }
    for (rank = 1; rank < me->size; ++rank) {
        barrier_send(port, out, rank);
    }
    finish_sends(port, before + me->size - 1);
}

#endif
