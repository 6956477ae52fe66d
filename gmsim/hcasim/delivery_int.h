/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the state for checking the deadlines of video frames. Only
 * delivery*.c include this header.
 */
#ifndef HCASIM_DELIVERY_INT_H
#define HCASIM_DELIVERY_INT_H

#include "hcasim/delivery.h"

/* Maximum number of consecutive frames of a stream with packets in flight. */
#define GMS_DELIVERY_OPEN 4u
/* Sizes of a two-level table of streams. Memory is allocated only for stream
 * numbers that are used. */
#define GMS_DELIVERY_PAGE  1024u
#define GMS_DELIVERY_PAGES (GMS_DELIVERY_STREAMS_MAX / GMS_DELIVERY_PAGE)

typedef struct gms_delivery_open {
    uint32_t frame; /* 0: none */
    uint32_t arrived, lost;
    uint32_t most_rest; /* the largest frame_rest received so far */
    /* 1 if the packet with frame_rest 0 has arrived or was lost */
    uint8_t has_last;
    uint64_t made_cycle;
    uint64_t arrive_cycle; /* cycle in which the latest packet arrived */
} gms_delivery_open_t;

typedef struct gms_delivery_stream {
    gms_delivery_open_t open[GMS_DELIVERY_OPEN]; /* array, indexed by the frame
                                                  * number, modulo
                                                  * GMS_DELIVERY_OPEN */
    /* deadline of the frame that follows `judged`, or 0 if the first frame has
     * not been checked yet */
    uint64_t deadline;
    uint32_t judged; /* the last frame that was checked */
    uint32_t newest; /* the newest frame with an arrived packet */
} gms_delivery_stream_t;

typedef struct gms_delivery_frames {
    uint64_t warm_up_cycles, frame_cycles;
    unsigned first;
    gms_delivery_stream_t *pages[GMS_DELIVERY_PAGES];
    uint64_t delivered, late, broken;
    uint64_t after_deadline; /* number of frames that arrived after their
                              * deadline */
    uint64_t lateness;       /* sum of the lateness of these frames, in
                              * cycles */
} gms_delivery_frames_t;

void gms_delivery_frames_cleanup(gms_delivery_frames_t *frames);
/** Counts a packet of a video frame for gms_delivery_frame(). */
gms_status_t gms_delivery_frames_add(gms_delivery_frames_t *frames,
                                     uint32_t stream,
                                     const gms_delivery_open_t *packet,
                                     int is_lost);
/** Adds the frame counts to the result. The counts include complete frames that
 *  have not been checked yet. */
void gms_delivery_frames_result(const gms_delivery_frames_t *frames,
                                gms_delivery_result_t *result);

#endif
