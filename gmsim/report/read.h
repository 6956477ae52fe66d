/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private to run*.c, root.c and the readers of sweeps: JSON values, checked
 * when they are read. The first error is kept with its message; after it all
 * values read as empty.
 */
#ifndef REPORT_READ_H
#define REPORT_READ_H

#include <stdio.h>

#include "base/checksum.h"
#include "report/run.h"

struct gms_report_root; /* report/root.h */

/** Tables that grow with the length of a run: their memory is divided among them. */
enum gms_report_table {
    GMS_REPORT_FLOW_ROWS = 0,
    GMS_REPORT_NIC_ROWS,
    GMS_REPORT_LINK_ROWS,
    GMS_REPORT_HOST_ROWS,
    GMS_REPORT_WINDOWS, /* the last one */
    GMS_REPORT_TABLES
};

/** A flow in the order of keys. */
typedef struct gms_report_flow_entry {
    uint32_t key[6]; /* nodes, ports, priority, label */
    uint32_t index;
} gms_report_flow_entry_t;

typedef struct gms_report_reader {
    const char *directory, *file;
    unsigned line;   /* of a file of lines; 0: the file is one value */
    int is_added_up; /* windows are compared with totals */
    gms_status_t status;
    char *error; /* GMS_REPORT_ERROR_LEN */
    gms_report_run_t *run;
    size_t memory, memory_most; /* that tables have and may have, bytes */
    uint64_t start;      /* what checksums of files of lines begin with */
    const json_t *files; /* what record.json says of them; NULL: nothing */
    struct {
        uint64_t bytes, lines, sum;
    } lines;            /* of the file being read, so far */
    uint32_t *index_of; /* of flows, by number; filled by the windows */
    size_t place_room, flow_room, event_room;
    gms_report_flow_entry_t
        *flow_entries; /* of all flows; NULL: not sorted yet */
    /* run_join.c */
    size_t part_room[GMS_REPORT_TABLES],
        part_most[GMS_REPORT_TABLES]; /* rows */
    int is_joined;  /* windows are longer than in the record */
    uint32_t *seen; /* by index of a flow, node, link or rank: its last row */
    size_t seen_room;
} gms_report_reader_t;

/** Where a value is: "flows[3].counters". */
typedef struct gms_report_at {
    const char *list; /* NULL: the whole file or line */
    size_t index;
    const char *part; /* NULL: none */
} gms_report_at_t;

