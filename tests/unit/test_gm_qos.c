/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests bandwidth reservations for GM flows, from the request to the arrival of
 * the data. */
#include "gm_qos.h"

#include "ranks.h"
#include "unit.h"

#define MB      1000000.0
#define PREMIUM GM_QOS_PREMIUM

/* ---- Arguments --------------------------------------------------------- */

static void body_arguments(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    gm_qos_flow_t good = flow_to(0, 0);
    gm_qos_flow_t bad;
    gm_qos_answer_t answer;
    gm_qos_flow_state_t state;
    const double wrong[] = {0, -1, 0.0 / 0.0, 1 / 0.0};
    unsigned i;

    (void)rank;
    for (i = 0; i < 5; ++i) {
        bad = good;
        bad.target_node = i == 0 ? 0 : i == 1 ? 17 : 1;
        bad.target_port = i == 2 ? 8 : 2;
        bad.priority = i == 3 ? GM_NUM_PRIORITIES : GM_LOW_PRIORITY;
        bad.label = i == 4 ? GM_QOS_MAX_LABEL + 1 : 0;
        EXPECT_U64(gm_qos_set_idt(port, &bad, 1), GM_INVALID_PARAMETER);
        EXPECT_U64(gm_qos_request(port, &bad, MB, PREMIUM, 0, &answer),
                   GM_INVALID_PARAMETER);
        EXPECT_U64(gm_qos_release(port, &bad), GM_INVALID_PARAMETER);
        EXPECT_U64(gm_qos_get_flow(port, &bad, &state), GM_INVALID_PARAMETER);
    }
    for (i = 0; i < 4; ++i) {
        EXPECT_U64(gm_qos_request(port, &good, wrong[i], PREMIUM, 0, &answer),
                   GM_INVALID_PARAMETER);
        if (i > 0) {
            EXPECT_U64(
                gm_qos_request(port, &good, MB, PREMIUM, wrong[i], &answer),
                GM_INVALID_PARAMETER);
        }
    }
    EXPECT_U64(gm_qos_request(port, &good, MB, GM_QOS_FIXED, 0, &answer),
               GM_INVALID_PARAMETER);
    EXPECT_U64(gm_qos_request(port, &good, MB, PREMIUM, 0, NULL),
               GM_INVALID_PARAMETER);
    EXPECT_U64(gm_qos_request(port, NULL, MB, PREMIUM, 0, &answer),
               GM_INVALID_PARAMETER);
    EXPECT_U64(gm_qos_request(NULL, &good, MB, PREMIUM, 0, &answer),
               GM_INVALID_PARAMETER);
    EXPECT_U64(gm_qos_set_idt(port, &good, GM_QOS_MAX_IDT_TICKS + 1),
               GM_INVALID_PARAMETER);
    EXPECT_U64(gm_qos_get_flow(port, &good, NULL), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_qos_release(port, &good), GM_SUCCESS); /* this call releases
                                                          * nothing */
    gm_finalize();
}

static void test_arguments(void)
{
    CHECK_U64(ranks_run(1, body_arguments), 0);
}

/* ---- Answers ----------------------------------------------------------- */

