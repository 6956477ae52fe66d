#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests MPI jobs that fail, and jobs that the user ends. The status must not be 0, the message
# must name the rank, the job must end soon, and no process or file may remain.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_ends_test=yes
fail_shows=out

cat > ends.c << 'END'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    int rank, word;
    if (strncmp(argv[1], "early", 5) == 0 && strcmp(getenv("PMI_RANK"), "1") == 0)
        exit(argv[1][5] - '0');
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(argv[1], "leave") == 0 && rank == 1)
        return 0;
    if (strcmp(argv[1], "deadlock") == 0)
        MPI_Recv(&word, 1, MPI_INT, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(argv[1], "abort") == 0 && rank == 1)
        abort();
    if (strcmp(argv[1], "segment") == 0 && rank == 1)
        raise(SIGSEGV);
    if (strcmp(argv[1], "exit3") == 0 && rank == 1)
        exit(3);
    if (strcmp(argv[1], "mpiabort5") == 0 && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 5);
    if (strcmp(argv[1], "mpiabort0") == 0 && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(argv[1], "work") == 0 && rank == 0)
        fclose(fopen("at-work", "w"));
    while (strcmp(argv[1], "work") == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END
mpicc -o ends ends.c

# ends_badly TEXT ARGUMENT: check that the status is not 0, and that standard error
# contains the text
ends_badly()
{
    if timeout 100 mpirun -n 2 ./ends "$2" > out 2>&1; then
        fail "$2: status 0"
    fi
    grep -q "$1" out || fail "$2: no '$1'"
    echo "$2: $(grep -m 1 gmsim: out)"
}

ends_badly 'gmsim: rank 1: the process ended without calling MPI_Finalize' leave
ends_badly 'gmsim: deadlock' deadlock
ends_badly 'rank 1 at .* waits in MPI_Recv: receive' deadlock

# cannot_run STATUS WHY PROGRAM: check that the reason is printed once, and that the message
# contains no internal details of the launcher
cannot_run()
{
    local status=0
    timeout 100 mpirun -n 3 "$3" > out 2>&1 || status=$?
    [ "$status" = "$1" ] || fail "$3: status $status, expected $1"
    [ "$(grep -cx "mpiexec: $3: $2" out)" = 1 ] || fail "$3: '$2' is not printed exactly once"
    ! grep -qv '^mpiexec: ' out || fail "$3: prints more"
    echo "$3: $2"
}

touch no-program
cannot_run 127 'No such file or directory' ./nothing
cannot_run 126 'Permission denied' ./no-program

# ends_with STATUS TEXT ARGUMENT: check the launcher's status, and the message about the
# rank that failed
ends_with()
{
    local status=0
    timeout 100 mpirun -n 3 ./ends "$3" > out 2>&1 || status=$?
    [ "$status" = "$1" ] || fail "$3: status $status, expected $1"
    grep -q "$2" out || fail "$3: no '$2'"
    echo "$3: $(grep -m 1 "$2" out)"
}
ends_with 6 'mpiexec: rank 1 (process [0-9]*) was killed by signal 6 (Aborted)' abort
ends_with 11 'mpiexec: rank 1 (process [0-9]*) was killed by signal 11 (Segmentation fault)' segment
ends_with 3 'gmsim: rank 1: the process ended with status 3 without calling MPI_Finalize' exit3
# the job has the status of the failed rank, regardless of how the other ranks react before
# they are killed
for _ in 1 2 3 4 5; do
    ends_with 3 'mpiexec: rank 1 (process [0-9]*) ended with status 3' exit3
done
ends_with 3 'mpiexec: rank 1 (process [0-9]*) ended with status 3' early3
ends_with 1 'mpiexec: rank 1 .* ended with status 0 before MPI_Init, which other ranks have called' early0
ends_with 5 '^Abort(5) by rank 1 on node2 .*MPI_Abort(MPI_COMM_WORLD, 5)' mpiabort5
ends_with 0 '^Abort(0) by rank 1 on node2 ' mpiabort0

# If one rank is killed with SIGKILL, the other ranks end, and a message names the killed rank.
# The other ranks print the message or, if they are not fast enough, the launcher prints it. The
# name of the directory distinguishes the processes of `ends` from the processes of other jobs.
mkdir -p killed
cp ends killed/ends-$$
timeout 200 mpirun -n 3 ./killed/ends-$$ work > out 2>&1 &
job=$!
while [ ! -e at-work ]; do
    kill -0 "$job" || fail "kill: the job did not start"
    sleep 0.1
done
victim=$(pgrep -f "^./killed/ends-$$ work" | sed -n 2p)
kill -KILL "$victim"
status=0
wait "$job" || status=$?
[ "$status" != 0 ] || fail "kill: status 0"
[ "$status" != 124 ] || fail "kill: the other ranks continue"
grep -E "gmsim: rank [0-2] \(process $victim\) died|mpiexec: rank [0-2] \(process $victim\) was killed by signal 9" \
    out || fail "kill: no message names the rank"
! pgrep -f "^./killed/ends-$$ work" > /dev/null || fail "kill: a process remains"

# A process sends a request to the launcher and ends before the launcher has answered. The
# launcher must continue, and the output of the other ranks must not be lost.
cat > mute << 'END'
#!/bin/bash
if [ "$PMI_RANK" = 0 ]; then echo "last words" >&2; touch said; exec sleep 60; fi
while [ ! -e said ]; do sleep 0.1; done
printf 'cmd=init pmi_version=1 pmi_subversion=1\ncmd=get_my_kvsname\n' >&"$PMI_FD"
printf 'cmd=get_my_kvsname\n' >&"$PMI_FD"
END
chmod +x mute
if mpirun -n 2 ./mute > out 2>&1; then
    fail "mute: status 0"
fi
grep -q '^last words$' out || fail "mute: the last words are lost"
! grep -q 'HYD' out || fail "mute: the launcher failed"

# If a rank ends because another rank was killed, the message names only the killed rank, and the
# status of the other rank is ignored. The order in which the launcher detects the two ends does
# not matter. The test stops the launcher between the two ends.
cat > both << 'END'
#!/bin/bash
printf 'cmd=init pmi_version=1 pmi_subversion=1\n' >&"$PMI_FD"
read -r -u "$PMI_FD"
touch "begun.$PMI_RANK"
while [ ! -e both-go ]; do sleep 0.05; done
[ "$PMI_RANK" != 1 ] || kill -KILL $$
sleep 0.2
exit 1
END
chmod +x both
mpirun -n 3 ./both > out 2>&1 &
job=$!
for ((i = 0; i < 600; i++)); do
    [ "$(compgen -G 'begun.*' | wc -l)" != 3 ] || break
    sleep 0.05
done
proxy=$(pgrep -P "$job")
kill -STOP "$proxy"
touch both-go
sleep 1
kill -CONT "$proxy"
status=0
wait "$job" || status=$?
[ "$status" = 9 ] || fail "both: status $status, expected 9"
grep -q '^mpiexec: rank 1 (process [0-9]*) was killed by signal 9 (Killed)$' out ||
    fail "both: rank 1 is not named"
[ "$(grep -c '^mpiexec: rank' out)" = 1 ] || fail "both: another rank is named"

# Several ranks fail while the launcher is busy. To simulate this, the test stops the launcher.
# The message must name the rank that failed first, and the job must have the status of this rank.
# Rank 2 fails first, although the launcher detects the failure of rank 1 first.
cat > order << 'END'
#!/bin/bash
# order RANK2 RANK1: end rank 2 with the first command, and then rank 1 with the second
# command
printf 'cmd=init pmi_version=1 pmi_subversion=1\n' >&"$PMI_FD"
read -r -u "$PMI_FD"
touch "ready.$PMI_RANK"
while [ ! -e order-go ]; do sleep 0.05; done
case $PMI_RANK in
2) eval "$1" ;;
1) sleep 0.3; eval "$2" ;;
*) sleep 0.6; exit 1 ;;
esac
END
chmod +x order

