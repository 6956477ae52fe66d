/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares the bounds with simulations of small networks of reserved flows,
 * with and without a flood of best-effort traffic. The senders do not exceed
 * their rates, and their phases drift. No measured delay may exceed its bound.
 */
#include "bound_rig.h"

#include <string.h>

#include "params/profile.h"
#include "base/random.h"
#include "unit.h"

enum {
    MESSAGES = 1500,
    NETWORKS = 16,
    /* number of networks; this number is small, because the simulation has an
     * event for every cycle */
    FLIT_FLOODED = 4
};
#define MB 1e6

static double ratio_sum, ratio_least;
static unsigned ratio_count;

static void start(void)
{
    ratio_sum = 0;
    ratio_least = 1;
    ratio_count = 0;
}

static void compare(const bound_case_t *c, uint64_t seed)
{
    gms_grant_t grants[BOUND_FLOWS_MAX];
    gms_time_t worst_ps[BOUND_FLOWS_MAX];
    unsigned i;

    if (!bound_grant(c, grants)) {
        return;
    }
    bound_simulate(c, grants, MESSAGES, &(bound_start_t){0}, seed, worst_ps);
    for (i = 0; i < c->flows; ++i) {
        double ratio = (double)worst_ps[i] / (double)grants[i].bounds.delay_ps;

        CU_ASSERT_TRUE(worst_ps[i] <= grants[i].bounds.delay_ps);
        ratio_sum += ratio;
        ratio_least = ratio < ratio_least ? ratio : ratio_least;
        ++ratio_count;
    }
}

static void finish(const char *what)
{
    CU_ASSERT_TRUE(ratio_count > 0);
    printf(
        "\n    %s: worst delay / bound: mean %.2f, smallest %.2f of %u flows\n",
        what, ratio_sum / ratio_count, ratio_least, ratio_count);
}

/* The flows request random bandwidths from `least` to seven times `least`. */
static void random_networks(enum gms_fabric_model model, const char *profile,
                            double least, int has_flood)
{
    unsigned networks =
        model == GMS_FABRIC_FLIT && has_flood ? FLIT_FLOODED : NETWORKS;
    gms_random_t random;
    unsigned n, i;

    start();
    gms_random_init(&random, 5, 0);
    for (n = 0; n < networks; ++n) {
        bound_case_t c = {.has_flood = has_flood};

        gms_profile_init(gms_profile_find(profile), &c.params);
        c.params.fabric_model = model;
        c.params.hosts = 6;
        if (n % 2 == 1) {
            c.params.topology = GMS_TOPOLOGY_CASCADE;
            c.params.hosts_per_switch = 3;
        }
        c.flows = 1 + (unsigned)gms_random_below(&random, BOUND_FLOWS_MAX);
        for (i = 0; i < c.flows; ++i) {
            c.source[i] = (unsigned)gms_random_below(&random, 6);
            do {
                c.target[i] = (unsigned)gms_random_below(&random, 6);
            } while (c.target[i] == c.source[i]);
            c.bytes_s[i] =
                (1 + (double)gms_random_below(&random, 30) / 5) * least;
            c.message_bytes[i] = 4096;
            if (gms_random_below(&random, 4) == 0) {
                c.message_bytes[i] =
                    1 + (uint32_t)gms_random_below(&random, 20000);
            }
        }
        compare(&c, n);
    }
}

static void test_quiet_networks(void)
{
    random_networks(GMS_FABRIC_WORM, "lanai4.3", 5 * MB, 0);
    finish("no best effort");
}

static void test_flooded_networks(void)
{
    random_networks(GMS_FABRIC_WORM, "lanai4.3", 5 * MB, 1);
    finish("best effort everywhere");
}

static void test_flit_networks(void)
{
    random_networks(GMS_FABRIC_FLIT, "lanai4.3", 5 * MB, 0);
    finish("model flit, no best effort");
}

static void test_flooded_flit_networks(void)
{
    random_networks(GMS_FABRIC_FLIT, "lanai4.3", 5 * MB, 1);
    finish("model flit, best effort everywhere");
}

/* In this test, the NICs are faster than their links. */
static void test_fast_nics(void)
{
    random_networks(GMS_FABRIC_WORM, "myrinet2000", 20 * MB, 0);
    finish("myrinet2000, no best effort");
    random_networks(GMS_FABRIC_WORM, "myrinet2000", 20 * MB, 1);
    finish("myrinet2000, best effort everywhere");
}

/* Two hosts send flows in both directions, close to the limit of a NIC. A short
 * packet can occupy a buffer while a long packet is on the link. */
static void test_fast_pairs(void)
{
    unsigned n, i;

    start();
    for (n = 0; n < 8; ++n) {
        bound_case_t c = {.flows = n % 4 < 2 ? 2 : 4, .has_flood = n >= 4};

        gms_profile_init(gms_profile_find("myrinet2000"), &c.params);
        c.params.hosts = 6;
        for (i = 0; i < c.flows; ++i) {
            c.source[i] = i % 2;
            c.target[i] = 1 - i % 2;
            c.bytes_s[i] = 155 * MB / (c.flows / 2);
            c.message_bytes[i] = n % 2 == 0 ? 4096 : i < 2 ? 40000 : 64;
        }
        compare(&c, n);
    }
    CHECK_U64(ratio_count, 24); /* all flows were granted */
    finish("myrinet2000, both directions at 155 MB/s");
}

static void test_incast(void)
{
    unsigned n;

    start();
    for (n = 0; n < 4; ++n) {
        bound_case_t c = {.flows = 3, .has_flood = n >= 2};
        unsigned i;

        gms_params_init(&c.params);
        c.params.hosts = 6;
        for (i = 0; i < 3; ++i) {
            c.source[i] = 1 + i;
            c.target[i] = 0;
            c.bytes_s[i] = (n % 2 ? 25 : 12) * MB;
            c.message_bytes[i] = 4096;
        }
        compare(&c, n);
    }
    finish("three flows to one target");
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"incast", test_incast},
        {"networks without other traffic", test_quiet_networks},
        {"networks flooded with other traffic", test_flooded_networks},
        {"NICs faster than links", test_fast_nics},
        {"both directions of fast NICs", test_fast_pairs},
        {"fabric model flit", test_flit_networks},
        {"fabric model flit, flooded with other traffic",
         test_flooded_flit_networks},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN(
        {"bounds against simulation", NULL, NULL, NULL, NULL, tests});
}
