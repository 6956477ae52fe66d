#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# The attribute MPIQOS_FLOW: every program of tests/mpi/testlist through mpirun.
# Each prints " No Errors" and nothing else.
set -euo pipefail

failed=0
while read -r name size; do
    case $name in
    '' | '#'*) continue ;;
    esac
    status=0
    timeout --kill-after=10 "${GMQOS_TEST_SECONDS:-60}" \
        mpirun -n "$size" "$GMQOS_BUILDDIR/tests/mpi/$name" \
        > out 2>&1 < /dev/null || status=$?
    if [ "$status" = 0 ] && [ "$(cat out)" = " No Errors" ]; then
        echo "ok: $name, $size processes"
    else
        echo "FAIL: $name, $size processes, exit status $status:"
        sed 's/^/    /' out
        failed=1
    fi
done < "$GMQOS_SRCDIR/tests/mpi/testlist"
exit $failed
