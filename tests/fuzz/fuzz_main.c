/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_gm [--set "KEY: VALUE"] .. [--runs N] [--seed S] [--first I]
 *         [FILE | DIRECTORY ..]
 *
 * Runs the sequences in the files, and then N random sequences of seed S,
 * beginning with sequence number I. A random sequence depends only on the seed
 * and on its own number. If a sequence fails, the program prints its number,
 * and writes the sequence to the file fuzz-failed. Option --set adds a
 * parameter to the cluster description.
 */
#include <dirent.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "fuzz.h"

#define FUZZ_INPUT_MAX 65536u
#define FUZZ_LONGEST   320u /* length of the longest random sequence (bytes) */
#define FUZZ_LIMIT_S   60u  /* maximum wall time of one sequence (s) */

extern void __sanitizer_set_death_callback(void (*callback)(void))
    __attribute__((weak));

static uint8_t fuzz_input[FUZZ_INPUT_MAX];
static size_t fuzz_input_bytes;
static char fuzz_input_name[512];

static void fuzz_obituary(void)
{
    FILE *file;

    if (fuzz_input_name[0] == '\0') {
        return;
    }
    dprintf(STDERR_FILENO,
            "fuzz_gm: %s failed; the input is kept in the file fuzz-failed\n",
            fuzz_input_name);
    fuzz_input_name[0] = '\0';
    file = fopen("fuzz-failed", "w");
    if (file != NULL) {
        fwrite(fuzz_input, 1, fuzz_input_bytes, file);
        fclose(file);
    }
}

static void fuzz_on_signal(int number)
{
    if (number == SIGALRM) {
        dprintf(STDERR_FILENO, "fuzz_gm: not finished after %u s\n",
                FUZZ_LIMIT_S);
    }
    fuzz_obituary();
    signal(number, SIG_DFL);
    raise(number);
}

static void fuzz_run_input(void)
{
    alarm(FUZZ_LIMIT_S);
    LLVMFuzzerTestOneInput(fuzz_input, fuzz_input_bytes);
    alarm(0);
    fuzz_input_name[0] = '\0';
}

static unsigned fuzz_run_path(const char *path)
{
    char inner[512];
    struct dirent *entry;
    unsigned count = 0;
    FILE *file;
    DIR *directory = opendir(path);

    if (directory != NULL) {
        while ((entry = readdir(directory)) != NULL) {
            if (entry->d_name[0] != '.' &&
                snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name) <
                    (int)sizeof(inner)) {
                count += fuzz_run_path(inner);
            }
        }
        closedir(directory);
        return count;
    }
    file = fopen(path, "r");
    if (file == NULL) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    fuzz_input_bytes = fread(fuzz_input, 1, sizeof(fuzz_input), file);
    fclose(file);
    snprintf(fuzz_input_name, sizeof(fuzz_input_name), "%s", path);
    fuzz_run_input();
    return 1;
}

/*
 * Return the next random number of splitmix64, which has no bad seeds. [source:
 * Steele 2014, figure 16]
 */
static uint64_t fuzz_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static void fuzz_run_random(uint64_t seed, uint64_t number)
{
    uint64_t state = seed << 40 ^ number;
    size_t at;

    fuzz_input_bytes = 8 + fuzz_random(&state) % FUZZ_LONGEST;
    for (at = 0; at < fuzz_input_bytes; at += 8) {
        uint64_t bytes = fuzz_random(&state);

        memcpy(fuzz_input + at, &bytes, sizeof(bytes));
    }
    snprintf(fuzz_input_name, sizeof(fuzz_input_name),
             "sequence %llu of seed %llu", (unsigned long long)number,
             (unsigned long long)seed);
    fuzz_run_input();
}

static uint64_t fuzz_number_of(const char *text)
{
    char *end;
    uint64_t number = strtoull(text != NULL ? text : "", &end, 10);

    if (text == NULL || *text == '\0' || *end != '\0') {
        fprintf(stderr, "fuzz_gm: '%s' is not a number\n",
                text != NULL ? text : "");
        exit(EXIT_FAILURE);
    }
    return number;
}

static void fuzz_set(const char *setting)
{
    size_t used = strlen(fuzz_settings);

    if (setting == NULL ||
        snprintf(fuzz_settings + used, sizeof(fuzz_settings) - used, "  %s\n",
                 setting) >= (int)(sizeof(fuzz_settings) - used)) {
        fprintf(stderr, "fuzz_gm: --set: \"KEY: VALUE\" is missing, or the "
                        "settings are too long\n");
        exit(EXIT_FAILURE);
    }
}

int main(int argc, char *argv[])
{
    uint64_t seed = 1, first = 0, runs = 0, i;
    unsigned files = 0;
    struct timespec start, end;
    int arg;

    signal(SIGABRT, fuzz_on_signal);
    signal(SIGALRM, fuzz_on_signal);
    atexit(fuzz_obituary); /* the library has ended the process */
    if (__sanitizer_set_death_callback != NULL) {
        __sanitizer_set_death_callback(fuzz_obituary);
    } else {
        signal(SIGSEGV, fuzz_on_signal);
        signal(SIGBUS, fuzz_on_signal);
    }
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (arg = 1; arg < argc; ++arg) {
        if (strcmp(argv[arg], "--runs") == 0) {
            runs = fuzz_number_of(argv[++arg]);
        } else if (strcmp(argv[arg], "--seed") == 0) {
            seed = fuzz_number_of(argv[++arg]);
        } else if (strcmp(argv[arg], "--first") == 0) {
            first = fuzz_number_of(argv[++arg]);
        } else if (strcmp(argv[arg], "--set") == 0) {
            fuzz_set(argv[++arg]);
        } else {
            files += fuzz_run_path(argv[arg]);
        }
    }
    for (i = first; i < first + runs; ++i) {
        fuzz_run_random(seed, i);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%u files and %llu sequences of seed %llu in %.1f s\n", files,
           (unsigned long long)runs, (unsigned long long)seed,
           (double)(end.tv_sec - start.tv_sec) +
               (double)(end.tv_nsec - start.tv_nsec) / 1e9);
    return EXIT_SUCCESS;
}
