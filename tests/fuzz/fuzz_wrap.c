/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces functions of the library and the system (linked with --wrap).
 *
 * The arena's allocator is replaced for the address sanitizer. Freed blocks are
 * poisoned, and wait for some time before they are reused. The bytes between a
 * block and its size class are poisoned, too. This works only in a job of one
 * process, because shadow memory is not shared.
 *
 * The function _exit() is replaced, because the library calls it to end a run
 * with an error, such as a deadlock.
 */
#include <string.h>

#include "engine/arena.h"
#include "fuzz.h"

#if defined(__SANITIZE_ADDRESS__)
#define FUZZ_HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FUZZ_HAS_ASAN 1
#endif
#endif
#ifdef FUZZ_HAS_ASAN
#include <sanitizer/asan_interface.h>

/* The test requests blocks that are longer than the available memory. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}
#else
#define ASAN_POISON_MEMORY_REGION(_address, _bytes)                            \
    ((void)(_address), (void)(_bytes))
#define ASAN_UNPOISON_MEMORY_REGION(_address, _bytes)                          \
    ((void)(_address), (void)(_bytes))
#endif

/* Calls abort(), so that fuzz_main.c can report the sequence. */
const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
    return "abort_on_error=1:print_stacktrace=1";
}

#define FUZZ_ARENA_CLASSES 160u
#define FUZZ_ARENA_WAIT    32u /* number of poisoned blocks of a class */

void *__real_gms_arena_alloc(gms_arena_t *arena, size_t bytes);
void *__wrap_gms_arena_alloc(gms_arena_t *arena, size_t bytes);
void *__wrap_gms_arena_alloc_raw(gms_arena_t *arena, size_t bytes);
void __real_gms_arena_free(gms_arena_t *arena, void *block);
void __wrap_gms_arena_free(gms_arena_t *arena, void *block);

/* Freed blocks of one class, oldest first. */
typedef struct fuzz_ring {
    size_t bytes;
    void *blocks[1024];
    unsigned first, count;
} fuzz_ring_t;

static fuzz_ring_t fuzz_rings[FUZZ_ARENA_CLASSES];
static uint64_t fuzz_used;

static fuzz_ring_t *fuzz_ring_of(size_t bytes)
{
    fuzz_ring_t *ring = fuzz_rings;

    while (ring->bytes != bytes && ring->bytes != 0) {
        ++ring;
    }
    ring->bytes = bytes;
    return ring;
}

/*
 * Return the smallest class that can hold the given number of bytes, among the
 * classes of earlier blocks; 0 for none. This class is not larger than the
 * class that the arena chooses.
 */
static fuzz_ring_t *fuzz_ring_for(size_t bytes)
{
    fuzz_ring_t *best = NULL;
    fuzz_ring_t *ring;

    for (ring = fuzz_rings; ring->bytes != 0; ++ring) {
        if (ring->bytes >= bytes &&
            (ring->bytes / 4 <= bytes / 3 || ring->bytes == 64) &&
            ring->count > FUZZ_ARENA_WAIT &&
            (best == NULL || ring->bytes < best->bytes)) {
            best = ring;
        }
    }
    return best;
}

/* Return 1 for the job's arena. Blocks of other arenas are not poisoned,
 * because these arenas are discarded as a whole. */
static int fuzz_is_of_the_job(const gms_arena_t *arena)
{
    return (uintptr_t)arena == GMS_ARENA_ADDRESS;
}

void *__wrap_gms_arena_alloc(gms_arena_t *arena, size_t bytes)
{
    fuzz_ring_t *ring;
    void *block;
    size_t room;

    if (!fuzz_is_of_the_job(arena)) {
        return __real_gms_arena_alloc(arena, bytes);
    }
    ring = fuzz_ring_for(bytes);
    if (ring != NULL) {
        block = ring->blocks[ring->first];
        ring->first = (ring->first + 1) % GM_NUM_ELEM(ring->blocks);
        --ring->count;
        ASAN_UNPOISON_MEMORY_REGION(block, bytes);
        memset(block, 0, bytes);
    } else {
        block = __real_gms_arena_alloc(arena, bytes);
    }
    if (block == NULL) {
        return NULL;
    }
    room = gms_arena_block_bytes(block);
    fuzz_used += room;
    ASAN_POISON_MEMORY_REGION((char *)block + bytes, room - bytes);
    return block;
}

/* Allocate a block, and fill it with a pattern, so that its bytes are not zero
 * by accident. */
void *__wrap_gms_arena_alloc_raw(gms_arena_t *arena, size_t bytes)
{
    void *block = __wrap_gms_arena_alloc(arena, bytes);

    return block != NULL ? memset(block, 0xa5, bytes) : NULL;
}

void __wrap_gms_arena_free(gms_arena_t *arena, void *block)
{
    fuzz_ring_t *ring;
    size_t room;

    if (block == NULL) {
        return;
    }
    if (!fuzz_is_of_the_job(arena)) {
        __real_gms_arena_free(arena, block);
        return;
    }
    room = gms_arena_block_bytes(block);
    ring = fuzz_ring_of(room);
#ifdef FUZZ_HAS_ASAN
    FUZZ_CHECK(!__asan_address_is_poisoned(block),
               "block %p of the arena is freed twice", block);
#endif
    fuzz_used -= room;
    ASAN_UNPOISON_MEMORY_REGION(block, room);
    memset(block, 0xdb, room); /* this pattern reveals reuse even without a
                                * sanitizer */
    if (ring->count == GM_NUM_ELEM(ring->blocks)) {
        __real_gms_arena_free(arena, block);
        return;
    }
    ASAN_POISON_MEMORY_REGION(block, room);
    ring->blocks[(ring->first + ring->count++) % GM_NUM_ELEM(ring->blocks)] =
        block;
}

uint64_t fuzz_arena_used(void)
{
    return fuzz_used;
}

void __wrap__exit(int status) __attribute__((noreturn));
void __wrap__exit(int status)
{
    (void)status;
    abort();
}
