/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Reads lines of text files with a limit on their length. The function
 * getline() has no limit, and a single line of a malformed file could fill the
 * memory.
 */
#ifndef BASE_LINE_H
#define BASE_LINE_H

#include <stdio.h>

/**
 * Read the next line, including its newline character if there is one, and add
 * a final 0.
 *
 * @param [in,out] text_p, room_p  as for getline()
 * @param [in] most                largest number of bytes of a line
 * @return length of the line, which exceeds strlen() if the line contains a NUL
 * @return 0: no more lines, or the stream has an error
 * @return -1: errno is EFBIG (the line is longer than `most`) or ENOMEM
 */
ssize_t gms_read_line(FILE *stream, char **text_p, size_t *room_p, size_t most);

#endif