static void body_answers(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    gm_qos_flow_t one = flow_to(1, 0);
    gm_qos_flow_t two = flow_to(2, 7);
    gm_qos_answer_t answer;
    gm_qos_flow_state_t state;

    if (rank != 0) {
        barrier(port, &me);
        gm_finalize();
        return;
    }
    EXPECT_U64(gm_qos_request(port, &one, 40 * MB, PREMIUM, 0, &answer), 0);
    EXPECT_U64(answer.granted, 1);
    EXPECT_U64(answer.qos_class, PREMIUM);
    EXPECT_U64(answer.idt_ticks, 204); /* floor(8192 / 40) */
    EXPECT_U64(answer.bandwidth_bytes_s, 8192 * MB / 204);
    EXPECT_U64(answer.criterion, GM_QOS_OK);
    EXPECT(strcmp(answer.place, "") == 0);
    EXPECT_U64(gm_qos_get_flow(port, &one, &state), GM_SUCCESS);
    EXPECT_U64(state.qos_class, PREMIUM);
    EXPECT_U64(state.idt_ticks, 204);
    EXPECT_U64(state.packets_sent, 0);
    EXPECT_U64(gm_qos_set_idt(port, &one, 10), GM_BUSY);

    EXPECT_U64(gm_qos_request(port, &two, 60 * MB, PREMIUM, 0, &answer), 0);
    EXPECT_U64(answer.granted, 0);
    EXPECT_U64(answer.qos_class, GM_QOS_UNMANAGED);
    EXPECT_U64(answer.criterion, GM_QOS_SOURCE_NODE);
    EXPECT(strcmp(answer.place, "node 1") == 0);
    /* 37.843 MB/s remain, and 8192 / 37.843 is rounded up to 217 ticks */
    EXPECT(answer.left_bytes_s > 37.751 * MB &&
           answer.left_bytes_s < 37.752 * MB);
    EXPECT_U64(gm_qos_request(port, &two, 0, GM_QOS_BEST_EFFORT, 0, &answer),
               0);
    EXPECT_U64(answer.granted, 1);
    EXPECT_U64(answer.qos_class, GM_QOS_BEST_EFFORT);
    /* After a change has been denied, the previous reservation remains
     * valid. */
    EXPECT_U64(gm_qos_request(port, &one, 90 * MB, PREMIUM, 0, &answer), 0);
    EXPECT_U64(answer.granted, 0);
    EXPECT_U64(answer.idt_ticks, 204);
    EXPECT_U64(gm_qos_release(port, &one), GM_SUCCESS);
    EXPECT_U64(gm_qos_get_flow(port, &one, &state), GM_SUCCESS);
    EXPECT_U64(state.qos_class, GM_QOS_UNMANAGED);
    EXPECT_U64(state.idt_ticks, 0);
    EXPECT_U64(gm_qos_set_idt(port, &one, 10), GM_SUCCESS);
    EXPECT_U64(gm_qos_get_flow(port, &one, &state), GM_SUCCESS);
    EXPECT_U64(state.qos_class, GM_QOS_FIXED);
    EXPECT_U64(state.idt_ticks, 10);
    barrier(port, &me);
    gm_finalize();
}

static void test_answers(void)
{
    CHECK_U64(ranks_run(3, body_answers), 0);
}

/* Ranks 0 to 2 each hold half of node 4's bandwidth. Rank 0 closes its port,
 * rank 1 exits, and rank 2 is killed. Afterwards, all bandwidth of these three
 * ranks is available to rank 3. */
static void body_give_back(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    gm_qos_flow_t flow = flow_to(rank == 3 ? 0 : 3, 0);
    gm_qos_answer_t answer;

    if (rank != 3) {
        gmsim_compute(rank * UINT64_C(20000000000));
        EXPECT_U64(gm_qos_request(port, &flow, 70 * MB, PREMIUM, 0, &answer),
                   0);
        EXPECT_U64(answer.granted, 1);
        if (rank == 2) {
            raise(SIGKILL);
        } else if (rank == 1) {
            exit(ranks_failures);
        }
        gm_close(port);
        gmsim_compute(UINT64_C(1000000000000));
        gm_finalize();
        return;
    }
    gmsim_compute(UINT64_C(41000000000));
    do { /* the death of a rank is detected only after some real time */
        gmsim_compute(UINT64_C(1000000000));
        EXPECT_U64(gm_qos_request(port, &flow, 70 * MB, PREMIUM, 0, &answer),
                   0);
    } while (!answer.granted && usleep(10000) == 0);
    gm_finalize();
}

