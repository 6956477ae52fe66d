/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connects the bandwidth account with the delay bounds. This file keeps the
 * flows of the bounds consistent with the account's premium flows. The file
 * also finds the bound that causes a denial, and the largest request that would
 * be granted instead. The files bound*.c compute the bounds.
 */
#include "manager/account_bound.h"
#include "nic/flow.h"

#include <string.h>

#include "manager/share.h"

/* Number of bits of the relative precision (2^-7) of the search for the largest
 * request that would be granted. A higher precision would be too expensive,
 * because each step takes as long as an admission. */
#define GMS_ACCOUNT_LEFT_BITS 7u
/* After this number of server evaluations, the search ends as soon as it has
 * found a request that would be granted. The requesting process waits for the
 * answer. */
#define GMS_ACCOUNT_LEFT_EVALUATIONS 400u

/* Returns the next longer IDT for the search to try. */
static uint32_t gms_account_longer(uint32_t idt_ticks)
{
    return idt_ticks < GMS_IDT_MAX_TICKS / 2 ? 2 * idt_ticks
                                             : GMS_IDT_MAX_TICKS;
}

/* Represents the reverse traffic of a flow as a separate flow of short packets
 * with the smallest spacing that the NIC allows. The bandwidth of this flow is
 * set to 1 byte/s, because windows promise no bandwidth to reverse traffic. */
static void gms_account_fill_back(const gms_account_t *account,
                                  gms_managed_t *flow)
{
    const gms_flow_key_t *key = &flow->grant.key;
    gms_grant_t *back = &flow->back_grant;
    uint64_t idt =
        gms_account_idt(&account->params, flow->grant.reverse_bytes_s) *
        (uint64_t)GMS_NIC_PACED_LEAST / account->params.nic_mtu_bytes;

    back->source_node = key->target_node;
    back->key =
        (gms_flow_key_t){.source_port = key->target_port,
                         .target_node = (uint16_t)flow->grant.source_node,
                         .target_port = key->source_port,
                         .priority = key->priority,
                         .label = key->label | GMS_LABEL_REVERSE};
    back->qos_class = GMS_QOS_PREMIUM;
    back->idt_ticks = idt > 0 ? (uint32_t)idt : 1;
    back->bandwidth_bytes_s = 1;
    back->shape.message_bytes = GMS_NIC_REVERSE_MOST;
}

/* Tentatively adds the bounds of a flow and of its reverse traffic. */
static gms_status_t gms_account_add_bounds(gms_account_t *account,
                                           gms_managed_t *flow, int is_question,
                                           gms_bound_flow_t **flow_p,
                                           gms_bound_flow_t **back_p)
{
    gms_status_t status =
        gms_bound_add(account->bound, &flow->grant, is_question, flow_p);

    *back_p = NULL;
    if (status == GMS_OK && flow->grant.reverse_bytes_s > 0) {
        gms_account_fill_back(account, flow);
        status = gms_bound_add(account->bound, &flow->back_grant, is_question,
                               back_p);
    }
    return status;
}

/* Tentatively removes the bounds of a flow and of its reverse traffic. Either
 * pointer may be NULL. */
static gms_status_t gms_account_remove_bounds(gms_account_t *account,
                                              gms_bound_flow_t *flow,
                                              gms_bound_flow_t *back,
                                              int may_loosen)
{
    gms_status_t status = GMS_OK;

    if (flow != NULL) {
        status = gms_bound_remove(account->bound, flow, may_loosen);
    }
    if (status == GMS_OK && back != NULL) {
        status = gms_bound_remove(account->bound, back, may_loosen);
    }
    return status;
}

/* Checks whether a tentatively added flow can be granted. Shortens the IDTs of
 * this flow and of other flows if necessary. */
static gms_status_t gms_account_check(gms_account_t *account,
                                      const gms_bound_flow_t *added,
                                      int is_more, int is_question,
                                      gms_qos_verdict_t *verdict)
{
    gms_status_t status;
    unsigned count;

    if (!gms_bound_check(account->bound, added, is_more, verdict)) {
        return GMS_OK;
    }
    status = gms_bound_hasten(account->bound, is_question, &count, verdict);
    if (!is_more && verdict->criterion == GMS_QOS_LATENCY) {
        /* a change that does not increase a flow's requirements is never
         * denied */
        verdict->criterion = GMS_QOS_OK;
    }
    if (status == GMS_OK && count > 0 && verdict->criterion == GMS_QOS_OK) {
        (void)gms_bound_check(account->bound, added, is_more, verdict);
    }
    return status;
}

