/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Builds the data of the report page as one JSON object that can be drawn
 * directly. Times are in picoseconds of virtual time, rates are in bytes/s of
 * GM payload, and utilisations are from 0 to 1. Node numbers begin at 1; the
 * numbers of ranks, switches, ports and links begin at 0. A flow is named by
 * its number in the record.
 *
 * - title, record (the name of its directory), program, version, complete,
 *   end_ps
 * - `failed`: why the record could not be written completely; else null
 * - `command`: the command that repeats the run; null: not in the record
 * - `policy`: null or {file, text}: requests by the user of the program
 * - `ranks`: [{rank, node, port}]
 * - `cluster`: {description|null, text|null {file, text}, profile, seed,
 *   changed: [{name, value, unit, default, meaning}]}
 * - `topology`: {kind, width, height, nodes, switches, links}
 * - `hosts`: [{rank, worked, computed}]: parts of the run in which the rank's
 *   processor worked for messages, and in which its program computed
 * - `cards`: [{node, lanai, host_dma, send_dma, receive_dma, lanai_series}]
 * - `times_ps`: ends of the buckets of all series, at most 600
 * - `flows`: [..], see below
 * - `others`: null or {flows, bytes, packets, sent_bytes_s, arrived_bytes_s}
 * - `flow_names`: {number: name} of flows to which links refer and that flows
 *   does not contain
 * - `matrix`: null or bytes[source rank][target rank], up to 256 ranks
 * - `decisions`: [{ps, kind, rank, text, flows: [..], asked_bytes_s,
 *   held_bytes_s, target_rank, place, left_bytes_s}]
 * - `faults`: [{ps, text}]
 * - `stalls`: [{ps, text, flow}]
 * - `findings`: [{weight, text, link|flow|node}], the most important finding
 *   first. The text consists of sentences. See report/findings.h.
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
 * - `utilisation`: part of the run in which bytes moved
 * - `held`: part of the run in which a packet held the link
 * - `saturated`: part of the run in windows in which packets held the link for
 *   95 % of the time or more
 * - lost_bytes_s: upper bound of the lost bandwidth (report/lost.h)
 * - lost_least_bytes_s: lower bound of the lost bandwidth
 *
 * The flows of a link are sorted by loss, then by bytes, the largest first; at
 * most 64 are listed. If the record has no end (complete is false), the list is
 * empty.
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
 * effort" if the flow ever had it, else "paced" if it had an IDT, else
 * "unregulated". The mean is the number of arrived bytes, divided by the time
 * between the flow's first and last window. A value of `reserved` applies from
 * its time on; 0 means no reservation. The value is the bandwidth of payload
 * that packets of the flow carry on average. A curve of the flow's bandwidth
 * therefore reaches this value when the flow reaches its pace.
 *
 * Flows are sorted by size, the largest first. The list has at most
 * GMS_DATA_FLOWS flows, and the flows with decisions. The list contains no flow
 * with less than 1 / GMS_DATA_LEAST of all bytes.
 */
#ifndef REPORT_DATA_H
#define REPORT_DATA_H

#include <jansson.h>

#include "report/run.h"

/** Largest number of buckets of a series, and largest number of flows in
 *  addition to the flows with decisions. */
#define GMS_DATA_BUCKETS 600u
#define GMS_DATA_FLOWS   40u
#define GMS_DATA_LEAST   5000u
/** Largest number of flows, including flows with decisions. */
#define GMS_DATA_FLOWS_MAX 120u

/** Build the data of the report page. @return the object, which the caller
 *  owns; NULL: out of memory */
json_t *gms_report_data(const gms_report_run_t *run);

#endif
