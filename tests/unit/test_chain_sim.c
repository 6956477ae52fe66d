/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the method `chain' with complete NICs: checks properties of every
 * solution, and compares the LANai's policies with the simulation.
 */
#include "analytic/sim.h"
#include "chain_rig.h"

/** The host DMA is fast. The LANai is therefore an M/D/1 queue in which each
 * doorbell takes a time of 1 and the mean wait is rho / (1 - rho) / 2. The
 * interval between doorbells that leave the LANai is at least 1, so they do not
 * wait at the host DMA. */
static void test_processor_alone(void)
{
    static const double loads[] = {0.2, 0.4, 0.6};
    unsigned i;

    for (i = 0; i < 3; ++i) {
        gms_model_t *model = nic(loads[i], 1, 1e-6, 0.03, 0.03, 0.03);
        gms_model_result_t *result = solved(model);
        double wait = loads[i] / (1 - loads[i]) / 2;

        CHECK_NEAR(at(result, GMS_MODEL_LANAI, GMS_MODEL_DOORBELL)->wait, wait,
                   0.03);
        CU_ASSERT(at(result, GMS_MODEL_HDMA, GMS_MODEL_DOORBELL)->wait < 0.02);
        gms_model_result_destroy(result);
        gms_model_destroy(model);
    }
}

static const gms_model_discipline_t policies[] = {
    GMS_MODEL_FCFS, GMS_MODEL_LIMITED, GMS_MODEL_GATED, GMS_MODEL_EXHAUSTIVE,
    GMS_MODEL_PRIORITY};

/** Every solution obeys the utilisation law and Little's law. */
static void test_properties(void)
{
    unsigned p, i;

    for (p = 0; p < 2; ++p) {
        gms_model_t *model = gms_model_nic(0.008);
        gms_model_result_t *result;
        double all = 0;

        model->station[GMS_MODEL_LANAI].discipline = policies[p];
        result = solved_by(model, GMS_MODEL_CHAIN_FAST);
        for (i = 0; i < 3; ++i) {
            const gms_model_at_station_t *station = &result->station[i];

            CHECK_NEAR(station->queue, station->rate * station->wait, 1e-9);
            all += station->number;
        }
        CHECK_NEAR(result->station[GMS_MODEL_HDMA].utilisation, 0.008 * 89.3154,
                   1e-9);
        CHECK_NEAR(result->station[GMS_MODEL_LANAI].utilisation -
                       result->station[GMS_MODEL_LANAI].waiting_share,
                   0.008 * 32.12, 1e-9);
        /* check Little's law for the NIC; a message that is held is not in a
         * queue */
        CHECK_NEAR(all + result->station[GMS_MODEL_LANAI].waiting_share,
                   0.008 * result->delay[0], 1e-9);
        gms_model_result_destroy(result);
        gms_model_destroy(model);
    }
}

/** The analysis must predict the simulated queue lengths at the LANai for every
 * policy. The confidence intervals of the simulation are smaller than 1 %. */
static void test_policies(void)
{
    gms_model_sim_options_t options;
    unsigned p, i;

    gms_model_sim_options_init(&options);
    options.messages /= 2;
    /* the analysis only approximates the order of arrivals (see
     * doc/nic-model.md) */
    for (p = 1; p < 5; ++p) {
        gms_model_t *model = gms_model_nic(0.009);
        gms_model_sim_result_t *truth = NULL;
        gms_model_result_t *result;

        model->station[GMS_MODEL_LANAI].discipline = policies[p];
        model->station[GMS_MODEL_LANAI].limit = 2;
        /* with gated or exhaustive polling, the method `chain' needs 30 s */
        result = solved_by(model, (p == 2 || p == 3) ? GMS_MODEL_CHAIN_FAST
                                                     : GMS_MODEL_CHAIN);
        CU_ASSERT_EQUAL_FATAL(gms_model_sim_run(model, &options, &truth, error),
                              GMS_OK);
        for (i = 0; i < 3; ++i) {
            CHECK_NEAR(result->visit[i].queue, truth->queue[i].mean, 0.04);
        }
        CHECK_NEAR(at(result, GMS_MODEL_LANAI, GMS_MODEL_DATA)->present,
                   truth->present[GMS_MODEL_DATA].mean, 0.005);
        gms_model_sim_result_destroy(truth);
        gms_model_result_destroy(result);
        gms_model_destroy(model);
    }
}

/** NSDMA has a higher load than the host DMA. The queue of data therefore
 * depends on the sequence of descriptors in the long queue of the host DMA. The
 * LANai holds a message for more than half of its busy time. If the types in
 * the long queue were independent, the queue of data would be 7 % too short.
 * The half widths in the simulation are 1.0 % (queue) and 0.3 %
 * (utilisation). */
static void test_slow_send(void)
{
    gms_model_t *model = nic(0.0064, 12.96, 16.32, 23.61, 71.72, 94.93);
    gms_model_sim_result_t *truth = NULL;
    gms_model_sim_options_t options;
    gms_model_result_t *result = solved(model);

    gms_model_sim_options_init(&options);
    options.messages = 500000;
    CU_ASSERT_EQUAL_FATAL(gms_model_sim_run(model, &options, &truth, error),
                          GMS_OK);
    CHECK_NEAR(result->station[GMS_MODEL_LANAI].utilisation,
               truth->station[GMS_MODEL_LANAI].utilisation.mean, 0.006);
    CHECK_NEAR(at(result, GMS_MODEL_LANAI, GMS_MODEL_DATA)->queue,
               truth->queue[GMS_MODEL_DATA].mean, 0.03);
    gms_model_sim_result_destroy(truth);
    gms_model_result_destroy(result);
    gms_model_destroy(model);
}

/** Return the queue of descriptors at the paper's LANai if LANai needs this time
 * for a doorbell, in us. */
static double descriptor_queue(double doorbell)
{
    gms_model_t *model = gms_model_nic(0.009);
    gms_model_result_t *result;
    double queue;

    model->station[GMS_MODEL_LANAI].discipline = GMS_MODEL_LIMITED;
    set_mean(model, GMS_MODEL_LANAI, GMS_MODEL_DOORBELL, doorbell);
    result = solved_by(model, GMS_MODEL_CHAIN_FAST);
    queue = at(result, GMS_MODEL_LANAI, GMS_MODEL_DESCRIPTOR)->queue;
    gms_model_result_destroy(result);
    gms_model_destroy(model);
    return queue;
}

/** LANai's work on a doorbell and the fetch of the previous doorbell's
 * descriptor, which takes 21 us, begin at the same time. If the doorbell ends
 * first, the descriptor does not wait for it. The queue therefore falls when
 * the doorbell's time exceeds 21 us: in simulations of 3 million messages, by
 * the factor 1.043 +- 0.008. Above 21 us, the queue grows linearly; if the two
 * times were rounded independently, the computed queue would be 0.036 % too
 * long near 21 us. */
static void test_services_that_begin_together(void)
{
    double above = descriptor_queue(21.1);
    double slope = (descriptor_queue(21.3) - above) / 0.2;

    CHECK_NEAR(descriptor_queue(20.9) / above, 1.043, 0.008);
    CHECK_NEAR(descriptor_queue(21.01), above - 0.09 * slope, 0.00025);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"LANai alone", test_processor_alone},
        {"utilisation law and Little's law", test_properties},
        {"the analysis predicts the simulated queues of all policies",
         test_policies},
        {"send DMA with the highest load", test_slow_send},
        {"services that begin together", test_services_that_begin_together},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"chain_sim", NULL, NULL, NULL, NULL, tests});
}