# first STATUS HOW RANK2 RANK1: end two ranks with these commands, and check that the message
# names rank 2
first()
{
    local i status=0
    rm -f ready.* order-go
    mpirun -n 3 ./order "$3" "$4" > out 2>&1 &
    job=$!
    for ((i = 0; i < 600; i++)); do
        [ "$(compgen -G 'ready.*' | wc -l)" != 3 ] || break
        sleep 0.05
    done
    proxy=$(pgrep -P "$job")
    kill -STOP "$proxy"
    touch order-go
    sleep 1.2
    kill -CONT "$proxy"
    wait "$job" || status=$?
    [ "$status" = "$1" ] || fail "first: $3, then $4: status $status, expected $1"
    grep "^mpiexec: rank 2 (process [0-9]*) $2\$" out ||
        fail "first: $3, then $4: rank 2 is not named"
    [ "$(grep -c '^mpiexec: rank' out)" = 1 ] || fail "first: another rank is named"
}
# shellcheck disable=SC2016 # the rank's own process
{
    first 11 'was killed by signal 11 (Segmentation fault)' 'kill -SEGV $$' 'kill -ABRT $$'
    first 9 'was killed by signal 9 (Killed)' 'kill -KILL $$' 'kill -TERM $$'
    first 15 'was killed by signal 15 (Terminated)' 'kill -TERM $$' 'exit 4'
}
first 3 'ended with status 3 without calling MPI_Finalize' 'exit 3' 'exit 4'
first 1 'ended with status 0 without calling MPI_Finalize' 'exit 0' 'exit 4'

