#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks gmsim topo. The test compares the output for every kind of topology with values
# computed by hand. The test also checks that all routes are continuous, that drawings are
# correct, and that invalid input is refused.
# needs: nothing
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

gmsim=$GMQOS_STAGE/bin/gmsim
# expect WHAT EXPECTED ACTUAL: check that both strings are equal
expect()
{
    [ "$2" = "$3" ] || fail "$1: expected '$2', got '$3'"
}

# refuse STATUS TEXT COMMAND..: check that the command ends with the status and prints the
# text
refuse()
{
    local status=0 output
    output=$("${@:3}" 2>&1 > out) || status=$?
    expect "status of ${*:3}" "$1" "$status"
    [[ $output == *"$2"* ]] || fail "${*:3}: no '$2' in '$output'"
}

# summary FILE: print the values of the table in their order
summary()
{
    "$gmsim" topo "$1" --csv | tail -n +2 | cut -d, -f2 | paste -sd' '
}

cat > clos.yaml <<'END'
topology: clos
hosts: 64
END
cat > big.yaml <<'END'
topology: clos
hosts: 256
END
cat > thin.yaml <<'END'
topology: fat-tree
hosts: 32
hosts_per_switch: 8
tree_up: 4
END
cat > mesh.yaml <<'END'
topology: mesh
hosts: 32
rows: 4
columns: 4
END
cat > torus.yaml <<'END'
topology: torus
hosts: 18
rows: 3
columns: 6
END
cat > cascade.yaml <<'END'
topology: cascade
hosts: 40
END
cat > graph.yaml <<'END'
hosts: 4
topology: graph
switches: [16, 8]
cables:
  - host 1 to switch 0
  - host 2 to switch 0 port 3
  - host 3 to switch 1
  - host 4 to switch 1
  - switch 0 port 7 to switch 1 port 2
END

# There are three disjoint routes from switch 0 to switch 1. The search finds the shortest
#   route first. The shortest route blocks another route, and the detour of the blocked route
#   must reuse a cable of the shortest route. The cables are S-a-b-T, S-c-d-b, a-e-f-T,
#   S-g-h-i-j-a and b-k-l-m-n-T.
cat > maze.yaml <<'END'
hosts: 6
topology: graph
switches: [8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8]
cables:
  - host 1 to switch 0
  - host 2 to switch 0
  - host 3 to switch 0
  - host 4 to switch 1
  - host 5 to switch 1
  - host 6 to switch 1
  - switch 0 to switch 2
  - switch 2 to switch 3
  - switch 3 to switch 1
  - switch 0 to switch 4
  - switch 4 to switch 5
  - switch 5 to switch 3
  - switch 2 to switch 6
  - switch 6 to switch 7
  - switch 7 to switch 1
  - switch 0 to switch 8
  - switch 8 to switch 9
  - switch 9 to switch 10
  - switch 10 to switch 11
  - switch 11 to switch 2
  - switch 3 to switch 12
  - switch 12 to switch 13
  - switch 13 to switch 14
  - switch 14 to switch 15
  - switch 15 to switch 1
END

# topology hosts nodes switches levels cables longest rate bisection its-rate routing
echo 'hosts: 16' > crossbar.yaml
expect crossbar "crossbar 16 16 1 1 16 1 160000000 8 1280000000 updown yes" "$(summary crossbar.yaml)"
# 8 leaf switches with 8 uplinks each, 4 spine switches
expect clos "clos 64 64 12 2 128 3 160000000 32 5120000000 updown yes" "$(summary clos.yaml)"
# 4 units of 8 leaves and 8 middle switches, 16 spines
expect big "clos 256 256 80 3 768 5 160000000 128 20480000000 updown yes" "$(summary big.yaml)"
# 4 leaf switches with 4 uplinks each
expect thin "fat-tree 32 32 5 2 48 3 160000000 8 1280000000 updown yes" "$(summary thin.yaml)"
# 24 cables between switches; 4 of them connect the upper and the lower half
expect mesh "mesh 32 32 16 1 56 7 160000000 4 640000000 dimension-order yes" "$(summary mesh.yaml)"
# The switches have 15, 14 and 11 hosts. Five of the first 20 hosts are connected to the
# middle switch, together with other hosts, and one route leads out of the left half.
expect cascade "cascade 40 40 3 1 42 3 160000000 6 960000000 updown yes" "$(summary cascade.yaml)"
expect graph "graph 4 4 2 1 5 2 160000000 1 160000000 updown yes" "$(summary graph.yaml)"
# two leaf switches with two hosts each, and a spine
cat > tree.yaml << 'END'
hosts: 4
topology: graph
switches: [4, 4, 4]
cables:
  - host 1 to switch 0
  - host 2 to switch 0
  - host 3 to switch 1
  - host 4 to switch 1
  - switch 0 to switch 2
  - switch 1 to switch 2
END
expect tree 2 "$("$gmsim" topo tree.yaml --csv | sed -n 's/^levels,//p')"
expect maze 3 "$("$gmsim" topo maze.yaml --csv | sed -n 's/^bisection,//p')"

expect route "  node 2 to switch 0
  switch 0 port 7 to switch 1
  switch 1 port 1 to node 4" \
    "$("$gmsim" topo graph.yaml --route 2:4 | tail -n +2)"
expect "two routes" "from,to,hop,link,name
1,2,0,0,node 1 to switch 0
1,2,1,5,switch 0 port 3 to node 2
2,1,0,1,node 2 to switch 0
2,1,1,4,switch 0 port 0 to node 1" \
    "$("$gmsim" topo graph.yaml --csv -r 1:2 -r 2:1)"
