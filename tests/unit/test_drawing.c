/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares the positions in drawings with values computed by hand, for every
 * kind of network. */
#include "fabric/drawing.h"
#include "topology_rig.h"

static gms_drawing_t drawing;

static void draw(void)
{
    CU_ASSERT_EQUAL_FATAL(gms_drawing_of_topology(&drawing, topology), GMS_OK);
}

static void check_size(int width, int height)
{
    CU_ASSERT_EQUAL(drawing.width, width);
    CU_ASSERT_EQUAL(drawing.height, height);
    gms_drawing_clear(&drawing);
}

static void check_switch(unsigned at, int x, int y, int width)
{
    const gms_drawing_switch_t *box = &drawing.switches[at];

    if (box->x != x || box->y != y || box->width != width) {
        printf("\n    switch %u: %d,%d width %d, expected %d,%d width %d\n", at,
               box->x, box->y, box->width, x, y, width);
    }
    CU_ASSERT(box->x == x && box->y == y && box->width == width);
}

static void check_node(unsigned node, int x, int y, int foot)
{
    const gms_drawing_node_t *box = &drawing.nodes[node];

    if (box->x != x || box->y != y || box->foot != foot) {
        printf("\n    node %u: %d,%d foot %d, expected %d,%d foot %d\n", node,
               box->x, box->y, box->foot, x, y, foot);
    }
    CU_ASSERT(box->x == x && box->y == y && box->foot == foot);
}

/* Boxes lie within the drawing, and no two of them overlap. */
static void check_boxes(void)
{
    unsigned count = drawing.switch_count + drawing.node_count, i, k;
    unsigned bad = 0;
    int(*box)[4] = calloc(count, sizeof(*box));

    CU_ASSERT_PTR_NOT_NULL_FATAL(box);
    for (i = 0; i < count; ++i) {
        int is_switch = i < drawing.switch_count;
        unsigned node = i - drawing.switch_count;
        int x = is_switch ? drawing.switches[i].x : drawing.nodes[node].x;
        int y = is_switch ? drawing.switches[i].y : drawing.nodes[node].y;
        int width = is_switch ? drawing.switches[i].width : drawing.host_width;
        int height =
            is_switch ? GMS_DRAWING_SWITCH_HEIGHT : drawing.host_height;

        box[i][0] = x - width / 2;
        box[i][1] = y - height / 2;
        box[i][2] = x + width / 2;
        box[i][3] = y + height / 2;
        bad += box[i][0] < 0 || box[i][1] < 0 || box[i][2] > drawing.width ||
               box[i][3] > drawing.height;
        for (k = 0; k < i; ++k) {
            bad += box[i][0] < box[k][2] && box[k][0] < box[i][2] &&
                   box[i][1] < box[k][3] && box[k][1] < box[i][3];
        }
    }
    CHECK_U64(bad, 0);
    free(box);
}

static void test_crossbar(void)
{
    build(GMS_TOPOLOGY_CROSSBAR, 4);
    draw();
    /* each host could be 244 points wide, but is 190 points wide */
    check_switch(0, 520, 22, 4 * 190 - 4);
    check_node(0, 520 - 285, 12 + 20 + 56 + 45, 520 - 285);
    check_node(3, 520 + 285, 133, 520 + 285);
    CU_ASSERT(drawing.host_width == 144 && drawing.host_height == 90);
    check_boxes();
    check_size(1040, 12 + 20 + 56 + 90 + 12);

    build(GMS_TOPOLOGY_CROSSBAR, 16);
    draw();
    /* the space for each host is 977 / 16 = 61 points wide */
    check_switch(0, 520, 22, 16 * 61 - 4);
    check_node(0, 520 - 457, 12 + 20 + 52 + 25, 63);
    check_node(15, 520 + 457, 109, 977);
    CU_ASSERT(drawing.host_width == 55 && drawing.host_height == 50);
    check_boxes();
    check_size(1040, 12 + 20 + 52 + 50 + 12);
}

static void test_cascade(void)
{
    params.hosts_per_switch = 14;
    build(GMS_TOPOLOGY_CASCADE, 40);
    draw();
    CU_ASSERT_EQUAL(drawing.pitch, 346); /* 1040 / 3 */
    /* the space for each host is 325 / 14 = 23 points wide */
    check_switch(0, 173, 22, 14 * 23 - 4);
    check_switch(1, 519, 22, 14 * 23 - 4);
    check_switch(2, 865, 22, 12 * 23 - 4);
    check_node(0, 173 - 149, 12 + 20 + 40 + 19, 173 - 149); /* 6.5 * 23 */
    check_node(39, 865 + 126, 91, 865 + 126);               /* 5.5 * 23 */
    check_boxes();
    check_size(3 * 346, 12 + 20 + 40 + 38 + 12);
}

