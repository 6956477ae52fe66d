/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * mpix_gm.h - declares the interface between the MPICH device `ch4:gm` and a
 * QoS layer.
 *
 * The device knows ranks, GM nodes, ports, labels, and the costs of messages.
 * Attributes, hints and MPI bandwidth are unknown to the device; libmpiqos
 * implements them as a client of this interface. libmpi defines the functions.
 * A client declares these functions as weak symbols, which are NULL with any
 * other MPI library.
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
 * checked the arguments and before it changes anything.
 *
 * @param [in,out] value  the attribute value. MPI stores the value that the
 *                        function leaves in *value, and later passes this value
 *                        to the keyval's delete function.
 * @return MPI_SUCCESS, or an MPI error code. After an error, the attribute
 *         keeps its old value, and MPI calls the communicator's error handler
 *         with the code.
 */
typedef int MPIX_GM_Set_attr_fn(MPI_Comm comm, int keyval, void **value);

/** Observe a keyval. If set_fn is NULL, stop the observation. A process can
 *  observe at most one keyval.
 *  @return MPI_SUCCESS, or MPI_ERR_OTHER if another keyval is observed */
int MPIX_GM_Watch_keyval(int keyval, MPIX_GM_Set_attr_fn *set_fn);

/** Events of communicators, which a client can observe. The device calls all
 *  functions without MPI's lock. The functions may call MPI, but must not
 *  communicate. Every window has its own communicator, which carries the
 *  window's data and causes the same events. */
typedef struct MPIX_GM_Comm_events {
    /** A program has set hints with MPI_Comm_set_info() or MPI_Win_set_info(),
     *  or has created a communicator or window with hints. For a new object,
     *  the device calls the function when the object is complete. The device
     *  calls the function only if a key starts with "mpiqos_". */
    void (*hints)(MPI_Comm comm, MPI_Info info);
    /** A new communicator is available to the program; MPI_COMM_WORLD is
     *  available at the end of MPI_Init(). If the communicator has hints, the
     *  device first calls hints(). */
    void (*created)(MPI_Comm comm);
    /** A program has named a communicator. */
    void (*named)(MPI_Comm comm);
    /** A program reads the hints of a communicator; the function stores the
     *  answers of the QoS layer in info. */
    void (*answers)(MPI_Comm comm, MPI_Info info);
} MPIX_GM_Comm_events;

/** Observe communicators. If events is NULL, stop the observation. A process
 *  can have only one client. The caller owns the struct, which must exist until
 *  the observation stops. */
void MPIX_GM_Watch_comms(const MPIX_GM_Comm_events *events);

/** Events of MPI files, which a client can observe. Each process that opens a
 *  file receives its own events. `file` identifies the file until closing() has
 *  returned. The device calls the functions without MPI's lock. The functions
 *  may call MPI, but must not communicate, except with
 *  MPIX_GM_File_request(). */
typedef struct MPIX_GM_File_events {
    /** A program has opened a file with these hints (or with MPI_INFO_NULL). */
    void (*opened)(const void *file, const char *name, MPI_Info info);
    /** A program has set hints with MPI_File_set_info() or MPI_File_set_view(),
     *  and at least one key starts with "mpiqos_". */
    void (*hints)(const void *file, const char *name, MPI_Info info);
    /** A program reads the hints of a file; the function stores the answers of
     *  the QoS layer in info. */
    void (*answers)(const void *file, MPI_Info info);
    /** A program closes a file. The device releases the reservation when the
     *  function returns. */
    void (*closing)(const void *file);
} MPIX_GM_File_events;

/** Observe files. The rules of MPIX_GM_Watch_comms() apply. */
void MPIX_GM_Watch_files(const MPIX_GM_File_events *events);

/*
 * If the program is not linked with a client library, the device loads the
 * client library whose name was compiled into the device. The device loads this
 * library if a program sets hints, or if the environment variable MPIQOS_POLICY
 * or MPIQOS_REPORT is set. The device then calls the exported function
 *
 *     int mpiqos_device_open(int rank, int size, char *error, size_t len);
 *
 * where rank is the caller's rank in MPI_COMM_WORLD, and size is the size of
 * MPI_COMM_WORLD. The function returns 0 if it succeeds. If it fails, it
 * returns -1, stores a message in error, and the job ends. The device calls
 * this function at the beginning of MPI_Init(); the function must not call MPI.
 * Before the first event of a communicator, the device calls the function
 *
 *     int mpiqos_flow_keyval(void);
 *
 * In this function, the client begins to observe communicators.
 */

/** Size of the buffer for the reason why a value is invalid, including the
 *  terminating 0. */
#define MPIX_GM_WHY_LEN 160