# A rank closes its connection to the launcher, and ends later, as the kernel does with large
# processes on a busy machine. The job has the status of this rank. If the rank does not end, the
# launcher kills it.
cat > closes << 'END'
#!/bin/bash
# closes SECONDS STATUS: rank 1 closes its connection, and ends later with the status
printf 'cmd=init pmi_version=1 pmi_subversion=1\n' >&"$PMI_FD"
read -r -u "$PMI_FD"
[ "$PMI_RANK" = 1 ] || exec sleep 60
eval "exec $PMI_FD>&-"
sleep "$1" &
wait $!
exit "$2"
END
chmod +x closes

# closed STATUS HOW SECONDS RANK1: check the status of the job, and the message about rank 1
closed()
{
    local status=0
    timeout 50 mpirun -n 3 ./closes "$3" "$4" > out 2>&1 || status=$?
    [ "$status" = "$1" ] || fail "closed after $3 s: status $status, expected $1"
    grep "^mpiexec: rank 1 (process [0-9]*) $2\$" out || fail "closed after $3 s: not '$2'"
    [ "$(grep -c '^mpiexec: rank' out)" = 1 ] || fail "closed: another rank is named"
}
closed 7 'ended with status 7 without calling MPI_Finalize' 1 7
closed 1 'ended with status 0 without calling MPI_Finalize' 1 0
closed 1 'closed its connection to mpiexec without calling MPI_Finalize' 60 7

# A rank ends while its child still has the connection open. The launcher collects the rank before
# the connection is closed, and must nevertheless name the rank.
cat > child << 'END'
#!/bin/bash
printf 'cmd=init pmi_version=1 pmi_subversion=1\n' >&"$PMI_FD"
read -r -u "$PMI_FD"
[ "$PMI_RANK" = 1 ] || exec sleep 60
sleep 3 > child.out 2>&1 &
exit 0
END
chmod +x child
status=0
timeout 50 mpirun -n 3 ./child > out 2>&1 || status=$?
[ "$status" = 1 ] || fail "child: status $status, expected 1"
grep '^mpiexec: rank 1 (process [0-9]*) ended with status 0 without calling MPI_Finalize$' out ||
    fail "child: rank 1 is not named"
[ "$(grep -c '^mpiexec: rank' out)" = 1 ] || fail "child: another rank is named"

# A scheduler that does not pace packets grants no reservation, and the answer states this reason.
cat > pace.c << 'END'
#include <mpi.h>
#include <mpi_qos.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    MPIQOS_Flow flow = MPIQOS_FLOW_INIT, *answer;
    int rank, found;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    flow.bandwidth = 10e6;
    MPI_Comm_set_attr(MPI_COMM_WORLD, MPIQOS_FLOW, &flow);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPIQOS_FLOW, &answer, &found);
    if (rank == 0)
        printf("%s: %s\n", MPIQOS_State_name(answer->state), answer->reason);
    MPI_Finalize();
    return 0;
}
END
mpicc -o pace pace.c -lmpiqos
mpirun -n 2 ./pace | tee out
grep -q '^granted' out || fail "pace: not granted with rate"
printf 'profile: lanai4.3\nscheduler: packet-rr\n' > turns.yaml
GMSIM_CLUSTER=turns.yaml mpirun -n 2 ./pace | tee out
grep -q '^unsupported: .*scheduler: rate' out || fail "pace: granted without rate"

# --- jobs that a signal ends ---

# Each rank is a shell that has started a program; the mark is an argument of this program.
mark=$((100000 + $$))
trap 'pkill -KILL -f "^(sleep|/bin/bash ./catch) $mark" || true' EXIT
cat > catch << 'END'
#!/bin/bash
# catch MARK WHAT
exec 2> /dev/null # the shell's messages about its child
trap 'echo "caught $PMI_RANK"; kill -KILL "$!"; exit 0' INT TERM HUP
[ "$2" != deaf ] || trap '' INT TERM HUP
sleep "$1" &
echo "$GMSIM_JOB" > "job.$PMI_RANK.new" && mv "job.$PMI_RANK.new" "job.$PMI_RANK"
while :; do wait; done
END
chmod +x catch

