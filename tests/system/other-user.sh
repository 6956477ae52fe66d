#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that another user of the machine can neither obtain data of a job nor disturb
# the job, while it starts and while it runs. The attacks (other_user.py) use ports,
# signals, tracing, memory, /proc and shared memory. If another user's file has the name
# of the job's own file, the job must refuse it immediately. The test requires root,
# because it acts as two other users.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
export GMSIM_CLOCK=real # ranks sleep until a file exists

[ "$(id -u)" = 0 ] || skip "only root can run programs as two other users"
command -v setpriv > /dev/null || skip "no setpriv (apt-get install util-linux)"
need python3
owner=$((61000 + $$ % 1000))
other=$((62000 + $$ % 1000))
as()
{
    local user=$1
    shift
    setpriv --reuid="$user" --regid="$user" --clear-groups --no-new-privs "$@"
}
as "$owner" true 2> /dev/null || skip "this container's root cannot become another user"
as "$owner" test -x "$GMQOS_STAGE/bin/mpirun" ||
    skip "other users may not read the installation $GMQOS_STAGE"

place=$(mktemp -d /tmp/other-user.XXXXXX)
squatted=
trap 'rm -rf "$place" ${squatted:+"$squatted"}' EXIT
chmod 755 "$place"
cp "$GMQOS_SRCDIR/tests/system/other_user.py" "$place/"
mkdir "$place/job"
cat > guarded.c << 'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void await(const char *name)
{
    while (access(name, F_OK) != 0)
        usleep(20000);
}
int main(int argc, char **argv)
{
    int rank, stop = 0;
    char *secret = strdup(getenv("GUARDED_SECRET"));
    if (strcmp(getenv("PMI_RANK"), "1") == 0) {
        fclose(fopen("waits", "w"));
        await("start");
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fclose(fopen(rank == 0 ? "runs.0" : "runs.1", "w"));
    while (!stop) {
        stop = access("stop", F_OK) == 0;
        MPI_Allreduce(MPI_IN_PLACE, &stop, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        usleep(1000);
    }
    printf("rank %d: undisturbed, %zu\n", rank, strlen(secret));
    MPI_Finalize();
    return 0;
}
END
mpicc -o "$place/guarded" guarded.c
chmod 755 "$place/guarded"
chown "$owner" "$place/job"
# await FILE..: wait until the files exist
await()
{
    local i file
    for file; do
        for ((i = 0; i < 1200; i++)); do
            [ ! -e "$place/job/$file" ] || break
            sleep 0.05
        done
        [ -e "$place/job/$file" ] || fail "the job creates no $file"
    done
}

secret=secret-$RANDOM$RANDOM
awk 'NF > 7 { print $8 }' /proc/net/unix > "$place/before"
chmod 644 "$place/before"
(cd "$place/job" && exec env GUARDED_SECRET=$secret setpriv --reuid="$owner" --regid="$owner" \
    --clear-groups mpirun -n 2 ../guarded) > out 2>&1 < /dev/null &
job=$!

# attack WHEN: run the attacks of the two other users
attack()
{
    local processes status=0
    mapfile -t processes < <(ps -o pid= -u "$owner")
    [ ${#processes[@]} -ge 4 ] || fail "$1: only ${#processes[@]} processes"
    # run the attacks in a separate session, because SIGCONT is always permitted within a
    # session
    as "$other" setsid --wait timeout 100 python3 "$place/other_user.py" "$owner" "$secret" \
        "$place/before" ${processes[@]} > attacks 2>&1 || status=$?
    [ "$status" = 0 ] || fail "$1: $(grep -v '^ok' attacks)"
    grep '^# .* attacks' attacks | sed "s/^#/$1:/"
}

await waits
for ((i = 0; i < 200; i++)); do
    ! find /dev/shm -maxdepth 1 -user "$owner" | grep . > /dev/null || break
    sleep 0.05
done
attack "while it starts"
grep -q '^# the job uses the file /dev/shm/' attacks ||
    fail "during the start: no file in /dev/shm to attack"
touch "$place/job/start"
await runs.0 runs.1
attack "while it runs"
touch "$place/job/stop"
status=0
wait "$job" || status=$?
[ "$status" = 0 ] || fail "the job ended with status $status"
[ "$(sort out)" = "rank 0: undisturbed, ${#secret}
rank 1: undisturbed, ${#secret}" ] || fail "the job was disturbed: $(cat out)"
[ ! -e "$place/job/taken" ] || fail "a command was started"
! pgrep -u "$owner" > /dev/null || fail "still running: $(ps -o args= -u "$owner")"
left=$(find /dev/shm /tmp -maxdepth 1 -user "$owner" 2> /dev/null)
[ -z "$left" ] || fail "files remain: $left"

# Another user creates a file with the name of the job's file. This name is known only if
# GMSIM_JOB is set. The job must refuse any kind of file immediately.
name=squatted-$$
squatted=/dev/shm/gmsim-$owner-$name
touch "$place/job/stop"
for how in "touch $squatted" "truncate -s 64M $squatted" "mkfifo -m 666 $squatted" \
    "mkdir -m 777 $squatted" "ln -s $place/job/runs.0 $squatted"; do
    rm -rf "$squatted"
    as "$other" bash -c "umask 0; $how"
    holder=
    if [ -f "$squatted" ] && [ ! -L "$squatted" ]; then
        as "$other" flock "$squatted" sleep 100 & # as if another process was creating it
        holder=$!
        sleep 0.2
    fi
    status=0
    begin=$SECONDS
    (cd "$place/job" && exec env GUARDED_SECRET=$secret GMSIM_JOB=$name setpriv --reuid="$owner" \
        --regid="$owner" --clear-groups timeout 100 mpirun -n 2 ../guarded) \
        > out 2>&1 < /dev/null || status=$?
    [ -z "$holder" ] || kill "$holder" 2> /dev/null || true
    [ $((SECONDS - begin)) -le 10 ] || fail "$how: the job took $((SECONDS - begin)) s"
    [ "$status" != 0 ] || fail "$how: the job used the file"
    grep -q "$squatted" out || fail "$how: the file is not named: $(cat out)"
    [ -L "$squatted" ] || [ -d "$squatted" ] || [ -p "$squatted" ] ||
        grep -q "belongs to user $other.*GMSIM_JOB" out || fail "$how: prints $(cat out)"
    [ -s "$place/job/runs.0" ] && fail "$how: a file of the owner was written to"
done
rm -rf "$squatted"
finish
