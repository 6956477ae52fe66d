/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * policy.h - reads and applies a policy file: requests that a user makes for a
 * program without a change to the program.
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
 * Delete all rules.
 */
int mpiqos_policy_read(const char *path, int rank, int size, char *error,
                       size_t error_len);
/** Return the path of the active policy file; "" if there is none. */
void mpiqos_policy_clear(void);
/** Store the name of a communicator for the warnings that mpiqos_policy_end()
 *  prints. */
const char *mpiqos_policy_path(void);

/** If the policy has rules for named communicators, print on rank 0 a warning
 *  for every rule that had no effect. */
void mpiqos_policy_saw(const char *name);
/** Every rank calls this function once, while the library can still send
 *  messages. Apply the rules to a communicator (on a device event), unless the
 *  program itself has made a request on this communicator. */
void mpiqos_policy_end(void);

/** Find the first rule for the caller's accesses to a file. */
void mpiqos_policy_created(MPI_Comm comm);
void mpiqos_policy_named(MPI_Comm comm);
/**
 * @param [in] writes 1: rules from the caller to io; 0: rules from io to the
 * caller
 *
 * @param [in] writes  1: rules from the caller to io, 0: from io to the caller
 * @param [out] bytes_s_p  0 if the class of the rule is `none`
 * @param [out] bytes_s_p the bandwidth; 0 if the class of the rule is CODE
 */
int mpiqos_policy_file(const char *name, int writes, double *bytes_s_p,
                       unsigned *line_p);

#endif
