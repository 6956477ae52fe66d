/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adds and removes the charges of a flow at all resources on its route. If a
 * request does not fit, this file finds the resource that leaves the least
 * bandwidth. This resource becomes the criterion of the denial. The file also
 * computes the largest bandwidth that would fit.
 */
#include "manager/account_sums.h"

#include <math.h>

#include "manager/blocking.h"
#include "manager/share.h"

void gms_sums_find_path(const gms_account_t *account, const gms_managed_t *flow,
                        int with_back, gms_sums_path_t *path)
{
    unsigned source = flow->grant.source_node;
    unsigned target = flow->grant.key.target_node;

    path->there_count =
        gms_topology_links(account->topology, source, target, path->there);
    path->back_count = 0;
    if (with_back && source != target) {
        path->back_count =
            gms_topology_links(account->topology, target, source, path->back);
    }
}

/* ---- flows at resources ---- */

/** Updates the number of resources that a flow shares with other flows. Only
 *  the sharing of bandwidth among best-effort flows needs this number. */
static void gms_sums_count(gms_account_t *account, gms_managed_t *flow,
                           int more)
{
    if (flow->grant.qos_class != GMS_QOS_BEST_EFFORT) {
        return;
    }
    flow->crossings += (uint32_t)more;
    if (flow->crossings == ((more > 0) ? 1u : 0u)) {
        gms_share_touch(account, flow);
    }
}

static void gms_sums_enter(gms_account_t *account, gms_presence_t *here,
                           gms_managed_t *flow)
{
    if (here->flows == 1) {
        gms_sums_count(account, gms_flow_book_at(&account->book, here->ids), 1);
    }
    flow->crossings += (here->flows > 0);
    ++here->flows;
    here->ids ^= flow->id;
}

static void gms_sums_exit(gms_account_t *account, gms_presence_t *here,
                          const gms_managed_t *flow)
{
    --here->flows;
    here->ids ^= flow->id;
    if (here->flows == 1) {
        gms_sums_count(account, gms_flow_book_at(&account->book, here->ids),
                       -1);
    }
}

static void gms_sums_move(gms_account_t *account, gms_presence_t *here,
                          gms_managed_t *flow, int enters)
{
    if (flow->grant.idle) {
        return;
    }
    if (enters) {
        gms_sums_enter(account, here, flow);
    } else {
        gms_sums_exit(account, here, flow);
    }
}

/* ---- charges ---- */

static void gms_sums_node(gms_account_t *account, gms_managed_t *flow,
                          unsigned node, gms_units_t out, gms_units_t in,
                          int enters)
{
    gms_node_sum_t *sum = &account->node[node];

    sum->out += enters ? out : -out;
    sum->in += enters ? in : -in;
    gms_sums_move(account, &sum->here, flow, enters);
    gms_share_mark_node(account, node);
}

static void gms_sums_links(gms_account_t *account, gms_managed_t *flow,
                           const uint32_t *links, unsigned count,
                           gms_units_t charge, int enters)
{
    unsigned i;

    for (i = 0; i < count; ++i) {
        gms_link_sum_t *sum = &account->link[links[i]];

        sum->charged += enters ? charge : -charge;
        gms_sums_move(account, &sum->here, flow, enters);
        gms_share_mark_link(account, links[i]);
    }
}

static uint32_t gms_sums_source_process(const gms_account_t *account,
                                        const gms_managed_t *flow)
{
    return gms_account_process(&account->params, flow->grant.source_node,
                               flow->grant.key.source_port);
}

static uint32_t gms_sums_target_process(const gms_account_t *account,
                                        const gms_managed_t *flow)
{
    return gms_account_process(&account->params, flow->grant.key.target_node,
                               flow->grant.key.target_port);
}

static void gms_sums_processes(gms_account_t *account,
                               const gms_managed_t *flow, int enters)
{
    uint32_t source = gms_sums_source_process(account, flow);
    uint32_t target = gms_sums_target_process(account, flow);

    account->process_ps[source] +=
        enters ? flow->host.source_ps : -flow->host.source_ps;
    account->process_ps[target] +=
        enters ? flow->host.target_ps : -flow->host.target_ps;
}

