#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks the rendezvous of long messages with both protocols (mpi_rndv_protocol): on NICs of
# both kinds, on one host, with lost packets, with a reservation, and without memory.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

# run NAME ARGUMENT..: run the test on the cluster that is described on standard input
run()
{
    cat > "$1.yaml"
    if GMSIM_CLUSTER=$1.yaml timeout 100 mpirun -n 2 \
        "$GMQOS_BUILDDIR/tests/mpi/rendezvous" "${@:2}" > out 2>&1 && grep -qx " No Errors" out; then
        echo "ok: $1"
    else
        fail "$1: $(head -n 20 out)"
    fi
}

for protocol in read write; do
    for profile in lanai4.3 edr; do
        run "$profile-$protocol" "$protocol" << END
profile: $profile
hosts: 2
parameters: {mpi_rndv_protocol: $protocol}
END
        GMSIM_CLUSTER=$profile-$protocol.yaml mpirun -n 2 \
            "$GMQOS_BUILDDIR/tests/mpi/rendezvous_memory" > out 2>&1 && grep -qx " No Errors" out ||
            fail "$profile-$protocol without memory: $(head -n 20 out)"
    done
    run "loss-$protocol" "$protocol" << END
profile: edr
hosts: 2
faults: {drop: 0.02}
parameters: {mpi_rndv_protocol: $protocol}
END
done
# mpi_rndv_read_bytes is the longest message that a NIC reads; the messages have 300,000 bytes
for case in "300000 read" "299999 write"; do
    run "limit-${case% *}" "${case#* }" << END
profile: edr
hosts: 2
parameters: {mpi_rndv_read_bytes: ${case% *}}
END
done
# if a NIC reads the data of a message, the report must still show these data for the message's
# communicator
printf 'profile: edr\nhosts: 2\n' > edr.yaml
GMSIM_CLUSTER=edr.yaml GMSIM_RECORD=read GMSIM_TRACE=read-trace.json mpirun -n 2 mpi-pingpong \
    -s 1M -i 1 > out
# the trace names the flow of these data as the report does
grep -q '[0-9] reads label' read-trace.json || fail "the trace does not name the flow of the data"
gmsim report --json read > read.json
! grep -q '"communicator": ""' read.json || fail "data have no communicator"
[ "$(grep -c '"communicator": "MPI_COMM_WORLD"' read.json)" = 2 ] ||
    fail "not one large flow in each direction"
# messages within a host and messages with a reservation use the protocol `write`
run one-host write << 'END'
profile: edr
hosts: 1
ranks_per_host: 2
END
for profile in lanai4.3 edr; do
    for direction in reserved reserved-back; do
        run "$direction-$profile" write "$direction" << END
profile: $profile
hosts: 2
parameters: {mpi_rndv_protocol: read}
END
    done
done
finish
