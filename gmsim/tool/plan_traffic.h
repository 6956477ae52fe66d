/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the keys of a plan's request that describe the flow's traffic. Only
 * gmsim plan and gmsim verify include this file.
 */
#ifndef TOOL_PLAN_TRAFFIC_H
#define TOOL_PLAN_TRAFFIC_H

#include "yaml/loader.h"
#include "tool/plan.h"

/** Parse a time with a unit, such as "2 ms" or "300 us". The time must be at
 *  most 1000 s, and above 0 unless is_zero_allowed is set. An error message
 *  contains file, line, key, value, and allowed values. */
gms_status_t gms_plan_time(gms_loader_t *loader, const char *key,
                           const yaml_node_t *value, int is_zero_allowed,
                           gms_time_t *time_ps_p);
/** Parse a string that contains a time with a unit. @return 0 if the time is
 *  invalid */
int gms_plan_time_of(const char *text, gms_time_t *time_ps_p);
/** Parse a size in bytes from 1 to max, such as "4096", "64 KiB", "64K" or "1
 *  MiB". */
gms_status_t gms_plan_bytes(gms_loader_t *loader, const char *key,
                            const yaml_node_t *value, uint64_t max,
                            uint32_t *bytes_p);

/** Bits for the keys; these bits follow the bits in plan_file.c. */
enum {
    GMS_PLAN_DELAY = 1 << 13,
    GMS_PLAN_JITTER = 1 << 14,
    GMS_PLAN_BURST = 1 << 15,
    GMS_PLAN_MESSAGE = 1 << 16,
    GMS_PLAN_WINDOW = 1 << 17,
    GMS_PLAN_PRIORITY = 1 << 18,
    GMS_PLAN_START = 1 << 19,
    GMS_PLAN_STOP = 1 << 20,
    GMS_PLAN_ON = 1 << 21,
    GMS_PLAN_OFF = 1 << 22,
    GMS_PLAN_RANDOM = 1 << 23,
    GMS_PLAN_SEND = 1 << 24,
    GMS_PLAN_PHASE = 1 << 25
};

/** Read the value of one of these keys. */
gms_status_t gms_plan_traffic_value(gms_loader_t *loader, unsigned bit,
                                    const char *key, const yaml_node_t *value,
                                    gms_plan_flow_t *flow);
/** Check the combination of these keys. */
gms_status_t gms_plan_traffic_check(gms_loader_t *loader, size_t line,
                                    unsigned given,
                                    const gms_plan_flow_t *flow);
/** Set the default values for a flow's traffic. */
void gms_plan_traffic_init(gms_plan_flow_t *flow);

#endif
