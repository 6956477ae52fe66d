/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Combines equal requests of a rank into rows, gathers the rows of all ranks at
 * rank 0, and prints the tables. verdict.c supplies the verdicts about delays.
 */
#include "report.h"
#include "device.h"
#include "policy.h"
#include "yaml/quantity.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The I/O hosts, as the sender or receiver of a row. */
#define MPIQOS_IO_SIDE (-100)

/* A row of the table. Each rank sends its rows to rank 0 in this format,
 * too. */
typedef struct mpiqos_row {
    int from; /* rank in MPI_COMM_WORLD, or MPIQOS_IO_SIDE */
    int to;   /* rank in MPI_COMM_WORLD, MPIQOS_ALL_PEERS or MPIQOS_IO_SIDE */
    int peer; /* `to` as a rank in the communicator */
    mpiqos_origin_t origin;
    unsigned line;
    unsigned times; /* number of equal rows */
    int state;
    int qos_class;
    long message_size;
    double bandwidth;
    double granted_bandwidth;
    int is_delay; /* 1: the row belongs to the second table, and reason contains
                     the verdict */
    double delay, delay_bound, worst_delay;
    char communicator[MPI_MAX_OBJECT_NAME]; /* name, or "file NAME" */
    char reason[MPIQOS_REASON_LEN];
} mpiqos_row_t;

typedef struct mpiqos_report {
    pthread_mutex_t lock;
    const char *path; /* NULL: no table is requested */
    mpiqos_row_t *rows;
    size_t count, room;
} mpiqos_report_t;

static mpiqos_report_t mpiqos_report = {.lock = PTHREAD_MUTEX_INITIALIZER};

int mpiqos_report_open(const char *path, int rank, char *error,
                       size_t error_len)
{
    FILE *file;

    mpiqos_report.path = path;
    if (rank != 0 || strcmp(path, "-") == 0) {
        return 0;
    }
    file = fopen(path, "w");
    if (file == NULL) {
        (void)snprintf(error, error_len,
                       "environment variable MPIQOS_REPORT: cannot write "
                       "'%s': %s",
                       path, strerror(errno));
        return -1;
    }
    (void)fclose(file);
    return 0;
}

/* --- rows -----------------------------------------------------------------*/

static void mpiqos_row_name(mpiqos_row_t *row, MPI_Comm comm)
{
    int length;

    (void)PMPI_Comm_get_name(comm, row->communicator, &length);
    if (row->communicator[0] == '\0') {
        strcpy(row->communicator, "(no name)");
    }
}

static void mpiqos_row_init(mpiqos_row_t *row, MPI_Comm comm,
                            const mpiqos_request_t *request,
                            const MPIQOS_Flow *answer)
{
    /* Clear the padding, too, because rows are compared byte by byte. */
    memset(row, 0, sizeof(*row));
    row->from = MPIX_GM_World_rank(MPI_COMM_WORLD, -1);
    row->to = (answer->peer == MPIQOS_ALL_PEERS)
                  ? MPIQOS_ALL_PEERS
                  : MPIX_GM_World_rank(comm, answer->peer);
    row->peer = answer->peer;
    row->origin = request->origin;
    row->line = request->line;
    row->times = 1;
    row->state = answer->state;
    row->qos_class = answer->qos_class;
    row->message_size = answer->message_size;
    row->bandwidth = answer->bandwidth;
    row->granted_bandwidth = answer->granted_bandwidth;
    mpiqos_row_name(row, comm);
    strcpy(row->reason, answer->reason);
}

/* Return 1 if two rows describe the same request. All grants of one request
 * belong to the same row, even if their IDTs differ. The IDT depends on the
 * other reservations at the time of the grant. */
static int mpiqos_row_is_same(const mpiqos_row_t *one, const mpiqos_row_t *two)
{
    mpiqos_row_t a = *one, b = *two;

    a.times = b.times;
    if (!a.is_delay && a.state == MPIQOS_GRANTED && b.state == a.state) {
        memcpy(a.reason, b.reason, sizeof(a.reason));
    }
    return memcmp(&a, &b, sizeof(a)) == 0;
}

/* Add a row; if an equal row exists, increment its count instead.
 * @return 1 if the row is new */
static int mpiqos_report_take(const mpiqos_row_t *row)
{
    for (size_t i = 0; i < mpiqos_report.count; ++i) {
        if (mpiqos_row_is_same(&mpiqos_report.rows[i], row)) {
            ++mpiqos_report.rows[i].times;
            return 0;
        }
    }
    if (mpiqos_report.count == mpiqos_report.room) {
        size_t room = 2 * mpiqos_report.room + 8;
        mpiqos_row_t *rows = realloc(mpiqos_report.rows, room * sizeof(*rows));

        if (rows == NULL) {
            return 1;
        }
        mpiqos_report.rows = rows;
        mpiqos_report.room = room;
    }
    mpiqos_report.rows[mpiqos_report.count++] = *row;
    return 1;
}

/* Length of the text for the sender or receiver of a row. */
#define MPIQOS_SIDE_LEN 24

/* Write the sender or receiver of a row: "all", "io", or the rank after the
 * prefix. */
