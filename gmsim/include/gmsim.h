/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * gmsim.h - functions of the simulated cluster itself, in addition to GM.
 *
 * A process joins its job's cluster in gm_init() (gm_open() does it too). Its
 * rank and the job's size come from the process manager (PMI_RANK, PMI_SIZE); a
 * program started alone is rank 0 of 1.
 */
#ifndef GMSIM_GMSIM_H
#define GMSIM_GMSIM_H

#include <stddef.h>
#include <stdint.h>

#include "gm.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where this process is. */
typedef struct gmsim_place {
    unsigned rank;    /**< 0..size-1 */
    unsigned size;    /**< processes in the job */
    unsigned node_id; /**< GM node id of the rank's host, 1.. */
    unsigned port;    /**< GM port set aside for the rank on that node */
    char host_name[GM_MAX_HOST_NAME_LEN]; /**< simulated host */
} gmsim_place_t;

/** Where a message's time went, picoseconds; the fields add up to the time
 *  from the send call to the receive call that returned it. Waiting for a
 *  station counts as that station. */
typedef struct gmsim_path {
    uint64_t host_ps;     /**< sending and receiving library calls, and waiting
                               for the program to look */
    uint64_t lanai_ps;    /**< both NICs' processors */
    uint64_t host_dma_ps; /**< both NICs' host DMA engines */
    uint64_t wire_ps;     /**< links: length over rate, and propagation */
    uint64_t switch_ps;   /**< routing decisions and blocked output ports */
} gmsim_path_t;

/** Totals over the whole cluster since virtual time 0. */
typedef struct gmsim_totals {
    uint64_t now_ps;       /**< time of the last event that has happened */
    uint64_t events;       /**< events run */
    uint64_t packets;      /**< packets that entered the fabric, control too */
    uint64_t data_packets; /**< of these, packets that carry a message */
    uint64_t resends;      /**< data packets sent again */
    uint64_t nacks;        /**< negative acknowledgements sent */
    uint64_t handovers;    /**< times a sleeping process was let run */
} gmsim_totals_t;

/**
 * Place of any rank of the job; port and node come from the rank and the
 * cluster description, never from the order of arrival.
 *
 * @return GM_SUCCESS, GM_INVALID_PARAMETER (rank >= size),
 *         GM_FAILURE (gm_init() has not succeeded)
 */
gm_status_t gmsim_get_place(unsigned rank, gmsim_place_t *place);
/** The caller's own place; the same errors. */
gm_status_t gmsim_get_my_place(gmsim_place_t *place);

/** Let hwloc show the simulated host (`host_topology` of the cluster
 *  description) to this process and those that it starts, by the environment
 *  variables that hwloc reads; what the user has set there is left alone.
 *  Ranks that a launcher started need not call it. Needs no gm_init(). */
void gmsim_show_host(void);

/** Caller's virtual time, picoseconds since the job's start; costs the
 *  profile's clock read and waits for nobody. 0 before gm_init(). */
uint64_t gmsim_time_ps(void);

/** Spend an exact amount of virtual time computing. Needs gm_init(). */
void gmsim_compute(uint64_t duration_ps);
/** The same for a library above GM: what its calls cost the host, which a record
 *  (gmqos-record(5)) counts as work for communication. */
void gmsim_work(uint64_t duration_ps);

/**
 * A library above GM was called, and returns: what the calling thread does in
 * between is not the program's own work, which counts in the time modes
 * `measured` and `wall` (doc/virtual-time.md). Nests; the calls of GM and of this
 * header do it by themselves. No effect in the mode `virtual`, or before
 * gm_init().
 */
void gmsim_enter(void);
void gmsim_exit(void);

/** 1 if calls of libraries above GM are to be traced: GMSIM_TRACE,
 *  doc/trace.md. Known after gm_init(). */
int gmsim_is_traced(void);
/** A function of a library above GM was called, or returns; for traces. Costs no
 *  virtual time. Nests. No effect unless gmsim_is_traced(), or while absent.
 *  @param [in] name  "MPI_Send"; copied, 47 characters of it */
void gmsim_trace_call(const char *name, int is_entry);

/**
 * Leave the gate for a call that waits outside the simulation (the process
 * manager, a barrier of real time). Until gmsim_rejoin() the process counts as
 * absent: the others' time goes on without it, and it must not call the
 * library.
 */
void gmsim_leave(void);
/** Come back: waits until every rank that is still in the job has left and
 *  called this, then all go on at the highest clock among them. */
void gmsim_rejoin(void);

/**
 * Sleep until something can be received on a port (an event is pending, or a
 * callback is due), or until the next alarm. Uses no processor time. Never
 * returns early by itself: after it, gm_receive() finds something.
 * For waiting loops that know they wait; a loop of gm_receive() works too.
 */
void gmsim_wait(struct gm_port *port);

/** 1 if gm_receive() would return an event now; takes one poll and never waits
 *  longer. For a process that has other work to do meanwhile. */
int gmsim_has_event(struct gm_port *port);

/**
 * Say that a callback only keeps its client's books: of a send that succeeded
 * nobody has to know before something else happens, and the callback then calls
 * nothing of the library. For sends of messages that are called from now on.
 *
 * @param [in] callback  NULL: none any more
 */
