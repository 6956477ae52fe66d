/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Defines the rows of the parameter table for Ethernet with RoCE: priorities,
 * pause frames, marks, and the rate control DCQCN. The table in params.c
 * includes these rows.
 */
#ifndef PARAMS_ROWS_ETHERNET_H
#define PARAMS_ROWS_ETHERNET_H

#define GMS_ZHU                                                                \
    "[source: Zhu et al., Congestion Control for Large-Scale RDMA "            \
    "Deployments, SIGCOMM 2015"

#define GMS_ROWS_ETHERNET                                                      \
    GMS_ROW(                                                                   \
        eth_dscp_real_time, 46, 0, 63, "",                                     \
        "Differentiated services code point (DSCP) of reserved packets. "      \
        "Switches divide this value by 8 and use the result, rounded down, "   \
        "as the priority (0 to 7). [source: RFC 3246: expedited forwarding]"), \
        GMS_ROW(eth_dscp_control, 48, 0, 63, "",                               \
                "DSCP of the managers' messages and of congestion "            \
                "notification packets. [source: Nvidia, RoCE configuration "   \
                "guides: congestion notifications have DSCP 48]"),             \
        GMS_ROW(                                                               \
            eth_dscp_best_effort, 26, 0, 63, "",                               \
            "DSCP of all other packets. [source: Nvidia, RoCE configuration "  \
            "guides: RoCE traffic has DSCP 26 and priority 3]"),               \
        GMS_ROW(eth_ets_real_time, 0, 0, 100, "%",                             \
                "ETS share of the priority of reservations, that is, its "     \
                "percentage of the bandwidth that strict priorities do not "   \
                "use; 0: strict priority. Classes with the same priority "     \
                "must have the same value, and all shares must add up to "     \
                "100. [assumed: reservations precede best effort]"),           \
        GMS_ROW(eth_ets_control, 0, 0, 100, "%",                               \
                "ETS share of the priority of the control class; 0: strict "   \
                "priority. [source: Nvidia, RoCE configuration guides: "       \
                "strict priority for congestion notifications]"),              \
        GMS_ROW(eth_ets_best_effort, 100, 0, 100, "%",                         \
                "ETS share of the priority of best effort; 0: strict "         \
                "priority. [assumed: no other priority has a share]"),         \
        GMS_ROW(eth_pfc, 1, 0, 1, "0 or 1",                                    \
                "With 1, switches pause a priority before its buffer is "      \
                "full. With 0, switches drop packets when the buffer is "      \
                "full. [source: IEEE 802.1Q-2018, 36]"),                       \
        GMS_ROW(eth_xoff_bytes, 850000, 1, UINT64_C(1) << 40, "bytes",         \
                "Number of buffered bytes of a priority above which an input " \
                "port sends a PAUSE. [assumed: 32 MB, as in Li et al., HPCC, " \
                "SIGCOMM 2019, divided equally among 32 ports, minus the "     \
                "headroom]"),                                                  \
        GMS_ROW(eth_xon_bytes, 830000, 0, UINT64_C(1) << 40, "bytes",          \
                "Number of buffered bytes of a priority at or below which an " \
                "input port sends a RESUME. [assumed: a few packets below "    \
                "eth_xoff_bytes]"),                                            \
        GMS_ROW(eth_headroom_bytes, 0, 0, UINT64_C(1) << 40, "bytes",          \
                "Buffer space of a priority at an input port in addition to "  \
                "eth_xoff_bytes; 0: the smallest size that prevents packet "   \
                "loss. Without PFC, an output port drops a packet if the "     \
                "queue of its priority would exceed the sum of "               \
                "eth_xoff_bytes and this value. " GMS_ZHU                      \
                ", 4, for the computation]"),                                  \
        GMS_ROW(eth_pause_ps, 2017 * GMS_NS, 0, GMS_MAX_STEP_PS, "ps",         \
                "Time from the arrival of a pause or resume frame until it "   \
                "takes effect. [source: IEEE 802.3, 31B.3.7: at most 394 "     \
                "quanta of 512 bits at 100 Gb/s]"),                            \
        GMS_ROW(eth_ecn, 1, 0, 1, "0 or 1",                                    \
                "With 1, switches mark best-effort packets that join a long "  \
                "queue. " GMS_ZHU ", 3.1]"),                                   \
        GMS_ROW(eth_kmin_bytes, 400000, 0, UINT64_C(1) << 40, "bytes",         \
                "If the queue of a priority at an output port exceeds this "   \
                "length, packets are marked. The probability of a mark grows " \
                "with the queue length. [source: Li et al., HPCC, SIGCOMM "    \
                "2019, 5.1: 100 KB at 25 Gb/s, in proportion to the rate]"),   \
        GMS_ROW(eth_kmax_bytes, 1600000, 0, UINT64_C(1) << 40, "bytes",        \
                "If the queue of a priority at an output port exceeds this "   \
                "length, all packets are marked. [source: Li et al., HPCC, "   \
                "SIGCOMM 2019, 5.1: 400 KB at 25 Gb/s, in proportion to the "  \
                "rate]"),                                                      \
        GMS_ROW(eth_pmax_ppm, 200000, 0, GMS_MILLION, "millionths",            \
                "Probability of a mark at a queue length of eth_kmax_bytes. "  \
                "[source: Li et al., HPCC, SIGCOMM 2019, published "           \
                "simulator: 0.2]"),                                            \
        GMS_ROW(dcqcn, 1, 0, 1, "0 or 1",                                      \
                "With 1, DCQCN controls the rate of each best-effort flow. "   \
                "With 0, marks have no effect. " GMS_ZHU ", 3]"),              \
        GMS_ROW(                                                               \
            dcqcn_cnp_bytes, 98, 1, 4096, "bytes",                             \
            "Length of a congestion notification packet (CNP) on the wire, "   \
            "with preamble and gap. [source: InfiniBand Architecture "         \
            "Specification, volume 1, annex A17: 16 bytes and the headers]"),  \
        GMS_ROW(dcqcn_cnp_ps, 50 * GMS_US, 0, GMS_MAX_STEP_PS, "ps",           \
                "Shortest time between two CNPs for one flow. " GMS_ZHU        \
                ", 5]"),                                                       \
        GMS_ROW(dcqcn_gain_divisor, 256, 2, 65536, "",                         \
                "1 / g, where g is the weight of the newest observation in "   \
                "alpha, the estimate of congestion. " GMS_ZHU ", 5]"),         \
        GMS_ROW(dcqcn_alpha_ps, 55 * GMS_US, GMS_US, GMS_MAX_STEP_PS, "ps",    \
                "Time without a CNP after which alpha decreases. " GMS_ZHU     \
                ", 5]"),                                                       \
        GMS_ROW(dcqcn_timer_ps, 55 * GMS_US, GMS_US, GMS_MAX_STEP_PS, "ps",    \
                "Period of rate increases. " GMS_ZHU ", 5]"),                  \
        GMS_ROW(dcqcn_counter_bytes, 10 * GMS_MILLION, 1, UINT64_C(1) << 40,   \
                "bytes",                                                       \
                "Number of bytes that a flow sends before its rate "           \
                "increases. " GMS_ZHU ", 5]"),                                 \
        GMS_ROW(dcqcn_fast_steps, 5, 1, 1000, "steps",                         \
                "Number of rate increases in fast recovery, which leave the "  \
                "target rate unchanged. " GMS_ZHU ", 3.1]"),                   \
        GMS_ROW(dcqcn_ai_bytes_s, 5 * GMS_MILLION, 1, GMS_MAX_RATE, "bytes/s", \
                "Additive increase of the target rate: 40 Mb/s. " GMS_ZHU      \
                ", 5]"),                                                       \
        GMS_ROW(dcqcn_hai_bytes_s, 12500000, 1, GMS_MAX_RATE, "bytes/s",       \
                "Hyper increase of the target rate: 100 Mb/s. [source: Li et " \
                "al., HPCC, SIGCOMM 2019, published simulator]"),              \
        GMS_ROW(dcqcn_min_bytes_s, 12500000, 1, GMS_MAX_RATE, "bytes/s",       \
                "Lowest rate of a flow: 100 Mb/s. [source: Li et al., HPCC, "  \
                "SIGCOMM 2019, published simulator]")

#endif
