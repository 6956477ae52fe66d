#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# positions.py DOT JSON: compares the positions of switches and nodes in gmsim topo's input
# for Graphviz with the positions in the data of a report. In Graphviz, y increases upwards.
import json
import re
import sys

drawn = {}
with open(sys.argv[1], encoding="utf-8") as file:
    for line in file:
        found = re.match(r'  ([sn]\d+) \[.*pos="(-?\d+),(-?\d+)!"', line)
        if found:
            drawn[found[1]] = (int(found[2]), -int(found[3]))
with open(sys.argv[2], encoding="utf-8") as file:
    topology = json.load(file)["topology"]
reported = {"s%d" % one["switch"]: (one["x"], one["y"]) for one in topology["switches"]}
reported.update({"n%d" % (one["node"] - 1): (one["x"], one["y"]) for one in topology["nodes"]})
if not drawn or drawn != reported:
    sys.exit("the positions differ: %s" % sorted(set(drawn.items()) ^ set(reported.items()))[:6])
