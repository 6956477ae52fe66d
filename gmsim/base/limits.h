/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Defines the largest sizes of input files. All readers of files that are
 * written by people or by other programs use these limits. No reader needs more
 * than 512 MB of memory, or more than a second per MB of input.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

/** Largest number of bytes of a YAML file. A typical description is one page of
 *  text. [chosen: 20 times the largest file in clusters/] */
#define GMS_LIMIT_YAML_BYTES ((size_t)1 << 20)
/** Largest number of bytes of a text from which a sweep reads its results. */
#define GMS_LIMIT_TEXT_BYTES ((size_t)64 << 20)
/** Largest nesting depth of lists and mappings in YAML and JSON. The time that
 *  libyaml needs grows with the square of this depth. [chosen: four times the
 *  depth of the deepest file format of this project] */
#define GMS_LIMIT_DEPTH 32u

/** Largest number of bytes of record.json, whose flows are read one at a time.
 *  [chosen: enough for the allowed number of flows, if each flow needs twice as
 *  many bytes as on a large Clos network] */
#define GMS_LIMIT_RECORD_BYTES ((size_t)1 << 30)
/** Largest number of bytes of record.json without its flows. */
#define GMS_LIMIT_ROOT_BYTES ((size_t)64 << 20)
/** Largest number of bytes of a line of windows.jsonl or events.jsonl. */
#define GMS_LIMIT_LINE_BYTES ((size_t)16 << 20)
/** Largest number of bytes of all JSON values in memory. [chosen: these values,
 *  the tables of a record, and the names of its flows together need less than
 *  512 MB] */
#define GMS_LIMIT_JSON_MEMORY ((size_t)208 << 20)
/** Largest number of bytes of the tables that are built from a record. [chosen:
 *  512 ranks that all send to each other on a Clos network need 200 MB] */
#define GMS_LIMIT_RECORD_MEMORY ((size_t)224 << 20)
/** Limits for a comparison of two records: bytes of the JSON values of both
 *  records together, and bytes of the tables of each record. [chosen: enough
 *  for 350 ranks that all send to each other on a Clos network] */
#define GMS_LIMIT_COMPARE_JSON_MEMORY   ((size_t)112 << 20)
#define GMS_LIMIT_COMPARE_RECORD_MEMORY ((size_t)112 << 20)
/** Maximum number of bytes in a line of a traffic file, and maximum number of
 *  lines. [chosen: the lines are enough for 38 hours of video with 60 frames
 *  per second] */
#define GMS_LIMIT_TRAFFIC_LINE_BYTES ((size_t)4096)
#define GMS_LIMIT_TRAFFIC_LINES      ((size_t)1 << 23)

/** Largest number of flows, links, switches or hosts of a record. [chosen: more
 *  rows than any page shows] */
#define GMS_LIMIT_RECORD_ROWS (1u << 18)
/** Largest number of ranks and of hosts of a record; the same limit applies to
 *  a job. */
#define GMS_LIMIT_RECORD_RANKS 65536u

#endif
