#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests MPIQOS_POLICY with programs that do not request reservations: the achieved bandwidths, the
# report, and the refusal of jobs with an invalid policy.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_ends_test=yes
fail_shows="out err report"

# check that mpi-bandwidth is not linked with libmpiqos; builds with sanitizers are an exception,
# because they link all libraries on the command line
[ -n "${GMQOS_SAN_FLAGS:-}" ] || ! ldd "$(command -v mpi-bandwidth)" | grep libmpiqos > /dev/null ||
    fail "mpi-bandwidth has libmpiqos"

# within PERCENT MB/S: check that mpi-bandwidth achieves this bandwidth within PERCENT %
within()
{
    awk -F, -v percent="$1" -v want="$2" '/^[0-9]/ {
        rows++; off = ($3 / want - 1) * 100
        printf "%s bytes: %s MB/s, asked %s, off by %.2f %%\n", $1, $3, want, off
        bad = bad || off > percent || off < -percent }
        END { exit bad || rows != 1 }' out || fail "not within $1 %"
}

for asked in 10 40; do
    for size in 4K 64K 1M; do
        bytes=$(numfmt --from=iec $size)
        [ "$asked$size" != 404K ] || continue # more than 4 KB messages can reach
        cat > policy.yaml << END
# the benchmark has one flow
- {from: 0, to: 1, bandwidth: $asked MB/s, message_size: $bytes}
END
        MPIQOS_POLICY=policy.yaml MPIQOS_REPORT=report \
            mpirun -n 2 mpi-bandwidth --csv --size $size > out 2> err
        [ ! -s err ] || fail "prints a message"
        grep -q "^policy:2 .* granted " report || fail "no row"
        within 2 "$asked"
    done
done

# a denial is printed once as a message and once in the table, but the program runs
echo '- {from: [0], to: 1, bandwidth: 70 MB/s}' > policy.yaml
MPIQOS_POLICY=policy.yaml mpirun -n 2 mpi-bandwidth --csv --size 64K > out 2> err
[ "$(cat err | wc -l)" = 1 ] || fail "not one line"
grep -q '^mpiqos: policy.yaml:1: flow from rank 0 to rank 1 on MPI_COMM_WORLD: denied: requested 70 MB/s to rank 1, but .* left for messages of 65536 bytes$' err ||
    fail "no reason"
MPIQOS_POLICY=policy.yaml MPIQOS_REPORT=- mpirun -n 2 mpi-bandwidth --csv --size 64K > out 2> err
grep -q '^policy:1 .* 70 .* denied ' err || fail "no table on standard error"
echo "ok: denials"

