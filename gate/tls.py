"""TLS that costs nothing until it is used: most agents speak plain HTTP."""

import os
import ssl
from functools import cache
from typing import Any


class LazyContext(ssl.SSLContext):
    """A client's context that loads the authorities (50 ms) when a first connection needs them."""

    def wrap_bio(self, *given: Any, **named: Any) -> ssl.SSLObject:  # noqa: ANN401 - ssl's own signature
        """Begin TLS over memory buffers, as asyncio does it."""
        return _authorities().wrap_bio(*given, **named)


@cache
def _authorities() -> ssl.SSLContext:
    """What is trusted: certifi's list, or what SSL_CERT_FILE and SSL_CERT_DIR name instead."""
    import certifi

    file, folder = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    context = ssl.create_default_context(cafile=file or (None if folder else certifi.where()), capath=folder)
    context.set_alpn_protocols(["http/1.1"])
    return context
