/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares the distances from the middle of a network with the results of a
 * second, simpler calculation. */
#include "base/random.h"
#include "fabric/drawing_middle.h"
#include "unit.h"

enum {
    SWITCHES_MOST = 40,
    CABLES_MOST = 80,
    FAR = 1000
};

static gms_random_t middle_random;
static gms_drawing_t drawing;

static void begin(uint32_t switches, size_t cables)
{
    CU_ASSERT_EQUAL_FATAL(
        gms_drawing_init(&drawing, GMS_TOPOLOGY_GRAPH, 0, switches, cables),
        GMS_OK);
    drawing.cable_count = cables;
}

/** Compute the distances between all pairs of switches (Floyd and Warshall). */
static void all_distances(unsigned distance[SWITCHES_MOST][SWITCHES_MOST])
{
    unsigned count = drawing.switch_count, a, b, by;
    size_t i;

    for (a = 0; a < count; ++a) {
        for (b = 0; b < count; ++b) {
            distance[a][b] = a == b ? 0 : FAR;
        }
    }
    for (i = 0; i < drawing.cable_count; ++i) {
        a = drawing.cables[i].a;
        b = drawing.cables[i].b;
        distance[a][b] = distance[b][a] = a == b ? 0 : 1;
    }
    for (by = 0; by < count; ++by) {
        for (a = 0; a < count; ++a) {
            for (b = 0; b < count; ++b) {
                unsigned sum = distance[a][by] + distance[by][b];

                distance[a][b] = sum < distance[a][b] ? sum : distance[a][b];
            }
        }
    }
}

static void check_middle(void)
{
    static unsigned expected[SWITCHES_MOST][SWITCHES_MOST];
    uint32_t found[SWITCHES_MOST];
    unsigned count = drawing.switch_count, middle = 0, least = FAR, a, b;

    all_distances(expected);
    for (a = 0; a < count; ++a) {
        unsigned farthest = 0;

        for (b = 0; b < count; ++b) {
            if (expected[a][b] < FAR && expected[a][b] > farthest) {
                farthest = expected[a][b];
            }
        }
        if (farthest < least) {
            least = farthest;
            middle = a;
        }
    }
    CU_ASSERT_EQUAL_FATAL(gms_drawing_middle(&drawing, found), GMS_OK);
    for (b = 0; b < count; ++b) {
        CHECK_U64(found[b],
                  expected[middle][b] < FAR ? expected[middle][b] : 0);
    }
}

/* Check random networks with trees, rings, parallel cables, loops, and separate
 * parts. */
static void test_random(void)
{
    unsigned seed;
    size_t i;

    for (seed = 1; seed <= 400; ++seed) {
        uint32_t switches;

        gms_random_init(&middle_random, seed, 0);
        switches =
            1 + (uint32_t)gms_random_below(&middle_random, SWITCHES_MOST);
        begin(switches, gms_random_below(&middle_random, 2 * switches + 1));
        for (i = 0; i < drawing.cable_count; ++i) {
            drawing.cables[i] = (gms_drawing_cable_t){
                (uint32_t)gms_random_below(&middle_random, switches),
                (uint32_t)gms_random_below(&middle_random, switches)};
        }
        check_middle();
        gms_drawing_clear(&drawing);
    }
}

/* Every switch of a ring is in the middle of the ring. The function must choose
 * the first switch. */
static void test_ring(void)
{
    uint32_t i;

    begin(SWITCHES_MOST, SWITCHES_MOST);
    for (i = 0; i < SWITCHES_MOST; ++i) {
        drawing.cables[i] = (gms_drawing_cable_t){i, (i + 1) % SWITCHES_MOST};
    }
    check_middle();
    gms_drawing_clear(&drawing);
}

/*
 * Check a chain of 100,001 switches whose cables are listed from the end of the
 * chain. If the search visited all cables for each distance and each root, it
 * would take hours.
 */
static void test_long_chain(void)
{
    const uint32_t half = 50000;
    uint32_t *distance = calloc(2 * half + 1, sizeof(*distance)), i;
    unsigned wrong = 0;

    CU_ASSERT_PTR_NOT_NULL_FATAL(distance);
    begin(2 * half + 1, 2 * half);
    for (i = 0; i < 2 * half; ++i) {
        drawing.cables[i] =
            (gms_drawing_cable_t){2 * half - i, 2 * half - i - 1};
    }
    CU_ASSERT_EQUAL_FATAL(gms_drawing_middle(&drawing, distance), GMS_OK);
    for (i = 0; i <= 2 * half; ++i) {
        wrong += distance[i] != (i > half ? i - half : half - i);
    }
    CHECK_U64(wrong, 0);
    gms_drawing_clear(&drawing);
    free(distance);
}

/* In a large ring, the limit on visits ends the search. The distances must be
 * measured from one of the ring's switches, because all of them are in the
 * middle. */
static void test_limit(void)
{
    const uint32_t count = 100000;
    uint32_t *distance = calloc(count, sizeof(*distance)), i, root = count;
    unsigned wrong = 0;

    CU_ASSERT_PTR_NOT_NULL_FATAL(distance);
    begin(count, count);
    for (i = 0; i < count; ++i) {
        drawing.cables[i] = (gms_drawing_cable_t){(i + 1) % count, i};
    }
    CU_ASSERT_EQUAL_FATAL(gms_drawing_middle(&drawing, distance), GMS_OK);
    for (i = 0; i < count; ++i) {
        root = distance[i] == 0 ? i : root;
    }
    for (i = 0; i < count && root < count; ++i) {
        uint32_t forward = (i + count - root) % count;

        wrong +=
            distance[i] != (forward < count / 2 ? forward : count - forward);
    }
    CU_ASSERT(root < count);
    CHECK_U64(wrong, 0);
    gms_drawing_clear(&drawing);
    free(distance);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"random networks", test_random},
        {"ring", test_ring},
        {"long chain", test_long_chain},
        {"a limit of visits ends the search", test_limit},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"middle of a drawing", NULL, NULL, NULL, NULL, tests});
}
