/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the functions of this directory that the patches of MPICH's process manager
 * Hydra call. The script mpich-recipe copies the files of this directory into Hydra's tree
 * and links them with Hydra. hydra.h includes this header at its end. Functions with the
 * prefix gml_ belong to gmqos, all others to Hydra.
 *
 * There are two programs: mpiexec starts a hydra_pmi_proxy, which starts the ranks. For each
 * call of MPI_Comm_spawn, mpiexec starts another proxy, which starts the spawned ranks.
 */
#ifndef ADI_GM_LAUNCHER_LAUNCHER_H
#define ADI_GM_LAUNCHER_LAUNCHER_H

#include <limits.h>
#include <signal.h>

struct HYD_proxy; /* declared in hydra_server.h, which only mpiexec includes */

/* --- signals.c: both programs -------------------------------------------------------- */

/** Seconds until ranks are killed after a signal that ends the job, such as SIGINT. */
#define GML_GRACE_S 5

/** 1 while the job is being ended: all further failures are consequences of the first one,
 * and Hydra does not report them. */
extern volatile int gml_is_ending;

/**
 * Install a handler for the signals that end a job (SIGINT, SIGTERM, SIGHUP and SIGQUIT),
 * and for SIGALRM, which arrives when a time limit has expired. Signals that were ignored
 * when this program was started (nohup) remain ignored.
 */
void gml_set_end_signals(void (*handler)(int, siginfo_t *, void *));

/** Block these signals while the program changes data that the handler reads. Calls can be
 * nested. */
void gml_hold_end_signals(void);
void gml_release_end_signals(void);

/** Give these signals their default actions, and unblock them. */
void gml_default_end_signals(void);

/** Block SIGCHLD, and disable SIGCHLD for stopped children. gml_release_children() unblocks
 * SIGCHLD in a child. */
void gml_hold_children(void);
void gml_release_children(void);

/** Store the name of the job's file in /dev/shm. The environment contains this name. */
void gml_note_job(void);

/** Remove that file: ranks that die early leave it behind. Signal handlers may call
 * this. */
void gml_remove_job(void);

/* --- in_process.c: mpiexec ------------------------------------------------------------ */

/** Note that the command line contains the option -in-process. */
void gml_want_in_process(void);

/** If the command line contains the option -in-process, execute the program gmqos-ranks instead
 * of this program: it runs all ranks in one process. Print an error and exit with status 1 if
 * this is not possible with the other options. */
void gml_run_in_process(void);

/* --- clock.c: both programs ----------------------------------------------------------- */

/** Write the directory that contains the files of gmqos for mpiexec to path.
 * @return 0, or -1 if there is no such directory */
int gml_find_directory(char path[PATH_MAX]);

/** Change the environment of this process, which is about to execute the program of a rank.
 * The program's clock functions will return the simulated time, unless the variable
 * GMSIM_CLOCK is "real".
 * @param [in] is_first  1: print a warning if this is not possible */
void gml_preload_clock(int is_first);

/* --- start.c: both programs ---------------------------------------------------------- */

/**
 * Replace fork() in HYDU_create_process(). The child has default signal actions and
 * does not outlive its parent.
 *
 * @param [in] program  the program that the child executes
 * @param [in] index    a rank's index on its proxy; negative for a proxy
 * @return the same as fork()
 */
int gml_fork(const char *program, int index);

/**
 * Replace execvp() in HYDU_create_process(). The program inherits its standard streams,
 * the descriptor that env_list names as its connection, and the descriptors with which
 * this process was started. A failure is reported once for all ranks of a program; the
 * status is that of a shell, 127 or 126.
 */
void gml_exec(char **arguments, const struct HYD_env *env_list)
    __attribute__((noreturn));

/** Send a signal to all proxies. Signal handlers may call this.
 * @return 1 if there is a proxy that has not been waited for */
int gml_signal_proxy(int signum);

/** Wait for the proxies, without blocking. Signal handlers may call this.
 * @return 1 if all proxies have ended, or none was started */
int gml_has_proxy_ended(void);

/* --- sock.c: both programs ------------------------------------------------------------ */

/** Write data as HYDU_sock_write() does. If the reader has ended, the function sets *closed
 * to 1 and returns success, and no SIGPIPE is raised. */
HYD_status gml_sock_write(int fd, const void *buf, int maxlen, int *sent,
                          int *closed, enum HYDU_sock_comm_flag flag);

/* --- mpiexec_*.c --------------------------------------------------------------------- */

/** Handle the signals that end a job. At exit, end the remaining processes of the
 * job. */
void gml_handle_mpiexec_signals(void);

/** Reject options about real hosts and about ports, and a command line without a program: end
 * with a message. */
void gml_check_options(void);

/** Return the number of ranks, at least 1, that is the value of an option of mpiexec. Print an
 * error and exit with status 1 if the value is not such a number.
 * @param [in] option  name without the dash
 * @param [in] text  NULL: the command line ends after the option */
int gml_number_of_ranks(const char *option, const char *text);

/** Choose a name for the job; its file in /dev/shm has this name. */
HYD_status gml_name_job(void);

/** Pass the hosts that the options name to the ranks, and replace these hosts by this
 *  machine. */
HYD_status gml_simulate_hosts(void);

/** Report that the proxy has ended unexpectedly, and kill the processes that its ranks
 * have started. proxy may be NULL. */
void gml_lose_proxy(const struct HYD_proxy *proxy);

/** Note that a rank of this proxy has failed. Only the first failure of a job counts. */
void gml_note_failure(const struct HYD_proxy *proxy);
/** @return the proxy of the first rank that failed, or NULL */
const struct HYD_proxy *gml_failed_proxy(void);

/** Add variables to the environment of spawned ranks, which may have another working
 *  directory: the values of variables that name files, as absolute paths. */
HYD_status gml_resolve_paths(struct HYD_env **env);

/** @return 0 in the first call and 1 in all later calls, because only the first MPI_Abort
 *  counts */
int gml_is_aborting(void);

/** Forward the output of ranks for 50 ms. */
void gml_forward_output(void);

/* --- proxy_*.c ----------------------------------------------------------------------- */

/** Handle the signals that end a job, and block SIGCHLD, which gml_judge() reads. At
 * exit, remove the job's file. */
void gml_handle_proxy_signals(void);

/**
 * Kill all ranks because one rank has failed. The first call waits 50 ms, in which the
 * other ranks can report the failure. The function does nothing while the job is being
 * ended, because the ranks then have time to end by themselves.
 */
void gml_kill_ranks(void);

/** Do not report the ranks of this proxy, which are about to be killed because a rank of
 * another proxy has failed. Their status is 0. */
void gml_follow(void);

/** Report the first rank that has failed. process and wait_status are results of
 * waitpid(); process may be 0 or -1.
 * @return the status that Hydra must store for this process instead of wait_status */
int gml_judge(int process, int wait_status);

/** Report the rank with this index if it has ended. The rank has closed its connection
 * without calling MPI_Finalize. */
void gml_name_closed(int index);

/** Kill the rank, which has sent a malformed PMI command, and then all other ranks. */
void gml_end_malformed(int index, const char *why);

#endif
