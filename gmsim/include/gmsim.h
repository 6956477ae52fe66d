/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * gmsim.h - functions of the simulated cluster itself, in addition to GM.
 *
 * A process joins the simulated cluster of its job in gm_init(), which
 * gm_open() also calls. The process manager sets the rank of the process and
 * the size of the job in the environment variables PMI_RANK and PMI_SIZE. A
 * program that is started alone has rank 0 in a job of size 1.
 */
#ifndef GMSIM_GMSIM_H
#define GMSIM_GMSIM_H

#include <stddef.h>
#include <stdint.h>

#include "gm.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Host, node and port of a rank. */
typedef struct gmsim_place {
    unsigned rank;    /**< 0 .. size - 1 */
    unsigned size;    /**< number of processes in the job */
    unsigned node_id; /**< GM node id of the rank's host, 1.. */
    unsigned port;    /**< GM port reserved for the rank on that node */
    char host_name[GM_MAX_HOST_NAME_LEN]; /**< name of the simulated host */
} gmsim_place_t;

/** Time that a message spent in each part of the system, in picoseconds. The
 *  fields add up to the time from the send call to the receive call that
 *  returned the message. The time in a part includes the time for which the
 *  message waited for this part. */
typedef struct gmsim_path {
    uint64_t host_ps;     /**< send and receive calls of the library, and the
                           *   time until the receiving program polls */
    uint64_t lanai_ps;    /**< processors of both NICs */
    uint64_t host_dma_ps; /**< host DMA engines of both NICs */
    uint64_t wire_ps;     /**< links: length of the packets divided by
                           *   the link's rate, plus propagation delay */
    uint64_t switch_ps;   /**< routing decisions, and waiting for blocked
                           *   output ports */
} gmsim_path_t;

/** Totals over the whole cluster since virtual time 0. */
typedef struct gmsim_totals {
    uint64_t now_ps;       /**< time of the last executed event */
    uint64_t events;       /**< number of executed events */
    uint64_t packets;      /**< packets that entered the fabric, including
                            *   control packets */
    uint64_t data_packets; /**< packets with data of a message; included in
                                `packets` */
    uint64_t resends;      /**< data packets sent again */
    uint64_t nacks;        /**< negative acknowledgements sent */
    uint64_t handovers;    /**< context switches between ranks: number of times
                            *   that a sleeping process was resumed */
} gmsim_totals_t;

/**
 * Return the host slot of any rank of the job. Port and node depend only on the
 * rank and the cluster description, never on the order in which the ranks join.
 *
 * @return GM_SUCCESS, GM_INVALID_PARAMETER (rank >= size), GM_FAILURE
 *         (gm_init() has not succeeded)
 */
gm_status_t gmsim_get_place(unsigned rank, gmsim_place_t *place);
/** Return the caller's own host slot, with the same errors. */
gm_status_t gmsim_get_my_place(gmsim_place_t *place);

/** Make hwloc report the simulated host (`host_topology` of the cluster
 *  description) to this process and the processes that it starts. The function
 *  sets the environment variables that hwloc reads; variables that the user has
 *  set remain unchanged. Ranks that a launcher started need not call this
 *  function. The function does not need gm_init(). */
void gmsim_show_host(void);

/** Return the caller's virtual time, in picoseconds since the job's start. The
 *  call costs one clock read (parameter host_clock_read_ps), and does not wait
 *  for other processes. In the time mode `virtual`, the cost of each read
 *  increases during a long series of reads (doc/virtual-time.md). Returns 0
 *  before gm_init(). */
uint64_t gmsim_time_ps(void);

/** Return the caller's virtual time like gmsim_time_ps(), for a library above
 *  GM. The call always costs one clock read. If the program is reading the
 *  clock in a series of reads, the call ends this series. Returns 0 unless the
 *  caller has joined the simulation. */
uint64_t gmsim_library_time_ps(void);

/** Register the functions that acquire and release the lock between the threads
 *  of a library above GM. NULL means that there is no lock. The clock functions
 *  of the C library call these functions, because any thread of the program may
 *  read a clock. */
