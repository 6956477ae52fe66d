/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the state that the library keeps for an open port. This state is
 * private to the process. The NIC identifies the port by its number. With every
 * completed send, the NIC returns a cookie, which is the number of the slot
 * that holds the callback.
 */
#ifndef GM_PORT_H
#define GM_PORT_H

#include "base/ranges.h"
#include "gm.h"
#include "job/dma.h"
#include "job/sim.h"
#include "gm_qos.h"
#include "nic/nic.h"

#define GMS_PORT_NO_SLOT UINT32_MAX
#define GMS_DMA_BUCKETS  256u

/** A send token, and the callback of the send that uses the token. */
typedef struct gms_send_slot {
    gm_send_completion_callback_t callback;
    void *context;
    const void *message; /* message of a send without callback, for the event
                          * that reports the send */
    uint16_t target_node, target_subport; /* target of a send without
                                           * callback */
    uint8_t has_no_callback;              /* 1: the send call has no callback
                                           * argument */
    gm_status_t status;                   /* result of the send; set when the
                                           * send has ended */
    uint32_t next; /* next slot in the same list, if the slot is in a list */
} gms_send_slot_t;

/** A first-in, first-out list of slots, which are linked through
 *  gms_send_slot_t.next. */
typedef struct gms_slot_list {
    uint32_t first, last;
} gms_slot_list_t;

/** An alarm that the program has set. The library owns this node, so the
 *  program cannot corrupt the list by changing its own struct gm_alarm. */
typedef struct gms_alarm_node {
    struct gms_alarm_node *next;
    struct gm_alarm *alarm;
    void (*callback)(void *context);
    void *context;
    uint64_t deadline; /* ticks */
} gms_alarm_node_t;

/** A flow for which this port has sent a request to the manager. */
typedef struct gms_held_flow {
    struct gms_held_flow *next;
    gms_flow_key_t key;
} gms_held_flow_t;

/** A watch that gm_qos_watch_room() created at the manager. */
typedef struct gms_room_watch {
    struct gms_room_watch *next;
    uint64_t cookie;
    gm_qos_room_callback_t callback;
    void *context;
    /* 1: the watch's event has been returned; gm_unknown() will run the
     * callback */
    int is_told;
} gms_room_watch_t;

struct gm_port {
    struct gm_port *next; /* next open port of the process */
    gms_sim_t *sim;
    gms_nic_t *nic;
    gms_port_driver_t *driver; /* state that the driver stores for the port */
    unsigned node;             /* number of the NIC, counting from 0 */
    unsigned number;
    int by_memory;       /* 1: gmsim_send_by_memory() has been called */
    gms_ranges_t mapped; /* addresses that were mapped when gmsim_pin_memory()
                          * checked them */
    char name[GM_MAX_PORT_NAME_LEN];
    char waits_for[64];   /* text such as "receive on port 2 of node1" */
    unsigned poll_series; /* value of gms_sim_t.poll_series at the port's latest
                           * poll */
    char host_name[GM_MAX_HOST_NAME_LEN]; /* result of
                                           * gm_node_id_to_host_name() */

    gms_send_slot_t *slots;                   /* array of gm_num_send_tokens()
                                               * slots */
    gm_send_completion_callback_t bookkeeper; /* callback that was passed to
                                               * gmsim_set_bookkeeper(), or
                                               * NULL */
    gms_time_t exchange_ps; /* start time of the exchange that the next send
                             * completes (gm_qos_note_exchange()) */
    uint32_t exchange_packets;
    gms_slot_list_t free;
    gms_slot_list_t failed; /* sends that failed before they reached the NIC;
                             * their events have not yet been returned */
    gms_slot_list_t booked; /* sends that ended during gmsim_wait_past_sends();
                             * their callbacks are due */
    gms_slot_list_t done;   /* sends whose event has been returned; gm_unknown()
                             * will run their callbacks */
    unsigned counted[GM_NUM_PRIORITIES]; /* send tokens counted by
                                          * gm_alloc_send_token() and
                                          * gm_free_send_token() */
    unsigned buffers;                    /* number of receive tokens that the
                                          * NIC holds */

    union gm_recv_event event; /* event that the last receive call returned */
    /* Data of a FAST message; the event points to these data. */
    unsigned char fast[GMS_NIC_FAST_MAX] __attribute__((aligned(16)));
    union gm_recv_event plain; /* plain form of a FAST or PEER event; the next
                                * receive call returns this form */
    int has_plain;
    int has_special;        /* 1: `event' is a FAST or PEER message that
                             * gm_unknown() has not yet converted */
    gm_up_n_t sent_list[2]; /* message of a send without callback, followed
                             * by NULL */
    void *words;            /* registered memory for gm_datagram_send_4(): 8
                             * bytes per send token */
    uint32_t violations;    /* one bit for each type of pending error event */

