/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens the port of this process, and sends and receives the device's GM messages. Manages the send
 * tokens and receive buffers, and keeps send tokens in reserve for flows with a reservation.
 */
#include "gm_net.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Distance between two consecutive message buffers: the length of the size class. Each buffer
 * begins on its own page. */
#define ADIGM_BUFFER_BYTES ((size_t) 1 << ADIGM_SIZE_CLASS)
/* Memory for the buffers that every process needs to start and to exchange its first messages.
 * Memory for further buffers is allocated when they are first used. [measured: 16 processes
 * complete an allgather of 1 MB with 12 MB of shared memory] */
#define ADIGM_LEAST_BYTES (16 * ADIGM_BUFFER_BYTES)
/* Longest directed send; the limit of GM is 2^31 - 1 bytes. */
#define ADIGM_PUT_BYTES ((size_t) 1 << 30)
/* Tokens that are guaranteed to control traffic. Reverse messages must not wait behind regulated
 * flows. Otherwise, a throttled flow would also slow down the peer's sends to this process. Control
 * traffic takes only this number of tokens away from flows with a reservation. Control messages are
 * best effort, and remain in flight for a long time while other best-effort traffic fills the
 * network. If control messages could hold more tokens, a flow that waits for tokens would not reach
 * its reserved bandwidth. */
#define ADIGM_CONTROL_TOKENS 4
/* Tokens that are guaranteed to a flow with a reservation, regardless of the number of other flows.
 * These tokens are enough for two long messages with their announcements and final messages. If too
 * many flows have a reservation, these flows share three quarters of all tokens. A flow without
 * tokens would never reach its bandwidth. */
#define ADIGM_RESERVED_TOKENS 6
/* Time within which the launcher notices that a process has died, and ends all other processes. */
#define ADIGM_LAUNCHER_US 300000
/* Number of consecutive messages that may overtake bulk transfers. This limit exists because a
 * program that continuously sends short messages must not block its own long messages. */
#define ADIGM_PASSES 8

/* A GM send token with its buffer. Only messages and copied puts and gets use the buffer. */
typedef struct adigm_token {
    struct adigm_token *next;   /* next token in the free list */
    char *buffer;               /* NULL until the token needs its buffer for the first time */
    adigm_flow_t *flow;
    adigm_put_t *put;           /* NULL for a message */
    char *copy_to;              /* destination to which the data of a get are copied from the
                                   buffer, or NULL */
    size_t copy_bytes;
} adigm_token_t;

typedef struct adigm_queue {
    adigm_send_t *head, *tail;
} adigm_queue_t;

/*
 * Puts, and messages that must not overtake them, wait in a separate queue. At any time, the device
 * has posted only a few of these elements to GM. Otherwise, the announcement of the next long
 * message would wait behind all announced data, and the flow would then be idle until the answer
 * arrives.
 */
struct adigm_flow {
    adigm_flow_t *next_of_peer;
    adigm_flow_t *next_waiting;
    int peer;
    unsigned label;
    int in_flight;              /* number of tokens that the flow holds */
    int puts_in_flight;         /* number of tokens that are held by puts and gets of a limited kind
                                   (see adigm_net_is_counted()) */
    int is_reserved;            /* 1: the flow has a reservation */
    double reverse_bytes_s;     /* bandwidth of the reverse control traffic */
    double reverse_used;        /* number of bytes by which reverse traffic exceeds this
                                   bandwidth */
    uint64_t reverse_ps;        /* time at which reverse_used was last computed */
    int is_waiting;             /* 1: the flow is in a queue of waiting flows */
    int n_passes;               /* number of messages posted since the last bulk transfer */
    uint64_t n_waits;           /* number of sends that could not be posted immediately */
    adigm_queue_t messages;
    adigm_queue_t bulk;
};

typedef struct adigm_peer {
    unsigned node_id;
    unsigned port;
    adigm_flow_t *flows;
} adigm_peer_t;

/* List of flows with queued sends. */
typedef struct adigm_waiting {
    adigm_flow_t *head, *tail;
    int n;
} adigm_waiting_t;

