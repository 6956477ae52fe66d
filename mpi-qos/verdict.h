/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * verdict.h - decides for the report whether reservations kept their delay
 * bounds.
 */
#ifndef MPI_QOS_VERDICT_H
#define MPI_QOS_VERDICT_H

#include "record.h"

/** If a report is requested, store the delays of a record for the report. Call
 *  this function before releasing the record's reservations. */
void mpiqos_verdict_note(const mpiqos_record_t *record);
/** Store the delays of all records that still hold reservations at the end of
 *  the job. */
void mpiqos_verdict_note_all(void);

#endif
