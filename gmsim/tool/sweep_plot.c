/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gmsim sweep --plot: draws every numeric result as a function of one
 * parameter, with a line for each combination of the other parameters.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "experiments/grow.h"
#include "experiments/plot.h"
#include "tool/directory.h"
#include "tool/sweep.h"
#include "tool/tool.h"

/* Largest number of lines in one picture. Colours and dash patterns cannot
 * distinguish more lines. */
#define GMS_SWEEP_PLOT_LINES 20u
/* The axis is logarithmic only if there are enough values and they cover a
 * large enough range. The two limits are the smallest ratio of the last value
 * to the first value, and the smallest number of values. In addition, the
 * values must grow by factors (see below). */
#define GMS_SWEEP_PLOT_RATIO     16
#define GMS_SWEEP_PLOT_LOG_LEAST 4
/* Space between the points and the frame, as a fraction of the axis. */
#define GMS_SWEEP_PLOT_ROOM 0.02

/** Data for drawing one result. */
typedef struct gms_sweep_drawing {
    gms_result_t result; /* only the curves of this figure are used; their names
                            belong to the drawing */
    gms_figure_t figure;
    double least_x, most_x, least_y; /* smallest and largest mean value */
    double low, high;                /* smallest lower end and largest upper end
                                        of an interval */
    int has_intervals;
} gms_sweep_drawing_t;

/* ---- positions ---- */

static int gms_sweep_plot_number(const char *text, double *number_p)
{
    char *end;

    *number_p = gms_decimal(text, &end);
    return end != text && *end == '\0' && isfinite(*number_p);
}

static int gms_sweep_plot_is_numeric(const gms_sweep_variable_t *variable)
{
    double number;
    size_t i;

    for (i = 0; i < variable->count; ++i) {
        if (!gms_sweep_plot_number(variable->values[i], &number)) {
            return 0;
        }
    }
    return 1;
}

/** Choose the parameter for the x axis. Numeric parameters are preferred, then
 *  parameters with more values, then later parameters in the file.
 *  @return NULL if every parameter has only one value */
static const gms_sweep_variable_t *gms_sweep_plot_x(const gms_sweep_t *sweep)
{
    const gms_sweep_variable_t *best = NULL;
    int is_best_numeric = 0;
    size_t i;

    for (i = 0; i < sweep->variable_count; ++i) {
        const gms_sweep_variable_t *variable = &sweep->variables[i];
        int is_numeric = gms_sweep_plot_is_numeric(variable);

        if (variable->count > 1 &&
            (best == NULL || is_numeric > is_best_numeric ||
             (is_numeric == is_best_numeric && variable->count >= best->count &&
              variable->axis != best->axis))) {
            best = variable;
            is_best_numeric = is_numeric;
        }
    }
    return best;
}

/** Return the position of a value on the x axis: the value itself if it is a
 *  number, otherwise its index in the list. */
static double gms_sweep_plot_place(const gms_sweep_variable_t *x,
                                   int is_numeric, const char *value)
{
    double number = 0;
    size_t i;

    if (is_numeric) {
        (void)gms_sweep_plot_number(value, &number);
        return number;
    }
    for (i = 0; i < x->count && strcmp(x->values[i], value) != 0; ++i) {
    }
    return (double)i;
}

static int gms_sweep_plot_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/** Return whether the values grow by factors instead of steps. Values grow by
 *  factors if the middle value is closer to the geometric mean of the first and
 *  last values than to their arithmetic mean. */
static int gms_sweep_plot_is_log(const gms_sweep_variable_t *x)
{
    double *values = calloc(x->count, sizeof(*values));
    double first, last, middle;
    size_t i;

    for (i = 0; values != NULL && i < x->count; ++i) {
        (void)gms_sweep_plot_number(x->values[i], &values[i]);
    }
    if (values == NULL) {
        return 0;
    }
    qsort(values, x->count, sizeof(*values), gms_sweep_plot_compare);
    first = values[0];
    last = values[x->count - 1];
    middle = values[x->count / 2];
    free(values);
    return x->count >= GMS_SWEEP_PLOT_LOG_LEAST && first >= 1 &&
           last >= first * GMS_SWEEP_PLOT_RATIO &&
           middle < sqrt(sqrt(first * last) * (first + last) / 2);
}

