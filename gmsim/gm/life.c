/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the start and the end of a process's use of GM: gm_init() joins
 * the simulation, gm_finalize() leaves the simulation, and gm_exit() runs the
 * registered exit functions. These functions join and leave the simulation by
 * calling job/sim.c.
 */
#include <stdio.h>
#include <stdlib.h>

#include "gm/port.h"
#include "job/sim.h"

gm_status_t gm_init(void)
{
    gm_status_t status = gms_sim_join();

    if (status == GM_SUCCESS) {
        ++gms_sim()->init_count;
    }
    return status;
}

void gm_finalize(void)
{
    gms_sim_t *sim = gms_sim_joined();

    if (sim == NULL || sim->init_count == 0 || --sim->init_count > 0) {
        return;
    }
    while (sim->ports != NULL) {
        gm_close(sim->ports);
    }
    gms_sim_leave(sim);
}

void gm_abort(void)
{
    abort();
}

gm_status_t gm_on_exit(void (*callback)(gm_status_t, void *), void *context)
{
    gms_sim_t *sim = gms_sim();
    gms_exit_hook_t *hook;

    if (callback == NULL) {
        return GM_INVALID_PARAMETER;
    }
    hook = malloc(sizeof(*hook));
    if (sim == NULL || hook == NULL) {
        free(hook);
        return GM_OUT_OF_MEMORY;
    }
    hook->callback = callback;
    hook->context = context;
    hook->next = sim->exit_hooks;
    sim->exit_hooks = hook;
    return GM_SUCCESS;
}

void gm_exit(gm_status_t status)
{
    gms_sim_t *sim = gms_sim();

    while (sim != NULL && sim->exit_hooks != NULL) {
        gms_exit_hook_t hook = *sim->exit_hooks;

        /* Remove the hook from the list before it is called, because the hook
         * itself may call gm_exit(). */
        free(sim->exit_hooks);
        sim->exit_hooks = hook.next;
        hook.callback(status, hook.context);
    }
    exit(status == GM_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE);
}

void _gm_assertion_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
    gm_abort();
}
