/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * mpix_gm.h - the interface of the MPICH device `ch4:gm` for a QoS layer.
 *
 * The device knows ranks, GM nodes, ports, labels and the costs of messages.
 * The device does not know attributes, hints or MPI bandwidth, which libmpiqos
 * implements as a client of this interface. The symbols are in libmpi. A client
 * declares them as weak symbols, which are NULL with any other MPI library.
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
 * The device calls this function inside MPI_Comm_set_attr(), after MPI has
 * checked its arguments and before any change.
 *
 * @param [in,out] value  the attribute value. MPI stores the value that the
 *                        function leaves in *value, and later passes the stored
 *                        value to the keyval's delete function.
 * @return MPI_SUCCESS, or an MPI error code. After an error the old value
 *         remains, and MPI calls the communicator's error handler with the
 *         code.
 */
typedef int MPIX_GM_Set_attr_fn(MPI_Comm comm, int keyval, void **value);

/** Observe a keyval. If set_fn is NULL, end the observation. A process can
 *  observe at most one keyval.
 *  @return MPI_SUCCESS, or MPI_ERR_OTHER if another keyval is observed */
int MPIX_GM_Watch_keyval(int keyval, MPIX_GM_Set_attr_fn *set_fn);

/** Events of communicators that a client can observe. All functions are called
 *  without MPI's lock. The functions may call MPI, but must not communicate. A
 *  window has its own communicator, which carries the window's traffic and has
 *  the same events. */
typedef struct MPIX_GM_Comm_events {
    /** A program sets hints in MPI_Comm_set_info() or MPI_Win_set_info(), or
     *  creates a communicator or window with hints. If an object is created
     *  with hints, the function is called when the object is complete. The
     *  function is called only if a key starts with "mpiqos_". */
    void (*hints)(MPI_Comm comm, MPI_Info info);
    /** A program receives a communicator; it receives MPI_COMM_WORLD at the end
     *  of MPI_Init(). If the communicator has hints, hints() is called
     *  first. */
    void (*created)(MPI_Comm comm);
    /** A program names a communicator. */
    void (*named)(MPI_Comm comm);
    /** A program reads the hints of a communicator: the function adds the
     *  answers to info. */
    void (*answers)(MPI_Comm comm, MPI_Info info);
} MPIX_GM_Comm_events;

/** Observe communicators. If events is NULL, end the observation. A process can
 *  have one client. The caller keeps the struct, which must exist until the
 *  observation ends. */
void MPIX_GM_Watch_comms(const MPIX_GM_Comm_events *events);

/** Events of MPI files that a client can observe. Each process that opens a file
 *  has its own events. `file` identifies the file until closing() returns. The
 *  functions are called without MPI's lock, and may call MPI, but must not
 *  communicate, except by MPIX_GM_File_request(). */
typedef struct MPIX_GM_File_events {
    /** A program has opened a file with these hints (or MPI_INFO_NULL). */
    void (*opened)(const void *file, const char *name, MPI_Info info);
    /** A program sets hints in MPI_File_set_info() or MPI_File_set_view(), of
     *  which at least one key starts with "mpiqos_". */
    void (*hints)(const void *file, const char *name, MPI_Info info);
    /** A program reads the hints of a file: the function adds the answers to
     *  info. */
    void (*answers)(const void *file, MPI_Info info);
    /** A program closes a file. The device then releases the reservation. */
    void (*closing)(const void *file);
} MPIX_GM_File_events;

/** Observe files, with the same rules as MPIX_GM_Watch_comms(). */
void MPIX_GM_Watch_files(const MPIX_GM_File_events *events);

/*
 * The device loads the client library with which it was built, if the program
 * is not linked with it. The device loads the library when a program sets
 * hints, or if one of the environment variables MPIQOS_POLICY and MPIQOS_REPORT
 * is set. The device then calls the exported function
 *
 *     int mpiqos_device_open(int rank, int size, char *error, size_t len);
 *
 * with the caller's rank in MPI_COMM_WORLD and its size. The function returns 0
 * on success. It returns -1 with a message on failure, and the job ends. The
 * device calls this function at the beginning of MPI_Init(); the function must
 * not call MPI. Before the first event of a communicator, the device calls
 *
 *     int mpiqos_flow_keyval(void);
 *
 * in which the client begins to observe communicators.
 */

/** Length of the text that describes an invalid value. */
#define MPIX_GM_WHY_LEN 160

