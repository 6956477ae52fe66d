#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that the record of a run (GMSIM_RECORD) is complete, consistent, and identical
# in every run. The test also covers the record of a killed run, and directories that
# cannot be used.
# needs: nothing
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

bin=$GMQOS_STAGE/bin
# look DIRECTORY: check that the record is consistent, and print the requested values
look()
{
    python3 - "$@" << 'END'
import json, sys

folder = sys.argv[1]
record = json.load(open(folder + "/record.json"))
def lines_of(name):
    lines = open(folder + "/" + name).read().split("\n")
    rest = lines.pop()
    # a process that is killed while it writes leaves an incomplete line
    assert rest == "" or not record["complete"], "a line without its end"
    return [json.loads(line) for line in lines]

windows = lines_of("windows.jsonl")
events = lines_of("events.jsonl")
assert record["schema"] == 4
who, last = {}, 0
for window in windows:
    for flow in window["flows"]:
        assert (len(flow) == 6) == (flow[0] in who), "the flow's identity, once"
        if len(flow) == 12:
            who[flow[0]] = flow[6:]
if record["complete"]:
    sent, arrived, busy = {}, {}, {}
    use = [[0, 0, 0] for link in record["topology"]["links"]]
    for window in windows:
        length = window["end_ps"] - last
        assert window["end_ps"] > last, "windows in order"
        last = window["end_ps"]
        for number, bytes_, packets, came, idt, waited, *rest in window["flows"]:
            sent[number] = sent.get(number, 0) + bytes_
            arrived[number] = arrived.get(number, 0) + came
        for node, lanai, dma, send, receive in window["cards"]:
            busy[node] = busy.get(node, 0) + lanai
        for number, moving, held, blocked in window["links"]:
            assert 0 <= moving <= held <= length, "a link's time"
            use[number] = [a + b for a, b in zip(use[number], (moving, held, blocked))]
    assert last == record["end_ps"]
    assert last == max(host["end_ps"] for host in record["hosts"]), "the last rank left later"
    for flow in record["flows"]:
        counters = flow["counters"]
        number = flow["number"]
        assert sent.get(number, 0) == counters["bytes_sent"], "bytes sent"
        assert arrived.get(number, 0) == counters["bytes_arrived"], "bytes that arrived"
        if number:
            assert flow["period"]["first_ps"] <= flow["period"]["last_ps"]
            packets = sum(count for least, count in flow["latency"])
            assert packets == counters["packets_arrived"], "latencies"
            assert all(time >= 0 for time in flow["times"].values())
            assert flow["times"]["pace_ps"] == counters["idt_wait_ps"]
            assert who[number] == [flow[key] for key in (
                "node", "port", "target_node", "target_port", "priority", "label")]
            if flow["node"] != flow["target_node"]:
                assert record["topology"]["links"][flow["links"][0][0]]["name"] == \
                    "node %d to switch 0" % flow["node"], "its way"
    for number, link in enumerate(record["topology"]["links"]):
        assert use[number] == [link["moving_ps"], link["held_ps"], link["blocked_ps"]]
        assert link["moving_ps"] * record["cluster"]["parameters"]["link_bytes_s"] >= \
            link["bytes"] * 10**12, "more than payload"
        waited = [way for flow in record["flows"] for way in flow.get("links", [])
                  if way[0] == number]
        assert sum(way[1] for way in waited) <= link["blocked_packets"]
        assert sum(way[2] for way in waited) <= link["blocked_ps"]
    for card in record["cards"]:
        assert busy.get(card["node"], 0) == card["counters"]["lanai_busy_ps"]
    loads = {link["name"]: link["bytes"] for link in record["topology"]["links"]}
    for card in record["cards"]:
        away = sum(flow["counters"]["bytes_sent"] for flow in record["flows"]
                   if flow["node"] == card["node"] != flow["target_node"])
        assert loads["node %d to switch 0" % card["node"]] == away, "links"
for what in sys.argv[2:]:
    print(eval(what))
END
}

need python3

GMSIM_RECORD=one run_ranks 2 "$bin/gm-bandwidth" -s 65536 -i 30
GMSIM_RECORD=two run_ranks 2 "$bin/gm-bandwidth" -s 65536 -i 30
run_ranks 2 "$bin/gm-bandwidth" -s 65536 -i 30
mv out.0 plain
GMSIM_RECORD=three run_ranks 2 "$bin/gm-bandwidth" -s 65536 -i 30
cmp plain out.0 || fail "recording changes the measured values"
diff -r one two > out || { cat out; fail "two records of the same run differ"; }
[ "$(look one 'record["complete"]')" = True ] || fail "not complete"
[ "$(look one 'record["job"]["program"]')" = gm-bandwidth ] || fail "program"
[ "$(look one 'record["job"]["ranks"][1]["node"]')" = 2 ] || fail "placement"
[ "$(look one 'record["cluster"]["parameters"]["link_bytes_s"]')" = 160000000 ] ||
    fail "parameters"
look one 'len([f for f in record["flows"] if f["counters"]["bytes_arrived"] > 2000000])' > n
[ "$(cat n)" = 1 ] || fail "one flow has the data"

# record a run with paced flows and faults
cat > faults.yaml <<'END'
hosts: 3
faults:
  events:
    - {at_us: 3000, link: node 1 to switch 0, for_us: 200}
END
GMSIM_CLUSTER=faults.yaml GMSIM_RECORD=paced run_ranks 3 "$bin/gm-bandwidth" -s 65536 -i 20 --idt 192,384
look paced 'events[0]["kind"]' 'events[0]["fault"]' > what ||
    { cat err.0; fail "the record of paced flows"; }
grep -q '{at_us: 3000, link: node 1 to switch 0, for_us: 200}' what || { cat what; fail "no fault"; }
look paced 'sum(f["times"]["pace_ps"] > 0 for f in record["flows"] if f["number"])' > what
[ "$(cat what)" = 2 ] || { cat what; fail "paced flows do not wait for their pace"; }
look paced 'sorted({f[4] for w in windows for f in w["flows"]})' > what
[ "$(cat what)" = "[0, 192, 384]" ] || { cat what; fail "IDTs of windows"; }

# after the run has been killed, the record is readable and marked as incomplete
killed_run killed
[ "$(look killed 'record["complete"]')" = False ] || fail "the record of a killed run is marked as complete"
[ "$(look killed 'len(windows) > 10')" = True ] || fail "a killed run has lost its windows"

# these directories are refused before the job starts
GMSIM_RECORD=one run_ranks 2 "$bin/gm-bandwidth" -s 64
grep -q "'one' already contains the record of a run; remove it or name another directory" err.0 ||
    { cat err.0; fail "a record is overwritten"; }
GMSIM_RECORD=none/there run_ranks 2 "$bin/gm-bandwidth" -s 64
grep -q "GMSIM_RECORD: cannot create the directory 'none/there'" err.0 || { cat err.0; fail "no directory"; }
: > file
GMSIM_RECORD=file run_ranks 2 "$bin/gm-bandwidth" -s 64
grep -q "cannot write to the directory 'file'" err.0 || { cat err.0; fail "a file as directory"; }
finish
