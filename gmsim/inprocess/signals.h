/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Handles the signals that end the job. Because all ranks share one process, a
 * signal that ends a rank ends all ranks.
 */
#ifndef GMI_SIGNALS_H
#define GMI_SIGNALS_H

/**
 * Report the rank in which a fault occurs, and exit with the number of the signal.
 * Before another signal ends the job, remove the file of the arena. If
 * MPIEXEC_TIMEOUT is set, end the job after this number of seconds. Signals that
 * are ignored (nohup) remain ignored.
 * @param [in] file  path of the arena, which must remain valid
 */
void gmi_signals_watch(const char *file);

/** Give these signals their default actions in a process that a rank has
 *  forked. */
void gmi_signals_reset(void);

#endif
