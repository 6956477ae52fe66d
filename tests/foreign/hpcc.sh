# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# HPC Challenge: dense linear algebra, transposes, random accesses, FFT, and the latency
# and bandwidth of the network.

# Run HPC Challenge with a small problem on 4 ranks: HPL, PTRANS, RandomAccess, FFT,
# DGEMM, STREAM, latency and bandwidth.
hpcc()
{
    unpack bookworm hpcc 1.5.0-3 hpcc_1.5.0.orig.tar.gz \
        0a6fef7ab9f3347e549fed65ebb98234feea9ee18aea0c8f59baefbe3cf7ffb8 hpcc-1.5.0
    cat > hpl/Make.gmqos << 'END'
SHELL = /bin/sh
CD = cd
CP = cp
LN_S = ln -s
MKDIR = mkdir
RM = /bin/rm -f
TOUCH = touch
ARCH = $(arch)
TOPdir = ../../..
INCdir = $(TOPdir)/include
BINdir = $(TOPdir)/bin/$(ARCH)
LIBdir = $(TOPdir)/lib/$(ARCH)
HPLlib = $(LIBdir)/libhpl.a
F2CDEFS = -DAdd_ -DF77_INTEGER=int -DStringSunStyle
HPL_LIBS = $(HPLlib) -lblas -lm
HPL_INCLUDES = -I$(INCdir) -I$(INCdir)/$(ARCH)
HPL_DEFS = $(F2CDEFS) $(HPL_INCLUDES)
CC = mpicc
CCNOOPT = $(HPL_DEFS)
CCFLAGS = $(HPL_DEFS) -O2 -w
LINKER = mpicc
LINKFLAGS = -O2
ARCHIVER = ar
ARFLAGS = r
RANLIB = echo
END
    make arch=gmqos > build.log 2>&1 || die "hpcc: not built (log: $PWD/build.log)"
    sed 's/^1000 .*Ns/200 Ns/; s/^80 .*NBs/16 NBs/' _hpccinf.txt > hpccinf.txt
    export OPENBLAS_NUM_THREADS=1
    [ -z "$stock" ] || job out 4 ./hpcc
    rm -f hpccoutf.txt # the program appends its output
    simulated out 4 ./hpcc
    checked '^Success=1' hpccoutf.txt
    checked '0 tests completed and failed residual checks' hpccoutf.txt
    checked '^MPIRandomAccess_Errors=0' hpccoutf.txt
    ! grep -q 'FAILED' hpccoutf.txt || die "hpcc: FAILED in $PWD/hpccoutf.txt"
    awk -F= '/^MaxPingPongLatency_usec/ { latency = $2 }
        /^MinPingPongBandwidth_GBytes/ { bandwidth = $2 * 1000 }
        /^HPL_Tflops/ { tflops = $2 }
        END { printf "%.1f us and %.1f MB/s between two ranks", latency, bandwidth }' hpccoutf.txt
}
