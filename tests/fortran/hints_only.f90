! SPDX-License-Identifier: BSD-3-Clause
! Requests reservations with hints, and uses only functions of MPI.
program hints_only
    use mpi
    implicit none
    integer :: comm, info, rank, ierror
    character(len=256) :: state, reason, granted
    logical :: found, is_right
    double precision :: bandwidth

    call MPI_INIT(ierror)
    call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
    call MPI_INFO_CREATE(info, ierror)
    call MPI_INFO_SET(info, 'mpiqos_bandwidth', '40 MB/s', ierror)
    call MPI_INFO_SET(info, 'mpiqos_peer', merge('1', '0', rank == 0), ierror)
    call MPI_COMM_DUP_WITH_INFO(MPI_COMM_WORLD, info, comm, ierror)
    call MPI_INFO_FREE(info, ierror)

    call MPI_COMM_GET_INFO(comm, info, ierror)
    call MPI_INFO_GET(info, 'mpiqos_state', len(state), state, found, ierror)
    is_right = found .and. (rank == 1 .or. state == 'granted')
    call MPI_INFO_GET(info, 'mpiqos_reason', len(reason), reason, found, ierror)
    is_right = is_right .and. found
    call MPI_INFO_GET(info, 'mpiqos_granted_bandwidth', len(granted), granted, &
                      found, ierror)
    read (granted, *) bandwidth
    is_right = is_right .and. (rank == 1 .or. bandwidth >= 40d6)
    call MPI_INFO_FREE(info, ierror)
    call MPI_COMM_FREE(comm, ierror)
    call MPI_FINALIZE(ierror)
    if (.not. is_right) print '(4a)', 'wrong: ', trim(state), ': ', trim(reason)
    if (rank == 0 .and. is_right) print '(a)', ' No Errors'
end program
