/* SPDX-License-Identifier: BSD-3-Clause */
/** Composes the shell command that repeats a recorded run. */
#ifndef REPORT_COMMAND_H
#define REPORT_COMMAND_H

#include "report/run.h"

/**
 * Returns the shell command of a run, which consists of its settings as
 * environment variables, GMSIM_RECORD=again, and its programs with their
 * arguments. The command is printable: words with other characters are quoted
 * as $'..', which bash and most other shells accept.
 *
 * @return malloc'ed; NULL: the record lacks some arguments of a program, or
 *         memory is exhausted
 */
char *gms_report_command(const gms_report_run_t *run);

#endif
