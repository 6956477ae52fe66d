/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Defines values for profiles that describe measured networks. There are two
 * kinds of values. The costs of processes come from the LogGP parameters of the
 * network. The fitted values minimise the relative errors of the ping-pong
 * times of the same network (doc/real-networks.md).
 */
#ifndef PARAMS_PROFILE_FITTED_H
#define PARAMS_PROFILE_FITTED_H

#define GMS_CLOUDS "[source: De Sensi et al., Noise in the Clouds, 2022, "
#define GMS_FITTED(file)                                                       \
    GMS_CLOUDS "published ping-pong times; fitted to clusters/pingpong/" file  \
               "]"
#define GMS_O_SEND(system, us)                                                 \
    GMS_CLOUDS "published LogGP parameters of " system                         \
               ": the three parts of o_send for one byte, " us                 \
               "; the shares of the parts are assumed]"
#define GMS_O_RECEIVE(system, us)                                              \
    GMS_CLOUDS "published LogGP parameters of " system                         \
               ": o_receive for one byte, " us                                 \
               "; the shares of its parts are assumed]"
#define GMS_O_SLOPE(system, call)                                              \
    GMS_CLOUDS "published LogGP parameters of " system ": increase of " call   \
               " from 8 to 127 KB, less the time of the parts]"

/* InfiniBand EDR, measured on azure-hc44rs. */
#define GMS_FITTED_EDR                                                         \
    {"host_send_ps", 20 * GMS_NS, GMS_O_SEND("azure-hc44rs", "56 ns")},        \
        {"host_pio_ps", 20 * GMS_NS, GMS_O_SEND("azure-hc44rs", "56 ns")},     \
        {"mpi_overhead_ps", 16 * GMS_NS, GMS_O_SEND("azure-hc44rs", "56 ns")}, \
        {"host_receive_ps", 45 * GMS_NS,                                       \
         GMS_O_RECEIVE("azure-hc44rs", "183 ns")},                             \
        {"host_provide_ps", 15 * GMS_NS,                                       \
         GMS_O_RECEIVE("azure-hc44rs", "183 ns")},                             \
        {"mpi_receive_overhead_ps", 107 * GMS_NS,                              \
         GMS_O_RECEIVE("azure-hc44rs", "183 ns")},                             \
        {"mpi_copy_ps_per_byte", 47, GMS_O_SLOPE("azure-hc44rs", "o_send")},   \
        {"mpi_receive_copy_ps_per_byte", 56,                                   \
         GMS_O_SLOPE("azure-hc44rs", "o_receive, which includes "              \
                                     "mpi_copy_ps_per_byte,")},                \
        {"hca_inline_bytes", 319, GMS_FITTED("edr.csv")},                      \
        {"nic_fast_bytes", 127, GMS_FITTED("edr.csv")},                        \
        {"hca_read_ps", 573 * GMS_NS, GMS_FITTED("edr.csv")},                  \
        {"hca_read_ramp_packets", 4, GMS_FITTED("edr.csv")},                   \
        {"hca_flow_bytes_s", UINT64_C(11729000000), GMS_FITTED("edr.csv")},    \
        {"hca_write_ps", 1008 * GMS_NS, GMS_FITTED("edr.csv")},                \
        {"hca_data_ps", 271 * GMS_NS, GMS_FITTED("edr.csv")},                  \
    {                                                                          \
        "mpi_rndv_overhead_ps", 758 * GMS_NS, GMS_FITTED("edr.csv")            \
    }

/* InfiniBand HDR, measured on azure-hbv2, except for the rate of a flow and the
 * latency of reads per byte. */
#define GMS_FITTED_HDR                                                         \
    {"host_send_ps", 40 * GMS_NS, GMS_O_SEND("azure-hbv2", "100 ns")},         \
        {"host_pio_ps", 20 * GMS_NS, GMS_O_SEND("azure-hbv2", "100 ns")},      \
        {"mpi_overhead_ps", 40 * GMS_NS, GMS_O_SEND("azure-hbv2", "100 ns")},  \
        {"host_receive_ps", 60 * GMS_NS,                                       \
         GMS_O_RECEIVE("azure-hbv2", "234 ns")},                               \
        {"host_provide_ps", 15 * GMS_NS,                                       \
         GMS_O_RECEIVE("azure-hbv2", "234 ns")},                               \
        {"mpi_receive_overhead_ps", 119 * GMS_NS,                              \
         GMS_O_RECEIVE("azure-hbv2", "234 ns")},                               \
        {"mpi_copy_ps_per_byte", 33, GMS_O_SLOPE("azure-hbv2", "o_send")},     \
        {"mpi_receive_copy_ps_per_byte", 59, GMS_FITTED("hdr.csv")},           \
        {"hca_inline_bytes", 255, GMS_FITTED("hdr.csv")},                      \
        {"nic_fast_bytes", 95, GMS_FITTED("hdr.csv")},                         \
        {"hca_read_ps", 503 * GMS_NS, GMS_FITTED("hdr.csv")},                  \
        {"hca_write_ps", 1016 * GMS_NS, GMS_FITTED("hdr.csv")},                \
        {"hca_data_ps", 293 * GMS_NS, GMS_FITTED("hdr.csv")},                  \
    {                                                                          \
        "mpi_rndv_overhead_ps", 2659 * GMS_NS, GMS_FITTED("hdr.csv")           \
    }

