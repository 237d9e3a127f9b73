import asyncio
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.github.acceptance import MOST_ASKED, find_acceptance
from gate.model.bar import Acceptance, NotAccepted
from gate.model.config import AcceptPolicy
from tests.support.github.desk import Desk
from tests.support.github.state import BASE, BOT, HEAD, JOB_TOKEN, REPOSITORY, a_pull, a_push
from tests.support.hostile import texts

pytestmark = pytest.mark.requires("node")

LABEL = AcceptPolicy().label
REVIEW = AcceptPolicy(by="review")
OTHER = "0dd" + "0" * 37
QUEUED = "9e" + "0" * 38
FORK = "mallory/agent"
PEOPLE = {
    "ann": "write",
    "bob": "write",
    "mia": "maintain",
    "ada": "admin",
    "tom": "triage",
    "rob": "read",
    "eve": "none",
    "acme-bot": "write",
    BOT: "admin",
    "helper[bot]": "write",
}
PERMISSION = f"/repos/{REPOSITORY}/collaborators/bob/permission"
ACTIVITY = f"/repos/{REPOSITORY}/activity"
EVENTS = f"/repos/{REPOSITORY}/issues/7/events"
REVIEWS = f"/repos/{REPOSITORY}/pulls/7/reviews"
State = dict[str, Any]


def at(time: str) -> str:
    return f"2026-11-30T{time}Z"


def event(kind: str, time: str, actor: str = "bob", **fields: Any) -> State:
    return {"pull": 7, "event": kind, "actor": actor, "at": at(time), **fields}


def labeled(actor: str = "bob", time: str = "07:00:00", label: str = LABEL, **fields: Any) -> State:
    return event("labeled", time, actor, label=label, **fields)


def unlabeled(actor: str = "bob", time: str = "07:30:00", label: str = LABEL) -> State:
    return event("unlabeled", time, actor, label=label)


def review(
    author: str = "bob", state: str = "APPROVED", commit: str = HEAD, time: str = "07:00:00", **fields: Any
) -> State:
    return {"pull": 7, "author": author, "state": state, "commit": commit, "at": at(time), **fields}


def begin(desk: Desk, *marks: State, pull: State | None = None, **fields: Any) -> None:
    """A repository whose pull request has these labels' events and reviews, numbered in this order."""
    numbered = [{"id": number, **mark} for number, mark in enumerate(marks, start=1)]
    labels = [LABEL] if any(mark.get("event") == "labeled" for mark in marks) else []
    known = {
        "pulls": {"7": a_pull(**({"labels": labels} | (pull or {})))},
        "events": [mark for mark in numbered if "event" in mark],
        "reviews": [mark for mark in numbered if "state" in mark],
        "collaborators": PEOPLE,
    }
    desk.begin(known | fields)


async def accept(
    desk: Desk, policy: AcceptPolicy | None = None, *, token: str = JOB_TOKEN, **context: Any
) -> Acceptance | NotAccepted:
    async with desk.api(token) as api:
        return await find_acceptance(api, desk.context(**context), policy or AcceptPolicy())


async def why(desk: Desk, policy: AcceptPolicy | None = None, **context: Any) -> str:
    """Reason and hint of what is not accepted, and an empty text is not among them."""
    found = await accept(desk, policy, **context)
    assert isinstance(found, NotAccepted), found
    assert found.reason
    assert "\n" not in found.reason + found.hint
    return f"{found.reason}. {found.hint}"


def accepted(
    by: str = "bob", how: Literal["label", "review"] = "label", time: str = "07:00:00"
) -> Acceptance:
    return Acceptance(by=by, how=how, at=at(time), head=HEAD)


@pytest.mark.parametrize("writer", ["bob", "mia", "ada", "ann"])
async def test_whoever_may_write_accepts_by_a_label_set_after_the_last_push(desk: Desk, writer: str) -> None:
    begin(desk, labeled(writer))
    assert await accept(desk) == accepted(writer)


