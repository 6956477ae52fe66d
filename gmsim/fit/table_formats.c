/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the formats of ping-pong tables. Programs that start MPI jobs mix their
 * own messages with the output of a benchmark. Therefore, the readers of
 * benchmark output ignore lines that do not begin with a digit. The CSV reader
 * does not ignore such lines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "fit/table_int.h"

#define GMS_FIT_WORDS   32u
#define GMS_FIT_COLUMNS 64u

static int gms_fit_begins_with(const char *line, const char *text)
{
    return strncmp(line, text, strlen(text)) == 0;
}

/** Return 1 if the first word of a line begins with a digit. */
static int gms_fit_is_row(const char *line)
{
    line += strspn(line, " \t");
    return line[0] >= '0' && line[0] <= '9';
}

/* ---- netgauge, pattern one_one ---- */

/* The file that netgauge writes has the median of half the round-trip time in
 * word 12 of 20. A line is "1 - .. - 1.5 1.6 1.6 2.9 (0.1 4) - ..".
 * With -v, the standard output has lines without the parentheses, and the
 * median in word 10 of 16. [source: netgauge, ptrn_one_one.cpp] */
static int gms_fit_netgauge_is_mine(const char *line)
{
    return gms_fit_begins_with(line, "## Netgauge");
}

static gms_status_t gms_fit_netgauge_read(gms_fit_reader_t *reader, char *line)
{
    char *words[GMS_FIT_WORDS];
    size_t count;

    if (!gms_fit_is_row(line)) {
        return GMS_OK;
    }
    count = gms_fit_table_words(line, words, GMS_FIT_WORDS);
    if (count == 20 && strcmp(words[1], "-") == 0 &&
        strcmp(words[8], "-") == 0) {
        return gms_fit_table_add(reader, words[0], words[11], NULL, NULL, 1);
    }
    if (count == 16 && strcmp(words[1], "-") == 0 &&
        strcmp(words[6], "-") == 0) {
        return gms_fit_table_add(reader, words[0], words[9], NULL, NULL, 1);
    }
    return gms_fit_table_fail(reader, reader->line,
                              "the line is not a row of netgauge's pattern "
                              "one_one; allowed: 'SIZE - ..'");
}

const gms_fit_format_t gms_fit_netgauge = {.name = "netgauge",
                                           .statistic = "median",
                                           .is_mine = gms_fit_netgauge_is_mine,
                                           .read = gms_fit_netgauge_read};

/* Without -v, netgauge prints "1 bytes -> 1.59 us == 4.93 Mbit/s", in which the
 * time is the minimum. */
static int gms_fit_netgauge_short_is_mine(const char *line)
{
    return gms_fit_is_row(line) && strstr(line, " bytes ") != NULL &&
           strstr(line, "-> ") != NULL && strstr(line, " us ") != NULL;
}

static gms_status_t gms_fit_netgauge_short_read(gms_fit_reader_t *reader,
                                                char *line)
{
    char *words[GMS_FIT_WORDS];
    size_t count;

    if (!gms_fit_is_row(line)) {
        return GMS_OK;
    }
    count = gms_fit_table_words(line, words, GMS_FIT_WORDS);
    if (count < 5 || strcmp(words[1], "bytes") != 0 ||
        strcmp(words[2], "->") != 0 || strcmp(words[4], "us") != 0) {
        return gms_fit_table_fail(reader, reader->line,
                                  "the line is not a row of netgauge; allowed: "
                                  "'SIZE bytes -> TIME us ..'");
    }
    return gms_fit_table_add(reader, words[0], words[3], NULL, NULL, 1);
}

const gms_fit_format_t gms_fit_netgauge_short = {
    .name = "netgauge",
    .statistic = "minimum",
    .is_mine = gms_fit_netgauge_short_is_mine,
    .read = gms_fit_netgauge_short_read};

/* ---- OSU micro-benchmarks: osu_latency ---- */

static int gms_fit_osu_is_mine(const char *line)
{
    return line[0] == '#' && strstr(line, "OSU") != NULL &&
           strstr(line, "Latency Test") != NULL;
}

