/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the reader of cluster descriptions: the values that it reads, and its
 * message for each kind of error.
 */
#include "cluster/cluster.h"

#include <string.h>

#include "cluster_files.h"
#include "engine/gate.h"
#include "fabric/lane_arbiter.h"

/* The values that messages list for the key `scheduler`. */
#define SCHEDULERS "message-rr, packet-rr, rate, byte-rr"

static void test_no_file_is_the_default(void)
{
    char error[GMS_YAML_ERROR_LEN];
    gms_cluster_t cluster;
    gms_params_t defaults;

    gms_params_init(&defaults);
    CHECK_U64(gms_cluster_load(NULL, &cluster, error), GMS_OK);
    CU_ASSERT_TRUE(memcmp(&cluster.params, &defaults, sizeof(defaults)) == 0);
    CHECK_U64(cluster.faults.count, 0);
    CHECK_U64(cluster.graph.switch_count, 0);
}

static void test_everything_is_read(void)
{
    gms_params_t params, expected;

    gms_params_init(&expected);
    expected.hosts = 4;
    expected.ranks_per_host = 2;
    expected.switch_ports = 8;
    expected.scheduler = GMS_SCHEDULER_PACKET_RR;
    expected.binding = GMS_BINDING_NONE;
    expected.time = GMS_TIME_WALL;
    expected.time_factor_ppm = 2500000;
    expected.seed = UINT64_MAX;
    expected.host_dma_bytes_s = 60000000;
    expected.nic_equal_segments = 1;
    accept("# a comment\n"
           "profile: lanai4.3\n"
           "hosts: 4\n"
           "ranks_per_host: 2\n"
           "switch_ports: 8\n"
           "scheduler: packet-rr\n"
           "binding: none\n"
           "time: wall:2.5\n"
           "seed: 18446744073709551615\n"
           "parameters:\n"
           "  host_dma_bytes_s: 60e6\n"
           "  nic_equal_segments: 1\n",
           &params);
    CU_ASSERT_TRUE(memcmp(&params, &expected, sizeof(params)) == 0);
}

static void test_a_profile_comes_before_all_other_keys(void)
{
    gms_cluster_t cluster;

    accept_all("parameters:\n  lanai_cycle_ps: 5000\n"
               "profile: myrinet2000\n",
               &cluster);
    CU_ASSERT_STRING_EQUAL(cluster.profile->name, "myrinet2000");
    CHECK_U64(cluster.params.lanai_cycle_ps, 5000);
    CHECK_U64(cluster.params.link_bytes_s, 250000000);
    accept_all("hosts: 2\n", &cluster);
    CU_ASSERT_STRING_EQUAL(cluster.profile->name, "lanai4.3");
}

static void test_short_keys_work_below_parameters(void)
{
    gms_params_t params;

    accept("parameters: {hosts: 3, scheduler: \"message-rr\"}\n", &params);
    CHECK_U64(params.hosts, 3);
    CHECK_U64(params.scheduler, GMS_SCHEDULER_MESSAGE_RR);
}

static void test_numbers(void)
{
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {
        {"0", 0},
        {"007", 7},
        {"+5", 5},
        {"1e6", 1000000},
        {"1.5E3", 1500},
        {"160e+6", 160000000},
        {"12.000", 12},
        {"0.5e1", 5},
        {"-0", 0},
        {"0e99999999999", 0},
        {"1.00000000000000000000000000", 1},
        {"18446744073709551615", UINT64_MAX},
        {"1.8446744073709551615e19", UINT64_MAX},
    };
    static const char *const fractions[] = {
        "1.5",   "1.55e1", "many",    "0x10", "1e",   "e5",  "1e-3",  ".",
        "1.2.3", "1_000",  "5 hosts", "~",    "true", "'5'", "\"5\"", "inf",
    };
    char text[128], expected[256];
    gms_params_t params;
    size_t i;

    for (i = 0; i < sizeof(good) / sizeof(good[0]); ++i) {
        (void)snprintf(text, sizeof(text), "seed: %s\n", good[i].text);
        accept(text, &params);
        CHECK_U64(params.seed, good[i].value);
    }
    for (i = 0; i < sizeof(fractions) / sizeof(fractions[0]); ++i) {
        const char *value = fractions[i];
        size_t quotes = value[0] == '\'' || value[0] == '"';

        (void)snprintf(text, sizeof(text), "hosts: %s\n", value);
        (void)snprintf(
            expected, sizeof(expected),
            "1: key 'hosts': value '%.*s' is %s; allowed: 1..16384 hosts%s",
            (int)(strlen(value) - 2 * quotes), value + quotes,
            quotes ? "a quoted string, not a whole number"
                   : "not a whole number",
            strchr(value, ' ') != NULL ? ", without the unit" : "");
        refuse(text, expected);
    }
}

