/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the account's operations on flows: request, release, idle and
 * adopt. A request with several flows is either granted completely or undone
 * completely. The file account_sums.c handles the sums, account_left.c handles
 * the remaining bandwidth of a denial, account_bound.c handles the delay bounds,
 * and share.c handles the shares of best effort.
 */
#include "manager/admission.h"

#include <math.h>
#include <string.h>

#include "manager/account_bound.h"
#include "manager/account_int.h"
#include "manager/account_left.h"
#include "manager/account_sums.h"
#include "manager/blocking.h"
#include "manager/service.h"
#include "manager/share.h"

/* The largest bandwidth that can be stored, in gms_units_t. This limit is far
 * above the bandwidth of any link, but sums over many flows still fit into 64
 * bits. */
#define GMS_UNITS_MAX (INT64_C(1) << 47)

/* Set, for each link, the total payload bandwidth that may be granted to flows
 * on the link. For a link with the rate link_bytes_s, this bandwidth is
 * qos_link_bytes_s. For other links, it is proportional to the link's rate. */
static void gms_account_set_links(gms_account_t *account)
{
    const gms_params_t *params = &account->params;
    unsigned link;

    for (link = 0; link < account->links; ++link) {
        uint64_t rate =
            gms_topology_link_bytes_s(account->topology, params, link);
        uint64_t payload = params->qos_link_bytes_s;

        if (rate != params->link_bytes_s) {
            payload = (uint64_t)((double)payload * (double)rate /
                                 (double)params->link_bytes_s);
        }
        account->link[link].units = (gms_units_t)(payload * GMS_UNITS_PER_BYTE);
    }
}

