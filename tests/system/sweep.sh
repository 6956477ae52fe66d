#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# needs: nothing
#
# Checks gmsim sweep on one machine: its two CSV files, its messages about failed points and
# changed files, and its continuation after it was killed or stopped.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_ends_test=yes
fail_shows="out err"
set -m # each job a process group of its own, as on a terminal
export PATH="$GMQOS_BUILDDIR/gmsim/tool:$PATH"
# only the processes of this test have this variable in their environment
export GMTEST_MARK=mark-$$

# list the processes that have this variable, except the grep that searches for them
ours=("GMTEST_MARK=$GMTEST_MARK" bash timeout)

nothing_left()
{
    ! await 60 none_marked "${ours[@]}" || return 0
    # shellcheck disable=SC2046 # a list
    ps -o pid,args -p $(marked "${ours[@]}" | paste -sd,)
    fail "$1: processes continue"
}

# --- gmsim commands: the same numbers as in manual runs ------------------------------
cat > model.yaml << 'END'
command: gmsim model --csv --set hdma.doorbell.mean={mean}
grid:
  mean: {from: 10, to: 20, step: 5}
results:
  busy:
    column: analysis
    where: {station: hdma, quantity: utilisation}
END
ends 0 gmsim sweep model.yaml
{
    echo point,mean,seed,busy,status
    n=1
    for mean in 10 15 20; do
        busy=$(gmsim model --csv --set hdma.doorbell.mean=$mean |
            awk -F, '$3 == "hdma" && $5 == "utilisation" { print $6 }')
        echo "$n,$mean,1,$busy,done"
        n=$((n + 1))
    done
} | diff - model.csv || fail "gmsim model"
[ "$(wc -l < model-summary.csv)" = 4 ] || fail "model-summary.csv"

cat > qos.yaml << 'END'
command: gmsim qos --csv --seconds 0.005 --nodes 4 --load {load} --seed {seed} --replications 1
grid:
  load: [30, 60]
repetitions: 2
results:
  latency: {column: value, where: {class: real-time, quantity: latency}}
END
ends 0 gmsim sweep --quiet qos.yaml
[ ! -s out ] || fail "--quiet"
{
    echo point,load,seed,latency,status
    n=1
    for load in 30 60; do
        for seed in 1 2; do
            latency=$(gmsim qos --csv --seconds 0.005 --nodes 4 --load $load \
                --seed $seed --replications 1 |
                awk -F, '$1 == "real-time" && $2 == "latency" { print $3 }')
            echo "$n,$load,$seed,$latency,done"
            n=$((n + 1))
        done
    done
} | diff - qos.csv || fail "gmsim qos"
awk -F, 'NR > 1 { x[$2] = x[$2] " " $4 } END { for (l in x) { split(x[l], v, " ");
    m = (v[1] + v[2]) / 2; d = sqrt((v[1] - m) ^ 2 + (v[2] - m) ^ 2);
    printf "%s,2,%.10g,%.10g,%.10g\n", l, m, d, 12.706 * d / sqrt(2) } }' qos.csv |
    sort > by-hand
tail -n +2 qos-summary.csv | sort | diff by-hand - || fail "qos-summary.csv"
echo "ok: numbers of gmsim model and gmsim qos"

# --- --list and --dry-run ----------------------------------------------------------
cat > shell.yaml << 'END'
# the first points end at once; later ones hang, so that a kill interrupts some of
# them
command: |
  echo begun >> begun
  [ ! -e stop-at ] || [ $(wc -l < begun) -le $(cat stop-at) ] || exec sleep 1000
  echo "{word} {size} $(({size} * {seed}))"
grid:
  word: [one, two, "$(three)"]
  size: {from: 1, to: 4, factor: 2}
repetitions: 2
results:
  product: {line: last, word: 3}
  all: last line
END
ends 0 gmsim sweep --list shell.yaml
mentions '   4  open    word one, size 2, seed 2' out
mentions '18 points: 0 done, 0 failed, 18 open' out
ends 0 gmsim sweep --dry-run shell.yaml
mentions '14: word $(three), size 1, seed 2' out
mentions '    echo "\$(three) 1 $((1 * 2))"' out
mentions '18 of 18 points would be run' out
[ ! -e shell.sweep ] || fail "--list or --dry-run made a directory"
[ ! -e begun ] || fail "--list or --dry-run ran something"