/* ---- curves ---- */

/** Return the name of a line, such as "load 50, control --retry". The name
 *  contains all parameters with several values, except x. @return NULL if
 *  memory is insufficient */
static char *gms_sweep_plot_line(const gms_sweep_t *sweep,
                                 const gms_sweep_variable_t *x, uint64_t run)
{
    char *name = NULL;
    size_t len, i;
    FILE *text = open_memstream(&name, &len);

    if (text == NULL) {
        return NULL;
    }
    for (i = 0; i < sweep->variable_count; ++i) {
        const gms_sweep_variable_t *variable = &sweep->variables[i];

        if (variable->axis != x->axis && variable->count > 1) {
            fprintf(text, "%s%s %s", (ftell(text) > 0) ? ", " : "",
                    variable->name, gms_sweep_value(sweep, variable, run));
        }
    }
    return (fclose(text) == 0) ? name : NULL;
}

/** Find the line to which a point belongs, or add this line. @return NULL if
 *  memory is insufficient */
static gms_curve_t *gms_sweep_plot_curve(gms_result_t *result, char *name)
{
    gms_curve_t *curves;
    size_t i;

    for (i = 0; name != NULL && i < result->curve_count; ++i) {
        if (strcmp(result->curves[i].name, name) == 0) {
            free(name);
            return &result->curves[i];
        }
    }
    curves = (name != NULL) ? gms_grow(result->curves, result->curve_count,
                                       &result->curve_room, sizeof(*curves))
                            : NULL;
    if (curves == NULL) {
        free(name);
        return NULL;
    }
    result->curves = curves;
    curves[i] = (gms_curve_t){.name = name};
    ++result->curve_count;
    return &curves[i];
}

static void gms_sweep_plot_clear(gms_sweep_drawing_t *drawing)
{
    size_t i;

    for (i = 0; i < drawing->result.curve_count; ++i) {
        free(drawing->result.curves[i].points);
        free((char *)(uintptr_t)drawing->result.curves[i].name);
    }
    free(drawing->result.curves);
    *drawing = (gms_sweep_drawing_t){.least_x = HUGE_VAL};
}

static void gms_sweep_plot_reach(gms_sweep_drawing_t *drawing,
                                 const gms_point_t *point)
{
    int is_first = (drawing->least_x > drawing->most_x);
    double low = point->y - point->half, high = point->y + point->half;

    drawing->least_x = fmin(drawing->least_x, point->x);
    drawing->most_x = is_first ? point->x : fmax(drawing->most_x, point->x);
    drawing->least_y = is_first ? point->y : fmin(drawing->least_y, point->y);
    drawing->low = is_first ? low : fmin(drawing->low, low);
    drawing->high = is_first ? high : fmax(drawing->high, high);
    drawing->has_intervals = drawing->has_intervals || point->half > 0;
}

static int gms_sweep_plot_add(gms_sweep_drawing_t *drawing,
                              const gms_sweep_t *sweep,
                              const gms_sweep_variable_t *x, uint64_t run,
                              double mean, double half)
{
    const char *value = gms_sweep_value(sweep, x, run);
    int is_numeric = gms_sweep_plot_is_numeric(x);
    gms_point_t point = {.x = gms_sweep_plot_place(x, is_numeric, value),
                         .y = mean,
                         .label = value,
                         .half = half};
    gms_curve_t *curve = gms_sweep_plot_curve(
        &drawing->result, gms_sweep_plot_line(sweep, x, run));
    gms_point_t *points = (curve != NULL)
                              ? gms_grow(curve->points, curve->count,
                                         &curve->room, sizeof(*points))
                              : NULL;

    if (points == NULL) {
        return -1;
    }
    curve->points = points;
    points[curve->count++] = point;
    gms_sweep_plot_reach(drawing, &point);
    return 0;
}