void gmsim_set_thread_lock(void (*begin)(void), void (*end)(void));

/** Spend an exact amount of virtual time on computation. The function needs
 *  gm_init(). */
void gmsim_compute(uint64_t duration_ps);
/**
 * Check whether each process of the job can allocate this number of bytes of
 * DMA memory. With this check, a library above GM can refuse a job that is too
 * large before all processes have allocated their memory. The check is not
 * exact: after GM_SUCCESS, an allocation may still fail. After a failure, the
 * message of gmsim_fatal() also contains the required and available sizes and a
 * remedy.
 *
 * @return GM_SUCCESS, GM_OUT_OF_MEMORY, GM_FAILURE (gm_init() has not
 *         succeeded)
 */
gm_status_t gmsim_check_memory(uint64_t bytes);

/** Spend virtual time for a library above GM: the cost of its calls on the
 *  host. A record (gmqos-record(5)) counts this time as work for
 *  communication. */
void gmsim_work(uint64_t duration_ps);

/**
 * Mark the entry to and the return from a library above GM. The time modes
 * `measured`, `wall` and `recorded` (doc/virtual-time.md) measure the program's
 * own computing time. The time of the calling thread between the two calls is
 * not part of the program's own computing time. Calls may be nested. The
 * functions of GM and of this header already call gmsim_enter() and
 * gmsim_exit(). gmsim_enter() and gmsim_exit() have no effect in the mode
 * `virtual`, or before gm_init().
 */
void gmsim_enter(void);
void gmsim_exit(void);
/** Do the same as gmsim_enter(), and also store the name of the call in records
 *  of computing times (doc/record.md).
 *  @param [in] name "MPI_Send": letters, digits and '_'; the first 63
 *    characters are used */
void gmsim_enter_call(const char *name);

/** Let a library above GM name the function that its program has called. GM calls
 *  `name_call` in the calling thread before each wait, and prints the name if
 *  the job is in a deadlock. `name_call` must not call GM. The function has no
 *  effect before gm_init(). The setting remains until the last gm_finalize().
 *  @param [in] name_call writes the name, such as "MPI_Recv", or "", with a
 *    terminating 0 to `text`, which has `room` bytes; NULL: GM prints no name */
void gmsim_name_waits(void (*name_call)(char *text, size_t room));

/** Return 1 if calls of libraries above GM must be traced (GMSIM_TRACE,
 *  doc/trace.md), else 0. The result is valid after gm_init(). */
int gmsim_is_traced(void);
/** Record the entry to or the return from a function of a library above GM, for
 *  traces. The function costs no virtual time. Calls may be nested. The
 *  function has no effect if gmsim_is_traced() returns 0, or while the process
 *  is absent (gmsim_leave()).
 *  @param [in] name "MPI_Send"; the first 47 characters are copied */
void gmsim_trace_call(const char *name, int is_entry);

/**
 * Leave the simulation before a call that waits in real time, for example for
 * the process manager. The process is absent until it calls gmsim_rejoin().
 * Virtual time continues without the absent process, which must not call the
 * library until it rejoins.
 */
void gmsim_leave(void);
/** Return to the simulation: wait until every rank that is still in the job has
 *  left and called this function. All ranks then set their clocks to the latest
 *  of these clocks and continue. */
void gmsim_rejoin(void);

/* ---- Processes that join a running job ----------------------------------- */

/** Processes that were started together: the processes that the launcher
 *  started at the beginning, or the processes of one gmsim_spawn(). */
typedef struct gmsim_world {
    unsigned first;    /**< rank of the first of these processes in the job */
    unsigned size;     /**< number of these processes */
    int is_spawned;    /**< 0: the processes that the launcher started at the
                       *   beginning */
    uint64_t job_id;   /**< the same number in all processes of a job */
    unsigned job_size; /**< number of ranks of the job, including spawned
                        *   ranks */
    unsigned launched; /**< ranks that the launcher started at the beginning */
} gmsim_world_t;

/** Return the caller's world.
 *  @return GM_SUCCESS, GM_INVALID_PARAMETER, GM_FAILURE (not in a job) */
