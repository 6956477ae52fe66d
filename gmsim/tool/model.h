/* SPDX-License-Identifier: BSD-3-Clause */
/** Declares the functions that the sources of gmsim model (model*.c) share. */
#ifndef TOOL_MODEL_H
#define TOOL_MODEL_H

#include "cluster/cluster.h"
#include "params/profile.h"
#include "analytic/nic.h"
#include "analytic/sim.h"
#include "tool/bar.h"

#define GMS_TOOL_MODEL_KEY_LEN 128

/** Position of a simulation in a sweep, for the progress bar. */
typedef struct gms_tool_model_show {
    gms_tool_bar_t *bar;
    unsigned point, points; /* index and number of points of a sweep */
} gms_tool_model_show_t;

/** Results of the analysis, and of the simulation if it is requested, for one
 *  set of parameters. */
typedef struct gms_tool_model_point {
    double x; /* value of the swept parameter */
    gms_model_t *model;
    gms_model_result_t *result;
    gms_model_sim_result_t *simulated; /* NULL: the point was not simulated */
    gms_tool_model_show_t show;
} gms_tool_model_point_t;

/* model_file.c */

/** Read a network from YAML.
 *  @param [out] model_p  released by gms_model_destroy()
 *  @param [out] error    file, line, key, value, and the allowed values
 *  @return GMS_OK, GMS_ERR_CONFIG */
gms_status_t gms_tool_model_load(const char *path, gms_model_t **model_p,
                                 char error[GMS_YAML_ERROR_LEN]);
/** Names of gms_model_discipline_t in the order of its values, terminated by
 *  NULL. */
extern const char *const gms_tool_model_policies[];

/* model_set.c */

/** Change one parameter. The key is "rate", which scales all arrival rates;
 *  "STATION.policy", ".servers", ".limit" or ".room" for a station; or
 *  "STATION.CLASS.mean", ".scv", ".rate", ".rate_scv" or ".guess" for a class
 *  at a station.
 *  @param [out] error  the reason, and the allowed values
 *  @return GMS_OK, GMS_ERR_INVALID_PARAM */
gms_status_t gms_tool_model_set(gms_model_t *model, const char *key,
                                const char *value,
                                char error[GMS_YAML_ERROR_LEN]);
/** Return the total arrival rate, in messages per unit of time. */
double gms_tool_model_rate(const gms_model_t *model);

/* model_profile.c */

/** Create a network of the sending half of a hardware profile's NIC, with full
 *  packets of long messages, at 80 % of its saturation rate.
 *  @return NULL if memory is exhausted */
gms_model_t *gms_tool_model_profile(const gms_profile_t *profile);
/** Return 1 if the model can describe the NICs of a profile. */
int gms_tool_model_has_profile(const gms_profile_t *profile);
/** Return the payload of a full packet, in bytes. */
uint64_t gms_tool_model_packet_bytes(const gms_profile_t *profile);
/** Measure the peak rate of the simulated NIC, in bytes/s of payload, with one
 *  backlogged flow between two nodes.
 *  @return GMS_OK, or another status with the reason in error */
gms_status_t gms_tool_model_measure(const gms_profile_t *profile,
                                    double *bytes_s_p,
                                    char error[GMS_YAML_ERROR_LEN]);

/* model_errors.c */

/** Method by which gms_tool_model_errors() evaluates a NIC. */
typedef struct gms_tool_model_errors_run {
    /** Set the members `result' and `simulated' of a point. */
    gms_status_t (*solve)(const void *context, gms_tool_model_point_t *point,
                          char error[GMS_YAML_ERROR_LEN]);
    const void *context;
    uint64_t seed;
    unsigned first; /* number of the first random NIC */
    gms_tool_bar_t *bar;
    const gms_model_t *polled; /* the network with the policies of the
                                * simulation */
    int is_csv;
} gms_tool_model_errors_run_t;

/** Create a random NIC: every time of the network is multiplied by 0.5 to 2, and
 *  the rate is 0.3 to 0.9 of the rate at which the NIC saturates.
 *  @return NULL if memory is exhausted */
gms_model_t *gms_tool_model_random(const gms_model_t *card, uint64_t seed,
                                   unsigned number);
/** Print the distribution of the errors of the analysis on random NICs. */
gms_status_t gms_tool_model_errors(const gms_model_t *card, unsigned nics,
                                   const gms_tool_model_errors_run_t *run,
                                   char error[GMS_YAML_ERROR_LEN]);
/** Destroy the model and the results of a point. */
void gms_tool_model_point_clear(gms_tool_model_point_t *point);

/* model_print.c */

/** Print a point as a table.
 *  @param [in] is_card  times are in microseconds; otherwise in the unit of
 *    the file */
void gms_tool_model_print(const gms_tool_model_point_t *point,
                          const char *method, int is_card);
/** Print a point as CSV, after the header line if it is the first point. */
void gms_tool_model_csv(const gms_tool_model_point_t *point,
                        const char *parameter, int is_first);
/** Print a line of a sweep, after the table heading if it is the first
 *  point. */
void gms_tool_model_line(const gms_tool_model_point_t *point,
                         const char *parameter, int is_first);
/** Draw utilisations and queue lengths over the swept parameter into the
 *  directory.
 *  @return GMS_OK, GMS_ERR_SYSTEM, GMS_ERR_NO_MEMORY */
gms_status_t gms_tool_model_plot(const gms_tool_model_point_t *points,
                                 size_t count, const char *parameter,
                                 const char *directory);

#endif
