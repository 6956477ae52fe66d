/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Draws a result with gnuplot. The curves, their confidence intervals and the
 * marked reference values are sent to gnuplot through a pipe. Gnuplot draws the
 * curves as lines, bars or steps, with the axes of the paper's figure.
 */
#include "experiments/plot.h"
#include "base/output.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* Width of a group of bars as a fraction of the distance between two groups,
 * and width of a bar as a fraction of its share of the group. */
#define GMS_PLOT_GROUP 0.76
#define GMS_PLOT_BAR   0.92
/* Maximum number of labels below an axis. */
#define GMS_PLOT_LABELS 12u

/* Colours that people with colour blindness can distinguish [source: Okabe,
 * Ito 2008] */
static const char *const gms_plot_colours[] = {"#0072b2", "#d55e00", "#009e73",
                                               "#aa4499", "#e69f00"};
#define GMS_PLOT_COLOURS (sizeof(gms_plot_colours) / sizeof(char *))

/* Curves also differ in dashes, markers and fill patterns, because colours are
 * lost in a greyscale print. Markers are given by their numbers in gnuplot. */
static const char *const gms_plot_dashes[] = {
    "solid", "(10,4)", "(4,3)", "(9,3,2,3)", "(14,5)", "(5,3,2,3,2,3)"};
#define GMS_PLOT_DASHES (sizeof(gms_plot_dashes) / sizeof(char *))
static const unsigned gms_plot_markers[] = {7, 9, 5, 11, 13, 6, 8, 4, 10, 12};
#define GMS_PLOT_MARKERS (sizeof(gms_plot_markers) / sizeof(unsigned))
static const char *const gms_plot_fillings[] = {
    "solid 0.55", "pattern 4", "solid 0.25", "pattern 5", "pattern 1"};
#define GMS_PLOT_FILLINGS (sizeof(gms_plot_fillings) / sizeof(char *))
/* A curve with more points than this number has markers at only some of its
 * points. */
#define GMS_PLOT_MARKED 24u
/* Smallest distance between the names at the ends of two curves, as a fraction
 * of the height of the figure. The second constant applies if gnuplot chooses
 * the range of the axis, which may then be longer than the range of the
 * data. */
#define GMS_PLOT_APART      0.06
#define GMS_PLOT_APART_AUTO 0.10
/* Maximum length of a name at the end of a curve, in characters. */
#define GMS_PLOT_NAME 18u

int gms_plot_has(const gms_result_t *result)
{
    return result->experiment->figure != NULL && result->curve_count > 0;
}

/** Print a string in single quotes with gnuplot's escapes. */
static void gms_plot_quote(const char *text, FILE *gnuplot)
{
    fputc('\'', gnuplot);
    for (; *text != '\0'; ++text) {
        if (*text == '\'') {
            fputc('\'', gnuplot);
        }
        fputc(*text, gnuplot);
    }
    fputc('\'', gnuplot);
}

/** Return the position on the x axis of a point of the k-th curve. */
static double gms_plot_x(const gms_result_t *result, size_t k, double x)
{
    double curves = (double)result->curve_count;

    if (result->experiment->figure->style != GMS_FIGURE_BARS) {
        return x;
    }
    return x + ((double)k - (curves - 1.0) / 2.0) * GMS_PLOT_GROUP / curves;
}

/* Return the row to which a mark refers, or NULL if the row has no published
 * number. */
static const gms_row_t *gms_plot_row(const gms_result_t *result,
                                     const char *series, const char *setting,
                                     const char *quantity)
{
    const gms_row_t *row = gms_result_row(result, series, setting, quantity);

    return row != NULL && row->has_reference ? row : NULL;
}

/** Return the height of a value on the y axis, as a fraction of the length of
 *  the axis.
 *  @param [in] most value at the end of the axis */
static double gms_plot_height(const gms_figure_t *figure, double y, double most)
{
    /* the result is approximate, because it assumes that a logarithmic axis has
     * three decades */
    return figure->is_log_y ? log10(y) / 3 : y / most;
}

/** Return the point of a curve with the largest x, because points may be in any
 *  order. */
static const gms_point_t *gms_plot_end(const gms_curve_t *curve)
{
    const gms_point_t *end = curve->points;
    size_t i;

    for (i = 1; i < curve->count; ++i) {
        end = curve->points[i].x > end->x ? &curve->points[i] : end;
    }
    return end;
}

/** Return 1 if there is room for the names of curves at the ends of the curves.
 *  There is room if all curves end at the same x, and if the ends are far
 *  enough from each other. */
