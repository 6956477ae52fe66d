#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that traces (GMSIM_TRACE) are consistent, agree with measured and counted values, are
# identical in every run, and do not change the run. The test also covers windows and
# categories, faults, a killed run, and refused settings.
# needs: nothing
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

bin=$GMQOS_STAGE/bin
look()
{
    python3 "$GMQOS_SRCDIR/tests/system/trace.py" "$@"
}

# is WHAT EXPECTED FORMAT FILE EXPRESSION: check that the expression has the expected
# value
is()
{
    local found
    found=$(look "${@:3}") || found="(not readable)"
    [ "$found" = "$2" ] || fail "$1: $found, not $2"
}

# refused TEXT SETTING..: check that a job with these variables prints a message that matches
# TEXT, and does not start
refused()
{
    run_ranks 2 env "${@:2}" "$bin/gm-pingpong" -s 8 -i 1
    grep -q -- "$1" err.0 || { cat err.0; fail "not refused: ${*:2}"; }
    [ ! -s out.0 ] || fail "has started: ${*:2}"
}

need python3
otf2=
run_ranks 1 env GMSIM_TRACE=a GMSIM_TRACE_FORMAT=x "$bin/gm-pingpong"
if grep -q "allowed: .*otf2" err.0; then
    if command -v otf2-print > /dev/null; then
        otf2=1
    else
        echo "no otf2-print (Debian package otf2-tools): OTF2 is not tested"
    fi
fi
all=mpi,gm,packet,nic,idt,fault

# --- a ping-pong of 8 bytes, whose round trip takes 76.890 us ----------------
run_ranks 2 "$bin/gm-pingpong" -s 8 -i 20
mv out.0 plain
grep -q 'A round trip of 8 bytes takes 76.890 us' plain || fail "the round trip has changed"
for run in one two; do
    GMSIM_TRACE=$run.json,$run.csv${otf2:+,$run.same.otf2} GMSIM_TRACE_ONLY=$all \
        run_ranks 2 "$bin/gm-pingpong" -s 8 -i 20
    cmp plain out.0 || fail "tracing changes the measured values"
done
[ -z "$otf2" ] || diff -r one.same.otf2 two.same.otf2 || fail "two archives of the same run differ"
cmp one.json two.json || fail "two traces of the same run differ"
cmp one.csv two.csv || fail "two packet logs of the same run differ"
GMSIM_TRACE=three.json,three.csv GMSIM_RECORD=record run_ranks 2 "$bin/gm-pingpong" -s 8 -i 20
cmp plain out.0 || fail "tracing and recording change the measured values"
cmp three.csv one.csv || fail "a packet log depends on the other outputs"

# The last round trip begins with rank 0's call of gm_send and ends with the gm_receive that
# returns the answer. The program gm-pingpong measures 76.8897 us for this round trip, because
# its sample also includes reading the clock (0.1 us) and a call that provides a buffer (0.3
# us).
is "a round trip" $((76889700 - 100000 - 300000)) json one.json \
    '[b["ts"] + b["dur"] - a["ts"] for a, b in zip(calls(10), calls(10)[1:])
      if (a["name"], a["args"]["bytes"], b["name"]) == ("gm_send", 8, "gm_receive")][-1]'
# The callback begins after the host has read the event that the NIC has just written (0.7
# us) and has called the callback (0.2 us).
is "a callback" "[900000]" json one.json \
    'sorted({min(c["ts"] - e["ts"] - e["dur"] for e in calls(100000)
                 if e["name"] == "event of completed sends" and e["ts"] + e["dur"] <= c["ts"])
             for c in events if c["ph"] == "i" and c["name"] == "callback: ok" and c["pid"] == 10})'
# These are the times at the packet's stations. On the link, which consists of two cables of 10
# m, 37 bytes take 0.23125 us. There are three DMA transfers of 8 bytes. Each of these
# transfers takes 0.0667 us longer than a transfer of 0 bytes.
is "from the call to the NIC" "[1300000]" csv one.csv \
    'sorted({r["queued_ps"] - r["call_ps"] for r in rows if r["type"] == "message"})'
is "on the wire" "[331250]" csv one.csv \
    'sorted({r["wire_time_ps"] for r in rows if r["type"] == "message" and r["bytes"] == 8})'
is "arrows of messages" True json one.json \
    'all(len(ends) == 2 for (what, number), ends in arrows.items() if what == "gm")'
