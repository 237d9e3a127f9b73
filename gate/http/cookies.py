"""The cookies of one session; http.cookiejar, which knows their rules, is loaded by the first that comes."""

from collections.abc import Sequence
from email.message import Message
from http.cookiejar import CookieJar
from types import SimpleNamespace
from typing import Any
from urllib.request import Request


class Cookies:
    """What servers asked to be told again."""

    def __init__(self) -> None:
        self._jar = CookieJar()

    def take(self, url: str, set_cookies: Sequence[str]) -> None:
        """Keep what an answer of this URL sets, as far as the URL may set it."""
        message = Message()
        for line in set_cookies:
            message["set-cookie"] = line
        answer: Any = SimpleNamespace(info=lambda: message)  # all that the jar asks of a response
        self._jar.extract_cookies(answer, Request(url))  # noqa: S310 - nothing is opened

    def header(self, url: str) -> str:
        """The value of the header `cookie` for a request to this URL; "" for none."""
        request = Request(url)  # noqa: S310 - nothing is opened
        self._jar.add_cookie_header(request)
        return request.get_header("Cookie") or ""
