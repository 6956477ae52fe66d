/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Declares the queue of a process's deferred work for long messages that it has received. By
 * default, the work takes 19.5 ns per byte, that is, 20 ms for a message of 1 MB. While messages of
 * reservations arrive, the work for all other messages is deferred and done in slices of one packet
 * each. If a message of a reservation arrives, it is handled before the next slice. The flows
 * without a reservation are served in turn, with one slice for each flow.
 */
#ifndef GM_WORK_H_INCLUDED
#define GM_WORK_H_INCLUDED

#include <stdint.h>

typedef struct adigm_work adigm_work_t;

/* The caller owns the memory and embeds this struct. */
struct adigm_work {
    adigm_work_t *next;
    uint64_t left_ps;           /* > 0 */
    /* Function that is called after all work is done and this struct has been removed from the
     * queue. */
    void (*done) (adigm_work_t * work);
};

/* Queue work behind the earlier work for messages from this rank with this label. */
void adigm_work_add(int peer, unsigned label, adigm_work_t * work);
/* Return 1 if there is deferred work. */
int adigm_work_is_owed(void);
/* Do one slice of work for the next flow. There must be deferred work. */
void adigm_work_slice(void);

#endif /* GM_WORK_H_INCLUDED */
