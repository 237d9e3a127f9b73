"""TLS to an agent: trusted by the authority that SSL_CERT_FILE names, refused without it."""

import asyncio
import os
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ASK = """
import asyncio, sys
from gate.http import Client, HttpError

async def main():
    async with Client(timeout_s=20) as client:
        try:
            print((await client.request("GET", sys.argv[1])).text)
        except HttpError as error:
            print(f"{type(error).__name__}: {error.reason}")

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate and its key in one file, for `localhost`, signed by itself."""
    file = tmp_path_factory.mktemp("tls") / "both.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
            *("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"),
            *("-keyout", str(file), "-out", f"{file}.crt"),
        ],
        check=True,
        capture_output=True,
    )
    file.write_text(file.read_text() + Path(f"{file}.crt").read_text())
    return file


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello")
    await writer.drain()
    writer.close()


async def asked(certificate: Path, env: dict[str, str]) -> str:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context)
    port = server.sockets[0].getsockname()[1]
    with quiet_loop():
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-c", ASK, f"https://localhost:{port}/"),
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), **env},
            stdout=subprocess.PIPE,
        )
        out, _ = await process.communicate()
    server.close()
    return out.decode()


@contextmanager
def quiet_loop() -> Iterator[None]:
    """A refused handshake is what the test is about, not an error of the server's loop."""
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda *_: None)
    try:
        yield
    finally:
        loop.set_exception_handler(None)


async def test_an_authority_of_ones_own_is_trusted(certificate: Path) -> None:
    assert await asked(certificate, {"SSL_CERT_FILE": f"{certificate}.crt"}) == "hello\n"


async def test_a_stranger_is_refused(certificate: Path) -> None:
    said = await asked(certificate, {"SSL_CERT_FILE": ""})
    assert said.startswith("NotConnected: ")
    assert "certificate" in said
