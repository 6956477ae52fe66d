/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the data of a run that are read from its record (doc/record.md). The
 * reader reads and checks the three files of the record's directory. The run
 * owns all data until gms_report_run_destroy(). As in the record, node numbers
 * start at 1, and the numbers of switches, ports, ranks, links and labels start
 * at 0.
 *
 * The reader compares checksums and totals. The reader rejects a record that
 * was truncated or changed, or that contains files of different runs. All
 * strings except commands and settings contain only printable characters
 * (base/printable.h).
 *
 * The record of a killed run lacks its final part, the end. For such a record,
 * is_complete is 0, and end_ps is the end of the last window. In this case, the
 * totals of flows, links and NICs are the sums of the windows. The data that
 * are only in the end of a record are then missing (see has_end of flows).
 */
#ifndef REPORT_RUN_H
#define REPORT_RUN_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/time.h"

#define GMS_REPORT_SCHEMA    4
#define GMS_REPORT_ERROR_LEN 768
#define GMS_REPORT_NONE      UINT32_MAX

typedef struct gms_report_slot {
    uint32_t node, port;
} gms_report_slot_t;

/** Activity of a rank's processor. In the remaining time, the rank waited. */
typedef struct gms_report_host {
    /* the rank's clock when the rank ended; if the record has no end, the end
     * of the run */
    gms_time_t end_ps;
    gms_time_t worked_ps,
        computed_ps; /* time for communication, and time of the program
                        itself */
} gms_report_host_t;

/** One end of a link: a node, or a port of a switch. */
typedef struct gms_report_end {
    int is_node;
    uint32_t index; /* index of the node or the switch */
    uint32_t port;  /* port of the switch */
} gms_report_end_t;

typedef struct gms_report_switch {
    uint32_t ports, level;
} gms_report_switch_t;

typedef struct gms_report_link {
    const char *name; /* name as in a cluster description */
    gms_report_end_t from, to;
    uint64_t bytes; /* payload of the flows; 0 in a record without an end */
    gms_time_t moving_ps, held_ps, blocked_ps;
    uint64_t blocked_packets; /* 0 in a record without an end */
} gms_report_link_t;

/** Stations at which packets spent their time, in the order of
 *  doc/record.md. */
enum gms_report_station {
    GMS_REPORT_HOST = 0,
    GMS_REPORT_PACE,
    GMS_REPORT_QUEUE,
    GMS_REPORT_LANAI,
    GMS_REPORT_HOST_DMA,
    GMS_REPORT_WIRE,
    GMS_REPORT_SWITCH,
    GMS_REPORT_BLOCKED,
    GMS_REPORT_STATIONS
};
/** Keys of the stations, such as "host_ps". */
extern const char *const gms_report_station_keys[GMS_REPORT_STATIONS];

typedef struct gms_report_latency {
    /* start of the step, which ends at the start of the next step */
    gms_time_t from_ps;
    uint64_t packets;
} gms_report_latency_t;

/** A link on the route of a flow. */
typedef struct gms_report_hop {
    uint32_t link;
    uint64_t packets; /* number of packets that waited for the link */
    gms_time_t waited_ps;
} gms_report_hop_t;

typedef struct gms_report_flow {
    uint32_t number; /* number of the flow in the record; 0: the flow has never
                      * sent a packet */
    uint32_t node, port, target_node, target_port, priority, label;
    uint64_t packets_sent, bytes_sent, packets_arrived, bytes_arrived;
    gms_time_t pace_wait_ps; /* value of idt_wait_ps in the record */
    /* the following fields are known only if the record has an end */
    int has_end;
    /* begin and end of the flow's period (see `period' in doc/record.md), and
     * the bytes that arrived in it. The values are 0 if no packet arrived, or if
     * an earlier version wrote the record. */
    gms_time_t first_ps, last_ps;
    uint64_t period_bytes;
    uint64_t packets_resent;
    gms_time_t active_ps;
    gms_time_t times_ps[GMS_REPORT_STATIONS];
    gms_report_latency_t *latency;
    size_t latency_count;
    gms_report_hop_t *hops; /* links in the order of the route */
    size_t hop_count;
    /* 1: the flow has held a reservation, and the fields below are set
     * (nic/delay.h) */
    int has_delay;
    /* 0: the delay or bound does not exist or is unknown */
    gms_time_t asked_delay_ps, bound_ps, worst_delay_ps;
    uint64_t delay_messages, delay_beyond;
} gms_report_flow_t;

