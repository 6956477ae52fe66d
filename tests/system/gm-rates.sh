#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Measures the speed of the NIC with the benchmarks. The test compares the speed with
# the thesis (chapter 5), and with values computed from the numbers in the thesis. The test
# measures one flow at 64 KB, pairs of paced flows, the round trip of 8 bytes, and the
# differences between the schedulers.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

# expect WHAT VALUE LEAST MOST: check that VALUE is between LEAST and MOST
expect() {
    if awk -v value="$2" -v least="$3" -v most="$4" \
        'BEGIN { exit !(value != "" && value >= least && value <= most) }'; then
        echo "ok: $1: $2"
    else
        fail "$1: $2, expected $3 to $4"
    fi
}

# bandwidth FLOWS OPTION..: print each flow's MB/s at 64 KB, one flow per line
bandwidth() {
    local flows=$1
    shift
    mpirun -n $((flows + 1)) gm-bandwidth --csv --size 64K "$@" |
        awk -F, '/^0->/ { print $4 }'
}

scheduler() {
    echo "scheduler: $1" > cluster.yaml
    GMSIM_CLUSTER=$PWD/cluster.yaml "${@:2}"
}

rate=$(bandwidth 1)
expect "one flow, rate, MB/s" "$rate" 82 84
packet=$(scheduler packet-rr bandwidth 1)
expect "packet-rr over rate" \
    "$(awk -v a="$packet" -v b="$rate" 'BEGIN { print a / b }')" 0.99 1.01

# the thesis reports 40.91/40.91 and 24.96/56.88 MB/s; a deviation of 3 % is allowed
mapfile -t pair < <(bandwidth 2 --idt 192,192)
expect "IDT 192 of (192,192), MB/s" "${pair[0]-}" 39.683 42.137
expect "the other, MB/s" "${pair[1]-}" 39.683 42.137
mapfile -t pair < <(bandwidth 2 --idt 320,137)
expect "IDT 320 of (320,137), MB/s" "${pair[0]-}" 24.211 25.709
expect "IDT 137 of (320,137), MB/s" "${pair[1]-}" 55.174 58.586

mpirun -n 2 gm-pingpong --size 8 > pingpong
expect "round trip of 8 bytes, us" \
    "$(awk '$1 == 8 && NF == 8 { print $5 }' pingpong)" 45 95
# the times at the stations add up to the total time
expect "percent in the stations" \
    "$(awk '/ us .*%$/ { sum += $(NF - 1) } END { print sum }' pingpong)" \
    99.6 100.4

# a second run of the command prints the same output
mpirun -n 2 gm-pingpong --size 8 | cmp - pingpong || fail "another run differs"
finish
