/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares the rules of the active policy. Only policy*.c include this file. */
#ifndef MPI_QOS_POLICY_INT_H
#define MPI_QOS_POLICY_INT_H

#include "policy.h"
#include "policy/policy_file.h"

typedef struct mpiqos_policy {
    int rank; /* the caller's rank in the job */
    char path[1024];
    mpiqos_rules_t rules;
} mpiqos_policy_t;

/* The policy of this process. A process has only one policy, which is loaded
 * before its first use. */
extern mpiqos_policy_t mpiqos_policy;

#endif
