#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests libmpi_abi, the standard ABI of MPI 5. A program that was linked with another
# library for this ABI must run unchanged, in the same simulated time as a program for
# libmpi. Policies, hints, and tools that use the profiling interface must work for such
# a program.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_shows="out err report"

# libmpiqos is loaded with RTLD_DEEPBIND, which the sanitizers do not support
if [ -n "${GMQOS_SAN_FLAGS:-}" ]; then
    skip "the sanitizers do not support RTLD_DEEPBIND"
fi
header=$GMQOS_STAGE/include/mpi_abi/mpi.h
library=$GMQOS_STAGE/lib/libmpi_abi.so.1

# a program that was compiled with mpicc_abi is linked only with the library of the ABI, and this
# library needs libmpi
mpicc_abi -O1 -Wall -Wextra -Werror -o own "$GMQOS_SRCDIR/tests/data/standard_abi.c"
readelf -d own > needed
grep -qF 'libmpi_abi.so.1' needed || fail "own does not need libmpi_abi.so.1"
! grep -qF 'libmpi.so' needed || fail "own needs libmpi"
for ranks in 3 4; do
    mpirun -n $ranks ./own > out 2> err || fail "own on $ranks ranks: status $?"
    [ "$(cat out)" = "No Errors" ] && [ ! -s err ] || fail "own on $ranks ranks"
done

# another MPI: a library that has the names of the ABI, and a program that is linked with
# this library
mkdir elsewhere
sed -n 's/^[A-Za-z_]* \(MPI_[A-Za-z0-9_]*\)(.*);$/void \1(void) {}/p' "$header" > elsewhere/stub.c
sed -i 's/^void \(MPI_[A-Za-z0-9_]*\).*/&\nvoid P\1(void) {}/' elsewhere/stub.c
gcc -shared -fPIC -Wl,-soname,libmpi_abi.so.1 -o elsewhere/libmpi_abi.so elsewhere/stub.c
gcc -I "$GMQOS_STAGE/include/mpi_abi" -o foreign "$GMQOS_SRCDIR/tests/data/standard_abi.c" \
    -L elsewhere -lmpi_abi
! readelf -d foreign | grep -E 'R(UN)?PATH' > /dev/null || fail "foreign has a path"
mpirun -n 4 ./foreign > out 2> err || fail "foreign: status $?"
[ "$(cat out)" = "No Errors" ] && [ ! -s err ] || fail "foreign"

# old programs call functions that the header does not declare
removed=(Address Errhandler_create Errhandler_get Errhandler_set Type_extent Type_hindexed
    Type_hvector Type_lb Type_struct Type_ub)
mpicc_abi -O1 -Wall -Wextra -Werror -o removed "$GMQOS_SRCDIR/tests/data/removed_abi.c"
mpirun -n 1 ./removed > out 2> err || fail "removed functions: status $?"
[ "$(cat out)" = "No Errors" ] && [ ! -s err ] || fail "removed functions"

# the library exports the functions in the header and the removed functions, and no other names
nm -D --defined-only "$library" | awk '{ print $3 }' | LC_ALL=C sort > exported
{
    sed -n 's/^void \([A-Za-z0-9_]*\).*/\1/p' elsewhere/stub.c
    printf 'MPI_%s\n' "${removed[@]}"
    printf 'PMPI_%s\n' "${removed[@]}"
} | LC_ALL=C sort > declared
diff declared exported > out || fail "the exported names differ"
[ "$(wc -l < exported)" -gt 1300 ] || fail "only $(wc -l < exported) names"

