/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creates the trace items of ranks between events, at the clocks of the ranks:
 * calls, sends, receives and callbacks.
 */
#include <string.h>

#include "observe/trace_int.h"

/* Return the current time of a rank. The time never decreases, even though the
 * clock of a thread that has slept may be behind the clocks of other
 * threads. */
static gms_time_t gms_trace_now(gms_ctx_t *ctx, gms_tracer_t *tracer,
                                const gms_gm_rank_t *who)
{
    gms_time_t now_ps = gms_engine_now(ctx->engine);
    gms_trace_rank_t *rank = &tracer->trace->ranks[who->rank];

    if (now_ps < who->clock_ps) {
        now_ps = who->clock_ps;
    }
    if (now_ps < rank->last_ps) {
        now_ps = rank->last_ps;
    }
    rank->last_ps = now_ps;
    return now_ps;
}

static gms_trace_item_t gms_trace_rank_item(const gms_gm_rank_t *who,
                                            enum gms_trace_kind kind,
                                            gms_time_t at_ps)
{
    gms_trace_item_t item = {.at_ps = at_ps,
                             .begin_ps = at_ps,
                             .end_ps = at_ps,
                             .kind = (uint8_t)kind,
                             .line = GMS_TRACE_OF_RANK,
                             .part = (uint8_t)who->thread,
                             .number = who->rank};

    return item;
}

/* ---- calls of higher-level libraries ---- */

static uint16_t gms_trace_name(gms_trace_t *trace, const char *name)
{
    uint32_t i;

    for (i = 0; i < trace->names; ++i) {
        if (strncmp(trace->name[i], name, GMS_TRACE_NAME_LEN - 1) == 0) {
            return (uint16_t)i;
        }
    }
    if (trace->names == GMS_TRACE_NAMES) {
        /* the table is full: additional names share the last entry; MPI has
         * about 500 functions */
        return GMS_TRACE_NAMES - 1;
    }
    strncpy(trace->name[i], name, GMS_TRACE_NAME_LEN - 1);
    return (uint16_t)trace->names++;
}

/* Put a call into the trace. at_ps determines the order, and begin_ps is the
 * time that the trace shows. */
static void gms_trace_put_call(gms_ctx_t *ctx, gms_tracer_t *tracer,
                               const gms_gm_rank_t *who,
                               enum gms_trace_kind kind, uint16_t name,
                               gms_time_t at_ps, gms_time_t begin_ps)
{
    gms_trace_item_t item = gms_trace_rank_item(who, kind, at_ps);

    item.begin_ps = item.end_ps = begin_ps;
    item.name = name;
    gms_trace_wait(ctx, tracer, &item, NULL);
}

static void gms_trace_unwind(gms_ctx_t *ctx, gms_tracer_t *tracer,
                             const gms_gm_rank_t *who,
                             const gms_trace_stack_t *stack, gms_time_t at_ps,
                             gms_time_t begin_ps)
{
    uint32_t i =
        stack->depth < GMS_TRACE_DEPTH ? stack->depth : GMS_TRACE_DEPTH;

    while (i-- > 0) {
        gms_trace_put_call(ctx, tracer, who, GMS_TRACE_LEAVE, stack->names[i],
                           at_ps, begin_ps);
    }
}

/* Check whether the time window has begun or ended for a thread. Calls in
 * progress are shown from the beginning of the window, or until the end of the
 * window. */
static void gms_trace_step(gms_ctx_t *ctx, gms_tracer_t *tracer,
                           const gms_gm_rank_t *who, gms_trace_stack_t *stack,
                           gms_time_t now_ps)
{
    const gms_trace_t *trace = tracer->trace;
    uint32_t i;

    if (!stack->is_begun && now_ps >= trace->from_ps) {
        stack->is_begun = 1;
        for (i = 0; i < stack->depth && i < GMS_TRACE_DEPTH; ++i) {
            gms_trace_put_call(ctx, tracer, who, GMS_TRACE_ENTER,
                               stack->names[i], now_ps, trace->from_ps);
        }
    }
    if (stack->is_begun && !stack->is_over && now_ps >= trace->to_ps) {
        stack->is_over = 1;
        /* the trace shows a complete call of GM if the call began in the
         * window */
        gms_trace_unwind(ctx, tracer, who, stack, now_ps,
                         stack->shown_ps > trace->to_ps ? stack->shown_ps
                                                        : trace->to_ps);
    }
}

