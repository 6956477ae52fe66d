#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Ends long commands at various times with Ctrl-C, with SIGTERM, and by closing their
# terminal. The exit status must correspond to the signal. No incomplete file, no shared
# memory and no process may remain, and the terminal must be unchanged. The test also checks
# on which outputs the commands print progress bars and colours.
# needs: nothing
set -uo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
set -m # each job a process group of its own, as on a terminal

export PATH=$GMQOS_STAGE/bin:$PATH TERM=xterm
unset NO_COLOR
count=0
# this word is also a part of the names of the jobs' files
export GMTEST_MARK=mark-$$ GMSIM_JOB=mark-$$

# list the processes of this test, which have a certain environment variable
ours=("GMTEST_MARK=$GMTEST_MARK" bash ends.sh timeout script)

# nothing_left WHAT: check that no process, file or shared memory remains
nothing_left()
{
    local left
    if ! await 5 none_marked "${ours[@]}"; then
        left=$(marked "${ours[@]}")
        # shellcheck disable=SC2086 # a list
        fail "$1: still running: $(ps -o args= -p $left)"
        # shellcheck disable=SC2086
        kill -s KILL $left
    fi
    left=$(find . -newer started -type f ! -name out ! -name err ! -name 'said*' ! -name 'pid*')
    [ -z "$left" ] || { fail "$1: leaves $left"; rm -rf "$left"; }
    left=$(find /dev/shm -user "$(id -u)" -newer started -name "gmsim-*$GMTEST_MARK*" 2> /dev/null)
    [ -z "$left" ] || fail "$1: leaves $left"
}

# ended SIGNAL NUMBER SECONDS COMMAND..: end the command with the signal after this time, and
# check how it ends
ended()
{
    local signal=$1 number=$2 seconds=$3 pid got=0

    shift 3
    count=$((count + 1))
    touch -d '-1 second' started
    "$@" > out 2> err < /dev/null &
    pid=$!
    sleep "$seconds"
    kill -s "$signal" -- "-$pid" 2> /dev/null || fail "$*: over before $seconds s"
    wait "$pid" 2> /dev/null || got=$?
    [ "$got" = $((128 + number)) ] ||
        fail "$*: SIG$signal after $seconds s: status $got: $(head -3 err)"
    # The shell reports how its child process has ended. For an unknown reason, about one
    # time in a hundred the shell also prints an empty line.
    ! grep -qv "^mpiexec: ended by SIG$signal\$\|Hangup\$\|^\$" err || fail "$*: SIG$signal: prints $(head -3 err)"
    nothing_left "$*: SIG$signal after $seconds s"
}

commands=(
    'gmsim qos --seconds 1000 --csv=rows.csv'
    'gmsim plan --random 100000000'
    'gmsim model --simulate 1 --messages 1000000000000 --csv=rows.csv'
    'gmsim model --sweep rate=0.001:0.009:10000 --simulate 1 --csv=rows.csv'
    'gmsim experiment run qos-fig-5 qos-fig-3 --csv=rows.csv'
    'engine-rate --events 1000000000'
    'flit-rate --packets 1000000000'
    'clos-rate --hosts 1024 --time 1000000'
    'flow-rate --packets 1000000000'
    'gm-pingpong'
)
[ ! -e "$GMQOS_STAGE/bin/mpirun" ] || commands+=(
    'mpirun -n 2 gm-pingpong -i 10000000'
    'mpirun -n 2 mpi-rate pingpong -i 100000000'
    'gmsim experiment run thesis-5.9 thesis-5.1 mpi-accuracy qos-fig-5 --csv=rows.csv'
    'compare-gm-mpi -i 1000000'
    'loss-bandwidth -i 1000000'
)
for command in "${commands[@]}"; do
    # a single rank does not wait for other processes, so it ends quickly
    [ "$command" != gm-pingpong ] || continue
    # shellcheck disable=SC2086 # words
    ended INT 2 0.3 $command
    # shellcheck disable=SC2086
    ended TERM 15 0.05 $command
    # shellcheck disable=SC2086
    ended HUP 1 0.15 $command
done

# an existing file must not change
echo old > rows.csv
touch -d '-1 hour' rows.csv
ended INT 2 0.2 gmsim qos --seconds 1000 --csv=rows.csv
[ "$(cat rows.csv 2> /dev/null)" = old ] || fail "an old file is lost"

# --- on a terminal ---
if ! command -v script > /dev/null; then
    echo "no terminal: no script (apt-get install bsdutils)"
    finish
fi

