/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work that a process owes to long messages that it has received, 19.5 ns a byte by default: a
 * message of 1 MB costs 20 ms. While messages of reservations come, the work for all others is put
 * off and done in slices, a packet's worth at a time. A message of a reservation is handled before
 * the next slice. The flows without a reservation have their slices in turn.
 */
#ifndef GM_WORK_H_INCLUDED
#define GM_WORK_H_INCLUDED

#include <stdint.h>

typedef struct adigm_work adigm_work_t;

/* Embedded by the caller, who owns the memory. */
struct adigm_work {
    adigm_work_t *next;
    uint64_t left_ps;           /* > 0 */
    /* All of it is done. The queue has let go of it. */
    void (*done) (adigm_work_t * work);
};

/* Queue behind the earlier work of messages from this rank on this label. */
void adigm_work_add(int peer, unsigned label, adigm_work_t * work);
/* 1 if there is work. */
int adigm_work_is_owed(void);
/* Do one slice, of the flow whose turn it is. There is work. */
void adigm_work_slice(void);

#endif /* GM_WORK_H_INCLUDED */
