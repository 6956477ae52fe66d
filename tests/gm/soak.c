/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * soak - each rank sends messages of 0 to 1,000,000 bytes to every other rank,
 * with both priorities, until the requested number of data packets has been
 * offered. The cluster description determines the network and its faults.
 *
 * Each message of a stream must either arrive in order, exactly once and with
 * correct bytes, or be reported to the sender as failed. The file soak_ledger.c
 * computes the expected contents and checks the results of all ranks.
 *
 * With --mortal, ranks can be killed during the run. The other ranks must
 * notice this only from GM's errors, and must end normally.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gm.h>
#include <gmsim.h>

#include "soak_ledger.h"

enum {
    WINDOW = 6, /* number of messages that a rank has in flight */
    CLASSES = 5,
    MAX_BUFFERS = 6,    /* largest number of buffers per size class and
                           priority */
    TOKENS_LEFT = 25,   /* number of tokens that are reserved for commands to
                           streams */
    LINGER_US = 300000, /* time allowed for repeating lost acknowledgements */
    PING_US = 20000,
    LIMIT_S = 1000, /* time limit of the run in virtual seconds */
    EXIT_WRONG_USAGE = 64
};

/* Size classes of GM. The sender uses the smallest class that can hold the
 * message. */
static const unsigned class_size[CLASSES] = {5, 8, 12, 16, 20};
static const unsigned class_buffers[CLASSES] = {6, 6, 6, 4, 2};

enum kind {
    KIND_DATA = 1,
    KIND_END, /* last message of a stream */
    KIND_PING /* message that checks whether the peer is alive */
};

typedef struct buffer {
    void *memory;
    unsigned class_index, priority;
    struct gm_alarm alarm; /* alarm that returns the buffer later */
} buffer_t;

typedef struct sending {
    unsigned char *memory;
    enum kind kind;
    unsigned target, priority;
    uint32_t number;
    int is_posted;
    struct sending *next;
} sending_t;

/* State of one stream from this rank. */
typedef struct stream_out {
    uint32_t next; /* number of the next message */
    sending_t end;
    int end_posted, end_done;
} stream_out_t;

typedef struct stream_in {
    uint32_t next;
    int ended;
} stream_in_t;

static struct {
    uint64_t packets;
    uint64_t seed;
    const char *ledger;
    int mortal;
    unsigned hold; /* one in `hold` buffers is returned late; 0: none */
} options = {100000, 1, "soak.ledger", 0, 8};

static gmsim_place_t me;
static gmsim_place_t place[MAX_RANKS];
static struct gm_port *port;
static stream_out_t out[MAX_RANKS][PRIORITIES];
static stream_in_t in[MAX_RANKS][PRIORITIES];
static int dead[MAX_RANKS];
static sending_t sendings[WINDOW], pings[MAX_RANKS];
static int ping_posted[MAX_RANKS];
static sending_t *idle;
static buffer_t buffers[CLASSES][PRIORITIES][MAX_BUFFERS];
static unsigned order[MAX_RANKS * PRIORITIES], order_count, order_at;
static unsigned under_way;
static uint64_t chance_state;
static int linger_over;
static unsigned peers_found_dead;

static uint64_t chance(uint64_t bound)
{
    chance_state += UINT64_C(0x9e3779b97f4a7c15);
    return soak_mix(chance_state) % bound;
}

/* ---- receiving ---------------------------------------------------------- */

static void provide(buffer_t *buffer)
{
    gm_provide_receive_buffer(port, buffer->memory,
                              class_size[buffer->class_index],
                              buffer->priority);
}

static void provide_late(void *context)
{
    provide(context);
}

static buffer_t *buffer_at(const void *memory)
{
    unsigned c, p, i;

    for (c = 0; c < CLASSES; ++c) {
        for (p = 0; p < PRIORITIES; ++p) {
            for (i = 0; i < class_buffers[c]; ++i) {
                if (buffers[c][p][i].memory == memory) {
                    return &buffers[c][p][i];
                }
            }
        }
    }
    gmsim_fatal("soak: a message arrived in an unknown buffer");
}

/* Some buffers are withheld to test senders whose receiver has no buffer. */
static void give_back(buffer_t *buffer)
{
    if (options.hold != 0 && chance(options.hold) == 0) {
        gm_set_alarm(port, &buffer->alarm, 1 + chance(2000), provide_late,
                     buffer);
    } else {
        provide(buffer);
    }
}

static int has_failed(unsigned source, unsigned priority, uint32_t number)
{
    return *ledger_sent(source, me.rank, priority, number) > SENT_STATUS;
}

