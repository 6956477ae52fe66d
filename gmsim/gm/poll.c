/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures series of polls of a process. A series consists of consecutive
 * receive calls that return no event, without any other call between them. The
 * gate reports a deadlock if all processes only poll (engine/gate_poll.c).
 *
 * A program may also poll while it computes, in order to notice a message
 * early. In the time mode `virtual', the program's computation takes no virtual
 * time, so a series of polls may be long. Therefore this file measures the real
 * time between polls. If the program spends more than 1 us between two polls on
 * average, it also does other work, and a new series begins. A new series also
 * begins if the program sleeps or waits between polls.
 */
#include "gm/port.h"

#include <stdio.h>
#include <time.h>

/* Number of polls over which the time between polls is averaged. */
#define GMS_POLL_WINDOW UINT64_C(100000)
/* Number of polls at the start of a series for which no time is measured,
 * because most series are short. */
#define GMS_POLL_SHORT 1000u
/* Largest sum of the real times between the polls of a window. If the sum is
 * larger, a new series begins. A loop that only polls takes much less than 1 us
 * per poll. */
#define GMS_POLL_OUTSIDE_NS (GMS_POLL_WINDOW * 1000u)

static uint64_t gms_poll_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t gms_poll_begin(gms_sim_t *sim)
{
    uint64_t polls = sim->polls;

    if (polls < GMS_POLL_SHORT) {
        sim->poll_outside_ns = 0;
        sim->poll_left_ns = 0;
        return polls;
    }
    if (sim->poll_left_ns != 0) {
        sim->poll_outside_ns += gms_poll_now_ns() - sim->poll_left_ns;
    }
    if (polls % GMS_POLL_WINDOW == 0) {
        polls = sim->poll_outside_ns > GMS_POLL_OUTSIDE_NS ? 0 : polls;
        sim->poll_outside_ns = 0;
    }
    return polls;
}

void gms_poll_end(gms_sim_t *sim)
{
    if (sim->polls >= GMS_POLL_SHORT) {
        sim->poll_left_ns = gms_poll_now_ns();
    }
}

static void gms_poll_name_ports(gms_sim_t *sim)
{
    const char *separator = "receive on ports";
    const struct gm_port *port;
    size_t used = 0;

    for (port = sim->ports; port != NULL; port = port->next) {
        if (port->poll_series == sim->poll_series &&
            used < sizeof(sim->poll_text)) {
            used += (size_t)snprintf(sim->poll_text + used,
                                     sizeof(sim->poll_text) - used, "%s %u",
                                     separator, port->number);
            separator = ",";
        }
    }
    if (used < sizeof(sim->poll_text)) {
        (void)snprintf(sim->poll_text + used, sizeof(sim->poll_text) - used,
                       " of " GMS_HOST_PREFIX "%u", sim->node + 1);
    }
}

/* Return a string that lists the ports of the present series of polls,
 * including this port. */
static const char *gms_poll_text(struct gm_port *port, uint64_t polls)
{
    gms_sim_t *sim = port->sim;

    if (sim->ports->next == NULL) {
        return port->waits_for;
    }
    if (polls == 0) {
        ++sim->poll_series;
    }
    if (port->poll_series != sim->poll_series) {
        port->poll_series = sim->poll_series;
        gms_poll_name_ports(sim);
    }
    return sim->poll_text;
}

int gms_poll_wait(struct gm_port *port, gms_time_t until_ps, uint64_t polls)
{
    gms_sim_t *sim = port->sim;
    unsigned limit_s = sim->poll_outside_ns > GMS_POLL_OUTSIDE_NS
                           ? 0
                           : sim->launch.poll_limit_s;
    int found = gms_gate_poll_until_signal(
        &sim->ctx, until_ps, gms_poll_text(port, polls), polls, limit_s);

    sim->polls = found ? 0 : polls + 1;
    return found;
}
