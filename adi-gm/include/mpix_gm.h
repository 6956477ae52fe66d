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

/** Answer of the bandwidth manager; fields as in gm_qos_answer_t. */
typedef struct MPIX_GM_Answer {
    int granted;
    unsigned idt_ticks;          /**< 0.5 us ticks; 0 = unregulated */
    double gm_bandwidth;         /**< bytes/s of GM payload, charged or shared */
    int criterion;               /**< 0 ok, 1 source node, 2 link,
                                      3 destination node */
    char place[MPIX_GM_PLACE_LEN]; /**< what is full; "" if granted */
    double left;                 /**< bytes/s of GM payload left there */
} MPIX_GM_Answer;

enum { MPIX_GM_PREMIUM = 1, MPIX_GM_BEST_EFFORT = 2 };

/**
 * Ask for bandwidth for the caller's flow to a peer on a communicator: all
 * that this process sends to it there, collectives included, and nothing else.
 * Blocks until the manager has answered. Asking again changes the reservation.
 *
 * @param [in] peer               rank in comm (remote group for an
 *                                intercommunicator), not the caller's own
 * @param [in] gm_bytes_s         bytes/s of GM payload, > 0 for premium
 * @param [in] reverse_bytes_s    control traffic back, bytes/s of GM payload
 * @return MPI_SUCCESS, MPI_ERR_RANK, MPI_ERR_ARG
 */
int MPIX_GM_Flow_request(MPI_Comm comm, int peer, int qos_class,
                         double gm_bytes_s, double reverse_bytes_s,
                         MPIX_GM_Answer *answer);
/** Give it back; MPI_SUCCESS also if there was nothing. */
int MPIX_GM_Flow_release(MPI_Comm comm, int peer);
/** The flow's present IDT and bandwidth (best-effort shares change). */
int MPIX_GM_Flow_state(MPI_Comm comm, int peer, MPIX_GM_Answer *answer);

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
} MPIX_GM_Message_cost;

/** @return MPI_SUCCESS; MPI_ERR_ARG if message_bytes < 0 */
int MPIX_GM_Message(MPI_Aint message_bytes, MPIX_GM_Message_cost *cost);

/** 1 if the cluster's packet scheduler keeps flows at their pace; without that
 *  nothing can be reserved. 0 before MPI_Init(). */
int MPIX_GM_Keeps_pace(void);

#ifdef __cplusplus
}
#endif

#endif
