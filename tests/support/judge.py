"""A scripted judge behind OpenAI's chat completions: it says what it is told, and keeps what it was asked."""

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from gate.model.finding import Place
from gate.model.judge import JudgeConfig

MODEL = "judge-2026-01-01"


@dataclass(frozen=True)
class Say:
    """One answer: `text` of a completion, or a whole body; `reset` cuts the connection, `wait_s` delays."""

    text: str | None = None
    status: int = 200
    body: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    model: str | None = MODEL
    finish: str = "stop"
    refusal: str | None = None
    usage: Mapping[str, int] | None = field(
        default_factory=lambda: {"prompt_tokens": 90, "completion_tokens": 10}
    )
    reset: bool = False
    wait_s: float = 0.0

    def payload(self) -> bytes:
        if self.body is not None:
            return self.body.encode()
        message = {"role": "assistant", "content": self.text, "refusal": self.refusal}
        choice = {"index": 0, "message": message, "finish_reason": self.finish}
        whole = {
            "id": "c",
            "object": "chat.completion",
            "model": self.model,
            "choices": [choice],
            "usage": self.usage,
        }
        return json.dumps({key: value for key, value in whole.items() if value is not None}).encode()


@dataclass(frozen=True)
class Asked:
    """A request as it came."""

    body: Mapping[str, Any]
    headers: Mapping[str, str]

    @property
    def system(self) -> str:
        return str(self.body["messages"][0]["content"])

    @property
    def user(self) -> str:
        return str(self.body["messages"][1]["content"])


Script = Sequence[Say] | Callable[[Asked], Say]


class ScriptedJudge:
    """Answers by a list (whose last stays) or a function of the request; `asked` has every request."""

    def __init__(self, script: Script = (Say("YES"),)) -> None:
        judge = self
        self.script = script
        self.asked: list[Asked] = []
        self._lock = threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                headers = {name.lower(): value for name, value in self.headers.items()}
                say = judge.answer(Asked(body=body, headers={**headers, ":path": self.path}))
                if say.reset:
                    linger = struct.pack("ii", 1, 0)
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                    self.close_connection = True
                    self.connection.close()
                    return
                time.sleep(say.wait_s)
                payload = say.payload()
                self.send_response(say.status)
                for name, value in {"Content-Type": "application/json", **say.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, *_: object) -> None:
                pass

            def handle(self) -> None:
                try:
                    super().handle()
                except OSError:  # the other side left, or we cut it off
                    return

            def finish(self) -> None:
                try:
                    super().finish()
                except (OSError, ValueError):
                    return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def answer(self, asked: Asked) -> Say:
        with self._lock:
            self.asked.append(asked)
            if callable(self.script):
                return self.script(asked)
            return self.script[min(len(self.asked), len(self.script)) - 1]

    @contextmanager
    def running(self) -> Iterator["ScriptedJudge"]:
        self._thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()


def a_judge(url: str, **fields: Any) -> JudgeConfig:
    """The config of a judge at this address, impatient as tests are."""
    known: dict[str, Any] = {
        "name": "main",
        "base_url": url,
        "model": MODEL,
        "timeout_s": 5.0,
        "place": Place(file="agent-gate.yml", line=9),
    }
    return JudgeConfig(**(known | fields))
