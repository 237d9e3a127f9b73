"""Evidence reaches the repository: once, whoever else writes, and what GitHub refuses is named."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from gate.github.baseline import (
    BRANCH,
    Add,
    Addition,
    Offered,
    branch_of,
    offer_by_pull_request,
    offer_on_branch,
)
from gate.github.errors import GitHubError, MissingPermission, RateLimited
from tests.support.github.desk import Desk
from tests.support.github.openapi import Edition
from tests.support.github.state import BASE, JOB_TOKEN, REPOSITORY, a_git, a_pull

pytestmark = pytest.mark.requires("node")

PATH = "golden/baseline.jsonl"
OWN = "agent-gate/baseline"
MAIN = {"agent.py": "print()", "golden/cases.yaml": "cases: []", PATH: "one\n"}
WRITER = {"login": "github-actions[bot]", "permissions": {"contents": "write", "pull_requests": "write"}}


def adds(run: str) -> Add:
    """A baseline of this kind is a sorted text with one run a line; a later name is a newer run."""

    def add(accepted: bytes | None, pending: bytes | None) -> Addition:
        before = {line for data in (accepted, pending) if data for line in data.decode().splitlines()}
        runs = sorted(before | {run})
        return Addition(
            data="".join(f"{line}\n" for line in runs).encode(),
            message=f"run {run}",
            title=f"{len(runs)} runs",
            body=f"newest is {run}",
            known=run in (accepted or b"").decode().splitlines(),
            newest=runs[-1] == run,
        )

    return add


def begin(desk: Desk, *, edition: Edition = "api.github.com", **fields: Any) -> None:
    known = {"tokens": {JOB_TOKEN: WRITER}, "pulls": {}, "git": a_git(MAIN)}
    desk.begin(known | fields, edition=edition)


async def propose(desk: Desk, run: str, path: str = PATH) -> Offered:
    async with desk.api() as api:
        return await offer_by_pull_request(api, desk.context(event="push", pull=None), path, adds(run))


async def commit(desk: Desk, run: str, branch: str = OWN) -> Offered:
    async with desk.api() as api:
        return await offer_on_branch(api, desk.context(event="push", pull=None), branch, PATH, adds(run))


def files(desk: Desk, branch: str) -> Mapping[str, str]:
    """The files at a branch, by their text."""
    git = desk.fake.state["git"]
    found = git["commits"][git["refs"][branch]]["files"]
    return {path: git["blobs"][blob] for path, blob in found.items()}


def parents(desk: Desk, branch: str) -> list[str]:
    git = desk.fake.state["git"]
    found: list[str] = git["commits"][git["refs"][branch]]["parents"]
    return found


def pulls(desk: Desk) -> dict[str, Any]:
    found: dict[str, Any] = desk.fake.state["pulls"]
    return found


def merge(desk: Desk, number: str, *, squash: bool) -> None:
    git = desk.fake.state["git"]
    pull = pulls(desk)[number]
    tip = git["refs"][pull["head_ref"]]
    if squash:
        sha = f"5a5a{number:0>36}"
        git["commits"][sha] = {
            "parents": [git["refs"]["main"]],
            "files": git["commits"][tip]["files"],
            "message": "",
        }
        git["refs"]["main"] = sha
    else:
        git["refs"]["main"] = tip
    pull["state"] = "closed"


def push(desk: Desk, branch: str, path: str, text: str) -> None:
    """Somebody commits a file."""
    git = desk.fake.state["git"]
    before = git["refs"][branch]
    sha = f"9a5e{len(git['commits']):036x}"
    git["blobs"][f"b{sha[1:]}"] = text
    changed = git["commits"][before]["files"] | {path: f"b{sha[1:]}"}
    git["commits"][sha] = {"parents": [before], "files": changed, "message": ""}
    git["refs"][branch] = sha


@pytest.mark.parametrize("edition", ["api.github.com", "ghes-3.19"])
async def test_the_first_run_opens_a_pull_request_on_the_default_branchs_tip(
    desk: Desk, edition: Edition
) -> None:
    begin(desk, edition=edition)
    done = await propose(desk, "two")
    assert (done.action, done.url) == ("opened", f"https://github.example/{REPOSITORY}/pull/1")
    pull = pulls(desk)["1"]
    assert (pull["head_ref"], pull["base_ref"]) == (BRANCH, "main")
    assert (pull["title"], pull["body"]) == ("2 runs", "newest is two")
    assert files(desk, BRANCH) == MAIN | {PATH: "one\ntwo\n"}
    assert parents(desk, BRANCH) == [BASE]


async def test_later_runs_update_it_and_there_are_never_two(desk: Desk) -> None:
    begin(desk)
    await propose(desk, "two")
    done = await propose(desk, "zebra")
    assert done.action == "updated"
    assert files(desk, BRANCH)[PATH] == "one\ntwo\nzebra\n"
    assert [pull["title"] for pull in pulls(desk).values()] == ["3 runs"]


async def test_the_same_run_again_changes_nothing(desk: Desk) -> None:
    begin(desk)
    await propose(desk, "two")
    tip = desk.fake.state["git"]["refs"][BRANCH]
    assert (await propose(desk, "two")).action == "unchanged"
    assert desk.fake.state["git"]["refs"][BRANCH] == tip
    merge(desk, "1", squash=True)
    assert (await propose(desk, "two")).action == "unchanged"
    assert len(pulls(desk)) == 1


async def test_an_older_run_that_ends_later_adds_its_evidence_and_leaves_the_words(desk: Desk) -> None:
    begin(desk)
    await propose(desk, "zebra")
    await propose(desk, "two")
    assert files(desk, BRANCH)[PATH] == "one\ntwo\nzebra\n"
    assert pulls(desk)["1"]["body"] == "newest is zebra"


@pytest.mark.parametrize("squash", [True, False])
async def test_after_a_merge_the_next_run_opens_the_next_one(desk: Desk, *, squash: bool) -> None:
    begin(desk)
    await propose(desk, "two")
    merge(desk, "1", squash=squash)
    assert (await propose(desk, "zebra")).action == "opened"
    assert files(desk, BRANCH)[PATH] == "one\ntwo\nzebra\n"
    assert [pull["state"] for pull in pulls(desk).values()] == ["closed", "open"]


async def test_evidence_that_was_turned_down_does_not_come_back(desk: Desk) -> None:
    begin(desk)
    await propose(desk, "bad")
    pulls(desk)["1"]["state"] = "closed"
    assert (await propose(desk, "two")).action == "opened"
    assert files(desk, BRANCH)[PATH] == "one\ntwo\n"


async def test_what_the_default_branch_got_meanwhile_is_kept(desk: Desk) -> None:
    begin(desk)
    await propose(desk, "two")
    push(desk, "main", "agent.py", "print(2)")
    push(desk, "main", PATH, "one\nby_hand\n")
    await propose(desk, "zebra")
    assert files(desk, BRANCH) == MAIN | {"agent.py": "print(2)", PATH: "by_hand\none\ntwo\nzebra\n"}
    main = desk.fake.state["git"]["refs"]["main"]
    assert main in parents(desk, BRANCH)


async def test_a_baseline_below_the_top_has_a_pull_request_of_its_own(desk: Desk) -> None:
    begin(desk)
    path = f"agents/a/{PATH}"
    await propose(desk, "two")
    await propose(desk, "two", path)
    assert [pull["head_ref"] for pull in pulls(desk).values()] == [BRANCH, branch_of(path)]
    assert branch_of(path).startswith(f"{BRANCH}-agents-a-")
    assert files(desk, branch_of(path))[PATH] == "one\n"
    assert branch_of("agents-a/golden/baseline.jsonl") != branch_of(path)


async def test_runs_that_offer_at_the_same_time_lose_nothing_and_open_one_pull_request(desk: Desk) -> None:
    begin(desk)
    runs = [f"r{number}" for number in range(5)]
    done = await asyncio.gather(*(propose(desk, run) for run in runs))
    assert files(desk, BRANCH)[PATH].split() == ["one", *runs]
    assert len(pulls(desk)) == 1
    assert pulls(desk)["1"]["body"] == "newest is r4"
    assert {offered.url for offered in done} == {f"https://github.example/{REPOSITORY}/pull/1"}


async def test_a_branch_of_its_own_is_made_without_the_repositorys_files(desk: Desk) -> None:
    begin(desk)
    done = await commit(desk, "two")
    tip = desk.fake.state["git"]["refs"][OWN]
    assert (done.action, done.url) == ("committed", f"https://github.com/{REPOSITORY}/commit/{tip}")
    assert files(desk, OWN) == {PATH: "two\n"}
    assert parents(desk, OWN) == []


async def test_a_branch_that_is_there_is_added_to_and_keeps_its_other_files(desk: Desk) -> None:
    git = a_git(MAIN, agent_gate__baseline={PATH: "two\n", "README.md": "evidence"})
    begin(desk, git=git)
    before = git["refs"][OWN]
    await commit(desk, "zebra")
    assert files(desk, OWN) == {PATH: "two\nzebra\n", "README.md": "evidence"}
    assert parents(desk, OWN) == [before]
    assert (await commit(desk, "zebra")).action == "unchanged"


async def test_jobs_that_commit_at_the_same_time_lose_nothing(desk: Desk) -> None:
    begin(desk)
    runs = [f"r{number}" for number in range(6)]
    await asyncio.gather(*(commit(desk, run) for run in runs))
    assert files(desk, OWN)[PATH].split() == runs


@pytest.mark.parametrize(
    ("method", "path", "form"),
    [
        ("POST", "/git/blobs", propose),
        ("POST", "/git/trees", propose),
        ("POST", "/git/commits", propose),
        ("POST", "/git/refs", propose),
        ("POST", "/pulls", propose),
        ("POST", "/git/refs", commit),
    ],
)
@pytest.mark.parametrize("after", [True, False])
async def test_an_answer_that_is_lost_neither_loses_nor_doubles(
    desk: Desk, method: str, path: str, form: Any, *, after: bool
) -> None:
    begin(desk)
    desk.fail(method, path, 0, after=after)
    await form(desk, "two")
    assert files(desk, BRANCH if form is propose else OWN)[PATH].split()[-1] == "two"
    assert len(pulls(desk)) == (form is propose)


async def test_a_protected_branch_is_named_with_what_to_allow(desk: Desk) -> None:
    begin(desk, git=a_git(MAIN) | {"protected": [OWN]})
    with pytest.raises(GitHubError, match="Repository rule violations") as error:
        await commit(desk, "two")
    assert f"Is {OWN} protected?" in error.value.hint
    assert "bypass list" in error.value.hint


async def test_a_missing_permission_is_named(desk: Desk) -> None:
    for given, needs in (
        ({"contents": "read", "pull_requests": "write"}, "contents: write"),
        ({"contents": "write", "pull_requests": "read"}, "pull-requests: write"),
    ):
        begin(desk, tokens={JOB_TOKEN: WRITER | {"permissions": given}})
        with pytest.raises(MissingPermission, match="not accessible") as error:
            await propose(desk, "two")
        assert error.value.permission == needs


async def test_the_setting_that_forbids_pull_requests_is_named_and_the_evidence_is_kept(desk: Desk) -> None:
    begin(desk, actions_may_open_pulls=False)
    with pytest.raises(GitHubError, match="not permitted to create"):
        await propose(desk, "two")
    with pytest.raises(GitHubError, match="not permitted to create") as error:
        await propose(desk, "zebra")
    assert "`Allow GitHub Actions to create and approve pull requests`" in error.value.hint
    assert f"https://github.com/{REPOSITORY}/compare/main...{BRANCH}?expand=1" in error.value.hint
    assert files(desk, BRANCH)[PATH] == "one\ntwo\nzebra\n"


async def test_a_forks_pull_request_from_a_branch_of_the_same_name_is_not_ours(desk: Desk) -> None:
    begin(desk, pulls={"7": a_pull(head_ref=BRANCH, head_repository="acme/other")})
    assert (await propose(desk, "two")).action == "opened"


async def test_who_is_overtaken_for_ever_says_so(desk: Desk) -> None:
    begin(desk)
    await commit(desk, "two")

    def add(accepted: bytes | None, pending: bytes | None) -> Addition:
        push(desk, OWN, "other", "x")
        return adds("zebra")(accepted, pending)

    with pytest.raises(GitHubError, match="kept changing"):
        async with desk.api() as api:
            await offer_on_branch(api, desk.context(), OWN, PATH, add)


async def test_a_folder_that_github_lists_only_in_part_is_not_taken_for_one_without_the_file(
    desk: Desk,
) -> None:
    begin(desk)
    desk.fail("GET", f"/git/trees/{'7' * 40}", 200)
    tree = {"sha": "7" * 40, "truncated": True, "tree": []}
    desk.fake.state["failures"][0]["body"] = tree
    desk.fake.state["failures"].append(
        {"method": "GET", "path": f"/git/commits/{BASE}", "status": 200, "body": {"tree": tree}}
    )
    with pytest.raises(GitHubError, match="too many files"):
        await propose(desk, "two")


async def test_a_limit_ends_it_with_when_it_is_free_again(desk: Desk) -> None:
    begin(desk)
    desk.fail("PATCH", f"/git/refs/heads/{OWN}", 429, headers={"retry-after": "999"})
    await commit(desk, "two")
    with pytest.raises(RateLimited) as error:
        await commit(desk, "zebra")
    assert "free again at" in error.value.hint
