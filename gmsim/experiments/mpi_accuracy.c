/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contains the experiment mpi-accuracy. The experiment does not reproduce a
 * paper, but checks a claim of this product: the MPI bandwidth of a flow is
 * within 2 % of its reservation. Real MPI processes request 5 to 50 MB/s for
 * messages of five sizes, alone and in competition with a best-effort flow.
 * Further runs measure two communicators of the same processes, and
 * MPI_Alltoall with a reservation.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "params/params.h"
#include "experiments/product.h"
#include "experiments/ranks.h"
#include "manager/admission.h"
#include "manager/service.h"

#define GMS_ACCURACY_RATES     10 /* 5, 10, .. 50 MB/s */
#define GMS_ACCURACY_STEP_MB_S 5
/* A request for the reported limit times this factor must be denied. */
#define GMS_ACCURACY_MORE           1.01
#define GMS_ACCURACY_WITHIN_PERCENT 2.0
#define GMS_ACCURACY_TEXT           32
#define GMS_ACCURACY_ROWS_MAX       (2 * GMS_ACCURACY_RATES)

static const struct {
    const char *name, *option;
    double bytes;
} gms_accuracy_sizes[] = {
    {"4 KB", "4K", 4096},    {"16 KB", "16K", 16384},
    {"64 KB", "64K", 65536}, {"256 KB", "256K", 262144},
    {"1 MB", "1M", 1048576},
};
#define GMS_ACCURACY_SIZES                                                     \
    (sizeof(gms_accuracy_sizes) / sizeof(gms_accuracy_sizes[0]))

/** A row of the CSV of mpi-flows. */
typedef struct gms_accuracy_row {
    /* is_process: the processor time of a process limits the bandwidth */
    int is_granted, is_process;
    double asked_mb_s; /* bandwidth of the request; 0: best effort */
    double idt_ticks, left_mb_s, packets, receiver_us, mb_s, reverse_bytes;
} gms_accuracy_row_t;

typedef struct gms_accuracy_rows {
    gms_accuracy_row_t row[GMS_ACCURACY_ROWS_MAX];
    size_t count;
} gms_accuracy_rows_t;

/* ---- runs ---- */

static const char *const gms_accuracy_columns[] = {
    "asked",   "state",       "criterion",      "idt",           "left_mb_s",
    "packets", "receiver_us", "bandwidth_mb_s", "reverse_bytes", NULL};

static void gms_accuracy_take(void *context, char *const *cells)
{
    gms_accuracy_rows_t *rows = context;
    gms_accuracy_row_t *row = &rows->row[rows->count];

    if (rows->count++ < GMS_ACCURACY_ROWS_MAX) {
        row->asked_mb_s = strtod(cells[0], NULL); /* for the text "be" (best
                                                   * effort), strtod() returns
                                                   * 0 */
        row->is_granted = (strcmp(cells[1], "granted") == 0);
        row->is_process = (strstr(cells[2], "process") != NULL);
        row->idt_ticks = strtod(cells[3], NULL);
        row->left_mb_s = strtod(cells[4], NULL);
        row->packets = strtod(cells[5], NULL);
        row->receiver_us = strtod(cells[6], NULL);
        row->mb_s = strtod(cells[7], NULL);
        row->reverse_bytes = strtod(cells[8], NULL);
    }
}

/** Run mpi-flows.
 *  @param [in] rounds  array of `count' arguments for --bandwidth
 *  @param [in] rows    expected number of rows */
static gms_status_t gms_accuracy_flows(gms_lab_t *lab, const char *size,
                                       const char *const *rounds, size_t count,
                                       size_t expected,
                                       gms_accuracy_rows_t *rows)
{
    const char *arguments[GMS_RANKS_MAX_ARGUMENTS + 1] = {
        "--csv", "--size", size, "--seconds", "0.5", "--warm-up", "8"};
    const gms_ranks_job_t job = {.program = "mpi-flows",
                                 .ranks = 3,
                                 .is_mpi = 1,
                                 .arguments = arguments,
                                 .columns = gms_accuracy_columns};
    size_t n = 7, i;
    gms_status_t status;

    for (i = 0; i < count; ++i) {
        arguments[n++] = "--bandwidth";
        arguments[n++] = rounds[i];
    }
    rows->count = 0;
    status = gms_ranks_run(lab, &job, gms_accuracy_take, rows);
    if (status == GMS_OK && rows->count != expected) {
        status = gms_lab_fail(lab, GMS_ERR_SYSTEM,
                              "mpi-flows printed %zu rows instead of %zu",
                              rows->count, expected);
    }
    return status;
}

