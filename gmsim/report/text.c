/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Formats numbers with three significant digits and a unit, and composes unique
 * names of flows from ranks, communicators, labels and priorities.
 */
#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "nic/flow.h"
#include "manager/manager_message.h"

/* Formats a number with three significant digits, without an exponent. */
static void gms_text_number(double number, gms_text_t *text)
{
    double size = fabs(number);
    int digits = size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;

    (void)snprintf(text->text, sizeof(text->text), "%.*f", digits, number);
    if (strchr(text->text, '.') != NULL) {
        size_t end = strlen(text->text);

        while (text->text[end - 1] == '0') {
            text->text[--end] = '\0';
        }
        if (text->text[end - 1] == '.') {
            text->text[end - 1] = '\0';
        }
    }
}

static const char *gms_text_with_unit(double number, const char *unit,
                                      gms_text_t *text)
{
    size_t used;

    gms_text_number(number, text);
    used = strlen(text->text);
    (void)snprintf(text->text + used, sizeof(text->text) - used, " %s", unit);
    return text->text;
}

const char *gms_text_rate(double bytes_s, gms_text_t *text)
{
    return bytes_s != 0 && fabs(bytes_s) < 1000
               ? gms_text_with_unit(bytes_s, "bytes/s", text)
               : gms_text_with_unit(bytes_s / 1e6, "MB/s", text);
}

const char *gms_text_part(double part, gms_text_t *text)
{
    double percent = 100 * part;
    int digits =
        (percent < 9.95 && percent != 0) || (percent > 99 && percent < 99.95)
            ? 1
            : 0;

    (void)snprintf(text->text, sizeof(text->text),
                   percent > 0 && percent < 0.05 ? "< 0.1 %%" : "%.*f %%",
                   digits, percent);
    return text->text;
}

const char *gms_text_time(double ps, gms_text_t *text)
{
    return ps >= 1e12  ? gms_text_with_unit(ps / 1e12, "s", text)
           : ps >= 1e9 ? gms_text_with_unit(ps / 1e9, "ms", text)
                       : gms_text_with_unit(ps / 1e6, "us", text);
}

const char *gms_text_count(uint64_t count, gms_text_t *text)
{
    char digits[24];
    size_t length, i, used = 0;

    (void)snprintf(digits, sizeof(digits), "%llu", (unsigned long long)count);
    length = strlen(digits);
    for (i = 0; i < length; ++i) {
        if (i > 0 && (length - i) % 3 == 0) {
            text->text[used++] = ',';
        }
        text->text[used++] = digits[i];
    }
    text->text[used] = '\0';
    return text->text;
}

static void gms_text_end(const gms_report_end_t *end, char *text, size_t room)
{
    (void)snprintf(text, room, end->is_node ? "node %u" : "switch %u",
                   end->index);
}

const char *gms_text_link(const gms_report_link_t *link, gms_text_t *text)
{
    char to[24];

    gms_text_end(&link->to, to, sizeof(to));
    if (link->from.is_node) {
        (void)snprintf(text->text, sizeof(text->text),
                       "the link of node %u (to %s)", link->from.index, to);
    } else {
        (void)snprintf(text->text, sizeof(text->text),
                       "port %u of switch %u (to %s)", link->from.port,
                       link->from.index, to);
    }
    return text->text;
}

const char *gms_text_place(const gms_report_run_t *run, uint32_t node,
                           uint32_t port, gms_text_t *text)
{
    uint32_t rank = gms_report_rank_at(run, node, port);

    if (rank != GMS_REPORT_NONE) {
        (void)snprintf(text->text, sizeof(text->text), "rank %u", rank);
    } else if (port == GMS_MANAGER_PORT) {
        (void)snprintf(text->text, sizeof(text->text), "manager of node %u",
                       node);
    } else {
        (void)snprintf(text->text, sizeof(text->text), "node %u port %u", node,
                       port);
    }
    return text->text;
}

/* ---- names of flows ---- */

typedef struct gms_name_order {
    const gms_report_flow_t *flow;
    uint32_t position;
} gms_name_order_t;

static int gms_name_compare_places(const gms_report_flow_t *a,
                                   const gms_report_flow_t *b)
{
    const uint32_t left[] = {a->node, a->port, a->target_node, a->target_port};
    const uint32_t right[] = {b->node, b->port, b->target_node, b->target_port};
    unsigned i;

    for (i = 0; i < 4; ++i) {
        if (left[i] != right[i]) {
            return left[i] < right[i] ? -1 : 1;
        }
    }
    return 0;
}

