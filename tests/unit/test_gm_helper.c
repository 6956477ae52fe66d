/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests the parts of the GM library that need no network: mutexes, numbers,
 * text and bytes. */
#include "gm.h"

#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "starve.h"
#include "unit.h"

/* ---- Mutex ------------------------------------------------------------- */

static struct gm_mutex *mutex;
static unsigned counter;

static void *count_in_mutex(void *unused)
{
    unsigned i;

    for (i = 0; i < 20000; ++i) {
        gm_mutex_enter(mutex);
        ++counter;
        gm_mutex_exit(mutex);
    }
    return unused;
}

static int body_mutex(void)
{
    struct gm_mutex *made = gm_create_mutex();

    gm_destroy_mutex(made);
    return made != NULL;
}

static void test_mutex(void)
{
    pthread_t thread;

    mutex = gm_create_mutex();
    CU_ASSERT_PTR_NOT_NULL_FATAL(mutex);
    counter = 0;
    CHECK_U64(pthread_create(&thread, NULL, count_in_mutex, NULL), 0);
    count_in_mutex(NULL);
    pthread_join(thread, NULL);
    CHECK_U64(counter, 40000);
    gm_mutex_exit(mutex); /* no thread holds the mutex */
    gm_mutex_enter(mutex);
    gm_mutex_enter(mutex); /* this call must not hang */
    gm_mutex_exit(mutex);
    gm_destroy_mutex(mutex);
    gm_mutex_enter(NULL);
    gm_mutex_exit(NULL);
    gm_destroy_mutex(NULL);
    CHECK_U64(starve(body_mutex), 1);
}

/* ---- Numbers ----------------------------------------------------------- */

static void test_rand(void)
{
    int first[10], i;
    unsigned histogram[10] = {0};

    gm_srand(7);
    for (i = 0; i < 10; ++i) {
        first[i] = gm_rand();
        CU_ASSERT_TRUE(first[i] >= 0);
        CU_ASSERT_TRUE(i == 0 || first[i] != first[i - 1]);
    }
    gm_srand(8);
    CU_ASSERT_NOT_EQUAL(gm_rand(), first[0]);
    gm_srand(7);
    for (i = 0; i < 10; ++i) {
        CU_ASSERT_EQUAL(gm_rand(), first[i]);
    }
    for (i = 0; i < 100000; ++i) {
        unsigned draw = gm_rand_mod(10);

        CU_ASSERT_TRUE_FATAL(draw < 10);
        ++histogram[draw];
    }
    for (i = 0; i < 10; ++i) { /* the expected number is 10000, with a standard
                                * deviation of 95; the tolerance is five times
                                * this deviation */
        CU_ASSERT_TRUE(histogram[i] > 9525 && histogram[i] < 10475);
    }
    CHECK_U64(gm_rand_mod(1), 0);
    CHECK_U64(gm_rand_mod(0), 0);
}

static void test_log2(void)
{
    unsigned long n;

    for (n = 0; n <= 256; ++n) {
        unsigned long k = 0;

        while (1ul << k < n) {
            ++k;
        }
        CHECK_U64(gm_log2_roundup_table[n], k);
        CHECK_U64(gm_log2_roundup(n), k);
    }
    CHECK_U64(gm_log2_roundup(1ul << 40), 40);
    CHECK_U64(gm_log2_roundup((1ul << 40) + 1), 41);
    CHECK_U64(gm_log2_roundup(~0ul), 64);
}

/* [source: the check value of CRC-32 in RFC 3385, and in any list of CRCs] */
static void test_crc(void)
{
    char text[] = "123456789";

    CHECK_U64(gm_crc_str(text), 0xcbf43926u);
    CHECK_U64(gm_crc(text, 9), 0xcbf43926u);
    CHECK_U64(gm_crc(text, 0), 0);
    CHECK_U64(gm_crc(NULL, 10), 0);
    CHECK_U64(gm_crc_str(NULL), 0);
    text[3] = '5';
    CU_ASSERT_NOT_EQUAL(gm_crc(text, 9), 0xcbf43926u);
}

/* ---- Text and bytes ---------------------------------------------------- */

static void test_bytes(void)
{
    char text[] = "0123456789";
    char page[8];
    char *copy;

    gm_bcopy(text, text + 2, 5); /* the blocks overlap */
    CU_ASSERT_STRING_EQUAL(text, "0101234789");
    gm_bzero(text + 8, 2);
    CHECK_U64(gm_strlen(text), 8);
    CU_ASSERT_PTR_EQUAL(gm_memset(text, 'x', 3), text);
    CU_ASSERT_STRING_EQUAL(text, "xxx12347");
    CU_ASSERT_TRUE(gm_memcmp("abc", "abd", 3) < 0);
    CHECK_U64(gm_memcmp("abc", "abd", 2), 0);
    CU_ASSERT_PTR_EQUAL(gm_strncpy(page, "abc", 8), page);
    CU_ASSERT_EQUAL(memcmp(page, "abc\0\0\0\0", 8), 0);
    gm_strncpy(page, "defghijk", 2);
    CU_ASSERT_STRING_EQUAL(page, "dec");
    gm_strncpy(page, "z", 0);
    gm_strncpy(page, "z", -1);
    CU_ASSERT_STRING_EQUAL(page, "dec");
    CU_ASSERT_TRUE(gm_strcmp("a", "b") < 0);
    CHECK_U64(gm_strcmp("a", "a"), 0);
    CHECK_U64(gm_strncmp("abX", "abY", 2), 0);
    CU_ASSERT_TRUE(gm_strncmp("abX", "abY", 3) < 0);
    CHECK_U64(gm_strncmp("abX", "abY", -1), 0);
    CHECK_U64(gm_strncasecmp("ABx", "abX", 3), 0);
    CU_ASSERT_TRUE(gm_strncasecmp("ABx", "abY", 3) < 0);
    copy = gm_strdup("text");
    CU_ASSERT_STRING_EQUAL(copy, "text");
    gm_free(copy);
    CU_ASSERT_TRUE(gm_isprint('a'));
    CU_ASSERT_FALSE(gm_isprint('\n'));
    CU_ASSERT_FALSE(gm_isprint(-1));
    CU_ASSERT_FALSE(gm_isprint(-1000000));
    CU_ASSERT_FALSE(gm_isprint(1000000));
    CHECK_U64(gm_getpid(), getpid());
}

