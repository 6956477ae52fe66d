/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gmsim model --random N: compares the analysis with simulation 2 of the paper
 * on random NICs, and prints the distribution of the errors.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tool/model.h"

#define GMS_TOOL_MODEL_LEAST_LOAD 0.3
#define GMS_TOOL_MODEL_MOST_LOAD  0.9

typedef struct gms_tool_model_errors {
    unsigned stations, visits, nics;
    double *error; /* [nics][values]: error in percent; NaN: the value is 0 */
    double *width; /* [values]: sum of the relative half widths of the
                    * simulation's confidence intervals, percent */
} gms_tool_model_errors_t;

/** Return the number of values of a NIC: utilisation and queue length of every
 *  station, and queue length of every visit. */
static unsigned gms_tool_model_values(const gms_tool_model_errors_t *self)
{
    return 2 * self->stations + self->visits;
}

gms_model_t *gms_tool_model_random(const gms_model_t *card, uint64_t seed,
                                   unsigned number)
{
    char ignored[GMS_MODEL_ERROR_LEN];
    gms_model_t *model = gms_model_copy(card);
    gms_model_result_t *result = NULL;
    gms_random_t random;
    unsigned i;
    double load;

    if (model == NULL) {
        return NULL;
    }
    gms_random_init(&random, seed, number);
    for (i = 0; i < model->stations * model->classes; ++i) {
        if (model->visit[i].is_served) {
            model->visit[i].mean *= exp2(2 * gms_random_unit(&random) - 1);
        }
        /* at this rate, every NIC is stable */
        model->visit[i].rate *= 1e-3;
    }
    load = GMS_TOOL_MODEL_LEAST_LOAD +
           (GMS_TOOL_MODEL_MOST_LOAD - GMS_TOOL_MODEL_LEAST_LOAD) *
               gms_random_unit(&random);
    if (gms_model_solve(model, GMS_MODEL_REVISIT, &result, ignored) !=
        GMS_MODEL_OK) {
        gms_model_destroy(model);
        return NULL;
    }
    for (i = 0; i < model->stations * model->classes; ++i) {
        model->visit[i].rate *= result->saturation * load;
    }
    gms_model_result_destroy(result);
    return model;
}

static void gms_tool_model_error(gms_tool_model_errors_t *self, unsigned nic,
                                 unsigned which, double value,
                                 const gms_model_estimate_t *truth)
{
    double *error = &self->error[nic * gms_tool_model_values(self) + which];

    if (truth->mean > 0 && value > 0) {
        *error = 100 * (value / truth->mean - 1);
        self->width[which] += 100 * truth->half_width / truth->mean;
    } else {
        *error = (double)NAN;
    }
}

static void gms_tool_model_errors_add(gms_tool_model_errors_t *self,
                                      unsigned nic,
                                      const gms_model_result_t *result,
                                      const gms_model_sim_result_t *truth)
{
    unsigned i, which = 0;

    for (i = 0; i < self->stations; ++i) {
        gms_tool_model_error(self, nic, which++, result->station[i].utilisation,
                             &truth->station[i].utilisation);
    }
    for (i = 0; i < self->stations; ++i) {
        gms_tool_model_error(self, nic, which++, result->station[i].queue,
                             &truth->station[i].queue);
    }
    for (i = 0; i < self->visits; ++i) {
        gms_tool_model_error(self, nic, which++, result->visit[i].queue,
                             &truth->queue[i]);
    }
}

static int gms_tool_model_compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

static void gms_tool_model_errors_line(const gms_tool_model_errors_t *self,
                                       unsigned which, const char *name,
                                       int is_csv)
{
    unsigned values = gms_tool_model_values(self), n = 0, i;
    double *sorted = malloc(self->nics * sizeof(*sorted)), sum = 0, bias = 0;

    for (i = 0; i < self->nics && sorted != NULL; ++i) {
        double error = self->error[i * values + which];

        if (isfinite(error)) {
            sorted[n++] = fabs(error);
            sum += fabs(error);
            bias += error;
        }
    }
    if (n > 0) {
        qsort(sorted, n, sizeof(*sorted), gms_tool_model_compare);
        printf(is_csv ? "%s,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f\n"
                      : "%-28s %8.2f %8.2f %8.2f %8.2f %+8.2f %10.2f\n",
               name, sum / n, sorted[n / 2], sorted[n * 9 / 10], sorted[n - 1],
               bias / n, self->width[which] / n);
    }
    free(sorted);
}

static void gms_tool_model_errors_print(const gms_tool_model_errors_t *self,
                                        const gms_model_t *model, int is_csv)
{
    char name[2 * GMS_MODEL_NAME_LEN + 16];
    unsigned i, which = 0;

    printf(is_csv ? "value,mean,median,p90,worst,bias,simulation\n"
                  : "%-28s %8s %8s %8s %8s %8s %10s\n",
           "errors in percent", "mean", "median", "90 %", "worst", "bias",
           "simulation");
    for (i = 0; i < 2 * self->stations; ++i) {
        (void)snprintf(name, sizeof(name), "%s %s",
                       (i < self->stations) ? "utilisation" : "queue",
                       model->station[i % self->stations].name);
        gms_tool_model_errors_line(self, which++, name, is_csv);
    }
    for (i = 0; i < self->visits; ++i) {
        /* all classes share the queue of an FCFS station, which has been
         * printed above */
        if (model->station[i / model->classes].discipline != GMS_MODEL_FCFS) {
            (void)snprintf(name, sizeof(name), "queue %s %s",
                           model->station[i / model->classes].name,
                           model->class_name[i % model->classes]);
            gms_tool_model_errors_line(self, which, name, is_csv);
        }
        ++which;
    }
    if (!is_csv) {
        printf("\n%u NICs; the row 'simulation' shows the mean half width of "
               "the 95 %% confidence interval\n",
               self->nics);
    }
}

gms_status_t gms_tool_model_errors(const gms_model_t *card, unsigned nics,
                                   const gms_tool_model_errors_run_t *run,
                                   char error[GMS_YAML_ERROR_LEN])
{
    gms_tool_model_errors_t self = {.stations = card->stations,
                                    .visits = card->stations * card->classes,
                                    .nics = nics};
    gms_status_t status = GMS_OK;
    unsigned i;

    self.error =
        calloc((size_t)nics * gms_tool_model_values(&self), sizeof(double));
    self.width = calloc(gms_tool_model_values(&self), sizeof(double));
    if (self.error == NULL || self.width == NULL) {
        status = GMS_ERR_NO_MEMORY;
    }
    for (i = 0; i < nics && status == GMS_OK; ++i) {
        gms_tool_model_point_t point = {
            .model = gms_tool_model_random(card, run->seed, run->first + i),
            .show = {run->bar, i, nics}};

        status = (point.model == NULL)
                     ? GMS_ERR_NO_MEMORY
                     : run->solve(run->context, &point, error);
        if (status == GMS_OK) {
            gms_tool_model_errors_add(&self, i, point.result, point.simulated);
        }
        gms_tool_model_point_clear(&point);
    }
    gms_tool_bar_wipe(run->bar);
    if (status == GMS_OK) {
        gms_tool_model_errors_print(&self, run->polled, run->is_csv);
    }
    free(self.error);
    free(self.width);
    return status;
}
