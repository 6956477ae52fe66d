/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registered user memory, and what registering costs.
 *
 * Memory is registered while a message needs it, and not longer: memory that a program has freed
 * is never the card's. What it costs is another matter: as in MPICH-GM, registrations are kept
 * and found again, and a message that finds one pays a look-up only. A cache that is looked up by
 * address would have to watch every free() and munmap(), and the time that a run takes would
 * depend on where memory happens to lie. So this one remembers how many registrations of each
 * length there were: a process that has as many pages registered as often as before is taken to
 * use the same buffers again. See doc/design/0010-registration.md.
 */
#ifndef GM_REGISTER_H_INCLUDED
#define GM_REGISTER_H_INCLUDED

#include "mpidimpl.h"

void adigm_register_open(void);
void adigm_register_close(void);
/* Let GM at memory, len_bytes > 0, for one message; charge the process. Returns 0 if GM cannot:
 * nothing has happened. */
int adigm_register(void *address, MPI_Aint len_bytes);
/* Costs nothing: the registration is kept in the cache, or its end was charged with its start. */
void adigm_deregister(void *address, MPI_Aint len_bytes);

/* What it costs one of many messages of a length whose buffers are used again, picoseconds: a
 * look, and all of it each time where the cache has no room for such a message. */
uint64_t adigm_register_again_ps(size_t bytes);

#endif /* GM_REGISTER_H_INCLUDED */
