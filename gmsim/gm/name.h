/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares the function that returns the names of the NICs of simulated
 * hosts. */
#ifndef GM_NAME_H
#define GM_NAME_H

#include "params/params.h"
#include "gm.h"

/** Write the name of the node with the given id: "node1" for unit 0 of the
 *  first host, and "node1:1" for unit 1 of this host. */
void gms_name_of_node(const gms_params_t *params, unsigned node_id,
                      char name[GM_MAX_HOST_NAME_LEN]);

#endif
