/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the results of gmsim qos as tables or CSV. */
#include <inttypes.h>
#include <stdio.h>

#include "base/plural.h"
#include "tool/qos.h"

const char *const gms_tool_qos_topologies[] = {
    "crossbar", "cascade", "clos", "fat-tree", "mesh", "torus", NULL};
const char *const gms_tool_qos_traffic[] = {"video", "on-off", NULL};

static const char *const gms_qos_classes[] = {"control", "real-time",
                                              "best-effort", "all"};

static double gms_qos_s(const gms_qos_sim_options_t *options, uint64_t cycles)
{
    return (double)cycles * (double)options->cycle_ps * 1e-12;
}

/* ---- configuration ---- */

static void gms_qos_describe_traffic(const gms_qos_sim_options_t *options)
{
    double real_time = options->load * options->real_time_part;

    printf("each node sends %.9g %% of the capacity of its link",
           100 * options->load);
    if (real_time > 0) {
        printf(", %.9g %% of that as ", 100 * options->real_time_part);
        if (options->real_time == GMS_QOS_SIM_VIDEO) {
            printf("MPEG-2 videos%s", (options->regulator != GMS_REGULATOR_NONE)
                                          ? " through a regulator"
                                          : "");
        } else {
            printf("on/off connections with %.9g %% of a link each",
                   100 * options->connection_rate);
        }
    }
    printf(real_time < options->load ? ", %s as best effort to %s targets; "
                                     : "; ",
           (real_time > 0) ? "the rest" : "all",
           gms_target_pattern_names[options->target.pattern]);
}

static void gms_qos_describe_controls(const gms_qos_sim_options_t *options)
{
    if (options->admission) {
        printf("admission up to %.9g %% of a link, ",
               100 * options->admission_capacity);
    } else {
        printf("no admission control, ");
    }
    if (options->congestion.policy == GMS_CONGESTION_NONE) {
        printf("no congestion control, ");
    } else {
        printf("congestion control %s, ",
               gms_congestion_policy_names[options->congestion.policy]);
    }
    if (options->power.policy == GMS_POWER_NONE) {
        printf("no power control; ");
    } else {
        printf("power control %s with a limit of %.9g W; ",
               gms_power_policy_names[options->power.policy],
               options->power.limit_w);
    }
}

void gms_tool_qos_describe(const gms_qos_sim_options_t *options)
{
    int is_grid = options->topology == GMS_TOPOLOGY_MESH ||
                  options->topology == GMS_TOPOLOGY_TORUS;

    if (is_grid) {
        printf("%u nodes on a %u x %u %s", options->rows * options->columns,
               options->rows, options->columns,
               gms_tool_qos_topologies[options->topology]);
    } else {
        printf("%u nodes on a %s", options->nodes,
               gms_tool_qos_topologies[options->topology]);
    }
    printf(", links of %.4g Gb/s with %u lanes; ",
           options->flit_bits * 1e3 / (double)options->cycle_ps,
           options->flit.lanes);
    gms_qos_describe_traffic(options);
    gms_qos_describe_controls(options);
    printf("%u %s of %.4g s after %.4g s of warm-up, seed %" PRIu64 ".\n\n",
           options->replications,
           gms_plural(options->replications, "replication", "replications"),
           gms_qos_s(options, options->run_cycles),
           gms_qos_s(options, options->warm_up_cycles), options->seed);
}

/* ---- tables ---- */

static void gms_qos_print_class(const gms_qos_sim_class_t *traffic_class,
                                const char *name)
{
    printf("%-12s %8.2f %8.2f", name, 100 * traffic_class->offered.mean,
           100 * traffic_class->throughput.mean);
    if (traffic_class->packets == 0) {
        printf(" %12s          %12s %12s", "-", "-", "-");
    } else {
        printf(" %12.4g +- %-6.2g %11.4g %12.4g",
               traffic_class->latency_us.mean,
               traffic_class->latency_us.half_width, traffic_class->p99_us.mean,
               traffic_class->queueing_us.mean);
    }
    printf(" %8.3g\n", 100 * traffic_class->drop_rate.mean);
}

static void gms_qos_print_video(const gms_qos_sim_result_t *result)
{
    if (result->frames > 0) {
        printf("Video: %" PRIu64 " %s, %.3g +- %.2g %% late, on average by "
               "%.3g +- %.2g ms.\n",
               result->frames, gms_plural(result->frames, "frame", "frames"),
               100 * result->dmp.mean, 100 * result->dmp.half_width,
               result->dmt_ms.mean, result->dmt_ms.half_width);
    }
}

static void gms_qos_print_connections(const gms_qos_sim_result_t *result)
{
    if (result->connections_asked > 0) {
        printf("Connections: %" PRIu64 " requested, %" PRIu64
               " rejected (%.3g +- %.2g %%); the admitted ones use %.3g %% of "
               "the link bandwidth.\n",
               result->connections_asked, result->connections_rejected,
               100 * result->rejection_rate.mean,
               100 * result->rejection_rate.half_width,
               100 * result->admitted_load.mean);
    }
}

