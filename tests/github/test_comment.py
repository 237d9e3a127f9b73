"""One comment a pull request, whoever else writes there and whatever GitHub does meanwhile."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from gate.github import stamp as stamps
from gate.github.comment import BUDGETS, CommentResult, publish_comment
from gate.publish import comment as surface
from tests.support.github.desk import Desk
from tests.support.github.state import BOT, HEAD, a_comment, a_pull
from tests.support.reports import LONDON, a_report, case_rules

pytestmark = pytest.mark.requires("node")

READ_ONLY = "ghs_ofafork"
PERSON = "ghp_ofaperson"
APP = "ghs_ofanapp"
ISSUES = "/repos/acme/agent/issues/7/comments"


def bodies(desk: Desk) -> list[str]:
    return [entry["body"].partition("\n\n")[2] for entry in desk.comments]


def of_run(number: int = 4711, **fields: Any) -> str:
    """The body of our comment by some run."""
    known: dict[str, Any] = {
        "id": "default",
        "workflow": ".github/workflows/agent-gate.yml",
        "job": "gate",
        "run": number,
        "attempt": 1,
        "head": HEAD,
        "content": "0123",
    }
    return stamps.write(stamps.Stamp(**(known | fields)), f"by {number}")


async def test_the_first_run_creates_one_comment_under_its_stamp(desk: Desk) -> None:
    result = await desk.publish("<!-- agent-gate:default -->\n\n### Agent Gate: pass\n")
    assert result == CommentResult(
        action="created", url="https://github.example/acme/agent/pull/7#issuecomment-1001"
    )
    [entry] = desk.comments
    first, blank, rest = entry["body"].split("\n", 2)
    assert first.startswith(
        "<!-- agent-gate:default workflow=.github%2Fworkflows%2Fagent-gate.yml job=gate run="
    )
    assert (blank, rest) == ("", "### Agent Gate: pass\n")
    assert entry["author"] == BOT


async def test_the_next_run_updates_it_in_place(desk: Desk) -> None:
    await desk.publish("first")
    result = await desk.publish("second", run_id=4712)
    assert (result.action, result.warning) == ("updated", "")
    assert bodies(desk) == ["second"]


async def test_the_same_result_published_again_changes_nothing(desk: Desk) -> None:
    await desk.publish("first")
    before = len(desk.fake.requests)
    assert (await desk.publish("first")).action == "unchanged"
    assert not any(line.startswith(("POST /repos", "PATCH")) for line in desk.fake.requests[before:])


@pytest.mark.parametrize(("earlier", "pages"), [(99, 1), (100, 2), (250, 3)])
async def test_our_comment_is_found_on_every_page(desk: Desk, earlier: int, pages: int) -> None:
    desk.comments.extend(a_comment(number, "ann", "hello") for number in range(1, earlier + 1))
    await desk.publish("first")
    before = len(desk.fake.requests)
    assert (await desk.publish("second", run_id=4712)).action == "updated"
    assert len(desk.comments) == earlier + 1
    assert desk.fake.requests[before:].count(f"GET {ISSUES}") == 2 * pages


@pytest.mark.parametrize(
    ("author", "body"),
    [
        ("mallory", of_run(4700)),
        ("mallory", of_run(9999)),
        ("github-actions", of_run(4700)),
        ("other-app[bot]", of_run(4700)),
        (BOT, f"quoted:\n{of_run(4700)}"),
        (BOT, f" {of_run(4700)}"),
        (BOT, "<!-- agent-gate:default -->\n\nan older form, or somebody else's"),
        (BOT, of_run(4700).replace(" -->", " x=1 -->")),
    ],
)
async def test_a_forged_marker_is_neither_written_over_nor_obeyed(desk: Desk, author: str, body: str) -> None:
    desk.comments.append(a_comment(1, author, body))
    assert (await desk.publish("ours")).action == "created"
    assert desk.comments[0] == a_comment(1, author, body)
    assert len(desk.comments) == 2


@pytest.mark.parametrize(
    ("there", "ours", "action"),
    [
        ((4712, 1), (4711, 1), "superseded"),
        ((4712, 1), (4711, 9), "superseded"),
        ((4711, 2), (4711, 1), "superseded"),
        ((4711, 1), (4711, 2), "updated"),
        ((4711, 9), (4712, 1), "updated"),
        ((999, 1), (1000, 1), "updated"),
    ],
)
async def test_an_older_run_or_attempt_never_writes_over_a_newer(
    desk: Desk, there: tuple[int, int], ours: tuple[int, int], action: str
) -> None:
    desk.comments.append(a_comment(1, BOT, of_run(there[0], attempt=there[1])))
    result = await desk.publish("ours", run_id=ours[0], attempt=ours[1])
    assert (result.action, result.warning) == (action, "")
    assert bodies(desk) == ["ours" if action == "updated" else f"by {there[0]}"]
    assert result.url.endswith("#issuecomment-1")


async def test_a_run_of_a_head_that_has_moved_says_nothing(desk: Desk) -> None:
    assert await desk.publish("old news", head_sha="0ld" + "0" * 37) == CommentResult(action="superseded")
    assert not desk.comments


async def test_each_comment_id_workflow_and_job_has_a_comment_of_its_own(desk: Desk) -> None:
    others: list[dict[str, Any]] = [
        {},
        {"comment_id": "staging"},
        {"comment_id": "a -->\n<b>"},
        {"job": "nightly"},
        {"workflow": ".github/workflows/other.yml"},
    ]
    for fields in others:
        assert (await desk.publish(str(fields), **fields)).action == "created"
    for fields in others:
        assert (await desk.publish(f"again {fields}", run_id=4712, **fields)).action == "updated"
    assert bodies(desk) == [f"again {fields}" for fields in others]
    assert all("\n" not in entry["body"].partition(" -->")[0] for entry in desk.comments)


async def test_jobs_of_a_matrix_with_ids_of_their_own_do_not_meet(desk: Desk) -> None:
    legs = [desk.publish(f"leg {n}", comment_id=str(n)) for n in range(4)]
    results = await asyncio.gather(*legs)
    assert {result.action for result in results} == {"created"}
    assert sorted(bodies(desk)) == [f"leg {n}" for n in range(4)]


@pytest.mark.parametrize("severities", [(0, 2, 1), (2, 0, 0), (0, 0, 2)])
async def test_jobs_of_a_matrix_that_share_an_id_end_with_one_comment_of_the_worst(
    desk: Desk, severities: tuple[int, ...]
) -> None:
    legs = [desk.publish(f"severity {s} of leg {n}", severity=s) for n, s in enumerate(severities)]
    results = await asyncio.gather(*legs)
    worst = severities.index(max(severities))
    assert bodies(desk) == [f"severity 2 of leg {worst}"]
    assert results[worst].action in ("created", "updated")
    told = [result.warning for result in results if result.action == "kept"]
    assert told
    assert all("comment-id: ${{ strategy.job-index }}" in warning for warning in told)


async def test_two_runs_at_the_same_time_end_with_one_comment_of_the_newer(desk: Desk) -> None:
    runs = [desk.publish(f"run {n}", run_id=n) for n in (4712, 4711, 4713)]
    results = await asyncio.gather(*runs)
    assert bodies(desk) == ["run 4713"]
    assert [result.action for result in results] == ["superseded", "superseded", "created"]


async def test_duplicates_are_deleted_and_of_equal_ones_the_oldest_stays(desk: Desk) -> None:
    desk.comments.extend(a_comment(n, BOT, of_run(4710)) for n in (3, 1, 2))
    desk.comments.append(a_comment(4, "mallory", of_run(4710)))
    assert (await desk.publish("ours")).action == "updated"
    assert [entry["id"] for entry in desk.comments] == [1, 4]


async def test_a_duplicate_that_somebody_else_deleted_is_no_failure(desk: Desk) -> None:
    desk.comments.extend(a_comment(n, BOT, of_run(4710)) for n in (1, 2))
    desk.fail("DELETE", "/comments/2", 404, "Not Found", after=True)
    assert (await desk.publish("ours")).action == "updated"
    assert bodies(desk) == ["ours"]


async def test_a_comment_that_is_deleted_while_we_write_is_created_anew(desk: Desk) -> None:
    desk.comments.append(a_comment(1, BOT, of_run(4710)))
    desk.fail("PATCH", "/comments/1", 404, "Not Found")
    desk.fake.state["comments"] = vanishing = VanishAfterListing(desk.comments)
    result = await desk.publish("ours")
    assert result.action == "created"
    assert [entry["id"] for entry in vanishing] == [1001]


class VanishAfterListing(list[Any]):
    """A list of comments whose first is gone once it has been listed."""

    def __iter__(self) -> Any:
        entries = list(super().__iter__())
        if entries and entries[0]["id"] == 1:
            del self[0]
        return iter(entries)


class Lagging(list[Any]):
    """A list of comments that shows none of them."""

    def __iter__(self) -> Any:
        return iter(())


async def test_a_list_that_lags_behind_does_not_make_us_write_twice(desk: Desk) -> None:
    desk.fake.state["comments"] = Lagging()
    result = await desk.publish("ours")
    assert (result.action, result.url[-5:]) == ("created", "-1001")
    assert desk.fake.requests.count(f"POST {ISSUES}") == 1


async def test_rounds_are_spaced(desk: Desk) -> None:
    desk.fail("POST", "/comments", 502, times=3)
    assert (await desk.publish("ours")).action == "created"
    assert desk.clock.slept == [1, 2, 4]


@pytest.mark.parametrize("status", [0, 500, 502, 504])
@pytest.mark.parametrize("done", [True, False])
async def test_a_lost_answer_leaves_one_comment(desk: Desk, status: int, done: bool) -> None:
    desk.fail("POST", "/comments", status, after=done)
    result = await desk.publish("ours")
    assert (result.action, result.warning) == ("created", "")
    assert bodies(desk) == ["ours"]


async def test_comments_that_never_settle_are_given_up_with_a_warning(desk: Desk) -> None:
    desk.fail("POST", "/comments", 502, times=50)
    result = await desk.publish("ours")
    assert result.action == "failed"
    assert result.warning.startswith("No comment was written: ")


@pytest.mark.parametrize(
    ("refusal", "action", "words"),
    [
        ({"status": 404, "message": "Not Found"}, "failed", "It was deleted, or the token may not see it"),
        ({"status": 410, "message": "Issues are disabled"}, "failed", "Issues are disabled"),
        ({"status": 422, "message": "Validation Failed"}, "failed", "Validation Failed"),
        ({"status": 403, "message": "Resource protected by SAML"}, "failed", "Resource protected by SAML"),
        ({"status": 451, "message": "Repository access blocked"}, "failed", "access blocked"),
    ],
)
async def test_what_github_refuses_is_a_warning(
    desk: Desk, refusal: dict[str, Any], action: str, words: str
) -> None:
    desk.fail("POST", "/comments", refusal["status"], refusal["message"])
    result = await desk.publish("ours")
    assert result.action == action
    assert words in result.warning


async def test_a_locked_conversation_is_a_warning(desk: Desk) -> None:
    desk.begin({"pulls": {"7": a_pull(locked=True)}})
    result = await desk.publish("ours")
    assert result.action == "failed"
    assert "locked" in result.warning
    assert "Unlock the conversation" in result.warning


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "Add `pull-requests: write` to the `permissions` of the job."),
        ({"is_fork": True}, "let a second workflow publish"),
        ({"actor": "dependabot[bot]"}, "let a second workflow publish"),
    ],
)
async def test_a_missing_permission_says_what_to_add(desk: Desk, fields: dict[str, Any], words: str) -> None:
    desk.fake.state["tokens"][READ_ONLY] = {"login": BOT, "permissions": {"pull_requests": "read"}}
    result = await desk.publish("ours", token=READ_ONLY, **fields)
    assert result.action == "failed"
    assert "Resource not accessible by integration" in result.warning
    assert words in result.warning
    assert not desk.comments


async def test_a_token_that_may_not_even_read_pull_requests_says_what_to_add(desk: Desk) -> None:
    desk.fake.state["tokens"][READ_ONLY] = {"login": BOT, "permissions": {"contents": "read"}}
    result = await desk.publish("ours", token=READ_ONLY)
    assert "Add `pull-requests: write` to the `permissions` of the job." in result.warning


async def test_a_bad_token_is_a_warning(desk: Desk) -> None:
    result = await desk.publish("ours", token="ghs_expired")
    assert result.action == "failed"
    assert "401" in result.warning
    assert "ghs_expired" not in result.warning


async def test_a_body_that_is_too_long_is_rendered_shorter_and_keeps_its_stamp(desk: Desk) -> None:
    cases = tuple(replace(LONDON, id=f"case_{i:04}", answer="日本語" * 90) for i in range(500))
    report = a_report("regression", rules=case_rules(500), cases=cases)
    desk.fake.state["longest_body"] = 12_000
    asked: list[int] = []

    def body_for(budget: int) -> str:
        asked.append(budget)
        return surface.render(report, budget=budget)

    async with desk.api() as api:
        result = await publish_comment(api, desk.context(), body_for)
    assert (result.action, result.warning) == ("created", "")
    assert asked[1:] == [60_000, 30_000, 10_000][: len(asked) - 1]
    [entry] = desk.comments
    assert len(entry["body"]) <= 12_000
    assert stamps.read(entry["body"])
    assert "Left out because of the length" in entry["body"]


async def test_a_body_that_stays_too_long_is_a_warning(desk: Desk) -> None:
    desk.fake.state["longest_body"] = 100
    result = await desk.publish("x" * 200)
    assert result.action == "failed"
    assert "too long" in result.warning.lower() or "Validation Failed" in result.warning
    assert sum(line == f"POST {ISSUES}" for line in desk.fake.requests) == len(BUDGETS)


@pytest.mark.parametrize(
    ("mode", "notable", "there", "action"),
    [
        ("on", False, False, "created"),
        ("changes", True, False, "created"),
        ("changes", False, False, "not_needed"),
        ("changes", False, True, "updated"),
        ("changes", True, True, "updated"),
        ("off", True, True, "off"),
    ],
)
async def test_modes(desk: Desk, mode: str, notable: bool, there: bool, action: str) -> None:
    if there:
        desk.comments.append(a_comment(1, BOT, of_run(4710)))
    result = await desk.publish("ours", mode=mode, notable=notable)
    assert (result.action, result.warning) == (action, "")


async def test_mode_off_asks_github_nothing(desk: Desk) -> None:
    await desk.publish("ours", mode="off")
    assert not desk.fake.requests


async def test_a_run_without_a_pull_request_writes_nothing(desk: Desk) -> None:
    desk.begin({"pulls": {}})
    result = await desk.publish("ours", event="push", pull=None)
    assert result == CommentResult(action="no_pull_request")


@pytest.mark.parametrize(
    ("token", "login"), [(PERSON, "ann"), (APP, "our-app[bot]"), ("github_pat_x", "robot")]
)
async def test_every_kind_of_token_finds_its_own_comment(desk: Desk, token: str, login: str) -> None:
    desk.fake.state["tokens"][token] = {"login": login, "permissions": {"pull_requests": "write"}}
    desk.comments.append(a_comment(1, BOT, of_run(4700)))
    await desk.publish("first", token=token)
    assert (await desk.publish("second", token=token, run_id=4712)).action == "updated"
    assert [entry["author"] for entry in desk.comments] == [BOT, login]
    assert bodies(desk) == ["by 4700", "second"]


@pytest.mark.parametrize("token", ["job", PERSON])
async def test_without_graphql_a_user_is_asked_for_and_the_job_is_known(desk: Desk, token: str) -> None:
    desk.fake.state["tokens"][PERSON] = {"login": "ann", "permissions": {"pull_requests": "write"}}
    given = {"token": token} if token != "job" else {}
    for number in (4711, 4712):
        desk.fail("POST", "/graphql", 403, "GraphQL is disabled")
        await desk.publish(f"run {number}", run_id=number, **given)
    assert bodies(desk) == ["run 4712"]
    assert "GET /user" in desk.fake.requests


async def test_enterprise_server_is_talked_to_at_its_own_address(desk: Desk) -> None:
    fake = desk.begin(edition="ghes-3.19")
    desk.comments.extend(a_comment(number, "ann", "hello") for number in range(1, 150))
    await desk.publish("first")
    assert (await desk.publish("second", run_id=4712)).action == "updated"
    assert fake.graphql_url == "https://ghes.example/api/graphql"
    assert bodies(desk)[-1] == "second"


async def test_a_pull_request_of_a_merge_queue_is_commented_though_its_head_is_another(desk: Desk) -> None:
    result = await desk.publish("in the queue", event="merge_group", head_sha="9" * 40)
    assert result.action == "created"
