/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the connection of a flow or a packet, and creates the connection at its
 * first use. */
#include "nic/alloc.h"
#include "nic/connection.h"
#include "nic/sram.h"

static int gms_connection_has_key(const gms_connection_t *connection,
                                  const gms_connection_key_t *key)
{
    return connection->key.source_port == key->source_port &&
           connection->key.target_port == key->target_port &&
           connection->key.label == key->label &&
           connection->key.priority == key->priority;
}

/* Return the first connection of a class to a node, or NULL. */
static inline gms_connection_t *gms_connection_first(const gms_nic_t *nic,
                                                     uint32_t node,
                                                     unsigned traffic_class)
{
    gms_connection_t **connections =
        nic->traffic_class[traffic_class].connections;

    return connections != NULL ? connections[node] : NULL;
}

static gms_connection_t *gms_connection_find(const gms_nic_t *nic,
                                             uint32_t node,
                                             unsigned traffic_class,
                                             const gms_connection_key_t *key)
{
    gms_connection_t *connection =
        gms_connection_first(nic, node, traffic_class);

    while (connection != NULL && !gms_connection_has_key(connection, key)) {
        connection = connection->next;
    }
    return connection;
}

static gms_connection_t *gms_connection_make(gms_ctx_t *ctx, gms_nic_t *nic,
                                             uint32_t node,
                                             unsigned traffic_class,
                                             const gms_connection_key_t *key)
{
    gms_connection_t ***connections_p =
        &nic->traffic_class[traffic_class].connections;
    gms_connection_t *connection = gms_nic_alloc(ctx, sizeof(*connection));
    gms_connection_t **first_p;

    if (*connections_p == NULL) {
        *connections_p =
            gms_nic_alloc(ctx, nic->nodes * sizeof(**connections_p));
    }
    first_p = &(*connections_p)[node];
    connection->ring = (uint32_t)nic->params->nic_window_packets;
    connection->records =
        gms_nic_alloc(ctx, connection->ring * sizeof(*connection->records));
    connection->nic = nic;
    connection->node = node;
    connection->traffic_class = traffic_class;
    connection->key = *key;
    connection->next = *first_p;
    *first_p = connection;
    gms_nic_meet_class(nic, traffic_class);
    gms_nic_meet_class(nic,
                       gms_fabric_control_class(nic->fabric, traffic_class));
    gms_sram_charge(nic, GMS_SRAM_CONNECTION_BYTES +
                             GMS_SRAM_RECORD_BYTES * connection->ring);
    return connection;
}

static gms_connection_t *gms_connection_look_up(gms_ctx_t *ctx, gms_nic_t *nic,
                                                uint32_t node,
                                                unsigned traffic_class,
                                                const gms_connection_key_t *key)
{
    gms_connection_t *connection =
        gms_connection_find(nic, node, traffic_class, key);

    return connection != NULL
               ? connection
               : gms_connection_make(ctx, nic, node, traffic_class, key);
}

gms_connection_t *gms_connection_get(gms_ctx_t *ctx, gms_nic_t *nic,
                                     uint32_t node, unsigned traffic_class)
{
    const gms_connection_key_t shared = {0};

    return gms_connection_look_up(ctx, nic, node, traffic_class, &shared);
}

/* Return the connection of a packet. Control packets have their own traffic
 * class, and contain the key of their connection. The priority field holds the
 * connection's class, and the size field holds the priority of the data. */
static gms_connection_t *gms_connection_of_packet(gms_ctx_t *ctx,
                                                  gms_nic_t *nic, uint32_t node,
                                                  const gms_packet_t *packet)
{
    const gms_packet_header_t *header = &packet->header;
    int is_control = gms_packet_is_control(packet);
    unsigned traffic_class =
        is_control ? header->priority : packet->worm.traffic_class;
    gms_connection_key_t key = {0};
    gms_connection_t *first;

    if (traffic_class >= nic->classes) {
        /* The class is invalid, so the header was damaged and the CRC did not
         * detect the damage. A later probe will repair the connection. */
        traffic_class = 0;
    }
    first = gms_connection_first(nic, node, traffic_class);
    if (!gms_nic_is_real_time(nic, traffic_class) && first != NULL) {
        return first; /* the class has only one connection per node */
    }
    if (gms_nic_is_real_time(nic, traffic_class)) {
        key.source_port = header->source_port;
        key.target_port = header->target_port;
        key.label = header->label;
        key.priority = is_control ? header->size : header->priority;
    }
    return gms_connection_look_up(ctx, nic, node, traffic_class, &key);
}

gms_connection_t *gms_connection_of_source(gms_ctx_t *ctx, gms_nic_t *nic,
                                           const gms_packet_t *packet)
{
    return gms_connection_of_packet(ctx, nic, packet->header.source, packet);
}

gms_connection_t *gms_connection_of_target(gms_ctx_t *ctx, gms_nic_t *nic,
                                           const gms_packet_t *packet)
{
    return gms_connection_of_packet(ctx, nic, packet->header.target, packet);
}

static gms_connection_key_t gms_connection_key_of(const gms_flow_t *flow)
{
    gms_connection_key_t key = {0};

    if (gms_nic_is_real_time(flow->nic, flow->traffic_class)) {
        key.source_port = flow->key.source_port;
        key.target_port = flow->key.target_port;
        key.label = flow->key.label;
        key.priority = (uint8_t)flow->key.priority;
    }
    return key;
}

gms_connection_t *gms_connection_open(gms_ctx_t *ctx, const gms_flow_t *flow)
{
    gms_connection_t *connection = gms_connection_of_flow(flow);
    gms_connection_key_t key;

    if (connection != NULL) {
        return connection;
    }
    key = gms_connection_key_of(flow);
    return gms_connection_look_up(ctx, flow->nic, flow->key.target_node,
                                  flow->traffic_class, &key);
}

static gms_connection_t *gms_connection_of_reserved(const gms_flow_t *flow)
{
    const gms_connection_key_t key = gms_connection_key_of(flow);

    return gms_connection_find(flow->nic, flow->key.target_node,
                               flow->traffic_class, &key);
}

gms_connection_t *gms_connection_of_flow(const gms_flow_t *flow)
{
    const gms_nic_t *nic = flow->nic;

    if (!gms_nic_is_real_time(nic, flow->traffic_class)) {
        return gms_connection_first(nic, flow->key.target_node,
                                    flow->traffic_class);
    }
    return gms_connection_of_reserved(flow);
}