ends 0 gmsim sweep --list "$GMQOS_SRCDIR/examples/sweep.yaml"
mentions '24 points: 0 done' out

# --- a complete run, and a run that is killed or stopped several times ----------------
ends 0 gmsim sweep shell.yaml
mentions '18 points: 18 done, 0 failed, 0 missing; shell.csv, shell-summary.csv' out
[ "$(wc -l < begun)" = 18 ] || fail "not every point ran once"
mkdir whole
mv shell.csv shell-summary.csv shell.sweep whole
[ "$(sed -n 15p whole/shell.csv)" = '14,$(three),1,2,2,$(three) 1 2,done' ] ||
    fail "$(sed -n 15p whole/shell.csv)"

# interrupted SIGNAL: start the sweep, send it the signal while two points are running, and
# print the summary line of --list
interrupted()
{
    local status=0 before i
    before=$(wc -l < begun)
    echo $((before + 3)) > stop-at
    gmsim sweep -j 2 shell.yaml > out 2> err &
    for ((i = 0; i < 1200 && $(wc -l < begun) < before + 4; i++)); do
        sleep 0.05
    done
    kill -s "$1" $!
    wait $! 2> /dev/null || status=$?
    rm stop-at
    case $1 in
    INT) [ $status = 130 ] || fail "SIGINT: status $status" ;;
    TERM) [ $status = 143 ] || fail "SIGTERM: status $status" ;;
    esac
    [ "$1" = KILL ] || mentions 'stopped; repeat the command to continue' err
    # immediately after SIGKILL, some processes may still be running
    [ "$1" = KILL ] || nothing_left "SIG$1"
    gmsim sweep --list shell.yaml | tail -n 1
}
: > begun
for signal in KILL INT KILL TERM; do
    interrupted $signal
done
[ ! -e shell.csv ] || fail "CSV before the end"
ends 0 gmsim sweep shell.yaml
cmp shell.csv whole/shell.csv || fail "the results differ after kills"
cmp shell-summary.csv whole/shell-summary.csv || fail "the results differ after kills"
again=$(($(wc -l < begun) - 18))
# the sweep was interrupted four times, while at most two points were running each time
[ $again -ge 1 ] && [ $again -le 8 ] || fail "$again points were started again"
echo "ok: killed and stopped, $again points started again, the same CSV"
rm begun
ends 0 gmsim sweep shell.yaml
[ ! -e begun ] || fail "points were run twice"

# --- a changed file -------------------------------------------------------------------
sed -i 's/factor: 2/factor: 4/; s/repetitions: 2/repetitions: 1/' shell.yaml
ends 2 gmsim sweep shell.yaml
mentions '  size: changed from 1 2 4 to 1 4' err
mentions '  repetitions: changed from 2 to 1' err
mentions '--restart' err
cmp shell.csv whole/shell.csv || fail "a refused sweep touched its CSV"
ends 0 gmsim sweep --restart shell.yaml
[ "$(wc -l < shell.csv)" = 7 ] || fail "--restart"
[ "$(ls shell.sweep/points | wc -l)" = 6 ] || fail "--restart leaves old points"

# --- plots ----------------------------------------------------------------------------

# replace gnuplot with a script that stores its input
mkdir -p fake
cat > fake/gnuplot << 'END'
#!/bin/sh
/bin/cat >> told
END
chmod +x fake/gnuplot
cat > plot.yaml << 'END'
command: ": {only} {other}; echo {word} $(({size} * 10 + {seed} * 2)) $((0 - {size})) {word}{size}"
grid:
  size: [64, 4, 1024, 16]
  word: [one, two]
  only: [x]
  other: {from: 1, to: 2, step: 1}
results:
  ten: {line: last, word: 2}
  text: {line: last, word: 4}
  less: {line: last, word: 3}