static void test_out_of_range(void)
{
    refuse("hosts: 0\n", "1: key 'hosts': value '0' is out of range; allowed: "
                         "1..16384 hosts");
    refuse("\nhosts: 16385\n", "2: key 'hosts': value '16385' is out of range; "
                               "allowed: 1..16384 hosts");
    refuse("hosts: -4\n", "1: key 'hosts': value '-4' is out of range; "
                          "allowed: 1..16384 hosts");
    refuse("seed: 18446744073709551616\n",
           "1: key 'seed': value '18446744073709551616' is out of range; "
           "allowed: 0..18446744073709551615");
    refuse("parameters:\n  nic_check_crc: 2\n",
           "2: key 'nic_check_crc': value '2' is out of range; allowed: 0..1");
    refuse("parameters:\n  link_bytes_s: 1e300\n",
           "2: key 'link_bytes_s': value '1e300' is out of range; allowed: "
           "1000000..100000000000 bytes/s");
}

static void test_unknown_choice(void)
{
    refuse("scheduler: fifo\n",
           "1: key 'scheduler': value 'fifo' is unknown; allowed: " SCHEDULERS);
    refuse("scheduler: packet_rr\n",
           "1: key 'scheduler': value 'packet_rr' is unknown (did you mean "
           "'packet-rr'?); allowed: " SCHEDULERS);
    refuse("scheduler: 2\n", "1: key 'scheduler': value '2' is unknown; "
                             "allowed: " SCHEDULERS);
    refuse("scheduler:\n", "1: key 'scheduler': value '' is unknown; "
                           "allowed: " SCHEDULERS);
    refuse("profile: lanai9\n", "1: key 'profile': value 'lanai9' is unknown "
                                "(did you mean 'lanai4.3'?); allowed: "
                                "lanai4.3, myrinet2000, edr, hdr, ndr, "
                                "roce-100, roce-25, slingshot-100, aries");
}

static void test_unknown_key(void)
{
    refuse("hosst: 4\n",
           "1: unknown key 'hosst' (did you mean 'hosts'?); allowed: profile, "
           "parameters, switches, cables, tables, lanes, placement, "
           "host_topology, fabric, io, faults, hosts, ranks_per_host, "
           "topology, routing, rows, columns, hosts_per_switch, tree_up, "
           "switch_ports, scheduler, binding, time, intra_host, seed");
    refuse("hosts: 4\nfrobnicate: 4\n",
           "2: unknown key 'frobnicate'; allowed: profile, parameters, "
           "switches, cables, tables, lanes, placement, host_topology, "
           "fabric, io, faults, hosts, ranks_per_host, topology, "
           "routing, rows, columns, hosts_per_switch, tree_up, switch_ports, "
           "scheduler, binding, time, intra_host, seed");
    refuse("parameters:\n  host_dma_byte_s: 4\n",
           "2: unknown key 'host_dma_byte_s' (did you mean "
           "'host_dma_bytes_s'?); allowed: the names that `gmsim params` "
           "lists");
    refuse("host_dma_bytes_s: 4\n",
           "1: key 'host_dma_bytes_s' belongs below 'parameters:'");
    refuse("parameters:\n  profile: lanai4.3\n",
           "2: unknown key 'profile'; allowed: the names that `gmsim params` "
           "lists");
}

#define TIMES                                                                  \
    "allowed: virtual, measured[:FACTOR], wall[:FACTOR], where FACTOR is "     \
    "0.000001 to 1000000 with at most 6 decimals"

