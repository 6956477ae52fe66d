/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * User data as a stream of bytes: packed or unpacked in pieces of any length, without a copy of
 * the whole.
 *
 * MPICH's datatype engine packs and unpacks whole basic elements only, and a piece may end inside
 * of one. Such an element waits here, in `cut`, until the next piece. So how a message is cut into
 * pieces depends on lengths alone, never on datatypes, and the two sides need not agree on them.
 */
#ifndef GM_LAYOUT_H_INCLUDED
#define GM_LAYOUT_H_INCLUDED

#include "mpidimpl.h"

/* Longest basic element: two long doubles are 32 bytes. */
#define ADIGM_ELEMENT_BYTES 64

typedef struct adigm_layout {
    char *address;              /* contiguous: the first byte; else as the user gave it */
    MPI_Aint count;
    MPI_Datatype datatype;
    int is_contig;
    MPI_Aint bytes;             /* of the stream; what comes after them is dropped */
    MPI_Aint offset;            /* bytes of the stream that have passed */
    MPI_Aint engine_offset;     /* of these, what the engine has handled; a packer's is ahead */
    MPI_Aint block_bytes;       /* mean contiguous block */
    int n_cut;
    char cut[ADIGM_ELEMENT_BYTES];
} adigm_layout_t;

/* The datatype must live as long as the layout. limit_bytes: of the stream, if that is less than
 * the data. */
void adigm_layout_init(adigm_layout_t * layout, const void *buffer, MPI_Aint count,
                       MPI_Datatype datatype, MPI_Aint limit_bytes);
/* Write the stream's next n bytes, at most what is left, to out, or read them from in; return what
 * that costs the process, in picoseconds: every byte, and every contiguous block of what is not
 * contiguous, by the mean length of the datatype's blocks. Nothing is charged here. */
uint64_t adigm_layout_pack(adigm_layout_t * layout, void *out, MPI_Aint n);
uint64_t adigm_layout_unpack(adigm_layout_t * layout, const void *in, MPI_Aint n);
/* The stream's end is inside of an element: the sender's basic types are not the receiver's. */
int adigm_layout_is_cut(const adigm_layout_t * layout);

#endif /* GM_LAYOUT_H_INCLUDED */
