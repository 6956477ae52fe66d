/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the pairing heap of share_heap.h: insertion, removal and change of
 * a key. [source: Fredman, Sedgewick, Sleator, Tarjan 1986, The pairing heap]
 */
#include "manager/share_heap.h"

static gms_share_entry_t *gms_share_heap_meld(gms_share_entry_t *a,
                                              gms_share_entry_t *b)
{
    if (a == NULL || b == NULL) {
        return (a == NULL) ? b : a;
    }
    if (a->key < b->key) {
        gms_share_entry_t *swap = a;

        a = b;
        b = swap;
    }
    b->next = a->child;
    if (a->child != NULL) {
        a->child->previous = b;
    }
    b->previous = a;
    a->child = b;
    return a;
}

/** Melds a list of siblings in two passes. The first pass melds pairs from left
 *  to right, and the second pass melds all pairs from right to left. */
static gms_share_entry_t *gms_share_heap_meld_row(gms_share_entry_t *row)
{
    gms_share_entry_t *pairs = NULL, *top = NULL;

    while (row != NULL) {
        gms_share_entry_t *a = row, *b = row->next, *pair;

        row = (b != NULL) ? b->next : NULL;
        a->next = a->previous = NULL;
        if (b != NULL) {
            b->next = b->previous = NULL;
        }
        pair = gms_share_heap_meld(a, b);
        pair->next = pairs;
        pairs = pair;
    }
    while (pairs != NULL) {
        gms_share_entry_t *pair = pairs;

        pairs = pair->next;
        pair->next = NULL;
        top = gms_share_heap_meld(top, pair);
    }
    return top;
}

gms_share_entry_t *gms_share_heap_add(gms_share_entry_t *top,
                                      gms_share_entry_t *entry)
{
    return gms_share_heap_meld(top, entry);
}

gms_share_entry_t *gms_share_heap_remove(gms_share_entry_t *top,
                                         gms_share_entry_t *entry)
{
    gms_share_entry_t *rest = gms_share_heap_meld_row(entry->child);

    entry->child = NULL;
    if (entry == top) {
        return rest;
    }
    if (entry->previous->child == entry) {
        entry->previous->child = entry->next;
    } else {
        entry->previous->next = entry->next;
    }
    if (entry->next != NULL) {
        entry->next->previous = entry->previous;
    }
    return gms_share_heap_meld(top, rest);
}
