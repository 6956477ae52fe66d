/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adds ranks to a running job. This file finds free ports on the hosts. If
 * there are not enough free ports, this file reports how many ranks are
 * allowed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/plural.h"
#include "engine/gate.h"
#include "job/root.h"

void gms_root_name_place(gms_root_t *root, unsigned rank)
{
    char name[32];

    snprintf(name, sizeof(name), GMS_HOST_PREFIX "%u",
             (unsigned)root->slots[rank].host + 1);
    gms_gate_set_host_name(root->gate, rank, name);
}

void gms_root_note_port(gms_root_t *root, unsigned rank, unsigned node,
                        unsigned port, int is_open)
{
    gms_root_slot_t *slot = &root->slots[rank];

    if (slot->host == node && slot->port == port) {
        slot->is_free = !is_open;
    }
}

/* The ports of all hosts. */
typedef struct gms_spawn_room {
    const gms_root_t *root;
    unsigned hosts;
    unsigned ports;      /* number of ports per host that programs may open */
    unsigned char *used; /* array of hosts * ports elements; 1: the port is in
                          * use */
    unsigned *counts;    /* number of used ports of each host */
} gms_spawn_room_t;

static unsigned char *gms_spawn_port(const gms_spawn_room_t *room,
                                     unsigned host, unsigned index)
{
    return &room->used[(size_t)host * room->ports + index];
}

static void gms_spawn_use(gms_spawn_room_t *room, unsigned host, unsigned index)
{
    if (!*gms_spawn_port(room, host, index)) {
        *gms_spawn_port(room, host, index) = 1;
        ++room->counts[host];
    }
}

static unsigned gms_spawn_index_of(const gms_spawn_room_t *room, unsigned port)
{
    unsigned index = port == 2 ? 0 : port - GMS_RESERVED_PORTS;

    return index < room->ports ? index : room->ports;
}

/* A port is in use if it belongs to a rank, or if a program has opened it as an
 * additional port. */
static gms_status_t gms_spawn_survey(const gms_root_t *root,
                                     gms_spawn_room_t *room)
{
    unsigned host, index, rank;

    room->root = root;
    room->hosts = (unsigned)root->params.hosts;
    room->ports = gms_root_user_ports(&root->params);
    room->used = calloc((size_t)room->hosts * room->ports, 1);
    room->counts = calloc(room->hosts, sizeof(*room->counts));
    if (room->used == NULL || room->counts == NULL) {
        free(room->used);
        free(room->counts);
        return GMS_ERR_NO_MEMORY;
    }
    for (rank = 0; rank < root->size; ++rank) {
        index = gms_spawn_index_of(room, root->slots[rank].port);
        if (!root->slots[rank].is_free && index < room->ports) {
            gms_spawn_use(room, root->slots[rank].host, index);
        }
    }
    for (host = 0; host < room->hosts; ++host) {
        for (index = 0; index < room->ports; ++index) {
            if (gms_nic_port_owner(root->nics[host],
                                   gms_root_user_port(index)) >= 0) {
                gms_spawn_use(room, host, index);
            }
        }
    }
    return GMS_OK;
}

static void gms_spawn_end_survey(gms_spawn_room_t *room)
{
    free(room->used);
    free(room->counts);
}

static unsigned gms_spawn_count_free(const gms_spawn_room_t *room)
{
    unsigned count = 0;
    unsigned host;

    for (host = 0; host < room->hosts; ++host) {
        count += room->ports - room->counts[host];
    }
    return count;
}

unsigned gms_root_free_ports(const gms_root_t *root)
{
    gms_spawn_room_t room;
    unsigned count;

    if (gms_spawn_survey(root, &room) != GMS_OK) {
        return 0;
    }
    count = gms_spawn_count_free(&room);
    gms_spawn_end_survey(&room);
    return count;
}

/* Return the host with the fewest used ports, or the first of these hosts. */
static unsigned gms_spawn_emptiest(const gms_spawn_room_t *room)
{
    unsigned best = 0;
    unsigned host;

    for (host = 1; host < room->hosts; ++host) {
        if (room->counts[host] < room->counts[best]) {
            best = host;
        }
    }
    return best;
}

/* Choose a port for each rank. The slots of the new ranks follow the slots of
 * the existing ranks. The new slots have no effect until the gate expects the
 * new ranks. */
static gms_status_t gms_spawn_choose(gms_spawn_room_t *room, unsigned count,
                                     const unsigned *hosts,
                                     gms_root_slot_t *slots,
                                     char error[GMS_ERROR_LEN])
{
    unsigned free_ports = gms_spawn_count_free(room);
    unsigned i;

    for (i = 0; i < count; ++i) {
        unsigned host =
            hosts[i] == GMS_ROOT_ANY_HOST ? gms_spawn_emptiest(room) : hosts[i];
        unsigned index = 0;

        while (index < room->ports && *gms_spawn_port(room, host, index)) {
            ++index;
        }
        if (index == room->ports && hosts[i] != GMS_ROOT_ANY_HOST) {
            snprintf(error, GMS_ERROR_LEN,
                     "all %u ports of host " GMS_HOST_PREFIX
                     "%u are in use; name another host",
                     room->ports, host + 1);
            return GMS_ERR_NO_MEMORY;
        }
        if (index == room->ports) {
            snprintf(error, GMS_ERROR_LEN,
                     "cannot start %u %s: only %u %s free (%u %s with %u ports "
                     "for programs each); allowed: at most %u processes (or "
                     "increase hosts or gm_ports)",
                     count, gms_plural(count, "process", "processes"),
                     free_ports, gms_plural(free_ports, "port is", "ports are"),
                     room->hosts, gms_plural(room->hosts, "host", "hosts"),
                     room->ports, free_ports);
            return GMS_ERR_NO_MEMORY;
        }
        gms_spawn_use(room, host, index);
        slots[i] =
            (gms_root_slot_t){.host = host, .port = gms_root_user_port(index)};
    }
    return GMS_OK;
}

gms_status_t gms_root_spawn(gms_ctx_t *ctx, gms_root_t *root, unsigned count,
                            const unsigned *hosts, unsigned *first_p,
                            char error[GMS_ERROR_LEN])
{
    gms_time_t start_ps = gms_gate_clock(ctx) + root->params.mpi_spawn_ps;
    unsigned left = gms_gate_capacity(root->gate) - root->size;
    gms_spawn_room_t room;
    gms_status_t status;
    unsigned rank;

    if (count > left) {
        snprintf(error, GMS_ERROR_LEN,
                 "cannot start %u %s: a run may spawn %llu processes, and %u "
                 "have been spawned; allowed: at most %u processes (or "
                 "increase mpi_spawn_most)",
                 count, gms_plural(count, "process", "processes"),
                 (unsigned long long)root->params.mpi_spawn_most,
                 root->size - root->first_size, left);
        return GMS_ERR_NO_MEMORY;
    }
    status = gms_spawn_survey(root, &room);
    if (status != GMS_OK) {
        snprintf(error, GMS_ERROR_LEN, "out of memory");
        return status;
    }
    status =
        gms_spawn_choose(&room, count, hosts, &root->slots[root->size], error);
    gms_spawn_end_survey(&room);
    if (status == GMS_OK) {
        status = gms_gate_expect(ctx, count, start_ps, first_p);
    }
    if (status == GMS_OK) {
        root->size += count;
        for (rank = *first_p; rank < root->size; ++rank) {
            gms_root_name_place(root, rank);
        }
    }
    return status;
}
