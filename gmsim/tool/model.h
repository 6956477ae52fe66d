/* SPDX-License-Identifier: BSD-3-Clause */
/** Declares the functions that the source files of gmsim model (model*.c)
 *  share. */
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
    unsigned point, points; /* index of the current point, and number of points
                               of the sweep */
} gms_tool_model_show_t;

/** Results for one set of parameters: the results of the analysis and, if
 *  requested, of the simulation. */
typedef struct gms_tool_model_point {
    double x; /* value of the parameter that is swept */
    gms_model_t *model;
    gms_model_result_t *result;
    gms_model_sim_result_t *simulated; /* NULL: this point has not been
                                          simulated */
    gms_tool_model_show_t show;
} gms_tool_model_point_t;

/* model_file.c */

/** Read a network from YAML.
 *  @param [out] model_p  to be released with gms_model_destroy()
 *  @param [out] error    file, line, key, value, and allowed values
 *  @return GMS_OK, GMS_ERR_CONFIG */
gms_status_t gms_tool_model_load(const char *path, gms_model_t **model_p,
                                 char error[GMS_YAML_ERROR_LEN]);
/** Names of gms_model_discipline_t in the order of its values, terminated by
 *  NULL. */
extern const char *const gms_tool_model_policies[];

/* model_set.c */

/** Set one parameter. The key "rate" scales all arrival rates. The keys
 *  "STATION.policy", ".servers", ".limit" and ".room" are for a station; the
 *  keys "STATION.CLASS.mean", ".scv", ".rate", ".rate_scv" and ".guess" are for
 *  a class at a station.
 *  @param [out] error  the reason, and the allowed values
 *  @return GMS_OK, GMS_ERR_INVALID_PARAM */
gms_status_t gms_tool_model_set(gms_model_t *model, const char *key,
                                const char *value,
                                char error[GMS_YAML_ERROR_LEN]);
/** Return the total arrival rate, in messages per time unit. */
double gms_tool_model_rate(const gms_model_t *model);

/* model_profile.c */

/** Create a network for the sending half of a hardware profile's NIC. The
 *  traffic consists of full packets of long messages, at 80 % of the saturation
 *  rate.
 *  @return NULL if memory is insufficient */
gms_model_t *gms_tool_model_profile(const gms_profile_t *profile);
/** Return 1 if the model can describe the NICs of the profile. */
int gms_tool_model_has_profile(const gms_profile_t *profile);
/** Return the payload of a full packet, in bytes. */
uint64_t gms_tool_model_packet_bytes(const gms_profile_t *profile);
/** Measure the peak rate of the simulated NIC in bytes/s of payload, with one
 *  flow between two nodes that always has packets waiting.
 *  @return GMS_OK, or another status with the reason in error */
gms_status_t gms_tool_model_measure(const gms_profile_t *profile,
                                    double *bytes_s_p,
                                    char error[GMS_YAML_ERROR_LEN]);

/* model_errors.c */

/** Method that gms_tool_model_errors() uses for a NIC. */
typedef struct gms_tool_model_errors_run {
    /** Set the members `result' and `simulated' of a point. */
    gms_status_t (*solve)(const void *context, gms_tool_model_point_t *point,
                          char error[GMS_YAML_ERROR_LEN]);
    const void *context;
    uint64_t seed;
    unsigned first; /* index of the first random NIC */
    gms_tool_bar_t *bar;
    const gms_model_t *polled; /* the network with the policies of the
                                * simulation */
    int is_csv;
} gms_tool_model_errors_run_t;

/** Create a random NIC: every time in the network is multiplied by a factor of
 *  0.5 to 2, and the rate is 0.3 to 0.9 of the NIC's saturation rate.
 *  @return NULL if memory is insufficient */
gms_model_t *gms_tool_model_random(const gms_model_t *card, uint64_t seed,
                                   unsigned number);
/** Print the distribution of the errors of the analysis on random NICs. */
gms_status_t gms_tool_model_errors(const gms_model_t *card, unsigned nics,
                                   const gms_tool_model_errors_run_t *run,
                                   char error[GMS_YAML_ERROR_LEN]);
/** Release the model and the results of a point. */
void gms_tool_model_point_clear(gms_tool_model_point_t *point);

/* model_print.c */

/** Print a point as a table.
 *  @param [in] is_card  1: times are in microseconds; 0: times are in the unit
 *    of the file */
void gms_tool_model_print(const gms_tool_model_point_t *point,
                          const char *method, int is_card);
/** Print a point as CSV; print the header line before the first point. */
void gms_tool_model_csv(const gms_tool_model_point_t *point,
                        const char *parameter, int is_first);
/** Print one line of a sweep; print the table heading before the first
 *  point. */
void gms_tool_model_line(const gms_tool_model_point_t *point,
                         const char *parameter, int is_first);
/** Draw utilisations and queue lengths against the swept parameter, and write
 *  the figures into the directory.
 *  @return GMS_OK, GMS_ERR_SYSTEM, GMS_ERR_NO_MEMORY */
gms_status_t gms_tool_model_plot(const gms_tool_model_point_t *points,
                                 size_t count, const char *parameter,
                                 const char *directory);

#endif
