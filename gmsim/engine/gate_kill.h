/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Death of a rank at a given virtual time, for tests of the other ranks'
 * reaction to it.
 */
#ifndef ENGINE_GATE_KILL_H
#define ENGINE_GATE_KILL_H

#include "engine/gate.h"

/**
 * Kill a rank's process and let all other ranks know now. Event handlers call
 * this with the lock held. The rank dies at the time of the event, whatever its
 * own clock is. If it is the caller's own process, which runs the simulation,
 * it counts as dead for the others now. It ends after it has released the
 * simulation.
 */
void gms_gate_kill(gms_ctx_t *ctx, unsigned rank);

#endif
