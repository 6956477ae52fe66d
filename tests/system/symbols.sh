#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that the libraries export exactly the symbols in tests/abi, and that a change of
# these symbols requires a new version.
# needs: nothing
set -euo pipefail
export LC_ALL=C

symbols=$GMQOS_SRCDIR/tests/abi/symbols
libraries=$GMQOS_STAGE/lib
bash "$symbols" check "$libraries" "$GMQOS_SRCDIR"

# libmpi exports neither the symbols of MPICH's helper libraries nor the netmod's own
# names
if [ -e "$libraries/libmpi.so" ]; then
    other=$(nm -D --defined-only "$libraries/libmpi.so" | awk '{ print $3 }' |
        grep -vE '^(P?MPIX?|QMPIX?|MPIR|MPII)_|^(__asan|__odr_asan|__ubsan|__tsan)' || :)
    [ -z "$other" ] || { echo "FAIL: libmpi exports $other"; exit 1; }
fi

# libmpiqos calls MPI by the names that tools do not intercept
if [ -e "$libraries/libmpiqos.so" ]; then
    calls=$(nm -D --undefined-only "$libraries/libmpiqos.so" | awk '$2 ~ /^MPI_/ { print $2 }')
    [ -z "$calls" ] || { echo "FAIL: libmpiqos calls $calls"; exit 1; }
fi

# --- the check detects changes -------------------------------------------------------
mkdir -p tree/tests/abi
cp "$GMQOS_SRCDIR/VERSION" tree/
cp "$GMQOS_SRCDIR"/tests/abi/*.symbols tree/tests/abi/
chmod -R u+w tree
list=tree/tests/abi/libgm.symbols

# refused TEXT: succeed if tests/abi/symbols fails with the text
refused()
{
    ! bash "$symbols" check "$libraries" "$PWD/tree" > out 2>&1 ||
        { echo "FAIL: not detected: $1"; exit 1; }
    grep -q "$1" out || { echo "FAIL: does not print '$1':"; cat out; exit 1; }
}

sed -i '/^gm_open$/d' $list
refused 'new: *gm_open'
refused 'its version has not'
# after a name has been added, `accept` increments the current version and the age
bash "$symbols" accept "$libraries" "$PWD/tree" > /dev/null
bash "$symbols" check "$libraries" "$PWD/tree"
IFS=: read -r c _ a <<< "$(sed -n s/^libgm=//p "$GMQOS_SRCDIR/VERSION")"
grep -qx "libgm=$((c + 1)):0:$((a + 1))" tree/VERSION
# removing a name breaks compatibility, and therefore requires a new SONAME
echo gm_zzz >> $list
bash "$symbols" accept "$libraries" "$PWD/tree" > /dev/null
grep -qx "libgm=$((c + 2)):0:0" tree/VERSION
refused "libgm.so is not libgm.so.$((c + 2))"
sed -i 's/^libgm=.*/libgm=99:0:0/' tree/VERSION
refused 'libgm is 99:0:0 in VERSION'
