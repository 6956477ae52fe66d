/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registers user memory, and charges the costs of registrations.
 *
 * Memory is registered only while a message needs it. The NIC therefore never accesses memory that
 * a program has freed. The cost is modelled independently of the real registrations. The model
 * follows MPICH-GM, which keeps registrations in a cache. A message whose registration is in the
 * cache pays only for a look-up. A cache whose keys are addresses would have to observe every
 * free() and munmap(). The duration of a run would also depend on the addresses of buffers. This
 * cache therefore stores only the number of registrations of each length. If a process registers
 * the same number of pages again, the cache assumes that the process uses the same buffer again.
 * See doc/design/0010-registration.md.
 */
#ifndef GM_REGISTER_H_INCLUDED
#define GM_REGISTER_H_INCLUDED

#include "mpidimpl.h"

void adigm_register_open(void);
void adigm_register_close(void);
/* Register memory (len_bytes > 0) for one message, and charge the cost to the process. If GM cannot
 * register the memory, the function returns 0 and has no effect. */
int adigm_register(void *address, MPI_Aint len_bytes);
/* End a registration. The function charges nothing: either the registration remains in the cache,
 * or the cost of ending it was charged when it began. */
void adigm_deregister(void *address, MPI_Aint len_bytes);

/* Return the cost of registrations per message in picoseconds, for many messages of this length
 * that use the same buffers. The cost is that of a look-up. If the message is too large for the
 * cache, the costs of a registration and a deregistration are added. */
uint64_t adigm_register_again_ps(size_t bytes);

#endif /* GM_REGISTER_H_INCLUDED */
