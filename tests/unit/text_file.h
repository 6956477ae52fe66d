/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes small input files for a test into the directory of the test. */
#ifndef TESTS_UNIT_TEXT_FILE_H
#define TESTS_UNIT_TEXT_FILE_H

#include <string.h>

#include "unit.h"

static inline void write_bytes(const char *path, const char *text, size_t bytes)
{
    FILE *file = fopen(path, "w");

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CHECK_U64(fwrite(text, 1, bytes, file), bytes);
    (void)fclose(file);
}

static inline void write_text(const char *path, const char *text)
{
    write_bytes(path, text, strlen(text));
}

#endif