static struct {
    gmsim_place_t place;
    struct gm_port *port;
    int by_memory;              /* 1: messages within a host use the host's memory instead of the
                                   NIC */
    adigm_peer_t *peers;        /* array indexed by the rank in the job */
    unsigned n_peers;
    adigm_token_t *tokens, *free_tokens;
    int n_tokens, n_free, n_control;
    int control_in_flight;      /* number of tokens that control traffic without a reservation
                                   holds */
    int n_kept, n_may_keep;     /* number of receive buffers with messages that no receive has
                                   matched, and the largest such number so far */
    int n_reserved;             /* number of flows with a reservation */
    int reserved_share;         /* number of tokens that are guaranteed to each of these flows */
    int reserved_in_flight;     /* number of guaranteed tokens that these flows hold */
    /* The device serves flows in turn, and gives precedence to flows with a reservation. The order
     * depends only on calls and never on addresses, because runs must be repeatable. */
    adigm_waiting_t waiting[2]; /* [0]: flows without a reservation; [1]: flows with a
                                   reservation */
    int is_posting;
} net;

static void adigm_net_sent_cb(struct gm_port *port, void *context, gm_status_t status);

static void adigm_net_check(gm_status_t status, const char *what)
{
    if (status != GM_SUCCESS)
        gmsim_fatal("MPI cannot start: %s failed: %s", what, gm_strerror(status));
}

static void *adigm_net_alloc(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL)
        gmsim_fatal("MPI: out of memory");
    return memory;
}

static void adigm_net_add_peers(unsigned n_peers)
{
    adigm_peer_t *peers = realloc(net.peers, n_peers * sizeof(*peers));
    if (peers == NULL)
        gmsim_fatal("MPI: out of memory");
    net.peers = peers;
    for (unsigned i = net.n_peers; i < n_peers; i++) {
        gmsim_place_t place;
        adigm_net_check(gmsim_get_place(i, &place), "gmsim_get_place");
        peers[i].node_id = place.node_id;
        peers[i].port = place.port;
        peers[i].flows = NULL;
    }
    net.n_peers = n_peers;
}

/* Return the peer with this rank. Ranks that were spawned after this process had opened its port
 * are added when they are first used. */
static adigm_peer_t *adigm_net_peer(int rank)
{
    if ((unsigned) rank >= net.n_peers)
        adigm_net_add_peers((unsigned) rank + 1);
    return &net.peers[rank];
}

static void adigm_net_find_peers(void)
{
    adigm_net_check(gmsim_get_my_place(&net.place), "gmsim_get_my_place");
    adigm_net_add_peers(net.place.size);
}

static void adigm_net_make_buffers(void)
{
    /* keep one send token in reserve, because clients of GM need it for calls such as
     * gm_drop_sends() */
    net.n_tokens = (int) gm_num_send_tokens(net.port) - 1;
    int n_buffers = (int) gm_num_receive_tokens(net.port);
    if (net.n_tokens < 2 || n_buffers < 2)
        gmsim_fatal("MPI cannot start: it needs 3 send tokens and 2 receive tokens, but the port "
                    "has %d and %d", net.n_tokens + 1, n_buffers);
    net.n_free = net.n_tokens;
    net.n_may_keep = n_buffers / 2;
    net.n_control = net.n_tokens / 4 < ADIGM_CONTROL_TOKENS ?
        net.n_tokens / 4 : ADIGM_CONTROL_TOKENS;
    /* Immediately reject a job that is too large. Otherwise, many processes would allocate memory
     * before one of them fails. */
    if (gmsim_check_memory(ADIGM_LEAST_BYTES) == GM_OUT_OF_MEMORY)
        gmsim_fatal("MPI cannot start: each of %u ranks needs at least %d KiB for message buffers",
                    net.place.size, (int) (ADIGM_LEAST_BYTES / 1024));
    adigm_net_check(gmsim_pool_buffers(net.port, (unsigned) net.n_tokens, ADIGM_SIZE_CLASS),
                    "gmsim_pool_buffers");
    adigm_net_check(gmsim_pool_buffers(net.port, (unsigned) n_buffers, ADIGM_SIZE_CLASS),
                    "gmsim_pool_buffers");

    net.tokens = adigm_net_alloc((size_t) net.n_tokens, sizeof(*net.tokens));
    for (int i = net.n_tokens - 1; i >= 0; i--) {
        net.tokens[i].next = net.free_tokens;
        net.free_tokens = &net.tokens[i];
    }
    for (int i = 0; i < n_buffers; i++)
        gmsim_provide_pooled(net.port, NULL, ADIGM_SIZE_CLASS, GM_LOW_PRIORITY);
}

