#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that the bandwidth decreases linearly with the loss rate, without time-outs,
# and returns to its full value when the faults have ended.
set -euo pipefail

loss-bandwidth --csv --no-plot --iterations 1000 \
    --rates 0,0.01,0.02,0.03,0.04,0.05 > out
awk -F, '
    /^[0-9]/ {
        rows++
        # each percent of loss costs 2 to 5 % of the bandwidth
        lost = 100 - $4
        if (lost < 200 * $1 || lost > 500 * $1) {
            print "FAIL: bandwidth falls by " lost " % at a loss of " 100 * $1 " %"
            bad = 1
        }
        # a resend time-out would cost 10 ms
        if ($6 > 5000) { print "FAIL: p99 of " $6 " us"; bad = 1 }
    }
    END { exit bad || rows != 6 }' out || { cat out; exit 1; }
echo "ok: bandwidth falls linearly"

# bandwidth OPTION..: print the MB/s for messages of 64 KB
bandwidth()
{
    mpirun -n 2 gm-bandwidth --csv --size 64K "$@" | awk -F, '/^0->/ { print $4 }'
}

full=$(bandwidth)
cat > stop.yaml << YAML
faults:
  drop: 0.05
  damage_payload: 0.01
  duplicate: 0.01
  outages_per_s: 100
  events:
    - {at_us: 20000, link: switch 0 port 1 to node 2, for_us: 5000}
    - {at_us: 60000, reset_nic: 1}
    - {at_us: 70000, stop: random}
YAML
export GMSIM_CLUSTER=$PWD/stop.yaml
# the faults end before all 120 messages of the warm-up have arrived
after=$(bandwidth --warm-up 120)
during=$(bandwidth --warm-up 0 -i 60)
awk -v full="$full" -v after="$after" -v during="$during" 'BEGIN {
    print full " MB/s, with faults " during ", after them " after
    exit !(after > full * 0.999 && after < full * 1.001 && during < full * 0.9)
}' || { echo "FAIL: the full bandwidth is not reached again"; exit 1; }
echo "ok: full bandwidth after the faults"

status=0
loss-bandwidth --sise 3 2> err || status=$?
[ "$status" = 2 ] && grep -q -- --sise err
echo "ok: invalid usage"
