/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums are made anew from the list of grants whenever they are needed, always
 * in the list's order: adding and subtracting doubles as grants come and go
 * would leave a different remainder after each release.
 */
#include "qos/admission.h"

#include <math.h>
#include <string.h>

#include "qos/service.h"

#define GMS_IDT_MAX_TICKS 1000000u
/* The source's own link and one behind each switch. */
#define GMS_ROUTE_LINKS_MAX (GMS_ROUTE_MAX + 1u)

/** What the grants add up to at a node or on a link. A flow from a node to
 *  itself passes the NIC twice, and counts twice. */
typedef struct gms_place {
    double charged_bytes_s; /* premium flows and all reverse traffic */
    uint32_t best_effort;   /* best-effort flows that share what is left */
    uint32_t incident;      /* managed flows of any kind */
    uint32_t sourced;       /* nodes only: flows that start here */
} gms_place_t;

struct gms_account {
    const gms_fabric_t *fabric;
    gms_params_t params;
    unsigned nodes, links;
    gms_place_t *node, *link; /* of gms_account_add_up() */
    gms_grant_t *first, *last;
};

/** The links that a flow uses, there and, for its control traffic, back, and
 *  what it charges to each. No link is in it twice. */
typedef struct gms_flow_links {
    uint32_t there[GMS_ROUTE_LINKS_MAX], back[GMS_ROUTE_LINKS_MAX];
    unsigned there_count, back_count;
    double there_bytes_s, back_bytes_s;
} gms_flow_links_t;

static void gms_account_links(const gms_account_t *account, unsigned source,
                              unsigned target, double there_bytes_s,
                              double back_bytes_s, gms_flow_links_t *links)
{
    links->there_count = gms_fabric_links(account->fabric, source, target,
                                          links->there, GMS_ROUTE_LINKS_MAX);
    links->there_bytes_s = there_bytes_s;
    links->back_count = 0;
    links->back_bytes_s = back_bytes_s;
    if (source == target) {
        /* both go the same way round */
        links->there_bytes_s += back_bytes_s;
    } else if (back_bytes_s > 0) {
        links->back_count = gms_fabric_links(account->fabric, target, source,
                                             links->back, GMS_ROUTE_LINKS_MAX);
    }
}

