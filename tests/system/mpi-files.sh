#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that MPI-IO writes and reads the correct data with 1 to 16 ranks and with two ranks
# per host, and that repeated runs take the same virtual time. During the second and third of
# three identical runs, the processor is busy, because the virtual time must not depend on
# the machine.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

fail_shows="out"
mkdir files

# run ARGUMENT..: run the test program under mpirun with these arguments
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

# 16 ranks write and read blocks on four I/O hosts; this is done twice
for turn in 1 2; do
    printf 'hosts: 16\nio: {hosts: [node13, node14, node15, node16], disks: 2}\n' > cluster.yaml
    GMSIM_CLUSTER=cluster.yaml timeout 100 mpirun -n 16 "$GMQOS_BUILDDIR/tests/mpi/file_blocks" \
        "$PWD/files" > out 2>&1 && grep -q '^ No Errors$' out || fail "file_blocks"
    mv out blocks.$turn
    rm -f files/blocks.*
done
cmp blocks.1 blocks.2 || fail "the bandwidths differ: $(cat blocks.1 blocks.2)"
cat blocks.1
finish
