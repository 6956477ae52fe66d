# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Global Arrays: distributed arrays on the one-sided communication of MPI-3.

# The tests of Global Arrays that take only seconds, and the text with which each of them
# reports success.
ga_tests=(
    'getmem:Success' 'mtest:Success' 'nbtestc:Success' 'tiled_irreg_test:Success'
    'comm_init:Test passed' 'normc:All tests successful' 'testc:All tests successful'
    'ntestfc:All tests successful' 'patch_enumc:All tests successful'
)

# noisy [VARIABLE=VALUE]..: run the multiplication on two ranks while eight processes on the
# same hosts send 24 MB each
noisy()
{
    env "$@" mpirun -hosts node1,node2 -n 2 ./ga_multiply : -n 8 ./noise 24
}

# row TEXT COMMAND..: run the command, and add its bandwidths to the table
row()
{
    local text=$1
    shift
    "$@" > out 2>&1 || die "ga: $text: status $? (log: $PWD/out)"
    checked 'product correct' out
    printf '%-40s %s\n' "$text" "$(sed 's/ (slowest rank).*//' out)" | tee -a table >&2
}

# rates ROW: print the two bandwidths in a row of the table
rates()
{
    sed -nE "$1s/.*get A ([0-9.]+) MB.*add C ([0-9.]+) MB.*/\\1 \\2/p" table
}

# Build Global Arrays on the one-sided communication of MPI-3, run its own tests on four
# ranks, and multiply matrices in arrays with and without reservations.
ga()
{
    local test name built=global/testing
    not_for_abi 'the ABI does not contain MPI_Comm_c2f'
    # Debian 12 has another version
    unpack trixie ga 5.9.2-1 ga_5.9.2.orig.tar.gz \
        6ccae41744e0a293be2ccd56b698c3919098c001c52fda489716d2cff0b44c02 ga-5.9.2
    {
        autoreconf -vif
        ./configure --with-mpi3 --disable-shared --disable-f77 --without-blas \
            --without-lapack --without-scalapack MPICC=mpicc CC=gcc CFLAGS='-O1 -w'
        make -j"$(nproc)"
        for test in "${ga_tests[@]}"; do
            make "$built/${test%%:*}.x"
        done
    } > build.log 2>&1 || die "ga: not built (log: $PWD/build.log)"
    for test in "${ga_tests[@]}"; do
        name=${test%%:*}
        simulated "$name.out" 4 "$built/$name.x"
        checked "${test#*:}" "$name.out"
        say "ga: $name: ${test#*:}"
    done
    [ -z "$stock" ] || job testc.out 4 "$built/testc.x"
    mpicc -O1 -w -Iglobal/src -Igaf2c -Ima -o ga_multiply "$here/ga_multiply.c" .libs/libga.a \
        comex/.libs/libarmci.a -lm > build.log 2>&1 &&
        mpicc -O1 -w -o noise "$here/../../examples/noise.c" >> build.log 2>&1 ||
        die "ga: ga_multiply not built (log: $PWD/build.log)"
    echo '- {from: 0..1, to: 0..1, bandwidth: 20 MB/s, communicator: window of C}' > c.yaml
    cat c.yaml - > both.yaml << 'END'
- {from: 0..1, to: 0..1, bandwidth: 10 MB/s, communicator: window of A}
END
    row "no reservation, alone" mpirun -n 2 ./ga_multiply
    row "no reservation, other traffic" noisy
    row "C reserved, other traffic" noisy MPIQOS_POLICY=c.yaml
    row "A and C reserved, other traffic" noisy MPIQOS_POLICY=both.yaml
    row "A and C reserved, alone" env MPIQOS_POLICY=both.yaml mpirun -n 2 ./ga_multiply
    # If bandwidth is reserved for all arrays that the program accesses, the other traffic changes
    # the bandwidths by at most 2 %.
    awk -v alone="$(rates 5)" -v with="$(rates 4)" -v c="$(rates 3)" -v none="$(rates 2)" 'BEGIN {
        split(alone, x); split(with, y); split(c, z); split(none, n)
        exit !(y[1] > x[1] * 0.98 && y[2] > x[2] * 0.98 && z[2] > n[2] * 1.4 &&
            n[1] < x[1] * 0.67 && n[2] < x[2] * 0.67) }' || die "ga: the bandwidths differ (see $PWD/table)"
    # a run can be repeated exactly
    noisy MPIQOS_POLICY=both.yaml > again 2>&1 && row "the same again" noisy MPIQOS_POLICY=both.yaml
    cmp -s out again || die "ga: two equal runs differ (see $PWD/out and $PWD/again)"
    printf '%s of its tests, arrays with reservations' "${#ga_tests[@]}"
}
