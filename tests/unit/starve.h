/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Exhausted memory for tests: link with starve.c and
 * -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc.
 */
#ifndef STARVE_H
#define STARVE_H

/** Allocations that succeed before the others fail; UINT_MAX: all do. */
extern unsigned starve_left;

/** Run body() with the first, second, .. allocation failing until it needs no
 *  more. body() returns 1 when it has got all that it wanted.
 *  @return how many it needs */
unsigned starve(int (*body)(void));

#endif
