#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Calls functions of the GM library in random order and with random arguments. The test
# runs the sequences that have found errors (tests/fuzz/corpus), and also random
# sequences. The test uses every packet scheduler, and also NICs with little memory. See
# tests/fuzz/README.md for a list of the checks.
# needs: nothing
set -euo pipefail

# run KEY: VALUE: run the sequences on a cluster with this parameter
run()
{
    echo "$*"
    "$GMQOS_BUILDDIR/tests/fuzz/fuzz_gm" --set "$*" --runs 2000 --seed 1 \
        "$GMQOS_SRCDIR/tests/fuzz/corpus"
}

run scheduler: rate
run scheduler: packet-rr
run scheduler: message-rr
run scheduler: byte-rr
run nic_sram_bytes: 327680

# Read files that were changed at random: cluster descriptions, machine descriptions of
# other programs, policies, plans and sweeps.
readers=$GMQOS_BUILDDIR/tests/fuzz/fuzz_parse
data=$GMQOS_SRCDIR/tests/data
"${readers}_cluster" --runs 5000 "$GMQOS_SRCDIR/tests/fuzz/corpus-cluster" "$data/bad" \
    "$GMQOS_SRCDIR/clusters"
"${readers}_import" --runs 5000 "$GMQOS_SRCDIR/tests/fuzz/corpus-import" "$data/import"
"${readers}_policy" --runs 20000 "$GMQOS_SRCDIR/tests/fuzz/corpus-policy" "$data/bad-policy" \
    "$GMQOS_SRCDIR/examples/policy.yaml"
"${readers}_pingpong" --runs 20000 "$GMQOS_SRCDIR/tests/fuzz/corpus-pingpong"
"${readers}_plan" --runs 5000 "$GMQOS_SRCDIR/tests/fuzz/corpus-plan"
# read the commands that ranks send to the launcher
"${readers}_pmi" --runs 20000 "$GMQOS_SRCDIR/tests/fuzz/corpus-pmi"
"${readers}_sweep" --runs 2000 "$GMQOS_SRCDIR/tests/fuzz/corpus-sweep"
"${readers}_model" --runs 5000 "$GMQOS_SRCDIR/tests/fuzz/corpus-model"
"${readers}_traffic" --runs 5000 "$GMQOS_SRCDIR/tests/fuzz/corpus-traffic"
"${readers}_points" --runs 20000 "$GMQOS_SRCDIR/tests/fuzz/corpus-points"
"${readers}_record" --runs 1000 "$GMQOS_SRCDIR/tests/fuzz/corpus-record"
