/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Provides a heap in an array that the caller owns. The item at index 0 is the
 * first in the order.
 *
 * Every node has four children, which are adjacent in memory. Therefore the
 * search for the first of the four children accesses at most two cache lines.
 * With 100,000 items of 24 bytes, a binary heap reached only 60 % of this
 * heap's speed.
 *
 *   index     0 | 1 2 3 4 | 5 6 7 8 | 9 10 11 12 | ..
 *   children  of    0     |  of 1   |   of 2     | ..
 *
 * GMS_HEAP_DEFINE(prefix, item_t, context_t, is_before, moved) defines static
 * functions for one kind of item:
 *
 *   size_t PREFIX_least(context, items, child, count)
 *
 * Return the index of the sibling that precedes all other siblings in the order
 * of the heap. There are up to four siblings, which begin at `child`. The index
 * `child` must be less than `count`.
 *
 *   void PREFIX_rise(context, items, at, item)
 *
 * Put an item into the gap `at`, or into a position above it. O(log n).
 *
 *   void PREFIX_sink(context, items, count, at, item)
 *
 * Put an item into the gap `at`, or into a position below it. The heap has
 * `count` items, including the gap. O(log n).
 *
 *   void PREFIX_settle(context, items, count, at, item)
 *
 * Put an item into the gap `at`, and let it rise or sink to its position. Use
 * this function for an item whose order has changed, or for a gap that another
 * item has left.
 *
 *   void PREFIX_add(context, items, &count, item)
 *
 * Add an item. The array must have room for the item. O(log n).
 *
 *   item_t PREFIX_take(context, items, &count)
 *
 * Remove the first item. The number `count` must be more than 0. O(log n).
 *
 *   void PREFIX_remove(context, items, &count, at)
 *
 * Remove the item at an index less than `count`. O(log n).
 *
 * The caller provides two functions or macros, which receive the context:
 *
 *   int is_before(context, item_t const *a, item_t const *b)
 *   void moved(context, item_t const *item, size_t at)
 *
 * The function is_before() defines the order of the items. If this order is
 * total, the order in which items are removed depends on nothing else. The
 * function moved() is called for each item that has a new index, so that the
 * caller can find the item again. GMS_HEAP_UNMOVED does nothing. No function
 * allocates memory or fails. Items are copied, and the array contains no
 * pointers to its own elements. Therefore the array may be in shared memory and
 * may be moved.
 *
 * [source: Johnson 1975, Priority queues with update and finding minimum
 * spanning trees (d-ary heaps); binary heaps: Williams 1964, Algorithm 232]
 */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include <stddef.h>

#define GMS_HEAP_WIDTH 4u

#define GMS_HEAP_UNMOVED(_context, _item, _at) ((void)0)

#define GMS_HEAP_UNUSED __attribute__((unused))

/* The result of the comparison of two siblings is added to the index, which
 * avoids a branch that would be hard to predict. Part of GMS_HEAP_DEFINE(). */
#define GMS_HEAP_DEFINE_LEAST(_prefix, _item_t, _context_t, _is_before)        \
    GMS_HEAP_UNUSED static inline size_t _prefix##_least(                      \
        _context_t context, _item_t const *items, size_t child, size_t count)  \
    {                                                                          \
        size_t least, other;                                                   \
                                                                               \
        if (child + GMS_HEAP_WIDTH <= count) {                                 \
            least = child + (size_t)_is_before(context, &items[child + 1],     \
                                               &items[child]);                 \
            other = child + 2 +                                                \
                    (size_t)_is_before(context, &items[child + 3],             \
                                       &items[child + 2]);                     \
            return _is_before(context, &items[other], &items[least]) ? other   \
                                                                     : least;  \
        }                                                                      \
        for (least = child; ++child < count;) {                                \
            if (_is_before(context, &items[child], &items[least])) {           \
                least = child;                                                 \
            }                                                                  \
        }                                                                      \
        return least;                                                          \
    }

/* Part of GMS_HEAP_DEFINE(). */
#define GMS_HEAP_DEFINE_MOVES(_prefix, _item_t, _context_t, _is_before,        \
                              _moved)                                          \
    GMS_HEAP_UNUSED static inline void _prefix##_rise(                         \
        _context_t context, _item_t *items, size_t at, _item_t item)           \
    {                                                                          \
        while (at > 0) {                                                       \
            size_t parent = (at - 1) / GMS_HEAP_WIDTH;                         \
                                                                               \
            if (!_is_before(context, &item, &items[parent])) {                 \
                break;                                                         \
            }                                                                  \
            items[at] = items[parent];                                         \
            _moved(context, &items[at], at);                                   \
            at = parent;                                                       \
        }                                                                      \
        items[at] = item;                                                      \
        _moved(context, &items[at], at);                                       \
    }                                                                          \
                                                                               \
    GMS_HEAP_UNUSED static inline void _prefix##_sink(                         \
        _context_t context, _item_t *items, size_t count, size_t at,           \
        _item_t item)                                                          \
    {                                                                          \
        size_t child = GMS_HEAP_WIDTH * at + 1;                                \
                                                                               \
        for (; child < count; child = GMS_HEAP_WIDTH * at + 1) {               \
            child = _prefix##_least(context, items, child, count);             \
            if (!_is_before(context, &items[child], &item)) {                  \
                break;                                                         \
            }                                                                  \
            items[at] = items[child];                                          \
            _moved(context, &items[at], at);                                   \
            at = child;                                                        \
        }                                                                      \
        items[at] = item;                                                      \
        _moved(context, &items[at], at);                                       \
    }

#define GMS_HEAP_DEFINE(_prefix, _item_t, _context_t, _is_before, _moved)      \
    GMS_HEAP_DEFINE_LEAST(_prefix, _item_t, _context_t, _is_before)            \
    GMS_HEAP_DEFINE_MOVES(_prefix, _item_t, _context_t, _is_before, _moved)    \
                                                                               \
    GMS_HEAP_UNUSED static inline void _prefix##_settle(                       \
        _context_t context, _item_t *items, size_t count, size_t at,           \
        _item_t item)                                                          \
    {                                                                          \
        if (at > 0 &&                                                          \
            _is_before(context, &item, &items[(at - 1) / GMS_HEAP_WIDTH])) {   \
            _prefix##_rise(context, items, at, item);                          \
        } else {                                                               \
            _prefix##_sink(context, items, count, at, item);                   \
        }                                                                      \
    }                                                                          \
                                                                               \
    GMS_HEAP_UNUSED static inline void _prefix##_add(                          \
        _context_t context, _item_t *items, size_t *count_p, _item_t item)     \
    {                                                                          \
        _prefix##_rise(context, items, (*count_p)++, item);                    \
    }                                                                          \
                                                                               \
    GMS_HEAP_UNUSED static inline void _prefix##_remove(                       \
        _context_t context, _item_t *items, size_t *count_p, size_t at)        \
    {                                                                          \
        if (--*count_p != at) {                                                \
            _prefix##_settle(context, items, *count_p, at, items[*count_p]);   \
        }                                                                      \
    }                                                                          \
                                                                               \
    GMS_HEAP_UNUSED static inline _item_t _prefix##_take(                      \
        _context_t context, _item_t *items, size_t *count_p)                   \
    {                                                                          \
        _item_t first = items[0];                                              \
                                                                               \
        _prefix##_remove(context, items, count_p, 0);                          \
        return first;                                                          \
    }                                                                          \
    /* allows a semicolon after the macro */                                   \
    struct _prefix##_is_defined

#endif