static void test_give_back(void)
{
    ranks_t ranks;

    ranks_start(&ranks, 4, body_give_back);
    CHECK_U64(ranks_end(&ranks), 1);
    CHECK_U64(WTERMSIG(ranks.status[2]), SIGKILL);
}

/* ---- Several flows, and waiting for bandwidth ---------------------------- */

static void body_request_all(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    gm_qos_request_t requests[GM_QOS_MAX_REQUESTS + 1];
    gm_qos_answer_t answers[GM_QOS_MAX_REQUESTS + 1];
    gm_qos_flow_state_t state;
    unsigned i;

    if (rank != 0) {
        barrier(port, &me);
        gm_finalize();
        return;
    }
    for (i = 0; i <= GM_QOS_MAX_REQUESTS; ++i) {
        requests[i].flow = flow_to(1 + i % 2, i);
        requests[i].bandwidth_bytes_s = MB;
        requests[i].qos_class = PREMIUM;
        requests[i].reverse_bytes_s = 0;
        requests[i].source_load = 0;
        requests[i].target_load = 0;
    }
    EXPECT_U64(gm_qos_request_all(port, requests, 0, answers),
               GM_INVALID_PARAMETER);
    EXPECT_U64(
        gm_qos_request_all(port, requests, GM_QOS_MAX_REQUESTS + 1, answers),
        GM_INVALID_PARAMETER);
    EXPECT_U64(gm_qos_request_all(port, NULL, 1, answers),
               GM_INVALID_PARAMETER);
    EXPECT_U64(gm_qos_request_all(port, requests, 1, NULL),
               GM_INVALID_PARAMETER);
    EXPECT_U64(gm_qos_request_all(port, requests, 3, answers), GM_SUCCESS);
    for (i = 0; i < 3; ++i) {
        EXPECT_U64(answers[i].granted, 1);
        EXPECT_U64(answers[i].idt_ticks, 8192);
        EXPECT_U64(answers[i].qos_class, PREMIUM);
    }
    requests[1].bandwidth_bytes_s = 500 * MB;
    requests[2].bandwidth_bytes_s = 2 * MB;
    EXPECT_U64(gm_qos_request_all(port, requests, 4, answers), GM_SUCCESS);
    for (i = 0; i < 4; ++i) {
        EXPECT_U64(answers[i].granted, 0);
        EXPECT_U64(answers[i].idt_ticks, i < 3 ? 8192 : 0);
        EXPECT_U64(answers[i].criterion,
                   i == 1 ? GM_QOS_SOURCE_NODE : GM_QOS_OK);
        EXPECT((answers[i].place[0] != '\0') == (i == 1));
    }
    requests[1] = requests[0]; /* the same flow occurs twice */
    EXPECT_U64(gm_qos_request_all(port, requests, 2, answers),
               GM_INVALID_PARAMETER);
    barrier(port, &me);
    gm_close(port);
    port = open_port(&me); /* gm_close() has released all reservations. */
    EXPECT_U64(gm_qos_get_flow(port, &requests[0].flow, &state), GM_SUCCESS);
    EXPECT_U64(state.qos_class, GM_QOS_UNMANAGED);
    gm_finalize();
}

static void test_request_all(void)
{
    CHECK_U64(ranks_run(3, body_request_all), 0);
}

static unsigned rooms;

static void note_room(struct gm_port *port, void *context)
{
    gm_qos_request_t *wish = context;
    gm_qos_answer_t answer;

    ++rooms;
    EXPECT_U64(gm_qos_request_all(port, wish, 1, &answer), GM_SUCCESS);
    EXPECT_U64(answer.granted, 1);
}

static int is_over;

static void note_time_over(void *context)
{
    (void)context;
    is_over = 1;
}

/* Rank 0 holds most of node 3's bandwidth, and releases it after 20 ms. Rank 1
 * sleeps until the bandwidth is available. Rank 1 also cancels a second
 * watch. */
