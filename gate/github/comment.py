"""The sticky comment: one a workflow, job and comment-id, written in place and never by an older run.

GitHub has no compare-and-swap. So every write is followed by reading all comments again, until the one that
is there is ours or better: of equal ones the oldest stays, of others the one of the newest run.
"""

import hashlib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from typing import Literal, TypeAlias

from gate.frozen import frozen
from gate.github import stamp as stamps
from gate.github.api import Api
from gate.github.errors import GitHubError, MissingPermission, NotThere, TooLong, Unclear
from gate.github.event import RunContext
from gate.github.pulls import Pull, find_pull
from gate.github.secretless import DEPENDABOT
from gate.github.stamp import Stamp
from gate.github.viewer import login
from gate.model import Json

Mode = Literal["on", "changes", "off"]
Action = Literal[
    "created",
    "updated",
    "unchanged",
    "superseded",
    "kept",
    "not_needed",
    "no_pull_request",
    "off",
    "failed",
]
BodyFor: TypeAlias = Callable[[int], str]
"""Renders the comment within a budget of bytes."""

BUDGETS = (60_000, 30_000, 10_000, 3_000)
"""GitHub documents 65,536 characters; where it still finds a body too long, less is tried."""
NEEDS = "pull-requests: write"
_ROUNDS = 6
_ONE_HEAD = frozenset(("pull_request", "pull_request_target", "pull_request_review"))


@frozen
class CommentResult:
    """What became of the comment; `warning` is for people, and never a reason to change the verdict.

    `superseded`: a newer run has written, or the head has moved. `kept`: another job of this run has written
    a comment of the same id with no better verdict.
    """

    action: Action
    url: str = ""
    warning: str = ""


@frozen
class _Comment:
    id: int
    url: str
    stamp: Stamp


def run_link(context: RunContext) -> str:
    """The line that leads to the run that measured; its address is the event's, never an artifact's."""
    return f"[Summary and files of run {context.run_id}, attempt {context.attempt}]({context.run_url})\n"


async def publish_comment(  # noqa: PLR0913  # each is a setting of its own
    api: Api,
    context: RunContext,
    body_for: BodyFor,
    *,
    comment_id: str = "default",
    mode: Mode = "on",
    notable: bool = True,
    severity: int = 0,
) -> CommentResult:
    """Write or update the comment of this run; never raises for what GitHub refuses.

    With `mode` "changes" a comment is begun only if the run is `notable`; one that exists is kept up to date.
    `severity` (0 for a pass, more for worse) decides between jobs of one run that share a comment-id.
    """
    if mode == "off":
        return CommentResult(action="off")
    begin = mode == "on" or notable
    try:
        pull = await find_pull(api, context, needs=NEEDS)
        if pull is None:
            return CommentResult(action="no_pull_request")
        if context.event in _ONE_HEAD and pull.head_sha != context.head_sha:
            return CommentResult(action="superseded")
        stamp = _stamp(context, body_for, comment_id, severity)
        thread = _Thread(api, context, pull, await login(api, context.graphql_url))
        return await _settle(thread, stamp, body_for, begin=begin)
    except GitHubError as error:
        return CommentResult(action="failed", warning=_warning(error, context))


async def _settle(thread: "_Thread", stamp: Stamp, body_for: BodyFor, *, begin: bool) -> CommentResult:
    done: Action = "unchanged"
    warning = ""
    made = ""
    problem = GitHubError("other jobs kept changing the comment")
    for number in range(_ROUNDS):
        if number > 1:
            await thread.api.wait(2.0 ** (number - 2), problem)
        found = await thread.one(stamp)
        if found is None and made:  # GitHub's lists may lag behind what it has just said to have made
            return CommentResult(action="created", url=made, warning=warning)
        if found is None and not begin:
            return CommentResult(action="not_needed")
        if found and found.stamp == stamp:
            return CommentResult(action=done, url=found.url, warning=warning)
        if found and found.stamp.order == stamp.order:
            warning = _shared(stamp)
        if found and not _replaces(stamp, found.stamp):
            action: Action = "superseded" if found.stamp.order > stamp.order else "kept"
            return CommentResult(action=action, url=found.url, warning=warning)
        begin = True
        try:
            made = await thread.write(found, stamp, body_for) or made
        except Unclear as error:
            problem = error
        done = "created" if done == "created" or not found else "updated"
    return CommentResult(action="failed", warning=_warning(problem, thread.context))


