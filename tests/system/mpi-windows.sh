#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks the reservations of windows during a flood. The data, answers and acknowledgements
# of every kind of operation must use the reserved flows in both directions. The rules of a
# policy can select the windows of a communicator by name.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_shows="out"

# windows ARGUMENT..: run the program on 8 ranks, with two ranks per host
windows()
{
    local status=0
    timeout 120 mpirun -n 8 -ppn 2 "$GMQOS_BUILDDIR/tests/mpi/windows" "$@" > out 2>&1 || status=$?
    [ "$status" = 0 ] && [ "$(tail -n 1 out)" = " No Errors" ] || fail "windows $*: status $status"
}

# figure FIELD: print the bandwidth (1), the mean time (2) or the longest time (3) of the last
# run
figure()
{
    sed -nE 's/^.*: ([0-9.]+) MB\/s, ([0-9.]+) us, longest ([0-9.]+) us$/\1 \2 \3/p' out |
        cut -d' ' -f"$1"
}

# Both ranks reserve 25 MB/s. With this reservation, the longest synchronized group of operations
# may take only a little longer during a flood than without a flood. Without the reservation, the
# longest group must take more than twice as long as with it.
check()
{
    local alone free
    windows "$@" flood=0 out=25 back=25
    alone=$(figure 3)
    windows "$@"
    free=$(figure 3)
    windows "$@" out=25 back=25
    awk -v alone="$alone" -v free="$free" -v now="$(figure 3)" -v what="$*" 'BEGIN {
        printf "%s: longest %.0f us without flood, %.0f us with it, %.0f us without reservation\n",
            what, alone, now, free
        exit !(now < alone * 1.4 && now < alone + 400 && free > 2 * now) }' ||
        fail "$*: the flood delays operations of the reservation"
}

# answers to gets and to other operations that return a value
check get 64 4 flush
check get-vector 1024 4 flush
check getacc 1024 4 flush
check fetch 8 4 flush
check swap 8 4 flush
# acknowledgements of accumulates, of puts with derived datatypes, and of locks
check acc 64 4 flush
check acc 64 4 flush kind=create
check acc-vector 1024 4 flush
check put-vector 1024 4 flush
check put 64 4 lock
check put 64 4 flush
check put 64 4 flush kind=dynamic
check get 64 4 flush kind=dynamic
# active synchronization
check put 64 4 pscw
check put 64 4 fence

# Long operations must achieve the reserved bandwidth.
for op in put get acc getacc put-vector get-vector acc-vector; do
    windows "$op" 65536 24 flush out=25 back=25 least=25
    echo "ok: $op of 64 KB: $(figure 1) MB/s"
done
# The direction of the data matters: a reservation by the origin does not cover the answers.
windows get 65536 8 flush out=25
[ "$(figure 1 | cut -d. -f1)" -lt 22 ] || fail "gets without a reservation of the target"
windows put 65536 8 flush back=25
[ "$(figure 1 | cut -d. -f1)" -lt 22 ] || fail "puts without a reservation of the origin"

# A rule for the window of a communicator applies neither to the communicator itself nor to other
# windows. If a communicator has no name, its window has the name "window".
cat > policy.yaml << 'END'
- {from: 0, to: 2, bandwidth: 25 MB/s, communicator: window of array}
- {from: 2, to: 0, bandwidth: 25 MB/s, communicator: window}
END
export MPIQOS_POLICY=policy.yaml MPIQOS_REPORT=report
windows put 65536 8 flush name=array least=25
[ "$(awk 'NF == 0 { exit } NR > 1 { print $1, $2, $3, $4, $5, $6 }' report)" = \
    "policy:1 window of array 0 2" ] || fail "rows: $(cat report)"
windows get 65536 8 flush name= least=25
[ "$(awk 'NF == 0 { exit } NR > 1 { print $1, $2, $3, $4 }' report)" = \
    "policy:2 window 2 0" ] || fail "rows: $(cat report)"
windows put 65536 8 flush name=other
mentions "named 'window of array'; names in use: other, window of other" out
echo "ok: names of windows"

# A single rule reserves both directions, with separate bandwidths.
echo '- {from: 0, to: 2, bandwidth: 15 MB/s, back: 25 MB/s, communicator: window of array}' > policy.yaml
windows get 65536 24 flush name=array least=25
windows put 65536 24 flush name=array least=15
[ "$(figure 1 | cut -d. -f1)" -lt 20 ] || fail "puts exceed their bandwidth"
[ "$(awk 'NF == 0 { exit } NR > 1 { print $1, $5, $6, $8 }' report)" = \
    "policy:1 0 2 15
policy:1 2 0 25" ] || fail "rows: $(cat report)"
export -n MPIQOS_POLICY MPIQOS_REPORT
echo "ok: both directions"

finish
