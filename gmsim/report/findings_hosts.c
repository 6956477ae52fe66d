/* SPDX-License-Identifier: BSD-3-Clause */
/* Creates the findings about ranks whose processors limited the message
 * rate. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/plural.h"
#include "report/findings.h"

#define GMS_FINDINGS_PS_S 1e12
/** A finding mentions a host only if the host was active for at least this
 *  fraction of the run. */
#define GMS_FINDINGS_WORKED 0.5

/** The ranks to which a finding applies, and the rank that is affected most. */
typedef struct gms_finding_ranks {
    size_t count;
    uint32_t worst;
    double most; /* active time of rank `worst`, as a fraction of the run */
} gms_finding_ranks_t;

static void gms_findings_rank(gms_finding_ranks_t *ranks, uint32_t rank,
                              double part)
{
    if (part >= GMS_FINDINGS_WORKED) {
        ++ranks->count;
        if (part > ranks->most) {
            ranks->most = fmin(1, part);
            ranks->worst = rank;
        }
    }
}

/* Returns " 7 other ranks .. for at least half of the run, too.", or "" if the
 * finding applies to only one rank. */
static const char *gms_findings_others(const gms_finding_ranks_t *ranks,
                                       const char *activity, gms_text_t *text)
{
    text->text[0] = '\0';
    if (ranks->count > 1) {
        (void)snprintf(text->text, sizeof(text->text),
                       " %zu other %s %s for at least half of the run, too.",
                       ranks->count - 1,
                       gms_plural(ranks->count - 1, "rank", "ranks"), activity);
    }
    return text->text;
}

/* Returns the bytes of the messages that a rank's host sent and received. */
static double gms_findings_handled(const gms_report_run_t *run, uint32_t rank)
{
    const gms_report_slot_t *at = &run->ranks[rank];
    double bytes = 0;
    size_t i;

    for (i = 0; i < run->flow_count; ++i) {
        const gms_report_flow_t *flow = &run->flows[i];

        if (flow->node == at->node && flow->port == at->port) {
            bytes += (double)flow->bytes_sent;
        }
        if (flow->target_node == at->node && flow->target_port == at->port) {
            bytes += (double)flow->bytes_arrived;
        }
    }
    return bytes;
}

static void gms_findings_worked_hosts(const gms_report_run_t *run,
                                      const gms_finding_ranks_t *ranks,
                                      json_t *list)
{
    double seconds = (double)run->end_ps / GMS_FINDINGS_PS_S;
    double rate = gms_findings_handled(run, ranks->worst) / seconds;
    gms_text_t others, part, now, most;

    gms_findings_add(
        list, 0.8 * ranks->most, "node", run->ranks[ranks->worst].node,
        "The processor of rank %u handled messages for %s of the run: it sent "
        "and received %s, and it can handle at most %s in messages of this "
        "size.%s",
        ranks->worst, gms_text_part(ranks->most, &part),
        gms_text_rate(rate, &now), gms_text_rate(rate / ranks->most, &most),
        gms_findings_others(ranks, "handled messages", &others));
}

void gms_findings_hosts(const gms_data_t *data, json_t *list)
{
    const gms_report_run_t *run = data->run;
    gms_finding_ranks_t worked = {0, 0, 0}, computed = {0, 0, 0};
    gms_text_t others, part;
    uint32_t rank;

    for (rank = 0; rank < run->rank_count; ++rank) {
        const gms_report_host_t *host = &run->hosts[rank];

        gms_findings_rank(&worked, rank,
                          (double)host->worked_ps / (double)run->end_ps);
        gms_findings_rank(&computed, rank,
                          (double)host->computed_ps / (double)run->end_ps);
    }
    if (worked.count > 0) {
        gms_findings_worked_hosts(run, &worked, list);
    }
    if (computed.count > 0) {
        gms_findings_add(list, GMS_FINDINGS_CALM, "node",
                         run->ranks[computed.worst].node,
                         "The program of rank %u computed for %s of the run.%s",
                         computed.worst, gms_text_part(computed.most, &part),
                         gms_findings_others(&computed, "computed", &others));
    }
}
