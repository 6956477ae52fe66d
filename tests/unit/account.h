/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creates a bandwidth account for tests on a crossbar whose NICs have round
 * parameter values. Records the IDTs that the account has changed since the
 * last request. The expected values in the tests are computed by hand: charge =
 * 8192 MB/s / floor(8192 MB/s / request).
 */
#ifndef TESTS_UNIT_ACCOUNT_H
#define TESTS_UNIT_ACCOUNT_H

#include <stdlib.h>

#include "manager/admission.h"
#include "manager/service.h"
#include "unit.h"

#define MB 1e6
/* Relative tolerance for charges. The account counts in units of 1/1024 byte/s
 * and rounds up. */
#define EXACT   1e-9
#define IDT_MAX 1000000u
/* The charges for requests of 40 and 20 MB/s: 8192/204 MB/s and 8192/409
 * MB/s. */
#define CHARGE_40   (8192 * MB / 204)
#define CHARGE_20   (8192 * MB / 409)
#define CHANGES_MAX 64

static gms_arena_t *arena;
static gms_params_t params;
static gms_topology_t *topology;
static gms_account_t *account;

/* The changed IDTs that the account reported during the last request or
 * release. */
static struct {
    unsigned source_node;
    gms_flow_key_t key;
    uint32_t idt_ticks;
} changes[CHANGES_MAX];
static unsigned change_count;

static inline void on_changed(void *context, const gms_grant_t *grant,
                              uint32_t idt_before)
{
    CU_ASSERT_TRUE(idt_before != grant->idt_ticks || idt_before == 0);
    CU_ASSERT_PTR_EQUAL(context, &changes);
    CU_ASSERT_FATAL(change_count < CHANGES_MAX);
    changes[change_count].source_node = grant->source_node;
    changes[change_count].key = grant->key;
    changes[change_count].idt_ticks = grant->idt_ticks;
    ++change_count;
}

/* Use a NIC with fixed parameters. The expected values must not depend on the
 * calibration of the profile. With these parameters, sending a packet takes 487
 * LANai cycles, plus 6 cycles for the first flow. */
static inline void set_nic(void)
{
    gms_params_init(&params);
    /* reservations may use all of a NIC's time */
    params.qos_node_load_ppm = 1000000;
    params.lanai_cycle_ps = 30303;
    params.mcp_schedule_cycles = 90;
    params.mcp_rate_first_cycles = 6;
    params.mcp_rate_flow_cycles = 20;
    params.mcp_sdma_start_cycles = 210;
    params.mcp_sdma_finish_cycles = 90;
    params.mcp_send_start_cycles = 97;
    params.mcp_rdma_start_cycles = 160;
    params.mcp_rdma_finish_cycles = 232;
    params.mcp_ack_send_cycles = 60;
    params.mcp_event_cycles = 60;
    params.mcp_recv_finish_cycles = 90;
    params.mcp_ack_receive_cycles = 60;
    params.mcp_send_finish_cycles = 30;
    params.nic_event_bytes = 64;
    params.host_dma_bytes_s = 120000000;
    params.host_dma_setup_ps = 300000;
}

static inline void open_account(uint64_t arena_bytes)
{
    char error[GMS_TOPOLOGY_ERROR_LEN];

    if (gms_arena_create_private(arena_bytes, &arena) != GMS_OK ||
        gms_topology_create(arena, &params, NULL, &topology, error) != GMS_OK ||
        gms_account_create(arena, topology, &params, &account) != GMS_OK) {
        abort();
    }
    change_count = 0;
}

static inline void teardown(void)
{
    gms_arena_destroy_private(arena);
}

static inline void setup(void)
{
    set_nic();
    open_account(UINT64_C(16) << 20);
}

/* Recreate the account on the same cluster after a change of params. */
static inline void reopen(void)
{
    teardown();
    open_account(UINT64_C(16) << 20);
}

