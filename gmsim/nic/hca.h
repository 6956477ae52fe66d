/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * State of an hca NIC, which is a host channel adapter with pipelined hardware
 * for each direction.
 *
 *   doorbell -> work requests -> scheduler -> DMA reads -> link
 *   link -> receive engine -> DMA writes -> host memory, completion
 *
 * Each stage is a pipeline: it begins at most one item per interval, and every
 * item leaves the stage one latency after it began. A stage therefore needs
 * only the time at which it can begin its next item. Items leave a stage in the
 * order in which they entered it.
 *
 * The send and receive directions share no stage. Each class has its own send
 * and receive buffers, but all classes share the stages, which serve the
 * classes in order of precedence.
 * [source: structure of an HCA: InfiniBand Architecture Specification, volume
 * 1, release 1.3, chapters 9 and 10; which stages are pipelined: assumed]
 */
#ifndef NIC_HCA_H
#define NIC_HCA_H

#include "nic/step.h"

/** An ongoing DMA write to the host. */
typedef struct gms_hca_write {
    struct gms_hca_write *next;
    gms_host_dma_t dma;
    uint8_t is_streamed; /* 1: the write began when the packet arrived, so parts
                          * of the packet were written while others arrived */
    uint8_t ends_get;    /* 1: the event of a get follows the data */
} gms_hca_write_t;

typedef struct gms_hca_writes {
    gms_hca_write_t *first, *last;
} gms_hca_writes_t;

GMS_QUEUE_DEFINE(gms_hca_writes, gms_hca_writes_t, gms_hca_write_t, next);

struct gms_hca {
    uint8_t is_working; /* 1: the loop in gms_hca_kick() is running */
    uint8_t again;      /* 1: the loop in gms_hca_kick() must run once more */
    uint64_t resets;    /* number of resets; events of transfers from before a
                         * reset have no effect */
    /* Times at which stages can begin their next item. */
    gms_time_t send_ps, read_ps, receive_ps, write_ps;
    /* Times at which the latest item leaves a stage. */
    gms_time_t fetched_ps, written_ps;
    gms_time_t read_done_ps[GMS_LANE_CLASSES];
    /* Time of the latest event that was scheduled for the time when the send
     * engine and the bus become free for other traffic. */
    gms_time_t idle_wake_ps;
    gms_hca_writes_t writing, unused; /* writes, oldest first */
    uint32_t writing_count;
};

/** Return the later of two times. */
static inline gms_time_t gms_hca_later(gms_time_t a, gms_time_t b)
{
    return a > b ? a : b;
}

/** Begin to fetch packets of a class while flows may send and buffers are
 *  free. */
void gms_hca_send_class(gms_ctx_t *ctx, gms_nic_t *nic, unsigned traffic_class);
/** Put a class's next packet on the link if the class is not using the link. */
void gms_hca_link(gms_ctx_t *ctx, gms_nic_t *nic, unsigned traffic_class);
/** Begin DMA writes of a class. */
void gms_hca_write_class(gms_ctx_t *ctx, gms_nic_t *nic,
                         unsigned traffic_class);
void gms_hca_kick(gms_ctx_t *ctx, gms_nic_t *nic);

/** Record that the data of a packet are in the NIC, or that their read was
 *  aborted. @return 1 if the packet's flow may now read another packet */
int gms_hca_end_read(gms_ctx_t *ctx, gms_packet_t *packet);

/** Return the time at which a packet with data can enter the link.
 *  @param [in] read_ps  time at which the host's bus and the send engine have
 *    delivered the whole packet
 *  @param [in] is_limited  1: the maximum rate of a flow applies */
gms_time_t gms_hca_inject_ps(const gms_nic_t *nic, const gms_packet_t *packet,
                             gms_time_t read_ps, int is_limited);
/** Return the time at which the bus has transferred the data of a write and its
 *  event.
 *  @param [in] begin_ps  time at which the receive engine has processed the last
 *    byte of the packet
 *  @param [in] bus_ps  time that the transfer occupies the bus */
gms_time_t gms_hca_write_end_ps(const gms_nic_t *nic,
                                const gms_hca_write_t *write,
                                gms_time_t begin_ps, gms_time_t bus_ps);

gms_handler_fn gms_hca_on_fetched, gms_hca_on_request, gms_hca_on_read,
    gms_hca_on_written, gms_hca_on_sent, gms_hca_on_arrived;

#endif
