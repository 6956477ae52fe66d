/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends mpiexec when the job ends without a signal to mpiexec: after MPI_Abort, or
 * because the proxy has ended. */
#include "hydra.h"

#include "demux.h"
#include "hydra_server.h"

void gml_lose_proxy(const struct HYD_proxy *proxy)
{
    int i;

    if (gml_is_ending) {
        return;
    }
    fprintf(stderr, "mpiexec: hydra_pmi_proxy, which started the ranks, has "
                    "ended unexpectedly\n");
    gml_is_ending = 1;
    /* the ranks end with the proxy; kill also their children, in their process
     * groups */
    for (i = 0;
         proxy != NULL && proxy->pid != NULL && i < proxy->proxy_process_count;
         ++i) {
        if (proxy->pid[i] > 0) {
            kill(-proxy->pid[i], SIGKILL);
        }
    }
}

static const struct HYD_proxy *failed_proxy;

void gml_note_failure(const struct HYD_proxy *proxy)
{
    if (failed_proxy == NULL) {
        failed_proxy = proxy;
    }
}

const struct HYD_proxy *gml_failed_proxy(void)
{
    return failed_proxy;
}

int gml_is_aborting(void)
{
    static int calls;

    return calls++ > 0;
}

void gml_forward_output(void)
{
    int i;

    for (i = 0; i < 20; ++i) {
        usleep(2500);
        HYDT_dmx_wait_for_event(0);
    }
}
