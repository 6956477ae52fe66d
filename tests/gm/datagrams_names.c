/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests section 1.8 of the rules for GM: datagrams, names, and other functions.
 */
#include "rules.h"

/* ---- Datagrams --------------------------------------------------------- */

RULE(datagrams, 2, NULL)
{
    OPEN_WITH_MEMORY(4096);
    gm_u32_t word;
    unsigned i;

    if (rank == 1) {
        give_buffers(port, 2, 13, GM_LOW_PRIORITY, 8192);
        give_buffers(port, 1, 4, GM_LOW_PRIORITY, 64);
        EXPECT_U64(gm_ntohl(next_message(port)->recv.length), 4096);
        EXPECT_U64(gm_ntohl(next_message(port)->recv.length), 4095);
        memcpy(&word, gm_ntohp(next_message(port)->recv.message), 4);
        EXPECT_U64(word, 0xfeedbeef);
        pass(port, 20 * MS);
        EXPECT_U64(gm_receive_pending(port), 0);
        gm_finalize();
        return;
    }
    gmsim_compute(MS);
    /*
     * The receiver has buffers for two of the five datagrams. The other
     * datagrams are lost without an error report.
     */
    for (i = 0; i < 5; ++i) {
        gm_datagram_send(port, memory, 13, 4096 - i, 0, 2, me.port, count_send,
                         NULL);
        finish_sends(port, i + 1);
        EXPECT_U64(last_status, GM_SUCCESS);
    }
    gm_datagram_send_4(port, 0xfeedbeef, 4, 4, 0, 2, me.port, count_send, NULL);
    gm_datagram_send(port, memory, 13, 8, 0, 2, 7, count_send, NULL);
    gm_datagram_send(port, memory, 13, 8, 0, 16, 7, count_send, NULL);
    finish_sends(port, 8);
    EXPECT_U64(last_status, GM_SUCCESS);
    gm_datagram_send(port, memory, 14, 4097, 0, 2, me.port, count_send, NULL);
    finish_sends(port, 9);
    EXPECT_U64(last_status, GM_INVALID_PARAMETER);
    gm_datagram_send_4(port, 1, 6, 5, 0, 2, me.port, count_send, NULL);
    finish_sends(port, 10);
    EXPECT_U64(last_status, GM_INVALID_PARAMETER);
    gm_finalize();
}

/* ---- Order, own node, clock, names ------------------------------------- */

/* Each rank sends a stream of many messages of different lengths to every other
 * rank. */
RULE(order, 3, NULL)
{
    enum {
        COUNT = 120
    };
    OPEN_WITH_MEMORY(20000);
    unsigned next[4] = {0}, sent = 0, received = 0;

    give_buffers(port, 60, 15, GM_LOW_PRIORITY, 20000);
    while (received < 2 * COUNT || sends_done < 2 * COUNT) {
        union gm_recv_event *event;

        while (sent < 2 * COUNT && sent < sends_done + 50) {
            send_to(port, (rank + 1 + sent % 2) % 3, memory, 15,
                    (sent / 2) * 997 % 19001);
            ++sent;
        }
        event = gm_blocking_receive(port);
        if (is_message(event)) {
            unsigned from = gm_ntohs(event->recv.sender_node_id);

            EXPECT_U64(gm_ntohl(event->recv.length), next[from] * 997 % 19001);
            ++next[from];
            ++received;
            gm_provide_receive_buffer(port, gm_ntohp(event->recv.buffer), 15,
                                      0);
        } else {
            gm_unknown(port, event);
        }
    }
    gm_finalize();
}

RULE(oneself, 1, NULL)
{
    OPEN_WITH_MEMORY(64);
    gmsim_totals_t before, after;

    give_buffers(port, 1, 6, GM_LOW_PRIORITY, 64);
    gmsim_get_totals(&before);
    gm_send_to_peer_with_callback(port, memory, 6, 33, 0, me.node_id,
                                  count_send, NULL);
    EXPECT_U64(gm_ntohl(next_message(port)->recv.length), 33);
    finish_sends(port, 1);
    gmsim_get_totals(&after);
    EXPECT_U64(after.data_packets - before.data_packets, 1);
}

