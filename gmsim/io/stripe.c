/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes the pieces of an access. With n I/O hosts, every n-th stripe of an
 * access is on the same I/O host.
 */
#include "io/stripe.h"

int gms_io_piece(const gms_io_layout_t *layout, uint64_t offset, uint64_t bytes,
                 uint32_t host, uint64_t number, gms_io_piece_t *piece)
{
    uint64_t end = offset + bytes;
    uint64_t first = offset / layout->stripe_bytes;
    uint64_t skip =
        (host + layout->hosts - first % layout->hosts) %
        layout->hosts; /* number of stripes before the first stripe on this
                        * host */
    uint64_t stripe = first + skip + number * layout->hosts;
    uint64_t start = stripe * layout->stripe_bytes;
    uint64_t stop = start + layout->stripe_bytes;

    if (bytes == 0 || start >= end) {
        return 0;
    }
    piece->offset = start > offset ? start : offset;
    piece->bytes = (stop < end ? stop : end) - piece->offset;
    piece->host = host;
    piece->disk = (uint32_t)(stripe / layout->hosts % layout->disks);
    return 1;
}