    gms_path_times_t path; /* times that the most recently returned message
                            * spent at each station before visible_ps */
    gms_time_t visible_ps;
    gms_time_t returned_ps; /* clock at the end of the receive call that
                             * returned this message */
    int has_path;
    int returned_message; /* 1: the last receive call returned a message */

    gms_alarm_node_t *alarms; /* alarms, sorted by deadline */
    gms_time_t armed_ps;      /* time at which the NIC's alarm expires;
                               * GMS_NEVER: the alarm is not set */

    gms_held_flow_t *held;
    gms_room_watch_t *watches;             /* watches in the order in which they
                                            * were created */
    gms_dma_block_t *dma[GMS_DMA_BUCKETS]; /* hash table of DMA memory, indexed
                                            * by address */
};

/** Return 1 if the pointer is one of this process's open ports. The function
 *  does not dereference any other pointer. Every function of the interface
 *  calls this function first. */
int gms_port_is_open(const struct gm_port *port);
/** Convert a flow to the key that the NIC and the manager use.
 *  @return GM_SUCCESS; GM_INVALID_PARAMETER: the port is not open, or a field
 *          of the flow is out of range */
gm_status_t gms_port_flow_key(const struct gm_port *port,
                              const gm_qos_flow_t *flow, gms_flow_key_t *key);

/** Remove the first slot from a list. @return GMS_PORT_NO_SLOT if the list is
 *  empty */
uint32_t gms_port_pop(struct gm_port *port, gms_slot_list_t *list);
void gms_port_push(struct gm_port *port, gms_slot_list_t *list, uint32_t slot);

/** Make a receive call return an event of this type. */
void gms_port_violate(struct gm_port *port, enum gm_recv_event_type type);

/** Return 1 if a receive call would return an event. The caller must hold the
 *  lock. */
int gms_port_has_event(struct gm_port *port);
/** Check for an event at the time of the caller's clock, and wait at most one
 *  poll quantum for it. The function takes the lock, and holds it when it
 *  returns.
 *  @return the same value as gms_port_has_event() */
int gms_port_poll(struct gm_port *port);

/** Begin a poll of the port, before the process takes the lock.
 *  @return the number of earlier polls in the current series of polls without a
 *         result */
uint64_t gms_poll_begin(gms_sim_t *sim);
/** End a poll without a result, after the process has released the lock. */
void gms_poll_end(gms_sim_t *sim);
/** Wait until a signal arrives or the time until_ps is reached. If all
 *  processes only poll, end the run with a deadlock report
 *  (gms_gate_poll_until_signal()). The caller must hold the lock.
 *  @param [in] polls  result of gms_poll_begin()
 *  @return 1 if a signal arrived, 0 if the time was reached */
int gms_poll_wait(struct gm_port *port, gms_time_t until_ps, uint64_t polls);

/** Return 1 if the port's first alarm is due; otherwise set the NIC's alarm for
 *  the first alarm. */
int gms_alarm_is_due(struct gm_port *port);
/** Record that the NIC's alarm expired at time_ps. */
void gms_alarm_went_off(struct gm_port *port, gms_time_t time_ps);
/** Run the callbacks of the alarms that are due. */
void gms_alarm_run(struct gm_port *port);
/** Cancel all alarms. */
void gms_alarm_cancel_all(struct gm_port *port);

/** Run the callbacks of the sends whose event was returned. */
void gms_unknown_sent(struct gm_port *port);

/** Release the reservations of the port's flows, and end the port's watches.
 *  Call this function before the port is closed. */
void gms_qos_release_all(struct gm_port *port);
/** Record that a receive call has returned the manager's notice about a
 *  watch. */
void gms_qos_told(struct gm_port *port, uint64_t cookie);
/** Run the callbacks of the watches whose notice was returned. */
void gms_qos_run_told(struct gm_port *port);
/** Allocate registered memory for the library itself. Returns NULL if there is
 *  no memory. Call this function only when it is the caller's turn. */
void *gms_dma_alloc(struct gm_port *port, gm_size_t length);
/** Free the DMA memory of a port that is being closed. Call this function only
 *  when it is the caller's turn. */
void gms_dma_free_all(struct gm_port *port);
/** Return 1 if the port may use the memory. Accesses to such memory can harm
 *  only the program itself. */
int gms_memory_is_usable(const struct gm_port *port, const void *address,
                         gm_size_t length);
/** Return 1 if the host's limit of registered memory allows the port to
 *  register this number of additional bytes. Call this function only when it is
 *  the caller's turn. */
int gms_memory_may_pin(const struct gm_port *port, gm_size_t length);
/** Return the virtual time that it takes to register or deregister memory. */
gms_time_t gms_memory_cost_ps(const gms_sim_t *sim, gm_size_t length);
/** Return 1 if the addresses are mapped, 0 if an access would cause a fault. */
int gms_memory_is_mapped(const void *address, gm_size_t length);

#endif
