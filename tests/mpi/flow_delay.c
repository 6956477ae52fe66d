/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests requests for delays and jitters. Each request is either granted with a
 * bound that no message exceeds, or denied with the smallest possible bound.
 * The structs of older programs must still work.
 */
#include "hints.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define SIZE     4000
#define MESSAGES 60

static MPI_Comm comm;

static MPIQOS_Flow start(void)
{
    MPIQOS_Flow flow = MPIQOS_FLOW_INIT;

    flow.peer = 1;
    flow.bandwidth = 10 * MB;
    flow.message_size = SIZE;
    return flow;
}

static MPIQOS_Flow *answered(MPIQOS_Flow *flow)
{
    MPIQOS_Flow *answer = NULL;
    int found = 0;

    CHECK(MPI_Comm_set_attr(comm, MPIQOS_FLOW, flow) == MPI_SUCCESS, "refused");
    MPI_Comm_get_attr(comm, MPIQOS_FLOW, &answer, &found);
    if (!found) {
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    return answer;
}

/* Check the bounds in an answer.
 * @return the delay bound of the flow */
static double check_bounds(void)
{
    MPIQOS_Flow flow = start();
    MPIQOS_Flow *answer = answered(&flow);

    CHECK(answer->state == MPIQOS_GRANTED, "%s", answer->reason);
    CHECK(answer->size == MPIQOS_FLOW_SIZE, "size %x", answer->size);
    CHECK(answer->latency > 0 && answer->latency < 0.1, "latency %g",
          answer->latency);
    CHECK(answer->delay_bound > 20e-6 && answer->delay_bound < 0.1, "delay %g",
          answer->delay_bound);
    CHECK(answer->jitter_bound > 0 &&
              answer->jitter_bound < answer->delay_bound,
          "jitter %g", answer->jitter_bound);
    CHECK(strstr(answer->reason, "delay") == NULL, "%s", answer->reason);
    return answer->delay_bound;
}

/*
 * First request an impossible value, and then the value that the denial reports
 * as possible.
 */
static void check_least(double asked, int criterion)
{
    MPIQOS_Flow flow = start();
    int is_delay = (criterion == MPIQOS_CRITERION_DELAY);
    double least;
    MPIQOS_Flow *answer;

    MPI_Comm_delete_attr(comm, MPIQOS_FLOW);
    *(is_delay ? &flow.delay : &flow.jitter) = asked;
    answer = answered(&flow);
    least = is_delay ? answer->delay_bound : answer->jitter_bound;
    CHECK(answer->state == MPIQOS_DENIED, "%s", answer->reason);
    CHECK(answer->criterion == criterion, "%s",
          MPIQOS_Criterion_name(answer->criterion));
    CHECK(least > asked, "least %g", least);
    CHECK(strstr(answer->reason, is_delay ? "the smallest delay that can be "
                                            "guaranteed is "
                                          : "the smallest jitter that can be "
                                            "guaranteed is ") != NULL,
          "%s", answer->reason);
    *(is_delay ? &flow.delay : &flow.jitter) = least;
    answer = answered(&flow);
    CHECK(answer->state == MPIQOS_GRANTED, "%s", answer->reason);
    CHECK((is_delay ? answer->delay_bound : answer->jitter_bound) <=
              least * (1 + 1e-9),
          "%g, %g asked", answer->delay_bound, least);
    CHECK(strstr(answer->reason,
                 is_delay ? ", delay at most " : ", jitter at most ") != NULL,
          "%s", answer->reason);
    MPI_Comm_delete_attr(comm, MPIQOS_FLOW);
}

/* Check that a larger burst leads to a larger bound. */
static void check_burst(double bound)
{
    MPIQOS_Flow flow = start();

    flow.burst = 20 * SIZE;
    CHECK(answered(&flow)->delay_bound > bound,
          "the bound with a burst is %g s, but without a burst it is %g s",
          answered(&flow)->delay_bound, bound);
}

static void check_rendezvous(void)
{
    MPIQOS_Flow flow = start();
    MPIQOS_Flow *answer;

    flow.message_size = 65536;
    flow.jitter = 1;
    answer = answered(&flow);
    CHECK(answer->state == MPIQOS_DENIED, "%s", answer->reason);
    CHECK(answer->criterion == MPIQOS_CRITERION_JITTER, "%d",
          answer->criterion);
    CHECK(strstr(answer->reason, "eagerly (up to 16000 bytes)") != NULL, "%s",
          answer->reason);
    CHECK(answer->granted_bandwidth > 0, "the earlier reservation is lost");
    flow.jitter = 0;
    answer = answered(&flow);
    CHECK(answer->state == MPIQOS_GRANTED, "%s", answer->reason);
    CHECK(answer->delay_bound > 0 && answer->latency == 0, "%g, %g",
          answer->delay_bound, answer->latency);
}

/* Send one message at a time, because the sender must not exceed its burst. */
static void check_messages(void)
{
    static char data[SIZE];
    MPIQOS_Flow flow = start();
    double longest = 0;

    flow.burst = 4 * SIZE;
    if (check_rank == 0) {
        CHECK(answered(&flow)->state == MPIQOS_GRANTED, "%s", flow.reason);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < MESSAGES; ++i) {
        double begin = MPI_Wtime();

        if (check_rank == 0) {
            MPI_Send(data, SIZE, MPI_CHAR, 1, i, comm);
            MPI_Recv(data, 1, MPI_CHAR, 1, i, comm, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(data, SIZE, MPI_CHAR, 0, i, comm, MPI_STATUS_IGNORE);
            MPI_Send(data, 1, MPI_CHAR, 0, i, comm);
        }
        longest = fmax(longest, MPI_Wtime() - begin);
    }
    if (check_rank == 0) {
        MPIQOS_Flow_state(comm, &flow);
        CHECK(flow.worst_delay > 20e-6, "%g", flow.worst_delay);
        CHECK(flow.worst_delay <= flow.delay_bound, "%g, bound %g",
              flow.worst_delay, flow.delay_bound);
        MPIQOS_Peer_state(comm, 1, &flow);
        CHECK(flow.worst_delay <= flow.delay_bound, "%g, bound %g",
              flow.worst_delay, flow.delay_bound);
    }
}

static void refuse(MPIQOS_Flow flow, const char *field)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    int code = MPI_Comm_set_attr(comm, MPIQOS_FLOW, &flow);

    CHECK(code != MPI_SUCCESS, "%s accepted", field);
    MPI_Error_string(code, text, &length);
    CHECK(strstr(text, field) != NULL && strstr(text, "allowed: ") != NULL,
          "'%s' does not name %s", text, field);
}

static void check_malformed(void)
{
    const double times[] = {-1e-3, NAN, INFINITY, 41.0};
    MPIQOS_Flow flow;

    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); ++i) {
        flow = start();
        flow.delay = times[i];
        refuse(flow, "field delay");
        flow = start();
        flow.jitter = times[i];
        refuse(flow, "field jitter");
    }
    flow = start();
    flow.burst = -1;
    refuse(flow, "field burst");
    flow.burst = MPIQOS_MAX_BURST + 1;
    refuse(flow, "field burst");
    flow = start();
    flow.qos_class = MPIQOS_BEST_EFFORT;
    flow.delay = 1e-3;
    refuse(flow, "MPIQOS_BEST_EFFORT");
}

