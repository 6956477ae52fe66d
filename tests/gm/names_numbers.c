/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests section 1.1 of the rules for GM: names and numbers of nodes, units and
 * ports.
 */
#define _GNU_SOURCE
#include "rules.h"

/* Clients try units in ascending order until they reach a unit that does not
 * exist. */
RULE(units, 1, NULL)
{
    struct gm_port *port = NULL;
    unsigned unit;

    EXPECT_U64(gm_open(&port, 0, 2, "x", GM_API_VERSION), GM_SUCCESS);
    for (unit = 1; unit < 16; ++unit) {
        EXPECT_U64(gm_open(&port, unit, 4, "x", GM_API_VERSION),
                   GM_NO_SUCH_DEVICE);
        EXPECT(port == NULL);
    }
    EXPECT_U64(gm_open(&port, ~0u, 4, "x", GM_API_VERSION), GM_NO_SUCH_DEVICE);
}

RULE(more_units, 1, "parameters:\n  units_per_host: 3\nhosts: 4\n")
{
    struct gm_port *port = NULL;
    unsigned unit, id;

    for (unit = 0; unit < 3; ++unit) {
        EXPECT_U64(gm_open(&port, unit, 2, "x", GM_API_VERSION), GM_SUCCESS);
        EXPECT_U64(gm_get_node_id(port, &id), GM_SUCCESS);
        EXPECT_U64(id, 4 * unit + 1);
    }
    EXPECT_U64(gm_max_node_id(port, &id), GM_SUCCESS);
    EXPECT_U64(id, 12);
    EXPECT_U64(gm_open(&port, 3, 2, "x", GM_API_VERSION), GM_NO_SUCH_DEVICE);
}

RULE(eight_ports, 1, NULL)
{
    static const unsigned user[] = {2, 4, 5, 6, 7};
    struct gm_port *port = NULL;
    unsigned i;

    EXPECT_U64(gm_num_ports(NULL), 8);
    for (i = 0; i < 5; ++i) {
        EXPECT_U64(gm_open(&port, 0, user[i], "x", GM_API_VERSION), GM_SUCCESS);
        EXPECT_U64(gm_get_port_id(port), user[i]);
    }
    EXPECT_U64(gm_num_ports(port), 8);
    EXPECT_U64(gm_open(&port, 0, 8, "x", GM_API_VERSION), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_open(&port, 0, ~0u, "x", GM_API_VERSION),
               GM_INVALID_PARAMETER);
}

RULE(sixteen_ports, 1, "parameters:\n  gm_ports: 16\n")
{
    struct gm_port *port = NULL;
    unsigned number;

    for (number = 0; number < 17; ++number) {
        gm_status_t expected = number == 0 || number == 1 || number == 3
                                   ? GM_PERMISSION_DENIED
                               : number < 16 ? GM_SUCCESS
                                             : GM_INVALID_PARAMETER;

        EXPECT_U64(gm_open(&port, 0, number, NULL, GM_API_VERSION), expected);
    }
    EXPECT_U64(gm_num_ports(NULL), 16);
}

/* The event of a failed send has only 8 bits for both the port and the
 * priority, so gmqos adds a field. */
RULE(most_ports, 1, "parameters:\n  gm_ports: 256\n")
{
    struct gm_port *port = NULL, *last = NULL;
    union gm_recv_event *event;
    unsigned number, opened = 0;
    gmsim_place_t me;

    for (number = 0; number < 257; ++number) {
        if (gm_open(&port, 0, number, NULL, GM_API_VERSION) == GM_SUCCESS) {
            EXPECT_U64(gm_get_port_id(port), number);
            last = port;
            ++opened;
        }
    }
    EXPECT_U64(opened, 253);
    EXPECT_U64(gm_num_ports(NULL), 256);
    EXPECT_U64(gm_get_port_id(last), 255);
    EXPECT_U64(gmsim_get_place(0, &me), GM_SUCCESS);
    gm_send(last, gm_dma_malloc(last, 64), 2, 64, 1, me.node_id, 255);
    event = gm_receive(last);
    EXPECT_TYPE(event, GM_SENDS_FAILED_EVENT);
    EXPECT_U64(gm_ntoh_u16(event->failed_send.target_subport), 255 << 1 | 1);
    EXPECT_U64(gm_ntoh_u8(event->failed_send.target_subport_id), 255);
}