gm_status_t gmsim_get_world(gmsim_world_t *world);

/** Leave the simulation like gmsim_leave(), at the start of a library above GM.
 *  Other processes of the job are running if the caller was spawned. In this
 *  case, virtual time does not advance beyond the caller's clock until the
 *  caller calls gmsim_rejoin(). */
void gmsim_leave_to_start(void);

/** Return the number of processes that can be spawned now. */
unsigned gmsim_free_places(void);

/** Result of gmsim_spawn(). */
typedef struct gmsim_spawned {
    unsigned first;       /**< rank of the first process in the job */
    char environment[64]; /**< value of the environment variable GMSIM_SPAWN
                           *   that the launcher must set for the processes */
} gmsim_spawned_t;

/**
 * Add processes to the running job: choose a free port on a host for each
 * process. The new processes start at the caller's clock plus mpi_spawn_ps, and
 * virtual time does not advance beyond this time until they have joined. The
 * caller must then start the processes with the variables PMI_RANK, PMI_SIZE,
 * GMSIM_JOB and GMSIM_SPAWN.
 *
 * @param [in]  node_ids  for each process, the GM node id of its host; 0: the
 *                        host with the fewest used ports
 * @param [out] error     the reason why the processes cannot be added, and how
 *                        many processes are allowed
 * @return GM_SUCCESS; GM_INVALID_PARAMETER; GM_OUT_OF_MEMORY: no free port, or
 *         the limit mpi_spawn_most; GM_UNSUPPORTED_DEVICE: the run is traced
 */
gm_status_t gmsim_spawn(unsigned count, const unsigned *node_ids,
                        gmsim_spawned_t *spawned, char *error,
                        size_t error_len);

/** Return 1 if a rank's own port is open, or will be opened when the rank
 *  starts; 0 if the rank has closed the port. */
int gmsim_has_open_port(unsigned rank);

/** Wait until the caller's clock is the lowest clock of the job. If all
 *  processes call this function before they send requests to another program,
 *  such as a name service, the requests are sent in the order of virtual
 *  time. */
void gmsim_take_turn(void);

/**
 * Exchange data with another process of the job through a stream socket that
 * connects both processes. The other process must also call this function. Both
 * processes then set their clocks to the later of their two clocks. The result
 * does not depend on the real time at which each process makes its call.
 *
 * @param [in]  mine    len bytes for the other process
 * @param [out] theirs  len bytes of the other process
 * @param [out] error   the reason for a failure
 * @return GM_SUCCESS; GM_INVALID_PARAMETER; GM_FAILURE: the socket failed;
 *         GM_PERMISSION_DENIED: the other process belongs to another job
 */
gm_status_t gmsim_meet(int socket, const void *mine, void *theirs, size_t len,
                       char *error, size_t error_len);

/**
 * Sleep until an event can be received on a port (an event is pending, or a
 * callback is due), or until the next alarm. The sleep uses no processor time.
 * After this function has returned, gm_receive() returns an event. This call is
 * for loops that only wait. Instead, a loop may call gm_receive() repeatedly.
 */
void gmsim_wait(struct gm_port *port);

/** Return 1 if gm_receive() would return an event now, else 0. The call costs
 *  one poll and does not wait for an event. This call is for a process that has
 *  other work to do in the meantime. */
int gmsim_has_event(struct gm_port *port);

/**
 * Declare that a callback, the bookkeeper, only updates its client's own data.
 * The library may then delay the report of a successful send until another
 * event occurs. A callback that runs for such a delayed report must not call
 * the library. The declaration applies to later sends of messages.
 *
 * @param [in] callback  NULL: end the declaration
 */
void gmsim_set_bookkeeper(struct gm_port *port,
                          gm_send_completion_callback_t callback);
/**
 * Sleep like gmsim_wait(), except that the success of a send whose callback is
 * the bookkeeper does not end the wait. Virtual time advances as if the caller
 * had woken for each of these sends, called gm_receive() and gm_unknown(), and
 * slept again. The callbacks of these sends run before this function returns.
 */
void gmsim_wait_past_sends(struct gm_port *port);

