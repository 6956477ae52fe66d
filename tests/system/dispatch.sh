#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks GMSIM_DISPATCH, which causes any job to write its dispatch log when it ends. The
# variable must not change anything else.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

# check WHAT COMMAND..: check that the command succeeds
check() {
    if "${@:2}"; then
        echo "ok: $1"
    else
        fail "$1"
    fi
}

flows=(mpirun -n 3 gm-bandwidth --csv --size 64K --idt 192,384)

"${flows[@]}" > plain.txt
echo stale > log.csv
GMSIM_DISPATCH=log.csv "${flows[@]}" > logged.txt
check "the same result with a log" cmp plain.txt logged.txt
check "a head line" grep -qx \
    'node,source_port,target_node,target_port,priority,label,rtc_tick,bytes' \
    log.csv
check "nothing of an earlier log" test "$(grep -c stale log.csv)" = 0

# Rank 0 sends to nodes 2 and 3. The mean interval between packets is 192 ticks for node 2
# and 384 ticks for node 3.
for pair in 2,192 3,384; do
    check "ticks between packets to node ${pair%,*}: ${pair#*,}" \
        awk -F, -v to="${pair%,*}" -v idt="${pair#*,}" '
            $1 == 1 && $3 == to {
                if (seen++ == 0) first = $7
                last = $7
            }
            END {
                mean = (last - first) / (seen - 1)
                exit !(seen > 100 && mean > 0.995 * idt && mean < 1.005 * idt)
            }' log.csv
done

echo 'parameters: {nic_dispatch_records: 10}' > short.yaml
GMSIM_CLUSTER=short.yaml GMSIM_DISPATCH=short.csv "${flows[@]}" > /dev/null
check "not more than nic_dispatch_records of each NIC" \
    test "$(grep -c '^1,' short.csv)" = 10

# All ranks must execute the command at the same time, because a rank waits up to a minute
# for a missing rank.
got=0
GMSIM_DISPATCH=nowhere/log.csv timeout 30 "${flows[@]}" > /dev/null 2> error.txt ||
    got=$?
check "a file that cannot be written is refused" test "$got" != 0
check "at once" test "$got" != 124
check "and the message names it" \
    grep -q "GMSIM_DISPATCH: cannot write 'nowhere/log.csv'" error.txt

finish
