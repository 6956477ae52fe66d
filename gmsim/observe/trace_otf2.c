/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Output format `otf2`: stores items during the run, sorts them by location at
 * the end, joins both ends of every message, and writes the archive. Without
 * the OTF2 library, this file is empty.
 */
#include "config.h"

#ifdef HAVE_OTF2

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/directory.h"
#include "observe/trace_otf2.h"

/* ---- during the run ---- */

static void gms_trace_otf2_item(gms_tracer_t *tracer, unsigned output,
                                const gms_trace_item_t *item, const char *text)
{
    unsigned char line[sizeof(gms_otf2_record_t) + 512];
    gms_otf2_record_t record;
    size_t len = text != NULL ? strlen(text) + 1 : 0;

    memset(&record, 0, sizeof(record));
    record.item = *item;
    if (len > sizeof(line) - sizeof(record)) {
        len = sizeof(line) - sizeof(record);
    }
    record.text_bytes = (uint32_t)len;
    memcpy(line, &record, sizeof(record));
    if (len > 0) {
        memcpy(line + sizeof(record), text, len - 1);
        line[sizeof(record) + len - 1] = '\0';
    }
    gms_trace_add(tracer, output, line, sizeof(record) + len);
}

/* ---- order ---- */

unsigned gms_otf2_location_of(const gms_trace_t *trace,
                              const gms_trace_item_t *item)
{
    const gms_trace_subject_t *subject = &trace->subject;
    unsigned cards = subject->ranks * GMS_TRACE_THREADS;
    unsigned others = cards + subject->nodes * (GMS_TRACE_PARTS + 1);

    switch ((enum gms_trace_line)item->line) {
    case GMS_TRACE_OF_RANK:
        return item->number * GMS_TRACE_THREADS + item->part;
    case GMS_TRACE_OF_NIC:
        return cards + item->number * (GMS_TRACE_PARTS + 1) +
               (item->flow != NULL ? (unsigned)GMS_TRACE_PARTS : item->part);
    case GMS_TRACE_OF_MANAGER:
        break;
    case GMS_TRACE_OF_FAULTS:
        return others + 1;
    }
    return others;
}

uint64_t gms_otf2_number(const gms_trace_t *trace, unsigned location)
{
    const gms_trace_subject_t *subject = &trace->subject;
    unsigned cards = subject->ranks * GMS_TRACE_THREADS;
    unsigned others = cards + subject->nodes * (GMS_TRACE_PARTS + 1);
    uint64_t group, line;

    if (location < cards) {
        group = location / GMS_TRACE_THREADS;
        line = location % GMS_TRACE_THREADS;
    } else if (location < others) {
        group = subject->ranks + (location - cards) / (GMS_TRACE_PARTS + 1);
        line = (location - cards) % (GMS_TRACE_PARTS + 1);
    } else {
        group = subject->ranks + subject->nodes;
        line = location - others;
    }
    return line << 32 | group;
}

static uint64_t gms_otf2_record_at(const gms_otf2_t *otf2, uint64_t at,
                                   gms_otf2_record_t *record)
{
    memcpy(record, otf2->data + at, sizeof(*record));
    return at + sizeof(*record) + record->text_bytes;
}

void gms_otf2_item(const gms_otf2_t *otf2, uint64_t position,
                   gms_trace_item_t *item, const char **text_p)
{
    gms_otf2_record_t record;

    (void)gms_otf2_record_at(otf2, otf2->order[position], &record);
    *item = record.item;
    *text_p = record.text_bytes > 0 ? (const char *)otf2->data +
                                          otf2->order[position] + sizeof(record)
                                    : NULL;
}

/* Sort the items by location. Items of the same location keep their order.
 * Items of flows may be stored after items with a later time.
 * gms_otf2_write_location() sorts these items by time. */
static int gms_otf2_sort(gms_otf2_t *otf2)
{
    gms_otf2_record_t record;
    uint64_t at, next = 0;
    unsigned i;

    for (at = 0; at < otf2->bytes;) {
        at = gms_otf2_record_at(otf2, at, &record);
        ++otf2->items;
        ++otf2->location[gms_otf2_location_of(otf2->trace, &record.item)].items;
        if (record.item.end_ps > otf2->end_ps) {
            otf2->end_ps = record.item.end_ps;
        }
    }
    otf2->order = malloc((otf2->items + 1) * sizeof(*otf2->order));
    if (otf2->order == NULL) {
        return -1;
    }
    for (i = 0; i < otf2->locations; ++i) {
        otf2->location[i].first = next;
        next += otf2->location[i].items;
        otf2->location[i].items = 0;
    }
    for (at = 0; at < otf2->bytes;) {
        uint64_t here = at;
        gms_otf2_location_t *location;

        at = gms_otf2_record_at(otf2, at, &record);
        location =
            &otf2->location[gms_otf2_location_of(otf2->trace, &record.item)];
        otf2->order[location->first + location->items++] = here;
    }
    return 0;
}

