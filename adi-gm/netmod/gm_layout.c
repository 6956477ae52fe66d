/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packs and unpacks pieces of user data of any length, and computes the cost of copying the
 * contiguous blocks in these pieces.
 */
#include "gm_impl.h"

void adigm_layout_init(adigm_layout_t * layout, const void *buffer, MPI_Aint count,
                       MPI_Datatype datatype, MPI_Aint limit_bytes)
{
    MPIR_Datatype *dt_ptr;
    MPI_Aint bytes, true_lb;
    int is_contig;

    MPIDI_Datatype_get_info(count, datatype, is_contig, bytes, dt_ptr, true_lb);
    layout->address = is_contig ? MPIR_get_contig_ptr(buffer, true_lb) : (char *) buffer;
    layout->count = count;
    layout->datatype = datatype;
    layout->is_contig = is_contig;
    layout->bytes = MPL_MIN(bytes, limit_bytes);
    layout->offset = 0;
    layout->engine_offset = 0;
    layout->block_bytes = 0;
    layout->n_cut = 0;
    if (!is_contig && dt_ptr->typerep.num_contig_blocks > 0)
        layout->block_bytes = dt_ptr->size / dt_ptr->typerep.num_contig_blocks;
    if (layout->block_bytes == 0)
        layout->block_bytes = 1;
}

/* Advance by n bytes, and return the cost of copying these bytes at the given cost per
 * byte. */
static uint64_t adigm_layout_pass(adigm_layout_t * layout, MPI_Aint n, uint64_t ps_per_byte)
{
    uint64_t cost_ps = (uint64_t) n * ps_per_byte;
    MPI_Aint next = layout->offset + n;
    if (!layout->is_contig)
        cost_ps += (uint64_t) (next / layout->block_bytes - layout->offset / layout->block_bytes) *
            adigm.block_ps;
    layout->offset = next;
    return cost_ps;
}

/* ---- packing ---- */

static MPI_Aint adigm_layout_engine_pack(adigm_layout_t * layout, void *out, MPI_Aint room)
{
    MPI_Aint n = 0;
    int mpi_errno = MPIR_Typerep_pack(layout->address, layout->count, layout->datatype,
                                      layout->engine_offset, out, room, &n);
    MPIR_Assert(mpi_errno == MPI_SUCCESS && n >= 0 && n <= room);
    layout->engine_offset += n;
    return n;
}

/* Copy the remaining bytes of the element that the end of the previous piece has split. */
static MPI_Aint adigm_layout_rest(adigm_layout_t * layout, char *out, MPI_Aint room)
{
    int n = (int) MPL_MIN(room, (MPI_Aint) layout->n_cut);
    memcpy(out, layout->cut, (size_t) n);
    layout->n_cut -= n;
    memmove(layout->cut, layout->cut + n, (size_t) layout->n_cut);
    return n;
}

uint64_t adigm_layout_pack(adigm_layout_t * layout, void *out, MPI_Aint n)
{
    char *next = out;
    char *end = next + n;
    MPIR_Assert(n <= layout->bytes - layout->offset);
    adigm.n_copied_out_bytes += (uint64_t) n;
    if (layout->is_contig) {
        memcpy(out, layout->address + layout->offset, (size_t) n);
        return adigm_layout_pass(layout, n, adigm.copy_ps_per_byte);
    }
    next += adigm_layout_rest(layout, next, n);
    if (next < end)
        next += adigm_layout_engine_pack(layout, next, end - next);
    if (next < end) {
        layout->n_cut = (int) adigm_layout_engine_pack(layout, layout->cut, ADIGM_ELEMENT_BYTES);
        next += adigm_layout_rest(layout, next, end - next);
    }
    MPIR_Assert(next == end);
    return adigm_layout_pass(layout, n, adigm.copy_ps_per_byte);
}

/* ---- unpacking ---- */

static MPI_Aint adigm_layout_engine_unpack(adigm_layout_t * layout, const void *in, MPI_Aint n)
{
    MPI_Aint done = 0;
    int mpi_errno = MPIR_Typerep_unpack(in, n, layout->address, layout->count, layout->datatype,
                                        layout->engine_offset, &done);
    MPIR_Assert(mpi_errno == MPI_SUCCESS && done >= 0 && done <= n);
    layout->engine_offset += done;
    return done;
}

/* Complete the element that the end of the previous piece has split. Returns the number of bytes
 * consumed from `in'. */
static MPI_Aint adigm_layout_mend(adigm_layout_t * layout, const char *in, MPI_Aint n)
{
    MPI_Aint taken = MPL_MIN(n, (MPI_Aint) ADIGM_ELEMENT_BYTES - layout->n_cut);
    memcpy(layout->cut + layout->n_cut, in, (size_t) taken);
    MPI_Aint done = adigm_layout_engine_unpack(layout, layout->cut, layout->n_cut + taken);
    if (done == 0) {
        layout->n_cut += (int) taken;
        return taken;
    }
    taken = done - layout->n_cut;
    layout->n_cut = 0;
    return taken;
}

uint64_t adigm_layout_unpack(adigm_layout_t * layout, const void *in, MPI_Aint n)
{
    const char *next = in;
    n = MPL_MIN(n, layout->bytes - layout->offset);
    const char *end = next + n;
    adigm.n_copied_in_bytes += (uint64_t) n;
    if (layout->is_contig) {
        memcpy(layout->address + layout->offset, in, (size_t) n);
        layout->engine_offset += n;
        return adigm_layout_pass(layout, n, adigm.receive_copy_ps_per_byte);
    }
    if (layout->n_cut > 0)
        next += adigm_layout_mend(layout, next, n);
    if (next < end)
        next += adigm_layout_engine_unpack(layout, next, end - next);
    if (next < end) {
        MPIR_Assert(end - next < ADIGM_ELEMENT_BYTES);
        layout->n_cut = (int) (end - next);
        memcpy(layout->cut, next, (size_t) layout->n_cut);
    }
    return adigm_layout_pass(layout, n, adigm.receive_copy_ps_per_byte);
}

int adigm_layout_is_cut(const adigm_layout_t * layout)
{
    return layout->engine_offset != layout->offset;
}
