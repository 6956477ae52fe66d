/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Defines a mutator for libFuzzer. libFuzzer itself changes inputs byte by
 * byte; this mutator also changes lines and words.
 */
#include "parse.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room,
                               unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room,
                               unsigned seed)
{
    return seed % 3 == 0 ? LLVMFuzzerMutate(data, size, room)
                         : parse_mutate(data, size, room, seed);
}
