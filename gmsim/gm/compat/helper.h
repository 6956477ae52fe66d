/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares functions that GM's helper functions share, but that are not part of
 * gm.h. */
#ifndef GM_COMPAT_HELPER_H
#define GM_COMPAT_HELPER_H

#include "gm.h"

/** Remove all entries. The memory of the entries is not freed, so that the
 *  insertion of the same number of new entries cannot fail. */
void gms_hash_clear(struct gm_hash *hash);

#endif