static inline gms_flow_key_t key_to(unsigned target, unsigned label)
{
    gms_flow_key_t key = {.source_port = 2,
                          .target_node = (uint16_t)target,
                          .target_port = 2,
                          .label = label};

    return key;
}

static inline gms_qos_verdict_t ask_labelled(unsigned source, unsigned target,
                                             unsigned label,
                                             enum gms_qos_class qos_class,
                                             double bytes_s,
                                             double reverse_bytes_s)
{
    gms_flow_request_t request = {.source_node = source,
                                  .rank = source,
                                  .key = key_to(target, label),
                                  .qos_class = qos_class,
                                  .bytes_s = bytes_s,
                                  .reverse_bytes_s = reverse_bytes_s};
    gms_qos_verdict_t verdict;

    change_count = 0;
    CHECK_U64(gms_account_request(account, &request, 1, on_changed, &changes,
                                  &verdict),
              GMS_OK);
    return verdict;
}

static inline gms_qos_verdict_t premium(unsigned source, unsigned target,
                                        double bytes_s)
{
    return ask_labelled(source, target, 0, GMS_QOS_PREMIUM, bytes_s, 0);
}

static inline gms_qos_verdict_t best_effort(unsigned source, unsigned target)
{
    return ask_labelled(source, target, 0, GMS_QOS_BEST_EFFORT, 0, 0);
}

static inline gms_status_t release_labelled(unsigned source, unsigned target,
                                            unsigned label)
{
    gms_flow_key_t key = key_to(target, label);

    change_count = 0;
    return gms_account_release(account, source, &key, on_changed, &changes);
}

static inline gms_status_t release(unsigned source, unsigned target)
{
    return release_labelled(source, target, 0);
}

static inline const gms_grant_t *grant_of(unsigned source, unsigned target)
{
    gms_flow_key_t key = key_to(target, 0);

    return gms_account_find(account, source, &key);
}

static inline uint32_t idt_of(unsigned source, unsigned target)
{
    const gms_grant_t *grant = grant_of(source, target);

    CU_ASSERT_PTR_NOT_NULL_FATAL(grant);
    return grant->idt_ticks;
}

static inline double bandwidth_of(unsigned source, unsigned target)
{
    const gms_grant_t *grant = grant_of(source, target);

    CU_ASSERT_PTR_NOT_NULL_FATAL(grant);
    return grant->bandwidth_bytes_s;
}

static inline void check_change(unsigned i, unsigned source, unsigned target,
                                uint32_t idt_ticks)
{
    CU_ASSERT_FATAL(i < change_count);
    CHECK_U64(changes[i].source_node, source);
    CHECK_U64(changes[i].key.target_node, target);
    CHECK_U64(changes[i].idt_ticks, idt_ticks);
}

/* Returns the largest request for which a capacity has room: the bandwidth of
 * the shortest IDT that does not exceed the capacity. */
static inline double largest_request(double capacity_bytes_s)
{
    double idt = ceil((double)params.qos_idt_product * 1e6 / capacity_bytes_s *
                      (1 - 1e-12));

    return (capacity_bytes_s > 0 && idt <= 1000000)
               ? (double)params.qos_idt_product * 1e6 / idt
               : 0;
}

static inline void check_denied(gms_qos_verdict_t verdict,
                                enum gms_qos_criterion criterion,
                                uint32_t resource, double left_bytes_s)
{
    CHECK_U64(verdict.criterion, criterion);
    CHECK_U64(verdict.resource, resource);
    CHECK_NEAR(verdict.left_bytes_s, left_bytes_s, EXACT);
    CHECK_U64(change_count, 0);
}

/* Checks the denial of a premium request. left_bytes_s is the remaining
 * capacity of the resource. */
static inline void check_refused(gms_qos_verdict_t verdict,
                                 enum gms_qos_criterion criterion,
                                 uint32_t resource, double left_bytes_s)
{
    check_denied(verdict, criterion, resource, largest_request(left_bytes_s));
}

#endif
