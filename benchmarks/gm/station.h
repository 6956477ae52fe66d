/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * station.h - implements one process of a GM benchmark. Like every GM program,
 * the process opens its port, sends, receives, and closes the port.
 *
 * A failure ends the whole job with a message (gmsim_fatal()), because a
 * benchmark has no data that must be saved.
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
                                 single size class, every buffer can receive
                                 messages of any length */
    unsigned sends_pending; /**< number of sends whose callbacks have not been
                                 called yet */
} station_t;

/**
 * Join the cluster and open the port of this rank.
 *
 * @param [in] least, most Allowed range of the number of processes. If the
 *                          number of processes is out of range, the program
 *                          ends with BENCH_EXIT_USAGE.
 * @param [in] max_bytes    Length of the longest message.
 */
void station_open(station_t *station, const char *program, unsigned least,
                  unsigned most, gm_size_t max_bytes);
/** Wait until this process's sends have completed, close the port, and leave
 *  the cluster. */
void station_close(station_t *station);

/** Allocate DMA memory filled with zeros; the memory is freed with the port. */
void *station_memory(station_t *station, gm_size_t bytes);

/** Send to a rank that has provided buffers of this size class. The data must
 *  not change until the callback is called. */
void station_send(station_t *station, unsigned rank, unsigned size, void *data,
                  gm_size_t bytes);

/** Sleep until an event arrives, and receive the event.
 *  @return the event if it is a message, whose buffer the caller must provide
 *          again; NULL if it was another event, which this function has
 *          handled */
gm_recv_event_t *station_next(station_t *station);

/** Wait for a message. The event is valid until the next call. */
gm_recv_event_t *station_receive(station_t *station);

/** Return the data of a message. The data can be in the buffer or in the event.
 *  The data are valid until the next event, or until the caller provides the
 *  buffer again. */
const void *station_data(gm_recv_event_t *event);

/** Wait until fewer than `limit` sends of this process are pending
 *  (limit >= 1). */
void station_wait_sends(station_t *station, unsigned limit);

/** Return the virtual time in seconds, as the clock for the harness. */
double station_clock(void);

#endif