/* ---- drawing ---- */

static int gms_sweep_plot_before(const void *a, const void *b)
{
    const gms_point_t *first = a, *second = b;

    return (first->x > second->x) - (first->x < second->x);
}

/** Set the range of the x axis, with a margin on both sides for the
 *  intervals. */
static void gms_sweep_plot_x_axis(gms_sweep_drawing_t *drawing,
                                  const gms_sweep_variable_t *x)
{
    gms_figure_t *figure = &drawing->figure;
    double least = drawing->least_x, most = drawing->most_x, room;

    if (least == most) {
        figure->x_min = least - 1;
        figure->x_max = most + 1;
    } else if (gms_sweep_plot_is_log(x)) {
        room = pow(most / least, GMS_SWEEP_PLOT_ROOM);
        figure->x_min = least / room;
        figure->x_max = most * room;
        figure->is_log_x = figure->has_labels = 1;
    } else {
        room = (most - least) * GMS_SWEEP_PLOT_ROOM;
        figure->x_min = least - room;
        figure->x_max = most + room;
    }
}

/** Set the range of the y axis, which begins at 0 unless a mean is negative. */
static void gms_sweep_plot_y_axis(gms_sweep_drawing_t *drawing)
{
    gms_figure_t *figure = &drawing->figure;
    double room = (drawing->high - drawing->low) * GMS_SWEEP_PLOT_ROOM;

    if (drawing->least_y < 0) {
        figure->y_min = drawing->low - room;
        figure->y_max = fmax(drawing->high + room, 0);
    } else if (drawing->high == 0) {
        figure->y_max = 1;
    } else if (drawing->has_intervals) {
        /* gnuplot's automatic range ignores the intervals */
        figure->y_max = drawing->high + room;
    }
}

/** Draw the picture of the present result.
 *  @return exit status */
static int gms_sweep_plot_draw(gms_tool_sweep_plot_t *plot)
{
    const gms_tool_sweep_t *tool = plot->tool;
    gms_sweep_drawing_t *drawing = plot->drawing;
    const char *slash = strrchr(tool->csv, '/');
    const char *csv = (slash != NULL) ? slash + 1 : tool->csv;
    const char *result = tool->sweep.results[plot->result].name;
    char name[512], y_label[256];
    gms_experiment_t experiment = {.name = name, .figure = &drawing->figure};
    size_t i;

    /* Remove ".csv" from the name. */
    (void)snprintf(name, sizeof(name), "%.*s-%s", (int)strlen(csv) - 4, csv,
                   result);
    (void)snprintf(y_label, sizeof(y_label), "%s", result);
    if (tool->sweep.repetitions > 1) {
        (void)snprintf(y_label, sizeof(y_label),
                       "%s (mean of %" PRIu64 ", 95 %% interval)", result,
                       tool->sweep.repetitions);
    }
    drawing->figure.x_label = plot->x->name;
    drawing->figure.y_label = y_label;
    if (gms_sweep_plot_is_numeric(plot->x)) {
        gms_sweep_plot_x_axis(drawing, plot->x);
    } else {
        drawing->figure.style = GMS_FIGURE_BARS;
    }
    gms_sweep_plot_y_axis(drawing);
    for (i = 0; i < drawing->result.curve_count; ++i) {
        qsort(drawing->result.curves[i].points, drawing->result.curves[i].count,
              sizeof(gms_point_t), gms_sweep_plot_before);
    }
    drawing->result.experiment = &experiment;
    if (gms_plot_write(&drawing->result, tool->args.plot) != GMS_OK) {
        fprintf(stderr, "gmsim sweep: gnuplot could not draw %s/%s.svg\n",
                tool->args.plot, name);
        return GMS_TOOL_REFUSED;
    }
    fprintf(plot->names, "%s%s/%s.svg", (plot->drawn == 0) ? "" : ", ",
            tool->args.plot, name);
    ++plot->drawn;
    return GMS_TOOL_OK;
}