static void body_watch(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    gm_qos_request_t wish = {.flow = flow_to(2, 0),
                             .bandwidth_bytes_s = 60 * MB,
                             .qos_class = PREMIUM};
    gm_qos_answer_t answer;
    gm_u64_t watch = 0;

    if (rank == 0) {
        EXPECT_U64(gm_qos_request_all(port, &wish, 1, &answer), GM_SUCCESS);
        EXPECT_U64(answer.granted, 1);
        gmsim_compute(UINT64_C(20000000000));
        EXPECT_U64(gm_qos_release(port, &wish.flow), GM_SUCCESS);
    } else if (rank == 1) {
        gmsim_compute(UINT64_C(5000000000));
        EXPECT_U64(gm_qos_request_all(port, &wish, 1, &answer), GM_SUCCESS);
        EXPECT_U64(answer.granted, 0);
        EXPECT_U64(gm_qos_watch_room(port, &wish, 1, NULL, &wish, &watch),
                   GM_INVALID_PARAMETER);
        EXPECT_U64(gm_qos_watch_room(port, &wish, 1, note_room, &wish, &watch),
                   GM_SUCCESS);
        EXPECT(watch > 0);
        EXPECT_U64(gm_qos_watch_room(port, &wish, 1, note_room, &wish, &watch),
                   GM_SUCCESS);
        EXPECT_U64(gm_qos_unwatch(port, watch), GM_SUCCESS);
        EXPECT_U64(gm_qos_unwatch(port, watch), GM_INVALID_PARAMETER);
        while (rooms == 0) {
            gm_recv_event_t *event = gm_blocking_receive(port);

            EXPECT_U64(gm_ntohc(event->recv.type), GM_ALARM_EVENT);
            gm_unknown(port, event);
        }
        EXPECT(gmsim_time_ps() > UINT64_C(20000000000) &&
               gmsim_time_ps() < UINT64_C(22000000000));
        EXPECT_U64(rooms, 1);
        EXPECT_U64(gm_qos_unwatch(port, watch - 1), GM_INVALID_PARAMETER);
        /* this watch is still active when the port is closed */
        wish.bandwidth_bytes_s = 77 * MB;
        EXPECT_U64(gm_qos_watch_room(port, &wish, 1, note_room, &wish, NULL),
                   GM_SUCCESS);
        gm_close(port);
    }
    gm_finalize();
}

/* The notification for a port's watch is queued behind other messages at the
 * manager of the port's host. Meanwhile, the port is closed and opened again.
 * The new owner of the port must not receive the notification. */
static void body_watch_reopened(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    struct gm_port *other = NULL;
    gm_qos_request_t wish = {
        .flow = flow_to(0, 0), .bandwidth_bytes_s = MB, .qos_class = PREMIUM};
    struct gm_alarm alarm;
    unsigned i;

    if (rank == 1) { /* this rank is not on the host of the master */
        EXPECT_U64(gm_open(&other, 0, 5, "other", GM_API_VERSION), GM_SUCCESS);
        EXPECT_U64(gm_qos_watch_room(port, &wish, 1, note_room, &wish, NULL),
                   GM_SUCCESS);
        wish.bandwidth_bytes_s = 1000 * MB;
        for (i = 0; i < 40; ++i) {
            EXPECT_U64(
                gm_qos_watch_room(other, &wish, 1, note_room, &wish, NULL),
                GM_SUCCESS);
        }
        gmsim_compute(UINT64_C(300000000));
        gm_close(port);
        EXPECT_U64(gm_open(&port, 0, me.port, "again", GM_API_VERSION),
                   GM_SUCCESS);
        EXPECT_U64(gm_qos_watch_room(port, &wish, 1, note_room, &wish, NULL),
                   GM_SUCCESS);
        gm_initialize_alarm(&alarm);
        gm_set_alarm(port, &alarm, 10000, note_time_over, NULL);
        while (!is_over) {
            gm_unknown(port, gm_blocking_receive(port));
        }
        EXPECT_U64(rooms, 0);
    }
    gm_finalize();
}

