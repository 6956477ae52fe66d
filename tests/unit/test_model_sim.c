/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the simulation of models: queues whose exact results are known,
 * repeated runs, checks of other stations, polling, and full queues. Compares
 * the simulation with the analysis for random NICs.
 */
#include <string.h>

#include "base/random.h"
#include "base/student.h"
#include "analytic/sample.h"
#include "analytic/sim.h"
#include "model_rig.h"

static char error[GMS_MODEL_ERROR_LEN];

static gms_model_sim_result_t *run(const gms_model_t *model, uint64_t messages)
{
    gms_model_sim_options_t options;
    gms_model_sim_result_t *result = NULL;

    gms_model_sim_options_init(&options);
    options.messages = messages;
    options.warm_up = 2000;
    options.threads = 2;
    if (gms_model_sim_run(model, &options, &result, error) != GMS_OK) {
        printf("\n    %s\n", error);
        abort();
    }
    return result;
}

/** Check that an estimate differs from the expected value by at most 2.3 half
 * widths. With 8 replications, a correct simulation exceeds this limit in only
 * one of 1000 cases. */
static void check_estimate(gms_model_estimate_t estimate, double expected)
{
    int is_near = fabs(estimate.mean - expected) <= 2.3 * estimate.half_width;

    if (!is_near) {
        printf("\n    is %g +- %g, expected %g\n", estimate.mean,
               estimate.half_width, expected);
    }
    CU_ASSERT_TRUE(is_near);
    CU_ASSERT_TRUE(estimate.half_width < 0.1 * expected);
}

static void check_queue(double rate, double mean, double scv, unsigned servers,
                        double expected)
{
    gms_model_t *model = single(rate, mean, scv, servers);
    gms_model_sim_result_t *result = run(model, 20000);

    check_estimate(result->station[0].queue, expected);
    check_estimate(result->queue[0], expected);
    check_estimate(result->station[0].utilisation, rate * mean / servers);
    check_estimate(result->delay[0], expected / rate + mean);
    CHECK_U64(result->lost[0].mean, 0);
    gms_model_sim_result_destroy(result);
    gms_model_destroy(model);
}

/** If the utilisation is rho and the service time has the coefficient of
 *  variation c, the mean queue is rho^2 (1 + c^2) / 2 / (1 - rho). For M/M/3
 *  with rho = 2/3, the mean queue is C rho / (1 - rho), where C is Erlang's
 *  C. */
static void test_exact(void)
{
    check_queue(0.05, 10, 1, 1, 0.5);
    check_queue(0.07, 10, 0, 1, 0.49 / 0.3 / 2);
    check_queue(0.05, 10, 4, 1, 1.25);
    check_queue(0.05, 10, 0.3, 1, 0.325);
    check_queue(0.2, 10, 1, 3, 8.0 / 9);
}

/** M/M/1/3 with rho = 1/2 loses 1/15 of the messages. On average, the station
 * contains 11/15 of a message, of which 7/15 are in service. */
static void test_full(void)
{
    gms_model_t *model = single(0.05, 10, 1, 1);
    gms_model_sim_result_t *result;

    model->station[0].room = 3;
    result = run(model, 20000);
    check_estimate(result->lost[0], 1.0 / 15);
    check_estimate(result->station[0].utilisation, 7.0 / 15);
    check_estimate(result->station[0].queue, 4.0 / 15);
    gms_model_sim_result_destroy(result);
    gms_model_destroy(model);
}

/** A message arrives every 10 us. A message is served for 4 us at the first
 * station and for 9 us at the second station, which has no room for waiting
 * messages. The message leaves 13 us after its arrival, and no message is
 * blocked. If the service takes 9 us at both stations, the first station is
 * never blocked. If the service takes 4 and 12 us, the second station blocks
 * the first station, and the blocked time increases with every message. */
static void test_blocked(void)
{
    gms_model_t *model = gms_model_create(2, 1);
    gms_model_sim_result_t *result;

    gms_model_serve(model, 0, 0, 4, 0);
    gms_model_serve(model, 1, 0, 9, 0);
    gms_model_at(model, 0, 0)->rate = 0.1;
    gms_model_at(model, 0, 0)->rate_scv = 0;
    (void)gms_model_route(model, 0, 0, 1, 0, 1);
    model->station[1].room = 1;
    result = run(model, 1000);
    CHECK_NEAR(result->delay[0].mean, 13, 1e-12);
    CHECK_NEAR(result->station[0].utilisation.mean, 0.4, 1e-3);
    CHECK_NEAR(result->station[0].blocked_share.mean, 0, 0);
    gms_model_sim_result_destroy(result);
    /* The services take 8 and 12 us, and the first station has room for one
     * message. Some of the 3 messages in 30 us are lost. Each message that the
     * first station serves for 8 us occupies the second station for 12 us. */
    gms_model_at(model, 0, 0)->mean = 8;
    gms_model_at(model, 1, 0)->mean = 12;
    model->station[0].room = 1;
    result = run(model, 1000);
    CU_ASSERT_TRUE(result->lost[0].mean > 0.1);
    CU_ASSERT_TRUE(result->station[1].utilisation.mean > 0.5);
    CU_ASSERT_TRUE(result->station[0].blocked_share.mean > 0.01);
    CHECK_NEAR(result->station[0].utilisation.mean * 12,
               result->station[1].utilisation.mean * 8, 1e-2);
    gms_model_sim_result_destroy(result);
    gms_model_destroy(model);
}

