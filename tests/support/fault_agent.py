"""An agent of the standard library, started by a command: a message names the fault that it answers with.

`python fault_agent.py PORT [stubborn]`; what it does for `FAULTS[name]` is written to the raw connection.
"""

import os
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable

OK = b'{"reply": "hello"}'


def answer(body: bytes, status: str = "200 OK", *lines: str, kind: str = "application/json") -> bytes:
    head = [f"HTTP/1.1 {status}", f"content-type: {kind}", f"content-length: {len(body)}", *lines]
    return "\r\n".join([*head, "", ""]).encode() + body


def says(*answers: bytes) -> Callable[[socket.socket], None]:
    return lambda connection: connection.sendall(b"".join(answers))


def resets(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def hangs(_: socket.socket) -> None:
    time.sleep(3600)


def dribbles(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n")
    while True:
        connection.sendall(b" ")
        time.sleep(0.01)


def floods(connection: socket.socket) -> None:
    connection.sendall(
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000000\r\n\r\n"
    )
    for _ in range(1000):
        connection.sendall(b'"' * 100_000)


def prints_a_flood(connection: socket.socket) -> None:
    for _ in range(20):
        os.write(1, b"\n::error::x \xff" * 10_000)
    connection.sendall(answer(OK))


def dies(_: socket.socket) -> None:
    os.write(2, b"Error: out of luck\n")
    os._exit(3)


def quota(tokens: int, text: str) -> bytes:
    return answer(f'{{"reply": "{text}", "usage": {{"input": {tokens}, "output": {tokens}}}}}'.encode())


EXCEEDED = "429 RESOURCE_EXHAUSTED: you exceeded your current quota"
FAR_ZONE = "Mon, 01 Jan 2020 00:00:00 +99999999999999"

FAULTS: dict[str, Callable[[socket.socket], None]] = {
    "none": says(answer(OK)),
    "resets": resets,
    "hangs": hangs,
    "dribbles": dribbles,
    "floods": floods,
    "prints-a-flood": prints_a_flood,
    "many-calls": says(answer(b'{"reply": "hello", "calls": [' + b'{"name":"t"},' * 100_001 + b"0]}")),
    "bad-json": says(answer(b'{"reply": ')),
    "nan": says(answer(b'{"reply": "hello", "x": NaN}')),
    "deep": says(answer(b'{"reply": "hello", "x": ' + b"[" * 99_999 + b"]" * 99_999 + b"}")),
    "bad-utf8": says(answer(b'{"reply": "\xff"}')),
    "wrong-type": says(answer(b"<html>", kind="text/html")),
    "no-http": says(b"SSH-2.0-OpenSSH\r\n\r\n"),
    "cut": says(answer(OK)[:-4]),
    "429": says(answer(b"{}", "429 Too Many Requests")),
    "429-at-once": says(answer(b"{}", "429 Too Many Requests", "retry-after: 0")),
    "429-in-ages": says(answer(b"{}", "429 Too Many Requests", "retry-after: 1000000000")),
    "429-far-zone": says(answer(b"{}", "429 Too Many Requests", f"retry-after: {FAR_ZONE}")),
    "500": says(answer(b"{}", "500 Internal Server Error")),
    "503": says(answer(b"{}", "503 Service Unavailable", "retry-after: 1000")),
    "422": says(answer(b"{}", "422 Unprocessable Entity")),
    "redirect": says(answer(b"", "302 Found", "location: http://192.0.2.1/")),
    "quota-text": says(quota(0, EXCEEDED)),
    "talks-of-quota": says(quota(9, f"hello, it said {EXCEEDED}")),
    "endless-tokens": says(
        answer(b'{"reply": "hello", "usage": {"input": ' + b"9" * 4000 + b', "output": 1e308}}')
    ),
    "dies": dies,
}


def serve(connection: socket.socket) -> None:
    """Answer the requests of one connection until it closes; a GET asks whether the agent is up."""
    reader = connection.makefile("rb")
    try:
        while first := reader.readline():
            size = 0
            while (line := reader.readline()).strip():
                name, _, value = line.partition(b":")
                size = int(value) if name.lower() == b"content-length" else size
            body = reader.read(size).decode()
            fault = "none" if first.startswith(b"GET") else body.split('"')[3]
            FAULTS[fault](connection)
            if fault in ("cut", "no-http", "resets"):
                return
    except OSError:
        return
    finally:
        reader.close()
        connection.close()


def main() -> None:
    """Listen for ever."""
    if "stubborn" in sys.argv:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
    while True:
        connection, _ = server.accept()
        threading.Thread(target=serve, args=(connection,), daemon=True).start()


if __name__ == "__main__":
    main()
