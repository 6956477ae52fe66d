/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks the deadlines of video frames. Frames are checked in order, because
 * the deadline of a frame depends on the arrival of the previous frame. Frame n
 * is checked when the first packet of frame n + 2 arrives. No packet of frame n
 * can arrive after this packet, because a packet never overtakes another by two
 * frames or more.
 */
#include <stdlib.h>

#include "hcasim/delivery_int.h"

void gms_delivery_frames_cleanup(gms_delivery_frames_t *frames)
{
    unsigned i;

    for (i = 0; i < GMS_DELIVERY_PAGES; ++i) {
        free(frames->pages[i]);
    }
}

static gms_delivery_stream_t *
gms_delivery_find_stream(gms_delivery_frames_t *frames, uint32_t stream)
{
    gms_delivery_stream_t **page = &frames->pages[stream / GMS_DELIVERY_PAGE];

    if (*page == NULL) {
        *page = calloc(GMS_DELIVERY_PAGE, sizeof(**page));
        if (*page == NULL) {
            return NULL;
        }
    }
    return &(*page)[stream % GMS_DELIVERY_PAGE];
}

static gms_delivery_open_t *gms_delivery_slot(gms_delivery_stream_t *stream,
                                              uint32_t frame)
{
    return &stream->open[frame % GMS_DELIVERY_OPEN];
}

/** Counts a delivered frame whose deadline is known. If the frame is late, sets
 *  the deadline to the arrival time of the frame. */
static void gms_delivery_judge_due(gms_delivery_frames_t *frames,
                                   const gms_delivery_open_t *open,
                                   uint64_t *deadline)
{
    int is_counted = open->made_cycle >= frames->warm_up_cycles;
    int is_late = open->arrive_cycle > *deadline;

    if (is_counted) {
        ++frames->delivered;
        frames->late += is_late || open->lost > 0;
    }
    if (is_late) {
        if (is_counted) {
            ++frames->after_deadline;
            frames->lateness += open->arrive_cycle - *deadline;
        }
        *deadline = open->arrive_cycle;
    }
}

/** Checks the oldest unchecked frame against its deadline. It is possible that
 *  no packet of this frame has arrived. */
static void gms_delivery_judge(gms_delivery_frames_t *frames,
                               gms_delivery_stream_t *stream)
{
    uint32_t frame = stream->judged + 1;
    gms_delivery_open_t *open = gms_delivery_slot(stream, frame);
    uint64_t deadline = stream->deadline;

    if (open->frame == frame) {
        if (open->lost > 0 && open->made_cycle >= frames->warm_up_cycles) {
            ++frames->broken;
        }
        if (deadline == 0) {
            deadline = (frames->first == GMS_DELIVERY_FIRST_ARRIVED &&
                        open->arrived > 0)
                           ? open->arrive_cycle
                           : open->made_cycle + frames->frame_cycles;
        }
        if (open->arrived > 0) {
            gms_delivery_judge_due(frames, open, &deadline);
        }
        open->frame = 0;
    }
    stream->judged = frame;
    if (deadline > 0) {
        stream->deadline = deadline + frames->frame_cycles;
    }
}

/** Checks all frames that precede `lag` by at least `frame` frames. If the lag
 *  is two frames, these frames are complete, or their missing packets will
 *  never arrive. */
static void gms_delivery_close(gms_delivery_frames_t *frames,
                               gms_delivery_stream_t *stream, uint32_t frame,
                               uint32_t lag)
{
    while (stream->judged + lag < frame) {
        gms_delivery_judge(frames, stream);
    }
}

gms_status_t gms_delivery_frames_add(gms_delivery_frames_t *frames,
                                     uint32_t number,
                                     const gms_delivery_open_t *packet,
                                     int is_lost)
{
    gms_delivery_stream_t *stream;
    gms_delivery_open_t *open;

    if (number >= GMS_DELIVERY_STREAMS_MAX || packet->frame == 0) {
        return GMS_ERR_INVALID_PARAM;
    }
    stream = gms_delivery_find_stream(frames, number);
    if (stream == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    /* A loss may be reported before the arrival of packets that were sent
     * earlier. A loss therefore triggers a check of older frames only if the
     * stream needs their room in the table. */
    gms_delivery_close(frames, stream, packet->frame,
                       is_lost ? GMS_DELIVERY_OPEN : 2);
    if (packet->frame <= stream->judged) {
        /* the packet is two frames late, and its frame has already been counted
         * as broken */
        return GMS_OK;
    }
    open = gms_delivery_slot(stream, packet->frame);
    if (open->frame != packet->frame) {
        *open = (gms_delivery_open_t){.frame = packet->frame,
                                      .made_cycle = packet->made_cycle};
    }
    if (is_lost) {
        ++open->lost;
    } else {
        ++open->arrived;
        if (packet->arrive_cycle > open->arrive_cycle) {
            open->arrive_cycle = packet->arrive_cycle;
        }
    }
    if (packet->most_rest > open->most_rest) {
        open->most_rest = packet->most_rest;
    }
    open->has_last |= (packet->most_rest == 0);
    if (packet->frame > stream->newest) {
        stream->newest = packet->frame;
    }
    return GMS_OK;
}

static int gms_delivery_is_whole(const gms_delivery_open_t *open)
{
    return open->has_last && (uint64_t)open->arrived + open->lost ==
                                 (uint64_t)open->most_rest + 1;
}

/** Checks the frames of a stream in order, up to the first incomplete frame. */
static void gms_delivery_finish(gms_delivery_frames_t *frames,
                                gms_delivery_stream_t *stream)
{
    while (stream->judged < stream->newest) {
        const gms_delivery_open_t *open =
            gms_delivery_slot(stream, stream->judged + 1);

        if (open->frame == stream->judged + 1 && !gms_delivery_is_whole(open)) {
            return;
        }
        gms_delivery_judge(frames, stream);
    }
}

void gms_delivery_frames_result(const gms_delivery_frames_t *frames,
                                gms_delivery_result_t *result)
{
    /* this copy shares the pages of streams with the original, so the loop
     * copies every stream before changing it */
    gms_delivery_frames_t counts = *frames;
    unsigned i, j;

    for (i = 0; i < GMS_DELIVERY_PAGES; ++i) {
        for (j = 0; frames->pages[i] != NULL && j < GMS_DELIVERY_PAGE; ++j) {
            gms_delivery_stream_t copy = frames->pages[i][j];

            gms_delivery_finish(&counts, &copy);
        }
    }
    result->frames = counts.delivered;
    result->frames_late = counts.late;
    result->frames_broken = counts.broken;
    result->dmp = (counts.delivered > 0)
                      ? (double)counts.late / (double)counts.delivered
                      : 0;
    result->dmt_cycles =
        (counts.after_deadline > 0)
            ? (double)counts.lateness / (double)counts.after_deadline
            : 0;
}
