/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Private to the method `chain': a Markov chain of a processor that serves
 * several queues, and of the DMA engine to which it sends most of its messages.
 *
 * Time advances in slots. A constant time is a whole number of slots, or a
 * mixture of the two nearest whole numbers. The state contains the service of
 * the processor, its queues, and the remaining time of one checked station. It
 * also contains the service of the engine, and the types of the first messages
 * in the engine's queue. Longer queues have a geometric tail, whose parameter
 * the balance of arrivals and departures determines.
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
    double rate;   /* Poisson arrivals; 0: arrives from the engine */
    double mean;   /* constant service time */
    int type;      /* type of the message at the engine afterwards, or -1 */
    double hold;   /* the service programs a station, which is then busy for
                  * this time; 0: it does not. At most one class. */
    unsigned most; /* queue lengths from this one on are a geometric tail */
} gms_chain_class_t;

/** A type of messages at the engine. */
typedef struct gms_chain_type {
    double mean; /* constant service time */
    int gives;   /* class at the processor afterwards, or -1 */
} gms_chain_type_t;

typedef struct gms_chain {
    unsigned classes, types;
    gms_chain_class_t class[GMS_CHAIN_CLASSES];
    gms_chain_type_t type[GMS_CHAIN_TYPES];
    gms_model_discipline_t discipline;
    unsigned limit;
    double slot;    /* length of a slot */
    unsigned known; /* messages in the engine's queue whose types are known */
    int origin, again; /* classes: a message of class `again' was a message of
                        * class `origin' before its last service by the
                        * engine; -1: there is no such class */
} gms_chain_t;

/** Long-run values of the chain. */
typedef struct gms_chain_values {
    double queue[GMS_CHAIN_CLASSES];     /* mean number of waiting messages */
    double number[GMS_CHAIN_CLASSES];    /* mean number of messages, including
                                            the message in service */
    double idle[GMS_CHAIN_CLASSES];      /* part of `number' in the time in
                                          * which the engine is idle */
    double work_seen[GMS_CHAIN_CLASSES]; /* mean work of the processor that an
                                          * arriving message finds */
    /* mean number of class `again' at the processor when a message of class
     * `origin' leaves it */
    double again_left;
    /* mean number of class `origin' at the processor when a message of class
     * `again' leaves it, and when the engine ends the service before */
    double origin_left, origin_end;
    double work[GMS_CHAIN_TYPES]; /* mean work of the engine that a message
                                   * finds; tails as long for all types */
    double engine_busy;
    double waiting;   /* part of the time in which the processor waits for the
                      * checked station */
    double held_idle; /* part of the time in which a message that programs the
                       * checked station is present while that station is
                       * idle */
    double hold_busy; /* part of the time in which the station is busy */
    size_t states;
    unsigned rounds;
} gms_chain_values_t;

/** Solve the chain. @return GMS_MODEL_OK, GMS_MODEL_NO_MEMORY */
gms_model_status_t gms_chain_solve(const gms_chain_t *chain,
                                   gms_chain_values_t *values);

#endif
