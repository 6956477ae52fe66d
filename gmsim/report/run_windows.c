/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads windows.jsonl, which contains the activity of flows, NICs, links and
 * hosts per window. If the run was killed, this file also collects the flows
 * from the windows, because record.json does not list them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "report/read.h"

#define GMS_RUN_NUMBERS (GMS_LIMIT_RECORD_ROWS + UINT64_C(1))

/* ---- flows by number ---- */

/* Makes room for the flow number in the map. */
static int gms_run_map(gms_report_reader_t *reader, uint64_t number)
{
    size_t room = reader->place_room;
    uint32_t *index_of;

    if (number < room) {
        return 1;
    }
    room = (size_t)number * 2 + 64;
    index_of = reallocarray(reader->index_of, room, sizeof(*index_of));
    if (index_of == NULL) {
        reader->status = GMS_ERR_NO_MEMORY;
        return 0;
    }
    memset(index_of + reader->place_room, 0xff,
           (room - reader->place_room) * sizeof(*index_of));
    reader->index_of = index_of;
    reader->place_room = room;
    return 1;
}

static void gms_run_map_known(gms_report_reader_t *reader)
{
    const gms_report_run_t *run = reader->run;
    uint32_t flow_index;

    for (flow_index = 0; flow_index < run->flow_count; ++flow_index) {
        if (gms_run_map(reader, run->flows[flow_index].number)) {
            reader->index_of[run->flows[flow_index].number] = flow_index;
        }
    }
}

/* Handles an entry that contains the description of its flow. If the record is
 * incomplete, the function adds the flow. */
static uint32_t gms_run_meet(gms_report_reader_t *reader,
                             const gms_report_at_t *at, const uint64_t *numbers)
{
    gms_report_run_t *run = reader->run;
    uint32_t flow_index = (uint32_t)run->flow_count;
    unsigned i;

    if (numbers[6] < 1 || numbers[6] > run->nodes || numbers[8] < 1 ||
        numbers[8] > run->nodes) {
        gms_report_wrong(reader, at, NULL, "a node number is outside 1..%u",
                         run->nodes);
        return GMS_REPORT_NONE;
    }
    for (i = 0; i < 6; ++i) {
        if (numbers[6 + i] > UINT32_MAX) {
            gms_report_wrong(reader, at, NULL,
                             "item %u of the list is too large", 7 + i);
            return GMS_REPORT_NONE;
        }
    }
    if (run->flow_count >= GMS_LIMIT_RECORD_ROWS) {
        gms_report_wrong(reader, at, NULL, "the list has more than %u flows",
                         GMS_LIMIT_RECORD_ROWS);
        return GMS_REPORT_NONE;
    }
    if (!gms_report_room(reader, (void **)&run->flows, &reader->flow_room,
                         run->flow_count, sizeof(*run->flows))) {
        return GMS_REPORT_NONE;
    }
    run->flows[run->flow_count++] = (gms_report_flow_t){
        .number = (uint32_t)numbers[0],
        .node = (uint32_t)numbers[6],
        .port = (uint32_t)numbers[7],
        .target_node = (uint32_t)numbers[8],
        .target_port = (uint32_t)numbers[9],
        .priority = (uint32_t)numbers[10],
        .label = (uint32_t)numbers[11],
    };
    reader->index_of[numbers[0]] = flow_index;
    return flow_index;
}

static uint32_t gms_run_place(gms_report_reader_t *reader,
                              const gms_report_at_t *at, const json_t *list,
                              uint64_t *numbers)
{
    int has_key = json_array_size(list) >= 12;

    if (!gms_report_numbers(reader, at, list, numbers, has_key ? 12 : 6)) {
        return GMS_REPORT_NONE;
    }
    if (numbers[4] > UINT32_MAX) {
        gms_report_wrong(reader, at, NULL, "the IDT of %llu ticks is too large",
                         (unsigned long long)numbers[4]);
        return GMS_REPORT_NONE;
    }
    if (numbers[0] < 1 || numbers[0] >= GMS_RUN_NUMBERS ||
        !gms_run_map(reader, numbers[0])) {
        gms_report_wrong(reader, at, NULL, "flow %llu does not exist",
                         (unsigned long long)numbers[0]);
        return GMS_REPORT_NONE;
    }
    if (reader->index_of[numbers[0]] == GMS_REPORT_NONE && has_key &&
        !reader->run->is_complete) {
        return gms_run_meet(reader, at, numbers);
    }
    if (reader->index_of[numbers[0]] == GMS_REPORT_NONE) {
        gms_report_wrong(reader, at, NULL, "flow %llu does not exist",
                         (unsigned long long)numbers[0]);
    }
    return reader->index_of[numbers[0]];
}

/* ---- a line ---- */

/* Returns the index of the window to which the line belongs. Making room for a
 * row may have changed the index. */
static uint32_t gms_run_last(const gms_report_run_t *run)
{
    return (uint32_t)run->window_count - 1;
}

