#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks the virtual time of file accesses on a cluster with I/O hosts. On an idle network, the
# times for one rank and for two writers that share a disk must equal times that are computed from
# the parameters of the disk. Repeated runs must take the same time on different numbers of
# processors.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

fail_shows="out err"
mkdir files

# The disk needs 1 ms for a request of one stripe, plus the time of 65536 bytes. In total, this is
# 7.5536 ms for a write at 10 MB/s and 4.2768 ms for a read at 20 MB/s. An access of 1 MB consists
# of 16 stripes.
cluster="hosts: 6
binding: none
parameters: {io_latency_us: 1000, io_write_bytes_s: 10e6, io_read_bytes_s: 20e6}"
export GMSIM_CLUSTER=$PWD/cluster.yaml

# run RANKS CASE [SECTION]: run a case of file_times with this section `io:`
run()
{
    printf '%s\nio: {%s}\n' "$cluster" "${3:-hosts: node6}" > cluster.yaml
    timeout 100 mpirun -n "$1" "$GMQOS_BUILDDIR/tests/mpi/file_times" "$PWD/files" "$2" \
        > out 2> err && grep -q '^ No Errors$' out || fail "mpirun -n $1: $2"
}

# between WORD LEAST MOST: check a time in seconds that the program has printed
between()
{
    awk -v word="$1" -v least="$2" -v most="$3" '
        $1 == word { found = $2 >= least && $2 <= most }
        END { exit !found }' out || fail "$1 is not between $2 and $3 s: $(cat out)"
}

# One rank accesses a single disk. The disk is slower than the network, so it works without a
# pause once the network has transferred the first stripe. For one stripe, the network takes 0.79
# ms at 83 MB/s, plus less than 0.3 ms for the short messages.
run 1 one
between write $(awk 'BEGIN { print 16 * 7.5536e-3 + 0.8e-3, 16 * 7.5536e-3 + 1.2e-3 }')
between read $(awk 'BEGIN { print 16 * 4.2768e-3 + 0.8e-3, 16 * 4.2768e-3 + 1.2e-3 }')
between sync 50e-6 200e-6
between resize 1.05e-3 1.2e-3

# Four disks on two I/O hosts serve four stripes each. The last disk begins when the fourth stripe
# has arrived, which is at most 4 x 0.79 ms after the start.
run 1 one "hosts: [node5, node6], disks: 2"
between write $(awk 'BEGIN { print 4 * 7.5536e-3 + 0.8e-3, 4 * 7.5536e-3 + 4.2e-3 }')

# Two ranks share one disk. The last rank ends after all 32 stripes have been written or read.
run 2 two
between last $(awk 'BEGIN { print 32 * 7.5536e-3 + 0.8e-3, 32 * 7.5536e-3 + 2e-3 }')
between first $(awk 'BEGIN { print 30 * 7.5536e-3, 32 * 7.5536e-3 + 2e-3 }')

# A rank on the I/O host does not use the network. Its time is the time of the disk plus less than
# 20 us for the call.
run 1 one "hosts: node1"
between write $(awk 'BEGIN { print 16 * 7.5536e-3, 16 * 7.5536e-3 + 20e-6 }')

# A read beyond the end of the file transfers no data.
run 1 bytes
between write $(awk 'BEGIN { print 1e-3, 1.2e-3 }')
between read 0 20e-6

# --- repeated runs ---------------------------------------------------------------------

# All kinds of access of four ranks, with locks: GMQOS_RUNS runs [6] take the same virtual time.
# Half of these runs use one processor, and another process computes during every third run.
printf '%s\nio: {hosts: [node5, node6]}\n' "$cluster" > cluster.yaml
for turn in $(seq "${GMQOS_RUNS:-6}"); do
    busy=
    cores=$(taskset -pc $$ | sed 's/.*: //')
    [ $((turn % 2)) = 0 ] || cores=${cores%%[,-]*}
    if [ $((turn % 3)) = 0 ]; then
        (while :; do :; done) &
        busy=$!
    fi
    timeout 100 taskset -c "$cores" mpirun -n 4 "$GMQOS_BUILDDIR/tests/mpi/files" \
        "$PWD/files" io > out 2> err && grep -q '^ No Errors$' out || fail "run $turn"
    [ -z "$busy" ] || kill "$busy"
    grep ' s$' out > "time.$turn" || fail "run $turn prints no time"
    cmp time.1 "time.$turn" || fail "the virtual time differs: $(cat time.1 "time.$turn")"
done
[ -z "$(ls files)" ] || fail "the tests leave files: $(ls files)"
finish