/**
 * Handle one record of a file. MPIX_GM_Read_records() calls this function for
 * each record.
 *
 * @param [in]  line    number of the record's first line
 * @param [in]  values  one element per key, in the order of the keys. An
 *                      element is NULL if the key is missing. Otherwise, the
 *                      element is a NULL-terminated array that contains the
 *                      key's value, or all values if the key has a list
 * @param [out] key_p   the invalid key, or -1 if the whole record is invalid
 * @param [out] item_p  index of the invalid value in the list of this key
 * @param [out] why     the reason, which the message shows after "key 'K':
 *                      value 'V' " or after the record's line number
 * @return 0, or -1 if the record is invalid, which stops the reading
 */
typedef int MPIX_GM_Record_fn(unsigned line, const char *const *const *values,
                              int *key_p, unsigned *item_p,
                              char why[MPIX_GM_WHY_LEN], void *context);

/**
 * Read a YAML file that contains a list of mappings, each with some of the
 * given keys. A program may call this function before MPI_Init().
 *
 * @param [in]  what   the kind of file, for messages; for example "policy"
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
    unsigned idt_ticks;          /**< in ticks of rtc_tick_ps; 0: unregulated */
    double gm_bandwidth;         /**< bytes/s of GM payload that are charged, or
                                      the best-effort share */
    int criterion;               /**< 0 ok, 1 source node, 2 link,
                                      3 destination node, 4 source process,
                                      5 destination process, 6 buffer, 7 delay,
                                      8 jitter */
    char place[MPIX_GM_PLACE_LEN]; /**< the exhausted resource, or the flow
                                      whose bound would be violated; "" if
                                      granted */
    /** remaining bytes/s of GM payload at place; for a process, the largest
     *  bandwidth that its processor time permits */
    double left;
    double latency_s;            /**< bounds of the GM flow; 0: not known */
    double delay_s;              /**< if denied for delay: the smallest delay
                                      that would be granted; 0: the bound of
                                      another flow would be violated */
    double jitter_s;             /**< if denied for jitter: the smallest jitter
                                      that would be granted; 0 as in delay_s */
    unsigned burst_bytes;
    double worst_delay_s;        /**< state only: longest delay of any GM
                                      message so far; see gm_qos_flow_state_t */
    unsigned long long messages_measured, messages_beyond;
    double worst_exchange_s;     /**< state only: duration of the longest
                                      rendezvous so far, from the call of the
                                      send function to the end of the
                                      rendezvous */
    double reverse_delay_s;      /**< delay bound of a rendezvous answer, which
                                      uses the reverse direction */
    int declared_only;           /**< 1: granted, but undeclared traffic can
                                      break the guarantee */
} MPIX_GM_Answer;

enum { MPIX_GM_PREMIUM = 1, MPIX_GM_BEST_EFFORT = 2 };

/** A request for one flow: all messages that the calling process sends to a
 *  peer on a communicator. The flow includes the messages of collectives, and
 *  no other messages. */
typedef struct MPIX_GM_Request {
    int peer;                  /**< rank in comm (in the remote group of an
                                    inter-communicator), but not the caller's
                                    own rank */
    int qos_class;             /**< MPIX_GM_PREMIUM or MPIX_GM_BEST_EFFORT */
    double gm_bytes_s;         /**< GM payload, bytes/s, > 0 for premium */
    double reverse_bytes_s;    /**< control traffic in the reverse direction,
                                    bytes/s of GM payload, >= 0 */
    double sender_load;        /**< share of the sender's processor time,
                                    seconds per second, >= 0; premium only */
    double receiver_load;      /**< share of the receiver's processor time, in
                                    the same unit. The sum of all granted shares
                                    of a process never exceeds 1 */
    /** ratio of the program's own data to gm_bytes_s and to the best-effort
     *  share, 0..1; 0: not known. Only the record of the run contains this
     *  value */
    double payload_part;
    /* The following fields are for premium only. Sizes are bytes of GM payload,
     * in whole packets. gm_qos_request_t explains the value 0. */
    unsigned message_bytes;    /**< longest GM message */
    unsigned burst_bytes;
    double delay_s, jitter_s;  /**< largest acceptable delay and jitter of a GM
                                    message; 0: no limit */
} MPIX_GM_Request;

/** Largest number of flows that one call can request. */
#define MPIX_GM_MAX_REQUESTS 256

/**
 * Request bandwidth for several flows in one exchange with the manager, which
 * grants either all requests or none. The call blocks until the manager has
 * answered. A later request for the same flow changes its reservation.
 *
 * @param [in]  requests  `count` requests, each for a different peer
 * @param [in]  count     1..MPIX_GM_MAX_REQUESTS
 * @param [out] answers   `count` answers. All answers contain the same value of
 *                        `granted`. If `granted` is 0, only the answer to the
 *                        denied request contains criterion, place and left; in
 *                        all other answers, these fields are 0 or empty
 * @return MPI_SUCCESS, MPI_ERR_RANK, MPI_ERR_ARG, MPI_ERR_NO_MEM
 */
