/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * report.h - reports the requests and their answers to the user.
 *
 * Every denied request of the policy is printed once on standard error, because
 * the program does not know about this request. If a report is requested, rank
 * 0 writes two tables in MPI_Finalize(): the requests of all ranks (attribute,
 * hints, policy), and the delays of reserved flows.
 */
#ifndef MPI_QOS_REPORT_H
#define MPI_QOS_REPORT_H

#include "request.h"

#include <stddef.h>

/**
 * Start to collect rows for the report.
 *
 * @param [in] path  path of the report, or "-" for standard error. Rank 0
 *                   checks that the file is writable.
 * @return 0, or -1 with the message in error
 */
int mpiqos_report_open(const char *path, int rank, char *error,
                       size_t error_len);
/** Store a request and its answer for the report. */
void mpiqos_report_note(MPI_Comm comm, const mpiqos_request_t *request,
                        const MPIQOS_Flow *answer);
/** A request for a file. */
typedef struct mpiqos_file_note {
    char name[MPI_MAX_OBJECT_NAME]; /**< "file NAME" */
    mpiqos_origin_t origin;
    unsigned write_line, read_line; /**< line number in the policy file;
                                         otherwise 0 */
    double write, read;             /**< bytes/s; 0: not requested */
} mpiqos_file_note_t;

/** Store a request for a file and its answer: one row for each direction. */
void mpiqos_report_note_file(const mpiqos_file_note_t *note,
                             const MPIQOS_Flow *answer);
/** Return 1 between the calls of mpiqos_report_open() and
 *  mpiqos_report_write(). */
int mpiqos_report_is_on(void);

/** Delays of a reservation at its end, seconds; 0: not requested or unknown. */
typedef struct mpiqos_delays {
    int peer;
    long message_size;
    double asked, bound, worst;
    int has_changed; /**< 1: the bound at the end differs from the bound at the
                          time of the grant */
    const char *verdict; /**< static string */
    const char *why; /**< static string: the reason why there is no bound, or
                          NULL */
} mpiqos_delays_t;

/** Store the delays of a reservation that ends, as a row of the second
 *  table. */
void mpiqos_report_delays(MPI_Comm comm, const mpiqos_delays_t *delays);
/** Write the tables; collective over MPI_COMM_WORLD. The function does nothing
 *  unless mpiqos_report_open() has been called. */
void mpiqos_report_write(void);

#endif
