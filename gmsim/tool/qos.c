/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gmsim qos: simulates mixed traffic on a fabric with virtual lanes, under
 * admission, congestion and power control (hcasim/).
 */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tool/argument.h"
#include "tool/bar.h"
#include "tool/qos.h"
#include "tool/tool.h"

#define GMS_QOS_SECONDS_MAX 1e6
#define GMS_QOS_CYCLES_MAX  (UINT64_C(1) << 48)

enum {
    GMS_QOS_KEY_TOPOLOGY = 256,
    GMS_QOS_KEY_NODES,
    GMS_QOS_KEY_ROWS,
    GMS_QOS_KEY_COLUMNS,
    GMS_QOS_KEY_LANES,
    GMS_QOS_KEY_REAL_TIME_LANES,
    GMS_QOS_KEY_ARBITER,
    GMS_QOS_KEY_DRAWN,
    GMS_QOS_KEY_BUFFER,
    GMS_QOS_KEY_CYCLE,
    GMS_QOS_KEY_LOAD,
    GMS_QOS_KEY_REAL_TIME,
    GMS_QOS_KEY_TRAFFIC,
    GMS_QOS_KEY_BURSTS,
    GMS_QOS_KEY_CONNECTION,
    GMS_QOS_KEY_LENGTH,
    GMS_QOS_KEY_TARGET,
    GMS_QOS_KEY_HOT,
    GMS_QOS_KEY_ADMISSION,
    GMS_QOS_KEY_CONGESTION,
    GMS_QOS_KEY_CREDITS,
    GMS_QOS_KEY_RETRY,
    GMS_QOS_KEY_POWER,
    GMS_QOS_KEY_LIMIT,
    GMS_QOS_KEY_SECONDS,
    GMS_QOS_KEY_CYCLES,
    GMS_QOS_KEY_WARM_UP,
    GMS_QOS_KEY_REPLICATIONS,
    GMS_QOS_KEY_SEED,
    GMS_QOS_KEY_CSV,
    GMS_QOS_KEY_TIMING,
    GMS_QOS_KEY_JOBS = 'j',
    GMS_QOS_KEY_QUIET = 'q'
};

typedef struct gms_qos_args {
    gms_qos_sim_options_t options;
    unsigned lanes, real_time_lanes,
        arbiter; /* lane plan; the arbiter is a value of enum gms_lane_policy */
    double seconds, warm_up_s; /* negative if the option is not given */
    unsigned credits;          /* 0 if the option is not given */
    uint64_t cycles;           /* 0 if the option is not given */
    uint64_t given;            /* bit set of the options on the command line */
    int is_csv, is_timed, is_quiet;
} gms_qos_args_t;

