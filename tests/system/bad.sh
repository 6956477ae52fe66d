#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks the messages about invalid cluster descriptions (tests/data/bad) and invalid
# policies (tests/data/bad-policy). Every file contains one kind of error. The first line of
# a file is the beginning of the expected message, which need not include the list of
# allowed values. The command `gmsim config check` must refuse each file with status 2 and
# print nothing else. The command must take less than 0.1 s of user CPU time or, on a slow
# machine, little more than for a valid file. No job may start with such a file: a job of
# four ranks must end before MPI_Init returns on any rank. It must print the message and
# leave no process and no file.
# needs: nothing
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

unset GMSIM_CLUSTER GMSIM_TIME MPIQOS_POLICY MPIQOS_REPORT
slowest=0
slowest_name=
TIMEFORMAT=%U

# wanted FILE: print the expected message for FILE. The message contains wrong.yaml, the
# name of a copy of FILE, because a message shows only the end of a long path.
wanted()
{
    cp "$1" wrong.yaml
    echo "wrong.yaml:$(head -1 "$1" | cut -c3-)"
}

# slower SECONDS SECONDS: succeed if the first number is larger
slower()
{
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a + 0 > b + 0) }'
}

# in_time NAME SECONDS COMMAND..: keep the slowest command. SECONDS is the user CPU time of
# the command. While this time is above the limit, the function repeats the measurement, up
# to 5 times, because other load on the machine affects it slightly.
in_time()
{
    local name=$1 user=$2 i
    shift 2
    for ((i = 0; i < 5; i++)); do
        slower "$user" "$limit" || break
        user=$({ time "$@" > /dev/null 2>&1; } 2>&1) || :
    done
    if slower "$user" "$slowest"; then
        slowest=$user
        slowest_name=$name
    fi
}

