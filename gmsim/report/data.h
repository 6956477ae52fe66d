/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * All data that the page of a report shows, ready to draw, as one JSON object.
 * Times are picoseconds of virtual time, rates bytes/s of GM payload,
 * utilisations 0..1. Nodes count from 1; ranks, switches, ports, links from 0;
 * a flow is named by its number in the record.
 *
 *   title, record (its directory's name), program, version, complete, end_ps
 *   failed|null  why it is not complete, if it could not be written
 *   command|null the command that repeats the run; null: not in the record
 *   policy|null  {file, text}: requests that the program's user made
 *   ranks      [{rank, node, port}]
 *   cluster    {description|null, text|null {file, text}, profile, seed,
 *               changed: [{name, value, unit, default, meaning}]}
 *   topology   {kind, width, height,
 *               nodes: [{node, x, y, ranks: [..]}],
 *               switches: [{switch, name, x, y, ports, level}],
 *               links: [{link, name, from, to, bytes, utilisation, held,
 *                        saturated, blocked_ps, blocked_packets,
 *                        flows: [{flow, bytes, blocked_ps, lost_bytes_s,
 *                                 lost_least_bytes_s}]}]}
 *              from, to: {node} or {switch, port}. x, y: 1 is the least pitch of
 *              switches, y grows downwards. utilisation: part of the run in
 *              which bytes moved; held: part in which a packet held the link;
 *              saturated: part in windows in which it was held for 95 % or more.
 *              lost: at most and at least (report/lost.h).
 *              flows: largest loss, then most bytes first; at most 64 of a link.
 *              Without an end (complete false) flows is empty.
 *   hosts      [{rank, worked, computed}]: parts of the run in which it worked for
 *              messages, and in which its program computed
 *   cards      [{node, lanai, host_dma, send_dma, receive_dma, lanai_series}]
 *   times_ps   ends of the buckets of all series, at most 600
 *   flows      [{flow, name, source_rank, target_rank, node, port,
 *                target_node, target_port, label, communicator, class, bytes,
 *                packets, mean_bytes_s, peak_bytes_s, dropped_packets,
 *                resent_packets, sent_bytes_s, arrived_bytes_s,
 *                reserved|null: [[ps, bytes_s]], times|null, latency|null}]
 *              Ranks are -1 where no rank has the port. class: "premium" or
 *              "best effort" if the flow ever was, else "paced" if it had an IDT,
 *              else "unregulated". mean: arrived bytes, over the time between its
 *              first and last window. reserved holds from a time on, 0: nothing;
 *              it is in payload that the flow's packets carry on average:
 *              the curve reaches it when the pace is reached.
 *              times: packets, and sums of <station>_ps; latency: p50_ps,
 *              p90_ps, p99_ps, max_ps, histogram [[ps, packets]]
 *              Largest first; at most GMS_DATA_FLOWS and those with decisions;
 *              none with less than 1 / GMS_DATA_LEAST of all bytes.
 *   others     null or {flows, bytes, packets, sent_bytes_s, arrived_bytes_s}
 *   flow_names {number: name} of those that links name and flows does not have
 *   matrix     null or bytes[source rank][target rank], up to 256 ranks
 *   decisions  [{ps, kind, rank, text, flows: [..], asked_bytes_s,
 *                held_bytes_s, target_rank, place, left_bytes_s}]
 *   faults     [{ps, text}]; stalls [{ps, text, flow}]
 *   findings   [{weight, text, link|flow|node}], most important first; the text
 *              is a sentence. report/findings.h
 */
#ifndef REPORT_DATA_H
#define REPORT_DATA_H

#include <jansson.h>

#include "report/run.h"

/** Most buckets of a series, and flows beside those with decisions. */
#define GMS_DATA_BUCKETS 600u
#define GMS_DATA_FLOWS   40u
#define GMS_DATA_LEAST   5000u
/** Most flows of all. */
#define GMS_DATA_FLOWS_MAX 120u

/** @return the object, the caller's; NULL: out of memory */
json_t *gms_report_data(const gms_report_run_t *run);

#endif