static void test_time(void)
{
    gms_params_t params;

    accept("time: measured\n", &params);
    CHECK_U64(params.time, GMS_TIME_MEASURED);
    CHECK_U64(params.time_factor_ppm, 1000000);
    accept("parameters:\n  time_factor_ppm: 5\n  time: wall\n", &params);
    CHECK_U64(params.time, GMS_TIME_WALL);
    CHECK_U64(params.time_factor_ppm, 5);
    refuse("hosts: 2\ntime: mesured\n",
           "2: key 'time': value 'mesured' is unknown (did you mean "
           "'measured'?); " TIMES);
    refuse("time: virtual:2\n",
           "1: key 'time': value 'virtual:2' is unknown; " TIMES);
    refuse("time: wall:0\n",
           "1: key 'time': value 'wall:0' is unknown; " TIMES);
    refuse("time: [wall, 2]\n", "1: key 'time': value is a list; " TIMES);
    refuse("time:\n  wall: 2\n", "2: key 'time': value is a mapping; " TIMES);
    refuse("time: wall\ntime: wall\n",
           "2: key 'time' is given twice, first on line 1");
    refuse("time: wall:2\nparameters:\n  time_factor_ppm: 3\n",
           "3: key 'time_factor_ppm' is given twice, first on line 1");
}

static void test_duplicate_key(void)
{
    refuse("hosts: 4\nseed: 1\nhosts: 4\n",
           "3: key 'hosts' is given twice, first on line 1");
    refuse("hosts: 4\nparameters:\n  hosts: 4\n",
           "3: key 'hosts' is given twice, first on line 1");
    refuse("profile: lanai4.3\nprofile: lanai4.3\n",
           "2: key 'profile' is given twice, first on line 1");
    refuse("parameters: {}\nparameters: {}\n",
           "2: key 'parameters' is given twice, first on line 1");
}

/* Every mistake is reported on one line, in the order of the file, and does not
 * cause further messages. */
static void test_several_mistakes(void)
{
    char error[GMS_YAML_ERROR_LEN], text[1024] = "", *line;
    gms_cluster_t cluster;
    unsigned i, lines = 1;

    (void)snprintf(
        text, sizeof(text),
        "1: key 'profile': value 'lanai' is unknown; allowed: "
        "lanai4.3, myrinet2000, edr, hdr, ndr, roce-100, roce-25, "
        "slingshot-100, aries\n"
        "%s:2: key 'hosts': value 'many' is not a whole number; "
        "allowed: 1..16384 hosts\n"
        "%s:4: key 'rows': value '-1' is out of range; allowed: "
        "0..64 switches\n"
        "%s:5: key 'scheduler': value 'fast' is unknown; allowed: " SCHEDULERS,
        path, path, path);
    refuse("profile: lanai\nhosts: many\nparameters:\n  rows: -1\n"
           "scheduler: fast\n",
           text);
    text[0] = '\0';
    /* the description contains more mistakes than the messages can list */
    for (i = 0; i < 25; ++i) {
        (void)snprintf(text + strlen(text), sizeof(text) - strlen(text),
                       "what%u: 1\n", i);
    }
    CHECK_U64(load(text, &cluster, error), GMS_ERR_CONFIG);
    for (line = strchr(error, '\n'); line != NULL;
         line = strchr(line + 1, '\n')) {
        ++lines;
    }
    CU_ASSERT_TRUE(lines > 3 && lines <= 11);
    (void)snprintf(text, sizeof(text), ": %u more errors", 25 - (lines - 1));
    CU_ASSERT_STRING_EQUAL(error + strlen(error) - strlen(text), text);
}

static void test_wrong_type(void)
{
    refuse("hosts: [4]\n", "1: key 'hosts': value is a list, not a whole "
                           "number; allowed: 1..16384 hosts");
    refuse("hosts:\n  a: 4\n", "2: key 'hosts': value is a mapping, not a "
                               "whole number; allowed: 1..16384 hosts");
    refuse("scheduler: [rate]\n",
           "1: key 'scheduler': value is a list; allowed: " SCHEDULERS);
    refuse("hosts: !mine 4\n", "1: key 'hosts': value '4' is not a whole "
                               "number; allowed: 1..16384 hosts");
    refuse("parameters: 4\n",
           "1: key 'parameters': value '4' is not a mapping; allowed: one "
           "line 'NAME: NUMBER' per parameter");
    refuse("parameters:\n- hosts\n",
           "2: key 'parameters': value is a list, which is not a mapping; "
           "allowed: one line 'NAME: NUMBER' per parameter");
    refuse("[hosts]: 4\n", "1: a key must be a plain word");
}

