/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the gm netmod keeps inside MPICH's own objects. Included by every file of MPICH, before
 * mpidimpl.h: no GM header may come in here.
 */
#ifndef GM_PRE_H_INCLUDED
#define GM_PRE_H_INCLUDED

/* Of a request in a rendezvous: the user buffer registered for the directed send. */
typedef struct {
    void *address;              /* NULL while nothing is registered */
    MPI_Aint len_bytes;
} MPIDI_GM_am_request_t;

typedef struct {
    int dummy;
} MPIDI_GM_request_t;

/* Hints wait here until the communicator is complete. All 0 while it does not exist. */
typedef struct {
    int is_committed;
    int is_published;           /* the program has its handle, or a window has it */
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

/* Peers are known by their rank in the job; their GM addresses follow from it. */
typedef struct {
    int world_rank;
} MPIDI_GM_addr_t;

typedef struct {
    int dummy;
} MPIDI_GM_part_t;

#endif /* GM_PRE_H_INCLUDED */