# the simulated time does not depend on the library
for name in jacobi array; do
    source=$GMQOS_SRCDIR/examples/$name.c
    mpicc -o $name.mpich "$source" -lm
    gcc -w -I "$GMQOS_STAGE/include/mpi_abi" -o $name.abi "$source" -L elsewhere -lmpi_abi -lm
    for kind in mpich abi; do
        GMSIM_RECORD=$name.$kind.record mpirun -n 4 ./$name.$kind > out 2> err ||
            fail "$name.$kind: status $?"
        sed -nE 's/^ *"end_ps": ?([0-9]+).*/\1/p' $name.$kind.record/record.json > $name.$kind.end
        [ -s $name.$kind.end ] || fail "$name.$kind: no end in the record"
    done
    cmp $name.mpich.end $name.abi.end || fail "$name ends at another time"
done

# a policy reserves bandwidth for a program that uses only MPI
cat > bandwidth.c << 'END'
#include <mpi.h>
#include <stdio.h>
static char data[200][65536];
int main(int argc, char **argv)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Info info;
    MPI_Request requests[200];
    double start;
    int rank, i, flag = 0;
    char value[64] = "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info_create(&info);
    if (argc > 1) {
        MPI_Info_set(info, "mpiqos_peer", "1");
        MPI_Info_set(info, "mpiqos_bandwidth", argv[1]);
    }
    if (argc > 1)
        MPI_Comm_dup_with_info(MPI_COMM_WORLD, rank == 0 ? info : MPI_INFO_NULL, &comm);
    MPI_Info_free(&info);
    if (rank == 0 && argc > 1) {
        MPI_Comm_get_info(comm, &info);
        MPI_Info_get(info, "mpiqos_state", 63, value, &flag);
        printf("state: %s\n", value);
        MPI_Info_free(&info);
    }
    MPI_Barrier(comm);
    start = MPI_Wtime();
    for (i = 0; i < 200; ++i) {
        if (rank == 0)
            MPI_Isend(data[i], 65536, MPI_CHAR, 1, 0, comm, &requests[i]);
        else
            MPI_Irecv(data[i], 65536, MPI_CHAR, 0, 0, comm, &requests[i]);
    }
    MPI_Waitall(200, requests, MPI_STATUSES_IGNORE);
    if (rank == 1)
        printf("%.2f MB/s\n", 200 * 65536 / (MPI_Wtime() - start) / 1e6);
    MPI_Finalize();
    return 0;
}
END
gcc -I "$GMQOS_STAGE/include/mpi_abi" -o bandwidth bandwidth.c -L elsewhere -lmpi_abi
echo '- {from: 0, to: 1, bandwidth: 40 MB/s, message_size: 65536}' > policy.yaml
MPIQOS_POLICY=policy.yaml MPIQOS_REPORT=report mpirun -n 2 ./bandwidth > out 2> err ||
    fail "policy: status $?"
grep -q '^policy:1 .* granted ' report || fail "the policy's rule is not in the report"
awk '/MB\/s/ { found = $1 > 39 && $1 < 41 } END { exit !found }' out ||
    fail "the bandwidth is not that of the policy"
mpirun -n 2 ./bandwidth "30 MB/s" > out 2> err || fail "hints: status $?"
grep -q '^state: granted' out || fail "the hints are not granted"
awk '/MB\/s/ { found = $1 > 29 && $1 < 31 } END { exit !found }' out ||
    fail "the bandwidth is not that of the hints"

# a tool that uses the profiling interface
cat > tool.c << 'END'
#include <mpi.h>
#include <stdio.h>
static int sends;
int MPI_Isend(const void *b, int n, MPI_Datatype t, int dest, int tag, MPI_Comm c, MPI_Request *r)
{
    ++sends;
    return PMPI_Isend(b, n, t, dest, tag, c, r);
}
int MPI_Finalize(void)
{
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("%d sends\n", sends);
    return PMPI_Finalize();
}
END
gcc -shared -fPIC -I "$GMQOS_STAGE/include/mpi_abi" -o tool.so tool.c
mpirun -n 2 env LD_PRELOAD="$PWD/tool.so" ./bandwidth > out 2> err || fail "tool: status $?"
grep -qx '200 sends' out || fail "the tool does not see the calls"
finish
