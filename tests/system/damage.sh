#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# damage.sh [N]: checks that damaged records are either refused or read like undamaged
# records. tests/fuzz/damage_record.c truncates, changes and mixes records. N is the
# number of damaged records (default: 300).
# needs: nothing
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

bin=$GMQOS_STAGE/bin

GMSIM_RECORD=one run_ranks 2 "$bin/gm-pingpong" -s 1000 -i 50
GMSIM_RECORD=two run_ranks 2 "$bin/gm-pingpong" -s 1001 -i 50
killed_run killed 65536
"$GMQOS_BUILDDIR/tests/fuzz/damage_record" --runs "${1:-300}" one two killed
