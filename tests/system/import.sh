#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks gmsim config import: clusters from ibnetdiscover and from SimGrid, the notes
# about unsupported lines, and files that cannot be imported.
# needs: nothing
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

gmsim=$GMQOS_STAGE/bin/gmsim
data=$GMQOS_SRCDIR/tests/data/import
# import FILE: import FILE to cluster.yaml, which must be valid; the notes are in err
import()
{
    "$gmsim" config import "$1" > cluster.yaml 2> err || { cat err; fail "import $1"; }
    "$gmsim" config check cluster.yaml > out 2>&1 || { cat out; fail "$1: the cluster is refused"; }
}

# has FILE TEXT..: check that the file contains each text
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
    'host 3 to switch 1 port 0 at 2000000000  # gamma HCA-1' \
    'switch 0 port 22 to switch 1 port 22  # ' 'link_bytes_s: 4000000000' 'profile: edr' \
    'qos_link_bytes_s: 3974769529'
[ "$(grep -c '^  - ' cluster.yaml)" = 6 ] || fail "six cables"
has err 'delta HCA-1) has another cable at port 2'

# this file is formatted like a manual page, with blanks before each line; it contains a
# NIC with two cables, and a router
import indented.ibnet
has cluster.yaml 'hosts: 4' 'switches: [24, 8]' 'host 2 to switch 0 port 7  # MT23108' \
    'switch 0 port 9 to switch 1 port 0' 'link_bytes_s: 1000000000'
has err 'indented.ibnet:25: a router has no counterpart' \
    'has another cable at port 1'

# this file has more ports than a switch in this project can have, and nodes that are not
# hosts
import sharp.ibnet
has cluster.yaml 'hosts: 3' 'switches: [64]' 'host 1 to switch 0 port 0  # node1 mlx5_0' \
    'host 2 to switch 0 port 1  # node "2" mlx5_0' 'host 3 to switch 0 port 2' \
    'link_bytes_s: 50000000000'
has err "has 129 ports, more than the 64 of a simulated switch: the 3 ports with cables" \
    '1 aggregation node is omitted, because it is part of a switch and not a host'
[ "$(wc -l < err)" = 2 ] || { cat err; fail "sharp.ibnet: two notes"; }

# a link that is faster than any simulated link
sed '0,/4xQDR/s//24xNDR/' fabric.ibnet > fast.ibnet
status=0
"$gmsim" config import fast.ibnet > out 2> err || status=$?
[ "$status" = 2 ] || fail "a fast link: status $status"
has err 'the link has 300000000000 bytes/s; allowed: up to 100000000000'

# forwarding tables in both formats; packets for alpha return over the second cable
# between the switches
cat > lfts << 'END'
Unicast lids [0x0-0x9] of switch Lid 3 guid 0x000b8cffff004901 (leaf one):
  Lid  Out   Destination
       Port     Info
0x0003 000 : (Switch portguid 0x000b8cffff004901: 'leaf one')
0x0004 001 : (Channel Adapter portguid 0x0002c90300000012: 'alpha HCA-1')
0x0005 002 : (Channel Adapter portguid 0x0002c90300000022: 'beta HCA-1')
0x0006 023 : (Switch portguid 0x000b8cffff004902: 'leaf two')
0x0007 023 : (Channel Adapter portguid 0x0002c90300000032: 'gamma HCA-1')
0x0008 024 : (Channel Adapter portguid 0x0002c90300000042: 'delta HCA-1')
0x0009 023 : (Channel Adapter portguid 0x0002c90300000043: 'delta HCA-1')
7 valid lids dumped
Unicast lids [0x0-0x9] of switch DR path slid 0; dlid 0; 0,1 guid 0x000b8cffff004902 (leaf two):
0x0004 024 : (Channel Adapter portguid 0x0002c90300000012: 'alpha HCA-1')
0x0005 023 : (Channel Adapter portguid 0x0002c90300000022: 'beta HCA-1')
0x0007 001 : (Channel Adapter portguid 0x0002c90300000032: 'gamma HCA-1')
0x0008 002 : (Channel Adapter portguid 0x0002c90300000042: 'delta HCA-1')
END
cat > a.fdbs << 'END'
osm_ucast_mgr_dump_ucast_routes: Switch 0x000b8cffff004901
LID    : Port : Hops : Optimal
0x0001 : UNREACHABLE
0x0004 : 001  : 00   : yes
0x0005 : 002  : 00   : yes
0x0007 : 023  : 01   : yes
0x0008 : 024  : 01   : yes