static void test_not_a_mapping(void)
{
    refuse("", "1: the file is empty; required: at least 'profile: lanai4.3'");
    refuse("# only a comment\n",
           "1: the file is empty; required: at least 'profile: lanai4.3'");
    refuse("- hosts\n", "1: not a mapping; allowed: lines of the form 'KEY: "
                        "VALUE', with a space after the colon");
    refuse("\n\nhosts\n", "3: not a mapping; allowed: lines of the form 'KEY: "
                          "VALUE', with a space after the colon");
    refuse("hosts: 4\n---\nhosts: 5\n",
           "3: a second document; allowed: one cluster per file");
}

static void test_bad_syntax(void)
{
    static const char bytes[] = "hosts: 4\nseed: \xff\n";
    char error[GMS_YAML_ERROR_LEN];
    gms_cluster_t cluster;

    refuse("hosts: 4\nseed: [1\n",
           "3: not valid YAML: did not find expected ',' or ']' while parsing "
           "a flow sequence");
    refuse("hosts: *x\n", "1: not valid YAML: found undefined alias");
    write_bytes(path, bytes, sizeof(bytes) - 1);
    CHECK_U64(gms_cluster_load(path, &cluster, error), GMS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "c.yaml:2: not valid YAML: "));
}

static void test_unreadable_file(void)
{
    char error[GMS_YAML_ERROR_LEN], longer[4096];
    gms_cluster_t cluster;
    FILE *file;

    CHECK_U64(gms_cluster_load("/nowhere/c.yaml", &cluster, error),
              GMS_ERR_CONFIG);
    CU_ASSERT_STRING_EQUAL(
        error, "/nowhere/c.yaml: cannot be read: No such file or directory");
    CHECK_U64(gms_cluster_load("/", &cluster, error), GMS_ERR_CONFIG);
    CU_ASSERT_STRING_EQUAL(error, "/: cannot be read: Is a directory");
    memset(longer, 'x', sizeof(longer));
    longer[sizeof(longer) - 1] = '\0';
    CHECK_U64(gms_cluster_load(longer, &cluster, error), GMS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "xxx: cannot be read: "));
    file = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CHECK_U64(ftruncate(fileno(file), 1 + (1 << 20)), 0);
    (void)fclose(file);
    CHECK_U64(gms_cluster_load(path, &cluster, error), GMS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "longer than 1 MiB"));
}

static void test_messages_are_cut_and_clean(void)
{
    char text[4096], expected[256];

    memset(text, 'x', sizeof(text));
    memcpy(text, "hosts: ", 7);
    memcpy(text + sizeof(text) - 2, "\n", 2);
    (void)snprintf(expected, sizeof(expected),
                   "1: key 'hosts': value '%.64s...' is not a whole number; "
                   "allowed: 1..16384 hosts",
                   text + 100);
    refuse(text, expected);
    refuse("hosts: \"a\\eb\"\n", "1: key 'hosts': value 'a?b' is not a whole "
                                 "number; allowed: 1..16384 hosts");
}

/* A key that the topology does not use is an error, because its value would be
 * ignored. */
