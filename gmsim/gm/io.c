/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the public functions of gmsim.h for file access. The functions
 * wait for the caller's turn before a system call, and for the I/O hosts after
 * the system call. Other functions request bandwidth for the accesses of a
 * stream.
 */
#include "gmsim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gm/qos.h"
#include "io/io.h"
#include "nic/scheduler.h"

/* Largest number of ports per NIC for which the labels do not depend on the
 * parameter gm_ports. */
#define GMS_FILE_FEW_PORTS 16u

/* Return the label of a stream. The label differs from the labels of all other
 * processes on the same host. */
static uint32_t gms_file_label(const gms_sim_t *sim, unsigned stream)
{
    unsigned ports = sim->root->params.gm_ports <= GMS_FILE_FEW_PORTS
                         ? GMS_FILE_FEW_PORTS
                         : GMS_NIC_MAX_PORTS;

    return stream * ports + sim->root->slots[sim->launch.rank].port;
}

unsigned gmsim_io_hosts(void)
{
    const gms_sim_t *sim = gms_sim_joined();

    return sim != NULL && sim->root->io != NULL ? gms_io_hosts(sim->root->io)
                                                : 0;
}

void gmsim_io_begin(void)
{
    gms_sim_t *sim = gms_sim_joined();

    if (sim != NULL && sim->root->io != NULL) {
        gms_sim_begin_turn(sim);
        gms_sim_end(sim, 1);
    }
}

static enum gms_io_kind gms_file_kind(gmsim_io_kind_t kind)
{
    switch (kind) {
    case GMSIM_IO_WRITE:
        return GMS_IO_WRITE;
    case GMSIM_IO_READ:
        return GMS_IO_READ;
    case GMSIM_IO_SYNC:
        return GMS_IO_SYNC;
    case GMSIM_IO_RESIZE:
        return GMS_IO_RESIZE;
    }
    return GMS_IO_ANSWER; /* this value is not a valid kind of access */
}

/* Post the access and sleep until it is complete. Call this function only when
 * it is the caller's turn. */
static void gms_file_wait(gms_sim_t *sim, gms_io_call_t *call)
{
    gms_ctx_t *ctx = &sim->ctx;

    gms_io_post(ctx, sim->root->io, gms_gate_origin(ctx), gms_gate_clock(ctx),
                call);
    /* Signals that announce arriving messages also end the wait. The messages
     * remain in their queue, and every receive call checks the queue before it
     * waits. */
    while (!call->done) {
        gms_gate_run_events_until_signal(ctx, GMS_NEVER,
                                         "answers of the I/O hosts");
    }
}

gm_status_t gmsim_io_access(gmsim_io_kind_t kind, unsigned stream,
                            uint64_t offset, uint64_t bytes)
{
    gms_sim_t *sim = gms_sim_joined();
    gms_io_call_t *call;

    if (sim == NULL || sim->root->io == NULL) {
        return GM_FAILURE;
    }
    if (gms_file_kind(kind) == GMS_IO_ANSWER || stream > GMSIM_IO_MAX_STREAM ||
        bytes > UINT64_MAX / 2 || offset > UINT64_MAX / 2) {
        return GM_INVALID_PARAMETER;
    }
    gms_sim_begin_turn(sim);
    call = gms_io_call_create(sim->ctx.arena, sim->root->io, sim->node,
                              sim->launch.rank);
    if (call == NULL) {
        gms_sim_end(sim, 0);
        return GM_OUT_OF_MEMORY;
    }
    call->kind = gms_file_kind(kind);
    call->label = gms_file_label(sim, stream);
    call->flags = sim->io_flags != NULL ? sim->io_flags[stream] : 0;
    call->offset = offset;
    call->bytes = bytes;
    gms_file_wait(sim, call);
    gms_arena_free(sim->ctx.arena, call);
    gms_sim_end(sim, sim->root->params.host_receive_ps);
    return GM_SUCCESS;
}