/* ---- messages ---- */

static int gms_otf2_by_id(const void *a, const void *b)
{
    uint64_t one = ((const gms_otf2_message_t *)a)->id;
    uint64_t two = ((const gms_otf2_message_t *)b)->id;

    return (one > two) - (one < two);
}

/* Join the two ends of every message, which are adjacent after sorting. */
static void gms_otf2_join(gms_otf2_t *otf2)
{
    uint64_t i, joined = 0;

    for (i = 0; i + 1 < otf2->message_count; ++i) {
        gms_otf2_message_t *one = &otf2->messages[i], *two = one + 1;

        if (one->id == two->id && one->is_sent != two->is_sent) {
            const gms_otf2_message_t *sent = one->is_sent ? one : two;
            gms_otf2_message_t both = *sent;

            both.to = (one->is_sent ? two : one)->to;
            both.is_received = 1;
            otf2->messages[joined++] = both;
            ++i;
        }
    }
    otf2->message_count = joined;
}

static int gms_otf2_collect(gms_otf2_t *otf2)
{
    gms_otf2_record_t record;
    uint64_t at;

    otf2->messages = malloc((otf2->items + 1) * sizeof(*otf2->messages));
    if (otf2->messages == NULL) {
        return -1;
    }
    for (at = 0; at < otf2->bytes;) {
        const gms_trace_item_t *item = &record.item;
        gms_otf2_message_t *new = &otf2->messages[otf2->message_count];

        at = gms_otf2_record_at(otf2, at, &record);
        if (item->id == 0 ||
            (item->kind != GMS_TRACE_SEND && item->kind != GMS_TRACE_RECEIVE)) {
            continue;
        }
        memset(new, 0, sizeof(*new));
        new->id = item->id;
        new->from = new->to = item->number;
        new->bytes = item->value[2];
        if (item->kind == GMS_TRACE_SEND) {
            new->is_sent = 1;
            /* Messages with the same tag arrive in the order in which they were
             * sent. */
            new->tag = item->value[3] * GMS_NIC_PRIORITIES + item->value[5];
        }
        ++otf2->message_count;
    }
    qsort(otf2->messages, otf2->message_count, sizeof(*otf2->messages),
          gms_otf2_by_id);
    gms_otf2_join(otf2);
    return 0;
}

const gms_otf2_message_t *gms_otf2_find(const gms_otf2_t *otf2, uint64_t id)
{
    gms_otf2_message_t key = {.id = id};

    return id == 0 ? NULL
                   : bsearch(&key, otf2->messages, otf2->message_count,
                             sizeof(*otf2->messages), gms_otf2_by_id);
}

/* ---- the archive ---- */

static OTF2_FlushType gms_otf2_pre_flush(void *context, OTF2_FileType type,
                                         OTF2_LocationRef location,
                                         void *caller, bool is_final)
{
    (void)context;
    (void)type;
    (void)location;
    (void)caller;
    (void)is_final;
    return OTF2_FLUSH;
}

static OTF2_ErrorCode gms_otf2_on_error(void *context, const char *file,
                                        uint64_t line, const char *function,
                                        OTF2_ErrorCode code, const char *format,
                                        va_list args)
{
    (void)context;
    (void)file;
    (void)line;
    (void)function;
    (void)format;
    (void)args;
    return code; /* gms_otf2_convert() reports the error once */
}

