! SPDX-License-Identifier: BSD-3-Clause
! Tests the module mpi_qos: set, get, keyval, and names. A request that is set with MPI's own
! routine is answered, and deleting the attribute releases the reservation.
program qos_module
    use mpi
    use mpi_qos
    use, intrinsic :: iso_c_binding, only: c_ptr, c_loc, c_int, c_f_pointer
    implicit none
    type(MPIQOS_Flow), target :: flow
    type(MPIQOS_Flow) :: answer
    type(MPIQOS_Flow), pointer :: stored
    integer(MPI_ADDRESS_KIND) :: address
    integer :: comm, dup, rank, ierror, errors, keyval, class
    logical :: found

    call MPI_INIT(ierror)
    call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
    call MPI_COMM_DUP(MPI_COMM_WORLD, comm, ierror)
    call MPI_COMM_DUP(MPI_COMM_WORLD, dup, ierror)
    errors = 0
    if (rank == 0) then
        flow%peer = 1
        flow%bandwidth = 40d6
        call MPIQOS_Set(comm, flow, ierror)
        call check(ierror == MPI_SUCCESS, 'set')
        call MPIQOS_Get(comm, answer, found, ierror)
        call check(found .and. answer%state == MPIQOS_GRANTED, &
                   'granted: ' // MPIQOS_Reason(answer))
        call check(answer%granted_bandwidth >= 40d6, 'granted bandwidth')
        call check(answer%message_size == 65536, 'message size')
        call check(MPIQOS_State_name(answer%state) == 'granted', 'state name')
        call check(MPIQOS_Class_name(answer%qos_class) == 'premium', 'class')

        ! set the attribute with MPI's own routine and the address of the flow
        keyval = MPIQOS_Keyval()
        flow%peer = 2
        address = transfer(c_loc(flow), address)
        call MPI_COMM_SET_ATTR(dup, keyval, address, ierror)
        call MPI_COMM_GET_ATTR(dup, keyval, address, found, ierror)
        call check(found, 'attribute')
        call c_f_pointer(transfer(address, c_loc(flow)), stored)
        call check(stored%state == MPIQOS_DENIED, 'denied')
        call MPIQOS_Get(dup, answer, found, ierror)
        call check(answer%state == MPIQOS_DENIED, 'denied, as read')
        call check(answer%criterion == MPIQOS_CRITERION_SOURCE_NODE, 'where')
        call check(MPIQOS_Criterion_name(answer%criterion) == 'source node', &
                   'criterion name')
        call check(MPIQOS_Place(answer) == 'node 1', MPIQOS_Place(answer))
        call check(index(MPIQOS_Reason(answer), 'but the source node (node 1)') &
                   > 0, MPIQOS_Reason(answer))
        call check(answer%left > 0 .and. answer%left < 40d6, 'left')

        ! deleting one reservation frees its bandwidth for the other one
        call MPI_COMM_DELETE_ATTR(comm, keyval, ierror)
        call MPI_COMM_SET_ATTR(dup, keyval, transfer(c_loc(flow), address), &
                               ierror)
        call MPIQOS_Flow_state(dup, answer, ierror)
        call check(answer%state == MPIQOS_GRANTED, MPIQOS_Reason(answer))
        call MPI_COMM_DELETE_ATTR(dup, keyval, ierror)
        call MPIQOS_Set(comm, flow, ierror)
        call MPIQOS_Get(comm, answer, found, ierror)
        call check(answer%state == MPIQOS_GRANTED, 'an attribute set in ' // &
                   'Fortran is not given back: ' // MPIQOS_Reason(answer))

        ! request a delay that cannot be guaranteed, then the smallest delay that can
        flow%message_size = 4000
        flow%bandwidth = 10d6
        flow%burst = 8000
        flow%delay = 1d-6
        call MPIQOS_Set(comm, flow, ierror)
        call MPIQOS_Get(comm, answer, found, ierror)
        call check(answer%state == MPIQOS_DENIED, MPIQOS_Reason(answer))
        call check(answer%criterion == MPIQOS_CRITERION_DELAY, 'delay')
        call check(answer%size == MPIQOS_FLOW_SIZE, 'size')
        call check(answer%burst == 8000, 'burst')
        flow%delay = answer%delay_bound
        call check(flow%delay > 1d-6, 'least delay')
        call MPIQOS_Set(comm, flow, ierror)
        call MPIQOS_Flow_state(comm, answer, ierror)
        call check(answer%state == MPIQOS_GRANTED, MPIQOS_Reason(answer))
        call check(answer%delay_bound <= flow%delay * (1 + 1d-9), 'bound')
        call check(answer%latency > 0, 'latency')
        call check(answer%jitter_bound > 0, 'jitter')

        ! a malformed request is an error of the library's error class
        call MPI_COMM_SET_ERRHANDLER(comm, MPI_ERRORS_RETURN, ierror)
        flow%peer = 0
        call MPIQOS_Set(comm, flow, ierror)
        call check(ierror /= MPI_SUCCESS, 'malformed')
        call MPI_ERROR_CLASS(ierror, class, ierror)
        call check(class == MPIQOS_Error_class(), 'error class')
    end if
    call MPI_COMM_FREE(dup, ierror)
    call MPI_COMM_FREE(comm, ierror)
    call MPI_FINALIZE(ierror)
    if (rank == 0 .and. errors == 0) print '(a)', ' No Errors'

contains

    subroutine check(is_right, what)
        logical, intent(in) :: is_right
        character(len=*), intent(in) :: what

        if (.not. is_right) then
            errors = errors + 1
            print '(a)', 'wrong: ' // what
        end if
    end subroutine
end program
