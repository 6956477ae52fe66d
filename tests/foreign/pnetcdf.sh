# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# PnetCDF: NetCDF files that several ranks write and read through MPI-IO.

# Directories of PnetCDF's own parallel tests that take only seconds
pnetcdf_tests=(C header nonblocking testcases)

# Build PnetCDF, and run its own tests on 4 ranks: blocking and non-blocking accesses from C
# and Fortran. The tests validate each file that they write.
pnetcdf()
{
    local test count=0 least=57 fortran=(--disable-fortran)
    unpack bookworm pnetcdf 1.12.3-1 pnetcdf_1.12.3.orig.tar.xz \
        8f54023ffbbd3c8137e5422b44e32324113d5690f1da0cb7ecd5842c2de850a9 pnetcdf-1.12.3
    if [ -z "$abi" ] && command -v mpif90 > /dev/null; then
        least=60
        fortran=(FFLAGS=-O1 FCFLAGS=-O1)
        pnetcdf_tests+=(F90)
    fi
    {
        autoreconf -vif &&
            ./configure --disable-cxx --disable-shared CFLAGS='-O1 -w' "${fortran[@]}" &&
            make -j"$(nproc)" &&
            make -j"$(nproc)" tests
    } > build.log 2>&1 || die "pnetcdf: not built (log: $PWD/build.log)"
    for test in "${pnetcdf_tests[@]}"; do
        make -C "test/$test" ptest4 TESTMPIRUN='mpirun -n NP' > "$test.out" 2>&1 ||
            die "pnetcdf: $test: status $? (log: $PWD/$test.out)"
        ! grep -qi 'fail' "$test.out" || die "pnetcdf: failed (log: $PWD/$test.out)"
        count=$((count + $(grep -c 'pass' "$test.out")))
    done
    [ -z "$stock" ] || job mcoll_perf.out 4 test/nonblocking/mcoll_perf
    [ $count -ge $least ] || die "pnetcdf: only $count tests passed (logs: $PWD)"
    printf '%s of its tests on 4 ranks' $count
}
