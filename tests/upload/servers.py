#!/usr/bin/env python3
"""`softlbr upload` to a real server behind a proxy that fails on purpose. Run by servers.sh.

Use: servers.py BIN SERVER SESSIONS     BIN: the folder of softlbr and upload_spool; SERVER: collect, nginx or apache
Everything is on loopback, on ports that the kernel chooses, below a temporary folder. Files that a 413 sent into quarantine are moved back
and the run is repeated, as docs/uploads.md says, until nothing is left. Then each session must be on the server whole, each frame once.
Prints one line of figures. Exit 1: what was wrong is printed.
"""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from fault_proxy import FAULTS, FaultProxy  # noqa: E402

FAULTS_PERCENT = 20
SEGMENT_BYTES = 230  # a session has one to three segments
MAX_RUNS = 200

NGINX = """daemon off; master_process off; pid {top}/pid; error_log {top}/error.log;
events {{ }}
http {{
  access_log off; client_body_temp_path {top}/body; proxy_temp_path {top}/p; fastcgi_temp_path {top}/f; uwsgi_temp_path {top}/u;
  scgi_temp_path {top}/s;
  server {{
    listen 127.0.0.1:{port}; root {store};
    location / {{ dav_methods PUT; create_full_put_path on; client_max_body_size 16m; }}
  }}
}}
"""
APACHE = """ServerRoot {top}
ServerName localhost
Listen 127.0.0.1:{port}
PidFile {top}/pid
ErrorLog {top}/error.log
DefaultRuntimeDir {top}
Mutex file:{top}
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule dav_module {modules}/mod_dav.so
LoadModule dav_fs_module {modules}/mod_dav_fs.so
DavLockDB {top}/locks
DocumentRoot {store}
<Directory />
  Dav On
  Require all granted
</Directory>
"""


def fail(text):
    sys.exit("servers: " + text)


class Server:
    """One of the three, killed and started again at will. It keeps its port."""

    def __init__(self, kind, bin_folder, top):
        self.kind = kind
        self.bin = bin_folder
        self.top = top
        self.store = top / "store"
        self.store.mkdir()
        self.starts = 0
        self.process = None
        # Chosen by the kernel; nobody else is likely to get it while the server is down for a moment.
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        values = {"top": top, "store": self.store, "port": self.port, "modules": "/usr/lib/apache2/modules"}
        if kind == "nginx":
            (top / "conf").write_text(("user root;\n" if os.geteuid() == 0 else "") + NGINX.format(**values))
        elif kind == "apache":
            (top / "conf").write_text(APACHE.format(**values))
        self.start()

    def command(self):
        if self.kind == "nginx":
            return [shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin"), "-c", str(self.top / "conf")]
        if self.kind == "apache":
            # -X: one process, so that one kill ends all of it.
            return [shutil.which("apache2", path=os.environ["PATH"] + ":/usr/sbin"), "-X", "-f", str(self.top / "conf")]
        return [str(self.bin / "softlbr"), "collect", "--listen", f"127.0.0.1:{self.port}", "-o", str(self.store)]

    def start(self):
        self.starts += 1
        with open(self.top / "output", "ab") as output:
            self.process = subprocess.Popen(self.command(), stdout=output, stderr=output, stdin=subprocess.DEVNULL)
        limit = time.monotonic() + 60
        while time.monotonic() < limit:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.01)
        fail(f"{self.kind} does not start: " + (self.top / "output").read_text(errors="replace")[-500:])

    def end(self, number):
        self.process.send_signal(number)
        self.process.wait()

    def restart(self):
        self.end(signal.SIGKILL)
        self.start()


