#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# needs: nothing
#
# Checks that a sweep with GNU parallel writes the same CSV as a sweep on this machine
# alone, even if commands do not inherit the environment.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_ends_test=yes
fail_shows="out err"
if ! command -v parallel > parallel.path || ! parallel --version 2> /dev/null | grep -q '^GNU parallel'; then
    skip "no GNU parallel (apt-get install parallel)"
fi
mkdir home
export HOME=$PWD/home # GNU parallel leaves files there

mkdir "a folder's"
cd "a folder's"
cat > s.yaml << 'END'
command: |
  echo "a {x} {y}"
  [ {y} != "u v" ] || [ {x} != 2 ] || exit 4
  gmsim params --csv hosts | grep '^hosts,{hosts},'
set: {hosts: {hosts}}
grid:
  x: {from: 1, to: 3, step: 1}
  y: [p, "u v"]
together: {hosts: [2, 4, 8]}
results:
  line: {regex: '^a.*'}
END
ends 1 gmsim sweep s.yaml
mv s.csv here.csv

ends 1 gmsim sweep --parallel --chunk 4 -o p.sweep s.yaml
cmp p.csv here.csv || fail "the results of parallel differ"
grep -q 'point 10 (x 2, y u v, hosts 2, seed 1): exit status 4' err || fail "no failed point"
[ "$(cat p.sweep/jobs/1.points | paste -sd' ')" = '1-4 5-8 9-12 13-16 17-18' ] || fail "--chunk"

# only the remaining points may run
rm p.sweep/points/0003/status p.sweep/points/0007/status
gmsim sweep --parallel -j 1 -o p.sweep s.yaml > out 2> err || :
[ "$(paste -sd' ' p.sweep/jobs/2.points)" = '3 7' ] || fail "the remaining points"
cmp p.csv here.csv || fail "the results differ after the continuation"

# simulate a remote machine, which does not receive the environment
cat > ssh << END
#!/bin/sh
echo "\$1" >> "$PWD/logins"
shift
[ "\$1" != -- ] || shift
exec env -i HOME="$HOME" SHELL=/bin/sh PATH=/usr/bin:/bin sh -c "\$*"
END
chmod +x ssh
cp ssh "$HOME/remote" # parallel accepts no blanks there
status=0
gmsim sweep --parallel --sshlogin "1/$HOME/remote elsewhere" -o r.sweep s.yaml > out 2> err ||
    status=$?
[ $status = 1 ] || fail "remote machine: status $status"
cmp r.csv here.csv || fail "the results of the remote machine differ"
grep -q elsewhere logins || fail "--sshlogin"

# write the script, but do not run it
gmsim sweep --parallel=script -o w.sweep s.yaml > out 2> err || fail "script"
sh -c "$(cat out)" > /dev/null 2>&1 || :
gmsim sweep --gather -o w.sweep s.yaml > out 2> err || :
cmp w.csv here.csv || fail "the results of the script differ"
echo "ok: GNU parallel"
