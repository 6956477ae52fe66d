/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulates a small cluster without processes for tests of the NIC. A test
 * posts descriptors and runs the events, and the rig counts the events in the
 * hosts' queues.
 */
#ifndef TESTS_UNIT_NIC_RIG_H
#define TESTS_UNIT_NIC_RIG_H

#include "nic/nic_int.h"

enum {
    NODES = 4,
    PORT = 2,
    MESSAGE = 65536,
    MESSAGE_SIZE = 17,
    COMMAND = 999 /* cookie of a command */
};

extern gms_ctx_t ctx;
extern gms_params_t params;
extern gms_nic_t *nics[NODES];
extern gms_fabric_t *fabric;
extern gms_origin_t hosts[NODES];

/* Events in the hosts' queues, indexed by node. */
extern unsigned received[NODES], sent[NODES], alarms[NODES];
extern unsigned result_count[GMS_SENT_DROPPED + 1];
extern gms_host_event_t last[NODES]; /* last message that was received */
extern gms_time_t last_event_ps;
/* Numbers of completed drop and resume commands; these commands are not
 * included in `sent`. */
extern unsigned commands[NODES];
/* Command to post for the stream of a send that has failed: GMS_SEND_DROP,
 * GMS_SEND_RESUME, or 0 for none. rig_start() sets this field to 0. */
extern uint8_t after_failure;

/* rig_setup() uses the default parameters, and rig_restart() uses the
 * parameters in params. rig_memory() returns registered memory. Posts take
 * effect at the current time. rig_run() runs all events. */
void rig_start(void);
void rig_stop(void);
void rig_setup(void);
void rig_teardown(void);
void rig_restart(void);
gms_time_t rig_now(void);
unsigned char *rig_memory(unsigned node, size_t bytes);
void rig_provide(unsigned node, void *buffer, unsigned size);
gms_send_desc_t rig_describe(unsigned from, unsigned to, const void *data,
                             uint32_t length, unsigned size);
/* Describe a get of length bytes at address `there` of node `of`. */
gms_send_desc_t rig_describe_get(unsigned by, unsigned of, void *here,
                                 const void *there, uint32_t length);
void rig_post(unsigned from, const gms_send_desc_t *desc);
/* Drop or resume a stream. */
void rig_command(unsigned from, uint8_t kind, const gms_flow_key_t *flow);
void rig_command_at(unsigned from, gms_time_t at_ps, uint8_t kind,
                    const gms_flow_key_t *flow);
void rig_send(unsigned from, unsigned to, const void *data, uint32_t length,
              unsigned size);
void rig_take_events(void);
void rig_run(void);
gms_time_t rig_path_sum(const gms_path_times_t *path);
void rig_fill(unsigned char *data, size_t bytes, uint64_t seed);

#endif
