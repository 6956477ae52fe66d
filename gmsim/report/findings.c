/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collects all findings, sorts them by weight, and creates the findings about
 * NICs.
 */
#include "report/findings.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "base/printable.h"

#define GMS_FINDINGS_TEXT 640u
void gms_findings_add(json_t *list, double weight, const char *key,
                      json_int_t number, const char *format, ...)
{
    char text[GMS_FINDINGS_TEXT];
    json_t *finding;
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    (void)gms_printable_here(
        text); /* a name may have been truncated in the middle of a character */
    text[0] = (char)toupper((unsigned char)text[0]);
    finding = json_pack("{s:o,s:s}", "weight",
                        gms_data_part(fmin(1, fmax(0, weight))), "text", text);
    if (key != NULL && finding != NULL) {
        (void)json_object_set_new(finding, key, json_integer(number));
    }
    (void)json_array_append_new(list, finding);
}

/* ---- NICs ---- */

/** Returns, for each NIC (index: node - 1), the total length of the windows in
 *  which the given part was almost always busy, as a fraction of the run. */
static double *gms_findings_worked(const gms_report_run_t *run,
                                   enum gms_report_part what)
{
    double *parts = calloc(run->nodes, sizeof(*parts));
    size_t i;

    for (i = 0; parts != NULL && i < run->nic_part_count; ++i) {
        const gms_report_nic_part_t *part = &run->nic_parts[i];
        const gms_report_window_t *window = &run->windows[part->window];
        double length_ps = (double)(window->end_ps - window->begin_ps);

        if ((double)part->busy_ps[what] >= GMS_DATA_SATURATED * length_ps) {
            parts[part->node - 1] += length_ps / (double)run->end_ps;
        }
    }
    return parts;
}

/** The nodes to which a finding applies, and the node that is affected most. */
typedef struct gms_finding_nodes {
    size_t count;
    uint32_t worst;
    double most;
} gms_finding_nodes_t;

static void gms_findings_count(gms_finding_nodes_t *nodes, uint32_t node,
                               double part)
{
    if (part >= GMS_FINDINGS_LEAST) {
        ++nodes->count;
        if (part > nodes->most) {
            nodes->most = part;
            nodes->worst = node;
        }
    }
}

/* Returns a string such as " 4 other NICs were in this state for the same
 * time or less.", or "" if the finding applies to only one node. */
static const char *gms_findings_others(const gms_finding_nodes_t *nodes,
                                       gms_text_t *text)
{
    text->text[0] = '\0';
    if (nodes->count > 1) {
        (void)snprintf(text->text, sizeof(text->text),
                       " %zu other %s in this state for the same time or less.",
                       nodes->count - 1,
                       gms_plural(nodes->count - 1, "NIC was", "NICs were"));
    }
    return text->text;
}

static void gms_findings_busy(const gms_data_t *data, json_t *list,
                              enum gms_report_part what, const char *name)
{
    double *worked = gms_findings_worked(data->run, what);
    gms_finding_nodes_t nodes = {0, 0, 0};
    gms_text_t part, text;
    uint32_t node;

    for (node = 1; worked != NULL && node <= data->run->nodes; ++node) {
        gms_findings_count(&nodes, node, worked[node - 1]);
    }
    if (nodes.count > 0) {
        gms_findings_add(list, 0.7 * nodes.most, "node", nodes.worst,
                         "The %s of the NIC of node %u was fully busy for %s "
                         "of the run: it could not have handled more "
                         "traffic.%s",
                         name, nodes.worst, gms_text_part(nodes.most, &part),
                         gms_findings_others(&nodes, &text));
    }
    free(worked);
}

/* Checks whether the list already contains a finding about a link to this
 * node. */
static int gms_findings_is_told(const gms_report_run_t *run, const json_t *list,
                                uint32_t node)
{
    const json_t *finding, *link;
    size_t i;

    json_array_foreach(list, i, finding)
    {
        link = json_object_get(finding, "link");
        if (link != NULL) {
            const gms_report_end_t *to =
                &run->links[json_integer_value(link)].to;

            if (to->is_node && to->index == node) {
                return 1;
            }
        }
    }
    return 0;
}

