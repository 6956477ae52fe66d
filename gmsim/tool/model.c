/* SPDX-License-Identifier: BSD-3-Clause */
/* gmsim model: analyses or simulates a NIC as a queueing network, with the
 * functions of analytic/. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "tool/argument.h"
#include "tool/bar.h"
#include "tool/model.h"
#include "tool/tool.h"

#define GMS_MODEL_SETS      64
#define GMS_MODEL_STEPS_MAX 10000
/* With --timing, the analysis is repeated this many times, or until a fifth of
 * a second of processor time has passed. */
#define GMS_MODEL_TIMES 1000
#define GMS_MODEL_PART  5
/* The fourth arrival rate in the paper, at which the utilisation of the host
 * DMA engine is 0.8. */
#define GMS_MODEL_RATE 0.009

enum {
    GMS_MODEL_KEY_PROFILE = 'p',
    GMS_MODEL_KEY_JOBS = 'j',
    GMS_MODEL_KEY_QUIET = 'q',
    GMS_MODEL_KEY_CARD = 256,
    GMS_MODEL_KEY_METHOD,
    GMS_MODEL_KEY_RATE,
    GMS_MODEL_KEY_SET,
    GMS_MODEL_KEY_SWEEP,
    GMS_MODEL_KEY_SIMULATE,
    GMS_MODEL_KEY_MESSAGES,
    GMS_MODEL_KEY_SEED,
    GMS_MODEL_KEY_CSV,
    GMS_MODEL_KEY_PLOT,
    GMS_MODEL_KEY_MEASURE,
    GMS_MODEL_KEY_TIMING,
    GMS_MODEL_KEY_RANDOM,
    GMS_MODEL_KEY_FIRST
};

typedef struct gms_model_args {
    const char *path, *card, *plot;
    const gms_profile_t *profile;
    gms_model_method_t method;
    const char *sets[GMS_MODEL_SETS]; /* KEY=VALUE */
    unsigned set_count;
    char sweep[GMS_TOOL_MODEL_KEY_LEN]; /* key of the parameter that is swept;
                                         * empty: no sweep */
    double from, to;
    unsigned steps;
    unsigned simulate; /* 0: no */
    unsigned random;   /* number of random NICs; 0: use the network itself */
    unsigned first;    /* number of the first random NIC */
    unsigned jobs;
    uint64_t messages, seed;
    int is_csv, is_measured, is_timed, is_quiet;
} gms_model_args_t;

static const struct argp_option gms_model_options[] = {
    {.doc = "Network:", .group = 1},
    {.name = "card",
     .key = GMS_MODEL_KEY_CARD,
     .arg = "NAME",
     .doc = "Built-in network: send (default; the paper's sending NIC) or both "
            "(a NIC that also receives)"},
    {.name = "profile",
     .key = GMS_MODEL_KEY_PROFILE,
     .arg = "NAME",
     .doc = "Network: the sending half of a lanai4.3 or myrinet2000 NIC, with "
            "long messages"},

    {.doc = "Analysis and simulation:", .group = 2},
    {.name = "method",
     .key = GMS_MODEL_KEY_METHOD,
     .arg = "NAME",
     .doc = "revisit (default; tracks messages that return to a station), qna, "
            "paper (the equations as printed), chain (a Markov chain of the "
            "NIC, the most exact), or chain-fast (coarser and faster)"},
    {.name = "rate",
     .key = GMS_MODEL_KEY_RATE,
     .arg = "R",
     .doc =
         "Arrival rate in messages per microsecond; the same as --set rate=R"},
    {.name = "set",
     .key = GMS_MODEL_KEY_SET,
     .arg = "KEY=VALUE",
     .doc = "Change a parameter, such as hdma.descriptor.mean=34 or "
            "lanai.policy=gated; may be repeated"},
    {.name = "sweep",
     .key = GMS_MODEL_KEY_SWEEP,
     .arg = "KEY=FROM:TO:N",
     .doc = "Vary a numeric parameter of --set over N values"},
    {.name = "simulate",
     .key = GMS_MODEL_KEY_SIMULATE,
     .arg = "1|2",
     .doc =
         "Also simulate the network with the given policies (1), or with "
         "polling instead of FCFS at stations that check another station (2)"},
    {.name = "random",
     .key = GMS_MODEL_KEY_RANDOM,
     .arg = "N",
     .doc = "Compare the analysis with --simulate 2 on N random NICs (times "
            "scaled by 0.5 to 2, load 0.3 to 0.9), and print the errors"},
    {.name = "first",
     .key = GMS_MODEL_KEY_FIRST,
     .arg = "N",
     .doc = "With --random: number of the first NIC (0)"},
    {.name = "messages",
     .key = GMS_MODEL_KEY_MESSAGES,
     .arg = "N",
     .doc = "Messages counted in a simulation (1000000)"},
    {.name = "seed",
     .key = GMS_MODEL_KEY_SEED,
     .arg = "N",
     .doc = "Seed of the simulation (1)"},
    {.name = "jobs",
     .key = GMS_MODEL_KEY_JOBS,
     .arg = "N",
     .doc = GMS_TOOL_JOBS_DOC},

    {.doc = "Output:", .group = 3},
    {.name = "csv",
     .key = GMS_MODEL_KEY_CSV,
     .arg = "FILE",
     .flags = OPTION_ARG_OPTIONAL,
     .doc = GMS_TOOL_CSV_DOC},
    {.name = "plot",
     .key = GMS_MODEL_KEY_PLOT,
     .arg = "DIR",
     .doc = "With --sweep: draw figures of utilisations and queue lengths in "
            "this directory"},
    {.name = "measure",
     .key = GMS_MODEL_KEY_MEASURE,
     .doc = "With --profile: also run the simulated NIC and compare its peak "
            "rate with that of the model"},
    {.name = "quiet",
     .key = GMS_MODEL_KEY_QUIET,
     .doc = "Do not show a progress bar"},
    {.name = "timing",
     .key = GMS_MODEL_KEY_TIMING,
     .doc = "Also print the CPU time of analysis and simulation"},
    {.name = NULL},
};

