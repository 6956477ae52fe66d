/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the placement of ranks: by rule, by a list in a cluster description,
 * and by the launcher's options.
 */
#include "cluster/placement.h"

#include "cluster_files.h"

/* Returns the hosts of ranks 0, 1, and so on as a string: "1 1 2" means node1,
 * node1, node2. */
static const char *places(const gms_params_t *params,
                          const gms_placement_t *placement, uint32_t ranks)
{
    static char text[256];
    size_t used = 0;
    uint32_t rank;

    text[0] = '\0';
    for (rank = 0; rank < ranks; ++rank) {
        used += (size_t)snprintf(
            text + used, sizeof(text) - used, "%s%u", rank == 0 ? "" : " ",
            gms_placement_host(params, placement, rank) + 1);
    }
    return text;
}

static void check_file(const char *yaml, const char *expected, uint32_t room)
{
    gms_cluster_t cluster;

    accept_all(yaml, &cluster);
    CHECK_U64(gms_placement_room(&cluster.params, &cluster.placement), room);
    CU_ASSERT_STRING_EQUAL(places(&cluster.params, &cluster.placement, room),
                           expected);
    gms_cluster_clear(&cluster);
    CU_ASSERT_PTR_NULL(cluster.placement.hosts);
}

static void test_rules(void)
{
    check_file("hosts: 3\n", "1 2 3", 3);
    check_file("hosts: 3\nranks_per_host: 2\n", "1 1 2 2 3 3", 6);
    check_file("hosts: 3\nranks_per_host: 2\nplacement: block\n", "1 1 2 2 3 3",
               6);
    check_file("hosts: 3\nplacement: cyclic\nranks_per_host: 2\n",
               "1 2 3 1 2 3", 6);
    check_file("hosts: 3\nparameters: {placement: cyclic, ranks_per_host: 2}\n",
               "1 2 3 1 2 3", 6);
}

static void test_listed(void)
{
    check_file("placement:\n  node1: [0, 3]\n  node2: 1..2\nhosts: 4\n",
               "1 2 2 1", 4);
    check_file("hosts: 4\nplacement: {node4: 0}\n", "4", 1);
    check_file("hosts: 4\nplacement: {node4: [0..1, 4], node2: [2, 3]}\n",
               "4 4 2 2 4", 5);
    check_file("hosts: 2\nplacement: {node1: [], node2: 0}\n", "2", 1);
    /* the number of ranks equals the number of the NIC's ports */
    check_file("hosts: 1\nplacement: {node1: 0..4}\n", "1 1 1 1 1", 5);
    check_file(
        "hosts: 1\nplacement: {node1: 0..5}\nparameters: {gm_ports: 9}\n",
        "1 1 1 1 1 1", 6);
}