void adigm_net_join(int rank, int size)
{
    static int has_joined;
    gmsim_place_t place;
    gmsim_world_t world;
    /* a process that has closed its port still belongs to the job, but is absent */
    if (has_joined)
        return;
    has_joined = 1;
    adigm_net_check(gm_init(), "gm_init");
    adigm_net_check(gmsim_get_my_place(&place), "gmsim_get_my_place");
    adigm_net_check(gmsim_get_world(&world), "gmsim_get_world");
    if (place.rank - world.first != (unsigned) rank || world.size != (unsigned) size)
        gmsim_fatal("this process is rank %d of %d for MPI, but the simulated cluster started it "
                    "as rank %u of %u", rank, size, place.rank - world.first, world.size);
    gmsim_leave_to_start();
}

int adigm_net_launched(void)
{
    gmsim_world_t world;
    adigm_net_check(gmsim_get_world(&world), "gmsim_get_world");
    return (int) world.launched;
}

int adigm_net_first_rank(void)
{
    gmsim_world_t world;
    adigm_net_check(gmsim_get_world(&world), "gmsim_get_world");
    return (int) world.first;
}

int adigm_net_host_of(int rank)
{
    gmsim_place_t place;
    adigm_net_check(gmsim_get_place((unsigned) rank, &place), "gmsim_get_place");
    return (int) place.node_id;
}

int adigm_net_is_by_memory(int rank)
{
    return net.by_memory && adigm_net_peer(rank)->node_id == net.place.node_id;
}

static void adigm_net_set_intra_host(void)
{
    uint64_t by_memory = 0;
    adigm_net_check(gmsim_get_param("intra_host", &by_memory), "gmsim_get_param");
    if (by_memory)
        adigm_net_check(gmsim_send_by_memory(net.port), "gmsim_send_by_memory");
    net.by_memory = by_memory != 0;
}

void adigm_net_open(void)
{
    gmsim_rejoin();
    /* trace the call that starts MPI, because its beginning was not observed */
    gmsim_trace_call("MPI_Init", 1);
    adigm_net_find_peers();
    adigm_net_check(gm_open(&net.port, 0, net.place.port, "mpi", GM_API_VERSION), "gm_open");
    adigm_net_check(gm_allow_remote_memory_access(net.port), "gm_allow_remote_memory_access");
    gmsim_set_bookkeeper(net.port, adigm_net_sent_cb);
    adigm_net_set_intra_host();
    adigm_net_make_buffers();
}

void adigm_net_close(void)
{
    gm_close(net.port);
    for (unsigned i = 0; i < net.n_peers; i++) {
        adigm_flow_t *next;
        for (adigm_flow_t * flow = net.peers[i].flows; flow; flow = next) {
            next = flow->next_of_peer;
            free(flow);
        }
    }
    free(net.peers);
    free(net.tokens);
    memset(&net, 0, sizeof(net));
}

const gmsim_place_t *adigm_net_place(void)
{
    return &net.place;
}

struct gm_port *adigm_net_port(void)
{
    return net.port;
}

void adigm_net_describe(int peer, unsigned label, gm_qos_flow_t * flow_p)
{
    flow_p->target_node = adigm_net_peer(peer)->node_id;
    flow_p->target_port = adigm_net_peer(peer)->port;
    flow_p->priority = GM_LOW_PRIORITY;
    flow_p->label = label;
}

static adigm_flow_t *adigm_net_find(int peer, unsigned label)
{
    adigm_flow_t *flow = adigm_net_peer(peer)->flows;
    while (flow && flow->label != label)
        flow = flow->next_of_peer;
    return flow;
}

uint64_t adigm_net_token_waits(int peer, unsigned label)
{
    const adigm_flow_t *flow = adigm_net_find(peer, label);
    return flow ? flow->n_waits : 0;
}

