/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a GM benchmark with both versions of GM, sorts the results by message
 * size, and reports the average and the worst change. The benchmark doubles the
 * size from row to row. Several runs with different first sizes also measure
 * the intermediate sizes.
 */
#include "experiments/overhead.h"

#include <stdio.h>
#include <stdlib.h>

#include "experiments/ranks.h"

#define GMS_OVERHEAD_MAX_SIZES 128
#define GMS_OVERHEAD_LAST      "1M"

/* First message sizes of the runs. The benchmarks double the size from row to
 * row. Powers of two and the midpoints between them are compared with the
 * reference. The sizes halfway between two compared sizes are only reported. */
static const struct {
    const char *first;
    int is_judged;
} gms_overhead_sizes[] = {{"4", 1}, {"6", 1}, {"5", 0}, {"7", 0}};
#define GMS_OVERHEAD_SERIES 4

static const struct {
    const char *curve, *cluster;
} gms_overhead_gm[] = {
    {"unmodified GM", "scheduler: packet-rr\n"
                      "parameters:\n"
                      "  nic_equal_segments: 1\n"
                      "  undeclared: free\n"},
    {"modified GM", "scheduler: rate\n"
                    "parameters:\n"
                    "  undeclared: free\n"},
};

typedef struct gms_overhead_point {
    unsigned long bytes;
    double value;
    int is_judged;
} gms_overhead_point_t;

typedef struct gms_overhead_curve {
    gms_overhead_point_t points[GMS_OVERHEAD_MAX_SIZES];
    size_t count;
    int is_judged; /* 1: the size of the point is compared with the reference */
} gms_overhead_curve_t;

static void gms_overhead_row(void *context, char *const *cells)
{
    gms_overhead_curve_t *curve = context;
    unsigned long bytes = strtoul(cells[0], NULL, 10);
    size_t i;

    /* every run ends with the largest size, which must be counted only once */
    for (i = 0; i < curve->count; ++i) {
        if (curve->points[i].bytes == bytes) {
            return;
        }
    }
    if (curve->count < GMS_OVERHEAD_MAX_SIZES) {
        curve->points[curve->count++] = (gms_overhead_point_t){
            bytes, strtod(cells[1], NULL), curve->is_judged};
    }
}

static int gms_overhead_by_size(const void *a, const void *b)
{
    const gms_overhead_point_t *left = a;
    const gms_overhead_point_t *right = b;

    return (left->bytes > right->bytes) - (left->bytes < right->bytes);
}

/** Measure all sizes with one of the two versions of GM, smallest size
 *  first. */
static gms_status_t gms_overhead_measure(gms_lab_t *lab,
                                         const gms_overhead_t *overhead,
                                         size_t gm, gms_overhead_curve_t *curve)
{
    const char *const columns[] = {"bytes", overhead->column, NULL};
    gms_status_t status = GMS_OK;
    size_t i;

    curve->count = 0;
    for (i = 0; status == GMS_OK && i < GMS_OVERHEAD_SERIES; ++i) {
        const char *const arguments[] = {"--csv",
                                         "--min",
                                         gms_overhead_sizes[i].first,
                                         "--max",
                                         GMS_OVERHEAD_LAST,
                                         "--iterations",
                                         overhead->iterations,
                                         NULL};
        const gms_ranks_job_t job = {.program = overhead->program,
                                     .ranks = 2,
                                     .cluster = gms_overhead_gm[gm].cluster,
                                     .arguments = arguments,
                                     .columns = columns};

        curve->is_judged = gms_overhead_sizes[i].is_judged;
        status = gms_ranks_run(lab, &job, gms_overhead_row, curve);
        gms_lab_progress(lab, (double)(gm * GMS_OVERHEAD_SERIES + i + 1) /
                                  (2.0 * GMS_OVERHEAD_SERIES));
    }
    qsort(curve->points, curve->count, sizeof(curve->points[0]),
          gms_overhead_by_size);
    return status;
}

/** Average, worst and best relative change over a set of sizes. */
typedef struct gms_overhead_change {
    double sum, worst, best;
    unsigned long worst_bytes, best_bytes;
    unsigned count;
} gms_overhead_change_t;

static void gms_overhead_add(gms_overhead_change_t *change, double percent,
                             unsigned long bytes)
{
    if (change->count == 0 || percent > change->worst) {
        change->worst = percent;
        change->worst_bytes = bytes;
    }
    if (change->count == 0 || percent < change->best) {
        change->best = percent;
        change->best_bytes = bytes;
    }
    change->sum += percent;
    ++change->count;
}

static void gms_overhead_rows(gms_lab_t *lab, const gms_overhead_t *overhead,
                              const gms_overhead_curve_t curves[2])
{
    static const char series[] = "modified vs unmodified GM";
    gms_overhead_change_t judged = {.count = 0};
    gms_overhead_change_t all = {.count = 0};
    size_t i;

    for (i = 0; i < curves[0].count; ++i) {
        unsigned long bytes = curves[0].points[i].bytes;
        double percent =
            100.0 *
            (curves[1].points[i].value / curves[0].points[i].value - 1.0);

        percent = overhead->is_more_better ? -percent : percent;
        gms_overhead_add(&all, percent, bytes);
        if (curves[0].points[i].is_judged) {
            gms_overhead_add(&judged, percent, bytes);
        }
    }
    gms_lab_row(lab, series, "average over message sizes", overhead->change,
                judged.sum / judged.count, "percent");
    gms_lab_row(lab, series, "worst message size", overhead->change,
                judged.worst, "percent");
    gms_lab_row(lab, series, "average over all measured sizes",
                overhead->change, all.sum / all.count, "percent");
    gms_lab_row(lab, series, "worst of all measured sizes", overhead->change,
                all.worst, "percent");
    gms_lab_row(lab, series, "best of all measured sizes", overhead->change,
                all.best, "percent");
    gms_lab_note(lab,
                 "The %u checked sizes from 4 B to 1 MB are powers of two and "
                 "the midpoints between them. Among these sizes, rate control "
                 "costs most at %lu bytes. Among all %u measured sizes, the "
                 "cost is highest at %lu bytes and lowest at %lu bytes.",
                 judged.count, judged.worst_bytes, all.count, all.worst_bytes,
                 all.best_bytes);
}

gms_status_t gms_overhead_run(gms_lab_t *lab, const gms_overhead_t *overhead)
{
    gms_overhead_curve_t curves[2];
    gms_status_t status;
    size_t gm, i;

    for (gm = 0; gm < 2; ++gm) {
        status = gms_overhead_measure(lab, overhead, gm, &curves[gm]);
        if (status != GMS_OK) {
            return status;
        }
        for (i = 0; i < curves[gm].count; ++i) {
            gms_lab_point(lab, gms_overhead_gm[gm].curve,
                          (double)curves[gm].points[i].bytes,
                          curves[gm].points[i].value, NULL);
        }
    }
    if (curves[0].count != curves[1].count || curves[0].count == 0) {
        return gms_lab_fail(
            lab, GMS_ERR_SYSTEM,
            "%s printed %zu sizes with unmodified GM, but %zu with modified GM",
            overhead->program, curves[0].count, curves[1].count);
    }
    gms_overhead_rows(lab, overhead, curves);
    return GMS_OK;
}
