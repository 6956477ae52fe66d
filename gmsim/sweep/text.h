/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Replaces names in braces in texts. {NAME} stands for the value of the name,
 * and {{NAME}} is the literal text {NAME}. ${NAME} is a variable of the shell.
 * Other braces have no meaning.
 */
#ifndef SWEEP_TEXT_H
#define SWEEP_TEXT_H

#include "sweep/sweep.h"

/** Returns the value of a name; NULL if the name does not exist. */
typedef const char *gms_sweep_lookup_fn(void *context, const char *name);

/** Checks whether a text can be the name of a value or result. */
int gms_sweep_is_name(const char *text);

/**
 * Inserts values into a text, unquoted.
 *
 * @param [out] text_p the caller frees the text
 * @param [out] wrong the reason, without the file and line
 * @return GMS_OK, GMS_ERR_NOT_FOUND (wrong is then the name alone),
 *         GMS_ERR_NO_MEMORY
 */
gms_status_t gms_sweep_fill(const char *template, gms_sweep_lookup_fn *lookup,
                            void *context, char **text_p,
                            char wrong[GMS_YAML_ERROR_LEN]);
/**
 * Inserts values into a command line of the shell. Each value is quoted as its
 * position requires: outside quotes, in '..', in ".." or in $(..). The shell
 * therefore treats a value always as text and never as a command, regardless of
 * the characters that the value contains.
 *
 * If a command passes a value to another shell (sh -c, eval, ssh), the command
 * itself must quote the value once more. It is better to pass the value as an
 * argument: sh -c 'a "$1"' x {v}.
 *
 * @return the same values as gms_sweep_fill(); GMS_ERR_CONFIG: a quote without
 *   an end, or a value at a position where it cannot be quoted. These positions are
 *         within backquotes and, for a value with special characters, within or
 *         after a here-document, $'..', ${..} with more than a name,
 *         arithmetic, case
 */
gms_status_t gms_sweep_fill_command(const char *template,
                                    gms_sweep_lookup_fn *lookup, void *context,
                                    char **text_p,
                                    char wrong[GMS_YAML_ERROR_LEN]);
/** Returns the command line of a run (from 0). The run's files are in
 *  `directory`.
 *  @return the same values as gms_sweep_fill_command() */
gms_status_t gms_sweep_command(const gms_sweep_t *sweep, uint64_t run,
                               const char *directory, char **text_p,
                               char wrong[GMS_YAML_ERROR_LEN]);
/** Returns the value of a run's setting; the arguments are those of
 *  gms_sweep_command(). */
gms_status_t gms_sweep_setting(const gms_sweep_t *sweep,
                               const gms_sweep_setting_t *setting, uint64_t run,
                               char **text_p, char wrong[GMS_YAML_ERROR_LEN]);
/** Quotes a text as one word of the shell.
 *  @return a text that the caller frees, or NULL */
char *gms_sweep_quote(const char *text);

#endif
