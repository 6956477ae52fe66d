#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks connections between processes of one job: MPI_Comm_accept and MPI_Comm_connect,
# the name service, time limits, ports of another mpirun, and MPI_Comm_join. Ten runs
# must end at the same virtual time.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_shows=out

printf 'hosts: 6\n' > cluster.yaml
export GMSIM_CLUSTER=cluster.yaml

for ranks in 2 6 4; do
    mpi_test "$ranks" connects "$PWD/socket"
done
# the name is published after 5 ms, and each request takes 0.2 ms
grep -qx 'found after 26 tries' out || fail "name service"

# --- repeatability ---------------------------------------------------------------------
for ((i = 0; i < 10; i++)); do
    mpi_test 4 connects "$PWD/socket"
    grep '^ends at' out >> ends
done
[ "$(sort -u ends | wc -l)" = 1 ] || fail "different virtual times: $(sort ends | uniq -c)"
echo "ok: 10 runs $(head -n 1 ends)"

# --- two simulations -------------------------------------------------------------------
# a port of another mpirun is refused, and so is a socket to its process
cat > two.c << 'END'
#include <mpi.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME] = "", text[MPI_MAX_ERROR_STRING];
    MPI_Comm inter;
    int length;
    MPI_Init(&argc, &argv);
    if (argc == 1) {
        MPI_Open_port(MPI_INFO_NULL, port);
        puts(port);
    } else {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Error_string(MPI_Comm_connect(argv[1], MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter),
                         text, &length);
        puts(text);
    }
    MPI_Finalize();
    return 0;
}
END
mpicc -o two two.c
port=$(mpirun -n 1 ./two)
mpirun -n 2 ./two "$port" > out
grep -q 'the port belongs to another mpirun, which runs its own simulation' out || fail "another mpirun"
finish