@pytest.mark.parametrize(
    "marks",
    [
        (labeled(label="Agent-Gate: ACCEPT"),),
        (labeled("tom", "06:30:00"), unlabeled("bob", "06:40:00"), labeled()),
        (labeled("bob", "05:00:00"), unlabeled("bob", "06:59:59"), labeled()),
        (unlabeled("bob", "07:00:00"), labeled()),
        (labeled(), labeled("tom", "08:00:00", "bug"), unlabeled("tom", "08:00:01", "bug")),
        (event("head_ref_force_pushed", "06:59:59", "ann"), labeled()),
        (event("base_ref_changed", "06:59:59", "ann"), labeled()),
        (event("closed", "06:50:00"), event("reopened", "06:59:59"), labeled()),
        (
            labeled(),
            event("renamed", "08:00:00"),
            event("locked", "08:00:01"),
            event("mentioned", "08:00:02"),
        ),
        (*(event("mentioned", "06:00:00") for _ in range(250)), labeled()),
        (labeled(), *(event("subscribed", "08:00:00") for _ in range(250))),
    ],
    ids=[
        "another case",
        "a triager's was replaced",
        "set again after the push",
        "removed and set within a second",
        "another label later",
        "after a force push",
        "after a change of the base",
        "after a reopening",
        "events that move nothing",
        "on the last of many pages",
        "on the first of many pages",
    ],
)
async def test_the_last_event_of_the_label_counts(desk: Desk, marks: tuple[State, ...]) -> None:
    begin(desk, *marks)
    assert await accept(desk) == accepted()


async def test_events_count_by_their_time_and_not_by_their_place_in_the_list(desk: Desk) -> None:
    begin(desk, labeled("bob", "08:00:00"), labeled("tom", "07:00:00"))
    assert await accept(desk) == accepted(time="08:00:00")


@pytest.mark.parametrize(
    ("kinds", "counts"), [(("unlabeled", "labeled"), True), (("labeled", "unlabeled"), False)]
)
async def test_within_one_second_events_count_by_their_number(
    desk: Desk, kinds: tuple[str, str], counts: bool
) -> None:
    begin(desk, labeled())
    who = {"login": "bob", "type": "User"}
    known = {"created_at": at("07:00:00"), "label": {"name": LABEL}, "actor": who}
    listed = [{**known, "id": number, "event": kind} for number, kind in enumerate(kinds)]
    for body in (listed, listed[::-1]):
        desk.fail("GET", EVENTS, 200, body=body)
        assert isinstance(await accept(desk), Acceptance) is counts


async def test_another_label_can_be_the_one(desk: Desk) -> None:
    begin(desk, labeled(label="Bar: OK"), pull={"labels": ["bar: ok"]})
    assert await accept(desk, AcceptPolicy(label="bar: OK")) == accepted()
    assert await accept(desk) == NotAccepted()


@pytest.mark.parametrize(
    ("marks", "labels"),
    [
        ((), []),
        ((labeled(), unlabeled()), []),
        ((labeled(label=f"{LABEL}ed"),), [f"{LABEL}ed"]),
        ((labeled(label="bug"),), ["bug"]),
        ((review(),), []),
    ],
    ids=["nothing", "removed", "a longer name", "another label", "a review where a label is asked for"],
)
async def test_where_nobody_set_the_label_there_is_nothing_to_say(
    desk: Desk, marks: tuple[State, ...], labels: list[str]
) -> None:
    begin(desk, *marks, pull={"labels": labels})
    assert await accept(desk) == NotAccepted()


@pytest.mark.parametrize("name", ["push", "workflow_dispatch", "schedule"])
async def test_an_event_without_a_pull_request_asks_nothing(desk: Desk, name: str) -> None:
    begin(desk, labeled())
    assert await accept(desk, event=name, pull=None) == NotAccepted()
    assert desk.fake.requests == []


@pytest.mark.parametrize(
    ("marks", "reason"),
    [
        ((labeled("tom"),), "@tom set the label `agent-gate: accept`, but may not write to this repository"),
        ((labeled("rob"),), "@rob set the label `agent-gate: accept`, but may not write"),
        ((labeled("eve"),), "@eve set the label `agent-gate: accept`, but may not write"),
        ((labeled("nobody-here"),), "@nobody-here set the label `agent-gate: accept`, but may not write"),
        ((labeled(), unlabeled("tom"), labeled("tom", "08:00:00")), "@tom set the label"),
        ((labeled(BOT),), "@github-actions[bot] set the label `agent-gate: accept`, but only a person can"),
        ((labeled("helper[bot]"),), "@helper[bot] set the label `agent-gate: accept`, but only a person can"),
        ((labeled(app="autolabel"),), "@bob set the label `agent-gate: accept` through the app autolabel"),
        (
            (labeled(app="::error::x"),),
            "@bob set the label `agent-gate: accept` through the app without a name",
        ),
        (
            (labeled("../../user"),),
            "an account that is gone set the label `agent-gate: accept`, but only a person",
        ),
        ((labeled("x\n::error::y"),), "an account that is gone set the label"),
    ],
)
async def test_a_label_by_somebody_who_may_not_accept_says_so(
    desk: Desk, marks: tuple[State, ...], reason: str
) -> None:
    begin(desk, *marks)
    said = await why(desk)
    assert said.startswith(reason)
    assert said.endswith("Someone with write access removes the label and sets it again, by hand.")


