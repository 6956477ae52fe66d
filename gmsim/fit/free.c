/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the list of free parameters: the default list, and the arguments
 * "NAME=LOW:HIGH" and "NAME=VALUE" of the command line.
 */
#include "fit/free.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/printable.h"
#include "cluster/cluster.h"
#include "yaml/loader.h"

#define GMS_FIT_NAME_LEN 64
/* Header of an eager message of the MPI device, bytes. [source: tests with
 * mpi-pingpong: a limit of 64 + N bytes applies to messages of N bytes] */
#define GMS_FIT_HEADER UINT64_C(64)

/* Parameters of NICs with a LANai that a ping-pong can distinguish. The list
 * does not contain the rate of a link, which is a property of the link's type.
 * In a ping-pong, this rate has the same effect as the rate of the host bus. */
static const char *const gms_fit_lanai[] = {
    "mpi_overhead_ps",      "lanai_cycle_ps",   "mpi_eager_bytes",
    "mpi_copy_ps_per_byte", "host_dma_bytes_s", NULL};

/* Parameters of pipelined NICs. The first parameters describe the work per
 * message, messages that the NIC reads from host memory, and data that are not
 * part of the completion event. The next parameters describe eager messages
 * with and without a copy, rendezvous, and the rate of the host bus. */
static const char *const gms_fit_hca[] = {"mpi_overhead_ps=10000:5000000",
                                          "hca_inline_bytes=64:1024",
                                          "hca_read_ps=50000:5000000",
                                          "hca_read_ps_per_byte=1:1000",
                                          "nic_fast_bytes=64:248",
                                          "hca_data_ps=10000:2000000",
                                          "mpi_copy_ps_per_byte=5:1000",
                                          "mpi_eager_direct_bytes=1024:1048576",
                                          "mpi_register_lookup_ps=1000:5000000",
                                          "mpi_eager_bytes=4096:1048576",
                                          "mpi_rndv_overhead_ps=1000:10000000",
                                          "host_dma_bytes_s",
                                          NULL};

