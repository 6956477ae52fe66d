/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Provides the thread-local variables of the ranks' programs. A program
 * accesses these variables at a fixed distance from the thread pointer, because
 * it expects to be the main program of its process. The program gmqos-ranks
 * reserves this memory for the programs, and replaces its contents whenever
 * another rank runs.
 */
#ifndef GMI_THREAD_BLOCK_H
#define GMI_THREAD_BLOCK_H

#include "inprocess/image.h"

/** Prepare the memory for this program.
 *  @return 0, or -1 if the program has more bytes of thread-local variables
 *  than are reserved */
int gmi_thread_block_prepare(const gmi_image_t *program,
                             char error[GMI_ERROR_LEN]);

/** Return the initial contents for a new rank, or NULL if the program has no
 *  such variables. If there is no memory, the function also returns NULL, and
 *  sets errno. */
void *gmi_thread_block_create(void);

/** Store the contents of the memory when a rank stops running, and restore
 *  these contents when the rank runs again. */
void gmi_thread_block_save(void *contents);
void gmi_thread_block_restore(const void *contents);

/** Store the initial contents in the calling thread, which a program has
 *  created. */
void gmi_thread_block_begin(void);

#endif
