/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the reader of records, which joins windows when its tables are full.
 * The tests read records of random lengths with little memory. Every joined row
 * must be the sum of its original rows. The tests compute the expected sums
 * independently, with simpler code.
 */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "report/read.h"
#include "unit.h"

enum {
    INDEXES = 6, /* number of flows, of NICs, of links and of ranks */
    WINDOWS_MOST = 600,
    REPEATS = 2, /* maximum number of rows with the same index in a window */
    ROWS_MOST = WINDOWS_MOST * INDEXES * REPEATS
};

/* A row that was written: the end of its window, its index, and the number from
 * which its other numbers are computed. */
typedef struct join_row {
    gms_time_t end_ps;
    uint32_t index, idt_ticks;
    uint64_t number;
} join_row_t;

static gms_random_t join_random;
static join_row_t join_rows[GMS_REPORT_WINDOWS][ROWS_MOST];
static size_t join_row_count[GMS_REPORT_WINDOWS];
static gms_time_t join_ends_ps[WINDOWS_MOST];
static unsigned join_windows;
static char join_error[GMS_REPORT_ERROR_LEN];

static uint64_t join_below(uint64_t end)
{
    return gms_random_below(&join_random, end);
}

/* ---- writing ---- */

/* All numbers of a row are multiples of its first number. Therefore, the test
 * detects fields that are not summed or that are summed twice. */
static void join_append(gms_report_run_t *run, enum gms_report_table kind,
                        const join_row_t *row)
{
    uint32_t window = (uint32_t)run->window_count - 1;
    uint64_t number = row->number;
    gms_report_nic_part_t nic = {.window = window, .node = row->index};
    unsigned i;

    switch (kind) {
    case GMS_REPORT_FLOW_ROWS:
        run->flow_parts[run->flow_part_count++] = (gms_report_flow_part_t){
            .window = window,
            .flow = row->index,
            .idt_ticks = row->idt_ticks,
            .bytes = number,
            .packets = 2 * number,
            .arrived_bytes = 3 * number,
            .wait_ticks = 4 * number,
        };
        return;
    case GMS_REPORT_NIC_ROWS:
        for (i = 0; i < GMS_REPORT_NIC_PARTS; ++i) {
            nic.busy_ps[i] = (i + 1) * number;
        }
        run->nic_parts[run->nic_part_count++] = nic;
        return;
    case GMS_REPORT_LINK_ROWS:
        run->link_parts[run->link_part_count++] = (gms_report_link_part_t){
            window, row->index, number, 2 * number, 3 * number};
        return;
    case GMS_REPORT_HOST_ROWS:
        run->host_parts[run->host_part_count++] =
            (gms_report_host_part_t){window, row->index, number, 2 * number};
        return;
    case GMS_REPORT_WINDOWS:
    case GMS_REPORT_TABLES:
        break;
    }
}

static void join_write_rows(gms_report_reader_t *reader,
                            enum gms_report_table kind, gms_time_t end_ps)
{
    uint32_t index;
    uint64_t repeats;

    for (index = 0; index < INDEXES; ++index) {
        for (repeats = join_below(REPEATS + 1); repeats > 0; --repeats) {
            join_row_t *row = &join_rows[kind][join_row_count[kind]++];

            *row = (join_row_t){end_ps, index,
                                (uint32_t)(join_below(2) * join_below(900)),
                                1 + join_below(1000)};
            CU_ASSERT_TRUE_FATAL(gms_join_room(reader, kind));
            join_append(reader->run, kind, row);
        }
    }
}

/* Writes one line every window_ps, with longer pauses at random times. */
static void join_write(gms_report_reader_t *reader, unsigned windows)
{
    gms_time_t end_ps = 0, length_ps = reader->run->window_ps;
    unsigned kind;

    memset(join_row_count, 0, sizeof(join_row_count));
    gms_join_start(reader);
    for (join_windows = 0; join_windows < windows; ++join_windows) {
        end_ps += length_ps * (join_below(8) == 0 ? 1 + join_below(20) : 1);
        join_ends_ps[join_windows] = end_ps;
        CU_ASSERT_TRUE_FATAL(gms_join_window(reader, end_ps));
        for (kind = 0; kind < GMS_REPORT_WINDOWS; ++kind) {
            join_write_rows(reader, (enum gms_report_table)kind, end_ps);
        }
    }
    gms_join_end(reader);
}

