/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens and closes ports. This file manages a port's memory, its registration
 * with the NIC, its lists of free slots, and the list of errors that
 * gm_unknown() reports. The files send.c, receive.c and unknown.c implement
 * sending and receiving.
 */
#include "gm/port.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int gms_port_is_open(const struct gm_port *port)
{
    const gms_sim_t *sim = gms_sim_joined();
    const struct gm_port *open;

    if (sim == NULL || port == NULL) {
        return 0;
    }
    for (open = sim->ports; open != NULL && open != port; open = open->next) {
    }
    return open != NULL;
}

uint32_t gms_port_pop(struct gm_port *port, gms_slot_list_t *list)
{
    uint32_t slot = list->first;

    if (slot != GMS_PORT_NO_SLOT) {
        list->first = port->slots[slot].next;
    }
    return slot;
}

void gms_port_push(struct gm_port *port, gms_slot_list_t *list, uint32_t slot)
{
    port->slots[slot].next = GMS_PORT_NO_SLOT;
    if (list->first == GMS_PORT_NO_SLOT) {
        list->first = slot;
    } else {
        port->slots[list->last].next = slot;
    }
    list->last = slot;
}

void gms_port_violate(struct gm_port *port, enum gm_recv_event_type type)
{
    port->violations |= UINT32_C(1) << type;
}

static struct gm_port *gms_port_create(gms_sim_t *sim, unsigned unit,
                                       unsigned number, const char *name)
{
    struct gm_port *port = calloc(1, sizeof(*port));
    unsigned tokens = (unsigned)sim->root->params.gm_send_tokens;
    uint32_t slot;

    if (port == NULL) {
        return NULL;
    }
    port->slots = calloc(tokens, sizeof(*port->slots));
    if (port->slots == NULL) {
        free(port);
        return NULL;
    }
    port->sim = sim;
    port->node = gms_root_node(&sim->root->params, sim->node, unit);
    port->nic = sim->root->nics[port->node];
    port->number = number;
    port->armed_ps = GMS_NEVER;
    snprintf(port->name, sizeof(port->name), "%s", name != NULL ? name : "");
    snprintf(port->waits_for, sizeof(port->waits_for),
             "receive on port %u of " GMS_HOST_PREFIX "%u", number,
             sim->node + 1);
    port->free.first = GMS_PORT_NO_SLOT;
    port->failed.first = GMS_PORT_NO_SLOT;
    port->done.first = GMS_PORT_NO_SLOT;
    port->booked.first = GMS_PORT_NO_SLOT;
    for (slot = 0; slot < tokens; ++slot) {
        gms_port_push(port, &port->free, slot);
    }
    return port;
}

static void gms_port_destroy(struct gm_port *port)
{
    while (port->held != NULL) {
        gms_held_flow_t *held = port->held;

        port->held = held->next;
        free(held);
    }
    free(port->slots);
    free(port);
}

static gm_status_t gms_port_check_open(const gms_sim_t *sim, unsigned unit,
                                       unsigned number,
                                       enum gm_api_version version)
{
    if (unit >= sim->root->params.units_per_host) {
        return GM_NO_SUCH_DEVICE;
    }
    if ((unsigned)version < GM_API_VERSION_1_0 ||
        (unsigned)version > GM_API_VERSION_2_0_16) {
        return GM_INCOMPATIBLE_LIB_AND_DRIVER;
    }
    if (number >= sim->root->params.gm_ports) {
        return GM_INVALID_PARAMETER;
    }
    return gms_root_is_user_port(number) ? GM_SUCCESS : GM_PERMISSION_DENIED;
}

/* Open the port on the NIC and allocate its memory in the arena. Call this
 * function only when it is the caller's turn. */
static gm_status_t gms_port_set_up(struct gm_port *port)
{
    gms_sim_t *sim = port->sim;
    gm_status_t status = gms_sim_status(gms_nic_open_port(
        &sim->ctx, port->nic, port->number, sim->launch.rank));

    if (status != GM_SUCCESS) {
        return status;
    }
    port->driver = gms_nic_port_driver(port->nic, port->number);
    port->words = gms_dma_alloc(port, sim->root->params.gm_send_tokens *
                                          sizeof(gm_u64_t));
    if (port->words == NULL) {
        gms_root_close_port(&sim->ctx, port->node, port->number);
        return GM_OUT_OF_MEMORY;
    }
    gms_root_note_port(sim->root, sim->launch.rank, port->node, port->number,
                       1);
    return GM_SUCCESS;
}

gm_status_t gm_open(struct gm_port **port_p, unsigned unit, unsigned port,
                    const char *name, enum gm_api_version version)
{
    struct gm_port *opened;
    gms_sim_t *sim;
    gm_status_t status;

    if (port_p == NULL) {
        return GM_INVALID_PARAMETER;
    }
    *port_p = NULL;
    status = gms_sim_join();
    if (status != GM_SUCCESS) {
        return status;
    }
    sim = gms_sim_joined();
    status = gms_port_check_open(sim, unit, port, version);
    if (status != GM_SUCCESS) {
        return status;
    }
    opened = gms_port_create(sim, unit, port, name);
    if (opened == NULL) {
        return GM_OUT_OF_MEMORY;
    }
    gms_sim_begin_turn(sim);
    status = gms_port_set_up(opened);
    gms_sim_end(sim, sim->root->params.host_open_ps);
    if (status != GM_SUCCESS) {
        gms_port_destroy(opened);
        return status;
    }
    opened->next = sim->ports;
    sim->ports = opened;
    *port_p = opened;
    return GM_SUCCESS;
}

void gm_close(struct gm_port *port)
{
    struct gm_port **link;
    gms_sim_t *sim;

    if (!gms_port_is_open(port)) {
        return;
    }
    sim = port->sim;
    gms_qos_release_all(port);
    gms_sim_begin_turn(sim);
    gms_root_close_port(&sim->ctx, port->node, port->number);
    gms_root_note_port(sim->root, sim->launch.rank, port->node, port->number,
                       0);
    gms_dma_free_all(port);
    gms_sim_end(sim, sim->root->params.host_open_ps);
    for (link = &sim->ports; *link != port; link = &(*link)->next) {
    }
    *link = port->next;
    gms_alarm_cancel_all(port);
    gms_port_destroy(port);
}

gm_status_t gms_port_flow_key(const struct gm_port *port,
                              const gm_qos_flow_t *flow, gms_flow_key_t *key)
{
    const gms_root_t *root;

    if (!gms_port_is_open(port) || flow == NULL) {
        return GM_INVALID_PARAMETER;
    }
    root = port->sim->root;
    if (flow->target_node == 0 || flow->target_node > root->nodes ||
        flow->target_port >= root->params.gm_ports ||
        (unsigned)flow->priority >= GM_NUM_PRIORITIES ||
        flow->label > GM_QOS_MAX_LABEL) {
        return GM_INVALID_PARAMETER;
    }
    key->source_port = (uint16_t)port->number;
    key->target_node = (uint16_t)(flow->target_node - 1);
    key->target_port = (uint16_t)flow->target_port;
    key->priority = (uint16_t)flow->priority;
    key->label = flow->label;
    return GM_SUCCESS;
}
