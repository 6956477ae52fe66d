#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# needs: nothing
#
# Runs a sweep as a job array on a real Slurm installation. The test starts its own munged,
# slurmctld and slurmd; their configuration, key and sockets are in the test's own
# directory.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_ends_test=yes
fail_shows="out err slurm/*.log"

for program in munged slurmctld slurmd sbatch; do
    if ! PATH=$PATH:/usr/sbin:/sbin command -v $program > /dev/null; then
        skip "no $program (apt-get install slurmctld slurmd slurm-client munge)"
    fi
done
if [ "$(id -u)" != 0 ]; then
    skip "slurmd needs root"
fi
PATH=$PATH:/usr/sbin:/sbin

# --- Slurm -----------------------------------------------------------------------
mkdir slurm slurm/state slurm/spool
top=$PWD/slurm
chmod 755 . slurm # munged checks the permissions of its directory
name=$(hostname -s)

# free_port FROM: print the first port number, counting from FROM, on which no process listens
free_port()
{
    local port=$1
    while (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null; do
        port=$((port + 1))
    done
    echo "$port"
}
controller=$(free_port $((20000 + $$ % 20000)))
node=$(free_port $((controller + 1)))

stop()
{
    local file pid i
    for file in slurmd slurmctld munged; do
        pid=$(cat "$top/$file.pid" 2> /dev/null) || continue
        kill "$pid" 2> /dev/null || continue
        for ((i = 0; i < 50; i++)); do
            kill -0 "$pid" 2> /dev/null || continue 2
            sleep 0.1
        done
        kill -s KILL "$pid" 2> /dev/null || :
    done
}
trap stop EXIT

cat > slurm/slurm.conf << END
ClusterName=gmqos-test
SlurmctldHost=$name(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$top/munge.socket
CredType=cred/munge
SlurmctldPort=$controller
SlurmdPort=$node
StateSaveLocation=$top/state
SlurmdSpoolDir=$top/spool
SlurmctldPidFile=$top/slurmctld.pid
SlurmdPidFile=$top/slurmd.pid
SlurmctldLogFile=$top/slurmctld.log
SlurmdLogFile=$top/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
PlugStackConfig=$top/plugstack.conf
SchedulerParameters=batch_sched_delay=0,sched_interval=1
MaxArraySize=9
KillWait=2
NodeName=$name NodeAddr=127.0.0.1 CPUs=$(nproc)
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
: > slurm/plugstack.conf
export SLURM_CONF=$top/slurm.conf
(umask 077 && head -c 1024 /dev/urandom > slurm/munge.key)
munged --key-file="$top/munge.key" --socket="$top/munge.socket" --force \
    --pid-file="$top/munged.pid" --log-file="$top/munged.log" \
    --seed-file="$top/munge.seed" > out 2> err || fail munged
cannot()
{
    tail -n 5 slurm/*.log
    skip "Slurm does not start here: $*"
}
slurmctld > out 2> err || cannot slurmctld
slurmd -N "$name" > out 2> err || cannot slurmd
for ((i = 0; i < 600; i++)); do
    [ "$(sinfo --noheader --format %t 2> /dev/null)" != idle ] || break
    sleep 0.1
done
[ "$i" -lt 600 ] || cannot "no idle node"

# --- the sweep ---------------------------------------------------------------------
cat > s.yaml << 'END'
command: |
  echo {x},$(({x} * {seed}))
  [ {x} != 3 ] || exit 5
grid:
  x: {from: 1, to: 5, step: 1}
repetitions: 2
results:
  product: {regex: ',(.*)'}
slurm: --time=5
END
ends 1 gmsim sweep s.yaml
mv s.csv here.csv

# a job array has at most nine tasks, so each task must run two of the ten points
ends 1 gmsim sweep --slurm --wait --slurm=--comment=test -o a.sweep s.yaml
cmp a.csv here.csv || fail "the results of Slurm differ"
grep -q 'point 5 (x 3, seed 1): exit status 5' err || fail "no failed point"
[ "$(paste -sd' ' a.sweep/jobs/1.points)" = '1-2 3-4 5-6 7-8 9-10' ] || fail "chunks"
grep -qx '#SBATCH --time=5' a.sweep/jobs/1.sh || fail "slurm:"
grep -qx '#SBATCH --comment=test' a.sweep/jobs/1.sh || fail "--slurm=OPTIONS"
echo "ok: a job array, and points that failed in it"

# run only the remaining points, one task at a time, and do not wait
for point in 0002 0009; do rm a.sweep/points/$point/status; done
gmsim sweep --slurm -j 1 -o a.sweep s.yaml > out 2> err || fail "slurm, not waiting"
grep -q 'Submitted batch job' out || fail "no number of the job"
grep -qx '#SBATCH --array=0-1%1' a.sweep/jobs/2.sh || fail "one at a time"
for ((i = 0; i < 1200; i++)); do
    [ ! -e a.sweep/points/0002/status ] || [ ! -e a.sweep/points/0009/status ] || break
    sleep 0.1
done
ends 1 gmsim sweep --gather -o a.sweep s.yaml
cmp a.csv here.csv || fail "the results differ after the continuation"

# write the script, but do not run it; failed points run again
gmsim sweep --slurm=script --retry -o a.sweep s.yaml > out 2> err || fail "script"
grep -qx "sbatch $PWD/a.sweep/jobs/3.sh" out || fail "script"
[ "$(paste -sd' ' a.sweep/jobs/3.points)" = '5 6' ] || fail "--retry"

# errors from sbatch are reported
if gmsim sweep --slurm=--partition=none -o b.sweep s.yaml > out 2> err; then
    fail "a partition that does not exist"
fi
grep -q 'sbatch could not submit' err || fail "no message"
echo "ok: continuing, retrying, only writing"

# --- MPI ranks under Slurm --------------------------------------------------------
if [ "$GMQOS_MPICH" = yes ]; then
    cat > m.yaml << 'END'
command: mpirun -n 2 mpi-bandwidth --csv --min {size} --max {size} --iterations 10
grid: {size: [1024, 65536]}
results: [bandwidth_mb_s]
END
    gmsim sweep m.yaml > out 2> err || fail "mpirun here"
    gmsim sweep --slurm --wait -o n.sweep m.yaml > out 2> err || fail "mpirun by Slurm"
    cmp n.csv m.csv || fail "the ranks differ"
    echo "ok: mpirun"
fi
