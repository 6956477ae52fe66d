#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# gmsim config import: clusters out of what ibnetdiscover and SimGrid write, what
# is said of the rest, and files of which nothing can be made.
# needs: nothing
set -euo pipefail

gmsim=$GMQOS_STAGE/bin/gmsim
data=$GMQOS_SRCDIR/tests/data/import
unset GMSIM_CLUSTER
bad=0

fail()
{
    echo "FAIL: $*"
    bad=1
}

# import FILE: into cluster.yaml, which must be right; notes are in err
import()
{
    "$gmsim" config import "$1" > cluster.yaml 2> err || { cat err; fail "import $1"; }
    "$gmsim" config check cluster.yaml > out 2>&1 || { cat out; fail "$1: the cluster is refused"; }
}

# has FILE TEXT..: each is in the file
has()
{
    for text in "${@:2}"; do
        grep -qF -- "$text" "$1" || { cat "$1"; fail "no '$text'"; }
    done
}

cp "$data"/* .
import fabric.ibnet
has cluster.yaml 'hosts: 4' 'switches: [24, 36]' \
    'host 1 to switch 0 port 0  # alpha HCA-1' \
    'host 4 to switch 1 port 1  # delta HCA-1' \
    'switch 0 port 22 to switch 1 port 22' 'link_bytes_s: 2000000000'
[ "$(grep -c '^  - ' cluster.yaml)" = 6 ] || fail "six cables"
has err 'delta HCA-1) has a cable at port 2, too' 'links of several speeds'

import cluster.xml
has cluster.yaml 'hosts: 16' 'topology: torus' 'columns: 8' 'rows: 2' \
    'link_bytes_s: 125000000' 'link_propagation_ps: 2000000'
has err 'cluster.xml:4: speed has no counterpart' 'cluster.xml:7: <host> is left out'

# cluster ATTRIBUTE..: a platform file with these
cluster()
{
    echo "<platform version='4.1'><cluster id='c' $*/></platform>" > p.xml
}
cluster "radical='0-9' bw='10Gbps' lat='100ns' bb_bw='1GBps'"
import p.xml
has cluster.yaml 'hosts: 10' 'topology: crossbar' 'switch_ports: 16' \
    'link_bytes_s: 1250000000' 'link_propagation_ps: 100000'
has err 'a backbone that all share has no counterpart'
cluster "radical='0-99' bw='1GBps' lat='1us'"
import p.xml
has cluster.yaml 'hosts: 100' 'topology: clos'
cluster "radical='0-15' bw='1GBps' lat='1us' topology='FAT_TREE' topo_parameters='2;4,4;1,2;1,1'"
import p.xml
has cluster.yaml 'topology: fat-tree' 'hosts_per_switch: 4' 'tree_up: 2'

# refuse TEXT FILE
refuse()
{
    local status=0
    "$gmsim" config import "$2" > out 2> err || status=$?
    [ "$status" = 2 ] || fail "$2 ($1): status $status"
    [ ! -s out ] || fail "$2 ($1): a cluster although it is refused"
    has err "$1"
}
refuse "none: cannot be read" none
: > empty
refuse "empty: no switch in it" empty
printf 'Switch 24 "S-1"\n[25] "H-1"[1]\n' > a
refuse "a:2: port 25; the switch has 1..24" a
printf 'Switch 24 "S-1"\n[x] "H-1"[1]\n' > a
refuse "a:2: not a line like" a
printf 'Switch 648 "S-1"\n' > a
refuse "a:1: switch 'S-1' has 648 ports; allowed: 2..64" a
printf 'Switch 24 "S-1"\nSwitch 24 "S-1"\n' > a
refuse "a:2: 'S-1' is described twice, first on line 1" a
echo '<platform><cluster' > p.xml
refuse "p.xml:1: not valid XML" p.xml
echo '<platform/>' > p.xml
refuse "no <cluster> in it" p.xml
cluster "radical='0-9' bw='10 parsecs' lat='1us'"
refuse "attribute 'bw': value '10 parsecs'; allowed: a number and a unit" p.xml
cluster "radical='9-0' bw='1Gbps' lat='1us'"
refuse "attribute 'radical': value '9-0'" p.xml
cluster "radical='0-9' bw='1Gbps'"
refuse "a cluster without 'lat'" p.xml
cluster "radical='0-7' bw='1Gbps' lat='1us' topology='TORUS' topo_parameters='2,2,2'"
refuse "a torus of '2,2,2' has no counterpart" p.xml
cluster "radical='0-9' bw='1Gbps' lat='1us' topology='TORUS' topo_parameters='4,4'"
refuse "a torus of 4 x 4 is not for 10 hosts" p.xml
cluster "radical='0-9' bw='1Gbps' lat='1us' topology='DRAGONFLY' topo_parameters='3,4;3,2;3,1;2'"
refuse "topology 'DRAGONFLY' has no counterpart; allowed: FLAT, TORUS, FAT_TREE" p.xml
cluster "radical='0-9' bw='1Gbps' lat='1us'/><cluster id='d' radical='0-9' bw='1Gbps' lat='1us'"
refuse "a second <cluster>; allowed: one" p.xml
status=0
"$gmsim" config import 2> err || status=$?
[ "$status" = 2 ] || fail "import without a file: status $status"
exit $bad
