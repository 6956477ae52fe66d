#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Attacks of another user of the machine on a running job.

usage: other_user.py OWNER SECRET BEFORE PID..

OWNER is the user id of the job, SECRET a word in its environment and its memory,
BEFORE a file with the names of Unix sockets (/proc/net/unix) from before its start,
and PID.. are its processes. Each attack prints a line, which begins with "FAIL" if
the attack obtains or changes something. other-user.sh runs it as a user without any
right to the job.
"""
import ctypes
import errno
import glob
import os
import signal
import socket
import struct
import sys

OWNER = int(sys.argv[1])
SECRET = sys.argv[2].encode()
BEFORE = set(open(sys.argv[3]).read().split())
PIDS = [int(word) for word in sys.argv[4:]]
LIBC = ctypes.CDLL(None, use_errno=True)
ATTACKS = []


def attack(function):
    ATTACKS.append(function)
    return function


def refused(call, *arguments):
    """Make a call that must fail; return a description if it succeeds."""
    try:
        result = call(*arguments)
    except OSError:
        return None
    if result == -1:  # the result of a libc function
        return None
    return f"{getattr(call, '__name__', call)}{arguments} succeeded"


def each_pid(call):
    return [refused(call, pid) for pid in PIDS]


def system_call(number, *arguments):
    result = LIBC.syscall(number, *arguments)
    if result == -1 and ctypes.get_errno() == errno.ENOSYS:
        return -1
    return result


# --- ports -------------------------------------------------------------------

def listening_ports():
    ports = []
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        if os.path.exists(table):
            for line in open(table).read().splitlines()[1:]:
                field = line.split()
                if field[3] == "0A" and int(field[7]) == OWNER:
                    ports.append(int(field[1].split(":")[1], 16))
    return ports


def header(command, length, **more):
    """struct HYD_pmcd_hdr of the launcher."""
    value = dict(pid=0, version=1, pgid=0, proxy=0, rank=0, signum=-1)
    value.update(more)
    return struct.pack("8i", command, length, value["pid"], value["version"],
                       value["pgid"], value["proxy"], value["rank"], value["signum"])


def talk(port, data):
    """Return the port's answer, or "" if there is no answer or no port."""
    answer = b""
    try:
        with socket.create_connection(("localhost", port), timeout=2) as line:
            line.settimeout(0.5)
            line.sendall(data)
            while len(answer) < 1 << 20:
                part = line.recv(65536)
                if not part:
                    break
                answer += part
    except OSError:
        pass
    return answer


@attack
def port_listens():
    return [f"the job listens on port {port}" for port in listening_ports()]


@attack
def port_gives_environment():
    return ["the environment was sent" for port in listening_ports()
            if SECRET in talk(port, struct.pack("i", 0))]


@attack
def port_takes_output():
    text = b"text of another user\n"
    for port in listening_ports():
        for command in range(12):
            talk(port, struct.pack("i", 0) + header(command, len(text)) + text)


@attack
def port_starts_commands():
    command = (b"mcmd=spawn\nnprocs=1\nexecname=/bin/sh\ntotspawns=1\nspawnssofar=1\n"
               b"argcnt=2\narg1=-c\narg2=touch taken\npreput_num=0\ninfo_num=0\nendcmd\n")
    for port in listening_ports():
        for number in range(12):
            talk(port, struct.pack("i", 0) + header(number, len(command)) + command)


@attack
def port_is_closed():
    for port in listening_ports():
        talk(port, b"")


@attack
def datagram_ports():
    wrong = []
    for table in ("/proc/net/udp", "/proc/net/udp6"):
        if os.path.exists(table):
            for line in open(table).read().splitlines()[1:]:
                if int(line.split()[7]) == OWNER:
                    wrong.append(f"the job has a datagram port: {line}")
    return wrong


@attack
def unix_sockets():
    wrong = []
    for line in open("/proc/net/unix").read().splitlines()[1:]:
        field = line.split()
        if len(field) < 8 or field[7] in BEFORE:
            continue
        name = field[7]
        with socket.socket(socket.AF_UNIX) as end:
            wrong.append(refused(end.connect,
                                 "\0" + name[1:] if name.startswith("@") else name))
    return wrong


# --- processes ---------------------------------------------------------------

@attack
def signals():
    return [refused(os.kill, pid, number) for pid in PIDS
            for number in (0, signal.SIGUSR1, signal.SIGALRM, signal.SIGSTOP, signal.SIGTERM,
                           signal.SIGKILL, signal.SIGCONT)]


@attack
def signals_to_groups():
    return [refused(os.killpg, os.getpgid(pid), signal.SIGTERM) for pid in PIDS]


@attack
def signals_by_descriptor():
    wrong = []
    for pid in PIDS:
        fd = os.pidfd_open(pid)
        wrong.append(refused(signal.pidfd_send_signal, fd, signal.SIGTERM))
        os.close(fd)
    return wrong


@attack
def queued_signals():
    return each_pid(lambda pid: LIBC.sigqueue(pid, signal.SIGUSR1, None))


@attack
def trace():
    attach, seize = 16, 0x4206
    return [refused(LIBC.ptrace, request, pid, None, None)
            for request in (attach, seize) for pid in PIDS]


class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("bytes", ctypes.c_size_t)]


