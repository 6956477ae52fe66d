/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Represents user data as a stream of bytes that can be packed or unpacked in pieces of any length,
 * without a copy of all data.
 *
 * MPICH's datatype engine processes only whole basic elements, but a piece may end inside an
 * element. `cut` stores such an element until the next piece. The pieces of a message therefore
 * depend only on lengths, and the two sides can use different datatypes.
 */
#ifndef GM_LAYOUT_H_INCLUDED
#define GM_LAYOUT_H_INCLUDED

#include "mpidimpl.h"

/* Size of the buffer for one basic element. The longest basic element consists of two long doubles
 * (32 bytes). */
#define ADIGM_ELEMENT_BYTES 64

typedef struct adigm_layout {
    char *address;              /* if contiguous, the address of the first byte; otherwise the
                                   user's address */
    MPI_Aint count;
    MPI_Datatype datatype;
    int is_contig;
    MPI_Aint bytes;             /* length of the stream; data beyond this length are discarded */
    MPI_Aint offset;            /* number of bytes of the stream that have been handled */
    MPI_Aint engine_offset;     /* number of bytes that the engine has handled; may exceed offset
                                 * while data are packed */
    MPI_Aint block_bytes;       /* mean length of a contiguous block */
    int n_cut;
    char cut[ADIGM_ELEMENT_BYTES];
} adigm_layout_t;

/* The datatype must exist as long as the layout. If the data are longer than limit_bytes, the
 * stream ends after limit_bytes. */
void adigm_layout_init(adigm_layout_t * layout, const void *buffer, MPI_Aint count,
                       MPI_Datatype datatype, MPI_Aint limit_bytes);
/* Write the next n bytes of the stream to out, or read these bytes from in. n must not exceed the
 * number of remaining bytes. Return the time that the process needs for the copy, in picoseconds.
 * These functions do not charge this time to the process. The time includes a cost for every byte.
 * If the data are not contiguous, the time also includes a cost for every contiguous block. The
 * number of blocks is computed from the mean length of the datatype's blocks. */
uint64_t adigm_layout_pack(adigm_layout_t * layout, void *out, MPI_Aint n);
uint64_t adigm_layout_unpack(adigm_layout_t * layout, const void *in, MPI_Aint n);
/* Return 1 if the stream ends inside an element, which happens if sender and receiver use different
 * basic types. */
int adigm_layout_is_cut(const adigm_layout_t * layout);

#endif /* GM_LAYOUT_H_INCLUDED */
