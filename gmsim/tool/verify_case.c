/* SPDX-License-Identifier: BSD-3-Clause */
/* Creates the cases of gmsim verify. A case is a modifiable copy of a plan. */
#include <stdlib.h>
#include <string.h>

#include "tool/verify.h"

/* First label for flows without a label in the plan, as in
 * gmsim/tool/plan_file.c. */
#define GMS_VERIFY_LABEL_OWN UINT32_C(0x40000000)

static gms_status_t gms_verify_fill(gms_verify_case_t *verify,
                                    const gms_plan_flow_t *flows,
                                    const gms_plan_step_t *steps)
{
    /* one additional element, because malloc(0) may return NULL */
    gms_plan_flow_t *own = malloc((verify->flow_count + 1) * sizeof(*own));
    gms_plan_step_t *order = malloc((verify->step_count + 1) * sizeof(*order));

    if (own == NULL || order == NULL) {
        free(own);
        free(order);
        return GMS_ERR_NO_MEMORY;
    }
    if (verify->flow_count > 0) {
        memcpy(own, flows, verify->flow_count * sizeof(*own));
    }
    if (verify->step_count > 0) {
        memcpy(order, steps, verify->step_count * sizeof(*order));
    }
    verify->flows = own;
    verify->steps = order;
    return GMS_OK;
}

gms_status_t gms_verify_case_of(const gms_plan_t *plan,
                                const gms_params_t *params,
                                const gms_graph_t *graph,
                                gms_verify_case_t *verify)
{
    *verify = (gms_verify_case_t){.params = params,
                                  .graph = graph,
                                  .flow_count = plan->flow_count,
                                  .step_count = plan->step_count,
                                  .time_ps = plan->time_ps};
    return gms_verify_fill(verify, plan->flows, plan->steps);
}

gms_status_t gms_verify_case_copy(const gms_verify_case_t *from,
                                  gms_verify_case_t *to)
{
    *to = *from;
    return gms_verify_fill(to, from->flows, from->steps);
}

void gms_verify_case_clear(gms_verify_case_t *verify)
{
    free(verify->flows);
    free(verify->steps);
    verify->flows = NULL;
    verify->steps = NULL;
    verify->flow_count = verify->step_count = 0;
}

int gms_verify_case_add(gms_verify_case_t *verify, const gms_plan_flow_t *flow)
{
    size_t count = verify->flow_count, steps = verify->step_count;
    gms_plan_flow_t *flows =
        realloc(verify->flows, (count + 1) * sizeof(*flows));
    gms_plan_step_t *order;

    if (flows == NULL) {
        return 0;
    }
    verify->flows = flows;
    order = realloc(verify->steps, (steps + 1) * sizeof(*order));
    if (order == NULL) {
        return 0;
    }
    verify->steps = order;
    flows[count] = *flow;
    flows[count].has_label = 0;
    flows[count].request.key.label = GMS_VERIFY_LABEL_OWN + (uint32_t)count + 1;
    (void)snprintf(flows[count].name, GMS_PLAN_NAME_LEN, "#%zu", count + 1);
    order[steps] =
        (gms_plan_step_t){.kind = GMS_PLAN_REQUEST, .first = count, .count = 1};
    ++verify->flow_count;
    ++verify->step_count;
    return 1;
}

void gms_verify_case_remove_last(gms_verify_case_t *verify)
{
    --verify->flow_count;
    --verify->step_count;
}
