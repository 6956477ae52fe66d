/* SPDX-License-Identifier: BSD-3-Clause */
/* What the helpers use of each other beside gm.h. */
#ifndef GM_COMPAT_HELPER_H
#define GM_COMPAT_HELPER_H

#include "gm.h"

/** Remove all entries; keeps the memory for new ones, so that it cannot fail. */
void gms_hash_clear(struct gm_hash *hash);

#endif
