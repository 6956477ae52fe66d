/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads and checks JSON values for run*.c, root.c and the readers of sweeps.
 * The reader keeps the first error with its message. All values that are read
 * after the first error are empty.
 */
#ifndef REPORT_READ_H
#define REPORT_READ_H

#include <stdio.h>

#include "base/checksum.h"
#include "report/run.h"

struct gms_report_root; /* report/root.h */

/** Tables whose size grows with the length of a run. The memory limit is
 *  divided among them. */
enum gms_report_table {
    GMS_REPORT_FLOW_ROWS = 0,
    GMS_REPORT_NIC_ROWS,
    GMS_REPORT_LINK_ROWS,
    GMS_REPORT_HOST_ROWS,
    GMS_REPORT_WINDOWS, /* must be the last table */
    GMS_REPORT_TABLES
};

/** A flow in the sorted table of keys. */
typedef struct gms_report_flow_entry {
    uint32_t key[6]; /* nodes, ports, priority, label */
    uint32_t index;
} gms_report_flow_entry_t;

typedef struct gms_report_reader {
    const char *directory, *file;
    /* line number in a .jsonl file; 0: the file is one JSON value */
    unsigned line;
    int is_added_up; /* 1: the reader compares the windows with the totals */
    gms_status_t status;
    char *error; /* GMS_REPORT_ERROR_LEN */
    gms_report_run_t *run;
    size_t memory, memory_most; /* number of bytes that the tables use, and its
                                 * maximum */
    uint64_t start; /* initial value of the checksums of .jsonl files */
    /* description of the files in record.json; NULL: none */
    const json_t *files;
    struct {
        uint64_t bytes, lines, sum;
    } lines;            /* counters of the current file, up to the current
                           line */
    uint32_t *index_of; /* flow indices by flow number; filled while the windows
                           are read */
    size_t place_room, flow_room, event_room;
    gms_report_flow_entry_t
        *flow_entries; /* entries of all flows; NULL: not sorted yet */
    /* run_join.c */
    size_t part_room[GMS_REPORT_TABLES],
        part_most[GMS_REPORT_TABLES]; /* rows */
    int is_joined;  /* 1: windows have been joined, so they are longer than in
                     * the record */
    uint32_t *seen; /* index of the last row of each flow, node, link or rank */
    size_t seen_room;
} gms_report_reader_t;

/** Location of a value for messages, such as "flows[3].counters". */
typedef struct gms_report_at {
    const char *list; /* NULL: the whole file or line */
    size_t index;
    const char *part; /* NULL: none */
} gms_report_at_t;

/** Stores an error. @param [in] key the member of the value that `at` names;
 *  NULL: the value itself */
