/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Declares the commands of the program gmsim. Every command parses its own
 * arguments; argv[0] is "gmsim COMMAND".
 */
#ifndef TOOL_TOOL_H
#define TOOL_TOOL_H

/* Exit statuses of all commands. */
enum gms_tool_exit {
    GMS_TOOL_OK = 0,
    GMS_TOOL_REFUSED = 1, /* a check has failed, or an operation failed */
    GMS_TOOL_USAGE = 2,
    GMS_TOOL_WRONG = 2 /* the file is invalid; the command did nothing */
};

int gms_tool_compare(int argc, char **argv);
int gms_tool_config(int argc, char **argv);
int gms_tool_doctor(int argc, char **argv);
int gms_tool_env(int argc, char **argv);
int gms_tool_example(int argc, char **argv);
int gms_tool_experiment(int argc, char **argv);
int gms_tool_fit(int argc, char **argv);
int gms_tool_model(int argc, char **argv);
int gms_tool_params(int argc, char **argv);
int gms_tool_plan(int argc, char **argv);
int gms_tool_qos(int argc, char **argv);
int gms_tool_report(int argc, char **argv);
int gms_tool_sweep(int argc, char **argv);
int gms_tool_topo(int argc, char **argv);
int gms_tool_verify(int argc, char **argv);

/** Convert a cluster description of another program (`gmsim config import`),
 *  and print the result on stdout. */
int gms_tool_import(const char *path, const char *routes);
/** Return the path of the cluster description that a job would use: the
 *  given path, else the value of GMSIM_CLUSTER, else NULL for the default
 *  cluster. */
const char *gms_tool_cluster(const char *path);

#endif
