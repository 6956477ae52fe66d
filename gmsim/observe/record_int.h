/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private to record*.c: the state of a record in the arena (flows, NICs, ranks,
 * files) and the functions that its files share.
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

/** Lines are written when this is full, or with the first window that ends so
 *  long (real time) after they were made: what a killed run loses. */
#define GMS_RECORD_BUFFER_BYTES 65536u
#define GMS_RECORD_KEEP_MS      50u

/** What a card had done when it was last looked at. */
typedef struct gms_record_nic {
    uint64_t lanai_ps, host_dma_ps, send_dma_ps, receive_dma_ps;
    uint64_t busy_ps;      /* all of these */
    uint64_t flow_packets; /* sent by its flows; UINT64_MAX: look at them, some
                              have arrived since */
} gms_record_nic_t;

/** How long a rank's processor has been busy. */
typedef struct gms_record_host {
    gms_time_t times_ps[GMS_BUSY_KINDS];
} gms_record_host_t;

/** Latencies of packets by size: 4 steps to the double, from 1 us on. */
#define GMS_RECORD_LATENCIES 96u

/** How often and how long a flow's packets waited for a link. */
typedef struct gms_record_wait {
    uint64_t packets;
    gms_time_t waited_ps;
} gms_record_wait_t;

/** What is kept of a flow, in the arena. */
typedef struct gms_record_flow {
    uint32_t number; /* from 1, in the order in which they were first seen */
    /* when the last window ended */
    uint64_t packets, bytes, packets_arrived, bytes_arrived, idt_wait_ticks;
    /* of its packets that have arrived */
    gms_path_times_t path; /* with these: */
    gms_time_t queue_ps, blocked_ps;
    gms_time_t in_switches_ps; /* of blocked_ps */
    uint64_t latency[GMS_RECORD_LATENCIES];
    gms_record_wait_t *waits; /* by link of its way; NULL: there were none */
    int is_known;             /* a window has said who it is */
    gms_time_t bound_ps;      /* record_delay.c: largest delay bound since .. */
    gms_time_t bound_from_ps; /* start of its measurement */
} gms_record_flow_t;

/** Name of a label, which one or several ranks gave. */
typedef struct gms_record_label {
    struct gms_record_label *next; /* by label */
    uint32_t label, rank;
    char name[GMS_RECORD_NAME_LEN];
} gms_record_label_t;

/** What part of a flow's bandwidth is its program's own data. */
typedef struct gms_record_payload {
    struct gms_record_payload *next;
    uint32_t node;
    gms_flow_key_t key;
    double part;
} gms_record_payload_t;

/** What a file of lines has so far. */
typedef struct gms_record_file {
    uint64_t bytes, lines;
    uint64_t sum; /* of all bytes but the tail of the last line */
    int error;    /* errno of the first write that failed, or 0 */
} gms_record_file_t;

/** The words of a rank's command, each with its final 0. */
typedef struct gms_record_command {
    char *words; /* NULL: not known */
    size_t bytes;
} gms_record_command_t;

struct gms_record {
    uint32_t flows; /* numbered so far */
    gms_record_file_t files[GMS_RECORD_FILES];
    uint64_t start; /* checksum of record.json as the run began */
    gms_record_command_t *commands; /* by rank */
    size_t used;
    size_t summed;            /* bytes of the buffer that are in the checksum */
    uint64_t since_ms;        /* real time of the first line in the buffer */
    gms_time_t line_ps;       /* end of the last line */
    gms_record_nic_t *nics;   /* by node */
    gms_link_use_t *links;    /* by number, when the last window ended */
    gms_busy_t *busy;         /* what ranks do; since the last line */
    gms_record_host_t *hosts; /* by rank, when the last window ended */
    gms_record_label_t *labels;
    gms_record_payload_t *payloads; /* the last one told first */
    char buffer[GMS_RECORD_BUFFER_BYTES];
};

/** What is kept of a flow; NULL: the arena is full. */
gms_record_flow_t *gms_record_flow_of(gms_ctx_t *ctx, gms_record_t *record,
                                      gms_flow_t *flow);
