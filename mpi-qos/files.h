/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * files.h - requests bandwidth for the accesses of this process to MPI files.
 *
 * A request for a file has a bandwidth for writing and a bandwidth for reading.
 * Its origin is the file's hints or, if the program sets no hints, a policy:
 *
 *     mpiqos_write_bandwidth  "40 MB/s"
 *     mpiqos_read_bandwidth   likewise
 *     mpiqos_class            premium, none (releases)
 *
 * The keys of an answer are the two bandwidths and mpiqos_class, and in
 * addition mpiqos_state, mpiqos_criterion, mpiqos_place, mpiqos_left and
 * mpiqos_reason. A reservation ends when the file is closed.
 */
#ifndef MPI_QOS_FILES_H
#define MPI_QOS_FILES_H

#include "device.h"
#include "mpi_qos.h"

/** The request for a file, as the program or the policy made it. */
typedef struct mpiqos_file_request {
    double write, read;            /**< bytes/s; 0: no reservation */
    char wrong[MPIQOS_REASON_LEN]; /**< first invalid hint, or "" */
} mpiqos_file_request_t;

/** Functions for the device; see MPIX_GM_Watch_files(). */
extern const MPIX_GM_File_events mpiqos_file_events;

/**
 * Read the hints of a file. Bandwidths that the hints do not contain keep their
 * values.
 *
 * @return 1; 0 if the hints request nothing (request unchanged)
 */
int mpiqos_file_hints_read(MPI_Info info, mpiqos_file_request_t *request);
/** Write the answer as hints. */
void mpiqos_file_hints_write(MPI_Info info,
                             const mpiqos_file_request_t *request,
                             const MPIQOS_Flow *answer);

#endif
