/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Death of a rank at a given virtual time, for tests of the other ranks'
 * reaction to it.
 */
#ifndef ENGINE_GATE_KILL_H
#define ENGINE_GATE_KILL_H

#include "engine/gate.h"

/**
 * Kill a rank's process and let everybody know now; from event handlers, lock
 * held. It dies at the time of the event, wherever its own clock is. The
 * caller's own process, which holds the simulation, is dead to the others now
 * and goes when it has given the simulation away.
 */
void gms_gate_kill(gms_ctx_t *ctx, unsigned rank);

#endif
