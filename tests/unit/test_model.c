/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the analytic methods with queues whose exact results are known, with
 * values of the published methods that were computed by hand, with general
 * properties, and with invalid descriptions.
 */
#include <string.h>

#include "model_rig.h"

#define EXACT 1e-9
/* the methods that can analyse any network; the method `chain' analyses only
 * NICs */
#define GENERAL ((unsigned)GMS_MODEL_REVISIT + 1)

static char error[GMS_MODEL_ERROR_LEN];

static gms_model_result_t *solved(const gms_model_t *model,
                                  gms_model_method_t method)
{
    gms_model_result_t *result = NULL;

    if (gms_model_solve(model, method, &result, error) != GMS_MODEL_OK) {
        printf("\n    %s\n", error);
        abort();
    }
    return result;
}

static double single_wait(double rate, double mean, double scv,
                          unsigned servers, gms_model_method_t method)
{
    gms_model_t *model = single(rate, mean, scv, servers);
    gms_model_result_t *result = solved(model, method);
    double wait = result->station[0].wait;

    CHECK_NEAR(result->station[0].utilisation, rate * mean / servers, EXACT);
    CHECK_NEAR(result->station[0].queue, rate * wait, EXACT);
    CHECK_NEAR(result->delay[0], wait + mean, EXACT);
    gms_model_result_destroy(result);
    gms_model_destroy(model);
    return wait;
}

/** In all methods, the waits of M/M/1, M/D/1 and M/G/1 follow the formula of
 * Pollaczek and Khinchine: rate (variance + mean^2) / 2 / (1 - rho). */
static void test_pollaczek_khinchine(void)
{
    static const double scvs[] = {0, 0.25, 1, 4};
    unsigned method, i;

    for (method = 0; method < GENERAL; ++method) {
        for (i = 0; i < 4; ++i) {
            CHECK_NEAR(
                single_wait(0.8, 1, scvs[i], 1, (gms_model_method_t)method),
                0.8 * (scvs[i] + 1) / 2 / 0.2, EXACT);
        }
        /* in M/M/1 with rho = 1/2 and a service time of 2, the wait equals the
         * service time */
        CHECK_NEAR(single_wait(0.25, 2, 1, 1, (gms_model_method_t)method), 2,
                   EXACT);
    }
}

/** C(n, rho) is Erlang's probability that a message waits, for n servers with
 *  the utilisation rho. For M/M/2 with rho = 3/4, C is 9/14, and the mean wait
 *  is C / (2 - 1.5) service times. Textbooks give the values C(3, 2/3) = 4/9
 *  and C(1, rho) = rho. */
static void test_many_servers(void)
{
    CHECK_NEAR(gms_model_erlang_c(1, 0.3), 0.3, EXACT);
    CHECK_NEAR(gms_model_erlang_c(2, 0.75), 9.0 / 14, EXACT);
    CHECK_NEAR(gms_model_erlang_c(3, 2.0 / 3), 4.0 / 9, EXACT);
    CHECK_NEAR(single_wait(1.5, 1, 1, 2, GMS_MODEL_QNA), 9.0 / 7, EXACT);
    CHECK_NEAR(single_wait(1.5, 1, 1, 2, GMS_MODEL_REVISIT), 9.0 / 7, EXACT);
    CHECK_NEAR(single_wait(2, 1, 1, 3, GMS_MODEL_QNA), 4.0 / 9, EXACT);
    /* In the paper, equation (12) uses (rho^m + rho) / 2 = 0.65625 instead of
     * 9/14. */
    CHECK_NEAR(single_wait(1.5, 1, 1, 2, GMS_MODEL_PAPER), 2 * 0.65625, EXACT);
    /* For rho below 0.7, equation (12) uses rho^((m + 1) / 2). */
    CHECK_NEAR(single_wait(1, 1, 1, 2, GMS_MODEL_PAPER), pow(0.5, 1.5), EXACT);
}

/** Equation (10) is computed for Poisson arrivals and 4 servers with an SCV of
 * 3, which are busy for 3/4 of the time. The result is 1 + 9/16 (3 - 1) /
 * sqrt(4). */
static void test_departures_of_many_servers(void)
{
    static const gms_model_method_t methods[] = {GMS_MODEL_PAPER,
                                                 GMS_MODEL_QNA};
    gms_model_t *model = single(3, 1, 3, 4);
    unsigned i;

    for (i = 0; i < 2; ++i) {
        gms_model_result_t *result = solved(model, methods[i]);

        CHECK_NEAR(result->station[0].arrival_scv, 1, EXACT);
        CHECK_NEAR(result->station[0].departure_scv, 1 + 9.0 / 16, EXACT);
        gms_model_result_destroy(result);
    }
    gms_model_destroy(model);
}

