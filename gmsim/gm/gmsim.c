/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the functions of gmsim.h, for libraries above GM such as the MPI
 * device. These functions return a rank's host and port, the virtual time, and
 * totals and parameters of the run. Other functions spend virtual time on
 * computation, leave and rejoin the simulation, and report fatal errors.
 */
#include "gmsim.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "yaml/records.h"
#include "gm/name.h"
#include "gm/port.h"
#include "job/clock.h"
#include "job/record.h"
#include "job/trace.h"
#include "nic/scheduler.h"
#include "gm_qos.h"

/* Return the simulation's handle if this process is or was in the cluster. The
 * cluster description remains readable after the process has left. */
static gms_sim_t *gmsim_known(void)
{
    gms_sim_t *sim = gms_sim();

    return sim != NULL && sim->state != GMS_SIM_NEW &&
                   sim->state != GMS_SIM_FAILED
               ? sim
               : NULL;
}

/* ---- Host slots -------------------------------------------------------- */

gm_status_t gmsim_get_place(unsigned rank, gmsim_place_t *place)
{
    const gms_sim_t *sim = gmsim_known();

    if (sim == NULL) {
        return GM_FAILURE;
    }
    if (rank >= sim->root->size || place == NULL) {
        return GM_INVALID_PARAMETER;
    }
    place->rank = rank;
    place->size = sim->root->size;
    place->node_id = sim->root->slots[rank].host + 1;
    place->port = sim->root->slots[rank].port;
    gms_name_of_node(&sim->root->params, place->node_id, place->host_name);
    return GM_SUCCESS;
}

gm_status_t gmsim_get_my_place(gmsim_place_t *place)
{
    const gms_sim_t *sim = gmsim_known();

    return sim == NULL ? GM_FAILURE : gmsim_get_place(sim->launch.rank, place);
}

gm_status_t gmsim_check_memory(uint64_t bytes)
{
    gms_sim_t *sim = gms_sim_joined();
    uint64_t total;
    int has_room;

    if (sim == NULL) {
        return GM_FAILURE;
    }
    if (__builtin_mul_overflow(bytes, sim->root->size, &total)) {
        total = UINT64_MAX;
    }
    gms_gate_lock(&sim->ctx);
    has_room = gms_arena_has_room(sim->ctx.arena, total);
    gms_gate_unlock(&sim->ctx);
    return has_room ? GM_SUCCESS : GM_OUT_OF_MEMORY;
}

/* ---- Time -------------------------------------------------------------- */

uint64_t gmsim_time_ps(void)
{
    gms_sim_t *sim = gmsim_known();

    if (sim == NULL) {
        return 0;
    }
    if (sim->state == GMS_SIM_LEFT) {
        return sim->left_ps;
    }
    return sim->state == GMS_SIM_JOINED ? gms_clock_read(sim)
                                        : gms_gate_clock(&sim->ctx);
}

uint64_t gmsim_library_time_ps(void)
{
    gms_sim_t *sim = gms_sim_joined();

    if (sim == NULL) {
        return 0;
    }
    gms_sim_spend(sim, sim->root->params.host_clock_read_ps);
    return gms_gate_clock(&sim->ctx);
}

void gmsim_set_thread_lock(void (*begin)(void), void (*end)(void))
{
    gms_sim_t *sim = gms_sim();

    if (sim != NULL) {
        sim->begin_thread = begin;
        sim->end_thread = end;
    }
}

void gmsim_compute(uint64_t duration_ps)
{
    gms_sim_t *sim = gms_sim_joined();

    if (sim != NULL) {
        gms_sim_spend_as(sim, duration_ps, GMS_BUSY_COMPUTES);
    }
}

void gmsim_work(uint64_t duration_ps)
{
    gms_sim_t *sim = gms_sim_joined();

    if (sim != NULL) {
        gms_sim_spend(sim, duration_ps);
    }
}

/* Return the handle of this process if it belongs to the job, even while the
 * process is absent (gmsim_leave()). */
static gms_sim_t *gmsim_of_job(void)
{
    gms_sim_t *sim = gms_sim();

    return sim != NULL && (sim->state == GMS_SIM_JOINED ||
                           sim->state == GMS_SIM_ABSENT)
               ? sim
               : NULL;
}

void gmsim_enter(void)
{
    gms_sim_t *sim = gmsim_of_job();

    if (sim != NULL) {
        gms_gate_enter(&sim->ctx);
    }
}

void gmsim_enter_call(const char *name)
{
    gms_sim_t *sim = gmsim_of_job();

    if (sim != NULL) {
        gms_gate_enter_call(&sim->ctx, name);
    }
}

void gmsim_name_waits(void (*name_call)(char *text, size_t room))
{
    gms_sim_t *sim = gmsim_of_job();

    if (sim != NULL) {
        sim->ctx.name_call = name_call;
    }
}

void gmsim_exit(void)
{
    gms_sim_t *sim = gmsim_of_job();

    if (sim != NULL) {
        gms_gate_exit(&sim->ctx);
    }
}

void gmsim_leave(void)
{
    gms_sim_t *sim = gms_sim_joined();

    if (sim != NULL) {
        if (sim->ctx.is_traced) {
            gms_gate_lock(&sim->ctx);
            gms_sim_trace_leave(sim);
            gms_gate_unlock(&sim->ctx);
        }
        gms_gate_leave(&sim->ctx);
        sim->state = GMS_SIM_ABSENT;
    }
}

