#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests mpifort and its other names, mpif.h, "use mpi", and the module mpi_qos. Requests
# from Fortran programs, made with the attribute or with hints, must receive the same
# answers as requests from C programs.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

if [ -z "${GMQOS_FORTRAN:-}" ]; then
    skip "this build has no Fortran (apt-get install gfortran)"
fi
# a program without instrumentation must load the sanitizers' libraries first
if [ -n "${GMQOS_SAN_FLAGS:-}" ]; then
    skip "mpifort's programs are not instrumented"
fi

for name in module include; do
    source=$(echo "$GMQOS_SRCDIR"/tests/fortran/qos_$name.*)
    mpifort -o $name "$source" -lmpiqosf -lmpiqos
    ldd ./$name | grep -F "$GMQOS_STAGE/lib/libmpi" > /dev/null
    mpirun -n 3 ./$name > $name.out 2>&1 || { cat $name.out; exit 1; }
    [ "$(cat $name.out)" = " No Errors" ] || { cat $name.out; exit 1; }
    echo "ok: $name"
done

# this program uses only MPI, because hints do not need any module of gmqos
mpifort -o hints "$GMQOS_SRCDIR/tests/fortran/hints_only.f90"
! ldd ./hints | grep libmpiqos > /dev/null
mpirun -n 2 ./hints > hints.out 2>&1 || { cat hints.out; exit 1; }
[ "$(cat hints.out)" = " No Errors" ] || { cat hints.out; exit 1; }
echo "ok: hints"

# old code must compile under every name of mpifort; the options for old code are not passed
# to other compilers, and the caller can disable them
for name in mpifort mpif77 mpif90; do
    rm -f old
    $name -o old "$GMQOS_SRCDIR/tests/fortran/old_code.f" > build.out 2>&1 ||
        { cat build.out; exit 1; }
    mpirun -n 2 ./old > old.out 2>&1 || { cat old.out; exit 1; }
    [ "$(cat old.out)" = " No Errors" ] || { cat old.out; exit 1; }
done
! mpifort -fno-allow-invalid-boz -c "$GMQOS_SRCDIR/tests/fortran/old_code.f" 2> /dev/null
[[ $(mpifort -show -c x.f) == *' -fallow-argument-mismatch '* ]]
[[ $(mpifort -fc=other -show -c x.f) != *-fallow-* ]]
[[ $(MPICH_FC='ccache gfortran-12' mpifort -show -c x.f) == *-fallow-* ]]
[[ $(mpicc -show -c x.c)$(mpicxx -show -c x.cc)$(mpic++ -show x.cc) != *-fallow-* ]]
echo "ok: old code"
