/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records for tests: tests/data/records/small, which is written by hand, with a
 * change in one of its files.
 */
#ifndef TESTS_UNIT_REPORT_RIG_H
#define TESTS_UNIT_REPORT_RIG_H

#include "report/run.h"
#include "unit.h"

/** A change: the first `from` in a file becomes `to`. */
typedef struct rig_change {
    const char *file, *from, *to;
} rig_change_t;

/** The folder in which changed records are; removed by rig_teardown(). */
extern char rig_directory[];

int rig_setup(void);
int rig_teardown(void);
/** Write the record with changes, which end with file NULL, into rig_directory, with
 *  checksums that fit. A
 *  `from` that is not there fails the test. */
void rig_write(const rig_change_t *changes);
/** Write and load it; error as of gms_report_run_load(). */
gms_status_t rig_load(const rig_change_t *changes, gms_report_run_t **run_p,
                      char error[GMS_REPORT_ERROR_LEN]);
/** It must load; its windows need not add up to its totals. */
gms_report_run_t *rig_run(const rig_change_t *changes);
/** Change the first `from` in a file of rig_directory to as long a `to`; its
 *  checksums stay. */
void rig_flip(const char *file, const char *from, const char *to);
/** Replace a file of rig_directory by that of the record with changes. */
void rig_mix(const char *file, const rig_change_t *changes);
/** Make a file of rig_directory so much shorter. */
void rig_cut(const char *file, size_t bytes);

#endif
