/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replays packets from a file, each with its cycle, target and length.
 * The functions in source_file.c read the file.
 */
#include "hcasim/source_int.h"

static gms_status_t gms_source_trace_init(gms_source_t *source,
                                          char error[GMS_SOURCE_ERROR_LEN])
{
    gms_status_t status =
        gms_source_read_trace(source, source->config.file, error);
    uint64_t flits = 0;
    size_t i;

    if (status != GMS_OK) {
        return status;
    }
    for (i = 0; i < source->lines; ++i) {
        flits += source->line[i].flits;
    }
    source->mean_rate =
        (double)flits / ((double)source->line[source->lines - 1].cycle + 1);
    source->peak_rate = 1;
    return GMS_OK;
}

static int gms_source_trace_next(gms_source_t *source, gms_arrival_t *arrival)
{
    const gms_source_line_t *line;

    if (source->next_line == source->lines) {
        return 0;
    }
    line = &source->line[source->next_line++];
    arrival->cycle = source->config.start_cycle + line->cycle;
    arrival->target = line->target;
    arrival->flits = (uint16_t)line->flits;
    return 1;
}

const gms_source_ops_t gms_source_trace_ops = {
    .init = gms_source_trace_init,
    .next = gms_source_trace_next,
};
