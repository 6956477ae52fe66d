/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares the values that the source files of the report's data (data*.c)
 * share. */
#ifndef REPORT_DATA_INT_H
#define REPORT_DATA_INT_H

#include "report/data.h"
#include "report/lost.h"
#include "report/series.h"
#include "report/text.h"

/** A link is saturated in a window if packets held the link for at least this
 *  fraction of the window. */
#define GMS_DATA_SATURATED 0.95
/** Maximum number of flows in the list of a link. */
#define GMS_DATA_LINK_FLOWS 64u

/** The period in which a flow moved bytes. */
typedef struct gms_data_span {
    /* time of the first send call, and arrival time of the last packet. If the
     * record lacks these times: beginning of the flow's first window, and end
     * of its last window. Both 0: the flow moved no bytes */
    gms_time_t begin_ps, end_ps;
    int is_paced; /* 1: the flow had an IDT in at least one window */
} gms_data_span_t;

typedef struct gms_data {
    const gms_report_run_t *run;
    gms_buckets_t buckets;
    gms_flow_name_t *names; /* one element per flow, in the order of the run's
                             * list */
    gms_losses_t *losses;
    double *saturation;     /* one value per link, 0..1 */
    gms_data_span_t *spans; /* one element per flow */
    uint32_t *chosen;       /* indices of the shown flows, in order */
    size_t chosen_count;
    uint8_t *is_chosen; /* one element per flow; 1: the flow is shown */
    uint8_t *is_named;  /* one element per flow; 1: the data of at least one
                           link mention the flow */
} gms_data_t;

/** Computes the values; gms_data_cleanup() frees them.
 *  @return GMS_OK, GMS_ERR_NO_MEMORY (nothing to free) */
gms_status_t gms_data_init(const gms_report_run_t *run, gms_data_t *data);
void gms_data_cleanup(gms_data_t *data);

/* Each of these functions adds its own keys to the object. */
void gms_data_network(gms_data_t *data, json_t *object);
void gms_data_flows(gms_data_t *data, json_t *object);
void gms_data_events(gms_data_t *data, json_t *object);

/** Returns a rate in bytes/s, rounded to a whole number to keep the report
 *  small. */
json_t *gms_data_rate(double bytes_s);
/** Returns a fraction in 0..1, with four digits after the decimal point. */
json_t *gms_data_part(double part);
/** Returns the class of a flow: "premium", "best effort", "paced" or
 *  "unregulated". */
const char *gms_data_class(const gms_data_t *data, uint32_t flow);
/** Returns the arrived bytes of a flow divided by the length of its period;
 *  bytes/s. */
double gms_data_mean(const gms_data_t *data, uint32_t flow);
/** Returns the average payload of a flow's packets, divided by the payload of a
 *  full packet; 1 if the flow never sent a packet. */
double gms_data_fill(const gms_report_run_t *run, uint32_t flow);
/** Returns the smallest latency that a given fraction (0..1) of the packets
 *  does not exceed. The result is the geometric midpoint of a step of the
 *  histogram; 0 if there are no packets. */
double gms_report_percentile(const gms_report_flow_t *flow, double part);
/** Returns the fraction of a request's bandwidth that the program's own data
 *  use. If the request does not state this fraction, the function computes it
 *  from the packets of the flow. */
double gms_data_share(const gms_report_run_t *run,
                      const gms_report_request_t *request);
/** Returns 1 if undeclared traffic could break the guarantees of this run. */
int gms_data_is_declared_only(const gms_report_run_t *run);
/** Formats a decision, fault or stall as a sentence. */
#define GMS_DATA_SENTENCE 512u
void gms_data_sentence(const gms_report_run_t *run,
                       const gms_report_event_t *event,
                       char text[GMS_DATA_SENTENCE]);

/** Returns the verdict on a flow's delay bound: "kept", "broken" or "not
 *  checked" (the bound is unknown, or no message has arrived). NULL means that
 *  the flow had no delay bound. */
const char *gms_data_delay_verdict(const gms_report_flow_t *flow);
/** Returns the bound for the flow's messages, which is the requested delay.
 *  If no delay was requested, the result is the largest bound that was in
 *  force. 0: unknown */
gms_time_t gms_data_delay_bound(const gms_report_flow_t *flow);

#endif
