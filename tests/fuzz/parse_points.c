/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests two readers of gmsim sweep with random bytes. The bytes are the points
 * of a job ("3,7-9"), which tasks on other machines read, or a command that
 * contains values.
 */
#include <stdlib.h>
#include <string.h>

#include "parse.h"
#include "sweep/submit.h"
#include "sweep/text.h"

enum {
    POINTS = 1000
};

const char *const *parse_words(void)
{
    static const char *const words[] = {
        "1,2",  "3-9",
        "1000", "18446744073709551615",
        "{v}",  "{{v}}",
        "$(",   "${v}",
        "`",    "case x in x)",
        "<<E",  "$'",
        "\"",   "'",
        "#",    ">out",
        "$((",  NULL,
    };

    return words;
}

static const char *parse_lookup(void *context, const char *name)
{
    return strcmp(name, "v") == 0 ? context : NULL;
}

/*
 * Check that an accepted string names each of its points once, and that
 * printing the points results in the same set.
 */
static void parse_points(const char *text)
{
    uint64_t *runs = NULL, *again = NULL, count = 0, count_again = 0, i;
    char *printed;

    if (gms_sweep_points_parse(text, POINTS, &runs, &count) != GMS_OK) {
        return;
    }
    PARSE_CHECK(count > 0 && count <= POINTS, "invalid number of points: %llu",
                (unsigned long long)count);
    for (i = 0; i < count; ++i) {
        PARSE_CHECK(runs[i] < POINTS, "point %llu is out of range",
                    (unsigned long long)runs[i]);
    }
    printed = gms_sweep_points_text(runs, count);
    PARSE_CHECK(printed != NULL &&
                    gms_sweep_points_parse(printed, POINTS, &again,
                                           &count_again) == GMS_OK &&
                    count_again == count &&
                    memcmp(runs, again, count * sizeof(*runs)) == 0,
                "'%s' became '%s'", text, printed);
    free(printed);
    free(again);
    free(runs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char wrong[GMS_YAML_ERROR_LEN], value[] = "$(id)'\"`\\;";
    char *text = malloc(size + 1), *filled = NULL;

    PARSE_CHECK(text != NULL, "no memory");
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    parse_points(text);
    if (gms_sweep_fill_command(text, parse_lookup, value, &filled, wrong) ==
        GMS_OK) {
        free(filled);
    }
    free(text);
    return 0;
}