gms_status_t gms_account_create(gms_arena_t *arena, gms_topology_t *topology,
                                const gms_params_t *params,
                                gms_account_t **account_p)
{
    gms_account_t *account = gms_arena_alloc(arena, sizeof(*account));

    if (account == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    account->arena = arena;
    account->topology = topology;
    account->params = *params;
    account->nodes = gms_topology_nodes(topology);
    account->links = gms_topology_link_count(topology);
    account->is_incoming = (params->qos_node_rule == GMS_QOS_NODE_INCOMING);
    account->product =
        (gms_units_t)(params->qos_idt_product * 1000000 * GMS_UNITS_PER_BYTE);
    account->node_units =
        (gms_units_t)(params->qos_node_bytes_s * GMS_UNITS_PER_BYTE);
    account->send_first_ps = gms_service_send_ps(params, 1);
    account->send_more_ps =
        gms_service_send_ps(params, 2) - account->send_first_ps;
    account->pair_more_ps =
        gms_service_receive_ps(params) + gms_service_turn_ps(params);
    account->service = gms_service_of(params, 1);
    account->time_units =
        (gms_units_t)(params->nic_mtu_bytes * GMS_UNITS_PER_BYTE *
                      gms_service_promised_ps(params));
    account->node =
        gms_arena_alloc(arena, account->nodes * sizeof(*account->node));
    account->link =
        gms_arena_alloc(arena, account->links * sizeof(*account->link));
    account->effort_part = 1;
    account->processes = gms_account_process(params, account->nodes, 0);
    account->process_ps = gms_arena_alloc(
        arena, account->processes * sizeof(*account->process_ps));
    if (account->node == NULL || account->link == NULL ||
        account->process_ps == NULL ||
        gms_flow_book_init(arena, &account->book) != GMS_OK ||
        gms_share_init(account) != GMS_OK ||
        gms_bound_create(arena, topology, params, &account->bound) != GMS_OK ||
        gms_blocking_create(account, &account->blocking) != GMS_OK) {
        gms_account_destroy(account);
        return GMS_ERR_NO_MEMORY;
    }
    gms_account_set_links(account);
    *account_p = account;
    return GMS_OK;
}

void gms_account_destroy(gms_account_t *account)
{
    if (account == NULL) {
        return;
    }
    gms_blocking_destroy(account, account->blocking);
    gms_share_cleanup(account);
    gms_bound_destroy(account->bound);
    gms_flow_book_cleanup(account->arena, &account->book);
    gms_arena_free(account->arena, account->node);
    gms_arena_free(account->arena, account->link);
    gms_arena_free(account->arena, account->process_ps);
    gms_arena_free(account->arena, account);
}

/* ---- bandwidths and IDTs ---- */

double gms_account_bandwidth(const gms_params_t *params, uint32_t idt_ticks)
{
    return (double)params->qos_idt_product * 1e6 / (double)idt_ticks;
}

uint32_t gms_account_idt(const gms_params_t *params, double bytes_s)
{
    double ticks = (double)params->qos_idt_product * 1e6 / bytes_s;

    /* If a bandwidth was computed from an IDT, the reverse conversion must
     * yield the same IDT. The factor corrects two roundings that may have made
     * the value slightly smaller. */
    ticks = floor(ticks * (1 + 1e-12));
    if (params->nic_kind == GMS_NIC_HCA) {
        ticks -= fmod(ticks, (double)params->hca_pace_ticks);
    }
    if (!(ticks < GMS_IDT_MAX_TICKS)) {
        return GMS_IDT_MAX_TICKS;
    }
    return (ticks < 1) ? 1 : (uint32_t)ticks;
}

static gms_units_t gms_account_units(double bytes_s)
{
    double units = ceil(bytes_s * GMS_UNITS_PER_BYTE);

    return (units < (double)GMS_UNITS_MAX) ? (gms_units_t)units : GMS_UNITS_MAX;
}

/** Returns the charge of a premium flow: the bandwidth of its IDT or the
 * requested bandwidth, whichever is larger. The requested bandwidth is larger
 * only if even an IDT of 1 tick is too slow for the request. */
static gms_units_t gms_account_charge(const gms_account_t *account,
                                      uint32_t idt_ticks, double bytes_s)
{
    gms_units_t charge = (account->product + idt_ticks - 1) / idt_ticks;
    gms_units_t asked = gms_account_units(bytes_s);

    return (asked > charge) ? asked : charge;
}

float gms_account_load(float load, double asked_bytes_s, double granted_bytes_s)
{
    float charge = load;

    /* A load of 0 remains 0, even if the requested bandwidth is tiny. */
    if (load > 0 && granted_bytes_s > asked_bytes_s) {
        charge = (float)((double)load * (granted_bytes_s / asked_bytes_s));
    }
    /* The only flow of a process may use all of the process's time, because
     * there are no other flows to take time from. */
    return (charge > 1 && load <= 1) ? 1 : charge;
}

/** Converts a load to ps per second. The result is limited to a value far above
 *  any load, so sums fit into 64 bits. */
static int64_t gms_account_time(float load)
{
    double ps = ceil((double)load * (double)GMS_SECOND);
    double most_ps = 1e6 * (double)GMS_SECOND;

    return (int64_t)((ps < most_ps) ? ps : most_ps);
}

/** Computes the load that a premium flow with the granted bandwidth causes at
 * its two processes, and stores this load in the flow. */
static void gms_account_set_load(gms_managed_t *flow,
                                 const gms_flow_request_t *request)
{
    gms_grant_t *grant = &flow->grant;

    grant->load.source = gms_account_load(
        request->load.source, request->bytes_s, grant->bandwidth_bytes_s);
    grant->load.target = gms_account_load(
        request->load.target, request->bytes_s, grant->bandwidth_bytes_s);
    flow->host.source_ps = gms_account_time(grant->load.source);
    flow->host.target_ps = gms_account_time(grant->load.target);
    flow->host.source_s_per_byte =
        (double)request->load.source / request->bytes_s;
    flow->host.target_s_per_byte =
        (double)request->load.target / request->bytes_s;
}

/* ---- notification of new IDTs ---- */

/** Sets the IDT of a best-effort flow from its level. The IDT is rounded up to
 *  prevent the flow from exceeding its share. */
static void gms_account_pace(const gms_account_t *account, gms_managed_t *flow)
{
    gms_grant_t *grant = &flow->grant;
    gms_units_t least = account->product / GMS_IDT_MAX_TICKS, ticks;

    grant->bandwidth_bytes_s = 0;
    if (grant->idle) {
        grant->idt_ticks = GMS_IDT_MAX_TICKS;
    } else if (flow->crossings == 0) {
        grant->idt_ticks = 0;
    } else {
        gms_units_t level =
            (flow->level < account->product) ? flow->level : account->product;

        level = (gms_units_t)((double)level * account->effort_part);
        level = (level > least) ? level : least;
        ticks = (level > 0) ? (account->product + level - 1) / level
                            : GMS_IDT_MAX_TICKS;
        grant->idt_ticks =
            (ticks < GMS_IDT_MAX_TICKS) ? (uint32_t)ticks : GMS_IDT_MAX_TICKS;
        grant->bandwidth_bytes_s = (double)level / GMS_UNITS_PER_BYTE;
    }
}

static int gms_account_slows(const gms_managed_t *flow)
{
    uint32_t idt = flow->grant.idt_ticks;

    return (flow->told_idt == 0) ? (idt > 0)
                                 : (idt != 0 && idt > flow->told_idt);
}

static int gms_account_tells_before(const gms_managed_t *a,
                                    const gms_managed_t *b)
{
    int slows_a = gms_account_slows(a), slows_b = gms_account_slows(b);

    return (slows_a != slows_b) ? slows_a : (a->order < b->order);
}

static gms_managed_t *gms_account_merge(gms_managed_t *a, gms_managed_t *b)
{
    gms_managed_t *first = NULL, **link = &first;

    while (a != NULL && b != NULL) {
        gms_managed_t **least = gms_account_tells_before(a, b) ? &a : &b;

        *link = *least;
        link = &(*least)->next_touched;
        *least = *link;
    }
    *link = (a != NULL) ? a : b;
    return first;
}

/** Sorts a list of flows with a bottom-up merge sort, in which bin i holds 2^i
 * flows. */
static gms_managed_t *gms_account_sort(gms_managed_t *list)
{
    gms_managed_t *bins[32] = {NULL}, *sorted = NULL;
    unsigned i;

    while (list != NULL) {
        gms_managed_t *run = list;

        list = list->next_touched;
        run->next_touched = NULL;
        for (i = 0; i < 31 && bins[i] != NULL; ++i) {
            run = gms_account_merge(bins[i], run);
            bins[i] = NULL;
        }
        bins[i] = gms_account_merge(bins[i], run);
    }
    for (i = 0; i < 32; ++i) {
        sorted = gms_account_merge(bins[i], sorted);
    }
    return sorted;
}

/** If blocked worms can delay each other, limits best effort to a fraction of
 * its shares. A source might otherwise lack the time for its reservations. */
static void gms_account_limit_effort(gms_account_t *account)
{
    double part = gms_blocking_best_effort(account);
    gms_grant_t *grant;

    if (part == account->effort_part) {
        return;
    }
    account->effort_part = part;
    for (grant = (gms_grant_t *)account->book.first; grant != NULL;
         grant = grant->next) {
        if (grant->qos_class == GMS_QOS_BEST_EFFORT) {
            gms_share_touch(account, (gms_managed_t *)grant);
        }
    }
}

/** Updates the best-effort shares, and notifies the caller of every changed
 *  IDT. */
static void gms_account_finish(gms_account_t *account,
                               gms_idt_changed_fn *changed, void *context)
{
    gms_managed_t *flow, *next, *list = NULL;

    gms_share_update(account);
    gms_account_limit_effort(account);
    for (flow = account->touched; flow != NULL; flow = next) {
        next = flow->next_touched;
        flow->is_touched = 0;
        if (flow->grant.qos_class == GMS_QOS_BEST_EFFORT) {
            gms_account_pace(account, flow);
        }
        if (flow->is_new || flow->grant.idt_ticks != flow->told_idt) {
            flow->next_touched = list;
            list = flow;
        }
    }
    account->touched = NULL;
    for (flow = gms_account_sort(list); flow != NULL; flow = next) {
        uint32_t before = flow->told_idt;

        next = flow->next_touched;
        flow->is_new = 0;
        flow->told_idt = flow->grant.idt_ticks;
        changed(context, &flow->grant, before);
    }
}

/* ---- requests ---- */

/** The state of a flow before the request that changed it. */
typedef struct gms_undo {
    gms_managed_t *flow;
    gms_grant_t grant;
    gms_units_t there, back;
    gms_host_time_t host;
    gms_account_bond_t bond;
    int was_new;
} gms_undo_t;

static int gms_account_takes_load(float load)
{
    return load >= 0 && isfinite(load);
}

static int gms_account_takes(const gms_account_t *account,
                             const gms_flow_request_t *request)
{
    return request->source_node < account->nodes &&
           request->key.target_node < account->nodes &&
           request->key.source_port < account->params.gm_ports &&
           request->key.target_port < account->params.gm_ports &&
           gms_account_takes_load(request->load.source) &&
           gms_account_takes_load(request->load.target) &&
           request->reverse_bytes_s >= 0 &&
           isfinite(request->reverse_bytes_s) &&
           (request->qos_class == GMS_QOS_BEST_EFFORT ||
            (request->qos_class == GMS_QOS_PREMIUM && request->bytes_s > 0 &&
             isfinite(request->bytes_s)));
}

void gms_account_set(gms_account_t *account, gms_managed_t *flow,
                     const gms_flow_request_t *request)
{
    gms_grant_t *grant = &flow->grant;

    grant->rank = request->rank;
    grant->qos_class = request->qos_class;
    grant->reverse_bytes_s = request->reverse_bytes_s;
    grant->idle = 0;
    grant->load = (gms_qos_load_t){0, 0};
    memset(&grant->shape, 0, sizeof(grant->shape));
    memset(&grant->bounds, 0, sizeof(grant->bounds));
    flow->back = gms_account_units(request->reverse_bytes_s);
    flow->there = 0;
    memset(&flow->host, 0, sizeof(flow->host));
    if (request->qos_class == GMS_QOS_PREMIUM) {
        grant->shape = request->shape;
        grant->idt_ticks = gms_account_idt(&account->params, request->bytes_s);
        grant->bandwidth_bytes_s =
            fmax(request->bytes_s,
                 gms_account_bandwidth(&account->params, grant->idt_ticks));
        flow->there =
            gms_account_charge(account, grant->idt_ticks, request->bytes_s);
        gms_account_set_load(flow, request);
    }
}

/** Clears the list of touched flows after a request was undone. No IDT has
 *  changed in this case, so the caller must not be notified. */
static void gms_account_calm(gms_account_t *account)
{
    for (; account->touched != NULL;
         account->touched = account->touched->next_touched) {
        account->touched->is_touched = 0;
    }
}

/** Restores the state that existed before the request. */
static void gms_account_restore(gms_account_t *account, const gms_undo_t *undo)
{
    gms_managed_t *flow = undo->flow;
    gms_grant_t *next = flow->grant.next;

    flow->grant = undo->grant;
    flow->grant.next = next;
    flow->there = undo->there;
    flow->back = undo->back;
    flow->host = undo->host;
    if (undo->was_new) {
        gms_account_calm(account);
        gms_share_forget(account, flow);
        gms_flow_book_remove(&account->book, flow);
    }
}

/** Finds or creates the flow, and makes all allocations that the request
 *  needs. */
static gms_status_t gms_account_open(gms_account_t *account,
                                     const gms_flow_request_t *request,
                                     gms_undo_t *undo)
{
    gms_managed_t *flow =
        gms_flow_book_find(&account->book, request->source_node, &request->key);

    undo->was_new = (flow == NULL);
    if (flow == NULL) {
        flow = gms_flow_book_add(account->arena, &account->book,
                                 request->source_node, &request->key);
        if (flow == NULL) {
            return GMS_ERR_NO_MEMORY;
        }
    }
    undo->flow = flow;
    undo->grant = flow->grant;
    undo->there = flow->there;
    undo->back = flow->back;
    undo->host = flow->host;
    if (request->qos_class == GMS_QOS_BEST_EFFORT &&
        gms_share_prepare(account, flow) != GMS_OK) {
        if (undo->was_new) {
            gms_flow_book_remove(&account->book, flow);
        }
        return GMS_ERR_NO_MEMORY;
    }
    return GMS_OK;
}

/** Checks whether a flow requires more than before. A flow that does
 *  not require more than before needs no additional room, even if adopted flows
 *  exceed the capacity of a resource. */
static int gms_account_takes_more(const gms_managed_t *flow,
                                  const gms_undo_t *undo)
{
    return undo->was_new || flow->there > undo->there ||
           flow->back > undo->back ||
           flow->host.source_ps > undo->host.source_ps ||
           flow->host.target_ps > undo->host.target_ps;
}

/** Checks whether the message length of a flow has changed. A flow with longer
 * packets delays all flows that share a resource with it. */
static int gms_account_is_longer(const gms_managed_t *flow,
                                 const gms_undo_t *undo)
{
    return flow->grant.shape.message_bytes != undo->grant.shape.message_bytes;
}

/** Denies a flow and restores the state before the request. */
static void gms_account_deny(gms_account_t *account, gms_undo_t *undo,
                             const gms_sums_path_t *path,
                             gms_qos_verdict_t *verdict)
{
    gms_managed_t *same = undo->was_new ? NULL : undo->flow;

    verdict->idt_ticks = undo->grant.idt_ticks;
    gms_account_restore(account, undo);
    if (same != NULL) {
        gms_sums_add(account, same, path);
    }
}

/** Checks the sums and the account of blocked time. After a denial, the verdict
 *  contains the largest bandwidth for which both have room. */
static int gms_account_admit(gms_account_t *account, gms_managed_t *flow,
                             const gms_flow_request_t *request,
                             const gms_sums_path_t *path,
                             gms_qos_verdict_t *verdict)
{
    if (!gms_sums_admit(account, flow, path, verdict)) {
        gms_account_find_left(account, flow, request, path, verdict);
    }
    gms_blocking_admit(account, flow, path, verdict);
    return verdict->criterion == GMS_QOS_OK;
}

/** Decides on one flow of a request, and fills in `undo' if the flow is
 *  granted.
 *  @return GMS_OK */
static gms_status_t gms_account_ask(gms_account_t *account,
                                    const gms_flow_request_t *request,
                                    gms_qos_verdict_t *verdict,
                                    gms_undo_t *undo)
{
    gms_status_t status = gms_account_open(account, request, undo);
    gms_managed_t *flow = undo->flow;
    gms_sums_path_t path;
    int is_more;

    if (status != GMS_OK) {
        return status;
    }
    gms_sums_find_path(account, flow,
                       undo->back > 0 || request->reverse_bytes_s > 0, &path);
    if (!undo->was_new) {
        gms_sums_remove(account, flow, &path);
    }
    gms_account_set(account, flow, request);
    memset(verdict, 0, sizeof(*verdict));
    verdict->idt_ticks = flow->grant.idt_ticks;
    is_more = gms_account_takes_more(flow, undo);
    if (is_more && !gms_account_admit(account, flow, request, &path, verdict)) {
        gms_account_bind_left(account, flow, verdict);
        gms_account_deny(account, undo, &path, verdict);
        return GMS_OK;
    }
    status = gms_account_bind(account, flow,
                              is_more || gms_account_is_longer(flow, undo),
                              &undo->bond, verdict);
    if (status != GMS_OK || verdict->criterion != GMS_QOS_OK) {
        gms_account_deny(account, undo, &path, verdict);
        return status;
    }
    gms_sums_add(account, flow, &path);
    verdict->idt_ticks = flow->grant.idt_ticks; /* the check of the bounds may
                                                 * have shortened the IDT */
    verdict->left_bytes_s = gms_sums_least_left(account, flow, &path);
    return GMS_OK;
}

static void gms_account_take_back(gms_account_t *account,
                                  const gms_undo_t *undo)
{
    gms_managed_t *flow = undo->flow;
    gms_sums_path_t path;

    gms_sums_find_path(account, flow, flow->back > 0 || undo->back > 0, &path);
    gms_sums_remove(account, flow, &path);
    gms_account_unbind(account, flow, &undo->bond);
    gms_account_restore(account, undo);
    if (!undo->was_new) {
        gms_sums_add(account, flow, &path);
    }
}

/** Makes all changes of a request, or none. *last_p is set to the last flow. If
 * last_p is NULL, the function only decides and makes no changes. */
static gms_status_t gms_account_try(gms_account_t *account,
                                    const gms_flow_request_t *requests,
                                    unsigned count, gms_managed_t **last_p,
                                    gms_undo_t *undos,
                                    gms_qos_verdict_t *verdict)
{
    gms_status_t status = GMS_OK;
    gms_qos_verdict_t result = {.criterion = GMS_QOS_OK};
    int keep = (last_p != NULL);
    unsigned done, i;

    for (done = 0; done < count; ++done) {
        status =
            gms_account_ask(account, &requests[done], &result, &undos[done]);
        if (status != GMS_OK || result.criterion != GMS_QOS_OK) {
            result.request = done;
            keep = 0;
            break;
        }
    }
    if (keep) {
        gms_account_commit(account);
    }
    for (i = 0; keep && i < count; ++i) {
        *last_p = undos[i].flow;
        gms_share_touch(account, undos[i].flow);
    }
    if (!keep) {
        while (done > 0) {
            gms_account_take_back(account, &undos[--done]);
        }
        gms_share_update(account);
        gms_account_calm(account);
    }
    if (status == GMS_OK) {
        *verdict = result;
    }
    return status;
}

static gms_status_t gms_account_try_all(gms_account_t *account,
                                        const gms_flow_request_t *requests,
                                        unsigned count, gms_managed_t **last_p,
                                        gms_qos_verdict_t *verdict)
{
    gms_undo_t one, *undos = &one;
    gms_status_t status;
    unsigned i;

    for (i = 0; i < count; ++i) {
        if (!gms_account_takes(account, &requests[i])) {
            return GMS_ERR_INVALID_PARAM;
        }
    }
    if (count != 1) {
        undos = (count == 0)
                    ? NULL
                    : gms_arena_alloc(account->arena, count * sizeof(*undos));
        if (undos == NULL) {
            return (count == 0) ? GMS_ERR_INVALID_PARAM : GMS_ERR_NO_MEMORY;
        }
    }
    status = gms_account_try(account, requests, count, last_p, undos, verdict);
    if (undos != &one) {
        gms_arena_free(account->arena, undos);
    }
    return status;
}

gms_status_t gms_account_request(gms_account_t *account,
                                 const gms_flow_request_t *requests,
                                 unsigned count, gms_idt_changed_fn *changed,
                                 void *context, gms_qos_verdict_t *verdict)
{
    gms_managed_t *last = NULL;
    gms_status_t status =
        gms_account_try_all(account, requests, count, &last, verdict);

    if (status == GMS_OK && verdict->criterion == GMS_QOS_OK) {
        gms_account_finish(account, changed, context);
        verdict->idt_ticks = last->grant.idt_ticks;
        verdict->bounds = last->grant.bounds;
    }
    return status;
}

gms_status_t gms_account_would_grant(gms_account_t *account,
                                     const gms_flow_request_t *requests,
                                     unsigned count, gms_qos_verdict_t *verdict)
{
    return gms_account_try_all(account, requests, count, NULL, verdict);
}

gms_status_t gms_account_release(gms_account_t *account, unsigned source_node,
                                 const gms_flow_key_t *key,
                                 gms_idt_changed_fn *changed, void *context)
{
    gms_managed_t *flow = gms_flow_book_find(&account->book, source_node, key);
    gms_sums_path_t path;

    if (flow == NULL) {
        return GMS_ERR_NOT_FOUND;
    }
    gms_sums_find_path(account, flow, flow->back > 0, &path);
    gms_sums_remove(account, flow, &path);
    gms_account_drop_bounds(account, flow);
    gms_share_forget(account, flow);
    gms_flow_book_remove(&account->book, flow);
    if (flow->grant.idt_ticks != 0) {
        uint32_t before = flow->grant.idt_ticks;

        flow->grant.idt_ticks = 0;
        flow->grant.qos_class = GMS_QOS_UNMANAGED;
        flow->grant.bandwidth_bytes_s = 0;
        changed(context, &flow->grant, before);
    }
    gms_account_finish(account, changed, context);
    return GMS_OK;
}

gms_status_t gms_account_set_idle(gms_account_t *account, unsigned source_node,
                                  const gms_flow_key_t *key, int idle,
                                  gms_idt_changed_fn *changed, void *context)
{
    gms_managed_t *flow = gms_flow_book_find(&account->book, source_node, key);
    gms_sums_path_t path;

    if (flow == NULL) {
        return GMS_ERR_NOT_FOUND;
    }
    if (flow->grant.qos_class != GMS_QOS_BEST_EFFORT ||
        (flow->grant.idle != 0) == (idle != 0)) {
        return GMS_OK;
    }
    if (gms_share_prepare(account, flow) != GMS_OK) {
        return GMS_ERR_NO_MEMORY;
    }
    gms_sums_find_path(account, flow, flow->back > 0, &path);
    gms_sums_remove(account, flow, &path);
    flow->grant.idle = (uint8_t)(idle != 0);
    gms_sums_add(account, flow, &path);
    gms_share_touch(account, flow);
    gms_account_finish(account, changed, context);
    return GMS_OK;
}

/* ---- adoption ---- */

gms_status_t gms_account_adopt(gms_account_t *account, const gms_grant_t *grant)
{
    gms_flow_request_t request = {.source_node = grant->source_node,
                                  .rank = grant->rank,
                                  .key = grant->key,
                                  .qos_class = grant->qos_class,
                                  .bytes_s = grant->bandwidth_bytes_s,
                                  .reverse_bytes_s = grant->reverse_bytes_s,
                                  .load = grant->load,
                                  .shape = grant->shape};
    gms_managed_t *flow;
    gms_sums_path_t path;
    gms_status_t status;
    gms_undo_t undo;

    if (!gms_account_takes(account, &request)) {
        return GMS_ERR_INVALID_PARAM;
    }
    status = gms_account_open(account, &request, &undo);
    if (status != GMS_OK) {
        return status;
    }
    flow = undo.flow;
    gms_sums_find_path(account, flow,
                       undo.back > 0 || request.reverse_bytes_s > 0, &path);
    if (!undo.was_new) {
        gms_sums_remove(account, flow, &path);
    }
    gms_account_set(account, flow, &request);
    flow->grant.idt_ticks = grant->idt_ticks;
    flow->grant.bandwidth_bytes_s = grant->bandwidth_bytes_s;
    flow->grant.idle = grant->idle;
    status = gms_account_bind_adopted(account, flow);
    if (status != GMS_OK) {
        gms_qos_verdict_t verdict;

        gms_account_deny(account, &undo, &path, &verdict);
        return status;
    }
    flow->told_idt = grant->idt_ticks;
    flow->is_new = 0;
    gms_sums_add(account, flow, &path);
    return GMS_OK;
}

gms_status_t gms_account_settle(gms_account_t *account,
                                gms_idt_changed_fn *changed, void *context)
{
    gms_account_finish(account, changed, context);
    return GMS_OK;
}

/* ---- queries ---- */

const gms_grant_t *gms_account_find(const gms_account_t *account,
                                    unsigned source_node,
                                    const gms_flow_key_t *key)
{
    const gms_managed_t *flow =
        gms_flow_book_find(&account->book, source_node, key);

    return (flow != NULL) ? &flow->grant : NULL;
}

const gms_grant_t *gms_account_first(const gms_account_t *account)
{
    return (account->book.first != NULL) ? &account->book.first->grant : NULL;
}

uint64_t gms_account_rates(const gms_account_t *account)
{
    return account->rates;
}
