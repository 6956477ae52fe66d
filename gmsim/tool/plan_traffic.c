/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the keys of a plan's request that describe the flow's traffic. */
#include "tool/plan_traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

#define GMS_PLAN_SECONDS_MAX 1000
#define GMS_PLAN_BURST_MAX   (UINT64_C(1) << 30)

static const char *const gms_plan_priorities[] = {"low", "high", NULL};
static const char *const gms_plan_sends[] = {"both", "backlogged", "paced",
                                             NULL};
static const char *const gms_plan_truths[] = {"false", "true", NULL};

const char *gms_plan_class_name(enum gms_qos_class qos_class)
{
    return (qos_class == GMS_QOS_PREMIUM)       ? "premium"
           : (qos_class == GMS_QOS_BEST_EFFORT) ? "best-effort"
                                                : "none";
}

typedef struct gms_plan_unit {
    const char *name;
    double factor;
} gms_plan_unit_t;

static const gms_plan_unit_t gms_plan_times[] = {
    {"ps", 1},      {"ns", GMS_NS},    {"us", GMS_US},
    {"ms", GMS_MS}, {"s", GMS_SECOND}, {NULL, 0},
};
static const gms_plan_unit_t gms_plan_sizes[] = {
    {"", 1},          {"B", 1},    {"K", 1024}, {"KiB", 1024}, {"M", 1 << 20},
    {"MiB", 1 << 20}, {"kB", 1e3}, {"MB", 1e6}, {NULL, 0},
};

/* Parse a decimal number with one of the units. @return 0 if the number is
 * invalid */
static int gms_plan_quantity(const char *text, const gms_plan_unit_t *units,
                             double *number_p)
{
    char *end;

    if (text == NULL || strspn(text, "0123456789.") == 0) {
        return 0;
    }
    *number_p = gms_decimal(text, &end);
    if (end != text + strspn(text, "0123456789.")) {
        return 0;
    }
    end += strspn(end, " ");
    for (; units->name != NULL; ++units) {
        if (strcmp(units->name, end) == 0) {
            *number_p *= units->factor;
            return 1;
        }
    }
    return 0;
}

int gms_plan_time_of(const char *text, gms_time_t *time_ps_p)
{
    double time_ps;

    if (!gms_plan_quantity(text, gms_plan_times, &time_ps) ||
        time_ps > GMS_PLAN_SECONDS_MAX * (double)GMS_SECOND) {
        return 0;
    }
    *time_ps_p = (gms_time_t)llround(time_ps);
    return 1;
}

gms_status_t gms_plan_time(gms_loader_t *loader, const char *key,
                           const yaml_node_t *value, int is_zero_allowed,
                           gms_time_t *time_ps_p)
{
    gms_status_t status;

    if (gms_plan_time_of(gms_yaml_scalar(value), time_ps_p) &&
        (*time_ps_p > 0 || is_zero_allowed)) {
        return GMS_OK;
    }
    status = gms_loader_begin_value(loader, key, value);
    gms_yaml_append(
        loader->error,
        " is not a valid time; allowed: %s %d s, with the unit s, ms, us, "
        "ns or ps, such as 2 ms",
        is_zero_allowed ? "0 s to" : "above 0, up to", GMS_PLAN_SECONDS_MAX);
    return status;
}

gms_status_t gms_plan_bytes(gms_loader_t *loader, const char *key,
                            const yaml_node_t *value, uint64_t max,
                            uint32_t *bytes_p)
{
    double bytes;
    gms_status_t status;

    if (gms_plan_quantity(gms_yaml_scalar(value), gms_plan_sizes, &bytes) &&
        bytes >= 1 && bytes <= (double)max && bytes == (uint32_t)bytes) {
        *bytes_p = (uint32_t)bytes;
        return GMS_OK;
    }
    status = gms_loader_begin_value(loader, key, value);
    gms_yaml_append(loader->error,
                    " is not a valid size; allowed: 1 to %llu bytes, without a "
                    "unit or with kB, MB "
                    "(powers of 1000), K, KiB, M or MiB (powers of 1024)",
                    (unsigned long long)max);
    return status;
}

static gms_status_t gms_plan_choice(gms_loader_t *loader, const char *key,
                                    const yaml_node_t *value,
                                    const char *const *names,
                                    unsigned *choice_p)
{
    uint64_t choice = 0;
    gms_status_t status = gms_loader_choice(loader, value, key, names, &choice);

    *choice_p = (unsigned)choice;
    return status;
}

void gms_plan_traffic_init(gms_plan_flow_t *flow)
{
    flow->traffic.window = GMS_PLAN_WINDOW_DEFAULT;
    flow->request.shape.message_bytes = GMS_PLAN_MESSAGE_DEFAULT;
}

