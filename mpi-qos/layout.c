/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles the different versions of MPIQOS_Flow. Copies only the request and
 * answer fields that exist in the program's version of the struct.
 */
#include "flow.h"

#include <stddef.h>
#include <string.h>

/* Upper half of a valid size field. The lower half is the size of the struct in
 * bytes. */
#define MPIQOS_SIZE_MARK (MPIQOS_FLOW_SIZE - (unsigned)sizeof(MPIQOS_Flow))
#define MPIQOS_SIZE_MAX  0xffffu
/* Size of the struct before the fields for delays were added, in bytes. */
#define MPIQOS_OLD_BYTES offsetof(MPIQOS_Flow, burst)

_Static_assert(sizeof(MPIQOS_Flow) <= MPIQOS_SIZE_MAX,
               "the size must fit into the lower half of the field");
_Static_assert(offsetof(MPIQOS_Flow, size) == sizeof(int) &&
                   offsetof(MPIQOS_Flow, bandwidth) == 8 &&
                   offsetof(MPIQOS_Flow, reason) == 136 &&
                   MPIQOS_OLD_BYTES == 392,
               "programs compiled with older headers use these offsets");
_Static_assert(sizeof(MPIQOS_Flow) == 456,
               "fortran/mpi_qos.f90 contains this size");

/* Return the number of bytes to copy. The struct of a newer program can be
 * longer than the library's struct. */
static size_t mpiqos_flow_bytes(unsigned size)
{
    size_t bytes = size - MPIQOS_SIZE_MARK;

    if (size < MPIQOS_SIZE_MARK || bytes < MPIQOS_OLD_BYTES ||
        bytes > MPIQOS_SIZE_MAX) {
        return MPIQOS_OLD_BYTES;
    }
    return (bytes < sizeof(MPIQOS_Flow)) ? bytes : sizeof(MPIQOS_Flow);
}

void mpiqos_flow_import_sized(const MPIQOS_Flow *theirs, unsigned size,
                              MPIQOS_Flow *ours)
{
    const MPIQOS_Flow start = MPIQOS_FLOW_INIT;

    *ours = start;
    memcpy(ours, theirs, mpiqos_flow_bytes(size));
    ours->size = MPIQOS_FLOW_SIZE;
}

void mpiqos_flow_import(const MPIQOS_Flow *theirs, MPIQOS_Flow *ours)
{
    mpiqos_flow_import_sized(theirs, theirs->size, ours);
}

void mpiqos_flow_export(const MPIQOS_Flow *ours, unsigned size,
                        MPIQOS_Flow *theirs)
{
    size_t bytes = mpiqos_flow_bytes(size);

    memcpy(theirs, ours, bytes);
    theirs->size = MPIQOS_SIZE_MARK + (unsigned)bytes;
}
