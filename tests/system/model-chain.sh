#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# needs: nothing
#
# Checks the method chain of gmsim model: its errors on random NICs, the script that measures
# many NICs, and the networks that the method refuses.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_ends_test=yes
fail_shows=err
gmsim="$GMQOS_BUILDDIR/gmsim/tool/gmsim"

# --- errors on random NICs ---
"$gmsim" model --method chain --random 2 --messages 200000 --csv > pair
awk -F, '$1 == "queue hdma" && $5 > 5 { exit 1 } $1 ~ /^utilisation/ && $5 > 3 { exit 1 }' pair ||
    { cat pair; fail "errors of the method chain"; }
"$gmsim" model --card both --method chain --random 1 --messages 200000 --csv > out
awk -F, '$1 == "queue hdma" && $5 > 5 { exit 1 } $1 ~ /^utilisation/ && $5 > 3 { exit 1 }
    $1 == "queue lanai" && $5 > 10 { exit 1 }' out ||
    { cat out; fail "errors of the method chain for the receiving NIC"; }
# the script of `make nic-errors` measures the same NICs, and skips NICs that have
# already been measured
errors=$GMQOS_SRCDIR/tests/analytic/nic-errors
bash "$errors" "$gmsim" nics 2 --method chain --messages 200000 > whole
rm nics/1.csv
touch -d 2001-01-01 nics/0.csv
bash "$errors" "$gmsim" nics 2 --method chain --messages 200000 > again
cmp whole again || fail "the continued comparison of random NICs differs"
[ "$(find nics -name 0.csv -newermt 2002-01-01)" = "" ] || fail "NIC 0 was simulated again"
awk -F, '$1 == "queue hdma" { printf "%.2f\n", $2 }' pair > mean
awk '/^queue hdma/ { print $3 }' whole | cmp - mean || fail "mean error of the script"

# --- networks that the method refuses ---
refused 2 "station 'hdma': service times must be constant" "$gmsim" model --method chain \
    --set hdma.doorbell.scv=1
refused 1 "station 'hdma' cannot keep up" "$gmsim" model --method chain --rate 0.012
echo ok
