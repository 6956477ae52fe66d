/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creates layouts of data in memory, both as MPI datatypes and, independently
 * of MPI, as lists of pieces.
 */
#include "fuzz_mpi.h"

#include <string.h>
#include <sys/mman.h>

enum {
    GUARD_BYTES = 64,
    MOST_PIECES = 5000
};

MPI_Datatype fuzz_base(unsigned base)
{
    const MPI_Datatype bases[FUZZ_BASES] = {MPI_BYTE, MPI_SHORT, MPI_INT,
                                            MPI_DOUBLE, MPI_LONG_DOUBLE};

    return bases[base];
}

long fuzz_base_bytes(unsigned base)
{
    static const long bytes[FUZZ_BASES] = {1, sizeof(short), sizeof(int),
                                           sizeof(double), sizeof(long double)};

    return bytes[base];
}

long fuzz_length(unsigned base, long most)
{
    static const long near[] = {0,     1,     64,     127,    128,    129,
                                4032,  4096,  8192,   15999,  16000,  16001,
                                16312, 16313, 16376,  16384,  32768,  65535,
                                65536, 65537, 131072, 262144, 1048576};
    long bytes;

    if (fuzz_draw(4) == 0) {
        bytes = (long)fuzz_draw(fuzz_draw(8) == 0 ? 400000 : 20000);
    } else {
        /* long layouts are rare, because they take much time */
        unsigned n = fuzz_draw(6) == 0 ? 23 : 17;

        bytes = near[fuzz_draw(n)] + (long)fuzz_draw(3) - 1;
    }
    bytes = bytes < 0 ? 0 : bytes > most ? most : bytes;
    return bytes - bytes % fuzz_base_bytes(base);
}

static void add_piece(fuzz_layout_t *layout, long at, long bytes)
{
    fuzz_piece_t *last = NULL;

    if (bytes == 0) {
        return;
    }
    if (layout->n_pieces > 0) {
        last = &layout->pieces[layout->n_pieces - 1];
    }
    if (last && last->at + last->bytes == at) {
        last->bytes += bytes;
    } else {
        layout->pieces =
            realloc(layout->pieces,
                    (size_t)(layout->n_pieces + 1) * sizeof(*layout->pieces));
        layout->pieces[layout->n_pieces++] = (fuzz_piece_t){at, bytes};
    }
    layout->low = at < layout->low ? at : layout->low;
    layout->high = at + bytes > layout->high ? at + bytes : layout->high;
}

/*
 * Create blocks of equal length at equal distances; the distance may be
 * negative. A remainder that is shorter than a block follows all blocks. The
 * layout may have no complete block.
 */
static void make_strided(fuzz_layout_t *layout, fuzz_stream_t *stream,
                         unsigned base, long n)
{
    long size = fuzz_base_bytes(base);
    long least = n / MOST_PIECES + 1;
    long block = least + (long)fuzz_below(stream, 40);
    long blocks = n / block;
    long rest = n - blocks * block;
    long stride = (block + (long)fuzz_below(stream, 9)) * size;
    MPI_Datatype types[2];
    int lengths[2] = {1, (int)rest};
    MPI_Aint at[2] = {0, 0};

    if (fuzz_below(stream, 3) == 0) {
        stride = -stride;
    }
    at[1] = (blocks + 1) * stride + (stride < 0 ? -16 : 16);
    MPI_Type_create_hvector((int)blocks, (int)block, stride, fuzz_base(base),
                            &types[0]);
    types[1] = fuzz_base(base);
    MPI_Type_create_struct(rest > 0 ? 2 : 1, lengths, at, types, &layout->type);
    MPI_Type_free(&types[0]);
    layout->count = 1;
    for (long i = 0; i < blocks; ++i) {
        add_piece(layout, i * stride, block * size);
    }
    add_piece(layout, at[1], rest * size);
}