@pytest.mark.parametrize(
    ("move", "what"),
    [
        (event("head_ref_force_pushed", "07:00:01", "ann"), "the last force push"),
        (event("head_ref_restored", "07:00:01", "ann"), "the restoring of the branch"),
        (event("reopened", "07:00:01", "ann"), "the reopening"),
        (event("base_ref_changed", "07:00:01", "ann"), "the change of the base"),
        (event("automatic_base_change_succeeded", "07:00:01", "ann"), "the change of the base"),
    ],
)
async def test_what_moves_the_head_or_the_base_ends_what_was_accepted(
    desk: Desk, move: State, what: str
) -> None:
    begin(desk, labeled(), move)
    assert f"at 2026-11-30 07:00:00 UTC, which is not after {what} (2026-11-30 07:00:01 UTC)" in await why(
        desk
    )


@pytest.mark.parametrize("time", ["07:00:00", "07:00:01", "09:00:00"])
async def test_a_push_after_the_label_or_within_its_second_ends_what_was_accepted(
    desk: Desk, time: str
) -> None:
    begin(desk, labeled(), activity=[a_push(at=at("06:00:00"), after=OTHER), a_push(at=at(time))])
    assert await why(desk) == (
        "@bob set the label `agent-gate: accept` at 2026-11-30 07:00:00 UTC, which is not after the last push"
        f" (2026-11-30 {time} UTC). Someone with write access removes the label and sets it again, by hand."
    )


async def test_a_head_that_was_left_and_came_back_was_pushed_when_it_came_back(desk: Desk) -> None:
    pushes = [
        a_push(at=at("06:00:00")),
        a_push(at=at("06:30:00"), after=OTHER),
        a_push(at=at("08:00:00"), type="force_push"),
    ]
    begin(desk, labeled(), activity=pushes)
    assert "not after the last push (2026-11-30 08:00:00 UTC)" in await why(desk)


@pytest.mark.parametrize(
    "activity",
    [
        [],
        [a_push(after=OTHER)],
        [a_push(), a_push(at=at("06:30:00"), after=OTHER)],
        [a_push(), a_push(at=at("06:30:00"), after="0" * 40, type="branch_deletion")],
        [a_push(branch="feature-2")],
        [a_push(repository=FORK)],
    ],
    ids=["none", "only an older head", "a newer head", "a deletion", "another branch", "another repository"],
)
async def test_a_record_of_pushes_that_does_not_end_with_this_head_accepts_nothing(
    desk: Desk, activity: list[State]
) -> None:
    begin(desk, labeled(), activity=activity)
    assert "record of pushes to acme/agent does not show this head yet. Run the job again" in await why(desk)


async def test_a_label_that_nobody_is_known_to_have_set_accepts_nothing(desk: Desk) -> None:
    for marks in ((), (labeled(), unlabeled()), (labeled(label="ok to test"),)):
        begin(desk, *marks, pull={"labels": [LABEL]})
        assert "GitHub has no record of who set it" in await why(desk)


async def test_a_pull_request_of_a_public_fork_is_accepted_with_the_forks_read_only_token(desk: Desk) -> None:
    token = {"login": BOT, "permissions": {"contents": "read", "pull_requests": "read"}}
    fork = {"head_repository": FORK, "head_ref": "patch/1?x=#1", "author": "mallory"}
    push = a_push(repository=FORK, branch=fork["head_ref"], actor="mallory")
    begin(desk, labeled(), pull=fork, forks=[FORK], activity=[push], tokens={JOB_TOKEN: token})
    assert await accept(desk, is_fork=True) == accepted()


