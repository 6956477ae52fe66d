#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# needs: nothing
#
# Every source (C, shell, awk, Python) states its responsibility in a comment directly after its
# licence. adi-gm/netmod and adi-gm/launcher are excluded, because they are compiled as a part of
# MPICH. The check itself finds a source whose comment was removed, is too short, comes later in the
# file, or does not begin with its subject.
set -euo pipefail

cd "$GMQOS_SRCDIR"
mapfile -t files < <(find adi-gm/include benchmarks doc examples gmsim mpi-qos \
    tests -type f \( -name '*.[ch]' -o -name '*.sh' -o -name '*.awk' -o -name '*.py' \) | sort)
[ "${#files[@]}" -gt 800 ] || { echo "FAIL: only ${#files[@]} files"; exit 1; }

bad=0
awk -f tests/tree/purpose.awk "${files[@]}" || bad=1

# finds NAME REASON: check that the source on standard input is refused for REASON
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
finds()
{
    cat > "$work/$1"
    if awk -f tests/tree/purpose.awk "$work/$1" > "$work/out" ||
        ! grep -qF "$work/$1: $2" "$work/out"; then
        echo "FAIL: not detected in $1: $2"
        bad=1
    fi
}
none='no comment about its purpose directly after the licence'
# without FILE: print a C source without the comment that begins in its second line
without()
{
    awk 'FNR == 2 { is_in = 1 } !is_in { print } /\*\// && FNR > 1 { is_in = 0 }' "$1"
}
without gmsim/gm/port.c | finds removed.c "$none"
without gmsim/gm/port.h | finds removed.h "$none"
sed '3,$s/^#.*//' tests/tree/purpose.sh | finds removed.sh "$none"
sed 's/^"""//' tests/system/trace.py | finds removed.py "$none"
printf '/* %s */\n/* Ports. */\nint port;\n' 'SPDX-License-Identifier: BSD-3-Clause' |
    finds short.c "$none"
printf '/* %s */\n#include <a.h>\n/* %s */\n' 'SPDX-License-Identifier: BSD-3-Clause' \
    'A long comment that comes after the first include.' | finds late.c "$none"
printf '/* %s */\n/* %s */\n' 'SPDX-License-Identifier: BSD-3-Clause' \
    'What a port has, and what the processes of a host do with it.' |
    finds what.c "the comment begins with 'What'"
printf '/* %s */\n' 'Ports of a host, and their registration with the NIC of that host.' |
    finds licence.c 'the first line is not the licence'

# the check accepts a source with such a comment
awk -f tests/tree/purpose.awk gmsim/gm/port.c tests/tree/purpose.sh || bad=1
exit "$bad"
