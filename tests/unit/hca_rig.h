/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets up hca NICs with round times, for tests whose expected latencies are
 * computed by hand.
 */
#ifndef TESTS_UNIT_HCA_RIG_H
#define TESTS_UNIT_HCA_RIG_H

#include "nic_rig.h"
#include "params/profile.h"

#define GB UINT64_C(1000000000)

/* Use an InfiniBand profile with round times, which do not change when the
 * profile is fitted to other measurements. */
static inline void use(const char *profile)
{
    gms_profile_init(gms_profile_find(profile), &params);
    params.hosts = NODES;
    params.host_pio_ps = 150 * GMS_NS;
    params.host_dma_bytes_s = 25 * GB / 2;
    params.host_dma_setup_ps = 0;
    params.link_propagation_ps = 15 * GMS_NS;
    params.hca_inline_bytes = 128;
    params.hca_request_ps = 5 * GMS_NS;
    params.hca_fetch_ps = 0;
    params.hca_packet_ps = 5 * GMS_NS;
    params.hca_send_ps = 100 * GMS_NS;
    params.hca_read_ps = 450 * GMS_NS;
    params.hca_read_ps_per_byte = 0;
    params.hca_read_ramp_packets = 0;
    params.hca_flow_bytes_s = 0;
    params.hca_get_bytes_s = 0;
    params.hca_forward_bytes = 0;
    params.hca_receive_ps = 100 * GMS_NS;
    params.hca_write_ps = 200 * GMS_NS;
    params.hca_completion_ps = 20 * GMS_NS;
    params.hca_data_ps = 0;
    params.nic_fast_bytes = 128;
    rig_restart();
}

#endif
