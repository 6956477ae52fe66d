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

#define GMS_MANAGER_SLOTS      32u /* messages being sent, to begin with */
#define GMS_MANAGER_SLOTS_HOST 2u  /* of them to one host */
#define GMS_MANAGER_BUFFERS    32u /* receive buffers kept posted */
#define GMS_MANAGER_BINS       64u
#define GMS_MANAGER_NO_HOST    UINT32_MAX

typedef struct gms_agent gms_agent_t;
typedef struct gms_master gms_master_t;

/** Something for a manager to do. */
enum gms_item_kind {
    GMS_ITEM_MESSAGE, /* from another one */
    GMS_ITEM_CALL,    /* of a process here */
    GMS_ITEM_WATCH,
    GMS_ITEM_UNWATCH
};

typedef struct gms_manager_item {
    struct gms_manager_item *next;
    uint8_t kind;  /* enum gms_item_kind */
    uint32_t host; /* MESSAGE: from or, on its way out, to */
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

/** Room for a message being sent. */
typedef struct gms_manager_slot {
    uint32_t host; /* NO_HOST: free */
    unsigned char *bytes;
} gms_manager_slot_t;

/** A flow that this host's manager has a grant for. */
typedef struct gms_held_grant {
    gms_grant_t grant;         /* idt_ticks: in force */
    uint8_t tentative;         /* slower already than what it holds */
    uint8_t is_idle;           /* as reported */
    uint64_t promised_bytes_s; /* set aside on links, on the wire */
    uint64_t promised_back_bytes_s;
    uint64_t packets; /* sent when last looked at */
    struct gms_held_grant *hash_next, *next, *prev;
} gms_held_grant_t;

/** Somebody who ought to say something. */
typedef struct gms_manager_wait {
    uint8_t waits, pinged;
    gms_time_t since_ps; /* last word from there, or begin of the wait */
} gms_manager_wait_t;

struct gms_agent {
    gms_manager_t *manager;
    gms_nic_t *nic;
    uint32_t host;
    uint32_t term;
    uint8_t dead, is_working;

    /* link */
    unsigned char *buffers;
    gms_manager_slot_t *slots;
    unsigned slot_count;  /* a multiple of GMS_MANAGER_SLOTS, whose
                                      bytes are one block */
    gms_item_queue_t out; /* wait for a slot */
    gms_item_queue_t in;  /* wait to be worked on; first: is */
    gms_item_queue_t own; /* to itself */
    uint8_t is_draining;

    /* node */
    gms_held_grant_t *bins[GMS_MANAGER_BINS];
    gms_held_grant_t *first_held, *last_held;
    gms_call_queue_t calls; /* sent, not answered */
    gms_qos_call_t *filled; /* DECISION that goes on: its call */
    unsigned filled_count;
    gms_watch_queue_t watches;
    uint32_t next_number;
    uint32_t best_effort; /* grants of that class */
    uint8_t looks;        /* ON_IDLE is scheduled */

    /* term */
    uint32_t expected;       /* host that node role waits for */
    gms_manager_wait_t wait; /* for it */
    uint32_t proposed;       /* term, or 0 */
    uint32_t report;         /* number of the last STATE in this term */
    gms_time_t timer_ps;     /* of the event that counts; GMS_NEVER: none */
    gms_master_t *master;    /* NULL: is not */
};

struct gms_manager {
    gms_params_t params;
    gms_fabric_t *fabric;
    gms_topology_t *topology;
    gms_nic_t *const *nics; /* by node */
    unsigned nodes, hosts;
    gms_time_t work_ps, timeout_ps, idle_ps;
    gms_origin_t origin;
    gms_agent_t *agents; /* by host */
};

/** Arena memory; a full arena ends the run. Zeroed. */
void *gms_agent_alloc(gms_ctx_t *ctx, size_t bytes);
/** gms_qos_call_create() likewise. */
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

/** Open the port, post buffers. @return as gms_nic_open_agent_port() */
gms_status_t gms_agent_open(gms_ctx_t *ctx, gms_agent_t *agent);
void gms_agent_close(gms_ctx_t *ctx, gms_agent_t *agent);
/** Send; the term is filled in. A host that has no more to hear is silence. */
void gms_agent_send(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t host,
                    gms_manager_message_t *message);
/** A message of a kind, with a number. */
void gms_agent_say(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t host,
                   enum gms_manager_kind kind, uint32_t number, uint8_t flags);
/** Let something wait for the manager's work. Takes ownership. */
void gms_agent_put(gms_ctx_t *ctx, gms_agent_t *agent,
                   gms_manager_item_t *item);
/** Deal with the messages to itself; at the end of every event. */
void gms_agent_drain(gms_ctx_t *ctx, gms_agent_t *agent);
gms_handler_fn gms_agent_on_port;
gms_handler_fn gms_agent_on_work;

/** Records that travel in as many messages as it takes. */
typedef struct gms_manager_list {
    gms_ctx_t *ctx;
    gms_agent_t *agent;
    uint32_t host;
    gms_manager_message_t message; /* head of all of them */
    uint8_t flags;                 /* of the last */
} gms_manager_list_t;

void gms_list_begin(gms_manager_list_t *list, gms_ctx_t *ctx,
                    gms_agent_t *agent, uint32_t host,
                    enum gms_manager_kind kind, uint32_t number);
void gms_list_add(gms_manager_list_t *list, const gms_manager_record_t *record);
/** Send the last, marked with GMS_MANAGER_LAST and flags. */
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
/** The master has lost us: report again, once. */
void gms_node_on_master(gms_ctx_t *ctx, gms_agent_t *agent,
                        const gms_manager_message_t *message);
/** Tell the master in office all that is held, asked and watched here. */
void gms_node_report(gms_ctx_t *ctx, gms_agent_t *agent);
/** Answer all calls with an error; the manager is dead. */
void gms_node_fail_calls(gms_ctx_t *ctx, gms_agent_t *agent);
/** A call cannot be answered any more: its manager is dead. */
void gms_node_fail(gms_ctx_t *ctx, gms_agent_t *agent, gms_qos_call_t *call);

/* ---- grants of a node ---- */

gms_held_grant_t *gms_held_find(const gms_agent_t *agent, unsigned node,
                                const gms_flow_key_t *key);
/** Find or add. */
gms_held_grant_t *gms_held_get(gms_ctx_t *ctx, gms_agent_t *agent,
                               unsigned node, const gms_flow_key_t *key);
void gms_held_remove(gms_ctx_t *ctx, gms_agent_t *agent,
                     gms_held_grant_t *held);
/** Set its IDT on its card. */
/** Let the fabric know what is promised to the flow now. */
void gms_held_promise(gms_ctx_t *ctx, gms_agent_t *agent,
                      gms_held_grant_t *held);
void gms_held_set_idt(gms_ctx_t *ctx, gms_agent_t *agent,
                      gms_held_grant_t *held, uint32_t idt_ticks);
/** Its class, for who counts those of best effort, and for the NIC. */
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

/** Make a master, whose account is empty and which waits for STATE; without
 *  collect, one that has nothing to wait for. @return GMS_OK,
 *  GMS_ERR_NO_MEMORY */
gms_status_t gms_master_create(gms_ctx_t *ctx, gms_agent_t *agent);
void gms_master_destroy(gms_ctx_t *ctx, gms_agent_t *agent);
/** Take what all hosts hold over, then go on. */
void gms_master_collect(gms_ctx_t *ctx, gms_agent_t *agent);
void gms_master_on_message(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t from,
                           const gms_manager_message_t *message);
/** A word from a host, or none for too long, or it cannot be reached. */
void gms_master_heard(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t host);
void gms_master_lost(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t host,
                     int is_dead);
/** Look after those who do not answer. @return when to look again */
gms_time_t gms_master_on_timer(gms_ctx_t *ctx, gms_agent_t *agent);
const gms_account_t *gms_master_account(const gms_master_t *master);

/* ---- term ---- */

/** Look at a message's term. @return 0 if it is older: refused */
int gms_term_check(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t from,
                   const gms_manager_message_t *message);
void gms_term_on_propose(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t from,
                         uint32_t term);
/** The node's manager waits for the master from now on, or no longer. */
void gms_term_wait(gms_ctx_t *ctx, gms_agent_t *agent);
void gms_term_wait_over(gms_agent_t *agent);
/** A word from a host. */
void gms_term_heard(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t host);
/** A host cannot be reached. */
void gms_term_unreachable(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t host,
                          int is_dead);
/** Look again at that time at the latest. */
void gms_term_arm(gms_ctx_t *ctx, gms_agent_t *agent, gms_time_t at_ps);
/** One step of waiting for a host: asks for a sign of life at half time.
 *  @return when to look again; 0: silent for too long */
gms_time_t gms_wait_look(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t host,
                         gms_manager_wait_t *wait);
gms_handler_fn gms_term_on_timer;

/* ---- idle flows ---- */

/** There is a best-effort flow: begin to look, if that is wanted. */
void gms_idle_begin(gms_ctx_t *ctx, gms_agent_t *agent);
gms_handler_fn gms_idle_on_look;

#endif