static void mpiqos_row_side(int side, const char *prefix,
                            char text[MPIQOS_SIDE_LEN])
{
    if (side == MPIQOS_ALL_PEERS) {
        strcpy(text, "all");
    } else if (side == MPIQOS_IO_SIDE) {
        strcpy(text, "io");
    } else {
        (void)snprintf(text, MPIQOS_SIDE_LEN, "%s%d", prefix, side);
    }
}

/* Print a denied request. The ranks before the reason are ranks in
 * MPI_COMM_WORLD, but the ranks in the reason are ranks in the communicator. */
static void mpiqos_report_denial(const mpiqos_row_t *row)
{
    char from[MPIQOS_SIDE_LEN];
    char to[MPIQOS_SIDE_LEN];

    mpiqos_row_side(row->from, "rank ", from);
    mpiqos_row_side(row->to, "rank ", to);
    (void)fprintf(stderr, "mpiqos: %s:%u: flow from %s to %s on %s: %s: %s\n",
                  mpiqos_policy_path(), row->line, from, to, row->communicator,
                  MPIQOS_State_name(row->state), row->reason);
}

/* Add a row, and print the row if it is a denied request of the policy. If no
 * report is requested, store only denials, so that each denial is printed only
 * once. */
static void mpiqos_report_add(const mpiqos_row_t *row)
{
    int denied =
        row->origin == MPIQOS_ORIGIN_POLICY &&
        (row->state == MPIQOS_DENIED || row->state == MPIQOS_UNSUPPORTED);
    int new;

    if (!denied && mpiqos_report.path == NULL) {
        return;
    }
    pthread_mutex_lock(&mpiqos_report.lock);
    new = mpiqos_report_take(row);
    pthread_mutex_unlock(&mpiqos_report.lock);
    if (denied && new) {
        mpiqos_report_denial(row);
    }
}

void mpiqos_report_note(MPI_Comm comm, const mpiqos_request_t *request,
                        const MPIQOS_Flow *answer)
{
    mpiqos_row_t row;

    if (request->origin == MPIQOS_ORIGIN_POLICY || mpiqos_report.path != NULL) {
        mpiqos_row_init(&row, comm, request, answer);
        mpiqos_report_add(&row);
    }
}

/* Add the row for one direction. */
static void mpiqos_report_note_way(const mpiqos_file_note_t *note,
                                   const MPIQOS_Flow *answer, int writes)
{
    int self = MPIX_GM_World_rank(MPI_COMM_WORLD, -1);
    mpiqos_row_t row;

    memset(&row, 0, sizeof(row));
    row.from = writes ? self : MPIQOS_IO_SIDE;
    row.to = writes ? MPIQOS_IO_SIDE : self;
    row.origin = note->origin;
    row.line = writes ? note->write_line : note->read_line;
    row.times = 1;
    row.state = answer->state;
    row.qos_class = MPIQOS_PREMIUM;
    row.bandwidth = writes ? note->write : note->read;
    if (answer->state == MPIQOS_GRANTED) {
        row.granted_bandwidth = row.bandwidth;
    }
    strcpy(row.communicator, note->name);
    strcpy(row.reason, answer->reason);
    mpiqos_report_add(&row);
}

void mpiqos_report_note_file(const mpiqos_file_note_t *note,
                             const MPIQOS_Flow *answer)
{
    if (note->write > 0.0 || note->read <= 0.0) {
        mpiqos_report_note_way(note, answer, 1);
    }
    if (note->read > 0.0) {
        mpiqos_report_note_way(note, answer, 0);
    }
}

int mpiqos_report_is_on(void)
{
    return mpiqos_report.path != NULL;
}

void mpiqos_report_delays(MPI_Comm comm, const mpiqos_delays_t *delays)
{
    mpiqos_row_t row;

    memset(&row, 0, sizeof(row));
    row.is_delay = 1;
    row.from = MPIX_GM_World_rank(MPI_COMM_WORLD, -1);
    row.to = MPIX_GM_World_rank(comm, delays->peer);
    row.times = 1;
    row.message_size = delays->message_size;
    row.delay = delays->asked;
    row.delay_bound = delays->bound;
    row.worst_delay = delays->worst;
    mpiqos_row_name(&row, comm);
    (void)snprintf(row.reason, sizeof(row.reason), "%s%s%s", delays->verdict,
                   (delays->why != NULL) ? ": " : "",
                   (delays->why != NULL) ? delays->why : "");
    pthread_mutex_lock(&mpiqos_report.lock);
    (void)mpiqos_report_take(&row);
    pthread_mutex_unlock(&mpiqos_report.lock);
}

/* --- table ----------------------------------------------------------------*/

