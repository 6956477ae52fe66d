/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks whether packets can wait for each other in a cycle. Link a depends on
 * link b if a packet can hold link a while it waits for link b. A route set
 * cannot deadlock if these dependencies have no cycle. [source: Dally, Seitz
 * 1987, Deadlock-free message routing in multiprocessor interconnection
 * networks]
 *
 * A link depends only on output links of the switch to which it leads.
 * Therefore one word per link, with one bit per port, stores all dependencies.
 */
#include <assert.h>
#include <stdio.h>

#include "fabric/topology_int.h"

enum gms_deadlock_mark {
    GMS_MARK_NEW = 0,
    GMS_MARK_OPEN,
    GMS_MARK_DONE
};

typedef struct gms_deadlock {
    const gms_topology_t *topology;
    uint64_t *waits; /* for each link, a mask of the output ports that a route
                      * uses next */
    uint32_t *from;  /* for each link, the previous link of the breadth-first
                      * search or the next port of the depth-first search */
    uint32_t *queue;
    uint8_t *mark; /* array, indexed by link */
} gms_deadlock_t;

/* Add the dependencies of one route. */
static void gms_deadlock_add(gms_deadlock_t *all, uint32_t source,
                             uint32_t target)
{
    const gms_topology_t *topology = all->topology;
    uint32_t links[GMS_ROUTE_LINKS_MAX];
    unsigned count = gms_topology_links(topology, source, target, links);
    unsigned i;

    for (i = 0; i + 1 < count; ++i) {
        all->waits[links[i]] |= UINT64_C(1)
                                << topology->links[links[i + 1]].from.port;
    }
}

/* Add the dependencies of all routes. Only one node of each switch is used as a
 * source, because it represents all nodes of this switch. Routes from different
 * nodes of a switch differ only in their first links, for which no other packet
 * waits. */
static void gms_deadlock_add_all(gms_deadlock_t *all)
{
    const gms_topology_t *topology = all->topology;
    uint32_t source, target;

    for (source = 0; source < topology->nodes; ++source) {
        uint32_t home = gms_topology_home(topology, source);

        if (all->mark[home] != GMS_MARK_NEW) {
            continue;
        }
        all->mark[home] = GMS_MARK_DONE;
        for (target = 0; target < topology->nodes; ++target) {
            gms_deadlock_add(all, source, target);
        }
    }
    for (source = 0; source < topology->switch_count; ++source) {
        all->mark[source] = GMS_MARK_NEW;
    }
}

/* Return the next link on which a link depends, or GMS_LINK_NONE if there are
 * no more dependencies. The search begins at output port *port. The function
 * then sets *port to the port after the port of this link. */
static uint32_t gms_deadlock_next(const gms_deadlock_t *all, uint32_t link,
                                  uint32_t *port)
{
    const gms_link_end_t *to = &all->topology->links[link].to;

    for (; *port < GMS_SWITCH_PORTS_MAX; ++*port) {
        if (all->waits[link] >> *port & 1) {
            return all->topology
                ->out[all->topology->first[to->index] + (*port)++];
        }
    }
    return GMS_LINK_NONE;
}

/* Find a cycle by a depth-first search without recursion. The array `queue`
 * contains the path to the current link.
 * @return a link on a cycle, or GMS_LINK_NONE */
static uint32_t gms_deadlock_dive(gms_deadlock_t *all, uint32_t start)
{
    uint32_t depth = 0;

    all->queue[0] = start;
    all->from[start] = 0; /* from here on, from[link] is the next port to check
                           * for this link */
    all->mark[start] = GMS_MARK_OPEN;
    for (;;) {
        uint32_t link = all->queue[depth];
        uint32_t next = gms_deadlock_next(all, link, &all->from[link]);

        if (next == GMS_LINK_NONE) {
            all->mark[link] = GMS_MARK_DONE;
            if (depth-- == 0) {
                return GMS_LINK_NONE;
            }
        } else if (all->mark[next] == GMS_MARK_OPEN) {
            return next;
        } else if (all->mark[next] == GMS_MARK_NEW) {
            all->mark[next] = GMS_MARK_OPEN;
            all->from[next] = 0;
            all->queue[++depth] = next;
        }
    }
}

