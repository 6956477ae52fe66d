/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Draws the size of a video frame from a lognormal distribution. The
 * distribution depends on the mean rate of the stream and on the type of the
 * frame (I, P or B). This file also computes the mean and peak sizes of a
 * stream.
 */
#include "hcasim/video.h"

#include <math.h>

#include "hcasim/source.h"

#define GMS_VIDEO_TWO_PI 6.28318530717958647692
/* 99 % quantile of the standard normal distribution */
#define GMS_VIDEO_QUANTILE 2.32635

static const double gms_video_megabits_s[GMS_VIDEO_STREAMS] = {3,  5,  7, 9,
                                                               11, 13, 15};

/* The file video.h lists the source of these values. */
static const struct {
    double size;      /* mean size, in proportion to the other types of
                       * frames */
    double variation; /* standard deviation of the size, divided by the mean
                       * size */
} gms_video_types[GMS_VIDEO_TYPES] = {
    [GMS_VIDEO_I] = {160, 0.3},
    [GMS_VIDEO_P] = {60, 0.4},
    [GMS_VIDEO_B] = {30, 0.4},
};

static const char gms_video_pattern[] = "IBBPBBPBBPBB";

enum gms_video_type gms_video_type(uint64_t frame)
{
    switch (gms_video_pattern[frame % GMS_VIDEO_PATTERN_FRAMES]) {
    case 'I':
        return GMS_VIDEO_I;
    case 'P':
        return GMS_VIDEO_P;
    default:
        return GMS_VIDEO_B;
    }
}

double gms_video_bits_s(unsigned video)
{
    return gms_video_megabits_s[video] * 1e6;
}

uint64_t gms_video_frame_cycles(uint64_t cycle_ps)
{
    return (uint64_t)(1e12 / GMS_VIDEO_FRAMES_S / (double)cycle_ps + 0.5);
}

double gms_video_mean_bytes(unsigned video, enum gms_video_type type)
{
    double pattern = 0;
    unsigned i;

    for (i = 0; i < GMS_VIDEO_PATTERN_FRAMES; ++i) {
        pattern += gms_video_types[gms_video_type(i)].size;
    }
    return gms_video_bits_s(video) / 8 / GMS_VIDEO_FRAMES_S *
           GMS_VIDEO_PATTERN_FRAMES * gms_video_types[type].size / pattern;
}

/** Returns the lognormal size whose logarithm exceeds the mean of the logarithm
 *  by `normal' standard deviations. If the logarithm has mean m and standard
 *  deviation s, the size has mean exp(m + s^2/2) and variation sqrt(exp(s^2) -
 *  1). */
static double gms_video_bytes_at(unsigned video, enum gms_video_type type,
                                 double normal)
{
    double variation = gms_video_types[type].variation;
    double square = log1p(variation * variation);

    return gms_video_mean_bytes(video, type) *
           exp(sqrt(square) * normal - square / 2);
}

uint32_t gms_video_draw_bytes(unsigned video, uint64_t frame,
                              gms_random_t *random)
{
    /* The Box-Muller method computes a pair of normal numbers from two random
     * numbers. The second normal number is not used, because every frame must
     * draw exactly two random numbers. */
    double radius = sqrt(-2 * log(gms_random_unit(random)));
    double angle = GMS_VIDEO_TWO_PI * gms_random_unit(random);
    double bytes =
        gms_video_bytes_at(video, gms_video_type(frame), radius * cos(angle));

    return (bytes < 1) ? 1 : (uint32_t)(bytes + 0.5);
}

double gms_video_peak_bytes(unsigned video)
{
    return gms_video_bytes_at(video, GMS_VIDEO_I, GMS_VIDEO_QUANTILE);
}
