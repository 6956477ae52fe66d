/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares how a file is distributed over the I/O hosts. A file consists of
 * stripes of equal length. Stripe k is on the I/O host k modulo the number of
 * I/O hosts. On each I/O host, consecutive stripes are placed on the disks in
 * turn. Every file begins on the first disk of the first I/O host.
 */
#ifndef IO_STRIPE_H
#define IO_STRIPE_H

#include <stdint.h>

typedef struct gms_io_layout {
    uint32_t hosts;        /* number of I/O hosts, >= 1 */
    uint32_t disks;        /* number of disks of each I/O host, >= 1 */
    uint64_t stripe_bytes; /* >= 1 */
} gms_io_layout_t;

/** The part of an access that is in one stripe. */
typedef struct gms_io_piece {
    uint64_t offset, bytes; /* position in the file, and length of the piece */
    uint32_t host, disk;    /* indices, counted from 0 */
} gms_io_piece_t;

/**
 * Find the piece of an access with the given number on one I/O host.
 *
 * @param [in] offset,bytes  position and length of the access in the file
 * @param [in] host          index of the I/O host
 * @param [in] number        0: the first piece of the access on this host
 * @return 1, or 0 if the access has fewer pieces on this host
 */
int gms_io_piece(const gms_io_layout_t *layout, uint64_t offset, uint64_t bytes,
                 uint32_t host, uint64_t number, gms_io_piece_t *piece);

#endif
