/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Defines the rows of the parameter table for the virtual lanes of InfiniBand.
 * The table in params.c includes these rows.
 */
#ifndef PARAMS_ROWS_LANES_H
#define PARAMS_ROWS_LANES_H

#define GMS_ROWS_LANES                                                         \
    GMS_ROW(vl_buffer_bytes, UINT64_C(64) << 10, 4352, UINT64_C(64) << 20,     \
            "bytes",                                                           \
            "Buffer size of each virtual lane at each input port of a "        \
            "switch. The credits of a lane are the free bytes of this "        \
            "buffer, and a packet needs credits for all its bytes. This "      \
            "parameter and the other vl_* parameters apply only with "         \
            "fabric_model: cut-through. [assumed: 16 packets of 4 KB]"),       \
        GMS_ROW(                                                               \
            vl_real_time, 1, 0, 14, "",                                        \
            "Virtual lane of reserved packets. [assumed: a separate lane]"),   \
        GMS_ROW(vl_control, 2, 0, 14, "",                                      \
                "Virtual lane of the managers' messages. [assumed: a "         \
                "separate lane]"),                                             \
        GMS_ROW(vl_best_effort, 0, 0, 14, "",                                  \
                "Virtual lane of all other packets. [source: InfiniBand "      \
                "Architecture Specification, volume 1, 7.6: lane 0 always "    \
                "exists]"),                                                    \
        GMS_ROW(vl_high_limit, 255, 0, 255, "",                                \
                "Limit of high priority, in units of 4096 bytes. Lanes of "    \
                "the high table may send this many bytes while a lane of the " \
                "low table waits. 0: one packet; 255: no limit. [assumed: "    \
                "reservations precede other traffic]"),                        \
        GMS_ROW(vl_high_real_time, 255, 0, 255, "",                            \
                "Weight of the lane of reserved packets in the high table, "   \
                "in units of 64 bytes. 0: the table does not contain the "     \
                "lane. [assumed: reservations precede other traffic]"),        \
        GMS_ROW(vl_high_control, 0, 0, 255, "",                                \
                "Weight of the managers' lane in the high table. [assumed: "   \
                "see vl_high_real_time]"),                                     \
        GMS_ROW(vl_high_best_effort, 0, 0, 255, "",                            \
                "Weight of the best-effort lane in the high table. [assumed: " \
                "see vl_high_real_time]"),                                     \
        GMS_ROW(                                                               \
            vl_low_real_time, 0, 0, 255, "",                                   \
            "Weight of the lane of reserved packets in the low table, in "     \
            "units of 64 bytes. [assumed: the high table contains the lane]"), \
        GMS_ROW(                                                               \
            vl_low_control, 128, 0, 255, "",                                   \
            "Weight of the managers' lane in the low table. [assumed: the "    \
            "managers' few messages share links equally with best effort]"),   \
        GMS_ROW(vl_low_best_effort, 128, 0, 255, "",                           \
                "Weight of the best-effort lane in the low table. [assumed: "  \
                "same as vl_low_control]")

#endif
