/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * hints.h - requests and answers in an MPI_Info.
 *
 * The request:  mpiqos_bandwidth     "40 MB/s", "40e6 B/s"
 *               mpiqos_peer          a rank, or "all"
 *               mpiqos_class         premium, best-effort, none (releases)
 *               mpiqos_message_size  bytes
 *               mpiqos_burst         bytes, "64 KiB"
 *               mpiqos_delay         "2 ms", "250 us"
 *               mpiqos_jitter        likewise
 * A missing hint leaves the value of the program's last request, or has the
 * value of MPIQOS_FLOW_INIT.
 *
 * The answer:   mpiqos_state, mpiqos_granted_bandwidth, mpiqos_gm_bandwidth,
 *               mpiqos_idt_ticks, mpiqos_criterion, mpiqos_place, mpiqos_left,
 *               mpiqos_reason; and where a policy has several rules for the
 *               communicator, mpiqos_rules, how many, and each of them in
 *               mpiqos_rule_1, .. as "STATE: REASON". Where they are known:
 *               mpiqos_latency, mpiqos_delay_bound, mpiqos_jitter_bound,
 *               mpiqos_worst_delay, in seconds ("0.00123 s")
 * These are read-only and ignored in a program's hints: the hints of one
 * communicator may therefore be passed to another.
 */
#ifndef MPI_QOS_HINTS_H
#define MPI_QOS_HINTS_H

#include <mpi.h>

/** Device events; see MPIX_GM_Comm_events. */
void mpiqos_hints_given(MPI_Comm comm, MPI_Info info);
void mpiqos_hints_read(MPI_Comm comm, MPI_Info info);

#endif