static void gms_qos_print_power(const gms_qos_sim_options_t *options,
                                const gms_qos_sim_result_t *result)
{
    if (result->window_count == 0) {
        return;
    }
    printf("Power: %.4g +- %.2g W on average, at most %.4g W in %u cycles",
           result->power_w.mean, result->power_w.half_width,
           result->power_max_w, options->power.window_cycles);
    if (options->power.policy != GMS_POWER_NONE) {
        printf(" (limit %.9g W)", options->power.limit_w);
    }
    printf(".\n");
}

void gms_tool_qos_print(const gms_qos_sim_options_t *options,
                        const gms_qos_sim_result_t *result)
{
    unsigned i;

    printf("%-12s %17s %37s\n", "", "% of the links",
           "creation to delivery [us]");
    printf("%-12s %8s %8s %12s %9s %11s %12s %8s\n", "class", "offered",
           "accepted", "mean", "", "99 %", "queued [us]", "lost %");
    for (i = 0; i < GMS_LANE_CLASSES; ++i) {
        gms_qos_print_class(&result->by_class[i], gms_qos_classes[i]);
    }
    gms_qos_print_class(&result->all, gms_qos_classes[i]);
    printf("\n");
    gms_qos_print_video(result);
    gms_qos_print_connections(result);
    gms_qos_print_power(options, result);
    if (result->all.throughput.mean < 0.99 * result->all.offered.mean) {
        printf("The accepted traffic is less than the offered traffic: queues "
               "grow during the run.\n");
    }
}

void gms_tool_qos_timing(const gms_qos_sim_result_t *result)
{
    printf("%.3f s of CPU time, %.3g cycles and %.3g flit-hops per CPU "
           "second\n",
           result->cpu_s, (double)result->cycles / result->cpu_s,
           (double)result->flit_hops / result->cpu_s);
}

/* ---- CSV ---- */

static void gms_qos_row(const char *traffic_class, const char *quantity,
                        const char *unit, double factor,
                        gms_qos_sim_estimate_t estimate)
{
    printf("%s,%s,%.9g,%.9g,%s\n", traffic_class, quantity,
           factor * estimate.mean, factor * estimate.half_width, unit);
}

static void gms_qos_number(const char *traffic_class, const char *quantity,
                           const char *unit, double value)
{
    printf("%s,%s,%.15g,,%s\n", traffic_class, quantity, value, unit);
}

static void gms_qos_csv_class(const gms_qos_sim_class_t *traffic_class,
                              const char *name)
{
    gms_qos_row(name, "offered", "percent", 100, traffic_class->offered);
    gms_qos_row(name, "accepted", "percent", 100, traffic_class->throughput);
    gms_qos_number(name, "packets", "", (double)traffic_class->packets);
    gms_qos_row(name, "lost", "percent", 100, traffic_class->drop_rate);
    if (traffic_class->packets > 0) {
        gms_qos_row(name, "latency", "us", 1, traffic_class->latency_us);
        gms_qos_row(name, "latency p99", "us", 1, traffic_class->p99_us);
        gms_qos_row(name, "queueing delay", "us", 1,
                    traffic_class->queueing_us);
        gms_qos_row(name, "network latency", "us", 1,
                    traffic_class->network_us);
    }
}

void gms_tool_qos_csv(const gms_qos_sim_options_t *options,
                      const gms_qos_sim_result_t *result)
{
    unsigned i;

    printf("class,quantity,value,half_width,unit\n");
    for (i = 0; i < GMS_LANE_CLASSES; ++i) {
        gms_qos_csv_class(&result->by_class[i], gms_qos_classes[i]);
    }
    gms_qos_csv_class(&result->all, gms_qos_classes[i]);
    gms_qos_number("real-time", "frames", "", (double)result->frames);
    if (result->frames > 0) {
        gms_qos_row("real-time", "DMP", "probability", 1, result->dmp);
        gms_qos_row("real-time", "DMT", "ms", 1, result->dmt_ms);
    }
    gms_qos_number("real-time", "connections", "",
                   (double)result->connections_asked);
    gms_qos_row("real-time", "rejection rate", "percent", 100,
                result->rejection_rate);
    gms_qos_row("real-time", "admitted load", "percent", 100,
                result->admitted_load);
    if (result->window_count > 0) {
        gms_qos_row("all", "power", "W", 1, result->power_w);
        gms_qos_number("all", "power at most", "W", result->power_max_w);
    }
    gms_qos_number("all", "made", "", (double)result->made);
    gms_qos_number("all", "delivered", "", (double)result->delivered);
    gms_qos_number("all", "dropped", "", (double)result->dropped);
    gms_qos_number("all", "unfinished", "", (double)result->unfinished);
    gms_qos_number("all", "flit-hops", "", (double)result->flit_hops);
    gms_qos_number("all", "cycle", "ps", (double)options->cycle_ps);
}