static void test_keys_without_a_meaning(void)
{
    gms_params_t params;

    refuse("hosts: 4\nrows: 2\ncolumns: 2\n",
           "2: key 'rows' is not used by topology 'crossbar'; allowed with: "
           "mesh, torus");
    refuse("hosts: 4\ntopology: clos\ncolumns: 2\n",
           "3: key 'columns' is not used by topology 'clos'; allowed with: "
           "mesh, torus");
    refuse("parameters:\n  hosts_per_switch: 2\n",
           "2: key 'hosts_per_switch' is not used by topology 'crossbar'; "
           "allowed with: cascade, clos, fat-tree, mesh, torus");
    refuse("tree_up: 2\ntopology: torus\n",
           "1: key 'tree_up' is not used by topology 'torus'; allowed with: "
           "clos, fat-tree");
    refuse("hosts: 1\ntopology: graph\nswitch_ports: 4\nswitches: [4]\n"
           "cables: [host 1 to switch 0]\n",
           "3: key 'switch_ports' is not used by topology 'graph'; allowed "
           "with: crossbar, cascade, clos, fat-tree, mesh, torus");
    accept("rows: 0\ntree_up: 0\nswitch_ports: 32\n", &params);
    refuse("parameters:\n  flit_lanes: 8\n",
           "2: key 'flit_lanes' is not used by fabric_model 'worm'; allowed "
           "with: flit");
    accept("fabric:\n  model: flit\n  lanes: 8\n  real_time_lanes: 6\n"
           "parameters:\n  flit_policy: large-slow\n",
           &params);
    CHECK_U64(params.fabric_model, GMS_FABRIC_FLIT);
    CHECK_U64(params.flit_lanes, 8);
    CHECK_U64(params.flit_policy, GMS_LANE_LARGE_SLOW);
    refuse("fabric: flit\n", "1: key 'fabric': value 'flit' is not a mapping; "
                             "allowed: lines like 'model: flit'");
    refuse("fabric: {model: flits}\n",
           "1: key 'fabric_model': value 'flits' is unknown (did you mean "
           "'flit'?); allowed: worm, flit, cut-through, ethernet");
    refuse("fabric: {lanees: 8}\n",
           "1: unknown key 'lanees' (did you mean 'lanes'?); allowed below "
           "'fabric:': model, bits, lanes, real_time_lanes, buffer_flits, "
           "policy, frame_factor");
}

/* Test lanes and delays that the flit model does not support. */
static void test_flit_values_must_fit_together(void)
{
    refuse("fabric: {model: flit}\nparameters:\n  flit_real_time_lanes: 12\n"
           "  flit_lanes: 13\n",
           "3: key 'flit_real_time_lanes': value '12' leaves too few of the 13 "
           "lanes (flit_lanes) for control and best effort; allowed: 1..11");
    refuse("fabric: {model: flit}\nparameters:\n  flit_lanes: 8\n",
           "1: key 'flit_real_time_lanes': value '11' leaves too few of the 8 "
           "lanes (flit_lanes) for control and best effort; allowed: 1..6; "
           "this value is the default, so set the key explicitly");
    refuse(
        "fabric: {model: flit}\nparameters:\n  link_propagation_ps: 6050001\n",
        "3: key 'link_propagation_ps': value '6050001' exceeds the "
        "longest delay of fabric_model flit, 60 cycles of 100000 ps "
        "(flit_bits at link_bytes_s); allowed: 0..6000000 ps");
    refuse("fabric: {model: flit}\nparameters:\n  switch_routing_ps: 7000000\n",
           "3: key 'switch_routing_ps': value '7000000' exceeds the "
           "longest delay of fabric_model flit, 60 cycles of 100000 ps "
           "(flit_bits at link_bytes_s); allowed: 0..6000000 ps");
}