/** Two stations that send to each other and have no room for waiting messages
 *  soon block each other permanently. */
static void test_deadlock(void)
{
    gms_model_t *model = gms_model_create(2, 2);
    gms_model_sim_options_t options;
    gms_model_sim_result_t *result = NULL;

    gms_model_serve(model, 0, 0, 4, 0);
    gms_model_serve(model, 1, 0, 5, 0);
    gms_model_serve(model, 0, 1, 4, 0);
    gms_model_at(model, 0, 0)->rate = 0.1;
    (void)gms_model_route(model, 0, 0, 1, 0, 1);
    (void)gms_model_route(model, 1, 0, 0, 1, 1);
    model->station[0].room = model->station[1].room = 1;
    gms_model_sim_options_init(&options);
    CU_ASSERT_EQUAL(gms_model_sim_run(model, &options, &result, error),
                    GMS_ERR_DENIED);
    CU_ASSERT_PTR_NULL(result);
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "wait for each other"));
    /* with enough room for all messages, no deadlock can occur */
    model->station[0].room = 0;
    result = run(model, 1000);
    gms_model_sim_result_destroy(result);
    gms_model_destroy(model);
}

/** The expected waits follow Cobham's formula, for constant service times of 10
 * us and rates of 0.02 and 0.05.
 *
 *    R = sum rate s^2 / 2 = 2.5 + 2.5
 *    W1 = R / (1 - 0.2)
 *    W2 = R / (1 - 0.2) / (1 - 0.7)
 */
static void test_priority(void)
{
    gms_model_t *model = two_classes(10, 0.02, 10, 0.05);
    gms_model_sim_result_t *result;

    model->station[0].discipline = GMS_MODEL_PRIORITY;
    result = run(model, 40000);
    check_estimate(result->queue[0], 0.02 * 3.5 / 0.8);
    check_estimate(result->queue[1], 0.05 * 3.5 / 0.8 / 0.3);
    gms_model_sim_result_destroy(result);
    gms_model_destroy(model);
}

/** If the order of service does not depend on the service times, it does not
 * change the total work. With equal service times, the sum of the queues is
 * therefore the same as with FCFS. The queue of the busy class is longest with
 * limited service, and shortest with exhaustive service. */
static void test_polling(void)
{
    static const gms_model_discipline_t disciplines[] = {
        GMS_MODEL_LIMITED, GMS_MODEL_GATED, GMS_MODEL_EXHAUSTIVE};
    double busy_queue[3];
    unsigned i;

    for (i = 0; i < 3; ++i) {
        gms_model_t *model = two_classes(10, 0.01, 10, 0.07);
        gms_model_sim_result_t *result;

        model->station[0].discipline = disciplines[i];
        result = run(model, 40000);
        check_estimate(result->station[0].queue, 0.64 / 0.2 / 2);
        busy_queue[i] = result->queue[1].mean;
        gms_model_sim_result_destroy(result);
        gms_model_destroy(model);
    }
    /* With a limit of one message, a message of the rare class waits for at
     * most one message of the other class. With a limit of two messages,
     * the message waits for more than one message of the other class. */
    {
        double rare[2];

        for (i = 0; i < 2; ++i) {
            gms_model_t *model = two_classes(10, 0.001, 10, 0.2);
            gms_model_sim_result_t *result;

            model->station[0].discipline = GMS_MODEL_LIMITED;
            model->station[0].limit = i + 1;
            result = run(model, 20000);
            rare[i] = result->queue[0].mean / 0.001;
            gms_model_sim_result_destroy(result);
            gms_model_destroy(model);
        }
        /* The queue of the other class is never empty. If the limit is one
         * message, the mean wait is half a service time. If the limit is two
         * messages, the mean wait is half a service time plus either zero or
         * one service time, with equal probability. */
        CU_ASSERT_TRUE(rare[0] > 4.5 && rare[0] < 5.6);
        CU_ASSERT_TRUE(rare[1] > 9 && rare[1] < 11);
    }
    CU_ASSERT_TRUE(busy_queue[0] > 1.01 * busy_queue[1]);
    CU_ASSERT_TRUE(busy_queue[1] > 1.01 * busy_queue[2]);
}