/* The last ports of the NICs exchange messages in both directions. */
RULE(high_port_messages, 1, "parameters:\n  gm_ports: 256\n")
{
    static const unsigned numbers[] = {2, 63, 64, 255};
    struct gm_port *ports[4];
    unsigned char *memory;
    gmsim_place_t me;
    unsigned from, to;

    for (from = 0; from < 4; ++from) {
        EXPECT_U64(gm_open(&ports[from], 0, numbers[from], "x", GM_API_VERSION),
                   GM_SUCCESS);
    }
    EXPECT_U64(gmsim_get_place(0, &me), GM_SUCCESS);
    for (from = 0; from < 4; ++from) {
        for (to = 0; to < 4; ++to) {
            union gm_recv_event *event;

            memory = gm_dma_malloc(ports[from], 64);
            gm_provide_receive_buffer(ports[to], gm_dma_malloc(ports[to], 64),
                                      6, GM_LOW_PRIORITY);
            gm_send(ports[from], memory, 6, 8, GM_LOW_PRIORITY, me.node_id,
                    numbers[to]);
            do { /* reports of earlier sends can precede this message */
                event = gm_blocking_receive(ports[to]);
            } while (GM_RECV_EVENT_TYPE(event) == GM_SENT_EVENT);
            EXPECT_U64(gm_ntoh_u8(event->recv.sender_port_id), numbers[from]);
        }
    }
}

RULE(reserved_ports, 1, NULL)
{
    struct gm_port *port = NULL;

    EXPECT_U64(gm_open(&port, 0, 0, "x", GM_API_VERSION), GM_PERMISSION_DENIED);
    EXPECT_U64(gm_open(&port, 0, 1, "x", GM_API_VERSION), GM_PERMISSION_DENIED);
    EXPECT_U64(gm_open(&port, 0, 3, "x", GM_API_VERSION), GM_PERMISSION_DENIED);
}

/* A subport id is visible only in the event of a failed send. */
RULE(subport_ids, 1, NULL)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    void *memory = gm_dma_malloc(port, 64);
    unsigned priority;

    EXPECT_U64(GM_LOW_PRIORITY, 0);
    EXPECT_U64(GM_HIGH_PRIORITY, 1);
    for (priority = 0; priority < GM_NUM_PRIORITIES; ++priority) {
        union gm_recv_event *event;

        /* this message is too long for its size class, so the send fails */
        gm_send(port, memory, 2, 64, priority, 7, 5);
        event = gm_receive(port);
        EXPECT_TYPE(event, GM_SENDS_FAILED_EVENT);
        EXPECT_U64(gm_ntoh_u8(event->failed_send.target_subport_id),
                   5 << 1 | priority);
        EXPECT_U64(gm_ntoh_u16(event->failed_send.target_node_id), 7);
    }
}

RULE(node_ids, 3, NULL)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned id = 0;

    EXPECT_U64(GM_NO_SUCH_NODE_ID, 0);
    EXPECT_U64(gm_get_node_id(port, &id), GM_SUCCESS);
    EXPECT_U64(id, rank + 1);
    EXPECT(gm_node_id_to_host_name(port, 0) == NULL);
    gm_finalize();
}

/*
 * Each process reports its own node id. The other processes must see the same
 * id in messages and names.
 */
RULE(ids_everywhere, 3, NULL)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned *own = gm_dma_malloc(port, 64);
    char name[GM_MAX_HOST_NAME_LEN];
    unsigned other;

    give_buffers(port, 4, 5, GM_LOW_PRIORITY, 64);
    gm_get_node_id(port, own);
    for (other = 0; other < 3; ++other) {
        send_to(port, other, own, 5, sizeof(*own));
    }
    for (other = 0; other < 3; ++other) {
        union gm_recv_event *event = next_message(port);
        unsigned said;

        memcpy(&said, gm_ntohp(event->recv.message), sizeof(said));
        EXPECT_U64(gm_ntoh_u16(event->recv.sender_node_id), said);
        snprintf(name, sizeof(name), "node%u", said);
        EXPECT_U64(gm_host_name_to_node_id(port, name), said);
    }
    finish_sends(port, 3);
    EXPECT(rank < 3);
    gm_finalize();
}

RULE(global_ids, 1, NULL)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned id, global, back;

    for (id = 1; id <= 16; ++id) {
        EXPECT_U64(gm_node_id_to_global_id(port, id, &global), GM_SUCCESS);
        EXPECT_U64(global, id);
        EXPECT_U64(gm_global_id_to_node_id(port, global, &back), GM_SUCCESS);
        EXPECT_U64(back, id);
    }
    EXPECT_U64(gm_global_id_to_node_id(port, 0, &back), GM_NO_MATCH);
    EXPECT_U64(gm_node_id_to_global_id(port, 17, &back), GM_NO_MATCH);
    EXPECT_U64(gm_node_id_to_global_id(port, ~0u, &back), GM_NO_MATCH);
}

