/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private to the account: a pairing heap of those flows at a resource whose
 * rates are limited by another resource. The largest key is on top.
 */
#ifndef MANAGER_SHARE_HEAP_H
#define MANAGER_SHARE_HEAP_H

#include "manager/share.h"

/** Each function returns the new top, or NULL if the heap is empty. */
gms_share_entry_t *gms_share_heap_add(gms_share_entry_t *top,
                                      gms_share_entry_t *entry);
gms_share_entry_t *gms_share_heap_remove(gms_share_entry_t *top,
                                         gms_share_entry_t *entry);

#endif
