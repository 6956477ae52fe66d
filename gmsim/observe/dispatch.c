/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes one line per dispatched packet, one NIC after the other. The file
 * nic/dispatch.c keeps the logs in memory.
 */
#include "observe/dispatch.h"

#include <inttypes.h>
#include <stdio.h>

#include "nic/dispatch.h"

typedef struct gms_dispatch_table {
    FILE *file;
    unsigned node;
} gms_dispatch_table_t;

static void gms_dispatch_write_one(void *context,
                                   const gms_dispatch_record_t *record)
{
    const gms_dispatch_table_t *table = context;
    const gms_flow_key_t *key = &record->flow->key;

    fprintf(table->file, "%u,%u,%u,%u,%u,%" PRIu32 ",%" PRIu64 ",%" PRIu32 "\n",
            table->node + 1, key->source_port, key->target_node + 1u,
            key->target_port, key->priority, key->label, record->rtc,
            record->bytes);
}

gms_status_t gms_dispatch_write(const char *path, gms_nic_t *const *nics,
                                unsigned nodes)
{
    gms_dispatch_table_t table = {.file = fopen(path, "w")};
    int failed;

    if (table.file == NULL) {
        return GMS_ERR_SYSTEM;
    }
    fputs("node,source_port,target_node,target_port,priority,label,rtc_tick,"
          "bytes\n",
          table.file);
    for (table.node = 0; table.node < nodes; ++table.node) {
        gms_dispatch_walk(nics[table.node], gms_dispatch_write_one, &table);
    }
    failed = ferror(table.file);
    return fclose(table.file) != 0 || failed ? GMS_ERR_SYSTEM : GMS_OK;
}
