#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests the device's MPI_T variables. Compares the list of variables with
# doc/counters.md and `gmsim params`, and the values with numbers computed by hand.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_ends_test=yes

tests=$GMQOS_BUILDDIR/tests/mpi

# run_twice RANKS NAME [ARGUMENT..]: run the test twice, and compare the outputs
run_twice()
{
    mpi_test "$@"
    mv out first
    mpi_test "$@"
    diff first out || fail "$2 differs from run to run"
    echo "ok: $2, $1 processes"
}

# --- list of variables -----------------------------------------------------------
mpi_test 1 tool_list
grep '|' out > pvars
grep '^GM_' out | sort > cvars
sed -n 's/^| `\(gm_[a-z_]*\)` | \([a-z]*\) | \(.*\) |$/\1 | \2 | \3/p' \
    "$GMQOS_SRCDIR/doc/counters.md" > documented
diff documented pvars || { echo "FAIL: doc/counters.md (<) has other variables"; exit 1; }
[ "$(wc -l < pvars)" -gt 50 ] || { cat pvars; exit 1; }
gmsim params | awk 'NR > 1 { sub(/^\*/, " "); print "GM_" $1, $2 }' | sort > params
diff params cvars || { echo "FAIL: gmsim params (<) has other variables"; exit 1; }
printf 'profile: myrinet2000\nhosts: 8\nscheduler: packet-rr\n' > cluster.yaml
export GMSIM_CLUSTER=cluster.yaml
mpi_test 1 tool_list
grep '^GM_' out | sort > cvars
gmsim params | awk 'NR > 1 { sub(/^\*/, " "); print "GM_" $1, $2 }' | sort > params
grep -q '^GM_scheduler packet-rr$' cvars || { cat cvars; exit 1; }
diff params cvars || { echo "FAIL: gmsim params (<) has other values"; exit 1; }
unset GMSIM_CLUSTER
echo "ok: $(wc -l < pvars) performance and $(wc -l < cvars) control variables"

# --- invalid indices, invalid order, and freed communicators -----------------------
run_twice 2 tool_indices
mpi_test 2 tool_indices threads
echo "ok: threads that read variables"

# --- values of the variables -------------------------------------------------------
run_twice 2 tool_flow
run_twice 3 tool_handles
# reading the clock takes half as long as a packet, so the counters change between two
# readings
printf 'parameters:\n  host_clock_read_ps: 25000000\n' > cluster.yaml
GMSIM_CLUSTER=cluster.yaml run_twice 2 tool_flow readreset

printf 'parameters:\n  fault_drop_ppm: 20000\n' > cluster.yaml
GMSIM_CLUSTER=cluster.yaml run_twice 2 tool_loss

# --- before MPI_Init ----------------------------------------------------------------
printf 'parameters:\n  mpi_eager_bytes: 5000\n' > cluster.yaml
GMSIM_CLUSTER=cluster.yaml run_twice 2 tool_before
status=0
mpirun -n 2 "$tests/tool_before" differ > out 2>&1 < /dev/null || status=$?
[ "$status" != 0 ] || { echo "FAIL: ranks with different seeds"; cat out; exit 1; }
grep -Eq 'seed is 10[01] for rank . \(changed by the program\) and 10[01]' out || {
    echo "FAIL: the message"
    cat out
    exit 1
}
echo "ok: ranks that write different values"

# --- the example --------------------------------------------------------------------
mpirun -n 2 "$GMQOS_BUILDDIR/examples/counters" > out
[ "$(wc -l < out)" = "$(wc -l < pvars)" ] || { cat out; exit 1; }
grep -q '^gm_flow_packets_sent  *0  *180$' out || { cat out; exit 1; }
grep -q '^gm_flow_bytes_sent  *0  *656320$' out || { cat out; exit 1; }
echo "ok: examples/counters"
