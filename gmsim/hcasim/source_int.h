/* SPDX-License-Identifier: BSD-3-Clause */
/** Declares the state of a source and the operations of a kind of source. Only
 *  source*.c include this header. */
#ifndef HCASIM_SOURCE_INT_H
#define HCASIM_SOURCE_INT_H

#include <math.h>
#include <stddef.h>

#include "hcasim/source.h"
#include "hcasim/video.h"

/** Number of packets that a control source sends per period. [source: Yum et
 *  al., section 6.2] */
#define GMS_SOURCE_CONTROL_PACKETS 10u

/** A line of a trace file. */
typedef struct gms_source_line {
    uint64_t cycle;
    uint32_t target;
    uint32_t flits;
} gms_source_line_t;

typedef struct gms_source_ops {
    /** @return GMS_OK, or an error of gms_source_create() with its message */
    gms_status_t (*init)(gms_source_t *source,
                         char error[GMS_SOURCE_ERROR_LEN]);
    /** Sets the cycle of the next packet and the values that depend on the
     *  kind. Before the call, the caller sets the number of flits to the length
     *  of a full packet. After the call, the caller draws the target, unless
     *  the source is a trace.
     *  @return 0 if there are no more packets */
    int (*next)(gms_source_t *source, gms_arrival_t *arrival);
} gms_source_ops_t;

extern const gms_source_ops_t gms_source_video_ops;
extern const gms_source_ops_t gms_source_on_off_ops;
extern const gms_source_ops_t gms_source_poisson_ops;
extern const gms_source_ops_t gms_source_bernoulli_ops;
extern const gms_source_ops_t gms_source_control_ops;
extern const gms_source_ops_t gms_source_trace_ops;

struct gms_source {
    gms_source_config_t config; /* configuration; `file` is not used after
                                 * creation */
    const gms_source_ops_t *ops;
    gms_random_t random;
    double mean_rate, peak_rate; /* flits per cycle */
    /* Random kinds: time of the last packet, relative to start_cycle, and time
     * between two packets, both in cycles. For poisson, the second time is a
     * mean. A double represents whole cycles exactly up to 2^53. */
    double at, gap;
    /* on-off: remaining time of the on-period, and time until the next packet,
     * excluding off-periods */
    double on_left, due;
    /* bernoulli: log(1 - chance) */
    double log_miss;
    /* control: sorted times of the packets in the current period, and index of
     * the next packet */
    double moment[GMS_SOURCE_CONTROL_PACKETS];
    unsigned next_moment;
    double period, period_start;
    /* video: the current frame */
    /* frame sizes from a file, or NULL if the source draws sizes from a
     * distribution */
    uint32_t *frame_bytes;
    size_t frame_bytes_count;
    /* frame: number of the next frame, counted from 0 */
    uint64_t frame_cycles, frame;
    uint64_t frame_made;
    uint32_t flits_left, packets, packet;
    /* trace */
    gms_source_line_t *line;
    size_t lines, next_line;
};

/** Draws an exponentially distributed number whose mean is 1. */
static inline double gms_source_exponential(gms_source_t *source)
{
    return -log(gms_random_unit(&source->random));
}

/** Returns the cycle that corresponds to a time since the start of the
 *  source. */
static inline uint64_t gms_source_cycle(const gms_source_t *source, double at)
{
    return source->config.start_cycle + (uint64_t)at;
}

/** Read a file of frame sizes, or a trace, into the source. The source owns the
 *  memory even if the function fails.
 *  @return GMS_OK, GMS_ERR_CONFIG, GMS_ERR_NO_MEMORY, GMS_ERR_SYSTEM */
gms_status_t gms_source_read_frames(gms_source_t *source, const char *file,
                                    char error[GMS_SOURCE_ERROR_LEN]);
gms_status_t gms_source_read_trace(gms_source_t *source, const char *file,
                                   char error[GMS_SOURCE_ERROR_LEN]);

#endif
