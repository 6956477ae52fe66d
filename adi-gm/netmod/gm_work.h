/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Declares the queue of deferred work of a process for long messages that it has received. By
 * default the work takes 19.5 ns per byte, which is 20 ms for a message of 1 MB. While messages of
 * reservations arrive, the work for all other messages is deferred and done in slices, each for one
 * packet. A message of a reservation is handled before the next slice. The flows without a
 * reservation take turns after each slice.
 */
#ifndef GM_WORK_H_INCLUDED
#define GM_WORK_H_INCLUDED

#include <stdint.h>

typedef struct adigm_work adigm_work_t;

/* The caller owns the memory and embeds this struct. */
struct adigm_work {
    adigm_work_t *next;
    uint64_t left_ps;           /* > 0 */
    /* Function that is called when all the work is done and this struct is no longer in the
     * queue. */
    void (*done) (adigm_work_t * work);
};

/* Queue work behind the earlier work of messages from this rank on this label. */
void adigm_work_add(int peer, unsigned label, adigm_work_t * work);
/* Return 1 if there is deferred work. */
int adigm_work_is_owed(void);
/* Do one slice for the next flow in turn. There must be deferred work. */
void adigm_work_slice(void);

#endif /* GM_WORK_H_INCLUDED */