RULE(names, 1, NULL)
{
    static char longer[100];
    struct gm_port *port = NULL;
    char name[GM_MAX_HOST_NAME_LEN];

    memset(longer, 'x', sizeof(longer) - 1);
    EXPECT_U64(GM_MAX_HOST_NAME_LEN, 128);
    EXPECT_U64(GM_MAX_PORT_NAME_LEN, 32);
    EXPECT_U64(gm_open(&port, 0, 2, NULL, GM_API_VERSION), GM_SUCCESS);
    EXPECT_U64(gm_open(&port, 0, 4, " ", GM_API_VERSION), GM_SUCCESS);
    EXPECT_U64(gm_open(&port, 0, 5, longer, GM_API_VERSION), GM_SUCCESS);
    memset(name, 'x', sizeof(name));
    EXPECT_U64(gm_get_host_name(port, name), GM_SUCCESS);
    EXPECT(memchr(name, 0, sizeof(name)) != NULL);
}

RULE(unique_ids, 1, "parameters:\n  units_per_host: 2\nhosts: 8\n")
{
    static const unsigned char maker[] = {0x00, 0x60, 0xdd, 0x7f};
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    char unique[6], own[6];
    unsigned id, back;

    EXPECT_U64(gm_get_unique_board_id(port, own), GM_SUCCESS);
    for (id = 1; id <= 16; ++id) {
        EXPECT_U64(gm_node_id_to_unique_id(port, id, unique), GM_SUCCESS);
        EXPECT(memcmp(unique, maker, sizeof(maker)) == 0);
        EXPECT((memcmp(unique, own, 6) == 0) == (id == me.node_id));
        EXPECT_U64(gm_unique_id_to_node_id(port, unique, &back), GM_SUCCESS);
        EXPECT_U64(back, id);
    }
    EXPECT_U64(gm_unique_id(port, unique), GM_SUCCESS);
    EXPECT(memcmp(unique, own, 6) == 0);
    EXPECT_U64(gm_get_mapper_unique_id(port, unique), GM_SUCCESS);
    EXPECT_U64(gm_unique_id_to_node_id(port, unique, &back), GM_SUCCESS);
    memset(unique, 0xff, 6);
    EXPECT_U64(gm_unique_id_to_node_id(port, unique, &back), GM_NO_MATCH);
}

RULE(versions, 1, NULL)
{
    static const enum gm_api_version known[] = {
        _GM_API_VERSION_1_0,    _GM_API_VERSION_1_1,   _GM_API_VERSION_1_2,
        _GM_API_VERSION_1_3,    _GM_API_VERSION_1_4,   _GM_API_VERSION_1_5,
        _GM_API_VERSION_1_6,    _GM_API_VERSION_2_0,   _GM_API_VERSION_2_0_6,
        _GM_API_VERSION_2_0_12, _GM_API_VERSION_2_0_16};
    static const unsigned numbers[] = {0x100,   0x101,   0x102,  0x103,
                                       0x104,   0x105,   0x106,  0x200,
                                       0x20006, 0x2000c, 0x20010};
    struct gm_port *port = NULL;
    unsigned i;

    EXPECT_U64(GM_API_VERSION, 0x20010);
    for (i = 0; i < GM_NUM_ELEM(known); ++i) {
        EXPECT_U64(known[i], numbers[i]);
        EXPECT_U64(gm_open(&port, 0, 2, "x", known[i]), GM_SUCCESS);
        gm_close(port);
    }
}

/*
 * A message of 2^31 - 1 bytes can be sent if enough memory is available. A
 * longer message is rejected.
 */
RULE(longest, 1, NULL)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    char *memory = gm_dma_malloc(port, 64);

    gm_directed_send_with_callback(port, memory, 0, 0x7fffffff, 0, me.node_id,
                                   me.port, count_send, NULL);
    finish_sends(port, 1);
    EXPECT_U64(last_status, GM_MEMORY_FAULT);
    gm_directed_send_with_callback(port, memory, 0, 0x80000000, 0, me.node_id,
                                   me.port, count_send, NULL);
    finish_sends(port, 2);
    EXPECT_U64(last_status, GM_INVALID_PARAMETER);
    gm_send_with_callback(port, memory, 31, ~0ul, 0, me.node_id, me.port,
                          count_send, NULL);
    finish_sends(port, 3);
    EXPECT_U64(last_status, GM_INVALID_PARAMETER);
}