is "arrows of packets" True json one.json \
    'sum(what == "nic" and len(ends) == 2 for (what, number), ends in arrows.items()) > 40'
# Each traffic class has its own link DMAs, except on the hardware of the thesis.
parts='sorted(e["args"]["name"] for e in events if e["name"] == "thread_name" and e["pid"] == 100000)'
is "parts of a NIC" "['LANai', 'host DMA', 'receive DMA, best effort', 'receive DMA, control',\
 'receive DMA, real time', 'send DMA, best effort', 'send DMA, control', 'send DMA, real time']" \
    json one.json "$parts"
printf 'parameters:\n  undeclared: free\n' > thesis.yaml
GMSIM_CLUSTER=thesis.yaml GMSIM_TRACE=thesis.json GMSIM_TRACE_ONLY=$all run_ranks 2 "$bin/gm-pingpong" -s 8 -i 1
is "parts of a NIC of the thesis" "['LANai', 'host DMA', 'receive DMA', 'send DMA']" \
    json thesis.json "$parts"
is "work of a NIC" True json one.json \
    '{e["name"] for e in calls(100000)} >= {"POLL", "SDMA", "SEND", "RECV", "RDMA", "fetch", "write with event", "message", "ack"}'

# --- calls of MPI: the demo, with reservations and a denial ---------------------------------
if [ "${GMQOS_MPICH:-}" = yes ]; then
    demo=$GMQOS_BUILDDIR/examples/bandwidth
    mpirun -n 4 "$demo" > printed
    for run in one two; do
        GMSIM_TRACE=mpi-$run.json,mpi-$run.csv mpirun -n 4 "$demo" | cmp printed ||
            fail "tracing changes the demo"
    done
    # the record and the trace agree to the picosecond
    GMSIM_RECORD=untraced mpirun -n 4 "$demo" > /dev/null
    GMSIM_RECORD=traced GMSIM_TRACE=both.json GMSIM_TRACE_ONLY=$all mpirun -n 4 "$demo" > /dev/null
    diff -r untraced traced > difference || { head difference; fail "tracing changes the demo's record"; }
    cmp mpi-one.json mpi-two.json || fail "two traces of the demo differ"
    cmp mpi-one.csv mpi-two.csv || fail "two packet logs of the demo differ"
    is "first and last calls" "['MPI_Init', 'MPI_Finalize']" json mpi-one.json \
        '[[e["name"] for e in events if e["ph"] in "BE" and e["pid"] == 11][i] for i in (0, -1)]'
    is "the denial" True json mpi-one.json \
        'any(e["name"].startswith("denial: rank 0, 1.2 -> 4.2") for e in events)'
    # this window contains only the middle part of a call
    GMSIM_TRACE=cut.json GMSIM_TRACE_ONLY=mpi GMSIM_TRACE_WINDOW=500us..600us \
        mpirun -n 4 "$demo" | cmp printed || fail "a window changes the demo"
    is "a call that is cut" "[('B', 'MPI_Init', 500000000), ('E', 'MPI_Init', 600000000)]" \
        json cut.json '[(e["ph"], e["name"], e["ts"]) for e in events if e["ph"] in "BE" and e["pid"] == 10]'
    # this window is within a call of MPI that contains calls of GM; one of the GM calls lasts
    # longer than the window
    within=$(look json mpi-one.json \
        '[e["ts"] + e["dur"] // 2 for e in events if e["name"] == "gm_receive" and e["ts"] > 10**10][9]')
    GMSIM_TRACE=within.json${otf2:+,within.otf2} GMSIM_TRACE_ONLY=$all \
        GMSIM_TRACE_WINDOW=10ms..${within}ps mpirun -n 4 "$demo" > out 2> err
    cmp printed out || fail "a window changes the demo"
    [ ! -s err ] || { cat err; fail "a window within calls"; }
    is "the window within calls" "[10000000000, True]" json within.json \
        "[min(e['ts'] for e in events if e['ph'] == 'B'),
          any(e['ts'] + e['dur'] == f['ts'] > $within for e in calls(10) + calls(11) + calls(12) + calls(13)
              for f in events if f['ph'] == 'E' and f['pid'] == e['pid'])]"
    [ -z "$otf2" ] || is "nodes with ranks" 4 otf2 within.otf2 \
        'sum(line.startswith("SYSTEM_TREE_NODE") and "\"node " in line for line in definitions)'
    [ -z "$otf2" ] || is "it in OTF2" True otf2 within.otf2 \
        'sum(line.startswith("ENTER") for line in lines) == sum(line.startswith("LEAVE") for line in lines) > 100'