/** Measure a flow at all rates, either alone or together with another flow. */
static gms_status_t gms_accuracy_rates(gms_lab_t *lab, const char *size,
                                       const char *beside,
                                       gms_accuracy_rows_t *rows)
{
    char text[GMS_ACCURACY_RATES][GMS_ACCURACY_TEXT];
    const char *rounds[GMS_ACCURACY_RATES];
    unsigned i;

    for (i = 0; i < GMS_ACCURACY_RATES; ++i) {
        (void)snprintf(text[i], sizeof(text[i]), "%u%s",
                       (i + 1) * GMS_ACCURACY_STEP_MB_S, beside);
        rounds[i] = text[i];
    }
    return gms_accuracy_flows(
        lab, size, rounds, GMS_ACCURACY_RATES,
        GMS_ACCURACY_RATES * ((beside[0] == '\0') ? 1 : 2), rows);
}

/* ---- one message size ---- */

static void gms_accuracy_names(size_t at, const char *what, double mb_s,
                               char series[GMS_LAB_NAME_LEN],
                               char setting[GMS_LAB_NAME_LEN])
{
    (void)snprintf(series, GMS_LAB_NAME_LEN, "%s %s",
                   gms_accuracy_sizes[at].name, what);
    (void)snprintf(setting, GMS_LAB_NAME_LEN, "%g MB/s", mb_s);
}

/** Report the bandwidth of a premium flow, or that its request was denied. */
static void gms_accuracy_premium(gms_lab_t *lab, size_t at, const char *what,
                                 const gms_accuracy_row_t *row)
{
    char series[GMS_LAB_NAME_LEN], setting[GMS_LAB_NAME_LEN];

    gms_accuracy_names(at, what, row->asked_mb_s, series, setting);
    if (row->is_granted) {
        gms_lab_row(lab, series, setting, "bandwidth", row->mb_s, "MB/s");
    } else {
        gms_lab_row(lab, series, setting, "denied", 1, "times");
        gms_lab_row(lab, series, setting, "limit stated in the denial",
                    row->left_mb_s, "MB/s");
    }
}

/** Return the MPI bandwidth, in MB/s, that is available to a best-effort flow.
 *  The result is the smaller of two bandwidths: the bandwidth that the
 *  reservation leaves in the sending node, and the bandwidth that the receiving
 *  process can handle. */
static double gms_accuracy_left(const gms_params_t *params, size_t at,
                                const gms_accuracy_row_t *premium,
                                const gms_accuracy_row_t *other)
{
    double bytes = gms_accuracy_sizes[at].bytes;
    double taken = gms_account_bandwidth(params, (uint32_t)premium->idt_ticks) +
                   premium->asked_mb_s * 1e6 / bytes * premium->reverse_bytes;
    double left = (gms_service_node_bytes_s(params, 2, 0) - taken) * bytes /
                  (other->packets * (double)params->nic_mtu_bytes) / 1e6;
    double most = bytes / other->receiver_us;

    return (left < most) ? left : most;
}

static void gms_accuracy_best_effort(gms_lab_t *lab, const gms_params_t *params,
                                     size_t at,
                                     const gms_accuracy_row_t *premium,
                                     const gms_accuracy_row_t *other)
{
    char series[GMS_LAB_NAME_LEN], setting[GMS_LAB_NAME_LEN];

    if (!premium->is_granted) {
        /* without a reservation, there is no remaining bandwidth with which to
         * compare the result */
        return;
    }
    gms_accuracy_names(at, "best effort", premium->asked_mb_s, series, setting);
    gms_lab_row(
        lab, series, setting, "ratio of bandwidth to the remaining bandwidth",
        other->mb_s / gms_accuracy_left(params, at, premium, other), "ratio");
}

/** Check the limit that is reported with a denial. A request for exactly this
 *  limit must be granted, and the flow must reach this bandwidth. A slightly
 *  larger request must be denied. If processor time determines the limit, the
 *  limit must equal the rate at which the process can receive an unregulated
 *  flow. */
static gms_status_t gms_accuracy_limit(gms_lab_t *lab, size_t at,
                                       const gms_accuracy_row_t *denied)
{
    char limit[GMS_ACCURACY_TEXT], more[GMS_ACCURACY_TEXT];
    const char *rounds[] = {limit, more, "be"};
    char series[GMS_LAB_NAME_LEN], setting[GMS_LAB_NAME_LEN];
    gms_accuracy_rows_t rows;
    gms_status_t status;

    gms_accuracy_names(at, "limit", denied->left_mb_s, series, setting);
    (void)snprintf(setting, sizeof(setting), "request for the limit");
    (void)snprintf(limit, sizeof(limit), "%.15g", denied->left_mb_s);
    (void)snprintf(more, sizeof(more), "%.15g",
                   denied->left_mb_s * GMS_ACCURACY_MORE);
    status = gms_accuracy_flows(lab, gms_accuracy_sizes[at].option, rounds, 3,
                                3, &rows);
    if (status != GMS_OK) {
        return status;
    }
    gms_lab_check(lab, series, setting, "bandwidth", rows.row[0].mb_s, "MB/s",
                  GMS_ROW_WITHIN, denied->left_mb_s,
                  GMS_ACCURACY_WITHIN_PERCENT);
    gms_lab_check(lab, series, setting, "denied at 1 % above the limit",
                  !rows.row[1].is_granted, "times", GMS_ROW_WITHIN, 1, 0);
    if (denied->is_process) {
        gms_lab_check(lab, series, setting, "bandwidth without regulation",
                      rows.row[2].mb_s, "MB/s", GMS_ROW_WITHIN,
                      denied->left_mb_s, GMS_ACCURACY_WITHIN_PERCENT);
    }
    return GMS_OK;
}