RULE(ticks, 1, NULL)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    gm_u64_t before;

    before = gm_ticks(port);
    gmsim_compute(1000000 * US);
    EXPECT(gm_ticks(port) - before - 2000000 <= 1);
    EXPECT_U64(gm_sleep(3), 0);
    EXPECT(gm_ticks(port) - before - 8000000 <= 2);
    gmsim_compute(UINT64_C(3000000000) * US); /* this time is more than 2^32
                                               * ticks */
    EXPECT(gm_ticks(port) > UINT64_C(0x100000000));
    /* this time is longer than the time limit of the simulation */
    EXPECT(gm_sleep(~0u) != 0);
    EXPECT_U64(gm_sleep(0), 0);
}

RULE(names, 1, "hosts: 5\n")
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    char longer[GM_MAX_HOST_NAME_LEN + 1];
    char no_name[] = "no-such-host";
    char name[GM_MAX_HOST_NAME_LEN];
    unsigned id = 0;

    EXPECT_U64(gm_max_node_id(port, &id), GM_SUCCESS);
    EXPECT_U64(id, 5);
    EXPECT_U64(gm_max_node_id_in_use(port, &id), GM_SUCCESS);
    EXPECT_U64(id, 5);
    EXPECT(gm_node_id_to_host_name(port, 6) == NULL);
    EXPECT(gm_node_id_to_host_name(port, 0) == NULL);
    snprintf(name, sizeof(name), "%s", gm_node_id_to_host_name(port, 4));
    EXPECT_U64(gm_host_name_to_node_id(port, name), 4);
    EXPECT_U64(gm_host_name_to_node_id(port, no_name), 0);
    EXPECT_U64(gm_host_name_to_node_id(port, NULL), 0);
    EXPECT_U64(gm_node_id_to_host_name_ex(port, 1000, 3, &longer), GM_SUCCESS);
    EXPECT_U64(gm_host_name_to_node_id_ex(port, 1000, longer, &id), GM_SUCCESS);
    EXPECT_U64(id, 3);
    EXPECT_U64(gm_node_id_to_host_name_ex(port, 0, 6, &longer), GM_NO_MATCH);
    EXPECT_U64(gm_host_name_to_node_id_ex(port, 0, "x", &id), GM_NO_MATCH);
}

RULE(directory, 1, "hosts: 5\nparameters:\n  units_per_host: 2\n")
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    char answer[GM_MAX_YP_STRING_LEN];
    unsigned id = GM_NO_SUCH_NODE_ID;

    EXPECT_U64(gm_yp(port, 0, &id, "hostname", "node3", &answer), GM_SUCCESS);
    EXPECT_U64(id, 3);
    EXPECT(strcmp(answer, "node3") == 0);
    id = 8;
    EXPECT_U64(gm_yp(port, 0, &id, "hostname", NULL, &answer), GM_SUCCESS);
    EXPECT(strcmp(answer, "node3:1") == 0);
    EXPECT_U64(gm_yp(port, 0, &id, "hostname", "node3:1", NULL), GM_SUCCESS);
    EXPECT_U64(gm_yp(port, 0, &id, "hostname", "node3", NULL), GM_YP_NO_MATCH);
    EXPECT_U64(gm_yp(port, 0, &id, "colour", NULL, NULL), GM_YP_NO_MATCH);
    id = 0;
    EXPECT_U64(gm_yp(port, 0, &id, "hostname", NULL, NULL), GM_YP_NO_MATCH);
    EXPECT_U64(gm_yp(port, 0, &id, "hostname", "x", NULL), GM_YP_NO_MATCH);
    EXPECT_U64(gm_yp(port, 0, NULL, "hostname", "x", NULL),
               GM_INVALID_PARAMETER);
    EXPECT_U64(gm_yp(port, 0, &id, NULL, "x", NULL), GM_INVALID_PARAMETER);
}

TABLE_BEGIN
ENTRY(datagrams, "a datagram without a buffer is lost silently")
ENTRY(order, "messages with the same sender, target and priority stay in order")
ENTRY(oneself, "a message to its sender's node uses the NIC")
ENTRY(ticks, "the clock has 64 bits and 2 ticks per us")
ENTRY(names, "unknown names and nodes return NULL and 0")
ENTRY(directory, "gm_yp() converts host names to node ids and back")
TABLE_END("GM 1.8 datagrams, names")
