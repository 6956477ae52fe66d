/* SPDX-License-Identifier: BSD-3-Clause */
/** The shell command that repeats a recorded run. */
#ifndef REPORT_COMMAND_H
#define REPORT_COMMAND_H

#include "report/run.h"

/**
 * The shell command of a run: its settings as variables, GMSIM_RECORD=again, and
 * its programs with their arguments. It can be printed; words with other
 * characters are written as $'..', which bash and most shells know.
 *
 * @return malloc'ed; NULL: the record does not hold the words of all its programs,
 *         or there is no memory
 */
char *gms_report_command(const gms_report_run_t *run);

#endif
