"""Triggers sessions in a server under load. trigger_load.sh builds the server and calls this; README.md says how to read the result.

Use: trigger_load.py SOFTLBR FOLDER SESSIONS SECONDS BUDGET      FOLDER has the program "server", and gets the profiles
     SECONDS: of each interval. 0: one short interval of each kind, and no bar but the accounts
     BUDGET: parts per million that the compared sessions ask for; 0: the default
The requester is written from docs/sessions_on_request.md, and from nothing else.
"""
import array
import contextlib
import ctypes
import json
import os
import pathlib
import platform
import socket
import statistics
import struct
import subprocess
import sys
import time

SOFTLBR, WORK, SESSIONS, SECONDS = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
BUDGET_PPM = int(sys.argv[5])
IS_SHORT = SECONDS == 0
CONNECTIONS, CLIENTS = 100, 2  # so many threads of the server, and so many requests at a time: two CPUs are busy
SESSIONS_OF_A_SERVER = 10      # then both start anew: where code and data lie differs from start to start
# The kernel's switches of threads stay slower for a second after the last event is closed (README.md, "Context switches").
KERNEL_FORGETS_S = 0.0 if IS_SHORT else 1.3
LOAD_AFTER_S = 0.06 if not IS_SHORT else 0.2  # a session is stopped so long before the load
FIRST_SAMPLE_HZ = 20000
MOST_RATIO, MOST_START_MS, MOST_STOP_MS = 1.02, 20, 50

ASK, START, CANCEL, COUNT = 1, 2, 3, 4
INFO, STARTED, PROGRESS, CHUNK, END, REFUSED, COUNTS = 16, 17, 18, 19, 20, 21, 22
HEAD = struct.Struct("<IHHII")
DURATION_OVER, CANCELLED = 0, 1


def fail(text):
    sys.exit("trigger_load: " + text)


# --- control groups: the server's, with its helper, which no process waits for --------------------------------------------------
class Group:
    """Of cgroup v1's cpuacct or of v2; only root can make one. Without one, CPU time is not measured."""

    def __init__(self, name):
        self.folder = None
        for root in map(pathlib.Path, ("/sys/fs/cgroup/cpuacct", "/sys/fs/cgroup/unified", "/sys/fs/cgroup")):
            folder = root / f"softlbr-trigger-{os.getpid()}-{name}"
            with contextlib.suppress(OSError):
                folder.mkdir()
                if (folder / "cpuacct.usage").exists() or (folder / "cpu.stat").exists():
                    self.folder = folder
                    return
                folder.rmdir()

    def enter(self):
        if self.folder:
            (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def used_ns(self):
        if not self.folder:
            return 0
        if (self.folder / "cpuacct.usage").exists():
            return int((self.folder / "cpuacct.usage").read_text())
        return 1000 * int((self.folder / "cpu.stat").read_text().split()[1])

    def remove(self):
        for _ in range(200):  # a helper may take a moment
            with contextlib.suppress(OSError):
                if self.folder:
                    self.folder.rmdir()
                return
            time.sleep(0.01)


class Program:
    def __init__(self, *command, group=None):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
                                        preexec_fn=group.enter if group else None)

    def say(self, line):
        self.process.stdin.write(line + "\n")

    def hear(self):
        line = self.process.stdout.readline()
        if not line:
            fail(f"{self.process.args[0]} has ended")
        return line.split()

    def end(self):
        self.process.stdin.close()
        if self.process.wait() != 0:
            fail(f"{self.process.args[0]} ended with {self.process.returncode}")


class KernelEvent:
    """An event of the kernel's for this process, which never counts. Where it is the only one of all tasks, opening it takes as long as
    the kernel needs to switch its code for events on; while it is open, the next one has not to wait for that."""
    NUMBER = {"x86_64": 298, "aarch64": 241}[platform.machine()]  # of perf_event_open
    SOFTWARE, TASK_CLOCK, DISABLED_USER_ONLY, SIZE = 1, 1, 1 | 1 << 5 | 1 << 6, 64

    def __init__(self):
        attributes = struct.pack("<IIQQQQQ", self.SOFTWARE, self.SIZE, self.TASK_CLOCK, 0, 0, 0, self.DISABLED_USER_ONLY).ljust(self.SIZE, b"\0")
        began = time.monotonic()
        self.fd = ctypes.CDLL(None).syscall(self.NUMBER, attributes, 0, -1, -1, 0)
        self.opened_ms = (time.monotonic() - began) * 1e3 if self.fd >= 0 else float("inf")  # forbidden: sessions sample by timers then

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.fd >= 0:
            os.close(self.fd)