# check the rows of the report's table: communicator names, "any", lists of ranks, the order of the
# rules, and requests that hints make
cat > names.c << 'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Comm halo, half, cart;
    MPI_Win win;
    MPI_Info info;
    int rank, size, word;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &halo);
    MPI_Comm_set_name(halo, "halo");
    /* ranks 2, 3: world ranks, whatever their rank in the communicator */
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, &half);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &(int){1}, 0, &cart);
    MPI_Win_create(&word, sizeof(word), 1, MPI_INFO_NULL, halo, &win);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpiqos_bandwidth", "1 MB/s");
    MPI_Comm_set_info(cart, info);
    MPI_Info_free(&info);
    MPI_Win_free(&win);
    static char data[65536];
    if (rank == 2)
        MPI_Send(data, sizeof(data), MPI_BYTE, 3, 0, MPI_COMM_WORLD);
    else if (rank == 3)
        MPI_Recv(data, sizeof(data), MPI_BYTE, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_free(&cart);
    MPI_Comm_free(&half);
    MPI_Comm_free(&halo);
    MPI_Finalize();
    return 0;
}
END
mpicc -o names names.c
cat > policy.yaml << 'END'
- {from: 0, to: 2, class: none}
- {from: 0, to: 1..2, bandwidth: 2 MB/s, communicator: world}
- {from: 0, to: all, bandwidth: 3 MB/s, communicator: world}
- {from: 1, to: all, bandwidth: 4 MB/s, communicator: halo}
- {from: 2, to: 3, bandwidth: 5 MB/s, communicator: any}
END
run_names()
{
    MPIQOS_POLICY=policy.yaml MPIQOS_REPORT=report mpirun -n 4 ./names > out 2> err ||
        fail "status $?"
    [ ! -s err ] || fail "prints a message"
    # replace the blanks in names, because awk separates fields at blanks
    sed 's/(no name)/(no_name)/; s/window of halo/window_of_halo/' report |
        awk 'NF == 0 { ended = 1 } NR > 1 && !ended { print $1, $2, $3, $4, $8 }' |
        sed 's/_name/ name/; s/window_of_halo/window of halo/' > rows
}
# With strict windows, the IDTs are shorter, but the granted bandwidths are the same.
echo 'parameters: {qos_strict_windows: 1}' > strict.yaml
GMSIM_CLUSTER=strict.yaml run_names
mv rows strict_rows
grep -o 'granted  *[0-9.]*' report | sort -u > strict_granted
run_names
grep -o 'granted  *[0-9.]*' report | sort -u > granted
diff granted strict_granted || fail "bandwidths granted with strict windows"
# Rank 2 sends to rank 3 on two communicators, halo and the grid, which at first have no names. The
# row of halo appears again with its name, because a rule contains this name. The window is named
# after halo. In the communicator half, the receiver has a different rank, and therefore a separate
# row.
cat > expected << 'END'
policy:2 MPI_COMM_WORLD 0 1 1
policy:3 MPI_COMM_WORLD 0 all 1
hints (no name) 0 all 1
policy:4 halo 1 all 1
hints (no name) 1 all 1
policy:5 MPI_COMM_WORLD 2 3 1
policy:5 (no name) 2 3 2
policy:5 halo 2 3 1
policy:5 (no name) 2 3 1
policy:5 window of halo 2 3 1
hints (no name) 2 all 1
hints (no name) 3 all 1
END
diff expected rows || fail "rows"
diff expected strict_rows || fail "rows with strict windows"
# in the table of delays, every reservation has a bound, which no delay exceeds
awk 'NF == 0 { delays = 1; next } delays && !/^delays on/ { n++; kept += / kept$/
        if (/ broken$/ || /no bound/) bad = 1 }
    END { exit bad || n == 0 || kept == 0 }' report || fail "delays"
echo "ok: names, lists, order"

# a misspelt communicator name is reported at the end, together with the existing names
cat > typo.yaml << 'END'
- {from: 0, to: 1, bandwidth: 2 MB/s}
- {from: 1, to: all, bandwidth: 4 MB/s, communicator: hallo}
END
MPIQOS_POLICY=typo.yaml mpirun -n 4 ./names > out 2> err || fail "status $?"
grep -qxF "mpiqos: warning: typo.yaml:2: the rule had no effect, because no communicator with its ranks is named 'hallo'; names in use: halo, window of halo" err ||
    fail "a rule without effect"
[ "$(wc -l < err)" = 1 ] || fail "the message is printed more than once"
GMSIM_RECROD=x mpirun -n 2 ./names > out 2> err || fail "status $?"
grep -qxF "gmsim: warning: environment variable GMSIM_RECROD is unknown and has no effect (did you mean 'GMSIM_RECORD'?)" err ||
    fail "a misspelt variable"
echo "ok: rules and variables without effect are reported"

