/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Correct checksums for records that a test has changed: they let a reader
 * reach its other checks.
 */
#ifndef TESTS_UNIT_SEAL_H
#define TESTS_UNIT_SEAL_H

/** Give the files of a record the checksums and counts of what they hold. The lines
 *  may have checksums or none. @return 0, or -1 with errno */
int seal_directory(const char *directory);

#endif
