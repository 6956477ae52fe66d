/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests counters and parameters that a program reads through
 * gmsim_counters.h. */
#include "gmsim_counters.h"

#include "ranks.h"
#include "unit.h"

#define LENGTH 10000u
#define SIZE   14u

/* ---- Counters ---------------------------------------------------------- */

static void body_arguments(unsigned rank)
{
    gmsim_place_t me;
    gmsim_nic_counters_t nic;
    gmsim_flow_counters_t flow;
    gm_qos_flow_t flows[2];
    struct gm_port *port;

    (void)rank;
    EXPECT_U64(gmsim_get_nic_counters(1, &nic), GM_FAILURE);
    port = open_port(&me);
    flows[0] = flow_to(0, 0);
    flows[1] = flows[0];
    flows[1].label = GM_QOS_MAX_LABEL + 1;
    EXPECT_U64(gmsim_get_nic_counters(0, &nic), GM_INVALID_PARAMETER);
    EXPECT_U64(gmsim_get_nic_counters(17, &nic), GM_INVALID_PARAMETER);
    EXPECT_U64(gmsim_get_nic_counters(1, NULL), GM_INVALID_PARAMETER);
    EXPECT_U64(gmsim_get_nic_counters(16, &nic), GM_SUCCESS);
    EXPECT_U64(nic.packets_sent, 0);
    flow.now_ps = 77;
    EXPECT_U64(gmsim_get_flow_counters(NULL, flows, 1, &flow),
               GM_INVALID_PARAMETER);
    EXPECT_U64(gmsim_get_flow_counters(port, NULL, 1, &flow),
               GM_INVALID_PARAMETER);
    EXPECT_U64(gmsim_get_flow_counters(port, flows, 1, NULL),
               GM_INVALID_PARAMETER);
    EXPECT_U64(gmsim_get_flow_counters(port, &flows[1], 1, &flow),
               GM_INVALID_PARAMETER);
    EXPECT_U64(gmsim_get_flow_counters(port, flows, 0, &flow), GM_SUCCESS);
    EXPECT_U64(flow.now_ps, 77);
    EXPECT_U64(gmsim_get_flow_counters(port, flows, 1, &flow), GM_SUCCESS);
    EXPECT_U64(flow.now_ps > 77, 1);
    gm_finalize();
    EXPECT_U64(gmsim_get_nic_counters(1, &nic), GM_FAILURE);
}

static void test_arguments(void)
{
    CHECK_U64(ranks_run(1, body_arguments), 0);
}

static void exchange(struct gm_port *port, unsigned rank)
{
    char *buffer = gm_dma_malloc(port, 1u << SIZE);

    if (rank == 0) {
        send_to(port, 1, buffer, SIZE, LENGTH);
        finish_sends(port, 1);
    } else {
        gm_provide_receive_buffer(port, buffer, SIZE, GM_LOW_PRIORITY);
        (void)next_message(port);
    }
}

/* Each call that reads counters takes as long as one read of the clock,
 * regardless of the number of counters. */
static void body_values(unsigned rank)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    gm_qos_flow_t flow = flow_to(1, 0);
    gmsim_flow_counters_t counters;
    gmsim_nic_counters_t nic;
    uint64_t read_ps = 0;

    exchange(port, rank);
    if (rank == 0) {
        gmsim_get_param("host_clock_read_ps", &read_ps);
        EXPECT_U64(gmsim_get_flow_counters(port, &flow, 1, &counters),
                   GM_SUCCESS);
        EXPECT_U64(gmsim_get_nic_counters(me.node_id, &nic), GM_SUCCESS);
        EXPECT_U64(nic.now_ps - counters.now_ps, read_ps);
        EXPECT_U64(counters.packets_sent, 3);
        EXPECT_U64(counters.bytes_sent, LENGTH);
        EXPECT_U64(counters.bytes_arrived, LENGTH);
        EXPECT_U64(counters.messages_sent, 1);
        EXPECT_U64(nic.bytes_sent, LENGTH);
        ranks_log[0] = nic.now_ps;
        ranks_log[1] = nic.lanai_busy_ps;
    }
    gm_finalize();
}