static void test_watch_reopened(void)
{
    CHECK_U64(ranks_run(2, body_watch_reopened), 0);
}

static void test_watch(void)
{
    CHECK_U64(ranks_run(3, body_watch), 0);
}

/* ---- NICs without pacing ------------------------------------------------- */

static void body_no_pace(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    gm_qos_request_t wish = {
        .flow = flow_to(0, 0), .bandwidth_bytes_s = MB, .qos_class = PREMIUM};
    gm_qos_flow_state_t state;
    gm_qos_answer_t answer;

    (void)rank;
    EXPECT_U64(gm_qos_request(port, &wish.flow, MB, PREMIUM, 0, &answer),
               GM_UNSUPPORTED_DEVICE);
    EXPECT_U64(
        gm_qos_request(port, &wish.flow, 0, GM_QOS_BEST_EFFORT, 0, &answer),
        GM_UNSUPPORTED_DEVICE);
    EXPECT_U64(gm_qos_request_all(port, &wish, 1, &answer),
               GM_UNSUPPORTED_DEVICE);
    EXPECT_U64(gm_qos_watch_room(port, &wish, 1, note_room, &wish, NULL),
               GM_UNSUPPORTED_DEVICE);
    EXPECT_U64(gm_qos_set_idt(port, &wish.flow, 100), GM_UNSUPPORTED_DEVICE);
    EXPECT_U64(gm_qos_set_idt(port, &wish.flow, 0), GM_SUCCESS);
    EXPECT_U64(gm_qos_release(port, &wish.flow), GM_SUCCESS);
    EXPECT_U64(gm_qos_get_flow(port, &wish.flow, &state), GM_SUCCESS);
    EXPECT_U64(state.qos_class, GM_QOS_UNMANAGED);
    gm_finalize();
}

static void test_no_pace(void)
{
    ranks_use_cluster("scheduler: packet-rr\n");
    CHECK_U64(ranks_run(1, body_no_pace), 0);
    ranks_use_cluster("scheduler: message-rr\n");
    CHECK_U64(ranks_run(1, body_no_pace), 0);
    ranks_use_cluster("scheduler: byte-rr\n");
    CHECK_U64(ranks_run(1, body_no_pace), 0);
    ranks_use_cluster(NULL);
}

/* ---- The master's host dies -------------------------------------------- */

/* Ranks 1 and 2 continue to make requests. The reservations of ranks 1 and 2
 * remain valid when the master dies. A rank that waits for a new master does
 * not cause a deadlock. */
static void body_master_dies(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    gm_qos_flow_t flow = flow_to(3, rank);
    gm_qos_answer_t answer;

    if (rank == 1 || rank == 2) {
        EXPECT_U64(gm_qos_request(port, &flow, 30 * MB, PREMIUM, 0, &answer),
                   GM_SUCCESS);
        EXPECT_U64(answer.granted, 1);
        gmsim_compute(UINT64_C(10000000000));
        EXPECT_U64(gm_qos_request(port, &flow, 50 * MB, PREMIUM, 0, &answer),
                   GM_SUCCESS);
        EXPECT_U64(answer.granted, 0);
        EXPECT_U64(answer.idt_ticks, 273);
        EXPECT_U64(answer.criterion, GM_QOS_DESTINATION_NODE);
        EXPECT(gmsim_time_ps() < UINT64_C(80000000000));
    }
    gmsim_compute(UINT64_C(100000000000));
    gm_finalize();
}

