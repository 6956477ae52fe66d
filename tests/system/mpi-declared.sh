#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that, with `undeclared: free`, a guarantee holds only against declared traffic.
# All of the following must report this restriction: the attribute, the state, hints, policies,
# MPIQOS_REPORT, GM, the Fortran interface, and gmsim report. With the default value of
# `undeclared`, no output may contain this restriction.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

words='only against declared traffic'

# mentions FILE EXPECTED: check whether the file reports the restriction; EXPECTED is 0 or 1
mentions()
{
    local is=0
    ! grep -q "$words" "$1" || is=1
    [ "$is" = "$2" ] || { fail "$1, $undeclared: $(head -n 5 "$1")"; }
}

cat > report.f90 <<'END'
program report
    use mpi
    use mpi_qos
    implicit none
    type(MPIQOS_Flow) :: flow
    integer :: rank, ierror

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    if (rank == 0) then
        flow%peer = 1
        flow%bandwidth = 20d6
        call MPIQOS_Set(MPI_COMM_WORLD, flow, ierror)
        call MPIQOS_Flow_state(MPI_COMM_WORLD, flow, ierror)
        print *, MPIQOS_Reason(flow), flow%declared_only
    end if
    call MPI_Finalize(ierror)
end program
END
fortran=''
if [ -n "${GMQOS_FORTRAN:-}" ] && [ -z "${GMQOS_SAN_FLAGS:-}" ]; then
    mpifort -o report.f report.f90 -lmpiqosf -lmpiqos
    fortran=yes
fi
echo '- {from: 0, to: 1, bandwidth: 20 MB/s}' > policy.yaml

export GMSIM_CLUSTER=cluster.yaml
for undeclared in best-effort free; do
    printf 'hosts: 4\nparameters:\n  undeclared: %s\n' "$undeclared" > cluster.yaml
    expected=0
    [ "$undeclared" = best-effort ] || expected=1
    rm -rf run
    GMSIM_RECORD=run MPIQOS_REPORT=answers mpirun -n 2 \
        "$GMQOS_BUILDDIR/tests/mpi/flow_declared" $expected > out 2>&1 || true
    [ "$(cat out)" = " No Errors" ] || fail "$undeclared: $(cat out)"
    mentions answers $expected
    gmsim report run --text > text
    mentions text $expected
    gmsim report run > page
    mentions "$(cat page)" $expected
    MPIQOS_POLICY=policy.yaml MPIQOS_REPORT=policy.answers mpirun -n 2 mpi-pingpong \
        --iterations 1 > /dev/null
    mentions policy.answers $expected
    if [ -n "$fortran" ]; then
        mpirun -n 2 ./report.f > fortran.out
        mentions fortran.out $expected
        grep -Eq " $expected\$" fortran.out || fail "field: $(cat fortran.out)"
    fi
done
[ "$failures" != 0 ] || echo "ok: grants whose guarantees hold only against declared traffic are marked"
finish