/* Update the state of the window before the trace shows an item of a thread.
 * This order keeps the items on the thread's line in chronological order.
 *
 * @return NULL: calls of MPI are not traced, or not for this thread */
static gms_trace_stack_t *gms_trace_reach(gms_ctx_t *ctx, gms_tracer_t *tracer,
                                          const gms_gm_rank_t *who,
                                          gms_time_t now_ps)
{
    gms_trace_stack_t *stack;

    if (!(tracer->trace->categories & GMS_TRACE_MPI) ||
        who->thread >= GMS_TRACE_THREADS) {
        return NULL;
    }
    stack = &tracer->trace->ranks[who->rank].stacks[who->thread];
    gms_trace_step(ctx, tracer, who, stack, now_ps);
    return stack;
}

void gms_trace_call(gms_ctx_t *ctx, gms_tracer_t *tracer,
                    const gms_gm_call_t *call)
{
    gms_trace_t *trace = tracer->trace;
    gms_time_t now_ps = gms_trace_now(ctx, tracer, &call->who);
    gms_trace_stack_t *stack = gms_trace_reach(ctx, tracer, &call->who, now_ps);
    uint32_t level;

    if (stack == NULL || (!call->is_entry && stack->depth == 0)) {
        return; /* the trace began after this call was entered */
    }
    level = call->is_entry ? stack->depth++ : --stack->depth;
    if (level >= GMS_TRACE_DEPTH) {
        return;
    }
    if (call->is_entry) {
        stack->names[level] = gms_trace_name(trace, call->name);
    }
    if (stack->is_begun && !stack->is_over) {
        gms_trace_put_call(ctx, tracer, &call->who,
                           call->is_entry ? GMS_TRACE_ENTER : GMS_TRACE_LEAVE,
                           stack->names[level], now_ps, now_ps);
    }
}

void gms_trace_rank_left(gms_tracer_t *tracer, const gms_gm_rank_t *who)
{
    gms_trace_rank_t *rank = &tracer->trace->ranks[who->rank];

    if (rank->last_ps < who->clock_ps) {
        rank->last_ps = who->clock_ps;
    }
}

void gms_trace_end_ranks(gms_ctx_t *ctx, gms_tracer_t *tracer)
{
    gms_trace_t *trace = tracer->trace;
    gms_gm_rank_t who;

    for (who.rank = 0; who.rank < trace->subject.ranks; ++who.rank) {
        gms_trace_rank_t *rank = &trace->ranks[who.rank];

        for (who.thread = 0; who.thread < GMS_TRACE_THREADS; ++who.thread) {
            gms_trace_stack_t *stack = &rank->stacks[who.thread];

            gms_trace_step(ctx, tracer, &who, stack, rank->last_ps);
            if (stack->is_begun && !stack->is_over) {
                gms_trace_unwind(ctx, tracer, &who, stack, rank->last_ps,
                                 rank->last_ps);
            }
            stack->depth = 0;
        }
    }
}

/* ---- GM ---- */

static gms_trace_port_t **gms_trace_port(const gms_trace_t *trace,
                                         unsigned node, unsigned port)
{
    return &trace->ports[(size_t)node * trace->port_stride + port];
}

/* Return a port. Allocate the port's memory before the port's first message. */
static gms_trace_port_t *gms_trace_new_port(gms_ctx_t *ctx,
                                            const gms_trace_t *trace,
                                            unsigned node, unsigned port)
{
    gms_trace_port_t **port_p = gms_trace_port(trace, node, port);

    if (*port_p == NULL) {
        *port_p = gms_trace_alloc(ctx, sizeof(**port_p));
    }
    return *port_p;
}

static void gms_trace_keep_message(gms_ctx_t *ctx, gms_trace_port_t *port,
                                   uint64_t cookie, uint64_t message)
{
    uint64_t *bigger;
    uint32_t room = port->room == 0 ? 16 : port->room;

    while (room <= cookie) {
        room *= 2;
    }
    if (room != port->room) {
        bigger = gms_trace_alloc(ctx, room * sizeof(*bigger));
        if (port->room > 0) {
            memcpy(bigger, port->messages, port->room * sizeof(*bigger));
        }
        gms_arena_free(ctx->arena, port->messages);
        port->messages = bigger;
        port->room = room;
    }
    port->messages[cookie] = message;
}

