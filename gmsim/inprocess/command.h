/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Reads the command line of gmqos-ranks: environment variables, the program and
 * its arguments.
 */
#ifndef GMI_COMMAND_H
#define GMI_COMMAND_H

#include <stddef.h>

/**
 * Set the environment variables that precede the program. Every variable has
 * the form of an option of mpiexec: -env NAME VALUE or -genv NAME VALUE.
 * @param [in,out] words  end with NULL; the function removes variables that
 *   mpiexec has added, so that only the user's variables remain
 * @return the program and its arguments, or NULL if there is no memory
 */
char **gmi_command_set_variables(char **words);

/**
 * Return the words of the command as the record contains them, each of which
 * ends with a zero byte. The caller owns the memory.
 * @param [in] words  the user's variables, the program and its arguments
 * @return the words, or NULL if there is no memory
 */
char *gmi_command_text(char **words, size_t *bytes_p);

#endif
