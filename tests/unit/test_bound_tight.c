/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How tight bounds are: all kinds of networks of at most four flows, on a
 * crossbar and on chains of two and three switches, with best effort that floods
 * the NICs of all flows. Of each flow the worst delay of all runs is compared with
 * its bound.
 *
 *   test_bound_tight        senders that drift past each other: make check
 *   test_bound_tight STEPS  in addition all start phases on a grid of so many
 *                           steps of a period, and of a transfer of best effort
 */
#include "bound_rig.h"

#include <string.h>

#include "config/profile.h"
#include "unit.h"

enum {
    DRIFT_MESSAGES = 600,
    DRIFT_SEEDS = 1,
    GRID_MESSAGES = 12,
    RATIOS_MAX = 1024
};

/* Hosts 0 and 1 are on the first switch, 2 and 3 on the next one, or on the same
 * one, 4 and 5 on the last one. */
typedef struct shape {
    const char *name;
    unsigned flows;
    unsigned ends[BOUND_FLOWS_MAX][2];
} shape_t;

static const shape_t shapes[] = {
    {"one flow", 1, {{0, 4}}},
    {"one source", 2, {{0, 4}, {0, 2}}},
    {"one target", 2, {{0, 4}, {1, 4}}},
    {"one pair", 2, {{0, 4}, {0, 4}}},
    {"both directions", 2, {{0, 4}, {4, 0}}},
    {"one cable", 2, {{0, 4}, {1, 5}}},
    {"through a node", 2, {{0, 2}, {2, 4}}},
    {"three from one", 3, {{0, 4}, {0, 2}, {0, 1}}},
    {"three into one", 3, {{0, 4}, {1, 4}, {2, 4}}},
    {"crossed", 3, {{0, 4}, {2, 5}, {1, 3}}},
    {"three through one", 3, {{0, 2}, {1, 2}, {2, 4}}},
    {"four into one", 4, {{0, 4}, {1, 4}, {2, 4}, {3, 4}}},
    {"four from one", 4, {{0, 4}, {0, 5}, {0, 2}, {0, 3}}},
    {"two each way", 4, {{0, 4}, {4, 0}, {0, 4}, {4, 0}}},
    {"ring of four", 4, {{0, 2}, {2, 4}, {4, 1}, {1, 0}}},
    {"two pairs, one cable", 4, {{0, 4}, {4, 0}, {1, 5}, {5, 1}}},
};

static unsigned steps; /* of the grid; 0: none */
static double ratios[RATIOS_MAX];
static unsigned ratio_count;

static void set_network(unsigned per_switch, const char *profile,
                        bound_case_t *c)
{
    gms_profile_init(gms_profile_find(profile), &c->params);
    c->params.hosts = 6;
    if (per_switch < 6) {
        c->params.topology = GMS_TOPOLOGY_CASCADE;
        c->params.hosts_per_switch = per_switch;
    }
}

static void run(const bound_case_t *c, const gms_grant_t *grants,
                const bound_start_t *start, uint64_t seed,
                gms_time_t worst_ps[BOUND_FLOWS_MAX])
{
    gms_time_t now_ps[BOUND_FLOWS_MAX];
    unsigned i;

    bound_simulate(c, grants, start->steps > 0 ? GRID_MESSAGES : DRIFT_MESSAGES,
                   start, seed, now_ps);
    for (i = 0; i < c->flows; ++i) {
        worst_ps[i] = now_ps[i] > worst_ps[i] ? now_ps[i] : worst_ps[i];
    }
}

/* The phases of all flows but the first one, and of the flood. */
static void run_grid(const bound_case_t *c, const gms_grant_t *grants,
                     gms_time_t worst_ps[BOUND_FLOWS_MAX])
{
    bound_start_t start = {.steps = steps};
    unsigned i;

    for (;;) {
        run(c, grants, &start, 0, worst_ps);
        if (++start.flood < steps) {
            continue;
        }
        start.flood = 0;
        for (i = 1; i < c->flows && ++start.phase[i] == steps; ++i) {
            start.phase[i] = 0;
        }
        if (i >= c->flows) {
            return;
        }
    }
}

