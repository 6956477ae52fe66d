/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests that every answer states which traffic can break the guarantee. Rank 0
 * requests 20 MB/s to rank 1 first with the attribute and then with hints, and
 * reads all answers.
 *
 * usage: flow_declared 0|1. 1 means that guarantees hold only against declared
 * traffic; this depends on the parameter `undeclared` of the cluster
 */
#include "hints.h"

#include <gm_qos.h>
#include <gmsim.h>
#include <string.h>

static int expected;

static void check_flow(const MPIQOS_Flow *flow, const char *what)
{
    int says =
        strstr(flow->reason,
               "the guarantee holds only against declared traffic") != NULL;

    CHECK(flow->state == MPIQOS_GRANTED, "%s: %s", what, flow->reason);
    CHECK(flow->declared_only == expected, "%s: %d", what, flow->declared_only);
    CHECK(says == expected, "%s: %s", what, flow->reason);
}

static void check_attribute(void)
{
    MPIQOS_Flow now = MPIQOS_FLOW_INIT;

    check_flow(ask(MPI_COMM_WORLD, 1, 20 * MB), "answer");
    MPIQOS_Flow_state(MPI_COMM_WORLD, &now);
    check_flow(&now, "state");
    MPIQOS_Peer_state(MPI_COMM_WORLD, 1, &now);
    check_flow(&now, "state of the peer");
}

/* The answer for a flow without a reservation must not mention declared
 * traffic. */
static void check_others(void)
{
    const MPIQOS_Flow *answer =
        ask_for(MPI_COMM_WORLD, 1, MPIQOS_BEST_EFFORT, 0);

    CHECK(answer->state == MPIQOS_GRANTED && !answer->declared_only, "%s",
          answer->reason);
    answer = ask(MPI_COMM_WORLD, 1, 1000 * MB);
    CHECK(answer->state == MPIQOS_DENIED && !answer->declared_only &&
              strstr(answer->reason, "declared traffic") == NULL,
          "%s", answer->reason);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, MPIQOS_FLOW);
}

static void check_hints(void)
{
    char reason[MPI_MAX_INFO_VAL + 1] = "";
    MPI_Info info;
    MPI_Comm comm;
    int found;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (check_rank == 0) {
        MPI_Info_create(&info);
        MPI_Info_set(info, "mpiqos_peer", "1");
        MPI_Info_set(info, "mpiqos_bandwidth", "20 MB/s");
        MPI_Comm_set_info(comm, info);
        MPI_Info_free(&info);
        MPI_Comm_get_info(comm, &info);
        MPI_Info_get(info, "mpiqos_reason", MPI_MAX_INFO_VAL, reason, &found);
        CHECK(
            found &&
                (strstr(reason,
                        "the guarantee holds only against declared traffic") !=
                 NULL) == expected,
            "%s", reason);
        MPI_Info_free(&info);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
}

/* Check the answer that the GM library gives for another port of this
 * process. */
static void check_gm(void)
{
    gm_qos_flow_t flow = {.target_port = 5};
    gm_qos_flow_state_t state;
    gm_qos_answer_t answer;
    struct gm_port *port;
    gmsim_place_t place;

    CHECK(gmsim_get_place(1, &place) == GM_SUCCESS, "rank 1 was not found");
    flow.target_node = place.node_id;
    CHECK(gm_open(&port, 0, 6, "declared", GM_API_VERSION) == GM_SUCCESS,
          "cannot open a port");
    CHECK(gm_qos_request(port, &flow, 10 * MB, GM_QOS_PREMIUM, 0, &answer) ==
              GM_SUCCESS,
          "gm_qos_request() failed");
    CHECK(answer.granted && answer.declared_only == expected, "%d, %d",
          answer.granted, answer.declared_only);
    gm_qos_get_flow(port, &flow, &state);
    CHECK(state.declared_only == expected, "%d", state.declared_only);
    gm_qos_release(port, &flow);
    gm_qos_get_flow(port, &flow, &state);
    CHECK(state.declared_only == 0, "released");
    gm_close(port);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    expected = argc > 1 && strcmp(argv[1], "1") == 0;
    if (check_rank == 0) {
        check_attribute();
        check_others();
        check_gm();
    }
    check_hints();
    if (check_rank == 0) {
        check_flow(ask(MPI_COMM_WORLD, 1, 20 * MB), "last answer");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return check_end();
}
