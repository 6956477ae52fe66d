! SPDX-License-Identifier: BSD-3-Clause
! Reserves bandwidth in Fortran with an attribute. Rank 0 sends 8 MB to rank 1
! three times: as fast as possible, with 20 MB/s reserved, and after a request
! that is too large.
!
!     mpirun -n 2 ./reserve
!
! The output shows the answers of the bandwidth manager and the measured
! bandwidths. A denied request does not change anything: the reservation of 20
! MB/s remains.
program reserve
    use, intrinsic :: iso_fortran_env, only: error_unit
    use mpi_f08
    use mpi_qos
    implicit none

    integer, parameter :: messages = 128, length = 65536, in_flight = 4
    real(8), parameter :: mb = 1d6
    type(MPI_Comm) :: comm
    integer :: rank, ranks

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    if (ranks /= 2) then
        write (error_unit, '(a)') 'reserve: requires 2 processes (mpirun -n 2)'
        call MPI_Abort(MPI_COMM_WORLD, 2)
    end if
    call MPI_Comm_dup(MPI_COMM_WORLD, comm)
    call transfer()
    call ask(20 * mb)
    call transfer()
    call ask(90 * mb)
    call transfer()
    call MPI_Comm_free(comm) ! releases the reservation
    call MPI_Finalize()

contains

    ! Rank 0 requests bandwidth to rank 1, and prints the answer.
    subroutine ask(bandwidth)
        real(8), intent(in) :: bandwidth
        type(MPIQOS_Flow) :: flow
        logical :: found
        integer :: ierror

        if (rank /= 0) return
        flow%peer = 1
        flow%bandwidth = bandwidth
        flow%message_size = length
        call MPIQOS_Set(comm%MPI_VAL, flow, ierror)
        call MPIQOS_Get(comm%MPI_VAL, flow, found, ierror)
        print '(a)', trim(MPIQOS_State_name(flow%state)) // ': ' // &
            trim(MPIQOS_Reason(flow))
    end subroutine ask

    ! Keep several messages in flight. Rank 1 measures the duration.
    subroutine transfer()
        character, save, asynchronous :: buffer(length, in_flight)
        type(MPI_Request) :: requests(in_flight)
        real(8) :: start, seconds
        integer :: i, slot

        requests = MPI_REQUEST_NULL
        call MPI_Barrier(comm)
        start = MPI_Wtime()
        do i = 0, messages - 1
            slot = 1 + mod(i, in_flight)
            call MPI_Wait(requests(slot), MPI_STATUS_IGNORE)
            if (rank == 0) then
                call MPI_Isend(buffer(:, slot), length, MPI_CHARACTER, 1, 0, &
                    comm, requests(slot))
            else
                call MPI_Irecv(buffer(:, slot), length, MPI_CHARACTER, 0, 0, &
                    comm, requests(slot))
            end if
        end do
        call MPI_Waitall(in_flight, requests, MPI_STATUSES_IGNORE)
        seconds = MPI_Wtime() - start
        call MPI_Bcast(seconds, 1, MPI_DOUBLE_PRECISION, 1, comm)
        if (rank == 0) print '(f6.2, a)', messages * length / seconds / mb, ' MB/s'
    end subroutine transfer
end program reserve
