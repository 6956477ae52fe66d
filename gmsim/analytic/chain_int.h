/* SPDX-License-Identifier: BSD-3-Clause */
/** Declares the states of the processor and the tables of their transitions.
 *  This header is private to chain_*.c. */
#ifndef ANALYTIC_CHAIN_INT_H
#define ANALYTIC_CHAIN_INT_H

#include "analytic/chain.h"

#define GMS_CHAIN_IDLE    0xffu
#define GMS_CHAIN_MEMORY  48u /* largest number of (position, turn) pairs */
#define GMS_CHAIN_NOWHERE UINT32_MAX
#define GMS_CHAIN_KNOWN   16u  /* largest value of gms_chain.known */
#define GMS_CHAIN_PHASES  8u   /* number of results of gms_chain_phase() */
#define GMS_CHAIN_LINKS   256u /* largest number of links of a chain */

/** The relation between the processor and the checked station, if the processor
 *  has been busy without interruption since the station began its transfer.
 *  The busy period and the transfer began at the same instant, so the order in
 *  which services and the transfer end is known, although their times are
 *  rounded. The transfer begins at a time u inside a slot, where u is uniform
 *  in [low, high). An event that occurs x slots after the beginning of the
 *  transfer is then in slot floor(x + u). */
typedef struct gms_chain_link {
    /* exact time from the beginning of the transfer to the end of the
     * processor's present service, in slots */
    double end;
    double low, high;
} gms_chain_link_t;

/** A state of the processor. */
typedef struct gms_chain_state {
    uint8_t server; /* class in service, or GMS_CHAIN_IDLE */
    /* index of a pair that consists of the position in the polling round and
     * the number of additional messages in the turn; 0: unknown, because the
     * processor was idle */
    uint8_t memory;
    /* 1 or 2: the service began together with the engine's service, and was
     * rounded down (1) or up (2); 0: the service began at another time */
    uint8_t twin;
    /* 1: the checked station has become idle at this instant, and sends a
     * message to the processor */
    uint8_t freed;
    /* remaining slots of the service; 0: the service ends at this instant */
    uint16_t residual;
    uint16_t hold; /* number of slots until the checked station is idle */
    uint16_t link; /* index of a link; 0: no link is known */
    uint8_t queue[GMS_CHAIN_CLASSES];
} gms_chain_state_t;

/** A transition. The probability of a transition is the product of `base' and
 *  the probabilities of its memory and its tails. */
typedef struct gms_chain_step {
    uint32_t to;
    float base;
    /* one bit per class: after a message left the queue, a message from the
     * tail moved up (tail_on) or no message moved up (tail_off) */
    uint16_t tail_on, tail_off;
    /* value of gms_chain_state_t.memory whose probability is a factor of this
     * transition's probability; 0: no such factor */
    uint8_t memory;
    /* value of gms_chain_state_t.memory when this transition makes the
     * processor idle; 0: the processor does not become idle */
    uint8_t onset;
    uint32_t sent; /* types sent to the engine, encoded as the digits of a
                     * number in base types + 1; the last digit is the first
                     * type */
    /* if the service takes 0 slots: number of messages that remain at the
     * processor when the message leaves */
    float again_left, origin_left;
    double p;
} gms_chain_step_t;

/** A table of transitions. The transitions of state s begin at step[first[s]]
 *  and end before step[first[s + 1]]. */
typedef struct gms_chain_table {
    uint32_t *first;
    gms_chain_step_t *step;
    uint32_t steps, room;
} gms_chain_table_t;

typedef struct gms_chain_states {
    const gms_chain_t *chain;
    gms_chain_state_t *state;
    uint32_t states, room;
    uint32_t *hash; /* hash table with open addressing */
    uint32_t hash_size;
    unsigned memories;
    uint8_t position[GMS_CHAIN_MEMORY], turn[GMS_CHAIN_MEMORY];
    int checked; /* class of the messages that program the checked station; -1:
                  * none */
    gms_chain_link_t link[GMS_CHAIN_LINKS];
    unsigned links;
    /* transitions in a slot (slot), at the end of a slot while the engine is
     * busy (end) or idle (end_idle), and when the engine ends a service
     * (arrive) */
    gms_chain_table_t slot, end, end_idle, arrive[GMS_CHAIN_TYPES];
    uint32_t *alone; /* [states]: index of the state that is equal except that
                      * its twin is 0 */
    int no_memory;
} gms_chain_states_t;

