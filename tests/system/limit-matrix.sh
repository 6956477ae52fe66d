#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# limit-matrix.sh [--long]: Runs an MPI job and gmsim commands with limits on address space,
# data, open files, processes, file size and stack. The test also runs them with a small or
# read-only /dev/shm, without /proc, and with a read-only home directory. Each run must
# either print the same output as without a limit, or end within a minute with a status other
# than 0. If the status is not 0, a message must name the missing resource and the remedy. No
# run may hang, no signal may end a process without a message, and no file may remain in
# /dev/shm or /tmp. With --long, the test uses more values of each limit.
set -euo pipefail

if [ -n "${GMQOS_SAN_FLAGS:-}" ]; then
    echo "skipped: sanitizers need additional address space and processes"
    exit 77
fi
is_long=no
[ "${1:-}" != --long ] || is_long=yes
stranger=61234 # a user without other processes
work=$PWD
export GMSIM_JOB=limit-matrix-$$ TMPDIR=$work/tmp
mkdir -m 1777 tmp
failed=0 works=0 refused=0 loader=0 parts=
# the system's own code prints these messages before any code of gmqos runs
by_loader='error while loading shared libraries'

fail()
{
    echo "FAIL: $*"
    head -n 20 "$work/out"
    failed=1
}

# left: print the files that the job has left; other jobs on this machine use other
# file names
left()
{
    find /dev/shm "$TMPDIR" -mindepth 1 -maxdepth 1 \
        \( -name "gmsim-*-$GMSIM_JOB*" -o -path "$TMPDIR/*" \)
}

# running: print the processes of the job that are still running some time after mpirun has
# ended
running()
{
    local file count=0 found
    while [ $count -lt 50 ]; do
        found=
        for file in $(grep -lsxzF "GMSIM_JOB=$GMSIM_JOB" /proc/[0-9]*/environ); do
            file=${file%/environ}
            case $(cat "$file/comm" 2> /dev/null || true) in
            job | mpirun | hydra_pmi_proxy | gmsim) found="$found ${file#/proc/}" ;;
            esac
        done
        [ -n "$found" ] || return 0
        count=$((count + 1))
        sleep 0.1
    done
    echo "$found"
}

# starts PROGRAM: check that the system can start the program with --version under the limit
starts()
{
    { "${prefix[@]}" "$1" --version || return 1; } > /dev/null 2>&1
}

# try NAME ADVICE EXPECTED COMMAND..: run the command once; a message must match the pattern
# ADVICE
try()
{
    local name=$1 advice=$2 expected=$3 status=0 still
    shift 3
    # the output is written to a pipe, because RLIMIT_FSIZE limits only files
    { timeout --kill-after=5 60 "$@" 2>&1 < /dev/null && echo "status 0" ||
        echo "status $?"; } 2> /dev/null | cat > "$work/out"
    status=$(sed -n '$s/^status //p' "$work/out")
    sed -i '$d' "$work/out"
    if [ "$status" = 0 ]; then
        works=$((works + 1))
        cmp -s "$work/out" "$expected" || fail "$name: the output differs from that without a limit"
    elif [ "$status" = 124 ] || [ "$status" = 137 ]; then
        fail "$name: no end after 60 s"
    elif grep -q "$advice" "$work/out"; then
        refused=$((refused + 1))
    elif grep -q "$by_loader" "$work/out"; then
        loader=$((loader + 1)) # the program itself could not be started
    elif [ ! -s "$work/out" ] && [ "$status" = 139 ] && ! starts "${@:${#prefix[@]}+1:1}"; then
        loader=$((loader + 1)) # the shell reports the signal
    else
        fail "$name: status $status without '$advice'"
    fi
    [ -z "$(left)" ] ||
        fail "$name: left behind: $(left)"
    still=$(running)
    [ -z "$still" ] || fail "$name: still running: $still"
    rm -f "/dev/shm/gmsim-"*"-$GMSIM_JOB"*
}

# limits NAME OPTION ADVICE VALUE..: run the job and the commands with each value of the
# limit. OPTION is the option of prlimit for this limit. The short form of the test uses only
# values that end with a comma.
limits()
{
    local name=$1 option=$2 advice=$3 value before
    local -a values=()
    shift 3
    for value; do
        case $value in
        +*) values+=("${value#+}") ;;
        *) [ $is_long = no ] || values+=("$value") ;;
        esac
    done
    before="$works $refused $loader"
    for value in "${values[@]}"; do
        prefix=(prlimit "--$option=$value")
        [ "$option" != nproc ] || [ "$(id -u)" != 0 ] ||
            prefix=(setpriv "--reuid=$stranger" --clear-groups "${prefix[@]}")
        try "mpirun, $name of $value" "$advice" "$work/job.out" \
            "${prefix[@]}" mpirun -n 4 ./job
        [ "$option" != nproc ] || continue # commands are one process
        try "gmsim report, $name of $value" "$advice" "$work/report.out" \
            "${prefix[@]}" gmsim report --text record
        try "gmsim experiment, $name of $value" "$advice" "$work/experiment.out" \
            "${prefix[@]}" gmsim experiment run --jobs 1 "$experiment"
    done
    summary "$name" "$before"
}

summary()
{
    local -a was
    read -ra was <<< "$2"
    parts="$parts
  $1: $((works - was[0])) worked, $((refused - was[1])) said what is missing, $((loader - was[2])) could not be loaded"
}

