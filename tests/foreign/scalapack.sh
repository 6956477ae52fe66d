# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# ScaLAPACK: dense linear algebra on distributed matrices. The programs are those of
# Debian's package, which were linked with Debian's MPICH.

# ScaLAPACK's own programs that count their checks. xsllt is omitted: it deadlocks in
# pslacon() also with Debian's MPICH, because one rank calls psamax() while the others call
# psasum().
scalapack_tests=(
    x{s,d,c,z}{brd,dblu,dtlu,gblu,gsep,hrd,inv,ls,lu,nep,pbllt,ptllt,qr,sep,trd}
    x{d,c,z}llt x{c,z}evc x{c,z}heevr x{s,d}syevr
)

# programs that print a verdict for each test: the name, and the number of verdicts
scalapack_verdicts=(xshseqr:1 xdhseqr:1 xssvd:18 xdsvd:18)

# passed FILE: print the number of checks that passed, of a file that reports no failure
passed()
{
    ! grep -qE '[1-9][0-9]* tests completed and failed' "$1" || die "scalapack: failures in $PWD/$1"
    checked ' 0 tests completed and failed' "$1"
    sed -nE 's/^ *([0-9]+) tests completed and passed residual checks\..*/\1/p' "$1"
}

# Run ScaLAPACK's own tests on 4 ranks.
scalapack()
{
    local test name count=0 tests
    not_for_abi 'the program was built for the ABI of MPICH'
    unpack_binary bookworm libscalapack-mpich2.2 2.2.1-2+b1 \
        libscalapack-mpich2.2_2.2.1-2+b1_amd64.deb \
        30cc1a29ca8266164b0d787aa959f85ed88f0a44fc34ab7663ab5dfb1dd42f82
    unpack_binary bookworm scalapack-test-common 2.2.1-2 scalapack-test-common_2.2.1-2_all.deb \
        f2dffe8b9aad4c84781f327683b5584dd2ad9b159bcf784774c346bd29ebae44
    unpack_binary bookworm scalapack-mpi-test 2.2.1-2+b1 \
        scalapack-mpi-test_2.2.1-2+b1_amd64.deb \
        160e1c7d959c104ff14c926c9515f164db53fea4d81907e197f4801e14303f0b
    export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$PWD/usr/lib/x86_64-linux-gnu"
    export OPENBLAS_NUM_THREADS=1
    tests=$PWD/usr/lib/x86_64-linux-gnu/scalapack/mpich-tests
    cd "$tests"
    need_libraries ./xdlu
    for name in "${scalapack_tests[@]}"; do
        simulated $name.out 4 ./$name
        count=$((count + $(passed $name.out)))
    done
    for test in "${scalapack_verdicts[@]}"; do
        name=${test%:*}
        simulated $name.out 4 ./$name
        ! grep -qi 'failed *[0-9]' $name.out || die "scalapack: failed (log: $PWD/$name.out)"
        [ "$(grep -ciE '^passed [0-9]| passed *$' $name.out)" = ${test#*:} ] ||
            die "scalapack: unexpected verdicts in $PWD/$name.out"
        count=$((count + ${test#*:}))
    done
    say "scalapack: $count checks of ScaLAPACK passed"
    [ -z "$stock" ] || job xdlu.out 4 ./xdlu
    scalapack_pblas
    scalapack_blacs
    printf '%s checks of its programs, and the tests of the PBLAS and the BLACS' $count
}

# Run the tests of the PBLAS, which print the numbers of tests, passed tests and failed
# tests of each routine.
scalapack_pblas()
{
    local name level
    cd "$tests/PBLAS"
    for level in 1 2 3; do
        for name in {s,d,c,z}pb${level}tst; do
            simulated $name.out 4 ./$name
            checked 'End of Tests' $name.out
            awk '$1 == "|" && $2 ~ /^P/ && NF >= 6 { ++rows; bad += $3 != $4 || $5 != 0 }
                END { exit rows == 0 || bad > 0 }' $name.out ||
                die "scalapack: failed (log: $PWD/$name.out)"
        done
    done
}

# Run the tests of the BLACS. In their last test, two ranks call BLACS_ABORT, while the other
# two compute in an endless loop. The loop must take virtual time (GMSIM_TIME).
scalapack_blacs()
{
    local name
    cd "$tests/BLACS"
    for name in xCbtest xFbtest; do
        ! GMSIM_TIME=measured mpirun -n 4 ./$name > $name.out 2>&1 ||
            die "scalapack: $name: BLACS_ABORT returned (log: $PWD/$name.out)"
        checked 'killed other procs, exiting with error #-1' $name.out
        ! grep -E 'FAILED' $name.out | grep -qvE ' 0 FAILED\.' ||
            die "scalapack: FAILED in $PWD/$name.out"
        checked 'INTEGER SDRV TESTS: .* 50 PASSED' $name.out
    done
}