/* ---- Reservations ------------------------------------------------------ */

static int gms_file_is_rate(double bytes_s)
{
    return bytes_s >= 0 && isfinite(bytes_s);
}

/* Check the arguments of a request, and allocate the flags of all streams. */
static gm_status_t gms_file_check(gms_sim_t *sim, unsigned stream,
                                  double write_bytes_s, double read_bytes_s)
{
    if (sim == NULL || sim->root->io == NULL) {
        return GM_FAILURE;
    }
    if (stream > GMSIM_IO_MAX_STREAM || !gms_file_is_rate(write_bytes_s) ||
        !gms_file_is_rate(read_bytes_s)) {
        return GM_INVALID_PARAMETER;
    }
    if (!gms_scheduler_keeps_pace((uint32_t)sim->root->params.scheduler)) {
        return GM_UNSUPPORTED_DEVICE;
    }
    if (sim->io_flags == NULL) {
        sim->io_flags = calloc(GMSIM_IO_MAX_STREAM + 1, 1);
    }
    return sim->io_flags != NULL ? GM_SUCCESS : GM_OUT_OF_MEMORY;
}

static void gms_file_fill_answer(gms_sim_t *sim,
                                 const gms_io_reservation_t *reservation,
                                 gmsim_io_answer_t *answer)
{
    memset(answer, 0, sizeof(*answer));
    answer->granted = reservation->granted;
    if (reservation->granted) {
        return;
    }
    answer->denied_read = reservation->denied_read;
    answer->criterion =
        (int)gms_qos_public_criterion(reservation->verdict.criterion);
    gms_qos_name_resource(sim->root, &reservation->verdict, answer->place);
    answer->left_bytes_s =
        gms_io_data_bytes_s(sim->root->io, reservation->verdict.left_bytes_s);
}

/* Post the reservation and sleep until it is answered. Call this function only
 * when it is the caller's turn. */
static void gms_file_reserve(gms_sim_t *sim, gms_io_reservation_t *reservation)
{
    gms_ctx_t *ctx = &sim->ctx;

    gms_io_reserve(ctx, gms_gate_origin(ctx), gms_gate_clock(ctx), reservation);
    while (!reservation->done) {
        gms_gate_run_events_until_signal(ctx, GMS_NEVER,
                                         "answer of the bandwidth manager");
    }
}

gm_status_t gmsim_io_request(unsigned stream, double write_bytes_s,
                             double read_bytes_s, gmsim_io_answer_t *answer)
{
    gms_sim_t *sim = gms_sim_joined();
    gm_status_t status =
        gms_file_check(sim, stream, write_bytes_s, read_bytes_s);
    gms_io_reservation_t *reservation;

    if (status != GM_SUCCESS || answer == NULL) {
        return status != GM_SUCCESS ? status : GM_INVALID_PARAMETER;
    }
    gms_sim_begin_turn(sim);
    reservation = gms_io_reservation_create(sim->ctx.arena, sim->root->io,
                                            sim->node, sim->launch.rank);
    if (reservation == NULL) {
        gms_sim_end(sim, 0);
        return GM_OUT_OF_MEMORY;
    }
    reservation->label = gms_file_label(sim, stream);
    reservation->write_bytes_s = write_bytes_s;
    reservation->read_bytes_s = read_bytes_s;
    gms_file_reserve(sim, reservation);
    gms_file_fill_answer(sim, reservation, answer);
    sim->io_flags[stream] =
        (unsigned char)(reservation->granted
                            ? (write_bytes_s > 0 ? GMS_IO_WRITE_RESERVED : 0) |
                                  (read_bytes_s > 0 ? GMS_IO_READ_RESERVED : 0)
                            : 0);
    status = gms_sim_status(reservation->status);
    gms_arena_free(sim->ctx.arena, reservation);
    gms_sim_end(sim, sim->root->params.host_receive_ps);
    return status;
}
