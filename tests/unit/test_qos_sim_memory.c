/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Repeats a run of hcasim. In the first run, the first memory allocation fails;
 * in the second run, the second allocation fails; and so on, until no
 * allocation fails. Every run with a failed allocation must return an error and
 * must not leak memory (the build with sanitizers detects leaks).
 */
#include <limits.h>
#include <stdatomic.h>

#include "hcasim/qos_sim.h"
#include "unit.h"

#define MANY 20000

static atomic_long left = LONG_MAX; /* number of allocations up to and including
                                     * the one that fails */

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);

static int fails(void)
{
    return atomic_fetch_sub(&left, 1) == 1;
}

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return fails() ? NULL : __real_realloc(old, bytes);
}

/** Sets options so that the run uses most parts of the simulator. */
static void choose(gms_qos_sim_options_t *options, unsigned real_time)
{
    gms_qos_sim_options_init(options);
    options->topology = GMS_TOPOLOGY_MESH;
    options->rows = options->columns = 2;
    /* use long cycles, so that a video frame has few cycles and videos reach
     * their second frame soon */
    options->cycle_ps = 1000000;
    options->load = 0.5;
    options->real_time = real_time;
    options->connection_rate = 0.1;
    options->on_cycles = options->off_cycles = 100;
    options->connection_cycles = 1500;
    options->control_per_second = 3000;
    options->admission = 1;
    options->congestion.policy = GMS_CONGESTION_QUAD_CQ;
    options->power.policy = GMS_POWER_CREDIT;
    options->start_cycles = 100;
    options->warm_up_cycles = 500;
    options->run_cycles = 3000;
    options->replications = 2;
}

static void run_out(unsigned real_time)
{
    char error[GMS_QOS_SIM_ERROR_LEN];
    gms_qos_sim_options_t options;
    gms_status_t status = GMS_ERR_NO_MEMORY;
    long failed = 0;

    choose(&options, real_time);
    while (status != GMS_OK && failed < MANY) {
        gms_qos_sim_result_t *result = NULL;

        atomic_store(&left, ++failed);
        status = gms_qos_sim_run(&options, NULL, NULL, &result, error);
        if (atomic_exchange(&left, LONG_MAX) > 0) {
            CHECK_U64(status, GMS_OK);
        } else if (status != GMS_OK) {
            CHECK_U64(status, GMS_ERR_NO_MEMORY);
            CU_ASSERT(result == NULL);
            CU_ASSERT_STRING_NOT_EQUAL(error, "");
        } else {
            CU_FAIL("out of memory without an error");
            status = GMS_ERR_NO_MEMORY;
        }
        gms_qos_sim_result_destroy(result);
    }
    CU_ASSERT(failed > 100);
    CU_ASSERT(failed < MANY);
}

static void test_on_off(void)
{
    run_out(GMS_QOS_SIM_ON_OFF);
}

static void test_video(void)
{
    run_out(GMS_QOS_SIM_VIDEO);
}

static CU_TestInfo tests[] = {
    {"on/off connections", test_on_off},
    {"videos", test_video},
    CU_TEST_INFO_NULL,
};

int main(void)
{
    return UNIT_RUN({"memory runs out", NULL, NULL, NULL, NULL, tests});
}
