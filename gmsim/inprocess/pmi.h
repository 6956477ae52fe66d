/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Answers the commands that MPICH sends to its process manager (PMI, version
 * 1.1). All ranks are in this process, so a rank that waits for an answer lets
 * the other ranks continue.
 */
#ifndef GMI_PMI_H
#define GMI_PMI_H

#include "inprocess/rank.h"

/** Connect a rank. @return 0, or -1 with errno */
int gmi_pmi_connect(gmi_rank_t *rank);

/** Handle the commands that the rank has sent. */
void gmi_pmi_serve(gmi_rank_t *rank);

#endif
