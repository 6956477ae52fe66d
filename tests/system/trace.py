# SPDX-License-Identifier: BSD-3-Clause
"""Checks a trace and evaluates expressions: trace.py json|csv|otf2 FILE [EXPRESSION..]

The trace must be consistent. The expressions are printed; in them `events` are the
events of a JSON trace, `rows` the rows of a packet log (numbers as int, None for empty
fields), and `lines` the output of otf2-print.
"""
import collections
import csv
import json
import pathlib
import subprocess
import sys
from fractions import Fraction


def ps(text):
    """Convert microseconds with six decimal places to picoseconds."""
    time = Fraction(text) * 1000000
    assert time.denominator == 1, text
    return int(time)


def look_json(name):
    text = open(name).read()
    if not text.rstrip().endswith("]"):  # a killed run: keep complete lines
        text = text[:text.rindex("\n")].rstrip().rstrip(",") + "]"
    events = json.loads(text, parse_float=ps, parse_int=int)
    reached, over, open_calls = {}, {}, collections.defaultdict(list)
    arrows = collections.defaultdict(list)
    for event in events:
        track = event["pid"], event["tid"]
        phase = event["ph"]
        if phase in "BEX":
            assert event["ts"] >= reached.get(track, 0), "time decreases: %s" % event
            assert event["ts"] >= over.get(track, 0), "overlaps: %s" % event
            reached[track] = event["ts"]
        if phase == "X":
            over[track] = event["ts"] + event["dur"]
        elif phase == "B":
            open_calls[track].append(event["name"])
        elif phase == "E":
            assert open_calls[track].pop() == event["name"], event
        elif phase == "C":
            track = event["pid"], event["name"]
            assert event["ts"] >= reached.get(track, 0), "time decreases: %s" % event
            reached[track] = event["ts"]
        elif phase in "sf":
            arrows[event["cat"], event["id"]].append((event["ts"], -ord(phase), phase))
    if events[-1].get("args") == {"labels": "complete"}:
        assert not any(open_calls.values()), open_calls
    for ends in arrows.values():
        assert [end[2] for end in sorted(ends)] in (["s"], ["s", "f"]), ends
    def calls(pid):
        """Return the events of a rank or of a part of a NIC, in order."""
        return [e for e in events if e["pid"] == pid and e["ph"] == "X"]

    return {"events": events, "arrows": arrows, "calls": calls}


MOMENTS = ("call", "queued", "turn", "fetch", "fetched", "ready", "send",
           "arrived", "checked", "write", "written", "done")


def look_csv(name):
    rows = []
    for row in csv.DictReader(open(name)):
        if None in row.values():  # the last line of a killed run
            continue
        for key, value in row.items():
            if key not in ("message", "type", "fate"):
                row[key] = int(value) if value else None
        times = [row[m + "_ps"] for m in MOMENTS if row[m + "_ps"] is not None]
        assert times == sorted(times), row
        if row["fate"] == "delivered":
            assert row["written_ps"] is not None, row
        if row["arrived_ps"] is not None and row["send_ps"] is not None:
            assert row["arrived_ps"] - row["send_ps"] >= \
                row["wire_time_ps"] + row["switch_time_ps"], row
        rows.append(row)
    assert len({row["packet"] for row in rows}) == len(rows)
    return {"rows": rows}


def look_otf2(name):
    def run(*options):
        done = subprocess.run(["otf2-print", *options, name + "/traces.otf2"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 0, done
        assert done.stderr == "", done.stderr
        assert "ERROR" not in done.stdout, done.stdout[-500:]
        return done.stdout.splitlines()

    definitions, lines = run("-G"), run()
    within = collections.defaultdict(list)
    messages = collections.Counter()
    reached = {}
    for line in lines:
        words = line.split()
        if len(words) < 3 or not words[1].isdigit():
            continue
        kind, location, time = words[0], int(words[1]), int(words[2])
        assert time >= reached.get(location, 0), line
        reached[location] = time
        if kind == "ENTER":
            within[location].append(line.split("Region: ")[1])
        elif kind == "LEAVE":
            assert within[location].pop() == line.split("Region: ")[1], line
        elif kind == "MPI_SEND":
            messages["sent"] += 1
        elif kind == "MPI_RECV":
            messages["received"] += 1
    assert not any(within.values()), within
    assert messages["sent"] == messages["received"], messages
    assert not any("UNKNOWN" in line or "INVALID" in line for line in definitions + lines)
    return {"lines": lines, "definitions": definitions, "messages": messages}


known = {"json": look_json, "csv": look_csv, "otf2": look_otf2}[sys.argv[1]](sys.argv[2])
known.update({"collections": collections, "pathlib": pathlib})
for expression in sys.argv[3:]:
    print(eval(expression, known))