async def test_a_fork_that_the_token_may_not_see_leaves_the_review(desk: Desk) -> None:
    fork = {"head_repository": FORK, "author": "mallory"}
    begin(desk, labeled(), review("bob", time="07:10:00"), pull=fork)
    said = await why(desk, is_fork=True)
    assert said.startswith(f"when this head was pushed is unknown: GitHub answered 404 to GET /repos/{FORK}")
    assert said.endswith("let the base's config take a review: `accept: {by: review}`.")
    assert await accept(desk, REVIEW, is_fork=True) == accepted(how="review", time="07:10:00")
    strict = await why(desk, AcceptPolicy(by="review", not_author=True), is_fork=True)
    assert strict.endswith("Open it from a branch of this repository.")


async def test_a_fork_that_is_gone_leaves_the_review(desk: Desk) -> None:
    begin(desk, labeled())
    gone = {
        "number": 7,
        "state": "open",
        "labels": [{"name": LABEL}],
        "head": {"sha": HEAD, "ref": "patch", "repo": None},
    }
    desk.fail("GET", "/pulls/7", 200, body=gone)
    said = await why(desk, is_fork=True)
    assert said.startswith("the fork is gone, so GitHub does not tell when this head was pushed")
    assert "`accept: {by: review}`" in said


@pytest.mark.parametrize(
    "policy", [AcceptPolicy(not_author=True), AcceptPolicy(by="review", not_author=True)]
)
@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"pull": {"author": "bob"}}, "but is the author, and `accept.not_author` is on"),
        ({"pull": {"author": "BOB"}}, "but is the author, and `accept.not_author` is on"),
        ({"activity": [a_push(actor="bob")]}, "but pushed this head, and `accept.not_author` is on"),
    ],
)
async def test_with_not_author_neither_the_author_nor_who_pushed_the_head_accepts(
    desk: Desk, policy: AcceptPolicy, fields: State, reason: str
) -> None:
    pull = {"labels": [LABEL], **fields.get("pull", {})}
    begin(desk, labeled(), review(), **{**fields, "pull": pull})
    assert reason in await why(desk, policy)
    assert isinstance(await accept(desk, AcceptPolicy(by=policy.by)), Acceptance)


@pytest.mark.parametrize(
    "policy", [AcceptPolicy(not_author=True), AcceptPolicy(by="review", not_author=True)]
)
async def test_with_not_author_somebody_else_accepts(desk: Desk, policy: AcceptPolicy) -> None:
    begin(desk, labeled(), review())
    assert await accept(desk, policy) == accepted(how=policy.by)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"head": OTHER}, "the head has moved: this run tests c0ffee0, the pull request is at 0dd0000"),
        ({"state": "closed"}, "pull request #7 is not open"),
        ({"state": "closed", "merged_at": at("08:00:00")}, "pull request #7 is not open"),
    ],
)
@pytest.mark.parametrize("policy", [AcceptPolicy(), REVIEW])
async def test_only_an_open_pull_request_at_the_very_head_of_this_run_is_accepted(
    desk: Desk, policy: AcceptPolicy, fields: State, reason: str
) -> None:
    begin(desk, labeled(), review(), pull={"labels": [LABEL], **fields})
    assert (await why(desk, policy)).startswith(reason)


@pytest.mark.parametrize(
    ("marks", "by"),
    [
        ((review(),), "bob"),
        ((review("mia"),), "mia"),
        ((review("bob", "CHANGES_REQUESTED", time="06:00:00"), review()), "bob"),
        ((review(), review("bob", "COMMENTED", time="08:00:00")), "bob"),
        ((review("mia", "CHANGES_REQUESTED"), review()), "bob"),
        ((review("mia", "DISMISSED"), review()), "bob"),
        ((review("bob", commit=OTHER, time="05:00:00"), review()), "bob"),
        ((review("rob"), review("tom"), review(BOT), review()), "bob"),
        ((event("base_ref_changed", "06:59:59"), review()), "bob"),
        ((review(), event("reopened", "08:00:00")), "bob"),
    ],
    ids=[
        "approved",
        "a maintainer",
        "changes requested, then approved",
        "commented later",
        "somebody else requests changes",
        "somebody else's was dismissed",
        "an older head too, then this one",
        "others who may not write",
        "after a change of the base",
        "the commit is the same after a reopening",
    ],
)
async def test_an_approving_review_of_this_head_accepts(
    desk: Desk, marks: tuple[State, ...], by: str
) -> None:
    begin(desk, *marks)
    assert await accept(desk, REVIEW) == accepted(by, "review")


