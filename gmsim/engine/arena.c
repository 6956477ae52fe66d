/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the allocator of the shared arena. Layout:
 *
 *   | gms_arena_t | blocks .. | never allocated | not yet backed |
 *   0             first       next              backed           bytes
 *
 * A block is [head | data]. The free blocks of a size class form a list, and
 * each block stores the link in its data. There are four size classes per power
 * of two, so at most a fifth of a block is unused. Blocks are never split or
 * joined, because a simulation repeatedly allocates blocks of only a few sizes.
 */
#define _GNU_SOURCE
#include "engine/arena.h"

#include <assert.h>
#include <errno.h>
#include <linux/mman.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>

#define GMS_ARENA_PAGE 4096u
/* Size of a large page of the processor. Backing each small page separately
 * would require one system call per page. Each process of a job maps the arena.
 * With small pages, a process has a page fault for every page that it uses, and
 * the TLB holds only a few of these pages after a context switch. */
#define GMS_ARENA_BACK_STEP (UINT64_C(1) << 21)
#define GMS_ARENA_CLASSES   160u
/* Number of lists of free blocks: one list per class for ordinary blocks, and
 * one per class for packed blocks. */
#define GMS_ARENA_LISTS         (2 * GMS_ARENA_CLASSES)
#define GMS_ARENA_DIRECTORY_LEN 64
#define GMS_BLOCK_LIVE          0x676d71u
#define GMS_BLOCK_FREE          0x667265u

typedef struct gms_block {
    uint32_t state; /* GMS_BLOCK_LIVE or GMS_BLOCK_FREE */
    uint32_t size_class;
    uint64_t bytes; /* number of usable bytes */
} gms_block_t;

/* Cause of the last failed allocation. */
enum gms_arena_short {
    GMS_ARENA_SHORT_OF_NOTHING = 0,
    GMS_ARENA_SHORT_OF_ADDRESSES, /* the arena has no room left (parameter
                                   * arena_bytes) */
    GMS_ARENA_SHORT_OF_PAGES      /* the system has no free page */
};

struct gms_arena {
    uint64_t bytes;
    uint64_t next;   /* offset of the first byte that was never allocated */
    uint64_t backed; /* offset of the first byte that may not be backed by a
                      * page */
    uint64_t used;
    enum gms_arena_short short_of;
    uint64_t wanted; /* size of the most recent allocation that failed, in
                      * bytes */
    char directory[GMS_ARENA_DIRECTORY_LEN];
    void *root;
    void *free_list[GMS_ARENA_LISTS];
};

_Static_assert(sizeof(gms_block_t) == 16,
               "the data after a block's header must be aligned to 16 bytes");

/* Return the size of a class. Class c holds 16 * (4 + c % 4) * 2^(c / 4) bytes:
 * 64, 80, 96, 112, 128, ... */
static uint64_t gms_arena_class_bytes(uint32_t size_class)
{
    return (UINT64_C(16) * (4 + size_class % 4)) << (size_class / 4);
}

static uint32_t gms_arena_class(uint64_t bytes)
{
    uint32_t doubling;
    uint32_t size_class;

    if (bytes <= 64) {
        return 0;
    }
    doubling = 63 - (uint32_t)__builtin_clzll(bytes - 1) - 6;
    for (size_class = 4 * doubling; gms_arena_class_bytes(size_class) < bytes;
         ++size_class) {
    }
    return size_class;
}

/* Make the kernel back the pages of a range. A kernel without
 * MADV_POPULATE_WRITE returns EINVAL, and backs each page at the first
 * access. */
static int gms_arena_populate(uintptr_t start, uintptr_t end)
{
#ifdef MADV_POPULATE_WRITE
    if (madvise((void *)start, end - start, MADV_POPULATE_WRITE) != 0 &&
        errno != EINVAL) {
        return -1;
    }
#endif
    return 0;
}

/* Back a whole step of GMS_ARENA_BACK_STEP bytes with one large page, if the
 * system has one. MADV_COLLAPSE requires that at least one page of the step is
 * already backed.
 * @return 0 if the step is backed by a large page */
static int gms_arena_back_large(const gms_arena_t *arena, uintptr_t start,
                                uintptr_t end)
{
#if defined(MADV_COLLAPSE) && defined(MADV_POPULATE_WRITE)
    uintptr_t whole = end - GMS_ARENA_BACK_STEP;

    if (whole >= (uintptr_t)arena && whole <= start &&
        end % GMS_ARENA_BACK_STEP == 0 &&
        gms_arena_populate(start, start + GMS_ARENA_PAGE) == 0) {
        return madvise((void *)whole, GMS_ARENA_BACK_STEP, MADV_COLLAPSE);
    }
#else
    (void)arena;
    (void)start;
    (void)end;
#endif
    return -1;
}

