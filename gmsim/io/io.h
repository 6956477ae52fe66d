/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * I/O hosts: hosts with disks, to which the other hosts send the data of files.
 *
 * Each host has an agent with a GM port on its first NIC. The agent is code of
 * the engine, not a process, like a file system in a kernel. The agent of a
 * process's host divides an access into pieces (io/stripe.h) and exchanges
 * messages with the agents of the I/O hosts:
 *
 *     write:  the data of the piece, then a request -> .. disk .. -> an answer
 *     read:   a request -> .. disk .. -> the data of the piece, then an answer
 *     sync:   a request -> .. all requests before it .. -> an answer
 *
 * The data and the messages are ordinary traffic of GM. The transferred bytes
 * have no meaning, because the real data are in a file of the machine. If the
 * process runs on the I/O host itself, nothing crosses the network. An access
 * has at most GMS_IO_WINDOW requests under way to each I/O host.
 */
#ifndef IO_IO_H
#define IO_IO_H

#include "engine/engine.h"
#include "manager/manager.h"
#include "nic/nic.h"
#include "params/params.h"

enum gms_io_handler {
    GMS_IO_ON_CALL = GMS_HANDLER_IO, /* an access reaches the agent */
    GMS_IO_ON_PORT,    /* a message or event is in an agent's port */
    GMS_IO_ON_DISK,    /* a disk has served a request */
    GMS_IO_ON_RESERVE, /* a reservation reaches the agent */
    GMS_IO_ON_GRANT,   /* the manager has answered the agent of the requester */
    GMS_IO_ON_BACK     /* the manager has answered the agent of an I/O host */
};

/** GM port of the agents. Programs cannot open it. [source: GM 1.x reserves port
 *  3 for the network protocols of the host's kernel] */
#define GMS_IO_PORT 3u
/** Largest number of requests of one access that are under way to one I/O
 *  host. */
#define GMS_IO_WINDOW 8u

typedef struct gms_io gms_io_t; /* in the arena */

enum gms_io_kind {
    GMS_IO_WRITE = 1,
    GMS_IO_READ,
    GMS_IO_SYNC,   /* wait for all earlier requests */
    GMS_IO_RESIZE, /* change the size: one request without data per I/O host */
    /* kinds of messages that are not an access */
    GMS_IO_ANSWER,
    GMS_IO_RESERVE,
    GMS_IO_RESERVED, /* the answer to RESERVE */
    GMS_IO_RELEASE
};

/** Bits that state which flows of an access have a reservation. */
enum gms_io_flag {
    GMS_IO_WRITE_RESERVED = 1, /* the flows to the I/O hosts */
    GMS_IO_READ_RESERVED = 2   /* the flows from the I/O hosts */
};

/** Progress of an access on one I/O host. */
typedef struct gms_io_part {
    uint64_t next;      /* number of the next piece */
    uint32_t under_way; /* number of requests without an answer */
} gms_io_part_t;

/** An access and its answer. The access is in the arena, and the requester owns
 *  it. If the rank is no longer alive, the agent frees the access. */
typedef struct gms_io_call {
    enum gms_io_kind kind;
    unsigned node, rank; /* node and rank of the requester */
    uint32_t label;      /* label of the flows to and from the I/O hosts */
    uint32_t flags;      /* enum gms_io_flag */
    uint64_t offset, bytes;
    /* for a requester that is not a process: handler that is called when the
     * access is complete, with object and arg[0] = the call; 0: none */
    uint32_t handler;
    void *object;
    /* set when the access is complete; the rank is then signalled at the gate */
    int done;
    uint32_t open;        /* number of I/O hosts that have not answered all
                           * requests */
    gms_io_part_t part[]; /* one element per I/O host */
} gms_io_call_t;

/** A request for bandwidth on all flows with one label between a host and the
 *  I/O hosts, and its answer. The request is in the arena, and the requester owns
 *  it, as with an access. Each I/O host receives an equal part of the bandwidth.
 *  The bandwidths are granted as a whole or not at all. A request replaces the
 *  earlier reservation of the label; after a denial, the label has none. */
typedef struct gms_io_reservation {
    unsigned node, rank;
    uint32_t label;
    /* bytes of files per second to and from all I/O hosts together; 0: none. If
     * both values are 0, the reservation is released */
    double write_bytes_s, read_bytes_s;
    uint32_t handler; /* as in gms_io_call_t, with arg[0] = the reservation */
    void *object;
    int done;
    int granted;
    /* if denied: the direction, and the manager's answer */
    int denied_read;
    gms_status_t status;
    gms_qos_verdict_t verdict;
    gms_io_t *io;  /* used by the agents, like `open` */
    uint32_t open; /* number of I/O hosts that have not answered */
} gms_io_reservation_t;

/** Largest number of I/O hosts, because one request to the manager contains the
 *  flows to all of them. */
#define GMS_IO_HOSTS_MAX GMS_QOS_FLOWS_MAX

/**
 * Create the I/O hosts and open their ports.
 *
 * @param [in] nics   indexed by node; the array is in the arena
 * @param [in] manager  for reservations
 * @param [in] hosts  indices of the I/O hosts, counted from 0
 * @return GMS_OK, GMS_ERR_NO_MEMORY
 * @return GMS_ERR_BUSY port GMS_IO_PORT of a NIC is already open
 */
gms_status_t gms_io_create(gms_ctx_t *ctx, gms_nic_t *const *nics,
                           gms_manager_t *manager, const gms_params_t *params,
                           const uint32_t *hosts, unsigned count,
                           gms_io_t **io_p);
void gms_io_register(gms_ctx_t *ctx);

unsigned gms_io_hosts(const gms_io_t *io);
/** Create an access. All fields are zero except for the requester.
 *  gms_arena_free() frees the call. @return NULL if the arena is full */
gms_io_call_t *gms_io_call_create(gms_arena_t *arena, const gms_io_t *io,
                                  unsigned node, unsigned rank);
/** Start an access at the caller's clock [post]. */
void gms_io_post(gms_ctx_t *ctx, gms_io_t *io, gms_origin_t *origin,
                 gms_time_t at_ps, gms_io_call_t *call);

/** Create a reservation without bandwidth. gms_arena_free() frees it.
 *  @return NULL if the arena is full */
gms_io_reservation_t *gms_io_reservation_create(gms_arena_t *arena,
                                                gms_io_t *io, unsigned node,
                                                unsigned rank);
/** Request or release bandwidth at the caller's clock [post]. */
void gms_io_reserve(gms_ctx_t *ctx, gms_origin_t *origin, gms_time_t at_ps,
                    gms_io_reservation_t *reservation);
/** Return the rate of the data on the flows to all I/O hosts together, if each
 *  of these flows has the given bandwidth. */
double gms_io_data_bytes_s(const gms_io_t *io, double flow_bytes_s);

/** Counters of a disk. */
typedef struct gms_io_disk_counters {
    uint64_t requests;
    gms_time_t busy_ps;
} gms_io_disk_counters_t;

/** Return the counters of a disk of an I/O host; both are indices from 0. */
gms_io_disk_counters_t gms_io_disk(const gms_io_t *io, unsigned host,
                                   unsigned disk);

#endif
