/* SPDX-License-Identifier: BSD-3-Clause */
/* What simulated hosts are called. */
#ifndef GM_NAME_H
#define GM_NAME_H

#include "gm.h"

/** Host name of a node id: "node1" for 1. */
void gms_name_of_node(unsigned node_id, char name[GM_MAX_HOST_NAME_LEN]);

#endif
