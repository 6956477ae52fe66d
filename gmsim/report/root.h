/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Reader of record.json. Its list of flows may have hundreds of MB, which would
 * need ten times as much memory as JSON values. The list is therefore left out
 * of the value, and its members are read one by one.
 */
#ifndef REPORT_ROOT_H
#define REPORT_ROOT_H

#include <jansson.h>
#include <stdio.h>

#include "report/read.h"

#define GMS_REPORT_ROOT "record.json"

typedef struct gms_report_root {
    FILE *stream;
    json_t *
        value; /* all members; its "flows" is empty, or missing as in the file */
    uint64_t sum;  /* the file's own checksum */
    long flows_at; /* byte behind the list's bracket; -1: there is no list */
    uint64_t flows_sum; /* checksum of the list, its end included */
} gms_report_root_t;

/**
 * Read and check record.json: size, checksum, JSON, schema. Texts are printable.
 *
 * @param [in]  reader  names the directory; mistakes are noted in it
 * @param [out] root_p  release it with gms_report_root_close(), also after a mistake
 */
void gms_report_root_open(gms_report_reader_t *reader,
                          gms_report_root_t *root_p);

/** Call for a flow; the value lives as long as the call.
 *  @return 1: go on with the next one */
typedef int gms_report_flow_fn(gms_report_reader_t *reader, size_t index,
                               const json_t *flow, void *arg);
/** Read the flows, from the first one. Mistakes are noted: a list that changed
 *  since it was checked, more flows than GMS_LIMIT_RECORD_ROWS. */
void gms_report_root_flows(gms_report_reader_t *reader,
                           const gms_report_root_t *root,
                           gms_report_flow_fn *flow_fn, void *arg);

void gms_report_root_close(gms_report_root_t *root);

#endif
