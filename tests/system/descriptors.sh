#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks which file descriptors the ranks of a job have. A rank inherits its standard
# streams, its own connection to the launcher, and the descriptors that mpirun has
# inherited (for example, a process substitution of the shell). A rank must not inherit
# any other descriptor, such as the pipes of other ranks or the launcher's sockets. No
# process of a job may listen on a port.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
export GMSIM_CLOCK=real # ranks sleep until a file exists

cat > list.c << 'END'
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void)
{
    const char *rank = getenv("PMI_RANK"), *job = getenv("HYDI_CONTROL_FD");
    char name[64], text[256] = "";
    DIR *dir = opendir("/proc/self/fd");
    struct dirent *entry;
    FILE *file;

    snprintf(name, sizeof(name), "open.%s", rank);
    file = fopen(name, "w");
    while ((entry = readdir(dir)) != NULL) {
        int fd = atoi(entry->d_name);
        if (entry->d_name[0] == '.' || fd == dirfd(dir) || fd == fileno(file))
            continue;
        text[readlinkat(dirfd(dir), entry->d_name, text, sizeof(text) - 1)] = '\0';
        fprintf(file, "%d %s\n", fd, text);
        memset(text, 0, sizeof(text));
    }
    fclose(file);
    snprintf(name, sizeof(name), "environment.%s", rank);
    file = fopen(name, "w");
    fprintf(file, "%s %s\n", getenv("PMI_FD"), job != NULL ? job : "none");
    fclose(file);
    while (access("stop", F_OK) != 0)
        usleep(50000);
    return 0;
}
END
mpicc -o list list.c
exec 7> shell-file 8< /dev/null
# descriptor 5 simulates the connection of a rank that starts mpirun; no rank of the inner
# job may inherit it
exec 5<> connection
# allow descriptors 7 and 8, and the descriptors that this test's caller has left open
# shellcheck disable=SC2016 # the inner shell's
bash -c 'for f in /proc/$$/fd/*; do [ ! -L "$f" ] || echo "${f##*/}"; done' > here
mapfile -t passed < <(awk '$1 > 2 && $1 != 5' here)
PMI_FD=5 mpirun -n 4 ./list &
job=$!
for ((i = 0; i < 600; i++)); do
    [ "$(cat environment.* 2> /dev/null | wc -l)" != 4 ] || break
    sleep 0.05
done
[ $i -lt 600 ] || fail "the job did not start"

# list the inodes of the listening sockets of mpirun, the proxy and the ranks
processes=("$job")
for ((i = 0; i < ${#processes[@]}; i++)); do
    mapfile -t -O "${#processes[@]}" processes < <(pgrep -P "${processes[i]}")
done
listening=$(awk '$4 == "0A" { print $10 }' /proc/net/tcp /proc/net/tcp6 2> /dev/null)
for process in "${processes[@]}"; do
    for inode in $listening; do
        ! readlink "/proc/$process/fd/"* 2> /dev/null | grep -x "socket:\[$inode\]" > /dev/null ||
            fail "process $process listens on a TCP port: $(tr '\0' ' ' < "/proc/$process/cmdline")"
    done
done
touch stop
wait "$job" || fail "status $?"
exec 5>&- 7>&- 8<&-

for rank in 0 1 2 3; do
    read -r connection launcher < "environment.$rank"
    [ "$(awk '{ print $1 }' "open.$rank" | sort -n | xargs)" = \
        "$(printf '%s\n' 0 1 2 "${passed[@]}" "$connection" | sort -n | xargs)" ] ||
        fail "rank $rank inherits: $(xargs < "open.$rank"); mpirun had ${passed[*]}"
    grep -q "^7 .*/shell-file$" "open.$rank" || fail "rank $rank has a different file as 7"
    [ "$launcher" = none ] || fail "rank $rank: HYDI_CONTROL_FD is $launcher"
done
# no rank shares its streams or its connection with other ranks
shared=$(awk -v passed=" ${passed[*]} " 'index(passed, " " $1 " ") == 0 { print $2 }' open.* |
    sort | uniq -d)
[ -z "$shared" ] || fail "ranks share $shared"

# mpirun inherits one process substitution for output and one for input
cat > copy.c << 'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    char word[32] = "";
    FILE *from, *to;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        from = fopen(argv[1], "r");
        to = fopen(argv[2], "w");
        if (from == NULL || to == NULL || fscanf(from, "%31s", word) != 1)
            MPI_Abort(MPI_COMM_WORLD, 1);
        fprintf(to, "%s\n", word);
        fclose(to);
    }
    MPI_Finalize();
    return 0;
}
END
mpicc -o copy copy.c
mkfifo copied
cat copied > copied.text &
reader=$!
mpirun -n 2 ./copy <(echo forty-two) >(cat > copied) || fail "process substitution: status $?"
wait "$reader"
[ "$(cat copied.text)" = forty-two ] || fail "process substitution: $(cat copied.text)"

# this option is refused, because any user could connect to a port of the launcher
for option in -pmi-port '-nameserver localhost'; do
    status=0
    # shellcheck disable=SC2086 # words
    mpirun $option -n 1 true > out 2>&1 || status=$?
    [ "$status" = 1 ] && grep -q "^mpiexec: ${option%% *}" out ||
        fail "$option: status $status: $(cat out)"
done
for name in hydra_persist hydra_nameserver; do
    ! command -v "$name" || fail "$name is installed, which accepts connections from everywhere"
done
finish