static void gms_findings_nics(const gms_data_t *data, json_t *list)
{
    const gms_report_run_t *run = data->run;
    gms_finding_nodes_t slow = {0, 0, 0};
    gms_text_t count, part, text;
    uint64_t drops = 0;
    uint32_t node, most = 1;

    gms_findings_busy(data, list, GMS_REPORT_NIC_LANAI, "processor (LANai)");
    gms_findings_busy(data, list, GMS_REPORT_NIC_HOST_DMA, "host DMA engine");
    for (node = 1; node <= run->nodes; ++node) {
        const gms_report_nic_t *nic = &run->nics[node - 1];

        if (!gms_findings_is_told(run, list, node)) {
            gms_findings_count(&slow, node,
                               (double)nic->receive_buffer_wait_ps /
                                   (double)run->end_ps);
        }
        drops += nic->no_token_drops;
        if (nic->no_token_drops > run->nics[most - 1].no_token_drops) {
            most = node;
        }
    }
    if (slow.count > 0) {
        gms_findings_add(list, 0.7 * slow.most, "node", slow.worst,
                         "Packets arrived at the NIC of node %u faster than "
                         "the NIC accepted them: packets waited for receive "
                         "buffers for %s of the run.%s",
                         slow.worst, gms_text_part(slow.most, &part),
                         gms_findings_others(&slow, &text));
    }
    if (drops == 1) {
        gms_findings_add(list, 0.5, "node", most,
                         "1 packet was dropped at node %u because the program "
                         "had no receive buffer ready. The packet was sent "
                         "again.",
                         most);
    } else if (drops > 0) {
        gms_findings_add(list, 0.5, "node", most,
                         "%s packets were dropped, most of them at node %u, "
                         "because the program had no receive buffer ready. "
                         "The packets were sent again.",
                         gms_text_count(drops, &count), most);
    }
}

/* ---- the busiest link ---- */

static int gms_findings_has_link(const json_t *list, uint32_t number)
{
    const json_t *finding, *link;
    size_t i;

    json_array_foreach(list, i, finding)
    {
        link = json_object_get(finding, "link");
        if (link != NULL && json_integer_value(link) == number) {
            return 1;
        }
    }
    return 0;
}

static void gms_findings_busiest(const gms_data_t *data, json_t *list,
                                 int is_calm)
{
    const gms_report_run_t *run = data->run;
    uint32_t busiest = 0, i;
    gms_text_t name, part;

    for (i = 0; i < run->link_count; ++i) {
        if (run->links[i].moving_ps > run->links[busiest].moving_ps) {
            busiest = i;
        }
    }
    if (gms_findings_has_link(list, busiest)) {
        return;
    }
    if (run->link_count > 0 && run->links[busiest].moving_ps > 0) {
        gms_findings_add(
            list, 0.01, "link", busiest,
            "%she busiest link was %s: it carried bytes for %s of the run.",
            is_calm ? "No link, NIC, host or pace delayed the traffic "
                      "noticeably. T"
                    : "T",
            gms_text_link(&run->links[busiest], &name),
            gms_text_part((double)run->links[busiest].moving_ps /
                              (double)run->end_ps,
                          &part));
    } else {
        gms_findings_add(list, 0.01, NULL, 0,
                         "No data were sent over the network.");
    }
}

/* ---- the list ---- */

typedef struct gms_finding {
    json_t *finding;
    double weight;
    size_t position;
} gms_finding_t;

static int gms_findings_compare(const void *left, const void *right)
{
    const gms_finding_t *a = left, *b = right;

    if (a->weight != b->weight) {
        return a->weight > b->weight ? -1 : 1;
    }
    return a->position < b->position ? -1 : (int)(a->position > b->position);
}

static json_t *gms_findings_sort(json_t *list)
{
    size_t count = json_array_size(list), i;
    gms_finding_t *order = calloc(count + 1, sizeof(*order));
    json_t *sorted = json_array();

    for (i = 0; order != NULL && i < count; ++i) {
        order[i].finding = json_array_get(list, i);
        order[i].weight =
            json_number_value(json_object_get(order[i].finding, "weight"));
        order[i].position = i;
    }
    if (order != NULL) {
        qsort(order, count, sizeof(*order), gms_findings_compare);
    }
    for (i = 0; order != NULL && i < count && i < GMS_FINDINGS_MAX; ++i) {
        (void)json_array_append(sorted, order[i].finding);
    }
    free(order);
    json_decref(list);
    return sorted;
}

static double gms_findings_most(const json_t *list)
{
    const json_t *finding;
    double most = 0;
    size_t i;

    json_array_foreach(list, i, finding)
    {
        most =
            fmax(most, json_number_value(json_object_get(finding, "weight")));
    }
    return most;
}

json_t *gms_report_findings(const gms_data_t *data)
{
    json_t *list = json_array();
    int is_calm;

    if (data->run->end_ps > 0) {
        gms_findings_links(data, list);
        gms_findings_nics(data, list);
        gms_findings_paces(data, list);
        is_calm = json_array_size(list) == 0;
        gms_findings_hosts(data, list);
        gms_findings_reservations(data, list);
        gms_findings_delays(data, list);
        is_calm = is_calm && gms_findings_most(list) <= GMS_FINDINGS_CALM;
        gms_findings_flows(data, list);
        gms_findings_busiest(data, list, is_calm);
    }
    return gms_findings_sort(list);
}
