/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares the state of the reader of ping-pong tables, for table*.c. */
#ifndef FIT_TABLE_INT_H
#define FIT_TABLE_INT_H

#include "fit/table.h"

typedef struct gms_fit_reader {
    const char *path;
    size_t line;
    gms_fit_table_t *table;
    const gms_fit_where_t *where;        /* NULL: all rows */
    const struct gms_fit_format *format; /* NULL: the format has not been
                                          * recognised yet */
    int is_inside; /* 1: the first line of the table has been read */
    int is_over;   /* 1: the table has ended, and later lines are ignored */
    /* for CSV: index of each column; -1: the column is absent */
    int bytes_column, time_column, low_column, high_column, where_column;
    double factor; /* for CSV: half the round-trip time = factor * value of the
                    * column */
    char *error;
} gms_fit_reader_t;

/** A format of tables. */
typedef struct gms_fit_format {
    const char *name, *statistic;
    /** Return 1 if a file that contains this line has this format. */
    int (*is_mine)(const char *line);
    /** Read a line, which has no newline character.
     *  @return GMS_OK, GMS_ERR_CONFIG with a message */
    gms_status_t (*read)(gms_fit_reader_t *reader, char *line);
} gms_fit_format_t;

extern const gms_fit_format_t gms_fit_netgauge, gms_fit_netgauge_short,
    gms_fit_osu, gms_fit_imb, gms_fit_pingpong, gms_fit_csv;

/** Write "FILE:LINE: " and a message. If the line is 0, the message refers to
 *  the whole file.
 *  @return GMS_ERR_CONFIG */
gms_status_t gms_fit_table_fail(gms_fit_reader_t *reader, size_t line,
                                const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Add a row. A row of 0 bytes is counted but not stored.
 *  @param [in] low, high  quartiles as strings; NULL: unknown
 *  @param [in] factor     half the round-trip time = factor * number
 *  @return GMS_OK, GMS_ERR_CONFIG */
gms_status_t gms_fit_table_add(gms_fit_reader_t *reader, const char *bytes,
                               const char *time, const char *low,
                               const char *high, double factor);

/** Split a line into words at spaces and tabs.
 *  @return number of words; at most `most` are stored */
size_t gms_fit_table_words(char *line, char **words, size_t most);

#endif