static gms_status_t gms_plan_window(gms_loader_t *loader, const char *key,
                                    const yaml_node_t *value,
                                    unsigned *window_p)
{
    const gms_param_t row = {
        .name = key, .unit = "", .min = 1, .max = GMS_PLAN_WINDOW_MAX};
    uint64_t number = 0;
    gms_status_t status = gms_loader_integer(loader, value, &row, &number);

    *window_p = (unsigned)number;
    return status;
}

gms_status_t gms_plan_traffic_value(gms_loader_t *loader, unsigned bit,
                                    const char *key, const yaml_node_t *value,
                                    gms_plan_flow_t *flow)
{
    gms_qos_shape_t *shape = &flow->request.shape;
    gms_plan_traffic_t *traffic = &flow->traffic;
    gms_status_t status;
    unsigned choice;

    switch (bit) {
    case GMS_PLAN_DELAY:
        return gms_plan_time(loader, key, value, 0, &shape->delay_ps);
    case GMS_PLAN_JITTER:
        return gms_plan_time(loader, key, value, 0, &shape->jitter_ps);
    case GMS_PLAN_BURST:
        return gms_plan_bytes(loader, key, value, GMS_PLAN_BURST_MAX,
                              &shape->burst_bytes);
    case GMS_PLAN_MESSAGE:
        return gms_plan_bytes(loader, key, value, GMS_PLAN_MESSAGE_MAX,
                              &shape->message_bytes);
    case GMS_PLAN_WINDOW:
        return gms_plan_window(loader, key, value, &traffic->window);
    case GMS_PLAN_PRIORITY:
        status =
            gms_plan_choice(loader, key, value, gms_plan_priorities, &choice);
        flow->request.key.priority = (uint16_t)choice;
        return status;
    case GMS_PLAN_START:
        traffic->has_start = 1;
        return gms_plan_time(loader, key, value, 1, &traffic->start_ps);
    case GMS_PLAN_PHASE:
        traffic->has_phase = 1;
        return gms_plan_time(loader, key, value, 1, &traffic->phase_ps);
    case GMS_PLAN_STOP:
        return gms_plan_time(loader, key, value, 0, &traffic->stop_ps);
    case GMS_PLAN_ON:
        return gms_plan_time(loader, key, value, 0, &traffic->on_ps);
    case GMS_PLAN_OFF:
        return gms_plan_time(loader, key, value, 0, &traffic->off_ps);
    case GMS_PLAN_RANDOM:
        status = gms_plan_choice(loader, key, value, gms_plan_truths, &choice);
        traffic->is_random = (int)choice;
        return status;
    default:
        return gms_plan_choice(loader, key, value, gms_plan_sends,
                               &traffic->send);
    }
}

gms_status_t gms_plan_traffic_check(gms_loader_t *loader, size_t line,
                                    unsigned given, const gms_plan_flow_t *flow)
{
    const gms_plan_traffic_t *traffic = &flow->traffic;
    const gms_qos_shape_t *shape = &flow->request.shape;

    if (flow->request.qos_class != GMS_QOS_PREMIUM &&
        (given & (GMS_PLAN_DELAY | GMS_PLAN_JITTER | GMS_PLAN_BURST))) {
        return gms_loader_fail(
            loader, line,
            "'delay', 'jitter' and 'burst' require class premium");
    }
    if (!(given & GMS_PLAN_ON) != !(given & GMS_PLAN_OFF)) {
        return gms_loader_fail(loader, line, "'%s' requires '%s'",
                               given & GMS_PLAN_ON ? "on" : "off",
                               given & GMS_PLAN_ON ? "off" : "on");
    }
    if (traffic->is_random && !(given & GMS_PLAN_ON)) {
        return gms_loader_fail(loader, line,
                               "'random' requires 'on' and 'off'");
    }
    if ((given & GMS_PLAN_START) && (given & GMS_PLAN_PHASE)) {
        return gms_loader_fail(
            loader, line,
            "'start' and 'phase' cannot be used together: a flow is requested "
            "either at its 'start' or before all traffic begins");
    }
    if ((given & GMS_PLAN_STOP) && traffic->stop_ps <= traffic->start_ps) {
        return gms_loader_fail(
            loader, line,
            "key 'stop': the time is not after 'start'; allowed: a later time");
    }
    if ((given & GMS_PLAN_BURST) && shape->burst_bytes < shape->message_bytes) {
        return gms_loader_fail(loader, line,
                               "key 'burst': value '%u' is less than one "
                               "message; allowed: at least %u bytes",
                               shape->burst_bytes, shape->message_bytes);
    }
    return GMS_OK;
}
