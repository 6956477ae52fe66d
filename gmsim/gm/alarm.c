/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A port has one alarm on the card and any number in the program. The library
 * keeps a list in the order of their deadlines and has the card's alarm set for
 * the first of them, or for one before it that has been cancelled since.
 */
#include "gm/port.h"

static gms_time_t gms_alarm_deadline_ps(const struct gm_port *port,
                                        const struct gm_alarm *alarm)
{
    gms_time_t tick_ps = port->sim->root->params.rtc_tick_ps;

    return alarm->deadline > GMS_NEVER / tick_ps ? GMS_NEVER
                                                 : alarm->deadline * tick_ps;
}

/* Lock held. The card's own alarm is never taken back: an alarm that comes too
 * early is recognised and forgotten. */
static void gms_alarm_arm(struct gm_port *port)
{
    gms_ctx_t *ctx = &port->sim->ctx;
    gms_time_t clock_ps = gms_gate_clock(ctx);
    gms_time_t first_ps;

    if (port->alarms == NULL) {
        return;
    }
    first_ps = gms_alarm_deadline_ps(port, port->alarms);
    if (first_ps >= port->armed_ps) {
        return;
    }
    port->armed_ps = first_ps > clock_ps ? first_ps : clock_ps;
    gms_nic_post_alarm(ctx, port->nic, gms_gate_origin(ctx), port->number,
                       port->armed_ps, 0);
}

void gms_alarm_went_off(struct gm_port *port, gms_time_t time_ps)
{
    if (time_ps >= port->armed_ps) {
        port->armed_ps = GMS_NEVER;
    }
}

int gms_alarm_is_due(struct gm_port *port)
{
    if (port->alarms != NULL && gms_alarm_deadline_ps(port, port->alarms) <=
                                    gms_gate_clock(&port->sim->ctx)) {
        return 1;
    }
    gms_alarm_arm(port);
    return 0;
}

void gms_alarm_run(struct gm_port *port)
{
    gms_sim_t *sim = port->sim;

    for (;;) {
        struct gm_alarm *alarm;
        int is_due;

        gms_sim_begin_post(sim);
        is_due = gms_alarm_is_due(port);
        gms_sim_end(sim, is_due ? sim->root->params.host_callback_ps : 0);
        if (!is_due) {
            return;
        }
        alarm = port->alarms;
        port->alarms = alarm->next;
        alarm->state = GM_ALARM_FREE;
        alarm->callback(alarm->context); /* may set it again */
    }
}

void gm_initialize_alarm(struct gm_alarm *alarm)
{
    alarm->next = NULL;
    alarm->state = GM_ALARM_FREE;
    alarm->port = NULL;
    alarm->callback = NULL;
    alarm->context = NULL;
    alarm->deadline = 0;
}

/* Behind those of the same deadline: who was set first comes first. */
static void gms_alarm_insert(struct gm_port *port, struct gm_alarm *alarm)
{
    struct gm_alarm **link = &port->alarms;

    while (*link != NULL && (*link)->deadline <= alarm->deadline) {
        link = &(*link)->next;
    }
    alarm->next = *link;
    *link = alarm;
}

void gm_set_alarm(struct gm_port *port, struct gm_alarm *alarm, gm_u64_t usecs,
                  void (*callback)(void *), void *context)
{
    gms_sim_t *sim = port->sim;
    gms_time_t tick_ps = sim->root->params.rtc_tick_ps;
    gms_time_t now_ps;

    gm_cancel_alarm(alarm);
    gms_sim_begin_post(sim);
    now_ps = gms_gate_clock(&sim->ctx);
    alarm->port = port;
    alarm->callback = callback;
    alarm->context = context;
    alarm->state = GM_ALARM_SET;
    /* Rounded up: not before the time has passed. */
    alarm->deadline = usecs > (GMS_NEVER / 2 - now_ps) / GMS_US
                          ? UINT64_MAX
                          : (now_ps + usecs * GMS_US + tick_ps - 1) / tick_ps;
    gms_alarm_insert(port, alarm);
    gms_alarm_arm(port);
    gms_sim_end(sim, sim->root->params.host_provide_ps);
}

void gm_cancel_alarm(struct gm_alarm *alarm)
{
    struct gm_alarm **link;

    if (alarm->state != GM_ALARM_SET) {
        return;
    }
    for (link = &alarm->port->alarms; *link != alarm; link = &(*link)->next) {
    }
    *link = alarm->next;
    alarm->state = GM_ALARM_FREE;
}

void gm_flush_alarm(struct gm_port *port)
{
    while (port->alarms != NULL) {
        gm_cancel_alarm(port->alarms);
    }
}

gm_u64_t gm_ticks(struct gm_port *port)
{
    gms_sim_t *sim = port->sim;
    gm_u64_t ticks;

    gms_sim_spend(sim, sim->root->params.host_clock_read_ps);
    ticks = gms_nic_rtc(port->nic, gms_gate_clock(&sim->ctx));
    return ticks;
}

int gm_sleep(unsigned seconds)
{
    gms_sim_t *sim = gms_sim_joined();

    if (sim != NULL) {
        gms_sim_spend(sim, seconds > GMS_NEVER / 2 / GMS_SECOND
                               ? GMS_NEVER / 2
                               : seconds * GMS_SECOND);
    }
    return 0;
}
