/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Lines of text files with a limit on their length. getline() has no limit: one
 * line of a bad file could fill the memory.
 */
#ifndef BASE_LINE_H
#define BASE_LINE_H

#include <stdio.h>

/**
 * The next line with its end, if it has one, and a final 0.
 *
 * @param [in,out] text_p, room_p  as of getline()
 * @param [in] most                bytes that a line may have
 * @return its length, which may be more than strlen() says; 0: there is none, or
 *         the stream has an error; -1: errno EFBIG (longer than most) or ENOMEM
 */
ssize_t gms_read_line(FILE *stream, char **text_p, size_t *room_p, size_t most);

#endif
