/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the directory of the reference files, and reads both kinds of CSV files
 * into tables. An error about an invalid line contains the name of the file and
 * the number of the line. The file result.c compares the references with
 * findings.
 */
#include "experiments/reference.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/directory.h"
#include "experiments/grow.h"

#define GMS_REFERENCE_COLUMNS 9
#define GMS_KNOWN_COLUMNS     5

static const char gms_reference_head[] =
    "experiment,series,setting,quantity,value,unit,kind,tolerance_percent,"
    "source";
static const char gms_known_head[] = "page,experiment,series,setting,quantity";

/** Find the end of a field and remove its quotes.
 *  @param [in,out] field_p first character of the field
 *  @return the comma after the field, or NULL */
static char *gms_reference_field_end(char **field_p)
{
    char *end;

    if (**field_p != '"') {
        return strchr(*field_p, ',');
    }
    end = strchr(++*field_p, '"');
    if (end == NULL || end[1] != ',') {
        return NULL;
    }
    *end = '\0';
    return end + 1;
}

/** Split a line at its commas, in place. The last field may contain commas. Any
 *  other field that contains a comma must be in quotes. Quotes inside a field
 *  are not supported. */
static int gms_reference_split(char *line, char **field, int columns)
{
    int i;

    for (i = 0; i < columns - 1; ++i) {
        field[i] = line;
        line = gms_reference_field_end(&field[i]);
        if (line == NULL) {
            return 0;
        }
        *line++ = '\0';
    }
    field[i] = line;
    return 1;
}

static int gms_reference_kind(const char *text, enum gms_row_kind *kind_p)
{
    static const char *const names[] = {[GMS_ROW_REPORTED] = "reported",
                                        [GMS_ROW_WITHIN] = "within",
                                        [GMS_ROW_AT_MOST] = "at_most",
                                        [GMS_ROW_AT_LEAST] = "at_least"};
    size_t i;

    for (i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        if (strcmp(text, names[i]) == 0) {
            *kind_p = (enum gms_row_kind)i;
            return 1;
        }
    }
    return 0;
}

/** Parse a string that contains only a number. If may_be_empty is not 0, an
 *  empty string yields 0. */
static int gms_reference_number(const char *text, int may_be_empty,
                                double *value_p)
{
    char *end;

    if (text[0] == '\0') {
        *value_p = 0.0;
        return may_be_empty;
    }
    *value_p = strtod(text, &end);
    return *end == '\0' && isfinite(*value_p);
}

/** Return the value of one unit in the last digit of a printed number. */
static double gms_reference_digit(const char *text)
{
    const char *point = strchr(text, '.');

    return (point == NULL)
               ? 1.0
               : pow(10.0, -(double)strspn(point + 1, "0123456789"));
}

/** Remove the text after the number of a tolerance. @return 0 if the text is
 *  invalid */
static int gms_reference_digit_allowed(char *tolerance, const char *value,
                                       double *digit_p)
{
    char *rest = strstr(tolerance, " or ");

    *digit_p = 0.0;
    if (rest == NULL) {
        return 1;
    }
    *rest = '\0';
    *digit_p = gms_reference_digit(value);
    return strcmp(rest + strlen(" or "), "digit") == 0;
}

/** @return NULL, or a message about the error in the line */
static const char *gms_reference_add(gms_references_t *references, char *line)
{
    char *field[GMS_REFERENCE_COLUMNS];
    gms_reference_t row;
    gms_reference_t *rows;

    if (!gms_reference_split(line, field, GMS_REFERENCE_COLUMNS)) {
        return "fewer than 9 columns";
    }
    if (!gms_reference_number(field[4], 0, &row.value)) {
        return "the value is not a number";
    }
    if (!gms_reference_kind(field[6], &row.kind)) {
        return "the kind is unknown; allowed: within, at_most, at_least, "
               "reported";
    }
    if (!gms_reference_digit_allowed(field[7], field[4], &row.digit)) {
        return "unknown text after the tolerance; allowed: `or digit'";
    }
    if (!gms_reference_number(field[7], row.kind != GMS_ROW_WITHIN,
                              &row.tolerance_percent) ||
        row.tolerance_percent < 0.0) {
        return "the tolerance is not a percentage";
    }
    if (gms_references_find(references, field[0], field[1], field[2],
                            field[3]) != NULL) {
        return "a row for this experiment, series, setting and quantity "
               "already "
               "exists";
    }
    rows = gms_grow(references->rows, references->count, &references->room,
                    sizeof(*rows));
    if (rows == NULL) {
        return "out of memory";
    }
    references->rows = rows;
    row.experiment = strdup(field[0]);
    row.series = strdup(field[1]);
    row.setting = strdup(field[2]);
    row.quantity = strdup(field[3]);
    row.unit = strdup(field[5]);
    row.source = strdup(field[8]);
    rows[references->count++] = row;
    return (row.experiment != NULL && row.series != NULL &&
            row.setting != NULL && row.quantity != NULL && row.unit != NULL &&
            row.source != NULL)
               ? NULL
               : "out of memory";
}

