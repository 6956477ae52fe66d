/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * policy.h - reads and applies a policy file, with which a user requests
 * bandwidth for an unmodified program.
 *
 *     - {from: 0, to: 1, bandwidth: 40 MB/s}
 *     - {from: [2, 3], to: all, class: best-effort, communicator: halo}
 *
 * The keys of a rule are:
 *
 *     from, to       ranks in MPI_COMM_WORLD: one, "2..5", a list of these, or
 *                    "all"; one side can be "io", the I/O hosts
 *     bandwidth      for class premium
 *     class          premium (default), best-effort, none (no reservation;
 *                    later rules for the pair do not apply either)
 *     message_size   default 65536
 *     burst          bytes that may be sent in addition to bandwidth x time;
 *                    default: one message
 *     delay, jitter  requested bounds: 2 ms, 250 us; default: none
 *     communicator   world (default), any, or a name given with
 *                    MPI_Comm_set_name()
 *     file           with "io": a pattern of names of files (default: all)
 *
 * For each pair of ranks on a communicator, the first matching rule applies. A
 * rule for "all" becomes one request for all peers, like MPIQOS_ALL_PEERS. A
 * rule with a list of ranks becomes one request per rank.
 */
#ifndef MPI_QOS_POLICY_H
#define MPI_QOS_POLICY_H

#include <mpi.h>
#include <stddef.h>

/**
 * Read the rules. The function may be called before MPI_Init().
 *
 * @param [in] rank, size  the caller's rank in MPI_COMM_WORLD, and its size
 * @return 0, or -1 with the message in error
 */
int mpiqos_policy_read(const char *path, int rank, int size, char *error,
                       size_t error_len);
/** Delete all rules. */
void mpiqos_policy_clear(void);
/** Return the path of the active policy file; "" if there is none. */
const char *mpiqos_policy_path(void);

/** Store the name of a communicator for the warnings that mpiqos_policy_end()
 *  prints. */
void mpiqos_policy_saw(const char *name);
/** If the policy has rules for named communicators, print a warning on rank 0
 *  for every rule that had no effect. Every rank calls this function once,
 *  while the library can still send messages. */
void mpiqos_policy_end(void);

/** Apply the rules to a communicator (on a device event), unless the program
 *  itself has made a request on this communicator. */
void mpiqos_policy_created(MPI_Comm comm);
void mpiqos_policy_named(MPI_Comm comm);
/**
 * Find the first rule for the caller's accesses to a file.
 *
 * @param [in] writes  1: search rules from the caller to io; 0: search rules
 *   from io to the caller
 * @param [out] bytes_s_p  the bandwidth; 0 if the class of the rule is `none`
 * @return 1; 0 if no rule applies (bytes_s_p and line_p unchanged)
 */
int mpiqos_policy_file(const char *name, int writes, double *bytes_s_p,
                       unsigned *line_p);

#endif
