#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Memory and time that a hostile file can cost: every reader, with files made for it.
# needs: nothing
set -euo pipefail

if ! command -v python3 > /dev/null; then
    echo "skipped: no python3 to make the files with"
    exit 77
fi
if [ -n "${GMQOS_SAN_FLAGS:-}" ]; then
    echo "skipped: sanitizers need memory and time of their own"
    exit 77
fi
python3 "$GMQOS_SRCDIR/tests/system/limits.py"
