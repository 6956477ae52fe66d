/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts between names and numbers of NICs. The first NICs of the hosts have
 * the node ids 1 .. hosts. All hosts use the same node ids, and global ids are
 * equal to node ids. GM 1 numbers nodes in this way, and GM 2 permits this
 * numbering. Therefore, programs for either version of GM work.
 */
#include <stdio.h>
#include <string.h>

#include "gm/name.h"
#include "gm/port.h"

#define GMS_NAME_PREFIX    GMS_HOST_PREFIX
#define GMS_NAME_CARD_TYPE 43 /* LANai 4.3 */

#define GMS_NAME_ROUTE_MARK 0x80u
#define GMS_NAME_ROUTE_MASK 0x3fu

/* First bytes of a NIC's address, which identify the manufacturer. [source: GM
 * unique ids: 00:60:dd:7f] */
static const unsigned char gms_name_maker[4] = {0x00, 0x60, 0xdd, 0x7f};

static unsigned gms_name_nodes(const struct gm_port *port)
{
    return (unsigned)port->sim->root->nodes;
}

static int gms_name_is_node(const struct gm_port *port, unsigned node_id)
{
    return node_id >= 1 && node_id <= gms_name_nodes(port);
}

/* Write the name of a host. This function avoids snprintf(), because each MPI
 * process reads the names of all ranks. In a job of a few thousand ranks, the
 * processes read millions of names. */
static void gms_name_of_first_unit(unsigned host, char *name)
{
    char digits[16];
    unsigned count = 0;

    do {
        digits[count++] = (char)('0' + host % 10);
        host /= 10;
    } while (host != 0);
    memcpy(name, GMS_NAME_PREFIX, sizeof(GMS_NAME_PREFIX) - 1);
    name += sizeof(GMS_NAME_PREFIX) - 1;
    while (count > 0) {
        *name++ = digits[--count];
    }
    *name = '\0';
}

void gms_name_of_node(const gms_params_t *params, unsigned node_id,
                      char name[GM_MAX_HOST_NAME_LEN])
{
    unsigned host = gms_root_host_of(params, node_id - 1) + 1;
    unsigned unit = gms_root_unit_of(params, node_id - 1);

    if (unit == 0) {
        gms_name_of_first_unit(host, name);
    } else {
        snprintf(name, GM_MAX_HOST_NAME_LEN, GMS_NAME_PREFIX "%u:%u", host,
                 unit);
    }
}

static void gms_name_get(const struct gm_port *port, unsigned node_id,
                         char name[GM_MAX_HOST_NAME_LEN])
{
    gms_name_of_node(&port->sim->root->params, node_id, name);
}

/* ---- The port's own node ----------------------------------------------- */

gm_status_t gm_get_node_id(struct gm_port *port, unsigned *node_id_p)
{
    if (!gms_port_is_open(port) || node_id_p == NULL) {
        return GM_INVALID_PARAMETER;
    }
    *node_id_p = port->node + 1;
    return GM_SUCCESS;
}

gm_status_t gm_get_host_name(struct gm_port *port,
                             char name[GM_MAX_HOST_NAME_LEN])
{
    if (!gms_port_is_open(port) || name == NULL) {
        return GM_INVALID_PARAMETER;
    }
    gms_name_get(port, port->node + 1, name);
    return GM_SUCCESS;
}

gm_status_t gm_get_node_type(struct gm_port *port, int *type_p)
{
    if (!gms_port_is_open(port) || type_p == NULL) {
        return GM_INVALID_PARAMETER;
    }
    *type_p = GMS_NAME_CARD_TYPE;
    return GM_SUCCESS;
}

unsigned gm_get_port_id(struct gm_port *port)
{
    return gms_port_is_open(port) ? port->number : 0;
}

