#!/usr/bin/env python3
"""A day in the life of docs/examples/mobile_app.cc: many sessions, forks, crashes on purpose and restarts.

Use: day.py BIN APP SESSIONS EVERY     BIN: the folder of softlbr; APP: the example; SESSIONS: how many the app begins itself; EVERY: after
     each so-manieth of them that ends, `softlbr trigger` records another one over the control socket
The app lives through the same day twice: not recording, and with a session at each "begin". One session in five is cut off by a crash. Then:
  - what the app printed is the same, byte for byte;
  - each session is one file of the spool, and each triggered one was fetched;
  - the spool travels through `softlbr upload` to `softlbr collect`, whose merge is that of the files that never travelled;
  - so is what `softlbr convert --to bolt` makes of it.
Prints one line of figures. Exit 1: what was wrong is printed.
"""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

BIN = pathlib.Path(sys.argv[1])
APP = sys.argv[2]
SESSIONS = int(sys.argv[3])
EVERY_CRASH = 5
EVERY_TRIGGER = int(sys.argv[4])


def fail(text):
    sys.exit("day: " + text)


def softlbr(*arguments):
    result = subprocess.run([BIN / "softlbr", *map(str, arguments)], env=dict(os.environ, no_proxy="127.0.0.1"),
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if result.returncode != 0:
        fail(f"softlbr {arguments[0]} ended with {result.returncode}: {result.stderr}")
    return result.stdout


class App:
    """The program, from one start to its end. All that it prints is kept, but for work that only keeps it busy."""
    printed = b""

    def __init__(self, folder):
        self.process = subprocess.Popen([APP] + ([str(folder)] if folder else []), stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, command, is_kept=True):
        """Its answer, up to "ok" or its end."""
        self.process.stdin.write(command.encode() + b"\n")
        self.process.stdin.flush()
        answer = b""
        for line in self.process.stdout:
            answer += line
            if line == b"ok\n":
                break
        if is_kept:
            App.printed += answer
        return answer

    def end(self, command, code):
        self.ask(command)
        if self.process.wait() != code:
            fail(f"the app ended with {self.process.returncode} after {command}, not with {code}")


def live(folder):
    """A day. Returns what the app printed and how many sessions were triggered."""
    App.printed = b""
    choice = random.Random(11)
    triggered = 0
    app = App(folder)
    for number in range(1, SESSIONS + 1):
        app.ask("begin")
        for _ in range(choice.randint(8, 10)):  # enough for a sample, also where samples are dear
            app.ask(f"job {choice.randint(1, 10**6)}")
        if choice.randrange(3) == 0:
            app.ask(f"fork {choice.randint(1, 10**6)}")
        if number % EVERY_CRASH == 0:
            app.end("crash", -signal.SIGSEGV)
            app = App(folder)
            continue
        app.ask("end")
        if number % EVERY_TRIGGER == 1 % EVERY_TRIGGER:
            if folder:
                triggered += 1
                trigger = subprocess.Popen([BIN / "softlbr", "trigger", str(app.process.pid), "--folder", folder, "-d", "0.2", "-F", "1999",
                                            "-q", "-o", folder / f"triggered.{triggered}"])
                while trigger.poll() is None:  # how often depends on the machine
                    app.ask("job 7", is_kept=False)
                if trigger.returncode != 0:
                    fail("softlbr trigger failed")
    app.end("quit", 0)
    # The end of a crashed app's profile may be written a moment after its death. Then the next start finishes the file.
    limit = time.monotonic() + 60
    while folder and list((folder / "spool").glob(".*.tmp")) and time.monotonic() < limit:
        App(folder).end("quit", 0)
    return App.printed, triggered


def main():
    with tempfile.TemporaryDirectory(prefix="softlbr-day.") as name:
        top = pathlib.Path(name)
        plain, _ = live(None)
        recorded, triggered = live(top)
        if plain != recorded:
            fail("the app printed something else while it was recorded")
        spool = top / "spool"
        files = sorted(spool.glob("*.slbr"))
        truncated = [file for file in files if ".truncated." in file.name]
        if len(files) != SESSIONS:
            fail(f"{SESSIONS} sessions, but {len(files)} files")
        if len(truncated) > SESSIONS // EVERY_CRASH:
            fail(f"{len(truncated)} truncated files, but {SESSIONS // EVERY_CRASH} crashes")
        left = [file.name for file in spool.iterdir() if file not in files and file.name != ".lock"]
        if left:
            fail(f"left in the spool: {left}")
        for number in range(1, triggered + 1):
            if json.loads(softlbr("stats", "--json", top / f"triggered.{number}"))["samples"] == 0:
                fail(f"triggered session {number} is empty")

        kept = top / "kept"
        shutil.copytree(spool, kept)
        softlbr("merge", "-o", top / "sum", *sorted(kept.glob("*.slbr")))
        stats = json.loads(softlbr("stats", "--json", top / "sum"))
        program = [module for module in stats["modules"] if module["name"] == os.path.basename(APP)]
        if len(program) != 1 or stats["taken_branches"] == 0:
            fail("the merge does not name the program, or holds no branch")
        build_id = program[0]["build_id"]

        collect = subprocess.Popen([BIN / "softlbr", "collect", "--listen", "127.0.0.1:0", "-o", str(top / "store")],
                                   stdout=subprocess.PIPE, text=True)
        try:
            port = "".join(character for character in collect.stdout.readline().rsplit(":", 1)[1] if character.isdigit())
            softlbr("upload", spool, f"http://127.0.0.1:{port}", "--segment-bytes", 4096)
            if list(spool.glob("*.slbr")):
                fail("something was not sent")
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            travelled = opener.open(f"http://127.0.0.1:{port}/merged/{build_id}", timeout=60).read()
        finally:
            collect.send_signal(signal.SIGTERM)
            collect.wait()
        (top / "travelled").write_bytes(travelled)
        if travelled != (top / "sum").read_bytes():
            fail("the merge of what travelled is not that of the files")
        for profile in ("sum", "travelled"):
            softlbr("convert", "--to", "bolt", "-b", APP, "-o", top / (profile + ".bolt"), top / profile)
        bolt = (top / "sum.bolt").read_bytes()
        if not bolt or bolt != (top / "travelled.bolt").read_bytes():
            fail("the input of BOLT is empty or differs")
        print(f"{SESSIONS} sessions and {triggered} triggered, {SESSIONS // EVERY_CRASH} crashes, {len(truncated)} truncated files; "
              f"{stats['samples']} samples, {stats['taken_branches']} taken branches, {bolt.count(10)} lines for BOLT")


if __name__ == "__main__":
    main()
