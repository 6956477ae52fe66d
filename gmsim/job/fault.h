/* SPDX-License-Identifier: BSD-3-Clause */
/** Schedules faults that occur at given times in a running job. */
#ifndef JOB_FAULT_H
#define JOB_FAULT_H

#include "fabric/faults.h"
#include "job/root.h"

/** Number of the event handler for faults. This number follows the numbers in
 *  enum gms_gm_handler. */
#define GMS_GM_ON_FAULT (GMS_HANDLER_GM + 24u)

/** Schedule the faults of a plan at the start of the job. @return GMS_OK,
 *  GMS_ERR_NO_MEMORY */
gms_status_t gms_fault_install(gms_ctx_t *ctx, const gms_fault_plan_t *plan);
void gms_fault_register(gms_ctx_t *ctx);

#endif
