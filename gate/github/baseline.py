"""A run's evidence offered to the repository: by one pull request, or as a commit on the baseline's branch.

Several jobs may offer at the same time. A branch is only moved forward, so who was overtaken begins anew from
what is there then, and no evidence is lost.
"""

import hashlib
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Literal, TypeAlias

from gate.frozen import frozen
from gate.github.api import Api
from gate.github.errors import GitHubError, Unclear
from gate.github.event import RunContext
from gate.github.pulls import text
from gate.github.repository import Repository
from gate.model import Json

BRANCH: Final = "agent-gate/baseline-update"
"""The branch of the pull request, for a baseline at its usual place."""
NEEDS: Final = "pull-requests: write"
_USUAL = "golden/baseline.jsonl"
_ROUNDS = 8
_SETTING = "Allow GitHub Actions to create and approve pull requests"


@frozen
class Addition:
    """A baseline with the run in it: the file, and the words of its commit and of its pull request.

    `known`: what is accepted has the run already. `newest`: no run in it is newer, so these are the words.
    """

    data: bytes
    message: str
    title: str
    body: str
    known: bool = False
    newest: bool = True


Add: TypeAlias = Callable[[bytes | None, bytes | None], Addition]
"""Of the file as it is accepted and as it is pending, None where there is none, to one with the run."""


@frozen
class Offered:
    """What became of the evidence, and where to look at it. `unchanged`: the run was there already."""

    action: Literal["opened", "updated", "committed", "unchanged"]
    url: str


class _Overtaken(Exception):
    """Another job, or a person, has changed what we started from."""


async def offer_on_branch(api: Api, context: RunContext, branch: str, path: str, add: Add) -> Offered:
    """Commit the evidence on a branch of its own, which is made without a history; raises GitHubError."""

    async def attempt() -> Offered:
        repository = Repository(api, context.repository)
        tip = await repository.tip(branch)
        held = await repository.file(tip, path) if tip else None
        addition = add(held, None)
        if addition.known or held == addition.data:
            return Offered(action="unchanged", url=_page(context, "commit", tip))
        parents = [tip] if tip else []
        made = await repository.commit(
            *parents, like=tip, path=path, data=addition.data, message=addition.message
        )
        if not await repository.move(branch, tip, made):
            raise _Overtaken
        return Offered(action="committed", url=_page(context, "commit", made))

    return await _settled(api, attempt)


async def offer_by_pull_request(api: Api, context: RunContext, path: str, add: Add) -> Offered:
    """Keep one pull request to the default branch that adds the evidence; raises GitHubError.

    What an open one holds is added to. What a closed one ended with, merged or not, is left alone.
    """

    async def attempt() -> Offered:
        return await _Desk(api, context, path).attempt(add)

    return await _settled(api, attempt)


async def _settled(api: Api, attempt: Callable[[], Awaitable[Offered]]) -> Offered:
    problem = GitHubError("other jobs kept changing the baseline", hint="Run the workflow again.")
    for number in range(_ROUNDS):
        if number:
            await api.wait(2.0 ** (number - 1), problem)
        try:
            return await attempt()
        except _Overtaken:
            continue
    raise problem


def branch_of(path: str) -> str:
    """The branch of the pull request for the baseline at `path`; each baseline has its own."""
    if path == _USUAL:
        return BRANCH
    folder = re.sub(r"[^A-Za-z0-9]+", "-", path.removesuffix(_USUAL)).strip("-")
    return f"{BRANCH}-{folder[:40]}-{hashlib.sha256(path.encode()).hexdigest()[:6]}"


@frozen
class _Pull:
    number: int
    url: str
    title: str
    body: str


