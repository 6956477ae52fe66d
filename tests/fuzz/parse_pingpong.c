/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the reader of ping-pong tables with random bytes: an accepted table has
 * increasing sizes and positive times.
 */
#include <math.h>

#include "fit/table.h"
#include "parse.h"

const char *const *parse_words(void)
{
    static const char *const words[] = {
        "bytes",
        "half_round_trip_us",
        "round_trip_us",
        "median_us",
        "q25_us",
        "q75_us",
        ",",
        "67108864",
        "67108865",
        "1e308",
        "nan",
        "-",
        " bytes ",
        "-> 1 us ",
        "#bytes",
        "t[usec]",
        "(us)",
        "# Benchmarking",
        "\t",
        NULL,
    };

    return words;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const gms_fit_where_t edr = {.column = "network", .text = "a"};
    static gms_fit_table_t table;
    char error[GMS_FIT_ERROR_LEN];
    size_t i;

    parse_file_set(data, size);
    if (gms_fit_table_load(PARSE_NAME, size % 2 ? &edr : NULL, &table, error) !=
        GMS_OK) {
        parse_check_error(error, sizeof(error));
        return 0;
    }
    PARSE_CHECK(table.count > 0 && table.count <= GMS_FIT_ROWS_MAX,
                "invalid number of rows: %zu", table.count);
    for (i = 0; i < table.count; ++i) {
        const gms_fit_row_t *row = &table.rows[i];

        PARSE_CHECK(row->bytes > 0 && row->bytes <= GMS_FIT_BYTES_MAX,
                    "row %zu: invalid size", i);
        PARSE_CHECK(i == 0 || row->bytes > table.rows[i - 1].bytes,
                    "row %zu: the sizes do not increase", i);
        PARSE_CHECK(isfinite(row->us) && row->us > 0, "row %zu: invalid time",
                    i);
        PARSE_CHECK(row->low_us >= 0 && row->low_us <= row->high_us,
                    "row %zu: invalid quartiles", i);
    }
    return 0;
}
