#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# needs: nothing
#
# Checks gmsim model: the results, sweeps, the simulation against the analysis, the
# comparison with the simulated NIC, networks from files, and error messages. The test
# includes those tables of the NIC's paper that take only seconds.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_ends_test=yes
fail_shows=err
gmsim="$GMQOS_BUILDDIR/gmsim/tool/gmsim"

# --- invalid models and numbers ---
if [ -c /dev/zero ]; then
    refused 2 "/dev/zero: is not a model: the file is longer than 1 MiB" "$gmsim" model /dev/zero
fi
refused 2 "parameter 'rate': value '0x1p-8' is invalid; allowed: a number above 0" "$gmsim" model --set rate=0x1p-8

# --- the NIC: table 3 of the paper, saturation and bottlenecks ---
"$gmsim" model --method paper --rate 0.00493 --csv > out
grep -qE '^rate,0.00493,hdma,,queue,0.192[12]' out || fail "table 3"
grep -q '^rate,0.00493,hdma,,saturation rate,0.01119627' out ||
    fail "saturation"
"$gmsim" model | grep 'bottleneck: hdma, which saturates at a rate of 0.01119' > /dev/null ||
    fail "bottleneck"
# if the descriptor DMA is twice as fast, a different station is the bottleneck
"$gmsim" model --set hdma.descriptor.mean=34.1577 |
    grep -q 'bottleneck: nsdma' || fail "a faster DMA"
refused 1 "station 'hdma' cannot keep up: it saturates at an arrival rate of 0.0111963" "$gmsim" model \
    --rate 0.012

# --- simulation and analysis: the same numbers in every run and in every format ---
"$gmsim" model --simulate 2 --messages 40000 --csv > one
"$gmsim" model --simulate 2 --messages 40000 --csv > two
cmp one two || fail "the figures differ"
"$gmsim" model --simulate 2 --messages 40000 --seed 2 --csv > two
! cmp -s one two || fail "another seed makes no difference"
for policy in gated exhaustive priority limited; do
    "$gmsim" model --simulate 1 --messages 20000 --set "lanai.policy=$policy" \
        --csv > "$policy"
done
! cmp -s gated exhaustive || fail "gated equals exhaustive"
! cmp -s limited priority || fail "limited equals priority"
"$gmsim" model --card both --simulate 1 --messages 20000 > out
grep -q 'receive packet' out || fail "the receiving half"
"$gmsim" model --set hdma.room=8 --simulate 1 --messages 20000 > out
grep -q 'note: the analysis treats hdma' out || fail "no note about buffer space"
refused 1 "wait for each other" "$gmsim" model --set hdma.room=1 --set lanai.room=1 \
    --simulate 1 --messages 20000

refused 2 "--random cannot be used with FILE or --sweep" "$gmsim" model --random 2 --sweep rate=0.001:0.002:2

# --- sweeps and figures ---
"$gmsim" model --sweep rate=0.001:0.011:6 --csv > out
[ "$(grep -c ',hdma,,utilisation,' out)" = 6 ] || fail "a sweep of 6"
refused 1 "rate = 0.013" "$gmsim" model --sweep rate=0.001:0.013:2
if command -v gnuplot > /dev/null; then
    "$gmsim" model --sweep lanai.doorbell.rate_scv=0:4:5 --plot figures > out
    [ -s figures/model-utilisation.svg ] || fail "figure 4"
    [ -s figures/model-queue.svg ] || fail "figure 5"
fi

# --- comparison of the predicted saturation with the measured peak ---
for profile in lanai4.3 myrinet2000; do
    "$gmsim" model --profile $profile --measure --csv > out
    awk -F, -v profile=$profile '/^measured/ {
        off = $2 / $6 - 1; found = 1
        if (off > 0.02 || off < -0.02) { print profile, $2, $6; exit 1 }
    } END { if (!found) exit 1 }' out || fail "$profile: measured and predicted"
done

# --- a network from a file: an M/M/2 station and a loop ---
cat > net.yaml <<'END'
stations:
  - {name: cpu, servers: 2, policy: fcfs}
  - {name: disk}
classes: [job]
services:
  - {station: cpu, class: job, mean: 1, scv: 1, rate: 0.75}
  - {station: disk, class: job, mean: 0.5, scv: 1}
routes:
  - {from: cpu, class: job, to: disk, probability: 0.5}
  - {from: disk, class: job, to: cpu}
END
# the CPU is an M/M/2 station with arrival rate 1.5, rho 3/4 and waiting time 9/7; the
# disk has arrival rate 0.75 and rho 3/8
"$gmsim" model net.yaml --method qna --csv > out
grep -q '^rate,0.75,cpu,,wait,1.28571429' out || fail "M/M/2: $(cat out)"
grep -q '^rate,0.75,disk,,wait,0.3,' out || fail "M/M/1: $(cat out)"

# wrong TEXT SED: check that the file with this change is refused with a message that
# contains the text
wrong()
{
    sed "$2" net.yaml > bad.yaml
    refused 2 "$1" "$gmsim" model bad.yaml
}
wrong "bad.yaml:6: key 'mean': value 'x'; allowed: a number" 's/mean: 1/mean: x/'
wrong "bad.yaml:6: key 'station': value 'gpu'; allowed: a name in 'stations'" \
    '6s/station: cpu/station: gpu/'
wrong "bad.yaml:2: unknown key 'server'; allowed: name, servers, policy" \
    's/servers: 2/server: 2/'
wrong "bad.yaml:2: key 'policy'" 's/fcfs/lifo/'
wrong "bad.yaml:1: a network requires 'services'" '/services/,$d'
wrong "a mean above 0" 's/mean: 1/mean: 0/'
wrong "messages never leave the network" 's/probability: 0.5/probability: 1/'
refused 2 "no.yaml" "$gmsim" model no.yaml
refused 2 "unknown parameter 'hdma.speed'" "$gmsim" model --set hdma.speed=2
refused 2 "unknown parameter 'lanai.polcy'; allowed for a station: policy," "$gmsim" model --set lanai.polcy=gated
refused 2 "there is no station 'dma'" "$gmsim" model --set dma.room=2
refused 2 "parameter 'hdma.room': value '-1' is invalid; allowed: a whole number" "$gmsim" model \
    --set hdma.room=-1
refused 2 "parameter 'lanai.policy': value 'lifo' is invalid; allowed: fcfs" "$gmsim" model \
    --set lanai.policy=lifo
refused 2 "allowed: KEY=FROM:TO:N" "$gmsim" model --sweep rate=1
refused 2 "allowed: 1..2" "$gmsim" model --simulate 3
refused 2 "allowed: paper, qna, revisit, chain, chain-fast" "$gmsim" model --method x
refused 2 "--profile: the NICs of 'edr' are not lanai NICs, the only kind that the model describes" \
    "$gmsim" model --profile edr
refused 2 "--profile: value 'x' is unknown; allowed: lanai4.3, myrinet2000, edr, hdr, ndr, roce-100, roce-25, slingshot-100, aries" "$gmsim" model --profile x

# --- the paper's tables that take only seconds ---
"$gmsim" experiment run nic-3 nic-4 nic-8 --check \
    --reference "$GMQOS_SRCDIR/gmsim/experiments/reference" > out ||
    { cat out; fail "tables 3, 4 and 8"; }
echo "ok"
