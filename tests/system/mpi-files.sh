#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that MPI-IO writes and reads the correct data with 1 to 6 ranks and with two ranks
# per host, and that repeated runs take the same virtual time. During the second and third of
# three identical runs, the processor is busy, because the time must not depend on the
# machine.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

fail_shows="out"
mkdir files

# run ARGUMENT..: run the test program with these arguments of mpirun
run()
{
    timeout 100 mpirun "$@" "$GMQOS_BUILDDIR/tests/mpi/files" "$PWD/files" > out 2>&1 &&
        grep -q '^ No Errors$' out || fail "mpirun $*"
    [ -z "$(ls files)" ] || fail "mpirun $*: the test leaves files: $(ls files)"
}

run -n 1
run -n 6 -ppn 2
for turn in quiet busy busy; do
    busy=
    if [ $turn = busy ]; then
        (while :; do :; done) &
        busy=$!
    fi
    run -n 4
    [ -z "$busy" ] || kill "$busy"
    grep ' s$' out > $turn.time
    cmp quiet.time $turn.time || fail "the virtual time differs: $(cat quiet.time $turn.time)"
done
finish
