/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * What the patches of MPICH's process manager Hydra call in this directory. The recipe
 * copies these files into Hydra's tree and links them with Hydra; hydra.h includes this
 * header at its end. Functions with the prefix gml_ are ours, all others are Hydra's.
 *
 * There are two programs: mpiexec starts one hydra_pmi_proxy, which starts the ranks.
 */
#ifndef ADI_GM_LAUNCHER_LAUNCHER_H
#define ADI_GM_LAUNCHER_LAUNCHER_H

#include <signal.h>

struct HYD_proxy; /* of hydra_server.h, which only mpiexec includes */

/* --- signals.c: both programs -------------------------------------------------------- */

/** Seconds that ranks have to end after SIGINT and its kin; then they are killed. */
#define GML_GRACE_S 5

/** The job is being ended: all failures from now on are consequences, which Hydra does
 * not report. */
extern volatile int gml_is_ending;

/**
 * Install a handler of the signals that end a job: SIGINT, SIGTERM, SIGHUP and SIGQUIT;
 * and of SIGALRM, which reports that the time is over. Signals that this program was
 * started to ignore (nohup) stay ignored.
 */
void gml_set_end_signals(void (*handler)(int, siginfo_t *, void *));

/** Block these signals, because the handler must not see what is being changed. Calls
 * nest. */
void gml_hold_end_signals(void);
void gml_release_end_signals(void);

/** Give these signals their default actions, and unblock them. */
void gml_default_end_signals(void);

/** Block SIGCHLD, but not for children that stop; and undo that in a child. */
void gml_hold_children(void);
void gml_release_children(void);

/** Remember the job's file in /dev/shm, whose name is in the environment. */
void gml_note_job(void);

/** Remove that file, which ranks leave that die early. Signal handlers may call this. */
void gml_remove_job(void);

/* --- start.c: both programs ---------------------------------------------------------- */

/**
 * Take the place of fork() in HYDU_create_process(). The child has default signal
 * actions and does not outlive its parent.
 *
 * @param [in] program  what the child executes
 * @param [in] index    a rank's index on its proxy; negative for a proxy
 * @return as fork()
 */
int gml_fork(const char *program, int index);

/**
 * Take the place of execvp() in HYDU_create_process(). The program inherits its standard
 * streams, the descriptor that env_list names as its connection, and what this process
 * was started with. A failure is reported once for all ranks of a program; the status is
 * that of a shell, 127 or 126.
 */
void gml_exec(char **arguments, const struct HYD_env *env_list)
    __attribute__((noreturn));

/** Send a signal to the proxy. Signal handlers may call this.
 * @return 1 if there is a proxy that has not been waited for */
int gml_signal_proxy(int signum);

/** Wait for the proxy, without blocking. Signal handlers may call this.
 * @return 1 if there is none any more */
int gml_has_proxy_ended(void);

/* --- sock.c: both programs ------------------------------------------------------------ */

/** As HYDU_sock_write(); but a reader that has ended is no failure and causes no SIGPIPE:
 * closed is then 1. */
HYD_status gml_sock_write(int fd, const void *buf, int maxlen, int *sent,
                          int *closed, enum HYDU_sock_comm_flag flag);

/* --- mpiexec_*.c --------------------------------------------------------------------- */

/** Handle the signals that end a job. At exit, end what is left of the job. */
void gml_handle_mpiexec_signals(void);

/** Refuse options about real hosts and about ports: end with a message. */
void gml_check_options(void);

/** Give the job a name, after which its file in /dev/shm is named. */
HYD_status gml_name_job(void);

/** Pass the hosts of the options on to the ranks, and put this machine in their place. */
HYD_status gml_simulate_hosts(void);

/** Report that the proxy is lost, and kill the processes that its ranks have started.
 * proxy may be NULL. */
void gml_lose_proxy(const struct HYD_proxy *proxy);

/** @return 1 from the second call on: only the first MPI_Abort counts */
int gml_is_aborting(void);

/** Forward what ranks have written, for 50 ms. */
void gml_forward_output(void);

/* --- proxy_*.c ----------------------------------------------------------------------- */

/** Handle the signals that end a job, and block SIGCHLD, which gml_judge() reads. At exit, remove the job's file. */
void gml_handle_proxy_signals(void);

/**
 * Kill all ranks, because one has failed: the first time after 50 ms, in which the others
 * can report it. Not while the job is being ended: ranks then end in their own time.
 */
void gml_kill_ranks(void);

/** Decide what counts of the status that waitpid() returned; name the first rank that has
 * failed. process may be 0 or -1. */
int gml_judge(int process, int wait_status);

/** Name the rank if it has ended: it has closed its connection without MPI_Finalize. */
void gml_name_closed(int index);

/** Kill the rank, which has sent no PMI command, and then all others. */
void gml_end_malformed(int index, const char *why);

#endif