uint64_t gms_trace_message(const gms_trace_t *trace, unsigned node,
                           unsigned port, uint64_t cookie)
{
    const gms_trace_port_t *from = *gms_trace_port(trace, node, port);

    return from != NULL && cookie < from->room ? from->messages[cookie] : 0;
}

/* Show a call of GM from item->begin_ps to item->end_ps. */
static void gms_trace_put_gm(gms_ctx_t *ctx, gms_tracer_t *tracer,
                             const gms_gm_rank_t *who,
                             const gms_trace_item_t *item, const char *text)
{
    gms_trace_stack_t *stack =
        gms_trace_reach(ctx, tracer, who, item->begin_ps);

    if (stack != NULL) {
        stack->shown_ps = item->end_ps;
    }
    gms_trace_wait(ctx, tracer, item, text);
    tracer->trace->ranks[who->rank].last_ps = item->end_ps;
}

/* Each port numbers its messages separately. The numbers therefore do not
 * depend on the order of calls in real time. */
void gms_trace_sent(gms_ctx_t *ctx, gms_tracer_t *tracer,
                    const gms_gm_sent_t *sent)
{
    gms_trace_t *trace = tracer->trace;
    gms_time_t now_ps = gms_trace_now(ctx, tracer, &sent->who);
    const gms_send_desc_t *desc = sent->desc;
    gms_trace_port_t *port =
        gms_trace_new_port(ctx, trace, sent->node, sent->port);
    uint64_t message =
        (uint64_t)(sent->node * trace->port_stride + sent->port + 1) << 32 |
        ++port->count;
    gms_trace_item_t item =
        gms_trace_rank_item(&sent->who, GMS_TRACE_SEND, now_ps);
    int is_shown = gms_trace_is_shown(trace, GMS_TRACE_GM, now_ps) &&
                   sent->who.thread < GMS_TRACE_THREADS;

    gms_trace_keep_message(ctx, port, desc->cookie,
                           is_shown ? message | GMS_TRACE_SHOWN : message);
    if (!is_shown) {
        return;
    }
    item.end_ps = now_ps + sent->cost_ps;
    item.id = message;
    item.value[0] = desc->flow.target_node + 1u;
    item.value[1] = desc->flow.target_port;
    item.value[2] = desc->length;
    item.value[3] = desc->flow.label;
    item.value[4] = desc->kind;
    item.value[5] = desc->flow.priority;
    gms_trace_put_gm(ctx, tracer, &sent->who, &item, NULL);
}

void gms_trace_received(gms_ctx_t *ctx, gms_tracer_t *tracer,
                        const gms_gm_received_t *received)
{
    gms_time_t now_ps = gms_trace_now(ctx, tracer, &received->who);
    const gms_host_event_t *event = received->event;
    gms_trace_item_t item =
        gms_trace_rank_item(&received->who, GMS_TRACE_RECEIVE, now_ps);

    if (!gms_trace_is_shown(tracer->trace, GMS_TRACE_GM, now_ps) ||
        received->who.thread >= GMS_TRACE_THREADS) {
        return;
    }
    item.end_ps = now_ps + received->cost_ps;
    /* draw no arrow if the trace does not show the send */
    item.id =
        event->seen & GMS_TRACE_SHOWN ? event->seen & ~GMS_TRACE_SHOWN : 0;
    item.value[0] = event->sender_node + 1u;
    item.value[1] = event->sender_port;
    item.value[2] = event->length;
    gms_trace_put_gm(ctx, tracer, &received->who, &item, NULL);
}

void gms_trace_callback(gms_ctx_t *ctx, gms_tracer_t *tracer,
                        const gms_gm_callback_t *callback)
{
    gms_time_t now_ps = gms_trace_now(ctx, tracer, &callback->who);
    gms_trace_item_t item =
        gms_trace_rank_item(&callback->who, GMS_TRACE_CALLBACK, now_ps);

    if (gms_trace_is_shown(tracer->trace, GMS_TRACE_GM, now_ps) &&
        callback->who.thread < GMS_TRACE_THREADS) {
        item.id = gms_trace_message(tracer->trace, callback->node,
                                    callback->port, callback->slot) &
                  ~GMS_TRACE_SHOWN;
        gms_trace_put_gm(ctx, tracer, &callback->who, &item, callback->status);
    }
}
