/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * report.h - requests and their answers, for the user.
 *
 * Denials of a policy are printed on standard error, each once, because the
 * program does not know of the request. If a report is requested, rank 0 writes
 * a table of the requests of all ranks (attribute, hints, policy) at
 * MPI_Finalize(), and a table of the delays of reserved flows.
 */
#ifndef MPI_QOS_REPORT_H
#define MPI_QOS_REPORT_H

#include "request.h"

#include <stddef.h>

/**
 * Collect rows from now on.
 *
 * @param [in] path  file, or "-" for standard error. Rank 0 makes sure that it
 *                   can be written.
 * @return 0, or -1 with the text in error
 */
int mpiqos_report_open(const char *path, int rank, char *error,
                       size_t error_len);
/** A request was answered. */
void mpiqos_report_note(MPI_Comm comm, const mpiqos_request_t *request,
                        const MPIQOS_Flow *answer);
/** 1 with mpiqos_report_open(), until mpiqos_report_write(). */
int mpiqos_report_is_on(void);

/** Delays of one reservation at its end, seconds; 0: not asked, not known. */
typedef struct mpiqos_delays {
    int peer;
    long message_size;
    double asked, bound, worst;
    int has_changed;     /**< the bound at the end is not that of the grant */
    const char *verdict; /**< static text */
    const char *why; /**< there is no bound, static text; NULL: there is one */
} mpiqos_delays_t;

/** A reservation ends: a row of the second table. */
void mpiqos_report_delays(MPI_Comm comm, const mpiqos_delays_t *delays);
/** Write the tables; collective over MPI_COMM_WORLD. Nothing without
 *  mpiqos_report_open(). */
void mpiqos_report_write(void);

#endif
