"""TLS that costs nothing until it is used: most agents speak plain HTTP."""

import ssl
from functools import cache
from typing import Any

from gate.network import own_authorities


class _Lazy(ssl.SSLContext):
    """A client's context that loads certifi's authorities (50 ms) when a first connection needs them."""

    def wrap_bio(self, *given: Any, **named: Any) -> ssl.SSLObject:  # noqa: ANN401 - ssl's own signature
        """Begin TLS over memory buffers, as asyncio does it."""
        return _public().wrap_bio(*given, **named)


@cache
def tls_context() -> ssl.SSLContext:
    """What a client trusts: the authorities that the environment names, else certifi's; raises UsageError."""
    return own_authorities() or _Lazy(ssl.PROTOCOL_TLS_CLIENT)


def trusting(pem: str) -> ssl.SSLContext:
    """A client's context that trusts the authorities of a PEM text and no others; raises ssl.SSLError."""
    context = ssl.create_default_context(cadata=pem)
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # as gate.network has it for a company's authorities
    return context


@cache
def _public() -> ssl.SSLContext:
    import certifi

    context = ssl.create_default_context(cafile=certifi.where())
    context.set_alpn_protocols(["http/1.1"])
    return context
