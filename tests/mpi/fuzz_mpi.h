/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * fuzz_mpi.h - declares the parts of random MPI programs whose results are
 * known in advance.
 *
 * All ranks draw the same numbers from the shared stream. Every rank therefore
 * knows the whole round: the senders, receivers, contents and layouts of all
 * messages. The choices of a single rank, such as the order of its calls, come
 * from the rank's own stream of random numbers.
 */
#ifndef TESTS_MPI_FUZZ_MPI_H
#define TESTS_MPI_FUZZ_MPI_H

#ifndef CHECK_STATE
#define CHECK_STATE extern
#endif
#include "check.h"

#include <stdint.h>

typedef struct fuzz_stream {
    uint64_t state;
} fuzz_stream_t;

extern fuzz_stream_t fuzz_shared, fuzz_own;
/** Number of the current round, for error messages. */
extern int fuzz_round;

void fuzz_seed(fuzz_stream_t *stream, uint64_t seed);
/** Return a random number in 0 .. limit - 1; limit > 0. */
unsigned fuzz_below(fuzz_stream_t *stream, unsigned limit);
/** Return a random number in 0 .. limit - 1 from the shared stream. */
unsigned fuzz_draw(unsigned limit);
/** Add a number to the checksum that the run prints at the end. */
void fuzz_note(uint64_t number);

/* ---- fuzz_mpi_layout.c ---- */

/**
 * A contiguous piece of a message, at an offset from the buffer's address.
 */
typedef struct fuzz_piece {
    long at;
    long bytes;
} fuzz_piece_t;

/**
 * Elements of a basic type in memory, as MPI and these tests describe them.
 */
typedef struct fuzz_layout {
    MPI_Datatype type; /**< committed */
    int count;
    long bytes;     /**< number of data bytes */
    long low, high; /**< the buffer occupies the memory [low, high) */
    int n_pieces;
    fuzz_piece_t *pieces;
} fuzz_layout_t;

/** Memory of a layout, with guards around it. */
typedef struct fuzz_memory {
    char *base;
    size_t bytes;
    int is_mapped;
    char *buffer; /**< address to pass to MPI */
} fuzz_memory_t;

enum {
    FUZZ_BASES = 5
};

/** Return a basic type and its size. */
MPI_Datatype fuzz_base(unsigned base);
long fuzz_base_bytes(unsigned base);
/** Return a length of at most CODE bytes, in most cases near a threshold of the
 * device. */
long fuzz_length(unsigned base, long most);
/** Use numbers from a stream to create a random layout of elements of the type
 * base with this number of bytes. */
void fuzz_layout_make(fuzz_layout_t *layout, fuzz_stream_t *stream,
                      unsigned base, long bytes);
void fuzz_layout_free(fuzz_layout_t *layout);

/** Allocate the memory of a layout, and fill it with guards. */
void fuzz_memory_make(fuzz_memory_t *memory, const fuzz_layout_t *layout);
void fuzz_memory_free(fuzz_memory_t *memory);
/** Write the first bytes of a message, but at most as many bytes as the layout
 * has. */
void fuzz_memory_fill(fuzz_memory_t *memory, const fuzz_layout_t *layout,
                      unsigned message, long bytes);
/**
 * Check that the memory still has the contents that fuzz_memory_make() and
 * fuzz_memory_fill() have written.
 */
void fuzz_memory_check(const fuzz_memory_t *memory, const fuzz_layout_t *layout,
                       unsigned message, long bytes, const char *what);

/* ---- rounds ---- */

enum {
    FUZZ_COMMS = 4
};

/**
 * Communicators that contain all ranks. The first communicator is
 * MPI_COMM_WORLD; some other communicators have a different order of ranks. All
 * communicators use MPI_ERRORS_RETURN.
 */
extern MPI_Comm fuzz_comms[FUZZ_COMMS];
/** Messages are shorter than this limit. */
extern long fuzz_most_bytes;

/** Choose one of fuzz_comms with a number from the shared stream. */
MPI_Comm fuzz_any_comm(void);

void fuzz_play_messages(void);
void fuzz_play_persistent(void);
void fuzz_play_partitioned(void);
void fuzz_play_collectives(void);
void fuzz_play_window(void);
void fuzz_play_dynamic_window(void);

#endif
