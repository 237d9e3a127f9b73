"""A registry of images on loopback: Debian's `docker-registry` where it is on PATH, else what a push needs.

https://github.com/opencontainers/distribution-spec/blob/main/spec.md names the requests. The engine trusts
127.0.0.0/8 without TLS.
"""

import hashlib
import re
import shutil
import subprocess
import threading
import time
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from gate.boot.launch import free_port

_PATH = re.compile(r"/v2/(?P<name>.+)/(?P<kind>blobs|manifests)/(?P<rest>[^?]+)(?:\?(?P<query>.*))?")


@contextmanager
def registry(folder: Path) -> Iterator[str]:
    """Run one; gives its host and port."""
    program = shutil.which("docker-registry")
    with _debians(program, folder) if program else _own() as host:
        yield host


@contextmanager
def _debians(program: str, folder: Path) -> Iterator[str]:
    host = f"127.0.0.1:{free_port()}"
    config = folder / "registry.yml"
    storage = f"storage: {{filesystem: {{rootdirectory: {folder}/registry}}}}"
    config.write_text(f"version: 0.1\n{storage}\nhttp: {{addr: {host}}}\n", encoding="utf-8")
    process = subprocess.Popen(
        [program, "serve", str(config)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _wait(f"http://{host}/v2/", process)
        yield host
    finally:
        process.terminate()
        process.wait(timeout=30)


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(300):
        assert process.poll() is None, "docker-registry did not start"
        try:
            urllib.request.urlopen(url, timeout=5).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("docker-registry does not answer")


@contextmanager
def _own() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        server.stored = {}  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    """Blobs and manifests by digest, manifests by tag too; uploads in one or more pieces."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._give()

    def do_HEAD(self) -> None:
        self._give()

    def do_POST(self) -> None:
        self._body()
        self._uploaded(202, str(uuid.uuid4()), b"")

    def do_PATCH(self) -> None:
        upload = self._part("rest").removeprefix("uploads/")
        self._uploaded(202, upload, self._stored.get(upload, ("", b""))[1] + self._body())

    def do_PUT(self) -> None:
        rest, kind, content = self._part("rest"), self.headers.get("Content-Type", ""), self._body()
        content = self._stored.pop(rest.removeprefix("uploads/"), ("", b""))[1] + content
        digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
        self._stored[digest] = self._stored[rest] = (kind, content)
        self._answer(201, {"Location": self.path, "Docker-Content-Digest": digest})

    def log_message(self, *_: Any) -> None:
        pass

    @property
    def _stored(self) -> dict[str, tuple[str, bytes]]:
        stored: dict[str, tuple[str, bytes]] = self.server.stored  # type: ignore[attr-defined]
        return stored

    def _part(self, name: str) -> str:
        found = _PATH.fullmatch(self.path)
        return found[name] or "" if found else ""

    def _give(self) -> None:
        found = self._stored.get(self._part("rest"))
        if self.path == "/v2/":
            self._answer(200, {})
        elif found is None:
            self._answer(404, {})
        else:
            kind, content = found
            digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
            self._answer(200, {"Content-Type": kind, "Docker-Content-Digest": digest}, content)

    def _uploaded(self, status: int, upload: str, content: bytes) -> None:
        self._stored[upload] = ("", content)
        where = f"/v2/{self._part('name')}/blobs/uploads/{upload}"
        length = max(len(content) - 1, 0)
        self._answer(status, {"Location": where, "Docker-Upload-UUID": upload, "Range": f"0-{length}"})

    def _answer(self, status: int, headers: dict[str, str], content: bytes = b"") -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        pieces = []
        while size := int(self.rfile.readline(), 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)