static void test_master_dies(void)
{
    ranks_t ranks;

    ranks_use_cluster("hosts: 4\nparameters:\n"
                      "  qos_master_timeout_us: 20000\nfaults:\n  events:\n"
                      "    - {at_us: 5000, kill_node: 1}\n");
    ranks_start(&ranks, 4, body_master_dies);
    ranks_end(&ranks);
    ranks_use_cluster(NULL);
    CU_ASSERT_TRUE(WIFSIGNALED(ranks.status[0]));
    CHECK_U64(ranks.status[1], 0);
    CHECK_U64(ranks.status[2], 0);
    CHECK_U64(ranks.status[3], 0);
}

/* ---- Arriving bytes ---------------------------------------------------- */

/* For 200 ms, rank 0 keeps two labelled messages of 64 KB in flight to each of
 * ranks 1 and 2. Before rank 0 sends, it calls the function `prepare`, which
 * configures the flow. A message of 0 bytes ends each of the two series of
 * messages. The receivers log the number of bytes that arrived between 50 and
 * 150 ms after the first message. */
#define STREAM_SIZE  17
#define STREAM_BYTES 65536u

typedef struct stream {
    struct gm_port *port;
    gm_qos_flow_t flow;
    void *memory;
    uint64_t end_ps;
    int ended;
} stream_t;

static unsigned streams_open;

static void stream_next(struct gm_port *port, void *context, gm_status_t status)
{
    stream_t *stream = context;

    EXPECT_U64(status, GM_SUCCESS);
    if (stream->ended) {
        --streams_open;
        return;
    }
    stream->ended = gmsim_time_ps() > stream->end_ps;
    gm_qos_send_with_callback(
        port, stream->memory, STREAM_SIZE, stream->ended ? 0 : STREAM_BYTES,
        stream->flow.priority, stream->flow.target_node,
        stream->flow.target_port, stream->flow.label, stream_next, stream);
}

static void receive_stream(struct gm_port *port, unsigned rank)
{
    uint64_t first_ps = 0;
    unsigned ended = 0;
    unsigned i;

    for (i = 0; i < 4; ++i) {
        gm_provide_receive_buffer(port, gm_dma_malloc(port, STREAM_BYTES),
                                  STREAM_SIZE, 0);
    }
    while (ended < 2) {
        gm_recv_event_t *event = next_message(port);
        uint64_t now_ps = gmsim_time_ps();

        ended += gm_ntohl(event->recv.length) == 0;
        first_ps = first_ps == 0 ? now_ps : first_ps;
        if (now_ps > first_ps + UINT64_C(50000000000) &&
            now_ps <= first_ps + UINT64_C(150000000000)) {
            ranks_log[rank] += gm_ntohl(event->recv.length);
        }
        gm_provide_receive_buffer(port, gm_ntohp(event->recv.buffer),
                                  STREAM_SIZE, 0);
    }
}

static void run_streams(unsigned rank,
                        void (*prepare)(struct gm_port *port, unsigned to,
                                        gm_qos_flow_t *flow))
{
    static stream_t streams[4];
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned i;

    if (rank != 0) {
        receive_stream(port, rank);
        gm_finalize();
        return;
    }
    for (i = 0; i < 4; ++i) {
        streams[i].port = port;
        streams[i].memory = gm_dma_malloc(port, STREAM_BYTES);
        streams[i].flow = flow_to(1 + i / 2, 5);
        if (i % 2 == 0) {
            prepare(port, 1 + i / 2, &streams[i].flow);
        }
    }
    streams_open = 4;
    for (i = 0; i < 4; ++i) {
        streams[i].end_ps = gmsim_time_ps() + UINT64_C(200000000000);
        stream_next(port, &streams[i], GM_SUCCESS);
    }
    while (streams_open > 0) {
        gm_unknown(port, gm_blocking_receive(port));
    }
    gm_finalize();
}

static void prepare_idt(struct gm_port *port, unsigned to, gm_qos_flow_t *flow)
{
    EXPECT_U64(gm_qos_set_idt(port, flow, to == 1 ? 500 : 250), GM_SUCCESS);
}

static void body_idt(unsigned rank)
{
    run_streams(rank, prepare_idt);
}

