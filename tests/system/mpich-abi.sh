#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests programs that were linked with another MPICH: programs for libmpi.so.12, and
# programs for libmpich.so.12 and libmpichfort.so.12, which are Debian's names of the
# same libraries. Such a program must run unchanged, in the same simulated time as a
# program of this mpicc, with ranks in processes and with all ranks in one process.
# A program that loads another MPI library must not run silently without the simulation.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_shows="out err"

# stub NAME OBJECT: make the library NAME.so.12 with all names that the object needs from MPI:
# functions, which end the program, and common blocks of Fortran
stub()
{
    nm "$2" | sed -nE 's/^.* U (P?MPI_.*|p?mpi_.*)$/void \1(void) { abort(); }/p
        s/^.* C (mpi.*)$/char \1[64];/p' | sed '1i #include <stdlib.h>' > elsewhere/stub.c
    gcc -w -shared -fPIC "-Wl,-soname,$1.so.12" -o "elsewhere/$1.so" elsewhere/stub.c
}

# end_of PROGRAM OPTION: run the program on 4 ranks, and print the end of the run in
# virtual time
end_of()
{
    rm -rf record
    GMSIM_RECORD=record mpirun ${2:+"$2"} -n 4 "./$1" > out 2> err || fail "$1 $2: status $?"
    [ ! -s err ] || fail "$1 $2: output on stderr"
    sed -nE 's/^ *"end_ps": ?([0-9]+).*/\1/p' record/record.json
}

mkdir elsewhere
for example in jacobi array; do
    source=$GMQOS_SRCDIR/examples/$example.c
    mpicc -o own "$source" -lm
    mpicc -c -o foreign.o "$source"
    for option in processes -in-process; do
        end_of own "${option#processes}" > "end.$option"
        [ -s "end.$option" ] || fail "$example $option: no end in the record"
    done
    for library in mpi mpich; do
        stub lib$library foreign.o
        gcc -o foreign foreign.o -L elsewhere -l$library -lm
        readelf -d foreign > needed
        grep -qF "[lib$library.so.12]" needed || fail "foreign does not need lib$library.so.12"
        ! grep -qE 'R(UN)?PATH' needed || fail "foreign has a path"
        for option in processes -in-process; do
            end_of foreign "${option#processes}" | cmp - "end.$option" ||
                fail "$example with lib$library, $option: another end"
        done
    done
done

# libmpiqos needs libmpi.so.12: the process must not load the library again
cat > loaded.c << 'END'
#include <mpi.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    char line[4096], last[4096] = "", *path;
    int count = 0, rank;
    FILE *maps;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof(line), maps) != NULL) {
        path = strchr(line, '/');
        if (path != NULL && strstr(path, "/libmpi.so.12.") != NULL) {
            count += strstr(line, " 00000000 ") != NULL;
        }
    }
    fclose(maps);
    if (rank == 0)
        printf("%d\n", count);
    MPI_Finalize();
    return 0;
}
END
mpicc -w -c loaded.c
stub libmpich loaded.o
gcc -o loaded loaded.o -L elsewhere -lmpich
echo '- {from: 0, to: 1, bandwidth: 40 MB/s, message_size: 65536}' > policy.yaml
MPIQOS_POLICY=policy.yaml MPIQOS_REPORT=report mpirun -n 2 ./loaded > out 2> err ||
    fail "loaded: status $?"
[ "$(cat out)" = 1 ] || fail "libmpi is loaded $(cat out) times"
grep -q '^policy:1 .* granted ' report || fail "the policy's rule is not in the report"
MPIQOS_POLICY=policy.yaml MPIQOS_REPORT=report2 mpirun -in-process -n 2 ./loaded > out 2> err ||
    fail "loaded, in one process: status $?"
grep -q '^policy:1 .* granted ' report2 || fail "the rule is not in the report, in one process"

# Fortran: Debian's library has the names of the module mpi and of mpif.h
if [ -x "$(command -v mpifort)" ] && command -v gfortran > /dev/null; then
    cat > ring.f90 << 'END'
program ring
    use mpi
    implicit none
    integer :: rank, ranks, ierr, token, status(MPI_STATUS_SIZE)
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    token = rank
    call MPI_Sendrecv_replace(token, 1, MPI_INTEGER, mod(rank + 1, ranks), 0, &
        mod(rank + ranks - 1, ranks), 0, MPI_COMM_WORLD, status, ierr)
    call MPI_Allreduce(MPI_IN_PLACE, token, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    if (rank == 0) print '(i0)', token
    call MPI_Finalize(ierr)
end program
END
    mpifort -c ring.f90
    stub libmpichfort ring.o
    gfortran -o ring ring.o -L elsewhere -lmpichfort
    readelf -d ring | grep -qF '[libmpichfort.so.12]' || fail "ring does not need libmpichfort"
    for option in "" -in-process; do
        mpirun $option -n 4 ./ring > out 2> err || fail "ring $option: status $?"
        [ "$(cat out)" = 6 ] || fail "ring $option"
    done
else
    echo "not tested: Fortran (apt-get install gfortran)"
fi

# another MPI library in the program's own path
cat > elsewhere/other.c << 'END'
int MPI_Init(int *argc, char ***argv) { return 0; }
int PMPI_Init(int *argc, char ***argv) { return 0; }
END
gcc -w -shared -fPIC -Wl,-soname,libmpi.so.40 -o elsewhere/libmpi.so elsewhere/other.c
echo 'int MPI_Init(); int main(int c, char **v) { return MPI_Init(&c, &v); }' > other.c
gcc -w -o other other.c -L elsewhere -lmpi -Wl,-rpath,"$PWD/elsewhere"
ln -s libmpi.so elsewhere/libmpi.so.40
mpirun -n 3 ./other > out 2> err || fail "other: status $?"
[ "$(grep -c 'not simulated' err)" = 1 ] && grep -qF "$PWD/elsewhere/libmpi.so.40" err ||
    fail "mpirun does not report that the program uses another MPI library"
mpirun -n 2 true > out 2> err && [ ! -s err ] || fail "a program without MPI is reported"
finish