# A program can read the results of several rules. The overall state is the state of the first rule
# that was not granted, and each peer also has its own state.
cat > rules.c << 'END'
#include <mpi.h>
#include <mpi_qos.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    MPIQOS_Flow flow = MPIQOS_FLOW_INIT, *answer = NULL;
    MPI_Info info;
    char value[MPI_MAX_INFO_VAL + 1];
    int rank, found;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Comm_get_attr(MPI_COMM_WORLD, MPIQOS_FLOW, &answer, &found);
        printf("%s %d %g: %s\n", MPIQOS_State_name(answer->state), answer->peer,
               answer->bandwidth / 1e6, answer->reason);
        for (int peer = 0; peer < 5; peer++) {
            MPIQOS_Peer_state(MPI_COMM_WORLD, peer, &flow);
            printf("%d %s %d %.0f\n", peer, MPIQOS_State_name(flow.state),
                   flow.peer, flow.granted_bandwidth / 1e6);
        }
        MPI_Comm_get_info(MPI_COMM_WORLD, &info);
        for (int i = 0; i < 4; i++) {
            char key[32];
            snprintf(key, sizeof(key), i ? "mpiqos_rule_%d" : "mpiqos_rules", i);
            MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
            printf("%s %.8s\n", key, found ? value : "none");
        }
        MPI_Comm_set_info(MPI_COMM_SELF, info); /* answers have no meaning there */
        MPI_Info_free(&info);
    }
    MPI_Finalize();
    return 0;
}
END
mpicc -o rules rules.c -lmpiqos
cat > policy.yaml << 'END'
- {from: 0, to: 1, bandwidth: 2 MB/s}
- {from: 0, to: 2, bandwidth: 70 MB/s}
- {from: 0, to: all, bandwidth: 3 MB/s}
END
MPIQOS_POLICY=policy.yaml mpirun -n 5 ./rules > out 2> err || fail "status $?"
cat > expected << 'END'
0 released 4 0
1 granted 1 2
2 denied 2 0
3 granted 3 3
4 granted 4 3
mpiqos_rules 3
mpiqos_rule_1 granted:
mpiqos_rule_2 denied: 
mpiqos_rule_3 granted:
END
sed -n '1p' out | grep -q '^denied 2 70: 2 of 3 rules granted; first rule not granted: requested 70 MB/s to rank 2, ' ||
    fail "several rules"
sed '1d' out | sed 's/^0 released .*/0 released 4 0/' | diff expected - || fail "several rules"
sed -i 's/70 MB/7 MB/' policy.yaml
MPIQOS_POLICY=policy.yaml mpirun -n 5 ./rules > out 2> err || fail "status $?"
sed -n '1p' out | grep -q '^granted 1 2: 3 of 3 rules granted; first rule: [0-9.]* MB/s to rank 1 (premium, ' ||
    fail "several rules, all granted"
echo "ok: several rules"

