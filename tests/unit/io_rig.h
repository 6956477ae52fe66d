/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulates a small cluster with I/O hosts, without processes. A test starts
 * accesses and then runs the events.
 */
#ifndef TESTS_UNIT_IO_RIG_H
#define TESTS_UNIT_IO_RIG_H

#include <string.h>

#include "io/io.h"
#include "unit.h"

enum {
    NODES = 6,
    CALLS = 8,
    ON_DONE = GMS_HANDLER_TEST,
    ON_RESERVED
};

#define KB UINT64_C(1024)

static gms_ctx_t ctx;
static gms_params_t params;
static gms_fabric_t *fabric;
static gms_nic_t **nics;
static gms_manager_t *manager;
static gms_io_t *io;
static gms_origin_t poster;

static struct {
    gms_io_call_t *call;
    gms_time_t end_ps;
} done[CALLS];
static unsigned done_count;

static inline void on_done(gms_ctx_t *c, const gms_event_t *event)
{
    (void)c;
    CU_ASSERT_FATAL(done_count < CALLS);
    done[done_count].call = (gms_io_call_t *)(uintptr_t)event->arg[0];
    done[done_count++].end_ps = event->time_ps;
}

static inline void on_reserved(gms_ctx_t *c, const gms_event_t *event)
{
    (void)c;
    (void)event;
}

/* Set the parameters of one disk: 10 MB/s for writing, 20 MB/s for reading, 1
 * ms for each request. */
static inline void rig_params(void)
{
    gms_params_init(&params);
    params.hosts = NODES;
    params.io_write_bytes_s = 10000000;
    params.io_read_bytes_s = 20000000;
    params.io_latency_us = 1000;
    params.io_stripe_bytes = 64 * KB;
}

/* Start a network in which the last `count` hosts are I/O hosts. */
static inline void rig_start(unsigned count)
{
    char error[GMS_TOPOLOGY_ERROR_LEN];
    uint32_t hosts[NODES];
    unsigned node;

    memset(&ctx, 0, sizeof(ctx));
    ctx.self_rank = -1;
    done_count = 0;
    poster = (gms_origin_t){.id = GMS_ORIGIN_RANK};
    CU_ASSERT_FATAL(
        gms_arena_create_private(UINT64_C(64) << 20, &ctx.arena) == GMS_OK &&
        gms_engine_create(ctx.arena, &ctx.engine) == GMS_OK &&
        gms_fabric_create(&ctx, &params, NULL, &fabric, error) == GMS_OK);
    gms_fabric_register(&ctx);
    gms_nic_register(&ctx);
    gms_manager_register(&ctx);
    gms_io_register(&ctx);
    ctx.handlers[ON_DONE] = on_done;
    ctx.handlers[ON_RESERVED] = on_reserved;
    nics = gms_arena_alloc(ctx.arena, NODES * sizeof(*nics));
    for (node = 0; node < NODES; ++node) {
        hosts[node] = NODES - count + node;
        CU_ASSERT_FATAL(
            gms_nic_create(&ctx, fabric, &params, node, &nics[node]) == GMS_OK);
    }
    CU_ASSERT_FATAL(gms_manager_create(&ctx, fabric, nics, &params, &manager) ==
                    GMS_OK);
    CU_ASSERT_FATAL(gms_io_create(&ctx, nics, manager, &params, hosts, count,
                                  &io) == GMS_OK);
}

static inline void rig_stop(void)
{
    gms_arena_destroy_private(ctx.arena);
    memset(&ctx, 0, sizeof(ctx));
}

static inline gms_io_call_t *rig_access(unsigned node, enum gms_io_kind kind,
                                        uint64_t offset, uint64_t bytes)
{
    gms_io_call_t *call = gms_io_call_create(ctx.arena, io, node, node);

    CU_ASSERT_PTR_NOT_NULL_FATAL(call);
    call->kind = kind;
    call->label = node + 1;
    call->offset = offset;
    call->bytes = bytes;
    call->handler = ON_DONE;
    gms_io_post(&ctx, io, &poster, gms_engine_now(ctx.engine), call);
    return call;
}

static inline void rig_run(void)
{
    while (!gms_engine_is_idle(ctx.engine)) {
        gms_engine_step(&ctx);
    }
}

static inline void rig_run_until(gms_time_t end_ps)
{
    while (gms_engine_next_ps(ctx.engine) < end_ps) {
        gms_engine_step(&ctx);
    }
}

/* Return the time from the start of the run until an access ends. */
static inline gms_time_t rig_end(const gms_io_call_t *call)
{
    unsigned i;

    for (i = 0; i < done_count; ++i) {
        if (done[i].call == call) {
            return done[i].end_ps;
        }
    }
    CU_FAIL_FATAL("an access is not complete");
    return 0;
}

#endif
