/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the results of gmsim model as tables and as CSV, and draws figures. */
#include <stdio.h>
#include <string.h>

#include "experiments/plot.h"
#include "tool/model.h"

/* ---- one point as a table ---- */

static void gms_tool_model_number(double value,
                                  const gms_model_estimate_t *simulated)
{
    printf(" %11.5g", value);
    if (simulated != NULL) {
        printf(" %11.5g +- %-8.2g", simulated->mean, simulated->half_width);
    }
}

static void gms_tool_model_stations(const gms_tool_model_point_t *point)
{
    const gms_model_sim_result_t *simulated = point->simulated;
    unsigned i;

    printf("%-20s %s %s\n", "station",
           (simulated == NULL) ? "utilisation"
                               : "utilisation   simulated (95 %)   ",
           (simulated == NULL) ? " mean queue   mean wait"
                               : " mean queue   simulated (95 %)    mean wait");
    for (i = 0; i < point->model->stations; ++i) {
        const gms_model_at_station_t *at = &point->result->station[i];

        printf("%-20s", point->model->station[i].name);
        gms_tool_model_number(at->utilisation,
                              simulated ? &simulated->station[i].utilisation
                                        : NULL);
        gms_tool_model_number(at->queue,
                              simulated ? &simulated->station[i].queue : NULL);
        gms_tool_model_number(at->wait, NULL);
        printf("\n");
    }
}

/** Print the probability of scenario 2 in the paper, if the method computes
 *  it. */
static void gms_tool_model_checks(const gms_tool_model_point_t *point)
{
    const gms_model_t *model = point->model;
    unsigned i;

    for (i = 0; i < model->stations * model->classes; ++i) {
        if (!(point->result->visit[i].present > 0)) {
            continue;
        }
        printf("\n"
               "probability that %s is present while %s is idle:",
               model->class_name[i % model->classes],
               model->station[model->visit[i].checks].name);
        gms_tool_model_number(point->result->visit[i].present,
                              point->simulated ? &point->simulated->present[i]
                                               : NULL);
        printf(" (the paper assumes %.3g)\n", model->visit[i].guess);
    }
}

static void gms_tool_model_entries(const gms_tool_model_point_t *point)
{
    const gms_model_t *model = point->model;
    unsigned i;

    printf("\n%-20s %11s %11s\n", "arrivals of", "rate", "mean delay");
    for (i = 0; i < model->stations * model->classes; ++i) {
        if (!(model->visit[i].rate > 0)) {
            continue;
        }
        printf("%-20s", model->class_name[i % model->classes]);
        gms_tool_model_number(model->visit[i].rate, NULL);
        gms_tool_model_number(point->result->delay[i],
                              point->simulated ? &point->simulated->delay[i]
                                               : NULL);
        if (point->simulated != NULL && point->simulated->lost[i].mean > 0) {
            printf("  lost %.3g +- %.2g", point->simulated->lost[i].mean,
                   point->simulated->lost[i].half_width);
        }
        printf("\n");
    }
}

void gms_tool_model_print(const gms_tool_model_point_t *point,
                          const char *method, int is_card)
{
    const gms_model_result_t *result = point->result;
    unsigned i;

    printf("method %s, arrival rate %.6g messages per %s\n\n", method,
           gms_tool_model_rate(point->model),
           is_card ? "microsecond (all times are in microseconds)"
                   : "unit of time");
    gms_tool_model_stations(point);
    gms_tool_model_entries(point);
    gms_tool_model_checks(point);
    printf("\nbottleneck: %s, which saturates at a rate of %.6g\n",
           point->model->station[result->bottleneck].name,
           result->saturation * gms_tool_model_rate(point->model));
    for (i = 0; i < point->model->stations; ++i) {
        const gms_model_station_t *station = &point->model->station[i];

        if (station->room != 0 || (station->discipline == GMS_MODEL_PRIORITY &&
                                   strncmp(method, "chain", 5) != 0)) {
            printf("note: the analysis treats %s as an FCFS station with an "
                   "unlimited queue; --simulate does not\n",
                   station->name);
        }
    }
}

/* ---- CSV ---- */

static void gms_tool_model_row(const gms_tool_model_point_t *point,
                               const char *parameter, const char *station,
                               const char *class_name, const char *quantity,
                               double value,
                               const gms_model_estimate_t *simulated)
{
    printf("%s,%.9g,%s,%s,%s,%.9g", parameter, point->x, station, class_name,
           quantity, value);
    if (simulated != NULL) {
        printf(",%.9g,%.3g", simulated->mean, simulated->half_width);
    } else {
        printf(",,");
    }
    printf("\n");
}