static void test_values(void)
{
    uint64_t now_ps, busy_ps;

    CHECK_U64(ranks_run(2, body_values), 0);
    now_ps = ranks_log[0];
    busy_ps = ranks_log[1];
    CHECK_U64(ranks_run(2, body_values), 0);
    CHECK_U64(ranks_log[0], now_ps);
    CHECK_U64(ranks_log[1], busy_ps);
}

/* ---- Parameters -------------------------------------------------------- */

static void test_table(void)
{
    gmsim_param_t row;
    unsigned n = 0, shapes = 0, choices = 0;

    CHECK_U64(gmsim_get_param_info(0, NULL), GM_INVALID_PARAMETER);
    while (gmsim_get_param_info(n, &row) == GM_SUCCESS) {
        CHECK_U64(row.name[0] != '\0' && row.doc[0] != '\0', 1);
        CHECK_U64(row.min <= row.max, 1);
        shapes += row.is_shape != 0;
        if (row.choices != NULL) {
            unsigned count = 0;

            while (row.choices[count] != NULL) {
                ++count;
            }
            CHECK_U64(count, row.max + 1);
            ++choices;
        }
        ++n;
    }
    CHECK_U64(gmsim_get_param_info(n, &row), GM_NO_MATCH);
    CHECK_U64(n > 80, 1);
    CHECK_U64(shapes, 10);
    CHECK_U64(choices, 14);
}

static void body_set(unsigned rank)
{
    gmsim_place_t me;
    uint64_t value = 0;
    struct gm_port *port;

    EXPECT_U64(gmsim_get_param("nic_mtu_bytes", &value), GM_SUCCESS);
    EXPECT_U64(value, 4096);
    EXPECT_U64(gmsim_get_param("mpi_eager_bytes", &value), GM_SUCCESS);
    EXPECT_U64(value, 5000); /* the value in the cluster description */
    EXPECT_U64(gmsim_set_param("nic_mtu_bytes", 2048), GM_SUCCESS);
    EXPECT_U64(gmsim_get_param("nic_mtu_bytes", &value), GM_SUCCESS);
    EXPECT_U64(value, 2048);
    EXPECT_U64(gmsim_set_param("nic_mtu_bytes", UINT64_MAX),
               GM_INVALID_PARAMETER);
    EXPECT_U64(gmsim_set_param("hosts", 8), GM_PERMISSION_DENIED);
    EXPECT_U64(gmsim_set_param("no_such", 8), GM_NO_MATCH);
    EXPECT_U64(gmsim_set_param(NULL, 8), GM_NO_MATCH);
    EXPECT_U64(gmsim_set_param("qos_idt_product", 4096), GM_SUCCESS);
    port = open_port(&me);
    EXPECT_U64(gm_mtu(port), 2048);
    EXPECT_U64(gmsim_get_param("nic_mtu_bytes", &value), GM_SUCCESS);
    EXPECT_U64(value, 2048);
    EXPECT_U64(gmsim_set_param("nic_mtu_bytes", 4096), GM_BUSY);
    exchange(port, rank);
    if (rank == 0) {
        gm_qos_flow_t flow = flow_to(1, 0);
        gmsim_flow_counters_t counters;

        EXPECT_U64(gmsim_get_flow_counters(port, &flow, 1, &counters),
                   GM_SUCCESS);
        EXPECT_U64(counters.packets_sent, 5); /* the value is 10000 / 2048,
                                               * rounded up */
    }
    gm_finalize();
    EXPECT_U64(gmsim_set_param("nic_mtu_bytes", 4096), GM_BUSY);
}

