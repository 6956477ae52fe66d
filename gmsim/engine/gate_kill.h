/* SPDX-License-Identifier: BSD-3-Clause */
/** A death at a virtual time, for tests of what others make of it. */
#ifndef ENGINE_GATE_KILL_H
#define ENGINE_GATE_KILL_H

#include "engine/gate.h"

/**
 * Kill a rank's process and let everybody know now; from event handlers, lock
 * held. Killing the caller's own process does not return, and ends the run:
 * it holds the simulation.
 */
void gms_gate_kill(gms_ctx_t *ctx, unsigned rank);

#endif
