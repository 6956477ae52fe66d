/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the definitions of an OTF2 archive: strings, regions (functions), the
 * tree of hosts, ranks and NICs, communicators and metrics. Without the OTF2
 * library, this file is empty.
 */
#include "config.h"

#ifdef HAVE_OTF2

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe/trace_otf2.h"

#define GMS_OTF2_TRY(code_, call_)                                             \
    do {                                                                       \
        if ((code_) == OTF2_SUCCESS) {                                         \
            (code_) = (call_);                                                 \
        }                                                                      \
    } while (0)

static OTF2_ErrorCode gms_otf2_string(gms_otf2_t *otf2, const char *text,
                                      OTF2_StringRef *string_p)
{
    *string_p = otf2->strings++;
    return OTF2_GlobalDefWriter_WriteString(otf2->defs, *string_p, text);
}

/* ---- regions ---- */

/* A region that is not an MPI function: its name (or ""), and its number among
 * the regions of the same kind of item. */
typedef struct gms_otf2_region {
    const char *name;
    uint32_t number;
} gms_otf2_region_t;

static gms_otf2_region_t gms_otf2_region(const gms_trace_item_t *item)
{
    const uint32_t *value = item->value;
    int is_write =
        value[0] == GMS_JOB_START_HOST_DMA && value[1] != GMS_DMA_SEND;

    switch ((enum gms_trace_kind)item->kind) {
    case GMS_TRACE_SEND:
        return (gms_otf2_region_t){gms_trace_send_name(item), value[4]};
    case GMS_TRACE_RECEIVE:
        return (gms_otf2_region_t){"gm_receive", 0};
    case GMS_TRACE_CALLBACK:
        return (gms_otf2_region_t){"callback", 0};
    case GMS_TRACE_JOB:
        return (gms_otf2_region_t){gms_trace_job_name(item),
                                   2 * value[0] + (uint32_t)is_write};
    case GMS_TRACE_TRANSFER:
        return (gms_otf2_region_t){gms_trace_transfer_name(item), value[0]};
    case GMS_TRACE_LINK_OUT:
    case GMS_TRACE_LINK_IN:
        return (gms_otf2_region_t){gms_trace_type_name(value[1]), value[1]};
    case GMS_TRACE_ENTER:
    case GMS_TRACE_LEAVE:
    case GMS_TRACE_FLOW_IDT:
    case GMS_TRACE_FLOW_RATE:
    case GMS_TRACE_DECISION:
    case GMS_TRACE_BROKEN:
    case GMS_TRACE_KINDS:
        break;
    }
    return (gms_otf2_region_t){"", 0};
}

unsigned gms_otf2_thing(const gms_trace_item_t *item)
{
    if (item->kind == GMS_TRACE_ENTER || item->kind == GMS_TRACE_LEAVE) {
        return item->name;
    }
    return GMS_TRACE_NAMES + item->kind * GMS_OTF2_PER_KIND +
           gms_otf2_region(item).number;
}

/* Number the MPI functions in the order of their names. */
static void gms_otf2_number_names(gms_otf2_t *otf2)
{
    const gms_trace_t *trace = otf2->trace;
    uint32_t i, j;

    for (i = 0; i < trace->names; ++i) {
        if (otf2->region[i] == GMS_OTF2_NOTHING) {
            continue;
        }
        otf2->region[i] = 0;
        for (j = 0; j < trace->names; ++j) {
            otf2->region[i] += otf2->region[j] != GMS_OTF2_NOTHING &&
                               strcmp(trace->name[j], trace->name[i]) < 0;
        }
        ++otf2->regions;
    }
}

void gms_otf2_number_regions(gms_otf2_t *otf2)
{
    gms_trace_item_t item;
    const char *text;
    uint32_t thing;
    uint64_t i;

    for (thing = 0; thing < GMS_OTF2_THINGS; ++thing) {
        otf2->region[thing] = GMS_OTF2_NOTHING;
    }
    for (i = 0; i < otf2->items; ++i) {
        gms_otf2_item(otf2, i, &item, &text);
        if (item.kind == GMS_TRACE_ENTER ||
            gms_otf2_region(&item).name[0] != '\0') {
            otf2->region[gms_otf2_thing(&item)] = 0;
        }
    }
    gms_otf2_number_names(otf2);
    for (thing = GMS_TRACE_NAMES; thing < GMS_OTF2_THINGS; ++thing) {
        if (otf2->region[thing] != GMS_OTF2_NOTHING) {
            otf2->region[thing] = otf2->regions++;
        }
    }
}