static void test_values_must_fit_together(void)
{
    gms_params_t params;

    /* This message comes from the code that creates the topology. The message
     * contains the line number of the topology's first key. */
    refuse_because("hosts: 8\nswitch_ports: 4\n",
                   "1: key 'hosts': 8 NICs (hosts x units_per_host) do not "
                   "fit on one crossbar of 4 ports");
    refuse_because("\nswitch_ports: 4\n",
                   "2: key 'switch_ports': 16 NICs (hosts x units_per_host) "
                   "do not fit on one crossbar of 4 ports");
    refuse_because("parameters:\n  units_per_host: 3\n",
                   "2: key 'units_per_host': 48 NICs (hosts x units_per_host) "
                   "do not fit on one crossbar of 16 ports");
    refuse_because("topology: mesh\nhosts: 40\nhosts_per_switch: 20\n",
                   "3: key 'hosts_per_switch': 20 hosts on each switch");
    refuse_because("topology: torus\nhosts: 16\n"
                   "routing: dimension-order\n",
                   "3: key 'routing': these routes can deadlock");
    refuse_because("topology: fat-tree\nhosts: 500\ntree_up: 1\n"
                   "hosts_per_switch: 1\n",
                   "4: key 'hosts_per_switch': a tree for 500 NICs");
    refuse("ranks_per_host: 6\n",
           "1: key 'ranks_per_host': value '6' needs more user ports than a "
           "NIC has; allowed: 1..5 (gm_ports 8 minus 3 reserved ports)");
    refuse("parameters:\n  arena_bytes: 16777215\n",
           "2: key 'arena_bytes': value '16777215' is out of range; allowed: 0 "
           "(a default size for the number of ranks) or "
           "16777216..274877906944 bytes");
    refuse("hosts: 4\nparameters:\n  qos_master: 5\n",
           "3: key 'qos_master': value '5' is not a host; allowed: 1..4 "
           "(hosts)");
    /* a host has only one manager, even if it has several NICs */
    refuse("hosts: 4\nparameters:\n  units_per_host: 2\n  qos_master: 5\n",
           "4: key 'qos_master': value '5' is not a host; allowed: 1..4 "
           "(hosts)");
    refuse("parameters:\n  nic_mtu_bytes: 64\n  qos_idt_product: 128\n",
           "2: key 'nic_fast_bytes': value '128' exceeds the payload of a "
           "packet; allowed: 0..64 (nic_mtu_bytes); this value is the default, "
           "so set the key explicitly");
    refuse("parameters:\n  link_bytes_s: 80e6\n",
           "2: key 'qos_link_bytes_s': value '158800000' exceeds the rate of a "
           "link; allowed: 1000000..80000000 (link_bytes_s); this value is the "
           "default, so set the key explicitly");
    /* the limits are 90 % and 110 % of 4096 bytes / 0.5 us = 8192 MB/s, rounded
     * inwards */
    accept("parameters:\n  qos_idt_product: 7373\n", &params);
    accept("parameters:\n  qos_idt_product: 9011\n", &params);
    refuse("parameters:\n  qos_idt_product: 7372\n",
           "2: key 'qos_idt_product': value '7372' does not match "
           "nic_mtu_bytes / rtc_tick_ps; allowed: 7373..9011");
    refuse("parameters:\n  qos_idt_product: 9012\n",
           "2: key 'qos_idt_product': value '9012' does not match "
           "nic_mtu_bytes / rtc_tick_ps; allowed: 7373..9011");
    refuse("parameters:\n  nic_mtu_bytes: 1024\n",
           "2: key 'qos_idt_product': value '8192' does not match "
           "nic_mtu_bytes / rtc_tick_ps; allowed: 1844..2252; this value is "
           "the default, so set the key explicitly");
}

static void test_check_without_a_file(void)
{
    char error[GMS_YAML_ERROR_LEN];
    gms_cluster_t cluster = {.graph = {0}};

    gms_params_init(&cluster.params);
    cluster.params.switch_ports = 8;
    CHECK_U64(gms_cluster_check(&cluster, error), GMS_ERR_CONFIG);
    CU_ASSERT_PTR_EQUAL(strstr(error, "key 'hosts': 16 NICs"), error);
    cluster.params.hosts = 0;
    CHECK_U64(gms_cluster_check(&cluster, error), GMS_ERR_CONFIG);
    CU_ASSERT_STRING_EQUAL(error, "key 'hosts': value '0' is out of range; "
                                  "allowed: 1..16384 hosts");
    cluster.params.hosts = 16385;
    CHECK_U64(gms_cluster_check(&cluster, error), GMS_ERR_CONFIG);
    CU_ASSERT_STRING_EQUAL(error, "key 'hosts': value '16385' is out of range; "
                                  "allowed: 1..16384 hosts");
}

static void test_fault_rates(void)
{
    gms_cluster_t cluster;
    gms_params_t *params = &cluster.params;

    accept_all("faults:\n  drop: 0.01\n  damage_header: 0.000001\n"
               "  damage_payload: 1\n  duplicate: .5\n  delay: 0\n"
               "  delay_max_us: 7\n  outages_per_s: 3\n  outage_us: 20\n",
               &cluster);
    CHECK_U64(params->fault_drop_ppm, 10000);
    CHECK_U64(params->fault_damage_header_ppm, 1);
    CHECK_U64(params->fault_damage_payload_ppm, 1000000);
    CHECK_U64(params->fault_duplicate_ppm, 500000);
    CHECK_U64(params->fault_delay_ppm, 0);
    CHECK_U64(params->fault_delay_max_us, 7);
    CHECK_U64(params->fault_outages_per_s, 3);
    CHECK_U64(params->fault_outage_us, 20);
    CHECK_U64(params->nic_check_crc, 1); /* NICs must detect this damage */
    CHECK_U64(cluster.faults.count, 0);
    accept_all("parameters:\n  fault_drop_ppm: 5\n", &cluster);
    CHECK_U64(params->fault_drop_ppm, 5);
    CHECK_U64(params->nic_check_crc, 1);
    accept_all("faults: {}\n", &cluster);
    CHECK_U64(params->nic_check_crc, 0);
}

