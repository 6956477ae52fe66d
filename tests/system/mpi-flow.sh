#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs every program in tests/mpi/testlist with mpirun. The programs test the attribute
# MPIQOS_FLOW and other features of the device. Each program must print only " No
# Errors".
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_shows=out

while read -r name size on_host; do
    case $name in
    '' | '#'*) continue ;;
    esac
    status=0
    printf 'hosts: 16\nranks_per_host: %d\n' "${on_host:-1}" > cluster.yaml
    GMSIM_CLUSTER=cluster.yaml timeout --kill-after=10 "${GMQOS_TEST_SECONDS:-60}" \
        mpirun -n "$size" "$GMQOS_BUILDDIR/tests/mpi/$name" \
        > out 2>&1 < /dev/null || status=$?
    if [ "$status" = 0 ] && [ "$(cat out)" = " No Errors" ]; then
        echo "ok: $name, $size processes${on_host:+, $on_host on a host}"
    else
        fail "$name, $size processes${on_host:+, $on_host on a host}, exit status $status"
    fi
done < "$GMQOS_SRCDIR/tests/mpi/testlist"
finish
