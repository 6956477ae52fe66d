/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows. A run of a second has a thousand of them, so lines are put together by
 * hand: numbers and commas only, which any reader of JSON takes.
 */
#include <string.h>
#include <unistd.h>

#include "nic/nic_int.h"
#include "observe/counters.h"
#include "observe/digits.h"
#include "observe/record_int.h"

/* Longest piece that is put in at once; a line is begun only where there is room
 * for its longest first piece. */
#define GMS_RECORD_PIECE 320u

int gms_record_write(int file, const char *text, size_t bytes)
{
    while (bytes > 0) {
        ssize_t done = write(file, text, bytes);

        if (done < 0) {
            return -1;
        }
        text += done;
        bytes -= (size_t)done;
    }
    return 0;
}

/* A full disk must not end the run; the record's end then says so. */
static void gms_record_flush(const gms_recorder_t *recorder)
{
    gms_record_t *record = recorder->record;

    (void)gms_record_write(recorder->windows, record->buffer, record->used);
    record->used = 0;
    record->windows = 0;
}

static void gms_record_text(gms_record_t *record, const char *text)
{
    size_t len = strlen(text);

    memcpy(record->buffer + record->used, text, len);
    record->used += len;
}

static void gms_record_number(gms_record_t *record, uint64_t number)
{
    char *to = record->buffer + record->used;

    record->used += (size_t)(gms_digits(to, number) - to);
}

/** "[" or ",[" and numbers between commas, "]". */
static void gms_record_list(const gms_recorder_t *recorder, int is_first,
                            const uint64_t *numbers, unsigned count)
{
    gms_record_t *record = recorder->record;
    unsigned i;

    if (record->used + GMS_RECORD_PIECE > GMS_RECORD_BUFFER_BYTES) {
        gms_record_flush(recorder);
    }
    gms_record_text(record, is_first ? "[" : ",[");
    for (i = 0; i < count; i++) {
        if (i > 0) {
            record->buffer[record->used++] = ',';
        }
        gms_record_number(record, numbers[i]);
    }
    gms_record_text(record, "]");
}

/* ---- flows ---- */

static unsigned gms_record_flow(gms_ctx_t *ctx, const gms_recorder_t *recorder,
                                gms_flow_t *flow, unsigned before)
{
    gms_record_flow_t *seen =
        flow->packets_sent == 0
            ? NULL
            : gms_record_flow_of(ctx, recorder->record, flow);
    uint64_t numbers[12];
    unsigned count = 6;

    if (seen == NULL || (flow->packets_sent == seen->packets &&
                         flow->packets_arrived == seen->packets_arrived)) {
        return before;
    }
    numbers[0] = seen->number;
    numbers[1] = flow->bytes_sent - seen->bytes;
    numbers[2] = flow->packets_sent - seen->packets;
    numbers[3] = flow->bytes_arrived - seen->bytes_arrived;
    numbers[4] = flow->idt_ticks;
    numbers[5] = flow->idt_wait_ticks - seen->idt_wait_ticks;
    if (!seen->is_known) { /* a run that is killed must have said who it is */
        seen->is_known = 1;
        numbers[count++] = flow->nic->node + 1;
        numbers[count++] = flow->key.source_port;
        numbers[count++] = flow->key.target_node + 1u;
        numbers[count++] = flow->key.target_port;
        numbers[count++] = flow->key.priority;
        numbers[count++] = flow->key.label;
    }
    gms_record_list(recorder, before == 0, numbers, count);
    seen->bytes = flow->bytes_sent;
    seen->packets = flow->packets_sent;
    seen->bytes_arrived = flow->bytes_arrived;
    seen->packets_arrived = flow->packets_arrived;
    seen->idt_wait_ticks = flow->idt_wait_ticks;
    return before + 1;
}

static unsigned gms_record_flows(gms_ctx_t *ctx,
                                 const gms_recorder_t *recorder,
                                 const gms_record_subject_t *subject)
{
    unsigned count = 0, node;
    gms_flow_t *flow;

    for (node = 0; node < subject->nodes; node++) {
        for (flow = subject->nics[node]->first_flow; flow != NULL;
             flow = flow->next) {
            count = gms_record_flow(ctx, recorder, flow, count);
        }
    }
    return count;
}

/* ---- cards ---- */

