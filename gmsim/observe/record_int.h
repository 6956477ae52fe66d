/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * This header is private to record*.c. It declares the state of a record in the
 * arena (flows, NICs, ranks, files) and the functions that these files share.
 */
#ifndef OBSERVE_RECORD_INT_H
#define OBSERVE_RECORD_INT_H

#include <jansson.h>
#include <stddef.h>

#include "base/json_text.h"
#include "nic/flow.h"
#include "nic/packet.h"
#include "observe/record.h"

#define GMS_RECORD_FILE         "record.json"
#define GMS_RECORD_WINDOWS_FILE "windows.jsonl"
#define GMS_RECORD_EVENTS_FILE  "events.jsonl"
#define GMS_RECORD_FLOWS        "flows"
#define GMS_RECORD_SCHEMA       4

/** A process writes its lines to the file when this buffer is full. The process
 *  also writes its lines at the end of a window if the oldest line has waited
 *  for GMS_RECORD_KEEP_MS of real time. If the run is killed, the lines in the
 *  buffer are lost. */
#define GMS_RECORD_BUFFER_BYTES 65536u
#define GMS_RECORD_KEEP_MS      50u

/** Counters of a NIC at the time when its last line was written. */
typedef struct gms_record_nic {
    uint64_t lanai_ps, host_dma_ps, send_dma_ps, receive_dma_ps;
    uint64_t busy_ps; /* sum of the four times above */
    /* number of packets that the NIC's flows had sent at that time; UINT64_MAX:
     * a packet of these flows has arrived since then, so the flows must be
     * examined */
    uint64_t flow_packets;
} gms_record_nic_t;

/** Busy time of a rank's processor. */
typedef struct gms_record_host {
    gms_time_t times_ps[GMS_BUSY_KINDS];
} gms_record_host_t;

/** Number of steps in the latency table, which begins at 1 us and has 4 steps
 *  between two powers of 2. */
#define GMS_RECORD_LATENCIES 96u

/** Number and total duration of the waits of a flow's packets for a link. */
typedef struct gms_record_wait {
    uint64_t packets;
    gms_time_t waited_ps;
} gms_record_wait_t;

/** The time in which a flow sends. Programs often send a few bytes long before
 *  or after their data, for example in a barrier or when they free a
 *  communicator. These bytes do not belong to this time, because otherwise a
 *  flow that sends for 3 ms could have the bandwidth of a flow that sends for 5
 *  ms. */
typedef struct gms_record_period {
    /* time of the send call of the first packet that arrived, and arrival time
     * of the last packet */
    gms_time_t first_ps, last_ps;
    /* the first pause: the time at which it ended, and the bytes before it;
     * 0: no pause */
    gms_time_t resumed_ps;
    uint64_t bytes_before;
    /* the last pause: the time at which it began, and the bytes before it;
     * 0: no pause */
    gms_time_t paused_ps;
    uint64_t bytes_until;
} gms_record_period_t;

/** Compute the begin and the end of the period.
 *  @param [in] bytes all bytes of the flow that have arrived
 *  @return the bytes that arrived in the period */
uint64_t gms_record_period_get(const gms_record_period_t *period,
                               uint64_t bytes, gms_time_t *first_ps_p,
                               gms_time_t *last_ps_p);

/** Recorded state of a flow, in the arena. */
typedef struct gms_record_flow {
    /* number of the flow, counting from 1, in the order of the flows' first
     * trace points */
    uint32_t number;
    /* values of the counters at the end of the last window */
    uint64_t packets, bytes, packets_arrived, bytes_arrived, idt_wait_ticks;
    gms_record_period_t period;
    /* sums over the packets that have arrived */
    gms_path_times_t path; /* includes the times in the fields below */
    gms_time_t queue_ps, blocked_ps;
    gms_time_t in_switches_ps; /* part of blocked_ps */
    uint64_t latency[GMS_RECORD_LATENCIES];
    gms_record_wait_t *waits; /* array, indexed by link of the route; NULL: no
                               * waits */
    int is_known;             /* 1: a line of windows.jsonl contains the flow's
                               * key */
    /* record_delay.c: the largest delay bound since bound_from_ps, the start of
     * the measurement */
    gms_time_t bound_ps, bound_from_ps;
} gms_record_flow_t;

/** Name of a label, given by one or more ranks. */
typedef struct gms_record_label {
    struct gms_record_label *next; /* next name in the list, which is sorted by
                                    * label */
    uint32_t label, rank;
    char name[GMS_RECORD_NAME_LEN];
} gms_record_label_t;

/** Fraction of a flow's bandwidth that the program's own data use. */
typedef struct gms_record_payload {
    struct gms_record_payload *next;
    uint32_t node;
    gms_flow_key_t key;
    double part;
} gms_record_payload_t;

/** State of a file of lines. */
typedef struct gms_record_file {
    uint64_t bytes, lines;
    uint64_t sum; /* checksum of all bytes before the tail of the last line */
    int error;    /* errno of the first write that failed, or 0 */
} gms_record_file_t;

/** The words of a rank's command, each with its final 0. */
typedef struct gms_record_command {
    char *words; /* NULL: unknown */
    size_t bytes;
} gms_record_command_t;

