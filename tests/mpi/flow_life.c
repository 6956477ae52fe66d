/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests that the keyval exists from MPI_Init() to MPI_Finalize(), and that a
 * program can end normally without releasing its reservation.
 */
#include "check.h"

int main(int argc, char **argv)
{
    int before = MPIQOS_FLOW;
    int first;

    check_start(&argc, &argv);
    CHECK(before == MPI_KEYVAL_INVALID, "the keyval is valid before MPI_Init");
    first = MPIQOS_FLOW;
    CHECK(first != MPI_KEYVAL_INVALID, "the keyval is invalid after MPI_Init");
    CHECK(MPIQOS_FLOW == first, "the second call returned another keyval");
    if (check_rank == 0) {
        CHECK(ask(MPI_COMM_WORLD, 1, 10 * MB)->state == MPIQOS_GRANTED, "10");
    }
    CHECK(MPIQOS_Flow_state(MPI_COMM_WORLD, NULL) == MPI_ERR_ARG, "NULL");
    return check_end();
}