/** Parts of a NIC whose busy time is recorded. */
enum gms_report_part {
    GMS_REPORT_NIC_LANAI = 0,
    GMS_REPORT_NIC_HOST_DMA,
    GMS_REPORT_NIC_SEND_DMA,
    GMS_REPORT_NIC_RECEIVE_DMA,
    GMS_REPORT_NIC_PARTS
};

typedef struct gms_report_nic {
    gms_time_t busy_ps[GMS_REPORT_NIC_PARTS];
    /* the following fields are known only if the record has an end */
    uint64_t receive_buffer_waits, packets_resent;
    uint64_t bad_crc_drops, sequence_drops, no_token_drops;
    gms_time_t receive_buffer_wait_ps;
} gms_report_nic_t;

/* ---- windows: lines of windows.jsonl ---- */

typedef struct gms_report_window {
    gms_time_t begin_ps, end_ps; /* begin_ps is the end of the previous
                                  * window */
} gms_report_window_t;

/** Activity of flows, NICs, links and hosts in windows, in the order of the
 *  lines. */
typedef struct gms_report_flow_part {
    uint32_t window, flow; /* indices in the run's lists */
    uint32_t idt_ticks;
    uint64_t bytes, packets, arrived_bytes, wait_ticks;
} gms_report_flow_part_t;

typedef struct gms_report_nic_part {
    uint32_t window, node;
    gms_time_t busy_ps[GMS_REPORT_NIC_PARTS];
} gms_report_nic_part_t;

typedef struct gms_report_link_part {
    uint32_t window, link;
    gms_time_t moving_ps, held_ps, blocked_ps;
} gms_report_link_part_t;

typedef struct gms_report_host_part {
    uint32_t window, rank;
    gms_time_t worked_ps, computed_ps;
} gms_report_host_part_t;

/* ---- events ---- */

enum gms_report_event_kind {
    GMS_REPORT_GRANT = 0,
    GMS_REPORT_DENIAL,
    GMS_REPORT_RELEASE,
    GMS_REPORT_FAULT,
    GMS_REPORT_STALL
};

/** One flow of a request. */
typedef struct gms_report_request {
    uint32_t rank;
    uint32_t flow; /* index in the run's list; GMS_REPORT_NONE: no such flow */
    uint32_t node, port, target_node, target_port, priority, label;
    const char *qos_class; /* "premium", "best-effort", "none" */
    double asked_bytes_s;  /* bandwidth that the NICs must provide */
    /* fraction of the bandwidth that the program's own data use; 0: unknown */
    double payload_part;
    const char *held_class; /* NULL: the flow holds no bandwidth */
    double held_bytes_s;
    uint32_t idt_ticks;
} gms_report_request_t;

typedef struct gms_report_event {
    gms_time_t ps;
    enum gms_report_event_kind kind;
    /* requests of a decision. For a stall, the only element identifies the
     * flow, and its numeric fields are not set */
    gms_report_request_t *requests;
    size_t request_count;
    /* criterion, resource, left_bytes_s, denied and has_no_bounds are set only
     * for denials */
    const char *criterion, *resource; /* resource is NULL if there is none */
    double left_bytes_s;
    uint32_t denied;
    int has_no_bounds; /* 1: no bounds are computed on the cluster */
    const char *fault; /* the fault, in the format of a cluster description */
} gms_report_event_t;

