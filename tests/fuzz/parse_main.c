/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_NAME [--runs N] [--seed S] FILE | DIRECTORY ..
 *
 * Reads the files, and then N inputs. Each input is derived from one file by a
 * few random changes. Input number I depends only on the files, the seed and I.
 * If an input fails, the program prints its number, and writes the input to the
 * file fuzz-failed.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parse.h"

#define PARSE_FILES   1024u
#define PARSE_LIMIT_S 20u /* maximum wall time of one input (s) */

extern void __sanitizer_set_death_callback(void (*callback)(void))
    __attribute__((weak));

static struct {
    uint8_t *data;
    size_t size;
} parse_files[PARSE_FILES];
static unsigned parse_count;

static uint8_t parse_input[PARSE_MAX];
static size_t parse_input_size;
static char parse_input_name[512];

static void parse_obituary(void)
{
    FILE *file;

    if (parse_input_name[0] == '\0') {
        return;
    }
    dprintf(STDERR_FILENO,
            "%s failed; the input is kept in the file fuzz-failed\n",
            parse_input_name);
    parse_input_name[0] = '\0';
    file = fopen("fuzz-failed", "w");
    if (file != NULL) {
        fwrite(parse_input, 1, parse_input_size, file);
        fclose(file);
    }
}

static void parse_on_signal(int number)
{
    if (number == SIGALRM) {
        dprintf(STDERR_FILENO, "not finished after %u s\n", PARSE_LIMIT_S);
    }
    parse_obituary();
    signal(number, SIG_DFL);
    raise(number);
}

static void parse_run(void)
{
    alarm(PARSE_LIMIT_S);
    LLVMFuzzerTestOneInput(parse_input, parse_input_size);
    alarm(0);
    parse_input_name[0] = '\0';
}

static void parse_die(const char *what)
{
    perror(what);
    exit(EXIT_FAILURE);
}

static void parse_take_file(const char *path)
{
    FILE *file = fopen(path, "r");

    if (file == NULL || parse_count == PARSE_FILES) {
        parse_die(path);
    }
    parse_input_size = fread(parse_input, 1, sizeof(parse_input), file);
    fclose(file);
    snprintf(parse_input_name, sizeof(parse_input_name), "%s", path);
    parse_run();
    parse_files[parse_count].data = malloc(parse_input_size + 1);
    if (parse_files[parse_count].data == NULL) {
        parse_die("malloc");
    }
    memcpy(parse_files[parse_count].data, parse_input, parse_input_size);
    parse_files[parse_count++].size = parse_input_size;
}

/* Sort by name, because inputs must not depend on the file system. */
static void parse_take(const char *path)
{
    struct dirent **entries;
    char inner[512];
    int count = scandir(path, &entries, NULL, alphasort);

    if (count < 0) {
        parse_take_file(path);
        return;
    }
    for (int i = 0; i < count; ++i) {
        if (entries[i]->d_name[0] != '.' &&
            snprintf(inner, sizeof(inner), "%s/%s", path, entries[i]->d_name) <
                (int)sizeof(inner)) {
            parse_take(inner);
        }
        free(entries[i]);
    }
    free(entries);
}

static void parse_run_random(uint64_t seed, uint64_t number)
{
    uint64_t state = seed << 40 ^ number;
    unsigned file = (unsigned)(parse_random(&state) % parse_count);

    parse_input_size = parse_files[file].size;
    memcpy(parse_input, parse_files[file].data, parse_input_size);
    parse_input_size = parse_mutate(parse_input, parse_input_size, PARSE_MAX,
                                    parse_random(&state));
    snprintf(parse_input_name, sizeof(parse_input_name),
             "input %llu of seed %llu", (unsigned long long)number,
             (unsigned long long)seed);
    parse_run();
}

static uint64_t parse_number(const char *text)
{
    char *end;
    uint64_t number = strtoull(text != NULL ? text : "", &end, 10);

    if (text == NULL || *text == '\0' || *end != '\0') {
        fprintf(stderr, "not a number: '%s'\n", text != NULL ? text : "");
        exit(EXIT_FAILURE);
    }
    return number;
}

int main(int argc, char *argv[])
{
    uint64_t runs = 0, seed = 1;

    signal(SIGABRT, parse_on_signal);
    signal(SIGALRM, parse_on_signal);
    if (__sanitizer_set_death_callback != NULL) {
        __sanitizer_set_death_callback(parse_obituary);
    } else {
        signal(SIGSEGV, parse_on_signal);
    }
    for (int arg = 1; arg < argc; ++arg) {
        if (strcmp(argv[arg], "--runs") == 0) {
            runs = parse_number(argv[++arg]);
        } else if (strcmp(argv[arg], "--seed") == 0) {
            seed = parse_number(argv[++arg]);
        } else {
            parse_take(argv[arg]);
        }
    }
    if (parse_count == 0) {
        fprintf(stderr, "no files\n");
        return EXIT_FAILURE;
    }
    for (uint64_t i = 0; i < runs; ++i) {
        parse_run_random(seed, i);
    }
    printf("%u files and %llu inputs of seed %llu\n", parse_count,
           (unsigned long long)runs, (unsigned long long)seed);
    for (unsigned i = 0; i < parse_count; ++i) {
        free(parse_files[i].data);
    }
    return EXIT_SUCCESS;
}
