/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to data*.c: the values that the parts of the report's data share. */
#ifndef REPORT_DATA_INT_H
#define REPORT_DATA_INT_H

#include "report/data.h"
#include "report/lost.h"
#include "report/series.h"
#include "report/text.h"

/** A link is saturated in a window in which a packet had it so much of the time. */
#define GMS_DATA_SATURATED 0.95
/** Most flows listed at a link. */
#define GMS_DATA_LINK_FLOWS 64u

/** When a flow moved. */
typedef struct gms_data_span {
    gms_time_t begin_ps,
        end_ps;   /* of its first window, of its last; 0, 0: never */
    int is_paced; /* it had an IDT */
} gms_data_span_t;

typedef struct gms_data {
    const gms_report_run_t *run;
    gms_buckets_t buckets;
    gms_flow_name_t *names; /* by place in the run's list */
    gms_losses_t *losses;
    double *saturation;     /* by link */
    gms_data_span_t *spans; /* by place */
    uint32_t *chosen;       /* places of the flows shown, in order */
    size_t chosen_count;
    uint8_t *is_chosen; /* by place */
    uint8_t *is_named;  /* by place: a link names it */
} gms_data_t;

/** @return GMS_OK, GMS_ERR_NO_MEMORY (nothing to free) */
gms_status_t gms_data_init(const gms_report_run_t *run, gms_data_t *data);
void gms_data_cleanup(gms_data_t *data);

/* Each adds its keys to the object. */
void gms_data_network(gms_data_t *data, json_t *object);
void gms_data_flows(gms_data_t *data, json_t *object);
void gms_data_events(gms_data_t *data, json_t *object);

/** bytes/s as a whole number, which is shorter. */
json_t *gms_data_rate(double bytes_s);
/** A part of 1 with four digits after the point. */
json_t *gms_data_part(double part);
/** "premium", "best effort", "paced", "unregulated" */
const char *gms_data_class(const gms_data_t *data, uint32_t flow);
/** What arrived of a flow, over the time between its first and its last window,
 *  bytes/s. */
double gms_data_mean(const gms_data_t *data, uint32_t flow);
/** Payload of an average packet of a flow / that of a full one; 1 if it never
 *  sent. */
double gms_data_fill(const gms_report_run_t *run, uint32_t flow);
/** The least latency that a part (0..1) of the packets does not exceed: the
 *  middle of its step, geometrically. 0: none */
double gms_report_percentile(const gms_report_flow_t *flow, double part);
/** What part of what a request is about is the program's own data: as it says, or
 *  as the flow's packets were. */
double gms_data_share(const gms_report_run_t *run,
                      const gms_report_request_t *request);
/** 1 if traffic that did not ask can break what was granted in this run. */
int gms_data_is_declared_only(const gms_report_run_t *run);
/** The sentence of a decision, fault or stall. */
#define GMS_DATA_SENTENCE 512u
void gms_data_sentence(const gms_report_run_t *run,
                       const gms_report_event_t *event,
                       char text[GMS_DATA_SENTENCE]);

/** Whether a flow's delay bound was kept: "kept", "broken", "not checked" (its
 *  bound is not known, or no message has arrived); NULL: it held none. */
const char *gms_data_delay_verdict(const gms_report_flow_t *flow);
/** Bound that its messages are compared with: the delay asked for or, without
 *  one, the largest that was in force; 0: not known. */
gms_time_t gms_data_delay_bound(const gms_report_flow_t *flow);

#endif
