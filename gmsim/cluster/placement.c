/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Determines the host of a rank from the description's placement or from the
 * launcher's list of hosts. A placement is rejected if it assigns more ranks to
 * a host than its NIC has ports for programs. The file cluster_placement.c
 * reads the YAML form of a placement.
 */
#include "cluster/placement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"

/* A host of the launcher's list, and the number of ranks that are assigned to
 * it in each round. */
typedef struct gms_wish {
    uint32_t host, ranks;
} gms_wish_t;

void gms_placement_clear(gms_placement_t *placement)
{
    free(placement->hosts);
    *placement = (gms_placement_t){.count = 0};
}

uint32_t gms_placement_room(const gms_params_t *params,
                            const gms_placement_t *placement)
{
    return placement->count != 0
               ? placement->count
               : (uint32_t)(params->hosts * params->ranks_per_host);
}

uint32_t gms_placement_host(const gms_params_t *params,
                            const gms_placement_t *placement, uint32_t rank)
{
    if (placement->count != 0) {
        return placement->hosts[rank];
    }
    return params->placement == GMS_PLACEMENT_CYCLIC
               ? rank % (uint32_t)params->hosts
               : rank / (uint32_t)params->ranks_per_host;
}

uint64_t gms_placement_digest(const gms_params_t *params,
                              const gms_placement_t *placement, uint32_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    uint32_t rank;

    for (rank = 0; rank < size; ++rank) {
        hash = (hash ^ gms_placement_host(params, placement, rank)) *
               UINT64_C(0x100000001b3);
    }
    return hash;
}

uint32_t gms_placement_most(const gms_params_t *params)
{
    return (uint32_t)params->gm_ports - GMS_RESERVED_PORTS;
}

/* Parse a number of `length` digits. @return the number; 0 if the string is
 * not a number, or has more than six digits */
static uint32_t gms_placement_number(const char *text, size_t length)
{
    uint32_t number = 0;
    size_t i;

    if (length == 0 || length > 6 || text[0] == '0') {
        return 0;
    }
    for (i = 0; i < length; ++i) {
        if (text[i] < '0' || text[i] > '9') {
            return 0;
        }
        number = number * 10 + (uint32_t)(text[i] - '0');
    }
    return number;
}

gms_status_t gms_placement_find_host(const gms_params_t *params,
                                     const char *name, size_t length,
                                     uint32_t *host_p)
{
    const size_t prefix = sizeof(GMS_HOST_PREFIX) - 1;
    uint32_t number;

    if (length <= prefix || strncmp(name, GMS_HOST_PREFIX, prefix) != 0) {
        return GMS_ERR_NOT_FOUND;
    }
    number = gms_placement_number(name + prefix, length - prefix);
    if (number == 0 || number > params->hosts) {
        return GMS_ERR_NOT_FOUND;
    }
    *host_p = number - 1;
    return GMS_OK;
}

/** Parse one entry "node3" or "node3:2" of a list. */
static gms_status_t gms_placement_read(const gms_params_t *params,
                                       const char *entry, size_t length,
                                       gms_wish_t *wish,
                                       char why[GMS_PLACEMENT_WHY_LEN])
{
    const char *colon = memchr(entry, ':', length);
    size_t name = colon != NULL ? (size_t)(colon - entry) : length;

    if (gms_placement_find_host(params, entry, name, &wish->host) != GMS_OK) {
        snprintf(
            why, GMS_PLACEMENT_WHY_LEN,
            "'%.*s' is not a host of the cluster; allowed: " GMS_HOST_PREFIX
            "1.." GMS_HOST_PREFIX "%u",
            (int)(name < 64 ? name : 64), entry, (unsigned)params->hosts);
        return GMS_ERR_CONFIG;
    }
    wish->ranks =
        colon == NULL ? 1 : gms_placement_number(colon + 1, length - name - 1);
    if (wish->ranks == 0) {
        snprintf(why, GMS_PLACEMENT_WHY_LEN,
                 "'%.*s' has no valid number of ranks; allowed: HOST or "
                 "HOST:RANKS, where RANKS is at least 1",
                 (int)(length < 64 ? length : 64), entry);
        return GMS_ERR_CONFIG;
    }
    return GMS_OK;
}

/** Parse a list, or use all hosts. The array `wishes` has room for the largest
 *  number of entries. */