/**
 * Send messages, puts and gets from this port to ports of its own host through
 * the host's memory instead of the NIC, until the port is closed. This traffic
 * is not regulated, and does not appear in the NIC's counters and logs. A
 * message uses a buffer that the other port has provided, like any other
 * message.
 *
 * This call is for libraries that use shared memory between processes of one
 * host; GM itself always uses the NIC. The parameters memory_latency_ps and
 * memory_ps_per_byte define the time that this traffic takes.
 *
 * @return GM_SUCCESS, GM_INVALID_PARAMETER (not an open port)
 */
gm_status_t gmsim_send_by_memory(struct gm_port *port);

/** A lock that prevents the threads of a process from calling GM at the same
 *  time. Without a lock, calls from several threads are not safe. */
typedef struct gmsim_lock {
    void (*release)(void *context);
    void (*acquire)(void *context);
    void *context;
} gmsim_lock_t;

/**
 * Sleep like gmsim_wait() in one thread of a process with several threads. The
 * thread must hold the lock (gmsim_lock_t), which the function releases during
 * the sleep. The other threads may call any function except this one in the
 * meantime. The process has one clock, which advances while a thread sleeps in
 * this function and no other thread is inside a call. Later calls begin at the
 * current time of the simulation. The results of such a run depend on the
 * scheduler of the operating system.
 *
 * @return 1 if an event can be received; 0 if another thread has received it,
 *         or has called gmsim_end_wait()
 */
int gmsim_wait_unlocked(struct gm_port *port, const gmsim_lock_t *lock);
/** Wake the thread that sleeps in gmsim_wait_unlocked(), if there is one. */
void gmsim_end_wait(struct gm_port *port);
/** Add `more`, which can be negative, to the number of sleeping threads. A
 *  sleeping thread waits until another thread returns from
 *  gmsim_wait_unlocked(). If all threads sleep and no event is pending, the
 *  process is in a deadlock; otherwise one of the threads may still make a
 *  call. */
void gmsim_count_waiting(struct gm_port *port, int more);

/** Return the path of the message that this port's most recent receive call
 *  returned. If the message has several packets, the path is that of the last
 *  packet.
 *  @return GM_SUCCESS, or GM_FAILURE if no message was received yet */
gm_status_t gmsim_get_path(struct gm_port *port, gmsim_path_t *path);

/** Read the totals of the cluster as of the caller's clock. */
gm_status_t gmsim_get_totals(gmsim_totals_t *totals);

/**
 * Return the value of a parameter of the cluster description or hardware
 * profile, by its name in the parameter table (see gmsim(1), `gmsim params`).
 * Before gm_init(), the function returns the value that will be used, including
 * changes by gmsim_set_param() (gmsim_counters.h).
 *
 * @return GM_SUCCESS, GM_NO_MATCH (unknown name), GM_INVALID_PARAMETER (an
 *         argument is NULL); GM_FAILURE: gm_init() has failed, or will fail
 *         because the description is invalid
 */
gm_status_t gmsim_get_param(const char *name, uint64_t *value);

/**
 * Register and deregister memory, as gm_register_memory() and
 * gm_deregister_memory() do, but without a cost in virtual time. These
 * functions are for a library above GM that caches registrations and calls
 * gmsim_work() to account for their cost. The function gmsim_pin_memory()
 * remembers the last 8 ranges that it has checked, and does not check again
 * whether these ranges are mapped.
 *
 * @return the same values as gm_register_memory() and gm_deregister_memory()
 */
gm_status_t gmsim_pin_memory(struct gm_port *port, void *address,
                             gm_size_t length);
gm_status_t gmsim_unpin_memory(struct gm_port *port, void *address,
                               gm_size_t length);

