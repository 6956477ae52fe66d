/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the experiments. Each figure or table of a paper has one experiment.
 *
 * An experiment is a gms_experiment_t with a function run(), which simulates a
 * setup and reports each value that it finds through gms_lab_*(). An experiment
 * runs in its own process and has no access to reference values. Only the
 * process that collects the findings (result.h) reads these values. To add an
 * experiment, write a file that defines its gms_experiment_t, add the name of
 * this constant to list.c, and add the file to Makefile.mk.
 *
 * MB = 10^6 bytes, KB = 1024 bytes. Bandwidth is received payload divided by
 * virtual time, in a window in which all flows of the setup are backlogged.
 */
#ifndef EXPERIMENTS_EXPERIMENT_H
#define EXPERIMENTS_EXPERIMENT_H

#include <stdint.h>

#include "base/status.h"

typedef struct gms_lab gms_lab_t; /* object that receives the findings of an
                                   * experiment */

/** Style in which curves are drawn. */
enum gms_figure_style {
    GMS_FIGURE_LINES = 0, /* a line with points */
    /* groups of bars; x is the index of the group, counting from 0, and the
     * label of the point is printed below the group */
    GMS_FIGURE_BARS,
    GMS_FIGURE_STEPS /* a line without points, for many values */
};

/** A published number that is marked in a figure. The number is the reference
 *  value of a row, and its mark is at position x. */
typedef struct gms_figure_mark {
    double x;
    const char *series, *setting, *quantity;
} gms_figure_mark_t;

/** Axes and ranges of a figure, as in the paper. */
typedef struct gms_figure {
    const char *x_label, *y_label;
    double x_min, x_max; /* if both limits are equal, the axis has the range of
                          * the points */
    double y_min, y_max; /* if both limits are equal, the axis ranges from 0 to
                          * the largest value */
    enum gms_figure_style style;
    int is_log_x;   /* base 2 */
    int is_log_y;   /* base 10 */
    int has_labels; /* 1: the labels of the points are printed below the axis,
                     * as for bars */
    /* for bars: quantity of the rows whose references are marked; NULL: no
     * marks. The series of such a row is the name of a curve, and its setting
     * is the label of a point */
    const char *mark_quantity;
    /* marks, terminated by an element whose .series is NULL; NULL: no marks */
    const gms_figure_mark_t *marks;
} gms_figure_t;

/** Relation between a row and the printed numbers of its table or figure. */
enum gms_row_basis {
    GMS_BASIS_NONE = 0,   /* the experiment does not state the relation */
    GMS_BASIS_CALIBRATED, /* settings of the model were calibrated to the
                           * printed numbers */
    /* a setting was chosen after the printed numbers had been inspected */
    GMS_BASIS_FITTED,
    GMS_BASIS_PREDICTED, /* no setting depends on the printed numbers */
    GMS_BASIS_COUNT
};

typedef struct gms_experiment {
    const char *name; /* "thesis-5.5" */
    const char *title;
    const char *source; /* name of the figure or table, such as "figure 5.5 of
                         * the thesis" */
    const char *text;   /* explanation of the result, for the page */
    int needs_mpi;      /* 1: the experiment starts MPI programs */
    gms_status_t (*run)(gms_lab_t *lab);
    const gms_figure_t *figure; /* NULL: the experiment has no figure, only a
                                 * table */
    /* basis of the rows that are reported before the first call of
     * gms_lab_set_basis() */
    enum gms_row_basis basis;
} gms_experiment_t;

/** All experiments, in the order in which they are listed and run; the list
 *  ends with NULL. */
extern const gms_experiment_t *const gms_experiments[];

/* ---- functions for run() ---- */

/** Lengths of strings, including the final 0; longer strings are truncated. */
#define GMS_LAB_NAME_LEN 64
#define GMS_LAB_TEXT_LEN 240

/** Comparison of a value with its reference. */
enum gms_row_kind {
    GMS_ROW_REPORTED = 0, /* the value is reported, but not compared */
    GMS_ROW_WITHIN,       /* |deviation| <= tolerance */
    GMS_ROW_AT_MOST,      /* value <= reference */
    GMS_ROW_AT_LEAST      /* value >= reference */
};

/** Begin reporting the findings for another seed. Each seed must report the
 *  same rows and points. The result contains the means over the seeds with 95 %
 *  confidence intervals. Notes are reported for the first seed only.
 *  @param [in] seed  1 .. seeds */
void gms_lab_set_seed(gms_lab_t *lab, unsigned seed, unsigned seeds);
/** Return the seed that was passed to gms_lab_set_seed(), or 0 if that function
 *  has not been called. */
unsigned gms_lab_seed(const gms_lab_t *lab);
/** Set the basis of the following rows. */
void gms_lab_set_basis(gms_lab_t *lab, enum gms_row_basis basis);
/** Report a value. The experiment, series, setting and quantity identify the
 *  value's reference in the reference files. A value without a reference is
 *  reported, but not compared. */
void gms_lab_row(gms_lab_t *lab, const char *series, const char *setting,
                 const char *quantity, double value, const char *unit);
/** Report a value that is an estimate.
 *  @param [in] standard_error standard error of the value */
void gms_lab_estimate(gms_lab_t *lab, const char *series, const char *setting,
                      const char *quantity, double value, const char *unit,
                      double standard_error);
/** Report a value together with an expected value. The expected value is
 *  derived from other findings or from the parameters, not from a paper.
 *  @param [in] tolerance_percent tolerance for kind WITHIN */
void gms_lab_check(gms_lab_t *lab, const char *series, const char *setting,
                   const char *quantity, double value, const char *unit,
                   enum gms_row_kind kind, double expected,
                   double tolerance_percent);
/** Report a point of a curve. The first point of a curve creates the curve. The
 *  label is NULL unless the points of the figure have labels. */
void gms_lab_point(gms_lab_t *lab, const char *curve, double x, double y,
                   const char *label);
/** Report an entry of a raw log: the flow of a dispatched packet (`what') and
 *  the tick of the dispatch (`number'). */
void gms_lab_log(gms_lab_t *lab, const char *what, uint64_t number);
/** Report a note for the reader: an assumption, or the derivation of a
 *  prediction. If a note has GMS_LAB_TEXT_LEN characters or more, the
 *  experiment fails. */
void gms_lab_note(gms_lab_t *lab, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/** Report the completed fraction of the current seed, 0..1. */
void gms_lab_progress(gms_lab_t *lab, double fraction);
/** Report the reason for a failure. The function run() must return the status.
 *  @return the argument `status' */
gms_status_t gms_lab_fail(gms_lab_t *lab, gms_status_t status,
                          const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