expect links 10 "$("$gmsim" topo graph.yaml --links | wc -l)"
expect "a default" 32 "$(GMSIM_CLUSTER= "$gmsim" topo --links | wc -l)"
expect "the environment" 10 "$(GMSIM_CLUSTER=graph.yaml "$gmsim" topo -l | wc -l)"

# Each route must begin at its source and end at its target, and each link must begin where
# the previous link ends.
for name in clos thin mesh torus cascade graph; do
    nodes=$("$gmsim" topo $name.yaml --csv | sed -n 's/^nodes,//p')
    "$gmsim" topo $name.yaml --routes --csv | awk -F, -v nodes="$nodes" '
        NR == 1 { next }
        {
            split($5, part, " to ")
            sub(/ port .*/, "", part[1])
            if ($3 == 0) {
                if (NR > 2 && at != "node " target) wrong++
                at = "node " $1
                target = $2
                routes++
            }
            if (part[1] != at) wrong++
            at = part[2]
        }
        END { exit wrong > 0 || routes != nodes * (nodes - 1) }' ||
        fail "routes of $name"
done

# A drawing contains a box for each node and switch, and the selected route is coloured.
for name in clos thin mesh torus cascade graph; do
    "$gmsim" topo $name.yaml --dot $name.dot -H 1:4
    expect "nodes of $name" \
        "$("$gmsim" topo $name.yaml --csv | sed -n 's/^nodes,//p')" \
        "$(grep -c '^  n[0-9]* \[' $name.dot)"
    expect "switches of $name" \
        "$("$gmsim" topo $name.yaml --csv | sed -n 's/^switches,//p')" \
        "$(grep -c '^  s[0-9]* \[' $name.dot)"
    [ "$(grep -c d00000 $name.dot)" -ge 2 ] || fail "no route in $name.dot"
    command -v dot > /dev/null || continue
    "$gmsim" topo $name.yaml --svg "$name picture.svg" 2> err || fail "$name.svg"
    expect "warnings for $name" "" "$(cat err)"
    grep -q '</svg>' "$name picture.svg" || fail "$name.svg is not complete"
done
expect "dot to standard output" "$(cat graph.dot)" \
    "$("$gmsim" topo graph.yaml --dot - -H 1:4)"

if command -v dot > /dev/null; then
    "$gmsim" topo graph.yaml --links --svg - > both
    expect "links before the picture" 11 "$(grep -n '<?xml' both | cut -d: -f1)"
    expect "a picture to standard output" '</svg>' "$(tail -n 1 both)"
fi

# the drawing has 8192 leaves with a width of 36 points each, and above them 10 levels with a
# height of 20 + 220 points each
printf 'topology: fat-tree\nhosts: 16384\nhosts_per_switch: 2\ntree_up: 1\n' \
    > wide.yaml
"$gmsim" topo wide.yaml --dot wide.dot
expect "the last leaf" 1 "$(grep -c 's8191 .*pos="294894,-2422!"' wide.dot)"

# check invalid input
refuse 1 "install Graphviz" env PATH=/nowhere "$gmsim" topo --svg a.svg
refuse 1 "nowhere/a.dot" "$gmsim" topo --dot nowhere/a.dot
refuse 1 "nowhere/a.svg" "$gmsim" topo --svg nowhere/a.svg
refuse 2 "none.yaml: cannot be read" "$gmsim" topo none.yaml
refuse 2 "there is no node 5; allowed: 1..4" "$gmsim" topo graph.yaml -r 1:5
refuse 2 "there is no node 9; allowed: 1..4" \
    "$gmsim" topo graph.yaml --dot a -H 9:1
for pair in 1 1: :1 0:1 1:0 1:2:3 1:x -1:2 "1: 2" 99999999999999999999:1; do
    refuse 2 "allowed: FROM:TO" "$gmsim" topo "--route=$pair"
done
refuse 2 "one table" "$gmsim" topo --csv --links --routes
refuse 2 "--highlight requires --svg or --dot" "$gmsim" topo -H 1:2
refuse 2 "one file" "$gmsim" topo graph.yaml clos.yaml
cat > ring.yaml <<'END'
topology: torus
hosts: 16
routing: dimension-order
END
refuse 2 "ring.yaml:3: key 'routing': these routes can deadlock" \
    "$gmsim" config check ring.yaml
refuse 2 "switch 0 port 1 to switch 1" "$gmsim" topo ring.yaml
refuse 2 "--profile: value 'lanai' is unknown; allowed: lanai4.3, myrinet2000, edr, hdr, ndr, roce-100, roce-25, slingshot-100, aries" "$gmsim" params -p lanai
refuse 2 "--profile and --cluster cannot be used together" "$gmsim" params -p lanai4.3 -c graph.yaml
expect "a profile" "  link_bytes_s                  250000000 bytes/s  1000000..100000000000" \
    "$("$gmsim" params -p myrinet2000 link_bytes_s | tail -1)"

# limited COMMAND..: run the command with an address space that suffices only for a small
# cluster
limited()
{
    (ulimit -v 2000000 && "$@")
}
if limited "$gmsim" params seed > /dev/null 2>&1; then # impossible with sanitizers
    expect "with 2 GB" "$("$gmsim" topo clos.yaml)" "$(limited "$gmsim" topo clos.yaml)"
fi

# --- all installed clusters are drawn with all their hosts and switches ---
for file in "$GMQOS_SRCDIR"/clusters/*.yaml; do
    "$gmsim" topo "$file" > table
    "$gmsim" topo "$file" --dot=drawn.dot || fail "${file##*/}: not drawn"
    for what in nodes switches; do
        want=$(sed -n "s/^$what  *\([0-9]*\).*/\1/p" table)
        expect "${file##*/}: $what" "$want" "$(grep -c "^  ${what:0:1}[0-9]* \[" drawn.dot)"
    done
done
finish