static int gms_arena_back(gms_arena_t *arena, uint64_t end)
{
    uintptr_t base = (uintptr_t)arena;

    while (arena->backed < end) {
        uintptr_t start = base + arena->backed;
        uintptr_t stop =
            (start / GMS_ARENA_BACK_STEP + 1) * GMS_ARENA_BACK_STEP;

        if (stop > base + arena->bytes) {
            stop = base + arena->bytes;
        }
        if (gms_arena_back_large(arena, start, stop) != 0 &&
            gms_arena_populate(start, stop) != 0) {
            return -1;
        }
        arena->backed = stop - base;
    }
    return 0;
}

gms_status_t gms_arena_format(void *memory, uint64_t bytes, gms_arena_t **p)
{
    gms_arena_t *arena = memory;

    if (bytes < GMS_ARENA_BACK_STEP || bytes > GMS_ARENA_MAX_BYTES ||
        bytes % GMS_ARENA_PAGE != 0) {
        return GMS_ERR_INVALID_PARAM;
    }
    /* Request the first page, because in a full file system the first write to
     * it would cause SIGBUS. */
    if (gms_arena_populate((uintptr_t)memory,
                           (uintptr_t)memory + GMS_ARENA_PAGE) != 0) {
        return GMS_ERR_NO_MEMORY;
    }
    arena->bytes = bytes;
    arena->backed = GMS_ARENA_PAGE;
    arena->next = (sizeof(*arena) + 15) / 16 * 16;
    if (gms_arena_back(arena, arena->next) != 0) {
        return GMS_ERR_NO_MEMORY;
    }
    *p = arena;
    return GMS_OK;
}

gms_status_t gms_arena_create_private(uint64_t bytes, gms_arena_t **arena_p)
{
    gms_status_t status;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED) {
        return GMS_ERR_NO_MEMORY;
    }
    status = gms_arena_format(memory, bytes, arena_p);
    if (status != GMS_OK) {
        munmap(memory, bytes);
    }
    return status;
}

void gms_arena_destroy_private(gms_arena_t *arena)
{
    if (arena != NULL) {
        munmap(arena, arena->bytes);
    }
}

static void gms_arena_note_short(gms_arena_t *arena,
                                 enum gms_arena_short short_of, uint64_t bytes)
{
    arena->short_of = short_of;
    arena->wanted = bytes;
}

/* Allocate a new block from memory that was never allocated. The data of a
 * block of a page or more begin at a page boundary, unless the block is packed.
 * The head precedes the data. */
static gms_block_t *gms_arena_carve(gms_arena_t *arena, uint64_t bytes,
                                    int is_packed)
{
    uint64_t align =
        bytes >= GMS_ARENA_PAGE && !is_packed ? GMS_ARENA_PAGE : 16;
    uint64_t data =
        (arena->next + sizeof(gms_block_t) + align - 1) / align * align;

    if (data + bytes < data || data + bytes > arena->bytes) {
        gms_arena_note_short(arena, GMS_ARENA_SHORT_OF_ADDRESSES, bytes);
        return NULL;
    }
    if (gms_arena_back(arena, data + bytes) != 0) {
        gms_arena_note_short(arena, GMS_ARENA_SHORT_OF_PAGES, bytes);
        return NULL;
    }
    /* Keep the failure of a larger size: a smaller block was allocated, but
     * there may still be no room for the larger size. */
    if (bytes >= arena->wanted) {
        arena->short_of = GMS_ARENA_SHORT_OF_NOTHING;
    }
    arena->next = data + bytes;
    return (gms_block_t *)((char *)arena + data - sizeof(gms_block_t));
}

/* Allocate a block. Memory that was never allocated contains zeros.
 * @param [out] is_zero_p  1: the block contains zeros */
static void *gms_arena_take(gms_arena_t *arena, size_t bytes, int is_packed,
                            int *is_zero_p)
{
    uint32_t size_class;
    gms_block_t *block;
    void **list;

    if (bytes > arena->bytes) {
        gms_arena_note_short(arena, GMS_ARENA_SHORT_OF_ADDRESSES, bytes);
        return NULL;
    }
    size_class = gms_arena_class(bytes);
    assert(size_class < GMS_ARENA_CLASSES);
    list = &arena->free_list[size_class + (is_packed ? GMS_ARENA_CLASSES : 0)];
    *is_zero_p = *list == NULL;
    if (*list != NULL) {
        block = (gms_block_t *)*list - 1;
        assert(block->state == GMS_BLOCK_FREE);
        *list = *(void **)*list;
    } else {
        block = gms_arena_carve(arena, gms_arena_class_bytes(size_class),
                                is_packed);
        if (block == NULL) {
            return NULL;
        }
        block->size_class = (uint32_t)(list - arena->free_list);
        block->bytes = gms_arena_class_bytes(size_class);
    }
    block->state = GMS_BLOCK_LIVE;
    arena->used += block->bytes;
    return block + 1;
}

