/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds the cluster of nic_rig.h with registered memory on every node, and
 * collects completed sends and received messages.
 */
#include "nic_rig.h"

#include <string.h>

#include "base/random.h"
#include "unit.h"

gms_ctx_t ctx;
gms_params_t params;
gms_nic_t *nics[NODES];
gms_origin_t hosts[NODES];
unsigned received[NODES], sent[NODES], alarms[NODES];
unsigned result_count[GMS_SENT_DROPPED + 1];
gms_host_event_t last[NODES];
gms_time_t last_event_ps;
unsigned commands[NODES];
uint8_t after_failure;

gms_fabric_t *fabric;
static char error[GMS_TOPOLOGY_ERROR_LEN];

void rig_start(void)
{
    unsigned i;

    memset(&ctx, 0, sizeof(ctx));
    memset(hosts, 0, sizeof(hosts));
    memset(received, 0, sizeof(received));
    memset(sent, 0, sizeof(sent));
    memset(alarms, 0, sizeof(alarms));
    memset(result_count, 0, sizeof(result_count));
    memset(commands, 0, sizeof(commands));
    last_event_ps = 0;
    after_failure = 0;
    ctx.self_rank = -1;
    CU_ASSERT_FATAL(
        gms_arena_create_private(UINT64_C(256) << 20, &ctx.arena) == GMS_OK &&
        gms_engine_create(ctx.arena, &ctx.engine) == GMS_OK &&
        gms_fabric_create(&ctx, &params, NULL, &fabric, error) == GMS_OK);
    gms_fabric_register(&ctx);
    gms_nic_register(&ctx);
    for (i = 0; i < NODES; ++i) {
        hosts[i].id = GMS_ORIGIN_RANK + i;
        CU_ASSERT_FATAL(gms_nic_create(&ctx, fabric, &params, i, &nics[i]) ==
                            GMS_OK &&
                        gms_nic_open_port(&ctx, nics[i], PORT, i) == GMS_OK);
    }
}

void rig_stop(void)
{
    gms_arena_destroy_private(ctx.arena);
    memset(&ctx, 0, sizeof(ctx));
}

void rig_setup(void)
{
    gms_params_init(&params);
    params.hosts = NODES;
#ifdef RIG_NIC_KIND
    params.nic_kind = RIG_NIC_KIND;
#endif
    rig_start();
}

void rig_teardown(void)
{
    rig_stop();
}

/* Rebuild the cluster after a change of params. */
void rig_restart(void)
{
    rig_stop();
    rig_start();
}

gms_time_t rig_now(void)
{
    return gms_engine_now(ctx.engine);
}

/* Return registered memory of a node. */
unsigned char *rig_memory(unsigned node, size_t bytes)
{
    unsigned char *block = gms_arena_alloc(ctx.arena, bytes);

    CU_ASSERT_FATAL(block != NULL &&
                    gms_nic_register_memory(&ctx, nics[node], PORT,
                                            (uintptr_t)block, bytes) == GMS_OK);
    return block;
}

void rig_provide(unsigned node, void *buffer, unsigned size)
{
    gms_recv_desc_t desc = {.port = PORT,
                            .size = (uint8_t)size,
                            .tag = 7,
                            .address = (uintptr_t)buffer,
                            .cookie = 100};

    gms_nic_post_receive(&ctx, nics[node], &hosts[node], rig_now(), &desc);
}

gms_send_desc_t rig_describe(unsigned from, unsigned to, const void *data,
                             uint32_t length, unsigned size)
{
    gms_send_desc_t desc = {.flow = {.source_port = PORT,
                                     .target_node = (uint16_t)to,
                                     .target_port = PORT},
                            .kind = GMS_SEND_MESSAGE,
                            .size = (uint8_t)size,
                            .length = length,
                            .address = (uintptr_t)data,
                            .cookie = from,
                            .call_ps = rig_now()};

    return desc;
}

gms_send_desc_t rig_describe_get(unsigned by, unsigned of, void *here,
                                 const void *there, uint32_t length)
{
    gms_send_desc_t desc = rig_describe(by, of, here, length, 0);

    desc.kind = GMS_SEND_GET;
    desc.remote = (uintptr_t)there;
    return desc;
}

void rig_post(unsigned from, const gms_send_desc_t *desc)
{
    gms_nic_post_send(&ctx, nics[from], &hosts[from], rig_now(), desc);
}

void rig_send(unsigned from, unsigned to, const void *data, uint32_t length,
              unsigned size)
{
    gms_send_desc_t desc = rig_describe(from, to, data, length, size);

    rig_post(from, &desc);
}

void rig_command_at(unsigned from, gms_time_t at_ps, uint8_t kind,
                    const gms_flow_key_t *flow)
{
    gms_send_desc_t desc = {
        .flow = *flow, .kind = kind, .cookie = COMMAND, .call_ps = at_ps};

    gms_nic_post_send(&ctx, nics[from], &hosts[from], at_ps, &desc);
}

void rig_command(unsigned from, uint8_t kind, const gms_flow_key_t *flow)
{
    rig_command_at(from, rig_now(), kind, flow);
}

static void rig_take_sent(unsigned node, const gms_host_event_t *event)
{
    if (event->cookie == COMMAND) {
        CHECK_U64(event->result, GMS_SENT_OK);
        ++commands[node];
        return;
    }
    ++sent[node];
    ++result_count[event->result];
    if (after_failure != 0 && event->result != GMS_SENT_OK &&
        event->result != GMS_SENT_DROPPED) {
        rig_command(node, after_failure, &event->flow);
    }
}

void rig_take_events(void)
{
    unsigned i;
    gms_host_event_t *event;

    for (i = 0; i < NODES; ++i) {
        while ((event = gms_nic_take_event(nics[i], PORT)) != NULL) {
            last_event_ps = event->time_ps;
            if (event->kind == GMS_HOST_RECEIVED) {
                ++received[i];
                last[i] = *event;
            } else if (event->kind == GMS_HOST_SENT) {
                rig_take_sent(i, event);
            } else {
                ++alarms[i];
            }
            gms_arena_free(ctx.arena, event);
        }
    }
}

void rig_run(void)
{
    while (gms_engine_step(&ctx)) {
        rig_take_events();
    }
}

gms_time_t rig_path_sum(const gms_path_times_t *path)
{
    return path->host_ps + path->lanai_ps + path->host_dma_ps + path->wire_ps +
           path->switch_ps;
}

void rig_fill(unsigned char *data, size_t bytes, uint64_t seed)
{
    gms_random_t random;
    size_t i;

    gms_random_init(&random, seed, 1);
    for (i = 0; i < bytes; ++i) {
        data[i] = (unsigned char)gms_random_u64(&random);
    }
}
