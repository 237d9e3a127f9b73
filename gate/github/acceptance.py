"""Who accepted that a pull request changes its own bar: a person who may write, and this very head.

By label, GitHub has to say that it was set after everything that moved the head or the base. It says so in
three places: the issue's events (who set the label when; force pushes, restores, reopenings, changes of the
base), the activity of the head's repository (when the branch was last changed, and to which commit), and the
pull request itself (its head and labels now). Dates of commits are their author's to write, and are not read.

The limit: a label names no commit. A push that lands between a person's look at the page and their click is
accepted with it, if the label's event is later. An approving review does name its commit. And who uses a
person's own token or session is that person, for GitHub and for us.

In a merge queue the pull request's own head must be accepted, and be alone in its group, because the ref
names only the last of several and nothing else tells whose change of the bar it is.

The job's token needs `pull-requests: read` (the pull request, its events and reviews) and `contents: read`
(activity, and what a merge group holds). Asking for a person's permission takes `metadata: read`, which every
job's token has. The read-only token of a fork's run has all three. `issues: read` is not needed.
https://docs.github.com/en/rest/authentication/permissions-required-for-github-apps
"""

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Literal

from gate.frozen import frozen
from gate.github import marks
from gate.github.api import Api
from gate.github.errors import DoesNotCount, GitHubError
from gate.github.event import RunContext
from gate.github.marks import Event, Push, Review, Who
from gate.github.pulls import Pull, get_pull
from gate.github.queue import is_alone
from gate.model.bar import Acceptance, NotAccepted
from gate.model.config import AcceptPolicy

MOST_ASKED = 50
"""For how many reviewers at most GitHub is asked whether they may write: anybody may approve."""
_MOVED = {
    "automatic_base_change_succeeded": "the change of the base",
    "base_ref_changed": "the change of the base",
    "head_ref_force_pushed": "the last force push",
    "head_ref_restored": "the restoring of the branch",
    "reopened": "the reopening",
}
_LABEL_AGAIN = "Someone with write access removes the label and sets it again, by hand."
_REVIEW_AGAIN = "Someone with write access reviews this head and approves it."
_WITHOUT_RECORD = {
    "label": "Open it from a branch of this repository, or let the base's config take a review:"
    " `accept: {by: review}`.",
    "review": "Open it from a branch of this repository.",
}


async def find_acceptance(api: Api, context: RunContext, policy: AcceptPolicy) -> Acceptance | NotAccepted:
    """Who accepted the head of this run by the base's policy; never raises for what GitHub refuses.

    NotAccepted says why what was tried does not count and what to do, or nothing where nobody tried, or where
    the event names no pull request. A merge group is accepted if the head of its pull request is.
    """
    if context.pull is None:
        return NotAccepted()
    try:
        pull = await get_pull(api, context.repository, context.pull)
        _check_current(context, pull)
        found = await _RULES[policy.by](_Asked(api=api, context=context, pull=pull, policy=policy))
        if isinstance(found, Acceptance) and context.event == "merge_group":
            await _check_alone(api, context, pull)
    except DoesNotCount as error:
        return NotAccepted(reason=error.message, hint=error.hint)
    except GitHubError as error:
        said = " ".join(error.message.split())
        return NotAccepted(reason=f"who accepted it could not be read: {said}", hint=error.hint)
    return found


@frozen
class _Asked:
    api: Api
    context: RunContext
    pull: Pull
    policy: AcceptPolicy


@frozen
class _Try:
    """What somebody did to accept; `did` follows their name in a sentence, `again` is how to do it right."""

    who: Who
    did: str
    how: Literal["label", "review"]
    at: datetime
    again: str


async def _by_label(asked: _Asked) -> Acceptance | NotAccepted:
    label = asked.policy.label
    if not any(_same(name, label) for name in asked.pull.labels):
        return NotAccepted()
    events = await _events(asked)
    last = next((event for event in reversed(events) if _same(event.label, label)), None)
    if last is None or last.kind != "labeled":
        reason = f"the label `{label}` is there, but GitHub has no record of who set it"
        raise DoesNotCount(reason, hint=_LABEL_AGAIN)
    tried = _Try(who=last.who, did=f"set the label `{label}`", how="label", at=last.at, again=_LABEL_AGAIN)
    await _check_who(asked, tried)
    push = await _last_push(asked)
    _check_pusher(asked, tried, push)
    _check_later(tried, [*_moves(events, marks.HEAD_MOVES | marks.BASE_MOVES), (push.at, "the last push")])
    return _accepted(asked, tried)


async def _by_review(asked: _Asked) -> Acceptance | NotAccepted:
    reviews = await marks.standing_reviews(asked.api, asked.context.repository, asked.pull.number)
    approvals = [review for review in reviews if review.state == "APPROVED"]
    if not approvals:
        return _label_instead(asked)
    about = [review for review in approvals if review.commit == asked.pull.head_sha]
    if not about:
        old = approvals[0]
        reason = f"{old.who} approved {old.commit[:7]}, but the head is {asked.pull.head_sha[:7]} now"
        raise DoesNotCount(reason, hint=_REVIEW_AGAIN)
    events = await _events(asked)
    problems = []
    for review in about[:MOST_ASKED]:
        try:
            return await _of_review(asked, review, events)
        except DoesNotCount as problem:
            problems.append(problem)
    raise problems[0]


