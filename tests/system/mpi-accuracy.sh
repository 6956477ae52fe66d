#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that a requested MPI bandwidth is achieved, whatever the cost of a message is.
# The test makes requests for several message sizes on clusters whose costs differ from
# those of the profile. Each request must be either denied or achieved within 2 %, both
# alone and in competition with best-effort traffic. After a denial, a request for the
# bandwidth in the denial must be granted and achieved, and a request for 1 % more must be
# denied. The experiment mpi-accuracy must pass on the default cluster.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

# flows SIZE BANDWIDTH..: run mpi-flows, and write the results to the file rows, in the
# format "requested state criterion left achieved"
flows()
{
    local size=$1 rounds=()
    shift
    for round in "$@"; do rounds+=(--bandwidth "$round"); done
    mpirun -n 3 mpi-flows --csv --size "$size" --seconds 0.1 --warm-up 9 "${rounds[@]}" > out
    awk -F, '/^0->/ { gsub(" ", "-", $4); print $2, $3, $4, $7, $13 }' out > rows
}

# near WHAT ACHIEVED ASKED: check that ACHIEVED is within 2 % of ASKED
near()
{
    within 2 "$2" "$3" || fail "$1: $2 MB/s instead of $3"
}

# limit WHAT SIZE LEFT: check that the bandwidth LEFT from a denial is granted and
# achieved, and that 1 % more is denied
limit()
{
    flows "$2" "$3" "$(awk -v x="$3" 'BEGIN { printf "%.15g", x * 1.01 }')"
    read -r _ state _ _ achieved < <(sed -n 1p rows)
    [ "$state" = granted ] || fail "$1: $3 MB/s, which the denial named: $state"
    near "$1, the limit" "$achieved" "$3"
    read -r _ state _ _ _ < <(sed -n 2p rows)
    [ "$state" = denied ] || fail "$1: 1 % above the limit: $state"
}

# cluster NAME CRITERIA [KEY: VALUE]..: run all checks on this cluster; for each
# criterion, there must be a denial that names it
cluster()
{
    local name=$1 wanted=$2 denials="" asked state criterion left achieved
    shift 2
    if [ "$1" = profile ]; then
        echo "profile: $2"
    else
        printf 'parameters:\n'
        printf '  %s\n' "$@"
    fi > cluster.yaml
    export GMSIM_CLUSTER=$PWD/cluster.yaml
    for size in $sizes; do
        flows "$size" 3 "12$beside" 24 "40$beside" 120
        cp rows asked
        while read -r asked state criterion left achieved; do
            [ "$asked" != be ] || continue
            if [ "$state" = granted ]; then
                near "$name, $size bytes" "$achieved" "$asked"
            fi
        done < asked
        # the last request exceeds any possible bandwidth
        read -r _ state criterion left _ < <(tail -n 1 asked)
        denials="$denials $criterion"
        [ "$state" = granted ] || limit "$name, $size bytes" "$size" "$left"
    done
    for criterion in $wanted; do
        case "$denials " in
        *" $criterion "*) ;;
        *) fail "$name: no denial for the $criterion, but:$denials" ;;
        esac
    done
    [ "$failures" != 0 ] || echo "ok: $name:$denials"
}

sizes="1000 4K 16K 64K"
beside=,be
cluster "the default" "source-node destination-process" "mpi_overhead_ps: 1000000"
sizes="4K 64K"
cluster "slow copies" "source-process destination-process" "mpi_copy_ps_per_byte: 40000"
cluster "slow receivers" "destination-process" "mpi_rndv_recv_ps_per_byte: 45000"
cluster "fast receivers" "source-node" "mpi_rndv_recv_ps_per_byte: 0" \
    "mpi_copy_ps_per_byte: 100"
cluster "nearly everything by rendezvous" "source-node destination-process" \
    "mpi_eager_bytes: 500"
# no reservation limits the time that best-effort flows take from the sending process
beside=
sizes="1000 64K"
cluster "slow senders" "source-process" "host_send_ps: 60000000" "host_receive_ps: 500000"
beside=,be
sizes="4K 64K"
cluster "slow registration" "destination-process" "host_register_page_ps: 20000000" \
    "mpi_register_cache_bytes: 0"
cluster "large headers of packets" "source-node" "nic_header_bytes: 200"
cluster "short packets" "source-node" "nic_mtu_bytes: 2048" "qos_idt_product: 4096"
cluster "other NICs" "source-node" profile myrinet2000

gmsim experiment run mpi-accuracy --check -q > experiment 2>&1 || {
    grep -E 'NOT OK|FAILED|CHANGED|^mpi-' experiment
    fail "the experiment"
}
finish