osm_ucast_mgr_dump_ucast_routes: Switch 0x000b8cffff004902
LID    : Port : Hops : Optimal
0x0004 : 024  : 01   : yes
0x0005 : 023  : 01   : yes
0x0007 : 001  : 00   : yes
0x0008 : 002  : 00   : yes
END
for routes in lfts a.fdbs; do
    "$gmsim" config import --routes $routes fabric.ibnet > cluster.yaml 2> err ||
        { cat err; fail "import with $routes"; }
    has cluster.yaml 'routing: tables' '  - [0, 1, 22, 23]' '  - [23, 22, 0, 1]'
    "$gmsim" config check cluster.yaml > out 2>&1 || { cat out; fail "$routes: refused"; }
    "$gmsim" config show cluster.yaml > shown.yaml
    has shown.yaml 'routing: tables' '  - [23, 22, 0, 1]' \
        'host 3 to switch 1 port 0 at 2000000000'
    "$gmsim" config check shown.yaml > out 2>&1 || { cat out; fail "shown: refused"; }
done

# refuse_routes TEXT COMMAND: change the tables with this sed command, and check that the
# import fails with a message that contains TEXT
refuse_routes()
{
    local status=0
    sed "$2" lfts > changed
    "$gmsim" config import --routes changed fabric.ibnet > out 2> err || status=$?
    [ "$status" = 2 ] || fail "$1: status $status"
    [ ! -s out ] || fail "$1: a cluster although the tables are refused"
    has err "$1"
}
refuse_routes "changed:14: not a line like '0x0004 022 : ..'" 's/^0x0005 023/0x0005 x/'
refuse_routes "changed:13: switch 1 sends packets for node 1 back to switch 0, so the route contains a loop" \
    's/^0x0004 001/0x0004 024/'
refuse_routes "changed:13: switch 1 sends packets for node 1 to port 0, which leads to node 3" \
    's/^0x0004 024/0x0004 001/'
refuse_routes "changed: switch 1 has no port for node 1, but packets for this node reach" 13d
refuse_routes "changed:13: switch 1 has no port for node 1, but" 's/^0x0004 024/0x0004 255/'
refuse_routes "changed:8: switch 'S-000b8cffff004901' has no cable at port 22" \
    's/^0x0007 023/0x0007 022/'
refuse_routes "changed:8: switch 'S-000b8cffff004901' has no cable at port 0" \
    's/^0x0007 023/0x0007 000/'
refuse_routes "changed:8: switch 'S-000b8cffff004901' has no cable at port 37" \
    's/^0x0007 023/0x0007 037/'
refuse_routes "changed:9: LID 0x0007 of switch 'S-000b8cffff004901' has a different port on line 8" \
    '9s/0x0008/0x0007/'
refuse_routes "changed:3: an entry before the first switch" 1d
refuse_routes "changed: the file contains no table" '/Unicast/d;/^0x/d'
sed 's/ lid [0-9]* / /' fabric.ibnet > nolid.ibnet
status=0
"$gmsim" config import --routes lfts nolid.ibnet > out 2> err || status=$?
[ "$status" = 2 ] || fail "hosts without LIDs: status $status"
has err 'nolid.ibnet: H-0002c90300000011 (alpha HCA-1) has no LID'
sed 's/guid 0x000b8cffff004902/guid 0x1/' lfts > changed
"$gmsim" config import --routes changed fabric.ibnet > out 2> err && fail "an unknown switch"
has err 'changed:12: switch 0x0000000000000001 is not in fabric.ibnet: its table is omitted' \
    'changed: switch 1 has no port for node 3'

