/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the packet log: one line of CSV per packet, written when the packet is
 * delivered or lost.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/digits.h"
#include "observe/trace_int.h"

static void gms_trace_csv_begin(gms_tracer_t *tracer, unsigned output)
{
    unsigned i;

    gms_trace_print(tracer, output,
                    "packet,message,type,fate,again,source_node,source_port,"
                    "target_node,target_port,priority,label,class,session,"
                    "sequence,bytes,wire_bytes");
    for (i = 0; i < GMS_MOMENTS; ++i) {
        gms_trace_print(tracer, output, ",%s_ps", gms_trace_moment_name(i));
    }
    gms_trace_print(tracer, output,
                    ",pace_ps,blocked_ps,wire_time_ps,switch_time_ps\n");
}

static char *gms_trace_csv_number(char *to, uint64_t number)
{
    *to++ = ',';
    return gms_digits(to, number);
}

static void gms_trace_csv_packet(gms_tracer_t *tracer, unsigned output,
                                 const gms_trace_packet_t *life)
{
    const gms_packet_header_t *header = &life->header;
    int is_control = header->type >= GMS_PACKET_ACK;
    uint64_t message = life->message & ~GMS_TRACE_SHOWN;
    const uint64_t numbers[] = {
        life->is_again,      header->source + 1,
        header->source_port, header->target + 1,
        header->target_port, is_control ? 0u : header->priority,
        header->label,       life->traffic_class,
        header->session,     header->sequence,
        header->length,      life->wire_bytes,
    };
    char line[GMS_TRACE_LINE_BYTES], *to;
    unsigned stride = tracer->trace->port_stride;
    unsigned i;

    to = line + snprintf(line, sizeof(line), "%" PRIu64 ",", life->id);
    if (message != 0) {
        to += snprintf(
            to, 64, "%u.%u-%u", ((unsigned)(message >> 32) - 1) / stride + 1,
            ((unsigned)(message >> 32) - 1) % stride, (unsigned)message);
    }
    to += snprintf(to, 64, ",%s,%s", gms_trace_type_name(header->type),
                   gms_trace_fate_name(life));
    for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i) {
        to = gms_trace_csv_number(to, numbers[i]);
    }
    for (i = 0; i < GMS_MOMENTS; ++i) {
        if (life->at_ps[i] == GMS_NEVER) {
            *to++ = ',';
        } else {
            to = gms_trace_csv_number(to, life->at_ps[i]);
        }
    }
    to = gms_trace_csv_number(to, life->pace_ps);
    to = gms_trace_csv_number(to, life->blocked_ps);
    to = gms_trace_csv_number(to, life->wire_ps);
    to = gms_trace_csv_number(to, life->switch_ps);
    *to++ = '\n';
    gms_trace_add(tracer, output, line, (size_t)(to - line));
}

static gms_status_t gms_trace_csv_end(gms_ctx_t *ctx, gms_tracer_t *tracer,
                                      unsigned output,
                                      char error[GMS_TRACE_ERROR_LEN])
{
    (void)ctx;
    (void)error;
    gms_trace_flush(tracer, output);
    return GMS_OK;
}

const gms_trace_ops_t gms_trace_csv_ops = {
    .name = "csv",
    .ending = ".csv",
    .shows = GMS_TRACE_PACKET,
    .begin = gms_trace_csv_begin,
    .packet = gms_trace_csv_packet,
    .end = gms_trace_csv_end,
};