@pytest.mark.parametrize(
    "marks",
    [
        (),
        (review("bob", "CHANGES_REQUESTED"),),
        (review("bob", "COMMENTED"),),
        (review("bob", "DISMISSED"),),
        (review("bob", "PENDING"),),
        (review(), review("bob", "CHANGES_REQUESTED", time="08:00:00")),
        (review(), review("BOB", "CHANGES_REQUESTED", time="08:00:00")),
        (review(), review("bob", "DISMISSED", time="08:00:00")),
    ],
)
async def test_where_no_approval_stands_there_is_nothing_to_say(desk: Desk, marks: tuple[State, ...]) -> None:
    begin(desk, *marks)
    assert await accept(desk, REVIEW) == NotAccepted()


@pytest.mark.parametrize(
    ("marks", "reason"),
    [
        ((review("tom"),), "@tom approved, but may not write to this repository"),
        ((review("rob"),), "@rob approved, but may not write to this repository"),
        ((review(BOT),), "@github-actions[bot] approved, but only a person can accept"),
        ((review(commit=OTHER),), "@bob approved 0dd0000, but the head is c0ffee0 now"),
        (
            (review(), event("base_ref_changed", "07:00:01", "ann")),
            "@bob approved at 2026-11-30 07:00:00 UTC, wh",
        ),
        ((review("tom", time="08:00:00"), review(BOT, time="07:00:00")), "@tom approved"),
        ((labeled(),), "the label `agent-gate: accept` is set, but the config takes a review"),
    ],
)
async def test_a_review_that_does_not_count_says_why(
    desk: Desk, marks: tuple[State, ...], reason: str
) -> None:
    begin(desk, *marks)
    said = await why(desk, REVIEW)
    assert said.startswith(reason)
    assert said.endswith("Someone with write access reviews this head and approves it.")


async def test_a_commit_that_is_none_is_not_repeated(desk: Desk) -> None:
    begin(desk)
    approval = {"state": "APPROVED", "user": {"login": "bob"}, "submitted_at": at("07:00:00")}
    desk.fail("GET", REVIEWS, 200, body=[{**approval, "commit_id": "\n::error"}])
    assert (await why(desk, REVIEW)).startswith("@bob approved unknown, but the head is c0ffee0 now")


async def test_a_crowd_of_strangers_cannot_hide_a_members_review_or_use_up_the_rate_limit(desk: Desk) -> None:
    crowd = [review(f"sock-{number}", time="08:00:00") for number in range(230)]
    begin(desk, *crowd[:120], review(association="MEMBER"), *crowd[120:])
    assert await accept(desk, REVIEW) == accepted(how="review")
    begin(desk, *crowd)
    assert "may not write" in await why(desk, REVIEW)
    assert sum(request.endswith("/permission") for request in desk.fake.requests) == MOST_ASKED


def queued(*commits: tuple[str, tuple[str, ...]]) -> State:
    return {f"{BASE}...{QUEUED}": [{"sha": sha, "parents": list(parents)} for sha, parents in commits]}


GROUP: State = {
    "event": "merge_group",
    "head_sha": QUEUED,
    "sha": QUEUED,
    "head_ref": "gh-readonly-queue/main/pr-7-x",
}
ALONE = queued((HEAD, ("1" * 40,)), (QUEUED, (BASE, HEAD)))


@pytest.mark.parametrize(
    ("compared", "commits"),
    [
        (ALONE, 1),
        (queued(("1" * 40, ("2" * 40,)), (HEAD, ("1" * 40,)), (QUEUED, (BASE, HEAD))), 2),
        (queued((QUEUED, (BASE,))), 3),
        (queued(("1" * 40, (BASE,)), ("2" * 40, ("1" * 40,)), (QUEUED, ("2" * 40,))), 3),
    ],
    ids=["merged", "two commits merged", "squashed", "three commits rebased"],
)
async def test_a_merge_group_is_accepted_if_the_head_of_its_pull_request_is(
    desk: Desk, compared: State, commits: int
) -> None:
    begin(desk, labeled(), review(), compared=compared, pull={"labels": [LABEL], "commits": commits})
    assert await accept(desk, **GROUP) == accepted()
    assert await accept(desk, REVIEW, **GROUP) == accepted(how="review")