repetitions: 3
END
gmsim=$(command -v gmsim)
PATH=$PWD/fake:$PATH ends 0 gmsim sweep --plot pics plot.yaml
mentions 'pictures: pics/plot-ten.svg, pics/plot-less.svg' out
[ "$(ls pics)" = "plot-less.svg
plot-ten.svg" ] || fail "plots: $(ls pics)"
# The values are 10 x + 2, 10 x + 4 and 10 x + 6, so their mean is 10 x + 4. Their standard
# deviation is 2. The half width of the interval is 4.303 x 2 / sqrt(3) = 4.96868, because
# Student's t for 2 degrees of freedom is 4.303. The points are in the order of x, whatever the
# order of the grid is.
sed -n '/^\$c3 << END/,/^END/p' told | sed -n '2,5p' > points
printf '%s 4.96868\n' '4 44' '16 164' '64 644' '1024 10244' | diff - points ||
    fail "the points of the last line"
mentions "set xlabel 'size'" told
mentions "set ylabel 'ten (mean of 3, 95 % interval)'" told
mentions "title 'word two, other 1'" told
[ "$(grep '^plot' told | head -1 | grep -o "title '[^']*'" | sort -u | wc -l)" = 4 ] ||
    fail "not four lines: $(grep '^plot' told)"
[ "$(grep '^plot' told | head -1 | grep -o 'with yerrorbars' | wc -l)" = 4 ] ||
    fail "not four lines with intervals"
# powers of 4 have a logarithmic axis with its own labels; the other axis begins at 0 and
# ends at the end of the last interval
mentions 'set logscale x' told
mentions "set xtics ('4' 4,'16' 16,'64' 64,'1024' 1024," told
mentions 'set yrange [0:10453.' told
# all values of the second plot are negative, and all runs of a point have the same value
sed -n '/less/,$p' told > second
mentions 'set yrange [-1044.4:16.4' second
! grep -q yerrorbars second || fail "intervals of equal numbers"
# if no numeric parameter can be the x axis, bars are drawn and labelled with the values
cat > bars.yaml << 'END'
command: ": {w}; echo {n}"
grid:
  n: [5]
  w: [one, two, "it's"]
END
rm told
PATH=$PWD/fake:$PATH ends 0 gmsim sweep --plot=pics bars.yaml
mentions "set xtics scale 0 ('one' 0,'two' 1,'it''s' 2)" told
mentions 'with boxes' told
# an impossible plot is reported before the first point runs
cat > many.yaml << 'END'
command: echo {a} {b}
grid:
  a: {from: 1, to: 21, step: 1}
  b: {from: 1, to: 21, step: 1}
END
ends 2 gmsim sweep --plot pics many.yaml
mentions '--plot: the figure with b on the x axis would have 21 lines; allowed: up to 20' err
[ ! -e many.sweep ] || fail "started although the plot is impossible"
ends 2 gmsim sweep --list --plot pics plot.yaml
mentions '--plot requires a mode that writes the CSV' err
ends 1 gmsim sweep --plot plot.yaml/x plot.yaml
mentions 'gmsim sweep: plot.yaml/x: Not a directory' err
ends 1 gmsim sweep --plot plot.yaml bars.yaml
mentions 'gmsim sweep: plot.yaml: Not a directory' err
# if gnuplot is missing, the tables are written anyway
rm -rf bars.csv pics
PATH=/nowhere ends 1 "$gmsim" sweep --gather --plot pics bars.yaml
mentions 'gmsim sweep: cannot draw figures: gnuplot is not installed (apt-get install gnuplot-nox)' err
[ "$(wc -l < err)" = 1 ] && [ -s bars.csv ] || fail "without gnuplot"
# if gnuplot fails, it leaves no file
printf '#!/bin/sh\nexit 3\n' > fake/gnuplot
PATH=$PWD/fake:$PATH ends 1 gmsim sweep --gather --plot pics bars.yaml
mentions 'gmsim sweep: gnuplot could not draw pics/bars-result.svg' err
[ -z "$(ls -A pics)" ] || fail "files remain of a failed plot: $(ls -A pics)"
if command -v gnuplot > /dev/null; then
    ends 0 gmsim sweep --gather --plot pics plot.yaml
    grep -q '<svg' pics/plot-ten.svg || fail "gnuplot's plot"
    [ ! -s err ] || fail "gnuplot prints messages"
fi
echo "ok: pictures"

# --- failed points ------------------------------------------------------------------
cat > bad.yaml << 'END'
command: "echo {n}; echo 'this is why' >&2; [ {n} != 2 ] || [ -e good ]"
grid: {n: [1, 2, 3]}
timeout: 60
END
ends 1 gmsim sweep bad.yaml
mentions 'point 2 (n 2, seed 1): exit status 1' err
mentions "    echo 2; echo 'this is why' >&2; [ 2 != 2 ] || [ -e good ]" err
mentions '    this is why' err
mentions '3 points: 2 done, 1 failed, 0 missing' out
diff - bad.csv << 'END' || fail "bad.csv"
point,n,seed,result,status
1,1,1,1,done
2,2,1,,failed
3,3,1,3,done
END
printf 'command: "true {n}"\ngrid: {n: 7}\n' > silent.yaml
ends 0 gmsim sweep silent.yaml
mentions '1,7,1,,done' silent.csv
touch good
ends 1 gmsim sweep bad.yaml # a failed point counts as finished
ends 0 gmsim sweep --retry bad.yaml
mentions '3 points: 3 done' out
rm bad.sweep/points/0003/status
ends 1 gmsim sweep --gather bad.yaml
mentions '3 points: 2 done, 0 failed, 1 missing' out
mentions '3,3,1,,missing' bad.csv
ends 0 gmsim sweep --point 3 bad.yaml
ends 0 gmsim sweep --gather bad.yaml
ends 2 gmsim sweep --point 4 bad.yaml
mentions "--point: value '4' is invalid; allowed: points in 1..3, for example 3,7-9" err

# --- descriptions --------------------------------------------------------------------
cat > base.yaml << 'END'
hosts: 4
parameters: {host_send_ps: 1000000}
END
cat > set.yaml << 'END'
command: gmsim params --csv hosts host_send_ps seed scheduler | cut -d, -f 1,2
cluster: base.yaml
set:
  hosts: {hosts}
  host_send_ps: "{send}"
  scheduler: packet-rr
grid:
  hosts: [2, 8]
  send: [2000000]
repetitions: 2
results:
  hosts_there: {column: value, where: {name: hosts}}
  send_there: {column: value, where: {name: host_send_ps}}
  seed_there: {column: value, where: {name: seed}}
  scheduler: {column: value, where: {name: scheduler}}
END
ends 0 gmsim sweep set.yaml
diff - set.csv << 'END' || fail "set.csv"
point,hosts,send,seed,hosts_there,send_there,seed_there,scheduler,status
1,2,2000000,1,2,2000000,1,packet-rr,done
2,2,2000000,2,2,2000000,2,packet-rr,done
3,8,2000000,1,8,2000000,1,packet-rr,done
4,8,2000000,2,8,2000000,2,packet-rr,done
END
sed -i 's/hosts: 4/hosts: 3/' base.yaml
ends 2 gmsim sweep set.yaml
mentions 'base.yaml differs from' err
sed -i 's/\[2, 8\]/[2, 0]/' set.yaml
ends 2 gmsim sweep --output other set.yaml
mentions "set.yaml:4: point 3: key 'hosts': value '0' is out of range; allowed: 1..16384 hosts" err
[ ! -e other ] || fail "an invalid sweep made a directory"

# --- directories and usage ------------------------------------------------------------
mkdir other
touch other/mine
ends 1 gmsim sweep --output other bad.yaml
mentions 'is not the directory of a sweep' err
ends 0 gmsim sweep --output there/ bad.yaml
[ -e there/points/0001/status ] && [ -e there.csv ] || fail "--output"
ends 2 gmsim sweep
ends 2 gmsim sweep --wait bad.yaml
ends 2 gmsim sweep --list --gather bad.yaml
ends 2 gmsim sweep /nowhere.yaml
echo "ok: failed points, changed files, descriptions, usage"
nothing_left "the end"
