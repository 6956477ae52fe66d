/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests the flows of a test case from an account, and simulates these flows
 * on NICs without processes. The simulation can add a flood of best-effort
 * traffic.
 */
#include "bound_rig.h"

#include <string.h>

#include "base/random.h"
#include "nic/nic_int.h"
#include "unit.h"

enum {
    PORT = 2,
    SIZE = 17,
    FLOOD_PORT = 7,
    FLOOD_MESSAGES = 3,
    FLOOD_BYTES = 60000
};

static gms_ctx_t ctx;
static gms_fabric_t *fabric;
static gms_nic_t *nics[64];
static gms_origin_t hosts[64];

static void no_change(void *context, const gms_grant_t *grant,
                      uint32_t idt_before)
{
    (void)context;
    (void)grant;
    (void)idt_before;
}

static gms_flow_key_t bound_key(const bound_case_t *c, unsigned flow)
{
    gms_flow_key_t key = {.source_port = PORT,
                          .target_node = (uint16_t)c->target[flow],
                          .target_port = (uint16_t)(PORT + flow)};

    return key;
}

int bound_grant(const bound_case_t *c, gms_grant_t grants[BOUND_FLOWS_MAX])
{
    char error[GMS_TOPOLOGY_ERROR_LEN];
    gms_arena_t *arena;
    gms_topology_t *topology;
    gms_account_t *account;
    gms_qos_verdict_t verdict = {.criterion = GMS_QOS_OK};
    unsigned i;

    CU_ASSERT_FATAL(
        gms_arena_create_private(UINT64_C(16) << 20, &arena) == GMS_OK &&
        gms_topology_create(arena, &c->params, NULL, &topology, error) ==
            GMS_OK &&
        gms_account_create(arena, topology, &c->params, &account) == GMS_OK);
    for (i = 0; i < c->flows && verdict.criterion == GMS_QOS_OK; ++i) {
        gms_flow_request_t request = {
            .source_node = c->source[i],
            .key = bound_key(c, i),
            .qos_class = GMS_QOS_PREMIUM,
            .bytes_s = c->bytes_s[i],
            .shape = {.message_bytes = c->message_bytes[i]}};

        CU_ASSERT_FATAL(gms_account_request(account, &request, 1, no_change,
                                            NULL, &verdict) == GMS_OK);
    }
    for (i = 0; i < c->flows && verdict.criterion == GMS_QOS_OK; ++i) {
        gms_flow_key_t key = bound_key(c, i);

        grants[i] = *gms_account_find(account, c->source[i], &key);
    }
    gms_arena_destroy_private(arena);
    return verdict.criterion == GMS_QOS_OK;
}

/* ---- simulation ---- */

static unsigned char *bound_memory(unsigned node, unsigned port, size_t bytes)
{
    unsigned char *block = gms_arena_alloc(ctx.arena, bytes);

    CU_ASSERT_FATAL(block != NULL &&
                    gms_nic_register_memory(&ctx, nics[node], port,
                                            (uintptr_t)block, bytes) == GMS_OK);
    return block;
}

static void bound_start(const gms_params_t *params)
{
    char error[GMS_TOPOLOGY_ERROR_LEN];
    unsigned i;

    memset(&ctx, 0, sizeof(ctx));
    memset(hosts, 0, sizeof(hosts));
    ctx.self_rank = -1;
    CU_ASSERT_FATAL(
        gms_arena_create_private(UINT64_C(64) << 20, &ctx.arena) == GMS_OK &&
        gms_engine_create(ctx.arena, &ctx.engine) == GMS_OK &&
        gms_fabric_create(&ctx, params, NULL, &fabric, error) == GMS_OK);
    gms_fabric_register(&ctx);
    gms_nic_register(&ctx);
    for (i = 0; i < params->hosts; ++i) {
        unsigned port;

        hosts[i].id = GMS_ORIGIN_RANK + i;
        CU_ASSERT_FATAL(gms_nic_create(&ctx, fabric, params, i, &nics[i]) ==
                        GMS_OK);
        for (port = PORT; port <= FLOOD_PORT; ++port) {
            CU_ASSERT_FATAL(gms_nic_open_port(&ctx, nics[i], port, i) ==
                            GMS_OK);
        }
    }
}

static void bound_provide(unsigned node, unsigned port, unsigned char *memory)
{
    gms_recv_desc_t desc = {
        .port = (uint16_t)port, .size = SIZE, .address = (uintptr_t)memory};

    gms_nic_preset_receive(&ctx, nics[node], &desc);
}

static void bound_post(unsigned node, const gms_flow_key_t *key,
                       unsigned char *memory, uint32_t bytes, gms_time_t at_ps)
{
    gms_send_desc_t desc = {.flow = *key,
                            .kind = GMS_SEND_MESSAGE,
                            .size = SIZE,
                            .length = bytes,
                            .address = (uintptr_t)memory,
                            .cookie = (uintptr_t)memory,
                            .call_ps = at_ps};

    gms_nic_post_send(&ctx, nics[node], &hosts[node], at_ps, &desc);
}

/* State of one flow during a simulation run. */
typedef struct bound_run {
    unsigned char *from, *to;
    gms_time_t period_ps, slow_ps, next_ps; /* interval between two posts, drift
                                             * of this interval, and time of the
                                             * next post (ps) */
    /* post times of the messages that have not arrived */
    gms_time_t posted_ps[64];
    unsigned posted, arrived, most;
} bound_run_t;

/* Post the next message as soon as the flow's rate permits. If a flow drifts,
 * the interval to its next post is slightly longer than its rate requires. */
