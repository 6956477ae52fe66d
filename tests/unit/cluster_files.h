/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes cluster descriptions, loads them, and checks the messages about
 * invalid descriptions.
 */
#ifndef TESTS_UNIT_CLUSTER_FILES_H
#define TESTS_UNIT_CLUSTER_FILES_H

#include <string.h>
#include <unistd.h>

#include "cluster/cluster.h"
#include "text_file.h"

static char dir[] = "/tmp/test_cluster.XXXXXX";
static char path[64];

static inline int suite_init(void)
{
    if (mkdtemp(dir) == NULL) {
        return 1;
    }
    (void)snprintf(path, sizeof(path), "%s/c.yaml", dir);
    return 0;
}

static inline int suite_cleanup(void)
{
    (void)unlink(path);
    return rmdir(dir);
}

static inline gms_status_t load(const char *text, gms_cluster_t *cluster,
                                char *error)
{
    write_text(path, text);
    return gms_cluster_load(path, cluster, error);
}

/** Check that loading the text fails, that the message begins with "PATH:" and
 *  `expected`, and that `cluster` is unchanged. */
static inline void refuse_because(const char *text, const char *expected)
{
    char error[GMS_YAML_ERROR_LEN], full[GMS_YAML_ERROR_LEN + 64];
    gms_cluster_t cluster, before;
    gms_status_t status;

    memset(&cluster, 0xcc, sizeof(cluster));
    memcpy(&before, &cluster, sizeof(before));
    status = load(text, &cluster, error);
    (void)snprintf(full, sizeof(full), "%s:%s", path, expected);
    if (status != GMS_ERR_CONFIG || strncmp(error, full, strlen(full)) != 0) {
        printf("\n    of \"%s\":\n    %s\n    expected\n    %s\n", text, error,
               full);
    }
    CU_ASSERT_EQUAL(status, GMS_ERR_CONFIG);
    CU_ASSERT_NSTRING_EQUAL(error, full, strlen(full));
    CU_ASSERT_TRUE(memcmp(&cluster, &before, sizeof(cluster)) == 0);
}

/** Also check that the message ends after `expected`. */
static inline void refuse(const char *text, const char *expected)
{
    char error[GMS_YAML_ERROR_LEN];
    gms_cluster_t cluster;

    refuse_because(text, expected);
    CHECK_U64(load(text, &cluster, error), GMS_ERR_CONFIG);
    CHECK_U64(strlen(error), strlen(path) + 1 + strlen(expected));
}

static inline void accept_all(const char *text, gms_cluster_t *cluster)
{
    char error[GMS_YAML_ERROR_LEN];
    gms_status_t status = load(text, cluster, error);

    if (status != GMS_OK) {
        printf("\n    of \"%s\": %s\n", text, error);
    }
    CU_ASSERT_EQUAL_FATAL(status, GMS_OK);
}

static inline void accept(const char *text, gms_params_t *params)
{
    gms_cluster_t cluster;

    accept_all(text, &cluster);
    *params = cluster.params;
    gms_cluster_clear(&cluster);
}

#endif
