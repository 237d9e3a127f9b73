"""Whether a merge group holds one pull request only: the one that its ref names."""

from collections.abc import Mapping

from gate.github.api import Api
from gate.github.event import RunContext
from gate.github.pulls import Pull, text
from gate.model import Json


async def is_alone(api: Api, context: RunContext, pull: Pull) -> bool:
    """Whether nothing but this pull request lies between the group's base and its head; raises GitHubError.

    Told by the shape of the commits: one merge of the pull request's head onto the base, one squashed commit
    on the base, or as many commits in a row as a rebase of it makes. What a squash or a rebase holds is not
    compared: GitHub makes them, and drops a pull request from the queue when its head moves.
    """
    base, head = context.base_sha, context.head_sha
    if not base or not head:
        return False
    value = await api.get(f"/repos/{context.repository}/compare/{base}...{head}", needs="contents: read")
    compared = value if isinstance(value, Mapping) else {}
    parents = dict(_parents(compared))
    above = parents.get(head, ())
    if above[:1] == (base,):
        return above[1:] in ((), (pull.head_sha,))
    in_a_row = compared.get("behind_by") == 0 and all(len(found) == 1 for found in parents.values())
    return in_a_row and compared.get("total_commits") == len(parents) == pull.commits


def _parents(compared: Mapping[str, Json]) -> list[tuple[str, tuple[str, ...]]]:
    commits = compared.get("commits")
    return [
        (text(commit, "sha"), tuple(text(parent, "sha") for parent in parents))
        for commit in (commits if isinstance(commits, list) else ())
        if isinstance(commit, Mapping) and isinstance(parents := commit.get("parents"), list)
    ]