gms_status_t gms_account_create(gms_ctx_t *ctx, const gms_fabric_t *fabric,
                                const gms_params_t *params,
                                gms_account_t **account_p)
{
    gms_account_t *account = gms_arena_alloc(ctx->arena, sizeof(*account));
    gms_place_t *places;

    if (account == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    account->fabric = fabric;
    account->params = *params;
    account->nodes = gms_fabric_nodes(fabric);
    account->links = gms_fabric_link_count(fabric);
    places = gms_arena_alloc(ctx->arena, (account->nodes + account->links) *
                                             sizeof(*places));
    if (places == NULL) {
        gms_arena_free(ctx->arena, account);
        return GMS_ERR_NO_MEMORY;
    }
    account->node = places;
    account->link = places + account->nodes;
    *account_p = account;
    return GMS_OK;
}

/* ---- bandwidths and IDTs ---- */

double gms_account_bandwidth(const gms_params_t *params, uint32_t idt_ticks)
{
    return (double)params->qos_idt_product * 1e6 / (double)idt_ticks;
}

uint32_t gms_account_idt(const gms_params_t *params, double bytes_s)
{
    double ticks = (double)params->qos_idt_product * 1e6 / bytes_s;

    /* A bandwidth that came from an IDT must lead back to that IDT, though
     * two roundings may have left it just below. */
    ticks = floor(ticks * (1 + 1e-12));
    if (!(ticks < GMS_IDT_MAX_TICKS)) {
        return GMS_IDT_MAX_TICKS;
    }
    return (ticks < 1) ? 1 : (uint32_t)ticks;
}

/* ---- sums ---- */

static int gms_grant_is(const gms_grant_t *grant, unsigned source_node,
                        const gms_flow_key_t *key)
{
    return (grant->source_node == source_node) &&
           (grant->key.source_port == key->source_port) &&
           (grant->key.target_node == key->target_node) &&
           (grant->key.target_port == key->target_port) &&
           (grant->key.priority == key->priority) &&
           (grant->key.label == key->label);
}

static void gms_place_add(gms_place_t *place, double charged_bytes_s,
                          uint32_t best_effort)
{
    place->charged_bytes_s += charged_bytes_s;
    place->best_effort += best_effort;
    place->incident++;
}

/** Fill account->node and ->link from all grants but one (or NULL). */
static void gms_account_add_up(gms_account_t *account,
                               const gms_grant_t *without)
{
    const gms_grant_t *grant;
    unsigned i;

    memset(account->node, 0,
           (account->nodes + account->links) * sizeof(*account->node));
    for (grant = account->first; grant != NULL; grant = grant->next) {
        uint32_t best_effort = (grant->qos_class == GMS_QOS_BEST_EFFORT);
        double there = best_effort ? 0 : grant->bandwidth_bytes_s;
        double back = grant->reverse_bytes_s;
        gms_flow_links_t links;

        if (grant == without) {
            continue;
        }
        gms_place_add(&account->node[grant->source_node], there + back,
                      best_effort);
        gms_place_add(&account->node[grant->key.target_node], there + back,
                      best_effort);
        account->node[grant->source_node].sourced++;
        gms_account_links(account, grant->source_node, grant->key.target_node,
                          there, back, &links);
        for (i = 0; i < links.there_count; i++) {
            gms_place_add(&account->link[links.there[i]], links.there_bytes_s,
                          best_effort);
        }
        for (i = 0; i < links.back_count; i++) {
            gms_place_add(&account->link[links.back[i]], links.back_bytes_s,
                          0);
        }
    }
}

/** What is left at a node with `more` flows sourced there. */
static double gms_account_node_left(const gms_account_t *account,
                                    unsigned node, unsigned more)
{
    const gms_place_t *place = &account->node[node];

    return gms_service_node_bytes_s(&account->params, place->sourced + more) -
           place->charged_bytes_s;
}

static double gms_account_link_left(const gms_account_t *account,
                                    uint32_t link)
{
    return (double)account->params.qos_link_bytes_s -
           account->link[link].charged_bytes_s;
}

/* ---- criteria ---- */

typedef struct gms_request {
    unsigned source_node, target_node;
    double there_bytes_s; /* what it would charge; best effort: 0 */
    double back_bytes_s;
    double least_left_bytes_s; /* on its route, with it */
} gms_request_t;

/** One criterion: does `needed` fit into `left`? @return 0: denied */
static int gms_request_fits(gms_request_t *request, double needed, double left,
                            enum gms_qos_criterion criterion, uint32_t place,
                            gms_qos_verdict_t *verdict)
{
    if (needed > left) {
        verdict->criterion = criterion;
        verdict->node_or_link = place;
        verdict->left_bytes_s = (left > 0) ? left : 0;
        return 0;
    }
    if (left - needed < request->least_left_bytes_s) {
        request->least_left_bytes_s = left - needed;
    }
    return 1;
}

static int gms_request_fits_links(const gms_account_t *account,
                                  gms_request_t *request, double needed,
                                  const uint32_t *links, unsigned count,
                                  gms_qos_verdict_t *verdict)
{
    unsigned i;

    for (i = 0; i < count; i++) {
        if (!gms_request_fits(request, needed,
                              gms_account_link_left(account, links[i]),
                              GMS_QOS_LINK, links[i], verdict)) {
            return 0;
        }
    }
    return 1;
}

/**
 * The three criteria in their order, against sums without the flow itself.
 * [source: gulati 2001 thesis 3.3.1]
 * @return 1 granted; the verdict is filled but for its IDT
 */
static int gms_account_admits(const gms_account_t *account,
                              gms_request_t *request,
                              gms_qos_verdict_t *verdict)
{
    unsigned source = request->source_node, target = request->target_node;
    double needed = request->there_bytes_s + request->back_bytes_s;
    int is_loop = (source == target);
    /* Packets of a node to itself pass its NIC twice: half is left for them. */
    double source_left = gms_account_node_left(account, source, 1) /
                         (is_loop ? 2 : 1);
    gms_flow_links_t links;

    gms_account_links(account, source, target, request->there_bytes_s,
                      request->back_bytes_s, &links);
    request->least_left_bytes_s = (double)INFINITY;
    if (!gms_request_fits(request, needed, source_left, GMS_QOS_SOURCE_NODE,
                          source, verdict) ||
        !gms_request_fits_links(account, request, links.there_bytes_s,
                                links.there, links.there_count, verdict) ||
        !gms_request_fits_links(account, request, links.back_bytes_s,
                                links.back, links.back_count, verdict)) {
        return 0;
    }
    if (!is_loop &&
        !gms_request_fits(request, needed,
                          gms_account_node_left(account, target, 0),
                          GMS_QOS_DESTINATION_NODE, target, verdict)) {
        return 0;
    }
    verdict->criterion = GMS_QOS_OK;
    verdict->node_or_link = 0;
    verdict->left_bytes_s = request->least_left_bytes_s;
    return 1;
}

/* ---- best effort ---- */

static double gms_place_share(double left_bytes_s, const gms_place_t *place)
{
    return left_bytes_s / (double)place->best_effort;
}

/** A best-effort flow that meets no other managed flow anywhere. */
static int gms_account_is_alone(const gms_account_t *account,
                                const gms_grant_t *grant,
                                const gms_flow_links_t *links)
{
    unsigned source = grant->source_node, target = grant->key.target_node;
    uint32_t own = (source == target) ? 2 : 1;
    unsigned i;

    if ((account->node[source].incident > own) ||
        (account->node[target].incident > own)) {
        return 0;
    }
    for (i = 0; i < links->there_count; i++) {
        if (account->link[links->there[i]].incident > 1) {
            return 0;
        }
    }
    for (i = 0; i < links->back_count; i++) {
        if (account->link[links->back[i]].incident > 1) {
            return 0;
        }
    }
    return 1;
}

/** `minshare`: the least even share of what is left along the way.
 *  [source: gulati 2001 thesis 4.3] */
static double gms_account_share(const gms_account_t *account,
                                const gms_grant_t *grant,
                                const gms_flow_links_t *links)
{
    const gms_place_t *source = &account->node[grant->source_node];
    const gms_place_t *target = &account->node[grant->key.target_node];
    double least, share;
    unsigned i;

    least = gms_place_share(
        gms_account_node_left(account, grant->source_node, 0), source);
    share = gms_place_share(
        gms_account_node_left(account, grant->key.target_node, 0), target);
    least = (share < least) ? share : least;
    for (i = 0; i < links->there_count; i++) {
        share = gms_place_share(
            gms_account_link_left(account, links->there[i]),
            &account->link[links->there[i]]);
        least = (share < least) ? share : least;
    }
    return least;
}

/** Give every best-effort flow its share anew; tell of those whose IDT is
 *  another than before, but for the flow that the caller tells of itself. */
static void gms_account_reshare(gms_account_t *account,
                                const gms_grant_t *but,
                                gms_idt_changed_fn *changed, void *context)
{
    double least = gms_account_bandwidth(&account->params, GMS_IDT_MAX_TICKS);
    gms_grant_t *grant;

    gms_account_add_up(account, NULL);
    for (grant = account->first; grant != NULL; grant = grant->next) {
        uint32_t before = grant->idt_ticks;
        gms_flow_links_t links;
        double share;

        if (grant->qos_class != GMS_QOS_BEST_EFFORT) {
            continue;
        }
        gms_account_links(account, grant->source_node, grant->key.target_node,
                          0, grant->reverse_bytes_s, &links);
        if (gms_account_is_alone(account, grant, &links)) {
            grant->bandwidth_bytes_s = 0;
            grant->idt_ticks = 0;
        } else {
            /* Where nothing is left a flow still sends a packet each half
             * second: what waits for it must not wait for ever. */
            share = gms_account_share(account, grant, &links);
            share = (share > least) ? share : least;
            grant->bandwidth_bytes_s = share;
            grant->idt_ticks = gms_account_idt(&account->params, share);
        }
        if ((grant != but) && (grant->idt_ticks != before)) {
            changed(context, grant);
        }
    }
}

/* ---- requests ---- */

static gms_grant_t *gms_account_lookup(const gms_account_t *account,
                                       unsigned source_node,
                                       const gms_flow_key_t *key)
{
    gms_grant_t *grant = account->first;

    while ((grant != NULL) && !gms_grant_is(grant, source_node, key)) {
        grant = grant->next;
    }
    return grant;
}

const gms_grant_t *gms_account_find(const gms_account_t *account,
                                    unsigned source_node,
                                    const gms_flow_key_t *key)
{
    return gms_account_lookup(account, source_node, key);
}

const gms_grant_t *gms_account_first(const gms_account_t *account)
{
    return account->first;
}

static gms_grant_t *gms_account_append(gms_ctx_t *ctx, gms_account_t *account,
                                       unsigned source_node,
                                       const gms_flow_key_t *key)
{
    gms_grant_t *grant = gms_arena_alloc(ctx->arena, sizeof(*grant));

    if (grant == NULL) {
        return NULL;
    }
    grant->source_node = source_node;
    grant->key = *key;
    if (account->last != NULL) {
        account->last->next = grant;
    } else {
        account->first = grant;
    }
    account->last = grant;
    return grant;
}

static int gms_account_takes(const gms_account_t *account,
                             unsigned source_node, const gms_flow_key_t *key,
                             enum gms_qos_class qos_class, double bytes_s,
                             double reverse_bytes_s)
{
    return (source_node < account->nodes) &&
           (key->target_node < account->nodes) && (reverse_bytes_s >= 0) &&
           isfinite(reverse_bytes_s) &&
           ((qos_class == GMS_QOS_BEST_EFFORT) ||
            ((qos_class == GMS_QOS_PREMIUM) && (bytes_s > 0) &&
             isfinite(bytes_s)));
}

gms_status_t gms_account_request(gms_ctx_t *ctx, gms_account_t *account,
                                 unsigned source_node, unsigned rank,
                                 const gms_flow_key_t *key,
                                 enum gms_qos_class qos_class, double bytes_s,
                                 double reverse_bytes_s,
                                 gms_idt_changed_fn *changed, void *context,
                                 gms_qos_verdict_t *verdict)
{
    gms_request_t request = {.source_node = source_node,
                             .target_node = key->target_node,
                             .back_bytes_s = reverse_bytes_s};
    uint32_t idt_ticks = 0, idt_before = 0;
    gms_qos_verdict_t result = {.criterion = GMS_QOS_OK};
    gms_grant_t *grant;
    int is_new, granted;

    if (!gms_account_takes(account, source_node, key, qos_class, bytes_s,
                           reverse_bytes_s)) {
        return GMS_ERR_INVALID_PARAM;
    }
    if (qos_class == GMS_QOS_PREMIUM) {
        idt_ticks = gms_account_idt(&account->params, bytes_s);
        /* An IDT of 1 may be slower than what was asked for. */
        request.there_bytes_s =
            fmax(bytes_s, gms_account_bandwidth(&account->params, idt_ticks));
    }
    grant = gms_account_lookup(account, source_node, key);
    is_new = (grant == NULL);
    gms_account_add_up(account, grant);
    granted = gms_account_admits(account, &request, &result);
    if (!granted && (qos_class == GMS_QOS_PREMIUM)) {
        result.idt_ticks = is_new ? 0 : grant->idt_ticks;
        *verdict = result;
        return GMS_OK;
    }
    if (is_new) {
        grant = gms_account_append(ctx, account, source_node, key);
        if (grant == NULL) {
            return GMS_ERR_NO_MEMORY;
        }
    }
    idt_before = grant->idt_ticks;
    grant->qos_class = qos_class;
    grant->idt_ticks = idt_ticks;
    grant->bandwidth_bytes_s = request.there_bytes_s;
    grant->reverse_bytes_s = reverse_bytes_s;
    grant->rank = rank;
    /* The others first: they slow down before this flow speeds up. */
    gms_account_reshare(account, grant, changed, context);
    /* A flow that is new here may have any IDT that was set directly. */
    if (is_new || (grant->idt_ticks != idt_before)) {
        changed(context, grant);
    }
    if (!granted) {
        /* Best effort asks for nothing, so it cannot be denied: turned away
         * it would send all the same, only without a pace. */
        result = (gms_qos_verdict_t){.criterion = GMS_QOS_OK};
    }
    result.idt_ticks = grant->idt_ticks;
    *verdict = result;
    return GMS_OK;
}

gms_status_t gms_account_release(gms_ctx_t *ctx, gms_account_t *account,
                                 unsigned source_node,
                                 const gms_flow_key_t *key,
                                 gms_idt_changed_fn *changed, void *context)
{
    gms_grant_t **link = &account->first, *previous = NULL, *grant;

    while ((*link != NULL) && !gms_grant_is(*link, source_node, key)) {
        previous = *link;
        link = &previous->next;
    }
    grant = *link;
    if (grant == NULL) {
        return GMS_ERR_NOT_FOUND;
    }
    *link = grant->next;
    if (account->last == grant) {
        account->last = previous;
    }
    if (grant->idt_ticks != 0) {
        grant->idt_ticks = 0;
        grant->qos_class = GMS_QOS_UNMANAGED;
        grant->bandwidth_bytes_s = 0;
        changed(context, grant);
    }
    gms_arena_free(ctx->arena, grant);
    gms_account_reshare(account, NULL, changed, context);
    return GMS_OK;
}