@pytest.mark.parametrize(
    ("compared", "commits"),
    [
        (queued((HEAD, (BASE,)), ("1" * 40, (BASE, OTHER)), (QUEUED, ("1" * 40, HEAD))), 1),
        (queued(("1" * 40, (BASE,)), (QUEUED, ("1" * 40,))), 1),
        (queued(("1" * 40, (BASE,)), (QUEUED, ("1" * 40,))), 3),
        (queued((QUEUED, (BASE, OTHER))), 1),
        (queued((QUEUED, (BASE, HEAD, OTHER))), 1),
        (queued(("1" * 40, (BASE, OTHER)), (QUEUED, ("1" * 40,))), 2),
        (queued((OTHER, (BASE,))), 2),
    ],
    ids=[
        "two merges",
        "two squashes",
        "fewer commits than rebased",
        "another head was merged",
        "an octopus",
        "a merge and a squash",
        "another head of the group",
    ],
)
async def test_a_merge_group_that_holds_more_than_its_pull_request_is_not_accepted(
    desk: Desk, compared: State, commits: int
) -> None:
    begin(desk, labeled(), compared=compared, pull={"labels": [LABEL], "commits": commits})
    said = await why(desk, **GROUP)
    assert said.startswith("#7 was accepted, but its merge group holds other changes too. Limit the queue")


async def test_a_merge_group_that_is_not_based_on_its_base_is_not_accepted(desk: Desk) -> None:
    begin(desk, labeled())
    compared = {"behind_by": 1, "total_commits": 1, "commits": [{"sha": QUEUED, "parents": [{"sha": OTHER}]}]}
    desk.fail("GET", f"/compare/{BASE}...{QUEUED}", 200, body=compared)
    assert "holds other changes too" in await why(desk, **GROUP)


async def test_a_merge_group_without_a_base_is_not_accepted(desk: Desk) -> None:
    begin(desk, labeled(), compared=ALONE)
    assert "holds other changes too" in await why(desk, **GROUP, base_sha="")


async def test_a_merge_group_whose_pull_request_was_merged_meanwhile_can_be_run_again(desk: Desk) -> None:
    merged = {"labels": [LABEL], "state": "closed", "merged_at": at("08:00:00")}
    begin(desk, labeled(), compared=ALONE, pull=merged)
    assert await accept(desk, **GROUP) == accepted()
    begin(desk, labeled(), compared=ALONE, pull={**merged, "merged_at": None})
    assert await why(desk, **GROUP) == "pull request #7 of the merge group was closed. "


async def test_a_merge_group_of_which_nobody_accepted_anything_has_nothing_to_say(desk: Desk) -> None:
    begin(desk, compared=ALONE)
    assert await accept(desk, **GROUP) == NotAccepted()


@pytest.mark.parametrize(
    ("permissions", "path", "missing"),
    [
        ({"contents": "read"}, "/pulls/7", "`pull-requests: read`"),
        ({"pull_requests": "read"}, "/activity", "`contents: read`"),
    ],
)
async def test_a_missing_permission_is_named_as_a_workflow_writes_it(
    desk: Desk, permissions: State, path: str, missing: str
) -> None:
    begin(desk, labeled(), tokens={JOB_TOKEN: {"login": BOT, "permissions": permissions}})
    said = await why(desk)
    assert f"{path}: Resource not accessible by integration" in said
    assert said.endswith(f"Add {missing} to the `permissions` of the job.")


async def test_no_other_permission_than_those_of_the_example_workflow_is_asked_for(desk: Desk) -> None:
    least = {"login": BOT, "permissions": {"contents": "read", "pull_requests": "read"}}
    begin(desk, labeled(), review(), compared=ALONE, tokens={JOB_TOKEN: least})
    for policy in (AcceptPolicy(not_author=True), AcceptPolicy(by="review", not_author=True)):
        assert isinstance(await accept(desk, policy, **GROUP), Acceptance)


async def test_a_token_that_may_not_ask_who_may_write_is_told_so(desk: Desk) -> None:
    begin(desk, labeled())
    desk.fail("GET", PERMISSION, 403, "Must have push access to view collaborator permission.")
    assert "leave `github-token` out, or give its owner write access" in await why(desk)


@pytest.mark.parametrize("edition", ["api.github.com", "ghes-3.19"])
@pytest.mark.parametrize("policy", [AcceptPolicy(), AcceptPolicy(by="review", not_author=True)])
async def test_every_edition_of_the_api_answers(desk: Desk, edition: Any, policy: AcceptPolicy) -> None:
    begin(desk, labeled(), review())
    state = desk.fake.state
    desk.begin({key: state[key] for key in ("pulls", "events", "reviews", "collaborators")}, edition=edition)
    assert isinstance(await accept(desk, policy), Acceptance)


