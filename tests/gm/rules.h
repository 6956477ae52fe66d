/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Declares the common parts of the conformance tests of the GM library. There
 * is one program per heading of the rules for GM, and one test per rule.
 * README.md lists the tests for every rule.
 *
 *   RULE(name, ranks, cluster)      a test that runs as `ranks` processes, on
 *   {                               this cluster description (NULL: default)
 *       ... of process `rank` ...
 *   }
 *   TABLE_BEGIN
 *       ENTRY(name, "text of the rule")
 *   TABLE_END("heading")
 */
#ifndef TESTS_GM_RULES_H
#define TESTS_GM_RULES_H

#include "gm.h"

#include "ranks.h"
#include "unit.h"

#define US UINT64_C(1000000) /* one microsecond in picoseconds */
#define MS (1000 * US)

#define RULE(_name, _ranks, _cluster)                                          \
    static void body_##_name(__attribute__((unused)) unsigned rank);           \
    static void rule_##_name(void)                                             \
    {                                                                          \
        ranks_use_cluster(_cluster);                                           \
        CHECK_U64(ranks_run(_ranks, body_##_name), 0);                         \
        ranks_use_cluster(NULL);                                               \
    }                                                                          \
    static void body_##_name(__attribute__((unused)) unsigned rank)

#define ENTRY(_name, _text) {_text, rule_##_name},

#define TABLE_BEGIN                                                            \
    int main(void)                                                             \
    {                                                                          \
        CU_TestInfo rules[] = {
#define TABLE_END(_heading)                                                    \
    CU_TEST_INFO_NULL,                                                         \
    }                                                                          \
    ;                                                                          \
    CU_SuiteInfo suites[] = {                                                  \
        {_heading, NULL, NULL, NULL, NULL, rules},                             \
        CU_SUITE_INFO_NULL,                                                    \
    };                                                                         \
                                                                               \
    return unit_run(suites);                                                   \
    }

/*
 * Provide buffers of one size and priority; each buffer has the given number of
 * bytes.
 */
static inline void give_buffers(struct gm_port *port, unsigned count,
                                unsigned size, unsigned priority,
                                gm_size_t bytes)
{
    unsigned i;

    for (i = 0; i < count; ++i) {
        gm_provide_receive_buffer(port, gm_dma_malloc(port, bytes), size,
                                  priority);
    }
}

/* Pass all pending events of a port to gm_unknown(). */
static inline void drain(struct gm_port *port)
{
    while (gm_receive_pending(port)) {
        gm_unknown(port, gm_receive(port));
    }
}

/* Let the given time pass, and handle all events in the meantime. Discard all
 * messages. */
static inline void pass(struct gm_port *port, uint64_t duration_ps)
{
    uint64_t end_ps = gmsim_time_ps() + duration_ps;

    while (gmsim_time_ps() < end_ps) {
        gm_unknown(port, gm_receive(port));
    }
}

/* Return the next event that is neither GM_NO_RECV_EVENT nor a sleep event. */
static inline union gm_recv_event *next_event(struct gm_port *port)
{
    return gm_blocking_receive(port);
}

#define EXPECT_TYPE(_event, _type) EXPECT_U64(GM_RECV_EVENT_TYPE(_event), _type)

#endif