adigm_flow_t *adigm_net_flow(int peer, unsigned label)
{
    adigm_flow_t *flow = adigm_net_find(peer, label);
    if (flow == NULL) {
        flow = adigm_net_alloc(1, sizeof(*flow));
        flow->peer = peer;
        flow->label = label;
        flow->next_of_peer = adigm_net_peer(peer)->flows;
        adigm_net_peer(peer)->flows = flow;
    }
    return flow;
}

static int adigm_net_reserved_part(const adigm_flow_t * flow)
{
    if (!flow->is_reserved)
        return 0;
    return flow->in_flight < net.reserved_share ? flow->in_flight : net.reserved_share;
}

/* Return the largest total number of tokens that are guaranteed to flows with a reservation. */
static int adigm_net_for_reserved(void)
{
    return (net.n_tokens - net.n_control) * 3 / 4;
}

/* Return the number of guaranteed tokens that flows with a reservation do not hold now, but may
 * need at any time. Even if the guarantees exceed three quarters of all tokens, the last quarter
 * remains for other flows. */
static int adigm_net_kept_back(void)
{
    int n_tokens = net.n_reserved * net.reserved_share;
    if (n_tokens > adigm_net_for_reserved())
        n_tokens = adigm_net_for_reserved();
    return net.reserved_in_flight < n_tokens ? n_tokens - net.reserved_in_flight : 0;
}

/* Compute the guaranteed shares again after the number of flows with a reservation has changed. */
static void adigm_net_share_tokens(void)
{
    int share = net.n_reserved == 0 ? ADIGM_RESERVED_TOKENS :
        adigm_net_for_reserved() / net.n_reserved;
    net.reserved_share = share < 1 ? 1 : share > ADIGM_RESERVED_TOKENS ? ADIGM_RESERVED_TOKENS :
        share;
    net.reserved_in_flight = 0;
    for (unsigned i = 0; i < net.n_peers; i++) {
        for (const adigm_flow_t * flow = net.peers[i].flows; flow; flow = flow->next_of_peer)
            net.reserved_in_flight += adigm_net_reserved_part(flow);
    }
}

/* Return 1 if a flow may use another token. A flow may hold at most as many tokens as are still
 * free. A slow flow soon reaches this limit, which leaves the remaining tokens to other flows. A
 * single flow can use half of all tokens. */
static int adigm_net_may_post(const adigm_flow_t * flow)
{
    int n_free = net.n_free;
    int for_control = net.control_in_flight < net.n_control ?
        net.n_control - net.control_in_flight : 0;
    if (flow->label & ADIGM_REVERSE)
        return flow->in_flight < n_free;
    if (flow->label == ADIGM_CONTROL_LABEL) {
        if (for_control > 0)
            return n_free > 0;
    } else {
        n_free -= for_control;
        if (flow->is_reserved && flow->in_flight < net.reserved_share)
            return n_free > 0;
    }
    return flow->in_flight < n_free - adigm_net_kept_back();
}

int adigm_net_has_reserved(void)
{
    return net.n_reserved > 0;
}

int adigm_net_is_reserved(const adigm_flow_t * flow)
{
    return flow->is_reserved || (flow->label & ADIGM_REVERSE);
}

int adigm_net_pays_reverse(const adigm_flow_t * flow)
{
    return flow->is_reserved && flow->reverse_bytes_s > 0;
}

/* Limit the number of reverse messages in flight. The target's NIC sends reverse messages one by
 * one at the requested bandwidth, so additional messages would only wait in the NIC. */
int adigm_net_take_reverse(adigm_flow_t * flow, size_t len)
{
    if (!adigm_net_pays_reverse(flow))
        return 0;
    uint64_t now_ps = gmsim_library_time_ps();
    flow->reverse_used -= 1e-12 * (double) (now_ps - flow->reverse_ps) * flow->reverse_bytes_s;
    flow->reverse_ps = now_ps;
    if (flow->reverse_used < 0)
        flow->reverse_used = 0;
    if (flow->reverse_used + (double) len > (double) (ADIGM_REVERSE_AHEAD * len))
        return 0;
    flow->reverse_used += (double) len;
    return 1;
}

void adigm_net_reserve(adigm_flow_t * flow, int is_reserved, double reverse_bytes_s)
{
    flow->reverse_bytes_s = reverse_bytes_s;
    net.n_reserved += is_reserved - flow->is_reserved;
    flow->is_reserved = is_reserved;
    adigm_net_share_tokens();
}

