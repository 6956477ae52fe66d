/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Computes the distances of switches from the middle of a network. A drawing of
 * a graph arranges the switches in rows by these distances.
 */
#ifndef FABRIC_DRAWING_MIDDLE_H
#define FABRIC_DRAWING_MIDDLE_H

#include "base/status.h"
#include "fabric/drawing.h"

/** Compute each switch's distance from the middle of the network, counted in
 *  cables. The middle is the switch whose largest distance from another switch
 *  is the smallest (the first such switch if there are several). A switch
 *  without a path to the middle has the distance 0.
 *
 *  The search is limited to about 2 * 10^8 visits of switches and cables. The
 *  limit can end the search early if a network has several thousand switches
 *  and most of them have the same largest distance. The middle is then the best
 *  of the switches that the search has compared.
 *  @param [out] distance  indexed by switch; `switch_count` entries
 *  @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_drawing_middle(const gms_drawing_t *drawing,
                                uint32_t *distance);

#endif
