# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# NetPIPE: messages of many sizes between two ranks.

# Run NetPIPE, which checks each received byte.
netpipe()
{
    unpack bookworm netpipe 3.7.2-8 netpipe_3.7.2.orig.tar.gz \
        13dac884ff52951636f651c421f5ff4a853218a95aa28a4a852402ee385a2ab8 NetPIPE-3.7.2
    make mpi MPICC=mpicc CC=mpicc > build.log 2>&1 || die "netpipe: not built (log: $PWD/build.log)"
    job out 2 ./NPmpi -i -u 1048576
    checked 'Integrity check passed' out
    ! grep -qi 'integrity check failed' out || die "netpipe: failed (log: $PWD/out)"
    printf '%s sizes, every byte checked' "$(grep -c 'check passed' out)"
}
