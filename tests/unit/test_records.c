/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests gmsim_read_records(), which reads YAML files with lists of flat
 * mappings. */
#include <string.h>
#include <unistd.h>

#include "yaml/records.h"
#include "unit.h"

static const char *const keys[] = {"from", "to", "rate", NULL};

/* State of the callback, which appends every value to `text` and rejects record
 * number `wrong_record`. */
typedef struct reader {
    char text[512];
    unsigned records;
    unsigned wrong_record; /* counted from 1; 0: none */
    int wrong_key;
    unsigned wrong_item;
} reader_t;

static char dir[] = "/tmp/test_records.XXXXXX";
static char path[64];

static int suite_init(void)
{
    if (mkdtemp(dir) == NULL) {
        return 1;
    }
    (void)snprintf(path, sizeof(path), "%s/r.yaml", dir);
    return 0;
}

static int suite_cleanup(void)
{
    (void)unlink(path);
    return rmdir(dir);
}

static int on_record(unsigned line, const char *const *const *values,
                     int *key_p, unsigned *item_p, char why[GMSIM_WHY_LEN],
                     void *context)
{
    reader_t *reader = context;
    char *end = reader->text + strlen(reader->text);
    size_t i, n;

    end += sprintf(end, "%u:", line);
    for (i = 0; keys[i] != NULL; ++i) {
        if (values[i] == NULL) {
            continue;
        }
        end += sprintf(end, " %s", keys[i]);
        for (n = 0; values[i][n] != NULL; ++n) {
            end += sprintf(end, "=%s", values[i][n]);
        }
    }
    strcpy(end, "; ");
    ++reader->records;
    if (reader->records != reader->wrong_record) {
        return 0;
    }
    *key_p = reader->wrong_key;
    *item_p = reader->wrong_item;
    strcpy(why, "is bad; allowed: good");
    return -1;
}

static gm_status_t read_text(const char *text, reader_t *reader, char *error,
                             size_t error_len)
{
    FILE *file = fopen(path, "w");

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CHECK_U64(fwrite(text, 1, strlen(text), file), strlen(text));
    (void)fclose(file);
    return gmsim_read_records(path, "policy", keys, on_record, reader, error,
                              error_len);
}

static void test_values_and_lines(void)
{
    reader_t reader = {.records = 0};
    char error[256] = "untouched";

    CHECK_U64(read_text("# first\n- {from: 0, to: [1, x y], rate: 40 MB/s}\n\n"
                        "- to: '2'\n  from: all\n",
                        &reader, error, sizeof(error)),
              GM_SUCCESS);
    CU_ASSERT_STRING_EQUAL(
        reader.text, "2: from=0 to=1=x y rate=40 MB/s; 4: from=all to=2; ");
    CU_ASSERT_STRING_EQUAL(error, "untouched");
}

static void test_empty_list(void)
{
    reader_t reader = {.records = 0};
    char error[256];

    CHECK_U64(read_text("[]\n", &reader, error, sizeof(error)), GM_SUCCESS);
    CHECK_U64(reader.records, 0);
}

static void refuse(const char *text, reader_t reader, const char *expected)
{
    char error[512] = "", full[512];

    CHECK_U64(read_text(text, &reader, error, sizeof(error)), GM_FAILURE);
    (void)snprintf(full, sizeof(full), "%s:%s", path, expected);
    if (strcmp(error, full) != 0) {
        printf("\n    of \"%s\":\n    %s\n    expected\n    %s\n", text, error,
               full);
    }
    CU_ASSERT_STRING_EQUAL(error, full);
}

static void test_the_caller_refuses(void)
{
    const char *text = "- {from: 0}\n- {from: 1,\n   to: [2, 3]}\n- {to: 1}\n";

    refuse(text, (reader_t){.wrong_record = 2, .wrong_key = 1, .wrong_item = 1},
           "3: key 'to': value '3' is bad; allowed: good");
    refuse(text, (reader_t){.wrong_record = 1, .wrong_key = 0},
           "1: key 'from': value '0' is bad; allowed: good");
    refuse(text, (reader_t){.wrong_record = 3, .wrong_key = -1},
           "4: is bad; allowed: good");
    /* If a key is missing, the error names the first line of the record. */
    refuse(text, (reader_t){.wrong_record = 1, .wrong_key = 2},
           "1: is bad; allowed: good");
}

static void test_what_is_no_record(void)
{
    const reader_t any = {.records = 0};

    refuse("from: 0\n", any,
           "1: not a list; allowed: lines of the form '- {KEY: VALUE, ..}'");
    refuse("", any,
           "1: not a list; allowed: lines of the form '- {KEY: VALUE, ..}'");
    refuse("- {from: 0}\n- 3\n", any,
           "2: a record must be a mapping; allowed: '- {KEY: VALUE, ..}'");
    refuse("- {form: 0}\n", any,
           "1: unknown key 'form' (did you mean 'from'?); allowed: from, to, "
           "rate");
    refuse("- from: 0\n  from: 1\n", any,
           "2: key 'from' is given twice, first on line 1");
    refuse("- {to: {a: 1}}\n", any,
           "1: key 'to': value is a mapping; allowed: a word or a number");
    refuse("- {to: [[1]]}\n", any,
           "1: key 'to': value is a list; allowed: a word or a number");
    refuse("- {to: }\n", any,
           "1: key 'to': value '' is empty; allowed: a word or a number");
    refuse("- {to: []}\n", any,
           "1: key 'to': value is a list without values; allowed: at least one "
           "value");
    refuse("[]\n---\n[]\n", any,
           "3: a second document; allowed: one list per file");
}

static void test_arguments(void)
{
    static const char *const many[] = {"a", "b", "c", "d", "e", "f",
                                       "g", "h", "i", "j", "k", "l",
                                       "m", "n", "o", "p", "q", NULL};
    reader_t reader = {.records = 0};
    char error[16];

    CHECK_U64(gmsim_read_records(NULL, "x", keys, on_record, &reader, error,
                                 sizeof(error)),
              GM_INVALID_PARAMETER);
    CHECK_U64(gmsim_read_records(path, "x", many, on_record, &reader, error,
                                 sizeof(error)),
              GM_INVALID_PARAMETER);
    CHECK_U64(gmsim_read_records("/nowhere", "x", keys, on_record, &reader,
                                 error, sizeof(error)),
              GM_FAILURE);
    CU_ASSERT_STRING_EQUAL(error, "/nowhere: canno"); /* truncated */
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"values and their line numbers", test_values_and_lines},
        {"an empty list", test_empty_list},
        {"a value that the caller refuses", test_the_caller_refuses},
        {"files without records", test_what_is_no_record},
        {"arguments", test_arguments},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"records", suite_init, suite_cleanup, NULL, NULL, tests});
}
