/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Writes the output files of commands completely or not at all. A command
 * writes to a temporary file in the same directory, which replaces the target
 * at the end. If the command does not reach the end, the temporary file is
 * removed (base/tidy.h).
 */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include <stdio.h>

typedef struct gms_output {
    FILE *file;      /* stream to which the command writes */
    char *path;      /* final path; NULL: `file` is written directly */
    char *temporary; /* path of the temporary file; base/tidy.h owns the
                      * string */
} gms_output_t;

/**
 * @param [in] path "-" is the standard output. If the path exists and is not a
 *                   regular file (for example, if it is a terminal, /dev/null
 *                   or a pipe), the output is written directly.
 * @return 0, or -1 with errno
 */
int gms_output_open(gms_output_t *output, const char *path);
/** @param [in] is_good  0: discard the output
 *  @return 0, or -1 with errno if the output could not be written to disk */
int gms_output_close(gms_output_t *output, int is_good);

/** Redirect the standard output to a file. gms_output_end() completes the file.
 *  @return 0, or -1 with errno */
int gms_output_redirect(const char *path);
/** Complete the standard output. @param [in] is_good 0: discard the output
 * @return 0, or -1 with errno */
int gms_output_end(int is_good);

#endif