static int gms_plot_fits(const gms_result_t *result)
{
    const gms_figure_t *figure = result->experiment->figure;
    int is_auto = !(figure->y_min < figure->y_max);
    double apart = is_auto ? GMS_PLOT_APART_AUTO : GMS_PLOT_APART;
    double most = figure->y_max - figure->y_min;
    size_t i, k;

    if (figure->style == GMS_FIGURE_BARS || result->curve_count < 2) {
        return 0;
    }
    for (k = 0; k < result->curve_count; ++k) {
        if (result->curves[k].count == 0) {
            return 0;
        }
        for (i = 0; is_auto && i < result->curves[k].count; ++i) {
            most = fmax(most, result->curves[k].points[i].y);
        }
    }
    for (k = 0; k < result->curve_count; ++k) {
        const gms_curve_t *curve = &result->curves[k];
        const gms_point_t *end = gms_plot_end(curve);

        if (strlen(curve->name) > GMS_PLOT_NAME ||
            (figure->is_log_y && end->y <= 0) ||
            (figure->x_min < figure->x_max && end->x > figure->x_max)) {
            return 0;
        }
        for (i = 0; i < k; ++i) {
            const gms_point_t *at = gms_plot_end(&result->curves[i]);

            if (at->x < end->x || at->x > end->x ||
                fabs(gms_plot_height(figure, at->y, most) -
                     gms_plot_height(figure, end->y, most)) < apart) {
                return 0;
            }
        }
    }
    return 1;
}

/** Write the names of curves at their ends. */
static void gms_plot_names(const gms_result_t *result, FILE *gnuplot)
{
    size_t longest = 0, k;

    for (k = 0; k < result->curve_count; ++k) {
        const gms_curve_t *curve = &result->curves[k];
        const gms_point_t *end = gms_plot_end(curve);

        longest = strlen(curve->name) > longest ? strlen(curve->name) : longest;
        fprintf(gnuplot, "set label ");
        gms_plot_quote(curve->name, gnuplot);
        fprintf(gnuplot, " at %.8g,%.6g left offset 1,0 textcolor '%s'\n",
                end->x, end->y, gms_plot_colours[k % GMS_PLOT_COLOURS]);
    }
    fprintf(gnuplot, "set rmargin %zu\n", longest + 3);
}

static void gms_plot_axes(const gms_result_t *result, const char *path,
                          FILE *gnuplot)
{
    const gms_figure_t *figure = result->experiment->figure;

    /* an opaque background keeps the figure readable on a dark page */
    fprintf(gnuplot, "set terminal svg size 640,400 dynamic noenhanced "
                     "font 'Helvetica,13' background '#ffffff'\n"
                     "set output ");
    gms_plot_quote(path, gnuplot);
    fprintf(gnuplot, "\nset xlabel ");
    gms_plot_quote(figure->x_label, gnuplot);
    fprintf(gnuplot, "\nset ylabel ");
    gms_plot_quote(figure->y_label, gnuplot);
    fprintf(gnuplot, "\nset key outside top center horizontal\n"
                     "set border 3\nset tics nomirror out\n"
                     "set grid ytics linecolor '#dddddd'\n");
    if (figure->is_log_x) {
        /* labels such as 4, 64, 1 Ki, 1 Mi */
        fprintf(gnuplot, "set logscale x 2\nset format x '%%.0b %%B'\n"
                         "set xtics 4\n");
    }
    if (figure->is_log_y) {
        fprintf(gnuplot, "set logscale y\n");
    }
    if (figure->x_min < figure->x_max) {
        fprintf(gnuplot, "set xrange [%g:%g]\n", figure->x_min, figure->x_max);
    }
    if (figure->y_min < figure->y_max) {
        fprintf(gnuplot, "set yrange [%g:%g]\n", figure->y_min, figure->y_max);
    } else if (!figure->is_log_y) {
        fprintf(gnuplot, "set yrange [0:*]\nset offsets 0,0,graph 0.05,0\n");
    }
}

/** Return the label of a group of bars without "IDT=", because the title of the
 *  axis contains IDT. */
static const char *gms_plot_short(const char *label)
{
    static const char idt[] = "IDT=";

    return (strncmp(label, idt, strlen(idt)) == 0) ? label + strlen(idt)
                                                   : label;
}

/** Print the points' labels below the axis. If the curve has many points, print
 *  only some of the labels.
 *  @return the largest x */
