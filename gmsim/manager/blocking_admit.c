/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes decisions that depend on blocked time. The file checks whether every
 * source keeps its promises after a request, and computes the largest request
 * that would be granted. It also limits the shares of best-effort flows.
 */
#include "manager/blocking_int.h"

#include <math.h>

/* Number of bisection steps in the search for the largest fraction of the
 * shares that best effort may use. */
#define GMS_BLOCKING_STEPS 8

/* ---- sources that keep their promises ---- */

/* Returns the time that a source needs, as a fraction of its promised time. The
 * result is 0 if none of the source's worms can be blocked. In this case, the
 * account of the source's node is sufficient. */
static double gms_blocking_need(const gms_account_t *account, unsigned node)
{
    const gms_blocking_t *blocking = account->blocking;
    const gms_blocking_node_t *at = &blocking->node[node];
    uint32_t number = gms_topology_node_link(account->topology, node, 0);
    const gms_blocking_link_t *link = &blocking->link[number];
    gms_service_t service =
        gms_account_service(account, account->node[node].sourced);
    double send_s = gms_blocking_s(service.send_ps);
    double out = gms_blocking_rate(blocking, at->out);
    double in = gms_blocking_rate(blocking, at->in);

    gms_blocking_visit(account, number);
    if (link->blocked < 1e-9) {
        return 0;
    }
    return (link->blocked + out * send_s + in * blocking->receive_s +
            fmin(out, in) * (double)service.turn_ps / (double)GMS_SECOND) /
           blocking->promised;
}

/* Returns 1 if every source with a reservation has enough time. Otherwise
 * *node_p is set to the source that lacks the most time. */
static int gms_blocking_is_kept(const gms_account_t *account, unsigned *node_p)
{
    double most = 1;
    unsigned node;

    *node_p = account->nodes;
    for (node = 0; node < account->nodes; ++node) {
        if (account->node[node].out > 0) {
            double need = gms_blocking_need(account, node);

            if (need > most) {
                most = need;
                *node_p = node;
            }
        }
    }
    return *node_p == account->nodes;
}

/* ---- largest request ---- */

static gms_units_t gms_blocking_units(const gms_account_t *account,
                                      uint32_t idt_ticks)
{
    return (account->product + idt_ticks - 1) / idt_ticks;
}

/* Returns the link on the route that is held by worms for the longest time.
 * Other sources lose most of their time at this link. */
static uint32_t gms_blocking_worst_link(const gms_account_t *account,
                                        const gms_sums_path_t *path)
{
    const gms_blocking_t *blocking = account->blocking;
    uint32_t worst = path->there[path->there_count - 1];
    double most = -1;
    unsigned i;

    for (i = 1; i < path->there_count; ++i) {
        const gms_blocking_link_t *link = &blocking->link[path->there[i]];
        double each_s = gms_blocking_is_last(account, path->there[i])
                            ? blocking->receive_s
                            : blocking->stream_s;
        double held =
            link->blocked + gms_blocking_rate(blocking, link->data) * each_s;

        if (held > most) {
            most = held;
            worst = path->there[i];
        }
    }
    return worst;
}

/* Checks whether all reservations would be kept if the flow had this rate.
 * Otherwise *node_p is set to the source that lacks the most time, and *link_p
 * to the link of the route that worms hold for the longest time. */
static int gms_blocking_fits(gms_account_t *account, const gms_managed_t *flow,
                             const gms_sums_path_t *path, gms_units_t rate,
                             unsigned *node_p, uint32_t *link_p)
{
    gms_node_sum_t *source = &account->node[flow->grant.source_node];
    int is_kept;

    account->blocking->is_question = 1;
    source->out += rate;
    ++source->sourced;
    gms_blocking_add(account, flow, path, rate);
    account->blocking->is_question = 0;
    is_kept = gms_blocking_is_kept(account, node_p);
    *link_p = is_kept ? GMS_LINK_NONE : gms_blocking_worst_link(account, path);
    gms_blocking_add(account, flow, path, -rate);
    --source->sourced;
    source->out -= rate;
    gms_blocking_end(account);
    return is_kept;
}

