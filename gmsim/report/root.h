/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Reads record.json. The list of flows in this file may be hundreds of MB long,
 * and would need ten times as much memory as JSON values. The reader therefore
 * omits the list from the value and parses its members one by one.
 */
#ifndef REPORT_ROOT_H
#define REPORT_ROOT_H

#include <jansson.h>
#include <stdio.h>

#include "report/read.h"

#define GMS_REPORT_ROOT "record.json"

typedef struct gms_report_root {
    FILE *stream;
    /* all members of the file; "flows" is empty, or missing if the file does
     * not contain this list */
    json_t *value;
    uint64_t sum; /* the checksum of the file */
    /* offset of the byte after the opening bracket of the list; -1: there is no
     * list */
    long flows_at;
    uint64_t flows_sum; /* checksum of the list, including its end */
} gms_report_root_t;

/**
 * Reads and checks record.json: size, checksum, JSON, schema. All strings are
 * made printable.
 *
 * @param [in] reader names the directory, and receives errors
 * @param [out] root_p the caller releases it with gms_report_root_close(), even
 *              after an error
 */
void gms_report_root_open(gms_report_reader_t *reader,
                          gms_report_root_t *root_p);

/** Handles a flow of the record. The value is valid only during the call.
 *  @return 1: continue with the next flow */
typedef int gms_report_flow_fn(gms_report_reader_t *reader, size_t index,
                               const json_t *flow, void *arg);
/** Reads all flows in order. It is an error if the list has changed since it
 *  was checked, or if it contains more than GMS_LIMIT_RECORD_ROWS flows. */
void gms_report_root_flows(gms_report_reader_t *reader,
                           const gms_report_root_t *root,
                           gms_report_flow_fn *flow_fn, void *arg);

void gms_report_root_close(gms_report_root_t *root);

#endif
