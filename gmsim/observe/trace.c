/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the part of a trace that all processes of a job share: buffers,
 * the heap of waiting items, and the distribution of items to the outputs.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/heap.h"
#include "observe/trace_int.h"

#define GMS_TRACE_FIRST_ROOM 256u
/* Minimum number of ports per node in the ids of messages. Because of this
 * minimum, the ids in traces of NICs with few ports do not depend on
 * gm_ports. */
#define GMS_TRACE_PORTS 16u

/* ---- begin ---- */

static int gms_trace_alloc_tables(gms_arena_t *arena, gms_trace_t *trace)
{
    const gms_trace_subject_t *subject = &trace->subject;
    unsigned i;

    trace->name =
        gms_arena_alloc(arena, GMS_TRACE_NAMES * sizeof(*trace->name));
    trace->ranks =
        gms_arena_alloc(arena, subject->ranks * sizeof(*trace->ranks));
    trace->port_stride =
        subject->ports > GMS_TRACE_PORTS ? subject->ports : GMS_TRACE_PORTS;
    trace->ports =
        gms_arena_alloc(arena, (size_t)subject->nodes * trace->port_stride *
                                   sizeof(trace->ports[0]));
    trace->part_ps =
        gms_arena_alloc(arena, (size_t)subject->nodes * GMS_TRACE_PARTS *
                                   sizeof(*trace->part_ps));
    trace->room = GMS_TRACE_FIRST_ROOM;
    trace->heap = gms_arena_alloc(arena, trace->room * sizeof(*trace->heap));
    for (i = 0; i < trace->outputs; ++i) {
        trace->out[i] = gms_arena_alloc(arena, sizeof(*trace->out[i]));
        if (trace->out[i] == NULL) {
            return 0;
        }
    }
    return trace->name != NULL && trace->ranks != NULL &&
           trace->ports != NULL && trace->part_ps != NULL &&
           trace->heap != NULL;
}