/** @return NULL, or a message about the error in the line */
static const char *gms_known_add(gms_references_t *references, char *line)
{
    char *field[GMS_KNOWN_COLUMNS];
    gms_known_t *known;

    if (!gms_reference_split(line, field, GMS_KNOWN_COLUMNS)) {
        return "fewer than 5 columns";
    }
    if (gms_references_known(references, field[1], field[2], field[3],
                             field[4]) != NULL) {
        return "a row for this experiment, series, setting and quantity "
               "already "
               "exists";
    }
    known = gms_grow(references->known, references->known_count,
                     &references->known_room, sizeof(*known));
    if (known == NULL) {
        return "out of memory";
    }
    references->known = known;
    known += references->known_count++;
    known->page = strdup(field[0]);
    known->experiment = strdup(field[1]);
    known->series = strdup(field[2]);
    known->setting = strdup(field[3]);
    known->quantity = strdup(field[4]);
    return (known->page != NULL && known->experiment != NULL &&
            known->series != NULL && known->setting != NULL &&
            known->quantity != NULL)
               ? NULL
               : "out of memory";
}

/** Parses one line. @return NULL, or a message about the error in the line */
typedef const char *gms_reference_add_fn(gms_references_t *references,
                                         char *line);

/** Return the parser for the kind of table that has this header line. */
static gms_reference_add_fn *gms_reference_table(const char *head)
{
    if (strcmp(head, gms_reference_head) == 0) {
        return gms_reference_add;
    }
    return (strcmp(head, gms_known_head) == 0) ? gms_known_add : NULL;
}

/** Handle one line of a file. The line includes its newline character.
 *  @param [in,out] add_p parser for the lines; NULL if the header line has not
 *  been read yet
 *  @return NULL, or a message about the error in the line */
static const char *gms_reference_line(gms_references_t *references, char *line,
                                      int is_last, gms_reference_add_fn **add_p)
{
    if (strchr(line, '\n') == NULL && !is_last) {
        return "the line has more than 1022 characters, or contains a zero "
               "byte";
    }
    line[strcspn(line, "\r\n")] = '\0';
    if (line[0] == '#' || line[0] == '\0') {
        return NULL;
    }
    if (*add_p != NULL) {
        return (*add_p)(references, line);
    }
    *add_p = gms_reference_table(line);
    return (*add_p != NULL) ? NULL
                            : "this line is not the header of a reference "
                              "file";
}

/** Return 1 if the file is a table of another kind. The first line of such a
 *  table, except for comments, begins with a different column. */
static int gms_reference_is_other(const char *line, int has_head)
{
    static const char first[] = "experiment,";
    static const char known[] = "page,";

    return !has_head && strchr("#\r\n", line[0]) == NULL &&
           strncmp(line, first, strlen(first)) != 0 &&
           strncmp(line, known, strlen(known)) != 0;
}

static gms_status_t gms_references_read_file(const char *path,
                                             gms_references_t *references,
                                             char *error)
{
    FILE *file = fopen(path, "r");
    const char *wrong = NULL;
    unsigned number = 0;
    gms_reference_add_fn *add = NULL;
    char line[1024];

    if (file == NULL) {
        (void)snprintf(error, GMS_REFERENCE_ERROR_LEN, "%.400s: %s", path,
                       strerror(errno));
        return GMS_ERR_SYSTEM;
    }
    while (wrong == NULL && fgets(line, sizeof(line), file) != NULL &&
           !gms_reference_is_other(line, add != NULL)) {
        ++number;
        wrong = gms_reference_line(references, line, feof(file), &add);
    }
    if (ferror(file)) {
        wrong = strerror(errno);
    }
    (void)fclose(file);
    if (wrong != NULL) {
        (void)snprintf(error, GMS_REFERENCE_ERROR_LEN, "%.400s:%u: %s", path,
                       number, wrong);
        return GMS_ERR_CONFIG;
    }
    return GMS_OK;
}

static int gms_reference_is_csv(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);

    return len > 4 && strcmp(entry->d_name + len - 4, ".csv") == 0;
}