static gms_status_t gms_fit_osu_read(gms_fit_reader_t *reader, char *line)
{
    char *words[GMS_FIT_WORDS];

    /* ignore numbers before the header line of the table */
    reader->is_inside =
        reader->is_inside ||
        (line[0] == '#' && strstr(line, "Size") != NULL &&
         strstr(line, "Latency") != NULL && strstr(line, "(us)") != NULL);
    if (!reader->is_inside || !gms_fit_is_row(line)) {
        return GMS_OK;
    }
    if (gms_fit_table_words(line, words, GMS_FIT_WORDS) < 2) {
        return gms_fit_table_fail(
            reader, reader->line,
            "the line is not a row of osu_latency; allowed: 'SIZE TIME'");
    }
    return gms_fit_table_add(reader, words[0], words[1], NULL, NULL, 1);
}

const gms_fit_format_t gms_fit_osu = {.name = "osu_latency",
                                      .statistic = "average",
                                      .is_mine = gms_fit_osu_is_mine,
                                      .read = gms_fit_osu_read};

/* ---- Intel MPI Benchmarks: PingPong ---- */

static int gms_fit_imb_is_mine(const char *line)
{
    return line[0] == '#' && strstr(line, "Benchmarking PingPong") != NULL;
}

static gms_status_t gms_fit_imb_read(gms_fit_reader_t *reader, char *line)
{
    char *words[GMS_FIT_WORDS];

    if (!reader->is_inside) {
        reader->is_inside =
            strstr(line, "#bytes") != NULL && strstr(line, "t[usec]") != NULL;
        return GMS_OK;
    }
    /* a file can contain other benchmarks after PingPong */
    reader->is_over = strstr(line, "# Benchmarking") != NULL;
    if (reader->is_over || !gms_fit_is_row(line)) {
        return GMS_OK;
    }
    if (gms_fit_table_words(line, words, GMS_FIT_WORDS) < 4) {
        return gms_fit_table_fail(reader, reader->line,
                                  "the line is not a row of IMB PingPong; "
                                  "allowed: '#bytes #repetitions "
                                  "t[usec] Mbytes/sec'");
    }
    return gms_fit_table_add(reader, words[0], words[2], NULL, NULL, 1);
}

const gms_fit_format_t gms_fit_imb = {.name = "IMB PingPong",
                                      .statistic = "average",
                                      .is_mine = gms_fit_imb_is_mine,
                                      .read = gms_fit_imb_read};

/* ---- CSV ---- */

/** Split a line at commas. Spaces around a cell are removed.
 *  @return number of cells; at most GMS_FIT_COLUMNS are stored */
static size_t gms_fit_cells(char *line, char *cells[GMS_FIT_COLUMNS])
{
    size_t count = 0;
    char *cell;

    while ((cell = strsep(&line, ",")) != NULL) {
        char *end = cell + strlen(cell);

        cell += strspn(cell, " \t");
        while (end > cell && (end[-1] == ' ' || end[-1] == '\t')) {
            *--end = '\0';
        }
        if (count < GMS_FIT_COLUMNS) {
            cells[count] = cell;
        }
        ++count;
    }
    return count;
}

/** Find the columns in the header line of the table. */
static gms_status_t gms_fit_csv_head(gms_fit_reader_t *reader, char **cells,
                                     size_t count)
{
    static const struct {
        const char *name;
        size_t offset;
        double factor; /* factor 0 marks a column that is not a time */
    } columns[] = {
        {"bytes", offsetof(gms_fit_reader_t, bytes_column), 0},
        {"half_round_trip_us", offsetof(gms_fit_reader_t, time_column), 1},
        {"median_us", offsetof(gms_fit_reader_t, time_column), 1},
        {"round_trip_us", offsetof(gms_fit_reader_t, time_column), 0.5},
        {"q25_us", offsetof(gms_fit_reader_t, low_column), 0},
        {"q75_us", offsetof(gms_fit_reader_t, high_column), 0},
    };
    size_t i, j;

    reader->bytes_column = reader->time_column = -1;
    reader->low_column = reader->high_column = reader->where_column = -1;
    for (i = 0; i < count; ++i) {
        for (j = 0; j < sizeof(columns) / sizeof(columns[0]); ++j) {
            int *column_p = (int *)((char *)reader + columns[j].offset);

            if (strcmp(cells[i], columns[j].name) != 0) {
                continue;
            }
            if (*column_p >= 0) {
                return gms_fit_table_fail(
                    reader, reader->line,
                    "the column %s, or a column with the same meaning, is "
                    "given twice",
                    columns[j].name);
            }
            *column_p = (int)i;
            reader->factor =
                columns[j].factor > 0 ? columns[j].factor : reader->factor;
        }
        if (reader->where != NULL &&
            strcmp(cells[i], reader->where->column) == 0) {
            reader->where_column = (int)i;
        }
    }
    if (reader->bytes_column < 0 || reader->time_column < 0) {
        return gms_fit_table_fail(
            reader, reader->line,
            "a column is missing; required: bytes, and half_round_trip_us or "
            "round_trip_us; optional: q25_us, q75_us");
    }
    if (reader->where != NULL && reader->where_column < 0) {
        return gms_fit_table_fail(reader, reader->line,
                                  "the table has no column '%.80s'",
                                  reader->where->column);
    }
    reader->is_inside = 1;
    return GMS_OK;
}

