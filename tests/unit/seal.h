/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes valid checksums for records that a test has changed. With invalid
 * checksums, the reader would reject the record before it performs its other
 * checks.
 */
#ifndef TESTS_UNIT_SEAL_H
#define TESTS_UNIT_SEAL_H

/** Write valid checksums and counts into the files of a record. The lines may
 *  already have checksums.
 *  @return 0, or -1 with errno */
int seal_directory(const char *directory);

#endif
