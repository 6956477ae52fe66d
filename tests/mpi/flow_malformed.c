/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests that a malformed request raises an error of the library's own error
 * class through the communicator's error handler. The error message must
 * contain the name of the field, and the request must not change anything. */
#include "check.h"

#include <math.h>
#include <string.h>

static int handled;

static void count_errors(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    ++handled;
}

/* Check that the previous request is still in force. */
static void check_unchanged(MPI_Comm comm)
{
    MPIQOS_Flow *flow = NULL;
    int found = 0;

    MPI_Comm_get_attr(comm, MPIQOS_FLOW, &flow, &found);
    CHECK(found && flow->state == MPIQOS_GRANTED &&
              flow->bandwidth == 10 * MB && flow->peer == 1,
          "the earlier reservation was lost");
}

static void check_refused(MPI_Comm comm, MPIQOS_Flow *flow, const char *field,
                          const char *wrong)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    int class;
    int before = handled;
    int code = MPI_Comm_set_attr(comm, MPIQOS_FLOW, flow);

    CHECK(code != MPI_SUCCESS, "%s accepted", field);
    if (code == MPI_SUCCESS) {
        return;
    }
    CHECK(handled == before + 1, "%s: the error handler was called %d times",
          field, handled - before);
    MPI_Error_class(code, &class);
    CHECK(class == MPIQOS_ERR_FLOW, "%s: error class %d, not %d", field, class,
          MPIQOS_ERR_FLOW);
    MPI_Error_string(code, text, &length);
    CHECK(strstr(text, field) != NULL, "'%s' does not name %s", text, field);
    CHECK(strstr(text, wrong) != NULL, "'%s' does not contain '%s'", text,
          wrong);
    CHECK(strstr(text, "allowed: ") != NULL,
          "'%s' does not list the allowed values", text);
    check_unchanged(comm);
}

static void check_peers(MPI_Comm comm, MPIQOS_Flow flow)
{
    const int wrong[] = {-1, MPI_ANY_SOURCE, MPI_PROC_NULL, check_size,
                         1 << 30};

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
        flow.peer = wrong[i];
        check_refused(comm, &flow, "peer", "not a rank");
    }
    flow.peer = check_rank;
    check_refused(comm, &flow, "peer", "itself");
}

static void check_bandwidths(MPI_Comm comm, MPIQOS_Flow flow)
{
    flow.bandwidth = -1;
    check_refused(comm, &flow, "bandwidth", "negative");
    flow.bandwidth = -INFINITY;
    check_refused(comm, &flow, "bandwidth", "negative");
    flow.bandwidth = NAN;
    check_refused(comm, &flow, "bandwidth", "not a number");
    flow.bandwidth = INFINITY;
    check_refused(comm, &flow, "bandwidth", "too large");
    flow.bandwidth = 2 * MPIQOS_MAX_BANDWIDTH;
    check_refused(comm, &flow, "bandwidth", "too large");
}

static void check_others(MPI_Comm comm, MPIQOS_Flow flow)
{
    MPIQOS_Flow bad = flow;

    bad.qos_class = 0;
    check_refused(comm, &bad, "qos_class", "unknown");
    bad.qos_class = 3;
    check_refused(comm, &bad, "qos_class", "unknown");
    bad = flow;
    bad.message_size = 0;
    check_refused(comm, &bad, "message_size", "below 1");
    bad.message_size = -5;
    check_refused(comm, &bad, "message_size", "below 1");
    bad.message_size = MPIQOS_MAX_MESSAGE_SIZE;
    ++bad.message_size;
    check_refused(comm, &bad, "message_size", "too large");
    check_refused(comm, NULL, "attribute value", "NULL");
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Errhandler handler;

    check_start(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(count_errors, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    if (check_rank == 0) {
        MPIQOS_Flow flow = *ask(comm, 1, 10 * MB);

        check_unchanged(comm);
        check_peers(comm, flow);
        check_bandwidths(comm, flow);
        check_others(comm, flow);
    }
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
    return check_end();
}
