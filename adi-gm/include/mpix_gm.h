/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * mpix_gm.h - what the MPICH device `ch4:gm` publishes for a QoS layer.
 *
 * The device knows ranks, GM nodes, ports, labels and what a message costs on
 * the way; it knows nothing of attributes, hints or MPI bandwidth. libmpiqos
 * is its client. The symbols live in libmpi; a client declares them weak and
 * finds them absent on any other MPI.
 */
#ifndef ADI_GM_MPIX_GM_H
#define ADI_GM_MPIX_GM_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MPIX_GM_PLACE_LEN 64

/**
 * Called inside MPI_Comm_set_attr(), after MPI has checked its arguments and
 * before anything has changed.
 *
 * @param [in,out] value  the attribute value; what is left here is stored, and
 *                        later given to the keyval's delete function.
 * @return MPI_SUCCESS, or an MPI error code: then nothing is stored, the old
 *         value stays, and the code goes through the communicator's error
 *         handler.
 */
typedef int MPIX_GM_Set_attr_fn(MPI_Comm comm, int keyval, void **value);

/** Watch one keyval; set_fn NULL ends it. One keyval per process.
 *  @return MPI_SUCCESS, or MPI_ERR_OTHER if another keyval is watched */
int MPIX_GM_Watch_keyval(int keyval, MPIX_GM_Set_attr_fn *set_fn);

/** What a client may want to know of communicators. All are called without
 *  MPI's lock and may call MPI, but not communicate. A window counts as a
 *  communicator: its own, which carries its traffic. */
typedef struct MPIX_GM_Comm_events {
    /** Hints that a program gives, in MPI_Comm_set_info() and MPI_Win_set_info(),
     *  or with which a communicator or window is made: then once it is
     *  complete. Called if a key starts with "mpiqos_". */
    void (*hints)(MPI_Comm comm, MPI_Info info);
    /** A program gets a communicator (MPI_COMM_WORLD: at the end of
     *  MPI_Init()); its hints have been told. */
    void (*created)(MPI_Comm comm);
    /** A program names one. */
    void (*named)(MPI_Comm comm);
    /** A program reads the hints: add to info. */
    void (*answers)(MPI_Comm comm, MPI_Info info);
} MPIX_GM_Comm_events;

/** Watch communicators; NULL ends it. One client per process; the struct stays
 *  the caller's and must outlive the watch. */
void MPIX_GM_Watch_comms(const MPIX_GM_Comm_events *events);

/*
 * How the device finds a client: when a program gives hints, or when one of the
 * environment variables MPIQOS_POLICY and MPIQOS_REPORT is set, it loads the
 * library that this version was built with, unless the program has it, and
 * calls what it exports as
 *
 *     int mpiqos_device_open(int rank, int size, char *error, size_t len);
 *
 * with the caller's place in MPI_COMM_WORLD. That returns 0, or -1 with a text:
 * then the job ends. It is called before MPI_Init() has made anything: it must
 * not call MPI. The first event of a communicator comes later; before it
 *
 *     int mpiqos_flow_keyval(void);
 *
 * is called, in which the client begins to watch.
 */

/** Room for what is wrong with a value. */
#define MPIX_GM_WHY_LEN 160

/**
 * Called for each record of a file.
 *
 * @param [in]  line    where it begins
 * @param [in]  values  for each key, in the order of the keys: its texts, those
 *                      of a list or one, and NULL after them; NULL if the key
 *                      is not there
 * @param [out] key_p   of a wrong record: which key, or -1: as a whole
 * @param [out] item_p  which of the key's texts
 * @param [out] why     follows "key 'K': value 'V' " in the message, or the
 *                      record's line
 * @return 0, or -1 if the record is wrong: reading ends
 */
typedef int MPIX_GM_Record_fn(unsigned line, const char *const *const *values,
                              int *key_p, unsigned *item_p,
                              char why[MPIX_GM_WHY_LEN], void *context);

/**
 * Read a YAML file that is a list of mappings, each with some of the keys
 * given. Needs no MPI_Init().
 *
 * @param [in]  what   for messages: "policy"
 * @param [in]  keys   all that are allowed, NULL-terminated
 * @param [out] error  "FILE:LINE: key 'K': value 'V' ...", cut to error_len
 * @return 0, or -1 with the text in error
 */
int MPIX_GM_Read_records(const char *path, const char *what,
                         const char *const *keys, MPIX_GM_Record_fn *record_fn,
                         void *context, char *error, size_t error_len);

/** Answer of the bandwidth manager; fields as in gm_qos_answer_t. */
typedef struct MPIX_GM_Answer {
    int granted;
    unsigned idt_ticks;          /**< 0.5 us ticks; 0 = unregulated */
    double gm_bandwidth;         /**< bytes/s of GM payload, charged or shared */
    int criterion;               /**< 0 ok, 1 source node, 2 link,
                                      3 destination node, 4 source process,
                                      5 destination process, 6 buffer, 7 delay,
                                      8 jitter */
    char place[MPIX_GM_PLACE_LEN]; /**< what is full, or the flow whose bound
                                      would break; "" if granted */
    double left;                 /**< bytes/s of GM payload left there; of a
                                      process, the most that it could do for
                                      such a flow */
    double latency_s;            /**< bounds of the GM flow; 0: not known */
    double delay_s;              /**< denied for delay: the least that would be
                                      granted; 0: another flow's would break */
    double jitter_s;             /**< denied for jitter: likewise */
    unsigned burst_bytes;
    double worst_delay_s;        /**< of a state: longest delay of a GM message
                                      so far; see gm_qos_flow_state_t */
    unsigned long long messages_measured, messages_beyond;
    double worst_exchange_s;     /**< of a state: longest rendezvous so far, from
                                      the call that sends to its end */
    double reverse_delay_s;      /**< bound of an answer that flows back */
    int declared_only;           /**< granted, but undeclared traffic can break
                                      it */
} MPIX_GM_Answer;

