# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# FFTW: parallel Fourier transforms.

# Check FFTW's parallel transforms with FFTW's own test script, on 1 to 4 ranks.
fftw()
{
    not_for_abi 'the header of the ABI does not contain MPI_Fint'
    unpack bookworm fftw3 3.3.10-1 fftw3_3.3.10.orig.tar.gz \
        56c932549852cddcfafdab3820b0200c7742675be92179e59e6215b340e26467 fftw-3.3.10
    {
        ./configure --enable-mpi --disable-fortran --disable-doc MPICC=mpicc CFLAGS=-O1
        make -j"$(nproc)"
    } > build.log 2>&1 || die "fftw: not built (log: $PWD/build.log)"
    make -C mpi smallcheck MPIRUN=mpirun > out 2>&1 || die "fftw: failed (log: $PWD/out)"
    checked 'MPI FFTW transforms passed 2 tests, 4 CPUs' out
    # without "estimate", FFTW selects the algorithm by reading the processor's cycle counter
    [ -z "$stock" ] || job bench.out 4 mpi/mpi-bench -oestimate -y ocf256x256
    printf '%s' 'random transforms on 1 to 4 ranks'
}
