! SPDX-License-Identifier: BSD-3-Clause
! A program outside the tree: a message from rank 0 to rank 1.
program outside
    use mpi_f08
    implicit none
    integer :: rank, value

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    value = 0
    if (rank == 0) then
        value = 42
        call MPI_Send(value, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD)
    else if (rank == 1) then
        call MPI_Recv(value, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE)
        print '(a,i0)', 'Fortran: ', value
    end if
    call MPI_Finalize()
end program outside
