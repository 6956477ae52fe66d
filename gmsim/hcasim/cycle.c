/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Executes the cycles of the simulated cluster. The steps of a cycle are
 * completions, arrivals, congestion control, admission, HCAs, network, and
 * power. If no packet moves or waits, time advances directly to the next cycle
 * with an event.
 */
#include "hcasim/qos_sim_int.h"

/** Number of cycles between two progress reports of a replication. */
#define GMS_QOS_SIM_REPORT_CYCLES UINT64_C(4096)

/* ---- hooks of the network ---- */

static enum gms_flit_verdict gms_qos_sim_visit(void *context,
                                               uint32_t switch_index,
                                               gms_flit_packet_t *packet,
                                               uint32_t in_link,
                                               uint32_t out_link)
{
    gms_qos_sim_t *sim = context;

    return gms_probe_visit(sim->probe, switch_index, packet, in_link, out_link);
}

static void gms_qos_sim_absorbed(void *context, uint32_t switch_index,
                                 gms_flit_packet_t *packet)
{
    gms_qos_sim_t *sim = context;

    (void)gms_probe_absorbed(sim->probe, switch_index, packet);
}

/** Reports to the HCA that a message has left it. The function ignores packets
 *  of admission control, because they bypass the HCA. */
static void gms_qos_sim_left_hook(void *context, gms_flit_packet_t *packet)
{
    gms_qos_sim_t *sim = context;

    if (packet->owner == sim) {
        gms_qos_sim_left(sim, (gms_qos_sim_packet_t *)packet);
    }
}

static void gms_qos_sim_arrived_hook(void *context, gms_flit_packet_t *packet)
{
    gms_qos_sim_t *sim = context;

    if (gms_probe_arrived(sim->probe, packet)) {
        return;
    }
    gms_qos_sim_arrived(sim, (gms_qos_sim_packet_t *)packet);
}

static const gms_flit_hooks_t gms_qos_sim_hooks = {
    .visit = gms_qos_sim_visit,
    .absorbed = gms_qos_sim_absorbed,
    .left = gms_qos_sim_left_hook,
    .arrived = gms_qos_sim_arrived_hook,
};

/* ---- cycles ---- */

static void gms_qos_sim_step_hcas(gms_qos_sim_t *sim)
{
    unsigned i;

    for (i = 0; i < sim->busy_words; ++i) {
        uint64_t busy = sim->busy_hcas[i];

        for (; busy != 0; busy &= busy - 1) {
            unsigned bit = (unsigned)__builtin_ctzll(busy);
            gms_hca_t *hca = sim->hca[64 * i + bit];

            gms_hca_step(hca);
            if (!gms_hca_is_busy(hca)) {
                sim->busy_hcas[i] &= ~(UINT64_C(1) << bit);
            }
        }
    }
}

static uint64_t gms_qos_sim_least(uint64_t a, uint64_t b)
{
    return (a < b) ? a : b;
}

/** Returns 1 if a packet waits at the node and congestion control may admit it
 *  later even if no event happens. */
static int gms_qos_sim_is_asking(const gms_qos_sim_t *sim, unsigned node)
{
    return sim->asks_always &&
           (sim->node[node].waiting[GMS_LANE_REAL_TIME].count > 0 ||
            sim->node[node].waiting[GMS_LANE_BEST_EFFORT].count > 0);
}

/** Returns the next cycle at which an event is possible, or `now` if that cycle
 *  cannot be predicted. */
static uint64_t gms_qos_sim_next(const gms_qos_sim_t *sim, uint64_t now)
{
    uint64_t next = gms_qos_sim_heap_next(&sim->heap);
    unsigned i;

    if (next <= now || sim->never_skips || !gms_flit_is_idle(sim->net) ||
        gms_probe_is_busy(sim->probe) || sim->woken != 0) {
        return now;
    }
    for (i = 0; i < sim->nodes; ++i) {
        if (gms_qos_sim_is_asking(sim, i)) {
            return now;
        }
        next = gms_qos_sim_least(next, gms_hca_next(sim->hca[i]));
    }
    if (sim->completing.first != NULL) {
        next = gms_qos_sim_least(next,
                                 sim->completing.first->message.complete_cycle);
    }
    next = gms_qos_sim_least(next, gms_congestion_next(sim->congestion));
    if (sim->power != NULL) {
        next = gms_qos_sim_least(next, gms_power_next(sim->power));
    }
    return gms_qos_sim_least(next, sim->end_cycle);
}

/** Advances power control. Call this function whenever time has passed, because
 *  windows end between two cycles. */
static void gms_qos_sim_step_power(gms_qos_sim_t *sim)
{
    if (sim->power != NULL) {
        gms_power_step(sim->power);
    }
}

static void gms_qos_sim_cycle(gms_qos_sim_t *sim, uint64_t now)
{
    gms_qos_sim_complete(sim, now);
    gms_qos_sim_retry(sim);
    gms_qos_sim_arrive(sim, now);
    gms_congestion_step(sim->congestion);
    if (gms_probe_is_busy(sim->probe)) {
        gms_probe_step(sim->probe);
    }
    gms_qos_sim_step_hcas(sim);
    gms_flit_step(sim->net, &gms_qos_sim_hooks, sim);
    gms_qos_sim_step_power(sim);
}

/** At the end of the warm-up, resets the two areas (sums over cycles), because
 *  the results include only later cycles. */
static void gms_qos_sim_end_warm_up(gms_qos_sim_t *sim)
{
    gms_qos_sim_flush(sim);
    sim->counts.held_area = 0;
    sim->counts.admitted_area = 0;
}

gms_status_t gms_qos_sim_go(gms_qos_sim_t *sim, atomic_ullong *progress)
{
    uint64_t now, next, told = 0, warm = sim->options.warm_up_cycles;
    int is_warm = 0;

    while ((now = gms_flit_now(sim->net)) < sim->end_cycle &&
           sim->status == GMS_OK) {
        if (!is_warm && now >= warm) {
            gms_qos_sim_end_warm_up(sim);
            is_warm = 1;
        }
        if (progress != NULL && now >= told + GMS_QOS_SIM_REPORT_CYCLES) {
            atomic_fetch_add(progress, now - told);
            told = now;
        }
        next = gms_qos_sim_next(sim, now);
        if (next > now) {
            next = is_warm ? next : gms_qos_sim_least(next, warm);
            gms_flit_skip(sim->net, next - now);
            gms_qos_sim_step_power(sim);
        } else {
            gms_qos_sim_cycle(sim, now);
        }
    }
    if (progress != NULL) {
        atomic_fetch_add(progress, now - told);
    }
    return sim->status;
}
