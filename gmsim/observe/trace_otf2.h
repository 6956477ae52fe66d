/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * This header is private to trace_otf2*.c. During a run, the trace items are
 * stored unchanged in a file in the output directory. At the end, the items are
 * converted to an OTF2 archive, one location after the other, because this
 * order requires only one buffer of the OTF2 library.
 */
#ifndef OBSERVE_TRACE_OTF2_H
#define OBSERVE_TRACE_OTF2_H

#include <otf2/otf2.h>

#include "observe/trace_int.h"

/** Header of an item in the file. */
typedef struct gms_otf2_record {
    gms_trace_item_t item;
    /* length of the text that follows, including the final 0; 0: no text */
    uint32_t text_bytes;
} gms_otf2_record_t;

/** A message for which the trace shows both the send and the receive. */
typedef struct gms_otf2_message {
    uint64_t id;
    uint32_t from, to; /* ranks */
    uint32_t tag;
    uint32_t bytes;
    uint8_t is_sent, is_received;
} gms_otf2_message_t;

/** A location. Locations are numbered in this order: threads of ranks, parts of
 *  NICs and their flows, the manager, and the faults. */
typedef struct gms_otf2_location {
    uint64_t items, first; /* range in gms_otf2_t.order */
    uint64_t events;       /* number of written events */
} gms_otf2_location_t;

typedef struct gms_otf2 {
    const gms_trace_t *trace;
    const unsigned char *data; /* the mapped file */
    size_t bytes;
    uint64_t items;
    uint64_t *order; /* offsets of the items, sorted by location */
    unsigned locations;
    gms_otf2_location_t *location;
    gms_otf2_message_t *messages; /* sorted by id */
    uint64_t message_count;
    /* number of each region: first the regions of GMS_TRACE_NAMES, then
     * GMS_OTF2_PER_KIND regions per kind of item */
    uint32_t *region;
    uint32_t regions;
    uint32_t groups; /* number of defined location groups */
    /* number of defined strings; the strings of items have the lowest
     * numbers */
    uint32_t strings, texts;
    gms_time_t end_ps;
    OTF2_Archive *archive;
    OTF2_GlobalDefWriter *defs;
} gms_otf2_t;

/** Numbers of the OTF2 parameters, and of the only communicator. */
enum {
    GMS_OTF2_DECISION = 0,
    GMS_OTF2_FAULT
};
#define GMS_OTF2_COMM 0u

/** Maximum number of different regions per kind of item. */
#define GMS_OTF2_PER_KIND 32u
#define GMS_OTF2_THINGS   (GMS_TRACE_NAMES + GMS_TRACE_KINDS * GMS_OTF2_PER_KIND)
/** Region number of an item that has no region. */
#define GMS_OTF2_NOTHING UINT32_MAX

unsigned gms_otf2_location_of(const gms_trace_t *trace,
                              const gms_trace_item_t *item);
/** Return the number of a location in the archive. Threads are numbered as in
 *  Score-P: thread << 32 | rank. Some programs use the number of a rank as the
 *  number of the rank's first thread, and require a thread with this number.
 *  [source: ViTE 1.2, which exits if there is no such thread] */
uint64_t gms_otf2_number(const gms_trace_t *trace, unsigned location);
/** Read the item at a given position in the order. */
void gms_otf2_item(const gms_otf2_t *otf2, uint64_t position,
                   gms_trace_item_t *item, const char **text_p);
/** Find a message by its id. Return NULL if the trace shows only one end of the
 *  message. */
const gms_otf2_message_t *gms_otf2_find(const gms_otf2_t *otf2, uint64_t id);
/** Return the index of an item's region in gms_otf2_t.region. */
unsigned gms_otf2_thing(const gms_trace_item_t *item);
/** Return 1 if a location is defined. Some locations are defined even though
 *  they have no events. */
int gms_otf2_is_defined(const gms_otf2_t *otf2, unsigned location);
/** Number the regions of all items in an order that does not depend on real
 *  time. */
void gms_otf2_number_regions(gms_otf2_t *otf2);

/** Write the events or the definitions. Definitions that events refer to are
 *  numbered before the events are written.
 *  @return OTF2_SUCCESS, or the library's error */
OTF2_ErrorCode gms_otf2_write_events(gms_otf2_t *otf2);
OTF2_ErrorCode gms_otf2_write_definitions(gms_otf2_t *otf2);

/** Replace the identifier of a closed archive with a checksum of its
 *  definitions.
 *  @return 0; -1 if the old identifier was not found */
int gms_otf2_replace_id(const char *directory);

#endif
