"""What a network asks of its guests: proxies, and authorities of its own, from the usual variables."""

import os
import re
import ssl
from ipaddress import IPv4Network, ip_address
from pathlib import Path
from urllib.parse import urlsplit

from gate.errors import UsageError

AUTHORITIES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")
_EXCEPTION = re.compile(r"(?:https?://)?[\w.*-]*(?::\d{1,5})?", re.ASCII)


def own_authorities() -> ssl.SSLContext | None:
    """A context that trusts what the first of AUTHORITIES names, and nothing else; None where none is set.

    Raises UsageError where it names nothing usable.
    """
    for name in AUTHORITIES:
        if path := os.environ.get(name):
            return _context(name, path)
    return None


def _context(name: str, path: str) -> ssl.SSLContext:
    try:
        is_folder = Path(path).is_dir()
        context = ssl.create_default_context(
            cafile=None if is_folder else path, capath=path if is_folder else None
        )
    except OSError as error:
        reason = f"{name} names {path}, which cannot be read as certificates: {error.strerror or error}"
        hint = "It must name a PEM file; in a container, one that is there inside the container too."
        raise UsageError(reason, hint=hint) from error
    # Python 3.13 is strict about extensions that authorities of companies often lack; chain, names and dates
    # are verified without that flag as well.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return context


def check_proxies() -> None:
    """Raise UsageError where HTTPS_PROXY, NO_PROXY or the like is written in a form that cannot be used.

    A proxy's address is not repeated: it may hold a password.
    """
    from urllib.request import getproxies  # an agent is reached without a proxy, and without its 6 ms

    proxies = getproxies()
    for entry in proxies.pop("no", "").split(","):
        if not _EXCEPTION.fullmatch(entry.strip()) and not _is_address(entry.strip()):
            reason = f"NO_PROXY has the entry {entry.strip()!r:.80}, which cannot be used"
            raise UsageError(reason, hint="Write entries like .example.com, 10.0.0.0/8 or ::1.")
    for scheme, address in proxies.items():
        if scheme in ("http", "https", "all") and not _usable(address):
            reason = f"{scheme.upper()}_PROXY is not the address of a proxy that can be used"
            raise UsageError(reason, hint="Write it like http://proxy.example:3128.")


def _is_address(text: str) -> bool:
    """An address, or a range of IPv4: httpx cannot read a range of IPv6."""
    try:
        if "/" in text:
            IPv4Network(text, strict=False)
        else:
            ip_address(text)
    except ValueError:
        return False
    return True


def _usable(address: str) -> bool:
    try:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