static gms_status_t gms_placement_read_all(const gms_params_t *params,
                                           const char *hosts,
                                           gms_wish_t *wishes,
                                           uint32_t *count_p,
                                           char why[GMS_PLACEMENT_WHY_LEN])
{
    gms_status_t status = GMS_OK;
    uint32_t count = 0;

    if (hosts == NULL) {
        for (; count < params->hosts; ++count) {
            wishes[count] = (gms_wish_t){.host = count, .ranks = 1};
        }
    }
    while (hosts != NULL && status == GMS_OK) {
        size_t length = strcspn(hosts, ",");

        status =
            gms_placement_read(params, hosts, length, &wishes[count++], why);
        hosts = hosts[length] == ',' ? hosts + length + 1 : NULL;
    }
    *count_p = count;
    return status;
}

/** Assign the ranks to the hosts in turn. The array `used` contains the number
 *  of ranks of each host. */
static gms_status_t gms_placement_deal(const gms_params_t *params,
                                       const gms_wish_t *wishes, uint32_t count,
                                       uint32_t per_host, uint32_t *used,
                                       gms_placement_t *placement,
                                       char why[GMS_PLACEMENT_WHY_LEN])
{
    uint32_t most = gms_placement_most(params);
    uint32_t at = 0, taken = 0, rank;

    for (rank = 0; rank < placement->count; ++rank) {
        const gms_wish_t *wish = &wishes[at];

        ++used[wish->host];
        placement->hosts[rank] = wish->host;
        if (++taken == (per_host != 0 ? per_host : wish->ranks)) {
            taken = 0;
            at = (at + 1) % count;
        }
    }
    for (rank = 0; rank < placement->count; ++rank) {
        uint32_t host = placement->hosts[rank];

        if (used[host] > most) {
            snprintf(why, GMS_PLACEMENT_WHY_LEN,
                     "of the job's %u ranks, %u would run on " GMS_HOST_PREFIX
                     "%u, whose NIC has %u ports for programs; name more "
                     "hosts, or set gm_ports in the cluster description",
                     placement->count, used[host], host + 1, most);
            return GMS_ERR_CONFIG;
        }
    }
    return GMS_OK;
}

gms_status_t gms_placement_check(const gms_params_t *params,
                                 const gms_placement_t *placement,
                                 char why[GMS_PLACEMENT_WHY_LEN])
{
    uint32_t most = gms_placement_most(params);
    uint32_t *used = calloc(params->hosts, sizeof(*used));
    gms_status_t status = GMS_OK;
    uint32_t rank;

    if (used == NULL) {
        snprintf(why, GMS_PLACEMENT_WHY_LEN, "out of memory");
        return GMS_ERR_NO_MEMORY;
    }
    for (rank = 0; rank < placement->count && status == GMS_OK; ++rank) {
        uint32_t host = placement->hosts[rank];

        if (host >= params->hosts || ++used[host] > most) {
            snprintf(
                why, GMS_PLACEMENT_WHY_LEN,
                "rank %u cannot run on " GMS_HOST_PREFIX
                "%u; the cluster has %u %s with %u ports for programs each",
                rank, host + 1, (unsigned)params->hosts,
                gms_plural(params->hosts, "host", "hosts"), most);
            status = GMS_ERR_CONFIG;
        }
    }
    free(used);
    return status;
}

gms_status_t gms_placement_ask(const gms_params_t *params, const char *hosts,
                               uint32_t per_host, uint32_t size,
                               gms_placement_t *placement_p,
                               char why[GMS_PLACEMENT_WHY_LEN])
{
    /* every entry of the list has at least one character and a comma */
    size_t room = hosts == NULL ? params->hosts : strlen(hosts) / 2 + 1;
    gms_wish_t *wishes = calloc(room, sizeof(*wishes));
    uint32_t *used = calloc(params->hosts, sizeof(*used));
    gms_placement_t placement = {.count = size};
    gms_status_t status = GMS_ERR_NO_MEMORY;
    uint32_t count;

    placement.hosts = calloc(size, sizeof(*placement.hosts));
    if (wishes == NULL || used == NULL || placement.hosts == NULL) {
        snprintf(why, GMS_PLACEMENT_WHY_LEN, "out of memory");
    } else {
        status = gms_placement_read_all(params, hosts, wishes, &count, why);
    }
    if (status == GMS_OK) {
        status = gms_placement_deal(params, wishes, count, per_host, used,
                                    &placement, why);
    }
    if (status == GMS_OK) {
        *placement_p = placement;
    } else {
        gms_placement_clear(&placement);
    }
    free(used);
    free(wishes);
    return status;
}