static int looks_like(unsigned source, unsigned priority, uint32_t number,
                      const unsigned char *memory, uint32_t length)
{
    uint64_t key = soak_key(source, me.rank, priority, number);

    return number < ledger_per_stream && soak_length(key) == length &&
           soak_compare(memory, length, key) == length;
}

/*
 * Return the number of a message that is too short for a header. The search
 * begins with the stream's next number and ends with `due`, which is the
 * message that must arrive next. The result is the first matching number. The
 * function can confuse two messages with the same content; ledger_settle() corrects
 * this.
 */
static uint32_t find_short(unsigned source, unsigned priority,
                           const unsigned char *memory, uint32_t length,
                           uint32_t due)
{
    uint32_t number = in[source][priority].next;

    while (number < due &&
           !looks_like(source, priority, number, memory, length)) {
        ++number;
    }
    return number;
}

/*
 * Return 1 if the message is too short for a header. A short message may
 * already have arrived, because the test may have taken it for an earlier
 * message with the same content.
 */
static int may_have_come(unsigned source, unsigned priority, uint32_t number)
{
    return soak_length(soak_key(source, me.rank, priority, number)) <
           sizeof(head_t);
}

static void take_data(unsigned source, unsigned priority,
                      const unsigned char *memory, uint32_t length)
{
    stream_in_t *stream = &in[source][priority];
    uint32_t number = stream->next;
    uint64_t key, right;
    head_t head;

    /*
     * Only messages that were reported to the sender as failed may be missing.
     * At the end, ledger_settle() checks that all short messages have arrived.
     */
    while (number < ledger_per_stream &&
           (has_failed(source, priority, number) ||
            may_have_come(source, priority, number))) {
        ++number;
    }
    if (length >= sizeof(head)) {
        memcpy(&head, memory, sizeof(head));
        if (head.source != source || head.priority != priority ||
            head.length != length || head.number < stream->next ||
            head.number > number) {
            gmsim_fatal(
                "soak: stream %u->%u priority %u: expected message %u, "
                "but message %u from rank %u (%u bytes, priority %u) arrived; "
                "the sender's record for the expected message is %u",
                source, me.rank, priority, number, head.number, head.source,
                head.length, head.priority,
                number < ledger_per_stream
                    ? *ledger_sent(source, me.rank, priority, number)
                    : 0);
        }
        /* the message has arrived, although the sender may have received an
         * error */
        number = head.number;
    } else {
        number = find_short(source, priority, memory, length, number);
    }
    key = soak_key(source, me.rank, priority, number);
    if (number >= ledger_per_stream || stream->ended ||
        soak_length(key) != length) {
        gmsim_fatal("soak: stream %u->%u priority %u: message %u of %u bytes "
                    "is unexpected",
                    source, me.rank, priority, number, length);
    }
    right = soak_compare(memory, length, key);
    if (right != length) {
        gmsim_fatal("soak: stream %u->%u priority %u: message %u of %u bytes "
                    "has incorrect data at byte %" PRIu64,
                    source, me.rank, priority, number, length, right);
    }
    if (++*ledger_got(source, me.rank, priority, number) != 1) {
        gmsim_fatal(
            "soak: stream %u->%u priority %u: message %u was delivered twice",
            source, me.rank, priority, number);
    }
    stream->next = number + 1;
}

static void take(gm_recv_event_t *event)
{
    const unsigned char *memory = gm_ntohp(event->recv.message);
    buffer_t *buffer = buffer_at(gm_ntohp(event->recv.buffer));
    uint32_t length = gm_ntoh_u32(event->recv.length);
    unsigned node = gm_ntoh_u16(event->recv.sender_node_id);
    unsigned number = gm_ntoh_u8(event->recv.sender_port_id);
    unsigned source;
    head_t head = {.kind = KIND_DATA};

    for (source = 0; source < me.size; ++source) {
        if (place[source].node_id == node && place[source].port == number) {
            break;
        }
    }
    if (source == me.size) {
        gmsim_fatal(
            "soak: a message from node %u port %u, which belongs to no rank",
            node, number);
    }
    if (length >= sizeof(head)) {
        memcpy(&head, memory, sizeof(head));
    }
    if (head.kind == KIND_END) {
        stream_in_t *stream = &in[source][buffer->priority];

        while (stream->next < ledger_per_stream &&
               (has_failed(source, buffer->priority, stream->next) ||
                may_have_come(source, buffer->priority, stream->next))) {
            ++stream->next;
        }
        if (stream->next != ledger_per_stream) {
            gmsim_fatal("soak: stream %u->%u priority %u ends at message %u of "
                        "%u",
                        source, me.rank, buffer->priority, stream->next,
                        ledger_per_stream);
        }
        stream->ended = 1;
    } else if (head.kind != KIND_PING) {
        take_data(source, buffer->priority, memory, length);
    }
    give_back(buffer);
}