async def _of_review(asked: _Asked, review: Review, events: list[Event]) -> Acceptance:
    tried = _Try(who=review.who, did="approved", how="review", at=review.at, again=_REVIEW_AGAIN)
    await _check_who(asked, tried)
    if asked.policy.not_author:
        _check_pusher(asked, tried, await _last_push(asked))
    _check_later(tried, _moves(events, marks.BASE_MOVES))
    return _accepted(asked, tried)


_Rule = Callable[[_Asked], Awaitable[Acceptance | NotAccepted]]
_RULES: Mapping[str, _Rule] = {"label": _by_label, "review": _by_review}


def _check_current(context: RunContext, pull: Pull) -> None:
    """The pull request is open at the head that this run tests; a merge group has a head of its own."""
    if not marks.SHA.fullmatch(pull.head_sha):
        raise GitHubError(f"GitHub named no head of pull request #{pull.number}")
    if context.event == "merge_group":
        if not (pull.open or pull.merged):
            raise DoesNotCount(f"pull request #{pull.number} of the merge group was closed")
        return
    if not pull.open:
        raise DoesNotCount(f"pull request #{pull.number} is not open")
    if pull.head_sha != context.head_sha:
        reason = f"the head has moved: this run tests {context.head_sha[:7]}, the pull request is at"
        raise DoesNotCount(f"{reason} {pull.head_sha[:7]}", hint="The run of the new head decides.")


async def _check_alone(api: Api, context: RunContext, pull: Pull) -> None:
    if not await is_alone(api, context, pull):
        raise DoesNotCount(
            f"#{pull.number} was accepted, but its merge group holds other changes too",
            hint="Limit the queue to groups of one pull request, or merge this one when the queue is empty.",
        )


async def _check_who(asked: _Asked, tried: _Try) -> None:
    """A person, acting themselves, who may write to the repository; by `not_author` not the author."""
    who, did = tried.who, f"{tried.who} {tried.did}"
    if not who.is_person:
        reason = f"{did}, but only a person can accept: a pull request's own workflow can act as a bot"
        raise DoesNotCount(reason, hint=tried.again)
    if who.app:
        raise DoesNotCount(f"{did} through the app {who.app}, but only a person can accept", hint=tried.again)
    if asked.policy.not_author and who.is_(asked.pull.author):
        raise DoesNotCount(f"{did}, but is the author, and `accept.not_author` is on", hint=tried.again)
    if not await marks.may_write(asked.api, asked.context.repository, who.login):
        raise DoesNotCount(f"{did}, but may not write to this repository", hint=tried.again)


def _check_pusher(asked: _Asked, tried: _Try, push: Push) -> None:
    """Who pushed the head is its author too, whoever opened the pull request."""
    if asked.policy.not_author and tried.who.is_(push.who.login):
        reason = f"{tried.who} {tried.did}, but pushed this head, and `accept.not_author` is on"
        raise DoesNotCount(reason, hint=tried.again)


def _check_later(tried: _Try, moves: list[tuple[datetime, str]]) -> None:
    """Later by GitHub's clocks, which count seconds: within the same second nobody knows."""
    at, what = max(moves, default=(datetime.min.replace(tzinfo=UTC), ""))
    if tried.at <= at:
        reason = f"{tried.who} {tried.did} at {_shown(tried.at)}, which is not after {what} ({_shown(at)})"
        raise DoesNotCount(reason, hint=tried.again)


def _moves(events: list[Event], kinds: frozenset[str]) -> list[tuple[datetime, str]]:
    return [(event.at, _MOVED[event.kind]) for event in events if event.kind in kinds]


async def _events(asked: _Asked) -> list[Event]:
    return await marks.events(asked.api, asked.context.repository, asked.pull.number)


async def _last_push(asked: _Asked) -> Push:
    """The push of this head; where GitHub does not tell, with a way around."""
    try:
        return await marks.last_push(asked.api, asked.pull)
    except DoesNotCount as problem:
        raise DoesNotCount(
            problem.message, hint=problem.hint or _WITHOUT_RECORD[asked.policy.by]
        ) from problem
    except GitHubError as error:
        own = _same(asked.pull.head_repository, asked.context.repository)
        raise DoesNotCount(
            f"when this head was pushed is unknown: {' '.join(error.message.split())}",
            hint=error.hint if own else _WITHOUT_RECORD[asked.policy.by],
        ) from error


def _label_instead(asked: _Asked) -> NotAccepted:
    """Nobody approved; a label is what this repository's policy does not take."""
    if not any(_same(name, asked.policy.label) for name in asked.pull.labels):
        return NotAccepted()
    reason = (
        f"the label `{asked.policy.label}` is set, but the config takes a review: `accept: {{by: review}}`"
    )
    return NotAccepted(reason=reason, hint=_REVIEW_AGAIN)


def _accepted(asked: _Asked, tried: _Try) -> Acceptance:
    at = tried.at.strftime("%Y-%m-%dT%H:%M:%SZ")
    return Acceptance(by=tried.who.login, how=tried.how, at=at, head=asked.pull.head_sha)


def _same(name: str, label: str) -> bool:
    """GitHub keeps the case of a label and compares without it."""
    return name.strip().casefold() == label.strip().casefold()


def _shown(at: datetime) -> str:
    return at.strftime("%Y-%m-%d %H:%M:%S UTC")