/* Create blocks of any length in any order, without overlap. */
static void make_listed(fuzz_layout_t *layout, fuzz_stream_t *stream,
                        unsigned base, long n, int is_struct)
{
    enum {
        MOST = 24
    };
    long size = fuzz_base_bytes(base), left = n, next;
    int lengths[MOST], order[MOST], blocks = 1 + (int)fuzz_below(stream, MOST);
    MPI_Aint at[MOST];
    MPI_Datatype types[MOST];

    for (int i = 0; i < blocks; ++i) {
        long part = 2 * left / (blocks - i);

        part = part < left ? part : left;
        lengths[i] = (int)left;
        if (i < blocks - 1) {
            lengths[i] = (int)fuzz_below(stream, (unsigned)part + 1);
        }
        left -= lengths[i];
        order[i] = i;
        types[i] = fuzz_base(base);
    }
    for (int i = blocks - 1; i > 0; --i) {
        int k = (int)fuzz_below(stream, (unsigned)i + 1), other = order[i];

        order[i] = order[k];
        order[k] = other;
    }
    next = -(long)fuzz_below(stream, 100) * 16;
    for (int i = 0; i < blocks; ++i) {
        at[order[i]] = next;
        next += lengths[order[i]] * size + (long)fuzz_below(stream, 5) * 16;
    }
    if (is_struct) {
        MPI_Type_create_struct(blocks, lengths, at, types, &layout->type);
    } else {
        MPI_Type_create_hindexed(blocks, lengths, at, fuzz_base(base),
                                 &layout->type);
    }
    layout->count = 1;
    for (int i = 0; i < blocks; ++i) {
        add_piece(layout, at[i], lengths[i] * size);
    }
}

/* Create many elements of a short type whose extent differs from its size. */
static void make_resized(fuzz_layout_t *layout, fuzz_stream_t *stream,
                         unsigned base, long n)
{
    long size = fuzz_base_bytes(base), each = n / MOST_PIECES + 1, extent;
    MPI_Datatype inner;

    while (n % each != 0) {
        ++each;
    }
    extent = (each + (long)fuzz_below(stream, 5)) * size;
    MPI_Type_contiguous((int)each, fuzz_base(base), &inner);
    MPI_Type_create_resized(inner, -(long)fuzz_below(stream, 3) * size, extent,
                            &layout->type);
    MPI_Type_free(&inner);
    layout->count = (int)(n / each);
    for (long i = 0; i < layout->count; ++i) {
        add_piece(layout, i * extent, each * size);
    }
}

/* Create a submatrix. */
static void make_subarray(fuzz_layout_t *layout, fuzz_stream_t *stream,
                          unsigned base, long n)
{
    long size = fuzz_base_bytes(base), rows = 1 + (long)fuzz_below(stream, 60);
    int sizes[2], part[2], start[2];

    while (n % rows != 0) {
        --rows;
    }
    part[0] = (int)rows;
    part[1] = (int)(n / rows);
    for (int i = 0; i < 2; ++i) {
        start[i] = (int)fuzz_below(stream, 4);
        sizes[i] = part[i] + start[i] + (int)fuzz_below(stream, 4);
    }
    MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C,
                             fuzz_base(base), &layout->type);
    layout->count = 1;
    for (long i = 0; i < rows; ++i) {
        add_piece(layout, ((start[0] + i) * sizes[1] + start[1]) * size,
                  part[1] * size);
    }
}

/* Create a layout of contiguous elements. */
static void make_contiguous(fuzz_layout_t *layout, fuzz_stream_t *stream,
                            unsigned base, long n)
{
    int length = (int)n;
    MPI_Aint at = ((long)fuzz_below(stream, 9) - 4) * 16;

    if (fuzz_below(stream, 2)) {
        MPI_Type_dup(fuzz_base(base), &layout->type);
        layout->count = length;
        at = 0;
    } else {
        MPI_Type_create_hindexed(1, &length, &at, fuzz_base(base),
                                 &layout->type);
        layout->count = 1;
    }
    add_piece(layout, at, n * fuzz_base_bytes(base));
}

