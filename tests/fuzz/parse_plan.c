/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests the reader of gmsim plan with random bytes as a list of requests. */
#include <math.h>
#include <string.h>

#include "parse.h"
#include "tool/plan.h"

#define PARSE_NODES 16u
#define PARSE_PORTS 8u

static void parse_check_flow(const gms_plan_flow_t *flow, int is_request)
{
    const gms_flow_request_t *request = &flow->request;

    PARSE_CHECK(flow->line > 0 &&
                    memchr(flow->name, '\0', sizeof(flow->name)) != NULL &&
                    flow->name[0] != '\0',
                "invalid line or name (line %zu)", flow->line);
    for (const char *p = flow->name; *p != '\0'; ++p) {
        PARSE_CHECK((unsigned char)*p >= ' ',
                    "the name contains the control character %d", *p);
    }
    PARSE_CHECK(isfinite(request->bytes_s) && request->bytes_s >= 0 &&
                    isfinite(request->reverse_bytes_s) &&
                    request->load.source >= 0 && request->load.target >= 0,
                "invalid request: %g and %g bytes/s", request->bytes_s,
                request->reverse_bytes_s);
    PARSE_CHECK(!is_request || request->qos_class == GMS_QOS_PREMIUM ||
                    request->bytes_s == 0,
                "a best-effort flow has %g bytes/s", request->bytes_s);
}

static void parse_check_plan(const gms_plan_t *plan)
{
    size_t next = 0;

    PARSE_CHECK(plan->step_count > 0, "the plan has no steps");
    for (size_t i = 0; i < plan->step_count; ++i) {
        const gms_plan_step_t *step = &plan->steps[i];

        PARSE_CHECK(step->first == next && step->count > 0 &&
                        step->first + step->count <= plan->flow_count,
                    "step %zu begins at flow %zu and has %zu flows, but the "
                    "plan has %zu flows",
                    i, step->first, step->count, plan->flow_count);
        next += step->count;
        for (size_t k = step->first; k < next; ++k) {
            parse_check_flow(&plan->flows[k], step->kind == GMS_PLAN_REQUEST);
        }
    }
    PARSE_CHECK(next == plan->flow_count, "the steps contain %zu of %zu flows",
                next, plan->flow_count);
}

const char *const *parse_words(void)
{
    static const char *const words[] = {
        "cluster",
        "requests",
        "from",
        "to",
        "bandwidth",
        "class",
        "name",
        "label",
        "reverse",
        "release",
        "all",
        "from_port",
        "to_port",
        "source_load",
        "target_load",
        "premium",
        "best-effort",
        "40 MB/s",
        "kB/s",
        "KiB/s",
        "- {release: a}",
        "- {from: 1, to: 2, bandwidth: 1 B/s, name: a}",
        "- all: [{from: 1, to: 2, class: best-effort}]",
        NULL,
    };

    return words;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[GMS_YAML_ERROR_LEN];
    gms_plan_t plan;

    memset(error, 'x', sizeof(error));
    parse_file_set(data, size);
    if (gms_plan_load(PARSE_NAME, &plan, error) != GMS_OK) {
        parse_check_error(error, sizeof(error));
        return 0;
    }
    parse_check_plan(&plan);
    memset(error, 'x', sizeof(error));
    if (gms_plan_check(PARSE_NAME, &plan, PARSE_NODES, PARSE_PORTS, error) !=
        GMS_OK) {
        parse_check_error(error, sizeof(error));
    }
    gms_plan_clear(&plan);
    return 0;
}
