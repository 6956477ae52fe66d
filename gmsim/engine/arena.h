/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the shared arena, a range of memory that is mapped at the same
 * address in every process of a job. Plain pointers therefore work inside the
 * arena. The arena contains no pointers to the heap, stack or code of a
 * process.
 *
 * The allocator is not thread safe: its caller holds the gate's lock, or is the
 * only process. Block addresses may differ between runs; no result of the model
 * may depend on an address.
 */
#ifndef ENGINE_ARENA_H
#define ENGINE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/** Address at which every process maps the arena of its job. */
#define GMS_ARENA_ADDRESS UINT64_C(0x550000000000)
/** Largest size of an arena, bytes. */
#define GMS_ARENA_MAX_BYTES (UINT64_C(256) << 30)

typedef struct gms_arena gms_arena_t; /* the struct is stored at the start of
                                       * the arena */

/**
 * Create an arena in anonymous private memory, for a test or a tool that runs
 * in a single process. Several such arenas may exist at the same time.
 * @return GMS_OK, GMS_ERR_NO_MEMORY
 */
gms_status_t gms_arena_create_private(uint64_t bytes, gms_arena_t **arena_p);
/** Destroy an arena that gms_arena_create_private() created. NULL is
 *  allowed. */
void gms_arena_destroy_private(gms_arena_t *arena);

/**
 * Initialise an arena in memory that is mapped and contains zeros. The arena
 * requests memory for its pages before it uses the pages. If the system
 * provides large pages, the arena uses large pages. If the file system is full,
 * the request fails; otherwise a later access would cause SIGBUS.
 * @return GMS_OK, GMS_ERR_INVALID_PARAM (too small), GMS_ERR_NO_MEMORY
 */
gms_status_t gms_arena_format(void *memory, uint64_t bytes, gms_arena_t **p);

/** Set the directory whose file system stores the arena's pages. The name is
 *  used in messages. The name is truncated to 63 bytes. */
void gms_arena_set_directory(gms_arena_t *arena, const char *directory);

#define GMS_ARENA_SHORT_LEN 320
/**
 * Explain why an allocation failed, and whether the user must increase
 * arena_bytes or enlarge the file system. The message contains the size and the
 * free space of the file system.
 * @return the message, or an empty string if no allocation failed or if an
 *   allocation of at least the failed size has succeeded since
 */
const char *gms_arena_explain(const gms_arena_t *arena,
                              char text[GMS_ARENA_SHORT_LEN]);
/**
 * Check whether the arena has room for blocks of this total size, including the
 * blocks that are already allocated. The check needs no pages and is not exact:
 * later allocations can fail even though the check has succeeded. If the check
 * fails, gms_arena_explain() returns the reason.
 * @return 1 if there is room, else 0
 */
int gms_arena_has_room(gms_arena_t *arena, uint64_t total_bytes);
/** Explain that a file system has no room for this number of bytes, in the same
 *  form as gms_arena_explain(). */
const char *gms_arena_explain_directory(const char *directory, uint64_t bytes,
                                        char text[GMS_ARENA_SHORT_LEN]);

/**
 * Allocate zeroed memory, aligned to 16 bytes. A block of at least a page is
 * aligned to a page.
 * @return NULL if the arena is full; the caller then returns GMS_ERR_NO_MEMORY
 */
void *gms_arena_alloc(gms_arena_t *arena, size_t bytes);
/** Allocate memory that is not zeroed and is aligned to only 16 bytes, even if
 *  the block is large. Many blocks that all begin on a page would conflict in
 *  the processor's caches. The initial contents depend on earlier use, so the
 *  caller must write every byte before reading it. */
void *gms_arena_alloc_raw(gms_arena_t *arena, size_t bytes);
/** Free a block. NULL is allowed. */
void gms_arena_free(gms_arena_t *arena, void *block);
/** Return the usable size of a block, at least the requested size. */
size_t gms_arena_block_bytes(const void *block);

/** Return 1 if [address, address + bytes) is in the part of the arena that
 *  blocks use. */
int gms_arena_contains(const gms_arena_t *arena, const void *address,
                       size_t bytes);
/** Return the number of bytes in use and the size of the arena in bytes. */
void gms_arena_usage(const gms_arena_t *arena, uint64_t *used_p,
                     uint64_t *total_p);
/** Return or set the root object. Processes find all other objects through the
 *  root, which is set only once. */
void *gms_arena_root(const gms_arena_t *arena);
void gms_arena_set_root(gms_arena_t *arena, void *root);

#endif
