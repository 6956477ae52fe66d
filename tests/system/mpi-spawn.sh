#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks MPI_Comm_spawn and MPI_Comm_spawn_multiple: data, merged communicators, info keys,
# children that spawn, reuse of ports, refused calls, and children that fail. The test also
# checks records and reservations. Ten runs must end at the same virtual times.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_shows=out

spawns=$GMQOS_BUILDDIR/tests/mpi/spawns
printf 'hosts: 4\n' > cluster.yaml
export GMSIM_CLUSTER=cluster.yaml

# spawn_test RANKS ARGUMENT..: run the program; both the parents and the children must
# succeed. The order of the lines that they print is not defined.
spawn_test()
{
    local ranks=$1 status=0
    shift
    timeout 300 mpirun -n "$ranks" "$spawns" "$@" > out 2>&1 < /dev/null || status=$?
    [ "$status" = 0 ] && [ "$(grep -o 'No Errors' out | wc -l)" -ge 2 ] && ! grep -q '^Found' out ||
        fail "spawns $*, $ranks processes: status $status: $(head -n 20 out)"
}

# --- exchange of messages, nested calls --------------------------------------------------
for arguments in "exchange 1" "exchange 2" "exchange 5" "nested 2"; do
    # shellcheck disable=SC2086 # several arguments
    spawn_test 2 $arguments
done
spawn_test 1 exchange 3

# --- repeatability ---------------------------------------------------------------------
for ((i = 0; i < 10; i++)); do
    spawn_test 3 nested 3
    grep -oE '(parent|child) ends at [0-9.]+ s' out | sort > "ends.$i"
    cmp -s ends.0 "ends.$i" || fail "run $i: other virtual times: $(cat ends.0 "ends.$i")"
done
[ "$(wc -l < ends.0)" = 3 ] || fail "parent, children and grandchildren: $(cat ends.0)"
# the children start 100 ms after the call (mpi_spawn_ps)
spawn_test 2 exchange 2
grep -oE 'parent ends at [0-9.]+' out | awk '{ bad = $4 < 0.1 || $4 > 0.2 } END { exit bad }' || fail "time of the spawn"
printf 'hosts: 4\nparameters:\n  mpi_spawn_ps: 2000000000000\n' > slow.yaml
GMSIM_CLUSTER=slow.yaml spawn_test 2 exchange 2
grep -oE 'parent ends at [0-9.]+' out | awk '{ bad = $4 < 2 || $4 > 2.1 } END { exit bad }' || fail "mpi_spawn_ps"

# --- programs and info keys --------------------------------------------------------------
mkdir -p sub/programs
ln -s "$spawns" sub/programs/other
spawn_test 2 multiple sub
for line in "child 0 of 5: appnum 0 host node4 directory /${PWD##*/} argument 'with = and  blanks'" \
    "child 1 of 5: appnum 0 host node2 directory /${PWD##*/} argument 'with = and  blanks'" \
    "child 2 of 5: appnum 1 host node3 directory /sub argument ''" \
    "child 3 of 5: appnum 1 host node1 directory /sub argument ''"; do
    grep -qF "$line" out || fail "no line: $line"
done

# spawned ranks find the files that the first ranks have found in their working directory
mkdir run
printf 'hosts: 4\n' > run/four.yaml
GMSIM_CLUSTER=four.yaml timeout 100 mpirun -wdir run -n 2 "$spawns" exchange 2 > out 2>&1 < /dev/null ||
    fail "-wdir: $(head -n 3 out)"

# --- refused calls, ports that are used again ----------------------------------------------

# Each of the 3 hosts has 2 ports for programs, so 2 ranks can have 4 children.
printf 'hosts: 3\nparameters:\n  gm_ports: 5\n' > small.yaml
GMSIM_CLUSTER=small.yaml spawn_test 2 refused 4
for text in "'./missing' is not an executable file; give a path" \
    "the info key wdir: 'no-directory' is not a directory" \
    "the info key host: the cluster has no host 'node99'" \
    "cannot start 5 processes: only 4 ports are free (3 hosts with 2 ports for programs each); allowed: at most 4 processes"; do
    mentions "$text" out