static void test_set(void)
{
    ranks_use_cluster("parameters:\n  mpi_eager_bytes: 5000\n");
    CHECK_U64(ranks_run(2, body_set), 0);
    ranks_use_cluster(NULL);
}

/* The second rank reports that the parameters differ. The first rank waits only
 * for start_limit_s. */
static void body_differ(unsigned rank)
{
    char text[2048] = "";

    EXPECT_U64(freopen("/dev/null", "w", stderr) != NULL, 1);
    setvbuf(stderr, text, _IOFBF, sizeof(text));
    EXPECT_U64(gmsim_set_param("start_limit_s", 2), GM_SUCCESS);
    EXPECT_U64(gmsim_set_param("seed", 100 + rank), GM_SUCCESS);
    EXPECT_U64(gm_init(), GM_FAILURE);
    ranks_log[rank] = strstr(text, "seed is 10") != NULL &&
                      strstr(text, "changed by the program") != NULL;
    _exit(0);
}

static void test_differ(void)
{
    CHECK_U64(ranks_run(2, body_differ), 0);
    CHECK_U64(ranks_log[0] + ranks_log[1], 1);
}

/* The parameters that a program sets are checked together, like the parameters
 * in a cluster description. */
static void body_wrong(unsigned rank)
{
    char text[2048] = "";

    (void)rank;
    EXPECT_U64(freopen("/dev/null", "w", stderr) != NULL, 1);
    setvbuf(stderr, text, _IOFBF, sizeof(text));
    EXPECT_U64(gmsim_set_param("nic_fast_bytes", 248), GM_SUCCESS);
    EXPECT_U64(gmsim_set_param("nic_mtu_bytes", 128), GM_SUCCESS);
    EXPECT_U64(gm_init(), GM_FAILURE);
    ranks_log[0] = strstr(text, "parameters set by the program: ") != NULL;
    _exit(0);
}

static void test_wrong(void)
{
    CHECK_U64(ranks_run(1, body_wrong), 0);
    CHECK_U64(ranks_log[0], 1);
}

/* A NIC that does not check CRCs would accept damaged packets. A program that
 * sets a fault rate therefore also sets this check. */
static void body_faults(unsigned rank)
{
    gmsim_place_t me;
    uint64_t value = 7;

    (void)rank;
    EXPECT_U64(gmsim_set_param("nic_check_crc", 0), GM_SUCCESS);
    EXPECT_U64(gmsim_set_param("fault_drop_ppm", 1), GM_SUCCESS);
    (void)open_port(&me);
    EXPECT_U64(gmsim_get_param("nic_check_crc", &value), GM_SUCCESS);
    EXPECT_U64(value, 1);
    gm_finalize();
}

static void test_faults_check_crc(void)
{
    CHECK_U64(ranks_run(1, body_faults), 0);
}

/* With an invalid description, only the parameters that the program has set
 * have values. */
static void body_bad_description(unsigned rank)
{
    uint64_t value = 7;

    (void)rank;
    EXPECT_U64(gmsim_get_param("seed", &value), GM_FAILURE);
    EXPECT_U64(value, 7);
    EXPECT_U64(gmsim_set_param("seed", 8), GM_SUCCESS);
    EXPECT_U64(gmsim_get_param("seed", &value), GM_SUCCESS);
    EXPECT_U64(value, 8);
}

static void test_bad_description(void)
{
    ranks_use_cluster("hosts: many\n");
    CHECK_U64(ranks_run(1, body_bad_description), 0);
    ranks_use_cluster(NULL);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"arguments", test_arguments},
        {"values are identical in every run", test_values},
        {"the table of parameters", test_table},
        {"parameters set before joining", test_set},
        {"ranks that set different parameters", test_differ},
        {"parameters that do not fit together", test_wrong},
        {"faults require checks of CRCs", test_faults_check_crc},
        {"an invalid description", test_bad_description},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"gm counters", NULL, NULL, NULL, NULL, tests});
}
