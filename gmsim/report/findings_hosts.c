/* SPDX-License-Identifier: BSD-3-Clause */
/* Findings about ranks whose hosts had no time left for more messages. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/findings.h"

#define GMS_FINDINGS_PS_S 1e12
/** Part of the run from which on a host's work is said. */
#define GMS_FINDINGS_WORKED 0.5

/** The ranks of which it is said, and the one of which it is most true. */
typedef struct gms_finding_ranks {
    size_t count;
    uint32_t worst;
    double most; /* part of the run */
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

/* "rank 3", "rank 3, and of 7 more," */
static const char *gms_findings_rank_text(const gms_finding_ranks_t *ranks,
                                          gms_text_t *text)
{
    if (ranks->count == 1) {
        (void)snprintf(text->text, sizeof(text->text), "rank %u", ranks->worst);
    } else {
        (void)snprintf(text->text, sizeof(text->text),
                       "rank %u, and of %zu more,", ranks->worst,
                       ranks->count - 1);
    }
    return text->text;
}

/* Bytes that a rank's host has worked for. */
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
    gms_text_t who, part, now, most;

    gms_findings_add(
        list, 0.8 * ranks->most, "node", run->ranks[ranks->worst].node,
        "The host of %s was busy with messages for %s%s of the "
        "run: it sent and received %s, and had time for no more "
        "than %s of such messages.",
        gms_findings_rank_text(ranks, &who), ranks->count > 1 ? "up to " : "",
        gms_text_part(ranks->most, &part), gms_text_rate(rate, &now),
        gms_text_rate(rate / ranks->most, &most));
}

void gms_findings_hosts(const gms_data_t *data, json_t *list)
{
    const gms_report_run_t *run = data->run;
    gms_finding_ranks_t worked = {0, 0, 0}, computed = {0, 0, 0};
    gms_text_t who, part;
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
                         "The program of %s computed for %s%s of the run.",
                         gms_findings_rank_text(&computed, &who),
                         computed.count > 1 ? "up to " : "",
                         gms_text_part(computed.most, &part));
    }
}