/* Returns the shortest IDT, not below a lower limit, that keeps all
 * reservations; 0 if there is none. If an IDT keeps all reservations, every
 * longer IDT also does, because all charges increase with the rate. */
static uint32_t gms_blocking_search(gms_account_t *account,
                                    const gms_managed_t *flow,
                                    const gms_sums_path_t *path, uint32_t low)
{
    uint32_t high = GMS_IDT_MAX_TICKS;
    unsigned node;
    uint32_t link;

    if (!gms_blocking_fits(account, flow, path,
                           gms_blocking_units(account, high), &node, &link)) {
        return 0;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (gms_blocking_fits(account, flow, path,
                              gms_blocking_units(account, middle), &node,
                              &link)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static void gms_blocking_name(const gms_managed_t *flow, unsigned node,
                              uint32_t link, gms_qos_verdict_t *verdict)
{
    verdict->criterion = GMS_QOS_LINK;
    verdict->resource = link;
    if (node == flow->grant.source_node) {
        verdict->criterion = GMS_QOS_SOURCE_NODE;
        verdict->resource = node;
    } else if (node == flow->grant.key.target_node) {
        verdict->criterion = GMS_QOS_DESTINATION_NODE;
        verdict->resource = node;
    }
}

void gms_blocking_admit(gms_account_t *account, const gms_managed_t *flow,
                        const gms_sums_path_t *path, gms_qos_verdict_t *verdict)
{
    gms_units_t rate = flow->there;
    uint32_t least = 1, found, link;
    unsigned node;

    if (account->blocking == NULL || rate == 0) {
        return;
    }
    if (verdict->criterion != GMS_QOS_OK) {
        double left = verdict->left_bytes_s * GMS_UNITS_PER_BYTE;

        if (left < (double)account->product / GMS_IDT_MAX_TICKS) {
            return;
        }
        rate = left < (double)rate ? (gms_units_t)left : rate;
    }
    if (gms_blocking_fits(account, flow, path, rate, &node, &link)) {
        return;
    }
    gms_blocking_name(flow, node, link, verdict);
    least = (uint32_t)fmax(1, (double)account->product / (double)rate);
    found = gms_blocking_search(account, flow, path, least);
    verdict->left_bytes_s =
        found != 0 ? gms_account_bandwidth(&account->params, found) : 0;
}

/* ---- best effort ---- */

/* Adds a fraction of every best-effort share to the traffic on the network, or
 * removes it. */
static void gms_blocking_put_shares(gms_account_t *account, double part,
                                    int enters)
{
    const gms_grant_t *grant;

    for (grant = gms_account_first(account); grant != NULL;
         grant = grant->next) {
        const gms_managed_t *flow = (const gms_managed_t *)grant;
        gms_sums_path_t path;
        gms_units_t rate;

        if (grant->qos_class != GMS_QOS_BEST_EFFORT || grant->idle ||
            flow->crossings == 0) {
            continue;
        }
        rate = (gms_units_t)((double)(flow->level < account->product
                                          ? flow->level
                                          : account->product) *
                             part);
        gms_sums_find_path(account, flow, 0, &path);
        gms_blocking_add(account, flow, &path, enters ? rate : -rate);
    }
}

double gms_blocking_best_effort(gms_account_t *account)
{
    double low = 0, high = 1, part = 1;
    unsigned step, node;

    if (account->blocking == NULL || account->sharing == 0 ||
        account->blocking->has_lanes) {
        return 1;
    }
    for (step = 0; step < GMS_BLOCKING_STEPS; ++step) {
        int is_kept;

        gms_blocking_put_shares(account, part, 1);
        is_kept = gms_blocking_is_kept(account, &node);
        gms_blocking_put_shares(account, part, 0);
        if (is_kept) {
            low = part;
            if (step == 0) {
                break;
            }
        } else {
            high = part;
        }
        part = (low + high) / 2;
    }
    return low;
}