static void adigm_net_count(adigm_flow_t * flow, int change)
{
    net.reserved_in_flight -= adigm_net_reserved_part(flow);
    flow->in_flight += change;
    net.reserved_in_flight += adigm_net_reserved_part(flow);
    if (flow->label == ADIGM_CONTROL_LABEL)
        net.control_in_flight += change;
}

/* Return 1 if GM may hold only a limited number of a flow's puts or gets of this kind at a time. */
static int adigm_net_is_counted(const adigm_put_t * put)
{
    return !put->is_copied && !put->is_chunk;
}

static void adigm_net_end_put(adigm_flow_t * flow, adigm_token_t * token, adigm_put_t * put)
{
    if (token->copy_to) {
        memcpy(token->copy_to, token->buffer, token->copy_bytes);
        gmsim_work(put->copy_ps);
    }
    token->copy_to = NULL;
    flow->puts_in_flight -= adigm_net_is_counted(put);
    put->in_flight--;
    if (put->left_bytes == 0 && put->in_flight == 0)
        put->completed(put);
}

static void adigm_net_sent_cb(struct gm_port *port, void *context, gm_status_t status)
{
    adigm_token_t *token = context;
    adigm_flow_t *flow = token->flow;
    adigm_put_t *put = token->put;
    if (status != GM_SUCCESS) {
        /* The most frequent cause is that the peer has died. The launcher reports the first process
         * that ends as the cause. Therefore, wait until the launcher has reported the peer and
         * ended the job. */
        usleep(ADIGM_LAUNCHER_US);
        gmsim_fatal("MPI: send to rank %d on label %u failed: %s", flow->peer, flow->label,
                    gm_strerror(status));
    }
    adigm_net_count(flow, -1);
    token->put = NULL;
    token->next = net.free_tokens;
    net.free_tokens = token;
    net.n_free++;
    if (put)
        adigm_net_end_put(flow, token, put);
}

/* Handle the completion of a put. This function is not the bookkeeper (see gmsim_set_bookkeeper()),
 * because bookkeeper calls do not end a wait. A process may wait for the completion of a put. */
static void adigm_net_put_cb(struct gm_port *port, void *context, gm_status_t status)
{
    adigm_net_sent_cb(port, context, status);
}

static adigm_token_t *adigm_net_take_token(adigm_flow_t * flow)
{
    adigm_token_t *token = net.free_tokens;
    net.free_tokens = token->next;
    net.n_free--;
    token->flow = flow;
    adigm_net_count(flow, 1);
    return token;
}

static void adigm_net_push(adigm_queue_t * queue, adigm_send_t * send)
{
    send->next = NULL;
    if (queue->tail)
        queue->tail->next = send;
    else
        queue->head = send;
    queue->tail = send;
}

static void adigm_net_pop(adigm_queue_t * queue)
{
    queue->head = queue->head->next;
    if (queue->head == NULL)
        queue->tail = NULL;
}

/* Return the token's buffer. The most recently freed tokens are used first, so few tokens ever need
 * a buffer. */
static char *adigm_net_buffer(adigm_token_t * token)
{
    if (token->buffer == NULL)
        token->buffer = gmsim_take_buffer(net.port);
    if (token->buffer == NULL)
        gmsim_fatal("MPI: no memory is left for a message");
    return token->buffer;
}

static void adigm_net_post_message(adigm_flow_t * flow, adigm_queue_t * queue)
{
    const adigm_peer_t *peer = &net.peers[flow->peer];
    adigm_token_t *token = adigm_net_take_token(flow);
    adigm_send_t *send = queue->head;
    int is_last = 0;
    char *buffer = adigm_net_buffer(token);
    size_t len = send->fill(send, buffer, &is_last);
    gm_qos_note_exchange(net.port, send->exchange_ps, send->exchange_packets);
    gm_qos_send_with_callback(net.port, buffer, ADIGM_SIZE_CLASS, len, GM_LOW_PRIORITY,
                              peer->node_id, peer->port, flow->label, adigm_net_sent_cb, token);
    if (is_last) {
        adigm_net_pop(queue);
        send->posted(send);
    }
}

