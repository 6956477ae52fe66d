/* SPDX-License-Identifier: BSD-3-Clause */
/* Creates the findings about saturated links and about the bandwidth that flows
 * lost at these links. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "report/findings.h"

#define GMS_FINDINGS_TEXT 420u
/** A loss below this fraction of the flow's rate is ignored. A flow that sent
 *  less than this fraction of the link's bytes is ignored, too. */
#define GMS_FINDINGS_LOSS 0.01
/** Maximum number of links that have a separate sentence. */
#define GMS_FINDINGS_LINKS 3u
/** If a link moves bytes for less than this fraction of the time for which
 *  packets hold the link, the packets are waiting for another resource. */
#define GMS_FINDINGS_MOVING 0.8

/** Losses of all flows at a link. Flows with a negligible loss are excluded. */
typedef struct gms_finding_link {
    double lost_bytes_s; /* the sum of the upper bounds of all flows */
    gms_lost_t most;     /* losses of the flow that lost the most bandwidth */
    uint32_t worst;
    size_t flows;
} gms_finding_link_t;

static void gms_findings_lose(const gms_data_t *data, uint32_t flow, size_t hop,
                              gms_finding_link_t *link)
{
    const gms_report_flow_t *own = &data->run->flows[flow];
    const gms_report_link_t *at = &data->run->links[own->hops[hop].link];
    gms_lost_t lost = gms_losses_at(data->losses, flow, hop);

    if ((double)own->bytes_sent < GMS_FINDINGS_LOSS * (double)at->bytes ||
        lost.most_bytes_s <
            fmax(1000, GMS_FINDINGS_LOSS * gms_data_mean(data, flow))) {
        return;
    }
    link->lost_bytes_s += lost.most_bytes_s;
    ++link->flows;
    if (lost.most_bytes_s > link->most.most_bytes_s) {
        link->most = lost;
        link->worst = flow;
    }
}

static gms_finding_link_t *gms_findings_lost(const gms_data_t *data)
{
    const gms_report_run_t *run = data->run;
    gms_finding_link_t *links = calloc(run->link_count + 1, sizeof(*links));
    size_t flow, hop;

    for (flow = 0; links != NULL && flow < run->flow_count; ++flow) {
        for (hop = 0; hop < run->flows[flow].hop_count; ++hop) {
            gms_findings_lose(data, (uint32_t)flow, hop,
                              &links[run->flows[flow].hops[hop].link]);
        }
    }
    return links;
}

/* Formats a rate as a number in MB/s, without the unit. */
static void gms_findings_number(double bytes_s, gms_text_t *text)
{
    (void)gms_text_rate(fmax(1000, bytes_s), text);
    text->text[strcspn(text->text, " ")] = '\0';
}

/* Formats a range such as "17 to 24 MB/s", or "about 48 MB/s" if both ends are
 * nearly equal. */
static const char *gms_findings_range(const gms_lost_t *lost, gms_text_t *text)
{
    double least = lost->least_bytes_s, most = lost->most_bytes_s;
    gms_text_t from, to;

    (void)gms_text_rate(most, &to);
    if (least > 0.9 * most) {
        (void)snprintf(text->text, sizeof(text->text), "about %.40s", to.text);
    } else if (least < 0.02 * most) {
        (void)snprintf(text->text, sizeof(text->text), "up to %.40s", to.text);
    } else {
        gms_findings_number(least, &from);
        (void)snprintf(text->text, sizeof(text->text), "%.40s to %.40s",
                       from.text, to.text);
    }
    return text->text;
}

static int gms_findings_stands(const gms_report_link_t *link)
{
    return (double)link->moving_ps <
           GMS_FINDINGS_MOVING * (double)link->held_ps;
}

/* Explains why packets held a link without moving. */
static void gms_findings_why(const gms_report_link_t *link, char *why,
                             size_t room)
{
    gms_text_t part;

    why[0] = '\0';
    if (!gms_findings_stands(link)) {
        return;
    }
    (void)gms_text_part(1 - (double)link->moving_ps / (double)link->held_ps,
                        &part);
    if (link->to.is_node) {
        (void)snprintf(why, room,
                       " Packets on this link were blocked for %s of that time "
                       "because the NIC of node %u had no room for them.",
                       part.text, link->to.index);
    } else {
        (void)snprintf(why, room,
                       " Packets on this link were blocked for %s of that time "
                       "because they waited for a resource further along their "
                       "route.",
                       part.text);
    }
}

