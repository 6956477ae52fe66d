/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * check.h - common code of the MPI tests. Each test is a program that checks
 * one behaviour of MPI. The program prints " No Errors" and exits with status
 * 0, or prints the differences.
 */
#ifndef TESTS_MPI_CHECK_H
#define TESTS_MPI_CHECK_H

#include <mpi.h>
#include <mpi_qos.h>
#include <stdio.h>
#include <stdlib.h>

#define MB 1e6

/*
 * A program with several source files defines this macro as extern. In a
 * program with one source file, the macro is `static`.
 */
#ifndef CHECK_STATE
#define CHECK_STATE static
#endif
CHECK_STATE int check_errors;
CHECK_STATE int check_rank;
CHECK_STATE int check_size;

#define CHECK(_condition, ...)                                                 \
    do {                                                                       \
        if (!(_condition)) {                                                   \
            ++check_errors;                                                    \
            fprintf(stderr, "%s:%d: rank %d: %s: ", __FILE__, __LINE__,        \
                    check_rank, #_condition);                                  \
            fprintf(stderr, __VA_ARGS__);                                      \
            fprintf(stderr, "\n");                                             \
        }                                                                      \
    } while (0)

static inline void check_start(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &check_size);
}

/** Call check_start(), and then duplicate MPI_COMM_WORLD twice. */
static inline void check_start_comms(int *argc, char ***argv, MPI_Comm *first_p,
                                     MPI_Comm *second_p)
{
    check_start(argc, argv);
    MPI_Comm_dup(MPI_COMM_WORLD, first_p);
    MPI_Comm_dup(MPI_COMM_WORLD, second_p);
}

/** Print the result, call MPI_Finalize(), and return the exit status for
 *  main(). */
static inline int check_end(void)
{
    int all;

    MPI_Allreduce(&check_errors, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    if (check_rank == 0) {
        if (all == 0) {
            printf(" No Errors\n");
        } else {
            printf("Found %d errors\n", all);
        }
    }
    return (all == 0) ? EXIT_SUCCESS : EXIT_FAILURE;
}

/** Request bandwidth, and return the answer, which the library owns. */
static inline MPIQOS_Flow *ask_sized(MPI_Comm comm, int peer, int qos_class,
                                     double bandwidth, long message_size)
{
    MPIQOS_Flow flow = MPIQOS_FLOW_INIT;
    MPIQOS_Flow *answer = NULL;
    int found = 0;

    flow.peer = peer;
    flow.qos_class = qos_class;
    flow.bandwidth = bandwidth;
    flow.message_size = message_size;
    MPI_Comm_set_attr(comm, MPIQOS_FLOW, &flow);
    MPI_Comm_get_attr(comm, MPIQOS_FLOW, &answer, &found);
    CHECK(found, "the attribute is missing");
    if (!found) {
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    return answer;
}

/** Like ask_sized(), for messages of 64 KB. */
static inline MPIQOS_Flow *ask_for(MPI_Comm comm, int peer, int qos_class,
                                   double bandwidth)
{
    return ask_sized(comm, peer, qos_class, bandwidth, 65536);
}

static inline MPIQOS_Flow *ask(MPI_Comm comm, int peer, double bandwidth)
{
    return ask_for(comm, peer, MPIQOS_PREMIUM, bandwidth);
}

/**
 * Return whether the manager would now grant this request as a new flow on the
 * communicator probe. Release the bandwidth before returning.
 */
static inline int fits(MPI_Comm probe, int peer, double bandwidth)
{
    int granted = (ask(probe, peer, bandwidth)->state == MPIQOS_GRANTED);

    MPI_Comm_delete_attr(probe, MPIQOS_FLOW);
    return granted;
}

#endif