void fuzz_layout_make(fuzz_layout_t *layout, fuzz_stream_t *stream,
                      unsigned base, long bytes)
{
    long n = bytes / fuzz_base_bytes(base);
    unsigned kind = fuzz_below(stream, 9);

    memset(layout, 0, sizeof(*layout));
    layout->bytes = bytes;
    if (n == 0 || kind < 3) {
        make_contiguous(layout, stream, base, n);
    } else if (kind < 5) {
        make_strided(layout, stream, base, n);
    } else if (kind == 5) {
        make_listed(layout, stream, base, n, 0);
    } else if (kind == 6) {
        make_listed(layout, stream, base, n, 1);
    } else if (kind == 7) {
        make_resized(layout, stream, base, n);
    } else {
        make_subarray(layout, stream, base, n);
    }
    MPI_Type_commit(&layout->type);
}

void fuzz_layout_free(fuzz_layout_t *layout)
{
    MPI_Type_free(&layout->type);
    free(layout->pieces);
}

/* ---- memory ---- */

static char guard_at(size_t i)
{
    return (char)(0xa5 ^ (i * 11) ^ (i >> 8));
}

static char data_at(unsigned message, long i)
{
    uint32_t x = ((uint32_t)i + 1) * 2654435761u + message * 40503u;

    return (char)(x >> 24 ^ x >> 13);
}

void fuzz_memory_make(fuzz_memory_t *memory, const fuzz_layout_t *layout)
{
    /* this address is aligned for all basic types */
    long low = (layout->low - GUARD_BYTES - 15) / 16 * 16;

    memory->bytes = (size_t)(layout->high - low + GUARD_BYTES);
    memory->is_mapped = fuzz_below(&fuzz_own, 3) == 0;
    if (memory->is_mapped) {
        memory->base = mmap(NULL, memory->bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(memory->base != MAP_FAILED, "mmap");
    } else {
        memory->base = malloc(memory->bytes);
    }
    memory->buffer = memory->base - low;
    for (size_t i = 0; i < memory->bytes; ++i) {
        memory->base[i] = guard_at(i);
    }
}

void fuzz_memory_free(fuzz_memory_t *memory)
{
    if (memory->is_mapped) {
        munmap(memory->base, memory->bytes);
    } else {
        free(memory->base);
    }
    memory->base = NULL;
}

void fuzz_memory_fill(fuzz_memory_t *memory, const fuzz_layout_t *layout,
                      unsigned message, long bytes)
{
    long done = 0;

    for (int i = 0; i < layout->n_pieces; ++i) {
        char *at = memory->buffer + layout->pieces[i].at;

        for (long k = 0; k < layout->pieces[i].bytes && done < bytes; ++k) {
            at[k] = data_at(message, done++);
        }
    }
}

void fuzz_memory_check(const fuzz_memory_t *memory, const fuzz_layout_t *layout,
                       unsigned message, long bytes, const char *what)
{
    fuzz_memory_t right = *memory;
    size_t wrong = 0, first = 0;

    right.base = malloc(memory->bytes);
    right.buffer = right.base + (memory->buffer - memory->base);
    for (size_t i = 0; i < memory->bytes; ++i) {
        right.base[i] = guard_at(i);
    }
    fuzz_memory_fill(&right, layout, message, bytes);
    for (size_t i = memory->bytes; i-- > 0;) {
        if (right.base[i] != memory->base[i]) {
            ++wrong;
            first = i;
        }
    }
    CHECK(wrong == 0,
          "round %d, %s, message %u of %ld bytes: %zu bytes wrong, first %ld",
          fuzz_round, what, message, bytes, wrong,
          (long)first - (long)(memory->buffer - memory->base));
    free(right.base);
}
