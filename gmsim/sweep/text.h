/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Replaces names in braces in texts. The text {NAME} is replaced by the value
 * of the name, and {{NAME}} is replaced by the literal text {NAME}. The text
 * ${NAME} is a shell variable and does not change. Other braces have no
 * meaning.
 */
#ifndef SWEEP_TEXT_H
#define SWEEP_TEXT_H

#include "sweep/sweep.h"

/** Returns the value of a name, or NULL if the name does not exist. */
typedef const char *gms_sweep_lookup_fn(void *context, const char *name);

/** Checks whether a text may be the name of a value or result. */
int gms_sweep_is_name(const char *text);

/**
 * Inserts values into a text without quotes.
 *
 * @param [out] text_p resulting text, which the caller frees
 * @param [out] wrong the reason of the failure, without the file and line
 * @return GMS_OK, GMS_ERR_NOT_FOUND (wrong is then the name alone),
 *         GMS_ERR_NO_MEMORY
 */
gms_status_t gms_sweep_fill(const char *template, gms_sweep_lookup_fn *lookup,
                            void *context, char **text_p,
                            char wrong[GMS_YAML_ERROR_LEN]);
/**
 * Inserts values into a shell command line. Each value is quoted as its
 * position requires: outside quotes, in '..', in ".." or in $(..). Therefore
 * the shell always treats a value as text and never as a command, regardless of
 * its characters.
 *
 * If a command passes a value to another shell (sh -c, eval, ssh), the command
 * itself must quote the value once more. Passing the value as an argument is
 * better: sh -c 'a "$1"' x {v}.
 *
 * @return the same values as gms_sweep_fill(); GMS_ERR_CONFIG: a quote is not
 *   closed, or a value is at a position where it cannot be quoted. Values are
 *   not allowed within backquotes. A value with special characters is also not
 *   allowed within or after a here-document, $'..', ${..} with more than a
 *   name, arithmetic, or case.
 */
gms_status_t gms_sweep_fill_command(const char *template,
                                    gms_sweep_lookup_fn *lookup, void *context,
                                    char **text_p,
                                    char wrong[GMS_YAML_ERROR_LEN]);
/** Returns the command line of a run. Runs are counted from 0. The run's files
 *  are in `directory`.
 *  @return the same values as gms_sweep_fill_command() */
gms_status_t gms_sweep_command(const gms_sweep_t *sweep, uint64_t run,
                               const char *directory, char **text_p,
                               char wrong[GMS_YAML_ERROR_LEN]);
/** Returns the value of a run's setting. The arguments are those of
 *  gms_sweep_command(). */
gms_status_t gms_sweep_setting(const gms_sweep_t *sweep,
                               const gms_sweep_setting_t *setting, uint64_t run,
                               char **text_p, char wrong[GMS_YAML_ERROR_LEN]);
/** Quotes a text as one shell word.
 *  @return the text, which the caller frees, or NULL */
char *gms_sweep_quote(const char *text);

#endif
