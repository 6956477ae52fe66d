#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Arbitrary output of a rank to its launcher: the launcher does not end by a signal,
# names the rank whose output is no PMI command, and ends the job; nothing remains.
# The words are those of the fuzz target (tests/fuzz/corpus-pmi).
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_shows=out

cat > say << 'END'
#!/bin/bash
if [ "$PMI_RANK" = 1 ]; then
    cat "$1" >&"$PMI_FD"
    # what it is told is of no interest
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
            grep -q '^mpiexec: rank 1 (process [0-9]*) is killed: it sent a malformed PMI command: ' \
                out || fail "$name, $then: not said"
            malformed=$((malformed + 1))
            ;;
        esac
    done
done
[ "$malformed" -ge 20 ] || fail "only $malformed malformed commands"
sleep 0.2
left=$(grep -lz "^TEST_MARK=$mark\$" /proc/[0-9]*/environ 2> /dev/null | grep -v self || true)
[ -z "$left" ] || fail "left: $left"
echo "$malformed malformed commands refused"
finish
