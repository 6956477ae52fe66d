/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the C functions that fortran/mpi_qos.f90 calls. These functions
 * call the functions of mpi_qos.h with Fortran handles.
 */
#include "flow.h"
#include "mpi_qos.h"

#include <stdio.h>

void mpiqos_f_set(const MPI_Fint *comm, const MPIQOS_Flow *flow, int *ierror);
void mpiqos_f_get(const MPI_Fint *comm, MPIQOS_Flow *flow, int *found,
                  int *ierror);
void mpiqos_f_state(const MPI_Fint *comm, MPIQOS_Flow *flow, int *ierror);
void mpiqos_f_peer_state(const MPI_Fint *comm, const int *peer,
                         MPIQOS_Flow *flow, int *ierror);
void mpiqos_f_name(int what, int number, char text[MPIQOS_PLACE_LEN]);

void mpiqos_f_set(const MPI_Fint *comm, const MPIQOS_Flow *flow, int *ierror)
{
    MPIQOS_Flow copy;
    int keyval = MPIQOS_FLOW;

    mpiqos_flow_import(flow, &copy);
    /* An MPI without the hook would store the address of `copy`, which is
     * invalid after this call. With such an MPI, the attribute would have no
     * effect anyway. */
    *ierror = mpiqos_flow_is_watched()
                  ? PMPI_Comm_set_attr(MPI_Comm_f2c(*comm), keyval, &copy)
                  : MPI_SUCCESS;
}

/* MPI_Comm_get_attr() cannot be used here: if a Fortran program has set the
 * attribute itself, the function returns the address of an integer. */
void mpiqos_f_get(const MPI_Fint *comm, MPIQOS_Flow *flow, int *found,
                  int *ierror)
{
    MPIQOS_Flow copy;

    *found = mpiqos_flow_copy(MPI_Comm_f2c(*comm), &copy);
    if (*found) {
        mpiqos_flow_export(&copy, flow->size, flow);
    }
    *ierror = MPI_SUCCESS;
}

void mpiqos_f_state(const MPI_Fint *comm, MPIQOS_Flow *flow, int *ierror)
{
    *ierror = mpiqos_flow_state_sized(MPI_Comm_f2c(*comm), flow, flow->size);
}

void mpiqos_f_peer_state(const MPI_Fint *comm, const int *peer,
                         MPIQOS_Flow *flow, int *ierror)
{
    *ierror =
        mpiqos_peer_state_sized(MPI_Comm_f2c(*comm), *peer, flow, flow->size);
}

void mpiqos_f_name(int what, int number, char text[MPIQOS_PLACE_LEN])
{
    const char *const names[] = {
        MPIQOS_State_name(number),
        MPIQOS_Class_name(number),
        MPIQOS_Criterion_name(number),
    };

    (void)snprintf(text, MPIQOS_PLACE_LEN, "%s", names[what]);
}