static OTF2_ErrorCode gms_otf2_write_region(gms_otf2_t *otf2, uint32_t region,
                                            const char *name,
                                            OTF2_Paradigm paradigm)
{
    OTF2_StringRef string;
    OTF2_ErrorCode code = gms_otf2_string(otf2, name, &string);

    GMS_OTF2_TRY(code,
                 OTF2_GlobalDefWriter_WriteRegion(
                     otf2->defs, region, string, string, OTF2_UNDEFINED_STRING,
                     OTF2_REGION_ROLE_FUNCTION, paradigm, OTF2_REGION_FLAG_NONE,
                     OTF2_UNDEFINED_STRING, 0, 0));
    return code;
}

/* Create an item from a region, to determine the region's name. */
static gms_trace_item_t gms_otf2_sample(unsigned thing)
{
    unsigned kind = (thing - GMS_TRACE_NAMES) / GMS_OTF2_PER_KIND;
    unsigned which = (thing - GMS_TRACE_NAMES) % GMS_OTF2_PER_KIND;
    gms_trace_item_t item = {.kind = (uint8_t)kind};

    if (kind == GMS_TRACE_SEND) {
        item.value[4] = which;
    } else if (kind == GMS_TRACE_JOB) {
        item.value[0] = which / 2;
        item.value[1] = which % 2 == 0 ? GMS_DMA_SEND : GMS_DMA_DATA;
    } else if (kind == GMS_TRACE_TRANSFER) {
        item.value[0] = which;
    } else {
        item.value[1] = which;
    }
    return item;
}

static OTF2_ErrorCode gms_otf2_write_regions(gms_otf2_t *otf2)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;
    uint32_t region, thing;

    for (region = 0; code == OTF2_SUCCESS && region < otf2->regions; ++region) {
        for (thing = 0; otf2->region[thing] != region; ++thing) {
        }
        if (thing < GMS_TRACE_NAMES) {
            code = gms_otf2_write_region(otf2, region, otf2->trace->name[thing],
                                         OTF2_PARADIGM_MPI);
        } else {
            gms_trace_item_t item = gms_otf2_sample(thing);

            code = gms_otf2_write_region(
                otf2, region, gms_otf2_region(&item).name,
                item.kind < GMS_TRACE_JOB ? OTF2_PARADIGM_USER
                                          : OTF2_PARADIGM_HARDWARE);
        }
    }
    return code;
}

int gms_otf2_is_defined(const gms_otf2_t *otf2, unsigned location)
{
    unsigned cards = otf2->trace->subject.ranks * GMS_TRACE_THREADS;

    return otf2->location[location].items > 0 ||
           (location < cards && location % GMS_TRACE_THREADS == 0) ||
           location >= otf2->locations - 2;
}

/* ---- the system ---- */

static OTF2_ErrorCode gms_otf2_write_node(gms_otf2_t *otf2,
                                          OTF2_SystemTreeNodeRef self,
                                          const char *name, const char *what,
                                          OTF2_SystemTreeNodeRef parent)
{
    OTF2_StringRef strings[2];
    OTF2_ErrorCode code = gms_otf2_string(otf2, name, &strings[0]);

    GMS_OTF2_TRY(code, gms_otf2_string(otf2, what, &strings[1]));
    GMS_OTF2_TRY(code, OTF2_GlobalDefWriter_WriteSystemTreeNode(
                           otf2->defs, self, strings[0], strings[1], parent));
    return code;
}

static OTF2_ErrorCode gms_otf2_write_group(gms_otf2_t *otf2,
                                           OTF2_LocationGroupRef self,
                                           const char *name,
                                           OTF2_LocationGroupType type,
                                           OTF2_SystemTreeNodeRef node)
{
    OTF2_StringRef string;
    OTF2_ErrorCode code = gms_otf2_string(otf2, name, &string);

    GMS_OTF2_TRY(code, OTF2_GlobalDefWriter_WriteLocationGroup(
                           otf2->defs, self, string, type, node,
                           OTF2_UNDEFINED_LOCATION_GROUP));
    return code;
}