/** Return the cell of an optional column, or NULL. */
static const char *gms_fit_csv_cell(char *const *cells, size_t count,
                                    int column)
{
    return column >= 0 && (size_t)column < count ? cells[column] : NULL;
}

static gms_status_t gms_fit_csv_read(gms_fit_reader_t *reader, char *line)
{
    char *cells[GMS_FIT_COLUMNS];
    size_t count, least;

    if (line[0] == '#' || line[strspn(line, " \t")] == '\0') {
        return GMS_OK;
    }
    count = gms_fit_cells(line, cells);
    count = count < GMS_FIT_COLUMNS ? count : GMS_FIT_COLUMNS;
    if (!reader->is_inside) {
        return gms_fit_csv_head(reader, cells, count);
    }
    least = (size_t)(reader->bytes_column > reader->time_column
                         ? reader->bytes_column
                         : reader->time_column);
    if (count <= least) {
        return gms_fit_table_fail(
            reader, reader->line,
            "the number of columns is %zu; required: at least %zu", count,
            least + 1);
    }
    if (reader->where != NULL) {
        const char *cell = gms_fit_csv_cell(cells, count, reader->where_column);

        if (cell == NULL || !gms_fit_begins_with(cell, reader->where->text)) {
            return GMS_OK;
        }
    }
    return gms_fit_table_add(
        reader, cells[reader->bytes_column], cells[reader->time_column],
        gms_fit_csv_cell(cells, count, reader->low_column),
        gms_fit_csv_cell(cells, count, reader->high_column), reader->factor);
}

/* Other lines with commas can precede the output of a benchmark. */
static int gms_fit_csv_is_mine(const char *line)
{
    return line[0] != '#' && strchr(line, ',') != NULL &&
           strstr(line, "bytes") != NULL && strstr(line, "_us") != NULL;
}

const gms_fit_format_t gms_fit_csv = {.name = "CSV",
                                      .statistic = "time",
                                      .is_mine = gms_fit_csv_is_mine,
                                      .read = gms_fit_csv_read};

/* ---- mpi-pingpong --csv ---- */

static int gms_fit_pingpong_is_mine(const char *line)
{
    return gms_fit_begins_with(line, "# mpi-pingpong,");
}

/* mpi-pingpong prints the median of whole round trips. */
static gms_status_t gms_fit_pingpong_read(gms_fit_reader_t *reader, char *line)
{
    char *cells[GMS_FIT_COLUMNS];

    if (!reader->is_inside) {
        reader->is_inside = gms_fit_begins_with(line, "bytes,samples,");
        return GMS_OK;
    }
    if (!gms_fit_is_row(line)) {
        return GMS_OK;
    }
    if (gms_fit_cells(line, cells) < 5) {
        return gms_fit_table_fail(
            reader, reader->line,
            "the line is not a row of mpi-pingpong --csv");
    }
    return gms_fit_table_add(reader, cells[0], cells[4], NULL, NULL, 0.5);
}

const gms_fit_format_t gms_fit_pingpong = {.name = "mpi-pingpong",
                                           .statistic = "median",
                                           .is_mine = gms_fit_pingpong_is_mine,
                                           .read = gms_fit_pingpong_read};
