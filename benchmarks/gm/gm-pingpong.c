/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gm-pingpong: measures round trips of GM messages between two processes, and
 * the components of an 8-byte round trip.
 */
#include "harness.h"
#include "station.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PINGPONG_BUFFERS         2
#define PINGPONG_BREAKDOWN_BYTES 8

typedef struct pingpong {
    station_t station;
    unsigned peer;
    size_t bytes;
    void *out;
    uint64_t last_ps; /* duration of the latest round trip */
} pingpong_t;

static const char pingpong_doc[] =
    "Measure the round-trip time of GM messages between two processes of a "
    "simulated cluster. Show the time that an 8-byte round trip spends at each "
    "station: host, LANai, host DMA, wire, switch. All times are virtual.\v"
    "MB/s is the message size divided by half of the median round-trip "
    "time. " BENCH_EXIT_DOC "\n"
    "Example: mpirun -n 2 gm-pingpong";

/* Receive one message, and provide its buffer again. */
static void pingpong_receive(pingpong_t *test)
{
    gm_recv_event_t *event = station_receive(&test->station);
    void *buffer = gm_ntohp(event->recv.buffer);

    gm_provide_receive_buffer(test->station.port, buffer, test->station.size,
                              GM_LOW_PRIORITY);
}

static int pingpong_there_and_back(void *context)
{
    pingpong_t *test = context;
    uint64_t begin_ps = gmsim_time_ps();

    station_send(&test->station, test->peer, test->station.size, test->out,
                 test->bytes);
    pingpong_receive(test);
    test->last_ps = gmsim_time_ps() - begin_ps;
    return 0;
}

static void pingpong_answer(pingpong_t *test, unsigned count)
{
    for (unsigned i = 0; i < count; ++i) {
        pingpong_receive(test);
        station_send(&test->station, test->peer, test->station.size, test->out,
                     test->bytes);
    }
}

static int pingpong_size(const bench_t *bench, pingpong_t *test, size_t bytes,
                         bench_result_t *result)
{
    test->bytes = bytes;
    if (test->station.place.rank == 0) {
        return bench_time_steps(bench, pingpong_there_and_back, test, bytes,
                                result);
    }
    pingpong_answer(test, bench->warmup + bench_iterations(bench, bytes));
    return 0;
}

/* --- stations -------------------------------------------------------------*/

static void pingpong_print_station(const bench_t *bench, const char *name,
                                   double us, double total_us)
{
    if (bench->csv) {
        printf("# %s,%.4f\n", name, us);
    } else {
        printf("  %-14s %10.3f us %6.1f %%\n", name, us, 100.0 * us / total_us);
    }
}

static void pingpong_print_path(const bench_t *bench, uint64_t total_ps,
                                const gmsim_path_t *there,
                                const gmsim_path_t *back)
{
    const struct {
        const char *name;
        uint64_t ps;
    } stations[] = {
        {"host", there->host_ps + back->host_ps},
        {"LANai", there->lanai_ps + back->lanai_ps},
        {"host DMA", there->host_dma_ps + back->host_dma_ps},
        {"wire", there->wire_ps + back->wire_ps},
        {"switch", there->switch_ps + back->switch_ps},
    };
    double total_us = (double)total_ps * 1e-6;
    double rest_us = total_us;

    if (bench->csv) {
        printf("# time at each station of an 8-byte round trip, us\n");
    } else {
        printf("\nA round trip of 8 bytes takes %.3f us:\n", total_us);
    }
    for (size_t i = 0; i < sizeof(stations) / sizeof(stations[0]); ++i) {
        double us = (double)stations[i].ps * 1e-6;

        pingpong_print_station(bench, stations[i].name, us, total_us);
        rest_us -= us;
    }
    /* The remaining time is what both programs spend between receiving and
     * sending. */
    pingpong_print_station(bench, "program", rest_us, total_us);
}

/* Measure the components of a round trip. Only the receiver of a message can
 * query the times at which the message passed each stage of its path. The other
 * process therefore sends back the times of the first message. */
static void pingpong_stations(const bench_t *bench, pingpong_t *test)
{
    station_t *station = &test->station;
    bench_result_t result;
    gmsim_path_t path;

    (void)pingpong_size(bench, test, PINGPONG_BREAKDOWN_BYTES, &result);
    if (gmsim_get_path(station->port, &path) != GM_SUCCESS) {
        gmsim_fatal("%s: the path of the last message is unknown", bench->name);
    }
    if (station->place.rank == 0) {
        gmsim_path_t there;

        memcpy(&there, station_data(station_receive(station)), sizeof(there));
        pingpong_print_path(bench, test->last_ps, &there, &path);
    } else {
        /* Wait until the previous answer has been sent, because it uses the
         * same memory. */
        station_wait_sends(station, 1);
        memcpy(test->out, &path, sizeof(path));
        station_send(station, test->peer, station->size, test->out,
                     sizeof(path));
    }
}

int main(int argc, char **argv)
{
    bench_t bench =
        BENCH_INIT("gm-pingpong", pingpong_doc, "round trip", station_clock);
    pingpong_t test = {.bytes = 0};
    station_t *station = &test.station;
    size_t room;

    bench_parse(&bench, argc, argv);
    room = (bench.max_bytes > sizeof(gmsim_path_t)) ? bench.max_bytes
                                                    : sizeof(gmsim_path_t);
    station_open(station, bench.name, 2, 2, room);
    test.peer = 1 - station->place.rank;
    test.out = station_memory(station, room);
    for (int i = 0; i < PINGPONG_BUFFERS; ++i) {
        gm_provide_receive_buffer(station->port, station_memory(station, room),
                                  station->size, GM_LOW_PRIORITY);
    }

    if (station->place.rank == 0) {
        bench_print_head(&bench, NULL, NULL);
    }
    for (size_t bytes = bench.min_bytes; bytes != 0;
         bytes = bench_next_size(&bench, bytes)) {
        bench_result_t result;

        if (pingpong_size(&bench, &test, bytes, &result) != 0) {
            gmsim_fatal("%s: out of memory", bench.name);
        }
        if (station->place.rank == 0) {
            bench_print_row(&bench, NULL, &result);
        }
    }
    pingpong_stations(&bench, &test);
    station_close(station);
    return BENCH_EXIT_OK;
}
