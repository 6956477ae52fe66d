#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Reports of real runs in a browser: paced flows and a fault, a run that was killed,
# and with MPI the demo with its reservations.
# needs: nothing
set -euo pipefail

for tool in python3 chromium; do
    if ! command -v "$tool" > /dev/null; then
        echo "skipped: no $tool (Debian package $tool)"
        exit 77
    fi
done
bin=$GMQOS_STAGE/bin
export HOME=$PWD PYTHONDONTWRITEBYTECODE=1
unset GMSIM_CLUSTER GMSIM_RECORD GMSIM_TIME
names=(paced killed)

# start RANKS COMMAND..: without a launcher, which may not be there
started=()
start()
{
    local n=$1 i
    started=()
    for ((i = 0; i < n; i++)); do
        PMI_RANK=$i PMI_SIZE=$n GMSIM_JOB=real.$$ "${@:2}" > "out.$i" 2> "err.$i" &
        started+=($!)
    done
}

cat > faults.yaml <<'END_OF_FILE'
hosts: 3
faults:
  events:
    - {at_us: 3000, link: node 1 to switch 0, for_us: 200}
END_OF_FILE
export GMSIM_CLUSTER=faults.yaml GMSIM_RECORD=paced
start 3 "$bin/gm-bandwidth" -s 65536 -i 20 --idt 192,384
wait
unset GMSIM_CLUSTER

export GMSIM_RECORD=killed
start 2 "$bin/gm-bandwidth" -s 1048576 -i 100000
for _ in $(seq 1200); do
    [ "$(wc -l 2> /dev/null < killed/windows.jsonl || echo 0)" -lt 20 ] || break
    sleep 0.1
done
kill -9 "${started[@]}" || true
wait || true

if [ "$GMQOS_MPICH" = yes ]; then
    GMSIM_RECORD=demo mpirun -n 4 "$GMQOS_BUILDDIR/examples/bandwidth" > out
    names+=(demo)
fi
unset GMSIM_RECORD

for name in "${names[@]}"; do
    gmsim report "$name" -o "$name.html" --quiet
    gmsim report "$name" --json > "$name.json"
done
python3 "$GMQOS_SRCDIR/tests/report/page.py" . "${names[@]}"