gms_status_t gms_trace_create(gms_arena_t *arena,
                              const gms_trace_config_t *config,
                              const gms_trace_subject_t *subject,
                              gms_trace_t **trace_p)
{
    gms_trace_t *trace = gms_arena_alloc(arena, sizeof(*trace));
    gms_tracer_t tracer;
    gms_status_t status = GMS_OK;
    unsigned i;

    if (trace == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    trace->categories = gms_trace_categories(config);
    trace->from_ps = config->from_ps;
    trace->to_ps = config->to_ps;
    trace->subject = *subject;
    trace->outputs = config->outputs;
    if (!gms_trace_alloc_tables(arena, trace)) {
        return GMS_ERR_NO_MEMORY; /* the arena is released at the end of the
                                   * job */
    }
    for (i = 0; status == GMS_OK && i < config->outputs; ++i) {
        status = gms_trace_make(config, i);
    }
    if (status == GMS_OK) {
        status = gms_tracer_open(&tracer, config, trace);
    }
    if (status != GMS_OK) {
        return status;
    }
    for (i = 0; i < config->outputs; ++i) {
        if (config->ops[i]->begin != NULL) {
            config->ops[i]->begin(&tracer, i);
        }
    }
    gms_tracer_close(&tracer);
    *trace_p = trace;
    return GMS_OK;
}

gms_status_t gms_tracer_open(gms_tracer_t *tracer,
                             const gms_trace_config_t *config,
                             gms_trace_t *trace)
{
    unsigned i;
    int why;

    tracer->trace = trace;
    tracer->config = config;
    for (i = 0; i < GMS_TRACE_OUTPUTS; ++i) {
        tracer->files[i] = -1;
    }
    for (i = 0; i < config->outputs; ++i) {
        tracer->files[i] = gms_trace_open(config, i, &tracer->is_part[i]);
        if (tracer->files[i] < 0) {
            why = errno;
            gms_tracer_close(tracer);
            errno = why;
            return GMS_ERR_SYSTEM;
        }
    }
    return GMS_OK;
}

void gms_tracer_close(gms_tracer_t *tracer)
{
    unsigned i;

    for (i = 0; i < GMS_TRACE_OUTPUTS; ++i) {
        if (tracer->files[i] >= 0) {
            (void)close(tracer->files[i]);
        }
        tracer->files[i] = -1;
    }
    tracer->trace = NULL;
}

int gms_tracer_needs_nics(const gms_tracer_t *tracer)
{
    /* The category GM also needs the trace points of NICs. The arrows between
     * messages need message numbers, and NICs copy these numbers only for
     * observers. */
    return tracer->trace != NULL &&
           (tracer->trace->categories &
            (GMS_TRACE_GM | GMS_TRACE_PACKET | GMS_TRACE_NIC)) != 0;
}

void *gms_trace_alloc(gms_ctx_t *ctx, size_t bytes)
{
    void *memory = gms_arena_alloc(ctx->arena, bytes);

    if (memory == NULL) {
        gms_fatal(ctx, "the arena has no memory left for the trace; set a "
                       "larger arena_bytes in the cluster description, or "
                       "trace less (GMSIM_TRACE_ONLY)");
    }
    return memory;
}

/* ---- writing ---- */

void gms_trace_flush(gms_tracer_t *tracer, unsigned output)
{
    gms_trace_out_t *out = tracer->trace->out[output];
    size_t done = 0;

    /* A full disk must not end the run; gms_tracer_end() reports the error. */
    while (out->error == 0 && done < out->used) {
        ssize_t count =
            write(tracer->files[output], out->buffer + done, out->used - done);

        if (count >= 0) {
            done += (size_t)count;
        } else if (errno != EINTR) {
            out->error = errno;
        }
    }
    out->used = 0;
}

void gms_trace_add(gms_tracer_t *tracer, unsigned output, const void *data,
                   size_t bytes)
{
    gms_trace_out_t *out = tracer->trace->out[output];

    if (out->used + bytes > GMS_TRACE_BUFFER_BYTES) {
        gms_trace_flush(tracer, output);
    }
    memcpy(out->buffer + out->used, data, bytes);
    out->used += bytes;
}

void gms_trace_print(gms_tracer_t *tracer, unsigned output, const char *format,
                     ...)
{
    char line[GMS_TRACE_LINE_BYTES];
    va_list args;
    int len;

    va_start(args, format);
    len = vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    if (len > 0) {
        gms_trace_add(tracer, output, line,
                      (size_t)len < sizeof(line) ? (size_t)len
                                                 : sizeof(line) - 1);
    }
}

/* ---- items of ranks, which are written when the engine reaches their time
 * ---- */

static int gms_trace_is_earlier(const gms_trace_t *trace,
                                const gms_trace_waiting_t *a,
                                const gms_trace_waiting_t *b)
{
    (void)trace;
    if (a->item.at_ps != b->item.at_ps) {
        return a->item.at_ps < b->item.at_ps;
    }
    if (a->item.number != b->item.number) {
        return a->item.number < b->item.number;
    }
    return a->sequence < b->sequence;
}

GMS_HEAP_DEFINE(gms_trace_heap, gms_trace_waiting_t, const gms_trace_t *,
                gms_trace_is_earlier, GMS_HEAP_UNMOVED);

static const unsigned gms_trace_category_of[GMS_TRACE_KINDS] = {
    [GMS_TRACE_ENTER] = GMS_TRACE_MPI,     [GMS_TRACE_LEAVE] = GMS_TRACE_MPI,
    [GMS_TRACE_SEND] = GMS_TRACE_GM,       [GMS_TRACE_RECEIVE] = GMS_TRACE_GM,
    [GMS_TRACE_CALLBACK] = GMS_TRACE_GM,   [GMS_TRACE_JOB] = GMS_TRACE_NIC,
    [GMS_TRACE_TRANSFER] = GMS_TRACE_NIC,  [GMS_TRACE_LINK_OUT] = GMS_TRACE_NIC,
    [GMS_TRACE_LINK_IN] = GMS_TRACE_NIC,   [GMS_TRACE_FLOW_IDT] = GMS_TRACE_IDT,
    [GMS_TRACE_FLOW_RATE] = GMS_TRACE_IDT, [GMS_TRACE_DECISION] = GMS_TRACE_IDT,
    [GMS_TRACE_BROKEN] = GMS_TRACE_FAULT,
};

static void gms_trace_write(gms_tracer_t *tracer, const gms_trace_item_t *item,
                            const char *text)
{
    unsigned category = gms_trace_category_of[item->kind], i;

    for (i = 0; i < tracer->config->outputs; ++i) {
        if (tracer->config->wanted[i] & category) {
            tracer->config->ops[i]->item(tracer, i, item, text);
        }
    }
}

/* Write all waiting items up to and including a given time. */
static void gms_trace_release(gms_tracer_t *tracer, gms_time_t until_ps)
{
    gms_trace_t *trace = tracer->trace;

    while (trace->waiting > 0 && trace->heap[0].item.at_ps <= until_ps) {
        const gms_trace_waiting_t first =
            gms_trace_heap_take(trace, trace->heap, &trace->waiting);

        gms_trace_write(tracer, &first.item,
                        first.text[0] != '\0' ? first.text : NULL);
    }
}

void gms_trace_wait(gms_ctx_t *ctx, gms_tracer_t *tracer,
                    const gms_trace_item_t *item, const char *text)
{
    gms_time_t now_ps = gms_engine_now(ctx->engine);
    gms_trace_t *trace = tracer->trace;
    gms_trace_waiting_t new = {.sequence = trace->sequence++, .item = *item};
    gms_trace_waiting_t *bigger;

    if (text != NULL) {
        (void)snprintf(new.text, sizeof(new.text), "%s", text);
    }
    /* No new item can have a time before the engine's time. */
    if (trace->waiting > 0 && now_ps > 0 &&
        trace->heap[0].item.at_ps < now_ps) {
        gms_trace_release(tracer, now_ps - 1);
    }
    if (trace->waiting == GMS_TRACE_WAITING) {
        gms_trace_release(tracer, trace->heap[0].item.at_ps);
    }
    if (trace->waiting == trace->room) {
        bigger = gms_trace_alloc(ctx, 2 * trace->room * sizeof(*bigger));
        memcpy(bigger, trace->heap, trace->room * sizeof(*bigger));
        gms_arena_free(ctx->arena, trace->heap);
        trace->heap = bigger;
        trace->room *= 2;
    }
    gms_trace_heap_add(trace, trace->heap, &trace->waiting, new);
}

void gms_trace_put(gms_ctx_t *ctx, gms_tracer_t *tracer,
                   const gms_trace_item_t *item, const char *text)
{
    gms_trace_release(tracer, gms_engine_now(ctx->engine));
    gms_trace_write(tracer, item, text);
}

int gms_trace_is_shown(const gms_trace_t *trace, unsigned category,
                       gms_time_t begin_ps)
{
    return (trace->categories & category) != 0 && begin_ps >= trace->from_ps &&
           begin_ps < trace->to_ps;
}

/* ---- trace points ---- */

void gms_tracer_on_tracepoint(gms_ctx_t *ctx, gms_tracer_t *tracer,
                              uint32_t what, const void *thing)
{
    if (tracer->trace == NULL ||
        gms_trace_nic_tracepoint(ctx, tracer, what, thing)) {
        return;
    }
    switch (what) {
    case GMS_GM_TRACEPOINT_CALL:
        gms_trace_call(ctx, tracer, thing);
        break;
    case GMS_GM_TRACEPOINT_SEND:
        gms_trace_sent(ctx, tracer, thing);
        break;
    case GMS_GM_TRACEPOINT_RECEIVE:
        gms_trace_received(ctx, tracer, thing);
        break;
    case GMS_GM_TRACEPOINT_CALLBACK:
        gms_trace_callback(ctx, tracer, thing);
        break;
    case GMS_GM_TRACEPOINT_LEAVE:
        gms_trace_rank_left(tracer, thing);
        break;
    case GMS_QOS_TRACEPOINT_DECISION:
        gms_trace_decision(ctx, tracer, thing);
        break;
    default: /* a trace point of another layer or of a later version */
        break;
    }
}

void gms_tracer_fault(gms_ctx_t *ctx, gms_tracer_t *tracer, const char *text)
{
    gms_time_t now_ps = gms_engine_now(ctx->engine);
    gms_trace_item_t item = {.at_ps = now_ps,
                             .begin_ps = now_ps,
                             .end_ps = now_ps,
                             .kind = GMS_TRACE_BROKEN,
                             .line = GMS_TRACE_OF_FAULTS};

    if (tracer->trace != NULL &&
        gms_trace_is_shown(tracer->trace, GMS_TRACE_FAULT, now_ps)) {
        gms_trace_put(ctx, tracer, &item, text);
    }
}

/* ---- end ---- */

gms_status_t gms_tracer_end(gms_ctx_t *ctx, gms_tracer_t *tracer,
                            char error[GMS_TRACE_ERROR_LEN])
{
    gms_trace_t *trace = tracer->trace;
    gms_status_t status = GMS_OK, first = GMS_OK;
    unsigned i;

    if (trace == NULL) {
        return GMS_OK;
    }
    gms_trace_release(tracer, GMS_NEVER);
    gms_trace_end_ranks(ctx, tracer);
    gms_trace_release(tracer, GMS_NEVER);
    gms_trace_end_nics(ctx, tracer);
    gms_trace_end_flows(ctx, tracer);
    for (i = 0; i < trace->outputs; ++i) {
        status = tracer->config->ops[i]->end(ctx, tracer, i, error);
        if (status == GMS_OK && trace->out[i]->error != 0) {
            (void)snprintf(error, GMS_TRACE_ERROR_LEN,
                           "cannot write '%.300s': %s", tracer->config->path[i],
                           strerror(trace->out[i]->error));
            status = GMS_ERR_SYSTEM;
        }
        if (status == GMS_OK) {
            status = gms_trace_name_whole(tracer, i, error);
        }
        first = first == GMS_OK ? status : first;
    }
    return first;
}
