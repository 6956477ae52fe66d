/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the reader of gmsim model with random bytes as a queueing network.
 */
#include <math.h>
#include <string.h>

#include "parse.h"
#include "tool/model.h"

const char *const *parse_words(void)
{
    static const char *const words[] = {
        "classes", "stations", "routes",      "name",        "policy",
        "servers", "limit",    "room",        "mean",        "scv",
        "rate",    "rate_scv", "guess",       "fcfs",        "limited",
        "gated",   "priority", "exhaustive",  "probability", "to",
        "from",    "out",      "- {name: a}", "services",    "class",
        "1e308",   "0.5",      NULL,
    };

    return words;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[GMS_YAML_ERROR_LEN];
    gms_model_t *model = NULL;
    unsigned i;

    memset(error, 'x', sizeof(error));
    parse_file_set(data, size);
    if (gms_tool_model_load(PARSE_NAME, &model, error) != GMS_OK) {
        parse_check_error(error, sizeof(error));
        return 0;
    }
    for (i = 0; i < model->stations * model->classes; ++i) {
        const gms_model_visit_t *visit = &model->visit[i];

        PARSE_CHECK(isfinite(visit->mean) && visit->mean >= 0 &&
                        isfinite(visit->rate) && visit->rate >= 0,
                    "visit %u", i);
    }
    gms_model_destroy(model);
    return 0;
}
