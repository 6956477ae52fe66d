/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Table 10 of Cherukuri et al.: processor time of the simulation and of the
 * analyses. A simulation runs until the half width of the confidence interval
 * of the host DMA's queue length is 1 % of the mean. The values in this table
 * depend on the machine and differ between runs.
 */
#include <math.h>
#include <time.h>

#include "experiments/nic.h"
#include "experiments/nic_card.h"

/* Required half width of the 95 % confidence interval of the host DMA's queue
 * length, relative to the mean. */
#define GMS_NIC_10_HALF_WIDTH 0.01
/* Largest arrival rate at which a run has enough messages to reach this half
 * width. At higher rates, the time is extrapolated from a shorter run. */
#define GMS_NIC_10_REACHED 0.0095
#define GMS_NIC_10_SOLVES  1000

static const uint64_t gms_nic_10_messages[GMS_NIC_CARD_RATES] = {
    600000, 600000, 1000000, 1600000, 2000000, 2000000};

static double gms_nic_10_cpu_s(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/** Report the time that it takes to solve the model once, in milliseconds. */
static gms_status_t gms_nic_10_solve(gms_lab_t *lab, gms_model_method_t method)
{
    double begin_s = gms_nic_10_cpu_s(), ms;
    unsigned i;

    for (i = 0; i < GMS_NIC_10_SOLVES; ++i) {
        gms_model_result_t *result = gms_nic_card_solve(
            lab, gms_nic_card_rates[i % GMS_NIC_CARD_RATES], method);

        if (result == NULL) {
            return GMS_ERR_INVALID_PARAM;
        }
        gms_model_result_destroy(result);
    }
    ms = 1e3 * (gms_nic_10_cpu_s() - begin_s) / GMS_NIC_10_SOLVES;
    gms_lab_check(lab, gms_model_method_names[method], "mean of 6 rates",
                  "CPU time of the analysis", ms, "ms", GMS_ROW_AT_MOST, 1, 0);
    return GMS_OK;
}

/** Return the time, in seconds, that the simulation needs to reach the required
 *  half width. If is_reached is 0, the time is extrapolated. */
static double gms_nic_10_simulate(gms_lab_t *lab, unsigned i, int *is_reached)
{
    gms_model_sim_result_t *result = gms_nic_card_simulate(
        lab, gms_nic_card_rates[i], 2, gms_nic_10_messages[i]);
    double relative, cpu_s;
    char setting[GMS_LAB_NAME_LEN];

    if (result == NULL) {
        return -1;
    }
    gms_nic_card_setting(gms_nic_card_rates[i], setting);
    relative = result->station[GMS_MODEL_HDMA].queue.half_width /
               result->station[GMS_MODEL_HDMA].queue.mean;
    cpu_s = result->cpu_s;
    *is_reached = relative <= GMS_NIC_10_HALF_WIDTH;
    gms_lab_row(lab, "simulation 2", setting, "half width of the HDMA queue",
                100 * relative, "percent");
    gms_lab_row(lab, "simulation 2", setting, "events per CPU second",
                (double)result->events / cpu_s, "1/s");
    gms_model_sim_result_destroy(result);
    if (!*is_reached) {
        cpu_s *=
            relative * relative / GMS_NIC_10_HALF_WIDTH / GMS_NIC_10_HALF_WIDTH;
    }
    gms_lab_row(lab, "simulation 2", setting,
                "CPU time until the half width is 1 %", cpu_s, "s");
    gms_lab_row(lab, "simulation 2", setting,
                "run time of the paper's simulation", cpu_s / 60, "min");
    return cpu_s;
}

static gms_status_t gms_nic_10_run(gms_lab_t *lab)
{
    double sum_s = 0;
    unsigned i, reached = 0, below = 0;
    gms_status_t status = gms_nic_10_solve(lab, GMS_MODEL_PAPER);

    if (status == GMS_OK) {
        status = gms_nic_10_solve(lab, GMS_MODEL_REVISIT);
    }
    if (status != GMS_OK) {
        return status;
    }
    for (i = 0; i < GMS_NIC_CARD_RATES; ++i) {
        int is_reached;
        double cpu_s = gms_nic_10_simulate(lab, i, &is_reached);

        if (cpu_s < 0) {
            return GMS_ERR_INVALID_PARAM;
        }
        if (gms_nic_card_rates[i] < GMS_NIC_10_REACHED) {
            sum_s += cpu_s;
            ++below;
            reached += (unsigned)is_reached;
        }
        gms_lab_progress(lab, (i + 1.0) / GMS_NIC_CARD_RATES);
    }
    gms_lab_check(lab, "simulation 2", "rates up to 0.009",
                  "runs whose half width reaches 1 %", reached, "runs",
                  GMS_ROW_AT_LEAST, below, 0);
    gms_lab_check(lab, "simulation 2", "rates up to 0.009",
                  "CPU time until the half width is 1 %", sum_s, "s",
                  GMS_ROW_AT_MOST, 10, 0);
    return GMS_OK;
}

const gms_experiment_t gms_nic_10 = {
    .name = "nic-10",
    .title = "CPU time of simulation and analysis",
    .source = "Cherukuri et al., table 10",
    .text = "This experiment measures the CPU time until the 95 % confidence "
            "interval of the host DMA engine's mean queue length narrows to "
            "+-1 %. The experiment compares this time with the run time of the "
            "paper's simulation. At the two highest rates, the time is "
            "extrapolated from the interval of a shorter run. Only the rows "
            "with CPU times differ from run to run.",
    .run = gms_nic_10_run,
};
