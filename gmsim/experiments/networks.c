/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contains the experiments net-edr, net-hdr, net-slingshot-100 and net-aries.
 * Each experiment compares the profile of a real network with two sets of
 * measurements: the ping-pong times to which the profile was fitted, and the
 * LogGP parameters of the processes. The experiment net-edr also compares
 * algorithms of collective operations. No parameter was fitted to these
 * algorithms.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/product.h"
#include "experiments/ranks.h"

#define GMS_NETWORKS_CLUSTER_LEN 128
/* Number of repetitions of each message size. Measurements in virtual time have
 * no noise, but the first repetitions register memory and open connections. */
#define GMS_NETWORKS_SAMPLES "--warm-up", "2", "--iterations", "3"

/** A run of the benchmark mpi-patterns, and the names of its rows. */
typedef struct gms_networks_run {
    const char *pattern, *sizes;
    unsigned ranks;
    const char *series, *quantity;
    enum gms_row_basis basis;
} gms_networks_run_t;

/** Receives the rows of a run. */
typedef struct gms_networks_rows {
    gms_lab_t *lab;
    const gms_networks_run_t *run;
    const char *curve; /* NULL: report no points */
} gms_networks_rows_t;

#define GMS_NETWORKS_SIZES                                                     \
    "1,2,4,8,16,32,64,128,256,512,1K,2K,4K,8K,16K,32K,64K,128K,256K,512K,1M,"  \
    "2M,4M,8M,16M"

static const gms_networks_run_t gms_networks_pingpong = {
    "one_one",   GMS_NETWORKS_SIZES, 2,
    "ping-pong", "half round trip",  GMS_BASIS_FITTED};

/* The processor costs in the profiles were derived from these values. */
static const gms_networks_run_t gms_networks_overheads[] = {
    {"loggp_o_send", "1,1025,4097,8193", 2, "LogGP", "o_send",
     GMS_BASIS_CALIBRATED},
    {"loggp_o_receive", "1,1025,4097,8193", 2, "LogGP", "o_receive",
     GMS_BASIS_CALIBRATED},
    {.pattern = NULL},
};

static const gms_networks_run_t gms_networks_collectives[] = {
    {"linear_alltoall", "16,16K,16M", 4, "linear_alltoall, 4 hosts", "time",
     GMS_BASIS_PREDICTED},
    {"pipelinedring", "16,16K,16M", 4, "pipelinedring, 4 hosts", "time",
     GMS_BASIS_PREDICTED},
    {.pattern = NULL},
};

static void gms_networks_take(void *context, char *const *cells)
{
    const gms_networks_rows_t *rows = context;
    double us = strtod(cells[1], NULL);
    char setting[GMS_LAB_NAME_LEN];

    (void)snprintf(setting, sizeof(setting), "%.40s bytes", cells[0]);
    gms_lab_row(rows->lab, rows->run->series, setting, rows->run->quantity, us,
                "us");
    if (rows->curve != NULL) {
        gms_lab_point(rows->lab, rows->curve, strtod(cells[0], NULL), us, NULL);
    }
}

static gms_status_t gms_networks_measure(gms_lab_t *lab, const char *profile,
                                         const gms_networks_run_t *run,
                                         const char *curve)
{
    static const char *const columns[] = {"bytes", "median_us", NULL};
    const char *const arguments[] = {
        "--csv",    "--pattern",          run->pattern, "--size",
        run->sizes, GMS_NETWORKS_SAMPLES, NULL};
    char cluster[GMS_NETWORKS_CLUSTER_LEN];
    const gms_ranks_job_t job = {.program = "mpi-patterns",
                                 .ranks = run->ranks,
                                 .is_mpi = 1,
                                 .cluster = cluster,
                                 .arguments = arguments,
                                 .columns = columns};
    gms_networks_rows_t rows = {lab, run, curve};

    (void)snprintf(cluster, sizeof(cluster), "profile: %.32s\nhosts: %u\n",
                   profile, run->ranks);
    gms_lab_set_basis(lab, run->basis);
    return gms_ranks_run(lab, &job, gms_networks_take, &rows);
}

static gms_status_t gms_networks_all(gms_lab_t *lab, const char *profile,
                                     const gms_networks_run_t *run)
{
    gms_status_t status = GMS_OK;

    for (; status == GMS_OK && run->pattern != NULL; ++run) {
        status = gms_networks_measure(lab, profile, run, NULL);
    }
    return status;
}

static gms_status_t gms_networks_run(gms_lab_t *lab, const char *profile)
{
    gms_status_t status =
        gms_networks_measure(lab, profile, &gms_networks_pingpong, "simulated");

    gms_lab_progress(lab, 0.5);
    if (status == GMS_OK) {
        status = gms_networks_all(lab, profile, gms_networks_overheads);
    }
    return status;
}

static gms_status_t gms_net_edr_run(gms_lab_t *lab)
{
    gms_status_t status = gms_networks_run(lab, "edr");

    gms_lab_progress(lab, 0.7);
    return status == GMS_OK
               ? gms_networks_all(lab, "edr", gms_networks_collectives)
               : status;
}

static gms_status_t gms_net_hdr_run(gms_lab_t *lab)
{
    return gms_networks_run(lab, "hdr");
}

static gms_status_t gms_net_slingshot_run(gms_lab_t *lab)
{
    return gms_networks_run(lab, "slingshot-100");
}

static gms_status_t gms_net_aries_run(gms_lab_t *lab)
{
    return gms_networks_run(lab, "aries");
}

#define GMS_NETWORKS_SOURCE                                                    \
    "published data of De Sensi et al., Noise in the Clouds"

const gms_experiment_t gms_net_edr = {
    .name = "net-edr",
    .title = "InfiniBand EDR: ping-pong times, overheads and collectives",
    .source = GMS_NETWORKS_SOURCE ", azure-hc44rs",
    .text = "The profile edr was fitted to the ping-pong times. The times of "
            "the collectives are predictions.",
    .needs_mpi = 1,
    .run = gms_net_edr_run,
};

const gms_experiment_t gms_net_hdr = {
    .name = "net-hdr",
    .title = "InfiniBand HDR: ping-pong times and overheads",
    .source = GMS_NETWORKS_SOURCE ", azure-hbv2",
    .text = "The profile hdr was fitted to the ping-pong times.",
    .needs_mpi = 1,
    .run = gms_net_hdr_run,
};

const gms_experiment_t gms_net_slingshot_100 = {
    .name = "net-slingshot-100",
    .title = "Slingshot with 100 Gb/s NICs: ping-pong times and overheads",
    .source = GMS_NETWORKS_SOURCE ", alps",
    .text = "The profile slingshot-100 was fitted to the ping-pong times.",
    .needs_mpi = 1,
    .run = gms_net_slingshot_run,
};

const gms_experiment_t gms_net_aries = {
    .name = "net-aries",
    .title = "Aries: ping-pong times and overheads",
    .source = GMS_NETWORKS_SOURCE ", piz daint",
    .text = "The profile aries was fitted to the ping-pong times.",
    .needs_mpi = 1,
    .run = gms_net_aries_run,
};