static void test_file_mistakes(void)
{
    refuse("hosts: 4\nplacement: {node5: 0}\n",
           "2: key 'placement': 'node5' is not a host; allowed: node1..node4");
    refuse("hosts: 4\nplacement: {node0: 0}\n",
           "2: key 'placement': 'node0' is not a host; allowed: node1..node4");
    refuse("hosts: 4\nplacement: {host1: 0}\n",
           "2: key 'placement': 'host1' is not a host; allowed: node1..node4");
    refuse("hosts: 4\nplacement: {node01: 0}\n",
           "2: key 'placement': 'node01' is not a host; allowed: node1..node4");
    refuse("hosts: 4\nplacement:\n  node1: [0, x]\n",
           "3: key 'node1': value 'x' is not a rank; allowed: a rank such as "
           "3, a range such as 1..4, or a list such as [0, 2..3]");
    refuse("hosts: 4\nplacement:\n  node1: 2..1\n",
           "3: key 'node1': value '2..1' is not a rank; allowed: a rank such "
           "as 3, a range such as 1..4, or a list such as [0, 2..3]");
    refuse("hosts: 4\nplacement:\n  node1: 1..\n",
           "3: key 'node1': value '1..' is not a rank; allowed: a rank such as "
           "3, a range such as 1..4, or a list such as [0, 2..3]");
    refuse("hosts: 4\nplacement:\n  node1: -1\n",
           "3: key 'node1': value '-1' is not a rank; allowed: a rank such as "
           "3, a range such as 1..4, or a list such as [0, 2..3]");
    refuse("hosts: 4\nplacement:\n  node1: 9999999\n",
           "3: key 'node1': value '9999999' is not a rank; allowed: a rank "
           "such as 3, a range such as 1..4, or a list such as [0, 2..3]");
    refuse("hosts: 4\nplacement:\n  node1: {0: 1}\n",
           "3: key 'node1': value is a mapping, not a rank; allowed: a rank "
           "such as 3, a range such as 1..4, or a list such as [0, 2..3]");
    refuse("hosts: 4\nplacement:\n  node1: 0\n  node1: 1\n",
           "4: key 'node1' is given twice, first on line 3");
    refuse("hosts: 4\nplacement:\n  node1: [0, 1]\n  node2: 0..2\n",
           "4: key 'node2': value '0..2': rank 0 is already placed on "
           "node1");
    refuse("hosts: 4\nplacement:\n  node1: 0\n  node2: 3\n",
           "2: key 'placement': rank 1 has no host, but rank 3 has one; "
           "required: hosts for consecutive ranks, starting with rank 0");
    refuse(
        "hosts: 4\nplacement: {}\n",
        "2: key 'placement': no rank has a host; required: lines like 'node1: "
        "[0, 3]'");
    refuse("hosts: 4\nplacement:\n  node2: 0..5\n",
           "3: key 'node2': value '0..5': the host has more ranks than its NIC "
           "has user ports; allowed: 5 (gm_ports 8 minus 3 reserved ports)");
    refuse("placement: [0, 1]\n",
           "1: key 'placement': value is a list; allowed: block, cyclic, or "
           "lines like 'node1: [0, 3]'");
    refuse("placement: blok\n",
           "1: key 'placement': value 'blok' is unknown (did you mean "
           "'block'?); allowed: block, cyclic");
    refuse("ranks_per_host: 2\nplacement: {node1: 0}\n",
           "1: key 'ranks_per_host' is not allowed because 'placement' (line "
           "2) lists the ranks");
    refuse("placement: {node1: 0}\nplacement: cyclic\n",
           "2: key 'placement' is given twice, first on line 1");
    refuse("parameters:\n  placement: cyclic\nplacement: {node1: 0}\n",
           "3: key 'placement' is given twice, also on line 2");
    /* A fault may kill only a rank that has been placed on a host. */
    refuse("placement: {node1: 0..2}\nfaults:\n  events:\n"
           "    - {at_us: 1, kill_rank: 3}\n",
           "4: key 'kill_rank': value '3' is out of range; allowed: 0..2");
}

static void check_ask(const char *hosts, uint32_t per_host, uint32_t size,
                      const char *expected)
{
    gms_placement_t placement;
    gms_params_t params;
    char why[GMS_PLACEMENT_WHY_LEN] = "";

    gms_params_init(&params);
    params.hosts = 4;
    params.ranks_per_host = 3;
    params.placement = GMS_PLACEMENT_CYCLIC;
    CU_ASSERT_EQUAL_FATAL(
        gms_placement_ask(&params, hosts, per_host, size, &placement, why),
        GMS_OK);
    CHECK_U64(gms_placement_room(&params, &placement), size);
    CU_ASSERT_STRING_EQUAL(places(&params, &placement, size), expected);
    gms_placement_clear(&placement);
}

/* As in MPICH, ranks are assigned to the hosts in turn, one rank per host;
 * after the last host, the first host follows again. */
static void test_asked(void)
{
    check_ask("node3,node1", 0, 2, "3 1");
    check_ask("node3,node1", 0, 5, "3 1 3 1 3");
    check_ask("node3:2,node1", 0, 6, "3 3 1 3 3 1");
    check_ask("node3:2,node1", 1, 4, "3 1 3 1");
    check_ask("node2,node2", 2, 4, "2 2 2 2");
    check_ask(NULL, 2, 8, "1 1 2 2 3 3 4 4");
    check_ask(NULL, 2, 10, "1 1 2 2 3 3 4 4 1 1");
    check_ask(NULL, 1, 6, "1 2 3 4 1 2");
    check_ask("node4:9", 0, 5, "4 4 4 4 4");
}