static void gms_sums_apply(gms_account_t *account, gms_managed_t *flow,
                           const gms_sums_path_t *path, int enters)
{
    unsigned source = flow->grant.source_node;
    unsigned target = flow->grant.key.target_node;
    gms_units_t there = flow->there, back = flow->back;

    account->node[source].sourced += enters ? 1u : (uint32_t)-1;
    gms_blocking_add(account, flow, path, enters ? flow->there : -flow->there);
    gms_sums_processes(account, flow, enters);
    if (source == target) {
        /* The packets of a loop pass through the NIC twice, once in each
         * direction. */
        there += back;
        gms_sums_node(account, flow, source, there, there, enters);
    } else {
        gms_sums_node(account, flow, source, there, back, enters);
        gms_sums_node(account, flow, target, back, there, enters);
    }
    gms_sums_links(account, flow, path->there, path->there_count, there,
                   enters);
    if (back > 0) {
        gms_sums_links(account, flow, path->back, path->back_count, back,
                       enters);
    }
}

static int gms_sums_shares(const gms_managed_t *flow)
{
    return flow->grant.qos_class == GMS_QOS_BEST_EFFORT && !flow->grant.idle;
}

void gms_sums_add(gms_account_t *account, gms_managed_t *flow,
                  const gms_sums_path_t *path)
{
    flow->crossings = 0;
    gms_sums_apply(account, flow, path, 1);
    if (gms_sums_shares(flow)) {
        gms_share_join(account, flow);
    }
}

void gms_sums_remove(gms_account_t *account, gms_managed_t *flow,
                     const gms_sums_path_t *path)
{
    if (gms_sums_shares(flow)) {
        gms_share_leave(account, flow);
    }
    gms_sums_apply(account, flow, path, 0);
}

/* ---- remaining capacity ---- */

/** Returns the remaining time of a NIC at the given outgoing and incoming
 * rates, in units of rate x ps. */
static __int128 gms_sums_time_left(const gms_account_t *account,
                                   gms_units_t out, gms_units_t in,
                                   const gms_service_t *service)
{
    gms_units_t pairs = (out < in) ? out : in;

    return account->time_units - (__int128)out * service->send_ps -
           (__int128)in * service->receive_ps -
           (__int128)pairs * service->turn_ps;
}

/** Returns the rate that can be added within the remaining time to outgoing
 * flows, to incoming flows, or to both at once. If only one direction grows,
 * its packets form pairs with the unpaired packets of the other direction, as
 * long as there are any. */
static __int128 gms_sums_time_room(const gms_account_t *account,
                                   const gms_node_sum_t *sum,
                                   const gms_service_t *service, int out,
                                   int in)
{
    __int128 left = gms_sums_time_left(account, sum->out, sum->in, service);
    int64_t each_ps = (out ? (int64_t)service->send_ps : 0) +
                      (in ? (int64_t)service->receive_ps : 0);
    int64_t pairing_ps = each_ps + service->turn_ps;
    gms_units_t pairs = out ? sum->in - sum->out : sum->out - sum->in;

    if (left <= 0) {
        return 0;
    }
    if (out && in) {
        return left / pairing_ps;
    }
    if (pairs > 0) {
        if (left < (__int128)pairs * pairing_ps) {
            return left / pairing_ps;
        }
        left -= (__int128)pairs * service->turn_ps;
    }
    return left / each_ps;
}

/** Returns the remaining rate of a node for outgoing flows, for incoming flows,
 * or for both at once. `more` is the number of flows that start at the node in
 * addition to the managed flows. */
static gms_units_t gms_sums_node_left(const gms_account_t *account,
                                      unsigned node, int out, int in,
                                      unsigned more)
{
    const gms_node_sum_t *sum = &account->node[node];
    gms_units_t left = (account->node_units - sum->out - sum->in) / (out + in);
    gms_service_t service = gms_account_service(account, sum->sourced + more);
    __int128 time;

    if (account->is_incoming) {
        time = gms_sums_time_room(account, sum, &service, out, in);
        left = (time < left) ? (gms_units_t)time : left;
    }
    return (left > 0) ? left : 0;
}

