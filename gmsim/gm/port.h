/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * State that the library keeps for an open port; private to the process. The
 * NIC knows the port by its number. It returns a cookie with every completed
 * send: the number of the slot that holds the callback.
 */
#ifndef GM_PORT_H
#define GM_PORT_H

#include "gm.h"
#include "job/dma.h"
#include "job/sim.h"
#include "gm_qos.h"
#include "nic/nic.h"

#define GMS_PORT_NO_SLOT UINT32_MAX
#define GMS_DMA_BUCKETS  256u

/** A send token and what its current send's end is to call. */
typedef struct gms_send_slot {
    gm_send_completion_callback_t callback;
    void *context;
    const void *message; /* of a send without callback, for its event */
    uint16_t target_node, target_subport; /* of such a send */
    uint8_t has_no_callback;              /* sent by a call that takes none */
    gm_status_t status;                   /* once the send is over */
    uint32_t next; /* in the list that the slot is in, if any */
} gms_send_slot_t;

/** First in, first out, linked through gms_send_slot_t.next. */
typedef struct gms_slot_list {
    uint32_t first, last;
} gms_slot_list_t;

/** An alarm that is set. The library's own node: what the program does to its
 *  struct gm_alarm meanwhile cannot break the list. */
typedef struct gms_alarm_node {
    struct gms_alarm_node *next;
    struct gm_alarm *alarm;
    void (*callback)(void *context);
    void *context;
    uint64_t deadline; /* ticks */
} gms_alarm_node_t;

/** A flow that this port has asked the manager about. */
typedef struct gms_held_flow {
    struct gms_held_flow *next;
    gms_flow_key_t key;
} gms_held_flow_t;

/** A question that the manager keeps: gm_qos_watch_room(). */
typedef struct gms_room_watch {
    struct gms_room_watch *next;
    uint64_t cookie;
    gm_qos_room_callback_t callback;
    void *context;
    int is_told; /* its event was returned; gm_unknown() calls back */
} gms_room_watch_t;

struct gm_port {
    struct gm_port *next; /* of the process's open ports */
    gms_sim_t *sim;
    gms_nic_t *nic;
    gms_root_port_t *root; /* what its driver knows of it */
    unsigned node;         /* 0-based: the card */
    unsigned number;
    int by_memory; /* gmsim_send_by_memory() */
    char name[GM_MAX_PORT_NAME_LEN];
    char waits_for[64];                   /* "receive on port 2 of node1" */
    char host_name[GM_MAX_HOST_NAME_LEN]; /* gm_node_id_to_host_name() */

    gms_send_slot_t *slots;                   /* gm_num_send_tokens() of them */
    gm_send_completion_callback_t bookkeeper; /* or NULL */
    gms_time_t exchange_ps; /* of the next send: gm_qos_note_exchange() */
    uint32_t exchange_packets;
    gms_slot_list_t free;
    gms_slot_list_t failed; /* over before they reached the card; no event
                               has been returned for them */
    gms_slot_list_t booked; /* slept past; their callbacks are due */
    gms_slot_list_t done;   /* an event was returned; gm_unknown() calls back */
    unsigned counted[GM_NUM_PRIORITIES]; /* gm_alloc_send_token() and such */
    unsigned buffers;                    /* receive tokens that the card has */

    union gm_recv_event event; /* what the last receive call returned */
    /* A FAST message's data lie where the event points to. */
    unsigned char fast[GMS_NIC_FAST_MAX] __attribute__((aligned(16)));
    union gm_recv_event plain; /* was FAST; to be returned next */
    int has_plain;
    int has_fast;           /* event is a FAST message that gm_unknown() has
                                   not made plain yet */
    gm_up_n_t sent_list[2]; /* message of a send without callback, NULL */
    void *words;            /* one of 8 bytes per send token, registered:
                                   gm_datagram_send_4() */
    uint32_t violations; /* bit per event type that is still to be returned */

    gms_path_times_t path; /* of the message returned last, up to visible_ps */
    gms_time_t visible_ps;
    gms_time_t returned_ps; /* clock after the call that returned it */
    int has_path;
    int returned_message; /* the last receive call returned one */

    gms_alarm_node_t *alarms; /* by deadline */
    gms_time_t armed_ps;      /* when the card's alarm goes off; GMS_NEVER: it
                                is not set */

    gms_held_flow_t *held;
    gms_room_watch_t *watches;             /* in order of asking */
    gms_dma_block_t *dma[GMS_DMA_BUCKETS]; /* by address */
};

/** 1 if the pointer is one of this process's open ports; looks at nothing that
 *  it points to unless it is. Every call of the interface asks this first. */
int gms_port_is_open(const struct gm_port *port);
/** A flow as the card and the manager know it.
 *  @return GM_SUCCESS; GM_INVALID_PARAMETER: the port is not open, or something
 *          in the flow is out of range */
gm_status_t gms_port_flow_key(const struct gm_port *port,
                              const gm_qos_flow_t *flow, gms_flow_key_t *key);

/** Take the first slot off a list. @return GMS_PORT_NO_SLOT if it is empty */
uint32_t gms_port_pop(struct gm_port *port, gms_slot_list_t *list);
void gms_port_push(struct gm_port *port, gms_slot_list_t *list, uint32_t slot);

/** Have an event of this type returned by a receive call. */
void gms_port_violate(struct gm_port *port, enum gm_recv_event_type type);

/** 1 if a receive call would find something; lock held. */
int gms_port_has_event(struct gm_port *port);
/** Look for an event as of the caller's clock. Waits until something comes up,
 *  at most for the poll quantum. Lock held after, not before.
 *  @return as has_event */
int gms_port_poll(struct gm_port *port);

/** 1 if the port's first alarm is due; else arms the card for it. */
int gms_alarm_is_due(struct gm_port *port);
/** The card's alarm has gone off; time_ps is when. */
void gms_alarm_went_off(struct gm_port *port, gms_time_t time_ps);
/** Call what is due. */
void gms_alarm_run(struct gm_port *port);
/** Take all alarms back. */
void gms_alarm_cancel_all(struct gm_port *port);

/** Call back for the sends whose event was returned. */
void gms_unknown_sent(struct gm_port *port);

/** Give back what the port's flows hold, and forget its watches; before it is
 *  closed. */
void gms_qos_release_all(struct gm_port *port);
/** The manager's notice about a watch has been returned by a receive call. */
void gms_qos_told(struct gm_port *port, uint64_t cookie);
/** Call back for the watches whose notice was returned. */
void gms_qos_run_told(struct gm_port *port);
/** Registered memory of the library's own, or NULL; the caller's turn. */
void *gms_dma_alloc(struct gm_port *port, gm_size_t length);
/** Free a closing port's DMA memory; the caller's turn. */
void gms_dma_free_all(struct gm_port *port);
/** 1 if the port may use the memory, so that no use of it can do harm to
 *  anybody but the program. */
int gms_memory_is_usable(const struct gm_port *port, const void *address,
                         gm_size_t length);
/** 1 if the program has the addresses: 0 for those that would be a fault. */
int gms_memory_is_mapped(const void *address, gm_size_t length);

#endif
