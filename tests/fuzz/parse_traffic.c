/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the two readers of traffic files with random bytes: the reader of
 * packet traces and the reader of frame sizes. The first byte selects the
 * reader.
 */
#include <string.h>

#include "parse.h"
#include "hcasim/source.h"

enum {
    NODES = 16
};

const char *const *parse_words(void)
{
    static const char *const words[] = {
        "0 1 16",   "100,2,4", "# comment",
        "65535",    "65536",   "9007199254740992",
        "67108864", "0",       "\t",
        "\r\n",     NULL,
    };

    return words;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[GMS_SOURCE_ERROR_LEN];
    gms_source_config_t config = {
        .kind = size > 0 && data[0] % 2 ? GMS_SOURCE_VIDEO : GMS_SOURCE_TRACE,
        .flit_bytes = 4,
        .packet_flits = 16,
        .cycle_ps = 10000,
        .seed = 1,
        .target = {.nodes = NODES},
        .file = PARSE_NAME};
    gms_source_t *source = NULL;
    gms_arrival_t arrival;
    uint64_t last = 0;
    unsigned i;

    memset(error, 'x', sizeof(error));
    parse_file_set(size > 0 ? data + 1 : data, size > 0 ? size - 1 : 0);
    if (gms_source_create(&config, &source, error) != GMS_OK) {
        PARSE_CHECK(memchr(error, '\0', sizeof(error)) != NULL,
                    "the error text is not terminated");
        return 0;
    }
    for (i = 0; i < 1000 && gms_source_next(source, &arrival); ++i) {
        PARSE_CHECK(arrival.cycle >= last && arrival.target < NODES,
                    "packet %u: invalid cycle %llu or target %u", i,
                    (unsigned long long)arrival.cycle, arrival.target);
        last = arrival.cycle;
    }
    gms_source_destroy(source);
    return 0;
}
