/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * station.h - one process of a GM benchmark: its port, its host and the few
 * steps that every GM program takes.
 *
 * A failure ends the whole job with a message (gmsim_fatal()), because a
 * benchmark has nothing to save.
 */
#ifndef BENCHMARKS_GM_STATION_H
#define BENCHMARKS_GM_STATION_H

#include <gm.h>
#include <gmsim.h>

typedef struct station {
    const char *program;
    struct gm_port *port;
    gmsim_place_t place;
    unsigned size;          /**< GM size class of the messages that are
                                 measured: one class, so that buffers fit
                                 whatever the length */
    unsigned sends_pending; /**< sends whose callback has not come yet */
} station_t;

/**
 * Join the cluster and open the rank's port.
 *
 * @param [in] least, most  Number of processes that the program works with;
 *                          otherwise it ends with BENCH_EXIT_USAGE.
 * @param [in] max_bytes    Longest message.
 */
void station_open(station_t *station, const char *program, unsigned least,
                  unsigned most, gm_size_t max_bytes);
/** Wait for own sends, leave. */
void station_close(station_t *station);

/** DMA memory, zeroed; freed with the port. */
void *station_memory(station_t *station, gm_size_t bytes);

/** Send to a rank, which has buffers of this size class; the data must not
 *  change until the callback has come. */
void station_send(station_t *station, unsigned rank, unsigned size, void *data,
                  gm_size_t bytes);

/** Take the next event; sleeps until there is one.
 *  @return the event if it is a message (the caller provides a buffer again),
 *          else NULL: it has been dealt with */
gm_recv_event_t *station_next(station_t *station);

/** Wait for a message. The event is valid until the next call. */
gm_recv_event_t *station_receive(station_t *station);

/** Data of a message, wherever GM has put it. Valid until the next event or
 *  until the buffer is provided again. */
const void *station_data(gm_recv_event_t *event);

/** Wait until fewer than `limit` own sends are under way (limit >= 1). */
void station_wait_sends(station_t *station, unsigned limit);

/** Clock for the harness: virtual time, seconds. */
double station_clock(void);

#endif
