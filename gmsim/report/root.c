/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Splits record.json into two parts, the list of flows and the rest of the root
 * object. Checks the schema and the checksum, and parses both parts.
 */
#include "report/root.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/json_memory.h"
#include "base/limits.h"
#include "base/printable.h"

#define GMS_ROOT_FLOWS       "flows"
#define GMS_ROOT_BLOCK_BYTES 65536u

/* ---- brackets ---- */

/* Nesting depth at a position in a JSON text. Both kinds of brackets are
 * counted together, because the JSON library reports brackets that do not
 * match. */
typedef struct gms_root_scan {
    unsigned depth;
    int is_text, is_escaped;
} gms_root_scan_t;

static void gms_root_step(gms_root_scan_t *scan, char c)
{
    if (scan->is_text) {
        scan->is_text = scan->is_escaped || c != '"';
        scan->is_escaped = !scan->is_escaped && c == '\\';
    } else if (c == '"') {
        scan->is_text = 1;
    } else if (c == '[' || c == '{') {
        ++scan->depth;
    } else if ((c == ']' || c == '}') && scan->depth > 0) {
        --scan->depth;
    }
}

/* A string that can grow up to a limit. */
typedef struct gms_root_text {
    char *bytes;
    size_t used, size, most;
} gms_root_text_t;

static void gms_root_put(gms_report_reader_t *reader, gms_root_text_t *text,
                         char c)
{
    if (text->used == text->size) {
        size_t size = text->size > 0 ? 2 * text->size : GMS_ROOT_BLOCK_BYTES;
        char *bytes;

        if (text->used >= text->most) {
            gms_report_wrong(reader, NULL, NULL, GMS_REPORT_TOO_LARGE);
            return;
        }
        bytes = realloc(text->bytes, size);
        if (bytes == NULL) {
            gms_report_no_memory(reader);
            return;
        }
        text->bytes = bytes;
        text->size = size;
    }
    text->bytes[text->used++] = c;
}

/* ---- the file without its flows ---- */

typedef struct gms_root_split {
    gms_root_scan_t scan;
    gms_root_text_t rest;
    char key[sizeof(GMS_ROOT_FLOWS)]; /* the most recent string at the first
                                       * nesting level */
    size_t key_length;                /* length of this string before
                                         truncation */
    int is_flows; /* 1: the next value is the list of flows */
    int is_left_out;
    long at; /* number of bytes read */
} gms_root_split_t;

/* Checks whether an opening bracket begins the list of flows. */
static int gms_root_is_flows(gms_root_split_t *split, char c)
{
    if (split->scan.depth != 1) {
        return 0;
    }
    if (split->scan.is_text) {
        if (c != '"' && split->key_length < sizeof(split->key)) {
            split->key[split->key_length] = c;
        }
        split->key_length += c != '"';
    } else if (c == '"') {
        split->key_length = 0;
    } else if (c == ':') {
        split->is_flows =
            split->key_length == sizeof(GMS_ROOT_FLOWS) - 1 &&
            memcmp(split->key, GMS_ROOT_FLOWS, split->key_length) == 0;
    } else if (c == ',') {
        split->is_flows = 0;
    }
    return c == '[' && split->is_flows;
}

/* Processes the next byte. Line ends inside the omitted list are kept, because
 * messages refer to lines of the file. */
static void gms_root_take(gms_report_reader_t *reader, gms_report_root_t *root,
                          gms_root_split_t *split, char c)
{
    int begins = gms_root_is_flows(split, c);

    gms_root_step(&split->scan, c);
    ++split->at;
    if (split->is_left_out) {
        root->flows_sum = gms_checksum(root->flows_sum, &c, 1);
        split->is_left_out = split->scan.depth > 1;
    }
    if (!split->is_left_out || c == '\n') {
        gms_root_put(reader, &split->rest, c);
    }
    if (begins) {
        split->is_left_out = 1;
        root->flows_at = split->at;
        root->flows_sum = 0;
    }
}

/* Reads the file once, and splits it into the root and the list of flows.
 * @param [out] sum_p checksum of all bytes except its own digits */
static void gms_root_split(gms_report_reader_t *reader, gms_report_root_t *root,
                           gms_root_split_t *split, uint64_t bytes,
                           uint64_t *sum_p)
{
    uint64_t summed =
        bytes > GMS_CHECK_TAIL_BYTES ? bytes - GMS_CHECK_TAIL_BYTES : 0;
    char *block = malloc(GMS_ROOT_BLOCK_BYTES);
    size_t got, i;

    if (block == NULL) {
        gms_report_no_memory(reader);
        return;
    }
    for (; bytes > 0 && reader->status == GMS_OK; bytes -= got) {
        got =
            bytes < GMS_ROOT_BLOCK_BYTES ? (size_t)bytes : GMS_ROOT_BLOCK_BYTES;
        got = fread(block, 1, got, root->stream);
        if (got == 0) {
            break;
        }
        *sum_p =
            gms_checksum(*sum_p, block, summed < got ? (size_t)summed : got);
        summed -= summed < got ? summed : got;
        for (i = 0; i < got && reader->status == GMS_OK; ++i) {
            gms_root_take(reader, root, split, block[i]);
        }
    }
    free(block);
    if (reader->status == GMS_OK && ferror(root->stream)) {
        gms_report_system(reader, GMS_REPORT_ROOT, strerror(errno));
    }
}