# show NAME COMMAND: run the command on a terminal with 70 columns, and keep its output
show()
{
    rm -f "pid.$1"
    script -qec "stty cols 70; echo \$\$ > pid.$1; exec $2" /dev/null \
        < /dev/null > "said.$1" 2>&1
}

# shows NAME PATTERN: wait until the output matches; the status is 1 if the command ended or
# printed nothing
shows()
{
    local i
    for ((i = 0; i < 1200; i++)); do
        ! grep -qE "$2" "said.$1" || return 0
        [ ! -s "pid.$1" ] || kill -0 "$(cat "pid.$1")" 2> /dev/null || break
        sleep 0.1
    done
    grep -qE "$2" "said.$1"
}

# interrupt NAME..: send SIGINT, which is the signal of Ctrl-C, to these commands
interrupt()
{
    local name
    for name; do
        kill -s INT "$(cat "pid.$name")" 2> /dev/null || :
    done
}

bar=$'\r\\[#*\\.*\\] +[0-9]+ %'
touch -d '-1 second' started
long=("${commands[@]:0:3}" 'gmsim experiment run qos-fig-5')
for i in "${!long[@]}"; do
    : > "said.bar$i"
    show "bar$i" "${long[i]}" &
done
silent=('TERM=dumb gmsim qos --seconds 1000' 'gmsim qos --seconds 1000 --quiet'
    'gmsim model --simulate 1 --messages 1000000000000 -q'
    'gmsim plan --random 100000000 -q' 'gmsim experiment run qos-fig-5 -q')
for i in "${!silent[@]}"; do
    show "none$i" "env ${silent[i]}" &
done
gmsim qos --seconds 1000 > said.pipe 2>&1 &
echo $! > pid.pipe
# once all commands with a progress bar show it, the other commands have also run long enough
for i in "${!long[@]}"; do
    shows "bar$i" "$bar" || fail "${long[i]}: no bar: $(tail -c 200 "said.bar$i" | cat -v)"
done
sleep 2
interrupt bar{0..3} none{0..4} pipe
wait
nothing_left "bars on a terminal"
for i in "${!long[@]}"; do
    command=${long[i]}
    said=said.bar$i
    # the last output of a bar is the sequence that erases it
    [[ $(tail -c 6 "$said") == *$'\r\e[K'* ]] ||
        fail "$command: the bar stays: $(tail -c 100 "$said" | cat -v)"
    # no line may be longer than the terminal is wide
    longest=$(tr '\r' '\n' < "$said" | sed 's/\x1b\[K//g' | wc -L)
    [ "$longest" -lt 70 ] || fail "$command: a bar of $longest columns"
    ! grep -q $'\e\\[?25l' "$said" || fail "$command: hides the cursor"
done
# on a fast machine, the command may end before its bar appears
left='%, about [0-9:]+ (s|min|h) left'
for messages in 5000000 20000000 80000000 320000000; do
    : > said.left
    rm -f pid.left # of the previous command, which has ended
    show left "gmsim model --simulate 1 --messages $messages" &
    found=
    ! shows left "$left" || found=yes
    interrupt left
    wait
    [ -z "$found" ] || break
done
[ -n "$found" ] ||
    fail "a bar does not show the remaining time: $(tail -c 200 said.left | cat -v)"
for i in "${!silent[@]}"; do
    ! grep -q '%' "said.none$i" || fail "${silent[i]}: a bar: $(cat -v "said.none$i")"
done
[ ! -s said.pipe ] || fail "a bar without a terminal: $(cat -v said.pipe)"

# shown COMMAND: on the same terminal, run a command that ends by itself, and keep its output
shown()
{
    show one "$1"
    mv said.one said
}

# --- colours: only on a terminal with colours, and only without NO_COLOR ---
cat > list.yaml <<'END'
requests:
  - {from: 1, to: 2, bandwidth: 40 MB/s}
  - {from: 1, to: 2, bandwidth: 4000 MB/s, name: B}
END
touch -d '-1 hour' list.yaml
shown 'gmsim plan list.yaml'
grep -q $'\e\[1;31mdenied' said || fail "denied is not red: $(cat -v said)"
for how in 'NO_COLOR=1' 'TERM=dumb'; do
    shown "env $how gmsim plan list.yaml"
    grep -q 'denied' said || fail "$how: no answer"
    ! grep -q $'\e\[' said || fail "$how: colours: $(cat -v said)"
done
shown 'env NO_COLOR= gmsim plan list.yaml'
grep -q $'\e\[1;31mdenied' said || fail "an empty NO_COLOR has an effect"
gmsim plan list.yaml > said
! grep -q $'\e' said || fail "colours in a pipe"

echo "$count commands ended"
finish
