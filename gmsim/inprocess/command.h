/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Reads the command line of gmqos-ranks: the variables that options of mpiexec
 * set, the program and its arguments. Every variable has the form of an option:
 * -env NAME VALUE or -genv NAME VALUE. mpiexec has set the variables already;
 * the options are part of the command in records.
 */
#ifndef GMI_COMMAND_H
#define GMI_COMMAND_H

#include <stddef.h>

/**
 * Return the program and its arguments.
 * @param [in] words  end with NULL
 * @return a part of words; empty if the program is missing
 */
char **gmi_command_program(char **words);

/**
 * Return the words of the command as the record contains them, each of which
 * ends with a zero byte. The caller owns the memory.
 * @param [in] words  end with NULL
 * @return the words, or NULL if there is no memory
 */
char *gmi_command_text(char **words, size_t *bytes_p);

#endif