/* Names a node by its end of the requested flow. The flow of answers from the
 * target to the source has its source at the requested flow's target. */
static void gms_account_name_node(const gms_managed_t *flow,
                                  gms_qos_verdict_t *verdict)
{
    if (verdict->criterion != GMS_QOS_SOURCE_NODE &&
        verdict->criterion != GMS_QOS_DESTINATION_NODE) {
        return;
    }
    if (verdict->resource == flow->grant.source_node) {
        verdict->criterion = GMS_QOS_SOURCE_NODE;
    } else if (verdict->resource == flow->grant.key.target_node) {
        verdict->criterion = GMS_QOS_DESTINATION_NODE;
    }
}

/* Returns 1 if the flow could be granted with this IDT. Returns 0 if it could
 * not, or if memory is exhausted. The verdict is the reason of a denial. */
static int gms_account_could(gms_account_t *account, gms_managed_t *flow,
                             uint32_t idt_ticks, gms_qos_verdict_t *verdict)
{
    uint32_t mark = gms_bound_mark(account->bound);
    double bandwidth = flow->grant.bandwidth_bytes_s;
    double reverse = flow->grant.reverse_bytes_s;
    gms_bound_flow_t *bound, *back;
    int could;

    verdict->criterion = GMS_QOS_OK;
    flow->grant.idt_ticks = idt_ticks;
    flow->grant.bandwidth_bytes_s =
        gms_account_bandwidth(&account->params, idt_ticks);
    /* a smaller bandwidth means fewer messages and therefore less reverse
     * traffic */
    flow->grant.reverse_bytes_s *= flow->grant.bandwidth_bytes_s / bandwidth;
    could = gms_account_add_bounds(account, flow, 1, &bound, &back) == GMS_OK &&
            gms_account_check(account, bound, 1, 1, verdict) == GMS_OK &&
            verdict->criterion == GMS_QOS_OK;
    gms_bound_undo(account->bound, mark);
    flow->grant.bandwidth_bytes_s = bandwidth;
    flow->grant.reverse_bytes_s = reverse;
    return could;
}

/* Returns the largest bandwidth that would be granted instead of the requested
 * bandwidth, or 0 if no bandwidth would be granted. A longer IDT improves the
 * bounds of other flows. The flow's own bounds may become worse, because a
 * message of several packets takes longer. Therefore this function tries longer
 * IDTs in steps until one would be granted, and then bisects the last step. */
