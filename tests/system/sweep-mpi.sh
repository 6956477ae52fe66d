#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests a sweep over mpirun commands. Simultaneous jobs must have the same results as
# single jobs, and each job must have its own processor. When the sweep is killed, no
# process may remain.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_ends_test=yes
fail_shows="out err"
set -m # each job a process group of its own, as on a terminal
# only the processes of this test have this variable in their environment
export GMTEST_MARK=mark-$$

# list the processes that have this variable, except the grep that searches for them
ours=("GMTEST_MARK=$GMTEST_MARK" bash timeout)

# --- the same results as in single runs ---------------------------------------------
cat > m.yaml << 'END'
command: |
  grep Cpus_allowed_list /proc/self/status >&2
  date +%s%N >&2
  mpirun -n 2 {program} --csv --min {size} --max {size} --iterations 20
  date +%s%N >&2
set: {scheduler: {scheduler}}
grid:
  program: [mpi-pingpong, mpi-bandwidth]
  scheduler: [rate, message-rr]
  size: {from: 1024, to: 65536, factor: 64}
results:
  median: {column: median_us}
  end: {record: end_ps}
  sent: {record: flows/*/counters/bytes_sent}
END
gmsim sweep --jobs 2 m.yaml > out 2> err || fail "gmsim sweep"
{
    echo point,program,scheduler,size,seed,median,end,sent,status
    n=1
    for program in mpi-pingpong mpi-bandwidth; do
        for scheduler in rate message-rr; do
            for size in 1024 65536; do
                printf 'scheduler: %s\n' $scheduler > one.yaml
                GMSIM_CLUSTER=one.yaml GMSIM_RECORD=record$n mpirun -n 2 $program \
                    --csv --min $size --max $size --iterations 20 > one.csv
                median=$(awk -F, '/^bytes/ { for (i = 1; i <= NF; i++) c[$i] = i; next }
                    !/^#/ { print $c["median_us"] }' one.csv)
                end=$(sed -nE 's/^ "end_ps": *([0-9]+),$/\1/p' record$n/record.json)
                echo "$n,$program,$scheduler,$size,1,$median,$end,"
                n=$((n + 1))
            done
        done
    done
} > by-hand
sed -E '2,$s/[0-9]+,done$//' m.csv | diff by-hand - || fail "not the results of single runs"
awk -F, 'NR > 1 && !($8 > 0) { exit 1 }' m.csv || fail "bytes of the record"
echo "ok: the numbers of single runs"

# --- a processor for each job --------------------------------------------------------

# for each point, print its processors, and when it started and stopped using them
for point in m.sweep/points/*; do
    awk -v n="${point##*/}" '/^Cpus/ { c = $2 } /^[0-9]+$/ { t[k++] = $1 }
        END { print n, c, t[0], t[1] }' "$point/stderr"
done > used
awk '{ c[NR] = $2; from[NR] = $3; to[NR] = $4
       if ($2 !~ /^[0-9]+$/) next # other sweeps used all processors
       for (i = 1; i < NR; i++)
           if (c[i] == $2 && from[i] < $4 && $3 < to[i]) {
               print "points", i, "and", NR, "on processor", $2; bad = 1 } }
     END { exit bad }' used || [ "$(nproc)" = 1 ] || fail "two jobs on one processor"
# repeat this until no other sweep uses the processors, because other tests also use
# them for short times
if [ "$(nproc)" -ge 2 ]; then
    cat > c.yaml << 'END'
command: grep Cpus_allowed_list /proc/self/status && true {n}
grid: {n: [1, 2, 3, 4]}
END
    for ((i = 0; i < 200; i++)); do
        gmsim sweep --jobs 2 --restart c.yaml > out 2> err || fail "gmsim sweep"
        cat c.sweep/points/*/stdout > used
        ! awk '$2 !~ /^[0-9]+$/ { exit 1 }' used || break
        sleep 0.3
    done
    [ "$i" -lt 200 ] || fail "not bound: $(cat used)"
fi
echo "ok: each job on its own processor"

# --- killed -------------------------------------------------------------------------
cat > k.yaml << 'END'
command: mpirun -n 4 mpi-alltoall --csv --iterations 1000000 --window {n}
grid: {n: [2, 2]}
END
gmsim sweep --jobs 2 k.yaml > out 2> err &
sweep=$!
for ((i = 0; i < 1200; i++)); do
    [ "$(marked "${ours[@]}" | wc -l)" -lt 8 ] || break # the ranks have started
    sleep 0.05
done
[ "$i" -lt 1200 ] || fail "no ranks"
kill -s KILL $sweep
wait $sweep 2> /dev/null || :
await 60 none_marked "${ours[@]}" || :
left=$(marked "${ours[@]}")
[ -z "$left" ] || fail "these processes continue: $(ps -o pid,args -p "$(echo "$left" | paste -sd,)")"
echo "ok: a sweep that was killed leaves nothing"