void gmsim_rejoin(void)
{
    gms_sim_t *sim = gms_sim();

    if (sim != NULL && sim->state == GMS_SIM_ABSENT) {
        gms_gate_rejoin(&sim->ctx);
        sim->state = GMS_SIM_JOINED;
    }
}

gm_status_t gmsim_send_by_memory(struct gm_port *port)
{
    if (!gms_port_is_open(port)) {
        return GM_INVALID_PARAMETER;
    }
    gms_sim_begin_turn(port->sim);
    gms_nic_send_by_memory(port->nic, port->number);
    port->by_memory = 1;
    gms_sim_end(port->sim, 1);
    return GM_SUCCESS;
}

/* ---- State of the run -------------------------------------------------- */

gm_status_t gmsim_get_path(struct gm_port *port, gmsim_path_t *path)
{
    if (!gms_port_is_open(port) || path == NULL) {
        return GM_INVALID_PARAMETER;
    }
    if (!port->has_path) {
        return GM_FAILURE;
    }
    path->host_ps = port->path.host_ps + port->returned_ps - port->visible_ps;
    path->lanai_ps = port->path.lanai_ps;
    path->host_dma_ps = port->path.host_dma_ps;
    path->wire_ps = port->path.wire_ps;
    path->switch_ps = port->path.switch_ps;
    return GM_SUCCESS;
}

gm_status_t gmsim_get_totals(gmsim_totals_t *totals)
{
    gms_sim_t *sim = gms_sim_joined();
    const gms_root_t *root;
    unsigned node;

    if (totals == NULL) {
        return GM_INVALID_PARAMETER;
    }
    if (sim == NULL) {
        return GM_FAILURE;
    }
    root = sim->root;
    memset(totals, 0, sizeof(*totals));
    gms_sim_begin_turn(sim);
    totals->now_ps = gms_engine_now(root->engine);
    totals->events = gms_engine_events_run(root->engine);
    totals->packets = gms_fabric_packets(root->fabric);
    totals->handovers = gms_gate_context_switches(root->gate);
    for (node = 0; node < root->nodes; ++node) {
        const gms_nic_counters_t *nic = gms_nic_counters(root->nics[node]);

        totals->data_packets += nic->data_packets_sent;
        totals->resends += nic->resent_packets;
        totals->nacks += nic->nacks_sent;
    }
    gms_sim_end(sim, root->params.host_clock_read_ps);
    return GM_SUCCESS;
}

gm_status_t gmsim_get_param(const char *name, uint64_t *value)
{
    gms_sim_t *sim = gms_sim();
    const gms_param_t *row;

    if (name == NULL || value == NULL) {
        return GM_INVALID_PARAMETER;
    }
    if (sim == NULL || sim->state == GMS_SIM_FAILED) {
        return GM_FAILURE;
    }
    row = gms_param_find(name);
    if (row == NULL) {
        return GM_NO_MATCH;
    }
    if (sim->state == GMS_SIM_NEW) {
        return gms_sim_status(gms_settings_get(&sim->settings, row, value));
    }
    *value = gms_param_get(&sim->root->params, row);
    return GM_SUCCESS;
}

gm_status_t gmsim_name_label(struct gm_port *port, unsigned label,
                             const char *name)
{
    if (!gms_port_is_open(port) || label > GM_QOS_MAX_LABEL || name == NULL) {
        return GM_INVALID_PARAMETER;
    }
    if (port->sim->record != NULL) {
        /* Wait for the caller's turn, so that every run stores the name at the
         * same virtual time. */
        gms_gate_run_events_until_turn(&port->sim->ctx);
        gms_sim_record_label(port->sim, label, name);
        gms_gate_unlock(&port->sim->ctx);
    }
    return GM_SUCCESS;
}

int gmsim_reads_memory(void)
{
    const gms_sim_t *sim = gms_sim_joined();

    return sim != NULL && gms_gate_is_direct(sim->root->gate);
}

/* Return the scheduler of the job, or the default scheduler outside of a
 * job. */
static uint32_t gmsim_scheduler(void)
{
    const gms_sim_t *sim = gmsim_known();

    return (uint32_t)(sim != NULL ? sim->root->params.scheduler
                                  : gms_param_find("scheduler")->value);
}

const char *gmsim_scheduler_name(void)
{
    return gms_param_find("scheduler")->names[gmsim_scheduler()];
}

int gmsim_scheduler_keeps_pace(void)
{
    return gms_scheduler_keeps_pace(gmsim_scheduler());
}

gm_status_t gmsim_read_records(const char *path, const char *what,
                               const char *const *keys,
                               gmsim_record_fn *record_fn, void *context,
                               char *error, size_t error_len)
{
    char text[GMS_YAML_ERROR_LEN];
    gms_status_t status;

    if (path == NULL || what == NULL || keys == NULL || record_fn == NULL ||
        error == NULL) {
        return GM_INVALID_PARAMETER;
    }
    status = gms_records_read(path, what, keys, record_fn, context, text);
    if (status == GMS_OK) {
        return GM_SUCCESS;
    }
    if (status == GMS_ERR_INVALID_PARAM) {
        return GM_INVALID_PARAMETER;
    }
    snprintf(error, error_len, "%s", text);
    return GM_FAILURE;
}

void gmsim_fatal(const char *format, ...)
{
    gms_sim_t *sim = gmsim_known();
    char text[GMS_ERROR_LEN];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    gms_fatal(sim != NULL ? &sim->ctx : NULL, "%s", text);
}