/* alphasort() is not used, because its order depends on the locale */
static int gms_reference_by_name(const struct dirent **a,
                                 const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static gms_status_t gms_references_read_directory(const char *directory,
                                                  gms_references_t *references,
                                                  char *error)
{
    gms_status_t status = GMS_OK;
    struct dirent **entries;
    int count, i;

    count = scandir(directory, &entries, gms_reference_is_csv,
                    gms_reference_by_name);
    if (count < 0) {
        (void)snprintf(error, GMS_REFERENCE_ERROR_LEN, "%.400s: %s", directory,
                       strerror(errno));
        return GMS_ERR_NOT_FOUND;
    }
    for (i = 0; i < count; ++i) {
        char path[PATH_MAX];

        if (status == GMS_OK && snprintf(path, sizeof(path), "%s/%s", directory,
                                         entries[i]->d_name) < PATH_MAX) {
            status = gms_references_read_file(path, references, error);
        }
        free(entries[i]);
    }
    free(entries);
    return status;
}

/** Find a directory with reference files. The search begins in the parent of
 *  the program's directory. */
static int gms_reference_look(char directory[PATH_MAX])
{
    static const char *const places[] = {"share/gmqos/reference",
                                         "stage/share/gmqos/reference",
                                         "gmsim/experiments/reference"};
    char self[PATH_MAX];
    char *slash;
    size_t i;

    slash = (gms_directory_of_program(self) == 0) ? self + strlen(self) : NULL;
    for (; slash != NULL; slash = strrchr(self, '/')) {
        *slash = '\0';
        for (i = 0; i < sizeof(places) / sizeof(places[0]); ++i) {
            int room = PATH_MAX;

            if (snprintf(directory, PATH_MAX, "%s/%s", self, places[i]) <
                    room &&
                access(directory, R_OK | X_OK) == 0) {
                return 1;
            }
        }
    }
    (void)snprintf(directory, PATH_MAX, "%s", GMQOS_REFERENCE_DIR);
    return access(directory, R_OK | X_OK) == 0;
}

gms_status_t gms_references_read(const char *directory,
                                 gms_references_t *references,
                                 char error[GMS_REFERENCE_ERROR_LEN])
{
    char found[PATH_MAX];
    gms_status_t status;

    memset(references, 0, sizeof(*references));
    if (directory == NULL) {
        if (!gms_reference_look(found)) {
            (void)snprintf(
                error, GMS_REFERENCE_ERROR_LEN,
                "no reference files in %s or in the directories of this "
                "installation; specify their directory with --reference",
                GMQOS_REFERENCE_DIR);
            return GMS_ERR_NOT_FOUND;
        }
        directory = found;
    }
    status = gms_references_read_directory(directory, references, error);
    if (status != GMS_OK) {
        gms_references_clear(references);
    }
    return status;
}

const gms_reference_t *gms_references_find(const gms_references_t *references,
                                           const char *experiment,
                                           const char *series,
                                           const char *setting,
                                           const char *quantity)
{
    size_t i;

    for (i = 0; i < references->count; ++i) {
        const gms_reference_t *row = &references->rows[i];

        if (strcmp(row->experiment, experiment) == 0 &&
            strcmp(row->series, series) == 0 &&
            strcmp(row->setting, setting) == 0 &&
            strcmp(row->quantity, quantity) == 0) {
            return row;
        }
    }
    return NULL;
}

const char *gms_references_known(const gms_references_t *references,
                                 const char *experiment, const char *series,
                                 const char *setting, const char *quantity)
{
    size_t i;

    for (i = 0; i < references->known_count; ++i) {
        const gms_known_t *known = &references->known[i];

        if (strcmp(known->experiment, experiment) == 0 &&
            strcmp(known->series, series) == 0 &&
            strcmp(known->setting, setting) == 0 &&
            strcmp(known->quantity, quantity) == 0) {
            return known->page;
        }
    }
    return NULL;
}

void gms_references_clear(gms_references_t *references)
{
    size_t i;

    for (i = 0; i < references->known_count; ++i) {
        free(references->known[i].page);
        free(references->known[i].experiment);
        free(references->known[i].series);
        free(references->known[i].setting);
        free(references->known[i].quantity);
    }
    free(references->known);

    for (i = 0; i < references->count; ++i) {
        free(references->rows[i].experiment);
        free(references->rows[i].series);
        free(references->rows[i].setting);
        free(references->rows[i].quantity);
        free(references->rows[i].unit);
        free(references->rows[i].source);
    }
    free(references->rows);
    memset(references, 0, sizeof(*references));
}
