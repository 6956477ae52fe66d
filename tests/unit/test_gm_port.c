/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests ports without traffic: opening ports, names, tokens, memory, alarms,
 * and virtual time.
 */
#define _GNU_SOURCE
#include "gm.h"

#include <sched.h>

#include "ranks.h"
#include "unit.h"

#define US UINT64_C(1000000) /* one microsecond in picoseconds */

/* Defines a test with one rank. Nearly all tests need a process that has joined
 * the cluster, but a single rank is enough. */
#define ONE_RANK_TEST(_name)                                                   \
    static void test_##_name(void)                                             \
    {                                                                          \
        CHECK_U64(ranks_run(1, body_##_name), 0);                              \
    }                                                                          \
    struct semicolon

/* ---- Opening ----------------------------------------------------------- */

static void body_open(unsigned rank)
{
    struct gm_port *port = (struct gm_port *)&rank;
    struct gm_port *again = NULL;

    /* The test does not call gm_init(), because old programs do not call this
     * function either. */
    EXPECT_U64(gm_open(&port, 1, 2, "x", GM_API_VERSION), GM_NO_SUCH_DEVICE);
    EXPECT(port == NULL);
    EXPECT_U64(gm_open(NULL, 0, 2, "x", GM_API_VERSION), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_open(&port, 0, 8, "x", GM_API_VERSION), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_open(&port, 0, 0, "x", GM_API_VERSION), GM_PERMISSION_DENIED);
    EXPECT_U64(gm_open(&port, 0, 1, "x", GM_API_VERSION), GM_PERMISSION_DENIED);
    EXPECT_U64(gm_open(&port, 0, 3, "x", GM_API_VERSION), GM_PERMISSION_DENIED);
    EXPECT_U64(gm_open(&port, 0, 2, "x", (enum gm_api_version)0x99),
               GM_INCOMPATIBLE_LIB_AND_DRIVER);
    EXPECT_U64(gm_open(&port, 0, 7, "a name that is longer than 32 characters",
                       _GM_API_VERSION_1_1),
               GM_SUCCESS);
    EXPECT_U64(gm_open(&again, 0, 7, NULL, GM_API_VERSION), GM_BUSY);
    EXPECT_U64(gm_get_port_id(port), 7);
    EXPECT_U64(gm_num_ports(port), 8);
    EXPECT_U64(gm_mtu(port), 4096);
    gm_close(port);
    EXPECT_U64(gm_open(&again, 0, 7, NULL, GM_API_VERSION), GM_SUCCESS);
    gm_close(again);
    gm_close(NULL);
}

ONE_RANK_TEST(open);

static void body_init(unsigned rank)
{
    struct gm_port *port;
    gmsim_place_t place;

    (void)rank;
    EXPECT_U64(gm_num_ports(NULL), 8);
    EXPECT_U64(gmsim_time_ps(), 0);
    EXPECT_U64(gmsim_get_my_place(&place), GM_FAILURE);
    gm_finalize(); /* there is nothing to finalize */
    EXPECT_U64(gm_init(), GM_SUCCESS);
    EXPECT_U64(gm_init(), GM_SUCCESS);
    gm_finalize();
    EXPECT_U64(gm_open(&port, 0, 2, "x", GM_API_VERSION), GM_SUCCESS);
    gm_close(port);
    gm_finalize();
    EXPECT_U64(gm_open(&port, 0, 2, "x", GM_API_VERSION), GM_FAILURE);
    EXPECT_U64(gm_init(), GM_FAILURE);
    EXPECT(gmsim_time_ps() > 0);
    EXPECT_U64(gmsim_get_my_place(&place), GM_SUCCESS);
}

ONE_RANK_TEST(init);

/* ---- Names ------------------------------------------------------------- */

/* Calls the GM function with a copy of the name, because the function's type
 * permits it to change the name. */
static unsigned node_called(struct gm_port *port, const char *name)
{
    char copy[GM_MAX_HOST_NAME_LEN];

    snprintf(copy, sizeof(copy), "%s", name);
    return gm_host_name_to_node_id(port, copy);
}

static void body_names(unsigned rank)
{
    static const unsigned char address[6] = {0x00, 0x60, 0xdd, 0x7f, 0, 1};
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    char name[GM_MAX_HOST_NAME_LEN];
    char longer[GM_MAX_HOST_NAME_LEN + 1];
    char unique[6];
    unsigned id = 99;

    (void)rank;
    EXPECT_U64(gm_get_node_id(port, &id), GM_SUCCESS);
    EXPECT_U64(id, 1);
    EXPECT_U64(gm_get_node_id(port, NULL), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_get_host_name(port, name), GM_SUCCESS);
    EXPECT(strcmp(name, "node1") == 0);
    EXPECT_U64(gm_max_node_id(port, &id), GM_SUCCESS);
    EXPECT_U64(id, 16);
    EXPECT_U64(gm_max_node_id_in_use(port, &id), GM_SUCCESS);
    EXPECT(strcmp(gm_node_id_to_host_name(port, 16), "node16") == 0);
    EXPECT(gm_node_id_to_host_name(port, 0) == NULL);
    EXPECT(gm_node_id_to_host_name(port, 17) == NULL);
    EXPECT_U64(node_called(port, "node12"), 12);
    EXPECT_U64(node_called(port, "node17"), GM_NO_SUCH_NODE_ID);
    EXPECT_U64(node_called(port, "node012"), GM_NO_SUCH_NODE_ID);
    EXPECT_U64(gm_host_name_to_node_id_ex(port, 5, "node2", &id), GM_SUCCESS);
    EXPECT_U64(id, 2);
    EXPECT_U64(gm_host_name_to_node_id_ex(port, 5, "host", &id), GM_NO_MATCH);
    EXPECT_U64(gm_node_id_to_host_name_ex(port, 5, 3, &longer), GM_SUCCESS);
    EXPECT(strcmp(longer, "node3") == 0);
    EXPECT_U64(gm_node_id_to_global_id(port, 5, &id), GM_SUCCESS);
    EXPECT_U64(id, 5);
    EXPECT_U64(gm_global_id_to_node_id(port, 17, &id), GM_NO_MATCH);
    EXPECT_U64(gm_get_unique_board_id(port, unique), GM_SUCCESS);
    EXPECT(memcmp(unique, address, 6) == 0);
    EXPECT_U64(gm_node_id_to_unique_id(port, 7, unique), GM_SUCCESS);
    EXPECT_U64(gm_unique_id_to_node_id(port, unique, &id), GM_SUCCESS);
    EXPECT_U64(id, 7);
    unique[0] = 1;
    EXPECT_U64(gm_unique_id_to_node_id(port, unique, &id), GM_NO_MATCH);
}

ONE_RANK_TEST(names);

/* ---- Tokens ------------------------------------------------------------ */

static void body_tokens(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);

    (void)rank;
    EXPECT_U64(gm_num_send_tokens(port), 61);
    EXPECT_U64(gm_num_receive_tokens(port), 254);
    EXPECT_U64(gm_send_token_available(port, GM_LOW_PRIORITY), 0);
    EXPECT_U64(gm_alloc_send_token(port, GM_LOW_PRIORITY), 0);
    gm_free_send_tokens(port, GM_LOW_PRIORITY, 2);
    EXPECT_U64(gm_send_token_available(port, GM_HIGH_PRIORITY), 0);
    EXPECT_U64(gm_alloc_send_token(port, GM_LOW_PRIORITY), 1);
    EXPECT_U64(gm_alloc_send_token(port, GM_LOW_PRIORITY), 1);
    EXPECT_U64(gm_alloc_send_token(port, GM_LOW_PRIORITY), 0);
    gm_free_send_token(port, GM_LOW_PRIORITY);
    EXPECT_U64(gm_send_token_available(port, GM_LOW_PRIORITY), 1);
    gm_free_send_token(port, 2); /* an invalid priority */
    EXPECT_U64(gm_alloc_send_token(port, 2), 0);
}

ONE_RANK_TEST(tokens);

/* ---- Memory ------------------------------------------------------------ */

static void body_memory(unsigned rank)
{
    static unsigned char own[3 * 4096];
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned char *blocks[100];
    unsigned i;

    (void)rank;
    for (i = 0; i < 100; ++i) {
        blocks[i] = gm_dma_calloc(port, i + 1, 37);
        EXPECT(blocks[i] != NULL && GM_ALIGNED((uintptr_t)blocks[i], 64));
        EXPECT_U64(blocks[i][37 * i + 36], 0);
        memset(blocks[i], (int)i, 37 * (i + 1));
    }
    for (i = 0; i < 100; i += 2) {
        gm_dma_free(port, blocks[i]);
    }
    for (i = 1; i < 100; i += 2) {
        EXPECT_U64(blocks[i][0], i);
        EXPECT_U64(blocks[i][37 * i + 36], i);
    }
    gm_dma_free(port, NULL);
    gm_dma_free(port, own); /* gm_dma_malloc() has not allocated this memory */
    EXPECT(gm_dma_malloc(port, 0) != NULL);
    EXPECT(gm_dma_malloc(port, ~0ul) == NULL);
    EXPECT(gm_dma_calloc(port, ~0ul, 16) == NULL);
    EXPECT_U64(gm_register_memory(port, own, 0), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_register_memory(port, NULL, 1), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_register_memory(port, own, ~0ul), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_deregister_memory(port, own, 4096), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_register_memory(port, own, sizeof(own)), GM_SUCCESS);
    EXPECT_U64(gm_register_memory(port, own, sizeof(own)), GM_SUCCESS);
    EXPECT_U64(gm_deregister_memory(port, own, sizeof(own)), GM_SUCCESS);
    EXPECT_U64(gm_deregister_memory(port, own, sizeof(own)), GM_SUCCESS);
    EXPECT_U64(gm_deregister_memory(port, own, sizeof(own)),
               GM_INVALID_PARAMETER);
}

ONE_RANK_TEST(memory);

/* ---- Time -------------------------------------------------------------- */

static void body_clock(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    uint64_t read_ps, start_ps;

    (void)rank;
    gmsim_get_param("host_clock_read_ps", &read_ps);
    EXPECT_U64(gmsim_get_param("no_such_thing", &start_ps), GM_NO_MATCH);
    start_ps = gmsim_time_ps();
    EXPECT_U64(gmsim_time_ps(), start_ps + read_ps);
    gmsim_compute(123456);
    EXPECT_U64(gmsim_time_ps(), start_ps + 2 * read_ps + 123456);
    gmsim_compute(0); /* every call takes simulated time */
    EXPECT_U64(gmsim_time_ps(), start_ps + 3 * read_ps + 123457);
    EXPECT_U64(gm_ticks(port), (start_ps + 4 * read_ps + 123457) / 500000);
    EXPECT_U64(gm_sleep(2), 0);
    EXPECT_U64(gmsim_time_ps(),
               start_ps + 5 * read_ps + 123457 + UINT64_C(2000000000000));
}

ONE_RANK_TEST(clock);

/* A poll without an event takes longer each time, up to a limit. */
static void body_polls(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    uint64_t poll_ps, most_ps, read_ps, before_ps, quantum_ps;
    unsigned i;

    (void)rank;
    gmsim_get_param("host_poll_ps", &poll_ps);
    gmsim_get_param("host_poll_max_ps", &most_ps);
    gmsim_get_param("host_clock_read_ps", &read_ps);
    quantum_ps = poll_ps;
    before_ps = gmsim_time_ps();
    for (i = 0; i < 15; ++i) {
        uint64_t now_ps;

        EXPECT_U64(GM_RECV_EVENT_TYPE(gm_receive(port)), GM_NO_RECV_EVENT);
        now_ps = gmsim_time_ps();
        EXPECT_U64(now_ps - before_ps, quantum_ps + read_ps + 1);
        before_ps = now_ps;
        quantum_ps = 2 * quantum_ps < most_ps ? 2 * quantum_ps : most_ps;
    }
    EXPECT_U64(quantum_ps, most_ps);
    EXPECT_U64(gm_receive_pending(port), 0);
    EXPECT_U64(gm_next_event_peek(port, NULL), GM_NO_RECV_EVENT);
    gm_unknown(port, gm_receive(port));
}

ONE_RANK_TEST(polls);

/* ---- Alarms ------------------------------------------------------------ */

static struct gm_port *alarm_port;
static gm_alarm_t alarms[4];
static unsigned fired[8], fired_count;
static uint64_t fired_ps[8];

static void fire(void *context)
{
    fired_ps[fired_count] = gmsim_time_ps();
    fired[fired_count++] = (unsigned)(uintptr_t)context;
}

static void fire_again(void *context)
{
    fire(context);
    if (fired_count < 3) {
        gm_set_alarm(alarm_port, &alarms[0], 10, fire_again, context);
    }
}

static void body_alarms(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    uint64_t start_ps;
    unsigned i;

    (void)rank;
    for (i = 0; i < 4; ++i) {
        gm_initialize_alarm(&alarms[i]);
    }
    gm_cancel_alarm(&alarms[0]); /* this alarm is not set */
    start_ps = gmsim_time_ps();
    gm_set_alarm(port, &alarms[0], 300, fire, (void *)300);
    gm_set_alarm(port, &alarms[1], 100, fire, (void *)100);
    gm_set_alarm(port, &alarms[2], 50, fire, (void *)50);
    gm_set_alarm(port, &alarms[3], 1000, fire, (void *)1000);
    /* This call changes an alarm that is already set. */
    gm_set_alarm(port, &alarms[3], 200, fire, (void *)200);
    gm_cancel_alarm(&alarms[2]);
    while (fired_count < 3) {
        gm_recv_event_t *event = gm_blocking_receive(port);

        EXPECT_U64(GM_RECV_EVENT_TYPE(event), GM_ALARM_EVENT);
        gm_unknown(port, event);
    }
    for (i = 0; i < 3; ++i) {
        EXPECT_U64(fired[i], 100 * (i + 1));
        EXPECT(fired_ps[i] >= start_ps + fired[i] * US);
        EXPECT(fired_ps[i] <= start_ps + (fired[i] + 5) * US);
    }
    EXPECT_U64(alarms[0].state, GM_ALARM_FREE);
    EXPECT_U64(GM_RECV_EVENT_TYPE(gm_receive(port)), GM_NO_RECV_EVENT);
}

ONE_RANK_TEST(alarms);

static void body_alarm_again(unsigned rank)
{
    gmsim_place_t me;

    (void)rank;
    alarm_port = open_port(&me);
    gm_initialize_alarm(&alarms[0]);
    gm_set_alarm(alarm_port, &alarms[0], 10, fire_again, NULL);
    while (fired_count < 3) {
        gmsim_wait(alarm_port);
        EXPECT_U64(gm_next_event_peek(alarm_port, NULL), GM_ALARM_EVENT);
        gm_unknown(alarm_port, gm_receive(alarm_port));
    }
    gm_set_alarm(alarm_port, &alarms[0], ~0ull, fire, NULL); /* this alarm never
                                                              * fires */
    gm_set_alarm(alarm_port, &alarms[1], 0, fire, NULL);     /* this alarm fires
                                                              * immediately */
    gm_unknown(alarm_port, gm_blocking_receive(alarm_port));
    EXPECT_U64(fired_count, 4);
    gm_close(alarm_port); /* the port is closed while an alarm is set */
    EXPECT_U64(alarms[0].state, GM_ALARM_FREE);
}

ONE_RANK_TEST(alarm_again);

/* ---- Ending ------------------------------------------------------------ */

static void note_exit(gm_status_t status, void *context)
{
    ranks_log[ranks_log[0]++] = (uintptr_t)context * 100 + status;
}

static void body_exit(unsigned rank)
{
    (void)rank;
    ranks_log[0] = 1;
    EXPECT_U64(gm_on_exit(NULL, NULL), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_on_exit(note_exit, (void *)1), GM_SUCCESS);
    EXPECT_U64(gm_on_exit(note_exit, (void *)2), GM_SUCCESS);
    gm_exit(ranks_failures == 0 ? GM_SUCCESS : GM_FAILURE);
}

static void test_exit(void)
{
    CHECK_U64(ranks_run(1, body_exit), 0);
    CHECK_U64(ranks_log[0], 3);
    CHECK_U64(ranks_log[1], 200);
    CHECK_U64(ranks_log[2], 100);
}

/* All ranks run on a single processor. */
static void body_binding(unsigned rank)
{
    cpu_set_t set;
    unsigned unit = 0;

    EXPECT_U64(gm_init(), GM_SUCCESS);
    EXPECT_U64(sched_getaffinity(0, sizeof(set), &set), 0);
    EXPECT_U64(CPU_COUNT(&set), 1);
    while (!CPU_ISSET(unit, &set)) {
        ++unit;
    }
    ranks_log[rank] = unit;
    /* No rank may exit while other ranks are still starting. */
    __atomic_add_fetch(&ranks_log[100], 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&ranks_log[100], __ATOMIC_RELAXED) < 3) {
        usleep(1000);
    }
}

static void test_binding(void)
{
    CHECK_U64(ranks_run(3, body_binding), 0);
    CHECK_U64(ranks_log[1], ranks_log[0]);
    CHECK_U64(ranks_log[2], ranks_log[0]);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"opening and closing", test_open},
        {"gm_init and gm_finalize", test_init},
        {"names and ids", test_names},
        {"counting of tokens", test_tokens},
        {"registered memory", test_memory},
        {"virtual time", test_clock},
        {"polls without an event", test_polls},
        {"alarms", test_alarms},
        {"alarms that set themselves again", test_alarm_again},
        {"gm_exit", test_exit},
        {"all ranks on one processor", test_binding},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"gm port", NULL, NULL, NULL, NULL, tests});
}
