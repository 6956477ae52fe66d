#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks reports of real runs in a browser. The test uses a run with paced flows and a
# fault, a run that was killed, and, if MPICH is available, the demo with its reservations.
# needs: nothing
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

need python3 chromium
bin=$GMQOS_STAGE/bin
export HOME=$PWD PYTHONDONTWRITEBYTECODE=1
names=(paced killed)

cat > faults.yaml <<'END_OF_FILE'
hosts: 3
faults:
  events:
    - {at_us: 3000, link: node 1 to switch 0, for_us: 200}
END_OF_FILE
GMSIM_CLUSTER=faults.yaml GMSIM_RECORD=paced run_ranks 3 "$bin/gm-bandwidth" -s 65536 -i 20 --idt 192,384
killed_run killed

if [ "$GMQOS_MPICH" = yes ]; then
    GMSIM_RECORD=demo mpirun -n 4 "$GMQOS_BUILDDIR/examples/bandwidth" > out
    names+=(demo)
fi

for name in "${names[@]}"; do
    gmsim report "$name" -o "$name.html" --quiet
    gmsim report "$name" --json > "$name.json"
done
python3 "$GMQOS_SRCDIR/tests/report/page.py" . "${names[@]}"
