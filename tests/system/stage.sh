#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# The stage has the libraries, and a program compiled with what pkg-config says
# loads libgm from there.
# needs: nothing
set -euo pipefail

cat > probe.c << 'END'
#include <gm.h>
#include <stdio.h>
int main(void)
{
    printf("gm API version %x\n", (unsigned)GM_API_VERSION);
    return 0;
}
END
sed -n '/^Libs/p' "$GMQOS_STAGE/lib/pkgconfig/gm.pc"
# shellcheck disable=SC2086 # a list of flags
"${CC:-cc}" ${GMQOS_SAN_FLAGS:-} -I"$GMQOS_STAGE/include" probe.c -o probe -L"$GMQOS_STAGE/lib" \
    -Wl,--no-as-needed -lgm
./probe
ldd ./probe | grep -F "libgm.so" | grep -F "$(realpath "$GMQOS_STAGE")" ||
    ldd ./probe | grep -F "libgm.so" | grep -F "$GMQOS_STAGE"

# gmsim env, from wherever it is and whatever that is called
folder="$PWD/it's \$HERE"
mkdir -p "$folder/bin" "$folder/lib"
cp "$GMQOS_STAGE/bin/gmsim" "$folder/bin/"
(
    unset CPATH
    LD_LIBRARY_PATH=/before
    lines=$("$folder/bin/gmsim" env)
    eval "$lines"
    [ "${PATH%%:*}" = "$folder/bin" ]
    [ "$(command -v gmsim)" = "$folder/bin/gmsim" ]
    # what is not there is left out; what was there stays
    [ -z "${CPATH+set}" ]
    case $LD_LIBRARY_PATH in
        "$folder/lib:/before" | /before) ;; # or another libdir than lib
        *) echo "FAIL: LD_LIBRARY_PATH=$LD_LIBRARY_PATH"; exit 1 ;;
    esac
)

# a path that PATH cannot hold
mkdir -p "$PWD/a:b/bin"
cp "$GMQOS_STAGE/bin/gmsim" "$PWD/a:b/bin/"
if "$PWD/a:b/bin/gmsim" env > out 2> err; then
    echo "FAIL: a ':' in the path is accepted"
    exit 1
fi
[ ! -s out ]
grep -q "a:b/bin: a path with ':'" err