/**
 * Handle a record of a file. MPIX_GM_Read_records() calls this function for
 * each record.
 *
 * @param [in]  line    the line in which the record begins
 * @param [in]  values  one element per key, in the order of the keys. An
 *                      element is NULL if the key is missing; otherwise it is a
 *                      NULL-terminated array with the text of the key or with
 *                      the texts of its list
 * @param [out] key_p   the invalid key, or -1 if the whole record is invalid
 * @param [out] item_p  index of the invalid text of the key
 * @param [out] why     the reason, which the message contains after
 *                      "key 'K': value 'V' " or after the record's line
 * @return 0, or -1 if the record is invalid: reading ends
 */
typedef int MPIX_GM_Record_fn(unsigned line, const char *const *const *values,
                              int *key_p, unsigned *item_p,
                              char why[MPIX_GM_WHY_LEN], void *context);

/**
 * Read a YAML file that is a list of mappings, each with some of the given
 * keys. The function can be called before MPI_Init().
 *
 * @param [in]  what   name of the file's kind for messages: "policy"
 * @param [in]  keys   all allowed keys, NULL-terminated
 * @param [out] error  "FILE:LINE: key 'K': value 'V' ...", truncated to
 *   error_len bytes
 * @return 0, or -1 with the message in error
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
    char place[MPIX_GM_PLACE_LEN]; /**< the exhausted resource, or the flow
                                      whose bound would be exceeded; "" if
                                      granted */
    /** remaining bytes/s of GM payload at place; for a process, the largest
     *  bandwidth for which the process has enough time */
    double left;
    double latency_s;            /**< bounds of the GM flow; 0: not known */
    double delay_s;              /**< if denied for delay: the smallest delay
                                      that would be granted; 0: the bound of
                                      another flow would be exceeded */
    double jitter_s;             /**< if denied for jitter: the smallest jitter
                                      that would be granted; 0 as in delay_s */
    unsigned burst_bytes;
    double worst_delay_s;        /**< state only: longest delay of any GM
                                      message until now; see
                                      gm_qos_flow_state_t */
    unsigned long long messages_measured, messages_beyond;
    double worst_exchange_s;     /**< state only: duration of the longest
                                      rendezvous until now, from the sending
                                      call to the end of the rendezvous */
    double reverse_delay_s;      /**< delay bound of an answer in the reverse
                                      direction */
    int declared_only;           /**< 1: granted, but undeclared traffic can
                                      break the guarantee */
} MPIX_GM_Answer;

enum { MPIX_GM_PREMIUM = 1, MPIX_GM_BEST_EFFORT = 2 };

/** A request for one flow: all messages that the calling process sends to a
 *  peer on a communicator, including the messages of collectives, and no other
 *  messages. */
typedef struct MPIX_GM_Request {
    int peer;                  /**< rank in comm (remote group for an
                                    intercommunicator), not the caller's own */
    int qos_class;             /**< MPIX_GM_PREMIUM or MPIX_GM_BEST_EFFORT */
    double gm_bytes_s;         /**< GM payload, bytes/s, > 0 for premium */
    double reverse_bytes_s;    /**< control traffic in the reverse direction,
                                    bytes/s of GM payload, >= 0 */
    double sender_load;        /**< share of the sender's time, seconds per
                                    second, >= 0; premium only */
    double receiver_load;      /**< share of the receiver's time, in the same
                                    unit. The sum of all granted shares of a
                                    process never exceeds 1 */
    /** share of the program's own data in gm_bytes_s, and in the best-effort
     *  share, 0..1; 0: not known. Only the record of the run uses this value */
    double payload_part;
    /* Premium only; GM payload in whole packets. gm_qos_request_t explains the
     * value 0. */
    unsigned message_bytes;    /**< longest GM message */
    unsigned burst_bytes;
    double delay_s, jitter_s;  /**< largest acceptable delay and jitter of a GM
                                    message; 0: any */
} MPIX_GM_Request;

/** Largest number of flows that one call can request. */
#define MPIX_GM_MAX_REQUESTS 256

/**
 * Request bandwidth for flows in one exchange with the manager, which grants
 * either all requests or none. The call blocks until the manager has answered.
 * A later request for the same flow changes its reservation.
 *
 * @param [in]  requests  `count` requests; no peer occurs twice
 * @param [in]  count     1..MPIX_GM_MAX_REQUESTS
 * @param [out] answers   `count` answers. `granted` has the same value in all
 *                        answers. If `granted` is 0, criterion, place and left
 *                        are set in the answer to the denied request, and are 0
 *                        or empty in all other answers
 * @return MPI_SUCCESS, MPI_ERR_RANK, MPI_ERR_ARG, MPI_ERR_NO_MEM
 */
int MPIX_GM_Flow_request(MPI_Comm comm, const MPIX_GM_Request *requests,
                         int count, MPIX_GM_Answer *answers);
/** Release a reservation. The function also returns MPI_SUCCESS if there is no
 *  reservation. */
