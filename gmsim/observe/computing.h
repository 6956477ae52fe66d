/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the computing times of a rank, which are part of a record
 * (doc/record.md). A run with the time mode `measured` writes these times, and
 * a run with the time mode `recorded` reads them. The file computing-RANK.jsonl
 * contains, for each call of the program, the name of the call and the time
 * that the program spent computing before the call.
 */
#ifndef OBSERVE_COMPUTING_H
#define OBSERVE_COMPUTING_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/time.h"

/** Length of an error message, in bytes. */
#define GMS_COMPUTING_ERROR_LEN 512
/** Maximum length of the name of a call, including the final 0. */
#define GMS_COMPUTING_NAME_LEN 64

/* ---- writing ---- */

typedef struct gms_computing_writer gms_computing_writer_t;

/** Create the file of a rank. An older file with this name is replaced.
 *  @param [in] ranks  number of ranks of the job
 *  @return GMS_OK, GMS_ERR_NO_MEMORY, or GMS_ERR_SYSTEM with errno set */
gms_status_t gms_computing_create(const char *directory, unsigned rank,
                                  unsigned ranks,
                                  gms_computing_writer_t **writer_p);
/** Add a call to the file. gms_computing_end() reports errors.
 *  @param [in] name  letters, digits and '_' */
void gms_computing_add(gms_computing_writer_t *writer, const char *name,
                       gms_time_t computed_ps);
/** Write the end of the file, and free the writer.
 *  @param [in] has_threads  1: several threads made calls, so the file is
 *    unusable
 *  @return 0, or -1 with errno set if the file is incomplete */
int gms_computing_end(gms_computing_writer_t *writer, int has_threads);

/* ---- reading ---- */

typedef struct gms_computing_call {
    const char *name;
    gms_time_t computed_ps; /* time that the program spent computing before the
                             * call */
} gms_computing_call_t;

typedef struct gms_computing {
    gms_computing_call_t *calls;
    size_t count;
    char **names;
    size_t name_count;
} gms_computing_t;

/** Read and check the file of a rank.
 *  @param [out] error  description of the error, with the file's path
 *  @return GMS_OK, GMS_ERR_CONFIG */
gms_status_t gms_computing_read(const char *directory, unsigned rank,
                                unsigned ranks, gms_computing_t *computing,
                                char error[GMS_COMPUTING_ERROR_LEN]);
void gms_computing_clear(gms_computing_t *computing);

#endif