/** Report the results for one message size, and return the rows of the runs
 *  with a best-effort flow. */
static gms_status_t gms_accuracy_size(gms_lab_t *lab,
                                      const gms_params_t *params, size_t at,
                                      gms_accuracy_rows_t *beside)
{
    const char *option = gms_accuracy_sizes[at].option;
    const gms_accuracy_row_t *denied = NULL;
    gms_accuracy_rows_t rows;
    gms_status_t status = gms_accuracy_rates(lab, option, "", &rows);
    unsigned i;

    for (i = 0; status == GMS_OK && i < GMS_ACCURACY_RATES; ++i) {
        gms_accuracy_premium(lab, at, "alone", &rows.row[i]);
        if (!rows.row[i].is_granted && denied == NULL) {
            denied = &rows.row[i];
        }
    }
    if (denied != NULL) {
        status = gms_accuracy_limit(lab, at, denied);
    }
    if (status == GMS_OK) {
        status = gms_accuracy_rates(lab, option, ",be", beside);
    }
    for (i = 0; status == GMS_OK && i < GMS_ACCURACY_RATES; ++i) {
        gms_accuracy_premium(lab, at, "with best effort", &beside->row[2 * i]);
        gms_accuracy_best_effort(lab, params, at, &beside->row[2 * i],
                                 &beside->row[2 * i + 1]);
    }
    return status;
}

/** Report the curves of all reservations first, then the curves of all
 *  best-effort flows. The plot uses its five colours in turn, so a size has the
 *  same colour in both groups of curves. */
static void gms_accuracy_curves(gms_lab_t *lab,
                                const gms_accuracy_rows_t *beside)
{
    char curve[GMS_LAB_NAME_LEN];
    size_t at, i;
    int other;

    for (other = 0; other <= 1; ++other) {
        for (at = 0; at < GMS_ACCURACY_SIZES; ++at) {
            (void)snprintf(curve, sizeof(curve), "%s%s",
                           other ? "best effort, " : "",
                           gms_accuracy_sizes[at].name);
            for (i = 0; i < GMS_ACCURACY_ROWS_MAX; i += 2) {
                const gms_accuracy_row_t *premium = &beside[at].row[i];

                if (premium->is_granted) {
                    gms_lab_point(lab, curve, premium->asked_mb_s,
                                  beside[at].row[i + (size_t)other].mb_s, NULL);
                }
            }
        }
    }
}

/* ---- more than one flow ---- */

/** Measure two communicators of the same two processes, alone and together with
 *  a best-effort flow to a third process. */
static gms_status_t gms_accuracy_communicators(gms_lab_t *lab)
{
    static const char *const rounds[] = {"30@1,10@1", "30@1,10@1,be@2"};
    gms_accuracy_rows_t rows;
    gms_status_t status = gms_accuracy_flows(lab, "64K", rounds, 2, 5, &rows);

    if (status == GMS_OK) {
        gms_lab_row(lab, "two communicators", "30 MB/s", "bandwidth",
                    rows.row[0].mb_s, "MB/s");
        gms_lab_row(lab, "two communicators", "10 MB/s", "bandwidth",
                    rows.row[1].mb_s, "MB/s");
        gms_lab_row(lab, "two communicators with best effort", "30 MB/s",
                    "bandwidth", rows.row[2].mb_s, "MB/s");
        gms_lab_row(lab, "two communicators with best effort", "10 MB/s",
                    "bandwidth", rows.row[3].mb_s, "MB/s");
    }
    return status;
}

typedef struct gms_accuracy_calls {
    double us[2]; /* times without and with a flood of competing messages, us */
    size_t count;
} gms_accuracy_calls_t;

static void gms_accuracy_take_call(void *context, char *const *cells)
{
    gms_accuracy_calls_t *calls = context;

    if (calls->count < 2) {
        calls->us[calls->count] = strtod(cells[0], NULL);
    }
    ++calls->count;
}

