/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests section 1.2 of the rules for GM: the life cycle. Calls with a valid or
 * invalid port must do no harm in any state.
 */
#define _GNU_SOURCE
#include "rules.h"

RULE(counted, 1, NULL)
{
    struct gm_port *port = NULL;

    EXPECT_U64(gm_init(), GM_SUCCESS);
    EXPECT_U64(gm_init(), GM_SUCCESS);
    gm_finalize();
    EXPECT_U64(gm_open(&port, 0, 2, "x", GM_API_VERSION), GM_SUCCESS);
    gm_finalize();
    /* the last gm_finalize() closes the port */
    EXPECT_U64(gm_num_send_tokens(port), 0);
    gm_finalize(); /* gm_finalize() has now been called once more than
                      gm_init() */
    EXPECT_U64(gm_init(), GM_FAILURE);
}

RULE(implicit, 1, NULL)
{
    struct gm_port *port = NULL;

    EXPECT_U64(gm_open(&port, 0, 2, "x", GM_API_VERSION), GM_SUCCESS);
    EXPECT_U64(gm_num_send_tokens(port), 61);
    gm_close(port);
}

RULE(open_status, 1, NULL)
{
    struct gm_port *port = NULL;
    struct gm_port *other = (struct gm_port *)&port;

    EXPECT_U64(gm_open(&port, 0, 2, "x", GM_API_VERSION), GM_SUCCESS);
    EXPECT_U64(gm_open(&other, 0, 2, "x", GM_API_VERSION), GM_BUSY);
    EXPECT(other == NULL);
    EXPECT_U64(gm_open(&other, 1, 4, "x", GM_API_VERSION), GM_NO_SUCH_DEVICE);
    EXPECT_U64(gm_open(&other, 0, 8, "x", GM_API_VERSION),
               GM_INVALID_PARAMETER);
    EXPECT_U64(gm_open(&other, 0, 1, "x", GM_API_VERSION),
               GM_PERMISSION_DENIED);
    EXPECT_U64(gm_open(&other, 0, 4, "x", (enum gm_api_version)0x20011),
               GM_INCOMPATIBLE_LIB_AND_DRIVER);
    EXPECT_U64(gm_open(NULL, 0, 4, "x", GM_API_VERSION), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_open(&other, 0, 4, "x", GM_API_VERSION), GM_SUCCESS);
}

/*
 * Two processes on one host open ports. Like real clients, the second process
 * tries the next port after every error.
 */
RULE(busy, 2, "hosts: 1\nranks_per_host: 2\n")
{
    struct gm_port *port = NULL;
    gmsim_place_t me, other;
    struct gm_port *mine = open_port(&me);

    gmsim_get_place(rank ^ 1, &other);
    EXPECT_U64(other.node_id, me.node_id);
    barrier(mine, &me);
    EXPECT_U64(gm_open(&port, 0, other.port, "x", GM_API_VERSION), GM_BUSY);
    EXPECT_U64(gm_open(&port, 0, rank == 0 ? 5 : 6, "x", GM_API_VERSION),
               GM_SUCCESS);
    barrier(mine, &me);
    gm_finalize();
}

/*
 * Five processes use the five user ports of one NIC. Each process sends to
 * every other process.
 */
RULE(five, 5, "hosts: 1\nranks_per_host: 5\n")
{
    OPEN_WITH_MEMORY(20000);
    unsigned from[RANKS_MAX] = {0};
    unsigned other, i;

    EXPECT_U64(me.node_id, 1);
    memset(memory, 0x40 + (int)rank, 20000);
    give_buffers(port, 10, 15, GM_LOW_PRIORITY, 20000);
    for (i = 0; i < 2; ++i) {
        for (other = 0; other < 5; ++other) {
            send_to(port, other, memory, 15, 20000 - i);
        }
    }
    for (i = 0; i < 10; ++i) {
        union gm_recv_event *event = next_message(port);
        const unsigned char *data = gm_ntohp(event->recv.message);
        unsigned number = gm_ntohc(event->recv.sender_port_id);
        unsigned sender = number == 2 ? 0 : number - 3;

        EXPECT_U64(gm_ntohs(event->recv.sender_node_id), 1);
        EXPECT_U64(gm_ntohl(event->recv.length), 20000 - from[sender]);
        EXPECT_U64(data[0], 0x40 + sender);
        EXPECT_U64(data[19998], 0x40 + sender);
        ++from[sender];
    }
    for (other = 0; other < 5; ++other) {
        EXPECT_U64(from[other], 2);
    }
    finish_sends(port, 10);
    gm_finalize();
}