static void compare(const shape_t *shape, unsigned per_switch,
                    const char *profile, double part)
{
    bound_case_t c = {.flows = shape->flows, .has_flood = 1};
    gms_time_t worst_ps[BOUND_FLOWS_MAX] = {0};
    gms_grant_t grants[BOUND_FLOWS_MAX];
    uint64_t seed;
    unsigned i;

    set_network(per_switch, profile, &c);
    for (i = 0; i < c.flows; ++i) {
        c.source[i] = shape->ends[i][0];
        c.target[i] = shape->ends[i][1];
        c.bytes_s[i] =
            part * (double)c.params.qos_node_bytes_s / (double)c.flows;
        c.message_bytes[i] = 4096;
    }
    if (!bound_grant(&c, grants)) {
        return;
    }
    for (seed = 0; seed < DRIFT_SEEDS; ++seed) {
        run(&c, grants, &(bound_start_t){0}, seed, worst_ps);
    }
    if (steps > 0) {
        run_grid(&c, grants, worst_ps);
    }
    for (i = 0; i < c.flows; ++i) {
        CU_ASSERT_TRUE(worst_ps[i] <= grants[i].bounds.delay_ps);
        CU_ASSERT_FATAL(ratio_count < RATIOS_MAX);
        if (getenv("SHOW")) printf("%s %u %s %.2f flow %u: %.2f worst %.0f bound %.0f us\n", shape->name, per_switch, profile, part, i, (double)worst_ps[i] / (double)grants[i].bounds.delay_ps, worst_ps[i]/1e6, grants[i].bounds.delay_ps/1e6);
        ratios[ratio_count++] =
            (double)worst_ps[i] / (double)grants[i].bounds.delay_ps;
    }
}

static void print_ratios(const char *profile, unsigned first)
{
    unsigned tenths[11] = {0}, i;
    double sum = 0, least = 1;

    for (i = first; i < ratio_count; ++i) {
        sum += ratios[i];
        least = ratios[i] < least ? ratios[i] : least;
        ++tenths[(unsigned)(10 * ratios[i])];
    }
    printf("\n    %s: worst delay / bound of %u flows: mean %.3f, least %.3f;",
           profile, ratio_count - first, sum / (ratio_count - first), least);
    for (i = 0; i < 10; ++i) {
        if (tenths[i] > 0) {
            printf(" %.1f: %u", i / 10.0, tenths[i]);
        }
    }
    printf("\n");
}

static void test_all_shapes(void)
{
    static const char *const profiles[] = {"lanai4.3", "myrinet2000"};
    static const unsigned per_switch[] = {6, 3, 2};
    static const double parts[] = {0.25, 0.6};
    unsigned p, n, k, i, first;
    double sum = 0;

    for (p = 0; p < 2; ++p) {
        first = ratio_count;
        for (n = 0; n < 3; ++n) {
            for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); ++i) {
                for (k = 0; k < 2; ++k) {
                    compare(&shapes[i], per_switch[n], profiles[p], parts[k]);
                }
            }
        }
        print_ratios(profiles[p], first);
    }
    for (i = 0; i < ratio_count; ++i) {
        sum += ratios[i];
    }
    CU_ASSERT_TRUE(sum / ratio_count >= 0.8);
    printf("    all: mean %.3f of %u flows\n", sum / ratio_count, ratio_count);
}

int main(int argc, char **argv)
{
    CU_TestInfo tests[] = {
        {"networks of at most four flows", test_all_shapes},
        CU_TEST_INFO_NULL,
    };
    CU_SuiteInfo suites[] = {
        {"tightness of bounds", NULL, NULL, NULL, NULL, tests},
        CU_SUITE_INFO_NULL,
    };

    steps = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
    return unit_run(suites);
}
