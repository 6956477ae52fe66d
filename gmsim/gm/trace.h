/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the trace points for a port's calls, which feed the record and the
 * trace of a run.
 */
#ifndef GM_TRACE_H
#define GM_TRACE_H

#include "gm.h"
#include "observe/trace.h"

/** Report a call of a port to the trace points. The caller must hold the lock,
 *  and sim->ctx.is_traced must be 1. The call uses the processor for cost_ps,
 *  beginning at the present time of the rank's clock. */
void gms_port_trace_send(const struct gm_port *port,
                         const gms_send_desc_t *desc, gms_time_t cost_ps);
void gms_port_trace_receive(const struct gm_port *port,
                            const gms_host_event_t *event, gms_time_t cost_ps);
/** Report a callback to the trace points. The flag sim->ctx.is_traced must be
 *  1, and the caller must not hold the lock. */
void gms_port_trace_callback(const struct gm_port *port, uint32_t slot,
                             gm_status_t status);

#endif