fi

# --- the trace agrees with the counters ------------------------------------------------
GMSIM_TRACE=some.csv GMSIM_RECORD=counted run_ranks 3 "$bin/gm-bandwidth" -s 65536 -i 10
cat > counted.py << 'END'
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[2])))
cards = json.load(open(sys.argv[1] + "/record.json"))["cards"]
def count(what): return sum(card["counters"][what] for card in cards)
control = "ack", "nack", "probe"
sent = [r for r in rows if r["send_ps"] and r["type"] not in control]
assert len(sent) == count("packets_sent"), "sent"
assert sum(int(r["bytes"]) for r in sent) == count("bytes_sent"), "bytes"
for what in control:
    of = [r for r in rows if r["send_ps"] and r["type"] == what]
    assert len(of) == count(what + "s_sent"), what
taken = [r for r in rows if r["type"] not in control and r["checked_ps"] and
         r["fate"] in ("delivered", "under-way", "abandoned")]
assert len(taken) == count("packets_received"), "received"
def fates(what): return sum(r["fate"] == what for r in rows)
assert fates("bad-crc") == count("bad_crc_drops"), "crc"
assert fates("no-buffer") == count("no_token_drops"), "buffers"
assert fates("out-of-sequence") == count("sequence_drops"), "sequence"
blocked = [int(r["blocked_ps"]) for r in rows if r["sent_ps"]]
# The counter has the blocked packets whose tail was still in the NIC. If switches store whole
# packets, other packets are blocked after their tail has left the NIC.
stores = len(sys.argv) > 3
blocked = sum(b > 0 for b in blocked)
assert blocked == count("blocked_packets") or stores and blocked > count("blocked_packets"), "blocked"
print(len(sent), fates("lost") > 0, any(r["again"] == "1" for r in rows))
END
python3 counted.py counted some.csv > n || { cat n; fail "the log does not agree with the counters"; }
grep -q "False False" n || fail "unexpected faults: $(cat n)"

# --- faults -----------------------------------------------------------------------
cat > faults.yaml << 'END'
hosts: 4
faults: {drop: 0.01, damage_header: 0.01, damage_payload: 0.01, duplicate: 0.01}
END
cat > flit.yaml << 'END'
hosts: 4
parameters: {fabric_model: flit}
faults: {drop: 0.01}
END
cat > hca.yaml << 'END'
profile: edr
hosts: 4
faults: {drop: 0.01, damage_header: 0.01, damage_payload: 0.01, duplicate: 0.01}
END
for fabric in faults flit hca; do
    GMSIM_CLUSTER=$fabric.yaml GMSIM_TRACE=$fabric.json,$fabric.csv${otf2:+,$fabric.otf2} \
        GMSIM_TRACE_ONLY=$all GMSIM_RECORD=$fabric run_ranks 4 "$bin/gm-bandwidth" -s 65536 -i 5
    stores=
    [ $fabric != hca ] || stores=stores
    # shellcheck disable=SC2086 # nothing or an argument
    python3 counted.py $fabric $fabric.csv $stores > n ||
        { cat n err.0; fail "$fabric: the log does not agree with the counters"; }
    grep -q "True True" n || fail "$fabric: no packet was lost or sent again: $(cat n)"
    is "$fabric: drops" True json $fabric.json \
        'any("dropped: lost" in e["name"] for e in events)'
    if [ -n "$otf2" ]; then
        is "$fabric: messages" True otf2 $fabric.otf2 'messages["sent"] > 0'
        is "$fabric: drops in OTF2" True otf2 $fabric.otf2 \
            'any("dropped: lost" in line for line in lines)'
    fi
done

# --- pipelined NICs: every stage of a packet is in the log -------------------------
printf 'profile: edr\nhosts: 2\n' > edr.yaml
cat > stages.py << 'END'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
data = [r for r in rows if r["type"] not in ("ack", "nack", "probe")]
stages = ["call", "queued", "turn", "fetch", "fetched", "ready", "send", "sent", "arrived",
          "checked", "write", "written", "done"]
for r in data:
    assert r["fate"] == "delivered" and r["again"] == "0", r
    times = [r[stage + "_ps"] for stage in stages]
    if r["type"] != "got": # no program sends the answer to a get
        assert r["message"], r
    # the processor writes short messages into the NIC itself
    assert (times[3] == times[4] == "") == (int(r["bytes"]) <= int(sys.argv[2])), r
    assert times.count("") == (2 if times[3] == "" else 0), r
    times = [int(time) for time in times if time]
    assert times == sorted(times), r
