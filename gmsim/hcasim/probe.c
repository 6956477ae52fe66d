/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the source's part of admission by probes: requests for
 * connections, answers to the caller, and the tasks of the source's HCA.
 */
#include "hcasim/probe_int.h"

#include <assert.h>
#include <stdlib.h>

/* ---- creation and destruction ---- */

static int gms_probe_config_is_good(const gms_probe_config_t *config,
                                    const gms_flit_config_t *flit)
{
    return config->capacity >= 0 && config->capacity <= 1 &&
           config->control_flits >= 1 && config->control_flits <= UINT16_MAX &&
           !flit->sinks_hold;
}

gms_status_t gms_probe_create(const gms_probe_config_t *config,
                              gms_flit_net_t *net, gms_probe_t **probe_p)
{
    gms_probe_t *probe;

    if (!gms_probe_config_is_good(config, gms_flit_config(net))) {
        return GMS_ERR_CONFIG;
    }
    probe = calloc(1, sizeof(*probe));
    if (probe == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    probe->config = *config;
    probe->net = net;
    probe->refused_end = &probe->refused;
    if (gms_probe_account_init(&probe->account, net, config->capacity) !=
        GMS_OK) {
        free(probe);
        return GMS_ERR_NO_MEMORY;
    }
    *probe_p = probe;
    return GMS_OK;
}

void gms_probe_destroy(gms_probe_t *probe)
{
    if (probe == NULL) {
        return;
    }
    gms_probe_free_blocks(probe);
    gms_probe_table_cleanup(&probe->connections);
    gms_probe_table_cleanup(&probe->last);
    gms_probe_account_cleanup(&probe->account);
    free(probe->route);
    free(probe);
}

/* ---- at the source ---- */

static int gms_probe_request_is_good(const gms_probe_t *probe,
                                     const gms_probe_request_t *request)
{
    unsigned nodes = gms_topology_nodes(gms_flit_topology(probe->net));
    const gms_flit_config_t *config = gms_flit_config(probe->net);

    return request->connection != 0 && request->source < nodes &&
           request->target < nodes && request->source != request->target &&
           request->average > 0 && request->average <= 1 &&
           request->peak >= request->average &&
           config->plan.class_lanes[GMS_LANE_REAL_TIME] != 0;
}

static gms_status_t gms_probe_begin(gms_probe_t *probe,
                                    const gms_probe_request_t *request)
{
    if (!gms_probe_request_is_good(probe, request)) {
        return GMS_ERR_INVALID_PARAM;
    }
    if (gms_probe_table_find(&probe->connections, request->connection) !=
        NULL) {
        return GMS_ERR_BUSY;
    }
    return gms_probe_reserve(probe);
}

static void gms_probe_refuse_at_source(gms_probe_t *probe,
                                       gms_probe_entry_t *entry, uint32_t link,
                                       uint64_t left)
{
    entry->state = GMS_PROBE_REFUSED;
    entry->answer.link = link;
    entry->answer.left = (double)left / (double)GMS_PROBE_UNITS;
    entry->next = NULL;
    *probe->refused_end = entry;
    probe->refused_end = &entry->next;
}

gms_status_t gms_probe_ask(gms_probe_t *probe,
                           const gms_probe_request_t *request)
{
    const gms_flit_config_t *config = gms_flit_config(probe->net);
    gms_probe_entry_t *entry;
    gms_status_t status;
    uint32_t link;
    uint64_t left;

    if (!config->agents || config->plan.class_lanes[GMS_LANE_CONTROL] == 0) {
        return GMS_ERR_INVALID_PARAM;
    }
    status = gms_probe_begin(probe, request);
    if (status != GMS_OK) {
        return status;
    }
    entry = gms_probe_new(probe, request);
    ++probe->counts.asked;
    link = gms_probe_source_link(probe, entry);
    left = gms_probe_link_left(&probe->account, link);
    if (entry->average_units > left) {
        gms_probe_refuse_at_source(probe, entry, link, left);
        return GMS_OK;
    }
    gms_probe_link_take(&probe->account, link, 0, entry);
    entry->held = 1;
    entry->state = GMS_PROBE_ASKING;
    gms_probe_send(probe, entry, request->source, request->target, 1);
    return GMS_OK;
}

/** Stores the links of the route in the probe's scratch memory.
 *  @param [out] links_p number of links */
static gms_status_t gms_probe_find_route(gms_probe_t *probe,
                                         const gms_probe_request_t *request,
                                         unsigned *links_p)
{
    unsigned links =
        gms_flit_route_links(probe->net, request->source, request->target,
                             probe->route, probe->route_max);

    if (links > probe->route_max) {
        uint32_t *route = realloc(probe->route, links * sizeof(*route));

        if (route == NULL) {
            return GMS_ERR_NO_MEMORY;
        }
        probe->route = route;
        probe->route_max = links;
        (void)gms_flit_route_links(probe->net, request->source, request->target,
                                   route, links);
    }
    *links_p = links;
    return GMS_OK;
}

gms_status_t gms_probe_force(gms_probe_t *probe,
                             const gms_probe_request_t *request)
{
    gms_status_t status = gms_probe_begin(probe, request);
    gms_probe_entry_t *entry;
    unsigned links, hop;

    if (status == GMS_OK) {
        status = gms_probe_find_route(probe, request, &links);
    }
    if (status != GMS_OK) {
        return status;
    }
    entry = gms_probe_new(probe, request);
    for (hop = 0; hop < links; ++hop) {
        gms_probe_link_take(&probe->account, probe->route[hop], hop, entry);
    }
    entry->held = links;
    entry->is_forced = 1;
    entry->state = GMS_PROBE_SET_UP;
    return GMS_OK;
}

/** Releases a connection that gms_probe_force() has set up, immediately and
 *  without packets. The connection's route fits into the scratch memory,
 *  because gms_probe_force() has already stored it there. */
static void gms_probe_unforce(gms_probe_t *probe, gms_probe_entry_t *entry)
{
    unsigned links = 0;

    (void)gms_probe_find_route(probe, &entry->request, &links);
    for (; entry->given < links; ++entry->given) {
        gms_probe_link_give(&probe->account, probe->route[entry->given],
                            entry->given, entry);
    }
    gms_probe_free(probe, entry);
}

void gms_probe_close(gms_probe_t *probe, uint32_t connection)
{
    gms_probe_entry_t *entry =
        gms_probe_table_find(&probe->connections, connection);

    if (entry == NULL) {
        return;
    }
    if (entry->state == GMS_PROBE_LEAVING) {
        gms_probe_table_remove(&probe->last, entry->last_key);
    } else if (entry->state != GMS_PROBE_SET_UP) {
        entry->is_closing = 1;
        return;
    }
    gms_probe_forget_number(probe, entry);
    if (entry->is_forced) {
        gms_probe_unforce(probe, entry);
    } else {
        gms_probe_release(probe, entry);
    }
}

void gms_probe_last(gms_probe_t *probe, uint32_t connection,
                    gms_flit_packet_t *packet)
{
    gms_probe_entry_t *entry =
        gms_probe_table_find(&probe->connections, connection);

    if (entry == NULL || entry->state != GMS_PROBE_SET_UP) {
        return;
    }
    entry->state = GMS_PROBE_LEAVING;
    entry->last_key = (uint64_t)(uintptr_t)packet;
    packet->visits = 1;
    gms_probe_table_put(&probe->last, entry->last_key, entry);
}

/* ---- answers ---- */

static void gms_probe_tell(gms_probe_t *probe, gms_probe_answer_t *answer)
{
    answer->answer_cycle = gms_flit_now(probe->net);
    probe->counts.accepted += answer->accepted != 0;
    probe->counts.rejected += answer->accepted == 0;
    probe->counts.rejected_by_power += answer->by_power != 0;
    if (probe->config.answered != NULL) {
        probe->config.answered(probe->config.answered_context, answer);
    }
}

/** Reports an answer to the caller. The callback may close or mark connections
 * and request new connections. Therefore this function sets the final state of
 * the entry before the call and does not use the entry afterwards. */
static void gms_probe_have_answer(gms_probe_t *probe, gms_probe_entry_t *entry)
{
    gms_probe_answer_t answer = entry->answer;

    if (answer.accepted && !entry->is_closing) {
        entry->state = GMS_PROBE_SET_UP;
    } else {
        gms_probe_forget_number(probe, entry);
        gms_probe_release(probe, entry);
    }
    gms_probe_tell(probe, &answer);
}

int gms_probe_arrived(gms_probe_t *probe, gms_flit_packet_t *packet)
{
    gms_probe_entry_t *entry = (gms_probe_entry_t *)packet;

    if (packet->owner != probe) {
        return 0;
    }
    assert(entry->state == GMS_PROBE_ANSWERING);
    gms_probe_have_answer(probe, entry);
    return 1;
}

void gms_probe_step(gms_probe_t *probe)
{
    gms_probe_entry_t *entry = probe->refused;

    /* empty the list now: if a callback makes a request that must be rejected,
     * the next step reports the rejection */
    probe->refused = NULL;
    probe->refused_end = &probe->refused;
    while (entry != NULL) {
        gms_probe_entry_t *next = entry->next;
        gms_probe_answer_t answer = entry->answer;

        gms_probe_forget_number(probe, entry);
        gms_probe_free(probe, entry);
        gms_probe_tell(probe, &answer);
        entry = next;
    }
}

int gms_probe_is_busy(const gms_probe_t *probe)
{
    return probe->refused != NULL;
}

/* ---- queries ---- */

double gms_probe_reserved(const gms_probe_t *probe, uint32_t link)
{
    return (double)probe->account.links[link].average_units /
           (double)GMS_PROBE_UNITS;
}

const gms_probe_counts_t *gms_probe_counts(const gms_probe_t *probe)
{
    return &probe->counts;
}
