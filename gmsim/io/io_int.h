/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the state of the agents and the messages between them. Only gmsim/io
 * includes this header.
 *
 *   io.c      creation, and the functions of io.h
 *   link.c    ports, messages and data
 *   client.c  accesses of processes
 *   server.c  the disks of an I/O host
 *   reserve.c reservations
 */
#ifndef IO_IO_INT_H
#define IO_IO_INT_H

#include "base/queue.h"
#include "io/disk.h"
#include "io/io.h"
#include "io/stripe.h"

#define GMS_IO_PRIORITY 0u
#define GMS_IO_NO_INDEX UINT32_MAX

/** A message between agents. */
typedef struct gms_io_message {
    uint32_t kind;  /* a value of enum gms_io_kind */
    uint32_t label; /* label of the flow */
    uint32_t host;  /* index of the I/O host */
    uint32_t disk;
    uint32_t flags; /* flags of the access */
    uint32_t rank;  /* RESERVE, RELEASE: rank of the requester */
    /* length of the piece; RESERVE: bandwidth in bytes/s, stored as a double;
     * RESERVED: a gms_qos_call_t * */
    uint64_t bytes;
    uint64_t call; /* gms_io_call_t * or gms_io_reservation_t *, which the
                    * answer returns */
} gms_io_message_t;

/** Memory of a message that is being sent. */
typedef struct gms_io_slot {
    struct gms_io_slot *next; /* next slot in the list of free slots */
    gms_io_message_t *message;
} gms_io_slot_t;

/** The agent of a host. */
typedef struct gms_io_agent {
    gms_io_t *io;
    gms_nic_t *nic;
    unsigned node;
    uint32_t host; /* index of the I/O host, or GMS_IO_NO_INDEX */
    int is_open;
    unsigned char *buffers; /* receive buffers of the port */
    gms_io_slot_t *free;    /* list of free slots */
    gms_disk_t *disks;      /* array of disks; only agents of I/O hosts have
                             * disks */
} gms_io_agent_t;

/** A request that a disk or the manager of an I/O host is processing. */
typedef struct gms_io_job {
    gms_io_agent_t *agent; /* agent of that I/O host */
    unsigned node;         /* node of the requester */
    gms_io_message_t message;
} gms_io_job_t;

struct gms_io {
    gms_origin_t origin;
    gms_manager_t *manager;
    gms_io_layout_t layout;
    uint64_t mtu_bytes;
    uint64_t read_bytes_s, write_bytes_s;
    gms_time_t latency_ps;
    gms_io_agent_t *agents; /* array with one agent per host of the cluster */
    uint32_t *nodes;        /* node of each I/O host */
    /* All agents read and write the same memory, because the data have no
     * meaning. */
    unsigned char *data;
};

/** End the run with an error because the arena is full. */
void gms_io_no_memory(gms_ctx_t *ctx) __attribute__((noreturn));
/** Allocate zeroed memory from the arena. If the arena is full, the run
 *  ends. */
void *gms_io_alloc(gms_ctx_t *ctx, size_t bytes);
/** Return 1 if the requester is a process that has died. */
int gms_io_is_given_up(const gms_ctx_t *ctx, uint32_t handler, unsigned rank);
/** Notify the requester of an access or a reservation. */
void gms_io_notify(gms_ctx_t *ctx, gms_io_t *io, unsigned rank,
                   uint32_t handler, void *object, const void *thing);

/* ---- link.c ---- */

/** Open the agent's port if it is not open.
 *  @return the status of gms_nic_open_agent_port() */
gms_status_t gms_io_open(gms_ctx_t *ctx, gms_io_agent_t *agent);
/** Open the agent's port like gms_io_open(). After an error, the run ends. */
void gms_io_need_open(gms_ctx_t *ctx, gms_io_agent_t *agent);
/** Send a message. If bytes > 0, first send `bytes` of data in the same flow.
 *  An agent of the same host receives the message immediately. */
void gms_io_send(gms_ctx_t *ctx, gms_io_agent_t *agent, unsigned node,
                 const gms_io_message_t *message, uint64_t bytes);
gms_handler_fn gms_io_on_port;

/* ---- client.c ---- */

gms_handler_fn gms_io_on_call;
void gms_io_answered(gms_ctx_t *ctx, gms_io_agent_t *agent,
                     const gms_io_message_t *message);

/* ---- server.c ---- */

void gms_io_serve(gms_ctx_t *ctx, gms_io_agent_t *agent, unsigned node,
                  const gms_io_message_t *message);
gms_handler_fn gms_io_on_disk;

/* ---- reserve.c ---- */

gms_handler_fn gms_io_on_reserve, gms_io_on_grant, gms_io_on_back;
/** Handle RESERVE or RELEASE on an I/O host. */
void gms_io_reserve_flow(gms_ctx_t *ctx, gms_io_agent_t *agent, unsigned node,
                         const gms_io_message_t *message);
void gms_io_reserved(gms_ctx_t *ctx, gms_io_agent_t *agent,
                     const gms_io_message_t *message);

#endif
