# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# HDF5: files that several ranks write and read through MPI-IO.

# HDF5's parallel tests, and the text with which each of them reports success. Two of HDF5's tests
# are omitted: t_cache_image does not end within 500 s, even with Debian's MPICH, and t_cache takes
# several minutes.
hdf5_tests=(
    't_mpi:MPI tests finished with no errors' 't_init_term:PASSED' 't_pshutdown:PASSED'
    't_prestart:PASSED' 't_pread:tests finished with no failures'
    't_filters_parallel:All Parallel Filters tests passed'
    't_shapesame:Shape Same tests finished with no errors'
    'testphdf5:PHDF5 tests finished with no errors'
    't_bigio:Read Testing Dataset4 with Point selection'
)

# Build HDF5, and run its parallel tests on 6 ranks, as its own "make check" does.
hdf5()
{
    local test name
    unpack bookworm hdf5 1.10.8+repack1-1 hdf5_1.10.8+repack1.orig.tar.gz \
        7b38e58ff83b13fd8959a90b13bf896bc318ba096c940ab0847abf3ad41a0b31 hdf5-1.10.8+repack1
    {
        ./configure --enable-parallel --disable-hl --enable-tests CC=mpicc CFLAGS='-O1 -w' &&
            make -C src -j"$(nproc)" &&
            make -C test libh5test.la &&
            make -C testpar -j"$(nproc)" "${hdf5_tests[@]%%:*}" t_pflush1 t_pflush2
    } > build.log 2>&1 || die "hdf5: not built (log: $PWD/build.log)"
    cd testpar
    mkdir files
    export HDF5_PARAPREFIX=$PWD/files
    for test in "${hdf5_tests[@]}"; do
        name=${test%%:*}
        job "$name.out" 6 "./$name"
        checked "${test#*:}" "$name.out"
        ! grep -q 'FAILED' "$name.out" || die "hdf5: FAILED in $PWD/$name.out"
        say "hdf5: $name: ${test#*:}"
    done
    # the first of these programs ends without MPI_Finalize, and the second one checks the
    # files that the first one has flushed
    mpirun -n 6 ./t_pflush1 > t_pflush1.out 2>&1 || :
    job t_pflush2.out 6 ./t_pflush2
    checked 'part2 with flush.*PASSED' t_pflush2.out
    checked 'part2 without flush.*PASSED' t_pflush2.out
    printf '%s of its parallel tests on 6 ranks' $((${#hdf5_tests[@]} + 1))
}
