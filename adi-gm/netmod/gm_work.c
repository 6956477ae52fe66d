/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Performs the deferred work for received messages in slices, and alternates between flows.
 */
#include "gm_work.h"

#include "gm_impl.h"

/* Messages of one flow, in the order of their arrival. */
typedef struct adigm_work_flow {
    struct adigm_work_flow *next;
    int peer;
    unsigned label;
    adigm_work_t *head, *tail;
} adigm_work_flow_t;

/* Flows with deferred work, in the order in which they are served. */
static struct {
    adigm_work_flow_t *head, *tail;
} owed;

int adigm_work_is_owed(void)
{
    return owed.head != NULL;
}

static void adigm_work_append(adigm_work_flow_t * flow)
{
    flow->next = NULL;
    if (owed.tail)
        owed.tail->next = flow;
    else
        owed.head = flow;
    owed.tail = flow;
}

static adigm_work_flow_t *adigm_work_flow(int peer, unsigned label)
{
    adigm_work_flow_t *flow = owed.head;
    while (flow && (flow->peer != peer || flow->label != label))
        flow = flow->next;
    if (flow == NULL) {
        flow = MPL_calloc(1, sizeof(*flow), MPL_MEM_OTHER);
        if (flow == NULL)
            gmsim_fatal("MPI: out of memory");
        flow->peer = peer;
        flow->label = label;
        adigm_work_append(flow);
    }
    return flow;
}

void adigm_work_add(int peer, unsigned label, adigm_work_t * work)
{
    adigm_work_flow_t *flow = adigm_work_flow(peer, label);
    work->next = NULL;
    if (flow->tail)
        flow->tail->next = work;
    else
        flow->head = work;
    flow->tail = work;
}

/* Call done() last: it may complete a receive, and the list of flows must be consistent at
 * that time. */
void adigm_work_slice(void)
{
    adigm_work_flow_t *flow = owed.head;
    adigm_work_t *work = flow->head;
    uint64_t spent_ps = MPL_MIN(work->left_ps, adigm.slice_ps);
    gmsim_work(spent_ps);
    work->left_ps -= spent_ps;
    owed.head = flow->next;
    if (owed.head == NULL)
        owed.tail = NULL;
    if (work->left_ps == 0) {
        flow->head = work->next;
        if (flow->head == NULL)
            flow->tail = NULL;
    }
    if (flow->head)
        adigm_work_append(flow);
    else
        MPL_free(flow);
    if (work->left_ps == 0)
        work->done(work);
}
