! SPDX-License-Identifier: BSD-3-Clause
!
! The module mpi_qos provides the functions of mpi_qos.h for Fortran.
! Communicators are integers, as in mpif.h and "use mpi". A program with "use
! mpi_f08" passes comm%MPI_VAL.
!
!     use mpi
!     use mpi_qos
!     type(MPIQOS_Flow) :: flow
!
!     flow%peer = 1
!     flow%bandwidth = 40d6
!     call MPIQOS_Set(MPI_COMM_WORLD, flow, ierror)
!     call MPIQOS_Get(MPI_COMM_WORLD, flow, found, ierror)
!     print *, MPIQOS_State_name(flow%state), ': ', MPIQOS_Reason(flow)
!
! MPIQOS_Set calls MPI_COMM_SET_ATTR with the keyval MPIQOS_Keyval() and the
! address of the flow. MPI_COMM_DELETE_ATTR with this keyval releases the
! reservation.
module mpi_qos
    use, intrinsic :: iso_c_binding, only: c_int, c_long, c_double, c_char, &
        c_null_char
    implicit none
    private

    integer, parameter, public :: MPIQOS_ALL_PEERS = -2001
    integer, parameter, public :: MPIQOS_PREMIUM = 1
    integer, parameter, public :: MPIQOS_BEST_EFFORT = 2
    integer, parameter, public :: MPIQOS_UNSUPPORTED = 0
    integer, parameter, public :: MPIQOS_GRANTED = 1
    integer, parameter, public :: MPIQOS_DENIED = 2
    integer, parameter, public :: MPIQOS_RELEASED = 3
    integer, parameter, public :: MPIQOS_MALFORMED = 4
    integer, parameter, public :: MPIQOS_CRITERION_NONE = 0
    integer, parameter, public :: MPIQOS_CRITERION_SOURCE_NODE = 1
    integer, parameter, public :: MPIQOS_CRITERION_LINK = 2
    integer, parameter, public :: MPIQOS_CRITERION_DESTINATION_NODE = 3
    integer, parameter, public :: MPIQOS_CRITERION_SOURCE_PROCESS = 4
    integer, parameter, public :: MPIQOS_CRITERION_DESTINATION_PROCESS = 5
    integer, parameter, public :: MPIQOS_CRITERION_BUFFER = 6
    integer, parameter, public :: MPIQOS_CRITERION_DELAY = 7
    integer, parameter, public :: MPIQOS_CRITERION_JITTER = 8
    integer, parameter, public :: MPIQOS_CRITERION_LATENCY = 9
    integer, parameter, public :: MPIQOS_PLACE_LEN = 64
    integer, parameter, public :: MPIQOS_REASON_LEN = 256
    ! MPIQOS_FLOW_SIZE of mpi_qos.h is a fixed pattern plus the size of the type below
    ! in bytes.
    integer(c_int), parameter, public :: MPIQOS_FLOW_SIZE = &
        int(z'51400000', c_int) + 456

    ! This type corresponds to the struct MPIQOS_Flow, with the initial values of
    ! MPIQOS_FLOW_INIT. MPIQOS_Place() and MPIQOS_Reason() return the texts of the
    ! struct.
    type, bind(C), public :: MPIQOS_Flow
        integer(c_int) :: peer = MPIQOS_ALL_PEERS
        integer(c_int) :: size = MPIQOS_FLOW_SIZE
        real(c_double) :: bandwidth = 0
        integer(c_int) :: qos_class = MPIQOS_PREMIUM
        integer(c_long) :: message_size = 65536
        integer(c_int) :: state = MPIQOS_UNSUPPORTED
        real(c_double) :: granted_bandwidth = 0
        real(c_double) :: gm_bandwidth = 0
        integer(c_int) :: idt_ticks = 0
        integer(c_int) :: criterion = MPIQOS_CRITERION_NONE
        character(kind=c_char) :: place(MPIQOS_PLACE_LEN) = c_null_char
        real(c_double) :: left = 0
        character(kind=c_char) :: reason(MPIQOS_REASON_LEN) = c_null_char
        integer(c_long) :: burst = 0
        real(c_double) :: delay = 0
        real(c_double) :: jitter = 0
        real(c_double) :: latency = 0
        real(c_double) :: delay_bound = 0
        real(c_double) :: jitter_bound = 0
        real(c_double) :: worst_delay = 0
        integer(c_int) :: declared_only = 0
    end type MPIQOS_Flow

    interface
        integer(c_int) function MPIQOS_Keyval() bind(C, name='mpiqos_flow_keyval')
            import :: c_int
        end function
        ! Return the error class of malformed requests.
        integer(c_int) function MPIQOS_Error_class() &
            bind(C, name='mpiqos_error_class')
            import :: c_int
        end function
        ! Request a reservation.
        subroutine MPIQOS_Set(comm, flow, ierror) bind(C, name='mpiqos_f_set')
            import :: c_int, MPIQOS_Flow
            integer(c_int), intent(in) :: comm
            type(MPIQOS_Flow), intent(in) :: flow
            integer(c_int), intent(out) :: ierror
        end subroutine
        ! Return the present state, like MPIQOS_Flow_state() of mpi_qos.h.
        subroutine MPIQOS_Flow_state(comm, flow, ierror) &
            bind(C, name='mpiqos_f_state')
            import :: c_int, MPIQOS_Flow
            integer(c_int), intent(in) :: comm
            type(MPIQOS_Flow), intent(inout) :: flow
            integer(c_int), intent(out) :: ierror
        end subroutine
        ! Return the present state of the flow to one peer, like MPIQOS_Peer_state() of
        ! mpi_qos.h.
        subroutine MPIQOS_Peer_state(comm, peer, flow, ierror) &
            bind(C, name='mpiqos_f_peer_state')
            import :: c_int, MPIQOS_Flow
            integer(c_int), intent(in) :: comm, peer
            type(MPIQOS_Flow), intent(inout) :: flow
            integer(c_int), intent(out) :: ierror
        end subroutine
        subroutine mpiqos_f_get(comm, flow, found, ierror) &
            bind(C, name='mpiqos_f_get')
            import :: c_int, MPIQOS_Flow
            integer(c_int), intent(in) :: comm
            type(MPIQOS_Flow), intent(inout) :: flow
            integer(c_int), intent(out) :: found, ierror
        end subroutine
        subroutine mpiqos_f_name(what, number, text) &
            bind(C, name='mpiqos_f_name')
            import :: c_int, c_char, MPIQOS_PLACE_LEN
            integer(c_int), intent(in), value :: what, number
            character(kind=c_char), intent(out) :: text(MPIQOS_PLACE_LEN)
        end subroutine
    end interface

    public :: MPIQOS_Keyval, MPIQOS_Error_class
    public :: MPIQOS_Set, MPIQOS_Get, MPIQOS_Flow_state, MPIQOS_Peer_state
    public :: MPIQOS_State_name, MPIQOS_Class_name, MPIQOS_Criterion_name
    public :: MPIQOS_Place, MPIQOS_Reason