class Server:
    """One of the two, and the clients that load it."""

    def __init__(self, name, group):
        self.sockets = WORK / "sockets"
        self.group = group
        self.program = Program(str(WORK / "server"), "serve", "-" if name == "plain" else str(self.sockets), group=group)
        self.clients = Program(str(WORK / "server"), "load", self.program.hear()[0], str(CONNECTIONS), str(CLIENTS))
        self.clients.hear()
        self.answers = 0

    def begin_load(self, seconds):
        self.began_ns = self.group.used_ns()
        self.clients.say(f"run {round(seconds * 1000)}")

    def end_load(self, until=None):
        """CPU ns of a request, and requests of a second. until(): what else is to end before the CPU time is read."""
        answers, wrong, took_ns = map(int, self.clients.hear())
        if until:
            until()
        if wrong != 0:
            fail(f"{wrong} wrong answers")
        self.answers += answers
        if answers == 0:  # the machine gave the server no time
            return float("inf"), 0.0
        return (self.group.used_ns() - self.began_ns) / answers, answers / took_ns * 1e9

    def end(self):
        self.program.say("count")
        counted = int(self.program.hear()[0])
        if counted != self.answers:
            fail(f"{self.answers} answers came, but the server has sent {counted}")
        self.clients.end()
        self.program.end()


class Trigger:
    """A connection that asks for sessions, and what came of them."""
    ended = {DURATION_OVER: 0, CANCELLED: 0}
    samples = 0
    taken_branches = 0
    late = 0

    def __init__(self, server):
        (name,) = server.sockets.iterdir()
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(60)
        self.socket.connect(str(name))
        self.sessions = 0

    def send(self, kind, body=b"", passed=()):
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", passed))] if passed else []
        self.socket.sendmsg([HEAD.pack(0x434C5353, 1, kind, len(body), 0) + body], ancillary)

    def receive(self, wanted):
        while True:
            packet = self.socket.recv(65536)
            if len(packet) < HEAD.size:
                fail("the server closed the connection")
            kind = HEAD.unpack_from(packet)[2]
            if kind == wanted:
                return packet[HEAD.size:]
            if kind != PROGRESS:
                fail(f"message {kind} came instead of {wanted}: {packet[HEAD.size:].hex()}")

    def begin(self, duration_ms, frequency_hz=0):
        self.profile = WORK / "session.slbr"
        with open(self.profile, "wb") as file:
            self.send(START, struct.pack("<IIQQIIQ", 0, 0, 0, frequency_hz, duration_ms, 0 if frequency_hz else BUDGET_PPM, 0), [file.fileno()])
        self.sessions += 1

    def end(self, why_wanted):
        """The session is over, or about to be: its profile is complete when the message comes. Returns the time of that."""
        why, status, _, samples, _, taken_branches, _, threads, lost = struct.unpack("<II7Q", self.receive(END))
        at = time.monotonic()
        size = self.profile.stat().st_size
        if (why, status) != (why_wanted, 0):
            fail(f"a session ended with why={why} status={status}")
        stats = json.loads(subprocess.run([SOFTLBR, "stats", "--json", self.profile], check=True, stdout=subprocess.PIPE).stdout)
        if stats["is_truncated"] or stats["samples"] < samples or self.profile.stat().st_size != size:
            fail("a profile was not complete when its session had ended")
        # A sample that comes while the thread's events are being closed is counted, and no loss of a trace.
        late = stats["lost"]["late_sample"]
        of_ours = stats["lost"]["own_code"]  # branches of our own code are taken out
        if lost > late + of_ours or sum(stats["lost"].values()) != late + of_ours:
            fail(f"a session has lost {lost}: { {reason: n for reason, n in stats['lost'].items() if n} }")
        Trigger.late += late
        if threads < CONNECTIONS:
            fail(f"{threads} threads were recorded of {CONNECTIONS}")
        Trigger.ended[why] += 1
        Trigger.samples += stats["samples"]
        Trigger.taken_branches += stats["taken_branches"]
        return at

    def close(self):
        self.send(COUNT)
        _, sessions, _, skipped, *refused = struct.unpack("<4Q32Q", self.receive(COUNTS))
        if (sessions, skipped, sum(refused)) != (self.sessions, 0, 0):
            fail(f"{self.sessions} sessions were asked for; the server counts {sessions}, {skipped} skipped, {sum(refused)} refused")
        self.socket.close()


# --- intervals ------------------------------------------------------------------------------------------------------------------
def without_session(server, seconds):
    server.begin_load(seconds)
    return server.end_load()


def during_session(server, trigger, seconds, stops_ms):
    """From just before the request to just after the end: the start and the end of the session count as well."""
    server.begin_load(seconds)
    began = time.monotonic()
    trigger.begin(60000)
    trigger.receive(STARTED)
    time.sleep(max(0.0, began + seconds - LOAD_AFTER_S - time.monotonic()))
    stop = time.monotonic()
    trigger.send(CANCEL)
    stops_ms.append((trigger.end(CANCELLED) - stop) * 1e3)
    return server.end_load()


def first_sample_ms(server, trigger):
    """A short session that ends by itself, from the request and from the start to its first sample. Its rate is so high that the first
    request of each thread has a sample. The requester waits for a CPU like everybody else before the request is out."""
    server.begin_load(0.8)
    server.program.say("watch")
    server.program.hear()
    time.sleep(0.02)
    asked_ns = time.monotonic_ns()
    trigger.begin(500, frequency_hz=FIRST_SAMPLE_HZ)
    trigger.receive(STARTED)
    start_ns, seen_ns = map(int, server.program.hear())
    trigger.end(DURATION_OVER)
    server.end_load()
    return ((seen_ns - asked_ns) / 1e6, (seen_ns - start_ns) / 1e6) if seen_ns else (float("inf"), float("inf"))


