/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces the functions of the C library that wait for a message queue until a
 * deadline of CLOCK_REALTIME.
 */
#define _GNU_SOURCE
#include "clock/state.h"

#include <errno.h>
#include <mqueue.h>

/* A message to send or to receive, and the result of the call. */
struct gms_queue_call {
    mqd_t queue;
    const char *sent;
    char *received;
    size_t bytes;
    unsigned priority;
    unsigned *priority_p;
    ssize_t result;
};

/* Return the value of the real CLOCK_REALTIME at a time of the real
 * CLOCK_MONOTONIC. */
static struct timespec gms_queue_date(const struct timespec *deadline)
{
    struct timespec date = gms_clock_real(CLOCK_REALTIME);
    struct timespec uptime = gms_clock_real(CLOCK_MONOTONIC);

    date.tv_sec += deadline->tv_sec - uptime.tv_sec;
    date.tv_nsec += deadline->tv_nsec - uptime.tv_nsec;
    if (date.tv_nsec < 0) {
        date.tv_nsec += 1000000000;
        --date.tv_sec;
    } else if (date.tv_nsec >= 1000000000) {
        date.tv_nsec -= 1000000000;
        ++date.tv_sec;
    }
    return date;
}

static int gms_queue_receive(void *const objects[2],
                             const struct timespec *deadline)
{
    GMS_CLOCK_REAL(mq_timedreceive);
    struct gms_queue_call *call = objects[0];
    struct timespec date = gms_queue_date(deadline);

    call->result =
        real(call->queue, call->received, call->bytes, call->priority_p, &date);
    return call->result >= 0 ? 0 : errno;
}

static int gms_queue_send(void *const objects[2],
                          const struct timespec *deadline)
{
    GMS_CLOCK_REAL(mq_timedsend);
    struct gms_queue_call *call = objects[0];
    struct timespec date = gms_queue_date(deadline);

    call->result =
        real(call->queue, call->sent, call->bytes, call->priority, &date);
    return call->result == 0 ? 0 : errno;
}

static ssize_t gms_queue_wait(struct gms_queue_call *call, gms_wait_fn *wait,
                              const struct timespec *deadline)
{
    void *objects[2] = {call, NULL};
    int status = gms_wait_until(gms_clock_time_ps(CLOCK_REALTIME, deadline),
                                wait, objects);

    if (status != 0) {
        errno = status;
    }
    return status == 0 ? call->result : -1;
}

GMS_CLOCK_API ssize_t mq_timedreceive(mqd_t queue, char *restrict message,
                                      size_t bytes, unsigned *restrict priority,
                                      const struct timespec *restrict deadline)
{
    GMS_CLOCK_REAL(mq_timedreceive);
    struct gms_queue_call call = {.queue = queue,
                                  .received = message,
                                  .bytes = bytes,
                                  .priority_p = priority};

    return gms_clock_is_valid(deadline) &&
                   gms_clock_is_simulated(__builtin_return_address(0))
               ? gms_queue_wait(&call, gms_queue_receive, deadline)
               : real(queue, message, bytes, priority, deadline);
}

GMS_CLOCK_API int mq_timedsend(mqd_t queue, const char *message, size_t bytes,
                               unsigned priority,
                               const struct timespec *deadline)
{
    GMS_CLOCK_REAL(mq_timedsend);
    struct gms_queue_call call = {
        .queue = queue, .sent = message, .bytes = bytes, .priority = priority};

    return gms_clock_is_valid(deadline) &&
                   gms_clock_is_simulated(__builtin_return_address(0))
               ? (int)gms_queue_wait(&call, gms_queue_send, deadline)
               : real(queue, message, bytes, priority, deadline);
}
