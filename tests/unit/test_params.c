/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the parameter table and the profiles: completeness, ranges, sources and
 * defaults of all rows.
 */
#include "params/params.h"

#include <string.h>

#include "cluster/cluster.h"
#include "unit.h"

static void test_every_field_has_one_row(void)
{
    unsigned rows_at[sizeof(gms_params_t) / sizeof(uint64_t)] = {0};
    const gms_param_t *row;
    size_t i;

    for (row = gms_param_table; row->name != NULL; ++row) {
        CHECK_U64(row->offset % sizeof(uint64_t), 0);
        CU_ASSERT_FATAL(row->offset < sizeof(gms_params_t));
        rows_at[row->offset / sizeof(uint64_t)]++;
    }
    for (i = 0; i < sizeof(rows_at) / sizeof(rows_at[0]); ++i) {
        if (rows_at[i] != 1) {
            printf("\n    field number %zu of gms_params_t\n", i);
        }
        CHECK_U64(rows_at[i], 1);
    }
}

static void test_names_are_distinct(void)
{
    const gms_param_t *row;

    for (row = gms_param_table; row->name != NULL; ++row) {
        CU_ASSERT_PTR_EQUAL(gms_param_find(row->name), row);
    }
    CU_ASSERT_PTR_NULL(gms_param_find("no such name"));
    CU_ASSERT_PTR_NULL(gms_param_find(""));
}

static void test_every_row_has_a_source(void)
{
    const gms_param_t *row;

    for (row = gms_param_table; row->name != NULL; ++row) {
        size_t len = strlen(row->doc);
        const char *origin = strstr(row->doc, " [source: ");

        if (origin == NULL) {
            origin = strstr(row->doc, " [assumed: ");
        }
        if (origin == NULL || row->doc[len - 1] != ']') {
            printf("\n    %s: no source at the end of \"%s\"\n", row->name,
                   row->doc);
        }
        CU_ASSERT_PTR_NOT_NULL(origin);
        CU_ASSERT_EQUAL(row->doc[len - 1], ']');
        CU_ASSERT_PTR_NOT_NULL(row->unit);
    }
}

static void test_defaults_lie_in_range(void)
{
    const gms_param_t *row;

    for (row = gms_param_table; row->name != NULL; ++row) {
        if (row->value < row->min || row->value > row->max) {
            printf("\n    %s\n", row->name);
        }
        CU_ASSERT_TRUE(row->min <= row->max);
        CU_ASSERT_TRUE(row->value >= row->min);
        CU_ASSERT_TRUE(row->value <= row->max);
    }
}

static void test_choices_fill_their_range(void)
{
    const gms_param_t *row;

    for (row = gms_param_table; row->name != NULL; ++row) {
        uint64_t count = 0;

        if (row->names == NULL) {
            continue;
        }
        while (row->names[count] != NULL) {
            ++count;
        }
        CHECK_U64(row->min, 0);
        CHECK_U64(count, row->max + 1);
    }
}

static void test_init_sets_every_default(void)
{
    const gms_param_t *row;
    gms_params_t params;

    memset(&params, 0xcc, sizeof(params));
    gms_params_init(&params);
    for (row = gms_param_table; row->name != NULL; ++row) {
        CHECK_U64(gms_param_get(&params, row), row->value);
    }
    CHECK_U64(params.hosts, 16);
    CHECK_U64(params.scheduler, GMS_SCHEDULER_RATE);
    CHECK_U64(params.link_bytes_s, 160000000);
}

static void test_set_changes_one_value(void)
{
    const gms_param_t *row, *other;
    gms_params_t params;

    for (row = gms_param_table; row->name != NULL; ++row) {
        gms_params_init(&params);
        gms_param_set(&params, row, row->min);
        for (other = gms_param_table; other->name != NULL; ++other) {
            CHECK_U64(gms_param_get(&params, other),
                      (other == row) ? row->min : other->value);
        }
    }
}

