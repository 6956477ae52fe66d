#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Kills, stops or terminates mpirun, its proxy, or a rank at a random time during an MPI job:
# at its start, during its work, or at its end. The job must end soon afterwards. No process
# and no shared memory may remain. The message must name the killed rank, and the status must
# be correct.
#
# usage: launcher-soak.sh [--rounds N] [--first N]
#
# In the build directory, "make launcher-soak" runs the long form.
set -uo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_shows=out

rounds=24
first=1
ranks=4
take_options "rounds first" "$@"
declare -A did
killed=0
named=0

cat > work.c << 'END'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank, size;
    char out[20000] = "", in[20000];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < atoi(argv[1]); i++) {
        MPI_Sendrecv(out, 20000, MPI_CHAR, (rank + 1) % size, 0, in, 20000, MPI_CHAR,
                     (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (i % 10 == 0)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
END
mpicc -O1 -o work work.c || exit 1

# broken TEXT..: report a failure in the current round
broken()
{
    fail "round $round, $action of $victim after $delay s, status $status: $*"
}

# find_victim: store the victim's process id in the variable `target`. If the victim is a
# rank, store its number in the variable `rank`. Fail if there is no such process
find_victim()
{
    local process
    rank=
    case $victim in
    mpirun) target=$job ;;
    proxy) target=$(pgrep -P "$job" | head -n 1) ;;
    rank)
        target=
        # select the program of the rank, not the copy of the launcher that exists before the
        # exec
        for process in $(pgrep -P "$(pgrep -P "$job" | head -n 1)" 2> /dev/null | shuf --random-source=<(yes "$round")); do
            [ "$(readlink "/proc/$process/exe")" = "$PWD/work" ] || continue
            target=$process
            rank=$(tr '\0' '\n' < "/proc/$process/environ" 2> /dev/null | sed -n 's/^PMI_RANK=//p')
            break
        done
        ;;
    esac
    [ -n "$target" ]
}

# job_ended: succeed if mpirun has ended
job_ended()
{
    ! kill -0 "$job" 2> /dev/null
}

# act: perform the action, and store the pattern that the status must match in the variable
# `expected`
act()
{
    case $action in
    KILL | ABRT | SEGV | TERM) kill -s "$action" "$target" 2> /dev/null || return 1 ;;
    STOP) # and continues: no effect
        kill -s STOP "$target" 2> /dev/null || return 1
        sleep 0.3
        kill -s CONT "$target" 2> /dev/null
        ;;
    STOPKILL) # stopped, then killed
        kill -s STOP "$target" 2> /dev/null || return 1
        sleep 0.1
        kill -s KILL "$target" 2> /dev/null
        ;;
    esac
}

# was_right: check the status and the message
was_right()
{
    local number
    case $victim.$action in
    *.STOP)
        [ "$status" = 0 ] || broken "a stop is no failure"
        [ ! -s out ] || broken "unexpected output"
        ;;
    mpirun.TERM | proxy.TERM)
        [ "$status" = 143 ] || broken "expected 143"
        ! grep -qvx 'mpiexec: ended by SIGTERM' out || broken "unexpected output"
        ;;
    mpirun.*) [ "$status" = 137 ] || broken "expected 137" ;;
    proxy.*)
        [ "$status" = 1 ] || broken "expected 1"
        grep -qx 'mpiexec: hydra_pmi_proxy, which started the ranks, has ended unexpectedly' out ||
            broken "the proxy is not named"
        ;;
    rank.*)
        case $action in
        ABRT) number=6 ;;
        SEGV) number=11 ;;
        TERM) number=15 ;;
        *) number=9 ;;
        esac
        killed=$((killed + 1))
        if [ "$status" = "$number" ] &&
            grep -q "^mpiexec: rank $rank (process $target) was killed by signal $number " out &&
            ! grep "^mpiexec: rank" out | grep -qv "^mpiexec: rank $rank "; then
            named=$((named + 1))
        else
            broken "expected $number, and rank $rank (process $target)"
        fi
        ! grep -E '^gmsim: rank [0-9]+ \(process [0-9]+\) died' out |
            grep -qv "(process $target)" || broken "another rank is said to have died"
        ;;
    esac
}

actions=(rank.KILL rank.KILL rank.ABRT rank.SEGV rank.TERM rank.STOP rank.STOPKILL
    mpirun.KILL mpirun.TERM mpirun.STOP mpirun.STOPKILL
    proxy.KILL proxy.TERM proxy.STOP proxy.STOPKILL)
too_late=0
for ((round = first; round < first + rounds; round++)); do
    RANDOM=$round
    victim=${actions[round % ${#actions[@]}]}
    action=${victim#*.}
    victim=${victim%.*}
    delay=$(printf '0.%03d' $((RANDOM % 400)))
    mark=soak-$$-$round
    did[$victim.$action]=1
    # if the processes of a job were only stopped, the job must still reach its end
    LAUNCHER_SOAK_MARK=$mark mpirun -n $ranks ./work \
        "$([ "$action" = STOP ] && echo 200 || echo 1000000)" > out 2>&1 < /dev/null &
    job=$!
    sleep "$delay"
    # if the rank does not exist yet, it will start soon
    for ((i = 0; i < 200; i++)); do
        ! find_victim || break
        kill -0 "$job" 2> /dev/null || break
        sleep 0.01
    done
    status=0
    if [ -z "$target" ] || ! act; then
        too_late=$((too_late + 1))
        if [ "$action" != STOP ]; then
            broken "there is no $victim"
            kill -s KILL "$job" 2> /dev/null
        fi
        wait "$job" 2> /dev/null
        continue
    fi
    if ! await 60 job_ended; then
        broken "no end after 60 s"
        kill -s KILL "$job"
    fi
    wait "$job" 2> /dev/null
    status=$?
    was_right
    # if mpirun was killed, the proxy waits for some time until its ranks have ended
    if ! await 10 none_marked "LAUNCHER_SOAK_MARK=$mark"; then
        left=$(marked "LAUNCHER_SOAK_MARK=$mark")
        # shellcheck disable=SC2086 # a list
        broken "still running: $(ps -o args= -p $(echo $left | tr ' ' ','))"
        # shellcheck disable=SC2086
        kill -s KILL $left 2> /dev/null
    fi
    left=$(compgen -G "/dev/shm/gmsim-$(id -u)-$job-*")
    [ -z "$left" ] || { broken "left: $left"; rm -f "$left"; }
done

echo "launcher soak: $rounds rounds of ${#did[@]} kinds, $failures failed, $too_late too late;" \
    "$named of $killed killed ranks named with their status"
[ "$killed" -gt 0 ] || fail "no rank was killed"
finish
