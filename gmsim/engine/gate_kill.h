/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Kills a rank at a given virtual time, to test how the other ranks react.
 */
#ifndef ENGINE_GATE_KILL_H
#define ENGINE_GATE_KILL_H

#include "engine/gate.h"

/**
 * Kill a rank's process, and inform all other ranks. Event handlers call this
 * function while they hold the lock. The rank dies at the time of the event,
 * whatever its own clock is. If the rank is the caller's own process, which
 * runs the simulation, the other ranks treat the process as dead from this
 * event on. The process ends after it has released the simulation.
 */
void gms_gate_kill(gms_ctx_t *ctx, unsigned rank);

#endif
