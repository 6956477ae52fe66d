/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private to trace_otf2*.c. During a run its items are stored unchanged in a
 * file in the output directory. At the end they are converted to an OTF2
 * archive, one location after the other: one buffer of the OTF2 library is then
 * enough.
 */
#ifndef OBSERVE_TRACE_OTF2_H
#define OBSERVE_TRACE_OTF2_H

#include <otf2/otf2.h>

#include "observe/trace_int.h"

/** What precedes an item in the file. */
typedef struct gms_otf2_record {
    gms_trace_item_t item;
    uint32_t text_bytes; /* that follow, with the final 0; 0: no text */
} gms_otf2_record_t;

/** A message whose send and receive are both shown. */
typedef struct gms_otf2_message {
    uint64_t id;
    uint32_t from, to; /* ranks */
    uint32_t tag;
    uint32_t bytes;
    uint8_t is_sent, is_received;
} gms_otf2_message_t;

/** Lines of the picture, by number: threads of ranks, parts of cards and their
 *  flows, the manager, the faults. */
typedef struct gms_otf2_location {
    uint64_t items, first; /* in gms_otf2_t.order */
    uint64_t events;       /* written */
} gms_otf2_location_t;

typedef struct gms_otf2 {
    const gms_trace_t *trace;
    const unsigned char *data; /* the file, mapped */
    size_t bytes;
    uint64_t items;
    uint64_t *order; /* where each item is, by location */
    unsigned locations;
    gms_otf2_location_t *location;
    gms_otf2_message_t *messages; /* by id */
    uint64_t message_count;
    uint32_t *region; /* of each thing to do: those of GMS_TRACE_NAMES,
                                then GMS_OTF2_PER_KIND of each kind */
    uint32_t regions;
    uint32_t groups;         /* of locations, defined so far */
    uint32_t strings, texts; /* defined so far, texts of items first */
    gms_time_t end_ps;
    OTF2_Archive *archive;
    OTF2_GlobalDefWriter *defs;
} gms_otf2_t;

/** Parameters, and the one communicator. */
enum {
    GMS_OTF2_DECISION = 0,
    GMS_OTF2_FAULT
};
#define GMS_OTF2_COMM 0u

/** Each kind of item has as many things to tell apart, at most. */
#define GMS_OTF2_PER_KIND 32u
#define GMS_OTF2_THINGS   (GMS_TRACE_NAMES + GMS_TRACE_KINDS * GMS_OTF2_PER_KIND)
/** No region: nothing of the kind was done. */
#define GMS_OTF2_NOTHING UINT32_MAX

unsigned gms_otf2_location_of(const gms_trace_t *trace,
                              const gms_trace_item_t *item);
/** Its number in the archive. Those of threads are as Score-P has them, thread
 *  << 32 | rank: there are programs that take a rank for the number of its first
 *  thread. [source: ViTE 1.2 does, and ends when it finds none] */
uint64_t gms_otf2_number(const gms_trace_t *trace, unsigned location);
/** The item in a place of the order. */
void gms_otf2_item(const gms_otf2_t *otf2, uint64_t position,
                   gms_trace_item_t *item, const char **text_p);
/** NULL: only one of its ends is shown. */
const gms_otf2_message_t *gms_otf2_find(const gms_otf2_t *otf2, uint64_t id);
/** Which of the things an item is. */
unsigned gms_otf2_thing(const gms_trace_item_t *item);
/** 1 if there is something to read of a location, be it nothing. */
int gms_otf2_is_defined(const gms_otf2_t *otf2, unsigned location);
/** Number the regions that items are in, in an order that does not depend on who
 *  was first in real time. */
void gms_otf2_number_regions(gms_otf2_t *otf2);

/** Definitions that events name are numbered before, the others after.
 *  @return OTF2_SUCCESS, or the library's error */
OTF2_ErrorCode gms_otf2_write_events(gms_otf2_t *otf2);
OTF2_ErrorCode gms_otf2_write_definitions(gms_otf2_t *otf2);

/** Give the archive in a folder, closed, an identifier that its definitions make.
 *  @return 0; -1: the old one is not there */
int gms_otf2_replace_id(const char *directory);

#endif
