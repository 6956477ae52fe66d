/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs ranks as forked processes that share a gate, for tests of the time
 * modes. A test measures an interval with the clock that the gate uses (CPU
 * time or real time), and compares the result with that of the gate.
 */
#ifndef TESTS_UNIT_TIME_RIG_H
#define TESTS_UNIT_TIME_RIG_H

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/gate.h"
#include "unit.h"

#define ARENA_BYTES (UINT64_C(16) << 20)
#define RANKS_MAX   4
/* a test waits at most this long */
#define LIMIT_NS UINT64_C(60000000000)

typedef struct shared {
    int flag;
    unsigned failures;
    uint64_t seen[16];
} shared_t;

typedef void rank_main(gms_ctx_t *ctx, shared_t *shared);

/* Checks that _less is at most _more. If it is not, the macro prints both values,
 * and run() counts the failure. */
#define EXPECT_LE(_less, _more)                                                \
    do {                                                                       \
        uint64_t less_ = (_less);                                              \
        uint64_t more_ = (_more);                                              \
        if (less_ > more_) {                                                   \
            fprintf(stderr,                                                    \
                    "\n    %s:%d: %s is %" PRIu64 ", %s is %" PRIu64 "\n",     \
                    __FILE__, __LINE__, #_less, less_, #_more, more_);         \
            __atomic_add_fetch(&shared->failures, 1, __ATOMIC_RELAXED);        \
        }                                                                      \
    } while (0)

static inline uint64_t read_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t cpu_ns(void)
{
    return read_ns(CLOCK_THREAD_CPUTIME_ID);
}

static inline uint64_t wall_ns(void)
{
    return read_ns(CLOCK_MONOTONIC);
}

static uint64_t begun_ns
    __attribute__((unused)); /* real time when a rank begins, before its virtual
                              * time starts */

static inline void burn(uint64_t ns)
{
    uint64_t end_ns = cpu_ns() + ns;

    while (cpu_ns() < end_ns) {
    }
}

/* Runs `size` ranks. @return number of failed ranks plus number of failed
 * checks */
static inline unsigned run(unsigned size, enum gms_time_mode mode,
                           uint64_t factor_ppm, rank_main *body,
                           shared_t **shared_p)
{
    void *memory = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    gms_ctx_t ctx = {.self_rank = -1};
    unsigned bad = 0;
    unsigned rank;
    unsigned missing;
    shared_t *shared;
    int how;

    if (memory == MAP_FAILED ||
        gms_arena_format(memory, ARENA_BYTES, &ctx.arena) != GMS_OK ||
        gms_engine_create(ctx.arena, &ctx.engine) != GMS_OK ||
        gms_gate_create(ctx.arena, size, &ctx.gate) != GMS_OK) {
        abort();
    }
    gms_gate_set_time(ctx.gate, mode, factor_ppm);
    gms_gate_register(&ctx);
    shared = gms_arena_alloc(ctx.arena, sizeof(*shared));
    fflush(NULL);
    for (rank = 0; rank < size; ++rank) {
        if (fork() == 0) {
            alarm(120);
            begun_ns = wall_ns();
            if (gms_gate_join(&ctx, rank, 60, &missing) != GMS_OK) {
                _exit(99);
            }
            body(&ctx, shared);
            gms_gate_finish(&ctx);
            _exit(0);
        }
    }
    while (wait(&how) > 0) {
        bad += WIFSIGNALED(how) ? 100 : WEXITSTATUS(how) != 0;
    }
    if (shared_p != NULL) {
        *shared_p = shared;
    }
    return bad + shared->failures;
}

static inline gms_time_t look(gms_ctx_t *ctx)
{
    gms_time_t clock_ps;

    gms_gate_lock(ctx);
    clock_ps = gms_gate_clock(ctx);
    gms_gate_unlock(ctx);
    return clock_ps;
}

#endif
