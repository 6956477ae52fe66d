/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registers user memory, and charges the cost of registrations.
 *
 * Memory is registered only while a message needs it. Therefore the NIC never accesses memory that
 * a program has freed. The cost is modelled separately. As in MPICH-GM, registrations are kept in a
 * cache, and a message whose registration is in the cache pays only for a look-up. A cache with
 * addresses as keys would have to observe every free() and munmap(). The duration of a run would
 * then depend on the addresses of buffers. Therefore this cache keeps the number of registrations
 * of each length. If a process registers the same number of pages again, the cache assumes that the
 * process uses the same buffer. See doc/design/0010-registration.md.
 */
#ifndef GM_REGISTER_H_INCLUDED
#define GM_REGISTER_H_INCLUDED

#include "mpidimpl.h"

void adigm_register_open(void);
void adigm_register_close(void);
/* Register memory (len_bytes > 0) for one message, and charge the cost to the process. Returns 0
 * and has no effect if GM cannot register the memory. */
int adigm_register(void *address, MPI_Aint len_bytes);
/* End the registration. The function charges nothing, because the registration remains in the
 * cache, or its end was charged together with its start. */
void adigm_deregister(void *address, MPI_Aint len_bytes);

/* Return the cost of registrations per message, in picoseconds, for many messages of this length
 * that use the same buffers again. The cost is that of a look-up. If the message is too large for
 * the cache, the costs of a registration and a deregistration are added. */
uint64_t adigm_register_again_ps(size_t bytes);

#endif /* GM_REGISTER_H_INCLUDED */