static void bound_next(const bound_case_t *c, unsigned flow, bound_run_t *run,
                       const bound_start_t *start, gms_random_t *random)
{
    gms_flow_key_t key = bound_key(c, flow);

    CU_ASSERT_FATAL(run->posted - run->arrived < 64);
    run->posted_ps[run->posted % 64] = run->next_ps;
    ++run->posted;
    bound_post(c->source[flow], &key, run->from, c->message_bytes[flow],
               run->next_ps);
    run->next_ps += run->period_ps + run->slow_ps;
    if (start->steps == 0 && gms_random_below(random, 16) == 0) {
        run->next_ps += gms_random_below(random, run->period_ps);
    }
}

static void bound_flood(unsigned from, unsigned to, gms_time_t at_ps)
{
    gms_flow_key_t key = {.source_port = FLOOD_PORT,
                          .target_node = (uint16_t)to,
                          .target_port = FLOOD_PORT};
    unsigned i;

    for (i = 0; i < FLOOD_MESSAGES; ++i) {
        bound_provide(to, FLOOD_PORT, bound_memory(to, FLOOD_PORT, 65536));
        bound_post(from, &key, bound_memory(from, FLOOD_PORT, 65536),
                   FLOOD_BYTES, at_ps);
    }
}

/* Post the next messages of the flood, and record the delays of messages that
 * have arrived. */
static void bound_take(const bound_case_t *c, bound_run_t *runs,
                       gms_time_t *worst_ps)
{
    gms_host_event_t *event;
    unsigned node, port;

    for (node = 0; node < c->params.hosts; ++node) {
        for (port = PORT; port <= FLOOD_PORT; ++port) {
            while ((event = gms_nic_take_event(nics[node], port)) != NULL) {
                if (event->kind == GMS_HOST_RECEIVED && port == FLOOD_PORT) {
                    bound_provide(node, port,
                                  (unsigned char *)(uintptr_t)event->address);
                } else if (event->kind == GMS_HOST_RECEIVED) {
                    bound_run_t *run = &runs[port - PORT];
                    gms_time_t delay_ps = event->time_ps -
                                          run->posted_ps[run->arrived++ % 64] +
                                          c->params.host_send_ps;

                    if (delay_ps > worst_ps[port - PORT]) {
                        worst_ps[port - PORT] = delay_ps;
                    }
                    bound_provide(node, port, run->to);
                } else if (event->kind == GMS_HOST_SENT &&
                           event->flow.source_port == FLOOD_PORT) {
                    bound_post(node, &event->flow,
                               (unsigned char *)(uintptr_t)event->cookie,
                               FLOOD_BYTES, gms_engine_now(ctx.engine));
                }
                gms_arena_free(ctx.arena, event);
            }
        }
    }
}

void bound_simulate(const bound_case_t *c, const gms_grant_t *grants,
                    unsigned messages, const bound_start_t *start,
                    uint64_t seed, gms_time_t worst_ps[BOUND_FLOWS_MAX])
{
    gms_time_t flood_ps =
        gms_transfer_ps(c->params.nic_mtu_bytes, c->params.host_dma_bytes_s);
    bound_run_t runs[BOUND_FLOWS_MAX];
    gms_random_t random;
    unsigned i, k, nodes = (unsigned)c->params.hosts, done;
    gms_time_t at_ps;

    gms_random_init(&random, seed, 0);
    memset(runs, 0, sizeof(runs));
    memset(worst_ps, 0, BOUND_FLOWS_MAX * sizeof(*worst_ps));
    bound_start(&c->params);
    for (i = 0; i < c->flows; ++i) {
        gms_flow_key_t key = bound_key(c, i);
        uint32_t mtu = (uint32_t)c->params.nic_mtu_bytes;
        uint32_t packets = (c->message_bytes[i] + mtu - 1) / mtu;

        CU_ASSERT_FATAL(gms_nic_set_idt(&ctx, nics[c->source[i]], &key,
                                        grants[i].idt_ticks) == GMS_OK &&
                        gms_nic_promise(&ctx, nics[c->source[i]], &key, 1) ==
                            GMS_OK);
        runs[i].from = bound_memory(c->source[i], PORT, 131072);
        runs[i].to = bound_memory(c->target[i], PORT + i, 131072);
        for (k = 0; k < 64; ++k) {
            bound_provide(c->target[i], PORT + i, runs[i].to);
        }
        runs[i].period_ps =
            packets * grants[i].idt_ticks * c->params.rtc_tick_ps;
        if (start->steps == 0) {
            runs[i].slow_ps = i * runs[i].period_ps / 97 + i * 1013;
            runs[i].next_ps = 1 + gms_random_below(&random, runs[i].period_ps);
            at_ps = 0;
        } else {
            /* The flood begins before any message is posted. */
            runs[i].next_ps =
                GMS_MS + start->phase[i] * runs[i].period_ps / start->steps;
            at_ps = start->flood * flood_ps / start->steps;
        }
        if (c->has_flood) {
            bound_flood(c->source[i], (c->source[i] + 1) % nodes, at_ps);
            bound_flood(c->target[i], (c->target[i] + 1) % nodes, at_ps);
            bound_flood((c->target[i] + 2) % nodes, c->target[i], at_ps);
        }
    }
    do {
        done = 0;
        for (i = 0; i < c->flows; ++i) {
            while (runs[i].posted < messages &&
                   runs[i].next_ps <
                       gms_engine_now(ctx.engine) + 3 * runs[i].period_ps) {
                bound_next(c, i, &runs[i], start, &random);
            }
            done += runs[i].arrived == messages;
        }
        CU_ASSERT_FATAL(gms_engine_step(&ctx) || done == c->flows);
        bound_take(c, runs, worst_ps);
    } while (done < c->flows);
    gms_arena_destroy_private(ctx.arena);
}
