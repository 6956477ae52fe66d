#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that programs compiled with mpicc find libmpi and libgm without
# LD_LIBRARY_PATH, even after the whole installation has been moved.
set -euo pipefail
unset LD_LIBRARY_PATH

cat > ring.c << 'END'
#include <mpi.h>
#include <mpi_qos.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, size, token = -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &token, 1, MPI_INT,
                 (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (token != (rank + size - 1) % size)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == 0)
        puts("ring closed");
    MPI_Finalize();
    return 0;
}
END

run()
{
    "$1/bin/mpicc" -O ring.c -o ring -Wl,--no-as-needed -lmpiqos
    ldd ./ring | grep -F "$1/lib/libmpi.so" > /dev/null
    ldd ./ring | grep -F "$1/lib/libgm.so" > /dev/null
    [ "$("$1/bin/mpirun" -n 3 ./ring)" = "ring closed" ]
}

run "$(realpath "$GMQOS_STAGE")"
cp -R "$(realpath "$GMQOS_STAGE")" "$PWD/moved"
run "$PWD/moved"