static void check_refused(const char *hosts, uint32_t per_host, uint32_t size,
                          const char *expected)
{
    gms_placement_t placement = {.count = 77};
    gms_params_t params;
    char why[GMS_PLACEMENT_WHY_LEN] = "";

    gms_params_init(&params);
    params.hosts = 4;
    CU_ASSERT_EQUAL(
        gms_placement_ask(&params, hosts, per_host, size, &placement, why),
        GMS_ERR_CONFIG);
    CU_ASSERT_STRING_EQUAL(why, expected);
    CHECK_U64(placement.count, 77);
}

static void test_asked_wrongly(void)
{
    static const char number[] =
        "' has no valid number of ranks; allowed: HOST or HOST:RANKS, where "
        "RANKS is at least 1";
    char expected[256];

    check_refused(
        "node5", 0, 1,
        "'node5' is not a host of the cluster; allowed: node1..node4");
    check_refused("localhost:4", 0, 1,
                  "'localhost' is not a host of the cluster; allowed: "
                  "node1..node4");
    check_refused("", 0, 1,
                  "'' is not a host of the cluster; allowed: node1..node4");
    check_refused("node1,", 0, 1,
                  "'' is not a host of the cluster; allowed: node1..node4");
    snprintf(expected, sizeof(expected), "'node1:0%s", number);
    check_refused("node2,node1:0", 0, 1, expected);
    snprintf(expected, sizeof(expected), "'node1:%s", number);
    check_refused("node1:", 3, 1, expected);
    snprintf(expected, sizeof(expected), "'node1:2x%s", number);
    check_refused("node1:2x,node2", 0, 1, expected);
    check_refused("node2", 0, 8,
                  "of the job's 8 ranks, 8 would run on node2, whose NIC has 5 "
                  "ports for programs; name more hosts, or set gm_ports in the "
                  "cluster description");
    check_refused("node1,node3:2", 0, 16,
                  "of the job's 16 ranks, 6 would run on node1, whose NIC has "
                  "5 ports for programs; name more hosts, or set gm_ports in "
                  "the cluster description");
    check_refused(NULL, 6, 6,
                  "of the job's 6 ranks, 6 would run on node1, whose NIC has 5 "
                  "ports for programs; name more hosts, or set gm_ports in the "
                  "cluster description");
}

/* The parameters change after the list has been read. */
static void test_checked(void)
{
    uint32_t hosts[] = {2, 2, 0};
    gms_placement_t placement = {3, hosts};
    char error[GMS_YAML_ERROR_LEN] = "";
    gms_cluster_t cluster;

    accept_all("hosts: 3\n", &cluster);
    cluster.placement = placement;
    CU_ASSERT_EQUAL(gms_cluster_check(&cluster, error), GMS_OK);
    cluster.params.hosts = 2;
    CU_ASSERT_EQUAL(gms_cluster_check(&cluster, error), GMS_ERR_CONFIG);
    CU_ASSERT_STRING_EQUAL(error,
                           "key 'placement': rank 0 cannot run on "
                           "node3; the cluster has 2 hosts with 5 ports for "
                           "programs each");
}

static void test_digest(void)
{
    gms_params_t params;
    uint32_t same[] = {0, 1, 2}, other[] = {0, 2, 1}, first[] = {1, 1, 2};
    gms_placement_t none = {.count = 0}, a = {3, same}, b = {3, other};
    gms_placement_t c = {3, first};

    gms_params_init(&params);
    CHECK_U64(gms_placement_digest(&params, &a, 3),
              gms_placement_digest(&params, &none, 3));
    CU_ASSERT_NOT_EQUAL(gms_placement_digest(&params, &a, 3),
                        gms_placement_digest(&params, &b, 3));
    CU_ASSERT_NOT_EQUAL(gms_placement_digest(&params, &a, 3),
                        gms_placement_digest(&params, &c, 3));
    CHECK_U64(gms_placement_digest(&params, &a, 1),
              gms_placement_digest(&params, &b, 1));
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"the placements block and cyclic", test_rules},
        {"ranks that are listed host by host", test_listed},
        {"errors in a file", test_file_mistakes},
        {"options of the launcher", test_asked},
        {"invalid options of the launcher", test_asked_wrongly},
        {"a list of ranks that no longer fits the parameters", test_checked},
        {"different placements have different digests", test_digest},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN(
        {"placement", suite_init, suite_cleanup, NULL, NULL, tests});
}