static OTF2_ErrorCode gms_otf2_write_line(gms_otf2_t *otf2, unsigned location,
                                          const char *name,
                                          OTF2_LocationType type,
                                          OTF2_LocationGroupRef group)
{
    OTF2_StringRef string;
    OTF2_ErrorCode code = gms_otf2_string(otf2, name, &string);

    GMS_OTF2_TRY(code,
                 OTF2_GlobalDefWriter_WriteLocation(
                     otf2->defs, gms_otf2_number(otf2->trace, location), string,
                     type, otf2->location[location].events, group));
    return code;
}

/* Define the threads of a rank. The first thread is always defined, because
 * communicators consist of first threads. */
static OTF2_ErrorCode gms_otf2_write_rank(gms_otf2_t *otf2, unsigned rank)
{
    const gms_trace_slot_t *slot = &otf2->trace->subject.slots[rank];
    char name[64];
    unsigned thread;
    OTF2_ErrorCode code;

    (void)snprintf(name, sizeof(name), "rank %u", rank);
    code = gms_otf2_write_group(
        otf2, rank, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, slot->node + 1);
    for (thread = 0; thread < GMS_TRACE_THREADS; ++thread) {
        unsigned location = rank * GMS_TRACE_THREADS + thread;

        if (gms_otf2_is_defined(otf2, location)) {
            (void)snprintf(name, sizeof(name), "thread %u", thread);
            GMS_OTF2_TRY(
                code, gms_otf2_write_line(otf2, location, name,
                                          OTF2_LOCATION_TYPE_CPU_THREAD, rank));
        }
    }
    return code;
}

static OTF2_ErrorCode gms_otf2_write_card(gms_otf2_t *otf2, unsigned node)
{
    const gms_trace_subject_t *subject = &otf2->trace->subject;
    unsigned first =
        subject->ranks * GMS_TRACE_THREADS + node * (GMS_TRACE_PARTS + 1);
    OTF2_ErrorCode code = OTF2_SUCCESS;
    char name[64];
    unsigned classes = gms_fabric_classes(subject->fabric), part;
    int has_group = 0;

    (void)snprintf(name, sizeof(name), "NIC of node %u", node + 1);
    for (part = 0; part <= GMS_TRACE_PARTS; ++part) {
        if (!gms_otf2_is_defined(otf2, first + part)) {
            continue;
        }
        if (!has_group) {
            GMS_OTF2_TRY(
                code, gms_otf2_write_group(otf2, otf2->groups++, name,
                                           OTF2_LOCATION_GROUP_TYPE_ACCELERATOR,
                                           node + 1));
            has_group = 1;
        }
        GMS_OTF2_TRY(code, gms_otf2_write_line(
                               otf2, first + part,
                               part < GMS_TRACE_PARTS
                                   ? gms_trace_part_name(part, classes)
                                   : "flows",
                               part < GMS_TRACE_PARTS
                                   ? OTF2_LOCATION_TYPE_ACCELERATOR_STREAM
                                   : OTF2_LOCATION_TYPE_METRIC,
                               otf2->groups - 1));
    }
    return code;
}

static OTF2_ErrorCode gms_otf2_write_cluster(gms_otf2_t *otf2)
{
    OTF2_LocationGroupRef group = otf2->groups++;
    unsigned first = otf2->locations - 2;
    OTF2_ErrorCode code = gms_otf2_write_group(
        otf2, group, "cluster", OTF2_LOCATION_GROUP_TYPE_PROCESS, 0);

    GMS_OTF2_TRY(code,
                 gms_otf2_write_line(otf2, first, "manager",
                                     OTF2_LOCATION_TYPE_CPU_THREAD, group));
    GMS_OTF2_TRY(code,
                 gms_otf2_write_line(otf2, first + 1, "faults",
                                     OTF2_LOCATION_TYPE_CPU_THREAD, group));
    return code;
}

/* Return 1 if a rank runs on a node or if a location of the node is defined,
 * otherwise 0. The archive omits all other nodes, because a large cluster has
 * many of them. */
