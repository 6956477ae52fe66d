/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the alarms of GM ports. A port has one alarm on the NIC, but the
 * program may have any number of alarms. The library keeps a list of these
 * alarms in the order of their deadlines, and sets the NIC's alarm for the
 * first deadline. After a cancellation, the NIC's alarm may expire before the
 * first deadline.
 */
#include <limits.h>
#include <stdlib.h>

#include "gm/port.h"
#include "job/clock.h"

/* Latest time for which an alarm or gm_sleep() may be set: a quarter of
 * GMS_NEVER. */
#define GMS_ALARM_END_PS (GMS_NEVER / 4)

static gms_time_t gms_alarm_deadline_ps(const struct gm_port *port,
                                        const gms_alarm_node_t *alarm)
{
    gms_time_t tick_ps = port->sim->root->params.rtc_tick_ps;

    return alarm->deadline > GMS_NEVER / tick_ps ? GMS_NEVER
                                                 : alarm->deadline * tick_ps;
}

/* Set the NIC's alarm for the first deadline. The caller must hold the lock.
 * The NIC's alarm is never cancelled. If the NIC's alarm expires too early, the
 * library ignores it. */
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

    while (gms_port_is_open(port)) { /* stop if a callback has closed the
                                      * port */
        gms_alarm_node_t *node;
        gms_alarm_node_t due;
        int is_due;

        gms_sim_begin_post(sim);
        is_due = gms_alarm_is_due(port);
        gms_sim_end(sim, is_due ? sim->root->params.host_callback_ps : 0);
        if (!is_due) {
            return;
        }
        node = port->alarms;
        port->alarms = node->next;
        due = *node;
        free(node);
        due.alarm->state = GM_ALARM_FREE;
        due.callback(due.context); /* the callback may set the alarm again */
    }
}

void gm_initialize_alarm(struct gm_alarm *alarm)
{
    if (alarm == NULL) {
        return;
    }
    alarm->next = NULL;
    alarm->state = GM_ALARM_FREE;
    alarm->port = NULL;
    alarm->callback = NULL;
    alarm->context = NULL;
    alarm->deadline = 0;
}

/* Insert an alarm into the list, after all alarms with the same deadline,
 * because the alarm that was set first must expire first. */
static void gms_alarm_insert(struct gm_port *port, gms_alarm_node_t *node)
{
    gms_alarm_node_t **link = &port->alarms;

    while (*link != NULL && (*link)->deadline <= node->deadline) {
        link = &(*link)->next;
    }
    node->next = *link;
    *link = node;
}

/* Return the address of the pointer to an alarm's node. The search does not use
 * the fields of struct gm_alarm, because the program may overwrite them. */
static gms_alarm_node_t **gms_alarm_find(struct gm_port *port,
                                         const struct gm_alarm *alarm)
{
    gms_alarm_node_t **link = &port->alarms;

    while (*link != NULL && (*link)->alarm != alarm) {
        link = &(*link)->next;
    }
    return link;
}

static void gms_alarm_remove(gms_alarm_node_t **link)
{
    gms_alarm_node_t *node = *link;

    *link = node->next;
    node->alarm->state = GM_ALARM_FREE;
    free(node);
}

/* Return the deadline of an alarm, rounded up, because an alarm must not expire
 * early. */
static uint64_t gms_alarm_deadline(const gms_sim_t *sim, gm_u64_t usecs)
{
    gms_time_t tick_ps = sim->root->params.rtc_tick_ps;
    gms_time_t now_ps = gms_gate_clock(&sim->ctx);

    return now_ps > GMS_ALARM_END_PS ||
                   usecs > (GMS_ALARM_END_PS - now_ps) / GMS_US
               ? UINT64_MAX
               : (now_ps + usecs * GMS_US + tick_ps - 1) / tick_ps;
}

void gm_set_alarm(struct gm_port *port, struct gm_alarm *alarm, gm_u64_t usecs,
                  void (*callback)(void *), void *context)
{
    gms_alarm_node_t *node;
    gms_sim_t *sim;

    if (!gms_port_is_open(port)) {
        return;
    }
    sim = port->sim;
    gm_cancel_alarm(alarm);
    node = alarm != NULL && callback != NULL ? calloc(1, sizeof(*node)) : NULL;
    gms_sim_begin_post(sim);
    if (node == NULL) {
        gms_port_violate(port, GM_ALARM_VIOLATION_EVENT);
    } else {
        node->alarm = alarm;
        node->callback = callback;
        node->context = context;
        node->deadline = gms_alarm_deadline(sim, usecs);
        alarm->port = port;
        alarm->callback = callback;
        alarm->context = context;
        alarm->state = GM_ALARM_SET;
        alarm->deadline = node->deadline;
        gms_alarm_insert(port, node);
        gms_alarm_arm(port);
    }
    gms_sim_end(sim, sim->root->params.host_provide_ps);
}

void gm_cancel_alarm(struct gm_alarm *alarm)
{
    gms_sim_t *sim = gms_sim_joined();
    struct gm_port *port;

    if (sim == NULL || alarm == NULL) {
        return;
    }
    for (port = sim->ports; port != NULL; port = port->next) {
        gms_alarm_node_t **link = gms_alarm_find(port, alarm);

        if (*link != NULL) {
            gms_alarm_remove(link);
        }
    }
}

void gms_alarm_cancel_all(struct gm_port *port)
{
    while (port->alarms != NULL) {
        gms_alarm_remove(&port->alarms);
    }
}

void gm_flush_alarm(struct gm_port *port)
{
    if (gms_port_is_open(port)) {
        gms_alarm_cancel_all(port);
    }
}

gm_u64_t gm_ticks(struct gm_port *port)
{
    gms_sim_t *sim = gms_sim_joined();

    if (!gms_port_is_open(port)) {
        return 0;
    }
    return gms_nic_rtc(port->nic, gms_clock_read(sim));
}

int gm_sleep(unsigned seconds)
{
    gms_sim_t *sim = gms_sim_joined();

    gms_time_t clock_ps;

    if (sim == NULL) {
        return 0;
    }
    /* Cap the argument: virtual time has a maximum, and a large argument must
     * not cause an overflow that ends the program. */
    clock_ps = gms_gate_clock(&sim->ctx);
    if (clock_ps > GMS_ALARM_END_PS ||
        seconds > (GMS_ALARM_END_PS - clock_ps) / GMS_SECOND) {
        return seconds < INT_MAX ? (int)seconds : INT_MAX;
    }
    gms_sim_spend_as(sim, seconds * GMS_SECOND, GMS_BUSY_KINDS);
    return 0;
}
