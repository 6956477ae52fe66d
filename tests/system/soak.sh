#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs the soak test on 16 nodes: messages of 0 to 1 MB between all pairs, with both
# priorities. The network drops, damages, duplicates and delays packets; its links fail temporarily,
# and the receivers provide some buffers late. Every message must either arrive once, in order and
# with the correct bytes, or be reported to its sender as an error. The program tests/gm/soak.c
# checks these conditions.
#
# usage: soak.sh [--packets N] [--seed N]
#
# In the build directory, "make soak" runs the long form.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_ends_test=yes

packets=100000
seed=1
take_options "packets seed" "$@"
soak=$GMQOS_BUILDDIR/tests/gm/soak

# run NAME: run the soak test on the cluster NAME.yaml
run()
{
    GMSIM_CLUSTER=$PWD/$1.yaml mpirun -n 16 "$soak" --packets "$packets" \
        --seed "$seed" --ledger "$1.ledger" > "$1.out" || {
        cat "$1.out"
        fail "$1"
    }
}

# number TEXT FILE: print the number in a row of the report
number()
{
    sed -n "s/^ *$1  *\([0-9]*\)\$/\1/p" "$2"
}

# at_least WHAT LEAST FILE: check that the number in this row is at least LEAST
at_least()
{
    local value
    value=$(number "$1" "$3")
    [ "${value:-0}" -ge "$2" ] || fail "$1: ${value:-none}, expected at least $2"
}

cat > patient.yaml << YAML
hosts: 16
seed: $seed
faults:
  drop: 0.01
  damage_header: 0.0005
  damage_payload: 0.0005
  duplicate: 0.001
  delay: 0.001
  delay_max_us: 200
  outages_per_s: 50
  outage_us: 2000
YAML
run patient
cat patient.out

# All kinds of faults must occur about as often as configured.
at_least "dropped" $((packets * 15 / 1000)) patient.out
at_least "damaged in the header" $((packets * 7 / 10000)) patient.out
at_least "damaged in the payload" $((packets * 7 / 10000)) patient.out
at_least "duplicated" $((packets * 12 / 10000)) patient.out
at_least "lost on a link that is down" 10 patient.out
at_least "dropped without a buffer" 100 patient.out
# Senders that wait long enough must not lose any message.
[ "$(number "messages offered" patient.out)" = \
    "$(number "messages delivered" patient.out)" ]
# Every damaged packet must be detected, and no undamaged packet may be refused.
[ "$(number "found by CRC-32" patient.out)" = \
    "$(number "damaged in the payload" patient.out)" ]
[ "$(number "found by CRC-8" patient.out)" = \
    $(($(number "damaged in the header" patient.out) + \
       $(number "cut short by a link" patient.out))) ]
echo "ok: every message delivered, every damaged packet detected"

if [ "$packets" -le 100000 ]; then
    cp patient.out first.out
    run patient
    cmp first.out patient.out
    echo "ok: the same seed gives the same run"
fi

# In this run, senders give up soon, outages last longer, and NICs are reset.
sed 's/^  outage_us: .*/  outage_us: 20000/' patient.yaml > hasty.yaml
cat >> hasty.yaml << YAML
  events:
    - {at_us: 100000, reset_nic: 1}
    - {at_us: 200000, reset_nic: 16}
    - {at_us: 250000, reset_nic: 7}
    - {at_us: 250000, reset_nic: 8}
    - {at_us: 500000, node: 5, for_us: 100000}
parameters:
  nic_send_timeout_us: 30000
YAML
run hasty
cat hasty.out
offered=$(number "messages offered" hasty.out)
delivered=$(number "messages delivered" hasty.out)
failed=$(sed -n 's/^sends with this result *\([0-9]*\) \(.*\)/\1 \2/p' hasty.out |
    awk '!/success/ { sum += $1 } END { print sum + 0 }')
succeeded=$(sed -n 's/^sends with this result *\([0-9]*\) success/\1/p' hasty.out)
both=$(sed -n 's/^failed, but delivered  *//p' hasty.out)
[ "$failed" -gt 0 ] && [ $((succeeded + failed)) = "$offered" ] &&
    [ $((succeeded + both)) = "$delivered" ]
echo "ok: every message delivered or reported as failed ($failed of $offered)"