/** Split a time into one or two whole numbers of slots, each at least `least'.
 *  @return number of parts: 1 or 2 */
unsigned gms_chain_slots(const gms_chain_t *chain, double mean, unsigned least,
                         unsigned slots[2], double part[2]);
/** Split the mean time of a service that begins inside a slot into whole
 *  numbers of slots after this slot. The service begins at a uniformly
 *  distributed time. The remaining slots are therefore x - u, where x is the
 *  time in slots and u is uniform in [0, 1]. Every x - u is divided between the
 *  two nearest whole numbers. The mean and the mean square of x are then exact.
 *  @return number of parts: 1 to 3 */
unsigned gms_chain_slots_inside(const gms_chain_t *chain, double mean,
                                unsigned slots[3], double part[3]);
/** Return 1 if a service is so short that its time is rounded to 0 slots. */
int gms_chain_is_instant(const gms_chain_t *chain, double mean);
/** Return 1 if the ends of two services that begin together are so close that
 *  rounding could change their order. */
int gms_chain_is_close(const gms_chain_t *chain, unsigned c, unsigned t);
gms_model_status_t gms_chain_states_create(const gms_chain_t *chain,
                                           gms_chain_states_t *self);
void gms_chain_states_destroy(gms_chain_states_t *self);

/* chain_link.c */

/** Return the length of a transfer of the checked station, in slots. */
double gms_chain_transfer(const gms_chain_states_t *self);
/** Return 1 if a service that ends `end' slots after the beginning of a
 *  transfer may end in the same slot as the transfer. Also return 1 if one of
 *  the services that follow without interruption may end in the same slot as
 *  the transfer. In all other cases, rounding hardly changes which service ends
 *  first. */
int gms_chain_can_tie(const gms_chain_states_t *self, double end);
/** Return the index of a link. If the link is new, the function adds it.
 *  @return 0 if the link has no effect on the solution, or if there are too
 *  many links */
unsigned gms_chain_find_link(gms_chain_states_t *self,
                             const gms_chain_link_t *link);
/** Split the time of a service that ends at link->end, and that begins `begun'
 *  whole slots after the beginning of the transfer. The unknown fraction of the
 *  slot in which the transfer began determines how the time is rounded.
 *  @return number of parts: 1 or 2 */
unsigned gms_chain_split_link(const gms_chain_link_t *link, unsigned begun,
                              unsigned slots[2], double part[2],
                              gms_chain_link_t to[2]);

/** A vector of flows: a row for each state of the processor. Row s has size[s]
 *  entries. The entries up to the next multiple of 4 are 0 or negligible flows,
 *  because vector instructions process them, too. All further entries are
 *  undefined. */
typedef struct gms_chain_vector {
    double *p;      /* [states][width] */
    uint32_t *size; /* [states] */
} gms_chain_vector_t;

