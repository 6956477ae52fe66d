/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks that the files of a record are unchanged and belong together. This
 * file verifies the checksums (observe/record_file.c), and compares the sums of
 * the windows with the totals at the end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/plural.h"
#include "report/read.h"

/* ---- checksums as text ---- */

/* Parses sixteen hexadecimal digits. @return 1, or 0 if the string contains
 * other characters */
static int gms_check_digits(const char *text, uint64_t *sum_p)
{
    uint64_t sum = 0;
    unsigned i;

    for (i = 0; i < GMS_CHECKSUM_DIGITS; ++i) {
        const char *digits = "0123456789abcdef";
        const char *digit = text[i] != '\0' ? strchr(digits, text[i]) : NULL;

        if (digit == NULL) {
            return 0;
        }
        sum = sum << 4 | (uint64_t)(digit - digits);
    }
    *sum_p = sum;
    return 1;
}

/* Parses a string that ends with `head`, sixteen digits and `end`. @return
 * number of bytes before this ending; SIZE_MAX if the string has another
 * ending */
static size_t gms_check_tail(const char *text, size_t length, const char *head,
                             const char *end, uint64_t *sum_p)
{
    size_t head_length = strlen(head), end_length = strlen(end);
    size_t tail = head_length + GMS_CHECKSUM_DIGITS + end_length;
    const char *at = text + length - tail;

    if (length < tail || memcmp(at, head, head_length) != 0 ||
        memcmp(text + length - end_length, end, end_length) != 0 ||
        !gms_check_digits(at + head_length, sum_p)) {
        return SIZE_MAX;
    }
    return length - tail;
}

int gms_check_root(const char *text, size_t length, uint64_t sum,
                   uint64_t *sum_p)
{
    size_t before =
        gms_check_tail(text, length, GMS_CHECK_HEAD, GMS_CHECK_END, sum_p);

    return before == SIZE_MAX ? GMS_CHECK_CUT
           : sum != *sum_p    ? GMS_CHECK_CHANGED
                              : GMS_CHECK_GOOD;
}

int gms_check_line(gms_report_reader_t *reader, const char *text, size_t length)
{
    uint64_t sum;
    size_t before = gms_check_tail(text, length, ",\"sum\":\"", "\"}\n", &sum);

    if (before == SIZE_MAX) {
        gms_report_wrong(reader, NULL, NULL,
                         "the line does not end with its checksum, so the file "
                         "was truncated or changed");
        return 0;
    }
    reader->lines.sum = gms_checksum(reader->lines.sum, text, before);
    if (reader->lines.sum != sum) {
        gms_report_wrong(
            reader, NULL, NULL,
            "the checksum does not match: this line or a line before it was "
            "changed, or the file and record.json belong to different runs");
        return 0;
    }
    reader->lines.sum =
        gms_checksum(reader->lines.sum, text + before, length - before);
    reader->lines.bytes += length;
    ++reader->lines.lines;
    return 1;
}

/* ---- description of a file in record.json ---- */

void gms_check_read_files(gms_report_reader_t *reader, const json_t *root,
                          uint64_t own_sum)
{
    const char *start = json_string_value(json_object_get(root, "start"));

    /* the checksums of the other files of a killed run start with this value */
    reader->start = own_sum;
    if (start != NULL && (strlen(start) != GMS_CHECKSUM_DIGITS ||
                          !gms_check_digits(start, &reader->start))) {
        gms_report_wrong(reader, NULL, "start", "is not a checksum");
    }
    if (reader->run->is_complete && start == NULL) {
        gms_report_wrong(reader, NULL, "start", "is missing");
    }
    if (reader->run->is_complete) {
        reader->files = gms_report_object(reader, NULL, root, "files");
    }
}

static const json_t *gms_check_said(gms_report_reader_t *reader,
                                    const char *file)
{
    return json_object_get(reader->files, file);
}

void gms_check_size(gms_report_reader_t *reader, const char *file,
                    uint64_t bytes)
{
    const gms_report_at_t at = {NULL, 0, file};
    uint64_t said;

    if (!reader->run->is_complete) {
        return;
    }
    said =
        gms_report_number(reader, &at, gms_check_said(reader, file), "bytes");
    if (reader->status == GMS_OK && said != bytes) {
        gms_report_wrong(
            reader, NULL, NULL,
            "has %llu %s, but record.json states %llu: the file %s",
            (unsigned long long)bytes, gms_plural(bytes, "byte", "bytes"),
            (unsigned long long)said,
            bytes < said ? "was truncated or belongs to another run"
                         : "was extended or belongs to another run");
    }
}

void gms_check_end(gms_report_reader_t *reader, const char *file)
{
    const gms_report_at_t at = {NULL, 0, file};
    const json_t *said = gms_check_said(reader, file);
    const char *digits;
    uint64_t lines, sum;

    if (!reader->run->is_complete || reader->status != GMS_OK) {
        return;
    }
    lines = gms_report_number(reader, &at, said, "lines");
    digits = gms_report_text(reader, &at, said, "sum", 1);
    if (reader->status != GMS_OK) {
        return;
    }
    if (lines != reader->lines.lines) {
        gms_report_wrong(reader, NULL, NULL,
                         "has %llu %s, but record.json states %llu",
                         (unsigned long long)reader->lines.lines,
                         gms_plural(reader->lines.lines, "line", "lines"),
                         (unsigned long long)lines);
    } else if (strlen(digits) != GMS_CHECKSUM_DIGITS ||
               !gms_check_digits(digits, &sum) || sum != reader->lines.sum) {
        gms_report_wrong(
            reader, NULL, NULL,
            "the file's checksum differs from the checksum in record.json");
    }
}