/** A message is served for 10 us at the first station; this service programs
 * the second station. After that, the message is served for 30 us at the second
 * station, so the message takes 40 us in total. At a rate of 1/50, the second
 * station is idle when the next message arrives, so the server never waits in a
 * check. */
static void test_check(void)
{
    gms_model_t *model = gms_model_create(2, 2);
    gms_model_sim_result_t *result;

    gms_model_serve(model, 0, 0, 10, 0);
    gms_model_serve(model, 1, 0, 30, 0);
    gms_model_at(model, 0, 0)->rate = 0.02;
    gms_model_at(model, 0, 0)->rate_scv = 0;
    gms_model_at(model, 0, 0)->checks = 1;
    (void)gms_model_route(model, 0, 0, 1, 0, 1);
    result = run(model, 1000);
    CHECK_NEAR(result->delay[0].mean, 40, 1e-12);
    CHECK_NEAR(result->station[0].utilisation.mean, 0.2, 1e-3);
    CHECK_NEAR(result->station[0].waiting_share.mean, 0, 0);
    CHECK_NEAR(result->station[1].queue.mean, 0, 0);
    gms_model_sim_result_destroy(result);
    /* At an unstable rate, the first station is never idle. In every 40 us, it
     * serves a message for 10 us and waits in the check for 30 us. */
    gms_model_at(model, 0, 0)->rate = 0.05;
    result = run(model, 1000);
    CHECK_NEAR(result->station[0].utilisation.mean, 1, 1e-9);
    CHECK_NEAR(result->station[0].waiting_share.mean, 0.75, 1e-2);
    gms_model_sim_result_destroy(result);
    /* Services of another class take 8 us. Messages of this class never wait
     * for the check, because they arrive while the server is idle or is waiting
     * in a check. */
    gms_model_at(model, 0, 0)->rate = 0.05;
    gms_model_serve(model, 0, 1, 8, 1);
    gms_model_at(model, 0, 1)->rate = 0.01;
    result = run(model, 4000);
    CU_ASSERT_TRUE(result->delay[1].mean < 8 * 1.1 + 2.5);
    CU_ASSERT_TRUE(result->delay[1].mean > 8);
    gms_model_sim_result_destroy(result);
    gms_model_destroy(model);
}

static void test_same_again(void)
{
    gms_model_t *model = gms_model_nic(0.009);
    gms_model_sim_options_t options;
    gms_model_sim_result_t *one = NULL, *other = NULL;

    model->station[GMS_MODEL_LANAI].discipline = GMS_MODEL_LIMITED;
    gms_model_sim_options_init(&options);
    options.messages = 5000;
    CU_ASSERT_EQUAL(gms_model_sim_run(model, &options, &one, error), GMS_OK);
    options.threads = 3;
    CU_ASSERT_EQUAL(gms_model_sim_run(model, &options, &other, error), GMS_OK);
    CU_ASSERT_EQUAL(
        memcmp(one->station, other->station, 3 * sizeof(*one->station)), 0);
    CU_ASSERT_EQUAL(memcmp(one->delay, other->delay, 9 * sizeof(*one->delay)),
                    0);
    CHECK_U64(one->events, other->events);
    gms_model_sim_result_destroy(other);
    options.seed = 2;
    CU_ASSERT_EQUAL(gms_model_sim_run(model, &options, &other, error), GMS_OK);
    CU_ASSERT_TRUE(one->station[1].queue.mean != other->station[1].queue.mean);
    gms_model_sim_result_destroy(one);
    gms_model_sim_result_destroy(other);
    gms_model_destroy(model);
}

/** An interval that is computed from only a few batches must also be valid. In
 * 40 runs with different seeds, about 38 intervals contain the true value.
 * The probability that fewer than 33 intervals contain the true value is one in
 * a thousand. */
static void test_intervals(void)
{
    gms_model_t *model = single(0.05, 10, 1, 1);
    gms_model_sim_options_t options;
    unsigned inside = 0, i;

    gms_model_sim_options_init(&options);
    options.messages = 4000;
    options.warm_up = 500;
    for (i = 0; i < 40; ++i) {
        gms_model_sim_result_t *result = NULL;

        options.seed = 100 + i;
        options.replications = (i % 2 == 0) ? 8 : 2;
        CU_ASSERT_EQUAL(gms_model_sim_run(model, &options, &result, error),
                        GMS_OK);
        inside += fabs(result->station[0].queue.mean - 0.5) <=
                  result->station[0].queue.half_width;
        gms_model_sim_result_destroy(result);
    }
    if (inside < 33) {
        printf("\n    %u of 40\n", inside);
    }
    CU_ASSERT_TRUE(inside >= 33);
    CHECK_NEAR(gms_student_95(1), 12.706, 1e-4);
    CHECK_NEAR(gms_student_95(7), 2.365, 1e-4);
    CHECK_NEAR(gms_student_95(40), 2.0211, 1e-4);
    gms_model_destroy(model);
}