/** According to Burke's theorem, the departures from M/M/1 are a Poisson
 * process. A tandem of two queues therefore behaves like two separate M/M/1
 * queues. */
static void test_tandem(void)
{
    unsigned method;

    for (method = 0; method < GENERAL; ++method) {
        gms_model_t *model = gms_model_create(2, 1);
        gms_model_result_t *result;

        gms_model_serve(model, 0, 0, 1, 1);
        gms_model_serve(model, 1, 0, 1.5, 1);
        gms_model_at(model, 0, 0)->rate = 0.5;
        (void)gms_model_route(model, 0, 0, 1, 0, 1);
        result = solved(model, (gms_model_method_t)method);
        CHECK_NEAR(result->station[0].number, 1, EXACT);
        CHECK_NEAR(result->station[1].number, 3, EXACT);
        CHECK_NEAR(result->delay[0], 8, EXACT);
        CHECK_U64(result->bottleneck, 1);
        CHECK_NEAR(result->saturation, 1 / 0.75, EXACT);
        gms_model_result_destroy(result);
        gms_model_destroy(model);
    }
}

/** Two classes use one FCFS M/G/1 queue with rates 0.1 and 0.2 and constant
 * times 1 and 3. Then rho is 0.7, and R is (0.1 + 0.2 * 9) / 2. Both classes
 * wait R / 0.3. */
static void test_classes(void)
{
    unsigned method;

    for (method = 0; method < GENERAL; ++method) {
        gms_model_t *model = two_classes(1, 0.1, 3, 0.2);
        gms_model_result_t *result;

        result = solved(model, (gms_model_method_t)method);
        CHECK_NEAR(result->visit[0].wait, 0.95 / 0.3, EXACT);
        CHECK_NEAR(result->visit[1].wait, 0.95 / 0.3, EXACT);
        CHECK_NEAR(result->delay[1] - result->delay[0], 2, EXACT);
        gms_model_result_destroy(result);
        gms_model_destroy(model);
    }
}

/** Two classes with equal rates leave an M/D/1 station with a load of 0.6 and
 * go to different stations. The departures have an SCV of 1 - 0.36. The paper
 * passes this SCV on unchanged. Whitt's equation uses the fact that each class
 * accounts for half of all departures. */
static void test_split(void)
{
    gms_model_t *model = gms_model_create(3, 2);
    gms_model_result_t *result;
    unsigned r;

    for (r = 0; r < 2; ++r) {
        gms_model_serve(model, 0, r, 1, 0);
        gms_model_serve(model, 1 + r, r, 1, 0);
        gms_model_at(model, 0, r)->rate = 0.3;
        gms_model_at(model, 0, r)->rate_scv = 1;
        (void)gms_model_route(model, 0, r, 1 + r, r, 1);
    }
    result = solved(model, GMS_MODEL_QNA);
    CHECK_NEAR(result->station[1].arrival_scv, 1 - 0.36 / 2, EXACT);
    gms_model_result_destroy(result);
    result = solved(model, GMS_MODEL_PAPER);
    CHECK_NEAR(result->station[1].arrival_scv, 1 - 0.36, EXACT);
    gms_model_result_destroy(result);
    gms_model_destroy(model);
}

/** Each message returns once, immediately, to the end of the queue, as a
 *  message of another class. The result is exact if the times s1 and s2 are
 *  constant. The result follows from two equations, one for the work in the
 *  system and one for the state that an arriving message finds:
 *
 *    L1 (s1 + s2) + L2 s2 + rho1 (s1/2 + s2) + rho2 s2/2
 *                                    = rate (s1 + s2)^2 / 2 / (1 - rho)
 *
 *    L1 = rate (L1 s1 + L2 s2 + (rho1 s1 + rho2 s2) / 2)
 *
 *  With rate 1/4, s1 = 1 and s2 = 2, the equations are 3 L1 + 2 L2 = 3.375 and
 *  3 L1 - 2 L2 = 0.625. The results are L1 = 2/3 and L2 = 11/16. */
static void test_comes_back(void)
{
    gms_model_t *model = two_classes(1, 0.25, 2, 0);
    gms_model_result_t *result;

    (void)gms_model_route(model, 0, 0, 0, 1, 1);
    result = solved(model, GMS_MODEL_REVISIT);
    CHECK_NEAR(result->visit[0].queue, 2.0 / 3, 1e-7);
    CHECK_NEAR(result->visit[1].queue, 11.0 / 16, 1e-7);
    gms_model_result_destroy(result);
    gms_model_destroy(model);
}

