/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Private to manager*.c: the state of the managers.
 *
 *   manager_link.c    messages between them: port, buffers, the queue of work
 *   manager_node.c    a host's manager: requests, grants and watches of its own
 *   manager_grant.c   the grants of a host
 *   manager_master.c  the master: one request after the other, in two phases
 *   manager_term.c    choice of the master: silence, election, takeover
 *   manager_idle.c    best-effort flows that do not use their share
 */
#ifndef MANAGER_MANAGER_INT_H
#define MANAGER_MANAGER_INT_H

#include "base/queue.h"
#include "manager/manager.h"
#include "manager/manager_message.h"

/** Initial number of messages that can be in transit at the same time. */
#define GMS_MANAGER_SLOTS 32u
/** Maximum number of messages that can be in transit to one host at the same
 *  time. */
#define GMS_MANAGER_SLOTS_HOST 2u
/** Number of receive buffers that a manager always keeps posted. */
#define GMS_MANAGER_BUFFERS 32u
#define GMS_MANAGER_BINS    64u
#define GMS_MANAGER_NO_HOST UINT32_MAX

typedef struct gms_agent gms_agent_t;
typedef struct gms_master gms_master_t;

/** Kinds of work items of a manager. */
enum gms_item_kind {
    GMS_ITEM_MESSAGE, /* message from another manager */
    GMS_ITEM_CALL,    /* call from a process on the manager's host */
    GMS_ITEM_WATCH,
    GMS_ITEM_UNWATCH
};

typedef struct gms_manager_item {
    struct gms_manager_item *next;
    uint8_t kind; /* enum gms_item_kind */
    /* if the item is a MESSAGE: the sender or, for an outgoing message, the
     * target */
    uint32_t host;
    union {
        gms_qos_call_t *call;
        gms_qos_watch_t *watch;
        struct {
            unsigned node, port;
            uint64_t cookie;
        } unwatch;
        gms_manager_message_t message;
    } u;
} gms_manager_item_t;

typedef struct gms_item_queue {
    gms_manager_item_t *first, *last;
} gms_item_queue_t;

typedef struct gms_call_queue {
    gms_qos_call_t *first, *last;
} gms_call_queue_t;

typedef struct gms_watch_queue {
    gms_qos_watch_t *first, *last;
} gms_watch_queue_t;

/** A buffer for a message that is being sent. */
typedef struct gms_manager_slot {
    uint32_t host; /* target of the message; GMS_MANAGER_NO_HOST: the slot is
                    * free */
    unsigned char *bytes;
} gms_manager_slot_t;

/** A flow for which this host's manager has a grant. */
typedef struct gms_held_grant {
    gms_grant_t grant; /* the grant; its field idt_ticks is the IDT that is now
                        * in use */
    /* 1: the flow has already been slowed down to a pace below its grant */
    uint8_t tentative;
    uint8_t is_idle; /* 1: the last report to the master listed the flow as
                      * idle */
    /* rate reserved on links, in bytes on the wire */
    uint64_t promised_bytes_s;
    uint64_t promised_back_bytes_s;
    uint64_t packets; /* number of packets that the flow had sent until the last
                       * check */
    struct gms_held_grant *hash_next, *next, *prev;
} gms_held_grant_t;

/** State of a wait for a message from a host. */
typedef struct gms_manager_wait {
    uint8_t waits, pinged;
    gms_time_t since_ps; /* time of the host's latest message, or start of the
                          * wait */
} gms_manager_wait_t;

struct gms_agent {
    gms_manager_t *manager;
    gms_nic_t *nic;
    uint32_t host;
    uint32_t term;
    uint8_t dead, is_working;

    /* fields of manager_link.c */
    unsigned char *buffers;
    gms_manager_slot_t *slots;
    /* a multiple of GMS_MANAGER_SLOTS, the number of slots in one block of
     * memory */
    unsigned slot_count;
    gms_item_queue_t out; /* messages that wait for a slot */
    /* items that wait for processing; the first item is in progress */
    gms_item_queue_t in;
    gms_item_queue_t own; /* messages that the manager sends to itself */
    uint8_t is_draining;

    /* fields of manager_node.c */
    gms_held_grant_t *bins[GMS_MANAGER_BINS];
    gms_held_grant_t *first_held, *last_held;
    gms_call_queue_t calls; /* calls that were sent and are still unanswered */
    gms_qos_call_t *filled; /* the call whose DECISION is still incomplete */
    unsigned filled_count;
    gms_watch_queue_t watches;
    uint32_t next_number;
    uint32_t best_effort; /* number of best-effort grants */
    uint8_t looks;        /* 1: an event ON_IDLE is scheduled */

