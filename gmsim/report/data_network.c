/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds the report's data about nodes, switches, links and NICs, with their
 * positions in the drawing and their utilisation.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/drawing.h"
#include "params/params.h"
#include "report/data_int.h"

static json_t *gms_data_end(const gms_report_end_t *end)
{
    return end->is_node ? json_pack("{s:i}", "node", (int)end->index)
                        : json_pack("{s:i,s:i}", "switch", (int)end->index,
                                    "port", (int)end->port);
}

/* ---- flows of links ---- */

typedef struct gms_data_hop {
    uint32_t link, flow;
    gms_lost_t lost;
    uint64_t bytes;
    gms_time_t waited_ps;
} gms_data_hop_t;

static int gms_data_compare_hops(const void *left, const void *right)
{
    const gms_data_hop_t *a = left, *b = right;

    if (a->link != b->link) {
        return a->link < b->link ? -1 : 1;
    }
    if (a->lost.most_bytes_s != b->lost.most_bytes_s) {
        return a->lost.most_bytes_s > b->lost.most_bytes_s ? -1 : 1;
    }
    if (a->bytes != b->bytes) {
        return a->bytes > b->bytes ? -1 : 1;
    }
    return a->flow < b->flow ? -1 : (int)(a->flow > b->flow);
}

/* Returns the hops of all flows, sorted by link. */
static gms_data_hop_t *gms_data_hops(const gms_data_t *data, size_t *count_p)
{
    const gms_report_run_t *run = data->run;
    size_t count = 0, flow, hop;
    gms_data_hop_t *hops;

    for (flow = 0; flow < run->flow_count; ++flow) {
        count += run->flows[flow].hop_count;
    }
    hops = calloc(count + 1, sizeof(*hops));
    count = 0;
    for (flow = 0; hops != NULL && flow < run->flow_count; ++flow) {
        for (hop = 0; hop < run->flows[flow].hop_count; ++hop) {
            hops[count++] = (gms_data_hop_t){
                run->flows[flow].hops[hop].link, (uint32_t)flow,
                gms_losses_at(data->losses, (uint32_t)flow, hop),
                run->flows[flow].bytes_sent,
                run->flows[flow].hops[hop].waited_ps};
        }
    }
    if (hops != NULL) {
        qsort(hops, count, sizeof(*hops), gms_data_compare_hops);
    }
    *count_p = count;
    return hops;
}

static json_t *gms_data_link_flows(gms_data_t *data, const gms_data_hop_t *hops,
                                   size_t count)
{
    json_t *array = json_array();
    size_t i;

    for (i = 0; i < count && i < GMS_DATA_LINK_FLOWS; ++i) {
        data->is_named[hops[i].flow] = 1;
        (void)json_array_append_new(
            array, json_pack("{s:i,s:I,s:I,s:o,s:o}", "flow",
                             (int)data->run->flows[hops[i].flow].number,
                             "bytes", (json_int_t)hops[i].bytes, "blocked_ps",
                             (json_int_t)hops[i].waited_ps, "lost_bytes_s",
                             gms_data_rate(hops[i].lost.most_bytes_s),
                             "lost_least_bytes_s",
                             gms_data_rate(hops[i].lost.least_bytes_s)));
    }
    return array;
}

static json_t *gms_data_link(const gms_data_t *data, uint32_t number,
                             json_t *flows)
{
    const gms_report_link_t *link = &data->run->links[number];
    double end_ps = data->run->end_ps > 0 ? (double)data->run->end_ps : 1;
    gms_text_t name;

    return json_pack("{s:i,s:s,s:o,s:o,s:I,s:o,s:o,s:o,s:I,s:I,s:o}", "link",
                     (int)number, "name", gms_text_link(link, &name), "from",
                     gms_data_end(&link->from), "to", gms_data_end(&link->to),
                     "bytes", (json_int_t)link->bytes, "utilisation",
                     gms_data_part((double)link->moving_ps / end_ps), "held",
                     gms_data_part((double)link->held_ps / end_ps), "saturated",
                     gms_data_part(data->saturation[number]), "blocked_ps",
                     (json_int_t)link->blocked_ps, "blocked_packets",
                     (json_int_t)link->blocked_packets, "flows", flows);
}

static json_t *gms_data_links(gms_data_t *data)
{
    size_t count, first = 0, number;
    gms_data_hop_t *hops = gms_data_hops(data, &count);
    json_t *array = json_array();

    for (number = 0; hops != NULL && number < data->run->link_count; ++number) {
        size_t end = first;

        while (end < count && hops[end].link == number) {
            ++end;
        }
        (void)json_array_append_new(
            array, gms_data_link(
                       data, (uint32_t)number,
                       gms_data_link_flows(data, hops + first, end - first)));
        first = end;
    }
    free(hops);
    return array;
}

/* ---- positions ---- */

/* Returns the kind of the topology. A kind that is unknown to this version is
 * treated as a graph. */
static uint64_t gms_data_kind(const char *name)
{
    const gms_param_t *param = gms_param_find("topology");
    uint64_t kind;

    for (kind = 0; name != NULL && kind < GMS_TOPOLOGY_GRAPH; ++kind) {
        if (strcmp(param->names[kind], name) == 0) {
            return kind;
        }
    }
    return GMS_TOPOLOGY_GRAPH;
}

