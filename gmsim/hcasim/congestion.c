/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contains the code that all congestion policies share: names, validation of
 * the settings, and calls to the chosen policy.
 */
#include "hcasim/congestion_int.h"

#include <stdio.h>
#include <stdlib.h>

const char *const gms_congestion_policy_names[] = {
    "none", "credit", "separate-cq", "quad-cq", "alo", "self-tuned", NULL,
};

const gms_congestion_ops_t gms_congestion_none_ops = {
    .create = NULL,
};

static const gms_congestion_ops_t *const gms_congestion_policies[] = {
    [GMS_CONGESTION_NONE] = &gms_congestion_none_ops,
    [GMS_CONGESTION_CREDIT] = &gms_congestion_credit_ops,
    [GMS_CONGESTION_SEPARATE_CQ] = &gms_congestion_separate_ops,
    [GMS_CONGESTION_QUAD_CQ] = &gms_congestion_quad_ops,
    [GMS_CONGESTION_ALO] = &gms_congestion_alo_ops,
    [GMS_CONGESTION_SELF_TUNED] = &gms_congestion_self_tuned_ops,
};

void gms_congestion_config_init(gms_congestion_config_t *config)
{
    *config = (gms_congestion_config_t){
        .policy = GMS_CONGESTION_NONE,
        /* [assumed: the paper does not state M, but it uses up to 600 credits.
         * An HCA with 1000 messages of 40 flits uses 0.64 MB of its local
         * memory, which has 8 MB according to section 3.4] */
        .buffer_messages = 1000,
        /* [source: Yum et al., section 7.2: the results are best with 200
         * credits] */
        .credits_best = 200,
        /* [source: Thottethodi et al. 2001: in a 16-ary 2-cube with 2 cycles
         * per hop, gathering takes 32 cycles, and the threshold is tuned every
         * 96 cycles. Yum et al., section 7.2, use the same values] */
        .gather_cycles = 32,
        .tune_gathers = 3,
        /* [assumed: one increment; the paper starts with a low threshold and
         * then tunes it automatically] */
        .tune_start = 0.01,
    };
}

static gms_status_t
gms_congestion_config_check(const gms_congestion_config_t *config,
                            char error[GMS_TOPOLOGY_ERROR_LEN])
{
    const struct {
        const char *name;
        unsigned value;
    } rows[] = {
        {"buffer_messages", config->buffer_messages},
        {"credits_best", config->credits_best},
        {"gather_cycles", config->gather_cycles},
        {"tune_gathers", config->tune_gathers},
    };
    unsigned i;

    if (config->policy >= GMS_CONGESTION_POLICIES) {
        snprintf(error, GMS_TOPOLOGY_ERROR_LEN,
                 "congestion policy %u is unknown; allowed: 0..%u",
                 config->policy, GMS_CONGESTION_POLICIES - 1);
        return GMS_ERR_CONFIG;
    }
    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        if (rows[i].value == 0) {
            snprintf(error, GMS_TOPOLOGY_ERROR_LEN,
                     "%s is 0; allowed: 1 or more", rows[i].name);
            return GMS_ERR_CONFIG;
        }
    }
    if (!(config->tune_start >= 0 && config->tune_start <= 1)) {
        snprintf(error, GMS_TOPOLOGY_ERROR_LEN,
                 "tune_start is %g; allowed: 0..1", config->tune_start);
        return GMS_ERR_CONFIG;
    }
    if (config->credits_best > config->buffer_messages) {
        snprintf(error, GMS_TOPOLOGY_ERROR_LEN,
                 "%u credits for best effort (credits_best) exceed the "
                 "capacity of the HCA; allowed: 1..%u (buffer_messages)",
                 config->credits_best, config->buffer_messages);
        return GMS_ERR_CONFIG;
    }
    return GMS_OK;
}