static int gms_sums_node_fits(const gms_account_t *account, unsigned node,
                              gms_units_t out, gms_units_t in, unsigned more)
{
    const gms_node_sum_t *sum = &account->node[node];
    gms_service_t service;

    if (out + in > account->node_units - sum->out - sum->in) {
        return 0;
    }
    if (!account->is_incoming) {
        return 1;
    }
    service = gms_account_service(account, sum->sourced + more);
    return gms_sums_time_left(account, sum->out + out, sum->in + in,
                              &service) >= 0;
}

static double gms_sums_bytes_s(gms_units_t units)
{
    return (double)units / GMS_UNITS_PER_BYTE;
}

/** State of the search for the criterion of a denial. Every exceeded resource
 * has room for only a fraction of the request. The verdict names the resource
 * with the smallest fraction, because a smaller request must fit this resource,
 * too. If several resources have room for the same fraction, the verdict names
 * the first resource. */
typedef struct gms_sums_denial {
    gms_qos_verdict_t *verdict;
    double part;
} gms_sums_denial_t;

static void gms_sums_deny(gms_sums_denial_t *denial,
                          enum gms_qos_criterion criterion, uint32_t resource,
                          double left_bytes_s, double part)
{
    gms_qos_verdict_t *verdict = denial->verdict;

    if (verdict->criterion != GMS_QOS_OK && part >= denial->part) {
        return;
    }
    verdict->criterion = criterion;
    verdict->resource = resource;
    verdict->left_bytes_s = left_bytes_s;
    denial->part = part;
}

/** Denies a charge at a node or a link whose remaining capacity is `left`. */
static void gms_sums_deny_units(gms_sums_denial_t *denial,
                                enum gms_qos_criterion criterion,
                                uint32_t resource, gms_units_t left,
                                gms_units_t charge)
{
    left = (left > 0) ? left : 0;
    gms_sums_deny(denial, criterion, resource, gms_sums_bytes_s(left),
                  (charge > 0) ? (double)left / (double)charge : 0);
}

/** Returns the largest bandwidth, bytes/s, that a flow could request if every
 * byte needs s_per_byte of a process's time. For an idle process, the result is
 * the bandwidth that uses all of the process's time. Otherwise, the result is
 * the bandwidth of the smallest IDT whose charge fits. */
static double gms_sums_process_left(const gms_account_t *account,
                                    uint32_t process, double s_per_byte)
{
    double product = (double)account->product / GMS_UNITS_PER_BYTE;
    double left = (double)((int64_t)GMS_SECOND - account->process_ps[process]) /
                  (double)GMS_SECOND / s_per_byte;
    double ticks;

    if (left <= 0) {
        return 0;
    }
    if (account->process_ps[process] == 0) {
        return left;
    }
    ticks = ceil(product / left);
    return (ticks <= GMS_IDT_MAX_TICKS) ? product / ticks : 0;
}

static void gms_sums_admit_process(const gms_account_t *account,
                                   enum gms_qos_criterion criterion,
                                   uint32_t process, int64_t charge_ps,
                                   double s_per_byte, gms_sums_denial_t *denial)
{
    int64_t left_ps = (int64_t)GMS_SECOND - account->process_ps[process];

    if (charge_ps > 0 && charge_ps > left_ps) {
        gms_sums_deny(denial, criterion, process,
                      gms_sums_process_left(account, process, s_per_byte),
                      (left_ps > 0) ? (double)left_ps / (double)charge_ps : 0);
    }
}

static void gms_sums_admit_processes(const gms_account_t *account,
                                     const gms_managed_t *flow,
                                     gms_sums_denial_t *denial)
{
    uint32_t source = gms_sums_source_process(account, flow);
    uint32_t target = gms_sums_target_process(account, flow);
    const gms_host_time_t *host = &flow->host;

    if (source == target) {
        /* the source and the target are the same process, which is charged for
         * both */
        gms_sums_admit_process(
            account, GMS_QOS_DESTINATION_PROCESS, target,
            host->source_ps + host->target_ps,
            host->source_s_per_byte + host->target_s_per_byte, denial);
        return;
    }
    gms_sums_admit_process(account, GMS_QOS_SOURCE_PROCESS, source,
                           host->source_ps, host->source_s_per_byte, denial);
    gms_sums_admit_process(account, GMS_QOS_DESTINATION_PROCESS, target,
                           host->target_ps, host->target_s_per_byte, denial);
}

