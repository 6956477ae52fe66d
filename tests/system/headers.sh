#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that every public header compiles without any other header, in C and in C++.
# needs: nothing
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

shopt -s nullglob
include=$GMQOS_STAGE/include
headers=("$include"/gm*.h "$include"/mpi_qos.h "$include"/mpix_gm.h)
checked=0
for header in "${headers[@]}"; do
    [ -e "$header" ] || continue
    for language in c c++; do
        compiler=${CC:-cc}
        [ "$language" = c ] || compiler=${CXX:-c++}
        command -v "${compiler%% *}" > /dev/null || continue
        checked=$((checked + 1))
        # here, mpi.h is treated as a system header, because the project does not check
        # it for warnings
        printf '#include "%s"\n' "$header" |
            $compiler -x "$language" -isystem "$include" -Wall -Wextra -Werror \
                -fsyntax-only - || fail "${header##*/} as $language"
    done
done
echo "$checked compilations"
[ "$checked" -gt 0 ] || fail "no header"
finish