/* ---- all results ---- */

int gms_tool_sweep_plot_check(gms_tool_sweep_t *tool)
{
    const gms_sweep_variable_t *x = gms_sweep_plot_x(&tool->sweep);
    uint64_t lines;

    if (x == NULL) {
        fprintf(stderr, "gmsim sweep: --plot: no parameter of this grid has "
                        "more than one value\n");
        return GMS_TOOL_USAGE;
    }
    lines = tool->sweep.points / x->count;
    if (lines > GMS_SWEEP_PLOT_LINES) {
        fprintf(stderr,
                "gmsim sweep: --plot: the figure with %s on the x axis would "
                "have %" PRIu64 " lines; allowed: up to %u\n",
                x->name, lines, GMS_SWEEP_PLOT_LINES);
        return GMS_TOOL_USAGE;
    }
    if (gms_tool_directory_make("sweep", tool->args.plot) != 0) {
        return GMS_TOOL_REFUSED;
    }
    if (!gms_plot_is_possible()) {
        fprintf(stderr, "gmsim sweep: cannot draw figures: gnuplot is not "
                        "installed (apt-get install gnuplot-nox); `--gather "
                        "--plot' draws them later\n");
        tool->is_undrawn = 1;
    }
    return GMS_TOOL_OK;
}

static void gms_sweep_plot_free(gms_tool_sweep_plot_t *plot)
{
    if (plot->names != NULL) {
        (void)fclose(plot->names);
    }
    free(plot->text);
    free(plot->drawing);
}

int gms_tool_sweep_plot_begin(gms_tool_sweep_plot_t *plot,
                              const gms_tool_sweep_t *tool)
{
    *plot = (gms_tool_sweep_plot_t){.tool = tool,
                                    .x = gms_sweep_plot_x(&tool->sweep),
                                    .status = GMS_TOOL_OK};
    plot->names = open_memstream(&plot->text, &plot->len);
    plot->drawing = malloc(sizeof(*plot->drawing));
    if (plot->names == NULL || plot->drawing == NULL) {
        gms_sweep_plot_free(plot);
        return -1;
    }
    *plot->drawing = (gms_sweep_drawing_t){.least_x = HUGE_VAL};
    return 0;
}

void gms_tool_sweep_plot_point(gms_tool_sweep_plot_t *plot, size_t result,
                               uint64_t run, double mean, double half)
{
    gms_sweep_drawing_t *drawing = plot->drawing;

    if (result != plot->result && drawing->result.curve_count > 0) {
        if (plot->status == GMS_TOOL_OK) {
            plot->status = gms_sweep_plot_draw(plot);
        }
        gms_sweep_plot_clear(drawing);
    }
    plot->result = result;
    if (gms_sweep_plot_add(drawing, &plot->tool->sweep, plot->x, run, mean,
                           half) != 0) {
        fprintf(stderr, "gmsim sweep: out of memory\n");
        plot->status = GMS_TOOL_REFUSED;
    }
}

int gms_tool_sweep_plot_end(gms_tool_sweep_plot_t *plot)
{
    if (plot->status == GMS_TOOL_OK && plot->drawing->result.curve_count > 0) {
        plot->status = gms_sweep_plot_draw(plot);
    }
    if (plot->status == GMS_TOOL_OK && plot->drawn == 0) {
        fprintf(stderr,
                "gmsim sweep: cannot draw figures: no result is a number\n");
        plot->status = GMS_TOOL_REFUSED;
    }
    if (plot->drawn > 0 && !plot->tool->args.is_quiet &&
        fflush(plot->names) == 0) {
        printf("pictures: %s\n", plot->text);
    }
    gms_sweep_plot_clear(plot->drawing);
    gms_sweep_plot_free(plot);
    return plot->status;
}