static double gms_plot_labels(const gms_result_t *result, FILE *gnuplot)
{
    size_t i, k, each;
    double last = 0.0;
    int is_first = 1;

    for (k = 0; k < result->curve_count; ++k) {
        each =
            (result->curves[k].count + GMS_PLOT_LABELS - 1) / GMS_PLOT_LABELS;
        for (i = 0; i < result->curves[k].count; ++i) {
            const gms_point_t *point = &result->curves[k].points[i];

            fprintf(gnuplot, "%s", is_first ? "" : ",");
            gms_plot_quote((i % each == 0) ? gms_plot_short(point->label) : "",
                           gnuplot);
            fprintf(gnuplot, " %g", point->x);
            last = (point->x > last) ? point->x : last;
            is_first = 0;
        }
    }
    return last;
}

static void gms_plot_groups(const gms_result_t *result, FILE *gnuplot)
{
    double last;

    fprintf(gnuplot,
            "set boxwidth %.4f\nset style fill solid 0.85\n"
            "set xtics scale 0 (",
            GMS_PLOT_GROUP * GMS_PLOT_BAR / (double)result->curve_count);
    last = gms_plot_labels(result, gnuplot);
    fprintf(gnuplot, ")\nset xrange [-0.6:%g]\n", last + 0.6);
}

static void gms_plot_data(const gms_result_t *result, FILE *gnuplot)
{
    size_t i, k;

    for (k = 0; k < result->curve_count; ++k) {
        const gms_curve_t *curve = &result->curves[k];

        fprintf(gnuplot, "$c%zu << END\n", k);
        for (i = 0; i < curve->count; ++i) {
            fprintf(gnuplot, "%.8g %.6g %.6g\n",
                    gms_plot_x(result, k, curve->points[i].x),
                    curve->points[i].y, curve->points[i].half);
        }
        fprintf(gnuplot, "END\n");
    }
}

static int gms_plot_has_intervals(const gms_curve_t *curve)
{
    size_t i;

    for (i = 0; i < curve->count; ++i) {
        if (curve->points[i].half > 0) {
            return 1;
        }
    }
    return 0;
}

/** Write the reference values that are marked in the figure to gnuplot's data
 *  block $marks.
 *  @return the name of the references in the legend; NULL if there are no
 *  references */
static const char *gms_plot_marks(const gms_result_t *result, FILE *gnuplot)
{
    const gms_figure_t *figure = result->experiment->figure;
    const gms_figure_mark_t *mark = figure->marks;
    const char *title = NULL;
    size_t i, k;

    fprintf(gnuplot, "$marks << END\n");
    for (; mark != NULL && mark->series != NULL; ++mark) {
        const gms_row_t *row =
            gms_plot_row(result, mark->series, mark->setting, mark->quantity);

        if (row != NULL) {
            fprintf(gnuplot, "%g %g\n", mark->x, row->reference);
            title = row->is_own ? "derived" : "printed";
        }
    }
    for (k = 0; figure->mark_quantity != NULL && k < result->curve_count; ++k) {
        const gms_curve_t *curve = &result->curves[k];

        for (i = 0; i < curve->count; ++i) {
            const gms_row_t *row =
                gms_plot_row(result, curve->name, curve->points[i].label,
                             figure->mark_quantity);

            if (row != NULL) {
                fprintf(gnuplot, "%.8g %g\n",
                        gms_plot_x(result, k, curve->points[i].x),
                        row->reference);
                title = row->is_own ? "derived" : "printed";
            }
        }
    }
    fprintf(gnuplot, "END\n");
    return title;
}

/** Draw the confidence intervals of all curves. @return 1 if at least one curve
 *  has intervals */
static int gms_plot_intervals(const gms_result_t *result, FILE *gnuplot)
{
    int is_bars = (result->experiment->figure->style == GMS_FIGURE_BARS);
    int are_some = 0;
    size_t k;

    for (k = 0; k < result->curve_count; ++k) {
        if (!gms_plot_has_intervals(&result->curves[k])) {
            continue;
        }
        /* intervals on bars are black, because they would not be visible in the
         * colour of the bar */
        fprintf(gnuplot,
                "%s$c%zu using 1:2:3 with yerrorbars pointtype 7 "
                "pointsize 0.4 linewidth 1 linecolor '%s' notitle",
                (is_bars || are_some) ? ", " : "", k,
                is_bars ? "#000000" : gms_plot_colours[k % GMS_PLOT_COLOURS]);
        are_some = 1;
    }
    return are_some;
}

