/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests cluster descriptions whose profile is a file: the values that they
 * adopt from the file, and the message for each kind of error.
 */
#include "cluster/cluster.h"

#include <string.h>

#include "cluster_files.h"

static char profile_path[80];

static void write_profile(const char *text)
{
    (void)snprintf(profile_path, sizeof(profile_path), "%s/mine.yaml", dir);
    write_text(profile_path, text);
}

/** Check the reason in the message about a description whose profile is this
 *  file. */
static void refuse_profile(const char *text, const char *reason)
{
    char expected[512];

    write_profile(text);
    (void)snprintf(expected, sizeof(expected),
                   "1: key 'profile': value 'mine.yaml' cannot be used: "
                   "%s%s",
                   profile_path, reason);
    refuse("profile: mine.yaml\n", expected);
    (void)unlink(profile_path);
}

static void test_values_of_the_file(void)
{
    const gms_param_t *row = gms_param_find("lanai_cycle_ps");
    gms_params_t expected;
    gms_cluster_t cluster;

    write_profile("# a comment\n"
                  "profile: myrinet2000\n"
                  "parameters:\n"
                  "  lanai_cycle_ps: 6000\n"
                  "  mpi_overhead_ps: 500000\n");
    accept_all("hosts: 4\n"
               "parameters: {mpi_overhead_ps: 400000}\n"
               "profile: mine.yaml\n",
               &cluster);
    gms_profile_init(gms_profile_find("myrinet2000"), &expected);
    expected.hosts = 4;
    expected.lanai_cycle_ps = 6000;
    expected.mpi_overhead_ps = 400000;
    CU_ASSERT_TRUE(memcmp(&cluster.params, &expected, sizeof(expected)) == 0);
    CU_ASSERT_STRING_EQUAL(cluster.profile->name, "myrinet2000");
    CU_ASSERT_STRING_EQUAL(cluster.host_topology,
                           cluster.profile->host_topology);
    CU_ASSERT_PTR_NOT_NULL(strstr(cluster.profile_path, "/mine.yaml"));
    CHECK_U64(cluster.profile_lines[row - gms_param_table], 4);
    CHECK_U64(cluster.lines[row - gms_param_table], 0);
    gms_cluster_clear(&cluster);
    (void)unlink(profile_path);
}

static void test_the_file_is_a_description(void)
{
    gms_params_t params;

    accept("profile: lanai4.3\nparameters: {lanai_cycle_ps: 6000}\n", &params);
    CHECK_U64(params.lanai_cycle_ps, 6000);
}

static void test_invalid_files(void)
{
    refuse_profile("profile: lanai4.3\nhosts: 4\n",
                   ":2: unknown key 'hosts'; allowed in a profile file: "
                   "profile, parameters");
    refuse_profile("profile: lanai4.3\nparameters: {hosts: 4}\n",
                   ":2: key 'hosts' does not belong to a profile; set the key "
                   "in the cluster description");
    refuse_profile("parameters: {lanai_cycle_ps: 1}\n",
                   ":1: key 'lanai_cycle_ps': value '1' is out of range; "
                   "allowed: 1000..1000000 ps");
    refuse_profile("", ":1: not a profile; allowed: the keys 'profile' and "
                       "'parameters'");
    refuse("profile: nothing.yaml\n",
           "1: key 'profile': value 'nothing.yaml' cannot be used: No such "
           "file or directory");
}

/* The file of a profile cannot refer to another file. */
static void test_a_file_that_names_itself(void)
{
    char error[GMS_YAML_ERROR_LEN];
    gms_cluster_t cluster;

    write_profile("profile: mine.yaml\n");
    CHECK_U64(load("profile: mine.yaml\n", &cluster, error), GMS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(error, "mine.yaml:1: key 'profile': value 'mine.yaml' is "
                      "unknown; allowed: lanai4.3, myrinet2000"));
    (void)unlink(profile_path);
}

static void test_limits_of_the_file(void)
{
    write_profile("parameters: {link_bytes_s: 1000000}\n");
    refuse_because("profile: mine.yaml\n", " key 'qos_link_bytes_s'");
    (void)unlink(profile_path);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"values of a profile file", test_values_of_the_file},
        {"a profile file is also a valid description",
         test_the_file_is_a_description},
        {"invalid profile files", test_invalid_files},
        {"a profile file that names itself", test_a_file_that_names_itself},
        {"values of a profile file that do not fit together",
         test_limits_of_the_file},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"profile", suite_init, suite_cleanup, NULL, NULL, tests});
}
