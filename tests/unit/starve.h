/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Simulates exhausted memory. Tests link with starve.c and
 * -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc.
 */
#ifndef STARVE_H
#define STARVE_H

/** Number of allocations that will still succeed; UINT_MAX means that all
 *  succeed. */
extern unsigned starve_left;

/** Call body() repeatedly: first no allocation succeeds, then one, then two,
 *  and so on, until body() succeeds. body() returns 1 if all its allocations
 *  have succeeded.
 *  @return number of allocations that body() needs */
unsigned starve(int (*body)(void));

#endif
