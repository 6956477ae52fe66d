#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that the MPI benchmarks run, even with a single sample, and that MPI achieves
# about 50 MB/s (thesis, chapter 5). The script compare-gm-mpi compares GM with MPI.
set -euo pipefail

for program in mpi-pingpong mpi-bandwidth; do
    mpirun -n 2 $program --csv -i 1 --warm-up 0 --max 64K > out
    rows=$(grep -c '^[0-9]' out)
    [ "$rows" = 17 ] || { echo "FAIL: $program: $rows rows"; exit 1; }
    echo "ok: $program, 1 sample"
done

mpirun -n 2 mpi-bandwidth --csv --size 64K |
    awk -F, '/^[0-9]/ { print ($3 > 49 && $3 < 52 ? "ok: " : "FAIL: ") $3 " MB/s"
                        bad = !($3 > 49 && $3 < 52); rows++ }
             END { exit bad || rows != 1 }'

compare-gm-mpi --csv --no-plot --min 1K --max 8K --output both > out
cmp out both.csv
awk -F, '/^[0-9]/ { rows++; bad = bad || NF != 7 || $4 < 1 || $7 > 1.1 }
         END { exit bad || rows != 4 }' out || { cat out; exit 1; }
echo "ok: compare-gm-mpi"

status=0
mpirun -n 2 mpi-bandwidth --size 65M 2> err > out || status=$?
[ "$status" = 2 ] || { echo "FAIL: invalid usage: status $status"; exit 1; }
[ "$(grep -c -- --size err)" = 1 ] || { echo "FAIL:"; cat err; exit 1; }
echo "ok: invalid usage is reported once"
