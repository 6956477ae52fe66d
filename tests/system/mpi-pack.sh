#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that data that are not contiguous arrive correctly for various lengths of chunks
# and of eager messages, with few buffers, and with lost packets.
set -euo pipefail

# run NAME ROUNDS: run the test with the parameters on standard input
run()
{
    cat > "$1.yaml"
    if ! GMSIM_CLUSTER=$1.yaml timeout 100 mpirun -n 2 \
        "$GMQOS_BUILDDIR/tests/mpi/pack_random" "$2" "$RANDOM_SEED" > out 2>&1 ||
        [ "$(cat out)" != " No Errors" ]; then
        echo "FAIL: $1:"
        head -n 20 out
        exit 1
    fi
    echo "ok: $1"
}

RANDOM_SEED=1
run odd-chunks 30 << 'END'
parameters:
  mpi_pipeline_bytes: 5003
  mpi_pipeline_depth: 3
END
RANDOM_SEED=2
run one-chunk-no-cache 20 << 'END'
parameters:
  mpi_pipeline_bytes: 4099
  mpi_pipeline_depth: 1
  mpi_register_cache_bytes: 0
END
RANDOM_SEED=3
run all-rendezvous 20 << 'END'
parameters:
  mpi_eager_bytes: 0
  mpi_pipeline_bytes: 7001
END
RANDOM_SEED=4
run few-buffers 20 << 'END'
parameters:
  gm_send_tokens: 4
  gm_receive_tokens: 3
END
# if almost no memory can be registered, contiguous data are also sent in chunks
RANDOM_SEED=5
run little-memory 20 << 'END'
parameters:
  gm_registered_bytes: 5267456
  mpi_pipeline_bytes: 16384
END
RANDOM_SEED=6
run loss 10 << 'END'
faults:
  drop: 0.01
END