enum { MPIX_GM_PREMIUM = 1, MPIX_GM_BEST_EFFORT = 2 };

/** What is asked for one flow: the caller's to a peer on a communicator, all
 *  that this process sends to it there, collectives included, and nothing
 *  else. */
typedef struct MPIX_GM_Request {
    int peer;                  /**< rank in comm (remote group for an
                                    intercommunicator), not the caller's own */
    int qos_class;             /**< MPIX_GM_PREMIUM or MPIX_GM_BEST_EFFORT */
    double gm_bytes_s;         /**< GM payload, bytes/s, > 0 for premium */
    double reverse_bytes_s;    /**< control traffic back, bytes/s of GM payload,
                                    >= 0 */
    double sender_load;        /**< part of its time that each process spends */
    double receiver_load;      /**< on it, seconds per second, >= 0; premium
                                    only. What one is promised never adds up to
                                    more than 1 */
    double payload_part;       /**< of gm_bytes_s, and of what best effort gets,
                                    how much is the program's own data, 0..1; 0:
                                    not known. Only the record of the run tells
                                    it */
    /* premium only; GM payload in whole packets, 0: see gm_qos_request_t */
    unsigned message_bytes;    /**< longest GM message */
    unsigned burst_bytes;
    double delay_s, jitter_s;  /**< acceptable for a GM message, 0: any */
} MPIX_GM_Request;

/** Most flows of one call. */
#define MPIX_GM_MAX_REQUESTS 256

/**
 * Ask for bandwidth for flows, all of them or none, with one exchange with the
 * manager. Blocks until it has answered. Asking again changes the reservation.
 *
 * @param [in]  requests  count of them, each peer once
 * @param [in]  count     1..MPIX_GM_MAX_REQUESTS
 * @param [out] answers   count of them. `granted` is the same in all; if it is
 *                        0, criterion, place and left are filled for the one
 *                        that did not fit, and 0 for the others
 * @return MPI_SUCCESS, MPI_ERR_RANK, MPI_ERR_ARG, MPI_ERR_NO_MEM
 */
int MPIX_GM_Flow_request(MPI_Comm comm, const MPIX_GM_Request *requests,
                         int count, MPIX_GM_Answer *answers);
/** Give it back; MPI_SUCCESS also if there was nothing. */
int MPIX_GM_Flow_release(MPI_Comm comm, int peer);
/** The flow's present IDT and bandwidth (best-effort shares change). */
int MPIX_GM_Flow_state(MPI_Comm comm, int peer, MPIX_GM_Answer *answer);

/** Rank in MPI_COMM_WORLD of a rank that comm can address (its remote group's,
 *  if it has one); the caller's own for peer -1. -1: there is none. */
int MPIX_GM_World_rank(MPI_Comm comm, int peer);

/** What the device makes of one point-to-point message. */
typedef struct MPIX_GM_Message_cost {
    int eager;                 /**< 1 eager, 0 rendezvous */
    unsigned flow_packets;     /**< packets in the flow itself, each charged
                                    one IDT: protocol packets and data */
    unsigned reverse_packets;  /**< control packets that come back unregulated*/
    unsigned reverse_bytes;    /**< their GM payload, bytes per message */
    double receiver_seconds;   /**< receiving process's own time per message,
                                    in which it can do nothing else */
    double sender_seconds;     /**< the same for the sending process */
    double packet_bytes;       /**< payload that each packet is charged with */
    double idt_product;        /**< GM bytes/s of a flow with IDT 1 */
    unsigned longest_packets;  /**< packets of the longest GM message of it */
    MPI_Aint eager_bytes;      /**< longest MPI message that is sent eagerly */
    /* of a rendezvous */
    unsigned puts_ahead;       /**< long messages of a flow whose data may be at
                                    the NIC before the announcement of another */
    unsigned answers_ahead;    /**< answers of a flow that may be under way at
                                    the precedence of its reservation */
} MPIX_GM_Message_cost;

/** @return MPI_SUCCESS; MPI_ERR_ARG if message_bytes < 0 */
int MPIX_GM_Message(MPI_Aint message_bytes, MPIX_GM_Message_cost *cost);

/** What the calling process has done for messages so far. Numbers of bytes do
 *  not depend on where memory lies. */
typedef struct MPIX_GM_Counts {
    unsigned long long copied_out_bytes; /**< from user memory to GM's buffers */
    unsigned long long copied_in_bytes;  /**< and back */
    unsigned long long registered;       /**< times that user memory was registered
                                              for a message */
    unsigned long long found_registered; /**< times that a registration was kept
                                              from an earlier one */
    unsigned long long chunk_memory_bytes; /**< made for data that are packed or
                                              unpacked on their way; kept until
                                              the end */
} MPIX_GM_Counts;

/** @return MPI_SUCCESS; MPI_ERR_ARG if counts is NULL or MPI is not running */
int MPIX_GM_Get_counts(MPIX_GM_Counts *counts);

/** 1 if the cluster's packet scheduler keeps flows at their pace; without that
 *  nothing can be reserved. 0 before MPI_Init(). */
int MPIX_GM_Keeps_pace(void);
/** 1 if messages to a peer take the network, where flows can be paced; 0 if it
 *  is on the caller's host and reached by its memory (intra_host), and for a
 *  rank that is no peer. */
int MPIX_GM_Is_remote(MPI_Comm comm, int peer);

#ifdef __cplusplus
}
#endif

#endif