/** State of a solution in progress. */
typedef struct gms_chain_run {
    const gms_chain_t *chain;
    gms_chain_states_t *states;
    gms_chain_values_t *values;
    /* end[n]: number of combinations of at most n known types in the engine's
     * queue; combinations are sorted by length */
    unsigned end[GMS_CHAIN_KNOWN + 1];
    unsigned width; /* number of combinations, rounded up to a multiple of 4 */
    /* [width * types]: combination to which one message of a type has been
     * added */
    unsigned *append;
    unsigned *first;  /* [width]: type of the first message */
    unsigned *rest;   /* [width]: combination without the first message */
    unsigned *length; /* [width] */
    unsigned *last;   /* [width]: type of the last message */
    unsigned *front;  /* [width]: combination without the last message */
    /* [width]: mean service time of all messages in the engine's queue */
    double *queued_work;
    double rate[GMS_CHAIN_TYPES];
    double tail[GMS_CHAIN_CLASSES], memory[GMS_CHAIN_MEMORY];
    double engine_tail, mix[GMS_CHAIN_TYPES];
    /* [GMS_CHAIN_PHASES][types][end[known]][types]: probability of each type of
     * the message that follows a combination of the maximum length. This
     * probability depends on the phase of the checked station and on the type
     * that was served last. If pattern is NULL, this probability is engine_tail
     * multiplied by mix */
    const double *pattern;
    double scale[GMS_CHAIN_TYPES]; /* factor by which the probabilities of each
                                    * type are multiplied */
    double least; /* largest sum of a row's entries that may be neglected */
    gms_chain_vector_t start[GMS_CHAIN_TYPES], next[GMS_CHAIN_TYPES];
    gms_chain_vector_t now, then, second, third, fourth;
    double *part; /* [width] */
    /* [width]: a row to which all messages of a transition except the last are
     * appended */
    double *appended[2];
    /* [states]: values while the engine is idle */
    double *idle, *idle_then, *idle_in, *idle_next;
    double *occupied, *occupied_idle; /* [states]: long-run fraction of the time
                                       * in each state */
    uint32_t *ending; /* states in which a service ends or begins */
    uint32_t endings;
    /* totals of the probability flows in one round of the solution */
    double pushed[GMS_CHAIN_CLASSES], popped[GMS_CHAIN_CLASSES];
    double onset[GMS_CHAIN_MEMORY];
    double engine_pushed[GMS_CHAIN_TYPES], engine_popped;
    double offered[GMS_CHAIN_TYPES]; /* sums of the probabilities before
                                      * scaling */
    /* [GMS_CHAIN_PHASES][types][width]: flow at the end of a service of a type,
     * in a phase of the checked station */
    double *picked;
    double sent[GMS_CHAIN_TYPES], work[GMS_CHAIN_TYPES];
    double arrived[GMS_CHAIN_CLASSES], work_seen[GMS_CHAIN_CLASSES];
    double again_left, origin_left, origin_end;
    int is_counting;  /* 0: do not count flows while the engine is idle */
    double remaining; /* time until the present service of the engine ends */
} gms_chain_run_t;

/* chain_flow.c */

int gms_chain_vector_create(gms_chain_run_t *self, gms_chain_vector_t *v);
void gms_chain_vector_destroy(gms_chain_vector_t *v);
/** Set a vector to 0. */
void gms_chain_vector_clear(const gms_chain_run_t *self, gms_chain_vector_t *v);
/** Multiply the row of state s by p, and add the product to the row of that
 *  state in another vector. */
void gms_chain_vector_add(const gms_chain_run_t *self, gms_chain_vector_t *to,
                          const gms_chain_vector_t *from, uint32_t s, double p);
/** Return the sum of n values. */
double gms_chain_sum(const double *v, size_t n);
/** Enumerate the combinations of types in the engine's queue, by length.
 *  @return 0 if memory is exhausted */
int gms_chain_combine(gms_chain_run_t *self);
/** Compute the work in the engine's queue for each combination. */
void gms_chain_weigh_queue(gms_chain_run_t *self);
/** Advance the vector `now' by one slot while the engine serves a message. */
void gms_chain_slot(gms_chain_run_t *self);
/** At the end of a slot, end the completed services of the processor, and begin
 *  new services. */
void gms_chain_end(gms_chain_run_t *self, gms_chain_vector_t *v);
/** Distribute the probabilities of a row along all transitions of a table that
 *  begin in state s, while the engine is idle. */
void gms_chain_follow_idle(gms_chain_run_t *self,
                           const gms_chain_table_t *table, uint32_t s,
                           double from, double *to);
/** Do the same as gms_chain_end() while the engine is idle. */
void gms_chain_end_idle(gms_chain_run_t *self, double *v);
/** Return the phase of the checked station in state s. The phase consists of
 *  the number of messages that wait for the station and the progress of its
 *  transfer. The phase indicates which types the engine served recently:
 *  these types determine when messages for the station arrive. */
unsigned gms_chain_phase(const gms_chain_run_t *self, uint32_t s);
/** End the engine's service of type t in all states of v. */
void gms_chain_complete(gms_chain_run_t *self, unsigned t,
                        const gms_chain_vector_t *v);

/* chain_values.c */

/** Return the mean length of a geometric tail. */
double gms_chain_tail_mean(double tail);
/** Return the number of messages of class c in state s. */
double gms_chain_number(const gms_chain_run_t *self, uint32_t s, unsigned c);
/** Return the time that the processor needs for the messages that are already
 *  there when another message arrives in state s. */
double gms_chain_work(const gms_chain_run_t *self, uint32_t s);
/** Compute the results from the flows of a round and the fraction of time in
 *  each state. @param [in] busy fraction of the time in which the engine is
 *  busy */
void gms_chain_results(gms_chain_run_t *self, double busy);

#endif