/** Measure MPI_Alltoall with four members, either with a reservation of 7 MB/s
 *  to every other member or without a reservation. The largest granted rate for
 *  messages of 16 KB is 7.4 MB/s, because each message causes two control
 *  packets and an answer. */
static gms_status_t gms_accuracy_alltoall(gms_lab_t *lab, const char *size,
                                          const char *name,
                                          const char *bandwidth,
                                          const char *series)
{
    static const char *const columns[] = {"mean_us", NULL};
    const char *const arguments[] = {
        "--csv",     "--size", size,          "--iterations", "20",
        "--warm-up", "3",      "--bandwidth", bandwidth,      NULL};
    const gms_ranks_job_t job = {.program = "mpi-alltoall",
                                 .ranks = 8,
                                 .is_mpi = 1,
                                 .arguments = arguments,
                                 .columns = columns};
    gms_accuracy_calls_t calls = {.count = 0};
    gms_status_t status =
        gms_ranks_run(lab, &job, gms_accuracy_take_call, &calls);

    if (status == GMS_OK && calls.count != 2) {
        status = gms_lab_fail(lab, GMS_ERR_SYSTEM,
                              "mpi-alltoall printed %zu rows instead of 2",
                              calls.count);
    }
    if (status == GMS_OK) {
        gms_lab_row(lab, series, name, "time alone", calls.us[0], "us");
        gms_lab_row(lab, series, name,
                    "ratio of time with a flood to time alone",
                    calls.us[1] / calls.us[0], "ratio");
    }
    return status;
}

static gms_status_t gms_accuracy_collectives(gms_lab_t *lab)
{
    static const char *const sizes[][2] = {
        {"16K", "16 KB"}, {"64K", "64 KB"}, {"256K", "256 KB"}};
    gms_status_t status = GMS_OK;
    size_t i;

    for (i = 0; status == GMS_OK && i < 3; ++i) {
        status = gms_accuracy_alltoall(lab, sizes[i][0], sizes[i][1], "7",
                                       "MPI_Alltoall reserved");
        if (status == GMS_OK) {
            status = gms_accuracy_alltoall(lab, sizes[i][0], sizes[i][1], "0",
                                           "MPI_Alltoall not reserved");
        }
    }
    return status;
}

/* ---- the experiment ---- */

static gms_status_t gms_mpi_accuracy_run(gms_lab_t *lab)
{
    gms_accuracy_rows_t beside[GMS_ACCURACY_SIZES];
    gms_status_t status = GMS_OK;
    gms_params_t params;
    size_t at;

    gms_params_init(&params);
    for (at = 0; status == GMS_OK && at < GMS_ACCURACY_SIZES; ++at) {
        status = gms_accuracy_size(lab, &params, at, &beside[at]);
        gms_lab_progress(lab, (double)(at + 1) / (GMS_ACCURACY_SIZES + 2));
    }
    if (status == GMS_OK) {
        gms_accuracy_curves(lab, beside);
        status = gms_accuracy_communicators(lab);
    }
    if (status == GMS_OK) {
        status = gms_accuracy_collectives(lab);
    }
    gms_lab_note(
        lab,
        "The bandwidth that remains for best effort is the node's capacity "
        "with two flows minus the reservation. The reservation uses (8192 / "
        "IDT) MB/s, and control messages in the reverse direction use at most "
        "0.2 MB/s.");
    gms_lab_note(
        lab,
        "The remaining bandwidth is converted to the bandwidth of MPI messages "
        "of the same size. The rate at which the receiving process can handle "
        "messages is an additional limit.");
    return status;
}

static const gms_figure_t gms_mpi_accuracy_figure = {
    .x_label = "Requested MPI bandwidth (MB/s)",
    .y_label = "Achieved MPI bandwidth (MB/s)",
    .x_max = 55,
    .y_max = 60,
};

const gms_experiment_t gms_mpi_accuracy = {
    .name = "mpi-accuracy",
    .title = "Requested and achieved MPI bandwidth",
    .source = "claimed accuracy of this product: 2 %",
    .text = "Real MPI processes use the communicator attribute to request "
            "bandwidth for messages of five sizes. Each flow runs twice: first "
            "alone, and then together with a best-effort flow from the same "
            "process to another process. Each flow reaches the requested "
            "bandwidth. Best effort receives the remaining bandwidth of the "
            "node, up to the rate that its receiving process can handle. A "
            "message of 4 KB needs two packets because of its header, so the "
            "limit for these messages is half of the node's capacity. Requests "
            "above this limit are denied, and the denial states the limit.",
    .needs_mpi = 1,
    .run = gms_mpi_accuracy_run,
    .figure = &gms_mpi_accuracy_figure,
};
