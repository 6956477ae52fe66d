#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks reservations for file accesses, which are requested with hints or with a policy. A
# file with a reservation must keep its bandwidth while other ranks access files or send
# messages as fast as they can. The test also checks the answers to hints, the report,
# denials, and rules without effect.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

fail_shows="out err report"
mkdir files

# The disks are much faster than the network.
cat > cluster.yaml << 'END'
hosts: 6
binding: none
parameters: {io_latency_us: 0, io_write_bytes_s: 100e9, io_read_bytes_s: 100e9}
io: {hosts: node6, disks: 16}
END
export GMSIM_CLUSTER=$PWD/cluster.yaml

# run RANKS CASE [BANDWIDTH]: run a case of file_reserve
run()
{
    timeout 100 mpirun -n "$1" "$GMQOS_BUILDDIR/tests/mpi/file_reserve" "$PWD/files" \
        "${@:2}" > out 2> err && grep -q '^ No Errors$' out || fail "mpirun -n $*"
}

# rate LEAST MOST: check the bandwidth of rank 0 in MB/s
rate()
{
    awk -v least="$1" -v most="$2" '
        $1 == "rate" { found = $2 >= least && $2 <= most }
        END { exit !found }' out || fail "not between $1 and $2 MB/s: $(cat out)"
    sed -n 's/^rate/MB\/s:/p' out
}

# --- during a flood ----------------------------------------------------------------------

for case in write read; do
    run 5 $case
    rate 10 25
    run 5 $case "40 MB/s"
    rate 39.6 42
done
# rank 5 is on the I/O host
run 6 messages "40 MB/s"
rate 39.6 42

# --- a policy ----------------------------------------------------------------------------

cat > policy.yaml << 'END'
- {from: all, to: io, class: none, file: "flood*"}
- {from: 0, to: io, bandwidth: 40 MB/s, back: 30 MB/s, file: "measured.*"}
END
export MPIQOS_POLICY=policy.yaml
MPIQOS_REPORT=report run 5 write
rate 39.6 42
[ ! -s err ] || fail "prints a message"
awk 'NF == 0 { exit } NR > 1 { print $1, $2, $3, $4, $5, $6, $7, $9, $10, $11 }' report > rows
cat > expected << 'END'
policy:2 file measured.0 0 io premium 40 1 granted 40
policy:2 file measured.0 io 0 premium 30 1 granted 30
END
diff expected rows || fail "the rows of the report"
run 5 read
rate 29.7 32
# hints have precedence over a policy, whose rule then has no effect in either direction
run 5 write "20 MB/s"
rate 19.8 21.5
mentions "mpiqos: warning: policy.yaml:2: the rule had no effect"
[ "$(wc -l < err)" = 1 ] || fail "not one line"

# a denial is printed once per direction, and the program runs anyway
echo '- {from: 0, to: io, bandwidth: 400 MB/s}' > policy.yaml
run 1 write
[ "$(wc -l < err)" = 1 ] || fail "not one line"
grep -qE '^mpiqos: policy.yaml:1: flow from rank 0 to io on file measured.0: denied: requested 400 MB/s for writing, but .* MB/s left$' err ||
    fail "no reason"
# a rule without effect
cat > policy.yaml << 'END'
- {from: io, to: 0, bandwidth: 4 MB/s, file: "measured.*"}
- {from: io, to: 0, bandwidth: 4 MB/s, file: mesured}
END
run 1 write
mentions "mpiqos: warning: policy.yaml:2: the rule had no effect, because it is not the first rule for any file that its ranks opened with MPI-IO (file: 'mesured')"
[ "$(wc -l < err)" = 1 ] || fail "not one line"
unset MPIQOS_POLICY

# --- answers -----------------------------------------------------------------------------

run 1 hints
echo 'hosts: 2' > cluster.yaml
run 1 none
[ -z "$(ls files)" ] || fail "the tests leave files: $(ls files)"
finish