static void test_fault_events(void)
{
    gms_cluster_t cluster;
    gms_params_t *params = &cluster.params;

    /* An event may name hosts and ranks before the file sets the numbers of
     * hosts and ranks. */
    accept_all("faults:\n  events:\n"
               "    - {at_us: 1, link: node 4 to switch 0, for_us: 9}\n"
               "    - {at_us: 2, link: switch 0 port 2 to node 3}\n"
               "    - {at_us: 3, node: 1, for_us: 5}\n"
               "    - {at_us: 4, reset_nic: 2}\n"
               "    - {at_us: 5, kill_rank: 7}\n"
               "    - {at_us: 6, stop: random}\n"
               "    - {at_us: 7, kill_node: 4}\n"
               "hosts: 4\nranks_per_host: 2\n",
               &cluster);
    CHECK_U64(cluster.faults.count, 7);
    CHECK_U64(cluster.faults.events[0].kind, GMS_FAULT_LINK);
    CHECK_U64(cluster.faults.events[0].number, 3);
    CHECK_U64(cluster.faults.events[0].at_us, 1);
    CHECK_U64(cluster.faults.events[0].for_us, 9);
    CHECK_U64(cluster.faults.events[1].kind, GMS_FAULT_LINK);
    /* the 4 links of the nodes have the lowest numbers */
    CHECK_U64(cluster.faults.events[1].number, 4 + 2);
    CHECK_U64(cluster.faults.events[1].for_us, 0);
    CHECK_U64(cluster.faults.events[2].kind, GMS_FAULT_NODE);
    CHECK_U64(cluster.faults.events[2].number, 0);
    CHECK_U64(cluster.faults.events[3].kind, GMS_FAULT_RESET_NIC);
    CHECK_U64(cluster.faults.events[3].number, 1);
    CHECK_U64(cluster.faults.events[4].kind, GMS_FAULT_KILL_RANK);
    CHECK_U64(cluster.faults.events[4].number, 7);
    CHECK_U64(cluster.faults.events[5].kind, GMS_FAULT_STOP);
    CHECK_U64(cluster.faults.events[6].kind, GMS_FAULT_KILL_NODE);
    CHECK_U64(cluster.faults.events[6].number, 3);
    CHECK_U64(params->nic_check_crc, 1);
}

static void test_fault_mistakes(void)
{
    refuse("faults: 3\n", "1: key 'faults': value '3' is not a mapping; "
                          "allowed: lines like 'drop: 0.01', and 'events:'");
    refuse("faults: {}\nfaults: {}\n",
           "2: key 'faults' is given twice, first on line 1");
    refuse("faults:\n  drp: 0.1\n",
           "2: unknown key 'drp' (did you mean 'drop'?); allowed below "
           "'faults:': events, drop, damage_header, damage_payload, "
           "duplicate, delay, delay_max_us, outages_per_s, outage_us");
    refuse("faults:\n  drop: 1.5\n",
           "2: key 'drop': value '1.5' is out of range; allowed: 0..1 in "
           "steps of 0.000001");
    refuse("faults:\n  drop: -0.1\n",
           "2: key 'drop': value '-0.1' is out of range; allowed: 0..1 in "
           "steps of 0.000001");
    refuse("faults:\n  drop: 0.0000001\n",
           "2: key 'drop': value '0.0000001' has too many decimal places; "
           "allowed: 0..1 in steps of 0.000001");
    refuse("faults:\n  drop: 1%\n",
           "2: key 'drop': value '1%' is not a fraction; allowed: 0..1 in "
           "steps of 0.000001");
    refuse("faults:\n  drop: 0.1\n  drop: 0.2\n",
           "3: key 'fault_drop_ppm' is given twice, first on line 2");
    refuse("faults:\n  delay_max_us: 0\n",
           "2: key 'fault_delay_max_us': value '0' is out of range; allowed: "
           "1..10000000 us");
}

