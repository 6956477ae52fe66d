#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Builds programs outside of the tree with the installation's own tools (pkg-config,
# mpicc, mpicxx, mpifort). The programs must load the installed libraries and run.
#
#   outside.sh [PROGRAMS [SOURCES]]
#
# PROGRAMS is the directory with the programs of an installation; the default is the
# stage's directory. SOURCES is the directory with the programs to build.
# needs: nothing
set -euo pipefail

programs=${1:-$GMQOS_STAGE/bin}
sources=${2:-$GMQOS_SRCDIR/tests/data/outside}
unset LD_LIBRARY_PATH LIBRARY_PATH CPATH PKG_CONFIG_PATH
eval "$("$programs/gmsim" env)"
read -ra sanitizers <<< "${GMQOS_SAN_FLAGS:-}"
ran=0
flags=()

# closed NAME LIBRARY: check that the program loads this library from the installation
closed()
{
    local line file
    line=$(ldd "./$1" | grep -F "$2") || { echo "FAIL: $1: no $2"; exit 1; }
    file=$(realpath "$(sed -E 's/.*=> (.*) \(0x.*/\1/' <<< "$line")")
    [[ $file == "$libraries"/* ]] || { echo "FAIL: $1 loads $file"; exit 1; }
}

# mentions TEXT COMMAND..: check that the command succeeds and prints the text
mentions()
{
    local out
    out=$("${@:2}" 2>&1) || { echo "FAIL: ${*:2}: $out"; exit 1; }
    [ "$out" = "$1" ] || { echo "FAIL: ${*:2}: '$out', not '$1'"; exit 1; }
    ran=$((ran + 1))
    echo "ok: ${*:2}"
}

# find the directory from which a program loads libgm, for comparison
echo 'int main(void) { return 0; }' > none.c
libraries=$(${CC:-cc} "${sanitizers[@]}" none.c -o none -lgm -Wl,--no-as-needed \
    -Wl,--verbose 2> /dev/null | sed -n 's/^attempt to open \(.*\/libgm\.so\) succeeded$/\1/p')
libraries=$(dirname "$(realpath "$libraries")")
[ -e "$libraries/libgm.so.3" ] || { echo "FAIL: no libgm found"; exit 1; }

# --- GM --------------------------------------------------------------------------
eval "flags=($(pkg-config --cflags --libs gm))"
${CC:-cc} "${sanitizers[@]}" "$sources/gm.c" -o gm "${flags[@]}"
closed gm libgm.so
mentions "GM: received" ./gm
case $(pkg-config --variable=libdir gm) in
    /usr/lib*) ;;
    *) mentions "GM: received" env -u LD_LIBRARY_PATH ./gm ;;
esac
pkg-config --exists --print-errors "gm = $(gmsim --version | sed 's/.* //')"

if [ ! -x "$programs/mpicc" ]; then
    echo "$ran programs; no MPI in this installation"
    exit 0
fi
mentions "GM: received" mpirun -n 1 ./gm

# --- MPI -------------------------------------------------------------------------
mpicc "$sources/mpi.c" -o mpi -lmpiqos
closed mpi libmpi.so
closed mpi libmpiqos.so
mentions "MPI: granted" mpirun -n 2 ./mpi
# programs that were linked with mpicc must run without environment variables
mentions "MPI: granted" env -u LD_LIBRARY_PATH "$programs/mpirun" -n 2 ./mpi

# use pkg-config instead of mpicc
eval "flags=($(pkg-config --cflags --libs mpiqos))"
${CC:-cc} "${sanitizers[@]}" "$sources/mpi.c" -o mpi-pc "${flags[@]}"
closed mpi-pc libmpiqos.so
mentions "MPI: granted" mpirun -n 2 ./mpi-pc

cxx=$(mpicxx -show | sed 's/ .*//')
if command -v "$cxx" > /dev/null; then
    mpicxx -x c++ "$sources/mpi.c" -x none -o mpi-cxx -lmpiqos
    closed mpi-cxx libmpi.so
    mentions "MPI: granted" mpirun -n 2 ./mpi-cxx
else
    echo "not tested: C++ (apt-get install g++)"
fi

# a program without instrumentation must load the sanitizers' libraries first
if [ -x "$programs/mpifort" ] && [ ${#sanitizers[@]} -eq 0 ] &&
    command -v gfortran > /dev/null; then
    mpifort "$sources/mpi.f90" -o mpi-f90
    closed mpi-f90 libmpifort.so
    mentions "Fortran: 42" mpirun -n 2 ./mpi-f90
else
    echo "not tested: Fortran (apt-get install gfortran)"
fi
echo "$ran programs"