control = [r for r in rows if r["type"] == "ack"]
assert all(r["fate"] == "read" and r["send_ps"] and r["checked_ps"] for r in control), control
# each NIC reads several packets of a long message at the same time
spans = sorted((r["source_node"], int(r["fetch_ps"]), int(r["fetched_ps"]))
               for r in data if r["fetch_ps"])
overlapping = {a[0] for a, b in zip(spans, spans[1:]) if a[0] == b[0] and b[1] < a[2]}
assert overlapping == {span[0] for span in spans}, overlapping
print(len(data), len({r["message"] for r in data}))
END
inline=$(GMSIM_CLUSTER=edr.yaml gmsim params --csv | sed -n 's/^hca_inline_bytes,\([0-9]*\),.*/\1/p')
for size in 8 65536; do
    GMSIM_CLUSTER=edr.yaml GMSIM_TRACE=edr.csv run_ranks 2 "$bin/gm-pingpong" -s $size -i 5
    python3 stages.py edr.csv "$inline" > n || { cat n; fail "edr: stages of $size bytes"; }
    cat n
done

# --- categories and windows ---------------------------------------------------------
GMSIM_TRACE=gm.json GMSIM_TRACE_ONLY=gm run_ranks 2 "$bin/gm-pingpong" -s 8 -i 5
is "only gm" "['gm']" json gm.json 'sorted({e["cat"] for e in events if e["ph"] != "M"})'
GMSIM_TRACE=default.json run_ranks 2 "$bin/gm-pingpong" -s 8 -i 5
is "by default" "['gm', 'idt']" json default.json \
    'sorted({e["cat"] for e in events if e["ph"] != "M"})'
# a packet that begins at the start of the window is included, but a packet that begins at its
# end is not
look csv one.csv 'sorted(r["turn_ps"] for r in rows)[10]' \
    'sorted(r["turn_ps"] for r in rows)[30]' > edges
{ read -r from; read -r to; } < edges
GMSIM_TRACE=edges.csv,edges.json GMSIM_TRACE_ONLY=$all GMSIM_TRACE_WINDOW=${from}ps..${to}ps \
    run_ranks 2 "$bin/gm-pingpong" -s 8 -i 20
cmp plain out.0 || fail "a window changes the measured values"
is "packets of a window" \
    "$(look csv one.csv "sorted(r['packet'] for r in rows if $from <= r['turn_ps'] < $to)")" \
    csv edges.csv "sorted(r['packet'] for r in rows)"
is "what begins in a window" \
    "$(look json one.json "sum(e['ph'] == 'X' and $from <= e['ts'] < $to for e in events)")" \
    json edges.json "sum(e['ph'] == 'X' for e in events)"
GMSIM_TRACE=long.json GMSIM_TRACE_ONLY=$all GMSIM_TRACE_WINDOW=2ms..2.5ms \
    run_ranks 2 "$bin/gm-pingpong" -i 20
[ "$(stat -c %s long.json)" -lt 300000 ] || fail "a window of a long run: $(stat -c %s long.json) bytes"
GMSIM_TRACE=never.json GMSIM_TRACE_WINDOW=1000s.. run_ranks 2 "$bin/gm-pingpong" -s 8 -i 5
is "nothing in the window" "[]" json never.json '[e for e in events if e["ph"] != "M"]'

# --- OTF2 -------------------------------------------------------------------------------
if [ -n "$otf2" ]; then
    for run in one two; do
        GMSIM_TRACE=$run.otf2 GMSIM_TRACE_ONLY=$all run_ranks 2 "$bin/gm-pingpong" -s 8 -i 20
        cmp plain out.0 || fail "an OTF2 trace changes the measured values"
        otf2-print $run.otf2/traces.otf2 > $run.print
        otf2-print -G $run.otf2/traces.otf2 >> $run.print
    done
    cmp one.print two.print || fail "two OTF2 traces of the same run differ"
    is "messages" "$(look json one.json 'sum(e["name"] == "gm_send" for e in events)')" \
        otf2 one.otf2 'messages["sent"]'
    is "regions" "$(look json one.json \
        'sum(e["ph"] == "X" or (e["ph"], e["cat"]) == ("i", "gm") for e in events if e["ph"] != "M")')" \
        otf2 one.otf2 'sum(line.startswith("ENTER") for line in lines)'
    # the trace uses Score-P's numbering, because ViTE can read no other numbering
    is "numbers of ranks" "[0, 1]" otf2 one.otf2 \
        'sorted({int(line.split()[1]) for line in lines if line.startswith("MPI_SEND")})'
    is "files of a location" True otf2 one.otf2 \
        'all(path.with_suffix(".def").exists() for path in pathlib.Path("one.otf2/traces").glob("*.evt"))'
    [ ! -e one.otf2/events.tmp ] || fail "the temporary file remains"
    refused "'one.otf2' already contains the trace of a run" GMSIM_TRACE=one.otf2
