/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Checks what a rank sends to its launcher, before the launcher's own code reads it:
 * that code takes arguments for granted. It knows nothing of the launcher. Patch 0021
 * calls it there, and tests/fuzz/parse_pmi.c tests it.
 */
#ifndef ADI_GM_LAUNCHER_PMI_CHECK_H
#define ADI_GM_LAUNCHER_PMI_CHECK_H

#include <stddef.h>

typedef enum pmi_check {
    PMI_CHECK_PART,     /**< the command's end has not come yet */
    PMI_CHECK_WHOLE,    /**< the first command is complete and well formed */
    PMI_CHECK_MALFORMED /**< it is none, or can never be one */
} pmi_check_t;

/**
 * Look at the first command of what a rank has sent so far.
 *
 * A command is a line of PMI-1, "cmd=NAME KEY=VALUE ..\n", without bytes 0. NAME is one
 * that ranks send, with the keys that it needs, each with a value.
 *
 * @param [in]  text     bytes; need not end with a 0
 * @param [in]  bytes    their number
 * @param [in]  room     the most that bytes can become; a command that has no end within
 *                       these is malformed
 * @param [out] length   of the first command with its '\n'; only for PMI_CHECK_WHOLE
 * @param [out] why      for PMI_CHECK_MALFORMED, what is wrong; a constant text
 */
pmi_check_t pmi_check_command(const char *text, size_t bytes, size_t room,
                              size_t *length, const char **why);

#endif
