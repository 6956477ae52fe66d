#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that repeated runs produce identical files when several ranks compute at the same
# time. The ranks sleep at random times. The outputs, records and traces are compared in the
# modes `virtual' and `recorded'. A recorded run must also be an exact repetition of the
# measured run.
#
#   RUNS=20 KERNELS="ep ft" tests/run-system tests/system/mpi-recorded.sh
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_shows="out err"

unset GMSIM_CLUSTER GMSIM_RECORD GMSIM_TRACE GMSIM_TIME
kernels=$GMQOS_BUILDDIR/tests/mpi/kernels

# run NAME TIME KERNEL MS ROUNDS: run 4 ranks; the output, the record and the trace
# are in the directory NAME
run()
{
    local name=$1 time=$2
    shift 2
    mkdir "$name"
    GMSIM_TIME=$time GMSIM_RECORD=record GMSIM_TRACE=trace.json \
        mpirun -n 4 -wdir "$PWD/$name" "$kernels" "$@" > out 2> err ||
        { fail "$time: kernels $*"; return; }
    # the launcher can print the lines of different ranks in a different order
    sort out > "$name/out"
}

# same ONE OTHER WHAT: compare the files of two runs, except for the settings
same()
{
    local file
    for file in out record/windows.jsonl record/events.jsonl trace.json; do
        [ -s "$1/$file" ] || [ "$file" = record/events.jsonl ] || fail "$3: $1 has no $file"
        cmp "$1/$file" "$2/$file" || fail "$3: $file differs"
    done
}

for kernel in ${KERNELS:-ep ft cg mg lu}; do
    rm -rf first again measured recorded
    run first virtual "$kernel" 12 2
    run measured measured "$kernel" 12 2
    ln -s measured/record times
    run recorded recorded:"$PWD/times" "$kernel" 12 2
    # the output contains the times of all ranks in ps; the records differ, because they
    # contain the setting GMSIM_TIME
    cmp measured/out recorded/out || fail "$kernel: recorded run differs from the measured run"
    for ((i = 1; i < ${RUNS:-3}; i++)); do
        rm -rf again
        KERNELS_SLEEP=$((i % 2 * 3000)) run again virtual "$kernel" 12 2
        same first again "$kernel virtual, run $i"
        rm -rf again
        KERNELS_SLEEP=$((i % 2 * 3000)) run again recorded:"$PWD/times" "$kernel" 12 2
        same recorded again "$kernel recorded, run $i"
        diff -r recorded/record again/record || fail "$kernel recorded, run $i: record differs"
    done
    rm times
done
echo "ok: repeated runs"

# a program whose calls differ from the calls in the record
GMSIM_TIME=measured GMSIM_RECORD=path mpirun -n 2 "$kernels" cg 1 1 > out
if GMSIM_TIME=recorded:path mpirun -n 2 "$kernels" lu 1 1 > out 2> err; then
    fail "a program left the record"
fi
grep -q "the program deviates from the record 'path' at call [0-9]* ([0-9.]* ms of virtual time): the record contains MPI_[A-Za-z_]*, but the program calls MPI_[A-Za-z_]*;" err ||
    fail "no message about another call"
if GMSIM_TIME=recorded:path mpirun -n 2 "$kernels" cg 1 2 > out 2> err; then
    fail "a program made more calls"
fi
# records that cannot be used
if GMSIM_TIME=recorded:path mpirun -n 3 "$kernels" cg 1 1 > out 2> err; then
    fail "a record of another number of ranks"
fi
grep -q "belongs to rank 0 of 2, but this is rank 0 of 3" err || fail "another number of ranks"
if GMSIM_TIME=recorded:first mpirun -n 2 "$kernels" cg 1 1 > out 2> err; then
    fail "no record"
fi
grep -q "only runs with GMSIM_RECORD and GMSIM_TIME=measured" err || fail "no record"
printf 'time: recorded:path\n' > recorded.yaml
if gmsim config check recorded.yaml > out 2>&1; then
    fail "a cluster description selects a record"
fi
echo "ok: records that do not fit"
finish
