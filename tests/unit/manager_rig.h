/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulates a cluster of NICs and managers without processes. A test posts
 * requests and then runs the events. After every event, the rig adds up the
 * active IDTs and compares the sums with the capacities.
 */
#ifndef TESTS_UNIT_MANAGER_RIG_H
#define TESTS_UNIT_MANAGER_RIG_H

#include "base/random.h"
#include "nic/nic_int.h"
#include "manager/manager_int.h"

#define MB      1e6
#define WORK    (50 * GMS_US)
#define NODES   6u
#define FLOWS   256u /* largest number of flows whose IDTs are added up */
#define ASKERS  12u
#define PACE    8192e6
#define IDT_MAX 1000000u

extern gms_ctx_t ctx;
extern gms_params_t params;
extern gms_fabric_t *fabric;
extern gms_nic_t *nics[NODES];
extern gms_manager_t *manager;
extern gms_origin_t posters[NODES];
/* 1: after each event, the rig adds up the IDTs of all requested flows. */
extern int rig_checks_sums;
extern unsigned rig_told[16]; /* number of notifications for each watch, indexed
                                 by cookie */
extern unsigned rig_told_order[16], rig_told_count;

/* Set the default parameters, except for the number of nodes, the rule for a
 * node's capacity (constant), and the manager's time per request. A test can
 * change params before it calls rig_start(). */
void rig_params(void);
void rig_start(void);
void rig_stop(void);

/* The event that reports the answer to one of the rig's calls. */
#define RIG_ON_ANSWER GMS_HANDLER_TEST
/* Largest number of flows in one of the rig's calls. */
#define RIG_FLOWS_MAX 16u

gms_flow_key_t rig_key(unsigned target, unsigned label);
/* Create a call for one flow, but do not post it yet. The call has a handler,
 * so the manager does not free it. */
gms_qos_call_t *rig_call(unsigned source, unsigned target, unsigned label,
                         enum gms_qos_class qos_class, double bytes_s);
/* Add one flow to a call. */
void rig_call_more(gms_qos_call_t *call, unsigned target, unsigned label,
                   enum gms_qos_class qos_class, double bytes_s);
/* Free a call that the manager has answered. */
void rig_free(gms_qos_call_t *call);
void rig_post_at(gms_qos_call_t *call, gms_time_t at_ps);
gms_qos_call_t *rig_ask(unsigned source, unsigned target, unsigned label,
                        enum gms_qos_class qos_class, double bytes_s);
/* Post a request, and run until it has been answered. */
gms_qos_call_t *rig_asked(unsigned source, unsigned target, unsigned label,
                          enum gms_qos_class qos_class, double bytes_s);
gms_qos_watch_t *rig_watch(unsigned source, unsigned target, unsigned label,
                           double bytes_s, uint64_t cookie);
gms_time_t rig_now(void);
/* Run one event. @return 0 if there is no event */
int rig_step(void);
/* Run until only background events remain. No process waits for these
 * events. */
void rig_run(void);
void rig_run_until(gms_time_t end_ps);
/* Run until the call has been answered.
 * @return simulated time of the answer in ps */
gms_time_t rig_run_until_done(const gms_qos_call_t *call);
uint32_t rig_idt(unsigned source, unsigned target, unsigned label);
unsigned rig_grants(void);
/* Check that the current master's account agrees with the grants of all running
 * hosts, and that these grants agree with the states of the NICs. */
void rig_check_agreement(void);
gms_time_t rig_message_ps(unsigned from, unsigned to, uint32_t bytes);

/* An asker requests, changes and releases reservations of flows at random. The
 * asker waits for each answer before its next request. */
typedef struct rig_asker {
    unsigned source, target, label;
    unsigned left; /* number of requests that the asker has yet to make */
    gms_qos_call_t *call;
    gms_random_t random;
} rig_asker_t;

extern rig_asker_t rig_askers[ASKERS];
extern unsigned rig_answers, rig_failures;
/* Start all askers; each of them makes `times` requests. */
void rig_askers_start(uint64_t seed, unsigned times);
unsigned rig_askers_waiting(void);

#endif
