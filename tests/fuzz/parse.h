/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared declarations of the random tests of file readers. A reader opens its
 * file with fopen(), which is replaced: any name is the input. README.md
 * explains it.
 */
#ifndef TESTS_FUZZ_PARSE_H
#define TESTS_FUZZ_PARSE_H

#include <stddef.h>
#include <stdint.h>

/** Longest input; an input need not be longer to be any of these files, but for
 *  records, whose Makefile says so. */
#ifndef PARSE_MAX
#define PARSE_MAX 4096u
#endif

/** A broken promise of a reader: ends the process in a way that fuzzers take
 *  for a crash. */
#define PARSE_CHECK(_condition, ...)                                           \
    do {                                                                       \
        if (!(_condition)) {                                                   \
            parse_fail(__FILE__, __LINE__, #_condition, __VA_ARGS__);          \
        }                                                                      \
    } while (0)
void parse_fail(const char *file, int line, const char *condition,
                const char *format, ...)
    __attribute__((noreturn, format(printf, 4, 5)));

/* ---- The reader (parse_cluster.c, parse_policy.c) ----------------------- */

/** Entry point of libFuzzer and AFL++. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/** Words of the reader's files; NULL-terminated. */
const char *const *parse_words(void);

/* ---- Its input (parse_file.c) ------------------------------------------- */

/** Name of the file that the reader is given. */
#define PARSE_NAME "input.yaml"

void parse_file_set(const uint8_t *data, size_t size);
/** What a message of a refusal must be: lines of PARSE_NAME, without control
 *  characters, in UTF-8, with its end before room. */
void parse_check_error(const char *error, size_t room);

/* ---- Clusters, for two of the readers (parse_small.c) -------------------- */

/** Why a network is refused that would take too long: more than 64 hosts. */
#define PARSE_LEFT_OUT "left out"
/** The arena of the last network has been given back. */
void parse_check_arena(void);

/* ---- Random inputs (parse_mutate.c) ------------------------------------- */

/** Change an input: words, numbers, lines, bytes. @return its new size */
size_t parse_mutate(uint8_t *data, size_t size, size_t room, uint64_t seed);
/** splitmix64 [source: Steele 2014, figure 16] */
uint64_t parse_random(uint64_t *state);

#endif
