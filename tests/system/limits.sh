#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Memory and time that a hostile file can cost: every reader, with files made for it.
# needs: nothing
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

need python3
if [ -n "${GMQOS_SAN_FLAGS:-}" ]; then
    skip "sanitizers need memory and time of their own"
fi
python3 "$GMQOS_SRCDIR/tests/system/limits.py"
