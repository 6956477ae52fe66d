#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that two processes keep their reservation while they do other work that could
# break it (tests/mpi/breaks.c). The work consists of threads, slow datatypes, probes,
# MPI_Cancel, messages of a process to itself, and unexpected messages. Other cases
# change and renew the reservation, use an inter-communicator, call collectives on the
# communicator, or make more reservations than GM has send tokens.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

for case in nothing thread slow-types probe cancel self unexpected change again inter \
    collective many; do
    for stream in '65536 30' '8000 20'; do
        # shellcheck disable=SC2086 # two arguments
        timeout 60 mpirun -n 2 "$GMQOS_BUILDDIR/tests/mpi/breaks" $case $stream > out 2>&1 ||
            true
        [ "$(tail -n 1 out)" = " No Errors" ] && continue
        fail "$case, $stream: $(head -n 5 out)"
    done
done
[ "$failures" != 0 ] || echo "ok: reservations are kept"
finish
