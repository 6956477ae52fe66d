/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Checks the commands that a rank sends to its launcher, before the launcher's own code
 * reads them, because that code relies on complete arguments. This file does not depend
 * on the launcher. Patch 0021 calls its function, and tests/fuzz/parse_pmi.c tests the
 * function separately.
 */
#ifndef ADI_GM_LAUNCHER_PMI_CHECK_H
#define ADI_GM_LAUNCHER_PMI_CHECK_H

#include <stddef.h>

typedef enum pmi_check {
    PMI_CHECK_PART,     /**< the end of the command has not arrived yet */
    PMI_CHECK_WHOLE,    /**< the first command is complete and well formed */
    PMI_CHECK_MALFORMED /**< not the beginning of a valid command */
} pmi_check_t;

/**
 * Check the first command of the bytes that a rank has sent so far.
 *
 * A command is a line of PMI-1, "cmd=NAME KEY=VALUE ..\n", without zero bytes. NAME is
 * a command that ranks send. All keys that it requires are present, each with a value.
 * The command that adds processes to a job consists of several lines: "mcmd=spawn\n",
 * lines "KEY=VALUE\n", and "endcmd\n".
 *
 * @param [in]  text     the received bytes; a final 0 is not required
 * @param [in]  bytes    number of bytes in text
 * @param [in]  room     the largest possible value of bytes; a command whose end is not
 *                       within these bytes is malformed
 * @param [out] length   length of the first command with its '\n'; only for
 *                       PMI_CHECK_WHOLE
 * @param [out] why      the fault, a constant text; only for PMI_CHECK_MALFORMED
 */
pmi_check_t pmi_check_command(const char *text, size_t bytes, size_t room,
                              size_t *length, const char **why);

#endif