static void gms_findings_loss(const gms_data_t *data,
                              const gms_finding_link_t *lost, char *text,
                              size_t room)
{
    gms_text_t range;

    text[0] = '\0';
    if (lost->flows == 0) {
        return;
    }
    (void)gms_findings_range(&lost->most, &range);
    if (lost->flows == 1) {
        (void)snprintf(text, room, " Contention on this link cost flow %s %s.",
                       data->names[lost->worst].text, range.text);
    } else {
        (void)snprintf(text, room,
                       " Contention on this link reduced the bandwidth of "
                       "%zu flows. "
                       "Flow %s lost the most, %s.",
                       lost->flows, data->names[lost->worst].text, range.text);
    }
}

/* Keeps the most important findings of the list. When this function is called,
 * the list contains only findings about links. The other findings are replaced
 * by a single finding, which states their number. */
static void gms_findings_sum_links(json_t *list)
{
    double most = 0;
    size_t more = 0;

    while (json_array_size(list) > GMS_FINDINGS_LINKS) {
        size_t least = 0, i;
        json_t *finding;
        double weight = 2;

        json_array_foreach(list, i, finding)
        {
            double own = json_number_value(json_object_get(finding, "weight"));

            if (own <= weight) {
                weight = own;
                least = i;
            }
        }
        (void)json_array_remove(list, least);
        most = weight > most ? weight : most;
        ++more;
    }
    if (more > 0) {
        gms_findings_add(list, most, NULL, 0,
                         "%zu other %s saturated or delayed packets.", more,
                         gms_plural(more, "link was", "links were"));
    }
}

/** Links that were saturated only because of a resource further along the
 *  route. */
typedef struct gms_finding_behind {
    size_t count;
    uint32_t worst;
    double most; /* fraction of the run for which `worst` was saturated */
} gms_finding_behind_t;

static void gms_findings_behind(const gms_data_t *data,
                                const gms_finding_behind_t *behind,
                                json_t *list)
{
    gms_text_t name, part;
    char more[96] = "";

    if (behind->count == 0) {
        return;
    }
    if (behind->count > 1) {
        (void)snprintf(more, sizeof(more),
                       " %zu other %s saturated for the same reason.",
                       behind->count - 1,
                       gms_plural(behind->count - 1, "link was", "links were"));
    }
    gms_findings_add(
        list, 0.2 * behind->most, "link", behind->worst,
        "%s was saturated for %s of the run, but only because packets on it "
        "waited for a resource further along their route.%s",
        gms_text_link(&data->run->links[behind->worst], &name),
        gms_text_part(behind->most, &part), more);
}

static void gms_findings_link(const gms_data_t *data, uint32_t number,
                              const gms_finding_link_t *lost, double weight,
                              json_t *list)
{
    const gms_report_link_t *link = &data->run->links[number];
    double saturated = data->saturation[number];
    char why[GMS_FINDINGS_TEXT], loss[GMS_FINDINGS_TEXT];
    gms_text_t name, part;

    gms_findings_why(link, why, sizeof(why));
    gms_findings_loss(data, lost, loss, sizeof(loss));
    if (saturated >= GMS_FINDINGS_LEAST) {
        gms_findings_add(list, weight, "link", number,
                         "%s was saturated for %s of the run.%s%.300s",
                         gms_text_link(link, &name),
                         gms_text_part(saturated, &part), why, loss);
    } else {
        gms_findings_add(
            list, weight, "link", number,
            "%s was in use for %s of the run, and packets waited for "
            "it.%s%.300s",
            gms_text_link(link, &name),
            gms_text_part((double)link->held_ps / (double)data->run->end_ps,
                          &part),
            why, loss);
    }
}

/* Adds the findings about links. The weight of a link is the larger of two
 * values. The first value is the fraction of the run in which the link was
 * saturated. The second value is the total loss of its flows, relative to its
 * capacity. */
void gms_findings_links(const gms_data_t *data, json_t *list)
{
    const gms_report_run_t *run = data->run;
    gms_finding_link_t *lost = gms_findings_lost(data);
    double rate = (double)gms_report_param(run, "link_bytes_s") + 1;
    gms_finding_behind_t behind = {0, 0, 0};
    uint32_t i;

    for (i = 0; lost != NULL && i < run->link_count; ++i) {
        double saturated = data->saturation[i];
        double weight = fmax(saturated, fmin(1, lost[i].lost_bytes_s / rate));
        int is_behind =
            !run->links[i].to.is_node && gms_findings_stands(&run->links[i]);

        if (weight < GMS_FINDINGS_LEAST) {
            continue;
        }
        if (is_behind && lost[i].flows == 0) {
            ++behind.count;
            if (saturated > behind.most) {
                behind.most = saturated;
                behind.worst = i;
            }
        } else {
            gms_findings_link(data, i, &lost[i],
                              weight * (is_behind ? 0.25 : 0.8), list);
        }
    }
    free(lost);
    gms_findings_sum_links(list);
    gms_findings_behind(data, &behind, list);
}
