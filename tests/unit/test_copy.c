/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests copies between the memories of ranks, with real processes.
 */
#include "gate_rig.h"

#include "engine/copy.h"

/* Rank 1 reads and writes private memory of rank 0 on behalf of rank 0. */
static void body_copy(gms_ctx_t *ctx, shared_t *shared)
{
    static char text[64] = "nothing";

    if (ctx->self_rank == 0) {
        void *staged = NULL;

        snprintf(text, sizeof(text), "%s", "from rank 0");
        gms_gate_run_events_until_turn(ctx);
        if (gms_copy_stage(ctx, text, sizeof(text), &staged) != GMS_OK) {
            _exit(94);
        }
        shared->address = staged != NULL ? (uintptr_t)staged : (uintptr_t)text;
        shared->log[100] = (uintptr_t)text;
        gms_gate_run_events_until_signal(ctx, 20 * GMS_US, "rank 1");
        gms_copy_take_in(ctx);
        note(shared, strcmp(text, "from rank 1") == 0);
        gms_gate_unlock(ctx);
    } else {
        char got[64];
        char answer[64] = "from rank 1";

        gms_gate_run_events_until_turn(ctx);
        gms_gate_run_events_until_signal(ctx, 10 * GMS_US, "rank 0");
        note(shared, gms_copy_read(ctx, 0, shared->address, got, sizeof(got)) ==
                             GMS_OK &&
                         strcmp(got, "from rank 0") == 0);
        note(shared, gms_copy_write(ctx, 0, shared->log[100], answer,
                                    sizeof(answer)) == GMS_OK);
        gms_gate_unlock(ctx);
    }
}

static void test_copy(void)
{
    shared_t *shared;
    int staging;

    for (staging = 0; staging < 2; ++staging) {
        CHECK_U64(run(2, body_copy, staging, &shared), 0);
        CHECK_U64(shared->log[0], 1);
        CHECK_U64(shared->log[1], 1);
        CHECK_U64(shared->log[2], 1);
    }
}

/* Write to the rank's own memory after a delay. The first write is complete
 * before the memory is read. The second and the third write overlap, and the
 * overlapping bytes are those of the third write. */
static void body_late(gms_ctx_t *ctx, shared_t *shared)
{
    static char source[] = "0123456789abcdef", target[] = "................";
    uint64_t address = (uintptr_t)target;
    uint64_t *lost_p = gms_arena_alloc(ctx->arena, sizeof(*lost_p));
    gms_ahead_t *ahead;
    char got[17] = "";

    gms_gate_run_events_until_turn(ctx);
    ahead = gms_copy_read_ahead(ctx, 0, (uintptr_t)source, 16);
    if (lost_p == NULL || ahead == NULL) {
        _exit(94);
    }
    gms_copy_write_late(ctx, 0, address, ahead, 0, 4, lost_p);
    note(shared, gms_copy_read(ctx, 0, address, got, 16) == GMS_OK &&
                     strcmp(got, "0123............") == 0);
    gms_copy_write_late(ctx, 0, address + 8, ahead, 0, 8, lost_p);
    gms_copy_write_late(ctx, 0, address + 4, ahead, 8, 8, lost_p);
    gms_copy_take_in(ctx);
    note(shared, strcmp(target, "012389abcdef4567") == 0);
    note(shared, *lost_p);
    gms_ahead_drop(ctx, ahead);
    gms_gate_unlock(ctx);
}

static void test_late_writes(void)
{
    shared_t *shared;

    CHECK_U64(run(1, body_late, 0, &shared), 0);
    CHECK_U64(shared->log[0], 1);
    CHECK_U64(shared->log[1], 1);
    CHECK_U64(shared->log[2], 0);
}

/* Borrowed bytes are read when they are written to the target. Bytes that have
 * not been written when the owner may change them are copied. */
static void body_borrow(gms_ctx_t *ctx, shared_t *shared)
{
    uint64_t *lost_p = gms_arena_alloc(ctx->arena, sizeof(*lost_p));
    char *source = gms_arena_alloc(ctx->arena, 16);
    char *target = gms_arena_alloc(ctx->arena, 17);
    uint64_t from = (uintptr_t)source, to = (uintptr_t)target;
    gms_ahead_t *ahead;

    gms_gate_run_events_until_turn(ctx);
    if (lost_p == NULL || source == NULL || target == NULL) {
        _exit(94);
    }
    memcpy(source, "................", 16);
    note(shared, gms_copy_is_shared(ctx, from, 16) != 0);
    ahead = gms_copy_borrow(ctx, 0, from, 16);
    if (ahead == NULL) {
        _exit(95);
    }
    memcpy(source, "0123456789abcdef", 16);
    gms_copy_write_late(ctx, 0, to, ahead, 0, 4, lost_p);
    note(shared, memcmp(target, "0123", 4) == 0);
    /* out of order: not counted */
    gms_copy_write_late(ctx, 0, to + 12, ahead, 12, 4, lost_p);
    gms_ahead_use(ahead, 4, 8); /* a packet in flight */
    gms_ahead_end(ctx, ahead);
    memcpy(source, "changed afterwards", 16);
    gms_copy_write_late(ctx, 0, to + 4, ahead, 4, 8, lost_p);
    note(shared, memcmp(target, "0123456789abcdef", 16) == 0);
    /* bytes that were written before cannot be read again */
    note(shared, gms_ahead_at(ahead, 0) == NULL &&
                     gms_ahead_at(ahead, 4) != NULL && *lost_p == 0);
    gms_ahead_drop(ctx, ahead);
    gms_gate_unlock(ctx);
}

/* Private memory of another process cannot be borrowed. */
static void body_no_borrow(gms_ctx_t *ctx, shared_t *shared)
{
    static char source[16];

    gms_gate_run_events_until_turn(ctx);
    note(shared, gms_copy_borrow(ctx, 0, (uintptr_t)source, 16) == NULL);
    gms_gate_unlock(ctx);
}

static void test_borrowed(void)
{
    shared_t *shared;
    int i;

    CHECK_U64(run(1, body_borrow, 0, &shared), 0);
    for (i = 0; i < 4; ++i) {
        CHECK_U64(shared->log[i], 1);
    }
    CHECK_U64(run(1, body_no_borrow, 0, &shared), 0);
    CHECK_U64(shared->log[0], 1);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"borrowed bytes", test_borrowed},
        {"copies between ranks", test_copy},
        {"delayed writes to a rank's own memory", test_late_writes},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"copies", NULL, NULL, NULL, NULL, tests});
}