/**
 * Reserve message buffers whose memory is allocated when they are first used.
 * The functions are for a library above GM that has many buffers, of which few
 * are in use at the same time. The buffers of a port have the same length and
 * form a pool. The most recently freed buffer is used next.
 *
 * All buffers are freed when the port is closed.
 *
 * gmsim_pool_buffers() adds buffers to the pool. The call registers the memory
 * of all these buffers, and costs as much virtual time as allocating them with
 * gm_dma_malloc().
 *
 * @param [in] size  GM size class of the buffers, 6 to 24
 * @return GM_SUCCESS
 * @return GM_OUT_OF_MEMORY  the host's limit of registered memory is reached,
 *                           or the arena is full
 * @return GM_INVALID_PARAMETER  the port is not open, the count is 0, or the
 *                               size is out of range or differs from that of
 *                               the pool
 */
gm_status_t gmsim_pool_buffers(struct gm_port *port, unsigned count,
                               unsigned size);
/** Take a buffer for sends. The call costs no virtual time. Returns NULL if
 *  there is no memory or no pool. After a failure, the message of gmsim_fatal()
 *  also contains the required and available sizes and a remedy. */
void *gmsim_take_buffer(struct gm_port *port);
/**
 * Provide a receive buffer of the pool to the port. The call costs as much time
 * as gm_provide_receive_buffer(). The NIC takes the buffer from the pool when a
 * message arrives. If no memory is available at that time, the job ends with a
 * message.
 *
 * @param [in] buffer  buffer of a received message that the call also frees, or
 *                     NULL
 */
void gmsim_provide_pooled(struct gm_port *port, void *buffer, unsigned size,
                          unsigned priority);

/**
 * Set the name that the record of the run (GMSIM_RECORD) uses for the flows of
 * a label. This call is for libraries that assign a label to each of their
 * communicators. The call costs no virtual time, and has no effect if the run
 * is not recorded. If several ranks set different names, the record contains
 * the name that the lowest of these ranks has set.
 *
 * @param [in] name  UTF-8; bytes after the first 127 are cut off
 * @return GM_SUCCESS, GM_INVALID_PARAMETER (not an open port, label out of
 *         range, name NULL)
 */
gm_status_t gmsim_name_label(struct gm_port *port, unsigned label,
                             const char *name);

/** Return 1 if gm_get() can read any registered memory of other processes.
 *  Return 0 if the real operating system allows gm_get() to read only memory
 *  from gm_dma_malloc(). */
int gmsim_reads_memory(void);

/** Return the name of the running packet scheduler: "rate", "packet-rr",
 *  "message-rr", "byte-rr". */
const char *gmsim_scheduler_name(void);
/** Check whether the packet scheduler of the NICs regulates inter-packet
 *  dispatch times. If the scheduler does not regulate these times, bandwidth
 *  cannot be reserved, and gm_qos_request() returns GM_UNSUPPORTED_DEVICE.
 *  @return 1 if the scheduler regulates these times, else 0; outside of a job,
 *          the result is that of the default scheduler */
int gmsim_scheduler_keeps_pace(void);

/* ---- Settings of higher libraries --------------------------------------- */

/** Length of the buffer for the reason why a value is invalid. */
#define GMSIM_WHY_LEN 160

/**
 * gmsim_read_records() calls this function for each record of a file.
 *
 * @param [in]  line    line where the record begins
 * @param [in]  values  one element per key, in the order of the keys. An
 *                      element is an array that contains the key's value or the
 *                      items of its list, followed by NULL. The element is NULL
 *                      if the key is absent. All strings are valid only during
 *                      the call.
 * @param [out] key_p   for an invalid record: index of the invalid key, or -1
 *                      if the whole record is invalid
 * @param [out] item_p  index of the invalid item in the key's list
 * @param [out] why     the reason, which follows "key 'K': value 'V' " or the
 *                      line number in the error message
 * @return 0, or -1 if the record is invalid; after -1, no more records are read
 */
typedef int gmsim_record_fn(unsigned line, const char *const *const *values,
                            int *key_p, unsigned *item_p,
                            char why[GMSIM_WHY_LEN], void *context);

/**
 * Read a YAML file that is a list of mappings (records). The values in a record
 * are words, numbers, or lists of words and numbers. Error messages have the
 * same form as for a cluster description. The function does not need gm_init().
 *
 * @param [in]  what   kind of file, for messages: "policy"
 * @param [in]  keys   all allowed keys, NULL-terminated
 * @param [out] error  "FILE:LINE: key 'K': value 'V' ...; allowed: ...", cut
 *                     off after error_len bytes
 * @return GM_SUCCESS; GM_FAILURE with a message in `error`;
 *         GM_INVALID_PARAMETER: an argument is NULL
 */
