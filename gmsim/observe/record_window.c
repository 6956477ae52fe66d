/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes windows.jsonl. A run of one second has a thousand windows, so this
 * file formats the lines itself, which is faster than a JSON library. The lines
 * contain only numbers and commas, which every JSON reader accepts.
 */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "nic/inspect.h"
#include "base/digits.h"
#include "observe/record_int.h"

/* Maximum length of a piece of text, bytes. A line begins only if the buffer
 * has space for the line's first pieces. */
#define GMS_RECORD_PIECE 384u

/* Add the new bytes of the buffer to the checksum. */
static void gms_record_sum_buffer(gms_recorder_t *recorder)
{
    gms_record_t *record = recorder->record;

    gms_record_add_sum(recorder, GMS_RECORD_WINDOWS,
                       record->buffer + record->summed,
                       record->used - record->summed);
    record->summed = record->used;
}

static void gms_record_flush(gms_recorder_t *recorder)
{
    gms_record_t *record = recorder->record;

    gms_record_sum_buffer(recorder);
    gms_record_append(recorder, GMS_RECORD_WINDOWS, record->buffer,
                      record->used);
    record->used = record->summed = 0;
}

/* Return the real time from the coarse clock. Every window reads the clock, and
 * reading the coarse clock is cheap. */
static uint64_t gms_record_real_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

/* ---- writer of a line ---- */

/* State for writing a line. The characters become part of the buffer's contents
 * only when gms_record_pen_keep() is called. */
typedef struct gms_record_pen {
    gms_recorder_t *recorder;
    char *to; /* position of the next character */
    /* beyond this position, the buffer has no space for another piece */
    char *last;
    unsigned any; /* number of entries in the current list */
} gms_record_pen_t;

static void gms_record_pen_begin(gms_record_pen_t *pen,
                                 gms_recorder_t *recorder)
{
    gms_record_t *record = recorder->record;

    if (record->used + 2 * GMS_RECORD_PIECE > GMS_RECORD_BUFFER_BYTES) {
        gms_record_flush(recorder);
    }
    pen->recorder = recorder;
    pen->to = record->buffer + record->used;
    pen->last = record->buffer + GMS_RECORD_BUFFER_BYTES - GMS_RECORD_PIECE;
    pen->any = 0;
}

/* Keep the characters that have been written so far: they become part of the
 * buffer's contents. */
static void gms_record_pen_keep(gms_record_pen_t *pen)
{
    gms_record_t *record = pen->recorder->record;

    record->used = (size_t)(pen->to - record->buffer);
}

static void gms_record_pen_text(gms_record_pen_t *pen, const char *text,
                                size_t length)
{
    memcpy(pen->to, text, length);
    pen->to += length;
}

/* End the line with its checksum. */
static void gms_record_pen_end(gms_record_pen_t *pen)
{
    char tail[GMS_RECORD_TAIL_BYTES + 1];
    size_t length;

    gms_record_pen_keep(pen);
    gms_record_sum_buffer(pen->recorder);
    length = gms_record_end_line(pen->recorder, GMS_RECORD_WINDOWS, tail);
    gms_record_pen_text(pen, tail, length);
    gms_record_pen_keep(pen);
}

/* Append a string constant. */
#define GMS_RECORD_TEXT(pen, text)                                             \
    gms_record_pen_text(pen, text, sizeof(text) - 1)

/** Append a list of numbers such as "[1,2,3]". A comma precedes every list
 *  except the first one. */
static void gms_record_list(gms_record_pen_t *pen, const uint64_t *numbers,
                            unsigned count)
{
    char *to;
    unsigned i;

    if (pen->to > pen->last) {
        gms_record_pen_keep(pen);
        gms_record_flush(pen->recorder);
        pen->to = pen->recorder->record->buffer;
    }
    to = pen->to;
    *to = ',';
    to += pen->any != 0;
    *to = '[';
    for (i = 0; i < count; ++i) {
        to = gms_digits(to + 1, numbers[i]);
        *to = ',';
    }
    *to = ']';
    pen->to = to + 1;
    ++pen->any;
}

/* ---- flows ---- */

