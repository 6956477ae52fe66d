#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks gmsim doctor. If the machine has no problems, the command must not report any.
# Otherwise, it must report every problem with its remedy.
# needs: nothing
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_shows=out

gmsim=$GMQOS_STAGE/bin/gmsim
# doctor STATUS TEXT COMMAND..: check that the command ends with the status and prints the
# text
doctor()
{
    local status=0
    "${@:3}" > out 2>&1 || status=$?
    [ "$status" = "$1" ] || fail "${*:3}: status $status, expected $1"
    tr -s ' ' < out | grep -- "$2" > /dev/null || fail "${*:3}: does not print '$2'"
}

# create a PATH without MPI, because an MPI library may be installed on the machine
mkdir bin
for name in sh timeout; do ln -s "$(command -v $name)" bin/; done

doctor 0 '^ok addresses ' "$gmsim" doctor
doctor 0 '^ok environment GMSIM_CLUSTER is not set: jobs use the default cluster' "$gmsim" doctor
if [ -x "$GMQOS_STAGE/bin/mpirun" ]; then
    doctor 0 '^ok an MPI job mpirun -n 2 mpi-pingpong works' "$gmsim" doctor
    doctor 0 '^note launcher mpirun is not in PATH' \
        env PATH="$PWD/bin" "$gmsim" doctor
    printf 'parameters:\n  host_send_ps: 1\n  mcp_send_start_cycles: 0\n' > c.yaml
    doctor 0 '^ok environment GMSIM_CLUSTER is c.yaml' \
        env GMSIM_CLUSTER=c.yaml "$gmsim" doctor
fi
doctor 1 '^BAD environment none.yaml: cannot be read' \
    env GMSIM_CLUSTER=none.yaml "$gmsim" doctor
doctor 1 "^BAD environment environment variable GMSIM_TIME: value 'x' is unknown" \
    env GMSIM_TIME=x "$gmsim" doctor
# the message of the job itself is printed, not the launcher's message that the job has ended
! grep 'job mpirun' out | grep -v "GMSIM_TIME: value 'x'" > also || { cat also; fail "another reason"; }
case "${GMQOS_SAN_FLAGS:-}" in
*address* | *thread*) ;; # they need more address space than any usual limit
*)
    doctor 1 '^BAD addresses 4096 MiB of address space starting at 0x550000000000 cannot be mapped' \
        bash -c "ulimit -v 1000000; '$gmsim' doctor"
    grep -q 'ulimit -v unlimited' out || fail "no advice about ulimit"
    ;;
esac
doctor 2 "unexpected argument 'x'" "$gmsim" doctor x
finish
