#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that the same requests receive the same answers with every method (attribute,
# hints, policy), including the messages about denials.
set -euo pipefail

cat > policy.yaml << 'END'
- {from: 0, to: 1, bandwidth: 10 MB/s, communicator: ask-0}
- {from: 0, to: [1], bandwidth: 70e6 B/s, class: premium, communicator: ask-1}
- {from: [0, 2], to: 2, bandwidth: 40 MB/s, communicator: ask-2}
- {from: 0, to: all, bandwidth: 5 MB/s, communicator: ask-3}
- {from: 0, to: all, bandwidth: 40 MB/s, communicator: ask-4}
- from: 0
  to: 2
  bandwidth: 12500 kB/s
  message_size: 4096
  communicator: ask-5
- {from: 0, to: 2, class: best-effort, message_size: 4096, communicator: ask-6}
END

ways()
{
    mpirun -n 3 "$GMQOS_BUILDDIR/tests/mpi/ways" "$1" > "$1" 2> "$1.err" || {
        echo "FAIL: $1: exit status $?"
        cat "$1" "$1.err"
        exit 1
    }
}

ways attribute
[ "$(grep -c 'state: granted' attribute)" = 4 ] || { cat attribute; exit 1; }
[ "$(grep -c 'state: denied' attribute)" = 3 ] || { cat attribute; exit 1; }
grep -q 'place: node' attribute
grep -q 'but the destination process' attribute

for way in hints dup idup window window-later; do
    ways $way
    diff attribute $way || { echo "FAIL: attribute and $way differ"; exit 1; }
    [ ! -s $way.err ] || { echo "FAIL: $way:"; cat $way.err; exit 1; }
    echo "ok: attribute, $way"
done

MPIQOS_POLICY=policy.yaml ways policy
diff attribute policy || { echo "FAIL: attribute and policy differ"; exit 1; }
# each denial is printed together with the line number of the policy's rule
for line in 2 3 5; do
    [ "$(grep -c "^mpiqos: policy.yaml:$line: flow from rank 0 to " policy.err)" = 1 ] || {
        echo "FAIL: denials:"
        cat policy.err
        exit 1
    }
done
[ "$(wc -l < policy.err)" = 3 ] || { cat policy.err; exit 1; }
echo "ok: attribute, policy"