void gmsim_set_bookkeeper(struct gm_port *port,
                          gm_send_completion_callback_t callback);
/**
 * gmsim_wait(), but for something else than the success of a send whose callback
 * is the bookkeeper. Time passes as if the caller had come back for each of
 * them, with gm_receive() and gm_unknown(), and slept again; their callbacks run
 * before this returns.
 */
void gmsim_wait_past_sends(struct gm_port *port);

/**
 * Let what a port sends to ports of its own host, messages, puts and gets, go
 * by the host's memory and not by its card, until the port is closed. Nothing
 * of it is regulated, and it has no part in the card's counters and logs. A
 * message takes a buffer that the other port has provided, as any other does.
 *
 * For libraries that would use shared memory there; GM itself always uses the
 * card. Costs are the parameters memory_latency_ps and memory_ps_per_byte.
 *
 * @return GM_SUCCESS, GM_INVALID_PARAMETER (not an open port)
 */
gm_status_t gmsim_send_by_memory(struct gm_port *port);

/** A lock by which the threads of a process exclude each other from GM: calls
 *  are not safe without one. */
typedef struct gmsim_lock {
    void (*release)(void *context);
    void (*acquire)(void *context);
    void *context;
} gmsim_lock_t;

/**
 * gmsim_wait() for one thread of a process with several, which holds their
 * lock. While it sleeps it does not: others may call meanwhile, all but this
 * function. The process has one clock, which goes on while a thread sleeps here
 * and no other is inside a call; calls then begin at the present of the
 * simulation. What a run does then depends on the system's scheduler.
 *
 * @return 1 if something can be received; 0 if another thread has received it,
 *         or has called gmsim_end_wait()
 */
int gmsim_wait_unlocked(struct gm_port *port, const gmsim_lock_t *lock);
/** Wake the thread that sleeps in gmsim_wait_unlocked(), if one does. */
void gmsim_end_wait(struct gm_port *port);
/** So many more (negative: less) threads of the process sleep until the one in
 *  gmsim_wait_unlocked() returns. If all do, and nothing is left to happen, that
 *  is a deadlock; else one of them may still call. */
void gmsim_count_waiting(struct gm_port *port, int more);

/** Path of the message most recently returned by a receive call of this port
 *  (a message of one packet; for longer ones, of its last packet).
 *  @return GM_SUCCESS, or GM_FAILURE if none was received yet */
gm_status_t gmsim_get_path(struct gm_port *port, gmsim_path_t *path);

/** Totals of the cluster as of the caller's clock. */
gm_status_t gmsim_get_totals(gmsim_totals_t *totals);

/**
 * Value of a parameter of the cluster description or hardware profile, by its
 * name in the parameter table (see gmsim(1), `gmsim params`). Before gm_init():
 * what it is going to be, gmsim_set_param() (gmsim_counters.h) included.
 *
 * @return GM_SUCCESS, GM_NO_MATCH (unknown name), GM_INVALID_PARAMETER (a NULL);
 *         GM_FAILURE: gm_init() has failed, or is going to: the description is
 *         wrong
 */
gm_status_t gmsim_get_param(const char *name, uint64_t *value);

/**
 * Register memory and end that, as gm_register_memory() and
 * gm_deregister_memory() do, but in no time: for a library above GM that keeps
 * registrations, and spends what that costs by gmsim_work().
 *
 * @return as those functions
 */
gm_status_t gmsim_pin_memory(struct gm_port *port, void *address,
                             gm_size_t length);
gm_status_t gmsim_unpin_memory(struct gm_port *port, void *address,
                               gm_size_t length);

/**
 * What the record of the run (GMSIM_RECORD) is to call a label's flows, as of
 * now: for libraries that give each of their communicators a label. Costs
 * nothing, and does nothing if the run is not recorded. Where ranks differ, the
 * lowest rank's name counts.
 *
 * @param [in] name  UTF-8; what is beyond 127 bytes is cut
 * @return GM_SUCCESS, GM_INVALID_PARAMETER (not an open port, label out of range,
 *         name NULL)
 */
gm_status_t gmsim_name_label(struct gm_port *port, unsigned label,
                             const char *name);

/** 1 if gm_get() reads any registered memory of other processes; 0 where the
 *  real system allows that for memory from gm_dma_malloc() only. */
int gmsim_reads_memory(void);

/** Name of the running packet scheduler: "rate", "packet-rr", "message-rr",
 *  "byte-rr". */
const char *gmsim_scheduler_name(void);
/** Does the packet scheduler of the NICs keep inter-packet dispatch times? Only then
 *  can bandwidth be reserved; gm_qos_request() returns GM_UNSUPPORTED_DEVICE
 *  otherwise.
 *  @return 1 if it does, else 0; outside of a job as for the default scheduler */
int gmsim_scheduler_keeps_pace(void);

/* ---- Settings of libraries above --------------------------------------- */

/** Room for what is wrong with a value. */
#define GMSIM_WHY_LEN 160