/** A message leaves with probability 1/3 after each service. The arrival rate
 *  at the station is therefore three times the rate of messages from
 *  outside. */
static void test_loop(void)
{
    gms_model_t *model = single(0.2, 1, 1, 1);
    gms_model_result_t *result;

    (void)gms_model_route(model, 0, 0, 0, 0, 2.0 / 3);
    result = solved(model, GMS_MODEL_QNA);
    CHECK_NEAR(result->station[0].rate, 0.6, EXACT);
    /* With exponential service and feedback, the number of messages is the same
     * as in M/M/1 with rho = 0.6. */
    CHECK_NEAR(result->station[0].number, 1.5, 1e-6);
    CHECK_NEAR(result->delay[0], 1.5 / 0.2, 1e-6);
    gms_model_result_destroy(result);
    result = solved(model, GMS_MODEL_REVISIT);
    CHECK_NEAR(result->station[0].number, 1.5, 1e-6);
    gms_model_result_destroy(result);
    gms_model_destroy(model);
}

/** For bursty arrivals, the methods use the factor (Ca^2 + Cs^2) / 2 of Kraemer
 * and Langenbach-Belz, without its correction. */
static void test_bursty(void)
{
    gms_model_t *model = single(0.8, 1, 0, 1);
    unsigned method;

    gms_model_at(model, 0, 0)->rate_scv = 3;
    for (method = 0; method < GENERAL; ++method) {
        gms_model_result_t *result = solved(model, (gms_model_method_t)method);

        CHECK_NEAR(result->station[0].wait, 0.8 / 0.2 * 3 / 2, EXACT);
        gms_model_result_destroy(result);
    }
    gms_model_destroy(model);
}

/** The sending NIC is computed by hand for lambda = 0.01. The NIC's load is 0.1
 * * (2.212 + 10 p), with p = (1 - 0.526887) / 2. */
static void test_card(void)
{
    gms_model_t *model = gms_model_nic(0.01);
    gms_model_result_t *result = solved(model, GMS_MODEL_PAPER);

    CHECK_NEAR(result->station[GMS_MODEL_LANAI].utilisation,
               0.01 * (22.12 + 5 * (1 - 0.526887)), EXACT);
    CHECK_NEAR(result->station[GMS_MODEL_HDMA].utilisation, 0.893154, EXACT);
    CHECK_NEAR(result->station[GMS_MODEL_NSDMA].utilisation, 0.526887, EXACT);
    CHECK_U64(result->rounds, GMS_MODEL_PAPER_ROUNDS);
    CHECK_U64(result->bottleneck, GMS_MODEL_HDMA);
    CHECK_NEAR(result->saturation * 0.01, 1 / 89.3154, EXACT);
    gms_model_result_destroy(result);
    result = solved(model, GMS_MODEL_REVISIT);
    CU_ASSERT_TRUE(result->station[GMS_MODEL_LANAI].utilisation > 0.3212);
    CHECK_NEAR(result->station[GMS_MODEL_LANAI].utilisation -
                   result->station[GMS_MODEL_LANAI].waiting_share,
               0.3212, EXACT);
    CHECK_NEAR(result->station[GMS_MODEL_NSDMA].queue, 0, 0);
    gms_model_result_destroy(result);
    gms_model_destroy(model);
}

/** The expected values were computed independently of this code, by iterating
 * the SCVs for lambda = 0.009. */
static void test_rounds(void)
{
    gms_model_t *model = gms_model_nic(0.009);
    gms_model_result_t *result = solved(model, GMS_MODEL_PAPER);

    CHECK_NEAR(result->station[GMS_MODEL_LANAI].queue, 0.06422, 1e-4);
    CHECK_NEAR(result->station[GMS_MODEL_HDMA].queue, 1.52816, 1e-5);
    CHECK_NEAR(result->station[GMS_MODEL_NSDMA].queue, 0.13839, 5e-5);
    gms_model_result_destroy(result);
    gms_model_destroy(model);
}

/** A message that returns after a long time finds the same state as a new
 * message. With rho = 1/2 and two visits of length 1, the wait is (0.25 + 0.25)
 * / 2 / (1 - 1/2). */