typedef struct gms_report_run {
    char *directory;
    int is_complete;
    /* the reason why the record is incomplete; NULL: the run was killed */
    const char *failed;
    gms_time_t end_ps;
    /* length of a window. If the record's windows do not fit into memory, this
     * length is greater than in the record */
    gms_time_t window_ps;
    /* description is NULL for the default cluster */
    const char *version, *program, *description, *profile;
    const json_t *parameters; /* sorted by name */
    gms_report_slot_t *ranks;
    size_t rank_count;
    struct gms_report_rank_entry *rank_entries; /* sorted, see run_index.c */
    gms_report_host_t *hosts;                   /* one per rank */
    uint32_t nodes;
    gms_report_switch_t *switches;
    size_t switch_count;
    gms_report_link_t *links;
    size_t link_count;
    gms_report_nic_t *nics; /* array, indexed by node - 1 */
    gms_report_flow_t *flows;
    size_t flow_count;
    const json_t *labels;
    struct gms_report_label_entry *label_entries; /* sorted, see run_index.c */
    size_t label_count;
    gms_report_window_t *windows;
    size_t window_count;
    gms_report_flow_part_t *flow_parts;
    size_t flow_part_count;
    gms_report_nic_part_t *nic_parts;
    size_t nic_part_count;
    gms_report_link_part_t *link_parts;
    size_t link_part_count;
    gms_report_host_part_t *host_parts;
    size_t host_part_count;
    gms_report_event_t *events;
    size_t event_count;
    json_t *root, *lines; /* the JSON values that own the strings and numbers of
                           * the run */
} gms_report_run_t;

/**
 * Reads a record. If the record is incomplete, a truncated last line is
 * ignored.
 *
 * @param [out] run_p changed only if the function returns GMS_OK
 * @param [out] error the reason, with file, line or key, and the expected value
 * @return GMS_OK
 * @return GMS_ERR_SYSTEM a file cannot be read
 * @return GMS_ERR_CONFIG a file does not belong to a record, or has another
 *   schema
 * @return GMS_ERR_NO_MEMORY
 */
gms_status_t gms_report_run_load(const char *directory,
                                 gms_report_run_t **run_p,
                                 char error[GMS_REPORT_ERROR_LEN]);
/** Reads two records for a comparison. Both runs together need only slightly
 *  more memory than one run.
 *  @param [out] runs both runs; unchanged or NULL after an error */
gms_status_t gms_report_run_load_pair(const char *const directories[2],
                                      gms_report_run_t *runs[2],
                                      char error[GMS_REPORT_ERROR_LEN]);
/** Like gms_report_run_load(), but with the given memory limit for the tables
 *  instead of GMS_LIMIT_RECORD_MEMORY. If the windows need more memory than
 *  this limit, adjacent windows are joined.
 *  @param [in] memory_most the limit, bytes */
gms_status_t gms_report_run_load_within(const char *directory,
                                        size_t memory_most,
                                        gms_report_run_t **run_p,
                                        char error[GMS_REPORT_ERROR_LEN]);
/** Like gms_report_run_load(), but does not compare windows with totals. Tests
 *  use this function to load records with modified windows or totals, and check
 *  the results. */
gms_status_t gms_report_run_load_parts(const char *directory,
                                       gms_report_run_t **run_p,
                                       char error[GMS_REPORT_ERROR_LEN]);
/** Releases a run. NULL is allowed. */
void gms_report_run_destroy(gms_report_run_t *run);

/** Returns the rank at a node's port, or GMS_REPORT_NONE if there is no
 *  rank. */
uint32_t gms_report_rank_at(const gms_report_run_t *run, uint32_t node,
                            uint32_t port);
/** Returns the name of a label's communicator, or "" if it has no name. */
const char *gms_report_label_name(const gms_report_run_t *run, uint32_t label);
/** Returns a numeric parameter, or 0 if the record does not contain this
 *  parameter. */
uint64_t gms_report_param(const gms_report_run_t *run, const char *name);

#endif