# inside NAME ADVICE COMMAND: run the job in its own mount namespace after COMMAND
inside()
{
    prefix=(unshare -rm bash -c "$3 && exec \"\$@\"" -)
    try "mpirun, $1" "$2" "$work/job.out" "${prefix[@]}" mpirun -n 4 ./job
    try "gmsim report, $1" "$2" "$work/report.out" "${prefix[@]}" gmsim report --text record
}

cat > job.c << 'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    enum { BYTES = 100000 };
    int rank, size, i;
    char *out, *in;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    out = malloc(BYTES);
    in = malloc((size_t) size * BYTES);
    if (!out || !in) {
        fprintf(stderr, "job: no memory; allow more address space (ulimit -v)\n");
        MPI_Abort(MPI_COMM_WORLD, 9);
    }
    memset(out, rank, BYTES);
    MPI_Allgather(out, BYTES, MPI_CHAR, in, BYTES, MPI_CHAR, MPI_COMM_WORLD);
    for (i = 0; i < size; i++)
        if (in[(size_t) i * BYTES + BYTES - 1] != i)
            MPI_Abort(MPI_COMM_WORLD, 8);
    if (rank == 0)
        printf("%d ranks: %.9f s\n", size, MPI_Wtime());
    MPI_Finalize();
    return 0;
}
END
mpicc -o job job.c
experiment=thesis-2.3
chmod a+rx . job
mpirun -n 4 ./job > job.out
GMSIM_RECORD=record mpirun -n 4 ./job > out
chmod -R a+rX record
gmsim report --text record > report.out
gmsim experiment run --jobs 1 "$experiment" > experiment.out

kib=1024 mib=$((1024 * 1024))
limits 'address space' as 'ulimit -v\|memory' \
    $((2 * mib)) $((4 * mib)) +$((7 * mib)) $((8 * mib)) $((9 * mib)) +$((10 * mib)) \
    $((21 * mib / 2)) $((11 * mib)) +$((12 * mib)) $((14 * mib)) $((16 * mib)) $((20 * mib)) \
    $((24 * mib)) $((32 * mib)) +$((64 * mib)) $((128 * mib)) $((256 * mib)) $((1024 * mib)) \
    +$((4096 * mib)) $((4112 * mib)) $((4120 * mib)) $((4128 * mib)) $((4200 * mib)) \
    +$((8192 * mib))
limits 'data' data 'ulimit -d\|ulimit -v\|memory' \
    +$((256 * kib)) $((512 * kib)) $((1 * mib)) +$((2 * mib)) $((4 * mib)) $((8 * mib)) \
    $((16 * mib)) +$((128 * mib))
limits 'open files' nofile 'ulimit -n' \
    3 4 +5 6 7 +8 9 10 11 12 +13 14 15 16 17 18 19 20 21 +22 23 24 25 26 27 28 29 30 31 32 +64
limits 'file size' fsize 'ulimit -f' \
    0 +1 +4096 $((1 * mib)) +$((64 * mib)) $((4095 * mib)) +$((4096 * mib)) $((8192 * mib))
limits 'stack' stack 'ulimit -s' \
    0 $((4 * kib)) $((16 * kib)) +$((32 * kib)) $((40 * kib)) $((48 * kib)) +$((64 * kib)) \
    $((96 * kib)) $((127 * kib)) +$((128 * kib)) $((192 * kib)) $((256 * kib)) $((1 * mib))
if [ "$(id -u)" != 0 ] || setpriv "--reuid=$stranger" --clear-groups test -x "$work/job" 2> out; then
    limits 'processes' nproc 'ulimit -u' \
        0 +1 2 +3 4 5 +6 7 8 9 10 11 12 13 14 16 18 20 +100
else
    parts="$parts
  processes: skipped: another user cannot reach $work"
fi

if unshare -rm mount -t tmpfs -o size=4k none /dev/shm 2> out; then
    before="$works $refused $loader"
    sizes="1m 16m"
    [ $is_long = no ] || sizes="4k 64k 1m 4m 8m 16m 32m 64m"
    for size in $sizes; do
        inside "/dev/shm of $size" '/dev/shm has no room .*Enlarge this file system' \
            "mount -t tmpfs -o size=$size none /dev/shm"
    done
    inside "a read-only /dev/shm" 'mount a tmpfs on /dev/shm' \
        "mount -t tmpfs -o ro none /dev/shm"
    inside "no /dev/shm" 'mount a tmpfs on /dev/shm' \
        "mount -t tmpfs none /dev && mknod /dev/null c 1 3 2> /dev/null; true"
    inside "no /proc" 'mount -t proc proc /proc' "mount -t tmpfs none /proc"
    inside "a read-only home" 'no message is expected' \
        "mkdir -p $work/home && mount -t tmpfs -o ro none $work/home && export HOME=$work/home"
    summary 'directories' "$before"
else
    parts="$parts
  directories: skipped: no namespace of its own: $(tail -n 1 out)"
fi

echo "$works runs worked, $refused reported the missing resource, $loader could not be loaded:$parts"
[ "$works" -ge 10 ] || fail "hardly any run works"
[ "$refused" -ge 10 ] || fail "hardly any run is refused"
exit "$failed"
