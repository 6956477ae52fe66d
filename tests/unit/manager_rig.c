/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds the cluster of manager_rig.h, checks the sums of the active IDTs after
 * every event, and runs simulated clients (askers) that request and release
 * flows at random.
 */
#include "manager_rig.h"

#include <string.h>

#include "unit.h"

#define ON_ROOM  (GMS_HANDLER_TEST + 1)
#define ON_ASK   (GMS_HANDLER_TEST + 2)
#define ON_PLAIN (GMS_HANDLER_TEST + 3)
#define PORT     2u
#define PRIORITY 0u

gms_ctx_t ctx;
gms_params_t params;
gms_fabric_t *fabric;
gms_nic_t *nics[NODES];
gms_manager_t *manager;
gms_origin_t posters[NODES];
int rig_checks_sums;
unsigned rig_told[16];
unsigned rig_told_order[16], rig_told_count;
rig_asker_t rig_askers[ASKERS];
unsigned rig_answers, rig_failures;

static struct {
    unsigned source;
    gms_flow_key_t key;
} flows[FLOWS];
static unsigned flow_count;
static gms_time_t plain_ps;

/* ---- the cluster ---- */

static void on_answer(gms_ctx_t *c, const gms_event_t *event)
{
    (void)c;
    (void)event;
}

static void on_room(gms_ctx_t *c, const gms_event_t *event)
{
    (void)c;
    rig_told[event->arg[0]]++;
    rig_told_order[rig_told_count++] = (unsigned)event->arg[0];
}

static void on_plain(gms_ctx_t *c, const gms_event_t *event)
{
    gms_nic_t *nic = *(gms_nic_t **)event->object;
    gms_host_event_t *host;

    while ((host = gms_nic_take_event(nic, PORT)) != NULL) {
        if (host->kind == GMS_HOST_RECEIVED) {
            plain_ps = host->time_ps;
        }
        gms_arena_free(c->arena, host);
    }
}

static void on_ask(gms_ctx_t *c, const gms_event_t *event);

void rig_params(void)
{
    gms_params_init(&params);
    params.hosts = NODES;
    params.qos_manager_ps = WORK;
    params.qos_node_rule = GMS_QOS_NODE_CONSTANT;
}

void rig_start(void)
{
    char error[GMS_TOPOLOGY_ERROR_LEN];
    gms_nic_t **list;
    unsigned node;

    memset(&ctx, 0, sizeof(ctx));
    memset(rig_told, 0, sizeof(rig_told));
    memset(rig_askers, 0, sizeof(rig_askers));
    flow_count = 0;
    rig_told_count = 0;
    rig_checks_sums = 1;
    rig_answers = 0;
    rig_failures = 0;
    ctx.self_rank = -1;
    CU_ASSERT_FATAL(
        gms_arena_create_private(UINT64_C(64) << 20, &ctx.arena) == GMS_OK &&
        gms_engine_create(ctx.arena, &ctx.engine) == GMS_OK &&
        gms_fabric_create(&ctx, &params, NULL, &fabric, error) == GMS_OK);
    gms_fabric_register(&ctx);
    gms_nic_register(&ctx);
    gms_manager_register(&ctx);
    ctx.handlers[RIG_ON_ANSWER] = on_answer;
    ctx.handlers[ON_ROOM] = on_room;
    ctx.handlers[ON_ASK] = on_ask;
    ctx.handlers[ON_PLAIN] = on_plain;
    list = gms_arena_alloc(ctx.arena, NODES * sizeof(*list));
    for (node = 0; node < NODES; ++node) {
        posters[node] = (gms_origin_t){.id = GMS_ORIGIN_RANK + node};
        CU_ASSERT_FATAL(
            gms_nic_create(&ctx, fabric, &params, node, &list[node]) == GMS_OK);
        nics[node] = list[node];
    }
    CU_ASSERT_FATAL(gms_manager_create(&ctx, fabric, list, &params, &manager) ==
                    GMS_OK);
}

void rig_stop(void)
{
    gms_arena_destroy_private(ctx.arena);
    memset(&ctx, 0, sizeof(ctx));
}

/* ---- active IDTs ---- */

static void note_flow(unsigned source, const gms_flow_key_t *key)
{
    unsigned i;

    for (i = 0; i < flow_count; ++i) {
        if (flows[i].source == source && gms_key_is(&flows[i].key, key)) {
            return;
        }
    }
    CU_ASSERT_FATAL(flow_count < FLOWS);
    flows[flow_count].source = source;
    flows[flow_count++].key = *key;
}