static void test_fault_event_mistakes(void)
{
    refuse("faults:\n  events: 3\n",
           "2: key 'events': value '3' is not a list; allowed: entries like "
           "'- {at_us: 100, node: 3}'");
    refuse("faults:\n  events: [3]\n",
           "2: key 'events': value '3'; allowed: entries like '{at_us: 100, "
           "node: 3}'");
    refuse("faults:\n  events:\n    - {at_us: 1}\n",
           "3: an event has no action; required: exactly one of link, node, "
           "reset_nic, kill_rank, kill_node, stop");
    refuse("faults:\n  events:\n    - {at_us: 1, node: 1, reset_nic: 1}\n",
           "3: an event has several actions; required: exactly one of link, "
           "node, reset_nic, kill_rank, kill_node, stop");
    refuse("faults:\n  events:\n    - {node: 1}\n",
           "3: an event needs a time, 'at_us'");
    refuse("faults:\n  events:\n    - {at_us: 1, knode: 1}\n",
           "3: unknown key 'knode' (did you mean 'node'?); allowed in an "
           "event: at_us, for_us, link, node, reset_nic, kill_rank, "
           "kill_node, stop");
    refuse("hosts: 4\nfaults:\n  events:\n    - {at_us: 1, node: 5}\n",
           "4: key 'node': value '5' is out of range; allowed: 1..4");
    refuse("hosts: 4\nfaults:\n  events:\n    - {at_us: 1, kill_rank: 4}\n",
           "4: key 'kill_rank': value '4' is out of range; allowed: 0..3");
    refuse("hosts: 4\nfaults:\n  events:\n"
           "    - {at_us: 1, link: node 5 to switch 0}\n",
           "4: key 'link': value 'node 5 to switch 0' is not a link; allowed: "
           "'node N to switch S', 'switch S port P to node N' or 'switch S "
           "port P to switch T' (see `gmsim topo --links`)");
    refuse("hosts: 4\nfaults:\n  events:\n    - {at_us: 1, kill_node: 0}\n",
           "4: key 'kill_node': value '0' is out of range; allowed: 1..4");
    refuse("faults:\n  events:\n    - {at_us: 1, kill_node: 1, for_us: 3}\n",
           "3: key 'for_us' is not used by 'kill_node'; allowed with: link, "
           "node, stop");
    refuse("faults:\n  events:\n    - {at_us: 1, reset_nic: 1, for_us: 3}\n",
           "3: key 'for_us' is not used by 'reset_nic'; allowed with: link, "
           "node, stop");
    refuse("faults:\n  events:\n    - {at_us: 1, stop: all}\n",
           "3: key 'stop': value 'all' is unknown; allowed: random");
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"without a file, the default cluster is used",
         test_no_file_is_the_default},
        {"all keys are read", test_everything_is_read},
        {"a profile is applied before all other keys",
         test_a_profile_comes_before_all_other_keys},
        {"top-level keys are also accepted below parameters",
         test_short_keys_work_below_parameters},
        {"numbers", test_numbers},
        {"out of range", test_out_of_range},
        {"unknown choice", test_unknown_choice},
        {"unknown key", test_unknown_key},
        {"the key 'time'", test_time},
        {"duplicate key", test_duplicate_key},
        {"several mistakes", test_several_mistakes},
        {"wrong type", test_wrong_type},
        {"not a mapping", test_not_a_mapping},
        {"bad syntax", test_bad_syntax},
        {"unreadable file", test_unreadable_file},
        {"messages are short and printable", test_messages_are_cut_and_clean},
        {"keys that the topology does not use", test_keys_without_a_meaning},
        {"values must fit together", test_values_must_fit_together},
        {"values of fabric_model flit", test_flit_values_must_fit_together},
        {"check of parameters that were not read from a file",
         test_check_without_a_file},
        {"fault rates", test_fault_rates},
        {"fault events", test_fault_events},
        {"mistakes in fault rates", test_fault_mistakes},
        {"mistakes in fault events", test_fault_event_mistakes},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"cluster", suite_init, suite_cleanup, NULL, NULL, tests});
}