/* Return the local memory of a directed send or get of len bytes: either the put's own memory or
 * the token's buffer. */
static char *adigm_net_put_memory(adigm_token_t * token, const adigm_put_t * put, size_t len)
{
    if (!put->is_copied)
        return put->source;
    char *buffer = adigm_net_buffer(token);
    if (put->is_get) {
        token->copy_to = put->source;
        token->copy_bytes = len;
    } else {
        memcpy(buffer, put->source, len);
        gmsim_work(put->copy_ps);
    }
    return buffer;
}

static void adigm_net_post_put(adigm_flow_t * flow)
{
    const adigm_peer_t *peer = &net.peers[flow->peer];
    adigm_token_t *token = adigm_net_take_token(flow);
    adigm_put_t *put = (adigm_put_t *) flow->bulk.head;
    size_t len = put->left_bytes < ADIGM_PUT_BYTES ? put->left_bytes : ADIGM_PUT_BYTES;
    char *memory = adigm_net_put_memory(token, put, len);
    gm_remote_ptr_t target = put->target;
    token->put = put;
    put->source += len;
    put->target += len;
    put->left_bytes -= len;
    put->in_flight++;
    flow->puts_in_flight += adigm_net_is_counted(put);
    if (put->left_bytes == 0)
        adigm_net_pop(&flow->bulk);
    if (put->is_get)
        gm_qos_get(net.port, target, memory, len, GM_LOW_PRIORITY, peer->node_id, peer->port,
                   flow->label, adigm_net_put_cb, token);
    else
        gm_qos_directed_send_with_callback(net.port, memory, target, len, GM_LOW_PRIORITY,
                                           peer->node_id, peer->port, flow->label,
                                           adigm_net_put_cb, token);
}

static int adigm_net_may_bulk(const adigm_flow_t * flow)
{
    const adigm_send_t *bulk = flow->bulk.head;
    return bulk && (bulk->fill || !adigm_net_is_counted((const adigm_put_t *) bulk) ||
                    flow->puts_in_flight < ADIGM_PUTS_IN_FLIGHT);
}

/* Post the next send of a flow. Returns 0 if the flow must wait. */
static int adigm_net_post(adigm_flow_t * flow)
{
    const adigm_send_t *bulk = flow->bulk.head;
    int may_bulk = adigm_net_may_bulk(flow);
    if (!adigm_net_may_post(flow))
        return 0;
    if (flow->messages.head && !(may_bulk && flow->n_passes >= ADIGM_PASSES)) {
        flow->n_passes++;
        adigm_net_post_message(flow, &flow->messages);
    } else if (may_bulk) {
        flow->n_passes = 0;
        if (bulk->fill)
            adigm_net_post_message(flow, &flow->bulk);
        else
            adigm_net_post_put(flow);
    } else {
        return 0;
    }
    return 1;
}

static void adigm_net_start_waiting(adigm_flow_t * flow)
{
    adigm_waiting_t *waiting = &net.waiting[adigm_net_is_reserved(flow)];
    flow->is_waiting = 1;
    flow->next_waiting = NULL;
    if (waiting->tail)
        waiting->tail->next_waiting = flow;
    else
        waiting->head = flow;
    waiting->tail = flow;
    waiting->n++;
}

static adigm_flow_t *adigm_net_stop_waiting(adigm_waiting_t * waiting)
{
    adigm_flow_t *flow = waiting->head;
    waiting->head = flow->next_waiting;
    if (waiting->head == NULL)
        waiting->tail = NULL;
    flow->is_waiting = 0;
    waiting->n--;
    return flow;
}

/* Post one send of the next waiting flow. Returns 0 if the flow must wait. */
static int adigm_net_post_next(adigm_waiting_t * waiting)
{
    adigm_flow_t *flow = adigm_net_stop_waiting(waiting);
    int is_posted = adigm_net_post(flow);
    if ((flow->messages.head || flow->bulk.head) && !flow->is_waiting)
        adigm_net_start_waiting(flow);
    return is_posted;
}