gm_status_t gmsim_read_records(const char *path, const char *what,
                               const char *const *keys,
                               gmsim_record_fn *record_fn, void *context,
                               char *error, size_t error_len);

/* ---- File access; doc/design/0028-file-access.md ------------------------- */

/** Kinds of access to the I/O hosts of the cluster. */
typedef enum gmsim_io_kind {
    GMSIM_IO_WRITE = 1,
    GMSIM_IO_READ,
    GMSIM_IO_SYNC, /**< wait until the disks have served all earlier requests */
    GMSIM_IO_RESIZE /**< change the size of the file on every I/O host */
} gmsim_io_kind_t;

/** Largest stream number. */
#define GMSIM_IO_MAX_STREAM 4094u

/** Return the number of I/O hosts of the cluster (section `io:` of the cluster
 *  description); 0 outside of a job. */
unsigned gmsim_io_hosts(void);
/** Wait for the caller's turn. A process calls this function before each system
 *  call that reads or changes a file, so all processes access the file in the
 *  order of their virtual clocks. Without I/O hosts, the call has no effect. */
void gmsim_io_begin(void);
/**
 * Transfer the data of an access to or from the I/O hosts, and return at the
 * virtual time at which the access is complete. The call transfers no real data.
 *
 * @param [in] stream  0 .. GMSIM_IO_MAX_STREAM; accesses of different streams use
 *   different flows
 * @param [in] offset,bytes  range of bytes in the file; ignored for
 *   GMSIM_IO_SYNC and GMSIM_IO_RESIZE
 * @return GM_SUCCESS, GM_INVALID_PARAMETER, GM_OUT_OF_MEMORY
 * @return GM_FAILURE  there are no I/O hosts
 */
gm_status_t gmsim_io_access(gmsim_io_kind_t kind, unsigned stream,
                            uint64_t offset, uint64_t bytes);

#define GMSIM_IO_PLACE_LEN 64

/** Answer to a request for bandwidth of file access. */
typedef struct gmsim_io_answer {
    int granted;
    /* denied: */
    int denied_read; /**< 1: the flows from the I/O hosts were denied; 0: the
                      *   flows to the I/O hosts were denied */
    int criterion;   /**< enum gm_qos_criterion */
    char place[GMSIM_IO_PLACE_LEN]; /**< exhausted resource; see
                                     *   gm_qos_answer_t */
    double left_bytes_s; /**< largest bandwidth of this direction that would be
                          *   granted */
} gmsim_io_answer_t;

/**
 * Request bandwidth for the accesses of a stream. The bandwidth is the sum over
 * all I/O hosts, in bytes of the file per second. Each I/O host is assigned an
 * equal part of the bandwidth. The request replaces the stream's earlier
 * reservation. After a denial, the stream has no reservation. The reservations
 * of a process end when the process ends.
 *
 * @param [in] write_bytes_s,read_bytes_s  0: no reservation for this direction;
 *   if both are 0, the reservation is released, and the field `granted` of the
 *   answer is 0
 * @return GM_SUCCESS, GM_INVALID_PARAMETER, GM_OUT_OF_MEMORY
 * @return GM_FAILURE  there are no I/O hosts, or the managers are dead
 * @return GM_UNSUPPORTED_DEVICE  the packet scheduler does not regulate the
 *   pace of flows
 */
gm_status_t gmsim_io_request(unsigned stream, double write_bytes_s,
                             double read_bytes_s, gmsim_io_answer_t *answer);

/* ---- Injected faults; doc/faults.md -------------------------------------- */

