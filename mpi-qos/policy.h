/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * policy.h - requests that a user makes for a program in a file, without
 * changing the program.
 *
 *     - {from: 0, to: 1, bandwidth: 40 MB/s}
 *     - {from: [2, 3], to: all, class: best-effort, communicator: halo}
 *
 * from, to       ranks in MPI_COMM_WORLD: one, "2..5", a list of these, or
 *                "all"
 * bandwidth      for class premium
 * class          premium (default), best-effort, none (no reservation, and no
 *                later rule for the pair either)
 * message_size   default 65536
 * burst          bytes that may be sent beyond the bandwidth; default: one
 *                message
 * delay, jitter  requested bounds: 2 ms, 250 us; default: none
 * communicator   world (default), any, or a name given with
 *                MPI_Comm_set_name()
 *
 * For every pair of ranks on a communicator the first matching rule decides. A
 * rule for "all" makes one request for all peers, like MPIQOS_ALL_PEERS; a rule
 * with a list makes one request per rank.
 */
#ifndef MPI_QOS_POLICY_H
#define MPI_QOS_POLICY_H

#include <mpi.h>
#include <stddef.h>

/**
 * Read the rules. May be called before MPI_Init().
 *
 * @param [in] rank, size  the caller's place in MPI_COMM_WORLD
 * @return 0, or -1 with the text in error
 */
int mpiqos_policy_read(const char *path, int rank, int size, char *error,
                       size_t error_len);
/** Forget them. */
void mpiqos_policy_clear(void);
/** File of the rules in force; "" without. */
const char *mpiqos_policy_path(void);

/** A communicator has a name; and, once in each rank, where messages can still be
 *  sent: rank 0 tells which rules fitted nothing, if some are for names. */
void mpiqos_policy_saw(const char *name);
void mpiqos_policy_end(void);

/** Device events: apply the rules to a communicator, unless the program itself
 *  has asked for something on it. */
void mpiqos_policy_created(MPI_Comm comm);
void mpiqos_policy_named(MPI_Comm comm);

#endif