/* Slingshot with 100 Gb/s NICs, measured on alps. */
#define GMS_FITTED_SLINGSHOT_100                                               \
    {"host_send_ps", 40 * GMS_NS, GMS_O_SEND("alps", "128 ns")},               \
        {"host_pio_ps", 20 * GMS_NS, GMS_O_SEND("alps", "128 ns")},            \
        {"mpi_overhead_ps", 68 * GMS_NS, GMS_O_SEND("alps", "128 ns")},        \
        {"host_receive_ps", 100 * GMS_NS, GMS_O_RECEIVE("alps", "721 ns")},    \
        {"host_provide_ps", 20 * GMS_NS, GMS_O_RECEIVE("alps", "721 ns")},     \
        {"mpi_receive_overhead_ps", 533 * GMS_NS,                              \
         GMS_O_RECEIVE("alps", "721 ns")},                                     \
        {"mpi_copy_ps_per_byte", 10,                                           \
         GMS_CLOUDS "published LogGP parameters of alps: increase of o_send "  \
                    "from 1 byte to 12 KB]"},                                  \
        {"mpi_receive_copy_ps_per_byte", 124,                                  \
         GMS_FITTED("slingshot-100.csv")},                                     \
        {"hca_inline_bytes", 255, GMS_FITTED("slingshot-100.csv")},            \
        {"nic_fast_bytes", 127, GMS_FITTED("slingshot-100.csv")},              \
        {"hca_read_ps", 433 * GMS_NS, GMS_FITTED("slingshot-100.csv")},        \
        {"hca_read_ps_per_byte", 253, GMS_FITTED("slingshot-100.csv")},        \
        {"hca_flow_bytes_s", UINT64_C(12248000000),                            \
         GMS_FITTED("slingshot-100.csv")},                                     \
        {"hca_write_ps", 948 * GMS_NS, GMS_FITTED("slingshot-100.csv")},       \
        {"hca_data_ps", 212 * GMS_NS, GMS_FITTED("slingshot-100.csv")},        \
        {"mpi_eager_bytes", UINT64_C(64) << 10,                                \
         GMS_FITTED("slingshot-100.csv")},                                     \
    {                                                                          \
        "mpi_rndv_overhead_ps", 3117 * GMS_NS, GMS_FITTED("slingshot-100.csv") \
    }

/* Aries, measured on piz daint. The LogGP parameters of this system include the
 * cost of a clock read with a resolution of 119 ns, so they do not determine
 * the costs of processes. */
#define GMS_ARIES_HOST                                                         \
    "[assumed: the clock of the measurement does not resolve this time]"
#define GMS_FITTED_ARIES                                                       \
    {"host_send_ps", 20 * GMS_NS, GMS_ARIES_HOST},                             \
        {"host_pio_ps", 20 * GMS_NS, GMS_ARIES_HOST},                          \
        {"mpi_overhead_ps", 350 * GMS_NS, GMS_ARIES_HOST},                     \
        {"host_receive_ps", 40 * GMS_NS, GMS_ARIES_HOST},                      \
        {"host_provide_ps", 10 * GMS_NS, GMS_ARIES_HOST},                      \
        {"mpi_receive_overhead_ps", 350 * GMS_NS, GMS_ARIES_HOST},             \
        {"mpi_copy_ps_per_byte", 5, GMS_FITTED("aries.csv")},                  \
        {"hca_inline_bytes", 1087, GMS_FITTED("aries.csv")},                   \
        {"nic_fast_bytes", 95, GMS_FITTED("aries.csv")},                       \
        {"hca_read_ps", 200 * GMS_NS, GMS_FITTED("aries.csv")},                \
        {"hca_flow_bytes_s", UINT64_C(9127000000), GMS_FITTED("aries.csv")},   \
        {"hca_get_bytes_s", UINT64_C(8507000000), GMS_FITTED("aries.csv")},    \
        {"hca_write_ps", 377 * GMS_NS, GMS_FITTED("aries.csv")},               \
        {"hca_data_ps", 99 * GMS_NS, GMS_FITTED("aries.csv")},                 \
        {"mpi_eager_bytes", 8191, GMS_FITTED("aries.csv")},                    \
    {                                                                          \
        "mpi_rndv_overhead_ps", 208 * GMS_NS, GMS_FITTED("aries.csv")          \
    }

#endif