fi

# --- a run that is killed ------------------------------------------------------------------
echo old > killed.csv
long_log()
{
    [ "$(stat -c %s killed.csv.part 2> /dev/null || echo 0)" -ge 300000 ]
}
GMSIM_TRACE=killed.json,killed.csv GMSIM_TRACE_ONLY=$all \
    start_ranks 2 "$bin/gm-bandwidth" -s 1048576 -i 99999
await 120 long_log || :
[ ! -e killed.csv ] || fail "an old log has the name of the new one"
kill -9 "${rank_pids[@]}" || true
wait
[ ! -e killed.json ] && [ ! -e killed.csv ] || fail "an incomplete trace has the name of a complete one"
mv killed.json.part killed.json
mv killed.csv.part killed.csv
is "a killed run" True json killed.json 'len(events) > 1000'
is "its log" True csv killed.csv 'len(rows) > 1000'

# --- the trace does not replace a symbolic link ---------------------------------------------
echo old > target.csv
ln -s target.csv link.csv
GMSIM_TRACE=link.csv,one.csv run_ranks 2 "$bin/gm-pingpong" -s 8 -i 20
[ -L link.csv ] && cmp link.csv one.csv || fail "a trace through a symbolic link"
[ -z "$(ls ./*.part 2> /dev/null)" ] || fail "files remain: $(ls ./*.part)"

# --- settings that are refused before a process starts ---------------------------------------
refused "'one.txt' does not end with the name of a format" GMSIM_TRACE=one.txt
refused "GMSIM_TRACE_FORMAT: value 'xml' is not a format.*; allowed: json, csv" \
    GMSIM_TRACE=one.txt GMSIM_TRACE_FORMAT=xml
refused "'mpi,gmx': 'gmx' is not a category; allowed: mpi, gm, packet, nic, idt, fault" \
    GMSIM_TRACE=no.json GMSIM_TRACE_ONLY=mpi,gmx
refused "'gm' selects nothing that 'no.csv' can show: a packet log requires the category packet" \
    GMSIM_TRACE=no.csv GMSIM_TRACE_ONLY=gm
for window in 20ms..10ms 10ms 10..20 1ms..1ms ms..2ms 1.ms..2ms -1ms..2ms 1ms...2ms 1ms..2m; do
    refused "GMSIM_TRACE_WINDOW: value '$window' is not a window of virtual time" \
        GMSIM_TRACE=no.json GMSIM_TRACE_WINDOW=$window
done
refused "cannot write 'none/no.json': No such file" GMSIM_TRACE=none/no.json
mkdir folder.json
refused "cannot write 'folder.json': Is a directory" GMSIM_TRACE=folder.json
refused "'no.json' is named twice" GMSIM_TRACE=no.json,no.json
refused "a file name is empty or too long; allowed: 1 to" GMSIM_TRACE=no.json,
refused "too many files; allowed: at most 3" GMSIM_TRACE=a.json,b.json,c.json,d.json
refused "GMSIM_TRACE_WINDOW is set, but GMSIM_TRACE, which names the output, is not set" GMSIM_TRACE_WINDOW=1ms..2ms
[ ! -e no.json ] || fail "a refused trace leaves a file"
[ ! -e no.csv ] || fail "a refused trace leaves a file"
# a full disk is reported, but does not end the run
if [ -c /dev/full ]; then
    GMSIM_TRACE=/dev/full GMSIM_TRACE_FORMAT=json run_ranks 2 "$bin/gm-pingpong" -s 8 -i 20
    cmp plain out.0 || fail "a full disk changes the measured values"
    cat err.0 err.1 > err
    grep -q "the trace is incomplete: cannot write '/dev/full': No space left" err ||
        { cat err; fail "a full disk"; }
fi
finish