/* ---- sending ------------------------------------------------------------ */

static void pump(void);

static void bury(unsigned rank)
{
    if (!options.mortal) {
        gmsim_fatal("soak: rank %u has died", rank);
    }
    peers_found_dead += !dead[rank];
    dead[rank] = 1;
}

static void on_sent(struct gm_port *p, void *context, gm_status_t status)
{
    sending_t *sending = context;
    stream_out_t *stream = &out[sending->target][sending->priority];

    --under_way;
    sending->is_posted = 0;
    if (status != GM_SUCCESS && status != GM_SEND_DROPPED) {
        if (status == GM_SEND_TARGET_PORT_CLOSED) {
            bury(sending->target);
        } else if (status != GM_SEND_TIMED_OUT &&
                   status != GM_SEND_TARGET_NODE_UNREACHABLE) {
            gmsim_fatal("soak: a send failed: %s", gm_strerror(status));
        }
        gm_drop_sends(p, sending->priority, place[sending->target].node_id,
                      place[sending->target].port, NULL, NULL);
    }
    switch (sending->kind) {
    case KIND_DATA:
        *ledger_sent(me.rank, sending->target, sending->priority,
                     sending->number) = (uint8_t)(SENT_STATUS + status);
        sending->next = idle;
        idle = sending;
        break;
    case KIND_END:
        stream->end_posted = 0;
        stream->end_done = status == GM_SUCCESS || dead[sending->target];
        break;
    case KIND_PING:
        ping_posted[sending->target] = 0;
        break;
    }
    pump();
}

static void post(sending_t *sending, uint32_t length)
{
    unsigned c = 0;

    while (length > gm_max_length_for_size(class_size[c])) {
        ++c;
    }
    ++under_way;
    sending->is_posted = 1;
    gm_send_with_callback(port, sending->memory, class_size[c], length,
                          sending->priority, place[sending->target].node_id,
                          place[sending->target].port, on_sent, sending);
}

static void post_control(sending_t *sending, enum kind kind, unsigned target,
                         unsigned priority)
{
    head_t head = {.kind = kind,
                   .source = (uint16_t)me.rank,
                   .priority = (uint16_t)priority,
                   .number = ledger_per_stream,
                   .length = sizeof(head)};

    sending->kind = kind;
    sending->target = target;
    sending->priority = priority;
    memcpy(sending->memory, &head, sizeof(head));
    post(sending, sizeof(head));
}

static void post_data(sending_t *sending, unsigned target, unsigned priority)
{
    stream_out_t *stream = &out[target][priority];
    uint64_t key = soak_key(me.rank, target, priority, stream->next);
    head_t head = {.kind = KIND_DATA,
                   .source = (uint16_t)me.rank,
                   .priority = (uint16_t)priority,
                   .number = stream->next,
                   .length = soak_length(key)};

    sending->kind = KIND_DATA;
    sending->target = target;
    sending->priority = priority;
    sending->number = stream->next++;
    soak_make(sending->memory, &head, key);
    *ledger_sent(me.rank, target, priority, sending->number) = SENT_OFFERED;
    post(sending, head.length);
}

static void shuffle(void)
{
    unsigned i;

    for (i = order_count; i > 1; --i) {
        unsigned j = (unsigned)chance(i);
        unsigned swap = order[i - 1];

        order[i - 1] = order[j];
        order[j] = swap;
    }
}

/*
 * Post as many messages as possible. A round contains one message of each
 * stream, in a random order that differs between rounds.
 */
static void pump(void)
{
    unsigned t, p, visited = 0;

    while (idle != NULL && visited < order_count) {
        unsigned stream = order[order_at];

        t = stream / PRIORITIES;
        p = stream % PRIORITIES;
        if (++order_at == order_count) {
            order_at = 0;
            shuffle();
        }
        ++visited;
        if (!dead[t] && out[t][p].next < ledger_per_stream) {
            sending_t *sending = idle;

            idle = sending->next;
            post_data(sending, t, p);
            visited = 0;
        }
    }
    for (t = 0; t < me.size; ++t) {
        for (p = 0; t != me.rank && p < PRIORITIES; ++p) {
            stream_out_t *stream = &out[t][p];

            if (under_way + TOKENS_LEFT < gm_num_send_tokens(port) &&
                !dead[t] && stream->next == ledger_per_stream &&
                !stream->end_posted && !stream->end_done) {
                stream->end_posted = 1;
                post_control(&stream->end, KIND_END, t, p);
            }
        }
    }
}