static void test_samples(void)
{
    static const double scvs[] = {0, 0.05, 0.3, 0.5, 0.8, 1, 2, 9};
    unsigned i, j;

    for (i = 0; i < 8; ++i) {
        gms_sample_t sample;
        double sum = 0, square = 0, n = 400000, mean;

        gms_sample_init(&sample, 1e6, scvs[i], 1, i);
        for (j = 0; j < n; ++j) {
            double draw = (double)gms_sample_draw(&sample);

            sum += draw;
            square += draw * draw;
        }
        mean = sum / n;
        CHECK_NEAR(mean, 1e6, 0.015);
        CHECK_NEAR(square / n / mean / mean, 1 + scvs[i], 0.03);
    }
}

static void test_wrong(void)
{
    gms_model_t *model = single(0.05, 10, 1, 2);
    gms_model_sim_options_t options;
    gms_model_sim_result_t *result = NULL;

    gms_model_sim_options_init(&options);
    model->station[0].room = 1;
    CU_ASSERT_EQUAL(gms_model_sim_run(model, &options, &result, error),
                    GMS_ERR_INVALID_PARAM);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(error, "'room' (1) is less than 'servers' (2)"));
    model->station[0].room = 0;
    options.batches = 1;
    CU_ASSERT_EQUAL(gms_model_sim_run(model, &options, &result, error),
                    GMS_ERR_INVALID_PARAM);
    model->visit[0].mean = -1;
    CU_ASSERT_EQUAL(gms_model_sim_run(model, &options, &result, error),
                    GMS_ERR_INVALID_PARAM);
    CU_ASSERT_PTR_NULL(result);
    gms_model_destroy(model);
}

/** For NICs with other service times, the analysis that includes returning
 * messages must be close to the simulation, and closer than the published
 * analysis. */
static void test_other_cards(void)
{
    gms_random_t random;
    double sum[2] = {0, 0}, lanai[2] = {0, 0};
    unsigned i, method, cards = 10;

    gms_random_init(&random, 7, 7);
    for (i = 0; i < cards; ++i) {
        gms_model_t *model = gms_model_nic(1e-4);
        gms_model_sim_result_t *truth;
        gms_model_result_t *result = NULL;
        double load = 0.3 + 0.6 * gms_random_unit(&random);
        unsigned v;

        for (v = 0; v < 9; ++v) {
            model->visit[v].mean *= 0.5 + 1.5 * gms_random_unit(&random);
        }
        CU_ASSERT_EQUAL(
            gms_model_solve(model, GMS_MODEL_REVISIT, &result, error),
            GMS_MODEL_OK);
        model->visit[0].rate = load * result->saturation * 1e-4;
        gms_model_result_destroy(result);
        truth = run(model, 12000);
        for (method = 0; method < 2; ++method) {
            CU_ASSERT_EQUAL(
                gms_model_solve(model,
                                method ? GMS_MODEL_REVISIT : GMS_MODEL_PAPER,
                                &result, error),
                GMS_MODEL_OK);
            sum[method] += fabs(
                result->station[1].queue / truth->station[1].queue.mean - 1);
            lanai[method] += fabs(result->station[0].utilisation /
                                      truth->station[0].utilisation.mean -
                                  1);
            gms_model_result_destroy(result);
        }
        gms_model_sim_result_destroy(truth);
        gms_model_destroy(model);
    }
    if (sum[1] > 0.06 * cards || lanai[1] > 0.05 * cards) {
        printf("\n    mean error of the host DMA's queue %g "
               "(printed analysis: %g), of LANai's utilisation %g "
               "(printed analysis: %g)\n",
               sum[1] / cards, sum[0] / cards, lanai[1] / cards,
               lanai[0] / cards);
    }
    CU_ASSERT_TRUE(sum[1] < 0.06 * cards);
    CU_ASSERT_TRUE(lanai[1] < 0.05 * cards);
    CU_ASSERT_TRUE(sum[1] < sum[0]);
    CU_ASSERT_TRUE(lanai[1] < lanai[0]);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"samples", test_samples},
        {"M/M/1, M/D/1, M/G/1, M/M/m", test_exact},
        {"a full station", test_full},
        {"blocking", test_blocked},
        {"deadlock", test_deadlock},
        {"priorities", test_priority},
        {"polling", test_polling},
        {"checks", test_check},
        {"repeated runs are identical", test_same_again},
        {"confidence intervals", test_intervals},
        {"invalid descriptions", test_wrong},
        {"the analysis of other NICs", test_other_cards},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"model_sim", NULL, NULL, NULL, NULL, tests});
}