static int gms_otf2_node_is_used(const gms_otf2_t *otf2, unsigned node)
{
    const gms_trace_subject_t *subject = &otf2->trace->subject;
    unsigned first =
        subject->ranks * GMS_TRACE_THREADS + node * (GMS_TRACE_PARTS + 1);
    unsigned i;

    for (i = 0; i < subject->ranks; ++i) {
        if (subject->slots[i].node == node) {
            return 1;
        }
    }
    for (i = 0; i <= GMS_TRACE_PARTS; ++i) {
        if (gms_otf2_is_defined(otf2, first + i)) {
            return 1;
        }
    }
    return 0;
}

static OTF2_ErrorCode gms_otf2_write_system(gms_otf2_t *otf2)
{
    const gms_trace_subject_t *subject = &otf2->trace->subject;
    OTF2_ErrorCode code = gms_otf2_write_node(otf2, 0, "cluster", "machine",
                                              OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    char name[64];
    unsigned i;

    for (i = 0; i < subject->nodes; ++i) {
        if (gms_otf2_node_is_used(otf2, i)) {
            (void)snprintf(name, sizeof(name), "node %u", i + 1);
            GMS_OTF2_TRY(code,
                         gms_otf2_write_node(otf2, i + 1, name, "node", 0));
        }
    }
    for (i = 0; i < subject->ranks; ++i) {
        GMS_OTF2_TRY(code, gms_otf2_write_rank(otf2, i));
    }
    otf2->groups = subject->ranks;
    for (i = 0; i < subject->nodes; ++i) {
        GMS_OTF2_TRY(code, gms_otf2_write_card(otf2, i));
    }
    GMS_OTF2_TRY(code, gms_otf2_write_cluster(otf2));
    return code;
}

/* ---- definitions that events refer to ---- */

static OTF2_ErrorCode gms_otf2_write_comm(gms_otf2_t *otf2)
{
    unsigned ranks = otf2->trace->subject.ranks, rank;
    uint64_t *members = malloc(ranks * sizeof(*members));
    OTF2_StringRef string;
    OTF2_ErrorCode code;

    if (members == NULL) {
        return OTF2_ERROR_MEM_ALLOC_FAILED;
    }
    code = gms_otf2_string(otf2, "GM messages", &string);
    for (rank = 0; rank < ranks; ++rank) {
        members[rank] = gms_otf2_number(otf2->trace, rank * GMS_TRACE_THREADS);
    }
    GMS_OTF2_TRY(code,
                 OTF2_GlobalDefWriter_WriteGroup(
                     otf2->defs, 0, string, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                     OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, ranks, members));
    for (rank = 0; rank < ranks; ++rank) {
        members[rank] = rank;
    }
    GMS_OTF2_TRY(code,
                 OTF2_GlobalDefWriter_WriteGroup(
                     otf2->defs, 1, string, OTF2_GROUP_TYPE_COMM_GROUP,
                     OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, ranks, members));
    GMS_OTF2_TRY(code, OTF2_GlobalDefWriter_WriteComm(
                           otf2->defs, GMS_OTF2_COMM, string, 1,
                           OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    free(members);
    return code;
}

static OTF2_ErrorCode gms_otf2_write_metric(gms_otf2_t *otf2, uint32_t metric,
                                            const char *name, const char *unit,
                                            OTF2_MetricMode mode)
{
    OTF2_StringRef strings[2];
    OTF2_ErrorCode code = gms_otf2_string(otf2, name, &strings[0]);

    GMS_OTF2_TRY(code, gms_otf2_string(otf2, unit, &strings[1]));
    GMS_OTF2_TRY(code, OTF2_GlobalDefWriter_WriteMetricMember(
                           otf2->defs, metric, strings[0],
                           OTF2_UNDEFINED_STRING, OTF2_METRIC_TYPE_OTHER, mode,
                           OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0, strings[1]));
    GMS_OTF2_TRY(code,
                 OTF2_GlobalDefWriter_WriteMetricClass(
                     otf2->defs, metric, 1, &metric, OTF2_METRIC_ASYNCHRONOUS,
                     OTF2_RECORDER_KIND_ABSTRACT));
    return code;
}

static OTF2_ErrorCode gms_otf2_write_metrics(gms_otf2_t *otf2)
{
    const gms_trace_flow_t *flow = otf2->trace->known_flows.first;
    OTF2_ErrorCode code = OTF2_SUCCESS;

    for (; code == OTF2_SUCCESS && flow != NULL; flow = flow->next) {
        char name[GMS_TRACE_FLOW_LEN], text[GMS_TRACE_FLOW_LEN + 16];

        gms_trace_flow_text(flow->flow, name);
        (void)snprintf(text, sizeof(text), "bandwidth %s", name);
        code = gms_otf2_write_metric(otf2, 2 * flow->number, text, "B/s",
                                     OTF2_METRIC_ABSOLUTE_NEXT);
        (void)snprintf(text, sizeof(text), "IDT %s", name);
        GMS_OTF2_TRY(code,
                     gms_otf2_write_metric(otf2, 2 * flow->number + 1, text,
                                           "ticks", OTF2_METRIC_ABSOLUTE_NEXT));
    }
    return code;
}

/* Define the strings of trace items, in the order in which their events are
 * written. */
static OTF2_ErrorCode gms_otf2_write_texts(gms_otf2_t *otf2)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;
    OTF2_StringRef string;
    unsigned i;

    for (i = otf2->locations - 2; i < otf2->locations; ++i) {
        const gms_otf2_location_t *location = &otf2->location[i];
        uint64_t j;

        for (j = 0; code == OTF2_SUCCESS && j < location->items; ++j) {
            gms_trace_item_t item;
            const char *text;

            gms_otf2_item(otf2, location->first + j, &item, &text);
            if (text != NULL) {
                code = gms_otf2_string(otf2, text, &string);
            }
        }
    }
    return code;
}

static OTF2_ErrorCode gms_otf2_write_parameters(gms_otf2_t *otf2)
{
    OTF2_StringRef decision, fault;
    OTF2_ErrorCode code = gms_otf2_string(otf2, "decision", &decision);

    GMS_OTF2_TRY(code, gms_otf2_string(otf2, "fault", &fault));
    GMS_OTF2_TRY(code, OTF2_GlobalDefWriter_WriteParameter(
                           otf2->defs, GMS_OTF2_DECISION, decision,
                           OTF2_PARAMETER_TYPE_STRING));
    GMS_OTF2_TRY(code, OTF2_GlobalDefWriter_WriteParameter(
                           otf2->defs, GMS_OTF2_FAULT, fault,
                           OTF2_PARAMETER_TYPE_STRING));
    return code;
}

/* Create an empty file of local definitions for each location. */
static OTF2_ErrorCode gms_otf2_write_local(gms_otf2_t *otf2)
{
    OTF2_ErrorCode code = OTF2_Archive_OpenDefFiles(otf2->archive);
    unsigned i;

    for (i = 0; code == OTF2_SUCCESS && i < otf2->locations; ++i) {
        if (gms_otf2_is_defined(otf2, i)) {
            OTF2_DefWriter *local = OTF2_Archive_GetDefWriter(
                otf2->archive, gms_otf2_number(otf2->trace, i));

            code = local == NULL
                       ? OTF2_ERROR_MEM_ALLOC_FAILED
                       : OTF2_Archive_CloseDefWriter(otf2->archive, local);
        }
    }
    GMS_OTF2_TRY(code, OTF2_Archive_CloseDefFiles(otf2->archive));
    return code;
}

OTF2_ErrorCode gms_otf2_write_definitions(gms_otf2_t *otf2)
{
    OTF2_ErrorCode code = gms_otf2_write_local(otf2);

    if (code == OTF2_SUCCESS) {
        otf2->defs = OTF2_Archive_GetGlobalDefWriter(otf2->archive);
        code = otf2->defs == NULL ? OTF2_ERROR_MEM_ALLOC_FAILED : code;
    }
    GMS_OTF2_TRY(code, OTF2_GlobalDefWriter_WriteClockProperties(
                           otf2->defs, GMS_SECOND, 0, otf2->end_ps,
                           OTF2_UNDEFINED_TIMESTAMP));
    GMS_OTF2_TRY(code, gms_otf2_write_texts(otf2));
    GMS_OTF2_TRY(code, gms_otf2_write_system(otf2));
    GMS_OTF2_TRY(code, gms_otf2_write_regions(otf2));
    GMS_OTF2_TRY(code, gms_otf2_write_comm(otf2));
    GMS_OTF2_TRY(code, gms_otf2_write_metrics(otf2));
    GMS_OTF2_TRY(code, gms_otf2_write_parameters(otf2));
    return code;
}

#endif

/* ISO C requires a declaration in every file. */
typedef int gms_trace_otf2_definitions_t;
