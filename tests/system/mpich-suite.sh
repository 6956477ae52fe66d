#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs a few programs of MPICH's own test suite. From each directory of the suite, the
# test selects a program that uses many functions of the device. The command "make
# check-mpich" runs the whole suite.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

if [ -n "${GMQOS_SAN_FLAGS:-}" ]; then
    skip "the suite's programs leak memory, which the sanitizers report"
fi

here=$GMQOS_SRCDIR/tests/mpich
mapfile -t programs < <(sed 's/#.*//; /^[ \t]*$/d; s/ .*//' "$here/few" | sort -u)
suite=$(bash "$here/compile" --stage "$GMQOS_STAGE" --cache "$GMQOS_SUITE_CACHE" \
    --source "$GMQOS_SUITE_SOURCE" "${programs[@]}")
bash "$here/run" --suite "$suite" --output results --subset "$here/few" || {
    cat results/logs/* 2> /dev/null
    exit 1
}
