/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the section `io:` of a cluster description: the I/O hosts, the
 * parameters of their disks, and the messages about invalid values.
 */
#include "unit.h"
#include "cluster_files.h"

static void test_default_has_no_io_hosts(void)
{
    gms_cluster_t cluster;

    accept_all("profile: lanai4.3\n", &cluster);
    CHECK_U64(cluster.io.count, 0);
    CHECK_U64(gms_io_hosts_digest(&cluster.io), 0);
    gms_cluster_clear(&cluster);
}

static void test_hosts(void)
{
    gms_cluster_t cluster;
    uint64_t digest;

    accept_all("hosts: 10\nio:\n  hosts: [node10, node9]\n  disks: 3\n"
               "  read_bytes_s: 25e6\n  write_bytes_s: 15e6\n"
               "  latency_us: 700\n  stripe_bytes: 32768\n",
               &cluster);
    CHECK_U64(cluster.io.count, 2);
    CHECK_U64(cluster.io.hosts[0], 9);
    CHECK_U64(cluster.io.hosts[1], 8);
    CHECK_U64(cluster.params.io_disks, 3);
    CHECK_U64(cluster.params.io_read_bytes_s, 25000000);
    CHECK_U64(cluster.params.io_write_bytes_s, 15000000);
    CHECK_U64(cluster.params.io_latency_us, 700);
    CHECK_U64(cluster.params.io_stripe_bytes, 32768);
    digest = gms_io_hosts_digest(&cluster.io);
    gms_cluster_clear(&cluster);
    accept_all("hosts: 10\nio:\n  hosts: [node9, node10]\n", &cluster);
    CU_ASSERT_NOT_EQUAL(gms_io_hosts_digest(&cluster.io), digest);
    gms_cluster_clear(&cluster);
    accept_all("hosts: 10\nio: {hosts: node4}\nparameters: {io_disks: 2}\n",
               &cluster);
    CHECK_U64(cluster.io.count, 1);
    CHECK_U64(cluster.io.hosts[0], 3);
    CHECK_U64(cluster.params.io_disks, 2);
    gms_cluster_clear(&cluster);
}

static void test_invalid_hosts(void)
{
    refuse("hosts: 4\nio:\n  hosts: [node4, node5]\n",
           "3: key 'hosts': value 'node5' is not a host; allowed: "
           "node1..node4");
    refuse("hosts: 4\nio:\n  hosts: [2]\n",
           "3: key 'hosts': value '2' is not a host; allowed: node1..node4");
    refuse("hosts: 4\nio:\n  hosts: [node2, node1, node2]\n",
           "3: key 'hosts': value 'node2' is given twice; allowed: each host "
           "once");
    refuse("hosts: 4\nio:\n  hosts: []\n",
           "2: key 'io': no I/O host; required: a line like 'hosts: [node9]'");
    refuse("hosts: 4\nio:\n  disks: 2\n",
           "2: key 'io': no I/O host; required: a line like 'hosts: [node9]'");
    refuse_because("hosts: 4\nio:\n  hosts: {node4: 1}\n", "3: key 'hosts'");
    refuse("hosts: 4\nio: node4\n",
           "2: key 'io': value 'node4' is not a mapping; allowed: lines like "
           "'hosts: [node9]'");
    refuse("io: {hosts: node1}\nio: {hosts: node2}\n",
           "2: key 'io' is given twice, first on line 1");
}

static void test_invalid_values(void)
{
    refuse(
        "io: {hosts: node1, disk: 2}\n",
        "1: unknown key 'disk' (did you mean 'disks'?); allowed below 'io:': "
        "hosts, disks, read_bytes_s, write_bytes_s, latency_us, "
        "stripe_bytes");
    refuse_because("io:\n  hosts: node1\n  disks: 0\n",
                   "3: key 'io_disks': value '0' is out of range; allowed: "
                   "1..64");
    refuse_because("io:\n  hosts: node1\n  stripe_bytes: 100\n",
                   "3: key 'io_stripe_bytes': value '100' is out of range; "
                   "allowed: 512..16777216");
    refuse_because("io:\n  hosts: node1\n  read_bytes_s: 20 MB/s\n",
                   "3: key 'io_read_bytes_s': value '20 MB/s' is not a ");
    refuse("io:\n  hosts: node1\n  disks: 2\nparameters:\n  io_disks: 3\n",
           "5: key 'io_disks' is given twice, first on line 3");
}

/* A parameter that has no effect is refused, unless it has its default
 * value. */
static void test_no_io_hosts(void)
{
    gms_cluster_t cluster;

    refuse("parameters:\n  io_disks: 2\n",
           "2: key 'io_disks' has no effect without I/O hosts; required: 'io: "
           "{hosts: [node9]}'");
    accept_all("parameters:\n  io_disks: 1\n", &cluster);
    gms_cluster_clear(&cluster);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"no I/O hosts by default", test_default_has_no_io_hosts},
        {"hosts", test_hosts},
        {"invalid hosts", test_invalid_hosts},
        {"invalid values", test_invalid_values},
        {"parameters without I/O hosts", test_no_io_hosts},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"io", suite_init, suite_cleanup, NULL, NULL, tests});
}