/* ---- main loop and end -------------------------------------------------- */

static int finished(void)
{
    unsigned t, p;

    for (t = 0; t < me.size; ++t) {
        for (p = 0; t != me.rank && !dead[t] && p < PRIORITIES; ++p) {
            if (!out[t][p].end_done || !in[t][p].ended) {
                return 0;
            }
        }
    }
    return under_way == 0;
}

/*
 * When a rank has sent all messages to a peer, it notices the peer's death only
 * by sending another message.
 */
static void on_ping(void *context)
{
    struct gm_alarm *alarm = context;
    unsigned t;

    for (t = 0; t < me.size; ++t) {
        if (t != me.rank && !dead[t] && !ping_posted[t] &&
            (!in[t][0].ended || !in[t][1].ended)) {
            ping_posted[t] = 1;
            post_control(&pings[t], KIND_PING, t, GM_HIGH_PRIORITY);
        }
    }
    gm_set_alarm(port, alarm, PING_US, on_ping, alarm);
}

/* Print the state and end the program, because an expected message or callback
 * has not arrived in time. */
static void on_limit(void *context)
{
    unsigned t, p, i;

    (void)context;
    for (t = 0; t < me.size; ++t) {
        for (p = 0; t != me.rank && p < PRIORITIES; ++p) {
            const stream_out_t *to = &out[t][p];

            if (!dead[t] && (!to->end_done || !in[t][p].ended)) {
                fprintf(
                    stderr,
                    "soak: rank %u, peer %u, priority %u: %u of %u messages "
                    "posted, end message %s; %u messages received, %s\n",
                    me.rank, t, p, to->next, ledger_per_stream,
                    to->end_done     ? "sent"
                    : to->end_posted ? "in flight"
                                     : "not posted",
                    in[t][p].next, in[t][p].ended ? "ended" : "no end message");
            }
        }
    }
    for (i = 0; i < WINDOW; ++i) {
        const sending_t *sending = &sendings[i];

        if (sending->is_posted) {
            fprintf(stderr,
                    "soak: rank %u: message %u to rank %u, priority %u, is in "
                    "flight\n",
                    me.rank, sending->number, sending->target,
                    sending->priority);
        }
    }
    fflush(stderr);
    /* wait until all other ranks have also printed their states */
    gmsim_compute(UINT64_C(1000000000));
    gmsim_time_ps();
    if (gm_receive_pending(port) >= 0) {
        gmsim_fatal("soak: not finished after %u s", LIMIT_S);
    }
}

static void on_linger_over(void *context)
{
    (void)context;
    linger_over = 1;
}

static void serve(void)
{
    gm_recv_event_t *event = gm_blocking_receive_no_spin(port);

    switch (GM_RECV_EVENT_TYPE(event)) {
    case GM_RECV_EVENT:
    case GM_HIGH_RECV_EVENT:
    case GM_PEER_RECV_EVENT:
    case GM_HIGH_PEER_RECV_EVENT:
        take(event);
        break;
    case GM_FAST_RECV_EVENT:
    case GM_FAST_HIGH_RECV_EVENT:
    case GM_FAST_PEER_RECV_EVENT:
    case GM_FAST_HIGH_PEER_RECV_EVENT:
        take(event);
        break;
    case GM_SEND_TOKEN_VIOLATION_EVENT:
    case GM_RECV_TOKEN_VIOLATION_EVENT:
    case GM_BAD_SEND_VMA_EVENT:
    case GM_BAD_RECV_VMA_EVENT:
        gmsim_fatal("soak: unexpected event %u", GM_RECV_EVENT_TYPE(event));
        break;
    default:
        gm_unknown(port, event);
        break;
    }
}

static void *memory(size_t bytes)
{
    void *block = gm_dma_malloc(port, bytes);

    if (block == NULL) {
        gmsim_fatal("soak: cannot allocate DMA memory");
    }
    return block;
}