contains

    ! Return the request on a communicator with its answer. The request can come from an
    ! attribute, a hint or a policy. If there is no request, found becomes false and
    ! flow is unchanged.
    subroutine MPIQOS_Get(comm, flow, found, ierror)
        integer, intent(in) :: comm
        type(MPIQOS_Flow), intent(inout) :: flow
        logical, intent(out) :: found
        integer, intent(out) :: ierror
        integer(c_int) :: is_there

        call mpiqos_f_get(comm, flow, is_there, ierror)
        found = is_there /= 0
    end subroutine

    ! Convert a C string to a Fortran string, without the terminating 0 and the
    ! characters after it.
    pure function mpiqos_text(chars) result(text)
        character(kind=c_char), intent(in) :: chars(:)
        character(len=:), allocatable :: text
        integer :: i, n

        n = 0
        do while (n < size(chars))
            if (chars(n + 1) == c_null_char) exit
            n = n + 1
        end do
        text = repeat(' ', n) ! allocate() would add this file's path to the code
        do i = 1, n
            text(i:i) = chars(i)
        end do
    end function

    pure function MPIQOS_Place(flow) result(text)
        type(MPIQOS_Flow), intent(in) :: flow
        character(len=:), allocatable :: text

        text = mpiqos_text(flow%place)
    end function

    pure function MPIQOS_Reason(flow) result(text)
        type(MPIQOS_Flow), intent(in) :: flow
        character(len=:), allocatable :: text

        text = mpiqos_text(flow%reason)
    end function

    function mpiqos_name(what, number) result(text)
        integer, intent(in) :: what, number
        character(len=:), allocatable :: text
        character(kind=c_char) :: chars(MPIQOS_PLACE_LEN)

        call mpiqos_f_name(what, number, chars)
        text = mpiqos_text(chars)
    end function

    function MPIQOS_State_name(state) result(text)
        integer, intent(in) :: state
        character(len=:), allocatable :: text

        text = mpiqos_name(0, state)
    end function

    function MPIQOS_Class_name(qos_class) result(text)
        integer, intent(in) :: qos_class
        character(len=:), allocatable :: text

        text = mpiqos_name(1, qos_class)
    end function

    function MPIQOS_Criterion_name(criterion) result(text)
        integer, intent(in) :: criterion
        character(len=:), allocatable :: text

        text = mpiqos_name(2, criterion)
    end function