/*
 * One process opens the same port number on three NICs, and sends in a ring
 * through these NICs.
 */
RULE(several_units, 2, "hosts: 2\nparameters:\n  units_per_host: 3\n")
{
    struct gm_port *ports[3];
    unsigned ids[3];
    unsigned unit;

    for (unit = 0; unit < 3; ++unit) {
        EXPECT_U64(gm_open(&ports[unit], unit, 4, "x", GM_API_VERSION),
                   GM_SUCCESS);
        gm_get_node_id(ports[unit], &ids[unit]);
        EXPECT_U64(ids[unit], 2 * unit + rank + 1);
        give_buffers(ports[unit], 1, 5, GM_LOW_PRIORITY, 64);
    }
    gmsim_compute(MS); /* by this time, the other process has opened its
                        * ports */
    sends_done = 0;
    for (unit = 0; unit < 3; ++unit) {
        unsigned char *memory = gm_dma_malloc(ports[unit], 64);
        unsigned target = ids[(unit + 1) % 3] + (rank == 0 ? 1u : -1u);

        memory[0] = (unsigned char)(10 * rank + unit);
        gm_send_with_callback(ports[unit], memory, 5, 20, 0, target, 4,
                              count_send, NULL);
    }
    for (unit = 0; unit < 3; ++unit) {
        union gm_recv_event *event = next_message(ports[unit]);
        const unsigned char *data = gm_ntohp(event->recv.message);

        EXPECT_U64(data[0], 10 * (rank ^ 1) + (unit + 2) % 3);
        EXPECT_U64((gm_ntohs(event->recv.sender_node_id) - 1) / 2,
                   (unit + 2) % 3);
        while (gm_receive_pending(ports[unit])) {
            gm_unknown(ports[unit], gm_receive(ports[unit]));
        }
    }
    for (unit = 0; unit < 3; ++unit) {
        pass(ports[unit], MS);
    }
    EXPECT_U64(sends_done, 3);
    gm_finalize();
}

/*
 * When a port is closed, its queued sends and posted buffers are discarded, and
 * senders to this port receive an error.
 */
RULE(close, 2, "parameters:\n  nic_send_timeout_us: 20000\n")
{
    OPEN_WITH_MEMORY(64);

    if (rank == 1) {
        gm_alarm_t alarm;

        gm_initialize_alarm(&alarm);
        give_buffers(port, 3, 5, GM_LOW_PRIORITY, 64);
        gm_set_alarm(port, &alarm, 10, NULL, NULL);
        gm_send_with_callback(port, memory, 5, 8, 0, 1, me.port, count_send,
                              NULL);
        gm_close(port);
        EXPECT_U64(alarm.state, GM_ALARM_FREE);
        gmsim_compute(10 * MS);
        EXPECT_U64(gm_open(&port, 0, me.port, "x", GM_API_VERSION), GM_SUCCESS);
        EXPECT_TYPE(gm_receive(port), GM_NO_RECV_EVENT);
        gmsim_compute(100 * MS);
        /* the port no longer has any posted buffers */
        EXPECT_TYPE(gm_receive(port), GM_NO_RECV_EVENT);
        EXPECT_U64(sends_done, 0);
    } else {
        gmsim_compute(2 * MS);
        send_to(port, 1, memory, 5, 8);
        finish_sends(port, 1);
        EXPECT_U64(last_status, GM_SEND_TARGET_PORT_CLOSED);
        gmsim_compute(20 * MS);
        gm_drop_sends(port, 0, 2, me.port, count_send, NULL);
        finish_sends(port, 2);
        /* the port is open again, but without its earlier buffers */
        send_to(port, 1, memory, 5, 8);
        finish_sends(port, 3);
        EXPECT_U64(last_status, GM_SEND_TIMED_OUT);
    }
    gm_finalize();
}

static void *resend_memory;
static unsigned resent;

static void resend(struct gm_port *port, void *context, gm_status_t status)
{
    count_send(port, context, status);
    if (resent < 5) {
        ++resent;
        gm_provide_receive_buffer(port, gm_dma_malloc(port, 64), 5, 0);
        gm_send_with_callback(port, resend_memory, 5, 9, 0, 1, 2, resend,
                              context);
    }
}

RULE(callbacks_send, 1, NULL)
{
    gmsim_place_t me;
    struct gm_port *port = open_port(&me);
    unsigned received = 0;

    resend_memory = gm_dma_malloc(port, 64);
    give_buffers(port, 1, 5, GM_LOW_PRIORITY, 64);
    gm_send_with_callback(port, resend_memory, 5, 9, 0, 1, 2, resend, NULL);
    while (received < 6 || sends_done < 6) {
        union gm_recv_event *event = gm_blocking_receive(port);

        received += is_message(event) != 0;
        if (!is_message(event)) {
            gm_unknown(port, event);
        }
    }
    EXPECT_U64(last_status, GM_SUCCESS);
}

