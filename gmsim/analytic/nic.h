/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares models of network interface cards as queueing networks. Times are in
 * microseconds. A block of data has a size of 4 KB.
 */
#ifndef ANALYTIC_NIC_H
#define ANALYTIC_NIC_H

#include "analytic/model.h"

enum {
    GMS_MODEL_LANAI = 0, /* stations */
    GMS_MODEL_HDMA,
    GMS_MODEL_NSDMA,
    GMS_MODEL_NRDMA
};

enum {
    GMS_MODEL_DOORBELL = 0, /* classes */
    GMS_MODEL_DESCRIPTOR,
    GMS_MODEL_DATA,
    GMS_MODEL_RECV_DOORBELL,
    GMS_MODEL_RECV_DESCRIPTOR,
    GMS_MODEL_RECV_PACKET,
    GMS_MODEL_RECV_DATA
};

/**
 * Create the model of the paper's sending NIC (figure 3 and table 2 of the
 * paper). LANai serves doorbells, descriptors and data. The host DMA fetches
 * the objects to which doorbells and descriptors refer. The network-send DMA
 * has no queue; LANai programs this engine when the engine is idle. LANai has
 * one FCFS queue.
 *
 * @param [in] rate rate of the Poisson arrivals, in doorbells per microsecond
 * @return NULL if there is no memory
 */
gms_model_t *gms_model_nic(double rate);

/**
 * Create the model of a NIC that sends and receives. The paper describes the
 * receiving half in section 2.1, but does not model it. Receive doorbells fetch
 * receive descriptors. Packets arrive through the network-receive DMA, LANai
 * matches a packet to a descriptor, and the host DMA writes the data to the
 * host. If the paper does not state the time of a step, the model uses the time
 * of the corresponding step of the sending half (doc/nic-model.md).
 *
 * @param [in] send_rate, receive_rate rates of send doorbells and of received
 *   packets, per microsecond
 */
gms_model_t *gms_model_nic_both(double send_rate, double receive_rate);

#endif