    /* fields of manager_term.c */
    uint32_t expected;       /* host (the master or its successor) from which
                              * this node manager expects a message */
    gms_manager_wait_t wait; /* progress of the wait for this host */
    uint32_t proposed;       /* term that this host has proposed; 0: none */
    uint32_t report;         /* sequence number of the last STATE in this
                              * term */
    /* time of the next timer event; GMS_NEVER: no timer event is scheduled */
    gms_time_t timer_ps;
    gms_master_t *master; /* NULL: this host is not the master */
};

struct gms_manager {
    gms_params_t params;
    gms_fabric_t *fabric;
    gms_topology_t *topology;
    gms_nic_t *const *nics; /* indexed by node */
    unsigned nodes, hosts;
    gms_time_t work_ps, timeout_ps, idle_ps;
    gms_origin_t origin;
    gms_agent_t *agents; /* indexed by host */
};

/** Allocates zeroed arena memory; a full arena ends the run. */
void *gms_agent_alloc(gms_ctx_t *ctx, size_t bytes);
/** Creates a call in the same way as gms_qos_call_create(), except that a full
 *  arena ends the run. */
gms_qos_call_t *gms_agent_create_call(gms_ctx_t *ctx, unsigned source_node,
                                      unsigned rank, unsigned count);
static inline uint32_t gms_manager_host(const gms_manager_t *manager,
                                        unsigned node)
{
    return node % manager->hosts;
}
static inline uint32_t gms_manager_master_of(const gms_manager_t *manager,
                                             uint32_t term)
{
    return (uint32_t)((manager->params.qos_master - 1 + term) % manager->hosts);
}

/* ---- link ---- */

/** Opens the port and posts buffers. @return the same values as
 *  gms_nic_open_agent_port() */
gms_status_t gms_agent_open(gms_ctx_t *ctx, gms_agent_t *agent);
void gms_agent_close(gms_ctx_t *ctx, gms_agent_t *agent);
/** Sends a message, after setting its term. Messages to a host that no longer
 *  receives messages are dropped. */
void gms_agent_send(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t host,
                    gms_manager_message_t *message);
/** Sends a message that contains only its kind, a number and flags. */
void gms_agent_say(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t host,
                   enum gms_manager_kind kind, uint32_t number, uint8_t flags);
/** Queues an item for the manager. The queue takes ownership of the item. */
void gms_agent_put(gms_ctx_t *ctx, gms_agent_t *agent,
                   gms_manager_item_t *item);
/** Processes the messages that the manager has sent to itself. Call this
 *  function at the end of every event. */
void gms_agent_drain(gms_ctx_t *ctx, gms_agent_t *agent);
gms_handler_fn gms_agent_on_port;
gms_handler_fn gms_agent_on_work;

/** A list of records. The list is sent in as many messages as necessary. */
typedef struct gms_manager_list {
    gms_ctx_t *ctx;
    gms_agent_t *agent;
    uint32_t host;
    gms_manager_message_t message; /* header that all messages of the list have
                                    * in common */
    uint8_t flags;                 /* flags of the last message */
} gms_manager_list_t;

void gms_list_begin(gms_manager_list_t *list, gms_ctx_t *ctx,
                    gms_agent_t *agent, uint32_t host,
                    enum gms_manager_kind kind, uint32_t number);
void gms_list_add(gms_manager_list_t *list, const gms_manager_record_t *record);
/** Sends the last message of the list with the flag GMS_MANAGER_LAST and the
 *  given flags. */
void gms_list_end(gms_manager_list_t *list, uint8_t flags);

/* ---- node ---- */

void gms_node_take_call(gms_ctx_t *ctx, gms_agent_t *agent,
                        gms_qos_call_t *call);
void gms_node_take_watch(gms_ctx_t *ctx, gms_agent_t *agent,
                         gms_qos_watch_t *watch);
void gms_node_take_unwatch(gms_ctx_t *ctx, gms_agent_t *agent, unsigned node,
                           unsigned port, uint64_t cookie);
void gms_node_on_update(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t from,
                        const gms_manager_message_t *message);
void gms_node_on_decision(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t from,
                          const gms_manager_message_t *message);
void gms_node_on_room(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t number);
/** Handles a MASTER message, which reports that the master has given up on this
 * host. The host then reports its state again. */
void gms_node_on_master(gms_ctx_t *ctx, gms_agent_t *agent,
                        const gms_manager_message_t *message);