unsigned gm_num_ports(struct gm_port *port)
{
    gms_sim_t *sim = gms_sim_joined();

    (void)port;
    return sim != NULL ? (unsigned)sim->root->params.gm_ports
                       : (unsigned)gms_param_find("gm_ports")->value;
}

/* ---- Ids --------------------------------------------------------------- */

gm_status_t gm_max_node_id(struct gm_port *port, unsigned *node_id_p)
{
    if (!gms_port_is_open(port) || node_id_p == NULL) {
        return GM_INVALID_PARAMETER;
    }
    *node_id_p = gms_name_nodes(port);
    return GM_SUCCESS;
}

gm_status_t gm_max_node_id_in_use(struct gm_port *port, unsigned *node_id_p)
{
    return gm_max_node_id(port, node_id_p);
}

gm_status_t gm_max_node_id_inuse(struct gm_port *port, unsigned *node_id_p)
{
    return gm_max_node_id(port, node_id_p);
}

gm_status_t gm_global_id_to_node_id(struct gm_port *port, unsigned global_id,
                                    unsigned *node_id_p)
{
    if (!gms_port_is_open(port) || node_id_p == NULL) {
        return GM_INVALID_PARAMETER;
    }
    if (!gms_name_is_node(port, global_id)) {
        return GM_NO_MATCH;
    }
    *node_id_p = global_id;
    return GM_SUCCESS;
}

gm_status_t gm_node_id_to_global_id(struct gm_port *port, unsigned node_id,
                                    unsigned *global_id_p)
{
    return gm_global_id_to_node_id(port, node_id, global_id_p);
}

gm_status_t gm_node_id_to_unique_id(struct gm_port *port, unsigned node_id,
                                    char unique[6])
{
    if (!gms_port_is_open(port) || unique == NULL) {
        return GM_INVALID_PARAMETER;
    }
    if (!gms_name_is_node(port, node_id)) {
        return GM_NO_MATCH;
    }
    memcpy(unique, gms_name_maker, sizeof(gms_name_maker));
    unique[4] = (char)(node_id >> 8);
    unique[5] = (char)node_id;
    return GM_SUCCESS;
}

gm_status_t gm_unique_id_to_node_id(struct gm_port *port, char unique[6],
                                    unsigned *node_id_p)
{
    unsigned node_id;

    if (!gms_port_is_open(port) || unique == NULL || node_id_p == NULL) {
        return GM_INVALID_PARAMETER;
    }
    node_id = (unsigned)(unsigned char)unique[4] << 8 |
              (unsigned)(unsigned char)unique[5];
    if (memcmp(unique, gms_name_maker, sizeof(gms_name_maker)) != 0 ||
        !gms_name_is_node(port, node_id)) {
        return GM_NO_MATCH;
    }
    *node_id_p = node_id;
    return GM_SUCCESS;
}

gm_status_t gm_get_unique_board_id(struct gm_port *port, char unique[6])
{
    return !gms_port_is_open(port)
               ? GM_INVALID_PARAMETER
               : gm_node_id_to_unique_id(port, port->node + 1, unique);
}

gm_status_t gm_unique_id(struct gm_port *port, char unique[6])
{
    return gm_get_unique_board_id(port, unique);
}

gm_status_t gm_get_mapper_unique_id(struct gm_port *port, char unique[6])
{
    return gm_node_id_to_unique_id(port, 1, unique);
}

/* ---- Host names -------------------------------------------------------- */

char *gm_node_id_to_host_name(struct gm_port *port, unsigned node_id)
{
    if (!gms_port_is_open(port) || !gms_name_is_node(port, node_id)) {
        return NULL;
    }
    gms_name_get(port, node_id, port->host_name);
    return port->host_name;
}

gm_status_t gm_node_id_to_host_name_ex(struct gm_port *port,
                                       unsigned timeout_usecs, unsigned node_id,
                                       char (*name_p)[GM_MAX_HOST_NAME_LEN + 1])
{
    (void)timeout_usecs;
    if (!gms_port_is_open(port) || name_p == NULL) {
        return GM_INVALID_PARAMETER;
    }
    if (!gms_name_is_node(port, node_id)) {
        return GM_NO_MATCH;
    }
    gms_name_get(port, node_id, *name_p);
    return GM_SUCCESS;
}