static void gms_run_flows(gms_report_reader_t *reader, const json_t *line)
{
    const json_t *list = gms_report_list(reader, NULL, line, "flows");
    gms_report_run_t *run = reader->run;
    gms_report_at_t at = {"flows", 0, NULL};

    for (; reader->status == GMS_OK && at.index < json_array_size(list);
         ++at.index) {
        uint64_t numbers[12];
        uint32_t flow_index =
            gms_run_place(reader, &at, json_array_get(list, at.index), numbers);
        gms_report_flow_t *flow;

        if (flow_index == GMS_REPORT_NONE ||
            !gms_join_room(reader, GMS_REPORT_FLOW_ROWS)) {
            return;
        }
        run->flow_parts[run->flow_part_count++] =
            (gms_report_flow_part_t){.window = gms_run_last(run),
                                     .flow = flow_index,
                                     .bytes = numbers[1],
                                     .packets = numbers[2],
                                     .arrived_bytes = numbers[3],
                                     .idt_ticks = (uint32_t)numbers[4],
                                     .wait_ticks = numbers[5]};
        if (!run->is_complete) {
            flow = &run->flows[flow_index];
            flow->bytes_sent += numbers[1];
            flow->packets_sent += numbers[2];
            flow->bytes_arrived += numbers[3];
            flow->pace_wait_ps +=
                numbers[5] * gms_report_param(run, "rtc_tick_ps");
        }
    }
}

static void gms_run_nics(gms_report_reader_t *reader, const json_t *line)
{
    const json_t *list = gms_report_list(reader, NULL, line, "cards");
    gms_report_run_t *run = reader->run;
    gms_report_at_t at = {"cards", 0, NULL};

    for (; reader->status == GMS_OK && at.index < json_array_size(list);
         ++at.index) {
        gms_report_nic_part_t *part;
        uint64_t numbers[5];
        unsigned i;

        if (!gms_report_numbers(reader, &at, json_array_get(list, at.index),
                                numbers, 5) ||
            !gms_join_room(reader, GMS_REPORT_NIC_ROWS)) {
            return;
        }
        if (numbers[0] < 1 || numbers[0] > run->nodes) {
            gms_report_wrong(reader, &at, NULL, "node %llu does not exist",
                             (unsigned long long)numbers[0]);
            return;
        }
        part = &run->nic_parts[run->nic_part_count++];
        part->window = gms_run_last(run);
        part->node = (uint32_t)numbers[0];
        for (i = 0; i < GMS_REPORT_NIC_PARTS; ++i) {
            part->busy_ps[i] = numbers[1 + i];
            if (!run->is_complete) {
                run->nics[part->node - 1].busy_ps[i] += numbers[1 + i];
            }
        }
    }
}

static void gms_run_links(gms_report_reader_t *reader, const json_t *line)
{
    const json_t *list = gms_report_list(reader, NULL, line, "links");
    gms_report_run_t *run = reader->run;
    gms_report_at_t at = {"links", 0, NULL};

    for (; reader->status == GMS_OK && at.index < json_array_size(list);
         ++at.index) {
        uint64_t numbers[4];

        if (!gms_report_numbers(reader, &at, json_array_get(list, at.index),
                                numbers, 4) ||
            !gms_join_room(reader, GMS_REPORT_LINK_ROWS)) {
            return;
        }
        if (numbers[0] >= run->link_count) {
            gms_report_wrong(reader, &at, NULL, "link %llu does not exist",
                             (unsigned long long)numbers[0]);
            return;
        }
        run->link_parts[run->link_part_count++] =
            (gms_report_link_part_t){gms_run_last(run), (uint32_t)numbers[0],
                                     numbers[1], numbers[2], numbers[3]};
        if (!run->is_complete) {
            gms_report_link_t *link = &run->links[numbers[0]];

            link->moving_ps += numbers[1];
            link->held_ps += numbers[2];
            link->blocked_ps += numbers[3];
        }
    }
}

static void gms_run_hosts(gms_report_reader_t *reader, const json_t *line)
{
    const json_t *list = gms_report_list(reader, NULL, line, "hosts");
    gms_report_run_t *run = reader->run;
    gms_report_at_t at = {"hosts", 0, NULL};

    for (; reader->status == GMS_OK && at.index < json_array_size(list);
         ++at.index) {
        uint64_t numbers[3];

        if (!gms_report_numbers(reader, &at, json_array_get(list, at.index),
                                numbers, 3) ||
            !gms_join_room(reader, GMS_REPORT_HOST_ROWS)) {
            return;
        }
        if (numbers[0] >= run->rank_count) {
            gms_report_wrong(reader, &at, NULL, "rank %llu does not exist",
                             (unsigned long long)numbers[0]);
            return;
        }
        run->host_parts[run->host_part_count++] = (gms_report_host_part_t){
            gms_run_last(run), (uint32_t)numbers[0], numbers[1], numbers[2]};
        if (!run->is_complete) {
            run->hosts[numbers[0]].worked_ps += numbers[1];
            run->hosts[numbers[0]].computed_ps += numbers[2];
        }
    }
}

static void gms_run_window(gms_report_reader_t *reader, json_t *line)
{
    gms_report_run_t *run = reader->run;
    gms_time_t begin_ps =
        run->window_count > 0 ? run->windows[run->window_count - 1].end_ps : 0;
    gms_time_t end_ps = gms_report_number(reader, NULL, line, "end_ps");

    if (end_ps <= begin_ps) {
        gms_report_wrong(
            reader, NULL, "end_ps",
            "is %llu; expected: a later time than in the previous line",
            (unsigned long long)end_ps);
    }
    if (reader->status != GMS_OK || !gms_join_window(reader, end_ps)) {
        return;
    }
    if (!run->is_complete) {
        run->end_ps = end_ps;
    }
    gms_run_flows(reader, line);
    gms_run_nics(reader, line);
    gms_run_links(reader, line);
    gms_run_hosts(reader, line);
}

void gms_report_read_windows(gms_report_reader_t *reader)
{
    gms_run_map_known(reader);
    gms_join_start(reader);
    gms_report_read_lines(reader, "windows.jsonl", gms_run_window);
    gms_join_end(reader);
}
