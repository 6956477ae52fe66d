#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# needs: nothing
#
# Checks that the code in doc/howto/add-a-scheduler.md is complete. The test applies the
# page's blocks to a copy of the sources. The changed copy compiles without warnings and
# passes the unit test of the schedulers with the test that the page adds.
set -euo pipefail

page=$GMQOS_SRCDIR/doc/howto/add-a-scheduler.md
read -ra cc <<< "$(sed -n 's/^CC = //p' "$GMQOS_BUILDDIR/Makefile" | head -n 1)"
read -ra san <<< "${GMQOS_SAN_FLAGS:-}"
if ! echo '#include <CUnit/CUnit.h>' | "${cc[@]}" -E - > /dev/null 2>&1; then
    echo "skipped: CUnit is not installed"
    exit 77
fi

# blocks LANGUAGE: print the lines of the page's code blocks in this language
blocks()
{
    awk -v fence="\`\`\`$1" '/^```/ { on = $0 == fence; next } on' "$page"
}

mkdir -p source/tests
cp -r "$GMQOS_SRCDIR/gmsim" source/
cp -r "$GMQOS_SRCDIR/tests/unit" source/tests/
chmod -R u+w source
blocks diff > page.diff
files=$(grep -c '^+++ ' page.diff)
[ "$files" = 7 ] || { echo "FAIL: the page changes $files files, not 7"; exit 1; }
patch -d source -p0 --fuzz=0 --forward --no-backup-if-mismatch < page.diff
# omit the first line, which names the file
blocks c | sed 1d > source/gmsim/nic/scheduler_drr.c

# Only the objects below depend on the files that the page changes.
objects=()
for name in gmsim/nic/scheduler*.c gmsim/params/params.c tests/unit/test_scheduler.c; do
    for file in source/$name; do
        object=$(basename "$file" .c).o
        "${cc[@]}" -std=gnu11 -O1 -Wall -Wextra -Werror "${san[@]}" -I"$GMQOS_BUILDDIR" \
            -Isource/gmsim -Isource/gmsim/include -Isource/tests/unit -c "$file" -o "$object"
        objects+=("$object")
    done
done
"$GMQOS_BUILDDIR/libtool" --silent --tag=CC --mode=link "${cc[@]}" "${san[@]}" -o test_scheduler \
    "${objects[@]}" "$GMQOS_BUILDDIR/libgmsim.la" -lcunit
./test_scheduler > test.log 2>&1 || { cat test.log; exit 1; }
grep -q 'drr: quantum and rest .*passed' test.log ||
    { cat test.log; echo "FAIL: the page's test did not run"; exit 1; }
if [ -f "$GMQOS_SRCDIR/.clang-format" ] && command -v clang-format > /dev/null &&
    clang-format --version | grep -q 'version 14'; then
    cp "$GMQOS_SRCDIR/.clang-format" source/
    clang-format --dry-run -Werror source/gmsim/nic/scheduler_drr.c \
        source/tests/unit/test_scheduler.c
fi
