/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creates traffic sources for tests from a valid configuration, which a test
 * can change.
 */
#ifndef TESTS_UNIT_SOURCE_RIG_H
#define TESTS_UNIT_SOURCE_RIG_H

#include <string.h>

#include "unit.h"
#include "hcasim/source.h"

static char error[GMS_SOURCE_ERROR_LEN];

/** Configure a source at node 2 of 16 nodes; it sends to all other nodes. The
 * source's packets have 40 flits of 16 bytes, and a flit takes 80 ns. */
static inline gms_source_config_t source_config(unsigned kind, double rate)
{
    return (gms_source_config_t){
        .kind = kind,
        .node = 2,
        .flit_bytes = 16,
        .packet_flits = 40,
        .cycle_ps = 80000,
        .seed = 7,
        .stream = 3,
        .target = {.pattern = GMS_TARGET_UNIFORM, .nodes = 16},
        .rate = rate,
    };
}

static inline gms_source_t *make_source(const gms_source_config_t *config)
{
    gms_source_t *source = NULL;

    if (gms_source_create(config, &source, error) != GMS_OK) {
        printf("\n    %s\n", error);
        abort();
    }
    return source;
}

static inline void check_refused(const gms_source_config_t *config,
                                 gms_status_t status, const char *text)
{
    gms_source_t *source = NULL;

    error[0] = '\0';
    CHECK_U64(gms_source_create(config, &source, error), status);
    CU_ASSERT_PTR_NULL(source);
    if (strstr(error, text) == NULL) {
        printf("\n    '%s' does not contain '%s'\n", error, text);
    }
    CU_ASSERT_PTR_NOT_NULL(strstr(error, text));
}

#endif
