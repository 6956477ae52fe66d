#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that the demo's results are as documented: premium flows within 2 % of the
# request, best-effort flows within 5 % of the remaining bandwidth, and one denial with
# its reason. On a loaded machine, the output must be identical, byte for byte.
set -euo pipefail

demo=$GMQOS_BUILDDIR/examples/bandwidth
mpirun -n 4 "$demo" > first

awk '
    function fail(text) { print "FAIL: " text ": " $0; bad = 1 }
    /^0->/ {
        rows++
        gsub(/best effort/, "best-effort")
        off = $NF + 0
        off = off < 0 ? -off : off
        if ($2 == "premium") {
            premium++
            if (off > 2) fail("more than 2 % off")
        } else if ($2 == "best-effort") {
            if (off > 5) fail("more than 5 % off")
            # The capacity of a node is 78 MB/s, counted in packets. A message of 64 KB
            # consists of 18 packets of 4096 bytes. The expected bandwidth of a single
            # such flow is (78 - 8192 / 182 - 8192 / 364) / 1.125. For each of two flows,
            # it is (78 - 8192 / 364) / 2 / 1.125.
            left = (rows <= 3) ? 9.32 : 24.67
            if ($4 < 0.95 * left || $4 > 1.05 * left) fail("not the remaining bandwidth")
        } else {
            fail("neither premium nor best effort")
        }
    }
    /^denied: / {
        denied++
        if (!/source node/ || !/MB\/s left/) fail("no reason")
    }
    END {
        if (rows != 6 || premium != 3 || denied != 1) {
            print "FAIL: " rows " rows, " premium " premium, " denied " denied"
            bad = 1
        }
        exit bad
    }' first || { cat first; exit 1; }
echo "ok: promises"

load=()
trap 'kill "${load[@]}" 2> /dev/null || :' EXIT
for _ in 1 2 3; do
    (while :; do :; done) &
    load+=($!)
done
mpirun -n 4 "$demo" > second
cmp first second
echo "ok: same output on a loaded machine"
