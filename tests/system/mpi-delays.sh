#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Compares the delays of MPI messages with their bounds (tests/mpi/delays.c), for eager
# messages, rendezvous and persistent requests. The messages are sent alone, during floods of
# other processes on the same hosts, and while these processes use reservations of their own.
# Puts and gets are not measured, and MPIQOS_REPORT must state the reason for the missing
# bound.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

# ranks 0 and 1 are on different hosts, which they share with ranks 4 and 5
printf 'hosts: 4\nranks_per_host: 2\nplacement: cyclic\n' > cluster.yaml
export GMSIM_CLUSTER=cluster.yaml

# delays ARGUMENT..: check that tests/mpi/delays succeeds with these arguments, and print the
# first line of its output
delays()
{
    timeout 120 mpirun -n 8 "$GMQOS_BUILDDIR/tests/mpi/delays" -v "$@" > out 2> err || true
    [ "$(tail -n 1 out)" = " No Errors" ] || { cat out err; fail "$*"; }
    head -n 1 out | grep -v 'No Errors' || true
}

for flood in '' flood; do
    delays send 100 1 200 $flood
    delays send 4000 10 60 $flood
    delays send 17000 15 80 $flood
    delays send 65536 40 60 $flood
    delays send 262144 40 16 $flood
    delays persistent 8000 10 40 $flood
    delays persistent 65536 20 40 $flood
    delays put 65536 20 20 $flood
    delays get 65536 20 20 $flood
done

# the other ranks have reservations whose acknowledgements use the same NICs
echo '- {from: 4, to: [2, 5], bandwidth: 1 MB/s}
- {from: 5, to: [3, 4], bandwidth: 1 MB/s}
- {from: 2, to: [4, 5], bandwidth: 1 MB/s, message_size: 8000}' > policy.yaml
export MPIQOS_POLICY=policy.yaml
delays send 65536 20 60 flood
delays send 65536 10 60 flood
delays persistent 8000 5 40 flood
unset MPIQOS_POLICY

# reported PATTERN ARGUMENT..: check that the table of delays contains a matching line
reported()
{
    local pattern=$1
    shift
    MPIQOS_REPORT=report mpirun -n "$ranks" "$GMQOS_BUILDDIR/tests/mpi/delays" "$@" > out 2>&1 || true
    sed -n '/^delays on/,$p' report | grep "$pattern" > /dev/null || { cat report; fail "$*: $pattern"; }
}
ranks=2
reported ' kept$' send 65536 40 20
reported ' kept$' send 8000 10 20
reported 'not checked: no message has arrived (puts and gets are not measured)$' put 65536 20 4
reported 'not checked: no bound: the bandwidth or the load is so high that the NIC may send a message before the sender learns that the previous message has arrived$' \
    send 17000 30 20
# rank 0 has eight reservations, which is one more than its send tokens allow
printf 'hosts: 9\n' > cluster.yaml
ranks=9
echo '- {from: 0, to: [2, 3, 4, 5, 6, 7], bandwidth: 1 MB/s}' > policy.yaml
export MPIQOS_POLICY=policy.yaml
reported ' kept$' send 65536 5 4
echo '- {from: 0, to: [2, 3, 4, 5, 6, 7, 8], bandwidth: 1 MB/s}' > policy.yaml
reported 'no bound: the sender has held more than seven reservations at once$' send 65536 5 4
reported ' kept$' send 8000 5 4
unset MPIQOS_POLICY
ranks=2
printf 'hosts: 4\nparameters:\n  undeclared: free\n' > cluster.yaml
reported 'not checked: no bound: the manager computes no delays on this cluster$' send 65536 5 4

[ "$failures" != 0 ] || echo "ok: delays are within their bounds"
finish