PATHS = ("/pulls/7", EVENTS, ACTIVITY, PERMISSION, REVIEWS, f"/compare/{BASE}...{QUEUED}")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "failure",
    [
        {"status": 0},
        {"status": 401},
        {"status": 403, "message": "Resource not accessible by integration"},
        {"status": 403, "headers": {"retry-after": "4000"}},
        {"status": 404},
        {"status": 422},
        {"status": 500},
        {"status": 200, "body": "<html>a proxy</html>"},
        {"status": 200, "body": None},
        {"status": 200, "body": []},
        {"status": 200, "body": {}},
        {"status": 200, "body": [{"event": "labeled", "label": {"name": LABEL}, "created_at": "yesterday"}]},
        {"status": 200, "body": [{"state": "APPROVED", "user": {"login": "bob"}, "submitted_at": None}]},
    ],
    ids=str,
)
async def test_whatever_github_does_not_answer_nothing_is_accepted_and_nothing_raised(
    desk: Desk, path: str, failure: State
) -> None:
    policy = AcceptPolicy(by="review") if path == REVIEWS else AcceptPolicy()
    begin(desk, labeled(), review(), compared=ALONE)
    body = {"body": failure["body"]} if "body" in failure else {}
    rest = {key: value for key, value in failure.items() if key not in ("body", "status")}
    desk.fail("GET", path, failure["status"], **rest, **body, times=100)
    assert isinstance(await accept(desk, policy, **GROUP), NotAccepted)


async def test_a_time_before_all_times_is_no_time(desk: Desk) -> None:
    begin(desk, labeled())
    push = {
        "ref": "refs/heads/feature",
        "after": HEAD,
        "timestamp": "0001-01-01T00:00:00+14:00",
        "actor": None,
    }
    for time in (push["timestamp"], "2026-11-30T06:00:00", "2026-13-30T06:00:00Z"):
        desk.fail("GET", ACTIVITY, 200, body=[{**push, "timestamp": time}])
        assert "GitHub gave no time at 'timestamp'" in await why(desk)


async def test_more_events_than_are_read_accept_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    begin(desk, *(event("mentioned", "06:00:00") for _ in range(200)), labeled())
    assert isinstance(await accept(desk), Acceptance)
    monkeypatch.setattr("gate.github.api.MOST_PAGES", 2)
    assert "has more than 200 entries" in await why(desk)


words = texts | st.sampled_from([LABEL, "bob", HEAD, at("07:00:00"), at("05:00:00")])
accounts = st.none() | st.fixed_dictionaries({"login": words, "type": st.just("User") | words, "id": words})
marks = st.fixed_dictionaries(
    {
        "event": st.sampled_from(["labeled", "unlabeled", "reopened"]) | words,
        "state": st.just("APPROVED") | words,
        "label": words | st.fixed_dictionaries({"name": words}),
        "actor": accounts,
        "user": accounts,
        "created_at": words,
        "submitted_at": words,
        "commit_id": words,
        "performed_via_github_app": st.none() | st.fixed_dictionaries({"slug": words}),
        "timestamp": words,
        "after": words,
        "ref": st.just("refs/heads/feature") | words,
    }
)
answers = st.lists(marks | words, min_size=1, max_size=4) | st.fixed_dictionaries(
    {
        "number": st.just(7) | words,
        "state": st.just("open") | words,
        "head": words
        | st.fixed_dictionaries(
            {"sha": words, "ref": words, "repo": st.fixed_dictionaries({"full_name": words})}
        ),
        "user": accounts,
        "labels": st.lists(st.fixed_dictionaries({"name": words})),
        "permission": words,
        "commits": words | st.lists(st.fixed_dictionaries({"sha": words, "parents": st.lists(words)})),
    }
)


@settings(max_examples=60)
@given(path=st.sampled_from(PATHS), body=answers, by=st.sampled_from(["label", "review"]))
def test_no_answer_raises_or_breaks_a_line(path: str, body: Any, by: Literal["label", "review"]) -> None:
    desk = Desk()
    begin(desk, labeled(), review(), compared=ALONE)
    desk.fail("GET", path, 200, body=body, times=100)
    found = asyncio.run(accept(desk, AcceptPolicy(by=by), **GROUP))
    shown = f"{found.reason}{found.hint}" if isinstance(found, NotAccepted) else f"{found.by}{found.at}"
    assert shown.isprintable()
