#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# needs: nothing
#
# Checks gmsim qos: a run with every control method, the same numbers in every run,
# consistent tables, and error messages.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_ends_test=yes
fail_shows=err
gmsim="$GMQOS_BUILDDIR/gmsim/tool/gmsim"

# qos ARGUMENT..: perform a short run
qos()
{
    "$gmsim" qos --cycles 20000 --replications 2 "$@" 2> err ||
        fail "'$*' ended with $?"
}

# value CLASS QUANTITY < csv: print one value of the CSV
value()
{
    awk -F, -v c="$1" -v q="$2" '$1 == c && $2 == q { print $3 }'
}

# misused STATUS TEXT ARGUMENT..: check that the command ends with the status and prints
# the text
misused()
{
    refused "$1" "$2" "$gmsim" qos --cycles 1000 "${@:3}"
    [ ! -s out ] || fail "'${*:3}' prints figures"
}

# --- a run with all classes and all control methods ---
all=(--topology mesh --rows 3 --columns 3 --load 60 --real-time 50
     --traffic on-off --admission=90 --congestion quad-cq --credits 50
     --cycle 3.76 --power credit --limit 9)
qos "${all[@]}" > out
grep -q '^9 nodes on a 3 x 3 mesh, links of 34.04 Gb/s with 16 lanes; each node sends 60 % .*, 50 % of that as on/off connections with 2 % of a link each, the rest as best effort to uniform targets; admission up to 90 % of a link, congestion control quad-cq, power control credit with a limit of 9 W; 2 replications of ' out ||
    fail "the description of the simulation"
for class in control real-time best-effort all; do
    grep -q "^$class " out || fail "no line for $class"
done
grep -q '^Connections: 270 requested, ' out || fail "connections"
grep -q '^Power: .* (limit 9 W)\.$' out || fail "power"

# --- every run prints the same numbers, on one core or on all cores; other seeds change them ----
qos "${all[@]}" --csv > one
qos "${all[@]}" --csv > two
cmp one two || fail "the figures differ"
taskset -c 0 "$gmsim" qos --cycles 20000 --replications 2 "${all[@]}" --csv \
    > two || fail "on one core"
cmp one two || fail "the figures on one core differ"
qos "${all[@]}" --seed 2 --csv > two
! cmp -s one two || fail "another seed makes no difference"

# --- every generated packet is delivered, dropped, or still in the network ---
for control in "" "--congestion credit" "--congestion separate-cq" \
               "--congestion alo" "--congestion self-tuned" "--buffer 20"; do
    # shellcheck disable=SC2086
    qos --topology torus --load 90 --traffic on-off $control --csv > csv
    made=$(value all made < csv)
    sum=$(($(value all delivered < csv) + $(value all dropped < csv) +
           $(value all unfinished < csv)))
    [ "$made" = "$sum" ] || fail "generated $made, counted $sum with '$control'"
    [ "$made" -gt 1000 ] || fail "only $made packets"
done

# --- at a low load, all connections are accepted, and frames of videos arrive in time ---
qos --load 20 --real-time 0 --csv > csv
awk -v a="$(value all offered < csv)" -v b="$(value all accepted < csv)" \
    'BEGIN { exit !(a > 19 && a < 21 && b > 0.98 * a && b < 1.02 * a) }' ||
    fail "offered and accepted at 20 %"
"$gmsim" qos --load 10 --nodes 3 --seconds 0.2 --replications 1 --timing > out
grep -qE '^Video: [0-9]{3,} frames, 0 \+- 0 % late' out || fail "frames"
grep -q 'flit-hops per CPU second' out || fail "timing"

# --- admission reports refused connections; without admission, there are no requests ---
qos --traffic on-off --admission=20 --csv > csv
awk -v r="$(value real-time 'rejection rate' < csv)" \
    'BEGIN { exit !(r > 50 && r < 90) }' || fail "rejections"
qos --traffic on-off --csv > csv
[ "$(value real-time connections < csv)" = 0 ] || fail "requests without admission"

# --- invalid usage ---
misused 2 "--load: value '101' is invalid; allowed: 0..100" --load 101
misused 2 "--load: value 'much'" --load much
misused 2 "--topology: value 'ring' is unknown; allowed: crossbar, cascade, clos, fat-tree, mesh, torus" --topology ring
misused 2 "--congestion: value 'luck' is unknown; allowed: none, credit, separate-cq, quad-cq, alo, self-tuned" --congestion luck
misused 2 "--power: value 'luck' is unknown; allowed: none, credit, powerherd" --power luck
misused 2 "--traffic: value 'noise' is unknown; allowed: video, on-off" --traffic noise
misused 2 "--real-time-lanes: value '16'" --real-time-lanes 16
misused 2 "--real-time-lanes: value '8' is invalid; allowed: 0..7" --lanes 8 --real-time-lanes 8
misused 2 "no lane for it" --real-time-lanes 0
misused 2 "--seconds and --cycles cannot be used together" --seconds 1
misused 2 "--replications: value '0' is invalid; allowed: 1..1024" --replications 0
misused 2 "quad-cq" --congestion quad-cq
misused 2 "nodes is 65; allowed: 2..64" --nodes 65
misused 2 "power of two" --nodes 6 --target bit-complement
misused 2 "credits" --congestion credit --buffer 10 --credits 11

misused 2 "--rows requires --topology mesh or torus" --rows 3
misused 2 "--columns requires --topology mesh or torus" --topology clos --columns 3
misused 2 "--nodes requires a topology without --rows" --topology mesh --nodes 3
misused 2 "--bursts requires --traffic video" --bursts --traffic on-off
misused 2 "--connection requires --traffic on-off" --connection 3
misused 2 "--hot requires --target hot-spot" --hot 5
misused 2 "--credits requires --congestion or --power" --credits 5
misused 2 "--limit requires --power" --limit 5

# --- output that cannot be written to its file ---
if [ -w /dev/full ]; then
    got=0
    "$gmsim" qos --cycles 1000 > /dev/full 2> err || got=$?
    [ "$got" = 1 ] || fail "a full disk ended with $got"
fi
"$gmsim" qos --help | awk 'length > 80 { exit 1 }' || fail "help is too wide"