static void add_links(unsigned source, unsigned target, double rate,
                      double *links)
{
    uint32_t link[GMS_ROUTE_LINKS_MAX];
    unsigned count =
        gms_topology_links(gms_fabric_topology(fabric), source, target, link);

    while (count > 0) {
        links[link[--count]] += rate;
    }
}

/* The sums omit flows with the largest IDT, which send almost nothing, and
 * flows with IDT 0, which do not share a node with any other flow. */
static void check_sums(void)
{
    double node[NODES] = {0}, link[256] = {0};
    unsigned managed[NODES] = {0}, free_running[NODES] = {0};
    unsigned links = gms_topology_link_count(gms_fabric_topology(fabric));
    unsigned i;

    CU_ASSERT_FATAL(links <= 256);
    for (i = 0; i < flow_count; ++i) {
        unsigned source = flows[i].source;
        unsigned target = flows[i].key.target_node;
        const gms_grant_t *grant =
            gms_manager_find(manager, source, &flows[i].key);
        gms_flow_stats_t stats;
        double rate;

        if (grant == NULL || manager->agents[source].dead) {
            continue;
        }
        gms_nic_flow_stats(nics[source], &flows[i].key, &stats);
        ++managed[source];
        ++managed[target];
        if (stats.idt_ticks == 0) {
            ++free_running[source];
            ++free_running[target];
            continue;
        }
        rate = stats.idt_ticks < IDT_MAX ? PACE / stats.idt_ticks : 0;
        node[source] += rate + grant->reverse_bytes_s;
        node[target] += rate + grant->reverse_bytes_s;
        add_links(source, target, rate, link);
        add_links(target, source, grant->reverse_bytes_s, link);
    }
    for (i = 0; i < NODES; ++i) {
        if (node[i] > (double)params.qos_node_bytes_s * (1 + 1e-9)) {
            printf("\n    node %u at %llu ps has %.0f bytes/s\n", i,
                   (unsigned long long)rig_now(), node[i]);
            CU_FAIL_FATAL("a node is over-committed");
        }
        if (free_running[i] > 0 && managed[i] > 1) {
            CU_FAIL_FATAL("an unregulated flow is not alone");
        }
    }
    for (i = 0; i < links; ++i) {
        if (link[i] > (double)params.qos_link_bytes_s * (1 + 1e-9)) {
            CU_FAIL_FATAL("a link is over-committed");
        }
    }
}

/* ---- calls ---- */

gms_flow_key_t rig_key(unsigned target, unsigned label)
{
    gms_flow_key_t key = {.source_port = PORT,
                          .target_node = (uint16_t)target,
                          .target_port = PORT,
                          .priority = PRIORITY,
                          .label = label};

    return key;
}

/* Return a load for which a process is never the bottleneck: a process can send
 * 300 MB/s and receive 200 MB/s. */
static gms_qos_load_t rig_load(double bytes_s)
{
    gms_qos_load_t load = {(float)(fabs(bytes_s) / 300e6),
                           (float)(fabs(bytes_s) / 200e6)};

    return load;
}

/* Fill in the fields of one flow in a call. */
static void fill_flow(gms_qos_call_t *call, unsigned index, unsigned target,
                      unsigned label, enum gms_qos_class qos_class,
                      double bytes_s)
{
    gms_flow_request_t *asked = &call->flow[index].asked;

    asked->source_node = call->source_node;
    asked->rank = call->rank;
    asked->key = rig_key(target, label);
    asked->qos_class = qos_class;
    asked->bytes_s = bytes_s;
    asked->load = rig_load(bytes_s);
    note_flow(call->source_node, &asked->key);
}

gms_qos_call_t *rig_call(unsigned source, unsigned target, unsigned label,
                         enum gms_qos_class qos_class, double bytes_s)
{
    gms_qos_call_t *call =
        gms_qos_call_create(ctx.arena, source, source, RIG_FLOWS_MAX);

    CU_ASSERT_PTR_NOT_NULL_FATAL(call);
    call->handler = RIG_ON_ANSWER;
    call->status = GMS_ERR_SYSTEM;
    call->count = 1;
    fill_flow(call, 0, target, label, qos_class, bytes_s);
    return call;
}

void rig_call_more(gms_qos_call_t *call, unsigned target, unsigned label,
                   enum gms_qos_class qos_class, double bytes_s)
{
    CU_ASSERT_TRUE_FATAL(call->count < RIG_FLOWS_MAX);
    fill_flow(call, call->count++, target, label, qos_class, bytes_s);
}

void rig_free(gms_qos_call_t *call)
{
    gms_arena_free(ctx.arena, call);
}

