/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the events of an OTF2 archive, one location after the other and sorted
 * by time: enter and leave, send and receive, metrics and parameters. Without
 * the OTF2 library, this file is empty.
 */
#include "config.h"

#ifdef HAVE_OTF2

#include <stdlib.h>

#include "observe/trace_otf2.h"

/* ---- one item ---- */

static OTF2_ErrorCode gms_otf2_span(const gms_otf2_t *otf2, OTF2_EvtWriter *to,
                                    const gms_trace_item_t *item)
{
    const gms_otf2_message_t *message = gms_otf2_find(otf2, item->id);
    uint32_t region = otf2->region[gms_otf2_thing(item)];
    OTF2_ErrorCode code;

    code = OTF2_EvtWriter_Enter(to, NULL, item->begin_ps, region);
    if (code == OTF2_SUCCESS && message != NULL &&
        item->kind == GMS_TRACE_SEND) {
        code =
            OTF2_EvtWriter_MpiSend(to, NULL, item->begin_ps, message->to,
                                   GMS_OTF2_COMM, message->tag, message->bytes);
    }
    if (code == OTF2_SUCCESS && message != NULL &&
        item->kind == GMS_TRACE_RECEIVE) {
        code =
            OTF2_EvtWriter_MpiRecv(to, NULL, item->end_ps, message->from,
                                   GMS_OTF2_COMM, message->tag, message->bytes);
    }
    return code == OTF2_SUCCESS
               ? OTF2_EvtWriter_Leave(to, NULL, item->end_ps, region)
               : code;
}

static OTF2_ErrorCode gms_otf2_metric(OTF2_EvtWriter *to,
                                      const gms_trace_item_t *item)
{
    const gms_trace_flow_t *flow = item->flow->traced;
    int is_rate = item->kind == GMS_TRACE_FLOW_RATE;
    OTF2_Type type = OTF2_TYPE_UINT64;
    OTF2_MetricValue value;

    value.unsigned_int = is_rate ? item->id : item->value[0];
    return OTF2_EvtWriter_Metric(to, NULL, item->begin_ps,
                                 2 * flow->number + (is_rate ? 0 : 1), 1, &type,
                                 &value);
}

static OTF2_ErrorCode gms_otf2_event(gms_otf2_t *otf2, OTF2_EvtWriter *to,
                                     const gms_trace_item_t *item,
                                     const char *text)
{
    uint32_t region;

    if (item->flow != NULL) {
        return gms_otf2_metric(to, item);
    }
    if (item->kind == GMS_TRACE_DECISION || item->kind == GMS_TRACE_BROKEN) {
        /* gms_otf2_write_texts() defines the texts in the same order */
        return text == NULL
                   ? OTF2_SUCCESS
                   : OTF2_EvtWriter_ParameterString(
                         to, NULL, item->begin_ps,
                         item->kind == GMS_TRACE_BROKEN ? GMS_OTF2_FAULT
                                                        : GMS_OTF2_DECISION,
                         otf2->texts++);
    }
    if (item->kind == GMS_TRACE_ENTER || item->kind == GMS_TRACE_LEAVE) {
        region = otf2->region[item->name];
        return item->kind == GMS_TRACE_ENTER
                   ? OTF2_EvtWriter_Enter(to, NULL, item->begin_ps, region)
                   : OTF2_EvtWriter_Leave(to, NULL, item->begin_ps, region);
    }
    return gms_otf2_span(otf2, to, item);
}

/* ---- one location ---- */

typedef struct gms_otf2_key {
    gms_time_t begin_ps;
    uint64_t position;
} gms_otf2_key_t;

static int gms_otf2_by_time(const void *a, const void *b)
{
    const gms_otf2_key_t *one = a, *two = b;

    if (one->begin_ps != two->begin_ps) {
        return one->begin_ps < two->begin_ps ? -1 : 1;
    }
    return (one->position > two->position) - (one->position < two->position);
}

/* Sort the items by time, because the times of a location must not decrease. */
static int gms_otf2_sort_location(gms_otf2_t *otf2,
                                  const gms_otf2_location_t *location)
{
    gms_otf2_key_t *keys = malloc(location->items * sizeof(*keys));
    gms_trace_item_t item;
    const char *text;
    uint64_t i;

    if (keys == NULL) {
        return -1;
    }
    for (i = 0; i < location->items; ++i) {
        gms_otf2_item(otf2, location->first + i, &item, &text);
        keys[i].begin_ps = item.begin_ps;
        keys[i].position = otf2->order[location->first + i];
    }
    qsort(keys, location->items, sizeof(*keys), gms_otf2_by_time);
    for (i = 0; i < location->items; ++i) {
        otf2->order[location->first + i] = keys[i].position;
    }
    free(keys);
    return 0;
}

static OTF2_ErrorCode gms_otf2_write_location(gms_otf2_t *otf2, unsigned number)
{
    gms_otf2_location_t *location = &otf2->location[number];
    OTF2_EvtWriter *to = OTF2_Archive_GetEvtWriter(
        otf2->archive, gms_otf2_number(otf2->trace, number));
    OTF2_ErrorCode code = OTF2_SUCCESS, closed;
    gms_trace_item_t item = {.flow = NULL};
    const char *text;
    uint64_t i;

    if (to == NULL) {
        return OTF2_ERROR_MEM_ALLOC_FAILED;
    }
    if (location->items > 0) {
        gms_otf2_item(otf2, location->first, &item, &text);
    }
    if (item.flow != NULL && gms_otf2_sort_location(otf2, location) != 0) {
        return OTF2_ERROR_MEM_ALLOC_FAILED;
    }
    for (i = 0; code == OTF2_SUCCESS && i < location->items; ++i) {
        gms_otf2_item(otf2, location->first + i, &item, &text);
        code = gms_otf2_event(otf2, to, &item, text);
    }
    if (code == OTF2_SUCCESS) {
        code = OTF2_EvtWriter_GetNumberOfEvents(to, &location->events);
    }
    closed = OTF2_Archive_CloseEvtWriter(otf2->archive, to);
    return code == OTF2_SUCCESS ? closed : code;
}

OTF2_ErrorCode gms_otf2_write_events(gms_otf2_t *otf2)
{
    OTF2_ErrorCode code;
    unsigned i;

    gms_otf2_number_regions(otf2);
    code = OTF2_Archive_OpenEvtFiles(otf2->archive);
    for (i = 0; code == OTF2_SUCCESS && i < otf2->locations; ++i) {
        if (gms_otf2_is_defined(otf2, i)) {
            code = gms_otf2_write_location(otf2, i);
        }
    }
    return code == OTF2_SUCCESS ? OTF2_Archive_CloseEvtFiles(otf2->archive)
                                : code;
}

#endif

/* ISO C requires a declaration in every file. */
typedef int gms_trace_otf2_events_t;
