/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Provides a first-in, first-out queue of items that are linked through a field
 * of the items.
 *
 *   queue   first ----------------.      last --------------.
 *                                 v                         v
 *   items                       | next -> | next -> .. -> | next = NULL
 *
 * The queue is any struct with the fields `first` and `last`, pointers to
 * items; `last` is defined only while `first` is not NULL. Zeroed memory is
 * therefore an empty queue, and a queue may be copied or moved with the struct
 * that contains it. STAILQ of sys/queue.h has neither property, because an
 * empty STAILQ points to itself. The queues of NICs, links and flows need both
 * properties, because these queues are parts of zeroed memory and of arrays
 * that grow. Items and queues may be in the arena, because the arena has the
 * same address in all processes.
 *
 * GMS_QUEUE_DEFINE(prefix, queue_t, item_t, next) defines static functions for
 * items that are linked through their field `next`. These functions allocate no
 * memory and cannot fail, and the caller still owns the items:
 *
 *   void PREFIX_put(queue, item)
 *
 * Add an item at the end.
 *
 *   void PREFIX_put_back(queue, item)
 *
 * Add an item at the front.
 *
 *   item_t *PREFIX_take(queue)
 *
 * Remove the first item. @return the item; NULL if the queue is empty
 *
 *   int PREFIX_remove(queue, item)
 *
 * Remove an item at any position. @return 0 if the item is not in the queue
 *
 * All functions take constant time except PREFIX_remove(), which searches. The
 * `next` of an item that has been removed is NULL.
 */
#ifndef BASE_QUEUE_H
#define BASE_QUEUE_H

#include <stddef.h>

#define GMS_QUEUE_UNUSED __attribute__((unused))

#define GMS_QUEUE_DEFINE(_prefix, _queue_t, _item_t, _next)                    \
    GMS_QUEUE_UNUSED static inline void _prefix##_put(_queue_t *queue,         \
                                                      _item_t *item)           \
    {                                                                          \
        item->_next = NULL;                                                    \
        if (queue->first == NULL) {                                            \
            queue->first = item;                                               \
        } else {                                                               \
            queue->last->_next = item;                                         \
        }                                                                      \
        queue->last = item;                                                    \
    }                                                                          \
                                                                               \
    GMS_QUEUE_UNUSED static inline void _prefix##_put_back(_queue_t *queue,    \
                                                           _item_t *item)      \
    {                                                                          \
        item->_next = queue->first;                                            \
        if (queue->first == NULL) {                                            \
            queue->last = item;                                                \
        }                                                                      \
        queue->first = item;                                                   \
    }                                                                          \
                                                                               \
    GMS_QUEUE_UNUSED static inline _item_t *_prefix##_take(_queue_t *queue)    \
    {                                                                          \
        _item_t *item = queue->first;                                          \
                                                                               \
        if (item != NULL) {                                                    \
            queue->first = item->_next;                                        \
            item->_next = NULL;                                                \
        }                                                                      \
        return item;                                                           \
    }                                                                          \
                                                                               \
    GMS_QUEUE_UNUSED static inline int _prefix##_remove(_queue_t *queue,       \
                                                        _item_t *item)         \
    {                                                                          \
        _item_t **link = &queue->first;                                        \
        _item_t *previous = NULL;                                              \
                                                                               \
        while (*link != NULL && *link != item) {                               \
            previous = *link;                                                  \
            link = &previous->_next;                                           \
        }                                                                      \
        if (*link == NULL) {                                                   \
            return 0;                                                          \
        }                                                                      \
        *link = item->_next;                                                   \
        if (queue->last == item) {                                             \
            queue->last = previous;                                            \
        }                                                                      \
        item->_next = NULL;                                                    \
        return 1;                                                              \
    }                                                                          \
    /* allows a semicolon after the macro */                                   \
    struct _prefix##_is_defined

#endif
