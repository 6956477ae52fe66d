/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Largest sizes of input files. Every reader of files that people or other
 * programs write takes its limits from here: none needs more than 512 MB of
 * memory, or more than a second per MB of input.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

/** Bytes of a file in YAML: a description is a page of text.
 *  [chosen: 20 times the largest of clusters/] */
#define GMS_LIMIT_YAML_BYTES ((size_t)1 << 20)
/** Bytes of a text from which a sweep takes its results. */
#define GMS_LIMIT_TEXT_BYTES ((size_t)64 << 20)
/** Lists and mappings within each other, in YAML and JSON. libyaml needs time
 *  that grows with the square of the depth. [chosen: four times what the
 *  deepest file format here has] */
#define GMS_LIMIT_DEPTH 32u

/** Bytes of record.json: its flows are read one by one. [chosen: as many flows
 *  as are allowed, with twice the bytes that each has on a large Clos network] */
#define GMS_LIMIT_RECORD_BYTES ((size_t)1 << 30)
/** Bytes of record.json without its flows. */
#define GMS_LIMIT_ROOT_BYTES ((size_t)64 << 20)
/** Bytes of a line of windows.jsonl or events.jsonl. */
#define GMS_LIMIT_LINE_BYTES ((size_t)16 << 20)
/** Bytes that values of JSON may occupy in memory, all together. [chosen: with the tables
 *  of a record and the names of its flows below 512 MB] */
#define GMS_LIMIT_JSON_MEMORY ((size_t)208 << 20)
/** Bytes of the tables that are made of a record. [chosen: 512 ranks that all
 *  send to each other on a Clos network need 200 MB] */
#define GMS_LIMIT_RECORD_MEMORY ((size_t)224 << 20)
/** The same where two records are compared: values of JSON of both, and tables of
 *  each. [chosen: 350 ranks that all send to each other on a Clos network] */
#define GMS_LIMIT_COMPARE_JSON_MEMORY   ((size_t)112 << 20)
#define GMS_LIMIT_COMPARE_RECORD_MEMORY ((size_t)112 << 20)
/** Bytes of a line of a file of traffic, and lines of one.
 *  [chosen: an hour of video, 60 frames a second, forty times] */
#define GMS_LIMIT_TRAFFIC_LINE_BYTES ((size_t)4096)
#define GMS_LIMIT_TRAFFIC_LINES      ((size_t)1 << 23)

/** Flows, links, switches or hosts of a record: a million rows are more than
 *  any page shows. [chosen] */
#define GMS_LIMIT_RECORD_ROWS (1u << 18)
/** Ranks of a record, and hosts, as of a job. */
#define GMS_LIMIT_RECORD_RANKS 65536u

#endif
