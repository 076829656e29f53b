#!/usr/bin/env python3
"""HTTPS servers on loopback that store what is PUT to them, and return it. For tls.sh.

Use: tls_server.py FOLDER NAME...     one server for each NAME, with the certificate FOLDER/NAME.pem and the key FOLDER/NAME.key
Prints "NAME PORT" for each, then "ready". Bodies go to FOLDER/stored/NAME/. Runs until it is killed.
"""
import http.server
import pathlib
import ssl
import sys
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        path = self.server.store / self.path.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        status = 412 if path.exists() else 201
        if status == 201:
            path.write_bytes(body)
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self):
        path = self.server.store / self.path.lstrip("/")
        body = path.read_bytes() if path.is_file() else b""
        self.send_response(200 if body else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main():
    folder = pathlib.Path(sys.argv[1])
    for name in sys.argv[2:]:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / (name + ".pem"), folder / (name + ".key"))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.store = folder / "stored" / name
        # The handshake is made by the thread of the connection: a client that refuses the certificate ends only that.
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        print(name, server.server_address[1], flush=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
    print("ready", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
