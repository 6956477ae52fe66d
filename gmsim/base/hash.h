/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Provides a hash table with linear open addressing, in an array of slots that
 * the caller owns.
 *
 *   home of x and y       next free slot
 *        v                      v
 *   .. | x | y | z (home here) |   | ..
 *
 * The number of slots is a power of two. At least one slot must be free, and at
 * most half of the slots should be in use. When a slot is removed, later slots
 * of the same run move up, so no deletion marks accumulate. Slots are copied
 * when the table grows or a slot is removed. Pointers must therefore point to
 * the object to which a slot refers, never to the slot itself. Existing
 * libraries such as uthash allocate private memory for every table, but the
 * slots of this table may be in the arena. Only the growth of the table can
 * fail, because the caller must allocate a larger table.
 *
 * GMS_HASH_DEFINE(prefix, slot_t, context_t, key_t, is_free, is_key, hash_of)
 * defines static functions for one kind of slot; `mask` is the number of slots
 * - 1:
 *
 *   size_t PREFIX_find(context, slots, mask, hash, key)
 *
 * Return the index of the key's slot, or of the free slot where the key
 * belongs. `hash` is the key's hash. O(1) expected.
 *
 *   void PREFIX_move(from, count, to, mask)
 *
 * Copy all used slots from an array of `count` slots to another table, whose
 * slots are free.
 *
 *   size_t PREFIX_remove(slots, mask, at)
 *
 * Remove the slot `at`. @return index of the slot that the caller must mark as
 * free; it differs from `at` if later slots have moved. O(1) expected.
 *
 * The caller provides three functions or macros:
 *
 *   int is_free(slot_t const *slot)
 *   int is_key(context, slot_t const *slot, hash, key)
 *   uint64_t hash_of(slot_t const *slot)
 *
 * is_key() is only called for a slot that is not free. hash_of() returns the
 * hash of the slot's key. Only the low bits of a hash are used, so the caller
 * must mix the bits.
 *
 * [source: Knuth, The Art of Computer Programming 3, 6.4, algorithms L and R]
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/** 2^64 divided by the golden ratio, as an odd number. In a product with this
 *  number, the upper bits depend on all bits of the other factor. [source:
 *  Knuth 3, 6.4, Fibonacci hashing] */
#define GMS_HASH_FIBONACCI UINT64_C(0x9e3779b97f4a7c15)

#define GMS_HASH_UNUSED __attribute__((unused))

/* The part of GMS_HASH_DEFINE() that defines PREFIX_find(). */
#define GMS_HASH_DEFINE_FIND(_prefix, _slot_t, _context_t, _key_t, _is_free,   \
                             _is_key)                                          \
    GMS_HASH_UNUSED static inline size_t _prefix##_find(                       \
        _context_t context, _slot_t const *slots, size_t mask, uint64_t hash,  \
        _key_t key)                                                            \
    {                                                                          \
        size_t at = (size_t)hash & mask;                                       \
                                                                               \
        while (!_is_free(&slots[at]) &&                                        \
               !_is_key(context, &slots[at], hash, key)) {                     \
            at = (at + 1) & mask;                                              \
        }                                                                      \
        return at;                                                             \
    }

/* The part of GMS_HASH_DEFINE() that defines PREFIX_move() and
 * PREFIX_remove(). */
#define GMS_HASH_DEFINE_CHANGE(_prefix, _slot_t, _is_free, _hash_of)           \
    GMS_HASH_UNUSED static inline void _prefix##_move(                         \
        _slot_t const *from, size_t count, _slot_t *to, size_t mask)           \
    {                                                                          \
        size_t i, at;                                                          \
                                                                               \
        for (i = 0; i < count; ++i) {                                          \
            if (!_is_free(&from[i])) {                                         \
                at = (size_t)_hash_of(&from[i]) & mask;                        \
                while (!_is_free(&to[at])) {                                   \
                    at = (at + 1) & mask;                                      \
                }                                                              \
                to[at] = from[i];                                              \
            }                                                                  \
        }                                                                      \
    }                                                                          \
                                                                               \
    GMS_HASH_UNUSED static inline size_t _prefix##_remove(                     \
        _slot_t *slots, size_t mask, size_t at)                                \
    {                                                                          \
        size_t next = (at + 1) & mask;                                         \
                                                                               \
        for (; !_is_free(&slots[next]); next = (next + 1) & mask) {            \
            size_t home = (size_t)_hash_of(&slots[next]) & mask;               \
                                                                               \
            /* The slot moves up unless its home index is after the gap. */    \
            if (((next - home) & mask) >= ((next - at) & mask)) {              \
                slots[at] = slots[next];                                       \
                at = next;                                                     \
            }                                                                  \
        }                                                                      \
        return at;                                                             \
    }

#define GMS_HASH_DEFINE(_prefix, _slot_t, _context_t, _key_t, _is_free,        \
                        _is_key, _hash_of)                                     \
    GMS_HASH_DEFINE_FIND(_prefix, _slot_t, _context_t, _key_t, _is_free,       \
                         _is_key)                                              \
    GMS_HASH_DEFINE_CHANGE(_prefix, _slot_t, _is_free, _hash_of)               \
    /* allows a semicolon after the macro */                                   \
    struct _prefix##_is_defined

#endif
