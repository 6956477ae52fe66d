/* SPDX-License-Identifier: BSD-3-Clause */
/** Private to gmsim model: functions that model*.c share. */
#ifndef TOOL_MODEL_H
#define TOOL_MODEL_H

#include "cluster/cluster.h"
#include "params/profile.h"
#include "analytic/nic.h"
#include "analytic/sim.h"
#include "tool/bar.h"

#define GMS_TOOL_MODEL_KEY_LEN 128

/** Where a bar shows a simulation. */
typedef struct gms_tool_model_show {
    gms_tool_bar_t *bar;
    unsigned point, points; /* which of a sweep */
} gms_tool_model_show_t;

/** One set of figures: analysis, and simulation if there was one. */
typedef struct gms_tool_model_point {
    double x; /* of a sweep */
    gms_model_t *model;
    gms_model_result_t *result;
    gms_model_sim_result_t *simulated; /* or NULL */
    gms_tool_model_show_t show;
} gms_tool_model_point_t;

/* model_file.c */

/** Read a network from YAML.
 *  @param [out] model_p  gms_model_destroy() releases it
 *  @param [out] error    file, line, key, value, what is allowed
 *  @return GMS_OK, GMS_ERR_CONFIG */
gms_status_t gms_tool_model_load(const char *path, gms_model_t **model_p,
                                 char error[GMS_YAML_ERROR_LEN]);
/** Names of gms_model_discipline_t in its order; ends with NULL. */
extern const char *const gms_tool_model_policies[];

/* model_set.c */

/** Change one parameter: "rate" (all arrivals, in proportion), "STATION.policy",
 *  "STATION.servers", .limit, .room, "STATION.CLASS.mean", .scv, .rate,
 *  .rate_scv, .guess.
 *  @param [out] error  what is wrong, and what is allowed
 *  @return GMS_OK, GMS_ERR_INVALID_PARAM */
gms_status_t gms_tool_model_set(gms_model_t *model, const char *key,
                                const char *value,
                                char error[GMS_YAML_ERROR_LEN]);
/** Messages that enter per unit of time. */
double gms_tool_model_rate(const gms_model_t *model);

/* model_profile.c */

/** The sending half of a hardware profile's NIC, full packets of long messages,
 *  at 80 % of what it can send. NULL: out of memory. */
gms_model_t *gms_tool_model_profile(const gms_profile_t *profile);
/** Payload of a full packet. */
uint64_t gms_tool_model_packet_bytes(const gms_profile_t *profile);
/** What the simulated NIC sends at most, bytes/s of payload: one backlogged
 *  flow between two nodes. @return GMS_OK, or what failed, with error */
gms_status_t gms_tool_model_measure(const gms_profile_t *profile,
                                    double *bytes_s_p,
                                    char error[GMS_YAML_ERROR_LEN]);

/* model_print.c */

/** @param [in] is_card  times are in microseconds; else a file's own unit */
void gms_tool_model_print(const gms_tool_model_point_t *point,
                          const char *method, int is_card);
/** With a head if it is the first one. */
void gms_tool_model_csv(const gms_tool_model_point_t *point,
                        const char *parameter, int is_first);
/** A line for each point of a sweep; head as above. */
void gms_tool_model_line(const gms_tool_model_point_t *point,
                         const char *parameter, int is_first);
/** Draw utilisations and queues over the swept parameter into the folder.
 *  @return GMS_OK, GMS_ERR_SYSTEM, GMS_ERR_NO_MEMORY */
gms_status_t gms_tool_model_plot(const gms_tool_model_point_t *points,
                                 size_t count, const char *parameter,
                                 const char *directory);

#endif
