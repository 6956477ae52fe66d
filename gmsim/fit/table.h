/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Reads measured ping-pong times: message sizes and half round-trip times. The
 * reader recognises the output of netgauge, of the OSU micro-benchmarks, of the
 * Intel MPI Benchmarks and of mpi-pingpong, and a CSV file with named columns.
 */
#ifndef FIT_TABLE_H
#define FIT_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/** Largest number of message sizes of a table. [chosen: ten times the number of
 *  powers of two that a benchmark measures] */
#define GMS_FIT_ROWS_MAX 256u
/** Largest message that a run of mpi-pingpong measures, in bytes. */
#define GMS_FIT_BYTES_MAX (UINT64_C(64) << 20)
/** Largest number of bytes of a file and of a line. [chosen: the output of all
 *  benchmarks of a suite in one file] */
#define GMS_FIT_FILE_BYTES ((size_t)4 << 20)
#define GMS_FIT_LINE_BYTES ((size_t)4096)
/** Length of the buffer for an error message. */
#define GMS_FIT_ERROR_LEN 640

typedef struct gms_fit_row {
    uint64_t bytes;         /* message size, at least 1 */
    double us;              /* half of the round-trip time */
    double low_us, high_us; /* quartiles of the half round trips; 0: unknown */
    size_t line;            /* line in the file */
} gms_fit_row_t;

typedef struct gms_fit_table {
    gms_fit_row_t rows[GMS_FIT_ROWS_MAX]; /* rows in increasing order of message
                                           * sizes */
    size_t count;
    size_t empty;          /* number of rows of 0 bytes, which are not used */
    const char *format;    /* name of the recognised format */
    const char *statistic; /* "median", "minimum", "average" or "time" */
    uint64_t checksum;     /* checksum of the file (base/checksum.h) */
} gms_fit_table_t;

/** Selects rows of a CSV file that has the measurements of several networks. */
typedef struct gms_fit_where {
    const char *column;
    const char *text; /* text with which this column begins in the selected
                       * rows */
} gms_fit_where_t;

/**
 * Read a table.
 *
 * @param [in]  where  NULL: all rows
 * @param [out] table  unchanged after an error
 * @param [out] error  "FILE:LINE: reason", or "FILE: reason"
 * @return GMS_OK, GMS_ERR_CONFIG
 */
gms_status_t gms_fit_table_load(const char *path, const gms_fit_where_t *where,
                                gms_fit_table_t *table,
                                char error[GMS_FIT_ERROR_LEN]);

#endif