/** Note a mistake. @param [in] key  in what `at` names; NULL: that itself */
void gms_report_wrong(gms_report_reader_t *reader, const gms_report_at_t *at,
                      const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/** Grow an array so that it has room for one more, or note that there is no
 *  memory. @return 1: there is room */
int gms_report_room(gms_report_reader_t *reader, void **array_p, size_t *room_p,
                    size_t count, size_t size);
/** Give an array room for exactly so many. @return 1: it has it */
int gms_report_resize(gms_report_reader_t *reader, void **array_p,
                      size_t *room_p, size_t room, size_t size);
/** Zeroed memory for a list that may be empty; NULL is noted. */
void *gms_report_alloc(gms_report_reader_t *reader, size_t count, size_t size);

/** Note that tables would need more memory than allowed. */
void gms_report_too_large(gms_report_reader_t *reader);
/** Values of JSON have no more memory (base/json_memory.h). */
#define GMS_REPORT_TOO_LARGE                                                   \
    "too large: its values need more memory than allowed"

/** A whole number from 0 on. */
uint64_t gms_report_number(gms_report_reader_t *reader,
                           const gms_report_at_t *at, const json_t *object,
                           const char *key);
/** The same below a limit. */
uint32_t gms_report_below(gms_report_reader_t *reader,
                          const gms_report_at_t *at, const json_t *object,
                          const char *key, uint64_t first, uint64_t end);
/** A number from 0 on; of one that may be missing 0. */
double gms_report_real(gms_report_reader_t *reader, const gms_report_at_t *at,
                       const json_t *object, const char *key, int is_needed);
/** A text; NULL if it may be missing, and is, or is null. */
const char *gms_report_text(gms_report_reader_t *reader,
                            const gms_report_at_t *at, const json_t *object,
                            const char *key, int is_needed);
/** A list or an object that must be there; an empty one after a mistake. */
const json_t *gms_report_list(gms_report_reader_t *reader,
                              const gms_report_at_t *at, const json_t *object,
                              const char *key);
const json_t *gms_report_object(gms_report_reader_t *reader,
                                const gms_report_at_t *at, const json_t *object,
                                const char *key);
/** A list of so many whole numbers from 0 on. @return 1 if it is one */
int gms_report_numbers(gms_report_reader_t *reader, const gms_report_at_t *at,
                       const json_t *list, uint64_t *numbers, size_t count);

/* ---- check.c ---- */

enum {
    GMS_CHECK_GOOD = 0,
    GMS_CHECK_CUT,    /* it does not end with a checksum */
    GMS_CHECK_CHANGED /* the checksum does not fit */
};
/** How record.json ends, around the digits of its checksum. */
#define GMS_CHECK_HEAD ",\n \"sum\": \""
#define GMS_CHECK_END  "\"}\n"
#define GMS_CHECK_TAIL_BYTES                                                   \
    (sizeof(GMS_CHECK_HEAD) - 1 + GMS_CHECKSUM_DIGITS +                        \
     sizeof(GMS_CHECK_END) - 1)
/** The end of record.json.
 *  @param [in] sum  of all bytes before the last GMS_CHECK_TAIL_BYTES
 *  @param [out] sum_p  what the file says it is */
int gms_check_root(const char *text, size_t length, uint64_t sum,
                   uint64_t *sum_p);
/** What record.json says of the other files. */
void gms_check_read_files(gms_report_reader_t *reader, const json_t *root,
                          uint64_t own_sum);
/** A file's bytes, its next line, its end: mistakes are noted.
 *  @return 1: the line is what was written */
void gms_check_size(gms_report_reader_t *reader, const char *file,
                    uint64_t bytes);
int gms_check_line(gms_report_reader_t *reader, const char *text,
                   size_t length);
void gms_check_end(gms_report_reader_t *reader, const char *file);
/** Windows against totals, of a record with an end. */
void gms_check_totals(gms_report_reader_t *reader);

/* ---- run_index.c: sorted tables ---- */

/** Of ranks, when they are read, and of labels, when all is read: for
 *  gms_report_rank_at() and gms_report_label_name(). */
void gms_index_ranks(gms_report_reader_t *reader);
void gms_index_labels(gms_report_reader_t *reader);
/** Index of a flow in the run's list, by its key, when all flows are known;
 *  GMS_REPORT_NONE: there is none. */
uint32_t gms_index_flow_of(gms_report_reader_t *reader,
                           const gms_report_flow_t *key);

/* ---- run_join.c: windows within a given memory ---- */

/** When flows are read and before windows are: divide the remaining memory. */
void gms_join_start(gms_report_reader_t *reader);
/** The next window begins where the last one ended. It may become a part of the last
 *  one. @return 1: the last window of the run is the one to which rows belong */
int gms_join_window(gms_report_reader_t *reader, gms_time_t end_ps);
/** Room for one more row of the last window, or a noted mistake. Windows may have
 *  other numbers afterwards. @return 1: there is room */
int gms_join_room(gms_report_reader_t *reader, enum gms_report_table kind);
/** All windows were read. */
void gms_join_end(gms_report_reader_t *reader);

/* ---- the files ---- */

/** A regular file of the directory and its size; NULL: noted. */
FILE *gms_report_open(gms_report_reader_t *reader, const char *file,
                      uint64_t *bytes_p);
/** Note that a file cannot be read, and why. */
void gms_report_system(gms_report_reader_t *reader, const char *file,
                       const char *why);
void gms_report_no_memory(gms_report_reader_t *reader);
/** Make all texts of a value printable, but those that are kept as they were:
 *  commands, settings, and texts of files. */
void gms_report_clean(gms_report_reader_t *reader, json_t *value);
void gms_report_read_start(gms_report_reader_t *reader, const json_t *root);
/** @param [in] root  its value is the reader's run's */
void gms_report_read_end(gms_report_reader_t *reader,
                         const struct gms_report_root *root);
void gms_report_read_windows(gms_report_reader_t *reader);
void gms_report_read_events(gms_report_reader_t *reader);
/** Call for each line of a file of the folder. */
typedef void gms_report_line_fn(gms_report_reader_t *reader, json_t *line);
void gms_report_read_lines(gms_report_reader_t *reader, const char *file,
                           gms_report_line_fn *line_fn);

#endif