/* ---- arguments ---- */

static const char *const gms_tool_model_cards[] = {"send", "both", NULL};

static error_t gms_model_parse_sweep(struct argp_state *state, const char *text,
                                     gms_model_args_t *args)
{
    const char *equals = strchr(text, '=');
    int used = 0;

    if (equals == NULL || equals == text ||
        (size_t)(equals - text) >= sizeof(args->sweep) ||
        /* sscanf() would accept hexadecimal numbers, "inf" and blanks */
        equals[1 + strspn(equals + 1, "+-.0123456789eE:")] != '\0' ||
        sscanf(equals + 1, "%lf:%lf:%u%n", &args->from, &args->to, &args->steps,
               &used) != 3 ||
        equals[1 + used] != '\0' || !isfinite(args->from) ||
        !isfinite(args->to) || args->steps < 2 ||
        args->steps > GMS_MODEL_STEPS_MAX) {
        argp_error(
            state,
            "--sweep: value '%s' is invalid; allowed: KEY=FROM:TO:N with "
            "2..%d values",
            text, GMS_MODEL_STEPS_MAX);
        return EINVAL;
    }
    memcpy(args->sweep, text, (size_t)(equals - text));
    args->sweep[equals - text] = '\0';
    return 0;
}

static error_t gms_model_add_set(struct argp_state *state, const char *text,
                                 gms_model_args_t *args)
{
    if (strchr(text, '=') == NULL || text[0] == '=') {
        argp_error(state, "--set: value '%s' is invalid; allowed: KEY=VALUE",
                   text);
        return EINVAL;
    }
    if (args->set_count == GMS_MODEL_SETS) {
        argp_error(state, "--set is used too often; allowed: at most %d times",
                   GMS_MODEL_SETS);
        return EINVAL;
    }
    args->sets[args->set_count++] = text;
    return 0;
}

static error_t gms_model_parse_name(int key, char *arg,
                                    struct argp_state *state)
{
    gms_model_args_t *args = state->input;
    unsigned choice = 0;
    error_t status;

    if (key == GMS_MODEL_KEY_PROFILE) {
        status = gms_tool_profile(state, arg, &args->profile);
        if (status == 0 && !gms_tool_model_has_profile(args->profile)) {
            argp_error(state,
                       "--profile: the NICs of '%s' are not lanai NICs, the "
                       "only kind that the model describes",
                       arg);
            status = EINVAL;
        }
        return status;
    }
    if (key == GMS_MODEL_KEY_CARD) {
        args->card = arg;
        return gms_tool_choice(state, "card", arg, gms_tool_model_cards,
                               &choice);
    }
    status =
        gms_tool_choice(state, "method", arg, gms_model_method_names, &choice);
    args->method = (gms_model_method_t)choice;
    return status;
}

