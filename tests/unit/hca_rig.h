/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets up hca NICs with round times, for tests whose expected latencies are
 * computed by hand.
 */
#ifndef TESTS_UNIT_HCA_RIG_H
#define TESTS_UNIT_HCA_RIG_H

#include <string.h>

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

/* Return the time from when a message is posted until its event arrives. */
static inline gms_time_t latency(uint32_t bytes)
{
    unsigned char *from = rig_memory(0, MESSAGE), *to = rig_memory(1, MESSAGE);
    gms_time_t begin_ps;

    rig_fill(from, bytes, 1);
    rig_provide(1, to, MESSAGE_SIZE);
    rig_run();
    begin_ps = rig_now();
    rig_send(0, 1, from, bytes, MESSAGE_SIZE);
    rig_run();
    CHECK_U64(received[1], 1);
    CHECK_U64(last[1].length, bytes);
    CU_ASSERT_EQUAL(memcmp(last[1].is_fast ? last[1].fast : to, from, bytes),
                    0);
    return last[1].time_ps - begin_ps;
}

/* Return the time from when a get is posted until its event arrives. */
static inline gms_time_t get_latency(uint32_t bytes)
{
    unsigned char *here = rig_memory(0, MESSAGE),
                  *there = rig_memory(1, MESSAGE);
    gms_send_desc_t get = rig_describe_get(0, 1, here, there, bytes);
    gms_time_t begin_ps;

    gms_nic_allow_remote_access(nics[1], PORT);
    rig_fill(there, bytes, 1);
    rig_run();
    begin_ps = rig_now();
    rig_post(0, &get);
    rig_run();
    CHECK_U64(sent[0], 1);
    CU_ASSERT_EQUAL(memcmp(here, there, bytes), 0);
    return last_event_ps - begin_ps;
}

#endif