static const struct argp_option gms_qos_options[] = {
    {.doc = "Fabric and adapters:", .group = 1},
    {.name = "topology",
     .key = GMS_QOS_KEY_TOPOLOGY,
     .arg = "NAME",
     .doc = "Topology: crossbar (default), mesh, ..."},
    {.name = "nodes",
     .key = GMS_QOS_KEY_NODES,
     .arg = "N",
     .doc = "Number of nodes, except for mesh and torus (8)"},
    {.name = "rows",
     .key = GMS_QOS_KEY_ROWS,
     .arg = "N",
     .doc = "Number of rows of a mesh or torus (4)"},
    {.name = "columns",
     .key = GMS_QOS_KEY_COLUMNS,
     .arg = "N",
     .doc = "Number of columns of a mesh or torus (4)"},
    {.name = "lanes",
     .key = GMS_QOS_KEY_LANES,
     .arg = "N",
     .doc = "Number of virtual lanes, including control (16)"},
    {.name = "real-time-lanes",
     .key = GMS_QOS_KEY_REAL_TIME_LANES,
     .arg = "N",
     .doc = "Number of real-time lanes (11)"},
    {.name = "arbiter",
     .key = GMS_QOS_KEY_ARBITER,
     .arg = "NAME",
     .doc = "Lane policy: small-fast (default), ..."},
    {.name = "drawn",
     .key = GMS_QOS_KEY_DRAWN,
     .doc = "Choose a random free lane, not the first one"},
    {.name = "buffer",
     .key = GMS_QOS_KEY_BUFFER,
     .arg = "M",
     .doc = "Number of messages that an HCA can hold (1000)"},
    {.name = "cycle",
     .key = GMS_QOS_KEY_CYCLE,
     .arg = "NS",
     .doc = "Duration of a 128-bit flit in nanoseconds (80)"},

    {.doc = "Traffic:", .group = 2},
    {.name = "load",
     .key = GMS_QOS_KEY_LOAD,
     .arg = "PERCENT",
     .doc = "Load of each node's link in percent (70)"},
    {.name = "real-time",
     .key = GMS_QOS_KEY_REAL_TIME,
     .arg = "PERCENT",
     .doc = "Real-time share of the load in percent (80)"},
    {.name = "traffic",
     .key = GMS_QOS_KEY_TRAFFIC,
     .arg = "NAME",
     .doc = "Real-time traffic: video (default) or on-off"},
    {.name = "bursts",
     .key = GMS_QOS_KEY_BURSTS,
     .doc = "Send videos without a regulator"},
    {.name = "connection",
     .key = GMS_QOS_KEY_CONNECTION,
     .arg = "PERCENT",
     .doc = "Rate of an on-off connection in % of a link (2)"},
    {.name = "length",
     .key = GMS_QOS_KEY_LENGTH,
     .arg = "S",
     .doc = "Mean connection duration in seconds (unlimited)"},
    {.name = "target",
     .key = GMS_QOS_KEY_TARGET,
     .arg = "NAME",
     .doc = "Best effort: uniform (default), hot-spot, ..."},
    {.name = "hot",
     .key = GMS_QOS_KEY_HOT,
     .arg = "PERCENT",
     .doc = "Percentage sent to node 0 with hot-spot (0)"},

    {.doc = "Control:", .group = 3},
    {.name = "admission",
     .key = GMS_QOS_KEY_ADMISSION,
     .arg = "PERCENT",
     .flags = OPTION_ARG_OPTIONAL,
     .doc = "Admit connections up to PERCENT of a link (100)"},
    {.name = "congestion",
     .key = GMS_QOS_KEY_CONGESTION,
     .arg = "NAME",
     .doc = "Congestion control: none (default), credit, ..."},
    {.name = "credits",
     .key = GMS_QOS_KEY_CREDITS,
     .arg = "N",
     .doc = "Best-effort credits of each node (200)"},
    {.name = "retry",
     .key = GMS_QOS_KEY_RETRY,
     .doc = "Queue real-time packets without credit (no drops)"},
    {.name = "power",
     .key = GMS_QOS_KEY_POWER,
     .arg = "NAME",
     .doc = "Power control: none (default), credit, powerherd"},
    {.name = "limit",
     .key = GMS_QOS_KEY_LIMIT,
     .arg = "W",
     .doc = "Power limit of routers and links in watts (21)"},

    {.doc = "Simulation and output:", .group = 4},
    {.name = "seconds",
     .key = GMS_QOS_KEY_SECONDS,
     .arg = "S",
     .doc = "Measured virtual seconds per replication (0.5)"},
    {.name = "cycles",
     .key = GMS_QOS_KEY_CYCLES,
     .arg = "N",
     .doc = "Number of measured cycles (instead of --seconds)"},
    {.name = "warm-up",
     .key = GMS_QOS_KEY_WARM_UP,
     .arg = "S",
     .doc = "Warm-up time in seconds (a fifth of --seconds)"},
    {.name = "replications",
     .key = GMS_QOS_KEY_REPLICATIONS,
     .arg = "N",
     .doc = "Number of independent replications (4)"},
    {.name = "seed",
     .key = GMS_QOS_KEY_SEED,
     .arg = "N",
     .doc = "Seed of all random numbers (1)"},
    {.name = "jobs",
     .key = GMS_QOS_KEY_JOBS,
     .arg = "N",
     .doc = GMS_TOOL_JOBS_DOC},
    {.name = "csv",
     .key = GMS_QOS_KEY_CSV,
     .arg = "FILE",
     .flags = OPTION_ARG_OPTIONAL,
     .doc = GMS_TOOL_CSV_DOC},
    {.name = "quiet",
     .key = GMS_QOS_KEY_QUIET,
     .doc = "Do not show a progress bar"},
    {.name = "timing",
     .key = GMS_QOS_KEY_TIMING,
     .doc = "Also print the CPU time of the simulation"},
    {.name = NULL},
};

/* ---- arguments ---- */

static error_t gms_qos_percent(struct argp_state *state, const char *option,
                               const char *text, double *part_p)
{
    error_t status = gms_tool_real(state, option, text, 0, 100, part_p);

    *part_p /= 100;
    return status;
}

