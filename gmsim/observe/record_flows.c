/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the list of flows in record.json at the end of the run: totals,
 * latencies, waits and delays.
 */
#include <string.h>

#include "nic/delay.h"
#include "nic/inspect.h"
#include "observe/counters.h"
#include "observe/record_int.h"

/* Append a string constant. */
#define GMS_RECORD_ADD(_to, _text) gms_json_add(_to, _text, sizeof(_text) - 1)
/* Append a comma, a key, and the key's number. */
#define GMS_RECORD_NUMBER(_to, _key, _number)                                  \
    do {                                                                       \
        GMS_RECORD_ADD(_to, ",\"" _key "\":");                                 \
        gms_json_add_number(_to, _number);                                     \
    } while (0)
/* Append a counter with its name from gmsim_counters.h. */
#define GMS_RECORD_COUNTER(_to, _name)                                         \
    GMS_RECORD_NUMBER(_to, #_name, counters->_name)

unsigned gms_record_route_links(const gms_record_subject_t *subject,
                                unsigned node, const gms_flow_t *flow,
                                const uint32_t **links_p)
{
    return flow->key.target_node == node
               ? 0
               : gms_fabric_route_links(subject->fabric, node,
                                        flow->key.target_node, links_p);
}

/* Append the pair "[a,b]". A comma precedes every pair except the pair of the
 * first step. */
static void gms_record_numbers(gms_json_text_t *text, unsigned step,
                               const uint64_t *numbers, unsigned count)
{
    unsigned i;

    gms_json_add(text, ",", step > 0);
    GMS_RECORD_ADD(text, "[");
    for (i = 0; i < count; ++i) {
        gms_json_add(text, ",", i > 0);
        gms_json_add_number(text, numbers[i]);
    }
    GMS_RECORD_ADD(text, "]");
}

static void gms_record_key_of(gms_json_text_t *text, unsigned node,
                              const gms_flow_t *flow)
{
    const gms_record_flow_t *seen = flow->seen;

    GMS_RECORD_ADD(text, "{\"number\":");
    gms_json_add_number(text, seen != NULL ? seen->number : 0);
    GMS_RECORD_NUMBER(text, "node", node + 1);
    GMS_RECORD_NUMBER(text, "port", flow->key.source_port);
    GMS_RECORD_NUMBER(text, "target_node", flow->key.target_node + 1u);
    GMS_RECORD_NUMBER(text, "target_port", flow->key.target_port);
    GMS_RECORD_NUMBER(text, "priority", flow->key.priority);
    GMS_RECORD_NUMBER(text, "label", flow->key.label);
}

static void gms_record_counters(gms_json_text_t *text,
                                const gmsim_flow_counters_t *counters)
{
    GMS_RECORD_ADD(text, ",\"counters\":{\"idt_ticks\":");
    gms_json_add_number(text, counters->idt_ticks);
    GMS_RECORD_COUNTER(text, packets_sent);
    GMS_RECORD_COUNTER(text, bytes_sent);
    GMS_RECORD_COUNTER(text, packets_resent);
    GMS_RECORD_COUNTER(text, bytes_resent);
    GMS_RECORD_COUNTER(text, packets_arrived);
    GMS_RECORD_COUNTER(text, bytes_arrived);
    GMS_RECORD_COUNTER(text, messages_sent);
    GMS_RECORD_COUNTER(text, active_ps);
    GMS_RECORD_COUNTER(text, idt_waits);
    GMS_RECORD_COUNTER(text, idt_wait_ps);
    GMS_RECORD_COUNTER(text, window_waits);
    GMS_RECORD_COUNTER(text, window_wait_ps);
    GMS_RECORD_COUNTER(text, backoffs);
    GMS_RECORD_COUNTER(text, backoff_ps);
    GMS_RECORD_COUNTER(text, quantum_ends);
    GMS_RECORD_ADD(text, "}");
}

/* Append the delays of a flow that has or had a reservation. */
static void gms_record_delay(gms_json_text_t *text, const gms_flow_t *flow)
{
    const gms_delay_t *delay = flow->delay;

    GMS_RECORD_ADD(text, ",\"delay\":{\"asked_ps\":");
    gms_json_add_number(text, delay->terms.asked_ps);
    GMS_RECORD_NUMBER(text, "bound_ps", gms_record_delay_bound(flow));
    GMS_RECORD_NUMBER(text, "worst_ps", delay->sends.worst_ps);
    GMS_RECORD_NUMBER(text, "messages", delay->sends.messages);
    GMS_RECORD_NUMBER(text, "beyond", delay->sends.beyond);
    GMS_RECORD_ADD(text, "}");
}

static void gms_record_period(gms_json_text_t *text, const gms_flow_t *flow)
{
    const gms_record_flow_t *seen = flow->seen;
    gms_time_t first_ps, last_ps;
    uint64_t bytes = gms_record_period_get(&seen->period, flow->bytes_arrived,
                                           &first_ps, &last_ps);

    GMS_RECORD_ADD(text, ",\"period\":{\"first_ps\":");
    gms_json_add_number(text, first_ps);
    GMS_RECORD_NUMBER(text, "last_ps", last_ps);
    GMS_RECORD_NUMBER(text, "bytes", bytes);
    GMS_RECORD_ADD(text, "}");
}

static void gms_record_latencies(gms_json_text_t *text,
                                 const gms_record_flow_t *seen)
{
    unsigned step, last = GMS_RECORD_LATENCIES;

    while (last > 0 && seen->latency[last - 1] == 0) {
        --last;
    }
    GMS_RECORD_ADD(text, ",\"latency\":[");
    for (step = 0; step < last; ++step) {
        const uint64_t pair[] = {gms_record_latency_ps(step),
                                 seen->latency[step]};

        gms_record_numbers(text, step, pair, 2);
    }
    GMS_RECORD_ADD(text, "]");
}

/* Append the times that the packets spent at every resource. In the path times
 * of a packet, a switch's time includes the blocked time in the switch. The
 * LANai's time includes the blocked time before the target's NIC. In this list,
 * the blocked time is separate. */
static void gms_record_times(gms_json_text_t *text,
                             const gms_record_flow_t *seen, gms_time_t pace_ps)
{
    const gms_path_times_t *path = &seen->path;
    gms_time_t before_card_ps = seen->blocked_ps - seen->in_switches_ps;

    GMS_RECORD_ADD(text, ",\"times\":{\"host_ps\":");
    gms_json_add_number(text, path->host_ps);
    GMS_RECORD_NUMBER(text, "pace_ps", pace_ps);
    GMS_RECORD_NUMBER(text, "queue_ps",
                      seen->queue_ps > pace_ps ? seen->queue_ps - pace_ps : 0);
    GMS_RECORD_NUMBER(text, "lanai_ps",
                      path->lanai_ps - before_card_ps - seen->queue_ps);
    GMS_RECORD_NUMBER(text, "host_dma_ps", path->host_dma_ps);
    GMS_RECORD_NUMBER(text, "wire_ps", path->wire_ps);
    GMS_RECORD_NUMBER(text, "switch_ps",
                      path->switch_ps - seen->in_switches_ps);
    GMS_RECORD_NUMBER(text, "blocked_ps", seen->blocked_ps);
    GMS_RECORD_ADD(text, "}");
}

/* Append the links of the flow's route and the waits of its packets for each
 * link. */
static void gms_record_hops(gms_json_text_t *text,
                            const gms_record_subject_t *subject, unsigned node,
                            const gms_flow_t *flow)
{
    const gms_record_flow_t *seen = flow->seen;
    const uint32_t *links;
    unsigned count = gms_record_route_links(subject, node, flow, &links), i;

    GMS_RECORD_ADD(text, ",\"links\":[");
    for (i = 0; i < count; ++i) {
        uint64_t numbers[3] = {links[i], 0, 0};

        if (seen->waits != NULL) {
            numbers[1] = seen->waits[i].packets;
            numbers[2] = seen->waits[i].waited_ps;
        }
        gms_record_numbers(text, i, numbers, 3);
    }
    GMS_RECORD_ADD(text, "]");
}

static void gms_record_add_flow(gms_json_text_t *text,
                                const gms_record_subject_t *subject,
                                unsigned node, const gms_flow_t *flow,
                                gms_time_t now_ps)
{
    gmsim_flow_counters_t counters;

    gms_counters_of_flow(subject->nics[node], &flow->key, now_ps, &counters);
    gms_record_key_of(text, node, flow);
    gms_record_counters(text, &counters);
    if (flow->delay != NULL) {
        gms_record_delay(text, flow);
    }
    if (flow->seen != NULL) {
        gms_record_period(text, flow);
        gms_record_latencies(text, flow->seen);
        gms_record_times(text, flow->seen, counters.idt_wait_ps);
        gms_record_hops(text, subject, node, flow);
    }
    GMS_RECORD_ADD(text, "}");
}

void gms_record_add_flows(gms_json_text_t *text,
                          const gms_record_subject_t *subject,
                          gms_time_t now_ps)
{
    const gms_flow_t *flow;
    const char *comma = "";
    unsigned node;

    GMS_RECORD_ADD(text, "[");
    for (node = 0; node < subject->nodes; ++node) {
        for (flow = gms_nic_flows(subject->nics[node]); flow != NULL;
             flow = flow->next) {
            gms_json_add_line(text, comma, 1);
            gms_record_add_flow(text, subject, node, flow, now_ps);
            comma = ",";
        }
    }
    GMS_RECORD_ADD(text, "]");
}