/** A packet has arrived. */
void gms_record_arrival(gms_ctx_t *ctx, gms_record_t *record,
                        const gms_packet_t *packet);
/** A decision has changed the bounds of reservations. */
void gms_record_bounds(const gms_record_subject_t *subject,
                       const gms_account_t *account);
/** Largest delay bound since a flow's measurement began, of a flow that has a
 *  delay record; 0: not known. */
gms_time_t gms_record_delay_bound(const gms_flow_t *flow);
/** Least latency that a place of the table stands for. */
gms_time_t gms_record_latency_ps(unsigned step);
/** Write all of it. @return 0, or -1 with errno set */
int gms_record_write(int file, const char *text, size_t bytes);

/* ---- files of lines: record_file.c ---- */

/** Longest end of a line: ,"sum":"0123456789abcdef"} and a line feed. */
#define GMS_RECORD_TAIL_BYTES 27u
extern const char *const gms_record_file_names[GMS_RECORD_FILES];
/** Make them, empty; a file that is there already is an error. Checksums begin
 *  with that of record.json. @return GMS_OK, GMS_ERR_SYSTEM with errno set */
gms_status_t gms_record_make_files(int directory, gms_record_t *record,
                                   uint64_t sum);
/** Write to the end of a file; a failure is kept for gms_record_is_lost(). */
void gms_record_append(gms_recorder_t *recorder, enum gms_record_which which,
                       const char *text, size_t bytes);
/** The file's next bytes, for its checksum. */
void gms_record_add_sum(gms_recorder_t *recorder, enum gms_record_which which,
                        const char *text, size_t bytes);
/** The last bytes of a line whose first ones are in the checksum; these are to be
 *  added to it next. @return how many */
size_t gms_record_end_line(gms_recorder_t *recorder,
                           enum gms_record_which which,
                           char tail[GMS_RECORD_TAIL_BYTES + 1]);
/** What record.json says of them at the end. */
json_t *gms_record_files(const gms_record_t *record);
/** 1 if lines could not be written, and why. */
int gms_record_is_lost(const gms_record_t *record, char *why, size_t room);

/* ---- commands and settings: record_command.c ---- */

/** What ran: "job.commands" and "settings" of record.json. At the begin only the
 *  first rank's command is written: which others are known is chance. */
json_t *gms_record_commands(const gms_record_t *record, unsigned ranks);
json_t *gms_record_settings(void);
/** A file's text with its path; null if there is none, or it is too large to be a
 *  description. */
json_t *gms_record_text_of(const char *path);

/** Links of a flow's way from a node. @return how many; 0 within a host, or
 *  unused */
unsigned gms_record_route_links(const gms_record_subject_t *subject,
                                unsigned node, const gms_flow_t *flow,
                                const uint32_t **links_p);
/** The list of flows, as record.json has it. */
void gms_record_add_flows(gms_json_text_t *text,
                          const gms_record_subject_t *subject,
                          gms_time_t now_ps);
/** Replace record.json, or leave it as it was; takes root over. What root has as
 *  GMS_RECORD_FLOWS is that text, unless it is NULL. The file ends with its own
 *  checksum. @param [out] sum_p  that; NULL: not wanted
 *  @return GMS_OK, GMS_ERR_SYSTEM with errno set */
gms_status_t gms_record_save(int directory, json_t *root,
                             const gms_json_text_t *flows, uint64_t *sum_p);
/** A head has waited. */
void gms_record_blocked(gms_ctx_t *ctx, gms_record_t *record,
                        const gms_fabric_blocked_t *blocked);
/** The name of a label; "": it has none. */
const char *gms_record_label_name(const gms_record_t *record, uint32_t label);
/** What was noted of a flow; 0: nothing. */
double gms_record_payload_part(const gms_record_t *record, uint32_t node,
                               const gms_flow_key_t *key);
/** All names, as record.json has them. */
json_t *gms_record_labels(const gms_record_t *record);

#endif
