#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests jobs whose /dev/shm is too small or becomes full at some point. The job must either work or
# end with a message. The message contains /dev/shm, its size, the required size, and the remedy.
# SIGBUS must never end the job. The same requirements apply if arena_bytes is too small. The test
# requires root, because it mounts its own /dev/shm.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_shows=out

if [ "${1:-}" != inside ]; then
    if ! unshare --mount true 2> /dev/null; then
        skip "mounting a separate /dev/shm requires root and a container that permits mounts"
    fi
    # the program does not inherit the variables, and the mount is visible only in the
    # program's own namespace
    exec unshare --mount bash "${BASH_SOURCE[0]}" inside
fi
mount -t tmpfs -o size=4k none /dev/shm 2> /dev/null || {
    skip "this container's root may not mount a tmpfs"
}

works=0
refused=0
ranks=4
program=./fill
cat > fill.c << 'END'
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    size_t bytes = 1 << 20;
    char *out = calloc(1, bytes), *in = calloc((size_t) size, bytes);
    memset(out, rank, bytes);
    for (int i = 0; i < 3; i++)
        MPI_Allgather(out, (int) bytes, MPI_CHAR, in, (int) bytes, MPI_CHAR, MPI_COMM_WORLD);
    for (int from = 0; from < size; from++)
        if (in[(size_t) from * bytes + bytes - 1] != from)
            MPI_Abort(MPI_COMM_WORLD, 9);
    MPI_Finalize();
    return 0;
}
END
mpicc -o fill fill.c

# try WHAT PATTERN: check that a run either works, or ends with status 1 and a message that
# matches the pattern
try()
{
    local status=0
    timeout 120 mpirun -n "$ranks" "$program" > out 2>&1 < /dev/null || status=$?
    if [ "$status" = 0 ]; then
        works=$((works + 1))
        return
    fi
    refused=$((refused + 1))
    ! grep -q "signal 7\|signal 11\|Bus error\|Assertion" out || fail "$1: ended by a signal"
    [ "$status" = 1 ] || fail "$1: status $status"
    grep -q "$2" out || fail "$1: no '$2'"
    rm -f /dev/shm/gmsim-*
}

room='/dev/shm has no room .*the file system has [0-9]* KiB ([0-9]* KiB free), but another [0-9]* KiB are needed. Enlarge this file system'
for size in 4k 8k 64k 1m 2m 4m 6m 8m 10m 12m 14m 16m 24m 32m 48m 64m; do
    mount -o remount,size=$size /dev/shm
    try "/dev/shm of $size" "$room"
done
# in /dev/shm, another file leaves only the given amount of free space
mount -o remount,size=256m /dev/shm
for left in 0 4 2048 6144 10240; do
    rm -f /dev/shm/filler
    dd if=/dev/zero of=/dev/shm/filler bs=1k count=$((262144 - left)) 2> /dev/null || true
    try "/dev/shm full up to $left KiB" "$room"
done
rm -f /dev/shm/filler
[ "$works" -ge 1 ] || fail "no size is enough"

# Message buffers are allocated when they are first used. If all buffers of 16 ranks were
# allocated, these ranks would need 80 MB.
mount -o remount,size=32m /dev/shm
mpirun -n 16 ./fill > out 2>&1 < /dev/null || fail "16 ranks do not fit in 32 MB"

# a job that cannot fit is refused before its ranks allocate memory
mount -o remount,size=4m /dev/shm
mpirun -n 16 ./fill > out 2>&1 < /dev/null && fail "16 ranks fit in 4 MB"
grep -q "MPI cannot start: each of 16 ranks needs at least [0-9]* KiB" out &&
    grep -q "$room" out || fail "16 ranks in 4 MB: no reason"

# The memory becomes full while messages are arriving. Rank 0 does not receive these
# messages, so each of them occupies a buffer.
cat > flood.c << 'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    static char bytes[9000];
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Request requests[40];
    for (int i = 0; i < 40 && rank > 0; i++)
        MPI_Isend(bytes, sizeof(bytes), MPI_CHAR, 0, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 39; i >= 0 && rank == 0; i--)
        for (int from = 1; from < size; from++)
            MPI_Recv(bytes, sizeof(bytes), MPI_CHAR, from, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(rank > 0 ? 40 : 0, requests, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
END
mpicc -o flood flood.c
program=./flood
flooded=$refused
ended=$works
for size in 4m 5m 6m 7m 8m 10m 12m 16m 24m; do
    mount -o remount,size=$size /dev/shm
    try "/dev/shm of $size, many messages" "$room"
done
[ "$refused" -gt "$flooded" ] || fail "no size is too small for the messages"
[ "$works" -gt "$ended" ] || fail "no size is enough for the messages"
program=./fill
[ "$refused" -ge 6 ] || fail "sizes that are too small are not refused"
echo "/dev/shm: $works runs worked, $refused reported the missing memory"

# in the following runs, arena_bytes limits the memory
works=0
refused=0
ranks=32
for bytes in 16777216 17000000 20000000 30000000 60000000 400000000; do
    printf 'hosts: 32\ntopology: clos\nparameters:\n  arena_bytes: %d\n' "$bytes" > cluster.yaml
    gmsim config check cluster.yaml > /dev/null || fail "arena_bytes $bytes is not accepted"
    GMSIM_CLUSTER=cluster.yaml try "arena_bytes of $bytes" 'set a larger arena_bytes'
done
[ "$works" -ge 1 ] || fail "no arena_bytes is enough"
[ "$refused" -ge 1 ] || fail "no arena_bytes is too small"
echo "arena_bytes: $works runs worked, $refused reported the missing memory"
finish