class _Desk:
    """One attempt at the pull request."""

    def __init__(self, api: Api, context: RunContext, path: str) -> None:
        self._api = api
        self._context = context
        self._path = path
        self._branch = branch_of(path)
        self._repository = Repository(api, context.repository)
        self._pulls = f"/repos/{context.repository}/pulls"

    async def attempt(self, add: Add) -> Offered:
        repository = self._repository
        base = await repository.default_branch()
        accepted_at, tip = await repository.tip(base), await repository.tip(self._branch)
        pull = await self._open(base)
        goes_on = bool(tip) and (pull is not None or not await self._ended(tip))
        pending = await repository.file(tip, self._path) if goes_on else None
        addition = add(await repository.file(accepted_at, self._path), pending)
        if addition.known:
            return Offered(action="unchanged", url=_page(self._context, "blob", base, self._path))
        if pending != addition.data:
            tip = await self._moved(accepted_at, tip, addition)
        offered = await self._shown(pull, base, addition, changed=pending != addition.data)
        if await repository.tip(self._branch) != tip:
            raise _Overtaken
        return offered

    async def _moved(self, accepted: str, tip: str, addition: Addition) -> str:
        """One more commit on the branch: it comes from the default branch's tip and has its files."""
        repository = self._repository
        parents = [accepted]
        if tip and not await repository.contains(accepted, tip):
            parents = [tip] if await repository.contains(tip, accepted) else [tip, accepted]
        made = await repository.commit(
            *parents, like=accepted, path=self._path, data=addition.data, message=addition.message
        )
        if not await repository.move(self._branch, tip, made):
            raise _Overtaken
        return made

    async def _open(self, base: str) -> _Pull | None:
        found = await self._listed("open")
        return next((_pull(item) for item in found if text(item, "base", "ref") == base), None)

    async def _ended(self, tip: str) -> bool:
        """Whether a pull request was closed at this very commit: its evidence was merged or turned down."""
        return any(text(item, "head", "sha") == tip for item in await self._listed("closed"))

    async def _listed(self, state: str) -> list[Mapping[str, Json]]:
        """The pull requests from our branch, up to a hundred: those that were touched last."""
        name = self._context.repository
        query = {"state": state, "head": f"{name.partition('/')[0]}:{self._branch}", "per_page": "100"}
        order = {"sort": "updated", "direction": "desc"}
        found = await self._api.get(self._pulls, needs=NEEDS, query={**query, **order})
        return [
            item
            for item in (found if isinstance(found, list) else ())
            if isinstance(item, Mapping) and text(item, "head", "repo", "full_name").lower() == name.lower()
        ]

    async def _shown(self, pull: _Pull | None, base: str, addition: Addition, *, changed: bool) -> Offered:
        """The pull request, opened or with the words of its newest run."""
        words: dict[str, Json] = {"title": addition.title, "body": addition.body}
        if pull is None:
            return await self._opened(base, words)
        if addition.newest and (pull.title, _lines(pull.body)) != (addition.title, _lines(addition.body)):
            await self._api.send("PATCH", f"{self._pulls}/{pull.number}", words, needs=NEEDS)
            changed = True
        return Offered(action="updated" if changed else "unchanged", url=pull.url)

    async def _opened(self, base: str, words: dict[str, Json]) -> Offered:
        try:
            made = await self._api.send(
                "POST", self._pulls, {**words, "head": self._branch, "base": base}, needs=NEEDS
            )
        except Unclear as error:
            raise _Overtaken from error  # it may be there now
        except GitHubError as error:
            if await self._open(base):
                raise _Overtaken from error
            raise self._explained(error, base) from error
        return Offered(action="opened", url=_pull(made if isinstance(made, Mapping) else {}).url)

    def _explained(self, error: GitHubError, base: str) -> GitHubError:
        if "not permitted to create" not in error.message:
            return error
        by_hand = _page(self._context, "compare", f"{base}...{self._branch}?expand=1")
        hint = (
            f"Tick `{_SETTING}` (Settings, Actions, General, Workflow permissions; an organization's setting"
            " comes first), or give `github-token` the token of an app or a person. The evidence is on the"
            f" branch {self._branch} already, and the pull request can be opened by hand: {by_hand}"
        )
        return GitHubError(error.message, hint=hint, status=error.status)


def _pull(item: Mapping[str, Json]) -> _Pull:
    number = item.get("number")
    if not isinstance(number, int):
        raise GitHubError("GitHub answered with a pull request without a number")
    return _Pull(
        number=number,
        url=text(item, "html_url"),
        title=text(item, "title"),
        body=text(item, "body"),
    )


def _lines(body: str) -> list[str]:
    return body.strip().splitlines()


def _page(context: RunContext, *parts: str) -> str:
    return "/".join((context.server_url, context.repository, *parts))