/* ---- checking ---- */

/* Returns the numbers of a row: its window, its index, and the summed
 * fields. */
static void join_numbers(const gms_report_run_t *run,
                         enum gms_report_table kind, size_t at,
                         uint64_t numbers[7])
{
    memset(numbers, 0, 7 * sizeof(*numbers));
    if (kind == GMS_REPORT_FLOW_ROWS) {
        const gms_report_flow_part_t *part = &run->flow_parts[at];
        uint64_t all[7] = {part->window,        part->flow,
                           part->bytes,         part->packets,
                           part->arrived_bytes, part->wait_ticks,
                           part->idt_ticks};

        memcpy(numbers, all, sizeof(all));
    } else if (kind == GMS_REPORT_NIC_ROWS) {
        const gms_report_nic_part_t *part = &run->nic_parts[at];
        uint64_t all[6] = {part->window,     part->node,
                           part->busy_ps[0], part->busy_ps[1],
                           part->busy_ps[2], part->busy_ps[3]};

        CU_ASSERT_EQUAL_FATAL(GMS_REPORT_NIC_PARTS, 4);
        memcpy(numbers, all, sizeof(all));
    } else if (kind == GMS_REPORT_LINK_ROWS) {
        const gms_report_link_part_t *part = &run->link_parts[at];
        uint64_t all[5] = {part->window, part->link, part->moving_ps,
                           part->held_ps, part->blocked_ps};

        memcpy(numbers, all, sizeof(all));
    } else {
        const gms_report_host_part_t *part = &run->host_parts[at];
        uint64_t all[4] = {part->window, part->rank, part->worked_ps,
                           part->computed_ps};

        memcpy(numbers, all, sizeof(all));
    }
}

static const unsigned join_fields[GMS_REPORT_WINDOWS] = {
    [GMS_REPORT_FLOW_ROWS] = 4,
    [GMS_REPORT_NIC_ROWS] = 4,
    [GMS_REPORT_LINK_ROWS] = 3,
    [GMS_REPORT_HOST_ROWS] = 2};

static size_t join_count(const gms_report_run_t *run,
                         enum gms_report_table kind)
{
    const size_t counts[GMS_REPORT_WINDOWS] = {
        [GMS_REPORT_FLOW_ROWS] = run->flow_part_count,
        [GMS_REPORT_NIC_ROWS] = run->nic_part_count,
        [GMS_REPORT_LINK_ROWS] = run->link_part_count,
        [GMS_REPORT_HOST_ROWS] = run->host_part_count};

    return counts[kind];
}

/* Checks that the joined windows are contiguous, that they contain all lines,
 * and that each of them ends at the end of a line. */
static void join_check_windows(const gms_report_run_t *run)
{
    gms_time_t begin_ps = 0;
    size_t i;
    unsigned line = 0;

    for (i = 0; i < run->window_count; ++i) {
        CHECK_U64(run->windows[i].begin_ps, begin_ps);
        begin_ps = run->windows[i].end_ps;
        while (line < join_windows && join_ends_ps[line] < begin_ps) {
            CHECK_U64((join_ends_ps[line] - 1) / run->window_ps,
                      (begin_ps - 1) / run->window_ps);
            ++line;
        }
        CHECK_U64(join_ends_ps[line++], begin_ps);
    }
    CHECK_U64(line, join_windows);
}

/* Checks that each joined row is the sum of the written rows that belong to its
 * window and have its index. */
static void join_check_rows(const gms_report_run_t *run,
                            enum gms_report_table kind)
{
    size_t count = join_count(run, kind), used = 0, i, j;

    for (i = 0; i < count; ++i) {
        uint64_t numbers[7], sum = 0, idt_ticks = 0;
        const gms_report_window_t *window;
        unsigned field;

        join_numbers(run, kind, i, numbers);
        window = &run->windows[numbers[0]];
        for (j = 0; j < join_row_count[kind]; ++j) {
            const join_row_t *row = &join_rows[kind][j];

            if (row->index == numbers[1] && row->end_ps > window->begin_ps &&
                row->end_ps <= window->end_ps) {
                sum += row->number;
                idt_ticks = row->idt_ticks > 0 ? row->idt_ticks : idt_ticks;
                ++used;
            }
        }
        for (field = 0; field < join_fields[kind]; ++field) {
            CHECK_U64(numbers[2 + field], (field + 1) * sum);
        }
        if (kind == GMS_REPORT_FLOW_ROWS) {
            CHECK_U64(numbers[6], idt_ticks);
        }
    }
    CHECK_U64(used, join_row_count[kind]); /* every written row is part of
                                            * exactly one sum */
}