# these names and paths would end a comment or change the colours of a terminal; the lines have
# different line endings
printf '\xef\xbb\xbfSwitch 24 "S-1" # "a\e[31m\xfc"\r\n[1] "H-1"[1] # "n\rhosts: 5" lid 2 4xQDR\r\n' \
    > $'a\rhosts: 7'
import $'a\rhosts: 7'
has cluster.yaml 'Converted from a?hosts: 7,' 'hosts: 1' '# n?hosts: 5' 'link_bytes_s: 4000000000'

# this file has cables to nodes that are not described, and useless cables
printf 'Switch 9 "S-1"\n[1] "H-1"[1]\n[2] "S-2"[1] # "far"\n[3] "S-1"[4]\n' > a
import a
has err "a: switch 'S-2' (far) is mentioned but not described" \
    'a:4: a cable from a switch to itself is omitted'

# the result is not a valid cluster, but it is printed anyway, with status 1
printf 'Switch 9 "S-1"\n[1] "H-1"[1]\nSwitch 9 "S-2"\n[1] "H-2"[1]\n' > a
status=0
"$gmsim" config import a > cluster.yaml 2> err || status=$?
[ "$status" = 1 ] || fail "a fabric in two pieces: status $status"
has cluster.yaml 'hosts: 2'
has err "a: the imported description cannot be simulated until you correct line 6: key 'cables': no route"

import cluster.xml
has cluster.yaml 'hosts: 16' 'topology: torus' 'columns: 8' 'rows: 2' \
    'link_bytes_s: 125000000' 'link_propagation_ps: 2000000'
has err 'cluster.xml:4: speed has no counterpart' 'cluster.xml:7: <host> is omitted'

# cluster ATTRIBUTE..: write the platform file p.xml, whose cluster has these attributes
cluster()
{
    echo "<platform version='4.1'><cluster id='c' $*/></platform>" > p.xml
}
cluster "radical='0-9' bw='10Gbps' lat='100ns' bb_bw='1GBps'"
import p.xml
has cluster.yaml 'hosts: 10' 'topology: crossbar' 'switch_ports: 16' \
    'link_bytes_s: 1250000000' 'link_propagation_ps: 100000'
has err 'bb_bw has no counterpart: this attribute limits a backbone that all hosts share'
cluster "radical='0-99' bw='1GBps' lat='1us'"
import p.xml
has cluster.yaml 'hosts: 100' 'topology: clos'
cluster "radical='0-15' bw='1GBps' lat='1us' topology='FAT_TREE' topo_parameters='2;4,4;1,2;1,1'"
import p.xml
has cluster.yaml 'topology: fat-tree' 'hosts_per_switch: 4' 'tree_up: 2'

import nested.xml
has cluster.yaml 'hosts: 4' 'link_bytes_s: 134217728' 'link_propagation_ps: 50000000'
has err 'nested.xml:7: sharing_policy has no counterpart: simulated links carry traffic in both' \
    'nested.xml:7: bb_bw has no counterpart' \
    'nested.xml:10: <host> is omitted (2 of them); only a <cluster>' \
    'nested.xml:12: <link> is omitted; only a <cluster>'
# this link is slower than any link that a cluster description permits
cluster "radical='0-3' bw='1kBps' lat='1us'"
import p.xml
has cluster.yaml 'link_bytes_s: 1000000' 'qos_link_bytes_s: 1000000'
has err 'p.xml: link_bytes_s: 1000 is out of range; the import uses 1000000'

