/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes when an HCA puts a packet on the link and when it has written a
 * packet, if its stages pass on the data of a packet in parts
 * (hca_forward_bytes). A stage may begin a packet before its last byte has
 * arrived, but it never needs a byte that has not arrived. A packet that is not
 * longer than one part is passed on as a whole.
 */
#include "nic/hca.h"

/* Return the length of a packet's first part. All parts except the last have
 * this length. */
static uint64_t gms_hca_first_part(const gms_params_t *params, uint64_t bytes)
{
    uint64_t part = params->hca_forward_bytes;

    return part == 0 || part > bytes ? bytes : part;
}

/* Return the number of bytes that precede a packet's last part. */
static uint64_t gms_hca_before_last(uint64_t bytes, uint64_t part)
{
    return part == bytes ? 0 : (bytes - 1) / part * part;
}

/* Return the rate at which the NIC reads the data of one flow, or 0 if the rate
 * is not limited. */
static uint64_t gms_hca_flow_rate(const gms_params_t *params,
                                  const gms_packet_t *packet)
{
    return packet->header.type == GMS_PACKET_GOT && params->hca_get_bytes_s != 0
               ? params->hca_get_bytes_s
               : params->hca_flow_bytes_s;
}

/* A flow is one queue pair, and a single unit of the NIC processes all of its
 * requests. Packets of a class keep their order, so a packet that is late can
 * delay packets of other flows. The scheduler alternates between flows, so this
 * delay is short. */
gms_time_t gms_hca_inject_ps(const gms_nic_t *nic, const gms_packet_t *packet,
                             gms_time_t read_ps, int is_limited)
{
    const gms_params_t *params = nic->params;
    gms_flow_t *flow = packet->flow;
    uint64_t bytes = packet->header.length;
    uint64_t part = gms_hca_first_part(params, bytes);
    uint64_t before = gms_hca_before_last(bytes, part);
    uint64_t flow_bytes_s = is_limited ? gms_hca_flow_rate(params, packet) : 0;
    gms_time_t first_ps = read_ps, link_ps;

    first_ps -= gms_transfer_ps(bytes - part, params->host_dma_bytes_s) +
                (bytes - part) * params->hca_read_ps_per_byte;
    if (flow_bytes_s != 0) {
        first_ps = gms_hca_later(first_ps, flow->data_ps);
        flow->data_ps = first_ps + gms_transfer_ps(bytes, flow_bytes_s);
        read_ps = gms_hca_later(
            read_ps, first_ps + gms_transfer_ps(before, flow_bytes_s));
    }
    if (before == 0) {
        return first_ps;
    }
    /* The last part must be in the NIC before the link sends its first byte. */
    link_ps = gms_transfer_ps(before,
                              gms_fabric_entry_bytes_s(nic->fabric, nic->node));
    return first_ps + link_ps < read_ps ? read_ps - link_ps : first_ps;
}

gms_time_t gms_hca_write_end_ps(const gms_nic_t *nic,
                                const gms_hca_write_t *write,
                                gms_time_t begin_ps, gms_time_t bus_ps)
{
    const gms_params_t *params = nic->params;
    const gms_host_dma_t *dma = &write->dma;
    uint64_t bytes = dma->bytes, part = gms_hca_first_part(params, bytes);
    gms_time_t free_ps = nic->hca->write_ps;
    uint64_t before = gms_hca_before_last(bytes, part);

    if (before == 0 || !write->is_streamed) {
        return gms_hca_later(free_ps, begin_ps) + bus_ps;
    }
    /* The first part was in the NIC as long ago as the link needs for the other
     * parts. */
    free_ps = gms_hca_later(
        free_ps, begin_ps - dma->packet->worm.stream_ps * (bytes - part) /
                                dma->packet->worm.wire_bytes);
    return gms_hca_later(free_ps + bus_ps,
                         begin_ps + bus_ps -
                             gms_transfer_ps(before, params->host_dma_bytes_s));
}