void *gms_arena_alloc_raw(gms_arena_t *arena, size_t bytes)
{
    int is_zero;

    return gms_arena_take(arena, bytes, 1, &is_zero);
}

void *gms_arena_alloc(gms_arena_t *arena, size_t bytes)
{
    int is_zero = 0;
    void *data = gms_arena_take(arena, bytes, bytes < GMS_ARENA_PAGE, &is_zero);

    /* Writing zeros would map each page of the block in this process. */
    return data == NULL || is_zero ? data : memset(data, 0, bytes);
}

void gms_arena_free(gms_arena_t *arena, void *data)
{
    gms_block_t *block;

    if (data == NULL) {
        return;
    }
    block = (gms_block_t *)data - 1;
    assert(block->state == GMS_BLOCK_LIVE);
    block->state = GMS_BLOCK_FREE;
    arena->used -= block->bytes;
    *(void **)data = arena->free_list[block->size_class];
    arena->free_list[block->size_class] = data;
}

size_t gms_arena_block_bytes(const void *data)
{
    return ((const gms_block_t *)data - 1)->bytes;
}

int gms_arena_contains(const gms_arena_t *arena, const void *address,
                       size_t bytes)
{
    uintptr_t base = (uintptr_t)arena;
    uintptr_t start = (uintptr_t)address;

    return start >= base + sizeof(*arena) && start - base <= arena->next &&
           bytes <= arena->next - (start - base);
}

void gms_arena_usage(const gms_arena_t *arena, uint64_t *used_p,
                     uint64_t *total_p)
{
    *used_p = arena->used;
    *total_p = arena->bytes;
}

void gms_arena_set_directory(gms_arena_t *arena, const char *directory)
{
    snprintf(arena->directory, sizeof(arena->directory), "%s", directory);
}

const char *gms_arena_explain_directory(const char *directory, uint64_t bytes,
                                        char text[GMS_ARENA_SHORT_LEN])
{
    struct statvfs room;

    if (statvfs(directory, &room) != 0) {
        memset(&room, 0, sizeof(room));
    }
    snprintf(text, GMS_ARENA_SHORT_LEN,
             "%s has no room for the simulated cluster: the file system has "
             "%llu KiB (%llu KiB free), but another %llu KiB are needed. "
             "Enlarge this file system (mount -o remount,size=1G %s; docker "
             "run --shm-size=1g), or remove other files from it",
             directory,
             (unsigned long long)room.f_blocks * room.f_frsize / 1024,
             (unsigned long long)room.f_bavail * room.f_frsize / 1024,
             (unsigned long long)(bytes + 1023) / 1024, directory);
    return text;
}

int gms_arena_has_room(gms_arena_t *arena, uint64_t total_bytes)
{
    struct statvfs room;
    uint64_t more;

    if (total_bytes <= arena->used) {
        return 1;
    }
    more = total_bytes - arena->used;
    if (more > arena->bytes - arena->next) {
        gms_arena_note_short(arena, GMS_ARENA_SHORT_OF_ADDRESSES, more);
        return 0;
    }
    /* Pages that are backed but not allocated also provide room. */
    if (arena->directory[0] != '\0' && statvfs(arena->directory, &room) == 0 &&
        more > arena->backed - arena->next +
                   (uint64_t)room.f_bavail * room.f_frsize) {
        gms_arena_note_short(arena, GMS_ARENA_SHORT_OF_PAGES, more);
        return 0;
    }
    return 1;
}

const char *gms_arena_explain(const gms_arena_t *arena,
                              char text[GMS_ARENA_SHORT_LEN])
{
    text[0] = '\0';
    switch (arena->short_of) {
    case GMS_ARENA_SHORT_OF_NOTHING:
        break;
    case GMS_ARENA_SHORT_OF_ADDRESSES:
        snprintf(text, GMS_ARENA_SHORT_LEN,
                 "the simulated cluster's memory of %llu bytes is full, and "
                 "%llu more bytes are needed; set a larger arena_bytes in the "
                 "cluster description",
                 (unsigned long long)arena->bytes,
                 (unsigned long long)arena->wanted);
        break;
    case GMS_ARENA_SHORT_OF_PAGES:
        if (arena->directory[0] != '\0') {
            return gms_arena_explain_directory(
                arena->directory,
                arena->wanted > GMS_ARENA_BACK_STEP ? arena->wanted
                                                    : GMS_ARENA_BACK_STEP,
                text);
        }
        snprintf(text, GMS_ARENA_SHORT_LEN,
                 "the machine has no memory left for the simulated cluster");
        break;
    }
    return text;
}

void *gms_arena_root(const gms_arena_t *arena)
{
    return arena->root;
}

void gms_arena_set_root(gms_arena_t *arena, void *root)
{
    arena->root = root;
}