static void gms_record_flow(gms_record_pen_t *pen, const gms_flow_t *flow,
                            gms_record_flow_t *seen)
{
    uint64_t numbers[12];
    unsigned count = 6;

    numbers[0] = seen->number;
    numbers[1] = flow->bytes_sent - seen->bytes;
    numbers[2] = flow->packets_sent - seen->packets;
    numbers[3] = flow->bytes_arrived - seen->bytes_arrived;
    numbers[4] = flow->idt_ticks;
    numbers[5] = flow->idt_wait_ticks - seen->idt_wait_ticks;
    if (!seen->is_known) { /* if the run is killed, a reader needs the key of
                            * every flow */
        seen->is_known = 1;
        numbers[count++] = gms_nic_node(flow->nic) + 1;
        numbers[count++] = flow->key.source_port;
        numbers[count++] = flow->key.target_node + 1u;
        numbers[count++] = flow->key.target_port;
        numbers[count++] = flow->key.priority;
        numbers[count++] = flow->key.label;
    }
    gms_record_list(pen, numbers, count);
    seen->bytes = flow->bytes_sent;
    seen->packets = flow->packets_sent;
    seen->bytes_arrived = flow->bytes_arrived;
    seen->packets_arrived = flow->packets_arrived;
    seen->idt_wait_ticks = flow->idt_wait_ticks;
}

/* Skip flows that have sent no packet, because none of their packets can
 * arrive. */
static void gms_record_flows(gms_ctx_t *ctx, gms_record_pen_t *pen,
                             gms_flow_t *first)
{
    gms_flow_t *flow;

    for (flow = first; flow != NULL; flow = flow->next) {
        gms_record_flow_t *seen;

        if (flow->packets_sent == 0) {
            continue;
        }
        seen = gms_record_flow_of(ctx, pen->recorder->record, flow);
        if (seen != NULL && (flow->packets_sent != seen->packets ||
                             flow->packets_arrived != seen->packets_arrived)) {
            gms_record_flow(pen, flow, seen);
        }
    }
}

/* Most flows are idle most of the time. The NIC's packet count shows whether
 * any of its flows was active. */
static void gms_record_all_flows(gms_ctx_t *ctx, gms_record_pen_t *pen,
                                 const gms_record_subject_t *subject)
{
    gms_record_nic_t *cards = pen->recorder->record->nics;
    gms_nic_t *const *nics = subject->nics;
    unsigned nodes = subject->nodes, node;

    for (node = 0; node < nodes; ++node) {
        if (gms_nic_flow_packets(nics[node]) != cards[node].flow_packets) {
            cards[node].flow_packets = gms_nic_flow_packets(nics[node]);
            gms_record_flows(ctx, pen, gms_nic_flows(nics[node]));
        }
    }
}

/* ---- NICs ---- */

static void gms_record_nic(gms_record_pen_t *pen, unsigned node,
                           const gms_nic_counters_t *now,
                           gms_record_nic_t *last)
{
    const uint64_t numbers[] = {
        node + 1,
        now->lanai_busy_ps - last->lanai_ps,
        now->host_dma_busy_ps - last->host_dma_ps,
        now->send_dma_busy_ps - last->send_dma_ps,
        now->recv_dma_busy_ps - last->receive_dma_ps,
    };

    gms_record_list(pen, numbers, sizeof(numbers) / sizeof(numbers[0]));
    last->lanai_ps = now->lanai_busy_ps;
    last->host_dma_ps = now->host_dma_busy_ps;
    last->send_dma_ps = now->send_dma_busy_ps;
    last->receive_dma_ps = now->recv_dma_busy_ps;
}

static void gms_record_all_nics(gms_record_pen_t *pen,
                                const gms_record_subject_t *subject)
{
    gms_record_nic_t *cards = pen->recorder->record->nics;
    gms_nic_t *const *nics = subject->nics;
    unsigned nodes = subject->nodes, node;

    for (node = 0; node < nodes; ++node) {
        const gms_nic_counters_t *now = gms_nic_counters(nics[node]);
        uint64_t busy_ps = now->lanai_busy_ps + now->host_dma_busy_ps +
                           now->send_dma_busy_ps + now->recv_dma_busy_ps;

        if (busy_ps != cards[node].busy_ps) { /* if the sum is unchanged, all
                                               * times are unchanged, because no
                                               * time decreases */
            cards[node].busy_ps = busy_ps;
            gms_record_nic(pen, node, now, &cards[node]);
        }
    }
}

/* ---- links ---- */

static void gms_record_link(gms_record_pen_t *pen,
                            const gms_record_subject_t *subject,
                            unsigned number, gms_time_t end_ps)
{
    gms_link_use_t *last = &pen->recorder->record->links[number], now;
    uint64_t numbers[4];

    gms_fabric_link_use(subject->fabric, number, end_ps, &now);
    numbers[0] = number;
    numbers[1] = now.moving_ps - last->moving_ps;
    numbers[2] = now.held_ps - last->held_ps;
    numbers[3] = now.blocked_ps - last->blocked_ps;
    if ((numbers[1] | numbers[2] | numbers[3]) != 0) {
        gms_record_list(pen, numbers, 4);
        *last = now;
    }
}

/* ---- hosts ---- */