static void test_forgets(void)
{
    gms_model_t *model = gms_model_create(2, 2);
    gms_model_result_t *result;

    gms_model_serve(model, 0, 0, 1, 0);
    gms_model_serve(model, 0, 1, 1, 0);
    gms_model_serve(model, 1, 0, 1000, 1);
    model->station[1].servers = 1000;
    gms_model_at(model, 0, 0)->rate = 0.25;
    (void)gms_model_route(model, 0, 0, 1, 0, 1);
    (void)gms_model_route(model, 1, 0, 0, 1, 1);
    result = solved(model, GMS_MODEL_REVISIT);
    CHECK_NEAR(result->visit[0].wait, 0.5, 1e-6);
    CHECK_NEAR(result->visit[1].wait, 0.5, 1e-6);
    gms_model_result_destroy(result);
    gms_model_destroy(model);
}

/** In the model, a station may check another station with a guessed
 *  probability. This guess can make the checking station the bottleneck. The
 *  utilisation of this station is a quadratic function of the arrival rate x.
 *  With a fast host DMA, this utilisation does not reach 1 below the saturation
 *  of NSDMA. */
static void test_guess_saturates(void)
{
    gms_model_t *model = gms_model_nic(0.001);
    gms_model_result_t *result;
    double x;

    gms_model_at(model, GMS_MODEL_HDMA, GMS_MODEL_DESCRIPTOR)->mean = 1;
    gms_model_at(model, GMS_MODEL_NSDMA, GMS_MODEL_DATA)->mean = 10;
    gms_model_at(model, GMS_MODEL_LANAI, GMS_MODEL_DATA)->mean = 60;
    result = solved(model, GMS_MODEL_PAPER);
    CHECK_U64(result->bottleneck, GMS_MODEL_LANAI);
    x = result->saturation * 0.001;
    CHECK_NEAR(x * (22.12 + 30 * (1 - 10 * x)), 1, 1e-9);
    gms_model_result_destroy(result);
    gms_model_destroy(model);
}

/** A station cannot serve messages while it is being programmed. A message
 * therefore occupies this station for 10 + 52.6887 us. If the host DMA is fast,
 * this station is the first to saturate. */
static void test_programming_saturates(void)
{
    gms_model_t *model = gms_model_nic(0.001);
    gms_model_result_t *result;

    gms_model_at(model, GMS_MODEL_HDMA, GMS_MODEL_DESCRIPTOR)->mean = 1;
    result = solved(model, GMS_MODEL_REVISIT);
    CHECK_U64(result->bottleneck, GMS_MODEL_NSDMA);
    CHECK_NEAR(result->saturation * 0.001, 1 / 62.6887, EXACT);
    gms_model_result_destroy(result);
    result = solved(model, GMS_MODEL_PAPER);
    CHECK_NEAR(result->saturation * 0.001, 1 / 52.6887, EXACT);
    gms_model_result_destroy(result);
    gms_model_destroy(model);
}

static void test_unstable(void)
{
    gms_model_t *model = gms_model_nic(0.0112);
    gms_model_result_t *result = NULL;
    unsigned method;

    for (method = 0; method < GMS_MODEL_METHODS; ++method) {
        CU_ASSERT_EQUAL(
            gms_model_solve(model, (gms_model_method_t)method, &result, error),
            GMS_MODEL_UNSTABLE);
        CU_ASSERT_PTR_NULL(result);
        CU_ASSERT_PTR_NOT_NULL(strstr(error, "station 'hdma'"));
        CU_ASSERT_PTR_NOT_NULL(strstr(error, "0.0111963"));
    }
    gms_model_destroy(model);
}

static void check_refused(gms_model_t *model, const char *text)
{
    gms_model_result_t *result = NULL;

    CU_ASSERT_EQUAL(gms_model_solve(model, GMS_MODEL_QNA, &result, error),
                    GMS_MODEL_INVALID);
    if (strstr(error, text) == NULL) {
        printf("\n    '%s' is not in '%s'\n", text, error);
        CU_FAIL("error text");
    }
    gms_model_destroy(model);
}

