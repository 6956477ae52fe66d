/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares sources of traffic for HCAs. A source determines the time, the
 * length and the destination of each message. Every source has its own random
 * stream, so an additional source does not change the other sources. Times are
 * in cycles. If rates require it, the code computes with fractions of cycles.
 * The results are whole cycles.
 *
 *   video      MPEG-2 with 30 frames a second in the pattern of a group of
 *              pictures. The sizes of I, P and B frames are read from a file,
 *              or have a lognormal distribution for seven streams of different
 *              mean rates. A frame is cut into packets of packet_flits; only
 *              the last packet is shorter. An input regulator may spread the
 *              packets over the frame's period.
 *   on-off     On and off periods of exponential length. In an on-period,
 *              packets are sent at equal distances.
 *   poisson    Packets of packet_flits at exponential distances, used for best
 *              effort.
 *   bernoulli  Packets of packet_flits. A packet begins in every cycle with the
 *              same probability, so the distances are geometric.
 *   control    Ten packets of packet_flits at random moments in every period.
 *              The rate determines the period.
 *   trace      Packets from a file with one packet per line: the cycle (since
 *              start_cycle, not before the cycle of the previous line), the
 *              target, and the number of flits.
 *
 * Input files are text files. The files contain numbers, separated by blanks or
 * commas, and comments from `#' to the end of the line. The source repeats a
 * file of frame sizes endlessly. [source: Yum et al., section 6.2]
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
extern const char *const gms_source_kind_names[]; /* the last element is NULL */

/** Times at which the n packets of a frame, numbered from 0, are sent. */
enum gms_regulator {
    GMS_REGULATOR_NONE = 0, /**< all packets are sent as soon as the frame has
                             *   been created */
    /** packet j is sent after j/n of the frame's 1/30 s: the first packet is
     *  sent immediately, and the last packet is sent before the next frame is
     *  created */
    GMS_REGULATOR_EARLY,
    /** packet j is sent after (j + 1)/n of the frame's 1/30 s, when a constant
     *  flow of the frame's bits would have delivered the whole packet. The last
     *  packet is always sent at the time when the next frame is created */
    GMS_REGULATOR_LATE,
    GMS_REGULATORS
};

#define GMS_VIDEO_STREAMS    7u /* streams with different mean rates */
#define GMS_SOURCE_ERROR_LEN 256

typedef struct gms_source_config {
    unsigned kind; /**< a value of enum gms_source_kind */
    uint32_t node; /**< node to which the source belongs */
    unsigned flit_bytes, packet_flits;
    uint64_t cycle_ps;
    uint64_t seed, stream; /**< seed and stream number of the random numbers */
    /** pattern that determines the target of each packet */
    gms_target_t target;
    /** poisson, bernoulli, on-off, control: mean number of flits per cycle,
     *  above 0 and at most 1. For on-off, this is the mean over on and off
     *  periods, and the rate in on-periods must also be at most 1 */
    double rate;
    double on_cycles, off_cycles; /**< on-off: mean lengths of the periods */
    unsigned video;               /**< video: number of the stream, 0..6 */
    unsigned regulator;           /**< video: enum gms_regulator */
    /** video: file of frame sizes in bytes, one per line, or NULL; trace: file
     *  of packets */
    const char *file;
    /** video: number of the first frame that the source sends, counted from the
     *  beginning of the stream or file; any number is allowed. If all videos began with an I
     *  frame, all large frames would be sent at the same time */
    uint64_t first_frame;
    uint64_t start_cycle; /**< time at which the first frame or period begins */
} gms_source_config_t;

/** The next packet of a source. */
typedef struct gms_arrival {
    uint64_t cycle; /**< cycle of the packet; not before the cycle of the
                     * previous packet */
    uint32_t target;
    uint16_t flits; /**< length of this packet */
    /** video: number of the frame, counted from 1; otherwise 0 */
    uint32_t frame;
    /** video: number of packets that follow in the same frame */
    uint32_t frame_rest;
    uint64_t frame_cycle; /**< video: cycle in which the frame was created */
} gms_arrival_t;

/** Creates a source.
 *  @param [out] error reason for the failure: the invalid field (or file and
 *  line), and the allowed values
 *  @return GMS_OK, GMS_ERR_CONFIG, GMS_ERR_NO_MEMORY, GMS_ERR_SYSTEM (file) */
gms_status_t gms_source_create(const gms_source_config_t *config,
                               gms_source_t **source_p,
                               char error[GMS_SOURCE_ERROR_LEN]);
/** Destroys the source. NULL is allowed. */
void gms_source_destroy(gms_source_t *source);

/** Stores the next packet. @return 1, or 0 if there are no more packets (end of
 *  a trace) */
int gms_source_next(gms_source_t *source, gms_arrival_t *arrival);

/** Return the mean rate and the peak rate that a source requests, in flits per
 *  cycle. The rates of a video are computed from the statistics of its stream
 *  or from its file. The peak rate of a video is the rate at which a very large
 *  frame takes 1/30 s, with or without a regulator. */
double gms_source_mean_rate(const gms_source_t *source);
double gms_source_peak_rate(const gms_source_t *source);

/** Returns the mean rate of one of the seven videos, in bits per second. */
double gms_video_bits_s(unsigned video);
/** Returns the number of cycles in 1/30 s, rounded to an integer. Two
 *  consecutive frames of a source are this number of cycles apart, and so are
 *  two consecutive deadlines (hcasim/delivery.h). */
uint64_t gms_video_frame_cycles(uint64_t cycle_ps);

#endif
