/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Sources of traffic for HCAs: time, length and destination of the next
 * message. Every source draws from its own seeded stream: an additional source
 * does not change the others. Times are in cycles, internally with fractions
 * where rates need them; the results are whole cycles.
 *
 *   video      MPEG-2: 30 frames a second in the pattern of a group of pictures.
 *              The sizes of I, P and B frames are lognormal, for seven streams of
 *              different mean rates, or are read from a file. A frame is cut into
 *              packets of packet_flits, of which the last one is shorter. An
 *              input regulator may spread them.
 *   on-off     exponential periods; while on, packets at even distances at the
 *              peak rate
 *   poisson    best effort: exponential distances, packets of packet_flits
 *   bernoulli  every cycle with the same probability (geometric distances)
 *   control    ten packets of packet_flits at random moments in every period (which
 *              the rate determines)
 *   trace      from a file, one packet per line: cycle (since start_cycle, never
 *              before the line above), target, flits
 *
 * Files are text: numbers with blanks or commas between them, comments from `#'
 * to the line's end. A file of frame sizes is played over and over.
 * [source: Yum et al., section 6.2]
 */
#ifndef HCASIM_SOURCE_H
#define HCASIM_SOURCE_H

#include <stdint.h>

#include "base/random.h"
#include "base/status.h"
#include "hcasim/target.h"

typedef struct gms_source gms_source_t;

enum gms_source_kind {
    GMS_SOURCE_VIDEO = 0,
    GMS_SOURCE_ON_OFF,
    GMS_SOURCE_POISSON,
    GMS_SOURCE_BERNOULLI,
    GMS_SOURCE_CONTROL,
    GMS_SOURCE_TRACE,
    GMS_SOURCE_KINDS
};
extern const char *const gms_source_kind_names[]; /* ends with NULL */

/** Times at which the n packets of a frame, numbered from 0, are sent. */
enum gms_regulator {
    GMS_REGULATOR_NONE = 0, /**< all of them when the frame is made */
    /** packet j after j/n of the frame's 1/30 s: the first immediately, the last
     *  before the next frame is made */
    GMS_REGULATOR_EARLY,
    /** packet j after (j + 1)/n, when a constant flow of the frame's bits over
     *  1/30 s has delivered the whole packet. The last packet is always sent
     *  when the next frame is made, for every frame size */
    GMS_REGULATOR_LATE,
    GMS_REGULATORS
};

#define GMS_VIDEO_STREAMS    7u /* streams of different mean rates */
#define GMS_SOURCE_ERROR_LEN 256

typedef struct gms_source_config {
    unsigned kind; /**< enum gms_source_kind */
    uint32_t node; /**< node of the source */
    unsigned flit_bytes, packet_flits;
    uint64_t cycle_ps;
    uint64_t seed, stream; /**< seed and stream of its random numbers */
    /** target of each packet (a new one each time, except for pattern fixed) */
    gms_target_t target;
    /** mean flits per cycle, above 0, at most 1: poisson, bernoulli, on-off
     *  (over on and off periods; at most 1 while on), control */
    double rate;
    double on_cycles, off_cycles; /**< on-off: mean periods */
    unsigned video;               /**< video: which of the seven, 0..6 */
    unsigned regulator;           /**< video: enum gms_regulator */
    /** video: frame sizes in bytes, one per line; trace; NULL: none */
    const char *file;
    /** video: start position in the stream or its file, any number. If all
     *  videos began with an I frame, these large frames would be sent at the
     *  same time */
    uint64_t first_frame;
    uint64_t start_cycle; /**< begin of the first frame or period */
} gms_source_config_t;

/** The next packet of a source. */
typedef struct gms_arrival {
    uint64_t cycle; /**< never before the cycle of the previous packet */
    uint32_t target;
    uint16_t flits;       /**< length of this packet */
    uint32_t frame;       /**< video: its number, from 1; else 0 */
    uint32_t frame_rest;  /**< video: packets of the frame that follow */
    uint64_t frame_cycle; /**< video: cycle at which the frame was made */
} gms_arrival_t;

/** Creates a source.
 *  @param [out] error the reason: field or file and line, and the allowed
 *  values
 *  @return GMS_OK, GMS_ERR_CONFIG, GMS_ERR_NO_MEMORY, GMS_ERR_SYSTEM (file) */
gms_status_t gms_source_create(const gms_source_config_t *config,
                               gms_source_t **source_p,
                               char error[GMS_SOURCE_ERROR_LEN]);
/** NULL is allowed. */
void gms_source_destroy(gms_source_t *source);

/** Returns the next packet. @return 1; 0: there is none (end of a trace) */
int gms_source_next(gms_source_t *source, gms_arrival_t *arrival);

/** Return the mean and peak rate that the source requests, flits per cycle. The
 * rates of a video follow from the statistics of its stream, or from its file.
 * The peak rate is that of a very large frame sent within 1/30 s, with or
 * without regulator. */
double gms_source_mean_rate(const gms_source_t *source);
double gms_source_peak_rate(const gms_source_t *source);

/** Returns the mean bits per second of one of the seven videos. */
double gms_video_bits_s(unsigned video);
/** 1/30 s, rounded to whole cycles: the time between a source's frames, and
 *  between their deadlines (hcasim/delivery.h). */
uint64_t gms_video_frame_cycles(uint64_t cycle_ps);

#endif
