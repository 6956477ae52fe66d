#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs random MPI programs that check every byte they receive (tests/mpi/fuzz_mpi.c). The
# programs use all kinds of send and receive calls, datatypes, and one-sided, partitioned and
# collective calls, on clusters with unusual parameters and faults. Each program runs twice,
# and both runs must have the same result.
#
# usage: mpi-fuzz.sh [--seeds N] [--seed FIRST] [--rounds N]
#
# In the build directory, "make mpi-fuzz" runs the long form.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_ends_test=yes
fail_shows=out

seeds=1
first=1
rounds=12
take_options "seeds seed=first rounds" "$@"

# play RANKS SEED: run the program; its output is in `out`
play()
{
    timeout 300 mpirun -n "$1" "$GMQOS_BUILDDIR/tests/mpi/fuzz_mpi" "$rounds" \
        "$2" > out 2>&1 < /dev/null || true
    [ "$(tail -n 1 out)" = " No Errors" ]
}

# run NAME RANKS..: run the programs on the cluster that is described on standard input
run()
{
    local name=$1 size seed
    shift
    cat > "$name.yaml"
    export GMSIM_CLUSTER=$PWD/$name.yaml
    for size in "$@"; do
        for ((seed = first; seed < first + seeds; ++seed)); do
            play "$size" "$seed" ||
                fail "$name, $size processes, seed $seed"
        done
    done
    echo "ok: $name"
    unset GMSIM_CLUSTER
}

run default 4 7 << 'END'
profile: lanai4.3
END
mv out once
GMSIM_CLUSTER=default.yaml play 7 $((first + seeds - 1))
diff once out || { echo "FAIL: the second run differs"; exit 1; }
run odd-chunks 3 << 'END'
parameters:
  mpi_pipeline_bytes: 5003
  mpi_pipeline_depth: 1
  mpi_register_cache_bytes: 0
END
run few-tokens 4 << 'END'
parameters:
  mpi_pipeline_bytes: 4099
  gm_send_tokens: 4
  gm_receive_tokens: 3
END
run all-rendezvous 3 << 'END'
parameters:
  mpi_eager_bytes: 0
END
# in the following case, almost no memory can be registered
run little-memory 4 << 'END'
parameters:
  gm_registered_bytes: 5267456
  mpi_pipeline_bytes: 16384
END
run shared-hosts 8 << 'END'
hosts: 2
ranks_per_host: 4
END
run faults 4 << 'END'
profile: myrinet2000
faults:
  drop: 0.01
  damage_payload: 0.001
  duplicate: 0.002
  delay: 0.005
  delay_max_us: 200
END
