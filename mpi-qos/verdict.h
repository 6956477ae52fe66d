/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * verdict.h - decides for the report whether the delay bounds of reservations
 * were kept.
 */
#ifndef MPI_QOS_VERDICT_H
#define MPI_QOS_VERDICT_H

#include "record.h"

/** A record is about to give back what it holds: note its delays, if there is a
 *  report. */
void mpiqos_verdict_note(const mpiqos_record_t *record);
/** The same for all records that hold something at the end. */
void mpiqos_verdict_note_all(void);

#endif
