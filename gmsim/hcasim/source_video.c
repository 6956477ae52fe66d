/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the source of video streams, which cuts frames into packets and
 * optionally spreads the packets over the frame's period. The file video.c
 * determines the sizes of the frames.
 */
#include <stdio.h>

#include "hcasim/source_int.h"

static uint32_t gms_source_flits_of(const gms_source_t *source, uint64_t bytes)
{
    unsigned flit_bytes = source->config.flit_bytes;

    return (uint32_t)((bytes + flit_bytes - 1) / flit_bytes);
}

/** Computes the mean rate and the peak rate of the frames in a file. The source
 *  repeats the file endlessly. */
static void gms_source_rate_file(gms_source_t *source)
{
    uint64_t flits = 0;
    uint32_t most = 0;
    size_t i;

    for (i = 0; i < source->frame_bytes_count; ++i) {
        uint32_t own = gms_source_flits_of(source, source->frame_bytes[i]);

        flits += own;
        most = (own > most) ? own : most;
    }
    source->mean_rate = (double)flits / (double)source->frame_bytes_count /
                        (double)source->frame_cycles;
    source->peak_rate = most / (double)source->frame_cycles;
}

static void gms_source_rate_statistics(gms_source_t *source)
{
    unsigned video = source->config.video;
    double flits_frame =
        (double)source->frame_cycles * source->config.flit_bytes;

    source->mean_rate =
        gms_video_bits_s(video) / 8 / GMS_VIDEO_FRAMES_S / flits_frame;
    source->peak_rate = gms_video_peak_bytes(video) / flits_frame;
}

static gms_status_t gms_source_video_init(gms_source_t *source,
                                          char error[GMS_SOURCE_ERROR_LEN])
{
    const gms_source_config_t *config = &source->config;
    gms_status_t status;

    source->frame_cycles = gms_video_frame_cycles(config->cycle_ps);
    if (config->regulator >= GMS_REGULATORS) {
        (void)snprintf(error, GMS_SOURCE_ERROR_LEN,
                       "regulator %u is unknown; allowed: 0..%u",
                       config->regulator, GMS_REGULATORS - 1);
        return GMS_ERR_CONFIG;
    }
    if (source->frame_cycles < 1) {
        (void)snprintf(error, GMS_SOURCE_ERROR_LEN,
                       "cycles of %llu ps are too long for a video; "
                       "allowed: at most 1/%u s",
                       (unsigned long long)config->cycle_ps,
                       GMS_VIDEO_FRAMES_S);
        return GMS_ERR_CONFIG;
    }
    if (config->file != NULL) {
        status = gms_source_read_frames(source, config->file, error);
        if (status == GMS_OK) {
            gms_source_rate_file(source);
        }
        return status;
    }
    if (config->video >= GMS_VIDEO_STREAMS) {
        (void)snprintf(error, GMS_SOURCE_ERROR_LEN,
                       "video %u is unknown; allowed: 0..%u", config->video,
                       GMS_VIDEO_STREAMS - 1);
        return GMS_ERR_CONFIG;
    }
    gms_source_rate_statistics(source);
    return GMS_OK;
}

static void gms_source_make_frame(gms_source_t *source)
{
    unsigned packet_flits = source->config.packet_flits;
    uint64_t number = source->frame + source->config.first_frame;
    uint32_t bytes;

    if (source->frame_bytes != NULL) {
        bytes = source->frame_bytes[number % source->frame_bytes_count];
    } else {
        bytes =
            gms_video_draw_bytes(source->config.video, number, &source->random);
    }
    source->frame_made =
        source->config.start_cycle + source->frame * source->frame_cycles;
    ++source->frame;
    source->flits_left = gms_source_flits_of(source, bytes);
    source->packets = (source->flits_left + packet_flits - 1) / packet_flits;
    source->packet = 0;
}

/** Returns the number of cycles by which the regulator delays the next
 * packet. */
static uint64_t gms_source_wait(const gms_source_t *source)
{
    uint32_t parts = source->packet;

    if (source->config.regulator == GMS_REGULATOR_NONE) {
        return 0;
    }
    parts += (source->config.regulator == GMS_REGULATOR_LATE);
    return source->frame_cycles * parts / source->packets;
}

static int gms_source_video_next(gms_source_t *source, gms_arrival_t *arrival)
{
    unsigned packet_flits = source->config.packet_flits;

    if (source->flits_left == 0) {
        gms_source_make_frame(source);
    }
    if (source->flits_left < packet_flits) {
        arrival->flits = (uint16_t)source->flits_left;
    }
    arrival->cycle = source->frame_made;
    arrival->cycle += gms_source_wait(source);
    ++source->packet;
    source->flits_left -= arrival->flits;
    /* the value of source->frame has already been incremented, so it is 1 for
     * the first frame */
    arrival->frame = (uint32_t)source->frame;
    arrival->frame_rest = source->packets - source->packet;
    arrival->frame_cycle = source->frame_made;
    return 1;
}

const gms_source_ops_t gms_source_video_ops = {
    .init = gms_source_video_init,
    .next = gms_source_video_next,
};