gms_status_t gms_congestion_create(const gms_congestion_config_t *config,
                                   gms_flit_net_t *net,
                                   gms_congestion_t **congestion_p,
                                   char error[GMS_TOPOLOGY_ERROR_LEN])
{
    gms_congestion_t *congestion;
    gms_status_t status = gms_congestion_config_check(config, error);

    if (status != GMS_OK) {
        return status;
    }
    congestion = calloc(1, sizeof(*congestion));
    if (congestion == NULL) {
        snprintf(error, GMS_TOPOLOGY_ERROR_LEN, "out of memory");
        return GMS_ERR_NO_MEMORY;
    }
    congestion->ops = gms_congestion_policies[config->policy];
    congestion->config = *config;
    congestion->net = net;
    congestion->nodes = gms_topology_nodes(gms_flit_topology(net));
    congestion->queues = 1;
    if (congestion->ops->create != NULL) {
        status = congestion->ops->create(congestion, error);
    }
    if (status != GMS_OK) {
        if (status == GMS_ERR_NO_MEMORY) {
            snprintf(error, GMS_TOPOLOGY_ERROR_LEN, "out of memory");
        }
        gms_congestion_destroy(congestion);
        return status;
    }
    *congestion_p = congestion;
    return GMS_OK;
}

void gms_congestion_destroy(gms_congestion_t *congestion)
{
    if (congestion == NULL) {
        return;
    }
    if (congestion->credit != NULL) {
        congestion->ops->destroy(congestion);
    }
    free(congestion->lanes);
    free(congestion->tuner);
    free(congestion);
}

gms_status_t gms_congestion_open(gms_congestion_t *congestion, uint32_t node,
                                 uint32_t connection, double share)
{
    return congestion->ops->open == NULL
               ? GMS_OK
               : congestion->ops->open(congestion, node, connection, share);
}

void gms_congestion_close(gms_congestion_t *congestion, uint32_t node,
                          uint32_t connection)
{
    if (congestion->ops->close != NULL) {
        congestion->ops->close(congestion, node, connection);
    }
}

unsigned gms_congestion_queues(const gms_congestion_t *congestion)
{
    return congestion->queues;
}

unsigned gms_congestion_queue(const gms_congestion_t *congestion, uint32_t node,
                              uint32_t target)
{
    return congestion->ops->queue == NULL
               ? 0
               : congestion->ops->queue(congestion, node, target);
}

int gms_congestion_may_post(gms_congestion_t *congestion, uint32_t node,
                            const gms_hca_message_t *message)
{
    return congestion->ops->may_post == NULL ||
           message->packet.traffic_class == GMS_LANE_CONTROL ||
           congestion->ops->may_post(congestion, node, message);
}

int gms_congestion_may_enter(gms_congestion_t *congestion, uint32_t node,
                             const gms_hca_message_t *message)
{
    return congestion->ops->may_enter == NULL ||
           message->packet.traffic_class == GMS_LANE_CONTROL ||
           congestion->ops->may_enter(congestion, node, message);
}

void gms_congestion_posted(gms_congestion_t *congestion, uint32_t node,
                           const gms_hca_message_t *message)
{
    if (congestion->ops->posted != NULL) {
        congestion->ops->posted(congestion, node, message);
    }
}

void gms_congestion_entered(gms_congestion_t *congestion, uint32_t node,
                            const gms_hca_message_t *message)
{
    if (congestion->ops->entered != NULL) {
        congestion->ops->entered(congestion, node, message);
    }
}

void gms_congestion_completed(gms_congestion_t *congestion, uint32_t node,
                              const gms_hca_message_t *message)
{
    if (congestion->ops->completed != NULL) {
        congestion->ops->completed(congestion, node, message);
    }
}

void gms_congestion_step(gms_congestion_t *congestion)
{
    if (congestion->ops->step != NULL) {
        congestion->ops->step(congestion);
    }
}

uint64_t gms_congestion_next(const gms_congestion_t *congestion)
{
    return congestion->ops->next == NULL ? UINT64_MAX
                                         : congestion->ops->next(congestion);
}

unsigned gms_congestion_credits(const gms_congestion_t *congestion,
                                uint32_t node, unsigned queue)
{
    return congestion->credit == NULL
               ? congestion->config.buffer_messages
               : gms_congestion_credit_limit(congestion, node, queue);
}

unsigned gms_congestion_used(const gms_congestion_t *congestion, uint32_t node,
                             unsigned queue)
{
    return congestion->credit == NULL
               ? 0
               : gms_congestion_credit_used(congestion, node, queue);
}

double gms_congestion_threshold(const gms_congestion_t *congestion)
{
    return congestion->tuner == NULL ? 0 : congestion->tuner->threshold;
}