static void test_profiles_fit_together(void)
{
    char error[GMS_YAML_ERROR_LEN];
    gms_cluster_t cluster = {.graph = {0}};
    size_t i;

    for (i = 0; gms_profile_names[i] != NULL; ++i) {
        gms_profile_init(gms_profile_at(i), &cluster.params);
        CHECK_U64(gms_cluster_check(&cluster, error), GMS_OK);
        CU_ASSERT_STRING_EQUAL(error, "");
    }
}

/** Each value in a profile belongs to a row and is within its range. The value
 * differs from the default, occurs only once, and has a source. */
static void test_profiles_say_what_differs(void)
{
    const gms_profile_value_t *value;
    size_t i;

    for (i = 0; gms_profile_names[i] != NULL; ++i) {
        const gms_profile_t *profile = gms_profile_find(gms_profile_names[i]);

        CU_ASSERT_PTR_EQUAL_FATAL(profile, gms_profile_at(i));
        CU_ASSERT_STRING_EQUAL(profile->name, gms_profile_names[i]);
        for (value = profile->values; value->row != NULL; ++value) {
            const gms_param_t *row = gms_param_find(value->row);

            CU_ASSERT_PTR_NOT_NULL_FATAL(row);
            CU_ASSERT_TRUE(value->value >= row->min &&
                           value->value <= row->max);
            CU_ASSERT_NOT_EQUAL(value->value, row->value);
            CU_ASSERT_PTR_EQUAL(gms_profile_value(profile, row), value);
            CU_ASSERT_TRUE(strstr(value->doc, "[source: ") != NULL ||
                           strstr(value->doc, "[assumed: ") != NULL);
            CU_ASSERT_EQUAL(value->doc[strlen(value->doc) - 1], ']');
        }
    }
    CU_ASSERT_PTR_NULL(gms_profile_find("lanai"));
}

static void test_a_profile_is_where_params_begin(void)
{
    gms_params_t params;

    gms_profile_init(gms_profile_find("myrinet2000"), &params);
    CHECK_U64(params.link_bytes_s, 250000000);
    CHECK_U64(params.mcp_rate_flow_cycles, 0);
    CHECK_U64(params.rtc_tick_ps, 500000); /* unchanged */
    gms_profile_init(gms_profile_find("lanai4.3"), &params);
    CHECK_U64(params.link_bytes_s, 160000000);
}

static void test_arena_grows_with_the_ranks(void)
{
    gms_params_t params;

    gms_params_init(&params);
    CHECK_U64(gms_params_arena_bytes(&params, 1), UINT64_C(4) << 30);
    CHECK_U64(gms_params_arena_bytes(&params, 16), UINT64_C(4) << 30);
    CHECK_U64(gms_params_arena_bytes(&params, 17), UINT64_C(17) << 28);
    CHECK_U64(gms_params_arena_bytes(&params, 1024), UINT64_C(256) << 30);
    CHECK_U64(gms_params_arena_bytes(&params, UINT64_MAX), UINT64_C(256) << 30);
    params.arena_bytes = GMS_PARAM_ARENA_LEAST;
    CHECK_U64(gms_params_arena_bytes(&params, 1024), GMS_PARAM_ARENA_LEAST);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"every field has one row in the table", test_every_field_has_one_row},
        {"names are distinct", test_names_are_distinct},
        {"every row has a source", test_every_row_has_a_source},
        {"defaults are in range", test_defaults_lie_in_range},
        {"every value in a choice's range has a name",
         test_choices_fill_their_range},
        {"the initialisation sets every default", test_init_sets_every_default},
        {"set changes one value", test_set_changes_one_value},
        {"profiles are consistent", test_profiles_fit_together},
        {"profiles list their differences", test_profiles_say_what_differs},
        {"a profile initialises the parameters",
         test_a_profile_is_where_params_begin},
        {"the arena grows with the ranks", test_arena_grows_with_the_ranks},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"params", NULL, NULL, NULL, NULL, tests});
}
