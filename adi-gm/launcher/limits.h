/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Names the limits of the shell (ulimit) that are too low for a job. The launcher and
 * the ranks fail in many places when a limit is reached, some of them before any code
 * of gmqos runs. Therefore mpiexec checks the limits, and that /proc is mounted, once,
 * when it ends with an error. Knows nothing else of the launcher.
 */
#ifndef ADI_GM_LAUNCHER_LIMITS_H
#define ADI_GM_LAUNCHER_LIMITS_H

/**
 * At the end of this process, if its status is not 0, print a line on standard error for
 * each limit that is too low, and one if /proc is missing. Ends the process if its stack
 * is too small to continue. Call it before files are opened: open files that the process
 * has inherited count.
 *
 * @param [in] ranks  number of ranks, read at the end of the process
 */
void gml_explain_limits_at_exit(int *ranks);

#endif
