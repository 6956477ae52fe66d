/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creates records for tests. A record is a copy of the hand-written record
 * tests/data/records/small with changes in its files.
 */
#ifndef TESTS_UNIT_REPORT_RIG_H
#define TESTS_UNIT_REPORT_RIG_H

#include "report/run.h"
#include "unit.h"

/** A change: replace the first `from` in a file with `to`. */
typedef struct rig_change {
    const char *file, *from, *to;
} rig_change_t;

/** Directory of the changed records; rig_teardown() removes this directory. */
extern char rig_directory[];

int rig_setup(void);
int rig_teardown(void);
/** Write the changed record with valid checksums into rig_directory. The list
 *  of changes ends with an element whose file is NULL. If the file does not
 *  contain `from`, the test fails. */
void rig_write(const rig_change_t *changes);
/** Write and load the record. The argument `error` is passed to
 * gms_report_run_load(). */
gms_status_t rig_load(const rig_change_t *changes, gms_report_run_t **run_p,
                      char error[GMS_REPORT_ERROR_LEN]);
/** Write and load the record; loading must succeed. The sums of the record's
 * windows may differ from its totals. */
gms_report_run_t *rig_run(const rig_change_t *changes);
/** Replace the first `from` in a file of rig_directory with `to`, which must
 *  have the same length. This function does not update the checksums. */
void rig_flip(const char *file, const char *from, const char *to);
/** Replace a file of rig_directory with the file of the same name from a
 *  changed record. */
void rig_mix(const char *file, const rig_change_t *changes);
/** Remove the last `bytes` bytes of a file of rig_directory. */
void rig_cut(const char *file, size_t bytes);
/** Return the integer with this key. */
json_int_t rig_int(const json_t *object, const char *key);
/** Return the text of the first finding that contains `part`, or "" if there is
 *  none. `data` is the result of gms_report_data(). */
const char *rig_finding(const json_t *data, const char *part);

/* ---- frequent changes ---- */

/** Makes the same change in all four windows. */
#define RIG_IN_EACH_WINDOW(_from, _to)                                         \
    {"windows.jsonl", _from, _to}, {"windows.jsonl", _from, _to},              \
        {"windows.jsonl", _from, _to},                                         \
    {                                                                          \
        "windows.jsonl", _from, _to                                            \
    }
/* changes the record so that the other flow received 2000 MB/s */
#define RIG_OTHERS                                                             \
    RIG_IN_EACH_WINDOW("[2,20000,5,20000,", "[2,20000,5,2000000,")
#define RIG_FAST                                                               \
    {                                                                          \
        "record.json", "\"link_bytes_s\": 160000000",                          \
            "\"link_bytes_s\": 1000000000"                                     \
    }

/* For a quarter of the time, the NIC had no packets of the flow to send.
 * Without waits for links, the flow would have had twice its bandwidth. Without
 * these waits and without pauses, it would have had three times its
 * bandwidth. */
#define RIG_IDLE                                                               \
    {                                                                          \
        "record.json", "\"bytes_arrived\":400000,\"active_ps\":4000000000",    \
            "\"bytes_arrived\":400000,\"active_ps\":3000000000"                \
    }
#define RIG_BUSY_HOST                                                          \
    {                                                                          \
        "record.json", "\"worked_ps\":1020000000", "\"worked_ps\":3200000000"  \
    }

#endif
