/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * soak - each rank sends messages of 0 to 1,000,000 bytes to every other rank,
 * with both priorities, until the requested number of data packets has been
 * offered. The cluster description determines the network and its faults.
 *
 * The expected contents do not depend on the library and its CRCs. The content
 * of the k-th message of a stream (source, target, priority) depends only on
 * the seed. The receiver can therefore compute the content and compare it. The
 * ledger is a file that all processes map into memory. For each message, the
 * ledger contains one byte of the sender and one byte of the receiver. Each
 * message of a stream must either arrive in order, exactly once and with
 * correct bytes, or be reported to the sender as failed.
 *
 * With --mortal, ranks can be killed during the run. The other ranks must
 * notice this only from GM's errors, and must end normally.
 */
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gm.h>
#include <gmsim.h>

enum {
    MAX_RANKS = 64,
    PRIORITIES = 2,
    MAX_BYTES = 1000000,
    PACKET_BYTES = 4096,
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

/* Header of every message that is long enough to contain it. */
typedef struct head {
    uint32_t kind;
    uint16_t source;
    uint16_t priority;
    uint32_t number;
    uint32_t length;
} head_t;

/* Values of the sender's byte for a message. */
enum {
    SENT_NOT = 0,
    SENT_OFFERED = 1,
    SENT_STATUS = 2 /* the status of GM is added to this value */
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

typedef struct ledger {
    uint8_t finished[MAX_RANKS];
    uint64_t late_us; /* padding */
    uint8_t bytes[];  /* bytes of the senders, followed by the bytes of the
                         receivers */
} ledger_t;

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
static ledger_t *ledger;
static uint32_t per_stream; /* number of messages per stream */
static uint64_t planned_packets;
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

/* ---- contents of messages ----------------------------------------------- */

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t key_of(unsigned source, unsigned target, unsigned priority,
                       uint32_t number)
{
    uint64_t stream = ((uint64_t)source << 16) | (target << 1) | priority;

    return mix(options.seed * UINT64_C(0x9e3779b97f4a7c15) +
               mix((stream << 32) | number));
}

/*
 * Return a random message length. All orders of magnitude are equally likely.
 * Sometimes the length is one of the two extremes.
 */
static uint32_t length_of(uint64_t key)
{
    uint64_t draw = mix(key + 1);
    unsigned exponent = (unsigned)(draw % 20);
    uint64_t length = (UINT64_C(1) << exponent) +
                      ((draw >> 20) & ((UINT64_C(1) << exponent) - 1));

    if ((draw >> 50) % 32 == 0) {
        return 0;
    }
    if ((draw >> 55) % 64 == 0 || length > MAX_BYTES) {
        return MAX_BYTES;
    }
    return (uint32_t)length;
}

static uint64_t word_of(uint64_t key, uint64_t index)
{
    uint64_t word = key + index * UINT64_C(0x9e3779b97f4a7c15);

    word = (word ^ (word >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    return word ^ (word >> 32);
}

static void make(unsigned char *memory, const head_t *head, uint64_t key)
{
    uint64_t words = head->length / 8, index, word;

    for (index = 0; index < words; ++index) {
        word = word_of(key, index);
        memcpy(memory + 8 * index, &word, 8);
    }
    word = word_of(key, words);
    memcpy(memory + 8 * words, &word, head->length % 8);
    if (head->length >= sizeof(*head)) {
        memcpy(memory, head, sizeof(*head));
    }
}

/*
 * @return the length if all bytes are correct, otherwise the index of the first
 * incorrect byte
 */
static uint64_t compare(const unsigned char *memory, uint32_t length,
                        uint64_t key)
{
    uint64_t index = length >= sizeof(head_t) ? sizeof(head_t) / 8 : 0;
    uint64_t words = length / 8, word;

    for (; index < words; ++index) {
        word = word_of(key, index);
        if (memcmp(memory + 8 * index, &word, 8) != 0) {
            return 8 * index;
        }
    }
    word = word_of(key, words);
    return memcmp(memory + 8 * words, &word, length % 8) == 0 ? length
                                                              : 8 * words;
}

static uint64_t packets_of(uint32_t length)
{
    return length == 0 ? 1 : (length + PACKET_BYTES - 1) / PACKET_BYTES;
}

static uint64_t chance(uint64_t bound)
{
    chance_state += UINT64_C(0x9e3779b97f4a7c15);
    return mix(chance_state) % bound;
}

/* ---- ledger ------------------------------------------------------------- */

static uint64_t ledger_messages(void)
{
    return (uint64_t)me.size * me.size * PRIORITIES * per_stream;
}

static uint8_t *sent_byte(unsigned source, unsigned target, unsigned priority,
                          uint32_t number)
{
    uint64_t stream =
        ((uint64_t)source * me.size + target) * PRIORITIES + priority;

    return &ledger->bytes[stream * per_stream + number];
}

static uint8_t *got_byte(unsigned source, unsigned target, unsigned priority,
                         uint32_t number)
{
    return sent_byte(source, target, priority, number) + ledger_messages();
}

static void ledger_open(void)
{
    uint64_t bytes = sizeof(ledger_t) + 2 * ledger_messages();
    int file = open(options.ledger, O_RDWR | O_CREAT, 0600);

    if (file < 0 || ftruncate(file, (off_t)bytes) != 0) {
        gmsim_fatal("soak: cannot create the ledger %s", options.ledger);
    }
    ledger = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (ledger == MAP_FAILED) {
        gmsim_fatal("soak: cannot map the ledger %s", options.ledger);
    }
}

/*
 * Compute the number of messages per stream that results in the requested
 * number of packets.
 */
static void plan(void)
{
    uint64_t packets = 0;
    unsigned s, t, p;

    for (per_stream = 0; packets < options.packets; ++per_stream) {
        for (s = 0; s < me.size; ++s) {
            for (t = 0; t < me.size; ++t) {
                for (p = 0; s != t && p < PRIORITIES; ++p) {
                    packets +=
                        packets_of(length_of(key_of(s, t, p, per_stream)));
                }
            }
        }
    }
    planned_packets = packets;
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
    return *sent_byte(source, me.rank, priority, number) > SENT_STATUS;
}

static int looks_like(unsigned source, unsigned priority, uint32_t number,
                      const unsigned char *memory, uint32_t length)
{
    uint64_t key = key_of(source, me.rank, priority, number);

    return number < per_stream && length_of(key) == length &&
           compare(memory, length, key) == length;
}

/*
 * Return the number of a message that is too short for a header. The search
 * begins with the stream's next number and ends with `due`, which is the
 * message that must arrive next. The result is the first matching number. The
 * function can confuse two messages with the same content; settle() corrects
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
    return length_of(key_of(source, me.rank, priority, number)) <
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
     * At the end, settle() checks that all short messages have arrived.
     */
    while (number < per_stream && (has_failed(source, priority, number) ||
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
                number < per_stream
                    ? *sent_byte(source, me.rank, priority, number)
                    : 0);
        }
        /* the message has arrived, although the sender may have received an
         * error */
        number = head.number;
    } else {
        number = find_short(source, priority, memory, length, number);
    }
    key = key_of(source, me.rank, priority, number);
    if (number >= per_stream || stream->ended || length_of(key) != length) {
        gmsim_fatal("soak: stream %u->%u priority %u: message %u of %u bytes "
                    "is unexpected",
                    source, me.rank, priority, number, length);
    }
    right = compare(memory, length, key);
    if (right != length) {
        gmsim_fatal("soak: stream %u->%u priority %u: message %u of %u bytes "
                    "has incorrect data at byte %" PRIu64,
                    source, me.rank, priority, number, length, right);
    }
    if (++*got_byte(source, me.rank, priority, number) != 1) {
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

        while (stream->next < per_stream &&
               (has_failed(source, buffer->priority, stream->next) ||
                may_have_come(source, buffer->priority, stream->next))) {
            ++stream->next;
        }
        if (stream->next != per_stream) {
            gmsim_fatal("soak: stream %u->%u priority %u ends at message %u of "
                        "%u",
                        source, me.rank, buffer->priority, stream->next,
                        per_stream);
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
        *sent_byte(me.rank, sending->target, sending->priority,
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
                   .number = per_stream,
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
    uint64_t key = key_of(me.rank, target, priority, stream->next);
    head_t head = {.kind = KIND_DATA,
                   .source = (uint16_t)me.rank,
                   .priority = (uint16_t)priority,
                   .number = stream->next,
                   .length = length_of(key)};

    sending->kind = KIND_DATA;
    sending->target = target;
    sending->priority = priority;
    sending->number = stream->next++;
    make(sending->memory, &head, key);
    *sent_byte(me.rank, target, priority, sending->number) = SENT_OFFERED;
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
        if (!dead[t] && out[t][p].next < per_stream) {
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
                !dead[t] && stream->next == per_stream && !stream->end_posted &&
                !stream->end_done) {
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
                    me.rank, t, p, to->next, per_stream,
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

    chance_state = mix(options.seed + 77 * me.rank);
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

/* ---- the report --------------------------------------------------------- */

/*
 * Handle a short message that has arrived but was taken for an earlier message.
 * The earlier message has the same content and was reported as failed. @return
 * 1 if this happened
 */
static int settle(unsigned s, unsigned t, unsigned p, uint32_t number)
{
    uint64_t key = key_of(s, t, p, number);
    uint32_t length = length_of(key), k;
    unsigned char bytes[sizeof(head_t)];
    head_t head = {.length = length};

    if (length >= sizeof(head)) {
        return 0;
    }
    make(bytes, &head, key);
    for (k = number; k-- > 0;) {
        uint64_t other = key_of(s, t, p, k);

        if (*got_byte(s, t, p, k) && *sent_byte(s, t, p, k) > SENT_STATUS &&
            length_of(other) == length &&
            compare(bytes, length, other) == length) {
            *got_byte(s, t, p, k) = 0;
            *got_byte(s, t, p, number) = 1;
            return 1;
        }
    }
    return 0;
}

static void settle_all(void)
{
    unsigned s, t, p;
    uint32_t k;

    for (s = 0; s < me.size; ++s) {
        for (t = 0; t < me.size; ++t) {
            for (p = 0; s != t && p < PRIORITIES; ++p) {
                for (k = 0; k < per_stream; ++k) {
                    if (*sent_byte(s, t, p, k) == SENT_STATUS &&
                        !*got_byte(s, t, p, k)) {
                        settle(s, t, p, k);
                    }
                }
            }
        }
    }
}

static void report(void)
{
    uint64_t offered = 0, delivered = 0, unknown = 0, both = 0, bytes = 0;
    uint64_t by_status[256] = {0};
    gmsim_fault_counts_t faults;
    gmsim_totals_t totals;
    unsigned s, t, p, i, alive = 0;
    uint32_t k;

    settle_all();
    for (s = 0; s < me.size; ++s) {
        alive += ledger->finished[s];
    }
    for (s = 0; s < me.size; ++s) {
        for (t = 0; t < me.size; ++t) {
            for (p = 0; s != t && p < PRIORITIES; ++p) {
                for (k = 0; k < per_stream; ++k) {
                    uint8_t sent = *sent_byte(s, t, p, k);
                    uint8_t got = *got_byte(s, t, p, k);

                    offered += sent != SENT_NOT;
                    delivered += got;
                    if (got) {
                        bytes += length_of(key_of(s, t, p, k));
                    }
                    if (sent >= SENT_STATUS) {
                        ++by_status[sent - SENT_STATUS];
                    }
                    unknown += sent == SENT_OFFERED;
                    both += got && sent > SENT_STATUS;
                    if (got > 1 || (got && sent == SENT_NOT) ||
                        (sent == SENT_STATUS && !got && ledger->finished[t]) ||
                        (sent == SENT_OFFERED && ledger->finished[s])) {
                        gmsim_fatal(
                            "soak: stream %u->%u priority %u: message "
                            "%u: sender's record %u, delivered %u times",
                            s, t, p, k, sent, got);
                    }
                }
            }
        }
    }
    gmsim_get_totals(&totals);
    gmsim_get_fault_counts(&faults);
    printf("soak: %u ranks, seed %" PRIu64 ", %" PRIu64
           " data packets planned\n",
           me.size, options.seed, planned_packets);
    printf("ranks that finished          %u\n", alive);
    printf("messages offered             %" PRIu64 "\n", offered);
    printf("messages delivered           %" PRIu64 "\n", delivered);
    printf("bytes delivered              %" PRIu64 "\n", bytes);
    for (i = 0; i < 254; ++i) {
        if (by_status[i] != 0) {
            printf("sends with this result       %" PRIu64 " %s\n",
                   by_status[i], gm_strerror((gm_status_t)i));
        }
    }
    printf("failed, but delivered        %" PRIu64 "\n", both);
    printf("unknown (sender died)        %" PRIu64 "\n", unknown);
    printf("virtual time, s              %.6f\n",
           (double)totals.now_ps * 1e-12);
    printf("events                       %" PRIu64 "\n", totals.events);
#define ROW(_text, _value) printf("%-28s %" PRIu64 "\n", _text, _value)
    ROW("packets", totals.packets);
    ROW("data packets", totals.data_packets);
    ROW("data packets sent again", faults.resent);
    ROW("acknowledgements", faults.acks);
    ROW("negative acknowledgements", faults.nacks);
    ROW("probes", faults.probes);
    ROW("dropped", faults.dropped);
    ROW("damaged in the header", faults.damaged_header);
    ROW("cut short by a link", faults.cut_short);
    ROW("  found by CRC-8", faults.bad_crc_header);
    ROW("damaged in the payload", faults.damaged_payload);
    ROW("  found by CRC-32", faults.bad_crc_payload);
    ROW("duplicated", faults.duplicated);
    ROW("delayed", faults.delayed);
    ROW("links taken down", faults.links_down);
    ROW("lost on a link that is down", faults.lost_on_link);
    ROW("out of sequence, early", faults.out_of_sequence_early);
    ROW("out of sequence, late", faults.out_of_sequence_late);
    ROW("dropped without a buffer", faults.no_buffer);
    ROW("dropped at a closed port", faults.closed_port);
    ROW("NIC resets", faults.nic_resets);
#undef ROW
    if (offered == 0 || (!options.mortal && delivered == 0) ||
        faults.bad_crc_header > faults.damaged_header + faults.cut_short ||
        faults.bad_crc_payload > faults.damaged_payload) {
        gmsim_fatal("soak: the counts of messages or packets are inconsistent");
    }
    fflush(stdout);
    unlink(options.ledger);
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
    plan();
    ledger_open();
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
        report();
    }
    gm_close(port);
    gm_finalize();
    return EXIT_SUCCESS;
}
