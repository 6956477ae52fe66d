#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Compares the ping-pong times of the profiles of real networks with the measured times to which
# they were fitted. A simulated time must be within 3 % of the measured median, or between the
# measured quartiles. doc/real-networks.md lists the times that are in neither range.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

# simulate PROFILE: print the size and half the round-trip time in us of every message size
simulate()
{
    printf 'profile: %s\nhosts: 2\n' "$1" > "$1.yaml"
    GMSIM_CLUSTER=$1.yaml timeout 100 mpirun -n 2 mpi-patterns --csv --pattern one_one \
        --min 1 --max 16M --warm-up 2 --iterations 3 |
        awk -F, '$1 == "pattern" { for (i = 1; i <= NF; ++i) column[$i] = i; next }
            $1 == "one_one" { print $column["bytes"], $column["median_us"] }'
}

# compare TABLE SIMULATED: print the sizes whose times are in neither range
compare()
{
    awk 'FNR == NR { simulated[$1] = $2; next }
        /^[0-9]/ {
            split($0, measured, ",")
            us = simulated[measured[1]]
            error = us / measured[2] - 1
            rows += us > 0
            if ((error < -0.03 || error > 0.03) && (us < measured[3] || us > measured[4]))
                print measured[1]
        }
        END { if (rows != 25) print rows " rows" }' "$2" "$1"
}

for profile in edr hdr slingshot-100 aries; do
    simulate "$profile" > "$profile.txt"
    compare "$GMQOS_SRCDIR/clusters/pingpong/$profile.csv" "$profile.txt" |
        sed "s/^/$profile /"
done > outside.txt
echo "slingshot-100 512" | diff - outside.txt || fail "times outside both ranges"
finish
