"""Which commit a pull request is held against: told by the event and by what was checked out.

A commit's hash stands for its content, so a base that the event or GitHub's own merge commit names cannot be
forged by a pull request. https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows
says what GITHUB_SHA is for each event.
"""

from pathlib import Path
from typing import Final

from gate.errors import BaseUnreadable, UsageError
from gate.git import behind, commit_named, contains, head_of, is_shallow, merge_base, parents_of
from gate.github.event import RunContext
from gate.model.bar import Revision

TWO_SIDED: Final = frozenset(("pull_request", "pull_request_target", "pull_request_review", "merge_group"))
_FETCH = "Give actions/checkout `with: {fetch-depth: 0}`: by default it fetches one commit only."
_MERGED_PARENTS = 2


def base_of(context: RunContext, root: Path) -> Revision | None:
    """The base of the pull request that is checked out at `root`; None for an event with one side only.

    It is the first parent of GitHub's merge commit; where the pull request's own commit is checked out, the
    commit where it left its branch; in a merge queue the queue's base. Raises BaseUnreadable where the
    checkout lacks it, UsageError where something else is checked out.
    """
    if context.event not in TWO_SIDED:
        return None
    head = head_of(root)
    if not head:
        raise BaseUnreadable(
            "this is no git checkout: what the pull request is held against cannot be read",
            hint="Check the repository out with actions/checkout and `with: {fetch-depth: 0}`.",
        )
    commit = _base(context, root, head)
    ahead = behind(root, commit, context.base_ref) if context.base_ref else 0
    return Revision(commit=commit, branch=context.base_ref, behind=ahead)


def _base(context: RunContext, root: Path, head: str) -> str:
    if context.event == "merge_group":
        if head != context.head_sha:
            raise _elsewhere(context, head)
        return _here(root, context.base_sha)
    parents = parents_of(root, head)
    if head == context.sha and len(parents) == _MERGED_PARENTS and parents[1] == context.head_sha:
        return _here(root, parents[0])
    if head != context.head_sha and not contains(root, head, context.head_sha):
        raise _elsewhere(context, head)
    common = merge_base(root, context.base_sha, head) if commit_named(root, context.base_sha) else ""
    return common or _missing(root, context.base_sha)


def _here(root: Path, commit: str) -> str:
    return commit if commit_named(root, commit) else _missing(root, commit)


def _missing(root: Path, commit: str) -> str:
    cause = "the checkout is shallow" if is_shallow(root) else "the checkout has another history"
    raise BaseUnreadable(
        f"the base of this pull request, commit {commit[:12]}, cannot be read: {cause}", hint=_FETCH
    )


def _elsewhere(context: RunContext, head: str) -> UsageError:
    return UsageError(
        f"commit {head[:12]} is checked out, and this pull request's head is {context.head_sha[:12]}",
        hint="Use actions/checkout without `ref`, or with the pull request's head.",
    )
