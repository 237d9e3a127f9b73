"""GitHub's REST API: authenticated, retried within its own limits, page by page, every refusal named.

https://docs.github.com/en/rest/using-the-rest-api has the rules followed here.
"""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Literal
from urllib.parse import parse_qsl, urlencode, urlsplit

from gate.errors import UsageError
from gate.github import refusal
from gate.github.errors import GitHubError, RateLimited, Unclear
from gate.http import MIB, BadBody, Client, HttpError, NotConnected, Response
from gate.model import Json

if TYPE_CHECKING:
    from gate.http.proxied import Transport

VERSION = "2022-11-28"
"""Both github.com and every GitHub Enterprise Server that is still supported know this version of the API."""
PER_PAGE = 100
MOST_PAGES = 100
PATIENCE_S = 180.0
"""How long one Api waits in all for limits and failing servers before it gives up."""

Method = Literal["GET", "POST", "PATCH", "PUT", "DELETE"]
_TIMEOUT_S = 30.0
_LARGEST_ANSWER = 64 * MIB
_TRIES = 6
_MOVED = frozenset((301, 302, 307, 308))
_BROKEN = frozenset((500, 502, 504))
_NEXT = re.compile(r'<([^>]*)>\s*;[^<]*?\brel="?next"?')
Sleep = Callable[[float], Awaitable[object]]


@asynccontextmanager
async def connect(
    url: str,
    token: str,
    *,
    transport: "Transport | None" = None,
    sleep: Sleep = asyncio.sleep,
    now: Callable[[], float] = time.time,
) -> AsyncIterator["Api"]:
    """Open an Api at GITHUB_API_URL; proxy and authorities of the environment are honoured.

    Raises UsageError for a token or a network setting that cannot be used.
    """
    if not re.fullmatch(r"[\x21-\x7e]+", token):
        raise UsageError(
            "the GitHub token is empty or holds spaces, line breaks or the like",
            hint="Leave `github-token` out: the default is the job's own token.",
        )
    client = Client(
        headers={
            "authorization": f"Bearer {token}",
            "accept": "application/vnd.github+json",
            "x-github-api-version": VERSION,
        },
        timeout_s=_TIMEOUT_S,
        max_bytes=_LARGEST_ANSWER,
        trust_env=True,
        transport=transport,
    )
    async with client:
        yield Api(client, url, sleep=sleep, now=now)


class Api:
    """Asks GitHub for JSON. Every method raises a GitHubError where no good answer came in time.

    `needs` is the permission that a workflow has to grant for a request, as it is written there. The token
    never leaves `url`: of an address that GitHub names only the query, or the path below `url`, is used.
    """

    def __init__(
        self,
        client: Client,
        url: str,
        *,
        sleep: Sleep = asyncio.sleep,
        now: Callable[[], float] = time.time,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._client = client
        self._url = url.rstrip("/")
        self._sleep = sleep
        self._now = now
        self._patience_s = patience_s

    async def get(self, path: str, *, needs: str, query: Mapping[str, str] | None = None) -> Json:
        """One object."""
        return _json(await self._ask("GET", _with(path, query), needs=needs))

    async def send(self, method: Method, path: str, body: Json = None, *, needs: str) -> Json:
        """Change something; None where no body comes back. Raises Unclear where a POST may have worked."""
        return _json(await self._ask(method, path, body, needs=needs))

    async def pages(
        self, path: str, *, needs: str, query: Mapping[str, str] | None = None, key: str = ""
    ) -> AsyncIterator[Mapping[str, Json]]:
        """Every object of a list over all of its pages; `key` names the list where an object wraps it."""
        asked = {"per_page": str(PER_PAGE), **(query or {})}
        for _ in range(MOST_PAGES):
            response = await self._ask("GET", _with(path, asked), needs=needs)
            for item in _items(_json(response), key):
                yield item
            following = _NEXT.search(response.headers.get("link", ""))
            if not following:
                return
            asked = {**asked, **dict(parse_qsl(urlsplit(following[1]).query))}
        raise GitHubError(f"{path} has more than {MOST_PAGES * PER_PAGE:,} entries")

    async def graphql(self, url: str, query: str) -> Json:
        """The `data` of one GraphQL query at GITHUB_GRAPHQL_URL, which must be on the API's host."""
        if urlsplit(url)[:2] != urlsplit(self._url)[:2]:
            raise GitHubError(f"{url} is not on the host of {self._url}")
        answer = _json(await self._ask("POST", url, {"query": query}, needs=""))
        data = answer.get("data") if isinstance(answer, Mapping) else None
        if data is None:
            raise GitHubError("GraphQL answered without data")
        return data

    async def wait(self, seconds: float, why: GitHubError) -> None:
        """Sleep out of the common patience; raises `why` where it does not suffice."""
        if seconds > self._patience_s:
            raise why
        self._patience_s -= seconds
        await self._sleep(seconds)

    async def _ask(self, method: Method, path: str, body: Json = None, *, needs: str) -> Response:
        url = path if "://" in path else self._url + path
        for number in range(_TRIES):
            try:
                response = await self._moved(method, url, body)
            except HttpError as error:
                problem, pause = _lost(error, method), 0.0
            else:
                if response.status < 300:  # noqa: PLR2004  # the definition of success in HTTP
                    return response
                problem = refusal.of(response, f"{method} {_shown(path)}", needs, self._now())
                pause = refusal.pause_s(response, self._now())
                if response.status in _BROKEN and method == "POST":
                    problem = Unclear(problem.message, hint=problem.hint, status=problem.status)
                elif not isinstance(problem, RateLimited) and response.status < 500:  # noqa: PLR2004
                    raise problem
            if isinstance(problem, Unclear) or number == _TRIES - 1:
                raise problem
            await self.wait(max(pause, 2.0**number), problem)
        raise AssertionError("the last try returns or raises")

    async def _moved(self, method: Method, url: str, body: Json) -> Response:
        """One exchange; a repository that was renamed is followed once, and only below `url`."""
        response = await self._client.request(method, url, json=body)
        target = response.headers.get("location", "")
        if response.status in _MOVED and target.startswith(f"{self._url}/"):
            return await self._client.request(method, target, json=body)
        return response


def _lost(error: HttpError, method: Method) -> GitHubError:
    """A request without an answer; one that changes something twice if it is repeated is Unclear."""
    reached = not isinstance(error, NotConnected) or error.sent
    kind = Unclear if method == "POST" and reached else GitHubError
    return kind(f"GitHub did not answer: {error.reason}", hint="githubstatus.com tells whether it is down.")


def _json(response: Response) -> Json:
    if not response.body.strip():
        return None
    try:
        return response.json()
    except BadBody as error:
        raise GitHubError(f"GitHub answered {response.status}, but {error.reason}") from error


def _items(value: Json, key: str) -> list[Mapping[str, Json]]:
    listed = value.get(key) if key and isinstance(value, Mapping) else value
    if not isinstance(listed, list):
        raise GitHubError("GitHub answered with something else than a list")
    return [item for item in listed if isinstance(item, Mapping)]


def _with(path: str, query: Mapping[str, str] | None) -> str:
    return f"{path}?{urlencode(query)}" if query else path


def _shown(path: str) -> str:
    return path.partition("?")[0]
