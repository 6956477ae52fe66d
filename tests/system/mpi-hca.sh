#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks MPI on hca NICs: long eager messages in parts, data that are not contiguous, ranks on one
# host, lost packets, and the bandwidth of a link.
set -euo pipefail

# arrive NAME PROGRAM ARGUMENT..: run the test on the cluster that is described on standard
# input
arrive()
{
    cat > "$1.yaml"
    GMSIM_CLUSTER=$1.yaml timeout 100 mpirun -n 2 "$GMQOS_BUILDDIR/tests/mpi/$2" "${@:3}" \
        > out 2>&1 || { echo "FAIL: $1:"; head -n 20 out; exit 1; }
    grep -q "all messages arrived\|No Errors" out || { echo "FAIL: $1:"; cat out; exit 1; }
    echo "ok: $1"
}

for profile in edr hdr ndr slingshot-100 aries; do
    arrive "$profile" eager_parts << END
profile: $profile
hosts: 2
END
done
arrive one-host eager_parts << 'END'
profile: edr
hosts: 1
ranks_per_host: 2
END
arrive no-copy eager_parts << 'END'
profile: edr
hosts: 2
parameters:
  mpi_eager_direct_bytes: 20000
  mpi_eager_part_bytes: 3000
END
arrive loss eager_parts << 'END'
profile: edr
hosts: 2
faults:
  drop: 0.01
END
arrive lanai eager_parts << 'END'
hosts: 2
parameters:
  mpi_eager_bytes: 150000
END
arrive layouts pack_random 20 7 << 'END'
profile: edr
hosts: 2
END

# 4 MB take 4 MB / 11.73 GB/s = 357.6 us in each direction of a round trip, plus at most 13 us
# for the rendezvous
GMSIM_CLUSTER=edr.yaml mpirun -n 2 mpi-pingpong --csv -s 4M -i 10 > out
awk -F, '$1 == 4194304 { found = 1; bad = $3 < 11300 || $3 > 11729 }
    END { exit !found || bad }' out || { echo "FAIL: bandwidth of a flow"; cat out; exit 1; }
echo "ok: bandwidth of a flow"

# A tick of the profile edr is 1 ns. The denial of 60 GB/s contains the largest request, which is
# granted.
reserved()
{
    printf -- '- {from: 0, to: 1, bandwidth: %s MB/s}\n' "$1" > policy.yaml
    MPIQOS_POLICY=policy.yaml MPIQOS_REPORT=report GMSIM_CLUSTER=edr.yaml \
        mpirun -n 2 mpi-bandwidth -s 1K > out 2>&1 || true
    grep -q "$2" report || { cat report; echo "FAIL: reservation of $1 MB/s: no '$2'"; exit 1; }
    echo "ok: reservation of $1 MB/s"
}
reserved 1 ' granted .*one packet every 1000\.0 us'
reserved 60000 'requested 60000 MB/s to rank 1, .* has only [0-9]* MB/s left for messages'
reserved "$(sed -n 's/.* has only \([0-9]*\) MB.*/\1/p' report)" ' granted '
