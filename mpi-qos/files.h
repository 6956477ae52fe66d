/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * files.h - requests bandwidth for the accesses of this process to MPI files.
 *
 * A request for a file contains one bandwidth for writing and one for reading.
 * The request comes from the file's hints or, if the program sets no hints,
 * from a policy:
 *
 *     mpiqos_write_bandwidth  "40 MB/s"
 *     mpiqos_read_bandwidth   likewise
 *     mpiqos_class            premium, none (releases)
 *
 * The keys of an answer are the two bandwidths, mpiqos_class, mpiqos_state,
 * mpiqos_criterion, mpiqos_place, mpiqos_left and mpiqos_reason. A reservation
 * ends when the file is closed.
 */
#ifndef MPI_QOS_FILES_H
#define MPI_QOS_FILES_H

#include "device.h"
#include "mpi_qos.h"

/** The request for a file, from the program or the policy. */
typedef struct mpiqos_file_request {
    double write, read;            /**< bytes/s; 0: no reservation */
    char wrong[MPIQOS_REASON_LEN]; /**< first invalid hint, or "" */
} mpiqos_file_request_t;

/** Functions that the device calls; see MPIX_GM_Watch_files(). */
extern const MPIX_GM_File_events mpiqos_file_events;

/**
 * Read the hints of a file. A bandwidth for which there is no hint keeps its
 * value.
 *
 * @return 1; 0 if the hints request nothing (request unchanged)
 */
int mpiqos_file_hints_read(MPI_Info info, mpiqos_file_request_t *request);
/** Write the answer into the hints. */
void mpiqos_file_hints_write(MPI_Info info,
                             const mpiqos_file_request_t *request,
                             const MPIQOS_Flow *answer);

#endif
