/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * hints.h - converts an MPI_Info to a request, and an answer to an MPI_Info.
 *
 * The keys of a request are:
 *
 *     mpiqos_bandwidth     "40 MB/s", "40e6 B/s"
 *     mpiqos_peer          a rank, or "all"
 *     mpiqos_class         premium, best-effort, none (releases)
 *     mpiqos_message_size  bytes
 *     mpiqos_burst         bytes, "64 KiB"
 *     mpiqos_delay         "2 ms", "250 us"
 *     mpiqos_jitter        likewise
 *
 * If a hint is missing, the value from the program's last request applies;
 * without such a request, the value of MPIQOS_FLOW_INIT applies.
 *
 * The keys of every answer are mpiqos_state, mpiqos_granted_bandwidth,
 * mpiqos_gm_bandwidth, mpiqos_idt_ticks, mpiqos_criterion, mpiqos_place,
 * mpiqos_left and mpiqos_reason. An answer also has mpiqos_latency,
 * mpiqos_delay_bound, mpiqos_jitter_bound and mpiqos_worst_delay in seconds
 * ("0.00123 s"), if these values are known. If several rules of a policy apply
 * to the communicator, mpiqos_rules is the number of these rules, and
 * mpiqos_rule_1, .. contain the answers to the rules as "STATE: REASON".
 *
 * The library ignores keys of answers among a program's hints. A program may
 * therefore pass the hints of one communicator to another.
 */
#ifndef MPI_QOS_HINTS_H
#define MPI_QOS_HINTS_H

#include <mpi.h>

/** Events that the device reports; see MPIX_GM_Comm_events. */
void mpiqos_hints_given(MPI_Comm comm, MPI_Info info);
void mpiqos_hints_read(MPI_Comm comm, MPI_Info info);

#endif
