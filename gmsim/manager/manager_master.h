/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the master, which processes its tasks (decisions) one at a time:
 *
 *   IDLE -> the account decides -> SLOWER -> FASTER -> IDLE
 *
 * In the states SLOWER and FASTER, the master waits for acknowledgements from
 * the affected hosts. A phase that has no updates is skipped. A new master
 * begins in the state COLLECT, which ends when all hosts have reported their
 * grants.
 *
 *   manager_master.c  states, messages, hosts that join and leave
 *   manager_decide.c  effect of a task on the account
 *   manager_change.c  updates for the hosts, by phase
 */
#ifndef MANAGER_MANAGER_MASTER_H
#define MANAGER_MANAGER_MASTER_H

#include "manager/manager_int.h"

enum gms_master_state {
    GMS_MASTER_IDLE = 0,
    GMS_MASTER_COLLECT,
    GMS_MASTER_SLOWER,
    GMS_MASTER_FASTER
};

enum gms_task_kind {
    GMS_TASK_REQUEST,
    GMS_TASK_ACTIVITY,
    GMS_TASK_WATCH,
    GMS_TASK_UNWATCH,
    GMS_TASK_JOIN, /* a lost host reports its grants */
    GMS_TASK_DROP, /* a host and all its grants are lost */
    GMS_TASK_SETTLE
};

typedef struct gms_master_task {
    struct gms_master_task *next;
    uint8_t kind; /* a value of enum gms_task_kind */
    uint32_t host, number;
    uint32_t losses; /* number of times that the requesting host had been lost
                      * before it sent the request */
    unsigned count, capacity;
    gms_manager_record_t *record;
} gms_master_task_t;

typedef struct gms_task_queue {
    gms_master_task_t *first, *last;
} gms_task_queue_t;

GMS_QUEUE_DEFINE(gms_task_queue, gms_task_queue_t, gms_master_task_t, next);

/** A pending change of an IDT. The change is an element of the list for its
 *  host and its phase. */
typedef struct gms_idt_change {
    struct gms_idt_change *next;
    gms_manager_record_t record;
} gms_idt_change_t;

typedef struct gms_change_list {
    gms_idt_change_t *first, *last;
} gms_change_list_t;

/** A flow whose IDT the account has changed, with the IDT in force. */
typedef struct gms_idt_note {
    gms_flow_key_t key;
    unsigned node, order;
    uint32_t idt_before;
} gms_idt_note_t;

enum gms_peer_state {
    GMS_PEER_HERE = 0,
    GMS_PEER_LOST,
    GMS_PEER_DEAD
};

/** The state of a host as the master knows it. */
typedef struct gms_peer {
    uint8_t state; /* a value of enum gms_peer_state */
    uint8_t asked; /* if the state is LOST: 1 if a MASTER message is on its way
                    * to the host */
    uint32_t losses;
    gms_manager_wait_t wait;
    /* two lists that are still incomplete: the list of STATE messages, and the
     * list of other messages */
    gms_master_task_t *partial[2];
    gms_change_list_t changes[2]; /* two lists: changes that slow flows down,
                                   * and changes that speed flows up */
} gms_peer_t;

struct gms_master {
    gms_account_t *account;
    uint8_t state; /* a value of enum gms_master_state */
    uint32_t step;
    /* in the states SLOWER and FASTER, the first task is in progress */
    gms_task_queue_t tasks;
    gms_task_queue_t watches; /* watches, in the order of their requests */
    /* in the state SETTLE: IDTs in force that are slower than the grants */
    gms_change_list_t restore;
    gms_idt_note_t *notes; /* changes of the account during this task */
    unsigned note_count, note_capacity;
    gms_manager_message_t verdict; /* verdict of the task's DECISION */
    /* if denied for a delay or jitter: the flow whose bound would be
     * exceeded */
    gms_manager_record_t victim;
    uint8_t has_victim;
    uint8_t decides; /* 1: the task has a DECISION */
    uint8_t is_granted;
    uint8_t frees;    /* 1: more bandwidth may be available after this task */
    uint32_t waiting; /* number of hosts that have not yet answered */
    gms_peer_t peers[];
};

/** The first function frees a task (NULL is allowed). The second function
 *  removes the tasks of the host with this number (0: any host) from a queue.
 *  The first `keep` tasks, and all tasks that handle the loss of a host, remain
 *  in the queue. */
void gms_task_free(gms_ctx_t *ctx, gms_master_task_t *task);
void gms_task_purge(gms_ctx_t *ctx, gms_task_queue_t *queue, unsigned keep,
                    uint32_t host, uint32_t number);

/** Executes the first task, but does not send updates to the hosts. If the task
 * is a watch, the function also removes the watch from the list of tasks. */
void gms_master_begin(gms_ctx_t *ctx, gms_agent_t *agent);
/** Notifies the owners of all watches whose flows would now be granted. */
void gms_master_look_at_watches(gms_ctx_t *ctx, gms_agent_t *agent);

/** Argument of gms_master_note(). */
typedef struct gms_master_note {
    gms_ctx_t *ctx;
    gms_master_t *master;
} gms_master_note_t;

gms_idt_changed_fn gms_master_note;
/** Sorts the noted changes by host and phase. Flows of the task `own` (may be
 *  NULL) are sent with its DECISION, unless these flows become slower. */
void gms_master_sort_notes(gms_ctx_t *ctx, gms_agent_t *agent,
                           const gms_master_task_t *own);
void gms_master_change(gms_ctx_t *ctx, gms_agent_t *agent, int is_slower,
                       const gms_manager_record_t *record);
void gms_change_put(gms_ctx_t *ctx, gms_change_list_t *list,
                    const gms_manager_record_t *record);
void gms_change_clear(gms_ctx_t *ctx, gms_change_list_t *list);
/** Returns 1 if the IDT `after` is slower than the IDT `before`. An unregulated
 * flow is faster than every other flow. */
int gms_idt_is_slower(uint32_t after, uint32_t before);
void gms_master_record(const gms_grant_t *grant, gms_manager_record_t *record);
/** Starts waiting for an answer from a host. */
void gms_master_await(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t host);
/** Sends the updates of a phase (0: slower, 1: faster), and waits for their
 *  acknowledgements. */
void gms_master_begin_phase(gms_ctx_t *ctx, gms_agent_t *agent, unsigned phase);

#endif
