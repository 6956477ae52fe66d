#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# damage.sh [N]: Damaged records (tests/fuzz/damage_record.c: cut, changed or mixed)
# are refused, or read as the undamaged one. N is the number of damaged records, 300
# by default.
# needs: nothing
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

bin=$GMQOS_STAGE/bin

GMSIM_RECORD=one run_ranks 2 "$bin/gm-pingpong" -s 1000 -i 50
GMSIM_RECORD=two run_ranks 2 "$bin/gm-pingpong" -s 1001 -i 50
killed_run killed 65536
"$GMQOS_BUILDDIR/tests/fuzz/damage_record" --runs "${1:-300}" one two killed