def _replaces(ours: Stamp, other: Stamp) -> bool:
    """A newer run does; within one run only what is worse, so that no pass hides a regression."""
    return (*ours.order, ours.severity) > (*other.order, other.severity)


class _Thread:
    """Our comments of one identity on one pull request."""

    def __init__(self, api: Api, context: RunContext, pull: Pull, author: str) -> None:
        self.api = api
        self.context = context
        self._author = author
        self._all = f"/repos/{context.repository}/issues/{pull.number}/comments"
        self._each = f"/repos/{context.repository}/issues/comments"

    async def one(self, ours: Stamp) -> _Comment | None:
        """The comment that counts; its duplicates, left by a race or a lost answer, are deleted."""
        found = [comment async for comment in self._list() if comment.stamp.key == ours.key]
        if not found:
            return None
        best = max(found, key=lambda comment: (*comment.stamp.order, comment.stamp.severity, -comment.id))
        for comment in found:
            if comment is not best:
                await self._delete(comment)
        return best

    async def _list(self) -> AsyncIterator[_Comment]:
        async for item in self.api.pages(self._all, needs=NEEDS):
            user, body, number = item.get("user"), item.get("body"), item.get("id")
            author = user.get("login") if isinstance(user, Mapping) else None
            if author != self._author or not isinstance(body, str) or not isinstance(number, int):
                continue
            if stamp := stamps.read(body):
                yield _Comment(id=number, url=_url(item), stamp=stamp)

    async def write(self, found: _Comment | None, stamp: Stamp, body_for: BodyFor) -> str:
        """Create or update; where GitHub finds the body too long, again with fewer sections.

        Returns the address of a comment that was created.
        """
        for budget in BUDGETS:
            body: Json = {"body": stamps.write(stamp, body_for(budget))}
            try:
                return await self._put(found, body)
            except TooLong:
                if budget == BUDGETS[-1]:
                    raise
        raise AssertionError("the last budget returns or raises")

    async def _put(self, found: _Comment | None, body: Json) -> str:
        if found is None:
            made = await self.api.send("POST", self._all, body, needs=NEEDS)
            return _url(made) if isinstance(made, Mapping) else ""
        with suppress(NotThere):  # deleted since we listed it: the next round creates one
            await self.api.send("PATCH", f"{self._each}/{found.id}", body, needs=NEEDS)
        return ""

    async def _delete(self, comment: _Comment) -> None:
        with suppress(NotThere):  # another job was quicker
            await self.api.send("DELETE", f"{self._each}/{comment.id}", needs=NEEDS)


def _stamp(context: RunContext, body_for: BodyFor, comment_id: str, severity: int) -> Stamp:
    return Stamp(
        id=comment_id,
        workflow=context.workflow,
        job=context.job,
        run=context.run_id,
        attempt=context.attempt,
        head=context.head_sha,
        severity=severity,
        content=hashlib.sha256(body_for(BUDGETS[0]).encode()).hexdigest()[:16],
    )


def _url(item: Mapping[str, Json]) -> str:
    url = item.get("html_url")
    return url if isinstance(url, str) else ""


def _shared(stamp: Stamp) -> str:
    return (
        f"another job of this run writes the comment {stamp.id!r} too, so only the worst verdict is shown."
        " Give each job of a matrix its own, for example `comment-id: ${{ strategy.job-index }}`."
    )


def _warning(error: GitHubError, context: RunContext) -> str:
    hint = error.hint
    if isinstance(error, MissingPermission) and (context.is_fork or context.actor == DEPENDABOT):
        hint = (
            "The token of a run from a fork, or of Dependabot, only reads:"
            ' let a second workflow publish (README, "Pull requests from forks").'
        )
    return " ".join(f"No comment was written: {error.message}. {hint}".split())
