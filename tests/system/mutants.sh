#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that the lists of mutants match their sources, that the runner detects a mutant
# that survives, and that some of the mutants are killed. The command `make mutants`
# tests all mutants.
# needs: nothing
set -euo pipefail

. "$GMQOS_SRCDIR/tests/system/lib.sh"
run=$GMQOS_SRCDIR/tests/mutants/run
lists=("$GMQOS_SRCDIR"/tests/mutants/*.mutants)

# every list must be valid
"$run" --check "$GMQOS_SRCDIR" "$GMQOS_BUILDDIR" "${lists[@]}"

# a mutant that breaks no essential rule survives, and the status is then 1
cat > same.mutants << 'LIST'
mutant heap/same-meaning
file gmsim/base/status.c
test tests/unit/test_heap
rule This change has no effect on the test.
 case GMS_OK:
-return "ok";
+return "fine";
LIST
status=0
"$run" "$GMQOS_SRCDIR" "$GMQOS_BUILDDIR" same.mutants > output || status=$?
[ $status = 1 ]
grep -q '^survived heap/same-meaning' output
grep -q '^1 mutants: 0 killed, 1 survived, 0 could not be run$' output

# the second test of a mutant also runs with the changed file
cat > second.mutants << 'LIST'
mutant flow/second-test
file gmsim/nic/flow.c
test tests/unit/test_heap tests/unit/test_nic_gm
rule The first test passes, and the second test fails.
-gms_flow_finish(ctx, flow->first, GMS_SENT_DROPPED);
+gms_flow_finish(ctx, flow->first, GMS_SENT_OK);
LIST
"$run" "$GMQOS_SRCDIR" "$GMQOS_BUILDDIR" second.mutants > output
grep -q '^killed   flow/second-test .*test_nic_gm$' output

# a changed header is compiled with the sources that include it
"$run" --only engine/order-of-equal-times "$GMQOS_SRCDIR" "$GMQOS_BUILDDIR" "${lists[@]}" > output
grep -q '^killed   engine/order-of-equal-times' output

# lists with errors are refused, for example if a line does not occur, a test does not exist, or a
# header is not compiled with any source
sed 's/-return "ok";/-return "no such line";/' same.mutants > lines.mutants
sed 's/test_heap/test_no_such_test/' same.mutants > test.mutants
cat > header.mutants << 'LIST'
mutant heap/header
file gmsim/base/status.h
test tests/unit/test_heap
rule No source is named that includes this header.
-#ifndef BASE_STATUS_H
+#ifndef BASE_STATUS
LIST
for list in lines test header; do
    status=0
    "$run" --check "$GMQOS_SRCDIR" "$GMQOS_BUILDDIR" $list.mutants 2> errors || status=$?
    [ $status = 2 ]
    grep -q "$list.mutants:1: " errors
done

# test a few mutants from all lists; this part has no test that needs an idle machine
"$run" --part 13/60 "$GMQOS_SRCDIR" "$GMQOS_BUILDDIR" "${lists[@]}"