static double gms_account_left(gms_account_t *account, gms_managed_t *flow)
{
    uint32_t asked = flow->grant.idt_ticks, low = asked, high = asked, middle;
    uint64_t end =
        gms_bound_evaluations(account->bound) + GMS_ACCOUNT_LEFT_EVALUATIONS;
    gms_qos_verdict_t any = {.criterion = GMS_QOS_OK};
    int could = 0;

    while (!could && high < GMS_IDT_MAX_TICKS) {
        low = high;
        high = gms_account_longer(high);
        could = gms_account_could(account, flow, high, &any);
    }
    while (could && high - low > 1 + (high >> GMS_ACCOUNT_LEFT_BITS) &&
           gms_bound_evaluations(account->bound) < end) {
        middle = low + (high - low) / 2;
        if (gms_account_could(account, flow, middle, &any)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    flow->grant.idt_ticks = asked;
    return could ? gms_account_bandwidth(&account->params, high) : 0;
}

/* If no rule for bounds applies, no bound can be guaranteed. This function then
 * denies a flow that requests a maximum delay or jitter. */
static void gms_account_bind_none(const gms_managed_t *flow,
                                  gms_qos_verdict_t *verdict)
{
    const gms_qos_shape_t *shape = &flow->grant.shape;

    if (flow->grant.qos_class != GMS_QOS_PREMIUM ||
        (shape->delay_ps == 0 && shape->jitter_ps == 0)) {
        return;
    }
    verdict->criterion = shape->delay_ps > 0 ? GMS_QOS_DELAY : GMS_QOS_JITTER;
    verdict->resource = flow->grant.source_node;
    verdict->victim_node = flow->grant.source_node;
    verdict->victim = flow->grant.key;
    verdict->left_bytes_s = 0;
}

/* Marks a flow whose IDT has become shorter, and whose NIC must therefore
 * receive the new IDT. The sums of the account do not change, because the sums
 * include only the granted bandwidth. The computation of the bounds has already
 * checked that the servers have enough time for the shorter IDT. */
static void gms_account_hastened(void *context, gms_grant_t *grant)
{
    /* the cast is valid, because the grant is the first member of the flow */
    gms_share_touch(context, (gms_managed_t *)grant);
}

/* Replaces the bounds of a flow with new bounds. */
static gms_status_t gms_account_rebind(gms_account_t *account,
                                       gms_managed_t *flow, int is_question)
{
    gms_status_t status =
        gms_account_remove_bounds(account, flow->bound, flow->bound_back, 0);

    flow->bound = NULL;
    flow->bound_back = NULL;
    if (status == GMS_OK && flow->grant.qos_class == GMS_QOS_PREMIUM) {
        status = gms_account_add_bounds(account, flow, is_question,
                                        &flow->bound, &flow->bound_back);
    }
    return status;
}

/* Tightens the bounds that are loose after releases. Makes the result permanent
 * if no other change is tentative. */
static gms_status_t gms_account_tighten(gms_account_t *account)
{
    uint32_t mark = gms_bound_mark(account->bound);
    gms_status_t status = gms_bound_tighten(account->bound);

    if (status != GMS_OK) {
        gms_bound_undo(account->bound, mark);
    } else if (mark == 0) {
        gms_bound_commit(account->bound, gms_account_hastened, account);
    }
    return status;
}

/* Replaces the bounds of a flow and checks the new bounds. If the check fails,
 * the function restores the old bounds. */
static gms_status_t gms_account_try_bind(gms_account_t *account,
                                         gms_managed_t *flow, int is_more,
                                         gms_account_bond_t *bond,
                                         gms_qos_verdict_t *verdict)
{
    gms_status_t status;

    bond->mark = gms_bound_mark(account->bound);
    status = gms_account_rebind(account, flow, is_more);
    if (status == GMS_OK && flow->bound != NULL) {
        status = gms_account_check(account, flow->bound, is_more, 0, verdict);
    }
    if (status != GMS_OK || verdict->criterion != GMS_QOS_OK) {
        gms_account_unbind(account, flow, bond);
    }
    return status;
}

/* Replaces and checks the bounds of a flow. Tightens loose bounds first if
 * necessary. A flow that is granted with loose bounds would also be granted
 * with the tightest bounds. Loose bounds must neither cause a denial nor
 * shorten an IDT. */
static gms_status_t gms_account_bind_tight(gms_account_t *account,
                                           gms_managed_t *flow, int is_more,
                                           gms_account_bond_t *bond,
                                           gms_qos_verdict_t *verdict)
{
    gms_qos_verdict_t before = *verdict;
    gms_status_t status = GMS_OK;

    if (gms_bound_is_loose(account->bound)) {
        if (!account->params.qos_strict_windows) {
            status =
                gms_account_try_bind(account, flow, is_more, bond, verdict);
            if (status != GMS_OK || verdict->criterion == GMS_QOS_OK) {
                return status;
            }
            *verdict = before;
        }
        status = gms_account_tighten(account);
    }
    return status == GMS_OK
               ? gms_account_try_bind(account, flow, is_more, bond, verdict)
               : status;
}

gms_status_t gms_account_bind(gms_account_t *account, gms_managed_t *flow,
                              int is_more, gms_account_bond_t *bond,
                              gms_qos_verdict_t *verdict)
{
    gms_bound_t *bound = account->bound;
    gms_status_t status;
    uint32_t mark;

    bond->flow = flow->bound;
    bond->back = flow->bound_back;
    if (bound == NULL) {
        gms_account_bind_none(flow, verdict);
        return GMS_OK;
    }
    status = gms_account_bind_tight(account, flow, is_more, bond, verdict);
    if (status != GMS_OK || verdict->criterion == GMS_QOS_OK) {
        return status;
    }
    mark = gms_bound_mark(bound);
    if (gms_account_remove_bounds(account, bond->flow, bond->back, 0) ==
        GMS_OK) {
        verdict->left_bytes_s = gms_account_left(account, flow);
    }
    gms_account_name_node(flow, verdict);
    gms_bound_undo(bound, mark);
    return GMS_OK;
}

void gms_account_bind_left(gms_account_t *account, gms_managed_t *flow,
                           gms_qos_verdict_t *verdict)
{
    gms_qos_verdict_t limit = {.criterion = GMS_QOS_OK};
    uint32_t asked = flow->grant.idt_ticks;
    uint32_t mark;

    if (account->bound == NULL || verdict->left_bytes_s <= 0 ||
        flow->grant.qos_class != GMS_QOS_PREMIUM) {
        return;
    }
    mark = gms_bound_mark(account->bound);
    flow->grant.idt_ticks =
        gms_account_idt(&account->params, verdict->left_bytes_s);
    if (gms_account_tighten(account) == GMS_OK &&
        gms_account_remove_bounds(account, flow->bound, flow->bound_back, 0) ==
            GMS_OK &&
        !gms_account_could(account, flow, flow->grant.idt_ticks, &limit)) {
        verdict->left_bytes_s = gms_account_left(account, flow);
        if (limit.criterion != GMS_QOS_OK &&
            !gms_qos_has_victim(limit.criterion)) {
            gms_account_name_node(flow, &limit);
            verdict->criterion = limit.criterion;
            verdict->resource = limit.resource;
        }
    }
    gms_bound_undo(account->bound, mark);
    flow->grant.idt_ticks = asked;
}

gms_status_t gms_account_bind_adopted(gms_account_t *account,
                                      gms_managed_t *flow)
{
    gms_account_bond_t bond = {.flow = flow->bound, .back = flow->bound_back};
    gms_status_t status;

    if (account->bound == NULL) {
        return GMS_OK;
    }
    bond.mark = gms_bound_mark(account->bound);
    status = gms_account_rebind(account, flow, 0);
    if (status != GMS_OK) {
        gms_account_unbind(account, flow, &bond);
        return status;
    }
    gms_bound_commit(account->bound, gms_account_hastened, account);
    return GMS_OK;
}

void gms_account_unbind(gms_account_t *account, gms_managed_t *flow,
                        const gms_account_bond_t *bond)
{
    if (account->bound != NULL) {
        gms_bound_undo(account->bound, bond->mark);
        flow->bound = bond->flow;
        flow->bound_back = bond->back;
    }
}

void gms_account_commit(gms_account_t *account)
{
    if (account->bound != NULL) {
        gms_bound_commit(account->bound, gms_account_hastened, account);
    }
}

void gms_account_drop_bounds(gms_account_t *account, gms_managed_t *flow)
{
    uint32_t mark;

    if (flow->bound == NULL) {
        return;
    }
    mark = gms_bound_mark(account->bound);
    if (gms_account_remove_bounds(account, flow->bound, flow->bound_back, 1) ==
        GMS_OK) {
        gms_bound_commit(account->bound, gms_account_hastened, account);
    } else {
        gms_bound_undo(account->bound, mark);
        gms_bound_forget(account->bound, flow->bound);
        if (flow->bound_back != NULL) {
            gms_bound_forget(account->bound, flow->bound_back);
        }
    }
    flow->bound = NULL;
    flow->bound_back = NULL;
}

gms_time_t gms_account_reverse_delay(const gms_grant_t *grant)
{
    /* the cast is valid, because the grant is the first member of the flow */
    const gms_managed_t *flow = (const gms_managed_t *)grant;

    return flow->bound_back != NULL ? flow->back_grant.bounds.delay_ps : 0;
}

uint64_t gms_account_link_packets(const gms_account_t *account, uint32_t link)
{
    return account->bound != NULL ? gms_bound_link_packets(account->bound, link)
                                  : 0;
}

uint64_t gms_account_node_packets(const gms_account_t *account, unsigned node)
{
    return account->bound != NULL ? gms_bound_node_packets(account->bound, node)
                                  : 0;
}
