/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * A limit for the memory of JSON values, in tools that read files from other
 * programs: a few bytes of a file can become hundreds of bytes in memory.
 */
#ifndef BASE_JSON_MEMORY_H
#define BASE_JSON_MEMORY_H

#include <stddef.h>

/** From now on all values of JSON of this process together have so many bytes.
 *  One thread. @param [in] most  0: no limit */
void gms_json_limit(size_t most);
/** 1 if a value could not be made because of the limit, or for want of memory: what
 *  was put together since then may lack parts. */
int gms_json_is_short(void);

#endif
