/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Limits the memory of JSON values. Tools that read files of other programs
 * need this limit, because a few bytes of a file can become hundreds of bytes
 * in memory.
 */
#ifndef BASE_JSON_MEMORY_H
#define BASE_JSON_MEMORY_H

#include <stddef.h>

/** Limit the total memory of all later JSON values of this process. Only one
 *  thread of the process may use JSON. @param [in] most bytes; 0: no limit */
void gms_json_limit(size_t most);
/** Return 1 if a JSON value could not be allocated because of the limit, or
 *  because the machine has no more memory. Values that were created after this
 *  failure may be incomplete. */
int gms_json_is_short(void);

#endif
