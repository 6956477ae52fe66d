/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to policy*.c: the rules. */
#ifndef MPI_QOS_POLICY_INT_H
#define MPI_QOS_POLICY_INT_H

#include "policy.h"

typedef enum mpiqos_where {
    MPIQOS_WHERE_WORLD,
    MPIQOS_WHERE_ANY,
    MPIQOS_WHERE_NAMED
} mpiqos_where_t;

typedef struct mpiqos_rule {
    unsigned line;
    unsigned char *from, *to; /* of each world rank, 1 if it is meant */
    int to_all;
    int qos_class;            /* MPIQOS_..; 0: none */
    double bandwidth;
    long message_size;
    mpiqos_where_t where;
    char name[MPI_MAX_OBJECT_NAME];
    struct mpiqos_rule *next; /* in the order of the file */
} mpiqos_rule_t;

typedef struct mpiqos_policy {
    int rank, size; /* the caller in MPI_COMM_WORLD */
    char path[1024];
    mpiqos_rule_t *rules, **last;
} mpiqos_policy_t;

/* Per process, as is MPI itself; written before anybody reads it. */
extern mpiqos_policy_t mpiqos_policy;

#endif
