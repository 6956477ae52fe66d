#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# needs: mpich
#
# Checks gmsim fit. A fit must recover the parameters of a simulated network from noisy
# ping-pong times. It must report parameters that these times cannot separate, and write a
# profile that a cluster description can use.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_ends_test=yes
fail_shows="out err"
export PATH=$GMQOS_STAGE/bin:$PATH

sizes=1,64,512,2048,4096,8192,12288,16384,65536,262144

# near VALUE EXPECTED PERCENT WHAT: check that VALUE is within PERCENT % of EXPECTED
near()
{
    awk -v a="$1" -v b="$2" -v p="$3" \
        'BEGIN { d = 100 * (a - b) / b; exit !(d <= p && d >= -p) }' ||
        fail "$4: $1, expected $2 within $3 %"
}

# parameter NAME FILE: print the value of a parameter in a profile
parameter()
{
    sed -n "s/^  $1: //p" "$2"
}

# --- errors that are detected without a run ---------------------------------------------
printf 'bytes,half_round_trip_us\n1,5\n2,x\n' > bad.csv
ends 2 gmsim fit --pingpong bad.csv
grep -qxF "bad.csv:3: time 'x' is invalid; allowed: microseconds, more than 0" err ||
    fail "an invalid time"
ends 2 gmsim fit --pingpong nothing.csv
ends 2 gmsim fit
printf 'bytes,half_round_trip_us\n1,5\n2,5\n' > two.csv
ends 2 gmsim fit --pingpong two.csv --base lanai
grep -q "unknown profile 'lanai'; allowed: lanai4.3, " err || fail "an unknown base"
ends 2 gmsim fit --pingpong two.csv --free link_bytes
grep -q "did you mean 'link_bytes_s'?" err || fail "an unknown parameter"
ends 2 gmsim fit --pingpong two.csv --fix hosts=3
ends 2 gmsim fit --pingpong two.csv
if grep -q cminpack err; then
    skip "built without cminpack (apt-get install libcminpack-dev)"
fi
grep -q "2 sizes cannot determine" err || fail "more parameters than sizes"
ends 1 timeout 10 gmsim fit --pingpong two.csv --free link_bytes_s -o nowhere/fitted.yaml
grep -q "^gmsim fit: cannot write 'nowhere/fitted.yaml': No such file or directory$" err ||
    fail "a profile that cannot be written"
ends 2 gmsim fit --pingpong two.csv --free link_bytes_s --fix qos_idt_product=1
grep -q "key 'qos_idt_product'" err || fail "an invalid base"

# --- known parameters are recovered from noisy times ------------------------------------
cat > truth.yaml << 'END'
profile: myrinet2000
hosts: 2
parameters:
  lanai_cycle_ps: 6000
  mpi_copy_ps_per_byte: 600
  host_dma_bytes_s: 320000000
  mpi_eager_bytes: 4096
END
GMSIM_CLUSTER=truth.yaml ends 0 mpirun -n 2 mpi-pingpong --csv --size "$sizes"
# the noise is 0.5 % of these times, with alternating signs
awk -F, 'BEGIN { print "bytes,half_round_trip_us" }
    /^[0-9]/ { print $1 "," $5 / 2 * (1 + (++n % 2 ? 0.005 : -0.005)) }' out > noisy.csv
ends 0 gmsim fit --pingpong noisy.csv --base myrinet2000 -o fitted.yaml --within 2 \
    --free lanai_cycle_ps --free mpi_copy_ps_per_byte --free host_dma_bytes_s \
    --free mpi_eager_bytes
near "$(parameter lanai_cycle_ps fitted.yaml)" 6000 5 lanai_cycle_ps
near "$(parameter mpi_copy_ps_per_byte fitted.yaml)" 600 10 mpi_copy_ps_per_byte
near "$(parameter host_dma_bytes_s fitted.yaml)" 320000000 5 host_dma_bytes_s
# all limits from 4096 to 8191 have the same effect
[ "$(parameter mpi_eager_bytes fitted.yaml)" = 8191 ] || fail "mpi_eager_bytes"
grep -q "^The table determines every parameter" out || fail "a group without a reason"
grep -q "^# Fitted profile. Command: gmsim fit --pingpong noisy.csv" fitted.yaml ||
    fail "the command is not in the profile"

# --- cluster descriptions can use the profile ---------------------------------------------
printf 'profile: fitted.yaml\nhosts: 2\n' > cluster.yaml
GMSIM_CLUSTER=cluster.yaml ends 0 mpirun -n 2 mpi-pingpong --csv --size "$sizes" -w 2 -i 2
awk -F, 'NR == FNR { if (/^[0-9]/) half[$1] = $2; next }
    /^[0-9]/ { d = $5 / 2 / half[$1] - 1; if (d > 0.02 || d < -0.02) exit 1; ++n }
    END { if (n != 10) exit 1 }' noisy.csv out || fail "times of the fitted profile"
ends 0 gmsim config show cluster.yaml
grep -q "^  mpi_eager_bytes: 8191 .*# line [0-9]* of fitted.yaml" out ||
    fail "the origin of a value"
# a fit that starts from its own result ends immediately and writes the same values
ends 0 gmsim fit --pingpong noisy.csv --base fitted.yaml -o again.yaml --csv=again.csv \
    --free lanai_cycle_ps
[ "$(parameter mpi_copy_ps_per_byte again.yaml)" = \
  "$(parameter mpi_copy_ps_per_byte fitted.yaml)" ] || fail "a value that was not free"
near "$(parameter lanai_cycle_ps again.yaml)" "$(parameter lanai_cycle_ps fitted.yaml)" 2 \
    "the second fit"
[ "$(wc -l < again.csv)" = 11 ] || fail "again.csv"

# --- two latencies of which only the sum has an effect -------------------------------------
ends 1 gmsim fit --pingpong noisy.csv --base myrinet2000 --within 1 \
    --free switch_routing_ps --free link_propagation_ps
grep -q "exceeds 1.00 % (--within)" err || fail "--within"
grep -q "^Group 1: the table cannot separate switch_routing_ps, link_propagation_ps" out ||
    fail "two latencies that only occur as a sum"

# --- a run that fails ----------------------------------------------------------------------
ends 1 gmsim fit --pingpong noisy.csv --base myrinet2000 --free host_send_ps \
    --fix gm_registered_bytes=1048576
grep -q "^gmsim fit: a simulated ping-pong failed: " err || fail "a run that fails"
[ -z "$(ls -d "${TMPDIR:-/tmp}"/gmsim-fit.* 2> /dev/null)" ] ||
    echo "note: another fit is running, or a temporary directory is left"
finish