static void test_wrong(void)
{
    gms_model_t *model;

    CU_ASSERT_PTR_NULL(gms_model_create(0, 1));
    CU_ASSERT_PTR_NULL(gms_model_create(4096, 2));
    check_refused(gms_model_create(1, 1), "no messages arrive");
    check_refused(single(1, 0, 0, 1), "a mean above 0");
    check_refused(single(0.5, 1, -1, 1), "SCV of at least 0");
    check_refused(single(0.5, NAN, 1, 1), "a mean above 0");
    check_refused(single(-1, 1, 0, 1), "the rate");
    check_refused(single(0.5, 1, 0, 0), "at least 1");
    model = single(0.5, 1, 0, 1);
    (void)gms_model_route(model, 0, 0, 0, 0, 1);
    check_refused(model, "has no exit");
    model = single(0.5, 1, 0, 1);
    (void)gms_model_route(model, 0, 0, 0, 0, 0.6);
    (void)gms_model_route(model, 0, 0, 0, 0, 0.6);
    check_refused(model, "more than 1");
    model = single(0.5, 1, 0, 1);
    (void)gms_model_route(model, 0, 0, 0, 3, 0.6);
    check_refused(model, "at a station that does not serve");
    model = single(0.5, 1, 0, 1);
    gms_model_at(model, 0, 0)->checks = 0;
    check_refused(model, "must name another station");
    model = gms_model_nic(0.001);
    gms_model_at(model, GMS_MODEL_LANAI, GMS_MODEL_DATA)->guess = 1.5;
    check_refused(model, "between 0 and 1");
    model = gms_model_nic(0.001);
    gms_model_at(model, GMS_MODEL_LANAI, GMS_MODEL_DOORBELL)->checks =
        GMS_MODEL_NSDMA;
    check_refused(model, "routes leads to another station");
}

/** A NIC that receives no packets behaves like a NIC that only sends. */
static void test_both_ways(void)
{
    gms_model_t *both = gms_model_nic_both(0.006, 0);
    gms_model_t *sends = gms_model_nic(0.006);
    gms_model_result_t *one, *other;
    unsigned method, i;

    for (method = 0; method < GMS_MODEL_METHODS; ++method) {
        if (method == GMS_MODEL_CHAIN) {
            continue; /* chain-fast covers this case in less time */
        }
        one = solved(both, (gms_model_method_t)method);
        other = solved(sends, (gms_model_method_t)method);
        for (i = 0; i < 3; ++i) {
            CHECK_NEAR(one->station[i].queue, other->station[i].queue, 1e-6);
        }
        gms_model_result_destroy(one);
        gms_model_result_destroy(other);
    }
    gms_model_destroy(both);
    gms_model_destroy(sends);
    /* For each received packet, the host DMA transfers a descriptor and a
     * block. */
    both = gms_model_nic_both(0.002, 0.003);
    one = solved(both, GMS_MODEL_REVISIT);
    CHECK_NEAR(one->station[GMS_MODEL_HDMA].utilisation, 0.005 * 89.3154, 1e-6);
    CHECK_NEAR(one->station[GMS_MODEL_NRDMA].utilisation, 0.003 * 52.6887,
               1e-6);
    gms_model_result_destroy(one);
    gms_model_destroy(both);
}

/** Dividing all times by a factor has the same effect as changing the unit of
 * time. */
static void test_unit_of_time(void)
{
    gms_model_t *model = gms_model_nic(0.009), *fast = gms_model_copy(model);
    gms_model_result_t *one, *other;
    unsigned method, i;

    for (i = 0; i < 9; ++i) {
        fast->visit[i].mean *= 1e-3;
        fast->visit[i].rate *= 1e3;
    }
    for (method = 0; method < GMS_MODEL_METHODS; ++method) {
        if (method == GMS_MODEL_CHAIN) {
            continue; /* chain-fast covers this case in less time */
        }
        one = solved(model, (gms_model_method_t)method);
        other = solved(fast, (gms_model_method_t)method);
        CHECK_NEAR(other->station[1].queue, one->station[1].queue, 1e-6);
        CHECK_NEAR(other->delay[0], one->delay[0] * 1e-3, 1e-6);
        gms_model_result_destroy(one);
        gms_model_result_destroy(other);
    }
    gms_model_destroy(model);
    gms_model_destroy(fast);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"M/M/1, M/D/1, M/G/1", test_pollaczek_khinchine},
        {"M/M/m", test_many_servers},
        {"departures from several servers", test_departures_of_many_servers},
        {"tandem", test_tandem},
        {"two classes in one queue", test_classes},
        {"departures of two classes of messages", test_split},
        {"messages that return as another class", test_comes_back},
        {"loop", test_loop},
        {"bursty arrivals", test_bursty},
        {"the sending NIC", test_card},
        {"iterated SCVs converge to known values", test_rounds},
        {"messages that return after a long time", test_forgets},
        {"saturation caused by a guessed probability", test_guess_saturates},
        {"saturation of a station by its programming times",
         test_programming_saturates},
        {"unstable", test_unstable},
        {"invalid descriptions", test_wrong},
        {"sending and receiving NIC", test_both_ways},
        {"the results do not depend on the unit of time", test_unit_of_time},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"model", NULL, NULL, NULL, NULL, tests});
}