int MPIX_GM_Flow_request(MPI_Comm comm, const MPIX_GM_Request *requests,
                         int count, MPIX_GM_Answer *answers);
/** Release a reservation. The function returns MPI_SUCCESS even if there is no
 *  reservation. */
int MPIX_GM_Flow_release(MPI_Comm comm, int peer);
/** Return the current IDT and bandwidth of the flow. Both can change if the
 *  flow has a best-effort share. */
int MPIX_GM_Flow_state(MPI_Comm comm, int peer, MPIX_GM_Answer *answer);

/** Answer to a bandwidth request for a file. */
typedef struct MPIX_GM_File_answer {
    int granted;
    int denied_read;               /**< 1: the bandwidth for reading was denied;
                                        0: the bandwidth for writing was
                                        denied */
    int criterion;                 /**< see MPIX_GM_Answer */
    char place[MPIX_GM_PLACE_LEN]; /**< the exhausted resource; "" if granted */
    double left;                   /**< largest bandwidth in the denied
                                        direction that would be granted,
                                        bytes/s */
} MPIX_GM_File_answer;

/** Return the number of I/O hosts of the cluster. */
int MPIX_GM_File_hosts(void);
/**
 * Request bandwidth between the calling process's host and the I/O hosts, for
 * this process's accesses to an open file. The call blocks until the manager
 * has answered. A request replaces the previous request for the file; after a
 * denial, the file has no reservation.
 *
 * @param [in] file  the file, as an event has reported it
 * @param [in] write_bytes_s,read_bytes_s  bytes of the file per second, >= 0;
 *   if both are 0, the reservation is released and the answer is not granted
 * @return MPI_SUCCESS, MPI_ERR_ARG, MPI_ERR_NO_MEM
 * @return MPI_ERR_OTHER  the cluster has no I/O hosts, or no manager
 */
int MPIX_GM_File_request(const void *file, double write_bytes_s,
                         double read_bytes_s, MPIX_GM_File_answer *answer);

/** Convert a peer's rank in comm to the peer's rank in MPI_COMM_WORLD. For an
 *  inter-communicator, the peer is in the remote group. For peer -1, return the
 *  caller's own rank. If there is no such rank, return -1. */
int MPIX_GM_World_rank(MPI_Comm comm, int peer);

/** Costs of one point-to-point message. */
typedef struct MPIX_GM_Message_cost {
    int eager;                 /**< 1: eager; 0: rendezvous */
    unsigned flow_packets;     /**< packets in the flow itself (protocol packets
                                    and data); each packet costs one IDT */
    unsigned reverse_packets;  /**< unregulated control packets in the reverse
                                    direction */
    unsigned reverse_bytes;    /**< GM payload of these control packets, bytes
                                    per message */
    double receiver_seconds;   /**< time per message during which the receiving
                                    process cannot do other work */
    double sender_seconds;     /**< time per message during which the sending
                                    process cannot do other work */
    double packet_bytes;       /**< payload bytes that are charged for each
                                    packet */
    double idt_product;        /**< bandwidth of a flow with an IDT of 1 tick,
                                    bytes/s of GM payload */
    unsigned longest_packets;  /**< number of packets in the longest of the GM
                                    messages that carry the MPI message */
    MPI_Aint eager_bytes;      /**< longest MPI message that the device sends
                                    eagerly */
    /* the following fields are set only for a rendezvous */
    /** number of a flow's long messages whose data may be queued in the NIC
     *  ahead of the next announcement */
    unsigned puts_ahead;
    /** number of a flow's rendezvous answers that may be in flight at one time
     *  with the precedence of the flow's reservation */
    unsigned answers_ahead;
} MPIX_GM_Message_cost;

/** @return MPI_SUCCESS; MPI_ERR_ARG if message_bytes < 0 */
int MPIX_GM_Message(MPI_Aint message_bytes, MPIX_GM_Message_cost *cost);

/** Counts of all messages that the calling process has sent and received so
 *  far. The byte counts do not depend on memory addresses. */
typedef struct MPIX_GM_Counts {
    unsigned long long copied_out_bytes; /**< bytes copied from user memory to
                                              GM's buffers */
    unsigned long long copied_in_bytes;  /**< bytes copied from GM's buffers to
                                              user memory */
    unsigned long long registered;       /**< number of registrations of user
                                              memory for messages */
    unsigned long long found_registered; /**< number of registrations that were
                                              found in the cache */
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
 *  Return 0 if messages use the memory of the caller's host (intra_host), or if
 *  the rank is not a peer. */
int MPIX_GM_Is_remote(MPI_Comm comm, int peer);

#ifdef __cplusplus
}
#endif

#endif