# refuse TEXT FILE: check that FILE cannot be imported, and that the message contains TEXT
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
refuse "empty: the file contains no switch" empty
printf 'Switch 24 "S-1"\n[25] "H-1"[1]\n' > a
refuse "a:2: the switch has no port 25; allowed: 1..24" a
printf 'Switch 24 "S-1"\n[x] "H-1"[1]\n' > a
refuse "a:2: not a line like" a
printf 'Switch 648 "S-1"\n' > a
refuse "a:1: switch 'S-1' has 648 ports; allowed: 2..254" a
printf 'Switch 24 "S-1"\n[1] "H-1"[1]\n[2] "S-2"[0]\nSwitch 24 "S-2"\n' > a
refuse "a:3: switch 'S-2' has no port 0; allowed: 1..24" a
printf 'Switch 24 "S-1"\n[1] "H-1"[1]\n[1] "H-2"[1]\n' > a
refuse "a:3: port 1 of 'S-1' has a different cable on line 2" a
{ echo 'Switch 66 "S-1"'; for i in {1..65}; do echo "[$i] \"H-$i\"[1]"; done; } > a
refuse "a:1: switch 'S-1' has cables at 65 ports; allowed: up to 64" a
printf 'Switch\t : 0x0008f1040041254a ports 36 "x" base port 0 lid 1 lmc 0\n' > a
refuse "a:1: not a line like 'Switch 24 \"S-..\"'; allowed: the output of ibnetdiscover without options" a
printf '\377\376S\0w\0\n\0' > a
refuse "a:1: not a text file: it contains a zero byte" a
printf 'Switch 24 "S-1"\nSwitch 24 "S-1"\n' > a
refuse "a:2: 'S-1' is described twice, first on line 1" a
echo '<platform><cluster' > p.xml
refuse "p.xml:1: not valid XML" p.xml
echo '<platform/>' > p.xml
refuse "the file contains no <cluster>" p.xml
cluster "radical='0-9' bw='10 parsecs' lat='1us'"
refuse "attribute 'bw': value '10 parsecs' is invalid; allowed: a number and a unit" p.xml
cluster "radical='9-0' bw='1Gbps' lat='1us'"
refuse "attribute 'radical': value '9-0'" p.xml
cluster "radical='0-9' bw='1Gbps'"
refuse "the <cluster> has no attribute 'lat'" p.xml
cluster "radical='0-7' bw='1Gbps' lat='1us' topology='TORUS' topo_parameters='2,2,2'"
refuse "a torus of '2,2,2' has no counterpart" p.xml
cluster "radical='0-9' bw='1Gbps' lat='1us' topology='TORUS' topo_parameters='4,4'"
refuse "a torus of 4 x 4 does not have 10 hosts" p.xml
cluster "radical='0-9' bw='1Gbps' lat='1us' topology='DRAGONFLY' topo_parameters='3,4;3,2;3,1;2'"
refuse "topology 'DRAGONFLY' has no counterpart; allowed: FLAT, TORUS, FAT_TREE" p.xml
cluster "radical='0-9' bw='1Gbps' lat='1us'/><cluster id='d' radical='0-9' bw='1Gbps' lat='1us'"
refuse "a second <cluster>; allowed: one (the first is on line 1)" p.xml
cluster "radical='0-99' bw='1Gbps' lat='1us' topology='TORUS' topo_parameters='100,1'"
refuse "columns would be 100; allowed: up to 64" p.xml
cluster "radical='0-199' bw='1Gbps' lat='1us' topology='FAT_TREE' topo_parameters='2;100,2;1,2;1,1'"
refuse "switch_ports would be 102; allowed: up to 64" p.xml
cluster "radical='0-18446744073709551615,0-4' bw='1Gbps' lat='1us'"
refuse "attribute 'radical'" p.xml
status=0
"$gmsim" config import 2> err || status=$?
[ "$status" = 2 ] || fail "import without a file: status $status"
finish