def first_event_ms(server):
    """How long the kernel takes for the first event of all tasks, under the same load."""
    server.begin_load(0.5)
    time.sleep(0.1)
    with KernelEvent() as event:
        pass
    server.end_load()
    return event.opened_ms


def error(values):
    """Standard error of the median, estimated by the median deviation."""
    median = statistics.median(values)
    return 1.25 * 1.48 * statistics.median(abs(value - median) for value in values) / len(values) ** 0.5


def main():
    (WORK / "sockets").mkdir(mode=0o700, exist_ok=True)
    groups = {name: Group(name) for name in ("plain", "carrying")}
    seconds = SECONDS or 0.5
    results = {kind: [] for kind in ("plain", "between", "during")}
    stops_ms, starts_ms, prepared_starts_ms, events_ms = [], [], [], []
    try:
        done = 0
        while done < SESSIONS:
            servers = {name: Server(name, groups[name]) for name in groups}
            trigger = Trigger(servers["carrying"])
            for server in servers.values():
                while server.answers < 10 * CONNECTIONS:
                    without_session(server, 0.1)
            for number in range(min(SESSIONS_OF_A_SERVER, SESSIONS - done)):
                turns = ("plain", "between", "during") if number % 2 == 0 else ("during", "between", "plain")
                for kind in turns:
                    if kind == "during":
                        results[kind].append(during_session(servers["carrying"], trigger, seconds, stops_ms))
                        time.sleep(KERNEL_FORGETS_S)
                    else:
                        results[kind].append(without_session(servers["plain" if kind == "plain" else "carrying"], seconds))
                starts_ms.append(first_sample_ms(servers["carrying"], trigger))
                time.sleep(KERNEL_FORGETS_S)
                events_ms.append(first_event_ms(servers["carrying"]))
                with KernelEvent():
                    prepared_starts_ms.append(first_sample_ms(servers["carrying"], trigger))
                time.sleep(KERNEL_FORGETS_S)
                done += 1
            trigger.close()
            for server in servers.values():
                server.end()
            if list((WORK / "sockets").iterdir()):
                fail("a socket is left")
    finally:
        for group in groups.values():
            group.remove()
    if Trigger.ended != {DURATION_OVER: 2 * SESSIONS, CANCELLED: SESSIONS}:
        fail(f"sessions ended: {Trigger.ended}")
    print(f"{3 * SESSIONS} sessions triggered, {SESSIONS} stopped by the requester and {2 * SESSIONS} over after their time: all complete, "
          f"all counted, no trace lost, none refused; {Trigger.late} late samples, {Trigger.samples} samples, {Trigger.taken_branches} taken branches")
    if IS_SHORT:
        return 0

    has_failed = False

    def judge(what, value, bar, deviation=0.0):
        nonlocal has_failed
        has_failed |= value - 2 * deviation > bar
        return f"{what}{'' if value - 2 * deviation <= bar else '   ABOVE THE BAR'}"

    print(f"{'':32}{'CPU us a request':>17}{'requests a second':>19}")
    names = {"plain": "library not started", "between": "between sessions", "during": "during sessions"}
    for kind, values in results.items():
        print(f"{names[kind]:32}{statistics.median(cpu for cpu, _ in values) / 1e3:17.2f}{statistics.median(rate for _, rate in values):19.0f}")
    for one, other in (("between", "plain"), ("during", "between"), ("during", "plain")):
        for what, column in (("CPU time of a request", 0), ("requests of a second", 1)):
            if column == 0 and not groups["plain"].folder:
                print("CPU time is not measured: that takes root")
                continue
            ratios = [a[column] / b[column] for a, b in zip(results[one], results[other])]
            ratio, deviation = statistics.median(ratios), error(ratios)
            change = f"{names[one]} / {names[other]}, {what}: {(ratio - 1) * 100:+.2f} % +- {deviation * 100:.2f}"
            print(judge(change, ratio if column == 0 else 1 / ratio, MOST_RATIO, deviation))

    def spread(what, values):
        return f"{what:42}median {statistics.median(values):.1f}, {min(values):.1f} to {max(values):.1f}"

    def judge_ms(what, values, bar):
        print(judge(f"{spread(what, values)} (bar {bar})", statistics.median(values), bar))

    print(spread("request to first sample, ms", [asked for asked, _ in starts_ms]))
    judge_ms("start to first sample, ms", [started for _, started in starts_ms], MOST_START_MS)
    print(spread("  the kernel's first event of all, ms", events_ms))
    judge_ms("  start to first sample after that, ms", [started for _, started in prepared_starts_ms], MOST_START_MS)
    judge_ms("stop to complete profile, ms", stops_ms, MOST_STOP_MS)
    return 1 if has_failed else 0


if __name__ == "__main__":
    sys.exit(main())