# start WHAT: start a job of two ranks, and wait until both are ready; its process id is in the
# variable job
start()
{
    local i
    rm -f job.0 job.1
    set -m # a separate process group, which does not ignore SIGINT
    mpirun -n 2 ./catch $mark "$1" > out 2>&1 < /dev/null &
    job=$!
    set +m
    for ((i = 0; i < 1200; i++)); do
        [ ! -e job.0 ] || [ ! -e job.1 ] || break
        sleep 0.05
    done
    [ -e job.0 ] && [ -e job.1 ] || fail "$1: did not start"
    # list the files of a rank that dies early; no other job has this name
    touch "/dev/shm/gmsim-$(id -u)-$(cat job.0)"
}

# is_over WHAT STATUS: check that the job has ended with the status, and that no process
# or file remains
is_over()
{
    local status=0 i
    wait "$job" || status=$?
    [ "$status" = "$2" ] || fail "$1: status $status, expected $2"
    for ((i = 0; i < 200; i++)); do
        pgrep -f "^(sleep|/bin/bash ./catch) $mark" > /dev/null || break
        sleep 0.05
    done
    ! pgrep -f "^(sleep|/bin/bash ./catch) $mark" || fail "$1: a process remains"
    i=/dev/shm/gmsim-$(id -u)-$(cat job.0)
    [ ! -e "$i" ] || { rm -f "$i"; fail "$1: left $i"; }
}

for signal in INT:130 TERM:143 HUP:129; do
    start "SIG${signal%:*}"
    kill -s "${signal%:*}" "$job"
    is_over "$signal" "${signal#*:}"
    # the ranks have received the signal, and their last output is not lost
    [ "$(sort out)" = "caught 0
caught 1
mpiexec: ended by SIG${signal%:*}" ] || fail "$signal: unexpected output"
done

# the second signal kills ranks that ignore the first signal
start deaf
kill -s INT "$job"
sleep 0.3
kill -s INT "$job" || true
is_over "Ctrl-C twice" 130
[ "$(cat out)" = "mpiexec: ended by SIGINT" ] || fail "Ctrl-C twice: unexpected output"

# the proxy receives the signal instead of mpirun
start proxy
pkill -TERM -P "$job"
is_over "SIGTERM of the proxy" 143
start proxy-killed
pkill -KILL -P "$job"
is_over "SIGKILL of the proxy" 1
[ "$(cat out)" = "mpiexec: hydra_pmi_proxy, which started the ranks, has ended unexpectedly" ] ||
    fail "SIGKILL of the proxy: unexpected output"

# no rank may continue after mpirun has ended
start killed
proxy=$(pgrep -P "$job")
kill -s KILL "$job"
for ((i = 0; i < 200; i++)); do
    [ -e "/proc/$proxy" ] || break
    sleep 0.05
done
is_over "SIGKILL of mpirun" 137

# nohup protects the job from the signal
(trap '' HUP; exec mpirun -n 2 sleep 1) > out 2>&1 &
job=$!
sleep 0.5
kill -s HUP "$job" || true
wait "$job" || fail "nohup: status $?"

# A signal at any time during the start ends all processes, including processes that start later.
# A program sends the signal: between fork() and exec(), the shell's own handler for SIGTERM would
# receive the signal, and would ignore it.
cat > ended.c << 'END'
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
/* ended US COMMAND..: start the command, send SIGTERM to it after US microseconds, and return
 * its status as a shell does */
int main(int argc, char **argv)
{
    pid_t job = fork();
    int status;
    (void)argc;
    if (job == 0) {
        setpgid(0, 0);
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    usleep((useconds_t)atoi(argv[1]));
    kill(job, SIGTERM);
    waitpid(job, &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
END
cc -o ended ended.c
for ((i = 0; i < 40; i++)); do
    status=0
    timeout 60 ./ended "${i}000" mpirun -n 4 sleep $mark > out 2>&1 < /dev/null || status=$?
    [ "$status" = 143 ] || fail "SIGTERM after $i ms: status $status"
    ! grep -qvx 'mpiexec: ended by SIGTERM' out || fail "SIGTERM after $i ms: unexpected output"
done
! pgrep -f "^sleep $mark" || fail "SIGTERM at the start: a process remains"

# Input that arrives after the job has ended is not a failure.
for ((i = 0; i < 20; i++)); do
    # the test does not use a pipeline, because the writer of the pipeline could be the process
    # that fails
    mpirun -n 1 true < <(sleep "0.0$i"; echo word) > out 2>&1 || fail "late input: status $?"
    [ ! -s out ] || fail "late input: unexpected output"
done