static void gms_plot_curves(const gms_result_t *result, const char *marks,
                            int is_named, FILE *gnuplot)
{
    int is_bars = (result->experiment->figure->style == GMS_FIGURE_BARS);
    int is_first;
    size_t k;

    fprintf(gnuplot, "plot ");
    /* gnuplot leaves a gap around the points of intervals. Therefore, draw
     * intervals before lines, but after bars */
    is_first = is_bars || !gms_plot_intervals(result, gnuplot);
    for (k = 0; k < result->curve_count; ++k) {
        const char *colour = gms_plot_colours[k % GMS_PLOT_COLOURS];
        const char *dashes = gms_plot_dashes[k % GMS_PLOT_DASHES];
        size_t count = result->curves[k].count;

        fprintf(gnuplot, "%s$c%zu using 1:2 ", (is_first && k == 0) ? "" : ", ",
                k);
        switch (result->experiment->figure->style) {
        case GMS_FIGURE_LINES:
            fprintf(gnuplot,
                    "with linespoints linewidth 2 pointtype %u pointsize 0.6 "
                    "pointinterval %zu dashtype %s linecolor '%s'",
                    gms_plot_markers[k % GMS_PLOT_MARKERS],
                    1 + count / GMS_PLOT_MARKED, dashes, colour);
            break;
        case GMS_FIGURE_BARS:
            fprintf(gnuplot, "with boxes fillstyle %s border linecolor '%s'",
                    gms_plot_fillings[k % GMS_PLOT_FILLINGS], colour);
            break;
        case GMS_FIGURE_STEPS:
            fprintf(gnuplot,
                    "with lines linewidth 2 dashtype %s linecolor '%s'", dashes,
                    colour);
            break;
        }
        if (is_named) {
            fprintf(gnuplot, " notitle");
        } else {
            fprintf(gnuplot, " title ");
            gms_plot_quote(result->curves[k].name, gnuplot);
        }
    }
    if (is_bars) {
        gms_plot_intervals(result, gnuplot);
    }
    if (marks != NULL) {
        fprintf(gnuplot,
                ", $marks with points pointtype 6 pointsize 0.9 "
                "linewidth 2 linecolor '#000000' title '%s'",
                marks);
    }
    fprintf(gnuplot, "\n");
}

static void gms_plot_send(const gms_result_t *result, const char *path,
                          FILE *gnuplot)
{
    int is_named = gms_plot_fits(result);
    const char *marks;

    gms_plot_axes(result, path, gnuplot);
    if (result->experiment->figure->style == GMS_FIGURE_BARS) {
        gms_plot_groups(result, gnuplot);
    } else if (result->experiment->figure->has_labels) {
        fprintf(gnuplot, "set xtics (");
        (void)gms_plot_labels(result, gnuplot);
        fprintf(gnuplot, ")\n");
    }
    if (is_named) {
        gms_plot_names(result, gnuplot);
    }
    gms_plot_data(result, gnuplot);
    marks = gms_plot_marks(result, gnuplot);
    gms_plot_curves(result, marks, is_named, gnuplot);
}

int gms_plot_is_possible(void)
{
    int ended = system("command -v gnuplot > /dev/null 2>&1");

    return ended != -1 && WIFEXITED(ended) && WEXITSTATUS(ended) == 0;
}

gms_status_t gms_plot_write(const gms_result_t *result, const char *directory)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    gms_output_t output;
    char path[4096];
    int ended;
    FILE *gnuplot;

    if (!gms_plot_has(result)) {
        return GMS_OK;
    }
    (void)snprintf(path, sizeof(path), "%s/%s.svg", directory,
                   result->experiment->name);
    if (gms_output_open(&output, path) != 0) {
        return GMS_ERR_SYSTEM;
    }
    gnuplot = popen("gnuplot", "w");
    if (gnuplot == NULL) {
        (void)gms_output_close(&output, 0);
        return GMS_ERR_SYSTEM;
    }
    /* if gnuplot is not installed, the shell exits before it reads the input */
    (void)sigaction(SIGPIPE, &ignore, &before);
    gms_plot_send(result, (output.temporary != NULL) ? output.temporary : path,
                  gnuplot);
    ended = pclose(gnuplot);
    (void)sigaction(SIGPIPE, &before, NULL);
    if (gms_output_close(&output, ended == 0) != 0) {
        return GMS_ERR_SYSTEM;
    }
    return (ended == 0) ? GMS_OK : GMS_ERR_SYSTEM;
}