def expect_other_bytes_kept(bin_folder, kind, options, top):
    """Somebody else's bytes, of the same length, are under the path of a session. Only a server that is asked first gets the session
    all the same, because it overwrites."""
    (top / "other").mkdir()
    server = Server(kind, bin_folder, top / "other")
    try:
        spool = top / "other" / "spool"
        upload = [bin_folder / "softlbr", "upload", spool, f"http://127.0.0.1:{server.port}", "--max-wait", "0.005"] + options
        environment = dict(os.environ, no_proxy="127.0.0.1")
        for is_forged in False, True:
            subprocess.run([bin_folder / "upload_spool", "make", spool, "1"], check=True)
            file = next(spool.glob("*.slbr"))
            content = file.read_bytes()
            result = subprocess.run(upload, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
            if not is_forged:
                if result.returncode != 0 or file.exists():
                    fail(f"{kind}: a session alone is not sent: {result.stderr}")
                # collect makes a file of a complete session.
                stored = next(path for path in server.store.glob("**/*") if path.is_file() and not path.name.startswith("."))
                stored.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
            elif kind == "nginx":
                if result.returncode != 0 or file.exists() or stored.read_bytes() != content:
                    fail(f"{kind}: other bytes are not replaced: {result.stderr}")
            elif result.returncode != 1 or not file.exists() or file.read_bytes() != content:
                fail(f"{kind}: other bytes in its place, and the file is gone: {result.stdout}{result.stderr}")
    finally:
        server.end(signal.SIGKILL)


def main():
    bin_folder, kind, sessions = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    options = {"collect": [], "nginx": ["--head-first"], "apache": ["--mkcol"]}[kind]
    with tempfile.TemporaryDirectory(prefix="softlbr-servers.") as name:
        top = pathlib.Path(name)
        spool = top / "spool"
        subprocess.run([bin_folder / "upload_spool", "make", spool, str(sessions)], check=True)
        server = Server(kind, bin_folder, top)
        try:
            proxy = FaultProxy(server.port, FAULTS_PERCENT, max(20, sessions // 10), server.restart)
            environment = dict(os.environ, no_proxy="127.0.0.1")
            begin = time.monotonic()
            runs = 0
            while True:
                runs += 1
                result = subprocess.run(
                    [bin_folder / "softlbr", "upload", spool, f"http://127.0.0.1:{proxy.port}", "--segment-bytes", str(SEGMENT_BYTES),
                     "--max-wait", "0.005", "--retries", "100"] + options,
                    env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
                quarantine = list(spool.glob("quarantine/*"))
                if result.returncode == 0 and not quarantine:
                    break
                # A refused GET leaves a segment without proof: the run ends, and the next one asks again.
                is_unproven = "nothing was deleted" in result.stderr
                if result.returncode not in (0, 1) or runs == MAX_RUNS or not (quarantine or is_unproven):
                    fail(f"{kind}: run {runs} ended with {result.returncode}: {result.stderr[-500:]}")
                for file in quarantine:
                    file.rename(spool / file.name)
            seconds = time.monotonic() - begin
        finally:
            server.end(signal.SIGKILL)
        left = list(spool.glob("*.slbr"))
        if left:
            fail(f"{kind}: {len(left)} sessions are still in the spool")
        missing = [fault for fault in FAULTS + ["server killed"] if proxy.counts[fault] == 0]
        if missing and sessions >= 50:
            fail(f"{kind}: faults that never came about: {missing}")
        # A server that keeps to If-None-Match, or is asked first, stores again only what it stored without our getting the answer.
        unheard = proxy.counts["closed after"] + proxy.counts["cut answer"] + proxy.counts["server killed"]
        again = sum(times - 1 for times in proxy.stored.values())
        if again > unheard or (kind != "nginx" and again > server.starts):
            fail(f"{kind}: {again} segments were stored again, {unheard} answers were lost")
        check = subprocess.run([bin_folder / "upload_spool", "check", server.store, str(sessions)],
                               stdout=subprocess.PIPE, text=True, check=False)
        if check.returncode != 0:
            fail(f"{kind}: " + check.stdout)
        expect_other_bytes_kept(bin_folder, kind, options, top)
        faults = ", ".join(f"{count} {fault}" for fault, count in sorted(proxy.counts.items()) if fault != "passed")
        print(f"{kind}: {check.stdout.strip()}, {proxy.requests} requests, {runs} runs, {seconds:.0f} s; {faults}; "
              f"{again} stored again")


if __name__ == "__main__":
    main()