/* ---- contents ---- */

static void gms_root_check_schema(gms_report_reader_t *reader,
                                  const json_t *root)
{
    uint64_t schema = gms_report_number(reader, NULL, root, "schema");
    const char *version = json_string_value(
        json_object_get(json_object_get(root, "versions"), "gmqos"));

    if (reader->status == GMS_OK && schema < GMS_REPORT_SCHEMA) {
        gms_report_wrong(reader, NULL, "schema",
                         "is %llu, written by an older gmqos (%.40s), but this "
                         "version reads schema %d: record the run again",
                         (unsigned long long)schema,
                         version != NULL ? version : "", GMS_REPORT_SCHEMA);
    } else if (schema > GMS_REPORT_SCHEMA) {
        gms_report_wrong(reader, NULL, "schema",
                         "is %llu, written by a newer gmqos (%.40s), but this "
                         "version reads schema %d: use the newer version",
                         (unsigned long long)schema,
                         version != NULL ? version : "?", GMS_REPORT_SCHEMA);
    }
}

static void gms_root_parse(gms_report_reader_t *reader, gms_report_root_t *root,
                           const gms_root_text_t *rest, int state)
{
    json_error_t error = {.line = 0};

    root->value = json_loadb(rest->bytes != NULL ? rest->bytes : "", rest->used,
                             JSON_REJECT_DUPLICATES, &error);
    if (root->value == NULL && gms_json_is_short()) {
        gms_report_wrong(reader, NULL, NULL, GMS_REPORT_TOO_LARGE);
    } else if (!json_is_object(root->value)) {
        reader->line = error.line > 0 ? (unsigned)error.line : 0;
        gms_report_wrong(
            reader, NULL, NULL, "%s%s",
            root->value == NULL ? error.text : "expected: an object",
            state == GMS_CHECK_CUT ? " (the file was truncated or changed)"
                                   : "");
        reader->line = 0;
    } else {
        gms_report_clean(reader, root->value);
        gms_root_check_schema(reader, root->value);
    }
    /* a key may contain escapes, but the writer of records uses none */
    if (root->flows_at < 0 &&
        json_object_get(root->value, GMS_ROOT_FLOWS) != NULL) {
        gms_report_wrong(reader, NULL, GMS_ROOT_FLOWS, "is not a plain list");
    }
}

static void gms_root_load(gms_report_reader_t *reader, gms_report_root_t *root,
                          uint64_t bytes)
{
    gms_root_split_t split = {.rest.most = GMS_LIMIT_ROOT_BYTES};
    uint64_t sum = 0;
    int state;

    gms_root_split(reader, root, &split, bytes, &sum);
    if (reader->status == GMS_OK) {
        state =
            gms_check_root(split.rest.bytes, split.rest.used, sum, &root->sum);
        gms_root_parse(reader, root, &split.rest, state);
        if (state != GMS_CHECK_GOOD) {
            gms_report_wrong(
                reader, NULL, NULL, "%s",
                state == GMS_CHECK_CUT
                    ? "does not end with its checksum, so the file "
                      "was truncated or changed"
                    : "the checksum does not match: the file was "
                      "changed");
        }
    }
    free(split.rest.bytes);
}

void gms_report_root_open(gms_report_reader_t *reader, gms_report_root_t *root)
{
    uint64_t bytes = 0;

    *root = (gms_report_root_t){.flows_at = -1};
    errno = 0;
    reader->file = GMS_REPORT_ROOT;
    root->stream = gms_report_open(reader, GMS_REPORT_ROOT, &bytes);
    if (root->stream == NULL && reader->status == GMS_ERR_SYSTEM) {
        (void)snprintf(reader->error, GMS_REPORT_ERROR_LEN,
                       "%.200s: the directory has no record of a run (%s: %s)",
                       reader->directory, GMS_REPORT_ROOT,
                       errno != 0 ? strerror(errno) : "not a regular file");
        (void)gms_printable_here(reader->error);
    }
    if (root->stream == NULL) {
        return;
    }
    if (bytes > GMS_LIMIT_RECORD_BYTES) {
        gms_report_wrong(reader, NULL, NULL,
                         "has %llu bytes, but at most %zu MB are allowed",
                         (unsigned long long)bytes,
                         GMS_LIMIT_RECORD_BYTES >> 20);
        return;
    }
    gms_root_load(reader, root, bytes);
}

