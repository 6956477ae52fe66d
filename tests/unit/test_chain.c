/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the method `chain' with small NICs whose queues can be computed by
 * hand, and with networks for which the method returns an error.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analytic/chain_int.h"
#include "chain_rig.h"

/** If the LANai's services take no time, the host DMA is a single queue, to
 * which every message returns immediately. With rate 0.15 and times 1 and 3,
 * equation (a) is 0.6 W1 + 0.45 W2 = 1.8, and equation (b) is W2 = 0.6 (W1 +
 * 1). */
static void test_no_processor_time(void)
{
    gms_model_t *model = nic(0.15, 1e-6, 1e-6, 1, 3, 0.5);
    gms_model_result_t *result = solved(model);

    CHECK_NEAR(at(result, GMS_MODEL_HDMA, GMS_MODEL_DOORBELL)->wait,
               1.53 / 0.87, 1e-4);
    CHECK_NEAR(at(result, GMS_MODEL_HDMA, GMS_MODEL_DESCRIPTOR)->wait,
               0.6 * (1.53 / 0.87 + 1), 1e-4);
    gms_model_result_destroy(result);
    gms_model_destroy(model);
}

/** The interval between consecutive arrivals of data is at least 5, while
 * programming and sending take only 3. Data therefore never wait for NSDMA.
 * While NSDMA is idle, data are present only during programming. The
 * probability that data are present at such a time is rate * 1 / (1 - rate *
 * 2). */
static void test_scenario_2(void)
{
    gms_model_t *model = nic(0.1, 1e-6, 1, 1, 5, 2);
    gms_model_result_t *result = solved(model);

    CHECK_NEAR(at(result, GMS_MODEL_LANAI, GMS_MODEL_DATA)->present, 0.1 / 0.8,
               0.01);
    CU_ASSERT(result->station[GMS_MODEL_LANAI].waiting_share < 1e-3);
    gms_model_result_destroy(result);
    gms_model_destroy(model);
}

/* Create a NIC with these rates of receive doorbells and packets. The LANai of
 * this NIC takes no time, and there are no send doorbells. */
static gms_model_t *receiver(double doorbells, double packets)
{
    gms_model_t *model = gms_model_nic_both(0, packets);
    unsigned c;

    model->station[GMS_MODEL_LANAI].discipline = GMS_MODEL_LIMITED;
    for (c = 0; c < model->classes; ++c) {
        if (gms_model_at(model, GMS_MODEL_LANAI, c)->is_served) {
            set_mean(model, GMS_MODEL_LANAI, c, 1e-6);
        }
    }
    gms_model_at(model, GMS_MODEL_LANAI, GMS_MODEL_RECV_DOORBELL)->rate =
        doorbells;
    return model;
}

/** Packets arrive as a Poisson process, and the receive DMA takes a time of 1
 * for each packet. The receive DMA is therefore an M/D/1 queue. The number of
 * waiting packets is rho^2 / (1 - rho) / 2, including the packet that the LANai
 * holds. The LANai holds a packet whenever a packet waits, because it has no
 * other work. Packets leave the receive DMA at intervals of at least 1, so
 * their transfers of 0.5 never wait at the host DMA. */
static void test_receive_dma(void)
{
    static const double loads[] = {0.3, 0.6, 0.8};
    unsigned i;

    for (i = 0; i < 3; ++i) {
        double rho = loads[i];
        gms_model_t *model = receiver(0, rho);
        gms_model_result_t *result;
        const gms_model_at_visit_t *packet;

        set_mean(model, GMS_MODEL_NRDMA, GMS_MODEL_RECV_PACKET, 1);
        set_mean(model, GMS_MODEL_HDMA, GMS_MODEL_RECV_DATA, 0.5);
        result = solved(model);
        packet = at(result, GMS_MODEL_LANAI, GMS_MODEL_RECV_PACKET);
        CHECK_NEAR(packet->queue + rho * packet->held,
                   rho * rho / (1 - rho) / 2, 0.02);
        /* in M/D/1, the probability that a packet waits is 1 - P(0) - P(1) */
        CHECK_NEAR(result->station[GMS_MODEL_LANAI].waiting_share,
                   1 - (1 - rho) * exp(rho), 0.02);
        CU_ASSERT(at(result, GMS_MODEL_HDMA, GMS_MODEL_RECV_DATA)->wait < 0.02);
        gms_model_result_destroy(result);
        gms_model_destroy(model);
    }
}

/** With receive doorbells alone, the host DMA is an M/D/1 queue. */
static void test_receive_doorbells(void)
{
    gms_model_t *model = receiver(0.7, 0);
    gms_model_result_t *result;

    set_mean(model, GMS_MODEL_HDMA, GMS_MODEL_RECV_DOORBELL, 1);
    result = solved(model);
    CHECK_NEAR(at(result, GMS_MODEL_HDMA, GMS_MODEL_RECV_DOORBELL)->wait,
               0.7 / 0.3 / 2, 1e-4);
    gms_model_result_destroy(result);
    gms_model_destroy(model);
}

/** If the receive DMA is fast, packets and receive doorbells arrive at the host
 * DMA as independent Poisson processes. The host DMA is then an M/G/1 queue. */
static void test_receive_both(void)
{
    gms_model_t *model = receiver(0.2, 0.1);
    gms_model_result_t *result;

    set_mean(model, GMS_MODEL_NRDMA, GMS_MODEL_RECV_PACKET, 0.05);
    set_mean(model, GMS_MODEL_HDMA, GMS_MODEL_RECV_DOORBELL, 1);
    set_mean(model, GMS_MODEL_HDMA, GMS_MODEL_RECV_DATA, 3);
    result = solved(model);
    CHECK_NEAR(result->station[GMS_MODEL_HDMA].wait,
               (0.2 + 0.1 * 9) / 2 / (1 - 0.5), 0.01);
    CHECK_NEAR(result->station[GMS_MODEL_HDMA].utilisation, 0.5, 1e-9);
    CHECK_NEAR(result->station[GMS_MODEL_NRDMA].utilisation, 0.005, 1e-9);
    gms_model_result_destroy(result);
    gms_model_destroy(model);
}

/** A service of x slots begins at a uniformly distributed time within a slot.
 * The service ends r whole slots later. A message that arrives at the end of a
 * random slot waits for the remaining service time. The sum of these waiting
 * times is r (r + 1) / 2 slots. The mean of r must be x - 1/2, and the mean sum
 * must be x^2 / 2. */
static void test_begin_inside(void)
{
    static const double times[] = {1, 1.2, 2.5, 4, 7.75};
    gms_chain_t chain = {.slot = 2};
    unsigned slots[3], parts, i, k;
    double part[3];

    for (k = 0; k < 5; ++k) {
        double x = times[k], all = 0, mean = 0, sum = 0;

        parts = gms_chain_slots_inside(&chain, x * chain.slot, slots, part);
        for (i = 0; i < parts; ++i) {
            all += part[i];
            mean += part[i] * slots[i];
            sum += part[i] * slots[i] * (slots[i] + 1) / 2;
        }
        CU_ASSERT_DOUBLE_EQUAL(all, 1, 1e-12);
        CU_ASSERT_DOUBLE_EQUAL(mean, x - 0.5, 1e-12);
        CU_ASSERT_DOUBLE_EQUAL(sum, x * x / 2, 1e-12);
    }
}

/* Describe a processor that serves doorbells and programs a station, with these
 * times in slots. */
static gms_chain_t race(double doorbell, double transfer)
{
    gms_chain_t chain = {.classes = 2,
                         .types = 1,
                         .discipline = GMS_MODEL_LIMITED,
                         .limit = 1,
                         .slot = 1,
                         .origin = -1,
                         .again = -1};

    chain.class[0] = (gms_chain_class_t){
        .rate = 1e-9, .mean = doorbell, .freed = -1, .most = 6};
    chain.class[1] = (gms_chain_class_t){
        .mean = 3, .type = -1, .hold = transfer, .freed = -1, .most = 2};
    chain.type[0] = (gms_chain_type_t){.mean = 1, .gives = 1};
    return chain;
}

/* Find the state in which a service of data ends while 4 doorbells and another
 * message of data are waiting. */
static uint32_t race_start(const gms_chain_states_t *states)
{
    uint32_t s;

    for (s = 0; s < states->states; ++s) {
        const gms_chain_state_t *state = &states->state[s];

        if (state->server == 1 && state->residual == 0 && state->memory != 0 &&
            state->hold == 0 && state->queue[0] == 4 && state->queue[1] == 1) {
            return s;
        }
    }
    CU_FAIL_FATAL("no such state");
    return 0;
}

/* Move the probability of state s along the transitions of a table. If a
 * service of data begins, the probability is dropped. @return mean number of
 * doorbells that leave the processor */
static double race_follow(const gms_chain_states_t *states,
                          const gms_chain_table_t *table, uint32_t s,
                          double from, double *to)
{
    double doorbells = 0;
    uint32_t i;

    for (i = table->first[s]; i < table->first[s + 1]; ++i) {
        const gms_chain_step_t *step = &table->step[i];
        double p = from * (double)step->base;

        doorbells += (step->sent != 0) ? p : 0;
        to[step->to] += (states->state[step->to].server == 1) ? 0 : p;
    }
    return doorbells;
}

/* Return the mean number of doorbells that the processor serves between two
 * services of data. */
static double race_doorbells(double doorbell, double transfer)
{
    gms_chain_t chain = race(doorbell, transfer);
    gms_chain_states_t states;
    double *now, *then, doorbells = 0;
    uint32_t s, k;

    CU_ASSERT_EQUAL_FATAL(gms_chain_states_create(&chain, &states),
                          GMS_MODEL_OK);
    now = calloc(2 * (size_t)states.states, sizeof(*now));
    then = now + states.states;
    now[race_start(&states)] = 1;
    for (k = 0; k < 20; ++k) {
        for (s = 0; s < states.states; ++s) {
            double from = now[s];

            if (states.end.first[s + 1] > states.end.first[s]) {
                now[s] = 0;
                doorbells += race_follow(&states, &states.end, s, from, now);
            }
        }
        memset(then, 0, states.states * sizeof(*then));
        for (s = 0; s < states.states; ++s) {
            (void)race_follow(&states, &states.slot, s, now[s], then);
        }
        memcpy(now, then, states.states * sizeof(*now));
    }
    free(now);
    gms_chain_states_destroy(&states);
    return doorbells;
}

/** A station begins a transfer at the instant at which the processor begins to
 * serve doorbells. The processor programs the station again after the first
 * doorbell that ends after the transfer. The chain must reproduce the number of
 * doorbells served in the meantime, although all times are rounded to whole
 * slots. */
static void test_race(void)
{
    CHECK_NEAR(race_doorbells(4.3, 4.5), 2, 1e-6);
    CHECK_NEAR(race_doorbells(4.5, 4.3), 1, 1e-6);
    CHECK_NEAR(race_doorbells(2.2, 4.5), 3, 1e-6);
    CHECK_NEAR(race_doorbells(2.3, 4.5), 2, 1e-6);
    CHECK_NEAR(race_doorbells(1.7, 5), 3, 1e-6);
}

static void check_refused(gms_model_t *model, const char *text)
{
    gms_model_result_t *result = NULL;

    CU_ASSERT_EQUAL(gms_model_solve(model, GMS_MODEL_CHAIN, &result, error),
                    GMS_MODEL_INVALID);
    if (strstr(error, text) == NULL) {
        printf("\n    '%s' is not in '%s'\n", text, error);
        CU_FAIL("error text");
    }
    gms_model_destroy(model);
}

static void test_refused(void)
{
    gms_model_t *model = gms_model_nic(0.009);

    gms_model_at(model, GMS_MODEL_HDMA, GMS_MODEL_DOORBELL)->scv = 1;
    check_refused(model, "station 'hdma': service times must be constant");
    model = gms_model_nic(0.009);
    gms_model_at(model, GMS_MODEL_LANAI, GMS_MODEL_DOORBELL)->rate_scv = 2;
    check_refused(model, "station 'lanai': arrivals must be Poisson");
    model = gms_model_nic(0.009);
    model->station[GMS_MODEL_HDMA].servers = 2;
    check_refused(model, "station 'hdma': the station must have one server");
    model = gms_model_nic(0.009);
    model->station[GMS_MODEL_HDMA].discipline = GMS_MODEL_PRIORITY;
    check_refused(model, "station 'hdma': the policy must be fcfs");
    check_refused(single(0.5, 1, 0, 1), "must send messages to a DMA engine");
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"LANai without work", test_no_processor_time},
        {"probability that data are present while NSDMA is idle",
         test_scenario_2},
        {"receive DMA as an M/D/1 queue", test_receive_dma},
        {"receive doorbells alone", test_receive_doorbells},
        {"receive doorbells and packets", test_receive_both},
        {"service that begins inside a slot", test_begin_inside},
        {"transfer and doorbells that end in the same slot", test_race},
        {"networks that the analysis refuses", test_refused},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"chain", NULL, NULL, NULL, NULL, tests});
}
