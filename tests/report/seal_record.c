/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * seal_record RECORD: corrects the checksums of a record that a test has
 * changed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../unit/seal.h"

int main(int argc, char **argv)
{
    if (argc != 2 || seal_directory(argv[1]) != 0) {
        perror(argc == 2 ? argv[1] : "usage: seal_record RECORD");
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
