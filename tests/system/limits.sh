#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that a malicious file can cause only limited use of memory and time. Every reader is tested
# with files that are constructed for this purpose.
# needs: nothing
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

need python3
if [ -n "${GMQOS_SAN_FLAGS:-}" ]; then
    skip "sanitizers need additional memory and time"
fi
python3 "$GMQOS_SRCDIR/tests/system/limits.py"