/*
 * Check a program that was compiled before the struct had fields for delays.
 * The library must not write beyond the end of the program's old, shorter
 * struct.
 */
static void check_old_program(void)
{
    const size_t bytes = offsetof(MPIQOS_Flow, burst);
    union {
        MPIQOS_Flow flow;
        unsigned char bytes[sizeof(MPIQOS_Flow)];
    } old = {.flow = start()};
    MPIQOS_Flow *answer;

    old.flow.size = 0x7f3c; /* write arbitrary bytes to the padding */
    memset(&old.bytes[bytes], 0x5a, sizeof(old) - bytes);
    answer = answered(&old.flow);
    CHECK(answer->state == MPIQOS_GRANTED, "%s", answer->reason);
    CHECK(answer->delay == 0 && answer->burst == 0, "%g %ld", answer->delay,
          answer->burst);
    CHECK((MPIQOS_Flow_state)(comm, &old.flow) == MPI_SUCCESS,
          "the flow's state is not available");
    CHECK(old.flow.granted_bandwidth >= 10 * MB, "%g",
          old.flow.granted_bandwidth);
    for (size_t i = bytes; i < sizeof(old); ++i) {
        CHECK(old.bytes[i] == 0x5a, "byte %zu was written", i);
    }
}

static void check_hints(void)
{
    MPI_Comm_delete_attr(comm, MPIQOS_FLOW);
    hint(comm, "mpiqos_peer", "1", "mpiqos_bandwidth", "10 MB/s",
         "mpiqos_message_size", "4000", "mpiqos_delay", "1 us", NULL);
    CHECK_HINT(comm, "mpiqos_state", "denied");
    CHECK_HINT(comm, "mpiqos_criterion", "delay");
    CHECK_HINT(comm, "mpiqos_delay", "1e-06 s");
    CHECK(atof(hint_of(comm, "mpiqos_delay_bound")) > 20e-6, "%s",
          hint_of(comm, "mpiqos_delay_bound"));
    hint(comm, "mpiqos_delay", "50 ms", "mpiqos_burst", "8 kB", NULL);
    CHECK_HINT(comm, "mpiqos_state", "granted");
    CHECK_HINT(comm, "mpiqos_burst", "8000");
    hint(comm, "mpiqos_delay", "5", NULL);
    CHECK_HINT(comm, "mpiqos_state", "malformed");
    CHECK_HINT(
        comm, "mpiqos_reason",
        "hint mpiqos_delay: '5' is not a valid time; allowed: 0 to 40 s, "
        "with a unit: s, ms, us, ns");
    hint(comm, "mpiqos_jitter", "-1 ms", NULL);
    CHECK_HINT(comm, "mpiqos_state", "malformed");
    hint(comm, "mpiqos_burst", "nan", NULL);
    CHECK_HINT(comm, "mpiqos_state", "malformed");
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (check_rank == 0) {
        double bound = check_bounds();

        check_least(1e-6, MPIQOS_CRITERION_DELAY);
        check_least(1e-9, MPIQOS_CRITERION_JITTER);
        check_burst(bound);
        check_rendezvous();
        check_malformed();
        check_old_program();
        check_hints();
        MPI_Comm_delete_attr(comm, MPIQOS_FLOW);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    check_messages();
    MPI_Comm_free(&comm);
    return check_end();
}