static void test_bytes_null(void)
{
    char text[] = "text";

    gm_bcopy(NULL, text, 4);
    gm_bcopy(text, NULL, 4);
    gm_bzero(NULL, 4);
    CU_ASSERT_PTR_NULL(gm_memset(NULL, 1, 4));
    CU_ASSERT_TRUE(gm_memcmp(NULL, text, 4) < 0);
    CU_ASSERT_TRUE(gm_memcmp(text, NULL, 4) > 0);
    CHECK_U64(gm_memcmp(NULL, NULL, 4), 0);
    CHECK_U64(gm_memcmp(NULL, text, 0), 0);
    CHECK_U64(gm_strlen(NULL), 0);
    CU_ASSERT_PTR_NULL(gm_strncpy(NULL, text, 4));
    CHECK_U64(gm_strcmp(NULL, ""), 0);
    CU_ASSERT_TRUE(gm_strncmp(NULL, text, 4) < 0);
    CU_ASSERT_TRUE(gm_strncasecmp(text, NULL, 4) > 0);
    CU_ASSERT_PTR_NULL(gm_strdup(NULL));
    CU_ASSERT_STRING_EQUAL(text, "text");
    gm_strncpy(text, NULL, 4);
    CU_ASSERT_STRING_EQUAL(text, "");
}

/* Return the output of body(), including its standard error. The caller frees
 * the returned text. */
static char *output_of(void (*body)(void))
{
    int saved[2] = {dup(1), dup(2)};
    FILE *file = tmpfile();
    char *text = calloc(1, 4096);

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    fflush(stdout);
    dup2(fileno(file), 1);
    dup2(fileno(file), 2);
    body();
    fflush(stdout);
    dup2(saved[0], 1);
    dup2(saved[1], 2);
    close(saved[0]);
    close(saved[1]);
    rewind(file);
    CU_ASSERT_TRUE(fread(text, 1, 4095, file) < 4095);
    fclose(file);
    return text;
}

static void body_print(void)
{
    CHECK_U64(gm_printf("%s %d\n", "number", 12), 10);
    fflush(stdout);
    CHECK_U64(gm_eprintf("%c", 'e'), 1);
    gm_hex_dump("0123456789abcdef\n\x80 ", 20);
    gm_hex_dump("0123456789abcdef", 16);
    gm_hex_dump("x", 0);
    gm_hex_dump(NULL, 10);
}

static void test_print(void)
{
    char *text = output_of(body_print);

    CU_ASSERT_STRING_EQUAL(
        text, "number 12\ne"
              "00000000  30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66"
              "  0123456789abcdef\n"
              "00000010  0a 80 20 00                                    "
              "  .. .\n"
              "00000000  30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66"
              "  0123456789abcdef\n");
    free(text);
}

static char buffer_a[] = "A", buffer_b[] = "B";

static void test_buffers(void)
{
    char *text;

    gm_register_buffer(NULL, 5);
    gm_register_buffer(buffer_a, 0);
    gm_register_buffer(buffer_a, -1);
    text = output_of(gm_dump_buffers);
    CU_ASSERT_STRING_EQUAL(text, "");
    free(text);
    gm_register_buffer(buffer_a, 1);
    gm_register_buffer(buffer_b, 1);
    gm_register_buffer(buffer_b, 1);
    text = output_of(gm_dump_buffers);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "1 bytes\n00000000  41  "));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "1 bytes\n00000000  42  "));
    CU_ASSERT_TRUE(strstr(text, "  42  ") < strstr(text, "  41  "));
    free(text);
    CHECK_U64(gm_unregister_buffer(buffer_a, 2), 0);
    CHECK_U64(gm_unregister_buffer(buffer_a, 1), 1);
    CHECK_U64(gm_unregister_buffer(buffer_a, 1), 0);
    CHECK_U64(gm_unregister_buffer(buffer_b, 1), 1);
    CHECK_U64(gm_unregister_buffer(buffer_b, 1), 1);
    text = output_of(gm_dump_buffers);
    CU_ASSERT_STRING_EQUAL(text, "");
    free(text);
    starve_left = 0;
    gm_register_buffer(buffer_a, 1);
    starve_left = UINT_MAX;
    CHECK_U64(gm_unregister_buffer(buffer_a, 1), 0);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"mutex", test_mutex},
        {"random numbers", test_rand},
        {"logarithms", test_log2},
        {"checksums", test_crc},
        {"bytes and strings", test_bytes},
        {"NULL for bytes and strings", test_bytes_null},
        {"printing", test_print},
        {"buffers to dump", test_buffers},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"gm helper", NULL, NULL, NULL, NULL, tests});
}
