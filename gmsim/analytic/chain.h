/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * This header is private to the method `chain'. The method solves a Markov
 * chain of a processor with several queues and of the DMA engine to which the
 * processor sends most of its messages.
 *
 * Time advances in slots. A constant time is represented by a whole number of
 * slots, or by a mixture of the two nearest whole numbers. The state contains
 * the service of the processor, its queues, and the remaining time of one
 * checked station. A checked station is programmed by a service that begins
 * only while the station is idle. The state also contains the service of the
 * engine, and the types of the first messages in the engine's queue. Longer
 * queues are represented by a geometric tail. The balance of arrivals and
 * departures determines the parameter of the tail.
 */
#ifndef ANALYTIC_CHAIN_H
#define ANALYTIC_CHAIN_H

#include <stddef.h>
#include <stdint.h>

#include "analytic/model.h"

#define GMS_CHAIN_CLASSES 8u
#define GMS_CHAIN_TYPES   4u

/** A class of messages at the processor. */
typedef struct gms_chain_class {
    /* rate of Poisson arrivals; 0: messages arrive from the engine */
    double rate;
    double mean; /* constant service time */
    /* type that the message has at the engine, to which it moves after its
     * service; -1: the message does not move to the engine */
    int type;
    /* how long the service keeps the station that it programs busy; 0: the
     * service programs no station. Only one class may program a station */
    double hold;
    /* class of the message that the programmed station sends to the processor
     * when the station becomes idle; -1: none. Ignored if hold is 0 */
    int freed;
    unsigned most; /* queue length at which the geometric tail begins */
} gms_chain_class_t;

/** A type of messages at the engine. */
typedef struct gms_chain_type {
    double mean; /* constant service time */
    /* class that the message has at the processor, to which it moves after its
     * service; -1: the message does not move to the processor */
    int gives;
} gms_chain_type_t;

typedef struct gms_chain {
    unsigned classes, types;
    gms_chain_class_t class[GMS_CHAIN_CLASSES];
    gms_chain_type_t type[GMS_CHAIN_TYPES];
    gms_model_discipline_t discipline;
    unsigned limit;
    /* limit of the total number of messages in the queues of all classes that
     * program no station; 0: no limit */
    unsigned total;
    double slot; /* length of a slot */
    /* number of messages in the engine's queue whose types are known */
    unsigned known;
    /* A simpler chain computes the distribution of the types of later messages
     * in the engine's queue. The simpler chain keeps track of `pattern' types,
     * but contains only the messages that are sent to the engine, unless
     * is_whole is 1. If `pattern` does not exceed `known`, the types behind the
     * known types are independent */
    unsigned pattern;
    /* 1: the simpler chain contains all messages, but its slots are longer and
     * its tails begin at shorter queues. The type behind the known types then
     * also depends on the state of the checked station */
    int is_whole;
    /* two classes; the engine's service changes the class of a message from
     * `origin` to `again`; -1: there are no such classes */
    int origin, again;
} gms_chain_t;

/** Long-run results of the chain. */
typedef struct gms_chain_values {
    double queue[GMS_CHAIN_CLASSES];  /* mean number of waiting messages */
    double number[GMS_CHAIN_CLASSES]; /* mean number of messages, including
                                            the message in service */
    /* part of `number' that is due to the time in which the engine is idle */
    double idle[GMS_CHAIN_CLASSES];
    /* mean time that the processor needs to serve the messages that an arriving
     * message finds there */
    double work_seen[GMS_CHAIN_CLASSES];
    /* mean number of messages of class `again` at the processor when a message
     * of class `origin` leaves the processor */
    double again_left;
    /* Mean numbers of messages of class `origin` at the processor. The field
     * origin_left refers to the time when a message of class `again` leaves the
     * processor. The field origin_end refers to the end of the previous service
     * of this message by the engine. */
    double origin_left, origin_end;
    /* mean time that the engine needs to serve the messages that an arriving
     * message of a type finds there. The tail is assumed to have the same
     * length for all types */
    double work[GMS_CHAIN_TYPES];
    double engine_busy;
    double waiting;   /* fraction of the time during which the processor waits
                      * for the checked station */
    double held_idle; /* fraction of the time during which the checked station
                       * is idle while a message that programs it is present */
    /* fraction of the time for which the checked station is busy, and for which
     * it is busy while the engine is idle */
    double hold_busy, hold_idle;
    size_t states;
    unsigned rounds;
} gms_chain_values_t;

/** Compute the pattern for gms_chain_solve() by solving the simpler chain.
 *  Unless chain->is_whole is 1, the result does not depend on the class that
 *  programs a station.
 *
 *  @param [out] pattern allocated with malloc(); NULL if no
 *  simpler chain is needed. The caller must free it.
 *  @return GMS_MODEL_OK, GMS_MODEL_NO_MEMORY */
gms_model_status_t gms_chain_find_pattern(const gms_chain_t *chain,
                                          double **pattern);

/** Solve the chain. @param [in] pattern result of gms_chain_find_pattern()
 *  @return GMS_MODEL_OK, GMS_MODEL_NO_MEMORY */
gms_model_status_t gms_chain_solve(const gms_chain_t *chain,
                                   const double *pattern,
                                   gms_chain_values_t *values);

#endif
