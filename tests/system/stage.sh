#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that the stage contains the libraries, and that a program that is compiled with
# the flags from pkg-config loads libgm from the stage.
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

# test gmsim env for any installation directory, and for any path to this directory
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
    # directories that do not exist are omitted, and existing settings remain
    [ -z "${CPATH+set}" ]
    case $LD_LIBRARY_PATH in
        "$folder/lib:/before" | /before) ;; # or a libdir other than lib
        *) echo "FAIL: LD_LIBRARY_PATH=$LD_LIBRARY_PATH"; exit 1 ;;
    esac
)

# this path cannot be part of PATH
mkdir -p "$PWD/a:b/bin"
cp "$GMQOS_STAGE/bin/gmsim" "$PWD/a:b/bin/"
if "$PWD/a:b/bin/gmsim" env > out 2> err; then
    echo "FAIL: a ':' in the path is accepted"
    exit 1
fi
[ ! -s out ]
grep -q "a:b/bin: an entry of PATH cannot contain ':'" err

# the programs are protected against exploits, unless configure has disabled this
if grep -q "^QOS_LDFLAGS=.*-z,now" "$GMQOS_BUILDDIR/config.log" && command -v readelf > /dev/null; then
    for file in bin/gmsim lib/libgm.so lib/libmpi.so lib/libmpiqos.so bin/mpiexec.hydra \
        bin/hydra_pmi_proxy; do
        file=$GMQOS_STAGE/$file
        [ -e "$file" ] || continue
        readelf -dW "$file" | grep -E 'FLAGS.*NOW' > /dev/null || { echo "FAIL: $file: not -z now"; exit 1; }
        readelf -lW "$file" | grep GNU_RELRO > /dev/null || { echo "FAIL: $file: not -z relro"; exit 1; }
        readelf -sW "$file" | grep __stack_chk_fail > /dev/null ||
            { echo "FAIL: $file: no stack protection"; exit 1; }
        readelf -sW "$file" | grep '_chk@' > /dev/null || { echo "FAIL: $file: not fortified"; exit 1; }
    done
fi
