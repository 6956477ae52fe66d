#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks MPI on Ethernet with RoCE. Messages arrive complete although switches pause or drop
# packets, and a second run prints the same output. A reservation is kept although two floods
# congest the link to its receiver.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_ends_test=yes

# arrive NAME RANKS PROGRAM ARGUMENT..: run a test of MPI twice, and compare the outputs
arrive()
{
    local name=$1 ranks=$2 program=$3 run
    shift 3
    for run in 1 2; do
        timeout 100 mpirun -n "$ranks" "$GMQOS_BUILDDIR/tests/mpi/$program" "$@" \
            > "out.$run" 2> err || { cat "out.$run" err; fail "$name: $program"; }
        grep -q "all messages arrived\|No Errors" "out.$run" ||
            { cat "out.$run"; fail "$name: $program"; }
    done
    diff out.1 out.2 || fail "$name: the second run differs"
    echo "ok: $name: $program"
}

for profile in roce-100 roce-25; do
    describe "$profile" "profile: $profile" "hosts: 4"
    arrive "$profile" 2 eager_parts
    arrive "$profile" 4 fuzz_mpi 8 1
done

# recorded NAME PROGRAM ARGUMENT..: record a run in NAME.record, and set `resent` to the number
# of retransmitted packets
recorded()
{
    local name=$1 program=$2
    shift 2
    GMSIM_RECORD=$name.record mpirun -n 4 "$GMQOS_BUILDDIR/tests/mpi/$program" "$@" > out 2>&1 ||
        { cat out; fail "$name: no record"; }
    resent=$(grep -o '"packets_resent": *[0-9]*' "$name.record/record.json" |
        awk -F: '{ n += $2 } END { print n + 0 }')
}

# Input ports with little memory send pauses, or drop packets if there are no pauses.
incast=(keeps -s 0.002 0-1:flood 2-1:flood 3-1:flood)
describe wide "profile: roce-100" "hosts: 4" "parameters:" "  eth_ecn: 0"
recorded wide fuzz_mpi 8 2
[ "$resent" = 0 ] || fail "wide: $resent packets were sent again"
recorded wide-incast "${incast[@]}"
small=("  eth_ecn: 0" "  eth_xoff_bytes: 20000" "  eth_xon_bytes: 10000")
describe pauses "profile: roce-100" "hosts: 4" "parameters:" "${small[@]}"
arrive "with pauses" 4 fuzz_mpi 8 2
recorded pauses fuzz_mpi 8 2
[ "$resent" = 0 ] || fail "pauses: $resent packets were sent again"
recorded pauses-incast "${incast[@]}"
! cmp -s {wide,pauses}-incast.record/windows.jsonl ||
    fail "pauses: the memory of the ports has no effect"
describe drops "profile: roce-100" "hosts: 4" "parameters:" "${small[@]}" "  eth_pfc: 0"
arrive "with drops" 4 fuzz_mpi 8 2
recorded drops fuzz_mpi 8 2
[ "$resent" -gt 0 ] || fail "drops: no packet was sent again"

# received FLOW..: set `received` to the bandwidth of the flow 0 -> 1 during two floods
received()
{
    timeout 280 mpirun -n 4 "$GMQOS_BUILDDIR/tests/mpi/keeps" -v -s 0.13 "$@" > out 2> err ||
        { cat out err; fail "$*"; }
    received=$(awk '$1 == 0 && $3 == "1:" { print $8 + 0 }' out)
}

# The rate of the link to rank 1 is 12.25 GB/s without headers, which three equal flows would
# share. The program `keeps` fails if a reservation is not kept.
describe roce-100 "profile: roce-100" "hosts: 4"
received 0-1:flood 2-1:flood 3-1:flood
awk -v r="$received" 'BEGIN { exit !(r > 1000 && r < 5000) }' ||
    { cat out; fail "without a reservation: $received MB/s"; }
echo "ok: without a reservation: $received MB/s"
received 0-1:6000 2-1:flood 3-1:flood
awk -v r="$received" 'BEGIN { exit !(r > 0.995 * 6000) }' ||
    { cat out; fail "with a reservation of 6000 MB/s: $received MB/s"; }
echo "ok: with a reservation of 6000 MB/s: $received MB/s"

# The manager computes no delay bounds on Ethernet.
printf -- '- {from: 0, to: 1, bandwidth: 10 MB/s, message_size: 4096, delay: 1 us}\n' > delay.yaml
MPIQOS_POLICY=delay.yaml MPIQOS_REPORT=report GMSIM_RECORD=delay.record mpirun -n 4 mpi-bandwidth -s 1K > out 2>&1 || true
grep -q 'requested a delay of at most 1 us to rank 1, but the manager computes no delay bounds on this cluster' report ||
    { cat report; fail "a delay on Ethernet"; }
gmsim report --text delay.record | grep 'denied because the manager computes no delay bounds on this cluster' > out ||
    fail "a delay on Ethernet, in the report"
echo "ok: a delay on Ethernet"