RULE(packets, 2, NULL)
{
    OPEN_WITH_MEMORY(16384);
    gmsim_totals_t before, after;

    EXPECT_U64(gm_mtu(port), 4096);
    gm_provide_receive_buffer(port, memory, 14, GM_LOW_PRIORITY);
    barrier(port, &me);
    if (rank == 0) {
        unsigned done = sends_done;

        gmsim_get_totals(&before);
        send_to(port, 1, memory, 14, 2 * 4096 + 1);
        finish_sends(port, done + 1);
        gmsim_get_totals(&after);
        EXPECT_U64(after.data_packets - before.data_packets, 3);
    } else {
        EXPECT_U64(gm_ntohl(next_message(port)->recv.length), 2 * 4096 + 1);
    }
    gm_finalize();
}

RULE(routes, 1, "hosts: 4\nparameters:\n  units_per_host: 4\n")
{
    struct gm_port *port = NULL;
    char route[24];
    unsigned length, own, id;

    EXPECT_U64(gm_open(&port, 2, 2, "x", GM_API_VERSION), GM_SUCCESS);
    EXPECT_U64(gm_get_node_id(port, &own), GM_SUCCESS);
    EXPECT_U64(own, 9);
    for (id = 1; id <= 16; ++id) {
        length = 99;
        EXPECT_U64(_gm_get_route(port, id, route, &length), GM_SUCCESS);
        EXPECT(length >= 1 && length <= 24);
        EXPECT((unsigned char)route[0] == (0x80 | ((id - own) & 0x3f)));
    }
    EXPECT_U64(_gm_get_route(port, 0, route, &length), GM_NO_MATCH);
    EXPECT_U64(_gm_get_route(port, 17, route, &length), GM_NO_MATCH);
    EXPECT_U64(_gm_get_route(port, 1, NULL, &length), GM_INVALID_PARAMETER);
}

/*
 * Messages of any length are sent from and to word-aligned addresses. The
 * surrounding memory must not change.
 */
RULE(lengths, 2, NULL)
{
    OPEN_WITH_MEMORY(8192);
    unsigned length;

    for (length = 125; length < 140; ++length) {
        unsigned i, wrong = 0;

        if (rank == 0) {
            memset(memory, (int)length, 8192);
            send_to(port, 1, memory + 4 * length, 8, length);
            finish_sends(port, length - 124);
            continue;
        }
        memset(memory, 0, 8192);
        gm_provide_receive_buffer(port, memory + 4 * length, 8, 0);
        gm_memorize_message(gm_ntohp(next_message(port)->recv.message),
                            memory + 4 * length, length);
        for (i = 0; i < 8192; ++i) {
            int is_inside = i >= 4 * length && i < 5 * length;

            wrong += memory[i] != (is_inside ? length : 0);
        }
        EXPECT_U64(wrong, 0);
    }
    gm_finalize();
}

TABLE_BEGIN
ENTRY(units, "units start at 0; absent unit: GM_NO_SUCH_DEVICE")
ENTRY(more_units, "several units: each is a separate node")
ENTRY(eight_ports, "8 ports; 2, 4, 5, 6, 7 are user ports")
ENTRY(sixteen_ports, "16 ports by configuration")
ENTRY(most_ports, "256 ports by configuration")
ENTRY(high_port_messages, "256 ports by configuration: messages")
ENTRY(reserved_ports, "ports 0, 1, 3 are reserved")
ENTRY(subport_ids, "sub-port id = port * 2 + priority; low 0, high 1")
ENTRY(node_ids, "node ids begin at 1; 0 means no node")
ENTRY(ids_everywhere, "a node has the same id everywhere")
ENTRY(global_ids, "global ids equal node ids")
ENTRY(names, "host names fit into 128 bytes; port names may be NULL")
ENTRY(unique_ids, "unique ids: 6 bytes, 00:60:dd:7f, one per node")
ENTRY(versions, "API versions 1.0 to 2.0.16 open a port")
ENTRY(longest, "a message has at most 2^31 - 1 bytes")
ENTRY(packets, "a packet carries at most gm_mtu() = 4096 bytes")
ENTRY(routes, "a route has at most 24 bytes")
ENTRY(lengths, "a message may have any length")
TABLE_END("GM 1.1 names and numbers")
