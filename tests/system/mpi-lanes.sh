#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests MPI with fabric_model flit. The benchmarks and random programs must transfer the
# correct bytes, and a second run must have the same results. A reservation must be achieved
# within 2 %, although the same process sends best-effort traffic and a flood saturates a cable
# on the route. On switches without lanes (fabric_model worm, undeclared: free), the flood must
# prevent the reservation from being achieved.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_ends_test=yes

# flit NAME [KEY: VALUE]..: like the function describe, but with the fabric model flit
flit()
{
    describe "$1" 'fabric: {model: flit}' "${@:2}"
}

# near WHAT ACHIEVED ASKED: check that ACHIEVED is within 2 % of ASKED
near()
{
    within 2 "$2" "$3" ||
        fail "$1: $2 MB/s instead of $3"
}

# flows NAME: check that a process achieves its reservations while it also sends best-effort
# traffic
flows()
{
    mpirun -n 3 mpi-flows --csv --size 64K --seconds 0.05 --warm-up 9 \
        --bandwidth 30@1,be@2 --bandwidth 12@1,24@2 > out
    awk -F, '/^0->/ && $2 != "be" { print $2, $3, $13 }' out > rows
    [ "$(wc -l < rows)" = 3 ] || { cat out; fail "$1: no reservations"; }
    while read -r asked state achieved; do
        [ "$state" = granted ] || fail "$1: $state"
        near "$1" "$achieved" "$asked"
    done < rows
}

# benchmarks NAME: run each benchmark twice, compare the outputs, and check the bandwidth
benchmarks()
{
    for run in 1 2; do
        mpirun -n 2 mpi-pingpong --csv -i 5 --max 64K > "pingpong.$run"
        mpirun -n 2 mpi-bandwidth --csv --size 64K > "bandwidth.$run"
        timeout 300 mpirun -n 4 "$GMQOS_BUILDDIR/tests/mpi/fuzz_mpi" 8 1 > "fuzz.$run"
        [ "$(tail -n 1 "fuzz.$run")" = " No Errors" ] || { cat "fuzz.$run"; fail "$1: fuzz_mpi"; }
    done
    for file in pingpong bandwidth fuzz; do
        diff "$file.1" "$file.2" || fail "$1: $file differs in the second run"
    done
    awk -F, '/^[0-9]/ { exit !($3 > 49 && $3 < 52) }' bandwidth.1 || {
        cat bandwidth.1
        fail "$1: mpi-bandwidth"
    }
}

# flood NAME: run a flood between 12 ranks, with 6 ranks on each of two switches
flood()
{
    mpirun -n 12 "$GMQOS_BUILDDIR/tests/mpi/lanes_flood" 30 > out 2>&1 || { cat out; fail "$1: flood"; }
    [ "$(cat out)" = " No Errors" ] || { cat out; fail "$1: flood"; }
}

flit crossbar
benchmarks crossbar
flows crossbar
echo "ok: crossbar"

flit mesh 'topology: mesh' 'rows: 4' 'columns: 4'
benchmarks mesh
flows mesh
echo "ok: mesh"

two='topology: mesh
rows: 1
columns: 2
hosts: 12
hosts_per_switch: 6'
flit two "$two"
flood two
echo "ok: a reservation during a flood"

# for comparison, run the same flood on switches without lanes
printf '%s\n' "$two" 'parameters:' '  undeclared: free' > worm.yaml
GMSIM_CLUSTER=$PWD/worm.yaml mpirun -n 12 "$GMQOS_BUILDDIR/tests/mpi/lanes_flood" 30 > out 2>&1 &&
    fail "switches without lanes keep the reservation, too: the flood has no effect"
grep -q 'MB/s, expected 30' out || { cat out; fail "worm"; }
echo "ok: without lanes the reservation is not kept"

flit faults 'faults:' '  drop: 0.01' '  damage_payload: 0.001' '  duplicate: 0.002' \
    '  delay: 0.005' '  delay_max_us: 200'
timeout 300 mpirun -n 4 "$GMQOS_BUILDDIR/tests/mpi/fuzz_mpi" 8 1 > out 2>&1 || true
[ "$(tail -n 1 out)" = " No Errors" ] || { tail out; fail "faults"; }
echo "ok: faults"

status=0
flit wrong 'parameters:' '  flit_real_time_lanes: 14' '  flit_lanes: 12'
gmsim config check wrong.yaml > out 2>&1 || status=$?
[ "$status" != 0 ] && grep -q "flit_real_time_lanes.*allowed: 1..10" out || { cat out; fail "an invalid value"; }
echo "ok: invalid values are refused"
