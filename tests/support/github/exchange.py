"""One request and its answer, as the fake GitHub sees them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit


@dataclass
class Request:
    """One request as it came; header names are lower-case."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: Any = None

    @property
    def path(self) -> str:
        return urlsplit(self.url).path

    @property
    def query(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.url).query, keep_blank_values=True))


@dataclass
class Answer:
    """One answer; status 0 stands for a connection that is lost."""

    status: int
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)


def error(status: int, message: str) -> Answer:
    documentation = "https://docs.github.com/rest"
    return Answer(status, {"message": message, "documentation_url": documentation, "status": str(status)})
