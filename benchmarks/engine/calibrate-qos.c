/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Repeats the calibration of the qos-* experiments (experiments/qos_config.c):
 * chooses the settings whose source is `calibrated'. The choice depends only on
 * the numbers in table 3 of Yum et al.
 *
 * The objective is the mean of |ln (simulated / printed)| over certain rows of
 * the table. The settings of the run and of the adapter are fitted to the rows
 * without control and with credits. The rule of At-Least-One is fitted to the
 * row for At-Least-One. The search changes one setting at a time, tries all
 * values of a grid, and keeps the best value. The search ends after a pass that
 * has changed no setting.
 *
 *   calibrate-qos [SEEDS [DIRECTORY]]
 *
 * DIRECTORY contains the files with the reference values. Each simulated number
 * is the mean over SEEDS seeds.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/qos_best.h"
#include "experiments/reference.h"

#define GMS_CALIBRATE_VALUES 8u
#define GMS_CALIBRATE_PASSES 4u
/* Below this load, the senders never run out of credits. */
#define GMS_CALIBRATE_SATURATION 0.75

/** The calibrated settings, as indices of qos_config.h. */
enum {
    GMS_CALIBRATE_RUN = 0,
    GMS_CALIBRATE_WARM_UP,
    GMS_CALIBRATE_BUS,
    GMS_CALIBRATE_DOORBELL,
    GMS_CALIBRATE_ALO,
    GMS_CALIBRATE_SETTINGS
};

static const struct {
    unsigned setting;     /* index of a setting in qos_config.h */
    unsigned first, last; /* first and last scheme that the objective
                             includes */
    unsigned count;
    double value[GMS_CALIBRATE_VALUES];
} gms_calibrate_grid[GMS_CALIBRATE_SETTINGS] = {
    {GMS_QOS_RUN, 0, GMS_QOS_BEST_600, 4, {200000, 225000, 250000, 275000}},
    {GMS_QOS_WARM_UP, 0, GMS_QOS_BEST_600, 2, {0, 12500}},
    {GMS_QOS_BUS, 0, GMS_QOS_BEST_600, 3, {2, 4, 8}},
    {GMS_QOS_DOORBELL, 0, GMS_QOS_BEST_600, 3, {0, 2, 4}},
    {GMS_QOS_ALO,
     GMS_QOS_BEST_ALO,
     GMS_QOS_BEST_ALO,
     8,
     {0, 1, 2, 3, 4, 5, 6, 7}},
};

/** The delay of a scheme at one load with given settings. */
typedef struct gms_calibrate_run {
    unsigned scheme, load;
    double with[GMS_CALIBRATE_SETTINGS];
    double delay_us;
} gms_calibrate_run_t;

typedef struct gms_calibrate {
    gms_references_t references;
    unsigned seeds;
    gms_calibrate_run_t *runs; /* all runs so far */
    size_t count, room;
} gms_calibrate_t;

/* Replace a run with an equivalent run, which may already have been simulated.
 * Below saturation, a run with credits is equivalent to a run without control,
 * because the senders never run out of credits. Runs that differ only in
 * settings without effect on the scheme are also equivalent. */
static void gms_calibrate_reduce(gms_calibrate_run_t *run)
{
    unsigned scheme = run->scheme;
    double *with = run->with;

    if (gms_qos_best_schemes[scheme].policy == GMS_CONGESTION_CREDIT &&
        gms_qos_best_loads[run->load] < GMS_CALIBRATE_SATURATION) {
        run->scheme = GMS_QOS_BEST_NONE;
    }
    if (scheme != GMS_QOS_BEST_ALO) {
        with[GMS_CALIBRATE_ALO] = 0;
    }
}

static void gms_calibrate_set(gms_qos_sim_options_t *options,
                              const double with[GMS_CALIBRATE_SETTINGS])
{
    options->warm_up_cycles = (uint64_t)with[GMS_CALIBRATE_WARM_UP];
    options->run_cycles =
        (uint64_t)with[GMS_CALIBRATE_RUN] - options->warm_up_cycles;
    options->hca.dma_bytes_s =
        (uint64_t)((double)options->hca.dma_bytes_s * with[GMS_CALIBRATE_BUS] /
                   gms_qos_settings[GMS_QOS_BUS].value);
    options->hca.doorbell_cycles = (unsigned)with[GMS_CALIBRATE_DOORBELL];
    options->congestion.alo_rule = (unsigned)with[GMS_CALIBRATE_ALO];
}

static double gms_calibrate_simulate(const gms_calibrate_t *calibrate,
                                     const gms_calibrate_run_t *run)
{
    char error[GMS_QOS_SIM_ERROR_LEN];
    gms_qos_sim_options_t options;
    double sum_us = 0;
    unsigned seed;

    gms_qos_best_options(&options, &gms_qos_best_schemes[run->scheme],
                         gms_qos_best_loads[run->load]);
    gms_calibrate_set(&options, run->with);
    for (seed = 1; seed <= calibrate->seeds; ++seed) {
        gms_qos_sim_result_t *result;

        options.seed = seed;
        if (gms_qos_sim_run(&options, NULL, NULL, &result, error) != GMS_OK) {
            fprintf(stderr, "calibrate-qos: %s\n", error);
            exit(1);
        }
        sum_us += result->by_class[GMS_LANE_BEST_EFFORT].queueing_us.mean;
        gms_qos_sim_result_destroy(result);
    }
    return sum_us / calibrate->seeds;
}

/* Return the delay of a run; if the run was simulated before, use the stored
 * delay. */
static double gms_calibrate_delay_us(gms_calibrate_t *calibrate,
                                     unsigned scheme, unsigned load,
                                     const double with[GMS_CALIBRATE_SETTINGS])
{
    gms_calibrate_run_t run = {.scheme = scheme, .load = load};
    size_t i;

    memcpy(run.with, with, sizeof(run.with));
    gms_calibrate_reduce(&run);
    for (i = 0; i < calibrate->count; ++i) {
        const gms_calibrate_run_t *old = &calibrate->runs[i];

        if (old->scheme == run.scheme && old->load == load &&
            memcmp(old->with, run.with, sizeof(run.with)) == 0) {
            return old->delay_us;
        }
    }
    if (calibrate->count == calibrate->room) {
        calibrate->room = 2 * calibrate->room + 64;
        calibrate->runs =
            realloc(calibrate->runs, calibrate->room * sizeof(run));
        if (calibrate->runs == NULL) {
            fprintf(stderr, "calibrate-qos: out of memory\n");
            exit(1);
        }
    }
    run.delay_us = gms_calibrate_simulate(calibrate, &run);
    calibrate->runs[calibrate->count++] = run;
    return run.delay_us;
}

/* Return the value of the objective for these settings. */
static double gms_calibrate_distance(gms_calibrate_t *calibrate, unsigned first,
                                     unsigned last,
                                     const double with[GMS_CALIBRATE_SETTINGS])
{
    double sum = 0;
    unsigned count = 0, scheme, load;

    for (scheme = first; scheme <= last; ++scheme) {
        for (load = 0; load < GMS_QOS_BEST_LOADS; ++load) {
            char setting[GMS_LAB_NAME_LEN];
            const gms_reference_t *printed = gms_references_find(
                &calibrate->references, "qos-3",
                gms_qos_best_schemes[scheme].name,
                gms_qos_setting(gms_qos_best_loads[load], setting),
                "queueing delay");

            if (printed != NULL) {
                sum += fabs(
                    log(gms_calibrate_delay_us(calibrate, scheme, load, with) /
                        printed->value));
                ++count;
            }
        }
    }
    return sum / count;
}

/* Keep the best value of one setting. @return 1 if the setting has changed */
static int gms_calibrate_improve(gms_calibrate_t *calibrate, unsigned which,
                                 double with[GMS_CALIBRATE_SETTINGS])
{
    unsigned first = gms_calibrate_grid[which].first;
    unsigned last = gms_calibrate_grid[which].last;
    double before = with[which], best = before;
    double least = gms_calibrate_distance(calibrate, first, last, with);
    unsigned i;

    printf("%s:", gms_qos_settings[gms_calibrate_grid[which].setting].name);
    for (i = 0; i < gms_calibrate_grid[which].count; ++i) {
        double distance;

        with[which] = gms_calibrate_grid[which].value[i];
        distance = gms_calibrate_distance(calibrate, first, last, with);
        printf(" %g %.4f", with[which], distance);
        (void)fflush(stdout);
        if (distance < least) {
            least = distance;
            best = with[which];
        }
    }
    with[which] = best;
    printf(" -> %g\n", best);
    return best != before;
}

int main(int argc, char **argv)
{
    gms_calibrate_t calibrate = {.seeds = 1};
    double with[GMS_CALIBRATE_SETTINGS];
    char error[GMS_REFERENCE_ERROR_LEN];
    unsigned which, pass;
    int changed = 1;

    if (argc > 1) {
        calibrate.seeds = (unsigned)strtoul(argv[1], NULL, 10);
    }
    if (argc > 3 || calibrate.seeds == 0) {
        fprintf(stderr, "usage: calibrate-qos [SEEDS [DIRECTORY]]\n");
        return 2;
    }
    if (gms_references_read((argc > 2) ? argv[2] : NULL, &calibrate.references,
                            error) != GMS_OK) {
        fprintf(stderr, "calibrate-qos: %s\n", error);
        return 1;
    }
    for (which = 0; which < GMS_CALIBRATE_SETTINGS; ++which) {
        with[which] = gms_qos_settings[gms_calibrate_grid[which].setting].value;
    }
    for (pass = 0; pass < GMS_CALIBRATE_PASSES && changed; ++pass) {
        for (changed = 0, which = 0; which < GMS_CALIBRATE_SETTINGS; ++which) {
            changed |= gms_calibrate_improve(&calibrate, which, with);
        }
    }
    for (which = 0; which < GMS_CALIBRATE_SETTINGS; ++which) {
        printf("%s = %g\n",
               gms_qos_settings[gms_calibrate_grid[which].setting].name,
               with[which]);
    }
    printf(
        "mean distance from the rows of table 3: %.4f, after %zu runs\n",
        gms_calibrate_distance(&calibrate, 0, GMS_QOS_BEST_SCHEMES - 1, with),
        calibrate.count);
    free(calibrate.runs);
    gms_references_clear(&calibrate.references);
    return 0;
}
