/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * station.h - implements one process of a GM benchmark, which opens its port,
 * sends, receives and closes the port, as every GM program does.
 *
 * A failure ends the whole job with a message (gmsim_fatal()), because a
 * benchmark has no data to save.
 */
#ifndef BENCHMARKS_GM_STATION_H
#define BENCHMARKS_GM_STATION_H

#include <gm.h>
#include <gmsim.h>

typedef struct station {
    const char *program;
    struct gm_port *port;
    gmsim_place_t place;
    unsigned size;          /**< GM size class of all measured messages. With a
                                 single class, every buffer can receive messages
                                 of every length */
    unsigned sends_pending; /**< number of sends whose callback has not yet been
                                 called */
} station_t;

/**
 * Join the cluster and open the rank's port.
 *
 * @param [in] least, most Range of the number of processes. If the number is
 *                          outside this range, the program ends with
 *                          BENCH_EXIT_USAGE.
 * @param [in] max_bytes    Length of the longest message.
 */
void station_open(station_t *station, const char *program, unsigned least,
                  unsigned most, gm_size_t max_bytes);
/** Wait for this process's sends, close the port and leave the cluster. */
void station_close(station_t *station);

/** Allocate DMA memory filled with zeros; the memory is freed with the port. */
void *station_memory(station_t *station, gm_size_t bytes);

/** Send to a rank that has buffers of this size class. The data must not change
 *  until the callback has been called. */
void station_send(station_t *station, unsigned rank, unsigned size, void *data,
                  gm_size_t bytes);

/** Sleep until there is an event, and receive the event.
 *  @return the event if it is a message (the caller must provide its buffer
 *          again); NULL if it was another event, which this function has
 *          handled */
gm_recv_event_t *station_next(station_t *station);

/** Wait for a message. The event is valid until the next call. */
gm_recv_event_t *station_receive(station_t *station);

/** Return the data of a message, which can be in the buffer or in the event.
 *  The data are valid until the next event or until the buffer is provided
 *  again. */
const void *station_data(gm_recv_event_t *event);

/** Wait until fewer than `limit` sends of this process are pending
 *  (limit >= 1). */
void station_wait_sends(station_t *station, unsigned limit);

/** Return the virtual time in seconds, as the clock for the harness. */
double station_clock(void);

#endif