# refused FILE OPTION..: check that `gmsim config check` refuses FILE
refused()
{
    local file=$1 name want status=0 said user
    shift
    name=${file#"$GMQOS_SRCDIR"/tests/data/}
    want=$(wanted "$file")
    user=$({ time gmsim config check "$@" wrong.yaml > out 2> err || echo $? > status; } 2>&1)
    status=$(cat status 2> /dev/null || echo 0)
    rm -f status
    said=$(cat err)
    [ "$status" = 2 ] || fail "$name: status $status, expected 2"
    [ ! -s out ] || fail "$name: prints something although it is refused"
    [[ $said == "$want"* ]] || fail "$name: prints '$said', expected '$want'"
    ! grep -vq '^wrong.yaml:' err || fail "$name: a line without the file: '$said'"
    in_time "$name" "$user" gmsim config check "$@" wrong.yaml
}

limit=0.1
echo 'hosts: 4' > right.yaml
usual=$({ time for _ in 1 2 3 4 5; do gmsim config check right.yaml > out; done; } 2>&1)
! slower "$usual" "$limit" || limit=$usual

clusters=("$GMQOS_SRCDIR"/tests/data/bad/*.yaml)
policies=("$GMQOS_SRCDIR"/tests/data/bad-policy/*.yaml)
[ "${#clusters[@]}" -ge 30 ] || fail "only ${#clusters[@]} invalid descriptions"
[ "${#policies[@]}" -ge 30 ] || fail "only ${#policies[@]} invalid policies"
for file in "${clusters[@]}"; do
    refused "$file"
done
for file in "${policies[@]}"; do
    refused "$file" --ranks 4 --policy
done
echo "${#clusters[@]} descriptions, ${#policies[@]} policies;" \
    "the slowest took $slowest s of user CPU time: $slowest_name"
! slower "$slowest" "$limit" ||
    fail "$slowest_name took $slowest s of user CPU time, allowed: $limit"

# if a description or policy has several errors, each of them is reported on a separate line
printf 'profile: x\nhosts: many\nwhat: 1\n' > wrong.yaml
[ "$(gmsim config check wrong.yaml 2>&1 | wc -l)" = 3 ] || fail "three mistakes, three lines"
cp "$GMQOS_SRCDIR/tests/data/bad-policy/several.yaml" wrong.yaml
[ "$(gmsim config check --policy wrong.yaml --ranks 4 2>&1 | wc -l)" = 3 ] ||
    fail "three mistakes in a policy, three lines"

# files that are neither descriptions nor policies
mkdir folder
head -c 1100000 /dev/zero > long
for option in "" --policy; do
    # shellcheck disable=SC2086 # nothing or an option
    {
        gmsim config check $option nowhere > out 2> err && fail "$option nowhere: status 0"
        grep -qx 'nowhere: cannot be read: No such file or directory' err || fail "$option nowhere"
        gmsim config check $option folder > out 2> err && fail "$option folder: status 0"
        grep -qx 'folder: cannot be read: Is a directory' err || fail "$option folder"
        gmsim config check $option long > out 2> err && fail "$option long: status 0"
        grep -q '^long: is not a .*: the file is longer than 1 MiB$' err || fail "$option long"
    }
done

# for a valid policy, the command prints the rules for the existing ranks
cat > right.yaml << 'END'
- {from: 0, to: 1, bandwidth: 40 MB/s, message_size: 4096}
- {from: 0, to: 2, bandwidth: 4 MB/s, burst: 8 kB, delay: 2 ms, jitter: 900us}
- {from: [0, 2..3], to: all, class: best-effort, communicator: any}
- {from: all, to: 1, class: none, communicator: halo}
END
gmsim config check --policy right.yaml --ranks 4 > out 2> err || fail "a valid policy is refused"
cat > expected << 'END'
right.yaml: OK (4 rules for a job of 4 ranks)
  line 1: from 0 to 1: premium, 40 MB/s, messages of 4096 bytes, on MPI_COMM_WORLD
  line 2: from 0 to 2: premium, 4 MB/s, bursts of 8000 bytes, delay at most 2 ms, jitter at most 900 us, on MPI_COMM_WORLD
  line 3: from 0 2..3 to all: best effort, on any communicator
  line 4: from all to 1: no reservation, on communicators named 'halo'
END
diff -u expected out || fail "a valid policy is printed differently"
gmsim config check --policy right.yaml > out || fail "without --ranks"
grep -qx 'right.yaml: OK (4 rules for a job of 16 ranks)' out || fail "without --ranks"
gmsim config check --policy right.yaml --ranks 3 > out 2> err && fail "rank 3 of 3"
grep -qF "right.yaml:3: key 'from': value '2..3' is not a rank of this job; allowed: 0..2" err ||
    fail "rank 3 of 3: $(cat err)"
printf 'hosts: 2\nranks_per_host: 2\n' > small.yaml
gmsim config check --policy right.yaml small.yaml > out || fail "on a small cluster"
grep -qx 'right.yaml: OK (4 rules for a job of 4 ranks)' out || fail "on a small cluster"
echo '- {from: 0, to: all, bandwidth: 1 MB/s}' > alone.yaml
gmsim config check --policy alone.yaml --ranks 1 > out || fail "all, of a job of one rank"

# usage OPTION..: check the message about invalid usage
usage()
{
    local status=0
    gmsim config "$@" > out 2> err || status=$?
    [ "$status" = 2 ] || fail "gmsim config $*: status $status, expected 2"
    grep -q 'allowed\|require check\|requires --policy\|has room for' err || fail "gmsim config $*: $(cat err)"
}
usage check --policy right.yaml --ranks 5 small.yaml
usage check --policy right.yaml --ranks 0
usage check --ranks 4
usage show --policy right.yaml

if [ "$GMQOS_MPICH" != yes ]; then
    echo "not tested: jobs, because this build has no MPICH"
    finish
fi

# --- jobs
cat > job.c << 'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    puts("goes on");
    MPI_Finalize();
    return 0;
}
END
mpicc -o job job.c

# nothing_starts FILE VARIABLE: check that no job starts if VARIABLE names FILE
nothing_starts()
{
    local name want status=0 count
    name=${1#"$GMQOS_SRCDIR"/tests/data/}
    want=$(wanted "$1")
    env "$2=wrong.yaml" GMSIM_JOB="bad-$$" timeout 60 mpirun -n 4 ./job > out 2> err ||
        status=$?
    [ "$status" = 1 ] || fail "$name: a job ends with status $status, expected 1"
    [ ! -s out ] || fail "$name: a rank continues"
    count=$(grep -cF -- "$want" err || :)
    # usually only one rank prints the message; more ranks print it if the launcher is slow
    # to end them
    { [ "$count" -ge 1 ] && [ "$count" -le 4 ]; } ||
        fail "$name: a job prints '$want' $count times: $(cat err)"
    ! ls /dev/shm/gmsim-*"-bad-$$"* 2> /dev/null || fail "$name: a job leaves files behind"
}

# the file is a FIFO, which only one rank could read
mkfifo pipe
status=0
GMSIM_CLUSTER=pipe GMSIM_JOB="bad-$$" timeout 60 mpirun -n 4 ./job > out 2> err || status=$?
[ "$status" = 1 ] || fail "a pipe: a job ends with status $status, expected 1"
grep -q "GMSIM_CLUSTER: 'pipe' is a pipe, which only one rank could read; allowed: a regular file" err ||
    fail "a pipe: $(cat err)"

GMSIM_JOB="bad-$$" mpirun -n 4 ./job > out || fail "a job without an invalid file"
# MPICH does not buffer the output of ranks, so puts() writes the line break separately
[ "$(grep -o 'goes on' out | wc -l)" = 4 ] || fail "a job without an invalid file"
for file in "${clusters[@]}"; do
    nothing_starts "$file" GMSIM_CLUSTER
done
for file in "${policies[@]}"; do
    nothing_starts "$file" MPIQOS_POLICY
done
finish
