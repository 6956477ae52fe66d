/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Names the limits of the shell (ulimit) that are too low for a job. When a limit is
 * reached, many different operations of the launcher and of the ranks can fail, some of
 * them before code of gmqos runs. Therefore mpiexec checks once, when it ends with an
 * error, whether the limits are high enough and /proc is mounted. This file depends on
 * no other file of the launcher.
 */
#ifndef ADI_GM_LAUNCHER_LIMITS_H
#define ADI_GM_LAUNCHER_LIMITS_H

/**
 * Register a function that runs at the end of this process. If the exit status is not
 * 0, it prints a line on standard error for each limit that is too low, and one if
 * /proc is missing. Ends the process immediately if its stack is too small to continue.
 * Call this function before files are opened, because it counts the open files that the
 * process has inherited.
 *
 * @param [in] ranks  number of ranks, read at the end of the process
 */
void gml_explain_limits_at_exit(int *ranks);

#endif
