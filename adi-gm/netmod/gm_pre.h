/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Declares the data that the gm netmod keeps inside MPICH's own objects. Every file of MPICH
 * includes this header before mpidimpl.h. This header must therefore not include a GM header.
 */
#ifndef GM_PRE_H_INCLUDED
#define GM_PRE_H_INCLUDED

/* In a request for a rendezvous: the user buffer that is registered because the NIC reads it or
 * writes to it. */
typedef struct {
    void *address;              /* NULL while no buffer is registered */
    MPI_Aint len_bytes;
} MPIDI_GM_am_request_t;

typedef struct {
    int dummy;
} MPIDI_GM_request_t;

/* Keeps hints until the communicator is complete. All fields are 0 while the communicator does not
 * exist. */
typedef struct {
    int is_committed;
    /* 1: the program has the handle, or a window owns the communicator */
    int is_published;
    struct MPIR_Info *hints;
} MPIDI_GM_comm_t;

typedef struct {
    int dummy;
} MPIDI_GM_dt_t;

typedef struct {
    int dummy;
} MPIDI_GM_op_t;

typedef struct {
    int dummy;
} MPIDI_GM_win_t;

/* The rank in the job identifies a peer and determines its GM address. */
typedef struct {
    int world_rank;
} MPIDI_GM_addr_t;

typedef struct {
    int dummy;
} MPIDI_GM_part_t;

#endif /* GM_PRE_H_INCLUDED */