/** Reports all grants, requests and watches of this host to the current
 *  master. */
void gms_node_report(gms_ctx_t *ctx, gms_agent_t *agent);
/** Answers all calls with an error, because the manager is dead. */
void gms_node_fail_calls(gms_ctx_t *ctx, gms_agent_t *agent);
/** Answers a call with an error, because its manager is dead. */
void gms_node_fail(gms_ctx_t *ctx, gms_agent_t *agent, gms_qos_call_t *call);

/* ---- grants of a host ---- */

gms_held_grant_t *gms_held_find(const gms_agent_t *agent, unsigned node,
                                const gms_flow_key_t *key);
/** Returns the host's grant for a flow. Adds a grant if the flow has
 *  none. */
gms_held_grant_t *gms_held_get(gms_ctx_t *ctx, gms_agent_t *agent,
                               unsigned node, const gms_flow_key_t *key);
void gms_held_remove(gms_ctx_t *ctx, gms_agent_t *agent,
                     gms_held_grant_t *held);
/** Informs the fabric of the bandwidth that the flow now holds. */
void gms_held_promise(gms_ctx_t *ctx, gms_agent_t *agent,
                      gms_held_grant_t *held);
/** Sets the flow's IDT in its NIC. */
void gms_held_set_idt(gms_ctx_t *ctx, gms_agent_t *agent,
                      gms_held_grant_t *held, uint32_t idt_ticks);
/** Sets the class of a flow, both for the count of best-effort grants and for
 *  the NIC. */
void gms_held_set_class(gms_ctx_t *ctx, gms_agent_t *agent,
                        gms_held_grant_t *held, enum gms_qos_class qos_class);
void gms_held_record(const gms_held_grant_t *held,
                     gms_manager_record_t *record);
static inline int gms_key_is(const gms_flow_key_t *a, const gms_flow_key_t *b)
{
    return a->source_port == b->source_port &&
           a->target_node == b->target_node &&
           a->target_port == b->target_port && a->priority == b->priority &&
           a->label == b->label;
}

/* ---- master ---- */

/** Creates a master with an empty account. Until gms_master_collect() is
 *  called, the master does not wait for STATE messages.
 *  @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_master_create(gms_ctx_t *ctx, gms_agent_t *agent);
void gms_master_destroy(gms_ctx_t *ctx, gms_agent_t *agent);
/** Collects the grants of all hosts, then continues with the queued tasks. */
void gms_master_collect(gms_ctx_t *ctx, gms_agent_t *agent);
void gms_master_on_message(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t from,
                           const gms_manager_message_t *message);
/** The function gms_master_heard() records that a message from the host has
 *  arrived, so the host is alive. The function gms_master_lost() handles a host
 *  that sent no message during the whole time-out (is_dead 0) or is unreachable
 *  (is_dead 1). */
void gms_master_heard(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t host);
void gms_master_lost(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t host,
                     int is_dead);
/** Handles the hosts that do not answer in time. @return the time of the next
 *  check */
gms_time_t gms_master_on_timer(gms_ctx_t *ctx, gms_agent_t *agent);
const gms_account_t *gms_master_account(const gms_master_t *master);

/* ---- term ---- */

/** Compares the term of a message with the term of this manager. @return 1, or
 *  0 if the message has an older term and is rejected */
int gms_term_check(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t from,
                   const gms_manager_message_t *message);
void gms_term_on_propose(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t from,
                         uint32_t term);
/** Starts or ends this host's wait for the master. */
void gms_term_wait(gms_ctx_t *ctx, gms_agent_t *agent);
void gms_term_wait_over(gms_agent_t *agent);
/** Records that a message from a host has arrived. */
void gms_term_heard(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t host);
/** Handles an unreachable host. */
void gms_term_unreachable(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t host,
                          int is_dead);
/** Schedules a check for this time, unless a check is already scheduled for an
 *  earlier time. */
void gms_term_arm(gms_ctx_t *ctx, gms_agent_t *agent, gms_time_t at_ps);
/** Performs one step of waiting for a host: sends a PING after half of the
 *  time-out.
 *  @return the time of the next step; 0: the host was silent for the whole
 *      time-out */
gms_time_t gms_wait_look(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t host,
                         gms_manager_wait_t *wait);
gms_handler_fn gms_term_on_timer;

/* ---- idle flows ---- */

/** Starts checking for idle flows at the first best-effort flow, if these
 *  checks are enabled. */
void gms_idle_begin(gms_ctx_t *ctx, gms_agent_t *agent);
gms_handler_fn gms_idle_on_look;

#endif
