#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that CMake's FindMPI and pkg_check_modules find the installation that "gmsim env"
# selects, and that the resulting programs run.
#
#   usage: outside-cmake.sh [PROGRAMS [SOURCES]], with the same arguments as outside.sh
set -euo pipefail

programs=${1:-$GMQOS_STAGE/bin}
sources=${2:-$GMQOS_SRCDIR/tests/data/outside}
for package in cmake:cmake c++:g++ pkg-config:pkg-config; do
    command -v "${package%:*}" > /dev/null || {
        echo "skipped: no ${package%:*} here (apt-get install ${package#*:})"
        exit 77
    }
done
unset LD_LIBRARY_PATH LIBRARY_PATH CPATH PKG_CONFIG_PATH
eval "$("$programs/gmsim" env)"

options=()
[ -z "${GMQOS_SAN_FLAGS:-}" ] || options+=("-DCMAKE_C_FLAGS=$GMQOS_SAN_FLAGS"
    "-DCMAKE_CXX_FLAGS=$GMQOS_SAN_FLAGS")
cmake -S "$sources" -B . "${options[@]}" > cmake.log 2>&1 ||
    { cat cmake.log; exit 1; }
cmake --build . --verbose > make.log 2>&1 || { cat make.log; exit 1; }

[ "$(realpath "$(cat mpiexec)")" = "$(realpath "$programs/mpiexec")" ] ||
    { echo "FAIL: FindMPI found $(cat mpiexec)"; exit 1; }
[ "$(./gm)" = "GM: received" ]
for program in mpi mpi-cxx; do
    out=$("$(cat mpiexec)" -n 2 ./$program 2>&1) || echo "status $?"
    [ "$out" = "MPI: granted" ] || { echo "FAIL: $program: $out"; ldd $program; exit 1; }
    echo "ok: $program"
done