/* Compares flows for sorting: first by their ports, then by size, largest
 * first. */
static int gms_name_compare(const void *left, const void *right)
{
    const gms_name_order_t *a = left, *b = right;
    int result = gms_name_compare_places(a->flow, b->flow);

    if (result == 0 && a->flow->bytes_sent != b->flow->bytes_sent) {
        result = a->flow->bytes_sent > b->flow->bytes_sent ? -1 : 1;
    }
    if (result == 0 && a->flow->label != b->flow->label) {
        result = a->flow->label < b->flow->label ? -1 : 1;
    }
    return result != 0                 ? result
           : a->position < b->position ? -1
                                       : (int)(a->position > b->position);
}

/* Checks whether a flow carries messages between bandwidth managers. */
static int gms_name_is_manager(const gms_report_flow_t *flow)
{
    return flow->port == GMS_MANAGER_PORT &&
           flow->target_port == GMS_MANAGER_PORT;
}

static void gms_name_flow(const gms_report_run_t *run,
                          const gms_report_flow_t *flow, int is_largest,
                          int has_labels, gms_flow_name_t *name)
{
    const char *communicator = gms_report_label_name(run, flow->label);
    uint32_t from = gms_report_rank_at(run, flow->node, flow->port);
    uint32_t to = gms_report_rank_at(run, flow->target_node, flow->target_port);
    size_t used;

    if (from != GMS_REPORT_NONE && to != GMS_REPORT_NONE) {
        (void)snprintf(name->text, sizeof(name->text), "%u -> %u", from, to);
    } else if (gms_name_is_manager(flow)) {
        (void)snprintf(name->text, sizeof(name->text),
                       "managers, node %u -> %u", flow->node,
                       flow->target_node);
        return;
    } else {
        (void)snprintf(name->text, sizeof(name->text),
                       "node %u port %u -> node %u port %u", flow->node,
                       flow->port, flow->target_node, flow->target_port);
    }
    used = strlen(name->text);
    if (communicator[0] != '\0' &&
        strcmp(communicator, "MPI_COMM_WORLD") != 0) {
        (void)snprintf(name->text + used, sizeof(name->text) - used, " (%s)",
                       communicator);
    } else if (!is_largest && communicator[0] != '\0') {
        (void)snprintf(name->text + used, sizeof(name->text) - used,
                       " (world)");
    } else if (flow->label & GMS_LABEL_REVERSE) {
        (void)snprintf(name->text + used, sizeof(name->text) - used,
                       " (control of label %u)",
                       flow->label & ~GMS_LABEL_REVERSE);
    } else if (!is_largest && flow->label == 0 && has_labels) {
        (void)snprintf(name->text + used, sizeof(name->text) - used,
                       " (control)");
    } else if (!is_largest) {
        (void)snprintf(name->text + used, sizeof(name->text) - used,
                       " (label %u)", flow->label & ~GMS_LABEL_ANSWER);
    }
    used = strlen(name->text);
    if (!is_largest && (flow->label & GMS_LABEL_ANSWER)) {
        (void)snprintf(name->text + used, sizeof(name->text) - used, ", reads");
        used = strlen(name->text);
    }
    if (flow->priority > 0) {
        (void)snprintf(name->text + used, sizeof(name->text) - used,
                       ", priority %u", flow->priority);
    }
}

gms_flow_name_t *gms_report_flow_names(const gms_report_run_t *run)
{
    size_t count = run->flow_count, i;
    gms_flow_name_t *names = calloc(count + 1, sizeof(*names));
    gms_name_order_t *order = calloc(count + 1, sizeof(*order));
    int has_labels = 0;

    for (i = 0; names != NULL && order != NULL && i < count; ++i) {
        order[i] = (gms_name_order_t){&run->flows[i], (uint32_t)i};
        has_labels |= run->flows[i].label > 0;
    }
    if (names == NULL || order == NULL) {
        free(names);
        free(order);
        return NULL;
    }
    qsort(order, count, sizeof(*order), gms_name_compare);
    for (i = 0; i < count; ++i) {
        int is_largest = i == 0 || gms_name_compare_places(order[i - 1].flow,
                                                           order[i].flow) != 0;

        gms_name_flow(run, order[i].flow, is_largest, has_labels,
                      &names[order[i].position]);
        /* the name of a communicator may have been truncated in the middle of a
         * character */
        (void)gms_printable_here(names[order[i].position].text);
    }
    free(order);
    return names;
}
