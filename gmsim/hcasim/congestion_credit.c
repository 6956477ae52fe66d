/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the policies `credit`, `separate-cq` and `quad-cq`, which give
 * credits to completion queues. Every real-time connection has its own queue.
 * The best-effort traffic of a node uses a single queue, one queue per
 * destination, or one queue per quadrant.
 */
#include "hcasim/congestion_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GMS_QUADRANTS 4u

/* Completion queue of a real-time connection. The queue outlives the
 * connection, because credits that are still in use return later. */
typedef struct gms_credit_connection {
    uint32_t credits; /* 0 if the connection is not open */
    uint32_t used;
} gms_credit_connection_t;

struct gms_congestion_credit {
    gms_credit_connection_t *connections; /* array, indexed by the number of the
                                           * connection */
    uint32_t connection_room;
    /* sum of the credits of a node's connections, indexed by node */
    uint32_t *real_time;
    uint32_t *used; /* number of best-effort credits in use, indexed by node and
                     * queue */
};

/* ---- queues of best-effort traffic -------------------------------------- */

static unsigned gms_credit_queue_separate(const gms_congestion_t *congestion,
                                          uint32_t node, uint32_t target)
{
    return target;
}

static unsigned gms_credit_queue_quad(const gms_congestion_t *congestion,
                                      uint32_t node, uint32_t target)
{
    int right = 0, down = 0;

    (void)gms_topology_offset(gms_flit_topology(congestion->net), node, target,
                              &right, &down);
    if (right <= 0 && down > 0) {
        return 1;
    }
    if (right < 0 && down <= 0) {
        return 2;
    }
    if (right >= 0 && down < 0) {
        return 3;
    }
    return 0;
}

unsigned gms_congestion_credit_limit(const gms_congestion_t *congestion,
                                     uint32_t node, unsigned queue)
{
    unsigned room = congestion->config.buffer_messages;
    unsigned taken = congestion->credit->real_time[node];
    unsigned all = congestion->config.credits_best;
    unsigned share;

    /* C_b <= M - sum C_i [source: Yum et al., section 4.2] */
    if (all + taken > room) {
        all = taken < room ? room - taken : 0;
    }
    share = all / congestion->queues + (queue < all % congestion->queues);
    return share > 0 ? share : 1;
}

unsigned gms_congestion_credit_used(const gms_congestion_t *congestion,
                                    uint32_t node, unsigned queue)
{
    return congestion->credit->used[node * congestion->queues + queue];
}

/* ---- connections ---- */

static gms_credit_connection_t *
gms_credit_connection(const gms_congestion_t *congestion, uint32_t connection)
{
    const gms_congestion_credit_t *credit = congestion->credit;

    return connection < credit->connection_room
               ? &credit->connections[connection]
               : NULL;
}

