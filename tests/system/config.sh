#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks gmsim config. The installed cluster descriptions must be valid, and `show` must
# print equivalent descriptions. Invalid descriptions are checked in bad.sh.
# needs: nothing
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

gmsim=$GMQOS_STAGE/bin/gmsim
# plain FILE: print the file without comments
plain()
{
    sed 's/ *#.*//' "$1"
}

# same FILE: check that the output of `show` is a description for which `show` prints the
# same output
same()
{
    "$gmsim" config show "$1" > once.yaml || fail "show $1"
    "$gmsim" config show once.yaml > twice.yaml || fail "show what show printed of $1"
    cmp <(plain once.yaml) <(plain twice.yaml) || fail "$1: show printed a different description"
}

count=0
for file in "$GMQOS_SRCDIR"/clusters/*.yaml; do
    count=$((count + 1))
    "$gmsim" config check "$file" > out || fail "${file##*/} is refused"
    same "$file"
done
[ "$count" -ge 6 ] || fail "only $count clusters are installed"

cat > all.yaml <<'END'
profile: myrinet2000
hosts: 3
time: measured:2.5
topology: graph
switches: [4, 3]
cables:
  - host 1 to switch 0
  - host 2 to switch 0 port 3
  - switch 0 port 1 to switch 1 port 2
  - host 3 to switch 1
placement:
  node1: [0, 3]
  node3: 1..2
host_topology: "pack:2 core:2 pu:1"
parameters:
  link_bytes_s: 300e6
faults:
  drop: 0.01
  events:
    - {at_us: 100, link: switch 0 port 1 to switch 1, for_us: 50}
    - {at_us: 200, node: 3}
    - {at_us: 300, reset_nic: 2}
    - {at_us: 400, kill_rank: 3}
    - {at_us: 500, kill_node: 2}
    - {at_us: 600, stop: random}
END
same all.yaml
"$gmsim" config show all.yaml > shown
# mentions LINE: check that the output of `show` contains the line; blanks are ignored
mentions()
{
    # grep is used without -q, because the pipe would fail if the reader ended early
    tr -s ' ' < shown | grep -xF -- "$1" > /dev/null || fail "show does not print '$1'"
}
mentions 'profile: myrinet2000 # line 1'
mentions 'hosts: 3 # line 2'
mentions 'time: measured:2.5 # line 3'
mentions 'routing: auto # default'
mentions 'host_topology: "pack:2 core:2 pu:1" # line 14'
mentions ' link_bytes_s: 300000000 # line 16'
mentions ' lanai_cycle_ps: 7519 # profile myrinet2000'
mentions ' fault_drop_ppm: 10000 # line 18'
mentions ' nic_check_crc: 1 # set because faults are configured'
mentions ' node3: [1, 2]'
mentions ' - switch 0 port 1 to switch 1 port 2'
mentions ' - host 1 to switch 0 port 0'
mentions ' - {at_us: 100, link: switch 0 port 1 to switch 1, for_us: 50}'
mentions ' - {at_us: 400, kill_rank: 3}'
GMSIM_TIME=wall "$gmsim" config show all.yaml > shown
mentions 'time: wall:1 # GMSIM_TIME'
"$gmsim" config show > shown
mentions '# the default cluster, with every default; `gmsim params --long` explains each parameter'

# select parameters with a pattern, as for experiments
"$gmsim" params 'qos_i*' --csv | cut -d, -f1 > out
diff out - <<'END' || fail "params 'qos_i*'"
name
qos_idt_product
qos_idle_us
END
status=0
"$gmsim" params 'none*' 2> err || status=$?
[ "$status" = 2 ] || fail "a pattern that matches no parameter: status $status"

status=0
"$gmsim" config chek wrong.yaml 2> err || status=$?
[ "$status" = 2 ] || fail "an invalid word: status $status"
finish
