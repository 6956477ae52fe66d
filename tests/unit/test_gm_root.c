/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests the hosts and ports of ranks, and clusters that have no room for a
 * job. */
#include "job/root.h"

#include <string.h>

#include "unit.h"

static const gms_placement_t by_rule = {.count = 0};

static gms_params_t make_params(unsigned hosts, unsigned ranks, unsigned ports)
{
    gms_params_t params;

    gms_params_init(&params);
    params.hosts = hosts;
    params.ranks_per_host = ranks;
    params.gm_ports = ports;
    return params;
}

static void check_error(const gms_params_t *params, unsigned size,
                        const char *expected)
{
    char error[GMS_ERROR_LEN] = "";

    CU_ASSERT_EQUAL(gms_root_check(params, &by_rule, size, error),
                    GMS_ERR_CONFIG);
    if (strstr(error, expected) == NULL) {
        printf("\n    '%s' is not in '%s'\n", expected, error);
    }
    CU_ASSERT_PTR_NOT_NULL(strstr(error, expected));
}

static void test_ports(void)
{
    gms_params_t few = make_params(4, 1, 8);
    gms_params_t many = make_params(4, 1, 16);
    gms_params_t most = make_params(4, 1, 256);
    gms_root_slot_t slots[253];
    unsigned rank;

    CHECK_U64(gms_root_user_ports(&few), 5);
    CHECK_U64(gms_root_user_ports(&many), 13);
    CHECK_U64(gms_root_user_ports(&most), 253);
    CU_ASSERT_FALSE(gms_root_is_user_port(0));
    CU_ASSERT_FALSE(gms_root_is_user_port(1));
    CU_ASSERT_TRUE(gms_root_is_user_port(2));
    CU_ASSERT_FALSE(gms_root_is_user_port(3));
    CU_ASSERT_TRUE(gms_root_is_user_port(4));
    CU_ASSERT_TRUE(gms_root_is_user_port(255));
    CU_ASSERT_FALSE(gms_root_is_user_port(256));
    most.ranks_per_host = 253;
    CU_ASSERT_EQUAL(gms_root_place(&most, &by_rule, 253, slots), GMS_OK);
    for (rank = 0; rank < 253; ++rank) {
        CHECK_U64(slots[rank].host, 0);
        CHECK_U64(slots[rank].port, rank == 0 ? 2 : rank + 3);
    }
}

static void test_places(void)
{
    static const unsigned ports[] = {2, 4, 5, 6, 7};
    gms_params_t params = make_params(4, 5, 8);
    gms_root_slot_t slots[20];
    unsigned rank;

    CU_ASSERT_EQUAL(gms_root_place(&params, &by_rule, 20, slots), GMS_OK);
    for (rank = 0; rank < 20; ++rank) {
        CHECK_U64(slots[rank].host, rank / 5);
        CHECK_U64(slots[rank].port, ports[rank % 5]);
    }
    params.placement = GMS_PLACEMENT_CYCLIC;
    CU_ASSERT_EQUAL(gms_root_place(&params, &by_rule, 20, slots), GMS_OK);
    for (rank = 0; rank < 20; ++rank) {
        CHECK_U64(slots[rank].host, rank % 4);
        CHECK_U64(slots[rank].port, ports[rank / 4]);
    }
}

/* The ranks on one NIC receive the NIC's ports in the order of the ranks. */
static void test_listed(void)
{
    uint32_t hosts[] = {2, 0, 2, 3, 2};
    gms_placement_t placement = {.count = 5, .hosts = hosts};
    gms_params_t params = make_params(4, 1, 8);
    static const unsigned ports[] = {2, 2, 4, 2, 5};
    gms_root_slot_t slots[5];
    char error[GMS_ERROR_LEN] = "";
    unsigned rank;

    CU_ASSERT_EQUAL(gms_root_place(&params, &placement, 5, slots), GMS_OK);
    for (rank = 0; rank < 5; ++rank) {
        CHECK_U64(slots[rank].host, hosts[rank]);
        CHECK_U64(slots[rank].port, ports[rank]);
    }
    CU_ASSERT_EQUAL(gms_root_check(&params, &placement, 4, error), GMS_OK);
    CU_ASSERT_EQUAL(gms_root_check(&params, &placement, 5, error), GMS_OK);
    CU_ASSERT_EQUAL(gms_root_check(&params, &placement, 6, error),
                    GMS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "has 6 ranks, but the placement"));
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "has hosts for only 5 ranks"));
}

static void test_room(void)
{
    char error[GMS_ERROR_LEN];
    gms_params_t one = make_params(4, 1, 8);
    gms_params_t five = make_params(4, 5, 8);
    gms_params_t six = make_params(4, 6, 8);
    gms_params_t full = make_params(16, 2, 8);
    gms_params_t high = make_params(4, 253, 255);

    CU_ASSERT_EQUAL(gms_root_check(&one, &by_rule, 4, error), GMS_OK);
    check_error(&one, 5, "has 5 ranks, but the cluster has room for 4");
    check_error(&one, 5, "ranks_per_host to at least 2 or hosts to at least 5");
    CU_ASSERT_EQUAL(gms_root_check(&five, &by_rule, 20, error), GMS_OK);
    check_error(&six, 1,
                "ranks_per_host to at most 5 or gm_ports to at least 9");
    check_error(&full, 33, "ranks_per_host to at least 3 in");
    check_error(&high, 1,
                "ranks_per_host to at most 252 or gm_ports to at least 256");
}

/* Four hosts with two units each: nodes 0 to 3 are unit 0 of the hosts, and
 * nodes 4 to 7 are unit 1. */
static void test_units(void)
{
    gms_params_t params = make_params(4, 1, 8);
    unsigned host, unit;

    params.units_per_host = 2;
    for (unit = 0; unit < 2; ++unit) {
        for (host = 0; host < 4; ++host) {
            unsigned node = 4 * unit + host;

            CHECK_U64(gms_root_node(&params, host, unit), node);
            CHECK_U64(gms_root_host_of(&params, node), host);
            CHECK_U64(gms_root_unit_of(&params, node), unit);
        }
    }
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"ports for programs", test_ports},
        {"hosts and ports of ranks", test_places},
        {"hosts and ports of listed ranks", test_listed},
        {"room for a job", test_room},
        {"node ids of the units of a host", test_units},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"gm root", NULL, NULL, NULL, NULL, tests});
}
