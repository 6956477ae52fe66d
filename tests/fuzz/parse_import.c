/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the imports with random bytes as the output of ibnetdiscover or as a
 * SimGrid platform file. The result of an import is read as a cluster
 * description.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/cluster.h"
#include "parse.h"
#include "cluster/import.h"

const char *const *parse_words(void)
{
    static const char *const words[] = {
        "Switch",
        "Ca",
        "Rt",
        "\"S-1\"",
        "\"S-2\"",
        "\"H-1\"",
        "[1]",
        "[2](2c90300000012)",
        "[64]",
        "[65]",
        "[ext 3]",
        "# \"alpha HCA-1\" lid 4 4xQDR",
        "# \"Aggregation Node\" lid 4 4xHDR",
        "12xXDR",
        "Switch 24 \"S-3\"",
        "[3] \"S-1\"[3]",
        "[4] \"H-4\"[1]",
        "radical=\"0-9,12\"",
        "bw=\"1GBps\"",
        "lat=\"2us\"",
        "topology=\"TORUS\"",
        "topology=\"FAT_TREE\"",
        "topo_parameters=\"4,4\"",
        "topo_parameters=\"2;4,4;1,2;1,2\"",
        "bb_bw=\"1GBps\"",
        "sharing_policy=\"SHARED\"",
        "<cluster",
        "</platform>",
        "<zone id=\"a\">",
        "<host/>",
        "&amp;",
        "18446744073709551615",
        NULL,
    };

    return words;
}

/* Check that the result is a valid cluster. Two errors are accepted: the cables
 * do not connect all parts, or the network has too many hosts for this test. */
static void parse_check_made(const char *made, size_t made_size)
{
    char error[GMS_YAML_ERROR_LEN];
    gms_cluster_t cluster;

    parse_file_set((const uint8_t *)made, made_size);
    if (gms_cluster_load(PARSE_NAME, &cluster, error) == GMS_OK) {
        gms_cluster_clear(&cluster);
        parse_check_arena();
        return;
    }
    PARSE_CHECK(strstr(error, PARSE_LEFT_OUT) != NULL ||
                    strstr(error, "key 'cables': no route leads") != NULL,
                "%s\n%s", error, made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gms_import_t import = {.path = PARSE_NAME};
    char *made = NULL, *notes = NULL, *text = malloc(size + 1);
    size_t made_size = 0, notes_size = 0;
    gms_status_t status;

    PARSE_CHECK(text != NULL, "no memory");
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    memset(import.error, 'x', sizeof(import.error));
    import.out = open_memstream(&made, &made_size);
    import.notes = open_memstream(&notes, &notes_size);
    PARSE_CHECK(import.out != NULL && import.notes != NULL, "no memory");
    status = gms_import_text(&import, text, size);
    fclose(import.out);
    fclose(import.notes);
    if (notes_size > 0) {
        parse_check_error(notes, notes_size + 1);
    }
    if (status == GMS_OK) {
        parse_check_made(made, made_size);
    } else {
        PARSE_CHECK(status == GMS_ERR_CONFIG, "status %d", (int)status);
        parse_check_error(import.error, sizeof(import.error));
    }
    free(made);
    free(notes);
    free(text);
    return 0;
}