gm_status_t gm_host_name_to_node_id_ex(struct gm_port *port,
                                       unsigned timeout_usecs, const char *name,
                                       unsigned *node_id_p)
{
    char candidate[GM_MAX_HOST_NAME_LEN];
    unsigned node_id;

    (void)timeout_usecs;
    if (!gms_port_is_open(port) || name == NULL || node_id_p == NULL) {
        return GM_INVALID_PARAMETER;
    }
    for (node_id = 1; node_id <= gms_name_nodes(port); ++node_id) {
        gms_name_get(port, node_id, candidate);
        if (strcmp(name, candidate) == 0) {
            *node_id_p = node_id;
            return GM_SUCCESS;
        }
    }
    return GM_NO_MATCH;
}

unsigned gm_host_name_to_node_id(struct gm_port *port, char *name)
{
    unsigned node_id = GM_NO_SUCH_NODE_ID;

    gm_host_name_to_node_id_ex(port, 0, name, &node_id);
    return node_id;
}

/* ---- The directory of nodes -------------------------------------------- */

/* The only key for which the directory contains values. [source: GM 2.0.16
 * queries host names] */
#define GMS_NAME_KEY "hostname"

gm_status_t gm_yp(struct gm_port *port, unsigned timeout_usecs,
                  unsigned *node_id_p, const char *key, const char *value,
                  char (*answer)[GM_MAX_YP_STRING_LEN])
{
    unsigned node_id;
    gm_status_t status = GM_SUCCESS;

    if (!gms_port_is_open(port) || node_id_p == NULL || key == NULL) {
        return GM_INVALID_PARAMETER;
    }
    node_id = *node_id_p;
    if (strcmp(key, GMS_NAME_KEY) != 0) {
        return GM_YP_NO_MATCH;
    }
    if (value != NULL) {
        status =
            gm_host_name_to_node_id_ex(port, timeout_usecs, value, &node_id);
    }
    if (status != GM_SUCCESS || !gms_name_is_node(port, node_id) ||
        (*node_id_p != GM_NO_SUCH_NODE_ID && *node_id_p != node_id)) {
        return GM_YP_NO_MATCH;
    }
    if (answer != NULL) {
        gms_name_get(port, node_id, *answer);
    }
    *node_id_p = node_id;
    return GM_SUCCESS;
}

/* ---- Routes ------------------------------------------------------------ */

/* Write the route to a node. A route has one byte per switch. The highest bit
 * of a byte is 1. The lower 6 bits are a signed number: the index of the output
 * port minus the index of the input port. [assumed: encoding] */
gm_status_t _gm_get_route(struct gm_port *port, unsigned node_id, char *route,
                          unsigned *length_p)
{
    gms_topology_t *topology;
    uint32_t links[GMS_ROUTE_LINKS_MAX];
    unsigned count, hop;

    if (!gms_port_is_open(port) || route == NULL || length_p == NULL) {
        return GM_INVALID_PARAMETER;
    }
    if (!gms_name_is_node(port, node_id)) {
        return GM_NO_MATCH;
    }
    topology = gms_fabric_topology(port->sim->root->fabric);
    count = gms_topology_links(topology, port->node, node_id - 1, links);
    for (hop = 0; hop + 1 < count; ++hop) {
        unsigned input = gms_topology_to(topology, links[hop])->port;
        unsigned output = gms_topology_from(topology, links[hop + 1])->port;

        route[hop] = (char)(GMS_NAME_ROUTE_MARK |
                            ((output - input) & GMS_NAME_ROUTE_MASK));
    }
    *length_p = count - 1;
    return GM_SUCCESS;
}
