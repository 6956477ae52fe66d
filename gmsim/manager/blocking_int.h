/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the data of the account of blocked time. The file blocking.c
 * computes the blocked time of worms, and blocking_admit.c decides with it.
 */
#ifndef MANAGER_BLOCKING_INT_H
#define MANAGER_BLOCKING_INT_H

#include "manager/blocking.h"

/* Traffic of a pair of links, in units of a full packet. */
typedef struct gms_blocking_pair {
    gms_units_t data, acks;
    uint32_t input; /* link */
} gms_blocking_pair_t;

typedef struct gms_blocking_link {
    gms_units_t data, acks;
    /* if the link is an output of a switch: index of the pair with the first
     * input of this switch */
    uint32_t first_pair;
    /* 1: the fields below are valid. If this flag is 0 for a link, it is also 0
     * for all links from which worms enter the link */
    uint32_t is_known;
    double blocked; /* B */
    /* longest time, in s, for which a worm that has entered the link is blocked
     * further along its route, including the delays of switches */
    double longest;
} gms_blocking_link_t;

typedef struct gms_blocking_node {
    gms_units_t out, in; /* data */
    uint32_t flows_in;
} gms_blocking_node_t;

/* The values that a link had before a tentative check invalidated them. */
typedef struct gms_blocking_past {
    uint32_t link;
    double blocked, longest;
} gms_blocking_past_t;

struct gms_blocking {
    gms_blocking_link_t *link;
    gms_blocking_past_t *past; /* array with room for one element per link */
    uint32_t past_count;
    /* 1: the added traffic will be removed again, so old values are saved */
    int is_question;
    gms_blocking_pair_t *pair; /* sorted by output link and then by input
                                * port */
    gms_blocking_node_t *node;
    int has_lanes;  /* 1: the fabric model is flit, in which packets of other
                     * lanes may overtake a waiting worm */
    double packets; /* packets per second that one unit of a rate represents */
    double stream_s, ack_stream_s, ack_s, hop_s, receive_s;
    double promised; /* fraction of a NIC's time that may be promised */
};

/** Compute the blocked time behind a link unless the stored value is valid. */
void gms_blocking_visit(const gms_account_t *account, uint32_t number);

/** End a tentative check: restore the values that links had before the check.
 */
void gms_blocking_end(const gms_account_t *account);

/** Return the number of packets per second of a rate. */
static inline double gms_blocking_rate(const gms_blocking_t *blocking,
                                       gms_units_t units)
{
    return (double)units * blocking->packets;
}

static inline double gms_blocking_s(gms_time_t ps)
{
    return (double)ps / (double)GMS_SECOND;
}

/** Return 1 if a link ends at a host. */
static inline int gms_blocking_is_last(const gms_account_t *account,
                                       uint32_t link)
{
    return gms_topology_to(account->topology, link)->kind == GMS_END_NODE;
}

#endif
