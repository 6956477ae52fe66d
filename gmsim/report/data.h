/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Builds the data of the report page as one JSON object, which the page draws
 * without further computation. Times are in picoseconds of virtual time, rates
 * are in bytes/s of GM payload, and utilisations are between 0 and 1. Node
 * numbers start at 1. The numbers of ranks, switches, ports and links start at
 * 0. The object refers to a flow by the flow's number in the record.
 *
 * - title, record (the name of its directory), program, version, complete,
 *   end_ps
 * - `failed`: why the record could not be written completely; otherwise null
 * - `command`: the command that repeats the run; null: not in the record
 * - `policy`: null or {file, text}: requests by the user of the program
 * - `ranks`: [{rank, node, port}]
 * - `cluster`: {description|null, text|null {file, text}, profile,
 *   nic_kind|null, seed, changed: [{name, value, unit, default, meaning}]}
 * - `topology`: {kind, width, height, nodes, switches, links}
 * - `hosts`: [{rank, worked, computed}]: fractions of the run in which the
 *   rank's processor worked on messages, and in which its program computed
 * - `cards`: [{node, lanai, host_dma, send_dma, receive_dma, lanai_series}]
 * - `times_ps`: ends of the buckets of all series, at most 600
 * - `flows`: [..], see below
 * - `others`: null or {flows, bytes, packets, sent_bytes_s, arrived_bytes_s}
 * - `flow_names`: {number: name} of flows to which links refer, but which are
 *   not in flows
 * - `matrix`: null or bytes[source rank][target rank], up to 256 ranks
 * - `decisions`: [{ps, kind, rank, text, flows: [..], asked_bytes_s,
 *   held_bytes_s, target_rank, place, left_bytes_s}]
 * - `faults`: [{ps, text}]
 * - `stalls`: [{ps, text, flow}]
 * - `findings`: [{weight, text, link|flow|node}], the most important finding
 *   first. The text consists of complete sentences. See report/findings.h.
 *
 * Members of topology:
 *
 * - `nodes`: [{node, x, y, ranks: [..]}]
 * - `switches`: [{switch, name, x, y, ports, level}]
 * - `links`: [{link, name, from, to, bytes, utilisation, held, saturated,
 *   blocked_ps, blocked_packets, flows}]
 * - `links.flows`: [{flow, bytes, blocked_ps, lost_bytes_s, lost_least_bytes_s}]
 * - from, to: {node} or {switch, port}
 * - x, y: the unit is the smallest distance between switches; y grows downwards
 * - `utilisation`: fraction of the run in which bytes moved
 * - `held`: fraction of the run in which a packet held the link
 * - `saturated`: fraction of the run that consists of windows in which packets
 *   held the link for 95 % of the time or more
 * - lost_bytes_s: upper bound of the lost bandwidth (report/lost.h)
 * - lost_least_bytes_s: lower bound of the lost bandwidth
 *
 * The flows of a link are sorted by loss and then by bytes, largest first. The
 * list contains at most 64 flows. The list is empty if the record has no end
 * (complete is false).
 *
 * Members of flows:
 *
 * - flow, name, source_rank, target_rank, node, port, target_node, target_port,
 *   label, communicator, class, bytes, packets, mean_bytes_s, peak_bytes_s,
 *   dropped_packets, resent_packets, sent_bytes_s, arrived_bytes_s
 * - `reserved`: null or [[ps, bytes_s]]
 * - `times`: null, or packets and the sums of <station>_ps
 * - `latency`: null or p50_ps, p90_ps, p99_ps, max_ps, histogram [[ps, packets]]
 *
 * A rank is -1 if the port belongs to no rank. The class is "premium" or "best
 * effort" if the flow ever had this class, otherwise "paced" if it had an IDT,
 * otherwise "unregulated". The mean bandwidth is the number of arrived bytes
 * divided by the time between the flow's first and last window. Each value of
 * `reserved` applies from its time onwards; 0 means no reservation. The value
 * is the payload bandwidth that the flow's packets achieve on average. A curve
 * of the flow's bandwidth therefore reaches this value when the flow reaches
 * its pace.
 *
 * Flows are sorted by size, largest first. The list contains at most
 * GMS_DATA_FLOWS flows in addition to the flows with decisions. The list omits
 * flows with less than 1 / GMS_DATA_LEAST of all bytes.
 */
#ifndef REPORT_DATA_H
#define REPORT_DATA_H

#include <jansson.h>

#include "report/run.h"

/** Maximum number of buckets per series, and maximum number of flows in
 *  addition to the flows with decisions. */
#define GMS_DATA_BUCKETS 600u
#define GMS_DATA_FLOWS   40u
#define GMS_DATA_LEAST   5000u
/** Maximum number of flows, including flows with decisions. */
#define GMS_DATA_FLOWS_MAX 120u

/** Build the data of the report page. @return the object, which the caller
 *  owns; NULL: out of memory */
json_t *gms_report_data(const gms_report_run_t *run);

#endif
