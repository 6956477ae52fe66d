/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Private to delivery*.c: the state that is needed to judge the deadlines of
 * video frames.
 */
#ifndef HCASIM_DELIVERY_INT_H
#define HCASIM_DELIVERY_INT_H

#include "hcasim/delivery.h"

/* Frames of a stream of which packets may be in flight. */
#define GMS_DELIVERY_OPEN 4u
/* Two-level table: a stream number costs memory only when it is used. */
#define GMS_DELIVERY_PAGE  1024u
#define GMS_DELIVERY_PAGES (GMS_DELIVERY_STREAMS_MAX / GMS_DELIVERY_PAGE)

typedef struct gms_delivery_open {
    uint32_t frame; /* 0: none */
    uint32_t arrived, lost;
    uint32_t most_rest; /* the largest frame_rest so far */
    /* the packet with frame_rest 0 has arrived or was lost */
    uint8_t has_last;
    uint64_t made_cycle;
    uint64_t arrive_cycle; /* arrival of the latest packet */
} gms_delivery_open_t;

typedef struct gms_delivery_stream {
    gms_delivery_open_t open[GMS_DELIVERY_OPEN]; /* by frame number */
    /* deadline of the frame after the last judged one; 0: the first frame is
     * not judged yet */
    uint64_t deadline;
    uint32_t judged; /* the last judged frame */
    uint32_t newest; /* the newest frame of which a packet arrived */
} gms_delivery_stream_t;

typedef struct gms_delivery_frames {
    uint64_t warm_up_cycles, frame_cycles;
    unsigned first;
    gms_delivery_stream_t *pages[GMS_DELIVERY_PAGES];
    uint64_t delivered, late, broken;
    uint64_t after_deadline; /* late frames that arrived after their deadline */
    uint64_t lateness;       /* sum, cycles */
} gms_delivery_frames_t;

void gms_delivery_frames_cleanup(gms_delivery_frames_t *frames);
/** Implements gms_delivery_frame(). */
gms_status_t gms_delivery_frames_add(gms_delivery_frames_t *frames,
                                     uint32_t stream,
                                     const gms_delivery_open_t *packet,
                                     int is_lost);
/** Adds the frames that are complete but not judged yet to the result. */
void gms_delivery_frames_result(const gms_delivery_frames_t *frames,
                                gms_delivery_result_t *result);

#endif
