/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements station.h with GM calls: opens the port, counts incomplete sends,
 * and passes every event that is not a message to gm_unknown().
 */
#include "station.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>

static void station_check(const station_t *station, const char *what,
                          gm_status_t status)
{
    if (status != GM_SUCCESS) {
        gmsim_fatal("%s: cannot %s: %s", station->program, what,
                    gm_strerror(status));
    }
}

void station_open(station_t *station, const char *program, unsigned least,
                  unsigned most, gm_size_t max_bytes)
{
    gm_status_t status = gm_init();

    station->program = program;
    station->port = NULL;
    station->sends_pending = 0;
    if (status != GM_SUCCESS) {
        fprintf(stderr, "%s: cannot join the cluster: %s\n", program,
                gm_strerror(status));
        exit(BENCH_EXIT_FAILED);
    }
    station_check(station, "find its own rank",
                  gmsim_get_my_place(&station->place));
    if (station->place.size < least || station->place.size > most) {
        if (station->place.rank == 0) {
            fprintf(stderr, "%s: requires %u%s%.0u processes, not %u\n",
                    program, least, (most > least) ? " to " : "",
                    (most > least) ? most : 0, station->place.size);
        }
        gm_finalize();
        exit(BENCH_EXIT_USAGE);
    }
    station_check(station, "open the port",
                  gm_open(&station->port, 0, station->place.port, program,
                          GM_API_VERSION));
    station->size = gm_min_size_for_length(max_bytes);
}

void station_close(station_t *station)
{
    station_wait_sends(station, 1);
    gm_close(station->port);
    gm_finalize();
}

void *station_memory(station_t *station, gm_size_t bytes)
{
    void *memory = gm_dma_calloc(station->port, 1, bytes);

    if (memory == NULL) {
        gmsim_fatal("%s: cannot allocate %lu bytes of DMA memory",
                    station->program, (unsigned long)bytes);
    }
    return memory;
}

static void station_sent(struct gm_port *port, void *context,
                         gm_status_t status)
{
    station_t *station = context;

    (void)port;
    station_check(station, "send a message", status);
    --station->sends_pending;
}

void station_send(station_t *station, unsigned rank, unsigned size, void *data,
                  gm_size_t bytes)
{
    gmsim_place_t target;

    station_check(station, "find the target rank",
                  gmsim_get_place(rank, &target));
    ++station->sends_pending;
    gm_send_with_callback(station->port, data, size, bytes, GM_LOW_PRIORITY,
                          target.node_id, target.port, station_sent, station);
}

gm_recv_event_t *station_next(station_t *station)
{
    gm_recv_event_t *event = gm_blocking_receive(station->port);

    switch (GM_RECV_EVENT_TYPE(event)) {
    case GM_RECV_EVENT:
    case GM_PEER_RECV_EVENT:
    case GM_HIGH_RECV_EVENT:
    case GM_HIGH_PEER_RECV_EVENT:
    case GM_FAST_RECV_EVENT:
    case GM_FAST_PEER_RECV_EVENT:
    case GM_FAST_HIGH_RECV_EVENT:
    case GM_FAST_HIGH_PEER_RECV_EVENT:
        return event;
    default:
        gm_unknown(station->port, event);
        return NULL;
    }
}

gm_recv_event_t *station_receive(station_t *station)
{
    gm_recv_event_t *event;

    do {
        event = station_next(station);
    } while (event == NULL);
    return event;
}

const void *station_data(gm_recv_event_t *event)
{
    switch (GM_RECV_EVENT_TYPE(event)) {
    case GM_FAST_RECV_EVENT:
    case GM_FAST_PEER_RECV_EVENT:
    case GM_FAST_HIGH_RECV_EVENT:
    case GM_FAST_HIGH_PEER_RECV_EVENT:
        return gm_ntohp(event->recv.message);
    default:
        return gm_ntohp(event->recv.buffer);
    }
}

void station_wait_sends(station_t *station, unsigned limit)
{
    while (station->sends_pending >= limit) {
        if (station_next(station) != NULL) {
            gmsim_fatal("%s: received an unexpected message", station->program);
        }
    }
}

double station_clock(void)
{
    return (double)gmsim_time_ps() * 1e-12;
}