void rig_post_at(gms_qos_call_t *call, gms_time_t at_ps)
{
    gms_manager_post(&ctx, manager, &posters[call->source_node], at_ps, call);
}

gms_qos_call_t *rig_ask(unsigned source, unsigned target, unsigned label,
                        enum gms_qos_class qos_class, double bytes_s)
{
    gms_qos_call_t *call = rig_call(source, target, label, qos_class, bytes_s);

    rig_post_at(call, rig_now());
    return call;
}

gms_qos_call_t *rig_asked(unsigned source, unsigned target, unsigned label,
                          enum gms_qos_class qos_class, double bytes_s)
{
    gms_qos_call_t *call = rig_ask(source, target, label, qos_class, bytes_s);

    rig_run_until_done(call);
    return call;
}

gms_qos_watch_t *rig_watch(unsigned source, unsigned target, unsigned label,
                           double bytes_s, uint64_t cookie)
{
    gms_qos_watch_t *watch =
        gms_arena_alloc(ctx.arena, sizeof(*watch) + sizeof(watch->flows[0]));

    CU_ASSERT_PTR_NOT_NULL_FATAL(watch);
    watch->source_node = source;
    watch->port = PORT;
    watch->rank = source;
    watch->cookie = cookie;
    watch->handler = ON_ROOM;
    watch->count = 1;
    watch->flows[0].source_node = source;
    watch->flows[0].rank = source;
    watch->flows[0].key = rig_key(target, label);
    watch->flows[0].qos_class = GMS_QOS_PREMIUM;
    watch->flows[0].bytes_s = bytes_s;
    watch->flows[0].load = rig_load(bytes_s);
    gms_manager_post_watch(&ctx, manager, &posters[source], rig_now(), watch);
    return watch;
}

/* ---- running ---- */

gms_time_t rig_now(void)
{
    return gms_engine_now(ctx.engine);
}

int rig_step(void)
{
    int done = gms_engine_step(&ctx);

    if (rig_checks_sums) {
        check_sums();
    }
    return done;
}

void rig_run(void)
{
    while (!gms_engine_is_idle(ctx.engine)) {
        rig_step();
    }
}

void rig_run_until(gms_time_t end_ps)
{
    while (gms_engine_next_ps(ctx.engine) < end_ps) {
        rig_step();
    }
}

gms_time_t rig_run_until_done(const gms_qos_call_t *call)
{
    while (!call->done && rig_step()) {
    }
    CU_ASSERT_TRUE_FATAL(call->done);
    return rig_now();
}

uint32_t rig_idt(unsigned source, unsigned target, unsigned label)
{
    gms_flow_key_t key = rig_key(target, label);
    gms_flow_stats_t stats;

    gms_nic_flow_stats(nics[source], &key, &stats);
    return stats.idt_ticks;
}

unsigned rig_grants(void)
{
    const gms_grant_t *grant = gms_account_first(gms_manager_account(manager));
    unsigned count = 0;

    for (; grant != NULL; grant = grant->next) {
        ++count;
    }
    return count;
}

void rig_check_agreement(void)
{
    const gms_account_t *account = gms_manager_account(manager);
    double process[NODES] = {0};
    unsigned host, held_count = 0;

    CU_ASSERT_PTR_NOT_NULL_FATAL(account);
    for (host = 0; host < NODES; ++host) {
        const gms_agent_t *agent = &manager->agents[host];
        const gms_held_grant_t *held = agent->first_held;

        for (; held != NULL && !agent->dead; held = held->next) {
            const gms_grant_t *own = &held->grant;
            const gms_grant_t *grant =
                gms_account_find(account, own->source_node, &own->key);
            gms_flow_stats_t stats;

            ++held_count;
            CU_ASSERT_PTR_NOT_NULL_FATAL(grant);
            gms_nic_flow_stats(nics[own->source_node], &own->key, &stats);
            CHECK_U64(stats.idt_ticks, own->idt_ticks);
            CHECK_U64(grant->idt_ticks, own->idt_ticks);
            CHECK_U64(grant->qos_class, own->qos_class);
            CHECK_U64(grant->rank, own->rank);
            if (own->qos_class == GMS_QOS_PREMIUM) {
                CHECK_NEAR(own->bandwidth_bytes_s, grant->bandwidth_bytes_s,
                           1e-9);
                CU_ASSERT_TRUE(own->load.target > 0);
                CHECK_NEAR((double)own->load.source, (double)grant->load.source,
                           1e-6);
                CHECK_NEAR((double)own->load.target, (double)grant->load.target,
                           1e-6);
                process[own->source_node] += (double)own->load.source;
                process[own->key.target_node] += (double)own->load.target;
            }
        }
    }
    for (host = 0; host < NODES; ++host) {
        CU_ASSERT_TRUE(fabs(process[host] -
                            gms_account_process_use(
                                account, gms_account_process(&params, host,
                                                             PORT))) < 1e-6);
    }
    CHECK_U64(rig_grants(), held_count);
}