/* ---- tests ---- */

static void join_prepare(gms_report_reader_t *reader, gms_report_run_t *run,
                         size_t memory_most)
{
    memset(run, 0, sizeof(*run));
    memset(reader, 0, sizeof(*reader));
    run->window_ps = 1000 + join_below(1000);
    run->is_complete = 1;
    run->flow_count = run->link_count = INDEXES;
    run->rank_count = INDEXES;
    run->nodes = INDEXES;
    reader->run = run;
    reader->directory = "record";
    reader->file = "windows.jsonl";
    reader->error = join_error;
    reader->memory_most = memory_most;
}

static void join_free(gms_report_run_t *run)
{
    free(run->windows);
    free(run->flow_parts);
    free(run->nic_parts);
    free(run->link_parts);
    free(run->host_parts);
}

static void test_enough(void)
{
    gms_report_reader_t reader;
    gms_report_run_t run;
    gms_time_t window_ps;
    unsigned kind;

    gms_random_init(&join_random, 1, 0);
    join_prepare(&reader, &run, (size_t)64 << 20);
    window_ps = run.window_ps;
    join_write(&reader, 200);
    CU_ASSERT_FALSE(reader.is_joined);
    CHECK_U64(run.window_count, 200);
    CHECK_U64(run.window_ps, window_ps);
    for (kind = 0; kind < GMS_REPORT_WINDOWS; ++kind) {
        CHECK_U64(join_count(&run, (enum gms_report_table)kind),
                  join_row_count[kind]);
    }
    join_free(&run);
}

static void test_joined(void)
{
    unsigned joined = 0, seed, kind;

    for (seed = 1; seed <= 60; ++seed) {
        gms_report_reader_t reader;
        gms_report_run_t run;
        gms_time_t window_ps;

        gms_random_init(&join_random, seed, 0);
        join_prepare(&reader, &run, 6000 + join_below(60000));
        window_ps = run.window_ps;
        join_write(&reader, 20 + (unsigned)join_below(WINDOWS_MOST - 20));
        CU_ASSERT_EQUAL(reader.status, GMS_OK);
        CU_ASSERT_TRUE(reader.memory <= reader.memory_most);
        CHECK_U64(run.window_ps % window_ps, 0);
        join_check_windows(&run);
        for (kind = 0; kind < GMS_REPORT_WINDOWS && reader.is_joined; ++kind) {
            join_check_rows(&run, (enum gms_report_table)kind);
        }
        joined += (unsigned)reader.is_joined;
        join_free(&run);
    }
    CU_ASSERT_TRUE(joined > 40);
}

/* If not even the rows of a single window fit into memory, joining windows
 * cannot help, and the reader reports an error. */
static void test_too_little(void)
{
    gms_report_reader_t reader;
    gms_report_run_t run;
    uint32_t times = 0;

    gms_random_init(&join_random, 1, 0);
    join_prepare(&reader, &run, 2000);
    gms_join_start(&reader);
    CU_ASSERT_TRUE_FATAL(reader.part_most[GMS_REPORT_HOST_ROWS] < INDEXES);
    CU_ASSERT_TRUE_FATAL(gms_join_window(&reader, 10));
    while (times < INDEXES && gms_join_room(&reader, GMS_REPORT_HOST_ROWS)) {
        join_append(&run, GMS_REPORT_HOST_ROWS, &(join_row_t){10, times, 0, 1});
        ++times;
    }
    gms_join_end(&reader);
    CU_ASSERT_TRUE(times < INDEXES);
    CU_ASSERT_EQUAL(reader.status, GMS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(strstr(join_error, "record/windows.jsonl: "));
    CU_ASSERT_PTR_NOT_NULL(strstr(join_error, "memory"));
    join_free(&run);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"with enough memory, no windows are joined", test_enough},
        {"joined rows are sums of their rows", test_joined},
        {"a single window that does not fit", test_too_little},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"report join", NULL, NULL, NULL, NULL, tests});
}
