/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * launch_words.h - finds the options of `mpirun` that set environment variables of
 * a rank. A run can be repeated only with these variables.
 */
#ifndef JOB_LAUNCH_WORDS_H
#define JOB_LAUNCH_WORDS_H

#include <stddef.h>

/** Words of a command, each with a terminating 0. */
typedef struct gms_words {
    const char *text;
    size_t bytes;
} gms_words_t;

/**
 * Find the variables that `mpirun` sets for a rank with the options -env and
 * -genv.
 *
 * @param [in] launcher  the command `mpirun`; empty if the command is unknown
 * @param [in] command   the command of the rank
 * @param [in] rank      rank in MPI_COMM_WORLD
 * @param [out] out      the words "-env", NAME, VALUE of each variable
 * @return number of bytes in out; 0 if there are no variables, or if they do
 *   not fit into the buffer. The result is also 0 if the launcher's command
 *   does not contain the command of the rank
 */
size_t gms_launch_variables(gms_words_t launcher, gms_words_t command,
                            unsigned rank, char *out, size_t room);
/** Read the command `mpirun` that started the calling process.
 *  @return number of bytes in out; 0 if the command cannot be found or does not
 *    fit */
size_t gms_launch_words_read(char *out, size_t room);

#endif