static void mpiqos_row_print(FILE *file, const mpiqos_row_t *row)
{
    static const char *const origins[] = {
        [MPIQOS_ORIGIN_ATTRIBUTE] = "attribute",
        [MPIQOS_ORIGIN_HINTS] = "hints",
        [MPIQOS_ORIGIN_POLICY] = "policy",
    };
    char origin[32];
    char from[MPIQOS_SIDE_LEN];
    char to[MPIQOS_SIDE_LEN];

    mpiqos_row_side(row->from, "", from);
    mpiqos_row_side(row->to, "", to);
    (void)snprintf(origin, sizeof(origin), "%s", origins[row->origin]);
    if (row->origin == MPIQOS_ORIGIN_POLICY) {
        (void)snprintf(origin, sizeof(origin), "policy:%u", row->line);
    }
    (void)fprintf(file,
                  "%-12s %-20s %5s %5s %-12s %9.6g %10ld %5u %-11s %9.6g"
                  "  %s\n",
                  origin, row->communicator, from, to,
                  MPIQOS_Class_name(row->qos_class), row->bandwidth / 1e6,
                  row->message_size, row->times, MPIQOS_State_name(row->state),
                  row->granted_bandwidth / 1e6, row->reason);
}

static void mpiqos_row_time(double seconds, char text[MPIQOS_QUANTITY_LEN])
{
    if (seconds > 0.0) {
        mpiqos_quantity_time(seconds, text);
    } else {
        (void)strcpy(text, "-");
    }
}

static void mpiqos_row_print_delay(FILE *file, const mpiqos_row_t *row)
{
    char asked[MPIQOS_QUANTITY_LEN], bound[MPIQOS_QUANTITY_LEN],
        worst[MPIQOS_QUANTITY_LEN];

    mpiqos_row_time(row->delay, asked);
    mpiqos_row_time(row->delay_bound, bound);
    mpiqos_row_time(row->worst_delay, worst);
    (void)fprintf(file, "%-20s %5d %5d %10ld %5u %10s %10s %10s  %s\n",
                  row->communicator, row->from, row->to, row->message_size,
                  row->times, asked, bound, worst, row->reason);
}

/* Do not print the second table if no flow had a reservation. */
static void mpiqos_report_print_delays(FILE *file, const mpiqos_row_t *rows,
                                       size_t count)
{
    int any = 0;

    for (size_t i = 0; i < count; ++i) {
        if (!rows[i].is_delay) {
            continue;
        }
        if (!any) {
            (void)fprintf(file, "\n%-20s %5s %5s %10s %5s %10s %10s %10s  %s\n",
                          "delays on", "from", "to", "message", "times",
                          "asked", "bound", "slowest", "bound was");
        }
        any = 1;
        mpiqos_row_print_delay(file, &rows[i]);
    }
}

static void mpiqos_report_print(const mpiqos_row_t *rows, size_t count)
{
    int is_stderr = (strcmp(mpiqos_report.path, "-") == 0);
    FILE *file = is_stderr ? stderr : fopen(mpiqos_report.path, "w");

    if (file == NULL) {
        (void)fprintf(stderr, "mpiqos: cannot write '%s': %s\n",
                      mpiqos_report.path, strerror(errno));
        return;
    }
    (void)fprintf(
        file, "%-12s %-20s %5s %5s %-12s %9s %10s %5s %-11s %9s  %s\n",
        "origin", "communicator", "from", "to", "class", "asked", "message",
        "times", "answer", "granted", "reason (asked and granted in MB/s)");
    for (size_t i = 0; i < count; ++i) {
        if (!rows[i].is_delay) {
            mpiqos_row_print(file, &rows[i]);
        }
    }
    mpiqos_report_print_delays(file, rows, count);
    if (!is_stderr && fclose(file) != 0) {
        (void)fprintf(stderr, "mpiqos: cannot write '%s': %s\n",
                      mpiqos_report.path, strerror(errno));
    }
}

/* Compute the offset of each rank's rows. @return total size of all rows in
 * bytes */
static int mpiqos_report_places(const int *bytes, int *places, int size)
{
    int all = 0;

    for (int i = 0; i < size; ++i) {
        places[i] = all;
        all += bytes[i];
    }
    return all;
}

void mpiqos_report_write(void)
{
    int mine = (int)(mpiqos_report.count * sizeof(mpiqos_row_t));
    int *bytes = NULL;
    int *places = NULL;
    mpiqos_row_t *rows = NULL;
    int all = 0;
    int rank;
    int size;

    if (mpiqos_report.path == NULL) {
        return;
    }
    (void)PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    (void)PMPI_Comm_size(MPI_COMM_WORLD, &size);
    bytes = calloc((size_t)size, sizeof(*bytes));
    places = calloc((size_t)size, sizeof(*places));
    (void)PMPI_Gather(&mine, 1, MPI_INT, bytes, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0 && bytes != NULL && places != NULL) {
        all = mpiqos_report_places(bytes, places, size);
        rows = malloc((size_t)all + 1);
    }
    (void)PMPI_Gatherv(mpiqos_report.rows, mine, MPI_BYTE, rows, bytes, places,
                       MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rows != NULL) {
        mpiqos_report_print(rows, (size_t)all / sizeof(*rows));
    }
    free(rows);
    free(places);
    free(bytes);
    free(mpiqos_report.rows);
    mpiqos_report.rows = NULL;
    mpiqos_report.count = mpiqos_report.room = 0;
    mpiqos_report.path = NULL;
}