void gms_report_root_close(gms_report_root_t *root)
{
    if (root->stream != NULL) {
        (void)fclose(root->stream);
    }
    json_decref(root->value);
    *root = (gms_report_root_t){.flows_at = -1};
}

/* ---- the flows ---- */

typedef struct gms_root_list {
    gms_report_root_t root;
    uint64_t sum;
    gms_root_text_t text; /* text of the flow that is being read */
} gms_root_list_t;

/* Returns the next byte and adds it to the checksum. The result is EOF at the
 * end of the file. */
static int gms_root_get(gms_root_list_t *list)
{
    int c = getc_unlocked(list->root.stream);
    char byte = (char)c;

    if (c != EOF) {
        list->sum = gms_checksum(list->sum, &byte, 1);
    }
    return c;
}

/* Returns the next byte that is not white space. The result is EOF at the end
 * of the file. */
static int gms_root_next(gms_root_list_t *list)
{
    int c;

    do {
        c = gms_root_get(list);
    } while (c == ' ' || c == '\n' || c == '\t' || c == '\r');
    return c;
}

/* Reads an object whose first byte has already been read. After an error, the
 * function stores the error and returns NULL. */
static json_t *gms_root_object(gms_report_reader_t *reader,
                               gms_root_list_t *list, const gms_report_at_t *at)
{
    gms_root_scan_t scan = {0};
    json_error_t error;
    json_t *value;
    int c = '{';

    list->text.used = 0;
    do {
        gms_root_put(reader, &list->text, (char)c);
        gms_root_step(&scan, (char)c);
    } while (scan.depth > 0 && reader->status == GMS_OK &&
             (c = gms_root_get(list)) != EOF);
    if (reader->status != GMS_OK) {
        return NULL;
    }
    value = json_loadb(list->text.bytes, list->text.used,
                       JSON_REJECT_DUPLICATES, &error);
    if (value == NULL && gms_json_is_short()) {
        gms_report_wrong(reader, NULL, NULL, GMS_REPORT_TOO_LARGE);
    } else if (value == NULL) {
        gms_report_wrong(reader, at, NULL, "%s", error.text);
    } else {
        gms_report_clean(reader, value);
    }
    return value;
}

/* Reads the flows one by one. @return 1: the end of the list was reached */
static int gms_root_each(gms_report_reader_t *reader, gms_root_list_t *list,
                         gms_report_flow_fn *flow_fn, void *arg)
{
    gms_report_at_t at = {GMS_ROOT_FLOWS, 0, NULL};
    int c = gms_root_next(list), goes_on = 1;

    if (c == ']') {
        return 1;
    }
    for (; goes_on && reader->status == GMS_OK; ++at.index) {
        json_t *flow = NULL;

        if (at.index >= GMS_LIMIT_RECORD_ROWS) {
            gms_report_wrong(reader, &at, NULL,
                             "the list has more than %u flows",
                             GMS_LIMIT_RECORD_ROWS);
            return 0;
        }
        if (c != '{') {
            gms_report_wrong(reader, &at, NULL, "expected: an object");
            return 0;
        }
        flow = gms_root_object(reader, list, &at);
        goes_on =
            reader->status == GMS_OK && flow_fn(reader, at.index, flow, arg);
        json_decref(flow);
        c = goes_on ? gms_root_next(list) : 0;
        if (c == ']') {
            return 1;
        }
        if (goes_on && c != ',') {
            gms_report_wrong(reader, &at, NULL,
                             "expected: ',' or ']' after this item");
        }
        c = goes_on ? gms_root_next(list) : 0;
    }
    return 0;
}

void gms_report_root_flows(gms_report_reader_t *reader,
                           const gms_report_root_t *root,
                           gms_report_flow_fn *flow_fn, void *arg)
{
    gms_root_list_t list = {.root = *root, .text.most = GMS_LIMIT_LINE_BYTES};

    reader->file = GMS_REPORT_ROOT;
    if (reader->status != GMS_OK || root->flows_at < 0) {
        return;
    }
    if (fseek(root->stream, root->flows_at, SEEK_SET) != 0) {
        gms_report_system(reader, GMS_REPORT_ROOT, strerror(errno));
        return;
    }
    if (gms_root_each(reader, &list, flow_fn, arg) &&
        reader->status == GMS_OK && list.sum != root->flows_sum) {
        gms_report_wrong(reader, NULL, GMS_ROOT_FLOWS,
                         "the file was changed while it was read");
    }
    free(list.text.bytes);
}
