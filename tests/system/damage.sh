#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# damage.sh [N]: records that were cut, changed or mixed (tests/fuzz/damage_record.c):
# each is refused, or read as the undamaged one. N damages, 300 without a number.
# needs: nothing
set -euo pipefail

bin=$GMQOS_STAGE/bin
unset GMSIM_CLUSTER GMSIM_RECORD GMSIM_TIME GMSIM_TRACE

# run NAME COMMAND..: two ranks
run()
{
    local rank
    for rank in 0 1; do
        PMI_RANK=$rank PMI_SIZE=2 GMSIM_JOB=damage.$$ GMSIM_RECORD=$1 "${@:2}" > /dev/null &
        pids[rank]=$!
    done
}

pids=()
run one "$bin/gm-pingpong" -s 1000 -i 50
wait
run two "$bin/gm-pingpong" -s 1001 -i 50
wait
run killed "$bin/gm-bandwidth" -s 65536 -i 100000
for _ in $(seq 1200); do
    [ "$(wc -l 2> /dev/null < killed/windows.jsonl || echo 0)" -lt 20 ] || break
    sleep 0.1
done
kill -9 "${pids[@]}" || :
wait || :
"$GMQOS_BUILDDIR/tests/fuzz/damage_record" --runs "${1:-300}" one two killed
