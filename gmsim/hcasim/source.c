/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contains the code that all traffic sources share: validation of a
 * configuration, creation, and calls to the functions of the chosen kind. The
 * files source_video.c, source_random.c and source_trace.c implement the kinds.
 */
#include <stdio.h>
#include <stdlib.h>

#include "hcasim/source_int.h"

const char *const gms_source_kind_names[] = {
    "video", "on-off", "poisson", "bernoulli", "control", "trace", NULL};

static const gms_source_ops_t *const gms_source_kinds[GMS_SOURCE_KINDS] = {
    [GMS_SOURCE_VIDEO] = &gms_source_video_ops,
    [GMS_SOURCE_ON_OFF] = &gms_source_on_off_ops,
    [GMS_SOURCE_POISSON] = &gms_source_poisson_ops,
    [GMS_SOURCE_BERNOULLI] = &gms_source_bernoulli_ops,
    [GMS_SOURCE_CONTROL] = &gms_source_control_ops,
    [GMS_SOURCE_TRACE] = &gms_source_trace_ops,
};

/** Checks the settings that all kinds of sources require. */
static gms_status_t gms_source_check(const gms_source_config_t *config,
                                     char error[GMS_SOURCE_ERROR_LEN])
{
    int length = 0;

    if (config->kind >= GMS_SOURCE_KINDS) {
        length = snprintf(error, GMS_SOURCE_ERROR_LEN,
                          "kind %u is unknown; allowed: 0..%u", config->kind,
                          GMS_SOURCE_KINDS - 1);
    } else if (config->node >= config->target.nodes) {
        length = snprintf(error, GMS_SOURCE_ERROR_LEN,
                          "node %u does not exist in a network of %u nodes; "
                          "allowed: numbers less than the number of nodes",
                          config->node, config->target.nodes);
    } else if (config->packet_flits < 1 || config->packet_flits > UINT16_MAX) {
        length = snprintf(error, GMS_SOURCE_ERROR_LEN,
                          "packet_flits is %u; allowed: 1..%u",
                          config->packet_flits, UINT16_MAX);
    } else if (config->flit_bytes < 1 || config->cycle_ps < 1) {
        length =
            snprintf(error, GMS_SOURCE_ERROR_LEN,
                     "flits of %u bytes in cycles of %llu ps are not possible; "
                     "allowed: at least 1 byte and 1 ps",
                     config->flit_bytes, (unsigned long long)config->cycle_ps);
    }
    return (length > 0) ? GMS_ERR_CONFIG : GMS_OK;
}

gms_status_t gms_source_create(const gms_source_config_t *config,
                               gms_source_t **source_p,
                               char error[GMS_SOURCE_ERROR_LEN])
{
    gms_status_t status = gms_source_check(config, error);
    gms_source_t *source;

    if (status == GMS_OK) {
        status = gms_target_check(&config->target, error, GMS_SOURCE_ERROR_LEN);
    }
    if (status != GMS_OK) {
        return status;
    }
    source = calloc(1, sizeof(*source));
    if (source == NULL) {
        (void)snprintf(error, GMS_SOURCE_ERROR_LEN,
                       "out of memory for a source");
        return GMS_ERR_NO_MEMORY;
    }
    source->config = *config;
    source->ops = gms_source_kinds[config->kind];
    gms_random_init(&source->random, config->seed, config->stream);
    status = source->ops->init(source, error);
    if (status != GMS_OK) {
        gms_source_destroy(source);
        return status;
    }
    *source_p = source;
    return GMS_OK;
}

void gms_source_destroy(gms_source_t *source)
{
    if (source != NULL) {
        free(source->frame_bytes);
        free(source->line);
        free(source);
    }
}

int gms_source_next(gms_source_t *source, gms_arrival_t *arrival)
{
    const gms_source_config_t *config = &source->config;

    *arrival = (gms_arrival_t){.flits = (uint16_t)config->packet_flits};
    if (!source->ops->next(source, arrival)) {
        return 0;
    }
    if (config->kind != GMS_SOURCE_TRACE) {
        arrival->target =
            gms_target_draw(&config->target, config->node, &source->random);
    }
    return 1;
}

double gms_source_mean_rate(const gms_source_t *source)
{
    return source->mean_rate;
}

double gms_source_peak_rate(const gms_source_t *source)
{
    return source->peak_rate;
}
