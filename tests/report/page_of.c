/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page_of DATA.json [DATA.json]: writes the report page of one document, or the
 * page that compares two documents, to standard output.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/page.h"

static json_t *page_of_load(const char *path)
{
    json_error_t error;
    json_t *data = json_load_file(path, 0, &error);

    if (data == NULL) {
        fprintf(stderr, "page_of: %s, line %d: %s\n", path, error.line,
                error.text);
    }
    return data;
}

int main(int argc, char **argv)
{
    json_t *first, *second;
    gms_status_t status;

    if (argc < 2 || argc > 3) {
        fputs("usage: page_of DATA.json [DATA.json]\n", stderr);
        return 2;
    }
    first = page_of_load(argv[1]);
    second = (argc == 3) ? page_of_load(argv[2]) : NULL;
    status = (argc == 3) ? gms_page_write_comparison(stdout, first, second)
                         : gms_page_write(stdout, first);
    json_decref(first);
    json_decref(second);
    if (status != GMS_OK) {
        fprintf(stderr, "page_of: %s\n", gms_status_text(status));
    }
    return (status == GMS_OK) ? EXIT_SUCCESS : EXIT_FAILURE;
}