/** Check for options that exclude or require other options. */
static error_t gms_model_parse_end(struct argp_state *state)
{
    const gms_model_args_t *args = state->input;

    if ((args->path != NULL) + (args->card != NULL) + (args->profile != NULL) >
        1) {
        argp_error(state, "FILE, --card and --profile cannot be used together");
        return EINVAL;
    }
    if (args->plot != NULL && args->sweep[0] == '\0') {
        argp_error(state, "--plot requires --sweep");
        return EINVAL;
    }
    if (args->random != 0 && (args->path != NULL || args->sweep[0] != '\0')) {
        argp_error(state, "--random cannot be used with FILE or --sweep");
        return EINVAL;
    }
    if (args->first != 0 && args->random == 0) {
        argp_error(state, "--first requires --random");
        return EINVAL;
    }
    if (args->is_measured && args->profile == NULL) {
        argp_error(state, "--measure requires --profile");
        return EINVAL;
    }
    return 0;
}

static error_t gms_model_parse(int key, char *arg, struct argp_state *state)
{
    static char rate[64];
    gms_model_args_t *args = state->input;
    uint64_t number = 0;
    error_t status;

    switch (key) {
    case GMS_MODEL_KEY_CARD:
    case GMS_MODEL_KEY_PROFILE:
    case GMS_MODEL_KEY_METHOD:
        return gms_model_parse_name(key, arg, state);
    case GMS_MODEL_KEY_RATE:
        (void)snprintf(rate, sizeof(rate), "rate=%s", arg);
        return gms_model_add_set(state, rate, args);
    case GMS_MODEL_KEY_SET:
        return gms_model_add_set(state, arg, args);
    case GMS_MODEL_KEY_SWEEP:
        return gms_model_parse_sweep(state, arg, args);
    case GMS_MODEL_KEY_SIMULATE:
        status = gms_tool_number(state, "simulate", arg, 1, 2, &number);
        args->simulate = (unsigned)number;
        return status;
    case GMS_MODEL_KEY_RANDOM:
        status = gms_tool_number(state, "random", arg, 1, GMS_MODEL_STEPS_MAX,
                                 &number);
        args->random = (unsigned)number;
        return status;
    case GMS_MODEL_KEY_FIRST:
        status = gms_tool_number(state, "first", arg, 0, GMS_MODEL_STEPS_MAX,
                                 &number);
        args->first = (unsigned)number;
        return status;
    case GMS_MODEL_KEY_MESSAGES:
        return gms_tool_number(state, "messages", arg, 1000,
                               UINT64_C(1000000000000), &args->messages);
    case GMS_MODEL_KEY_SEED:
        return gms_tool_number(state, "seed", arg, 0, UINT64_MAX, &args->seed);
    case GMS_MODEL_KEY_CSV:
        return gms_tool_csv(state, arg, &args->is_csv);
    case GMS_MODEL_KEY_PLOT:
        args->plot = arg;
        return 0;
    case GMS_MODEL_KEY_MEASURE:
        args->is_measured = 1;
        return 0;
    case GMS_MODEL_KEY_JOBS:
        return gms_tool_jobs(state, arg, &args->jobs);
    case GMS_MODEL_KEY_QUIET:
        args->is_quiet = 1;
        return 0;
    case GMS_MODEL_KEY_TIMING:
        args->is_timed = 1;
        return 0;
    case ARGP_KEY_ARG:
        return gms_tool_file(state, arg, &args->path);
    case ARGP_KEY_END:
        return gms_model_parse_end(state);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- the network ---- */

static gms_model_t *gms_model_described(const gms_model_args_t *args,
                                        char error[GMS_YAML_ERROR_LEN])
{
    gms_model_t *model = NULL;

    (void)snprintf(error, GMS_YAML_ERROR_LEN, "out of memory");
    if (args->path != NULL) {
        (void)gms_tool_model_load(args->path, &model, error);
    } else if (args->profile != NULL) {
        model = gms_tool_model_profile(args->profile);
    } else if (args->card != NULL && strcmp(args->card, "both") == 0) {
        /* receive doorbells and packets are two separate arrival streams */
        model = gms_model_nic_both(GMS_MODEL_RATE / 2, GMS_MODEL_RATE / 2);
    } else {
        model = gms_model_nic(GMS_MODEL_RATE);
    }
    return model;
}

static gms_status_t gms_model_change(const gms_model_args_t *args,
                                     gms_model_t *model,
                                     char error[GMS_YAML_ERROR_LEN])
{
    char key[GMS_TOOL_MODEL_KEY_LEN];
    gms_status_t status = GMS_OK;
    unsigned i;

    for (i = 0; i < args->set_count && status == GMS_OK; ++i) {
        const char *equals = strchr(args->sets[i], '=');

        (void)snprintf(key, sizeof(key), "%.*s", (int)(equals - args->sets[i]),
                       args->sets[i]);
        status = gms_tool_model_set(model, key, equals + 1, error);
    }
    return status;
}

/** For --simulate 2, change FCFS stations that check another station to polling
 *  stations. */
static void gms_model_poll(gms_model_t *model)
{
    unsigned i, r;

    for (i = 0; i < model->stations; ++i) {
        unsigned classes = 0, checks = 0;

        for (r = 0; r < model->classes; ++r) {
            const gms_model_visit_t *visit = gms_model_at(model, i, r);

            classes += (unsigned)visit->is_served;
            checks += visit->is_served && visit->checks != GMS_MODEL_NONE;
        }
        if (classes > 1 && checks > 0 &&
            model->station[i].discipline == GMS_MODEL_FCFS) {
            model->station[i].discipline = GMS_MODEL_LIMITED;
        }
    }
}

/* ---- figures ---- */

static void gms_model_progress(void *context, double fraction)
{
    const gms_tool_model_show_t *show = context;

    gms_tool_bar_draw(show->bar,
                      ((double)show->point + fraction) / show->points, "");
}

static gms_status_t gms_model_simulate(const gms_model_args_t *args,
                                       gms_tool_model_point_t *point,
                                       char error[GMS_YAML_ERROR_LEN])
{
    char why[GMS_MODEL_ERROR_LEN] = "out of memory";
    gms_model_sim_options_t options;
    gms_status_t status;

    gms_model_sim_options_init(&options);
    options.seed = args->seed;
    if (args->random != 0) {
        /* the errors of different NICs must be statistically independent */
        options.seed += args->first + point->show.point;
    }
    options.messages = args->messages / options.replications;
    options.warm_up = options.messages / 8;
    options.threads = args->jobs;
    options.progress = gms_model_progress;
    options.progress_context = &point->show;
    if (args->simulate == 2) {
        gms_model_poll(point->model);
    }
    status = gms_model_sim_run(point->model, &options, &point->simulated, why);
    if (status != GMS_OK) {
        (void)snprintf(error, GMS_YAML_ERROR_LEN, "%s", why);
    }
    return status;
}

static gms_status_t gms_model_point(const gms_model_args_t *args,
                                    gms_tool_model_point_t *point,
                                    char error[GMS_YAML_ERROR_LEN])
{
    char why[GMS_MODEL_ERROR_LEN] = "out of memory";
    gms_model_status_t status;

    if (args->simulate == 2 && args->method >= GMS_MODEL_CHAIN) {
        gms_model_poll(point->model); /* this method models scheduling
                                         policies */
    }
    status = gms_model_solve(point->model, args->method, &point->result, why);
    if (status != GMS_MODEL_OK) {
        (void)snprintf(error, GMS_YAML_ERROR_LEN, "%s", why);
        return (status == GMS_MODEL_INVALID) ? GMS_ERR_CONFIG
                                             : GMS_ERR_INVALID_PARAM;
    }
    return (args->simulate != 0) ? gms_model_simulate(args, point, error)
                                 : GMS_OK;
}

void gms_tool_model_point_clear(gms_tool_model_point_t *point)
{
    gms_model_destroy(point->model);
    gms_model_result_destroy(point->result);
    gms_model_sim_result_destroy(point->simulated);
}

static void gms_model_time(const gms_model_args_t *args,
                           const gms_tool_model_point_t *point)
{
    char ignored[GMS_MODEL_ERROR_LEN];
    clock_t begin = clock();
    unsigned i;

    for (i = 0; i < GMS_MODEL_TIMES &&
                clock() - begin < CLOCKS_PER_SEC / GMS_MODEL_PART;
         ++i) {
        gms_model_result_t *result = NULL;

        (void)gms_model_solve(point->model, args->method, &result, ignored);
        gms_model_result_destroy(result);
    }
    printf("\n"
           "the analysis takes %.4f ms of CPU time\n",
           1e3 * (double)(clock() - begin) / CLOCKS_PER_SEC / i);
    if (point->simulated != NULL) {
        printf("the simulation took %.3f s, %.3g events per CPU second\n",
               point->simulated->cpu_s,
               (double)point->simulated->events / point->simulated->cpu_s);
    }
}

static int gms_model_compare(const gms_model_args_t *args,
                             const gms_tool_model_point_t *point)
{
    double bytes = (double)gms_tool_model_packet_bytes(args->profile);
    double predicted = point->result->saturation *
                       gms_tool_model_rate(point->model) * bytes,
           measured;
    char error[GMS_YAML_ERROR_LEN];

    if (!args->is_csv) {
        printf("\n"
               "the saturation rate equals a payload bandwidth of %.3f MB/s\n",
               predicted);
    }
    if (!args->is_measured) {
        return GMS_TOOL_OK;
    }
    if (gms_tool_model_measure(args->profile, &measured, error) != GMS_OK) {
        fprintf(stderr, "gmsim model: %s\n", error);
        return GMS_TOOL_REFUSED;
    }
    measured *= 1e-6;
    printf(args->is_csv ? "measured,%.6f,,,peak MB/s,%.6f,,\n"
                        : "the simulated NIC sends %.3f MB/s: the model "
                          "deviates by %+.2f %%\n",
           args->is_csv ? predicted : measured,
           args->is_csv ? measured : 100 * (predicted / measured - 1));
    return GMS_TOOL_OK;
}

/* ---- the command ---- */

static int gms_model_one(const gms_model_args_t *args, gms_model_t *model)
{
    gms_tool_bar_t bar;
    gms_tool_model_point_t point = {.model = gms_model_copy(model),
                                    .show = {&bar, 0, 1}};
    char error[GMS_YAML_ERROR_LEN] = "out of memory";
    gms_status_t status = GMS_ERR_NO_MEMORY;
    int result = GMS_TOOL_OK;

    gms_tool_bar_init(&bar, args->is_quiet);
    if (point.model != NULL) {
        status = gms_model_point(args, &point, error);
    }
    gms_tool_bar_wipe(&bar);
    if (status != GMS_OK) {
        fprintf(stderr, "gmsim model: %s\n", error);
        gms_tool_model_point_clear(&point);
        return (status == GMS_ERR_CONFIG) ? GMS_TOOL_WRONG : GMS_TOOL_REFUSED;
    }
    point.x = gms_tool_model_rate(point.model);
    if (args->is_csv) {
        gms_tool_model_csv(&point, "rate", 1);
    } else {
        gms_tool_model_print(&point, gms_model_method_names[args->method],
                             args->path == NULL);
        if (args->is_timed) {
            gms_model_time(args, &point);
        }
    }
    if (args->profile != NULL) {
        result = gms_model_compare(args, &point);
    }
    gms_tool_model_point_clear(&point);
    return result;
}

static gms_status_t gms_model_step(const gms_model_args_t *args,
                                   const gms_model_t *model, unsigned i,
                                   gms_tool_model_point_t *point,
                                   char error[GMS_YAML_ERROR_LEN])
{
    char value[64];
    gms_status_t status;

    point->x =
        args->from + (args->to - args->from) * i / (double)(args->steps - 1);
    point->model = gms_model_copy(model);
    if (point->model == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    (void)snprintf(value, sizeof(value), "%.15g", point->x);
    status = gms_tool_model_set(point->model, args->sweep, value, error);
    return (status == GMS_OK) ? gms_model_point(args, point, error) : status;
}

static int gms_model_swept(const gms_model_args_t *args,
                           const gms_model_t *model)
{
    gms_tool_model_point_t *points = calloc(args->steps, sizeof(*points));
    char error[GMS_YAML_ERROR_LEN] = "out of memory";
    gms_status_t status = (points == NULL) ? GMS_ERR_NO_MEMORY : GMS_OK;
    unsigned i, done = 0;
    gms_tool_bar_t bar;

    gms_tool_bar_init(&bar, args->is_quiet);
    for (i = 0; i < args->steps && status == GMS_OK; ++i) {
        points[i].show = (gms_tool_model_show_t){&bar, i, args->steps};
        status = gms_model_step(args, model, i, &points[i], error);
        done = i + 1;
        gms_tool_bar_wipe(&bar);
        if (status != GMS_OK) {
            fprintf(stderr, "gmsim model: %s = %.9g: %s\n", args->sweep,
                    points[i].x, error);
        } else if (args->is_csv) {
            gms_tool_model_csv(&points[i], args->sweep, i == 0);
        } else {
            gms_tool_model_line(&points[i], args->sweep, i == 0);
        }
    }
    if (status == GMS_OK && args->plot != NULL) {
        (void)mkdir(args->plot, 0777);
        status =
            gms_tool_model_plot(points, args->steps, args->sweep, args->plot);
        if (status != GMS_OK) {
            fprintf(stderr, "gmsim model: cannot draw figures in '%s': %s\n",
                    args->plot, gms_status_text(status));
        }
    }
    for (i = 0; i < done; ++i) {
        gms_tool_model_point_clear(&points[i]);
    }
    free(points);
    return (status == GMS_OK) ? GMS_TOOL_OK : GMS_TOOL_REFUSED;
}

static gms_status_t gms_model_random_point(const void *context,
                                           gms_tool_model_point_t *point,
                                           char error[GMS_YAML_ERROR_LEN])
{
    const gms_model_args_t *args = context;

    return gms_model_point(args, point, error);
}

/** Compare the analysis with simulation 2 on random NICs. */
static int gms_model_randomized(gms_model_args_t *args,
                                const gms_model_t *model)
{
    char error[GMS_YAML_ERROR_LEN] = "out of memory";
    gms_model_t *polled = gms_model_copy(model);
    gms_status_t status = GMS_ERR_NO_MEMORY;
    gms_tool_bar_t bar;

    args->simulate = 2;
    gms_tool_bar_init(&bar, args->is_quiet);
    if (polled != NULL) {
        const gms_tool_model_errors_run_t run = {gms_model_random_point,
                                                 args,
                                                 args->seed,
                                                 args->first,
                                                 &bar,
                                                 polled,
                                                 args->is_csv};

        gms_model_poll(polled);
        status = gms_tool_model_errors(model, args->random, &run, error);
    }
    gms_model_destroy(polled);
    if (status != GMS_OK) {
        fprintf(stderr, "gmsim model: %s\n", error);
        return GMS_TOOL_REFUSED;
    }
    return GMS_TOOL_OK;
}

int gms_tool_model(int argc, char **argv)
{
    const struct argp argp = {
        .options = gms_model_options,
        .parser = gms_model_parse,
        .args_doc = "[FILE]",
        .doc =
            "Analyse a NIC as a queueing network: utilisation of its processor "
            "and DMA engines, waiting times of messages, and the bottleneck."
            "\v"
            "FILE describes a network in YAML; gmsim-model(1) has an example. "
            "The default is the sending NIC of the paper, with times in "
            "microseconds. Exit status: 0 success; 1 the network is unstable; "
            "2 an invalid file or invalid usage.\n"
            "Example: gmsim model --sweep rate=0.001:0.011:20 --plot figures"};
    gms_model_args_t args = {.method = GMS_MODEL_REVISIT,
                             .messages = 1000000,
                             .seed = 1,
                             .jobs = gms_tool_processors()};
    char error[GMS_YAML_ERROR_LEN];
    gms_model_t *model;
    int result = GMS_TOOL_REFUSED;

    if (argp_parse(&argp, argc, argv, 0, NULL, &args) != 0) {
        return GMS_TOOL_USAGE;
    }
    model = gms_model_described(&args, error);
    if (model == NULL) {
        fprintf(stderr, (args.path != NULL) ? "%s\n" : "gmsim model: %s\n",
                error);
        return GMS_TOOL_WRONG;
    }
    if (gms_model_change(&args, model, error) != GMS_OK) {
        fprintf(stderr, "gmsim model: %s\n", error);
        result = GMS_TOOL_WRONG;
    } else if (args.random != 0) {
        result = gms_model_randomized(&args, model);
    } else if (args.sweep[0] != '\0') {
        result = gms_model_swept(&args, model);
    } else {
        result = gms_model_one(&args, model);
    }
    gms_model_destroy(model);
    return result;
}
