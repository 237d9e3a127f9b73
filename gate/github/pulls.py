"""The pull request of a run: named by the event, or looked up by its commit."""

from collections.abc import AsyncIterator, Mapping

from gate.frozen import frozen
from gate.github.api import Api
from gate.github.errors import GitHubError
from gate.github.event import RunContext
from gate.model import Json

NEEDS = "pull-requests: read"
_NO_SUCH_COMMIT = frozenset((404, 409, 422))


@frozen
class Pull:
    """A pull request as the API knows it now; `commits` is 0 where it came out of a list, which has none."""

    number: int
    open: bool
    head_sha: str
    head_repository: str
    base_ref: str
    base_sha: str
    author: str
    head_ref: str = ""
    merged: bool = False
    commits: int = 0
    labels: tuple[str, ...] = ()


async def find_pull(api: Api, context: RunContext, *, needs: str = NEEDS) -> Pull | None:
    """The pull request that a run is about; None where there is none. Raises GitHubError.

    By commit, only an open one into this repository counts whose head is that very commit; of several the
    oldest. `needs` is the permission to name where the token may not look.
    """
    if context.pull is not None:
        return await get_pull(api, context.repository, context.pull, needs=needs)
    if not context.head_sha:
        return None
    found = [pull async for pull in _candidates(api, context, needs)]
    candidates = [pull for pull in found if pull.open and _is_of(pull, context)]
    return min(candidates, key=lambda pull: pull.number, default=None)


def _is_of(pull: Pull, context: RunContext) -> bool:
    """A commit may be the head of a stranger's pull request too: the run's own branch decides."""
    branch = (context.head_repository.lower(), context.head_ref)
    same = not context.head_repository or branch == (pull.head_repository.lower(), pull.head_ref)
    return same and pull.head_sha == context.head_sha


async def get_pull(api: Api, repository: str, number: int, *, needs: str = NEEDS) -> Pull:
    """A pull request by its number; raises GitHubError."""
    value = await api.get(f"/repos/{repository}/pulls/{number}", needs=needs)
    return _pull(value if isinstance(value, Mapping) else {})


async def _candidates(api: Api, context: RunContext, needs: str) -> AsyncIterator[Pull]:
    repository = context.repository
    try:
        async for item in api.pages(f"/repos/{repository}/commits/{context.head_sha}/pulls", needs=needs):
            if text(item, "base", "repo", "full_name").lower() == repository.lower():
                yield _pull(item)
    except GitHubError as error:
        if error.status not in _NO_SUCH_COMMIT:
            raise
    if context.is_fork and context.head_ref:  # a fork's commit is not in this repository's list of commits
        owner = context.head_repository.partition("/")[0]
        query = {"state": "open", "head": f"{owner}:{context.head_ref}"}
        async for item in api.pages(f"/repos/{repository}/pulls", needs=needs, query=query):
            yield _pull(item)


def _pull(value: Mapping[str, Json]) -> Pull:
    number = value.get("number")
    if not isinstance(number, int):
        raise GitHubError("GitHub answered with a pull request without a number")
    labels, commits = value.get("labels"), value.get("commits")
    return Pull(
        number=number,
        open=value.get("state") == "open",
        head_sha=text(value, "head", "sha"),
        head_repository=text(value, "head", "repo", "full_name"),
        base_ref=text(value, "base", "ref"),
        base_sha=text(value, "base", "sha"),
        author=text(value, "user", "login"),
        head_ref=text(value, "head", "ref"),
        merged=bool(value.get("merged_at")),
        commits=commits if isinstance(commits, int) else 0,
        labels=tuple(text(label, "name") for label in labels) if isinstance(labels, list) else (),
    )


def text(value: Json, *path: str) -> str:
    """The text at a path of keys; "" where there is none."""
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, str) else ""
