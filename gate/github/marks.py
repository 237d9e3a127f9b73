"""What GitHub itself recorded about a pull request: who did what to it, who may write, when its head moved.

No date here is a commit's: those are whatever their author wrote. All times are of GitHub's own clocks.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime

from gate.frozen import frozen
from gate.github.api import Api
from gate.github.errors import DoesNotCount, GitHubError, MissingPermission, NotThere
from gate.github.pulls import NEEDS, Pull, text
from gate.model import Json

HEAD_MOVES = frozenset(("head_ref_force_pushed", "head_ref_restored", "reopened"))
BASE_MOVES = frozenset(("base_ref_changed", "automatic_base_change_succeeded"))
"""Another base is another bar, so what was accepted before is not what is judged now."""
_KINDS = HEAD_MOVES | BASE_MOVES | {"labeled", "unlabeled"}
SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)
_LOGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}(\[bot\])?")
_SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_WRITES = frozenset(("admin", "maintain", "write"))
_DECIDES = frozenset(("APPROVED", "CHANGES_REQUESTED", "DISMISSED"))
_BELONGS = frozenset(("OWNER", "MEMBER", "COLLABORATOR"))


@frozen
class Who:
    """An account; `login` is "" for one that is gone. `app` acted in its name, "" where it acted itself."""

    login: str = ""
    is_person: bool = False
    app: str = ""

    def __str__(self) -> str:
        return f"@{self.login}" if self.login else "an account that is gone"

    def is_(self, login: str) -> bool:
        """Whether this is the account of that login, which GitHub compares without case."""
        return bool(login) and self.login.casefold() == login.casefold()


@frozen
class Event:
    """A label set or removed, or a move of the head or the base; `label` is "" for a move."""

    kind: str
    label: str
    who: Who
    at: datetime


@frozen
class Review:
    """A review that approves, requests changes or was dismissed, and the commit that it is about."""

    who: Who
    state: str
    commit: str
    at: datetime
    belongs: bool


@frozen
class Push:
    """The last change of a branch."""

    who: Who
    at: datetime


async def events(api: Api, repository: str, number: int) -> list[Event]:
    """Labels and moves of a pull request in the order of their time; raises GitHubError.

    Issue events and not the timeline: only they have the changes of the base.
    """
    path = f"/repos/{repository}/issues/{number}/events"
    found = [
        (_event(item), _number(item))
        async for item in api.pages(path, needs=NEEDS)
        if text(item, "event") in _KINDS
    ]
    return [event for event, _ in sorted(found, key=lambda entry: (entry[0].at, entry[1]))]


async def standing_reviews(api: Api, repository: str, number: int) -> list[Review]:
    """The last deciding review of every reviewer, newest first, members of the repository before others.

    Comments decide nothing. A dismissed review stands as dismissed. Raises GitHubError.
    """
    last: dict[str, Review] = {}
    async for item in api.pages(f"/repos/{repository}/pulls/{number}/reviews", needs=NEEDS):
        if text(item, "state") in _DECIDES and (review := _review(item)).who.login:
            last[review.who.login.casefold()] = review
    return sorted(last.values(), key=lambda review: (review.belongs, review.at), reverse=True)


async def may_write(api: Api, repository: str, login: str) -> bool:
    """Whether somebody may write to the repository now; raises GitHubError.

    `permission` maps maintain and custom roles to write or admin, and triage, which may set labels, to read.
    """
    path = f"/repos/{repository}/collaborators/{login}/permission"
    try:
        return text(await api.get(path, needs=""), "permission") in _WRITES
    except NotThere:
        return False
    except MissingPermission as error:
        hint = "The job's own token may ask: leave `github-token` out, or give its owner write access."
        raise GitHubError(error.message, hint=hint, status=error.status) from error


async def last_push(api: Api, pull: Pull) -> Push:
    """The last change of the pull request's branch in its own repository; raises GitHubError.

    Raises DoesNotCount where GitHub does not tell, or tells of another commit than the pull request has.
    """
    branch, repository = pull.head_ref, pull.head_repository
    if not branch or not _REPOSITORY.fullmatch(repository):
        raise DoesNotCount("the fork is gone, so GitHub does not tell when this head was pushed")
    ref = f"refs/heads/{branch}"
    query = {"ref": ref, "direction": "desc", "per_page": "1"}
    value = await api.get(f"/repos/{repository}/activity", needs="contents: read", query=query)
    first = value[0] if isinstance(value, list) and value else None
    if not isinstance(first, Mapping) or (text(first, "ref"), text(first, "after")) != (ref, pull.head_sha):
        raise DoesNotCount(
            f"GitHub's record of pushes to {repository} does not show this head yet",
            hint="Run the job again in a minute.",
        )
    return Push(who=_who(first.get("actor")), at=_time(first, "timestamp"))


def _event(item: Mapping[str, Json]) -> Event:
    return Event(
        kind=text(item, "event"),
        label=text(item, "label", "name"),
        who=_who(item.get("actor"), item.get("performed_via_github_app")),
        at=_time(item, "created_at"),
    )


def _review(item: Mapping[str, Json]) -> Review:
    commit = text(item, "commit_id")
    return Review(
        who=_who(item.get("user")),
        state=text(item, "state"),
        commit=commit if SHA.fullmatch(commit) else "unknown",
        at=_time(item, "submitted_at"),
        belongs=text(item, "author_association") in _BELONGS,
    )


def _who(account: Json, app: Json = None) -> Who:
    """Only what has the form of a login is one; an app without a usable name is one nevertheless."""
    login, slug = text(account, "login"), text(app, "slug")
    return Who(
        login=login if _LOGIN.fullmatch(login) else "",
        is_person=text(account, "type") == "User" and bool(_SLUG.fullmatch(login)),
        app="" if app is None else slug if _SLUG.fullmatch(slug) else "without a name",
    )


def _number(item: Mapping[str, Json]) -> int:
    """GitHub numbers events upwards: the order within one second."""
    number = item.get("id")
    return number if isinstance(number, int) else 0


def _time(item: Mapping[str, Json], key: str) -> datetime:
    said = text(item, key)
    try:
        at = datetime.fromisoformat(said)
        if at.tzinfo:
            return at.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise GitHubError(f"GitHub gave no time at {key!r}; found {said!r:.60}")