/** Probabilities of the faults of a packet, in parts per million. */
typedef struct gmsim_fault_rates {
    unsigned drop_ppm;          /**< the packet never arrives */
    unsigned damage_header_ppm; /**< the packet arrives with a flipped bit in
                                 *   its header */
    unsigned damage_payload_ppm;
    unsigned duplicate_ppm; /**< the packet arrives twice */
    unsigned delay_ppm;     /**< the packet is delayed before it reaches the
                             *   NIC */
    unsigned delay_max_us;  /**< longest delay; must not be 0 if delay_ppm >
                             *   0 */
} gmsim_fault_rates_t;

/** Faults that were injected into packets, and faults that the NICs detected.
 *  The counts are totals over the whole cluster since virtual time 0. If the
 *  name of GM's own counter is known, it is given in brackets. */
typedef struct gmsim_fault_counts {
    /* injected */
    uint64_t dropped;
    uint64_t damaged_header;  /**< packets that arrive with a damaged header */
    uint64_t damaged_payload; /**< packets that arrive with a damaged payload
                               *   and an intact header */
    uint64_t duplicated;
    uint64_t delayed;
    uint64_t links_down;   /**< directed links that were taken down */
    uint64_t lost_on_link; /**< whole packets lost on a link that was down */
    uint64_t cut_short;    /**< packets cut short when a link went down; they
                            *   have damaged headers */
    uint64_t nic_resets;
    uint64_t reset_lost; /**< packets in a NIC's buffers that a reset
                          *   discarded */
    /* Detected. Every damaged packet is detected. Therefore, bad_crc_header =
     * damaged_header + cut_short and bad_crc_payload = damaged_payload. Damaged
     * packets that are still in flight or that a reset has discarded are not
     * included in these counts. */
    uint64_t bad_crc_header;        /**< (invalid_crc8) */
    uint64_t bad_crc_payload;       /**< (invalid_crc32) */
    uint64_t out_of_sequence_early; /**< packets that arrived while an earlier
                                     *   packet was missing */
    uint64_t out_of_sequence_late;  /**< packets of which a copy had already
                                     *   arrived */
    uint64_t no_buffer;             /**< packets dropped because there was no
                                     *   buffer */
    uint64_t closed_port;           /**< packets dropped because the port is
                                     *   not open */
    uint64_t rejected;    /**< packets dropped because the port does not
                           *   accept their size */
    uint64_t resent;      /**< data packets sent again */
    uint64_t probes;      /**< probes sent after a period without an
                           *   acknowledgement */
    uint64_t acks, nacks; /**< positive and negative acknowledgements sent */
} gmsim_fault_counts_t;

/** Change the fault probabilities of all packets of the cluster, starting at
 *  the caller's clock. @return GM_SUCCESS, GM_INVALID_PARAMETER (a probability
 *  above one million), GM_FAILURE (not in the cluster), GM_OUT_OF_MEMORY */
gm_status_t gmsim_set_fault_rates(const gmsim_fault_rates_t *rates);
/** Take down one of a node's two links at the time of the caller's clock.
 *  Packets on the link are lost. If duration_ps is 0, the link remains down
 *  permanently.
 *  @return the same values as gmsim_set_fault_rates(); GM_INVALID_PARAMETER: no
 *  such node */
gm_status_t gmsim_link_down(unsigned node_id, int into_node,
                            uint64_t duration_ps);
/** Take both links of a node down. */
gm_status_t gmsim_node_down(unsigned node_id, uint64_t duration_ps);
/** Reset a node's NIC. The packets in the NIC's buffers are lost. */
gm_status_t gmsim_reset_nic(unsigned node_id);
/** Kill a rank's process (SIGKILL) at a virtual time, or immediately if that
 *  time has passed. If no other events remain, virtual time does not advance to
 *  this event. */
gm_status_t gmsim_kill_rank_at(unsigned rank, uint64_t time_ps);
/** Read the counters as of the caller's clock. */
gm_status_t gmsim_get_fault_counts(gmsim_fault_counts_t *counts);

/**
 * End the whole job with exit status 1 and a message on standard error that
 * starts with "gmsim: rank N: ". The function does not return.
 */
void gmsim_fatal(const char *format, ...)
    __attribute__((noreturn, format(printf, 1, 2)));

#ifdef __cplusplus
}
#endif

#endif
