/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures MPI bandwidth for tuples of IDTs with the benchmark mpi-flows. Each
 * run measures several tuples. The limits in the cluster description are so
 * high that admission control grants every requested IDT.
 */
#include "experiments/mpi_flows.h"

#include <stdio.h>
#include <stdlib.h>

#include "experiments/ranks.h"

/* Cluster description whose limits allow every IDT for which a link is fast
 * enough (52 and more). */
static const char gms_mpi_flows_cluster[] =
    "parameters:\n"
    "  undeclared: free\n" /* this setting corresponds to the hardware of the
                            * thesis */
    "  qos_node_rule: constant\n"
    "  qos_node_bytes_s: 160000000\n"
    "  qos_link_bytes_s: 160000000\n";

/* number of tuples in a run, limited by the length of the argument list */
#define GMS_MPI_FLOWS_PER_RUN 12
#define GMS_MPI_FLOWS_TEXT    64

typedef struct gms_mpi_flows_rows {
    gms_mpi_flows_t *tuples;
    /* `next` and `most` are numbers of rows; each flow of a tuple has one
     * row */
    size_t flows, next, most;
} gms_mpi_flows_rows_t;

static void gms_mpi_flows_row(void *context, char *const *cells)
{
    gms_mpi_flows_rows_t *rows = context;

    if (rows->next < rows->most) {
        rows->tuples[rows->next / rows->flows].mb_s[rows->next % rows->flows] =
            strtod(cells[0], NULL);
    }
    ++rows->next;
}

static void gms_mpi_flows_text(const gms_mpi_flows_t *tuple, unsigned flows,
                               char text[GMS_MPI_FLOWS_TEXT])
{
    size_t used = 0;
    unsigned i;

    for (i = 0; i < flows; ++i) {
        used += (size_t)snprintf(text + used, GMS_MPI_FLOWS_TEXT - used, "%s%u",
                                 (i == 0) ? "" : ",", tuple->idt_ticks[i]);
    }
}

static gms_status_t gms_mpi_flows_some(gms_lab_t *lab, unsigned flows,
                                       gms_mpi_flows_t *tuples, size_t count,
                                       const char *iterations)
{
    static const char *const columns[] = {"bandwidth_mb_s", NULL};
    char text[GMS_MPI_FLOWS_PER_RUN][GMS_MPI_FLOWS_TEXT];
    const char *arguments[GMS_RANKS_MAX_ARGUMENTS] = {
        "--csv", "--size", "64K", "--iterations", iterations};
    gms_mpi_flows_rows_t rows = {tuples, flows, 0, count * flows};
    const gms_ranks_job_t job = {.program = "mpi-flows",
                                 .ranks = flows + 1,
                                 .is_mpi = 1,
                                 .cluster = gms_mpi_flows_cluster,
                                 .arguments = arguments,
                                 .columns = columns};
    gms_status_t status;
    size_t i, n = 5;

    for (i = 0; i < count; ++i) {
        gms_mpi_flows_text(&tuples[i], flows, text[i]);
        arguments[n++] = "--idt";
        arguments[n++] = text[i];
    }
    status = gms_ranks_run(lab, &job, gms_mpi_flows_row, &rows);
    if (status == GMS_OK && rows.next != rows.most) {
        status = gms_lab_fail(lab, GMS_ERR_SYSTEM,
                              "mpi-flows printed %zu rows instead of %zu",
                              rows.next, rows.most);
    }
    return status;
}

gms_status_t gms_mpi_flows_run(gms_lab_t *lab, unsigned flows,
                               gms_mpi_flows_t *tuples, size_t count,
                               const char *iterations)
{
    gms_status_t status = GMS_OK;
    size_t done = 0;

    while (status == GMS_OK && done < count) {
        size_t some = count - done;

        if (some > GMS_MPI_FLOWS_PER_RUN) {
            some = GMS_MPI_FLOWS_PER_RUN;
        }
        status =
            gms_mpi_flows_some(lab, flows, tuples + done, some, iterations);
        done += some;
        gms_lab_progress(lab, (double)done / (double)count);
    }
    return status;
}
