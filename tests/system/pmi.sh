#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Sends arbitrary bytes from a rank to its launcher. No signal may end the launcher. If the
# output of a rank is not a PMI command, the launcher must name this rank and end the job.
# No process or file may remain. The test uses the inputs of the fuzz target
# (tests/fuzz/corpus-pmi).
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_shows=out

cat > say << 'END'
#!/bin/bash
if [ "$PMI_RANK" = 1 ]; then
    cat "$1" >&"$PMI_FD"
    # the launcher's answers are discarded
    [ "$2" = leave ] || exec sleep 60 > /dev/null
    exit 0
fi
exec sleep 60
END
chmod +x say
malformed=0
mark=pmi-$$
for file in "$GMQOS_SRCDIR"/tests/fuzz/corpus-pmi/*; do
    name=${file##*/}
    [ "$name" != spawn-whole ] || continue # starts processes (mpi-spawn.sh)
    for then in stay leave; do
        case $name.$then in
        start.stay | exchange.stay | abort.* | names.stay) continue ;; # would wait
        esac
        status=0
        TEST_MARK=$mark timeout 30 mpirun -n 2 ./say "$file" $then > out 2>&1 < /dev/null ||
            status=$?
        [ "$status" != 124 ] || fail "$name, $then: hangs"
        [ "$status" != 0 ] || fail "$name, $then: status 0"
        ! grep -q "hydra_pmi_proxy, which\|Segmentation\|Aborted\|assert" out ||
            fail "$name, $then: the launcher itself failed"
        case $name in
        start | exchange | names) ;;
        *)
            grep -q '^mpiexec: killed rank 1 (process [0-9]*), because it sent a malformed PMI command: ' \
                out || fail "$name, $then: no message"
            malformed=$((malformed + 1))
            ;;
        esac
    done
done
[ "$malformed" -ge 20 ] || fail "only $malformed malformed commands"

# Send commands in pieces, such that the first bytes of a command arrive together with the last
# bytes of another command
cat > pieces << 'END'
#!/bin/bash
printf 'cmd=init pmi_version=1 pmi_subversion=1\ncm' >&"$PMI_FD"
read -r -u "$PMI_FD" && sleep 0.1
printf 'd=get_maxes\ncmd=get_appnum\ncmd=f' >&"$PMI_FD"
read -r -u "$PMI_FD" maxes && read -r -u "$PMI_FD" appnum && sleep 0.1
printf 'inalize\n' >&"$PMI_FD"
read -r -u "$PMI_FD" && echo "$maxes, $appnum"
END
chmod +x pieces
status=0
timeout 30 mpirun -n 2 ./pieces > out 2>&1 < /dev/null || status=$?
[ "$status" = 0 ] || fail "pieces: status $status"
[ "$(grep -c '^cmd=maxes .*, cmd=appnum appnum=0$' out)" = 2 ] || fail "pieces: wrong answers"

# A rank ends after it has sent half of a command. The launcher must not combine this half
# with a command of another rank, even if it was stopped and reads both at the same time.
cat > half << 'END'
#!/bin/bash
printf 'cmd=init pmi_version=1 pmi_subversion=1\n' >&"$PMI_FD"
read -r -u "$PMI_FD"
touch "begun.$PMI_RANK"
while [ ! -e half-go ]; do sleep 0.05; done
if [ "$PMI_RANK" = 0 ]; then
    printf 'cmd=ge' >&"$PMI_FD"
    exit 3
fi
printf 'cmd=get_maxes\n' >&"$PMI_FD"
exec sleep 60
END
chmod +x half
mpirun -n 2 ./half > out 2>&1 < /dev/null &
job=$!
for ((i = 0; i < 600; i++)); do
    [ "$(compgen -G 'begun.*' | wc -l)" != 2 ] || break
    sleep 0.05
done
proxy=$(pgrep -P "$job")
kill -STOP "$proxy"
touch half-go
sleep 0.5
kill -CONT "$proxy"
status=0
wait "$job" || status=$?
[ "$status" = 3 ] || fail "half: status $status"
! grep -q malformed out || fail "half: another rank is blamed"

sleep 0.2
left=$(grep -lz "^TEST_MARK=$mark\$" /proc/[0-9]*/environ 2> /dev/null | grep -v self || true)
[ -z "$left" ] || fail "processes remain: $left"
echo "$malformed malformed commands refused"
finish
