/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts requests, shapes and bounds to the records of the managers'
 * messages, and back. The times in these records have 32 bits.
 */
#include "manager/manager_message.h"

static uint32_t gms_pack_request(gms_time_t time_ps)
{
    gms_time_t units = time_ps / GMS_MANAGER_TIME_PS;

    if (time_ps > 0 && units == 0) {
        return 1; /* not 0, because 0 means that no bound was requested */
    }
    return units > UINT32_MAX ? UINT32_MAX : (uint32_t)units;
}

static uint32_t gms_pack_bound(gms_time_t time_ps)
{
    gms_time_t units =
        time_ps / GMS_MANAGER_TIME_PS + (time_ps % GMS_MANAGER_TIME_PS != 0);

    return units > UINT32_MAX ? 0 : (uint32_t)units;
}

static gms_time_t gms_unpack_time(uint32_t units)
{
    return (gms_time_t)units * GMS_MANAGER_TIME_PS;
}

gms_manager_shape_t gms_manager_pack_shape(const gms_qos_shape_t *shape)
{
    return (gms_manager_shape_t){
        .message_bytes = shape->message_bytes,
        .burst_bytes = shape->burst_bytes,
        .delay = gms_pack_request(shape->delay_ps),
        .jitter = gms_pack_request(shape->jitter_ps),
    };
}

gms_qos_shape_t gms_manager_unpack_shape(const gms_manager_shape_t *shape)
{
    return (gms_qos_shape_t){
        .message_bytes = shape->message_bytes,
        .burst_bytes = shape->burst_bytes,
        .delay_ps = gms_unpack_time(shape->delay),
        .jitter_ps = gms_unpack_time(shape->jitter),
    };
}

gms_manager_bounds_t gms_manager_pack_bounds(const gms_qos_bounds_t *bounds)
{
    return (gms_manager_bounds_t){
        .latency = gms_pack_bound(bounds->latency_ps),
        .delay = gms_pack_bound(bounds->delay_ps),
        .jitter = gms_pack_bound(bounds->jitter_ps),
        .burst_bytes = bounds->burst_bytes,
    };
}

gms_qos_bounds_t gms_manager_unpack_bounds(const gms_manager_bounds_t *bounds)
{
    return (gms_qos_bounds_t){
        .latency_ps = gms_unpack_time(bounds->latency),
        .delay_ps = gms_unpack_time(bounds->delay),
        .jitter_ps = gms_unpack_time(bounds->jitter),
        .burst_bytes = bounds->burst_bytes,
    };
}

gms_manager_record_t gms_record_of_request(const gms_flow_request_t *request)
{
    return (gms_manager_record_t){
        .key = request->key,
        .node = (uint16_t)request->source_node,
        .qos_class = (uint8_t)request->qos_class,
        .rank = request->rank,
        .bytes_s = request->bytes_s,
        .reverse_bytes_s = request->reverse_bytes_s,
        .load = request->load,
        .u.shape = gms_manager_pack_shape(&request->shape),
    };
}

gms_flow_request_t gms_record_request(const gms_manager_record_t *record)
{
    return (gms_flow_request_t){
        .source_node = record->node,
        .rank = record->rank,
        .key = record->key,
        .qos_class = (enum gms_qos_class)record->qos_class,
        .bytes_s = record->bytes_s,
        .reverse_bytes_s = record->reverse_bytes_s,
        .load = record->load,
        .shape = gms_manager_unpack_shape(&record->u.shape),
    };
}