void gms_report_wrong(gms_report_reader_t *reader, const gms_report_at_t *at,
                      const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/** Makes room for one more element in an array, or stores an out-of-memory
 *  error. @return 1: there is room */
int gms_report_room(gms_report_reader_t *reader, void **array_p, size_t *room_p,
                    size_t count, size_t size);
/** Resizes an array to exactly this number of elements. @return 1: the array
 *  now has this length */
int gms_report_resize(gms_report_reader_t *reader, void **array_p,
                      size_t *room_p, size_t room, size_t size);
/** Allocates zeroed memory for a list that may be empty. If memory runs out,
 *  the function stores an error and returns NULL. */
void *gms_report_alloc(gms_report_reader_t *reader, size_t count, size_t size);

/** Stores an error, because the tables need more memory than allowed. */
void gms_report_too_large(gms_report_reader_t *reader);
/** Message for JSON values that exceed their memory limit
 *  (base/json_memory.h). */
#define GMS_REPORT_TOO_LARGE                                                   \
    "too large: its values need more memory than allowed"

/** Reads an integer >= 0. */
uint64_t gms_report_number(gms_report_reader_t *reader,
                           const gms_report_at_t *at, const json_t *object,
                           const char *key);
/** Reads an integer in first..end - 1. */
uint32_t gms_report_below(gms_report_reader_t *reader,
                          const gms_report_at_t *at, const json_t *object,
                          const char *key, uint64_t first, uint64_t end);
/** Reads a number >= 0; the result is 0 if an optional number is missing. */
double gms_report_real(gms_report_reader_t *reader, const gms_report_at_t *at,
                       const json_t *object, const char *key, int is_needed);
/** Reads a string; the result is NULL if an optional string is missing or
 *  null. */
const char *gms_report_text(gms_report_reader_t *reader,
                            const gms_report_at_t *at, const json_t *object,
                            const char *key, int is_needed);
/** Reads a required list or object. After an error, the result is an empty list
 *  or object. */
const json_t *gms_report_list(gms_report_reader_t *reader,
                              const gms_report_at_t *at, const json_t *object,
                              const char *key);
const json_t *gms_report_object(gms_report_reader_t *reader,
                                const gms_report_at_t *at, const json_t *object,
                                const char *key);
/** Reads a list of `count` integers >= 0. @return 1: the list is valid */
int gms_report_numbers(gms_report_reader_t *reader, const gms_report_at_t *at,
                       const json_t *list, uint64_t *numbers, size_t count);

/* ---- check.c ---- */

enum {
    GMS_CHECK_GOOD = 0,
    GMS_CHECK_CUT,    /* the data do not end with a checksum */
    GMS_CHECK_CHANGED /* the checksum does not match */
};
/** The parts of the end of record.json before and after the digits of its
 *  checksum. */
#define GMS_CHECK_HEAD ",\n \"sum\": \""
#define GMS_CHECK_END  "\"}\n"
#define GMS_CHECK_TAIL_BYTES                                                   \
    (sizeof(GMS_CHECK_HEAD) - 1 + GMS_CHECKSUM_DIGITS +                        \
     sizeof(GMS_CHECK_END) - 1)
/** Checks the end of record.json.
 *  @param [in] sum checksum of all bytes before the last GMS_CHECK_TAIL_BYTES
 *  @param [out] sum_p the checksum that the file contains */
int gms_check_root(const char *text, size_t length, uint64_t sum,
                   uint64_t *sum_p);
/** Reads the part of record.json that describes the other files of the
 * record. */
void gms_check_read_files(gms_report_reader_t *reader, const json_t *root,
                          uint64_t own_sum);
/** Check the size of a file, its next line, and its end. Errors are stored in
 *  the reader.
 *  @return 1: the line is unchanged */
void gms_check_size(gms_report_reader_t *reader, const char *file,
                    uint64_t bytes);
int gms_check_line(gms_report_reader_t *reader, const char *text,
                   size_t length);
void gms_check_end(gms_report_reader_t *reader, const char *file);
/** Compares the windows with the totals if the record has an end. */
void gms_check_totals(gms_report_reader_t *reader);

/* ---- run_index.c: sorted tables ---- */

/** Sort the ranks and the labels, for gms_report_rank_at() and
 *  gms_report_label_name(). gms_index_ranks() is called after the ranks are
 *  read, and gms_index_labels() at the end. */
void gms_index_ranks(gms_report_reader_t *reader);
void gms_index_labels(gms_report_reader_t *reader);
/** Finds the index of a flow in the run's list by the flow's key. Call this
 *  function only when all flows are known. The result is GMS_REPORT_NONE if
 *  there is no such flow. */
uint32_t gms_index_flow_of(gms_report_reader_t *reader,
                           const gms_report_flow_t *key);

/* ---- run_join.c: windows within a memory limit ---- */

/** Divides the remaining memory among the tables. Call this function after the
 *  flows have been read and before the windows are read. */
void gms_join_start(gms_report_reader_t *reader);
/** Adds a window that begins where the last window ends. The function may join
 *  the new window to the last window. @return 1: the rows that follow belong to
 *  the last window of the run */
int gms_join_window(gms_report_reader_t *reader, gms_time_t end_ps);
/** Makes room for one more row of the last window, or stores an error. The
 *  indices of existing windows may change. @return 1: there is room */
int gms_join_room(gms_report_reader_t *reader, enum gms_report_table kind);
/** Finishes the joining of windows. Call this function after all windows have
 *  been read. */
void gms_join_end(gms_report_reader_t *reader);

/* ---- the files ---- */

/** Opens a regular file of the directory and returns its size. If an error
 *  occurs, the function stores the error and returns NULL. */
FILE *gms_report_open(gms_report_reader_t *reader, const char *file,
                      uint64_t *bytes_p);
/** Stores an error that states why a file cannot be read. */
void gms_report_system(gms_report_reader_t *reader, const char *file,
                       const char *why);
void gms_report_no_memory(gms_report_reader_t *reader);
/** Makes all strings in a JSON value printable, except for strings that must
 *  remain unchanged: commands, settings, and contents of files. */
void gms_report_clean(gms_report_reader_t *reader, json_t *value);
void gms_report_read_start(gms_report_reader_t *reader, const json_t *root);
/** Reads the data that record.json contains only at the end of a run.
 *  @param [in] root value that the reader's run owns */
void gms_report_read_end(gms_report_reader_t *reader,
                         const struct gms_report_root *root);
void gms_report_read_windows(gms_report_reader_t *reader);
void gms_report_read_events(gms_report_reader_t *reader);
/** Handles a line of a file in the record's directory. */
typedef void gms_report_line_fn(gms_report_reader_t *reader, json_t *line);
void gms_report_read_lines(gms_report_reader_t *reader, const char *file,
                           gms_report_line_fn *line_fn);

#endif