static gms_status_t gms_fit_free_fail(char *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static gms_status_t gms_fit_free_fail(char *error, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(error, GMS_FIT_FREE_ERROR_LEN, format, args);
    va_end(args);
    (void)gms_printable_here(error);
    return GMS_ERR_INVALID_PARAM;
}

/* ---- texts ---- */

/** Find the row of the parameter with this name. If there is no such row, the
 *  error message suggests the most similar name. */
static const gms_param_t *gms_fit_free_row(const char *name, char *error)
{
    const gms_param_t *row = gms_param_find(name);
    size_t limit = gms_yaml_typo_limit(name);
    const char *best = NULL;

    if (row != NULL && gms_cluster_is_short(row)) {
        (void)gms_fit_free_fail(error,
                                "%s is a parameter of the cluster, but a fit "
                                "changes only hardware parameters",
                                name);
        return NULL;
    }
    if (row != NULL) {
        return row;
    }
    for (row = gms_param_table; row->name != NULL; ++row) {
        gms_yaml_nearer(name, row->name, &best, &limit);
    }
    (void)gms_fit_free_fail(error,
                            "unknown parameter '%.64s'%s%s%s; allowed: the "
                            "names that `gmsim params` lists",
                            name, best != NULL ? " (did you mean '" : "",
                            best != NULL ? best : "",
                            best != NULL ? "'?)" : "");
    return NULL;
}

/** Split "NAME=REST". @return REST, or NULL if the string has no '=' */
static const char *gms_fit_free_split(const char *text,
                                      char name[GMS_FIT_NAME_LEN])
{
    size_t length = strcspn(text, "=");

    (void)snprintf(
        name, GMS_FIT_NAME_LEN, "%.*s",
        (int)(length < GMS_FIT_NAME_LEN ? length : GMS_FIT_NAME_LEN - 1), text);
    return text[length] == '=' ? text + length + 1 : NULL;
}

static gms_status_t gms_fit_free_value(const gms_param_t *row, const char *text,
                                       uint64_t *value_p, char *error)
{
    size_t i;

    for (i = 0; row->names != NULL && row->names[i] != NULL; ++i) {
        if (strcmp(row->names[i], text) == 0) {
            *value_p = i;
            return GMS_OK;
        }
    }
    if (gms_yaml_number(text, value_p) == GMS_NUMBER_OK &&
        *value_p >= row->min && *value_p <= row->max) {
        return GMS_OK;
    }
    return gms_fit_free_fail(
        error, "%s: value '%.40s' is invalid; allowed: %llu..%llu", row->name,
        text, (unsigned long long)row->min, (unsigned long long)row->max);
}

/** Read "LOW:HIGH". */
static gms_status_t gms_fit_free_bounds(gms_fit_free_t *one, const char *text,
                                        char *error)
{
    char low[GMS_FIT_NAME_LEN];
    const char *colon = strchr(text, ':');
    gms_status_t status;

    if (colon == NULL || (size_t)(colon - text) >= sizeof(low)) {
        return gms_fit_free_fail(
            error, "%s: bounds '%.40s' are invalid; allowed: LOW:HIGH",
            one->row->name, text);
    }
    (void)snprintf(low, sizeof(low), "%.*s", (int)(colon - text), text);
    status = gms_fit_free_value(one->row, low, &one->low, error);
    if (status == GMS_OK) {
        status = gms_fit_free_value(one->row, colon + 1, &one->high, error);
    }
    if (status == GMS_OK && !one->is_step && one->low == 0) {
        return gms_fit_free_fail(error,
                                 "%s: the lower bound is 0; allowed: at least "
                                 "1, because the fit uses logarithms",
                                 one->row->name);
    }
    if (status == GMS_OK && one->low >= one->high) {
        return gms_fit_free_fail(
            error, "%s: the lower bound is not less than the upper bound",
            one->row->name);
    }
    return status;
}

/** Set the default bounds around the start value. */
static gms_status_t gms_fit_free_around(gms_fit_free_t *one,
                                        const gms_params_t *base, char *error)
{
    uint64_t start = gms_param_get(base, one->row);
    uint64_t least = one->row->min > 1 ? one->row->min : 1;

    if (one->row->names != NULL) {
        one->low = one->row->min;
        one->high = one->row->max;
        return GMS_OK;
    }
    if (start == 0) {
        return gms_fit_free_fail(error,
                                 "%s has the start value 0, so it has no "
                                 "default bounds; write %s=LOW:HIGH",
                                 one->row->name, one->row->name);
    }
    one->low = start / GMS_FIT_FACTOR > least ? start / GMS_FIT_FACTOR : least;
    one->high = start < one->row->max / GMS_FIT_FACTOR ? start * GMS_FIT_FACTOR
                                                       : one->row->max;
    return GMS_OK;
}

/* ---- list ---- */

static gms_fit_free_t *gms_fit_free_find(gms_fit_frees_t *frees,
                                         const gms_param_t *row)
{
    size_t i;

    for (i = 0; i < frees->count; ++i) {
        if (frees->list[i].row == row) {
            return &frees->list[i];
        }
    }
    return NULL;
}

static void gms_fit_free_remove(gms_fit_frees_t *frees, const gms_param_t *row)
{
    gms_fit_free_t *one = gms_fit_free_find(frees, row);

    if (one != NULL) {
        memmove(one, one + 1,
                (size_t)(frees->list + frees->count - (one + 1)) *
                    sizeof(*one));
        --frees->count;
    }
}

/** Return the length of the header that a limit includes. Limits of the NIC
 *  compare the length of a GM message, and limits of the MPI device compare the
 *  length of the data. */
static uint64_t gms_fit_free_header(const gms_param_t *row)
{
    return strncmp(row->name, "mpi_", strlen("mpi_")) == 0 ? 0 : GMS_FIT_HEADER;
}

gms_status_t gms_fit_free_add(gms_fit_frees_t *frees, const char *text,
                              const gms_params_t *base,
                              char error[GMS_FIT_FREE_ERROR_LEN])
{
    char name[GMS_FIT_NAME_LEN];
    const char *bounds = gms_fit_free_split(text, name);
    gms_fit_free_t one = {.row = gms_fit_free_row(name, error)};
    gms_fit_free_t *old;
    gms_status_t status;

    if (one.row == NULL) {
        return GMS_ERR_INVALID_PARAM;
    }
    one.is_step = one.row->names != NULL || strcmp(one.row->unit, "bytes") == 0;
    one.header = gms_fit_free_header(one.row);
    status = bounds != NULL ? gms_fit_free_bounds(&one, bounds, error)
                            : gms_fit_free_around(&one, base, error);
    if (status != GMS_OK) {
        return status;
    }
    old = gms_fit_free_find(frees, one.row);
    if (old != NULL) {
        *old = one;
        return GMS_OK;
    }
    if (frees->count == GMS_FIT_FREE_MAX) {
        return gms_fit_free_fail(error,
                                 "too many free parameters; allowed: up to %u",
                                 GMS_FIT_FREE_MAX);
    }
    frees->list[frees->count++] = one;
    return GMS_OK;
}

gms_status_t gms_fit_free_fix(gms_fit_frees_t *frees, const char *text,
                              gms_params_t *base,
                              char error[GMS_FIT_FREE_ERROR_LEN])
{
    char name[GMS_FIT_NAME_LEN];
    const char *value = gms_fit_free_split(text, name);
    const gms_param_t *row = gms_fit_free_row(name, error);
    gms_params_t before = *base;
    uint64_t number;

    if (row == NULL) {
        return GMS_ERR_INVALID_PARAM;
    }
    if (value == NULL) {
        return gms_fit_free_fail(
            error, "'%.64s' has no value; allowed: NAME=VALUE", text);
    }
    if (gms_fit_free_value(row, value, &number, error) != GMS_OK) {
        return GMS_ERR_INVALID_PARAM;
    }
    gms_param_set(base, row, number);
    gms_fit_free_follow(&before, base);
    gms_fit_free_remove(frees, row);
    return GMS_OK;
}

void gms_fit_free_follow(const gms_params_t *before, gms_params_t *params)
{
    if (params->link_bytes_s != before->link_bytes_s &&
        params->qos_link_bytes_s == before->qos_link_bytes_s) {
        params->qos_link_bytes_s = (uint64_t)((double)before->qos_link_bytes_s /
                                              (double)before->link_bytes_s *
                                              (double)params->link_bytes_s);
    }
}

void gms_fit_free_default(const gms_params_t *base, gms_fit_frees_t *frees)
{
    const char *const *name =
        base->nic_kind == GMS_NIC_HCA ? gms_fit_hca : gms_fit_lanai;
    char error[GMS_FIT_FREE_ERROR_LEN];

    for (frees->count = 0; *name != NULL; ++name) {
        (void)gms_fit_free_add(frees, *name, base, error);
    }
}

uint64_t gms_fit_free_start(const gms_fit_free_t *one, const gms_params_t *base)
{
    uint64_t start = gms_param_get(base, one->row);

    if (start == 0 && !one->is_step) {
        return (uint64_t)sqrt((double)one->low * (double)one->high);
    }
    return start < one->low ? one->low : start > one->high ? one->high : start;
}
