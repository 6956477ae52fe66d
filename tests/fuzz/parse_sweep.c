/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the reader of gmsim sweep with random bytes as the file of a sweep.
 */
#include <string.h>

#include "parse.h"
#include "sweep/sweep.h"

static void parse_check_variable(const gms_sweep_t *sweep,
                                 const gms_sweep_variable_t *variable)
{
    PARSE_CHECK(variable->name != NULL && variable->count > 0 &&
                    variable->count <= GMS_SWEEP_VALUES_MAX &&
                    variable->axis < sweep->axes,
                "a variable has no name, or an invalid number of values (%zu) "
                "or axis (%u)",
                variable->count, variable->axis);
    for (size_t i = 0; i < variable->count; ++i) {
        PARSE_CHECK(variable->values[i] != NULL, "value %zu is missing", i);
    }
    /* check the values of the first and the last run */
    PARSE_CHECK(gms_sweep_value(sweep, variable, 0) == variable->values[0],
                "incorrect value of run 0");
    PARSE_CHECK(gms_sweep_value(sweep, variable, sweep->runs - 1) ==
                    variable->values[variable->count - 1],
                "incorrect value of run %llu",
                (unsigned long long)sweep->runs - 1);
}

static void parse_check_sweep(const gms_sweep_t *sweep)
{
    PARSE_CHECK(sweep->command != NULL && sweep->base != NULL &&
                    sweep->slurm != NULL,
                "the text of the command, base or slurm key is missing");
    PARSE_CHECK(sweep->runs > 0 && sweep->runs <= GMS_SWEEP_RUNS_MAX &&
                    sweep->runs == sweep->points * sweep->repetitions,
                "incorrect number of runs: %llu",
                (unsigned long long)sweep->runs);
    for (size_t i = 0; i < sweep->variable_count; ++i) {
        parse_check_variable(sweep, &sweep->variables[i]);
    }
    for (size_t i = 0; i < sweep->result_count; ++i) {
        PARSE_CHECK(sweep->results[i].name != NULL &&
                        sweep->results[i].where_count <= GMS_SWEEP_WHERE,
                    "result %zu is invalid", i);
    }
    PARSE_CHECK(gms_sweep_seed(sweep, sweep->runs - 1) == sweep->repetitions,
                "incorrect seed of the last run");
}

const char *const *parse_words(void)
{
    static const char *const words[] = {
        "command",
        "cluster",
        "set",
        "grid",
        "together",
        "repetitions",
        "results",
        "column",
        "regex",
        "record",
        "line",
        "word",
        "where",
        "from",
        "to",
        "step",
        "factor",
        "timeout_s",
        "cores",
        "slurm",
        "scheduler",
        "{size}",
        "{seed}",
        "hosts",
        "seed",
        "\"{scheduler}\"",
        "[rate, message-rr]",
        "{from: 1, to: 9, step: 2}",
        "{from: 1, to: 64, factor: 4}",
        "x: {column: bandwidth}",
        "{{",
        "}}",
        NULL,
    };

    return words;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[GMS_YAML_ERROR_LEN];
    gms_sweep_t sweep;

    memset(error, 'x', sizeof(error));
    parse_file_set(data, size);
    if (gms_sweep_load(PARSE_NAME, NULL, &sweep, error) != GMS_OK) {
        PARSE_CHECK(memchr(error, '\0', sizeof(error)) != NULL &&
                        error[0] != '\0',
                    "no message");
        return 0;
    }
    parse_check_sweep(&sweep);
    gms_sweep_clear(&sweep);
    return 0;
}