static OTF2_ErrorCode gms_otf2_write_archive(gms_otf2_t *otf2,
                                             const char *directory)
{
    static const OTF2_FlushCallbacks flush = {.otf2_pre_flush =
                                                  gms_otf2_pre_flush};
    OTF2_ErrorCode code, closed;

    otf2->archive = OTF2_Archive_Open(
        directory, "traces", OTF2_FILEMODE_WRITE,
        OTF2_CHUNK_SIZE_EVENTS_DEFAULT, OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT,
        OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (otf2->archive == NULL) {
        return OTF2_ERROR_FILE_CAN_NOT_OPEN;
    }
    code = OTF2_Archive_SetFlushCallbacks(otf2->archive, &flush, NULL);
    if (code == OTF2_SUCCESS) {
        code = OTF2_Archive_SetSerialCollectiveCallbacks(otf2->archive);
    }
    if (code == OTF2_SUCCESS) {
        code = OTF2_Archive_SetCreator(otf2->archive, "gmqos " GMQOS_VERSION);
    }
    if (code == OTF2_SUCCESS) {
        code = gms_otf2_write_events(otf2);
    }
    if (code == OTF2_SUCCESS) {
        code = gms_otf2_write_definitions(otf2);
    }
    closed = OTF2_Archive_Close(otf2->archive);
    code = code == OTF2_SUCCESS ? closed : code;
    if (code == OTF2_SUCCESS) {
        /* if this fails, the archive is valid, but differs from run to run */
        (void)gms_otf2_replace_id(directory);
    }
    return code;
}

/* ---- end of the run ---- */

/* Return the current path of the spool's directory, because the program may
 * have changed its working directory. */
static int gms_otf2_folder(int file, char directory[PATH_MAX])
{
    char link[64];

    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
    return gms_directory_of_link(link, directory);
}

static int gms_otf2_map(gms_otf2_t *otf2, const char *spool)
{
    int file = open(spool, O_RDONLY | O_CLOEXEC);
    struct stat found;
    void *data;

    if (file < 0 || fstat(file, &found) != 0) {
        return -1;
    }
    otf2->bytes = (size_t)found.st_size;
    if (otf2->bytes > 0) {
        data = mmap(NULL, otf2->bytes, PROT_READ, MAP_PRIVATE, file, 0);
        otf2->data = data == MAP_FAILED ? NULL : data;
    }
    (void)close(file);
    return otf2->bytes > 0 && otf2->data == NULL ? -1 : 0;
}

static void gms_otf2_cleanup(gms_otf2_t *otf2)
{
    if (otf2->data != NULL) {
        (void)munmap((void *)(uintptr_t)otf2->data, otf2->bytes);
    }
    free(otf2->order);
    free(otf2->location);
    free(otf2->messages);
    free(otf2->region);
}

static gms_status_t gms_otf2_convert(gms_otf2_t *otf2, const char *directory,
                                     const char *spool,
                                     char error[GMS_TRACE_ERROR_LEN])
{
    const gms_trace_subject_t *subject = &otf2->trace->subject;
    OTF2_ErrorCode code;

    otf2->locations = subject->ranks * GMS_TRACE_THREADS +
                      subject->nodes * (GMS_TRACE_PARTS + 1) + 2;
    otf2->location = calloc(otf2->locations, sizeof(*otf2->location));
    otf2->region = calloc(GMS_OTF2_THINGS, sizeof(*otf2->region));
    if (otf2->location == NULL || otf2->region == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    if (gms_otf2_map(otf2, spool) != 0) {
        (void)snprintf(error, GMS_TRACE_ERROR_LEN, "cannot read '%.300s': %s",
                       spool, strerror(errno));
        return GMS_ERR_SYSTEM;
    }
    if (gms_otf2_sort(otf2) != 0 || gms_otf2_collect(otf2) != 0) {
        return GMS_ERR_NO_MEMORY;
    }
    code = gms_otf2_write_archive(otf2, directory);
    if (code != OTF2_SUCCESS) {
        (void)snprintf(error, GMS_TRACE_ERROR_LEN,
                       "cannot write the OTF2 archive '%.300s': %s", directory,
                       OTF2_Error_GetDescription(code));
        return GMS_ERR_SYSTEM;
    }
    return GMS_OK;
}

static gms_status_t gms_trace_otf2_end(gms_ctx_t *ctx, gms_tracer_t *tracer,
                                       unsigned output,
                                       char error[GMS_TRACE_ERROR_LEN])
{
    char directory[PATH_MAX], spool[PATH_MAX + 16];
    gms_otf2_t otf2 = {.trace = tracer->trace};
    gms_status_t status;

    (void)ctx;
    gms_trace_flush(tracer, output);
    if (tracer->trace->out[output]->error != 0) {
        return GMS_OK; /* the caller reports the error */
    }
    if (gms_otf2_folder(tracer->files[output], directory) != 0) {
        (void)snprintf(error, GMS_TRACE_ERROR_LEN, "cannot find '%.300s'",
                       tracer->config->path[output]);
        return GMS_ERR_SYSTEM;
    }
    (void)snprintf(spool, sizeof(spool), "%s/" GMS_TRACE_SPOOL, directory);
    (void)OTF2_Error_RegisterCallback(gms_otf2_on_error, NULL);
    status = gms_otf2_convert(&otf2, directory, spool, error);
    gms_otf2_cleanup(&otf2);
    if (status == GMS_OK) {
        (void)unlink(spool);
    }
    return status;
}

const gms_trace_ops_t gms_trace_otf2_ops = {
    .name = "otf2",
    .ending = ".otf2",
    .shows = GMS_TRACE_ALL & ~GMS_TRACE_PACKET,
    .is_directory = 1,
    .item = gms_trace_otf2_item,
    .end = gms_trace_otf2_end,
};

#else

/* ISO C requires a declaration in every file. */
typedef int gms_trace_otf2_is_not_built_t;

#endif
