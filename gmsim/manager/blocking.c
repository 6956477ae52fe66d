/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes, for each source, the longest time for which its worms may be
 * blocked in one second.
 *
 * All times below are fractions of each second, and all rates are in packets
 * per second. A pair (m, l) is the traffic that a switch forwards from its input
 * link m to its output link l. The data packets of a pair have the rate nd, and
 * the acknowledgements the rate na. The combined rate is n = nd + na.
 *
 * A worm waits for an output link l only while worms of other inputs hold l.
 * Outputs serve their inputs in turn, so a worm waits for at most one worm of
 * each other input. The time for which the worms of (m, l) wait for l is
 * therefore at most
 *
 *   W(m, l)  = sum over other inputs m' of min(V(m', l), n(m, l) h(l))
 *   V(m', l) = time for which worms of m' hold l: they stream, or they are
 *              blocked at later links
 *   h(l)     = the longest time for which one worm holds l
 *
 * Behind the last link, a receiving NIC accepts packets one after the other,
 * from any input. Accepting one packet takes the time R, and each packet is
 * charged with its own R:
 *
 *   W(m, l) = min(sum over others of C(m'),
 *                 sum over others of min(C(m'), n R) + 2 n R) + sends
 *   C(m')   = nd R + na A, where A is the time of an acknowledgement. A worm waits
 *             at most for one worm of each other input and for the two that
 *             fill the buffers.
 *   sends   = packets that the NIC itself sends in between
 *
 * The total time for which the packets of all inputs occupy l is at most their
 * transmission time plus B(l).
 * This sum is a second bound on the time for which (m, l) waits at and beyond
 * l.
 *
 * The two bounds yield the time B(l) for which worms that hold l are blocked
 * further along their routes. Because routes have no cycles, B is computed
 * backwards from the destinations. Let l be the source's own link. The source
 * keeps all its promises if its time is sufficient for B(l) and for the charges
 * of its packets in the account of its NIC. Packets of a source that wait for
 * earlier packets of the same source lose no time, because a NIC needs longer
 * to send a packet than to receive a packet.
 *
 * In model `flit`, packets of other lanes may overtake on the same link while a
 * worm waits. The worm may therefore wait for any number of packets, so only
 * bounds that include all other packets apply. Acknowledgements and best effort
 * have separate lanes and do not block reserved packets.
 */
#include "manager/blocking_int.h"

#include <math.h>

/* Number of packets of a single flow that may wait in a receiving NIC. Flows
 * are paced, but a source that is late may send several packets back to
 * back. */
#define GMS_BLOCKING_WAITING 4

/* ---- creation and destruction ---- */

static int gms_blocking_is_needed(const gms_params_t *params)
{
    /* In the other models, a waiting packet holds no link. */
    return params->undeclared == GMS_UNDECLARED_FREE &&
           (params->fabric_model == GMS_FABRIC_WORM ||
            params->fabric_model == GMS_FABRIC_FLIT);
}

static void gms_blocking_set_times(const gms_account_t *account,
                                   gms_blocking_t *blocking)
{
    const gms_params_t *params = &account->params;

    blocking->has_lanes = params->fabric_model == GMS_FABRIC_FLIT;
    blocking->packets =
        1.0 / (GMS_UNITS_PER_BYTE * (double)params->nic_mtu_bytes);
    blocking->stream_s = gms_blocking_s(
        gms_transfer_ps(params->nic_mtu_bytes + params->nic_header_bytes,
                        params->link_bytes_s));
    blocking->ack_stream_s = gms_blocking_s(
        gms_transfer_ps(params->nic_ack_bytes, params->link_bytes_s));
    blocking->ack_s =
        blocking->ack_stream_s +
        gms_blocking_s(params->mcp_ack_receive_cycles * params->lanai_cycle_ps);
    blocking->hop_s =
        gms_blocking_s(params->switch_routing_ps + params->link_propagation_ps);
    blocking->receive_s = gms_blocking_s(account->service.receive_ps);
    blocking->promised = gms_blocking_s(gms_service_promised_ps(params));
}

static gms_blocking_pair_t *gms_blocking_pair(const gms_account_t *account,
                                              uint32_t input, uint32_t output)
{
    const gms_blocking_t *blocking = account->blocking;

    return &blocking->pair[blocking->link[output].first_pair +
                           gms_topology_to(account->topology, input)->port];
}

/* Sets the link from which the worms of each pair enter the switch. */
static void gms_blocking_set_inputs(const gms_account_t *account)
{
    uint32_t input;

    for (input = 0; input < account->links; ++input) {
        const gms_link_end_t *to = gms_topology_to(account->topology, input);
        unsigned port, ports;

        if (to->kind == GMS_END_NODE) {
            continue;
        }
        ports = gms_topology_ports(account->topology, to->index);
        for (port = 0; port < ports; ++port) {
            uint32_t output =
                gms_topology_out(account->topology, to->index, port);

            if (output != GMS_LINK_NONE) {
                gms_blocking_pair(account, input, output)->input = input;
            }
        }
    }
}

gms_status_t gms_blocking_create(gms_account_t *account,
                                 gms_blocking_t **blocking_p)
{
    gms_arena_t *arena = account->arena;
    gms_blocking_t *blocking;
    uint32_t pairs = 0, i;

    *blocking_p = NULL;
    if (!gms_blocking_is_needed(&account->params)) {
        return GMS_OK;
    }
    blocking = gms_arena_alloc(arena, sizeof(*blocking));
    if (blocking == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    blocking->link =
        gms_arena_alloc(arena, account->links * sizeof(*blocking->link));
    blocking->past =
        gms_arena_alloc(arena, account->links * sizeof(*blocking->past));
    blocking->node =
        gms_arena_alloc(arena, account->nodes * sizeof(*blocking->node));
    for (i = 0; blocking->link != NULL && i < account->links; ++i) {
        const gms_link_end_t *from = gms_topology_from(account->topology, i);

        blocking->link[i].first_pair = pairs;
        if (from->kind != GMS_END_NODE) {
            pairs += gms_topology_ports(account->topology, from->index);
        }
    }
    blocking->pair =
        gms_arena_alloc(arena, (pairs + 1) * sizeof(*blocking->pair));
    if (blocking->link == NULL || blocking->past == NULL ||
        blocking->node == NULL || blocking->pair == NULL) {
        gms_blocking_destroy(account, blocking);
        return GMS_ERR_NO_MEMORY;
    }
    gms_blocking_set_times(account, blocking);
    *blocking_p = account->blocking = blocking;
    gms_blocking_set_inputs(account);
    return GMS_OK;
}

void gms_blocking_destroy(gms_account_t *account, gms_blocking_t *blocking)
{
    if (blocking != NULL) {
        gms_arena_free(account->arena, blocking->link);
        gms_arena_free(account->arena, blocking->past);
        gms_arena_free(account->arena, blocking->node);
        gms_arena_free(account->arena, blocking->pair);
        gms_arena_free(account->arena, blocking);
    }
}

/* ---- flows on links ---- */

/* Invalidates the values of a link and of all links from which worms enter it.
 * The values of a link depend on the traffic on later links and at the other
 * inputs of later links. The depth of the recursion is at most the length of a
 * route. */
static void gms_blocking_forget(const gms_account_t *account, uint32_t number)
{
    gms_blocking_t *blocking = account->blocking;
    gms_blocking_link_t *link = &blocking->link[number];
    const gms_link_end_t *from = gms_topology_from(account->topology, number);
    unsigned ports, port;

    if (!link->is_known) {
        return;
    }
    link->is_known = 0;
    if (blocking->is_question) {
        blocking->past[blocking->past_count++] = (gms_blocking_past_t){
            .link = number, .blocked = link->blocked, .longest = link->longest};
    }
    if (from->kind == GMS_END_NODE) {
        return;
    }
    ports = gms_topology_ports(account->topology, from->index);
    for (port = 0; port < ports; ++port) {
        const gms_blocking_pair_t *pair =
            &blocking->pair[link->first_pair + port];

        if (pair->data + pair->acks > 0) {
            gms_blocking_forget(account, pair->input);
        }
    }
}

/* These values are valid again, because the traffic is the same as before. The
 * values that were computed during the check, with other traffic, have already
 * been invalidated. */
void gms_blocking_end(const gms_account_t *account)
{
    gms_blocking_t *blocking = account->blocking;
    uint32_t i;

    for (i = 0; i < blocking->past_count; ++i) {
        const gms_blocking_past_t *past = &blocking->past[i];
        gms_blocking_link_t *link = &blocking->link[past->link];

        link->blocked = past->blocked;
        link->longest = past->longest;
        link->is_known = 1;
    }
    blocking->past_count = 0;
}

static void gms_blocking_put(const gms_account_t *account,
                             const uint32_t *links, unsigned count,
                             gms_units_t data, gms_units_t acks)
{
    unsigned i;

    for (i = 0; i < count; ++i) {
        gms_blocking_forget(account, links[i]);
        account->blocking->link[links[i]].data += data;
        account->blocking->link[links[i]].acks += acks;
        if (i > 0) {
            gms_blocking_pair_t *pair =
                gms_blocking_pair(account, links[i - 1], links[i]);

            pair->data += data;
            pair->acks += acks;
        }
    }
}

void gms_blocking_add(gms_account_t *account, const gms_managed_t *flow,
                      const gms_sums_path_t *path, gms_units_t rate)
{
    unsigned source = flow->grant.source_node;
    unsigned target = flow->grant.key.target_node, count;
    uint32_t back[GMS_ROUTE_LINKS_MAX];

    if (account->blocking == NULL) {
        return;
    }
    /* The time of a receiver depends on the packets that it sends and on its
     * number of flows. */
    gms_blocking_forget(account,
                        gms_topology_node_link(account->topology, source, 1));
    if (rate == 0) {
        return;
    }
    gms_blocking_forget(account,
                        gms_topology_node_link(account->topology, target, 1));
    gms_blocking_put(account, path->there, path->there_count, rate, 0);
    if (!account->blocking->has_lanes) {
        count = gms_topology_links(account->topology, target, source, back);
        gms_blocking_put(account, back, count, 0, rate);
    }
    account->blocking->node[source].out += rate;
    account->blocking->node[target].in += rate;
    account->blocking->node[target].flows_in += rate > 0 ? 1u : (uint32_t)-1;
}

/* ---- blocked time of worms ---- */

/* Returns the inputs of an output link, as an array of pairs with its
 * length. */
static const gms_blocking_pair_t *
gms_blocking_inputs(const gms_account_t *account, uint32_t output,
                    unsigned *count_p)
{
    const gms_link_end_t *from = gms_topology_from(account->topology, output);

    *count_p = gms_topology_ports(account->topology, from->index);
    return &account->blocking->pair[account->blocking->link[output].first_pair];
}

/* Returns the time that a NIC needs to send one packet, in addition to the time
 * of one received packet. */
static double gms_blocking_send_s(const gms_account_t *account, unsigned node)
{
    gms_service_t service =
        gms_account_service(account, account->node[node].sourced);

    return ((double)service.send_ps + (double)service.turn_ps) /
           (double)GMS_SECOND;
}

/* Returns the number of receive buffers of a NIC for reserved packets. */
static uint64_t gms_blocking_buffers(const gms_account_t *account)
{
    return account->blocking->has_lanes ? account->params.nic_reserved_buffers
                                        : account->params.nic_recv_buffers;
}

/* Returns 1 if a NIC has buffers for all packets that may wait in it. If
 * there are enough buffers, a worm whose last link is free can always enter
 * the NIC. */
static int gms_blocking_has_room(const gms_account_t *account, unsigned node)
{
    return gms_blocking_buffers(account) >=
           (uint64_t)GMS_BLOCKING_WAITING *
               account->blocking->node[node].flows_in;
}

/* Returns how long one packet keeps other packets from entering a NIC. */
static double gms_blocking_accept_s(const gms_account_t *account, unsigned node)
{
    return gms_blocking_has_room(account, node) ? account->blocking->stream_s
                                                : account->blocking->receive_s;
}

/* Returns how long, per second, all packets of an input keep other packets from
 * entering a NIC. */
static double gms_blocking_receives(const gms_blocking_t *blocking,
                                    const gms_blocking_pair_t *pair,
                                    double accept_s)
{
    return gms_blocking_rate(blocking, pair->data) * accept_s +
           gms_blocking_rate(blocking, pair->acks) * blocking->ack_s;
}

/* Returns the time that a receiving NIC spends on sending. Other packets wait
 * for `waits` received packets. At most one packet is sent after each of these
 * received packets. */
static double gms_blocking_sends(const gms_account_t *account, unsigned node,
                                 double waits)
{
    const gms_blocking_node_t *at = &account->blocking->node[node];
    double out = gms_blocking_rate(account->blocking, at->out);

    if (gms_blocking_has_room(account, node)) {
        return 0;
    }
    return fmin(out, waits) * fmax(gms_blocking_send_s(account, node), 0);
}

/* Returns the time for which worms wait for the last link, or for a buffer
 * behind it, because of packets of other inputs. If the packets of a source
 * share this link with no other packets, they wait only for the NIC, and the
 * NIC's account limits this time. Packets of one switch input may also wait for
 * other packets of the same input. */
static double gms_blocking_at_node(const gms_account_t *account, uint32_t link,
                                   const gms_blocking_pair_t *own,
                                   int is_source)
{
    const gms_blocking_t *blocking = account->blocking;
    unsigned node = gms_topology_to(account->topology, link)->index;
    unsigned count, i, others = 0;
    const gms_blocking_pair_t *input =
        gms_blocking_inputs(account, link, &count);
    double n = gms_blocking_rate(blocking, own->data + own->acks);
    double acks = gms_blocking_rate(blocking, own->acks);
    double data = is_source ? 0 : gms_blocking_rate(blocking, own->data);
    double accept_s = gms_blocking_accept_s(account, node);
    double all = 0, turns = 2 * n * accept_s, packets = data;

    for (i = 0; i < count; ++i) {
        double time = gms_blocking_receives(blocking, &input[i], accept_s);

        if (&input[i] != own && time > 0) {
            all += time;
            turns += fmin(time, n * accept_s);
            packets += gms_blocking_rate(blocking, input[i].data);
            ++others;
        }
    }
    if (!blocking->has_lanes) {
        all = fmin(all, turns);
        packets = fmin(packets, n * (others + 2));
    }
    if (gms_blocking_has_room(account, node)) {
        return all;
    }
    return all + gms_blocking_sends(account, node, packets) + data * accept_s -
           fmax(data - acks, 0) * blocking->stream_s;
}

/* Returns the time for which worms wait for a link l because the worms of one
 * input hold l while blocked beyond l. */
static double gms_blocking_beyond(const gms_blocking_t *blocking,
                                  const gms_blocking_link_t *link,
                                  const gms_blocking_pair_t *pair)
{
    double n = gms_blocking_rate(blocking, pair->data + pair->acks);

    return fmin(link->blocked, n * link->longest);
}

/* Returns the time for which a source's packets wait for earlier packets of the
 * same source. The caller subtracts this time, because the source does not lose
 * it. At NICs with enough buffers, the caller must not subtract any time, so
 * the result is 0. */
static double gms_blocking_own(const gms_account_t *account,
                               const gms_blocking_pair_t *own)
{
    const gms_blocking_t *blocking = account->blocking;
    double shortest_s =
        fmin(blocking->receive_s, gms_blocking_s(account->service.send_ps));

    if (gms_blocking_buffers(account) >= GMS_BLOCKING_WAITING) {
        return 0;
    }
    return gms_blocking_rate(blocking, own->data) *
           fmax(shortest_s - blocking->stream_s, 0);
}

/* Returns the time for which worms wait for a link between switches or are
 * blocked beyond this link. */
static double gms_blocking_at_switch(const gms_account_t *account,
                                     uint32_t number,
                                     const gms_blocking_pair_t *own,
                                     int is_source, unsigned *others_p)
{
    const gms_blocking_t *blocking = account->blocking;
    const gms_blocking_link_t *link = &blocking->link[number];
    unsigned count, i;
    const gms_blocking_pair_t *input =
        gms_blocking_inputs(account, number, &count);
    double n = gms_blocking_rate(blocking, own->data + own->acks);
    double most = n * (blocking->stream_s + link->longest);
    double sum = 0, streams = 0;

    *others_p = 0;
    for (i = 0; i < count; ++i) {
        double stream;

        if (&input[i] == own || input[i].data + input[i].acks == 0) {
            continue;
        }
        stream = gms_blocking_rate(blocking, input[i].data) *
                     (blocking->stream_s + blocking->hop_s) +
                 gms_blocking_rate(blocking, input[i].acks) *
                     (blocking->ack_stream_s + blocking->hop_s);
        streams += stream;
        sum +=
            fmin(stream + gms_blocking_beyond(blocking, link, &input[i]), most);
        ++*others_p;
    }
    sum += gms_blocking_beyond(blocking, link, own);
    /* B is the time for which worms that hold the link are blocked. Only one
     * worm holds the link at a time, so B includes the worms of all inputs. */
    streams += link->blocked;
    sum = blocking->has_lanes ? streams : fmin(sum, streams);
    /* A source needs longer to send a packet than its receiver needs to accept
     * the packet. */
    return is_source ? fmax(sum - gms_blocking_own(account, own), 0) : sum;
}

/* Adds the blocked time of a pair's worms to the blocked time of the pair's
 * input link l. */
static void gms_blocking_pass(const gms_account_t *account, uint32_t number,
                              uint32_t output, const gms_blocking_pair_t *pair)
{
    const gms_blocking_t *blocking = account->blocking;
    gms_blocking_link_t *input = &blocking->link[number];
    const gms_blocking_link_t *link = &blocking->link[output];
    int is_source =
        gms_topology_from(account->topology, number)->kind == GMS_END_NODE;
    unsigned others = 0, count, i;
    double waits;

    gms_blocking_visit(account, output);
    if (gms_blocking_is_last(account, output)) {
        const gms_blocking_pair_t *each =
            gms_blocking_inputs(account, output, &count);

        for (i = 0; i < count; ++i) {
            others += &each[i] != pair && each[i].data + each[i].acks > 0;
        }
        input->blocked +=
            gms_blocking_at_node(account, output, pair, is_source);
    } else {
        input->blocked +=
            gms_blocking_at_switch(account, output, pair, is_source, &others);
    }
    waits = blocking->hop_s + link->longest +
            others * (blocking->stream_s + link->longest);
    input->longest = fmax(input->longest, waits);
}

/* The depth of the recursion is at most the length of a route. */
void gms_blocking_visit(const gms_account_t *account, uint32_t number)
{
    const gms_blocking_t *blocking = account->blocking;
    gms_blocking_link_t *link = &blocking->link[number];
    const gms_link_end_t *to = gms_topology_to(account->topology, number);
    unsigned port, ports;

    if (link->is_known) {
        return;
    }
    link->is_known = 1;
    link->blocked = 0;
    link->longest = 0;
    if (to->kind == GMS_END_NODE) {
        if (!gms_blocking_has_room(account, to->index)) {
            link->longest =
                blocking->receive_s + gms_blocking_sends(account, to->index, 1);
        }
        return;
    }
    ports = gms_topology_ports(account->topology, to->index);
    for (port = 0; port < ports; ++port) {
        uint32_t output = gms_topology_out(account->topology, to->index, port);

        if (output != GMS_LINK_NONE) {
            const gms_blocking_pair_t *pair =
                gms_blocking_pair(account, number, output);

            if (pair->data + pair->acks > 0) {
                gms_blocking_pass(account, number, output, pair);
            }
        }
    }
}