/* Find the shortest cycle through a link by a breadth-first search, and store
 * the cycle backwards in `queue`.
 * @return length of the cycle */
static uint32_t gms_deadlock_round(gms_deadlock_t *all, uint32_t start)
{
    uint32_t head = 0, tail = 0, index, link = start, length = 0;

    for (index = 0; index < all->topology->link_count; ++index) {
        all->mark[index] = GMS_MARK_NEW;
    }
    all->queue[tail++] = start;
    for (;;) {
        uint32_t port = 0, next;

        assert(head < tail); /* the queue cannot become empty, because `start'
                              * is on a cycle */
        link = all->queue[head++];
        next = gms_deadlock_next(all, link, &port);
        while (next != GMS_LINK_NONE && next != start) {
            if (all->mark[next] == GMS_MARK_NEW) {
                all->mark[next] = GMS_MARK_DONE;
                all->from[next] = link;
                all->queue[tail++] = next;
            }
            next = gms_deadlock_next(all, link, &port);
        }
        if (next == start) {
            break;
        }
    }
    for (; link != start; link = all->from[link]) {
        all->queue[length++] = link;
    }
    all->queue[length++] = start;
    return length;
}

/* Write an error message that names as many links of the cycle as fit into the
 * message. */
static gms_status_t gms_deadlock_tell(gms_topology_plan_t *plan,
                                      gms_deadlock_t *all, uint32_t start)
{
    uint32_t length = gms_deadlock_round(all, start), index;
    size_t used;

    gms_topology_refuse(
        plan,
        "these routes can deadlock, because %u links wait for each other in a "
        "cycle (key 'routing'; allowed: updown): ",
        length);
    for (index = length; index > 0; --index) {
        char name[96];
        size_t left;

        for (used = 0; plan->error[used] != '\0'; ++used) {
        }
        left = GMS_TOPOLOGY_ERROR_LEN - used;
        gms_topology_link_name(all->topology, all->queue[index - 1], name,
                               sizeof(name));
        if (left < sizeof(name)) {
            snprintf(plan->error + used, left, "..");
            break;
        }
        snprintf(plan->error + used, left, "%s%s", name, index > 1 ? ", " : "");
    }
    return GMS_ERR_CONFIG;
}

gms_status_t gms_deadlock_check(gms_topology_plan_t *plan)
{
    const gms_topology_t *topology = plan->topology;
    size_t count = topology->link_count > topology->switch_count
                       ? topology->link_count
                       : topology->switch_count;
    gms_deadlock_t all = {
        .topology = topology,
        .waits = gms_arena_alloc(plan->arena, count * sizeof(*all.waits)),
        .from = gms_arena_alloc(plan->arena, count * sizeof(*all.from)),
        .queue = gms_arena_alloc(plan->arena, count * sizeof(*all.queue)),
        .mark = gms_arena_alloc(plan->arena, count),
    };
    gms_status_t status = GMS_OK;
    uint32_t link;

    if (all.waits == NULL || all.from == NULL || all.queue == NULL ||
        all.mark == NULL) {
        status = gms_topology_no_memory(plan);
    } else {
        gms_deadlock_add_all(&all);
    }
    for (link = 0; status == GMS_OK && link < topology->link_count; ++link) {
        if (all.mark[link] == GMS_MARK_NEW) {
            uint32_t found = gms_deadlock_dive(&all, link);

            if (found != GMS_LINK_NONE) {
                status = gms_deadlock_tell(plan, &all, found);
            }
        }
    }
    gms_arena_free(plan->arena, all.waits);
    gms_arena_free(plan->arena, all.from);
    gms_arena_free(plan->arena, all.queue);
    gms_arena_free(plan->arena, all.mark);
    return status;
}
