"""An HTTP/1.1 proxy on loopback that stands between a client and one server, and fails on purpose (servers.py).

Faults, in turn, at requests drawn with a fixed seed: 500; 429 with Retry-After; 413; an answer that is no HTTP; an answer cut in its first line; a connection
that is closed before or after the request reached the server; an answer that arrives byte by byte. At each so-manieth request the server
is killed and started again while the request is half sent to it, so kills come about on a machine of any speed.
"""
import collections
import random
import socket
import threading
import time

FAULTS = ["500", "429", "413", "garbage", "cut answer", "closed before", "closed after", "slow"]


def read_message(stream, has_body=True):
    """One request or answer as bytes; None if the connection ends inside it."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        line = stream.readline(65536)
        if not line:
            return None
        head += line
    length = 0
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value)
    body = stream.read(length) if has_body else b""
    return head + body if len(body) == length or not has_body else None


class FaultProxy:
    """Runs from construction to the end of the process. `counts`: requests by what became of them; `stored`: for each path that was PUT,
    how often the server answered that it stored it."""

    def __init__(self, server_port, faults_percent, kill_every, restart_server):
        self.server_port = server_port
        self.faults_percent = faults_percent
        self.kill_every = kill_every
        self.restart_server = restart_server
        self.random = random.Random(5)
        self.requests = 0
        self.faults = 0
        self.counts = collections.Counter()
        self.stored = collections.Counter()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.serve_and_close, args=(client,), daemon=True).start()

    def serve_and_close(self, client):
        with client:
            try:
                self.serve(client)
            except OSError:
                pass  # the client gave up

    def ask_server(self, request, is_killed):
        """The server's answer, or None if there was none. Each request has a connection of its own."""
        method, path = request.split(b" ", 2)[:2]
        try:
            with socket.create_connection(("127.0.0.1", self.server_port), timeout=60) as server:
                half = len(request) // 2
                server.sendall(request[:half])
                if is_killed:
                    self.restart_server()
                server.sendall(request[half:])
                answer = read_message(server.makefile("rb"), method != b"HEAD")
        except OSError:
            return None
        if answer is not None and method == b"PUT" and answer[9:11] == b"20":
            self.stored[path] += 1
        return answer

    def serve(self, client):
        stream = client.makefile("rb")
        while True:
            request = read_message(stream)
            if request is None:
                return
            self.requests += 1
            kind = "passed"
            if self.kill_every != 0 and self.requests % self.kill_every == 0:
                kind = "server killed"
            elif self.random.randrange(100) < self.faults_percent:
                kind = FAULTS[self.faults % len(FAULTS)]
                self.faults += 1
            self.counts[kind] += 1
            if kind in ("500", "429", "413"):
                client.sendall(b"HTTP/1.1 %s Fault\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n" % kind.encode())
            elif kind == "garbage":
                client.sendall(b"\0\xff garbage \r\n\r\n")
                return
            elif kind == "closed before":
                return
            else:
                answer = self.ask_server(request, kind == "server killed")
                if answer is None or kind == "closed after":
                    return
                if kind == "cut answer":
                    client.sendall(answer[:10])
                    return
                if kind == "slow":
                    for at in range(min(len(answer), 20)):
                        client.sendall(answer[at:at + 1])
                        time.sleep(0.002)
                    answer = answer[20:]
                client.sendall(answer)