/* One flow sends 4096 bytes every 250 us, and the other sends 4096 bytes every
 * 125 us. [source: gulati 2001 thesis 5.4: 16.37 MB/s at an IDT of 500] */
static void test_idt(void)
{
    CHECK_U64(ranks_run(3, body_idt), 0);
    CHECK_NEAR((double)ranks_log[1] / 0.1, 16.384 * MB, 0.05);
    CHECK_NEAR((double)ranks_log[2] / 0.1, 32.768 * MB, 0.05);
}

static void prepare_request(struct gm_port *port, unsigned to,
                            gm_qos_flow_t *flow)
{
    gm_qos_answer_t answer;

    EXPECT_U64(gm_qos_request(port, flow, 40 * MB,
                              to == 1 ? PREMIUM : GM_QOS_BEST_EFFORT, 0,
                              &answer),
               GM_SUCCESS);
    EXPECT_U64(answer.granted, 1);
}

static void body_request(unsigned rank)
{
    run_streams(rank, prepare_request);
}

/* [source: gulati 2001 thesis 5.6: 40 + 38 MB/s] */
static void test_request(void)
{
    CHECK_U64(ranks_run(3, body_request), 0);
    CHECK_NEAR((double)ranks_log[1] / 0.1, 40 * MB, 0.02);
    CHECK_NEAR((double)ranks_log[2] / 0.1, 38 * MB, 0.03);
}

/* ---- Separate stalls for separate labels --------------------------------- */

static unsigned ended;
static gm_status_t last_status;

static void note_end(struct gm_port *port, void *context, gm_status_t status)
{
    (void)port;
    (void)context;
    ++ended;
    last_status = status;
}

static void until_ended(struct gm_port *port, unsigned count)
{
    while (ended < count) {
        gm_unknown(port, gm_blocking_receive(port));
    }
}

/* Send to a port that is not open. One send with each label fails, and a second
 * send with each label waits. */
static void body_stalls(unsigned rank)
{
    OPEN_WITH_MEMORY(64);
    gm_qos_flow_t flow = {.target_node = me.node_id, .target_port = 7};
    unsigned i;

    (void)rank;
    for (i = 0; i < 4; ++i) {
        gm_qos_send_with_callback(port, memory, 6, 8, 0, me.node_id, 7, i % 2,
                                  note_end, NULL);
    }
    until_ended(port, 2);
    EXPECT_U64(last_status, GM_SEND_TARGET_PORT_CLOSED);
    flow.label = 1;
    gm_qos_drop_sends(port, NULL, note_end, NULL);
    gm_qos_drop_sends(port, &flow, note_end, NULL);
    until_ended(port, 4);
    EXPECT_U64(last_status, GM_SEND_DROPPED);
    gmsim_compute(100000000000);
    /* the send with label 0 is still waiting */
    EXPECT_U64(gm_receive_pending(port), 0);
    flow.label = 0;
    gm_qos_resume_sending(port, &flow, note_end, NULL);
    until_ended(port, 6);
    EXPECT_U64(last_status, GM_SEND_TARGET_PORT_CLOSED);
}

static void test_labels_stall_apart(void)
{
    CHECK_U64(ranks_run(1, body_stalls), 0);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"arguments out of range", test_arguments},
        {"grant, denial, change, release", test_answers},
        {"close, exit and death release reservations", test_give_back},
        {"several flows, all or none", test_request_all},
        {"notice of available bandwidth", test_watch},
        {"a watch of a port that was closed and opened again",
         test_watch_reopened},
        {"NICs that do not pace packets", test_no_pace},
        {"the master's host dies", test_master_dies},
        {"rates of flows with an IDT", test_idt},
        {"rates of premium and best-effort flows", test_request},
        {"flows with different labels stall separately",
         test_labels_stall_apart},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"gm qos", NULL, NULL, NULL, NULL, tests});
}