static error_t gms_qos_parse_cluster(int key, char *arg,
                                     struct argp_state *state)
{
    gms_qos_args_t *args = state->input;
    gms_qos_sim_options_t *options = &args->options;
    double cycle_ns = 80;
    error_t status;

    switch (key) {
    case GMS_QOS_KEY_TOPOLOGY:
        return gms_tool_choice(state, "topology", arg, gms_tool_qos_topologies,
                               &options->topology);
    case GMS_QOS_KEY_NODES:
        return gms_tool_unsigned(state, "nodes", arg, 2, 16384,
                                 &options->nodes);
    case GMS_QOS_KEY_ROWS:
        return gms_tool_unsigned(state, "rows", arg, 1, 64, &options->rows);
    case GMS_QOS_KEY_COLUMNS:
        return gms_tool_unsigned(state, "columns", arg, 1, 64,
                                 &options->columns);
    case GMS_QOS_KEY_LANES:
        return gms_tool_unsigned(state, "lanes", arg, 2, GMS_LANES_MAX,
                                 &args->lanes);
    case GMS_QOS_KEY_REAL_TIME_LANES:
        return gms_tool_unsigned(state, "real-time-lanes", arg, 0,
                                 GMS_LANES_MAX - 1, &args->real_time_lanes);
    case GMS_QOS_KEY_ARBITER:
        return gms_tool_choice(state, "arbiter", arg, gms_lane_policy_names,
                               &args->arbiter);
    case GMS_QOS_KEY_DRAWN:
        options->flit.lane_choice = GMS_FLIT_LANES_DRAWN;
        return 0;
    case GMS_QOS_KEY_BUFFER:
        return gms_tool_unsigned(state, "buffer", arg, 1, 1000000000,
                                 &options->hca.buffer_messages);
    case GMS_QOS_KEY_CYCLE:
        status = gms_tool_real(state, "cycle", arg, 0.001, 1000, &cycle_ns);
        gms_qos_sim_options_set_cycle(options,
                                      (uint64_t)(cycle_ns * 1000 + 0.5));
        return status;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t gms_qos_parse_traffic(int key, char *arg,
                                     struct argp_state *state)
{
    gms_qos_args_t *args = state->input;
    gms_qos_sim_options_t *options = &args->options;
    double seconds = 0;
    error_t status;

    switch (key) {
    case GMS_QOS_KEY_LOAD:
        return gms_qos_percent(state, "load", arg, &options->load);
    case GMS_QOS_KEY_REAL_TIME:
        return gms_qos_percent(state, "real-time", arg,
                               &options->real_time_part);
    case GMS_QOS_KEY_TRAFFIC:
        return gms_tool_choice(state, "traffic", arg, gms_tool_qos_traffic,
                               &options->real_time);
    case GMS_QOS_KEY_BURSTS:
        options->regulator = GMS_REGULATOR_NONE;
        return 0;
    case GMS_QOS_KEY_CONNECTION:
        return gms_qos_percent(state, "connection", arg,
                               &options->connection_rate);
    case GMS_QOS_KEY_LENGTH:
        status = gms_tool_real(state, "length", arg, 1e-9, GMS_QOS_SECONDS_MAX,
                               &seconds);
        /* first in picoseconds; converted to cycles when the cycle time is
         * known */
        options->connection_cycles = (uint64_t)(seconds * 1e12);
        return status;
    case GMS_QOS_KEY_TARGET:
        return gms_tool_choice(state, "target", arg, gms_target_pattern_names,
                               &options->target.pattern);
    case GMS_QOS_KEY_HOT:
        return gms_qos_percent(state, "hot", arg, &options->target.hot);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t gms_qos_parse_control(int key, char *arg,
                                     struct argp_state *state)
{
    gms_qos_args_t *args = state->input;
    gms_qos_sim_options_t *options = &args->options;

    switch (key) {
    case GMS_QOS_KEY_ADMISSION:
        options->admission = 1;
        return (arg == NULL) ? 0
                             : gms_qos_percent(state, "admission", arg,
                                               &options->admission_capacity);
    case GMS_QOS_KEY_CONGESTION:
        return gms_tool_choice(state, "congestion", arg,
                               gms_congestion_policy_names,
                               &options->congestion.policy);
    case GMS_QOS_KEY_CREDITS:
        return gms_tool_unsigned(state, "credits", arg, 1, 1000000000,
                                 &args->credits);
    case GMS_QOS_KEY_RETRY:
        options->real_time_retries = 1;
        return 0;
    case GMS_QOS_KEY_POWER:
        return gms_tool_choice(state, "power", arg, gms_power_policy_names,
                               &options->power.policy);
    case GMS_QOS_KEY_LIMIT:
        return gms_tool_real(state, "limit", arg, 1e-6, 1e9,
                             &options->power.limit_w);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t gms_qos_parse_run(int key, char *arg, struct argp_state *state)
{
    gms_qos_args_t *args = state->input;
    gms_qos_sim_options_t *options = &args->options;

    switch (key) {
    case GMS_QOS_KEY_SECONDS:
        return gms_tool_real(state, "seconds", arg, 1e-9, GMS_QOS_SECONDS_MAX,
                             &args->seconds);
    case GMS_QOS_KEY_CYCLES:
        return gms_tool_number(state, "cycles", arg, 1, GMS_QOS_CYCLES_MAX,
                               &args->cycles);
    case GMS_QOS_KEY_WARM_UP:
        return gms_tool_real(state, "warm-up", arg, 0, GMS_QOS_SECONDS_MAX,
                             &args->warm_up_s);
    case GMS_QOS_KEY_REPLICATIONS:
        return gms_tool_unsigned(state, "replications", arg, 1, 1024,
                                 &options->replications);
    case GMS_QOS_KEY_SEED:
        return gms_tool_number(state, "seed", arg, 0, UINT64_MAX,
                               &options->seed);
    case GMS_QOS_KEY_CSV:
        return gms_tool_csv(state, arg, &args->is_csv);
    case GMS_QOS_KEY_TIMING:
        args->is_timed = 1;
        return 0;
    case GMS_QOS_KEY_JOBS:
        return gms_tool_jobs(state, arg, &options->threads);
    case GMS_QOS_KEY_QUIET:
        args->is_quiet = 1;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int gms_qos_has(const gms_qos_args_t *args, int key)
{
    return (int)(args->given >> (key - GMS_QOS_KEY_TOPOLOGY) & 1);
}

/** Reject options that would have no effect. */
static error_t gms_qos_check_meaning(struct argp_state *state)
{
    const gms_qos_args_t *args = state->input;
    const gms_qos_sim_options_t *options = &args->options;
    int is_grid = options->topology == GMS_TOPOLOGY_MESH ||
                  options->topology == GMS_TOPOLOGY_TORUS;
    int is_video = options->real_time == GMS_QOS_SIM_VIDEO;
    int has_credits = options->congestion.policy != GMS_CONGESTION_NONE ||
                      options->power.policy != GMS_POWER_NONE;
    const struct {
        int key, is_meant;
        const char *name, *needs;
    } some[] = {
        {GMS_QOS_KEY_NODES, !is_grid, "nodes",
         "a topology without --rows and --columns"},
        {GMS_QOS_KEY_ROWS, is_grid, "rows", "--topology mesh or torus"},
        {GMS_QOS_KEY_COLUMNS, is_grid, "columns", "--topology mesh or torus"},
        {GMS_QOS_KEY_BURSTS, is_video, "bursts", "--traffic video"},
        {GMS_QOS_KEY_CONNECTION, !is_video, "connection", "--traffic on-off"},
        {GMS_QOS_KEY_HOT, options->target.pattern == GMS_TARGET_HOT_SPOT, "hot",
         "--target hot-spot"},
        {GMS_QOS_KEY_CREDITS, has_credits, "credits",
         "--congestion or --power"},
        {GMS_QOS_KEY_LIMIT, options->power.policy != GMS_POWER_NONE, "limit",
         "--power"},
    };
    size_t i;

    for (i = 0; i < sizeof(some) / sizeof(*some); ++i) {
        if (gms_qos_has(args, some[i].key) && !some[i].is_meant) {
            argp_error(state, "--%s requires %s", some[i].name, some[i].needs);
            return EINVAL;
        }
    }
    return 0;
}

/** Set the options whose defaults depend on other options. */
static error_t gms_qos_parse_end(struct argp_state *state)
{
    gms_qos_args_t *args = state->input;
    gms_qos_sim_options_t *options = &args->options;
    double cycle_s = (double)options->cycle_ps * 1e-12;

    if (args->seconds >= 0 && args->cycles > 0) {
        argp_error(state, "--seconds and --cycles cannot be used together");
        return EINVAL;
    }
    if (args->real_time_lanes + 1 > args->lanes) {
        argp_error(state,
                   "--real-time-lanes: value '%u' is invalid; allowed: 0..%u",
                   args->real_time_lanes, args->lanes - 1);
        return EINVAL;
    }
    if (args->credits == 0) { /* the default value, or less if the buffer is
                                 smaller */
        args->credits = options->congestion.credits_best;
        if (args->credits > options->hca.buffer_messages) {
            args->credits = options->hca.buffer_messages;
        }
    }
    options->congestion.credits_best = args->credits;
    if (gms_qos_check_meaning(state) != 0) {
        return EINVAL;
    }
    if (args->cycles == 0) {
        args->cycles =
            (uint64_t)(((args->seconds >= 0) ? args->seconds : 0.5) / cycle_s +
                       0.5);
    }
    options->run_cycles = args->cycles;
    options->warm_up_cycles = (args->warm_up_s >= 0)
                                  ? (uint64_t)(args->warm_up_s / cycle_s + 0.5)
                                  : args->cycles / 5;
    options->start_cycles = options->warm_up_cycles / 3;
    options->connection_cycles /= options->cycle_ps;
    gms_lane_plan_init(&options->flit.plan, args->lanes, args->real_time_lanes,
                       1, (enum gms_lane_policy)args->arbiter, 4);
    options->flit.lanes = args->lanes;
    return 0;
}

static error_t gms_qos_parse(int key, char *arg, struct argp_state *state)
{
    gms_qos_args_t *args = state->input;

    if (key == ARGP_KEY_END) {
        return gms_qos_parse_end(state);
    }
    if (key >= GMS_QOS_KEY_TOPOLOGY && key <= GMS_QOS_KEY_TIMING) {
        args->given |= UINT64_C(1) << (key - GMS_QOS_KEY_TOPOLOGY);
    }
    if (key >= GMS_QOS_KEY_TOPOLOGY && key <= GMS_QOS_KEY_CYCLE) {
        return gms_qos_parse_cluster(key, arg, state);
    }
    if (key >= GMS_QOS_KEY_LOAD && key <= GMS_QOS_KEY_HOT) {
        return gms_qos_parse_traffic(key, arg, state);
    }
    if (key >= GMS_QOS_KEY_ADMISSION && key <= GMS_QOS_KEY_LIMIT) {
        return gms_qos_parse_control(key, arg, state);
    }
    return gms_qos_parse_run(key, arg, state);
}

/* ---- the command ---- */

static void gms_qos_progress(void *context, double fraction)
{
    gms_tool_bar_draw(context, fraction, "");
}

static int gms_qos_run(const gms_qos_args_t *args)
{
    char error[GMS_QOS_SIM_ERROR_LEN];
    gms_qos_sim_result_t *result;
    gms_tool_bar_t bar;
    gms_status_t status;

    gms_tool_bar_init(&bar, args->is_quiet);
    status =
        gms_qos_sim_run(&args->options, gms_qos_progress, &bar, &result, error);
    gms_tool_bar_wipe(&bar);
    if (status != GMS_OK) {
        fprintf(stderr, "gmsim qos: %s\n", error);
        return (status == GMS_ERR_CONFIG) ? GMS_TOOL_WRONG : GMS_TOOL_REFUSED;
    }
    if (args->is_csv) {
        gms_tool_qos_csv(&args->options, result);
    } else {
        gms_tool_qos_describe(&args->options);
        gms_tool_qos_print(&args->options, result);
    }
    if (args->is_timed) {
        gms_tool_qos_timing(result);
    }
    gms_qos_sim_result_destroy(result);
    return GMS_TOOL_OK;
}

int gms_tool_qos(int argc, char **argv)
{
    const struct argp argp = {
        .options = gms_qos_options,
        .parser = gms_qos_parse,
        .doc =
            "Simulate classes of traffic on a fabric with virtual lanes."
            "\v"
            "Exit status: 0 success; 1 an operation failed; 2 invalid usage.\n"
            "Example: gmsim qos --topology mesh --load 60 --admission"};
    gms_qos_args_t args = {.lanes = 16,
                           .real_time_lanes = 11,
                           .arbiter = GMS_LANE_SMALL_FAST,
                           .seconds = -1,
                           .warm_up_s = -1};

    gms_qos_sim_options_init(&args.options);
    args.options.measures_power = 1;
    args.options.threads = gms_tool_processors();
    if (argp_parse(&argp, argc, argv, 0, NULL, &args) != 0) {
        return GMS_TOOL_USAGE;
    }
    return gms_qos_run(&args);
}
