/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Computes frame sizes of seven MPEG-2 videos from statistics. The traces that
 * the paper used (Caminero et al. 1999) are not available.
 *
 *   pattern       IBBPBBPBBPBB, 30 frames/s
 *   distribution  lognormal for each type of frame. The sizes are independent,
 *                 so correlation within a scene is neglected [source: Krunz,
 *                 Sass, Hughes 1996, "Study of VBR MPEG-coded video traffic and
 *                 associated multiplexing performance"; Krunz, Tripathi 1995,
 *                 "Modeling bit rate variations in MPEG sources"]
 *   mean sizes    I : P : B as 160 : 60 : 30 [source: MPEG-2 Test Model 5,
 *                 1993, section 10: target bits of a picture, from the initial
 *                 complexities 160 : 60 : 42, K_p = 1, K_b = 1.4]
 *   variation     standard deviation / mean 0.3 for I, 0.4 for P and B
 *                 [assumed: the variation of all frames together is then
 *                 0.86; in traces of films it is up to 1.5, in traces of
 *                 sports it is less]
 *   mean rates    3, 5, .. 15 Mb/s [assumed: up to the 15 Mb/s that MPEG-2's
 *                 main profile allows at main level; 142 streams of 9 Mb/s fill
 *                 a link of 1.6 Gb/s to 80 %]
 */
#ifndef HCASIM_VIDEO_H
#define HCASIM_VIDEO_H

#include <stdint.h>

#include "base/random.h"

#define GMS_VIDEO_PATTERN_FRAMES 12u
#define GMS_VIDEO_FRAMES_S       30u

enum gms_video_type {
    GMS_VIDEO_I = 0,
    GMS_VIDEO_P,
    GMS_VIDEO_B,
    GMS_VIDEO_TYPES
};

/** Returns the type of a frame. @param [in] frame number of the frame, from
 *  0 */
enum gms_video_type gms_video_type(uint64_t frame);
/** Returns the mean size of frames of a type, in bytes. */
double gms_video_mean_bytes(unsigned video, enum gms_video_type type);
/** Draws the size of a frame in bytes. The result is at least 1. */
uint32_t gms_video_draw_bytes(unsigned video, uint64_t frame,
                              gms_random_t *random);
/** Returns the size, in bytes, that one percent of the I frames exceed. This
 * size determines the peak rate of a stream [assumed, because a lognormal
 * distribution has no maximum]. */
double gms_video_peak_bytes(unsigned video);

#endif
