#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests the readers with files that are constructed to need as much memory and time as
# possible. A reader must either read or refuse each file, with at most 512 MB of memory and
# within one second per MB of the file.
import os
import resource
import shutil
import subprocess
import sys

GMSIM = os.environ["GMQOS_STAGE"] + "/bin/gmsim"
SEAL = os.environ["GMQOS_BUILDDIR"] + "/tests/report/seal_record"
SMALL = os.environ["GMQOS_SRCDIR"] + "/tests/data/records/small/"
MB = 1000000
MEMORY_MB = 512
bad = 0


def fill(line):
    """Lines of numbers with a total length of 1 MB."""
    lines, size = [], 0
    while size < MB:
        lines.append(line(len(lines)))
        size += len(lines[-1])
    return "".join(lines)


def run(name, size, arguments, allowed=(0, 2)):
    global bad
    process = subprocess.Popen([GMSIM] + arguments, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    said = process.stderr.read()
    _, status, use = os.wait4(process.pid, 0)
    seconds = use.ru_utime + use.ru_stime
    memory = use.ru_maxrss / 1024
    print("%-24s %5.1f MB: status %d, %.2f s, %d MB" %
          (name, size / MB, os.waitstatus_to_exitcode(status), seconds, memory))
    if os.waitstatus_to_exitcode(status) not in allowed:
        print("FAIL: %s: %s" % (name, said))
        bad = 1
    if memory > MEMORY_MB or seconds > 1 + size / MB:
        print("FAIL: %s exceeds its limits" % name)
        bad = 1


def yaml(name, command, text):
    with open("file.yaml", "w") as file:
        file.write(text)
    run(name, len(text), command.split() + ["file.yaml"])


def make(directory, texts):
    """Write a record of these texts with valid checksums. Return its size."""
    shutil.rmtree(directory, ignore_errors=True)
    os.mkdir(directory)
    for part in ("record.json", "windows.jsonl", "events.jsonl"):
        text = texts.get(part.split(".")[0]) or open(SMALL + part).read()
        with open(directory + "/" + part, "w") as file:
            # a long text is created in pieces, because its memory would otherwise count as
            # the reader's memory
            file.writelines([text] if isinstance(text, str) else text())
    subprocess.check_call([SEAL, directory])
    return sum(os.path.getsize(directory + "/" + part) for part in os.listdir(directory))


def record(name, command="report --text", allowed=(0, 2), other=None, **texts):
    """Report on a record, or compare it with itself or with another one."""
    size = make("record", texts)
    directories = ["record"]
    if other:
        size += make("other", other)
        directories.append("other")
    elif command == "compare":
        directories.append("record")
    run(name, size, command.split() + directories, allowed)


# The texts are created one by one, because the measured memory of a child process is at least
# that of its parent.
check = "config check"
yaml("unknown keys", check, fill(lambda i: "hostz%d: 1\n" % i))
yaml("brackets", check, "a: " + "[" * MB)
yaml("mappings in mappings", check, "{a: " * (MB // 4))
yaml("empty lists", check, "a: [" + "[]," * (MB // 3) + "]")
yaml("empty mappings", check, "a: [" + "{}," * (MB // 3) + "]")
yaml("a key again and again", check, fill(lambda i: "hosts: 4\n"))
yaml("blocks in blocks", check, fill(lambda i: " " * min(i, 400) + "a%d:\n" % i))
yaml("one long text", check, "hosts: '" + "x" * MB + "'")
yaml("brackets in a plan", "plan", "requests: " + "[" * MB)
yaml("a long plan", "plan", "requests:\n" + fill(
    lambda i: "  - {from: 1, to: 2, bandwidth: 1 B/s}\n"))
yaml("a long policy", check + " --policy", fill(
    lambda i: "- {from: 0, to: all, bandwidth: 1 B/s}\n"))
yaml("brackets in a sweep", "sweep --dry-run", "command: a\ngrid: " + "[" * MB)
yaml("a long model", "model", "stations:\n" + fill(lambda i: "  - {name: s%d}\n" % i))

root = open(SMALL + "record.json").read()
killed = root.replace('"complete": true', '"complete": false')
more = ' "labels": ['
event = open(SMALL + "events.jsonl").readline()
record("a million hosts", record=root.replace('"nodes": 3', '"nodes": 1000000'))
record("lists of nothing", record=root.replace(more, ' "x": [' + "[]," * (2 * MB) + "1],\n" + more))
record("objects of nothing", record=root.replace(more, ' "x": [' + "{}," * (2 * MB) + "1],\n" + more))
record("lists in lists", record=root.replace(more, ' "x": ' + "[" * MB + "]" * MB + ",\n" + more))
record("flows of a window", record=killed, windows='{"end_ps":1000,"flows":[' + ",".join(
    "[%d,1,1,1,0,0,1,2,3,2,0,%d]" % (i, i) for i in range(1, 100000)) +
    '],"cards":[],"links":[],"hosts":[]}\n')
record("parts of windows", record=killed, windows="".join(
    '{"end_ps":%d,"flows":[],"cards":[],"links":[%s],"hosts":[]}\n' %
    (i * 1000, ",".join(["[0,0,0,0]"] * 1000)) for i in range(1, 2500)))
record("a line without end", record=killed, windows="x" * (18 * MB))
record("many events", events=event * 20000)
flow = ('{"number":0,"node":1,"port":2,"target_node":3,"target_port":%d,"priority":0,"label":1,'
        '"counters":{"packets_sent":0,"bytes_sent":0,"packets_resent":0,"packets_arrived":0,'
        '"bytes_arrived":0,"active_ps":0,"idt_wait_ps":0}},\n')


def with_flows(numbers, form=flow):
    return root.replace(' "flows": [\n', ' "flows": [\n' + "".join(form % i for i in numbers))


record("many flows", record=with_flows(range(20000)))
record("many flows", command="compare", record=with_flows(range(20000)))
record("flows in reverse", command="compare", record=with_flows(range(60000)),
       other={"record": with_flows(range(60000, 0, -1))})
record("many labels", record=with_flows(range(30000), flow.replace('"label":1', '"label":7')).replace(
    ' "labels": [', ' "labels": [\n' + "".join(
        '{"label":%d,"name":"x"},\n' % (i + 100) for i in range(100000))))
for command in ("report --text", "compare"):
    record("flows and lists", command=command, record=with_flows(range(100000)).replace(
        more, ' "x": [' + "[]," * (2 * MB) + "1],\n" + more))

# This is the record of a job with 200 ranks in which every rank sends to every rank. A reader
# must read this record.
whole = ('{"number":%d,"node":1,"port":2,"target_node":3,"target_port":%d,"priority":0,'
         '"label":1,"counters":{"packets_sent":0,"bytes_sent":0,"packets_resent":0,'
         '"packets_arrived":0,"bytes_arrived":0,"active_ps":0,"idt_wait_ps":0,' +
         ",".join('"other_%d":1000000' % i for i in range(8)) + '},"latency":[' +
         ",".join("[%d,1]" % (1000000 * i) for i in range(24)) +
         '],"times":{"host_ps":1,"pace_ps":1,"queue_ps":1,"lanai_ps":1,"host_dma_ps":1,'
         '"wire_ps":1,"switch_ps":1,"blocked_ps":1},"links":[' +
         ",".join("[%d,0,0]" % i for i in range(6)) + "]},\n")
ranks = root.replace(' "flows": [\n', ' "flows": [\n' + "".join(
    whole % (i + 3, i) for i in range(200 * 199)))
record("flows of 200 ranks", allowed=(0,), record=ranks)
record("flows of 200 ranks", command="compare", allowed=(0,), record=ranks)

# This is the record of the same job with 150 windows, in each of which all flows transfer
# data. The tables cannot hold all these rows, so windows are merged. The totals must
# nevertheless fit into the tables.
WINDOWS = 150
moved = whole
for key in ("packets_sent", "bytes_sent", "packets_arrived", "bytes_arrived"):
    moved = moved.replace('"%s":0' % key, '"%s":%d' % (key, WINDOWS))
busy = root.replace('"end_ps": 4000000000', '"end_ps": %d' % ((WINDOWS + 4) * 10**9)).replace(
    ' "flows": [\n', ' "flows": [\n' + "".join(moved % (i + 3, i) for i in range(200 * 199)))


def busy_windows(key=""):
    rows = ",".join("[%d,1,1,1,0,0]" % (i + 3) for i in range(200 * 199))
    first = ",".join("[%d,1,1,1,0,0%s]" % (i + 3, key % i) for i in range(200 * 199)) if key else rows
    yield open(SMALL + "windows.jsonl").read()
    for window in range(WINDOWS):
        yield '{"end_ps":%d,"flows":[' % ((window + 5) * 10**9)
        yield first if window == 0 else rows
        yield '],"cards":[],"links":[],"hosts":[]}\n'


record("200 ranks, 150 windows", allowed=(0,), record=busy, windows=busy_windows)
record("200 ranks, 150 windows", command="compare", allowed=(0,), record=busy,
       windows=busy_windows)
record("the same, killed", allowed=(0,), record=killed,
       windows=lambda: busy_windows(",1,2,3,%d,0,1"))
sys.exit(bad)