/* Measure the time that a GM message of `bytes` bytes takes between two idle
 * NICs. */
gms_time_t rig_message_ps(unsigned from, unsigned to, uint32_t bytes)
{
    gms_nic_t **place = gms_arena_alloc(ctx.arena, sizeof(*place));
    unsigned char *memory = gms_arena_alloc(ctx.arena, 8192);
    gms_recv_desc_t buffer = {
        .port = PORT, .size = 8, .priority = 1, .address = (uintptr_t)memory};
    gms_send_desc_t send = {.flow = {.source_port = PORT,
                                     .target_node = (uint16_t)to,
                                     .target_port = PORT,
                                     .priority = 1},
                            .kind = GMS_SEND_MESSAGE,
                            .size = 8,
                            .length = bytes,
                            .address = (uintptr_t)memory + 4096};
    gms_time_t start_ps;

    rig_run();
    *place = nics[to];
    CU_ASSERT_FATAL(
        gms_nic_open_agent_port(&ctx, nics[to], PORT, ON_PLAIN, place) ==
            GMS_OK &&
        gms_nic_open_agent_port(&ctx, nics[from], PORT, RIG_ON_ANSWER, place) ==
            GMS_OK &&
        gms_nic_register_memory(&ctx, nics[to], PORT, (uintptr_t)memory,
                                8192) == GMS_OK &&
        gms_nic_register_memory(&ctx, nics[from], PORT, (uintptr_t)memory,
                                8192) == GMS_OK);
    gms_nic_post_receive(&ctx, nics[to], &posters[to], rig_now(), &buffer);
    rig_run();
    start_ps = rig_now();
    gms_nic_post_send(&ctx, nics[from], &posters[from], start_ps, &send);
    rig_run();
    gms_nic_close_port(&ctx, nics[to], PORT);
    gms_nic_close_port(&ctx, nics[from], PORT);
    return plain_ps - start_ps;
}

/* ---- askers ---- */

static void asker_next(rig_asker_t *asker)
{
    static const double wishes[] = {5 * MB, 10 * MB, 20 * MB, 40 * MB};
    uint64_t draw = gms_random_u64(&asker->random);
    gms_qos_call_t *call = rig_call(asker->source, asker->target, asker->label,
                                    GMS_QOS_PREMIUM, wishes[draw % 4]);

    if ((draw >> 8) % 4 == 0) {
        call->flow[0].asked.qos_class = GMS_QOS_UNMANAGED;
    } else if ((draw >> 8) % 4 == 1) {
        call->flow[0].asked.qos_class = GMS_QOS_BEST_EFFORT;
    }
    if ((draw >> 16) % 4 == 0 &&
        call->flow[0].asked.qos_class != GMS_QOS_UNMANAGED) {
        rig_call_more(call,
                      (asker->target + 1) % NODES == asker->source
                          ? asker->target
                          : (asker->target + 1) % NODES,
                      asker->label + 100, GMS_QOS_PREMIUM, 5 * MB);
    }
    call->handler = ON_ASK;
    call->object = asker;
    asker->call = call;
    --asker->left;
    rig_post_at(call, rig_now() + (draw >> 24) % (500 * GMS_US));
}

static void on_ask(gms_ctx_t *c, const gms_event_t *event)
{
    rig_asker_t *asker = event->object;

    (void)c;
    ++rig_answers;
    rig_failures += asker->call->status != GMS_OK;
    rig_free(asker->call);
    asker->call = NULL;
    if (asker->left > 0) {
        asker_next(asker);
    }
}

void rig_askers_start(uint64_t seed, unsigned times)
{
    unsigned i;

    for (i = 0; i < ASKERS; ++i) {
        rig_asker_t *asker = &rig_askers[i];

        gms_random_init(&asker->random, seed, i);
        asker->source = i % NODES;
        asker->target = (i + 1 + i / NODES) % NODES;
        asker->label = i;
        asker->left = times;
        asker_next(asker);
    }
}

unsigned rig_askers_waiting(void)
{
    unsigned i, count = 0;

    for (i = 0; i < ASKERS; ++i) {
        count += rig_askers[i].call != NULL;
    }
    return count;
}