static gms_status_t gms_data_place(const gms_report_run_t *run,
                                   const char *kind, gms_drawing_t *drawing)
{
    gms_status_t status =
        gms_drawing_init(drawing, gms_data_kind(kind), run->nodes,
                         (uint32_t)run->switch_count, run->link_count);
    size_t i;

    if (status != GMS_OK) {
        return status;
    }
    for (i = 0; i < run->switch_count; ++i) {
        drawing->level[i] = run->switches[i].level;
    }
    for (i = 0; i < run->link_count; ++i) {
        const gms_report_end_t *from = &run->links[i].from;
        const gms_report_end_t *to = &run->links[i].to;

        if (from->is_node && !to->is_node) {
            drawing->home[from->index - 1] = to->index;
        } else if (!from->is_node && !to->is_node) {
            drawing->cables[drawing->cable_count++] =
                (gms_drawing_cable_t){from->index, to->index};
        }
    }
    status = gms_drawing_place(drawing);
    if (status != GMS_OK) {
        gms_drawing_clear(drawing);
    }
    return status;
}

static json_t *gms_data_nodes(const gms_report_run_t *run,
                              const gms_drawing_t *drawing)
{
    json_t *array = json_array();
    uint32_t node;
    size_t rank;

    for (node = 1; node <= run->nodes; ++node) {
        json_t *ranks = json_array();

        for (rank = 0; rank < run->rank_count; ++rank) {
            if (run->ranks[rank].node == node) {
                (void)json_array_append_new(ranks,
                                            json_integer((json_int_t)rank));
            }
        }
        (void)json_array_append_new(
            array, json_pack("{s:i,s:i,s:i,s:i,s:o}", "node", (int)node, "x",
                             drawing->nodes[node - 1].x, "y",
                             drawing->nodes[node - 1].y, "foot",
                             drawing->nodes[node - 1].foot, "ranks", ranks));
    }
    return array;
}

static json_t *gms_data_switches(const gms_report_run_t *run,
                                 const gms_drawing_t *drawing)
{
    json_t *array = json_array();
    char name[24];
    uint32_t i;

    for (i = 0; i < run->switch_count; ++i) {
        (void)snprintf(name, sizeof(name), "switch %u", i);
        (void)json_array_append_new(
            array, json_pack("{s:i,s:s,s:i,s:i,s:i,s:i,s:i}", "switch", (int)i,
                             "name", name, "x", drawing->switches[i].x, "y",
                             drawing->switches[i].y, "width",
                             drawing->switches[i].width, "ports",
                             (int)run->switches[i].ports, "level",
                             (int)run->switches[i].level));
    }
    return array;
}

static json_t *gms_data_topology(gms_data_t *data)
{
    const gms_report_run_t *run = data->run;
    const char *kind =
        json_string_value(json_object_get(run->parameters, "topology"));
    gms_drawing_t drawing;
    json_t *topology;

    if (gms_data_place(run, kind, &drawing) != GMS_OK) {
        return json_null();
    }
    topology = json_pack(
        "{s:s,s:{s:i,s:i,s:i,s:b,s:b,s:i,s:i,s:i},s:o,s:o,s:o}", "kind",
        kind != NULL ? kind : "", "drawing", "width", drawing.width, "height",
        drawing.height, "pitch", drawing.pitch, "is_beside", drawing.is_beside,
        "is_bent", drawing.is_bent, "host_width", drawing.host_width,
        "host_height", drawing.host_height, "switch_height",
        GMS_DRAWING_SWITCH_HEIGHT, "nodes", gms_data_nodes(run, &drawing),
        "switches", gms_data_switches(run, &drawing), "links",
        gms_data_links(data));
    gms_drawing_clear(&drawing);
    return topology;
}

/* ---- NICs ---- */

static json_t *gms_data_nics(const gms_data_t *data)
{
    static const char *const keys[GMS_REPORT_NIC_PARTS] = {
        "lanai", "host_dma", "send_dma", "receive_dma"};
    const gms_report_run_t *run = data->run;
    const gms_buckets_t *buckets = &data->buckets;
    double *busy = calloc(run->nodes * buckets->count + 1, sizeof(*busy));
    double end_ps = run->end_ps > 0 ? (double)run->end_ps : 1;
    json_t *array = json_array();
    uint32_t node;
    size_t i;

    for (i = 0; busy != NULL && i < run->nic_part_count; ++i) {
        const gms_report_nic_part_t *part = &run->nic_parts[i];

        busy[(part->node - 1) * buckets->count +
             gms_bucket_of_window(buckets, part->window)] +=
            (double)part->busy_ps[GMS_REPORT_NIC_LANAI];
    }
    for (node = 1; busy != NULL && node <= run->nodes; ++node) {
        json_t *nic = json_pack("{s:i}", "node", (int)node);
        json_t *series = json_array();

        for (i = 0; i < GMS_REPORT_NIC_PARTS; ++i) {
            (void)json_object_set_new(
                nic, keys[i],
                gms_data_part((double)run->nics[node - 1].busy_ps[i] / end_ps));
        }
        for (i = 0; i < buckets->count; ++i) {
            (void)json_array_append_new(
                series,
                gms_data_part(busy[(node - 1) * buckets->count + i] /
                              (double)gms_bucket_length_ps(buckets, i)));
        }
        (void)json_object_set_new(nic, "lanai_series", series);
        (void)json_array_append_new(array, nic);
    }
    free(busy);
    return array;
}

void gms_data_network(gms_data_t *data, json_t *object)
{
    (void)json_object_set_new(object, "topology", gms_data_topology(data));
    (void)json_object_set_new(object, "cards", gms_data_nics(data));
}
