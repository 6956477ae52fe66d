/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Declares the common parts of the random tests of file readers. A reader opens
 * its file with fopen(); the tests replace this function with one that returns
 * the input for any name. README.md explains these tests.
 */
#ifndef TESTS_FUZZ_PARSE_H
#define TESTS_FUZZ_PARSE_H

#include <stddef.h>
#include <stdint.h>

/**
 * Length of the longest input (bytes). The length is sufficient for every kind
 * of file except records, for which the Makefile sets another limit.
 */
#ifndef PARSE_MAX
#define PARSE_MAX 4096u
#endif

/**
 * Report that a reader violates a requirement. Abort the process, which fuzzers
 * recognize as a crash.
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

/** Read one input. This is the entry point of libFuzzer and AFL++. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/** Return the keywords of the reader's files, with NULL at the end. */
const char *const *parse_words(void);

/* ---- The reader's input (parse_file.c) ----------------------------------- */

/** Name of the file that is passed to the reader. */
#define PARSE_NAME "input.yaml"

void parse_file_set(const uint8_t *data, size_t size);
/**
 * Check an error message: its lines begin with PARSE_NAME and are valid UTF-8
 * without control characters, and the message fits into a buffer of `room'
 * bytes.
 */
void parse_check_error(const char *error, size_t room);

/* ---- Networks that two of the readers build (parse_small.c) -------------- */

/**
 * Message for a network that is refused, because more than 64 hosts would take
 * too much time.
 */
#define PARSE_LEFT_OUT "too many hosts for this test"
/** Check that the arena of the last network has been freed. */
void parse_check_arena(void);

/* ---- Random inputs (parse_mutate.c) ------------------------------------- */

/** Change an input: its words, numbers, lines or bytes. @return its new size */
size_t parse_mutate(uint8_t *data, size_t size, size_t room, uint64_t seed);
/** splitmix64 [source: Steele 2014, figure 16] */
uint64_t parse_random(uint64_t *state);

#endif