static void close_port(struct gm_port *port, void *context, gm_status_t status)
{
    count_send(port, context, status);
    gm_close(port);
}

RULE(callbacks_close, 1, NULL)
{
    OPEN_WITH_MEMORY(64);
    unsigned i;

    for (i = 0; i < 4; ++i) {
        gm_send_with_callback(port, memory, 99, 9, 0, 1, 2, close_port, NULL);
    }
    gm_receive(port);
    gm_unknown(port, gm_receive(port));
    EXPECT_U64(sends_done, 1);
    EXPECT_U64(gm_open(&port, 0, 2, "x", GM_API_VERSION), GM_SUCCESS);
}

static void never(struct gm_port *port, void *context, gm_status_t status)
{
    (void)port;
    (void)context;
    (void)status;
    ++ranks_failures;
}

static void never_alarm(void *context)
{
    (void)context;
    ++ranks_failures;
}

/* Call every function that has a port argument, with a pointer that is not a
 * port. */
static void use_wrong_port(struct gm_port *port)
{
    static char memory[4096];
    static char name[GM_MAX_HOST_NAME_LEN + 1];
    static gm_alarm_t alarm;
    union gm_recv_event event;
    char answer[GM_MAX_YP_STRING_LEN];
    gm_u16_t sender = 0;
    unsigned number = 0;
    int type;

    memset(&event, 0, sizeof(event));
    EXPECT_U64(gm_num_send_tokens(port), 0);
    EXPECT_U64(gm_num_receive_tokens(port), 0);
    gm_free_send_tokens(port, 0, 4);
    gm_free_send_token(port, 0);
    EXPECT_U64(gm_send_token_available(port, 0), 0);
    EXPECT_U64(gm_alloc_send_token(port, 0), 0);
    gm_send_with_callback(port, memory, 5, 5, 0, 1, 2, never, NULL);
    gm_send_to_peer_with_callback(port, memory, 5, 5, 0, 1, never, NULL);
    gm_send(port, memory, 5, 5, 0, 1, 2);
    gm_send_to_peer(port, memory, 5, 5, 0, 1);
    gm_datagram_send(port, memory, 5, 5, 0, 1, 2, never, NULL);
    gm_datagram_send_4(port, 7, 5, 4, 0, 1, 2, never, NULL);
    gm_directed_send_with_callback(port, memory, 0, 5, 0, 1, 2, never, NULL);
    gm_directed_send(port, memory, 0, 5, 0, 1, 2);
    gm_put(port, memory, 0, 5, 0, 1, 2, never, NULL);
    gm_get(port, 0, memory, 5, 0, 1, 2, never, NULL);
    gm_drop_sends(port, 0, 1, 2, never, NULL);
    gm_resume_sending(port, 0, 1, 2, never, NULL);
    EXPECT_U64(gm_set_enable_nack_down(port, 1), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_allow_remote_memory_access(port), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_directcopy_get(port, memory, memory, 5, 0, 2),
               GM_INVALID_PARAMETER);
    gm_provide_receive_buffer(port, memory, 5, 0);
    gm_provide_receive_buffer_with_tag(port, memory, 5, 0, 1);
    EXPECT_TYPE(gm_receive(port), GM_NO_RECV_EVENT);
    EXPECT_TYPE(gm_blocking_receive(port), GM_NO_RECV_EVENT);
    EXPECT_TYPE(gm_blocking_receive_no_spin(port), GM_NO_RECV_EVENT);
    EXPECT_U64(gm_receive_pending(port), 0);
    EXPECT_U64(gm_next_event_peek(port, &sender), GM_NO_RECV_EVENT);
    gm_unknown(port, &event);
    gm_handle_sent_tokens(port, &event);
    gm_handle_put_notification(port, &event);
    EXPECT_U64(gm_set_acceptable_sizes(port, 0, 0), GM_INVALID_PARAMETER);
    EXPECT(gm_dma_malloc(port, 64) == NULL);
    EXPECT(gm_dma_calloc(port, 1, 64) == NULL);
    gm_dma_free(port, memory);
    EXPECT_U64(gm_register_memory(port, memory, 64), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_register_memory_ex(port, memory, 64, memory),
               GM_INVALID_PARAMETER);
    EXPECT_U64(gm_deregister_memory(port, memory, 64), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_get_node_id(port, &number), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_get_host_name(port, name), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_get_node_type(port, &type), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_get_unique_board_id(port, name), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_get_mapper_unique_id(port, name), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_unique_id(port, name), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_node_id_to_unique_id(port, 1, name), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_unique_id_to_node_id(port, name, &number),
               GM_INVALID_PARAMETER);
    EXPECT_U64(gm_max_node_id(port, &number), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_max_node_id_in_use(port, &number), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_max_node_id_inuse(port, &number), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_global_id_to_node_id(port, 1, &number), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_node_id_to_global_id(port, 1, &number), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_node_id_to_host_name_ex(
                   port, 0, 1, (char(*)[GM_MAX_HOST_NAME_LEN + 1]) & name),
               GM_INVALID_PARAMETER);
    EXPECT_U64(gm_host_name_to_node_id_ex(port, 0, "node1", &number),
               GM_INVALID_PARAMETER);
    EXPECT_U64(gm_yp(port, 0, &number, "hostname", NULL, &answer),
               GM_INVALID_PARAMETER);
    EXPECT_U64(_gm_get_route(port, 1, name, &number), GM_INVALID_PARAMETER);
    EXPECT_U64(gm_host_name_to_node_id(port, name), GM_NO_SUCH_NODE_ID);
    EXPECT(gm_node_id_to_host_name(port, 1) == NULL);
    EXPECT_U64(gm_get_port_id(port), 0);
    EXPECT_U64(gm_num_ports(port), 8);
    EXPECT_U64(gm_mtu(port), 4096);
    EXPECT_U64(gm_min_message_size(port), 3);
    gm_initialize_alarm(&alarm);
    gm_set_alarm(port, &alarm, 1, never_alarm, NULL);
    EXPECT_U64(alarm.state, GM_ALARM_FREE);
    gm_cancel_alarm(&alarm);
    gm_flush_alarm(port);
    EXPECT_U64(gm_ticks(port), 0);
    gmsim_wait(port);
    gm_close(port);
}