void gms_tool_model_csv(const gms_tool_model_point_t *point,
                        const char *parameter, int is_first)
{
    const gms_model_t *model = point->model;
    const gms_model_sim_result_t *simulated = point->simulated;
    unsigned i;

    if (is_first) {
        printf("parameter,value,station,class,quantity,analysis,simulation,"
               "half_width\n");
    }
    for (i = 0; i < model->stations; ++i) {
        const gms_model_at_station_t *at = &point->result->station[i];
        const char *name = model->station[i].name;

        gms_tool_model_row(
            point, parameter, name, "", "utilisation", at->utilisation,
            simulated ? &simulated->station[i].utilisation : NULL);
        gms_tool_model_row(point, parameter, name, "", "queue", at->queue,
                           simulated ? &simulated->station[i].queue : NULL);
        gms_tool_model_row(point, parameter, name, "", "wait", at->wait, NULL);
    }
    for (i = 0; i < model->stations * model->classes; ++i) {
        const char *station = model->station[i / model->classes].name;
        const char *name = model->class_name[i % model->classes];

        if (!model->visit[i].is_served) {
            continue;
        }
        gms_tool_model_row(point, parameter, station, name, "queue",
                           point->result->visit[i].queue,
                           simulated ? &simulated->queue[i] : NULL);
        if (point->result->visit[i].present > 0) {
            gms_tool_model_row(point, parameter, station, name, "present",
                               point->result->visit[i].present,
                               simulated ? &simulated->present[i] : NULL);
        }
        if (model->visit[i].rate > 0) {
            gms_tool_model_row(point, parameter, station, name, "delay",
                               point->result->delay[i],
                               simulated ? &simulated->delay[i] : NULL);
        }
    }
    gms_tool_model_row(
        point, parameter, model->station[point->result->bottleneck].name, "",
        "saturation rate",
        point->result->saturation * gms_tool_model_rate(model), NULL);
}

/* ---- a sweep ---- */

void gms_tool_model_line(const gms_tool_model_point_t *point,
                         const char *parameter, int is_first)
{
    const gms_model_t *model = point->model;
    unsigned i;

    if (is_first) {
        printf("%-20s", parameter);
        for (i = 0; i < model->stations; ++i) {
            printf(" %10.10s: util.  queue", model->station[i].name);
            printf(point->simulated ? " simulated (95 %%)      " : "");
        }
        printf("  bottleneck\n");
    }
    printf("%-20.9g", point->x);
    for (i = 0; i < model->stations; ++i) {
        printf("      %11.4f", point->result->station[i].utilisation);
        printf(" %7.4g", point->result->station[i].queue);
        if (point->simulated != NULL) {
            printf(" %9.4g +- %-9.2g", point->simulated->station[i].queue.mean,
                   point->simulated->station[i].queue.half_width);
        }
    }
    printf("  %s\n", model->station[point->result->bottleneck].name);
}

static gms_status_t gms_tool_model_points(gms_result_t *figure,
                                          const gms_tool_model_point_t *points,
                                          size_t count, int is_queue)
{
    const gms_references_t none = {.count = 0};
    gms_status_t status = GMS_OK;
    unsigned s, is_simulated;
    size_t i;

    for (s = 0; s < points[0].model->stations; ++s) {
        for (is_simulated = 0; is_simulated <= (points[0].simulated != NULL);
             ++is_simulated) {
            for (i = 0; i < count && status == GMS_OK; ++i) {
                gms_record_t record = {.kind = GMS_RECORD_POINT,
                                       .x = points[i].x};

                (void)snprintf(record.series, sizeof(record.series), "%s%s",
                               points[i].model->station[s].name,
                               is_simulated ? ", simulated" : "");
                if (is_simulated) {
                    const gms_model_sim_station_t *at =
                        &points[i].simulated->station[s];

                    record.value =
                        is_queue ? at->queue.mean : at->utilisation.mean;
                } else {
                    const gms_model_at_station_t *at =
                        &points[i].result->station[s];

                    record.value = is_queue ? at->queue : at->utilisation;
                }
                status = gms_result_take(figure, &none, &record);
            }
        }
    }
    return status;
}

gms_status_t gms_tool_model_plot(const gms_tool_model_point_t *points,
                                 size_t count, const char *parameter,
                                 const char *directory)
{
    static const char *const names[] = {"model-utilisation", "model-queue"};
    gms_status_t status = GMS_OK;
    unsigned i;

    for (i = 0; i < 2 && status == GMS_OK; ++i) {
        const gms_figure_t figure = {.x_label = parameter,
                                     .y_label = (i == 0) ? "Utilisation"
                                                         : "Mean queue length"};
        const gms_experiment_t experiment = {.name = names[i],
                                             .figure = &figure};
        gms_result_t result = {.experiment = &experiment};

        status = gms_tool_model_points(&result, points, count, (int)i);
        if (status == GMS_OK) {
            status = gms_plot_write(&result, directory);
        }
        gms_result_clear(&result);
    }
    return status;
}