static void prepare(void)
{
    unsigned c, p, i, t;

    chance_state = soak_mix(options.seed + 77 * me.rank);
    for (c = 0; c < CLASSES; ++c) {
        for (p = 0; p < PRIORITIES; ++p) {
            for (i = 0; i < class_buffers[c]; ++i) {
                buffer_t *buffer = &buffers[c][p][i];

                buffer->memory = memory(gm_max_length_for_size(class_size[c]));
                buffer->class_index = c;
                buffer->priority = p;
                gm_initialize_alarm(&buffer->alarm);
                provide(buffer);
            }
        }
    }
    for (i = 0; i < WINDOW; ++i) {
        sendings[i].memory = memory(MAX_BYTES);
        sendings[i].next = idle;
        idle = &sendings[i];
    }
    for (t = 0; t < me.size; ++t) {
        pings[t].memory = memory(sizeof(head_t));
        for (p = 0; p < PRIORITIES; ++p) {
            out[t][p].end.memory = memory(sizeof(head_t));
            if (t != me.rank) {
                order[order_count++] = t * PRIORITIES + p;
            }
        }
    }
    shuffle();
}

static int is_reporter(void)
{
    unsigned rank;

    for (rank = 0; rank < me.rank; ++rank) {
        if (ledger->finished[rank]) {
            return 0;
        }
    }
    return 1;
}

/* Keep the port open for some time, because peers can still be waiting for an
 * acknowledgement. */
static void linger(uint64_t us)
{
    static struct gm_alarm alarm;

    linger_over = 0;
    gm_initialize_alarm(&alarm);
    gm_set_alarm(port, &alarm, us, on_linger_over, NULL);
    while (!linger_over) {
        serve();
    }
}

static void usage(FILE *file)
{
    fputs("Usage: mpirun -n N soak [OPTION...]\n"
          "Sends messages of 0 to 1000000 bytes between all pairs of ranks at "
          "both priorities, and checks them end to end.\n\n"
          "      --packets N    number of data packets to send (100000)\n"
          "      --seed N       seed of the random messages (1)\n"
          "      --ledger FILE  new file that all ranks share (soak.ledger)\n"
          "      --hold N       return one receive buffer in N late; 0: none "
          "(8)\n"
          "      --mortal       ranks may be killed\n"
          "      --help         print this text\n",
          file);
}

static void parse(int argc, char **argv)
{
    static const struct option known[] = {
        {"packets", required_argument, NULL, 'p'},
        {"seed", required_argument, NULL, 's'},
        {"ledger", required_argument, NULL, 'l'},
        {"hold", required_argument, NULL, 'o'},
        {"mortal", no_argument, NULL, 'm'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int option;

    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        switch (option) {
        case 'p':
            options.packets = strtoull(optarg, NULL, 10);
            break;
        case 's':
            options.seed = strtoull(optarg, NULL, 10);
            break;
        case 'l':
            options.ledger = optarg;
            break;
        case 'o':
            options.hold = (unsigned)strtoul(optarg, NULL, 10);
            break;
        case 'm':
            options.mortal = 1;
            break;
        case 'h':
            usage(stdout);
            exit(EXIT_SUCCESS);
        default:
            usage(stderr);
            exit(EXIT_WRONG_USAGE);
        }
    }
}

int main(int argc, char **argv)
{
    static struct gm_alarm ping, limit;
    unsigned rank;

    parse(argc, argv);
    if (gm_init() != GM_SUCCESS || gmsim_get_my_place(&me) != GM_SUCCESS) {
        return EXIT_FAILURE;
    }
    if (me.size < 2 || me.size > MAX_RANKS) {
        gmsim_fatal("soak: requires 2 to %d processes", MAX_RANKS);
    }
    for (rank = 0; rank < me.size; ++rank) {
        gmsim_get_place(rank, &place[rank]);
    }
    if (gm_open(&port, 0, me.port, "soak", GM_API_VERSION) != GM_SUCCESS) {
        gmsim_fatal("soak: cannot open port %u", me.port);
    }
    ledger_create(&(soak_plan_t){.ranks = me.size,
                                 .seed = options.seed,
                                 .packets = options.packets,
                                 .path = options.ledger});
    prepare();
    gm_initialize_alarm(&limit);
    gm_set_alarm(port, &limit, LIMIT_S * UINT64_C(1000000), on_limit, NULL);
    /* By now, every rank has opened its port. */
    linger(1000);
    if (options.mortal) {
        gm_initialize_alarm(&ping);
        gm_set_alarm(port, &ping, PING_US, on_ping, &ping);
    }
    pump();
    while (!finished()) {
        serve();
    }
    ledger->finished[me.rank] = 1;
    gm_cancel_alarm(&limit);
    if (options.mortal) {
        gm_cancel_alarm(&ping);
    }
    linger(LINGER_US);
    if (is_reporter()) {
        linger(LINGER_US);
        ledger_report(options.mortal);
    }
    gm_close(port);
    gm_finalize();
    return EXIT_SUCCESS;
}