static unsigned gms_record_card(const gms_recorder_t *recorder,
                                const gms_nic_t *nic, unsigned node,
                                unsigned before)
{
    const gms_nic_counters_t *now = gms_nic_counters(nic);
    gms_record_busy_t *busy = &recorder->record->busy[node];
    const uint64_t numbers[] = {
        node + 1,
        now->lanai_busy_ps - busy->lanai_ps,
        now->host_dma_busy_ps - busy->host_dma_ps,
        now->send_dma_busy_ps - busy->send_dma_ps,
        now->recv_dma_busy_ps - busy->receive_dma_ps,
    };

    if (numbers[1] == 0 && numbers[2] == 0 && numbers[3] == 0 &&
        numbers[4] == 0) {
        return before;
    }
    gms_record_list(recorder, before == 0, numbers,
                    sizeof(numbers) / sizeof(numbers[0]));
    busy->lanai_ps = now->lanai_busy_ps;
    busy->host_dma_ps = now->host_dma_busy_ps;
    busy->send_dma_ps = now->send_dma_busy_ps;
    busy->receive_dma_ps = now->recv_dma_busy_ps;
    return before + 1;
}

/* ---- links ---- */

static unsigned gms_record_link(const gms_recorder_t *recorder,
                                const gms_record_subject_t *subject,
                                unsigned number, gms_time_t end_ps,
                                unsigned before)
{
    gms_link_use_t *last = &recorder->record->links[number], now;
    uint64_t numbers[4];

    gms_fabric_link_use(subject->fabric, number, end_ps, &now);
    numbers[0] = number;
    numbers[1] = now.moving_ps - last->moving_ps;
    numbers[2] = now.held_ps - last->held_ps;
    numbers[3] = now.blocked_ps - last->blocked_ps;
    if (numbers[1] == 0 && numbers[2] == 0 && numbers[3] == 0) {
        return before;
    }
    gms_record_list(recorder, before == 0, numbers, 4);
    *last = now;
    return before + 1;
}

/* ---- the window ---- */

static void gms_record_line(gms_ctx_t *ctx, const gms_recorder_t *recorder,
                            const gms_record_subject_t *subject,
                            gms_time_t end_ps)
{
    gms_record_t *record = recorder->record;
    unsigned flows, cards = 0, links = 0, i;
    unsigned count =
        gms_topology_link_count(gms_fabric_topology(subject->fabric));
    size_t begin;

    if (record->used + 2 * GMS_RECORD_PIECE > GMS_RECORD_BUFFER_BYTES) {
        gms_record_flush(recorder);
    }
    begin = record->used;
    gms_record_text(record, "{\"end_ps\":");
    gms_record_number(record, end_ps);
    gms_record_text(record, ",\"flows\":[");
    flows = gms_record_flows(ctx, recorder, subject);
    gms_record_text(record, "],\"cards\":[");
    for (i = 0; i < subject->nodes; i++) {
        cards = gms_record_card(recorder, subject->nics[i], i, cards);
    }
    gms_record_text(record, "],\"links\":[");
    for (i = 0; i < count; i++) {
        links = gms_record_link(recorder, subject, i, end_ps, links);
    }
    gms_record_text(record, "]}\n");
    if (flows == 0 && cards == 0 && links == 0) {
        record->used = begin; /* nothing was written in between */
    } else if (++record->windows >= GMS_RECORD_FLUSH_WINDOWS) {
        gms_record_flush(recorder);
    }
}

void gms_recorder_window(gms_ctx_t *ctx, const gms_recorder_t *recorder,
                         const gms_record_subject_t *subject,
                         gms_time_t next_ps)
{
    gms_time_t end_ps = gms_engine_watched_ps(ctx->engine);

    if (next_ps == GMS_NEVER && end_ps > gms_engine_now(ctx->engine)) {
        end_ps = gms_engine_now(ctx->engine);
    }
    /* Between the window's end and the next event nothing happens. */
    gms_engine_watch(ctx->engine, next_ps - next_ps % GMS_RECORD_WINDOW_PS +
                                      GMS_RECORD_WINDOW_PS);
    if (recorder->folder >= 0) {
        gms_record_line(ctx, recorder, subject, end_ps);
        if (next_ps == GMS_NEVER) {
            gms_record_flush(recorder);
        }
    }
}