struct gms_record {
    uint32_t flows; /* number of numbered flows */
    gms_record_file_t files[GMS_RECORD_FILES];
    uint64_t start;                 /* checksum of the initial record.json */
    gms_record_command_t *commands; /* array, indexed by rank */
    size_t used;
    size_t summed;            /* number of buffer bytes that the checksum
                               * covers */
    uint64_t since_ms;        /* real time of the first line in the buffer */
    gms_time_t line_ps;       /* end of the last line */
    gms_time_t end_ps;        /* end of the run; 0: still unknown */
    gms_record_nic_t *nics;   /* array, indexed by node */
    gms_link_use_t *links;    /* array, indexed by number of the link; values at
                               * the end of the last window */
    gms_busy_t *busy;         /* activity of the ranks since the last line */
    gms_record_host_t *hosts; /* array, indexed by rank; values at the end of
                               * the last window */
    gms_record_label_t *labels;
    gms_record_payload_t *payloads; /* newest entry first */
    char buffer[GMS_RECORD_BUFFER_BYTES];
};

/** Return the recorded state of a flow, or NULL if the arena is full. */
gms_record_flow_t *gms_record_flow_of(gms_ctx_t *ctx, gms_record_t *record,
                                      gms_flow_t *flow);
/** Record the arrival of a packet. */
void gms_record_arrival(gms_ctx_t *ctx, gms_record_t *record,
                        const gms_packet_t *packet);
/** Record the bounds of reservations after a decision. */
void gms_record_bounds(const gms_record_subject_t *subject,
                       const gms_account_t *account);
/** Return the largest delay bound of a flow with a delay record since the
 *  flow's measurement began; 0: unknown. */
gms_time_t gms_record_delay_bound(const gms_flow_t *flow);
/** Return the smallest latency that belongs to a step of the latency table. */
gms_time_t gms_record_latency_ps(unsigned step);
/** Write all bytes. @return 0, or -1 with errno set */
int gms_record_write(int file, const char *text, size_t bytes);

/* ---- line-based files: record_file.c ---- */

/** Length of the longest end of a line: ,"sum":"0123456789abcdef"} and a
 *  line feed. */
#define GMS_RECORD_TAIL_BYTES 27u
extern const char *const gms_record_file_names[GMS_RECORD_FILES];
/** Create the empty files, none of which may exist. The checksums of the files
 *  begin with the checksum of record.json.
 *  @return GMS_OK, GMS_ERR_SYSTEM with errno set */
gms_status_t gms_record_make_files(int directory, gms_record_t *record,
                                   uint64_t sum);
/** Append to a file. gms_record_is_lost() reports failures. */
void gms_record_append(gms_recorder_t *recorder, enum gms_record_which which,
                       const char *text, size_t bytes);
/** Add bytes to the checksum of a file. */
void gms_record_add_sum(gms_recorder_t *recorder, enum gms_record_which which,
                        const char *text, size_t bytes);
/** Create the end of a line from the checksum, which covers the beginning of
 *  the line. The caller must then add these bytes to the checksum.
 *  @return number of bytes */
size_t gms_record_end_line(gms_recorder_t *recorder,
                           enum gms_record_which which,
                           char tail[GMS_RECORD_TAIL_BYTES + 1]);
/** Return the object "files", which is added to record.json after the end of
 *  the run. */
json_t *gms_record_files(const gms_record_t *record);
/** Return 1 if lines could not be written, and store the reason in `why'. */
int gms_record_is_lost(const gms_record_t *record, char *why, size_t room);

/* ---- commands and settings: record_command.c ---- */

/** Return the objects "job.commands" and "settings" of record.json. At the
 *  start of a run, the argument ranks is 1, because the set of other commands
 *  that are known at this time varies from run to run. */
json_t *gms_record_commands(const gms_record_t *record, unsigned ranks);
/** Return the object "job.ranks" of record.json. */
json_t *gms_record_ranks(const gms_record_subject_t *subject);
json_t *gms_record_settings(void);
/** Return an object with the path and the text of a file. Return null if the
 *  file does not exist or is too large for a description. */
json_t *gms_record_text_of(const char *path);

/** Find the links on a flow's route, starting at a node. @return number of
 *  links; 0 for a route within a host */
unsigned gms_record_route_links(const gms_record_subject_t *subject,
                                unsigned node, const gms_flow_t *flow,
                                const uint32_t **links_p);
/** Append the list of flows to record.json. */
void gms_record_add_flows(gms_json_text_t *text,
                          const gms_record_subject_t *subject,
                          gms_time_t now_ps);
/** Replace record.json, or leave it unchanged after an error. The function
 *  releases root. Unless the string `flows' is NULL, it replaces the item
 *  GMS_RECORD_FLOWS of root. The file ends with its own checksum.
 *  @param [out] sum_p  this checksum; may be NULL
 *  @return GMS_OK, GMS_ERR_SYSTEM with errno set */
gms_status_t gms_record_save(int directory, json_t *root,
                             const gms_json_text_t *flows, uint64_t *sum_p);
/** Record that the head of a packet has waited for a link. */
void gms_record_blocked(gms_ctx_t *ctx, gms_record_t *record,
                        const gms_fabric_blocked_t *blocked);
/** Return the name of a label, or "" if the label has no name. */
const char *gms_record_label_name(const gms_record_t *record, uint32_t label);
/** Return the fraction that gms_record_note_payload() has stored for a flow, or
 *  0 if it has stored none. */
double gms_record_payload_part(const gms_record_t *record, uint32_t node,
                               const gms_flow_key_t *key);
/** Return the list of labels of record.json. */
json_t *gms_record_labels(const gms_record_t *record);

#endif