done
printf 'hosts: 4\nparameters:\n  mpi_spawn_most: 3\n' > few.yaml
GMSIM_CLUSTER=few.yaml mpirun -n 1 "$spawns" exchange 4 > out 2>&1 < /dev/null && fail "mpi_spawn_most"
mentions "a run may spawn 3 processes, and 0 have been spawned; allowed: at most 3 processes" out
GMSIM_TRACE=trace.json mpirun -n 1 "$spawns" exchange 1 > out 2>&1 < /dev/null && fail "trace"
mentions "a traced run cannot spawn processes; unset GMSIM_TRACE" out
"$spawns" exchange 1 > out 2>&1 < /dev/null && fail "without mpirun"
mentions "this process was started without mpirun" out
PMI_RANK=0 PMI_SIZE=1 GMSIM_SPAWN=nonsense "$GMQOS_STAGE/bin/gm-pingpong" > out 2>&1 < /dev/null &&
    fail "GMSIM_SPAWN"
mentions "environment variable GMSIM_SPAWN: value 'nonsense' is invalid" out

# --- children that fail ------------------------------------------------------------------

# fails STATUS TEXT COMMAND..: the job ends with the status, prints the text, and no
# process remains
mark=spawn-$$
fails()
{
    local wanted=$1 text=$2 status=0
    shift 2
    TEST_MARK=$mark timeout 60 mpirun "$@" > out 2>&1 < /dev/null || status=$?
    [ "$status" = "$wanted" ] || fail "$*: status $status, expected $wanted"
    grep -q "$text" out || fail "$*: no '$text'"
    await 10 none_marked "TEST_MARK=$mark" || fail "$*: processes remain"
}
fails 6 '^mpiexec: rank 3 (process [0-9]*) was killed by signal 6' -n 2 "$spawns" crash
fails 5 '^Abort(5) by rank . on node[34]' -n 2 "$spawns" abort
cat > starts.c << 'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Comm inter;
    MPI_Init(&argc, &argv);
    MPI_Comm_spawn(argv[1], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                   MPI_ERRCODES_IGNORE);
    MPI_Finalize();
    return 0;
}
END
mpicc -o starts starts.c
fails 1 'ended with status 0 before MPI_Init, which other ranks have called' -n 2 ./starts /bin/true

# a signal ends all ranks
printf '#!/bin/sh\ntouch started\nexec sleep 60\n' > sleeps
chmod +x sleeps
TEST_MARK=$mark mpirun -n 2 ./starts ./sleeps > out 2>&1 < /dev/null &
job=$!
await 20 test -e started || fail "the children do not start"
kill -TERM "$job"
status=0
wait "$job" || status=$?
[ "$status" = 143 ] || fail "SIGTERM: status $status"
await 10 none_marked "TEST_MARK=$mark" || fail "SIGTERM: processes remain"

# --- reservations ------------------------------------------------------------------------
spawn_test 2 reserve 2
[ "$(grep -o 'granted 5.00 MB/s on the intercommunicator, 7.00 MB/s on the merged one' out | wc -l)" = 4 ] ||
    fail "reservations"
cat > policy.yaml << 'END'
- {from: all, to: all, bandwidth: 3 MB/s, communicator: MPI_COMM_PARENT}
- {from: all, to: all, bandwidth: 2 MB/s, communicator: workers}
END
MPIQOS_POLICY=policy.yaml MPIQOS_REPORT=- spawn_test 2 named 2
for line in 'policy:1 +MPI_COMM_PARENT +[23] +all .* granted' \
    'policy:2 +workers +[01] +all .* granted'; do
    [ "$(grep -oE "$line" out | wc -l)" = 2 ] || fail "policy: not two lines $line"
done

# --- record and report --------------------------------------------------------------------
mkdir record
GMSIM_RECORD=record spawn_test 2 exchange 3
gmsim report record > out
python3 - << 'END' || fail "record"
import json
record = json.load(open("record/record.json"))
job = record["job"]
assert (job["size"], job["spawned"], len(job["ranks"])) == (5, 3, 5), job
assert len(record["hosts"]) == 5 and job["commands"][0]["ranks"] == 2, job
assert [rank["node"] for rank in job["ranks"]] == [1, 2, 3, 4, 1], job
END
mkdir again
GMSIM_RECORD=again spawn_test 2 exchange 3
cmp record/windows.jsonl again/windows.jsonl || fail "records of two runs differ"
finish