/* ---- windows and totals ---- */

typedef struct gms_check_sums {
    uint64_t (*flows)[3], (*nics)[GMS_REPORT_NIC_PARTS], (*links)[3],
        (*hosts)[2];
} gms_check_sums_t;

static void gms_check_add(const gms_report_run_t *run, gms_check_sums_t *sums)
{
    size_t i;
    unsigned k;

    for (i = 0; i < run->flow_part_count; ++i) {
        const gms_report_flow_part_t *part = &run->flow_parts[i];

        sums->flows[part->flow][0] += part->bytes;
        sums->flows[part->flow][1] += part->packets;
        sums->flows[part->flow][2] += part->arrived_bytes;
    }
    for (i = 0; i < run->nic_part_count; ++i) {
        const gms_report_nic_part_t *part = &run->nic_parts[i];

        for (k = 0; k < GMS_REPORT_NIC_PARTS; ++k) {
            sums->nics[part->node - 1][k] += part->busy_ps[k];
        }
    }
    for (i = 0; i < run->link_part_count; ++i) {
        const gms_report_link_part_t *part = &run->link_parts[i];

        sums->links[part->link][0] += part->moving_ps;
        sums->links[part->link][1] += part->held_ps;
        sums->links[part->link][2] += part->blocked_ps;
    }
    for (i = 0; i < run->host_part_count; ++i) {
        const gms_report_host_part_t *part = &run->host_parts[i];

        sums->hosts[part->rank][0] += part->worked_ps;
        sums->hosts[part->rank][1] += part->computed_ps;
    }
}

/* Compares one total with the sum of the windows. */
static void gms_check_one(gms_report_reader_t *reader, const char *list,
                          size_t index, const char *key, uint64_t total,
                          uint64_t sum)
{
    const gms_report_at_t at = {list, index, NULL};

    if (total != sum) {
        gms_report_wrong(reader, &at, key,
                         "is %llu, but the sum of the windows is %llu",
                         (unsigned long long)total, (unsigned long long)sum);
    }
}

static void gms_check_compare(gms_report_reader_t *reader,
                              const gms_check_sums_t *sums)
{
    static const char *const parts[GMS_REPORT_NIC_PARTS] = {
        "lanai_busy_ps", "host_dma_busy_ps", "send_dma_busy_ps",
        "receive_dma_busy_ps"};
    const gms_report_run_t *run = reader->run;
    size_t i;
    unsigned k;

    for (i = 0; i < run->flow_count; ++i) {
        const gms_report_flow_t *flow = &run->flows[i];

        gms_check_one(reader, "flows", i, "counters.bytes_sent",
                      flow->bytes_sent, sums->flows[i][0]);
        gms_check_one(reader, "flows", i, "counters.packets_sent",
                      flow->packets_sent, sums->flows[i][1]);
        gms_check_one(reader, "flows", i, "counters.bytes_arrived",
                      flow->bytes_arrived, sums->flows[i][2]);
    }
    for (i = 0; i < run->nodes; ++i) {
        for (k = 0; k < GMS_REPORT_NIC_PARTS; ++k) {
            gms_check_one(reader, "cards", i, parts[k], run->nics[i].busy_ps[k],
                          sums->nics[i][k]);
        }
    }
    for (i = 0; i < run->link_count; ++i) {
        const gms_report_link_t *link = &run->links[i];

        gms_check_one(reader, "topology.links", i, "moving_ps", link->moving_ps,
                      sums->links[i][0]);
        gms_check_one(reader, "topology.links", i, "held_ps", link->held_ps,
                      sums->links[i][1]);
        gms_check_one(reader, "topology.links", i, "blocked_ps",
                      link->blocked_ps, sums->links[i][2]);
    }
    for (i = 0; i < run->rank_count; ++i) {
        gms_check_one(reader, "hosts", i, "worked_ps", run->hosts[i].worked_ps,
                      sums->hosts[i][0]);
        gms_check_one(reader, "hosts", i, "computed_ps",
                      run->hosts[i].computed_ps, sums->hosts[i][1]);
    }
}

void gms_check_totals(gms_report_reader_t *reader)
{
    const gms_report_run_t *run = reader->run;
    gms_check_sums_t sums = {
        gms_report_alloc(reader, run->flow_count, sizeof(*sums.flows)),
        gms_report_alloc(reader, run->nodes, sizeof(*sums.nics)),
        gms_report_alloc(reader, run->link_count, sizeof(*sums.links)),
        gms_report_alloc(reader, run->rank_count, sizeof(*sums.hosts))};

    reader->file = "record.json";
    if (reader->status == GMS_OK && run->window_count > 0 &&
        run->windows[run->window_count - 1].end_ps > run->end_ps) {
        gms_report_wrong(
            reader, NULL, "end_ps", "is %llu, but the last window ends at %llu",
            (unsigned long long)run->end_ps,
            (unsigned long long)run->windows[run->window_count - 1].end_ps);
    }
    if (reader->status == GMS_OK) {
        gms_check_add(run, &sums);
        gms_check_compare(reader, &sums);
    }
    free(sums.flows);
    free(sums.nics);
    free(sums.links);
    free(sums.hosts);
}