# if a program uses only MPI Sessions, the library prints once that hints and policies have no
# effect
cat > sessions.c << 'END'
#include <mpi.h>
int main(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Info info;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpiqos_bandwidth", "1 MB/s");
    MPI_Comm_create_from_group(group, "all", info, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Barrier(comm);
    MPI_Info_free(&info);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    return 0;
}
END
mpicc -o sessions sessions.c
mpirun -n 3 ./sessions > out 2> err || fail "sessions: status $?"
[ "$(grep -c 'mpiqos: hints, MPIQOS_POLICY and MPIQOS_REPORT have no effect, because they require MPI_Init' err)" = 1 ] ||
    fail "no message about sessions with hints"
echo '- {from: 0, to: 1, bandwidth: 2 MB/s}' > policy.yaml
MPIQOS_POLICY=policy.yaml mpirun -n 3 ./sessions > out 2> err || fail "sessions: status $?"
[ "$(grep -c 'mpiqos: hints, MPIQOS_POLICY and MPIQOS_REPORT have no effect, because they require MPI_Init' err)" = 1 ] ||
    fail "no message about sessions with a policy"
echo "ok: sessions"

# refused POLICY TEXT: check that a job with this policy fails and prints "wrong.yaml:TEXT" once
refused()
{
    local text=$1 want=$2 status=0
    printf '%s\n' "$text" > wrong.yaml
    MPIQOS_POLICY=wrong.yaml timeout 60 mpirun -n 3 ./names > out 2> err || status=$?
    [ $status != 0 ] || fail "accepted: $text"
    grep -qF -- "wrong.yaml:$want" err || fail "$text: not '$want'"
    [ "$(grep -c 'wrong.yaml' err)" = 1 ] || fail "$text: not printed exactly once"
}
refused '- {from: 0, to: 1, bandwidth: 40 Mb/s}' \
    "1: key 'bandwidth': value '40 Mb/s' is not a valid bandwidth; allowed: 0 to 1e12 bytes/s"
refused '- {from: 0, to: 1, bandwidth: -4 B/s}' "1: key 'bandwidth': value '-4 B/s' is not a valid bandwidth"
refused '- {from: 0, to: 1, bandwidth: 40}' \
    "1: key 'bandwidth': value '40' has no unit: '40 MB/s' or '40 B/s'?; allowed: 0 to 1e12 bytes/s"
refused '- {from: 0, to: 1, bandwidth: 1e13 B/s}' "1: key 'bandwidth': value '1e13 B/s' is not a valid bandwidth"
refused '- {from: 0, to: 3, bandwidth: 1 B/s}' \
    "1: key 'to': value '3' is not a rank of this job; allowed: 0..2, a range of these ranks, a list of ranks and ranges, all, or io"
refused '- {from: [0, x], to: 1, bandwidth: 1 B/s}' "1: key 'from': value 'x' is not a rank"
refused '- {from: 1, to: 1, bandwidth: 1 B/s}' "1: key 'to': value '1' is the sender itself"
refused '- {from: 1, to: 2}' "1: a premium rule requires the key 'bandwidth'"
refused '- {from: 1, bandwidth: 2 B/s}' "1: a rule requires the key 'to'"
refused '- {from: 0, to: 1, bandwidth: 1 B/s, class: gold}' \
    "1: key 'class': value 'gold' is unknown; allowed: premium, best-effort, none"
refused '- {from: 0, to: 1, bandwidth: 1 B/s, message_size: 0}' \
    "1: key 'message_size': value '0' is not a message size; allowed: 1..2147483647 bytes"
refused '- {from: 0, to: 1, bandwith: 1}' \
    "1: unknown key 'bandwith' (did you mean 'bandwidth'?); allowed: from, to, bandwidth"
refused '- {from: 0, to: 1, bandwidth: 1 B/s, bandwidth: 2 B/s}' "1: key 'bandwidth' is given twice"
refused '- {from: 0, to: 1, bandwidth: [1, 2]}' "1: key 'bandwidth': value '2' is an unexpected second value"
refused '- {from: 0, to: [], bandwidth: 1 B/s}' "1: key 'to': value is a list without values"
refused '- {from: 0, to: {a: 1}, bandwidth: 1 B/s}' "1: key 'to': value is a mapping"
refused '- {from: 0, to: , bandwidth: 1 B/s}' "1: key 'to': value '' is empty"
refused 'from: 0' '1: not a list'
refused '- 7' '1: a record must be a mapping'
refused '' '1: not a list'
refused '- {from: 0' '2: not valid YAML'
refused $'# two lines\n- {from: 9, to: 0, bandwidth: 1 B/s}' "2: key 'from': value '9'"
MPIQOS_POLICY=none.yaml mpirun -n 2 ./names > out 2> err && fail "no file: accepted"
grep -q 'none.yaml: cannot be read: No such file' err || fail "no file"
MPIQOS_REPORT=nowhere/report mpirun -n 2 ./names > out 2> err && fail "report: accepted"
grep -q "MPIQOS_REPORT: cannot write 'nowhere/report'" err || fail "report"
echo "ok: invalid policies"

# without a policy, no message is printed
mpirun -n 2 ./names > out 2> err
[ ! -s err ] || fail "prints a message without a policy"

# a tool that intercepts MPI calls does not intercept the calls of the library
cat > tool.c << 'END'
#include <mpi.h>
#include <stdio.h>
static int calls;
int MPI_Comm_get_name(MPI_Comm comm, char *name, int *length)
{
    calls++;
    return PMPI_Comm_get_name(comm, name, length);
}
int MPI_Comm_set_attr(MPI_Comm comm, int keyval, void *value)
{
    calls++;
    return PMPI_Comm_set_attr(comm, keyval, value);
}
int MPI_Comm_size(MPI_Comm comm, int *size)
{
    calls++;
    return PMPI_Comm_size(comm, size);
}
int MPI_Gather(const void *out, int count, MPI_Datatype type, void *in, int count_in,
               MPI_Datatype type_in, int root, MPI_Comm comm)
{
    calls++;
    return PMPI_Gather(out, count, type, in, count_in, type_in, root, comm);
}
int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* the tool works */
    MPI_Finalize();
    printf("%d calls\n", calls);
    return 0;
}
END
mpicc -o tool tool.c
echo '- {from: all, to: all, bandwidth: 1 MB/s}' > policy.yaml
MPIQOS_POLICY=policy.yaml MPIQOS_REPORT=report mpirun -n 2 ./tool > out 2> err
[ "$(sort -u out)" = "1 calls" ] || fail "a tool sees the calls of the library"
grep -q '^policy:1 .* granted ' report || fail "no request"
echo "ok: tools"
