/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The shared arena: one piece of memory, mapped at the same address in every
 * process of a job. Plain pointers therefore work inside it. It contains no
 * pointers to the heap, stack or code of a process.
 *
 * The allocator is not thread safe: its caller holds the gate's lock, or is the
 * only process. Block addresses may differ between runs; nothing in the model
 * may depend on an address.
 */
#ifndef ENGINE_ARENA_H
#define ENGINE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/** Where every arena lies. */
#define GMS_ARENA_ADDRESS UINT64_C(0x550000000000)
/** The most an arena can be, bytes. */
#define GMS_ARENA_MAX_BYTES (UINT64_C(256) << 30)

typedef struct gms_arena gms_arena_t; /* lies at the start of the arena */

/**
 * Create an arena in anonymous private memory, for one process alone (tests,
 * the tool). Any number at a time.
 * @return GMS_OK, GMS_ERR_NO_MEMORY
 */
gms_status_t gms_arena_create_private(uint64_t bytes, gms_arena_t **arena_p);
/** NULL is fine. */
void gms_arena_destroy_private(gms_arena_t *arena);

/**
 * Lay an arena out in memory that is mapped and zero. Pages are backed as they
 * are needed, by large ones where the system has them, so that a full file system is an error here and no SIGBUS later.
 * @return GMS_OK, GMS_ERR_INVALID_PARAM (too small), GMS_ERR_NO_MEMORY
 */
gms_status_t gms_arena_format(void *memory, uint64_t bytes, gms_arena_t **p);

/** Name the directory whose file system holds the arena's pages, for messages; cut
 *  to 63 bytes. */
void gms_arena_set_directory(gms_arena_t *arena, const char *directory);

#define GMS_ARENA_SHORT_LEN 320
/**
 * Explain why an allocation failed, and what the user can do: enlarge arena_bytes,
 * or the file system, whose size and free space are named.
 * @return text, empty if none failed, or one of at least its size did not since
 */
const char *gms_arena_explain(const gms_arena_t *arena,
                              char text[GMS_ARENA_SHORT_LEN]);
/** The same for a file system that has no room for so many bytes. */
const char *gms_arena_explain_directory(const char *directory, uint64_t bytes,
                                        char text[GMS_ARENA_SHORT_LEN]);

/**
 * Allocate zeroed memory, aligned to 16 bytes (to the page for sizes of a page
 * and more).
 * @return NULL if the arena is full; the caller turns that into
 *         GMS_ERR_NO_MEMORY
 */
void *gms_arena_alloc(gms_arena_t *arena, size_t bytes);
/** Aligned to 16 bytes whatever its size, since many blocks that all begin on a
 *  page get into each other's way in the processor's caches. Not zeroed: what is
 *  in it depends on what was there before, so every byte is to be written before
 *  it is read. */
void *gms_arena_alloc_raw(gms_arena_t *arena, size_t bytes);
/** Give a block back; NULL is fine. */
void gms_arena_free(gms_arena_t *arena, void *block);
/** Usable size of a block, at least what was asked for. */
size_t gms_arena_block_bytes(const void *block);

/** 1 if [address, address + bytes) lies in blocks' part of the arena. */
int gms_arena_contains(const gms_arena_t *arena, const void *address,
                       size_t bytes);
/** Bytes in use and bytes that the arena can hold. */
void gms_arena_usage(const gms_arena_t *arena, uint64_t *used_p,
                     uint64_t *total_p);
/** The one object that everything else hangs from (set once). */
void *gms_arena_root(const gms_arena_t *arena);
void gms_arena_set_root(gms_arena_t *arena, void *root);

#endif
