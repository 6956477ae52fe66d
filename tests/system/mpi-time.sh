#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests the time modes, which the user sets with GMSIM_TIME or in the cluster description.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_ends_test=yes
# time_modes compares virtual time with its own measurements of real time
export GMSIM_CLOCK=real

modes()
{
    rm -f flags
    mpirun -n 2 "$GMQOS_BUILDDIR/tests/mpi/time_modes" "$@" flags > out 2> err || {
        cat out err
        fail "time_modes $*"
    }
    grep -q '^ No Errors$' out || { cat out err; fail "time_modes $*"; }
    echo "ok: $*"
}

modes virtual 1
GMSIM_TIME=measured modes measured 1
GMSIM_TIME=measured:4 modes measured 4
GMSIM_TIME=wall modes wall 1
GMSIM_TIME=wall:5 modes wall 5
printf 'time: measured:0.5\nbinding: core\n' > half.yaml
GMSIM_CLUSTER=half.yaml GMSIM_TIME=virtual modes virtual 1
printf 'time: measured:0.5\n' > half.yaml
GMSIM_CLUSTER=half.yaml modes measured 0.5

# other processes use the processors for most of the time, but only this program's CPU time is
# measured
cat > load.sh << 'END'
for i in 1 2 3 4; do timeout 60 sh -c 'while :; do :; done' & done
trap 'kill $(jobs -p)' EXIT
"$@"
END
rm -f flags
GMSIM_TIME=measured timeout 120 bash load.sh \
    mpirun -n 2 "$GMQOS_BUILDDIR/tests/mpi/time_modes" measured 1 flags > out 2> err || {
    cat out err
    fail "measured, on a loaded machine"
}
echo "ok: measured, loaded"

# check invalid values
if GMSIM_TIME=measured:fast mpirun -n 2 "$GMQOS_BUILDDIR/tests/mpi/time_modes" \
    measured 1 flags > out 2> err; then
    fail "an invalid GMSIM_TIME was accepted"
fi
grep -q "environment variable GMSIM_TIME: value 'measured:fast' is unknown; allowed: virtual, measured" err ||
    { cat err; fail "no message about GMSIM_TIME"; }
if mpirun -n 1 -env GMSIM_TIME wall "$GMQOS_BUILDDIR/tests/mpi/time_modes" wall 1 flags : \
    -n 1 "$GMQOS_BUILDDIR/tests/mpi/time_modes" virtual 1 flags > out 2> err; then
    fail "two ranks with different modes"
fi
grep -q 'time is . for rank' err || { cat err; fail "no message about different modes"; }

# gmsim must report the active mode
[ "$(GMSIM_TIME=wall:2.5 gmsim params --csv time | sed -n 's/^time,\([^,]*\).*/\1/p')" = wall ] ||
    fail "gmsim params ignores GMSIM_TIME"
[ "$(GMSIM_TIME=wall:2.5 gmsim params --csv time_factor_ppm |
    sed -n 's/^time_factor_ppm,\([^,]*\).*/\1/p')" = 2500000 ] ||
    fail "gmsim params ignores the factor"
gmsim config check half.yaml | grep -q 'time measured:0.5)$' || fail "gmsim check"
if GMSIM_TIME=slow gmsim params > out 2> err; then
    fail "gmsim params accepts an invalid GMSIM_TIME"
fi
grep -q "GMSIM_TIME: value 'slow'" err || fail "gmsim params: $(cat err)"
echo "ok: invalid values, tools"
