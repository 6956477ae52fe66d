/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the reader of cluster descriptions with random bytes.
 */
#include <string.h>

#include "cluster/cluster.h"
#include "parse.h"

const char *const *parse_words(void)
{
    static const char *const others[] = {
        "profile",
        "parameters",
        "switches",
        "cables",
        "placement",
        "host_topology",
        "fabric",
        "faults",
        "lanai4.3",
        "myrinet2000",
        "crossbar",
        "cascade",
        "clos",
        "fat-tree",
        "mesh",
        "torus",
        "graph",
        "updown",
        "auto",
        "block",
        "cyclic",
        "node1",
        "node2: [0, 1..3]",
        "model",
        "flit",
        "lanes",
        "events",
        "at_us",
        "for_us",
        "link",
        "node",
        "reset_nic",
        "kill_rank",
        "kill_node",
        "stop",
        "random",
        "drop",
        "damage",
        "measured:2.5",
        "pack:2 core:2 pu:1",
        "- host 1 to switch 0",
        "- switch 0 port 1 to switch 1 port 2",
        "{at_us: 1, node: 1}",
    };
    static const char *words[512];
    const gms_param_t *row = gms_param_table;
    size_t count = sizeof(others) / sizeof(others[0]);

    if (words[0] == NULL) {
        memcpy(words, others, sizeof(others));
        for (; row->name != NULL && count < 511; ++row) {
            words[count++] = row->name;
        }
    }
    return words;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[GMS_YAML_ERROR_LEN];
    gms_cluster_t cluster;

    memset(&cluster, 0xa5, sizeof(cluster));
    memset(error, 'x', sizeof(error));
    parse_file_set(data, size);
    if (gms_cluster_load(PARSE_NAME, &cluster, error) != GMS_OK) {
        parse_check_error(error, sizeof(error));
        parse_check_arena();
        return 0;
    }
    error[0] = '\0';
    PARSE_CHECK(gms_cluster_check(&cluster, error) == GMS_OK,
                "a description was read, but its check fails: %s", error);
    PARSE_CHECK(cluster.profile != NULL &&
                    memchr(cluster.host_topology, '\0',
                           sizeof(cluster.host_topology)) != NULL,
                "profile or host topology is invalid");
    gms_cluster_clear(&cluster);
    parse_check_arena();
    return 0;
}
