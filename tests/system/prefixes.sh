#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests a separate build for a prefix with non-ASCII characters, and with a libdir like
# Debian's. The test installs this build as root with umask 077. The test then uses the
# installation, moves it to a directory whose name contains blanks, uses it there, and
# uninstalls it. The build compiles everything except MPICH. The command "make
# check-install" runs this test.
set -euo pipefail
export LC_ALL=C.UTF-8
unset MAKEFLAGS MFLAGS MAKELEVEL LD_LIBRARY_PATH PKG_CONFIG_PATH
jobs=$(nproc)

run()
{
    "$@" > log 2>&1 || { tail -n 30 log; echo "FAIL: $*"; exit 1; }
}

# used PROGRAMS: check that the doctor reports no problem, and that programs outside of
# the tree run
used()
{
    local out
    (eval "$("$1/gmsim" env)" && gmsim doctor) > doctor.out 2>&1 ||
        { cat doctor.out; exit 1; }
    for out in launcher compiler 'a GM job' 'an MPI job'; do
        grep -q "^ok *$out " doctor.out || { cat doctor.out; exit 1; }
    done
    rm -rf try && mkdir try
    (cd try && bash "$GMQOS_SRCDIR/tests/system/outside.sh" "$1" "$GMQOS_SRCDIR/tests/data/outside")
    rm -rf try && mkdir try
    (cd try && bash "$GMQOS_SRCDIR/tests/system/outside-cmake.sh" "$1" "$GMQOS_SRCDIR/tests/data/outside") ||
        [ $? = 77 ]
}

prefix=$PWD/préfixe
mkdir build
cd build

# the limitation of libtool is reported together with the workaround
! "$(realpath "$GMQOS_SRCDIR")/configure" --prefix="$PWD/a b" > log 2>&1 ||
    { echo "FAIL: accepts a prefix with a blank"; exit 1; }
grep -q 'make install DESTDIR' log || { tail log; exit 1; }

options=()
[ "$GMQOS_MPICH" = yes ] || options+=(--without-mpich)
run "$(realpath "$GMQOS_SRCDIR")/configure" --prefix="$prefix" --libdir='${prefix}/lib/x86_64-linux-gnu' \
    "${options[@]}"
run make -j"$jobs"
(umask 077 && run make install-strip)
cd ..
odd=$(find "$prefix" \( -type d ! -perm 755 -o -type f ! -perm 755 ! -perm 644 \))
[ -z "$odd" ] || { echo "FAIL: modes of $odd"; exit 1; }
# no file contains the name of the build directory, because install-strip has removed
# the debugging information
named=$(grep -rlaF "$PWD/build" "$prefix" || :)
[ -z "$named" ] || { echo "FAIL: these files name the build directory: $named"; exit 1; }
readelf -d "$prefix/bin/gm-pingpong" |
    grep -qF 'runpath: [$ORIGIN/../lib/x86_64-linux-gnu]'
used "$prefix/bin"

mv "$prefix" "moved to hère"
used "$PWD/moved to hère/bin"

mv "moved to hère" "$prefix"
(cd build && run make uninstall)
# lib, the parent of the configured libdir, does not belong to gmqos, so uninstall
# keeps it
left=$(find "$prefix" ! -type d -o -name '*gmqos*')
[ -z "$left" ] || { echo "FAIL: uninstall leaves $left"; exit 1; }
echo "all programs work, before and after the move, and are uninstalled"
