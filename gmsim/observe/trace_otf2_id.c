/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * OTF2 gives every archive an identifier that depends on the time of day. This
 * file replaces the identifier with a checksum of the archive's definitions,
 * because two identical runs must write the same bytes.
 */
#include "config.h"

#ifdef HAVE_OTF2

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/checksum.h"
#include "observe/trace_otf2.h"

/* Maximum size of the anchor file, which usually has only a few hundred
 * bytes. */
#define GMS_OTF2_ANCHOR_BYTES 4096u

/* Find the identifier in either byte order.
 * @return the identifier's offset; -1 if the identifier does not occur exactly
 *   once */
static ssize_t gms_otf2_find_id(const unsigned char *anchor, size_t bytes,
                                uint64_t id, int *is_reversed_p)
{
    unsigned char digits[2][8];
    ssize_t found = -1;
    size_t at;
    unsigned i;

    for (i = 0; i < 8; ++i) {
        digits[0][i] = digits[1][7 - i] = (unsigned char)(id >> 8 * i);
    }
    for (at = 0; at + 8 <= bytes; ++at) {
        for (i = 0; i < 2; ++i) {
            if (memcmp(anchor + at, digits[i], 8) == 0) {
                if (found >= 0) {
                    return -1;
                }
                found = (ssize_t)at;
                *is_reversed_p = (int)i;
            }
        }
    }
    return found;
}

/* Compute the identifier from the definitions, which contain all names and the
 * number of events of each location. */
static int gms_otf2_make_id(const char *directory, uint64_t *id_p)
{
    char path[PATH_MAX + 16], block[4096];
    size_t bytes;
    FILE *file;
    int failed;

    (void)snprintf(path, sizeof(path), "%s/traces.def", directory);
    file = fopen(path, "re");
    if (file == NULL) {
        return -1;
    }
    *id_p = 0;
    while ((bytes = fread(block, 1, sizeof(block), file)) > 0) {
        *id_p = gms_checksum(*id_p, block, bytes);
    }
    failed = ferror(file);
    (void)fclose(file);
    return failed ? -1 : 0;
}

/* Read the identifier through an OTF2 reader, because the OTF2 writer does not
 * return it. */
static int gms_otf2_read_id(const char *anchor, uint64_t *id_p)
{
    OTF2_Reader *reader = OTF2_Reader_Open(anchor);
    OTF2_ErrorCode code;

    if (reader == NULL) {
        return -1;
    }
    code = OTF2_Reader_GetTraceId(reader, id_p);
    (void)OTF2_Reader_Close(reader);
    return code == OTF2_SUCCESS ? 0 : -1;
}

int gms_otf2_replace_id(const char *directory)
{
    uint64_t old_id, new_id;

    unsigned char anchor[GMS_OTF2_ANCHOR_BYTES], digits[8];
    char path[PATH_MAX + 16];
    int file, is_reversed = 0, result = -1;
    ssize_t bytes, at;
    unsigned i;

    (void)snprintf(path, sizeof(path), "%s/" GMS_TRACE_ANCHOR, directory);
    if (gms_otf2_make_id(directory, &new_id) != 0 ||
        gms_otf2_read_id(path, &old_id) != 0) {
        return -1;
    }
    file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) {
        return -1;
    }
    bytes = pread(file, anchor, sizeof(anchor), 0);
    at = bytes > 0
             ? gms_otf2_find_id(anchor, (size_t)bytes, old_id, &is_reversed)
             : -1;
    for (i = 0; i < 8; ++i) {
        digits[is_reversed ? 7 - i : i] = (unsigned char)(new_id >> 8 * i);
    }
    if (at >= 0) {
        result = pwrite(file, digits, 8, at) == 8 ? 0 : -1;
    }
    return close(file) != 0 ? -1 : result;
}

#else

/* ISO C requires a declaration in every file. */
typedef int gms_trace_otf2_id_is_not_built_t;

#endif
