/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reserves thread-local memory. This program has no other thread-local
 * variables, so the reserved memory ends at the thread pointer, as the block of
 * a main program does.
 */
#include "inprocess/thread_block.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GMI_RESERVED_BYTES 65536u
#define GMI_ALIGN          64u

/* volatile, because the programs access the memory without its name */
static __thread volatile char gmi_reserved[GMI_RESERVED_BYTES]
    __attribute__((aligned(GMI_ALIGN)));

static gmi_thread_block_t gmi_block;

static char *gmi_thread_memory(void)
{
    return (char *)__builtin_thread_pointer() - gmi_block.offset;
}

int gmi_thread_block_prepare(const gmi_image_t *program,
                             char error[GMI_ERROR_LEN])
{
    gmi_block = gmi_image_thread_block(program);
    if (gmi_block.offset > GMI_RESERVED_BYTES || gmi_block.align > GMI_ALIGN ||
        gmi_reserved[0] != 0) {
        snprintf(error, GMI_ERROR_LEN,
                 "the program has %zu bytes of thread-local variables, aligned "
                 "to %zu; allowed: at most %u bytes, aligned to %u",
                 gmi_block.offset, gmi_block.align, GMI_RESERVED_BYTES,
                 GMI_ALIGN);
        return -1;
    }
    return 0;
}

void *gmi_thread_block_create(void)
{
    char *contents;

    errno = 0;
    if (gmi_block.bytes == 0) {
        return NULL;
    }
    contents = calloc(1, gmi_block.bytes);
    if (contents != NULL) {
        memcpy(contents, gmi_block.values, gmi_block.given);
    }
    return contents;
}

void gmi_thread_block_save(void *contents)
{
    if (contents != NULL) {
        memcpy(contents, gmi_thread_memory(), gmi_block.bytes);
    }
}

void gmi_thread_block_restore(const void *contents)
{
    if (contents != NULL) {
        memcpy(gmi_thread_memory(), contents, gmi_block.bytes);
    }
}

void gmi_thread_block_begin(void)
{
    if (gmi_block.bytes > 0) {
        memcpy(gmi_thread_memory(), gmi_block.values, gmi_block.given);
        memset(gmi_thread_memory() + gmi_block.given, 0,
               gmi_block.bytes - gmi_block.given);
    }
}
