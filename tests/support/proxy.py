"""A proxy on loopback that tunnels (CONNECT) and notes whom it was asked for; it refuses all else."""

import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import cast


@dataclass
class Proxy:
    """`asked` has the request lines without the version, as they came."""

    url: str
    asked: list[str] = field(default_factory=list)


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    asked: list[str]


class _Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        asked = self.rfile.readline().decode("latin-1").rpartition(" ")[0]
        cast("_Server", self.server).asked.append(asked)
        while self.rfile.readline().strip():
            pass
        method, _, target = asked.partition(" ")
        host, _, port = target.rpartition(":")
        if method != "CONNECT":
            self.wfile.write(b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            return
        with socket.create_connection((host, int(port)), timeout=30) as there:
            self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            back = threading.Thread(target=_copy, args=(there, self.connection))
            back.start()
            _copy(self.connection, there)
            back.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


@contextmanager
def proxy() -> Iterator[Proxy]:
    """A proxy that runs inside this block."""
    with _Server(("127.0.0.1", 0), _Handler) as server:
        made = Proxy(f"http://127.0.0.1:{server.server_address[1]}")
        server.asked = made.asked
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield made
        finally:
            server.shutdown()
            thread.join()