/* Serve the flows with a reservation in rounds, until no send is posted in a round. */
static int adigm_net_post_reserved(void)
{
    adigm_waiting_t *waiting = &net.waiting[1];
    int n_posted, n_all = 0;
    do {
        n_posted = 0;
        for (int n = waiting->n; n > 0 && net.n_free > 0; n--)
            n_posted += adigm_net_post_next(waiting);
        n_all += n_posted;
    } while (n_posted > 0);
    return n_all;
}

/* Serve all waiting flows in rounds. Before each send of a flow without a reservation, flows with a
 * reservation are served. */
static void adigm_net_post_waiting(void)
{
    adigm_waiting_t *waiting = &net.waiting[0];
    int n_posted;
    /* a posted callback may queue a send, which the running loop then also posts */
    if (net.is_posting)
        return;
    net.is_posting = 1;
    do {
        n_posted = adigm_net_post_reserved();
        for (int n = waiting->n; n > 0 && net.n_free > 0; n--) {
            n_posted += adigm_net_post_next(waiting);
            if (net.waiting[1].n > 0)
                n_posted += adigm_net_post_reserved();
        }
    } while (n_posted > 0);
    net.is_posting = 0;
}

static int adigm_net_n_waiting(void)
{
    return net.waiting[0].n + net.waiting[1].n;
}

static void adigm_net_queue(adigm_flow_t * flow, adigm_queue_t * queue, adigm_send_t * send)
{
    adigm_net_push(queue, send);
    if (!flow->is_waiting)
        adigm_net_start_waiting(flow);
    /* if a loop is already posting sends, it also posts this send */
    if (net.is_posting)
        return;
    adigm_net_post_waiting();
    flow->n_waits += queue->tail == send;
}

void adigm_net_send(adigm_flow_t * flow, adigm_send_t * send)
{
    adigm_net_queue(flow, &flow->messages, send);
}

void adigm_net_put(adigm_flow_t * flow, adigm_put_t * put)
{
    put->super.fill = NULL;
    put->super.posted = NULL;
    put->in_flight = 0;
    adigm_net_queue(flow, &flow->bulk, &put->super);
}

void adigm_net_send_behind_puts(adigm_flow_t * flow, adigm_send_t * send)
{
    adigm_net_queue(flow, &flow->bulk, send);
}

int adigm_net_may_keep(void)
{
    return net.n_kept < net.n_may_keep;
}

void adigm_net_give_back(void *message)
{
    net.n_kept--;
    gmsim_provide_pooled(net.port, message, ADIGM_SIZE_CLASS, GM_LOW_PRIORITY);
}

int adigm_net_poll(adigm_receive_fn_t receive)
{
    gm_recv_event_t *event = gm_receive(net.port);
    char *buffer = NULL;
    switch (GM_RECV_EVENT_TYPE(event)) {
        case GM_NO_RECV_EVENT:
            return 0;
        case GM_FAST_RECV_EVENT:
        case GM_FAST_PEER_RECV_EVENT:
        case GM_FAST_HIGH_RECV_EVENT:
        case GM_FAST_HIGH_PEER_RECV_EVENT:
            /* the data are part of the event, which is valid only until the next gm_receive() */
            buffer = gm_ntohp(event->recv.buffer);
            gm_memorize_message(gm_ntohp(event->recv.message), buffer,
                                gm_ntoh_u32(event->recv.length));
            break;
        case GM_RECV_EVENT:
        case GM_PEER_RECV_EVENT:
        case GM_HIGH_RECV_EVENT:
        case GM_HIGH_PEER_RECV_EVENT:
            buffer = gm_ntohp(event->recv.buffer);
            break;
        default:
            gm_unknown(net.port, event);
            break;
    }
    if (buffer) {
        if (receive(buffer, gm_ntoh_u32(event->recv.length)) == ADIGM_KEPT)
            net.n_kept++;
        else
            gmsim_provide_pooled(net.port, buffer, ADIGM_SIZE_CLASS, GM_LOW_PRIORITY);
    }
    adigm_net_post_waiting();
    return 1;
}

void adigm_net_wait(int is_for_sends)
{
    if (is_for_sends || adigm_net_n_waiting() > 0)
        gmsim_wait(net.port);
    else
        gmsim_wait_past_sends(net.port);
}

int adigm_net_is_quiet(void)
{
    return adigm_net_n_waiting() == 0 && net.n_free == net.n_tokens;
}