int MPIX_GM_Flow_release(MPI_Comm comm, int peer);
/** Return the flow's present IDT and bandwidth (best-effort shares change). */
int MPIX_GM_Flow_state(MPI_Comm comm, int peer, MPIX_GM_Answer *answer);

/** Answer to a request for a file. */
typedef struct MPIX_GM_File_answer {
    int granted;
    int denied_read;               /**< 1: the bandwidth for reading was denied,
                                        0: the bandwidth for writing */
    int criterion;                 /**< as in MPIX_GM_Answer */
    char place[MPIX_GM_PLACE_LEN]; /**< the exhausted resource; "" if granted */
    double left;                   /**< largest bandwidth of the denied direction
                                        that would be granted, bytes/s */
} MPIX_GM_File_answer;

/** Return the number of I/O hosts of the cluster. */
int MPIX_GM_File_hosts(void);
/**
 * Request bandwidth between the host of the calling process and the I/O hosts
 * for the accesses of this process to an open file. The call blocks until the
 * manager has answered. A request replaces the earlier one for the file; after a
 * denial, the file has no reservation.
 *
 * @param [in] file  from an event of the file
 * @param [in] write_bytes_s,read_bytes_s  bytes of the file per second, >= 0;
 *   both 0: release the reservation (the answer is not granted)
 * @return MPI_SUCCESS, MPI_ERR_ARG, MPI_ERR_NO_MEM
 * @return MPI_ERR_OTHER  there are no I/O hosts, or no manager
 */
int MPIX_GM_File_request(const void *file, double write_bytes_s,
                         double read_bytes_s, MPIX_GM_File_answer *answer);

/** Return the rank in MPI_COMM_WORLD of a rank that comm can address (in its
 *  remote group, if it has one). Return the caller's own rank for peer -1, and
 *  -1 if there is no such rank. */
int MPIX_GM_World_rank(MPI_Comm comm, int peer);

/** Costs of one point-to-point message in the device. */
typedef struct MPIX_GM_Message_cost {
    int eager;                 /**< 1 eager, 0 rendezvous */
    unsigned flow_packets;     /**< packets in the flow itself (protocol packets
                                    and data); each packet is charged one IDT */
    unsigned reverse_packets;  /**< unregulated control packets in the reverse
                                    direction */
    unsigned reverse_bytes;    /**< GM payload of these control packets, bytes
                                    per message */
    double receiver_seconds;   /**< time per message in which the receiving
                                    process cannot do other work */
    double sender_seconds;     /**< time per message in which the sending
                                    process cannot do other work */
    double packet_bytes;       /**< payload that is charged for each packet */
    double idt_product;        /**< bandwidth of a flow with IDT 1, bytes/s of
                                    GM payload */
    unsigned longest_packets;  /**< number of packets of the longest GM message
                                    that belongs to the MPI message */
    MPI_Aint eager_bytes;      /**< longest MPI message that is sent eagerly */
    /* the following fields are set only for a rendezvous */
    /** number of long messages of a flow whose data may be at the NIC before
     *  the next announcement */
    unsigned puts_ahead;
    /** number of answers of a flow that may be in flight with the precedence of
     *  its reservation */
    unsigned answers_ahead;
} MPIX_GM_Message_cost;

/** @return MPI_SUCCESS; MPI_ERR_ARG if message_bytes < 0 */
int MPIX_GM_Message(MPI_Aint message_bytes, MPIX_GM_Message_cost *cost);

/** Counts of all messages of the calling process until now. The numbers of
 *  bytes do not depend on memory addresses. */
typedef struct MPIX_GM_Counts {
    unsigned long long copied_out_bytes; /**< bytes copied from user memory to
                                              GM's buffers */
    unsigned long long copied_in_bytes;  /**< bytes copied from GM's buffers to
                                              user memory */
    unsigned long long registered;       /**< registrations of user memory for a
                                              message */
    unsigned long long found_registered; /**< registrations that were found in
                                              the cache */
    unsigned long long chunk_memory_bytes; /**< memory for data that are packed
                                              or unpacked during a transfer; the
                                              process keeps this memory until it
                                              ends */
} MPIX_GM_Counts;

/** @return MPI_SUCCESS; MPI_ERR_ARG if counts is NULL or MPI is not running */
int MPIX_GM_Get_counts(MPIX_GM_Counts *counts);

/** Return 1 if the cluster's packet scheduler paces packets, which reservations
 *  require; 0 before MPI_Init(). */
int MPIX_GM_Keeps_pace(void);
/** Return 1 if messages to a peer use the network, where flows can be paced.
 *  Return 0 if messages use the memory of the caller's host (intra_host), and
 *  for a rank that is not a peer. */
int MPIX_GM_Is_remote(MPI_Comm comm, int peer);

#ifdef __cplusplus
}
#endif

#endif
