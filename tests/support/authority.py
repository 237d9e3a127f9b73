"""A company's own authority, without the extension `keyUsage` as many are, and a server's certificate."""

import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Certificates:
    """PEM files: what to trust, and what the server shows (its key first)."""

    authority: Path
    server: Path


def certificates(folder: Path, *names: str) -> Certificates:
    """Certificates for these subject names, written as openssl does: `DNS:localhost`, `IP:127.0.0.1`."""
    folder.mkdir()

    def new(*arguments: str) -> None:
        shared = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2")
        subprocess.run([*shared, *arguments], check=True, capture_output=True, cwd=folder)

    new("-subj", "/CN=A company", "-keyout", "ca.key", "-out", "ca.pem")
    new(
        *(
            "-CA",
            "ca.pem",
            "-CAkey",
            "ca.key",
            "-subj",
            "/CN=ghes",
            "-keyout",
            "server.key",
            "-out",
            "server.crt",
        ),
        *("-addext", f"subjectAltName={','.join(names)}", "-addext", "basicConstraints=critical,CA:FALSE"),
    )
    both = folder / "server.pem"
    both.write_text((folder / "server.key").read_text() + (folder / "server.crt").read_text())
    return Certificates(folder / "ca.pem", both)
