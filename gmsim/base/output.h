/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Output files that commands write completely or not at all. A command writes
 * to a temporary file in the same directory, which replaces the target at the
 * end. If the command does not reach the end, the temporary file is removed
 * (base/tidy.h).
 */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include <stdio.h>

typedef struct gms_output {
    FILE *file;      /* to write to */
    char *path;      /* that it becomes; NULL: file is what it is */
    char *temporary; /* what it is called until then; owned by tidy.h */
} gms_output_t;

/**
 * @param [in] path  "-" is the standard output. What exists and is no regular
 *                   file (a terminal, /dev/null, a pipe) is written as it is.
 * @return 0, or -1 with errno
 */
int gms_output_open(gms_output_t *output, const char *path);
/** @param [in] is_good  0: throw it away
 *  @return 0, or -1 with errno if it did not reach the disk */
int gms_output_close(gms_output_t *output, int is_good);

/** The standard output becomes this file, of which gms_output_end() keeps what
 *  was written. @return 0, or -1 with errno */
int gms_output_redirect(const char *path);
/** The end of the standard output. @return 0, or -1 with errno */
int gms_output_end(int is_good);

#endif
