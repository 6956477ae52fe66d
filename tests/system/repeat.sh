#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that the command in a report repeats the run byte for byte. The commands have
# arguments with special characters of the shell, several programs, a policy, a cluster,
# and options of mpirun.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

unset GMSIM_CLUSTER GMSIM_RECORD GMSIM_TIME MPIQOS_POLICY
cat > words.c << 'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* Sends as many bytes as its arguments and the variable WORDS have: others lead to another
 * run. */
int main(int argc, char **argv)
{
    static char data[65536];
    int rank, size, i, bytes = 1000;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (getenv("WORDS") != NULL)
        bytes += atoi(getenv("WORDS"));
    for (i = 1; i < argc; i++)
        bytes = bytes * 7 % 30000 + (int)strlen(argv[i]);
    if (rank > 0)
        MPI_Send(data, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    for (i = 1; rank == 0 && i < size; i++)
        MPI_Recv(data, sizeof(data), MPI_CHAR, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
END
mpicc -o words words.c
cp words "other words"
cat > policy.yaml << 'END'
- {from: 1, to: 0, bandwidth: 20 MB/s}
END
echo 'hosts: 5' > cluster.yaml

# again NAME: run the printed command, and compare the records
again()
{
    gmsim report --text "$1" > text || { cat text; fail "$1: no report"; return; }
    sed -n '/^Command to repeat the run:$/{n;s/^  //p}' text > command
    [ -s command ] || { cat text; fail "$1: no command"; return; }
    rm -rf again
    bash ./command > /dev/null || fail "$1: the command does not run: $(cat command)"
    diff -r "$1" again > out || { cat command; head -c 1000 out; fail "$1: the repeated run differs"; }
}

GMSIM_RECORD=plain mpirun -n 3 ./words
again plain
GMSIM_RECORD=args mpirun -n 2 ./words 'two words' "it's" '$HOME' '' $'a\nb\e[31m' '*' -x
again args
grep -q $'\e' text && fail "an escape reaches the terminal"
GMSIM_RECORD=several GMSIM_CLUSTER=cluster.yaml MPIQOS_POLICY=policy.yaml \
    mpirun -n 1 ./words a : -n 2 "./other words" b c : -n 1 ./words
again several
grep -q "MPIQOS_POLICY=policy.yaml .*mpirun -n 1 ./words a : -n 2 './other words' b c : -n 1 ./words" \
    command || { cat command; fail "several programs"; }
GMSIM_RECORD=hosts mpirun -n 2 -hosts node3,node2 ./words
again hosts
# variables that mpirun sets
GMSIM_RECORD=variables mpirun -genv WORDS 30 -n 1 ./words a : -n 1 -env WORDS 500 ./words a : \
    -n 1 -env EMPTY "" -env 'WITH BLANK'=x ./words a
again variables
grep -q "mpirun -n 1 -env WORDS 30 ./words a : -n 1 -env WORDS 30 -env WORDS 500 ./words a : -n 1 -env WORDS 30 -env EMPTY '' -env 'WITH BLANK' x ./words a" \
    command || { cat command; fail "variables"; }
# different policies and arguments are reported as differences
gmsim compare plain args > out
grep -q arguments out || { cat out; fail "compare hides arguments"; }
finish