RULE(wrong_ports, 1, NULL)
{
    static char no_port[4096];
    gmsim_place_t me;
    struct gm_port *port = NULL;
    struct gm_port *closed = NULL;

    use_wrong_port(NULL); /* gm_init() has not been called yet */
    port = open_port(&me);
    EXPECT_U64(gm_open(&closed, 0, 4, "x", GM_API_VERSION), GM_SUCCESS);
    gm_close(closed);
    use_wrong_port(NULL);
    use_wrong_port(closed);
    use_wrong_port((struct gm_port *)(void *)no_port);
    use_wrong_port((struct gm_port *)(uintptr_t)0x10);
    use_wrong_port((struct gm_port *)~(uintptr_t)0);
    EXPECT_U64(gm_num_send_tokens(port), 61); /* the open port is not
                                                 affected */
    pass(port, MS);
    gm_finalize();
    use_wrong_port(port);
    EXPECT_U64(sends_done, 0);
}

/*
 * A child process does not belong to the cluster. The child can neither use nor
 * damage the cluster.
 */
RULE(fork, 2, NULL)
{
    OPEN_WITH_MEMORY(64);
    pid_t child;
    int status = -1;

    give_buffers(port, 1, 5, GM_LOW_PRIORITY, 64);
    child = fork();
    if (child == 0) {
        ranks_failures = 0;
        send_to(port, rank ^ 1, memory, 5, 9);
        EXPECT_TYPE(gm_blocking_receive(port), GM_NO_RECV_EVENT);
        EXPECT_U64(gm_init(), GM_FAILURE);
        gm_close(port);
        gm_finalize();
        _exit(ranks_failures != 0);
    }
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT_U64(status, 0);
    send_to(port, rank ^ 1, memory, 5, 9);
    EXPECT_U64(gm_ntohl(next_message(port)->recv.length), 9);
    finish_sends(port, 1);
    gm_finalize();
}

TABLE_BEGIN
ENTRY(counted, "each gm_init() needs its own gm_finalize()")
ENTRY(implicit, "gm_open() joins the cluster without gm_init()")
ENTRY(open_status, "gm_open() has a status for each reason for failure")
ENTRY(busy, "a port that another process has opened: GM_BUSY")
ENTRY(five, "five processes on the five ports of a NIC")
ENTRY(several_units, "one process with ports on several units")
ENTRY(close, "gm_close() drops everything; senders get an error")
ENTRY(callbacks_send, "callbacks may send and provide buffers")
ENTRY(callbacks_close, "a callback may close the port")
ENTRY(wrong_ports, "invalid ports do no harm in any call")
ENTRY(fork, "a forked child is not in the cluster")
TABLE_END("GM 1.2 life cycle")