static void gms_sums_admit_links(const gms_account_t *account,
                                 const uint32_t *links, unsigned count,
                                 gms_units_t charge, gms_sums_denial_t *denial)
{
    unsigned i;

    for (i = 0; i < count && charge > 0; ++i) {
        const gms_link_sum_t *sum = &account->link[links[i]];
        gms_units_t left = sum->units - sum->charged;

        if (charge > left) {
            gms_sums_deny_units(denial, GMS_QOS_LINK, links[i], left, charge);
        }
    }
}

int gms_sums_admit(gms_account_t *account, const gms_managed_t *flow,
                   const gms_sums_path_t *path, gms_qos_verdict_t *verdict)
{
    gms_sums_denial_t denial = {.verdict = verdict};
    unsigned source = flow->grant.source_node;
    unsigned target = flow->grant.key.target_node;
    gms_units_t there = flow->there, back = flow->back;
    int is_loop = (source == target), goes;

    there += is_loop ? back : 0;
    /* Best effort is charged only for its reverse traffic. */
    goes = is_loop || there > 0;
    verdict->criterion = GMS_QOS_OK;
    gms_sums_admit_processes(account, flow, &denial);
    if (!gms_sums_node_fits(account, source, there, is_loop ? there : back,
                            1)) {
        gms_sums_deny_units(
            &denial, GMS_QOS_SOURCE_NODE, source,
            gms_sums_node_left(account, source, goes, is_loop || !goes, 1),
            goes ? there : back);
    }
    gms_sums_admit_links(account, path->there, path->there_count, there,
                         &denial);
    gms_sums_admit_links(account, path->back, path->back_count, back, &denial);
    if (!is_loop && there + back > 0 &&
        !gms_sums_node_fits(account, target, back, there, 0)) {
        gms_sums_deny_units(&denial, GMS_QOS_DESTINATION_NODE, target,
                            gms_sums_node_left(account, target, !goes, goes, 0),
                            goes ? there : back);
    }
    return verdict->criterion == GMS_QOS_OK;
}

static gms_units_t gms_sums_link_left(const gms_account_t *account,
                                      uint32_t link)
{
    return account->link[link].units - account->link[link].charged;
}

double gms_sums_least_left(const gms_account_t *account,
                           const gms_managed_t *flow,
                           const gms_sums_path_t *path)
{
    unsigned source = flow->grant.source_node;
    unsigned target = flow->grant.key.target_node, i;
    int is_loop = (source == target);
    gms_units_t least = gms_sums_node_left(account, source, 1, is_loop, 0);
    gms_units_t left =
        is_loop ? least : gms_sums_node_left(account, target, 0, 1, 0);

    least = (left < least) ? left : least;
    for (i = 0; i < path->there_count; ++i) {
        left = gms_sums_link_left(account, path->there[i]);
        least = (left < least) ? left : least;
    }
    for (i = 0; flow->back > 0 && i < path->back_count; ++i) {
        left = gms_sums_link_left(account, path->back[i]);
        least = (left < least) ? left : least;
    }
    return gms_sums_bytes_s((least > 0) ? least : 0);
}

void gms_account_node_use(const gms_account_t *account, unsigned node,
                          double *promised_p, double *capacity_p)
{
    const gms_node_sum_t *sum = &account->node[node];

    *promised_p = gms_sums_bytes_s(sum->out + sum->in);
    *capacity_p = *promised_p +
                  gms_sums_bytes_s(gms_sums_node_left(account, node, 1, 0, 0));
}

void gms_account_link_use(const gms_account_t *account, uint32_t link,
                          double *promised_p, double *capacity_p)
{
    *promised_p = gms_sums_bytes_s(account->link[link].charged);
    *capacity_p = gms_sums_bytes_s(account->link[link].units);
}

double gms_account_process_use(const gms_account_t *account, uint32_t process)
{
    return (double)account->process_ps[process] / (double)GMS_SECOND;
}