/**
 * Called for each record of a file.
 *
 * @param [in]  line    where it begins
 * @param [in]  values  for each key, in the order of the keys: its texts, those
 *                      of a list or one, and NULL after them; NULL if the key
 *                      is not there. They last as long as the call.
 * @param [out] key_p   of a wrong record: which key, or -1: as a whole
 * @param [out] item_p  which of the key's texts
 * @param [out] why     follows "key 'K': value 'V' " in the message, or the
 *                      record's line
 * @return 0, or -1 if the record is wrong: reading ends
 */
typedef int gmsim_record_fn(unsigned line, const char *const *const *values,
                            int *key_p, unsigned *item_p,
                            char why[GMSIM_WHY_LEN], void *context);

/**
 * Read a YAML file that is a list of mappings (records), whose values are
 * words, numbers or lists of them. What is wrong is told as for a cluster
 * description. Needs no gm_init().
 *
 * @param [in]  what   for messages: "policy"
 * @param [in]  keys   all that are allowed, NULL-terminated
 * @param [out] error  "FILE:LINE: key 'K': value 'V' ...; allowed: ...", cut
 *                     to error_len
 * @return GM_SUCCESS; GM_FAILURE with the text in error;
 *         GM_INVALID_PARAMETER: a NULL
 */
gm_status_t gmsim_read_records(const char *path, const char *what,
                               const char *const *keys,
                               gmsim_record_fn *record_fn, void *context,
                               char *error, size_t error_len);

/* ---- Faults on purpose; doc/faults.md ---------------------------------- */

/** Chances of each packet, in parts per million. */
typedef struct gmsim_fault_rates {
    unsigned drop_ppm;          /**< never arrives */
    unsigned damage_header_ppm; /**< arrives with a bit flipped there */
    unsigned damage_payload_ppm;
    unsigned duplicate_ppm; /**< arrives twice */
    unsigned delay_ppm;     /**< reaches its NIC later */
    unsigned delay_max_us;  /**< most of that; not 0 if there is a chance */
} gmsim_fault_rates_t;

/** What was done to packets, and what the NICs noticed of it; totals over the
 *  whole cluster since virtual time 0. The names of GM's own counters are in
 *  brackets where they are known. */
typedef struct gmsim_fault_counts {
    /* done on purpose */
    uint64_t dropped;
    uint64_t damaged_header;  /**< packets that arrive so */
    uint64_t damaged_payload; /**< .. with the header intact */
    uint64_t duplicated;
    uint64_t delayed;
    uint64_t links_down;   /**< directed links taken down */
    uint64_t lost_on_link; /**< packets lost whole on one of them */
    uint64_t cut_short;    /**< packets that it cut: damaged headers */
    uint64_t nic_resets;
    uint64_t reset_lost; /**< packets lost in a card's buffers by one */
    /* noticed: each damaged packet is found as such, so that
     * bad_crc_header = damaged_header + cut_short and
     * bad_crc_payload = damaged_payload, but for those still under way and
     * those that a reset overtakes */
    uint64_t bad_crc_header;        /**< (invalid_crc8) */
    uint64_t bad_crc_payload;       /**< (invalid_crc32) */
    uint64_t out_of_sequence_early; /**< something before it is missing */
    uint64_t out_of_sequence_late;  /**< came before */
    uint64_t no_buffer;             /**< packets dropped for want of a buffer */
    uint64_t closed_port;           /**< .. because nobody has the port open */
    uint64_t rejected;    /**< .. because their size is not acceptable */
    uint64_t resent;      /**< data packets sent again */
    uint64_t probes;      /**< questions after a silence */
    uint64_t acks, nacks; /**< sent */
} gmsim_fault_counts_t;

/** Change the chances, from the caller's clock on; for all packets of the
 *  cluster. @return GM_SUCCESS, GM_INVALID_PARAMETER (a chance above one
 *  million), GM_FAILURE (not in the cluster), GM_OUT_OF_MEMORY */
gm_status_t gmsim_set_fault_rates(const gmsim_fault_rates_t *rates);
/** Take one of a node's two links down at the caller's clock: what is on it is
 *  lost. duration_ps 0: for good. @return as above; GM_INVALID_PARAMETER: no
 *  such node */
gm_status_t gmsim_link_down(unsigned node_id, int into_node,
                            uint64_t duration_ps);
/** Both of a node's links. */
gm_status_t gmsim_node_down(unsigned node_id, uint64_t duration_ps);
/** Reset a node's card: what is in its buffers is lost. */
gm_status_t gmsim_reset_nic(unsigned node_id);
/** Kill (SIGKILL) a rank's process at a virtual time; at once if it has passed.
 *  Time does not go on only for this. */
gm_status_t gmsim_kill_rank_at(unsigned rank, uint64_t time_ps);
/** Counters as of the caller's clock. */
gm_status_t gmsim_get_fault_counts(gmsim_fault_counts_t *counts);

/**
 * End the whole job with a message on standard error that starts with
 * "gmsim: rank N: " and exit status 1. Does not return.
 */
void gmsim_fatal(const char *format, ...)
    __attribute__((noreturn, format(printf, 1, 2)));

#ifdef __cplusplus
}
#endif

#endif
