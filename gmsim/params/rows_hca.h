/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Defines the rows of the parameter table for pipelined NICs (nic_kind: hca).
 * The table in params.c includes these rows.
 */
#ifndef PARAMS_ROWS_HCA_H
#define PARAMS_ROWS_HCA_H

#define GMS_ROWS_HCA                                                           \
    GMS_ROW(hca_inline_bytes, 128, 0, 4096, "bytes",                           \
            "Longest GM message whose data the process writes to the NIC "     \
            "together with the work request, so that the NIC reads nothing "   \
            "from the host. [assumed: two 64-byte blocks]"),                   \
        GMS_ROW(                                                               \
            hca_request_ps, 5 * GMS_NS, 0, GMS_MAX_STEP_PS, "ps",              \
            "Shortest interval between work requests that the NIC executes. "  \
            "[source: Nvidia, ConnectX-6 product brief: up to 215 million "    \
            "messages per second]"),                                           \
        GMS_ROW(hca_fetch_ps, 0, 0, GMS_MAX_STEP_PS, "ps",                     \
                "Additional latency of a work request without inline data, "   \
                "which the NIC fetches from the host. Fetches of several "     \
                "work requests overlap. [assumed: the process writes the "     \
                "work request to the NIC with the doorbell]"),                 \
        GMS_ROW(                                                               \
            hca_packet_ps, 5 * GMS_NS, 0, GMS_MAX_STEP_PS, "ps",               \
            "Shortest interval between packets in each direction. [source: "   \
            "same as hca_request_ps]"),                                        \
        GMS_ROW(hca_send_ps, 100 * GMS_NS, 0, GMS_MAX_STEP_PS, "ps",           \
                "Latency of a packet in the send engine. [assumed: about 30 "  \
                "cycles "                                                      \
                "at 300 MHz]"),                                                \
        GMS_ROW(hca_read_ps, 450 * GMS_NS, 0, GMS_MAX_STEP_PS, "ps",           \
                "Latency of a DMA read, in addition to the transfer time at "  \
                "host_dma_bytes_s. Up to nic_send_buffers reads are in "       \
                "flight at the same time. [assumed: a request and an answer "  \
                "over PCI Express and an access to memory]"),                  \
        GMS_ROW(                                                               \
            hca_read_ps_per_byte, 0, 0, 1000000, "ps/byte",                    \
            "Additional latency of a DMA read per byte of a packet's data. "   \
            "The NIC divides a read into requests, and has only a few "        \
            "requests of a packet in flight at the same time. Reads of "       \
            "several packets overlap, so this latency does not limit the "     \
            "rate. [assumed: all requests of a packet are in flight at the "   \
            "same time]"),                                                     \
        GMS_ROW(hca_read_ramp_packets, 0, 0, 4096, "packets",                  \
                "Length of the ramp-up of DMA reads for a best-effort flow. "  \
                "After a pause, the NIC reads the data of one packet of the "  \
                "flow at a time. After every hca_read_ramp_packets packets, "  \
                "the number of simultaneous reads increases by one. A pause "  \
                "is a period in which no packet of the flow is read. 0: no "   \
                "ramp-up. [assumed: the number of simultaneous reads equals "  \
                "the number of send buffers]"),                                \
        GMS_ROW(                                                               \
            hca_flow_bytes_s, 0, 0, GMS_MAX_RATE, "bytes/s",                   \
            "Maximum rate at which the NIC reads the data of one best-effort " \
            "flow. Other flows use the remaining rate of the bus. 0: no "      \
            "limit. [assumed: one flow can use the full rate of the bus]"),    \
        GMS_ROW(                                                               \
            hca_get_bytes_s, 0, 0, GMS_MAX_RATE, "bytes/s",                    \
            "Maximum rate at which the NIC reads the data of a best-effort "   \
            "flow that answer a get. 0: same as hca_flow_bytes_s. [assumed: "  \
            "the NIC reads data for gets, puts and messages in the same "      \
            "manner]"),                                                        \
        GMS_ROW(                                                               \
            hca_forward_bytes, 0, 0, 65536, "bytes",                           \
            "Length of the parts in which the NIC passes on the data of a "    \
            "packet. The NIC puts a packet on the link before it has read "    \
            "the whole packet. It begins to write a packet to the host "       \
            "before the whole packet has arrived. 0: the NIC stores whole "    \
            "packets. [assumed: the NIC stores whole packets]"),               \
        GMS_ROW(                                                               \
            hca_receive_ps, 100 * GMS_NS, 0, GMS_MAX_STEP_PS, "ps",            \
            "Latency of a packet in the receive engine. [assumed: same as "    \
            "hca_send_ps]"),                                                   \
        GMS_ROW(hca_write_ps, 200 * GMS_NS, 0, GMS_MAX_STEP_PS, "ps",          \
                "Latency of a DMA write until the host can read the data, in " \
                "addition to the transfer time. [assumed: a one-way transfer " \
                "over PCI Express into the processor's cache]"),               \
        GMS_ROW(                                                               \
            hca_completion_ps, 20 * GMS_NS, 0, GMS_MAX_STEP_PS, "ps",          \
            "Additional latency of a message's event, which the NIC writes "   \
            "after the message's data. [assumed: one more write on the bus]"), \
        GMS_ROW(                                                               \
            hca_pace_ticks, 1, 1, 1000000, "ticks",                            \
            "Granularity of a flow's inter-packet dispatch time, in ticks of " \
            "rtc_tick_ps. The granted bandwidth is the lowest one that "       \
            "covers the request and can be achieved with such a dispatch "     \
            "time. [assumed: one tick]"),                                      \
        GMS_ROW(hca_pace_burst_bytes, 0, 0, 16777216, "bytes",                 \
                "Number of bytes that a paced flow sends without a pause "     \
                "before it waits for the dispatch times of all these bytes. "  \
                "0: one packet. [assumed: the NIC paces each packet]"),        \
        GMS_ROW(                                                               \
            hca_data_ps, 0, 0, GMS_MAX_STEP_PS, "ps",                          \
            "Additional latency of a message of more than nic_fast_bytes, "    \
            "whose data are not part of its event. [assumed: the NIC writes "  \
            "the data into the processor's cache]")

#endif
