#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks the results and exit statuses of gmsim compare for equal runs, and for runs whose
# differences are known.
# needs: nothing
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

bin=$GMQOS_STAGE/bin
gmsim=$bin/gmsim
# job RECORD IDT: record gm-bandwidth with three ranks, without a launcher
job()
{
    GMSIM_RECORD=$1 run_ranks 3 "$bin/gm-bandwidth" -s 65536 -i 20 --idt "$2"
}

# ends STATUS COMMAND..: check that the command ends with the status
ends()
{
    local wanted=$1 status=0
    shift
    "$@" > out 2>&1 || status=$?
    [ $status = "$wanted" ] || { cat out; fail "$*: status $status, not $wanted"; }
}

cat > slow.yaml <<'END'
hosts: 4
seed: 3
END
job one 200,400
job same 200,400
GMSIM_CLUSTER=slow.yaml job slower 400,400

ends 0 "$gmsim" compare one same --check --above 0
grep -q '^Both runs used the same program on the same cluster.$' out || { cat out; fail "the same program"; }
grep -q '^All compared values are equal.$' out || { cat out; fail "equal runs"; }

ends 0 "$gmsim" compare one slower
grep -Eq '^cluster +\(default\) +slow.yaml$' out || { cat out; fail "the cluster's values"; }
sed -n '/^what /{n;p}' out | grep -Eq '^(run +time|flow .* bandwidth) ' || { cat out; fail "the order"; }
grep -Eq '^seed +1 +3$' out || { cat out; fail "the seed"; }
grep -Eq '^hosts +16 +4$' out || { cat out; fail "the hosts"; }
# the first run sends one packet of 4096 bytes every 100 us, and the second run sends one
# every 200 us
grep -Eq '^flow 0 -> 1 +bandwidth +4[01].* MB/s +20.* MB/s +-[45].*%$' out || { cat out; fail "the flow"; }
# the total time does not change, because the other flow already had the slower rate
! grep -q '^flow 0 -> 2 .*bandwidth' out || { cat out; fail "the other flow"; }
ends 1 "$gmsim" compare one slower --check
ends 1 "$gmsim" compare one slower --check --above 45 -q
[ ! -s out ] || { cat out; fail "not quiet"; }
ends 0 "$gmsim" compare one slower --check --above 10000

ends 0 "$gmsim" compare one slower --csv
[ "$(head -n 1 out)" = what,quantity,unit,first,second,change_percent ] || { cat out; fail "CSV"; }
grep -q '^input,seed,,"1","3",$' out || { cat out; fail "inputs as CSV"; }
if command -v python3 > /dev/null; then
    ends 0 "$gmsim" compare one slower --json
    python3 - << 'END' || fail "JSON"
import json

both = json.load(open("out"))
assert not both["equal"]
assert {"name": "seed", "first": "1", "second": "3"} in both["inputs"]
change = [c for c in both["changes"] if c["what"] == "flow 0 -> 1" and c["quantity"] == "bandwidth"]
assert -52 < change[0]["change_percent"] < -45, change
END
fi
ends 0 "$gmsim" compare one slower -o both.html
[ -s both.html ] || fail "no page"
ends 2 "$gmsim" compare one
ends 2 "$gmsim" compare one same slower
ends 2 "$gmsim" compare one nowhere
grep -q '^gmsim compare: nowhere: the directory has no record of a run' out || { cat out; fail "no record"; }
ends 2 "$gmsim" compare one same --csv --json
finish
