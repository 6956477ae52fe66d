/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared declarations of the random tests of file readers. A reader opens its
 * file with fopen(), which is replaced and returns the input for any name.
 * README.md explains these tests.
 */
#ifndef TESTS_FUZZ_PARSE_H
#define TESTS_FUZZ_PARSE_H

#include <stddef.h>
#include <stdint.h>

/**
 * Longest input. This is long enough for every kind of file except records;
 * their Makefile sets another limit.
 */
#ifndef PARSE_MAX
#define PARSE_MAX 4096u
#endif

/**
 * Report that a reader violates a requirement. Ends the process in a manner
 * that fuzzers recognize as a crash.
 */
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
/** Keywords of the reader's files; NULL-terminated. */
const char *const *parse_words(void);

/* ---- Its input (parse_file.c) ------------------------------------------- */

/** Name of the file that is passed to the reader. */
#define PARSE_NAME "input.yaml"

void parse_file_set(const uint8_t *data, size_t size);
/**
 * Check an error message: lines that begin with PARSE_NAME, in UTF-8, without
 * control characters, that end before room.
 */
void parse_check_error(const char *error, size_t room);

/* ---- Clusters, for two of the readers (parse_small.c) -------------------- */

/**
 * Reason for refusing a network that would take too much time: more than 64
 * hosts.
 */
#define PARSE_LEFT_OUT "left out"
/** Check that the arena of the last network has been freed. */
void parse_check_arena(void);

/* ---- Random inputs (parse_mutate.c) ------------------------------------- */

/** Change an input: words, numbers, lines, bytes. @return its new size */
size_t parse_mutate(uint8_t *data, size_t size, size_t room, uint64_t seed);
/** splitmix64 [source: Steele 2014, figure 16] */
uint64_t parse_random(uint64_t *state);

#endif