static gms_status_t gms_credit_make_room(gms_congestion_credit_t *credit,
                                         uint32_t connection)
{
    uint32_t room = credit->connection_room;
    gms_credit_connection_t *grown;

    if (connection < room) {
        return GMS_OK;
    }
    room = room == 0 ? 64 : room;
    while (room <= connection) {
        if (room > UINT32_MAX / 2) {
            return GMS_ERR_NO_MEMORY;
        }
        room *= 2;
    }
    grown = realloc(credit->connections, room * sizeof(*grown));
    if (grown == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    memset(&grown[credit->connection_room], 0,
           (room - credit->connection_room) * sizeof(*grown));
    credit->connections = grown;
    credit->connection_room = room;
    return GMS_OK;
}

static gms_status_t gms_credit_open(gms_congestion_t *congestion, uint32_t node,
                                    uint32_t connection, double share)
{
    gms_status_t status = gms_credit_make_room(congestion->credit, connection);
    double credits = share * congestion->config.buffer_messages;
    gms_credit_connection_t *queue;

    if (status != GMS_OK) {
        return status;
    }
    /* the factor compensates for rounding errors; for example, a share of 1/3
     * of 3 messages must result in 1 credit */
    credits *= 1 + 1e-12;
    queue = &congestion->credit->connections[connection];
    congestion->credit->real_time[node] -= queue->credits;
    queue->credits = credits < 1 ? 1 : (uint32_t)credits;
    congestion->credit->real_time[node] += queue->credits;
    return GMS_OK;
}

static void gms_credit_close(gms_congestion_t *congestion, uint32_t node,
                             uint32_t connection)
{
    gms_credit_connection_t *queue =
        gms_credit_connection(congestion, connection);

    if (queue != NULL) {
        congestion->credit->real_time[node] -= queue->credits;
        queue->credits = 0;
    }
}

/* ---- messages ----------------------------------------------------------- */

/* Returns the counter for a message's credit, or NULL if the message needs no
 * credit or has no queue. */
static uint32_t *gms_credit_used_p(gms_congestion_t *congestion, uint32_t node,
                                   const gms_hca_message_t *message)
{
    gms_credit_connection_t *queue;

    switch (message->packet.traffic_class) {
    case GMS_LANE_BEST_EFFORT:
        return &congestion->credit
                    ->used[node * congestion->queues +
                           gms_congestion_queue(congestion, node,
                                                message->packet.target)];
    case GMS_LANE_REAL_TIME:
        queue = gms_credit_connection(congestion, message->connection);
        return queue == NULL ? NULL : &queue->used;
    default:
        return NULL;
    }
}

static int gms_credit_may_post(gms_congestion_t *congestion, uint32_t node,
                               const gms_hca_message_t *message)
{
    const uint32_t *used = gms_credit_used_p(congestion, node, message);

    if (used == NULL) {
        return 0;
    }
    if (message->packet.traffic_class == GMS_LANE_REAL_TIME) {
        return *used <
               congestion->credit->connections[message->connection].credits;
    }
    return *used <
           gms_congestion_credit_limit(
               congestion, node,
               gms_congestion_queue(congestion, node, message->packet.target));
}

static void gms_credit_posted(gms_congestion_t *congestion, uint32_t node,
                              const gms_hca_message_t *message)
{
    uint32_t *used = gms_credit_used_p(congestion, node, message);

    if (used != NULL) {
        ++*used;
    }
}

static void gms_credit_completed(gms_congestion_t *congestion, uint32_t node,
                                 const gms_hca_message_t *message)
{
    uint32_t *used = gms_credit_used_p(congestion, node, message);

    if (used != NULL) {
        --*used;
    }
}

/* ---- creation and destruction ---- */

static void gms_credit_destroy(gms_congestion_t *congestion)
{
    gms_congestion_credit_t *credit = congestion->credit;

    free(credit->connections);
    free(credit->real_time);
    free(credit->used);
    free(credit);
}

static gms_status_t gms_credit_init(gms_congestion_t *congestion,
                                    unsigned queues)
{
    gms_congestion_credit_t *credit = calloc(1, sizeof(*credit));

    congestion->credit = credit;
    congestion->queues = queues;
    if (credit == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    credit->real_time = calloc(congestion->nodes, sizeof(*credit->real_time));
    credit->used =
        calloc((size_t)congestion->nodes * queues, sizeof(*credit->used));
    return credit->real_time == NULL || credit->used == NULL ? GMS_ERR_NO_MEMORY
                                                             : GMS_OK;
}

static gms_status_t gms_credit_create(gms_congestion_t *congestion,
                                      char error[GMS_TOPOLOGY_ERROR_LEN])
{
    return gms_credit_init(congestion, 1);
}

static gms_status_t
gms_credit_create_separate(gms_congestion_t *congestion,
                           char error[GMS_TOPOLOGY_ERROR_LEN])
{
    return gms_credit_init(congestion, congestion->nodes);
}

static gms_status_t gms_credit_create_quad(gms_congestion_t *congestion,
                                           char error[GMS_TOPOLOGY_ERROR_LEN])
{
    int right, down;

    if (!gms_topology_offset(gms_flit_topology(congestion->net), 0, 0, &right,
                             &down)) {
        snprintf(error, GMS_TOPOLOGY_ERROR_LEN,
                 "quad-cq requires rows and columns; allowed: topology mesh or "
                 "torus");
        return GMS_ERR_CONFIG;
    }
    return gms_credit_init(congestion, GMS_QUADRANTS);
}

#define GMS_CREDIT_OPS                                                         \
    .destroy = gms_credit_destroy, .open = gms_credit_open,                    \
    .close = gms_credit_close, .may_post = gms_credit_may_post,                \
    .posted = gms_credit_posted, .completed = gms_credit_completed

const gms_congestion_ops_t gms_congestion_credit_ops = {
    .create = gms_credit_create,
    GMS_CREDIT_OPS,
};

const gms_congestion_ops_t gms_congestion_separate_ops = {
    .create = gms_credit_create_separate,
    .queue = gms_credit_queue_separate,
    GMS_CREDIT_OPS,
};

const gms_congestion_ops_t gms_congestion_quad_ops = {
    .create = gms_credit_create_quad,
    .queue = gms_credit_queue_quad,
    GMS_CREDIT_OPS,
};
