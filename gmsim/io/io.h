/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares I/O hosts, which are hosts with disks to which the other hosts send
 * file data.
 *
 * Each host has an agent with a GM port on its first NIC. Like a file system in
 * a kernel, the agent is code of the engine, not a process. The agent on the
 * host of the process divides an access into pieces (io/stripe.h). This agent
 * exchanges messages with the agents of the I/O hosts:
 *
 *     write:  the data of the piece, then a request -> .. disk .. -> an answer
 *     read:   a request -> .. disk .. -> the data of the piece, then an answer
 *     sync:   a request -> .. all requests before it .. -> an answer
 *
 * The data and the messages are ordinary GM traffic. The transferred bytes have
 * no meaning, because the real data are in a file on the real machine. If the
 * process runs on the I/O host itself, no data cross the network. An access has
 * at most GMS_IO_WINDOW outstanding requests to each I/O host.
 */
#ifndef IO_IO_H
#define IO_IO_H

#include "engine/engine.h"
#include "manager/manager.h"
#include "nic/nic.h"
#include "params/params.h"

enum gms_io_handler {
    GMS_IO_ON_CALL = GMS_HANDLER_IO, /* an access reaches the agent */
    GMS_IO_ON_PORT,    /* a message or event has arrived at an agent's port */
    GMS_IO_ON_DISK,    /* a disk has served a request */
    GMS_IO_ON_RESERVE, /* a reservation reaches the agent */
    GMS_IO_ON_GRANT,   /* the manager has answered the requester's agent */
    GMS_IO_ON_BACK     /* the manager has answered the agent of an I/O host */
};

/** GM port that the agents use. Programs cannot open it. [source: GM 1.x
 *  reserves port 3 for the network protocols of the host's kernel] */
#define GMS_IO_PORT 3u
/** Maximum number of outstanding requests of one access to one I/O host. */
#define GMS_IO_WINDOW 8u

typedef struct gms_io gms_io_t; /* this structure is in the arena */

enum gms_io_kind {
    GMS_IO_WRITE = 1,
    GMS_IO_READ,
    GMS_IO_SYNC,   /* wait for all earlier requests */
    GMS_IO_RESIZE, /* change the file size: one request without data per I/O
                    * host */
    /* the following kinds of messages are not accesses */
    GMS_IO_ANSWER,
    GMS_IO_RESERVE,
    GMS_IO_RESERVED, /* the answer to RESERVE */
    GMS_IO_RELEASE
};

/** Bits that indicate which flows of an access have a reservation. */
enum gms_io_flag {
    GMS_IO_WRITE_RESERVED = 1, /* the flows to the I/O hosts */
    GMS_IO_READ_RESERVED = 2   /* the flows from the I/O hosts */
};

/** Progress of an access on one I/O host. */
typedef struct gms_io_part {
    uint64_t next;      /* number of the next piece */
    uint32_t under_way; /* number of requests that have not been answered */
} gms_io_part_t;

/** An access and its answer. The access is in the arena and belongs to the
 *  requester. If the requester's rank is dead, the agent frees the access. */
typedef struct gms_io_call {
    enum gms_io_kind kind;
    unsigned node, rank; /* node and rank of the requester */
    uint32_t label;      /* label of the flows to and from the I/O hosts */
    uint32_t flags;      /* bits of enum gms_io_flag */
    uint64_t offset, bytes;
    /* for a requester that is not a process: handler that is called when the
     * access is complete. The handler's event contains `object`, and the access
     * as arg[0]. 0: no handler */
    uint32_t handler;
    void *object;
    /* set when the access is complete; the gate then signals the rank */
    int done;
    uint32_t open;        /* number of I/O hosts that have not answered all
                           * requests */
    gms_io_part_t part[]; /* array with one element per I/O host */
} gms_io_call_t;

/** A request for bandwidth on all flows with one label between a host and the
 *  I/O hosts, and its answer. Like an access, the request is in the arena and
 *  belongs to the requester. Each I/O host receives an equal part of the
 *  bandwidth. Either all bandwidths are granted or none. A request replaces the
 *  earlier reservation of the label. After a denial, the label has no
 *  reservation. */
typedef struct gms_io_reservation {
    unsigned node, rank;
    uint32_t label;
    /* bytes of file data per second to and from all I/O hosts together; 0 means
     * no bandwidth. If both values are 0, the reservation is released */
    double write_bytes_s, read_bytes_s;
    uint32_t handler; /* same meaning as in gms_io_call_t; arg[0] is the
                       * reservation */
    void *object;
    int done;
    int granted;
    /* if the request was denied: the direction that was denied, and the
     * manager's answer */
    int denied_read;
    gms_status_t status;
    gms_qos_verdict_t verdict;
    gms_io_t *io;  /* for internal use by the agents; so is the field `open` */
    uint32_t open; /* number of I/O hosts that have not answered yet */
} gms_io_reservation_t;

/** Maximum number of I/O hosts. The limit exists because one request to the
 *  manager contains the flows to all of them. */
#define GMS_IO_HOSTS_MAX GMS_QOS_FLOWS_MAX

/**
 * Create the I/O hosts and open their ports.
 *
 * @param [in] nics   indexed by node; the array is in the arena
 * @param [in] manager  manager that handles reservations
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
/** Create an access. All fields except the requester are zero. Free the call
 *  with gms_arena_free(). @return NULL if the arena is full */
gms_io_call_t *gms_io_call_create(gms_arena_t *arena, const gms_io_t *io,
                                  unsigned node, unsigned rank);
/** Start an access at the caller's clock [post]. */
void gms_io_post(gms_ctx_t *ctx, gms_io_t *io, gms_origin_t *origin,
                 gms_time_t at_ps, gms_io_call_t *call);

/** Create a reservation without bandwidth. The caller frees the reservation
 *  with gms_arena_free().
 *  @return NULL if the arena is full */
gms_io_reservation_t *gms_io_reservation_create(gms_arena_t *arena,
                                                gms_io_t *io, unsigned node,
                                                unsigned rank);
/** Request or release bandwidth at the caller's clock [post]. */
void gms_io_reserve(gms_ctx_t *ctx, gms_origin_t *origin, gms_time_t at_ps,
                    gms_io_reservation_t *reservation);
/** Return the total data rate of the flows to all I/O hosts if each of these
 *  flows has the given bandwidth. */
double gms_io_data_bytes_s(const gms_io_t *io, double flow_bytes_s);

/** Counters of a disk. */
typedef struct gms_io_disk_counters {
    uint64_t requests;
    gms_time_t busy_ps;
} gms_io_disk_counters_t;

/** Return the counters of a disk of an I/O host. Both indices begin at 0. */
gms_io_disk_counters_t gms_io_disk(const gms_io_t *io, unsigned host,
                                   unsigned disk);

#endif