end module mpi_qos

! The subroutines below are for programs that include mpif.h; see mpiqosf.h.
subroutine MPIQOS_SET_FLOW(comm, peer, bandwidth, qos_class, message_size, &
                           ierror)
    use mpi_qos
    implicit none
    integer, intent(in) :: comm, peer, qos_class, message_size
    double precision, intent(in) :: bandwidth
    integer, intent(out) :: ierror
    type(MPIQOS_Flow) :: flow

    flow%peer = peer
    flow%bandwidth = bandwidth
    flow%qos_class = qos_class
    flow%message_size = message_size
    call MPIQOS_Set(comm, flow, ierror)
end subroutine

subroutine MPIQOS_GET_FLOW(comm, state, granted, idt_ticks, left, reason, &
                           ierror)
    use mpi_qos
    implicit none
    integer, intent(in) :: comm
    integer, intent(out) :: state, idt_ticks, ierror
    double precision, intent(out) :: granted, left
    character(len=*), intent(out) :: reason
    type(MPIQOS_Flow) :: flow

    call MPIQOS_Flow_state(comm, flow, ierror)
    state = flow%state
    granted = flow%granted_bandwidth
    idt_ticks = flow%idt_ticks
    left = flow%left
    reason = MPIQOS_Reason(flow)
end subroutine

! Request a reservation like MPIQOS_SET_FLOW, but with a burst and bounds. For a bound,
! the value 0 means "not requested".
subroutine MPIQOS_SET_BOUNDED_FLOW(comm, peer, bandwidth, message_size, &
                                   burst, delay, jitter, ierror)
    use mpi_qos
    implicit none
    integer, intent(in) :: comm, peer, message_size, burst
    double precision, intent(in) :: bandwidth, delay, jitter
    integer, intent(out) :: ierror
    type(MPIQOS_Flow) :: flow

    flow%peer = peer
    flow%bandwidth = bandwidth
    flow%message_size = message_size
    flow%burst = burst
    flow%delay = delay
    flow%jitter = jitter
    call MPIQOS_Set(comm, flow, ierror)
end subroutine

subroutine MPIQOS_GET_BOUNDS(comm, latency, delay_bound, jitter_bound, &
                             worst_delay, ierror)
    use mpi_qos
    implicit none
    integer, intent(in) :: comm
    integer, intent(out) :: ierror
    double precision, intent(out) :: latency, delay_bound, jitter_bound, &
                                     worst_delay
    type(MPIQOS_Flow) :: flow

    call MPIQOS_Flow_state(comm, flow, ierror)
    latency = flow%latency
    delay_bound = flow%delay_bound
    jitter_bound = flow%jitter_bound
    worst_delay = flow%worst_delay
end subroutine