static void gms_record_all_hosts(gms_ctx_t *ctx, gms_record_pen_t *pen,
                                 const gms_record_subject_t *subject,
                                 gms_time_t until_ps)
{
    gms_record_t *record = pen->recorder->record;
    unsigned rank;

    for (rank = 0; rank < subject->ranks; ++rank) {
        gms_time_t times_ps[GMS_BUSY_KINDS];
        uint64_t numbers[3];

        gms_busy_take(ctx, record->busy, rank, until_ps, times_ps);
        numbers[0] = rank;
        numbers[1] = times_ps[GMS_BUSY_WORKS];
        numbers[2] = times_ps[GMS_BUSY_COMPUTES];
        if ((numbers[1] | numbers[2]) != 0) {
            gms_record_list(pen, numbers, 3);
            record->hosts[rank].times_ps[GMS_BUSY_WORKS] += numbers[1];
            record->hosts[rank].times_ps[GMS_BUSY_COMPUTES] += numbers[2];
        }
    }
}

/* ---- the window ---- */

/* Append lists of all flows, NICs and links that have changed since the last
 * line.
 * @return number of entries */
static unsigned gms_record_lists(gms_ctx_t *ctx, gms_record_pen_t *pen,
                                 const gms_record_subject_t *subject,
                                 gms_time_t end_ps)
{
    gms_time_t since_ps = pen->recorder->record->line_ps;
    unsigned all, link = 0;

    gms_record_all_flows(ctx, pen, subject);
    all = pen->any;
    GMS_RECORD_TEXT(pen, "],\"cards\":[");
    pen->any = 0;
    gms_record_all_nics(pen, subject);
    all += pen->any;
    GMS_RECORD_TEXT(pen, "],\"links\":[");
    pen->any = 0;
    while ((link = gms_fabric_next_used(subject->fabric, link, since_ps)) !=
           GMS_LINK_NONE) {
        gms_record_link(pen, subject, link++, end_ps);
    }
    return all + pen->any;
}

/* Write the line of a window. If no flow, NIC or link was active, the activity
 * of hosts becomes part of the next line. At the end of the run, this activity
 * becomes a separate line. */
static void gms_record_line(gms_ctx_t *ctx, gms_recorder_t *recorder,
                            const gms_record_subject_t *subject,
                            gms_time_t end_ps, int is_last)
{
    gms_record_t *record = recorder->record;
    uint64_t now_ms = gms_record_real_ms();
    gms_record_pen_t pen;
    unsigned moved;

    gms_record_pen_begin(&pen, recorder);
    GMS_RECORD_TEXT(&pen, "{\"end_ps\":");
    pen.to = gms_digits(pen.to, end_ps);
    GMS_RECORD_TEXT(&pen, ",\"flows\":[");
    /* the last line contains all that the links carried after the run */
    moved = gms_record_lists(ctx, &pen, subject,
                             is_last ? gms_engine_now(ctx->engine) : end_ps);
    pen.any = 0;
    if (moved != 0 || (is_last && end_ps > record->line_ps)) {
        GMS_RECORD_TEXT(&pen, "],\"hosts\":[");
        gms_record_all_hosts(ctx, &pen, subject, is_last ? GMS_NEVER : end_ps);
    }
    /* A line without changes is discarded. Such a line is too short to cause a
     * flush. */
    if (moved + pen.any != 0) {
        GMS_RECORD_TEXT(&pen, "]");
        if (record->used == 0) {
            record->since_ms = now_ms;
        }
        gms_record_pen_end(&pen);
        record->line_ps = end_ps;
    }
    if (now_ms - record->since_ms >= GMS_RECORD_KEEP_MS) {
        gms_record_flush(recorder);
    }
}

void gms_recorder_window(gms_ctx_t *ctx, gms_recorder_t *recorder,
                         const gms_record_subject_t *subject,
                         gms_time_t next_ps)
{
    gms_record_t *record = recorder->record;
    gms_time_t end_ps = gms_engine_watched_ps(ctx->engine);

    if (next_ps == GMS_NEVER && record->end_ps != 0) {
        end_ps = record->end_ps;
    } else if (next_ps == GMS_NEVER && end_ps > gms_engine_now(ctx->engine)) {
        end_ps = gms_engine_now(ctx->engine);
    }
    /* No event occurs between the end of this window and the next event, so the
     * function skips all windows before the next event. */
    gms_engine_watch(ctx->engine, next_ps - next_ps % GMS_RECORD_WINDOW_PS +
                                      GMS_RECORD_WINDOW_PS);
    if (recorder->directory >= 0 &&
        (next_ps == GMS_NEVER || !subject->is_over)) {
        gms_record_line(ctx, recorder, subject, end_ps, next_ps == GMS_NEVER);
        if (next_ps == GMS_NEVER) {
            gms_record_flush(recorder);
        }
    }
}
