#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# needs: nothing
#
# Each directory includes only headers from directories that the table in
# doc/design/0025-directories.md allows, and no header named *_int.h is included from another
# directory. The check itself finds an include that is not in the table, a row that no include
# needs, and a cycle.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

work=$(mktemp -d) # the test can also be started by hand, in any directory
trap 'rm -rf "$work"' EXIT
cd "$GMQOS_SRCDIR"
table=doc/design/0025-directories.md
check()
{
    find gmsim mpi-qos adi-gm benchmarks -name '*.[ch]' -print0 | sort -z |
        xargs -0 awk -f tests/tree/includes.awk "$@"
}

check "$table" || fail "the includes differ from $table"

# make sure that the check can fail
finds()
{
    sed "$1" "$table" > "$work/table.md"
    if check "$work/table.md" > "$work/out" || ! grep -qF "$2" "$work/out"; then
        fail "not found: $2"
    fi
}
# shellcheck disable=SC2016 # backticks of the page
finds '/^| `gmsim\/nic`/s/`gmsim\/fabric`/nothing/' 'gmsim/nic must not include gmsim/fabric'
# shellcheck disable=SC2016
finds '/^| `gmsim\/engine`/s/ |$/, `gmsim\/include` |/' \
    'lets gmsim/engine include gmsim/include, and nothing does'
# shellcheck disable=SC2016
finds '/^| `gmsim\/base`/s/ |$/, `gmsim\/nic` |/' 'gmsim/nic, which is not in an earlier row'
finish