static void test_tree(void)
{
    build(GMS_TOPOLOGY_CLOS, 64);
    draw();
    CU_ASSERT_EQUAL(drawing.pitch, 130); /* 8 leaves */
    /* the 4 switches are at the top; the leaves, with four columns of hosts,
     * are 70 + 1040 / 8 points below */
    check_switch(8, 130, 22, 104);
    check_switch(11, 910, 22, 104);
    check_switch(0, 65, 12 + 20 + 200 + 10, 4 * 32 - 4);
    check_switch(7, 975, 242, 124);
    check_node(0, 65 - 48, 242 + 10 + 6 + 6, 65 - 48 - 14);
    check_node(7, 65 + 48, 264 + 15, 65 + 48 - 14);
    check_node(8, 65 + 130 - 48, 264, 65 + 130 - 48 - 14);
    CU_ASSERT(drawing.is_bent && !drawing.is_beside);
    check_boxes();
    check_size(1040, 232 + 20 + 6 + 12 + 15 + 12);

    build(GMS_TOPOLOGY_CLOS, 256);
    draw();
    CU_ASSERT_EQUAL(drawing.pitch, 36); /* a width of 1040 / 32 points would be
                                         * less than the minimum of 36 points */
    /* there is one column of eight hosts below each of 32 leaves; on the middle
     * level, there is a switch above each leaf */
    check_switch(0, 18, 12 + 2 * (20 + 214) + 10, 30);
    check_switch(31, 36 * 31 + 18, 490, 30);
    check_switch(32, 18, 256, 28);
    check_node(255, 36 * 31 + 18, 490 + 10 + 6 + 6 + 7 * 15, 36 * 31 + 4);
    check_boxes();
    check_size(36 * 32, 480 + 20 + 6 + 12 + 7 * 15 + 12);
}

static void test_mesh(void)
{
    params.rows = params.columns = 4;
    build(GMS_TOPOLOGY_MESH, 16);
    draw();
    CU_ASSERT_EQUAL(drawing.pitch, 260);
    CU_ASSERT_EQUAL(drawing.columns, 4);
    /* a switch with its host is 34 + 70 points wide, in the middle of a cell */
    check_switch(0, 130 - 52 + 15, 22, 30);
    check_switch(5, 390 - 37, 22 + 130, 30);
    check_node(0, 93 + 14 + 32, 22 + 10 + 26 + 25, 93 + 8);
    check_node(5, 353 + 46, 83 + 130, 353 + 8);
    CU_ASSERT(drawing.is_beside && !drawing.is_bent);
    check_boxes();
    check_size(1040, 12 + 3 * 130 + 20 + 26 + 50 + 12);
}

static void test_torus(void)
{
    params.rows = params.columns = 3;
    params.hosts_per_switch = 8;
    build(GMS_TOPOLOGY_TORUS, 72);
    draw();
    CU_ASSERT_EQUAL(drawing.columns, 3);
    /* 306 / 32 columns fit, so eight small hosts are side by side */
    check_switch(4, 519 - 145 + 15, 22 + 130, 30);
    check_node(32, 389 + 14 + 14, 152 + 10 + 9 + 6, 389 + 8);
    check_node(39, 417 + 7 * 32, 177, 389 + 8);
    CU_ASSERT(drawing.is_beside && drawing.is_bent);
    check_boxes();
    check_size(3 * 346, 12 + 2 * 130 + 20 + 9 + 15 + 12);
}

/* Draw a graph: a line of switches 0, 1 and 2, with hosts on switches 0 and 2,
 * or on all switches. */
static void test_graph(void)
{
    unsigned middle;

    for (middle = 0; middle < 2; ++middle) {
        CU_ASSERT_EQUAL_FATAL(
            gms_drawing_init(&drawing, GMS_TOPOLOGY_GRAPH, 2 + middle, 3, 2),
            GMS_OK);
        drawing.cable_count = 2;
        drawing.cables[0] = (gms_drawing_cable_t){0, 1};
        drawing.cables[1] = (gms_drawing_cable_t){2, 1};
        drawing.home[1] = 2;
        drawing.home[2] = middle;
        CU_ASSERT_EQUAL_FATAL(gms_drawing_place(&drawing), GMS_OK);
        check_boxes();
        if (middle == 0) {
            check_switch(1, 520, 22, 120);
            check_switch(0, 260, 12 + 20 + 200 + 10, 190 - 4);
            check_switch(2, 780, 242, 186);
            check_node(1, 780, 242 + 10 + 56 + 45, 780);
            check_size(1040, 232 + 20 + 56 + 90 + 12);
        } else { /* the box is at the lower right, because the hosts are in two
                  * rows */
            check_switch(1, 520 - 37, 22, 30);
            check_switch(0, 260 - 37, 22 + 130, 30);
            check_node(2, 483 + 46, 22 + 10 + 26 + 25, 483 + 8);
            check_size(1040, 12 + 130 + 20 + 26 + 50 + 12);
        }
    }
}

/* In a damaged record, a level can be any number. The rows between two levels
 * are empty. */
static void test_levels(void)
{
    CU_ASSERT_EQUAL_FATAL(
        gms_drawing_init(&drawing, GMS_TOPOLOGY_CLOS, 1, 1, 0), GMS_OK);
    drawing.level[0] = 255;
    CU_ASSERT_EQUAL_FATAL(gms_drawing_place(&drawing), GMS_OK);
    check_boxes();
    check_size(1040, 12 + 20 + 56 + 90 + 12);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"crossbar", test_crossbar},
        {"cascade", test_cascade},
        {"tree", test_tree},
        {"mesh", test_mesh},
        {"torus", test_torus},
        {"graph", test_graph},
        {"drawing of levels without a switch", test_levels},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"drawing", NULL, NULL, setup, teardown, tests});
}
