#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs a program that sends messages between all ranks, and kills one rank (SIGKILL) at
# a random virtual time. The other ranks must continue, receive GM's errors and finish,
# even if the killed rank was just executing the simulation. The job must not hang, and
# nothing may remain in /dev/shm.
#
# For every second seed, mpirun's clean-up is enabled. In these runs, mpirun kills the
# surviving ranks. The error message must nevertheless name the dead rank. If the ranks
# had no time to print this message, mpirun prints it.
#
# usage: kill.sh [--seeds N] [--first N]
#
# In the build directory, "make kill-soak" runs the long form.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_shows="out err"

seeds=12
first=1
ranks=6
take_options "seeds first" "$@"
soak=$GMQOS_BUILDDIR/tests/gm/soak
by_launcher=0
survived=0
too_late=0

# broken TEXT..: report a failure for the current seed
broken()
{
    fail "seed $seed, rank $victim at $at_us us, clean-up $clean: $*"
}

# If a signal ends a rank, Hydra 4.0.2 kills all other ranks, even with
# -disable-auto-cleanup. A shell therefore runs the rank, and exits with the rank's status
# instead of being killed by a signal.
cat > shield << 'SH'
#!/bin/bash
"$@"
exit $?
SH
chmod +x shield

for ((seed = first; seed < first + seeds; seed++)); do
    RANDOM=$seed
    victim=$((RANDOM % ranks))
    at_us=$((RANDOM * 32768 + RANDOM))
    # a random time between the first call and the last message, or after the end
    at_us=$((at_us % 60000))
    cat > cluster.yaml << YAML
hosts: $ranks
seed: $seed
faults:
  drop: 0.002
  events:
    - {at_us: $at_us, kill_rank: $victim}
YAML
    export GMSIM_CLUSTER=$PWD/cluster.yaml
    export GMSIM_JOB=kill-$$-$seed
    arguments=("$soak" --mortal --packets 3000 --seed "$seed" --ledger ledger)
    rm -f ledger
    status=0
    if [ $((seed % 2)) = 0 ]; then
        clean=on
        timeout --kill-after=5 300 mpirun -n $ranks "${arguments[@]}" \
            > out 2> err < /dev/null || status=$?
    else
        clean=off
        timeout --kill-after=5 300 mpirun -disable-auto-cleanup -n $ranks \
            ./shield "${arguments[@]}" > out 2> err < /dev/null || status=$?
    fi
    unset GMSIM_JOB
    finished=$(sed -n 's/^ranks that finished *//p' out)
    if [ "$status" -ge 124 ] && [ "$status" != 137 ]; then
        broken "status $status: it hung"
    elif compgen -G "/dev/shm/*kill-$$-$seed*" > /dev/null; then
        broken "left in /dev/shm: $(compgen -G "/dev/shm/*kill-$$-$seed*")"
    elif ! grep -q "^gmsim: rank $victim (process [0-9]*) died at virtual" err &&
        ! { [ $clean = on ] &&
            grep -q "^mpiexec: rank $victim (process [0-9]*) was killed by signal 9" err; }; then
        if [ "$status" = 0 ] && [ "$finished" = $ranks ]; then
            too_late=$((too_late + 1))
        else
            broken "status $status, and no message names the dead rank"
        fi
    elif [ $clean = on ]; then
        by_launcher=$((by_launcher + 1))
        [ "$status" != 0 ] || broken "a success"
    elif [ "$finished" = $((ranks - 1)) ]; then
        survived=$((survived + 1))
        # mpirun reports only the status of the dead rank
        [ "$status" = 137 ] || broken "status $status"
    else
        broken "status $status, ${finished:-no} ranks finished"
    fi
done

echo "$seeds kills: $survived with the other ranks continuing," \
    "$by_launcher cleaned up by mpirun, $too_late after the end"
[ $survived -gt 0 ] || fail "no rank survived"
finish