@attack
def memory_by_call():
    """The arena's address is the same in all processes and all jobs."""
    buffer = ctypes.create_string_buffer(4096)
    here = Vector(ctypes.addressof(buffer), 4096)
    there = Vector(0x550000000000, 4096)
    wrong = []
    for call in (LIBC.process_vm_readv, LIBC.process_vm_writev):
        wrong += each_pid(lambda pid, call=call: call(
            pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0))
    return wrong


@attack
def memory_by_file():
    return [refused(os.open, f"/proc/{pid}/mem", flags) for pid in PIDS
            for flags in (os.O_RDONLY, os.O_RDWR)]


def read_any(path):
    with open(path, "rb") as file:
        return 0 if file.read(1) else -1


@attack
def private_files():
    names = ("environ", "auxv", "maps", "smaps", "pagemap", "stack", "syscall", "io",
             "personality", "numa_maps", "timers")
    return [refused(read_any, f"/proc/{pid}/{name}") for pid in PIDS for name in names
            if os.path.exists(f"/proc/{pid}/{name}")]


@attack
def private_links():
    return [refused(os.readlink, f"/proc/{pid}/{name}") for pid in PIDS
            for name in ("cwd", "exe", "root", "ns/mnt")]


@attack
def descriptors():
    wrong = [refused(os.listdir, f"/proc/{pid}/{name}") for pid in PIDS
             for name in ("fd", "fdinfo", "map_files")]
    wrong += [refused(os.open, f"/proc/{pid}/fd/{fd}", flags) for pid in PIDS
              for fd in range(64) for flags in (os.O_RDONLY, os.O_WRONLY)]
    return wrong


@attack
def descriptors_by_call():
    wrong = []
    for pid in PIDS:
        fd = os.pidfd_open(pid)
        wrong += [refused(system_call, 438, fd, target, 0) for target in range(64)]
        os.close(fd)
    return wrong


def write_any(path):
    """All users may open some of these files, but no other user may write."""
    with open(path, "w") as file:
        file.write("1")
        file.flush()


@attack
def settings():
    return [refused(write_any, f"/proc/{pid}/{name}") for pid in PIDS
            for name in ("oom_score_adj", "clear_refs", "comm", "coredump_filter", "timerslack_ns")]


@attack
def scheduling():
    wrong = each_pid(lambda pid: os.sched_setaffinity(pid, {0}))
    wrong += each_pid(lambda pid: os.setpriority(os.PRIO_PROCESS, pid, 19))
    wrong += each_pid(lambda pid: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0)))
    return wrong


@attack
def limits():
    limit = (ctypes.c_ulong * 2)(0, 0)
    cpu_time = 0
    return each_pid(lambda pid: LIBC.prlimit(pid, cpu_time, limit, None))


@attack
def pages():
    wrong = []
    for number in (279, 256):  # move_pages, migrate_pages
        wrong += each_pid(lambda pid, number=number: system_call(
            number, pid, 0 if number == 279 else 8, None, None, None, 0))
    return wrong


@attack
def counters():
    """Count events of another process with perf_event_open."""
    wrong = []
    for pid in PIDS:
        attributes = ctypes.create_string_buffer(struct.pack("IIQ", 1, 112, 0) + bytes(96))
        wrong.append(refused(system_call, 298, attributes, pid, -1, -1, 0))
    return wrong


@attack
def command_lines():
    return [f"process {pid} shows the secret" for pid in PIDS
            if SECRET in open(f"/proc/{pid}/cmdline", "rb").read()]


# --- shared memory -----------------------------------------------------------

def job_files():
    found = [name for name in glob.glob("/dev/shm/*") + glob.glob("/dev/mqueue/*")
             if os.lstat(name).st_uid == OWNER]
    return found


def open_and_close(path, flags):
    os.close(os.open(path, flags))


@attack
def shared_files():
    wrong = []
    for name in job_files():
        wrong += [refused(open_and_close, name, flags)
                  for flags in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR)]
        wrong += [refused(os.unlink, name), refused(os.rename, name, name + ".taken"),
                  refused(os.truncate, name, 0), refused(os.chmod, name, 0o666),
                  refused(os.utime, name, (0, 0)), refused(os.link, name, name + ".link"),
                  refused(os.chown, name, os.getuid(), -1),
                  refused(os.setxattr, name, "user.taken", b"1")]
        print(f"# the job uses the file {name}")
    return wrong


@attack
def system_v_objects():
    wrong = []
    for table in ("shm", "sem", "msg"):
        for line in open(f"/proc/sysvipc/{table}").read().splitlines()[1:]:
            field = line.split()
            if OWNER in (int(field[5]), int(field[7])):
                wrong.append(f"the job has a System V object: {line}")
    return wrong


def main():
    failed = 0
    for function in ATTACKS:
        try:
            wrong = [text for text in function() or [] if text]
        except ProcessLookupError:
            wrong = ["a process of the job has gone"]
        failed += bool(wrong)
        print(f"{'FAIL' if wrong else 'ok'}: {function.__name__}"
              + (f": {wrong[0]} ({len(wrong)} in all)" if wrong else ""))
    print(f"# {len(ATTACKS)} attacks on {len(PIDS)} processes, {failed} succeeded")
    return 1 if failed else 0


sys.exit(main())
