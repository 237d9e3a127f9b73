from typing import Any

import pytest

from gate.github.errors import GitHubError, NotThere
from gate.github.pulls import Pull, find_pull
from tests.support.github.desk import Desk
from tests.support.github.state import BASE, HEAD, REPOSITORY, a_pull

pytestmark = pytest.mark.requires("node")


async def find(desk: Desk, **fields: Any) -> Pull | None:
    async with desk.api() as api:
        return await find_pull(api, desk.context(**fields))


async def number(desk: Desk, **fields: Any) -> int | None:
    found = await find(desk, **fields)
    return found.number if found else None


async def test_the_events_own_pull_request_is_asked_for_what_holds_now(desk: Desk) -> None:
    desk.begin({"pulls": {"7": a_pull(labels=["agent-gate: accept", "bug"])}})
    assert await find(desk) == Pull(
        number=7,
        open=True,
        head_sha=HEAD,
        head_repository=REPOSITORY,
        base_ref="main",
        base_sha=BASE,
        author="ann",
        head_ref="feature",
        commits=1,
        labels=("agent-gate: accept", "bug"),
    )


async def test_a_pull_request_whose_fork_is_gone_is_still_read(desk: Desk) -> None:
    # The description knows no null here; GitHub sends it for a fork that was deleted.
    desk.fail("GET", "/pulls/7", 200)
    desk.fake.state["failures"][0]["body"] = {"number": 7, "head": {"sha": HEAD, "repo": None}, "user": None}
    found = await find(desk)
    assert found
    assert (found.head_sha, found.head_repository, found.author) == (HEAD, "", "")


async def test_a_pull_request_that_is_gone_is_an_error(desk: Desk) -> None:
    with pytest.raises(NotThere):
        await find(desk, pull=8)


@pytest.mark.parametrize(
    ("pulls", "expected"),
    [
        ({}, None),
        ({"7": a_pull()}, 7),
        ({"9": a_pull(), "8": a_pull()}, 8),
        ({"7": a_pull(state="closed"), "8": a_pull()}, 8),
        ({"7": a_pull(state="closed")}, None),
        ({"7": a_pull(head="9" * 40)}, None),
    ],
)
async def test_a_push_is_about_the_open_pull_request_of_its_commit(
    desk: Desk, pulls: dict[str, Any], expected: int | None
) -> None:
    desk.begin({"pulls": pulls})
    assert await number(desk, event="push", pull=None) == expected


async def test_a_commit_that_github_does_not_know_has_no_pull_request(desk: Desk) -> None:
    desk.fail("GET", f"/commits/{HEAD}/pulls", 422, "No commit found for SHA")
    assert await number(desk, event="push", pull=None) is None


async def test_a_refusal_is_no_missing_pull_request(desk: Desk) -> None:
    desk.fail("GET", f"/commits/{HEAD}/pulls", 403, "Resource not accessible by integration")
    with pytest.raises(GitHubError):
        await number(desk, event="push", pull=None)


async def test_a_forks_pull_request_is_found_by_its_branch_and_only_at_that_very_commit(desk: Desk) -> None:
    fork = {"head_repository": "mallory/agent", "head_ref": "patch"}
    desk.begin({"pulls": {"5": a_pull(), "8": a_pull(**fork), "9": a_pull(**fork, head="9" * 40)}})
    about = {"event": "workflow_run", "pull": None, "is_fork": True, **fork}
    assert await number(desk, **{**about, "head_sha": "9" * 40}) == 9
    assert await number(desk, **{**about, "head_sha": "8" * 40}) is None
